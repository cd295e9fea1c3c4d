//! Reading. Expressions are walked with an explicit stack: `let` nests as deep as formulas do.

use super::SmtError;
use super::operators::{self, Arg, MAX_WIDTH, float_sort, indexed_constant, rounding_mode};
use super::sexpr::{SExpr, SExprs};
use crate::term::{BvValue, Model, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

/// A command of a script that concerns solving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Add a term.
    Assert(Term),
    /// Is there a model, under assumptions?
    CheckSat(Vec<Term>),
    /// Open frames.
    Push(u32),
    /// Close frames.
    Pop(u32),
    /// The values of terms are wanted.
    GetValue(Vec<Term>),
}

/// A script: its commands, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Commands in the order of the text. Declarations and definitions are already expanded.
    pub commands: Vec<Command>,
}

impl Script {
    /// All asserted terms, whatever their frame.
    pub fn assertions(&self) -> Vec<Term> {
        self.commands
            .iter()
            .filter_map(|command| match command {
                Command::Assert(term) => Some(*term),
                _ => None,
            })
            .collect()
    }
}

/// Reads one term. Its variables must exist in the pool.
pub fn parse_term(pool: &mut TermPool, text: &str) -> Result<Term, SmtError> {
    let expressions = SExprs::read(text)?;
    let &[top] = expressions.top.as_slice() else {
        return Err(SmtError {
            line: 1,
            message: "one expression expected".into(),
        });
    };
    Reader::new(pool, &expressions).term(top)
}

/// Reads a value, as solvers print it.
pub fn parse_value(pool: &mut TermPool, text: &str) -> Result<Value, SmtError> {
    let term = parse_term(pool, text)?;
    if !operators::is_value(pool, term) {
        return Err(SmtError {
            line: 1,
            message: "a value expected".into(),
        });
    }
    Ok(pool.eval(term, &Model::new()))
}

/// Reads a script. Commands that only configure a solver or print something are skipped.
pub fn parse_script(pool: &mut TermPool, text: &str) -> Result<Script, SmtError> {
    let expressions = SExprs::read(text)?;
    let mut reader = Reader::new(pool, &expressions);
    let mut script = Script::default();
    for &top in &expressions.top {
        reader.command(top, &mut script)?;
    }
    Ok(script)
}

/// A definition with parameters, expanded at each use.
struct Macro {
    parameters: Vec<Term>,
    body: Term,
}

struct Reader<'p, 't> {
    pool: &'p mut TermPool,
    expressions: &'p SExprs<'t>,
    definitions: FxHashMap<&'t str, Term>,
    macros: FxHashMap<&'t str, Macro>,
    /// Names bound by `let`, the innermost binding last.
    bound: FxHashMap<&'t str, Vec<Term>>,
}

enum Step {
    Read(u32),
    /// Apply the head of this list to the arguments on the stack.
    Apply(u32),
    /// Bind the values on the stack to the names of this `let`.
    Bind(u32),
    /// Undo those bindings.
    Unbind(u32),
}

impl<'p, 't> Reader<'p, 't> {
    fn new(pool: &'p mut TermPool, expressions: &'p SExprs<'t>) -> Reader<'p, 't> {
        Reader {
            pool,
            expressions,
            definitions: FxHashMap::default(),
            macros: FxHashMap::default(),
            bound: FxHashMap::default(),
        }
    }

    fn command(&mut self, node: u32, script: &mut Script) -> Result<(), SmtError> {
        let expressions = self.expressions;
        let items = expressions.items(node).to_vec();
        let Some(name) = items.first().and_then(|&first| expressions.atom(first)) else {
            return Err(expressions.error(node, "a command expected"));
        };
        let wrong = || expressions.error(node, format!("malformed {name}"));
        let item = |position: usize| items.get(position).copied().ok_or_else(wrong);
        let count = |position: usize| -> Result<u32, SmtError> {
            match items.get(position) {
                None => Ok(1),
                Some(&number) => expressions
                    .atom(number)
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(wrong),
            }
        };
        match name {
            "assert" => {
                let term = self.boolean(item(1)?)?;
                script.commands.push(Command::Assert(term));
            }
            "check-sat" => script.commands.push(Command::CheckSat(Vec::new())),
            "check-sat-assuming" => {
                let literals = expressions.items(item(1)?).to_vec();
                let terms = literals
                    .into_iter()
                    .map(|literal| self.boolean(literal))
                    .collect::<Result<_, _>>()?;
                script.commands.push(Command::CheckSat(terms));
            }
            "push" => script.commands.push(Command::Push(count(1)?)),
            "pop" => script.commands.push(Command::Pop(count(1)?)),
            "get-value" => {
                let wanted = expressions.items(item(1)?).to_vec();
                let terms = wanted
                    .into_iter()
                    .map(|term| self.term(term))
                    .collect::<Result<_, _>>()?;
                script.commands.push(Command::GetValue(terms));
            }
            "declare-const" | "declare-fun" => {
                let variable = expressions.atom(item(1)?).ok_or_else(wrong)?;
                let position = if name == "declare-const" { 2 } else { 3 };
                if name == "declare-fun" && !expressions.items(item(2)?).is_empty() {
                    return Err(
                        expressions.error(node, "functions with arguments are not supported")
                    );
                }
                let sort = self.sort(item(position)?)?;
                let term = self.pool.var(variable, sort);
                self.definitions.insert(variable, term);
            }
            "define-fun" | "define-const" => {
                let defined = expressions.atom(item(1)?).ok_or_else(wrong)?;
                self.definition(node, defined, &items, name == "define-const")?;
            }
            "set-logic"
            | "set-option"
            | "set-info"
            | "get-model"
            | "get-info"
            | "exit"
            | "reset"
            | "get-unsat-core"
            | "get-unsat-assumptions"
            | "echo" => {}
            other => {
                return Err(expressions.error(node, format!("command {other} is not supported")));
            }
        }
        Ok(())
    }

    fn definition(
        &mut self,
        node: u32,
        name: &'t str,
        items: &[u32],
        is_const: bool,
    ) -> Result<(), SmtError> {
        let expressions = self.expressions;
        let wrong = || expressions.error(node, "malformed definition");
        let shift = if is_const { 0 } else { 1 };
        let parameters: Vec<u32> = if is_const {
            Vec::new()
        } else {
            expressions.items(*items.get(2).ok_or_else(wrong)?).to_vec()
        };
        let sort = self.sort(*items.get(2 + shift).ok_or_else(wrong)?)?;
        let body = *items.get(3 + shift).ok_or_else(wrong)?;
        let mut variables = Vec::new();
        let mut names = Vec::new();
        for parameter in parameters {
            let &[name, sort] = expressions.items(parameter) else {
                return Err(wrong());
            };
            let name = expressions.atom(name).ok_or_else(wrong)?;
            let sort = self.sort(sort)?;
            let variable = self.pool.fresh_var("parameter!", sort);
            self.bound.entry(name).or_default().push(variable);
            names.push(name);
            variables.push(variable);
        }
        let term = self.term(body);
        for name in names {
            if let Some(stack) = self.bound.get_mut(name) {
                stack.pop();
            }
        }
        let term = term?;
        if self.pool.sort(term) != sort {
            let message = format!("{name} has sort {} instead of {sort}", self.pool.sort(term));
            return Err(expressions.error(node, message));
        }
        if variables.is_empty() {
            self.definitions.insert(name, term);
        } else {
            let parameters = variables;
            self.macros.insert(
                name,
                Macro {
                    parameters,
                    body: term,
                },
            );
        }
        Ok(())
    }

    fn number(&self, node: u32) -> Result<u32, SmtError> {
        self.expressions
            .atom(node)
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.expressions.error(node, "a number expected"))
    }

    fn sort(&self, node: u32) -> Result<Sort, SmtError> {
        let expressions = self.expressions;
        let unknown = || expressions.error(node, "unknown sort");
        if let Some(name) = expressions.atom(node) {
            return match name {
                "Bool" => Ok(Sort::Bool),
                "Float16" => Ok(Sort::Float {
                    exponent: 5,
                    significand: 11,
                }),
                "Float32" => Ok(Sort::FLOAT32),
                "Float64" => Ok(Sort::FLOAT64),
                "Float128" => Ok(Sort::FLOAT128),
                _ => Err(unknown()),
            };
        }
        let items = expressions.items(node);
        let head = items.first().and_then(|&first| expressions.atom(first));
        match (head, items) {
            (Some("_"), &[_, name, width]) if expressions.atom(name) == Some("BitVec") => {
                match self.number(width)? {
                    0 => Err(expressions.error(node, "bit-vectors have at least one bit")),
                    width if width > MAX_WIDTH => {
                        Err(expressions.error(node, "bit-vector too wide"))
                    }
                    width => Ok(Sort::BitVec(width)),
                }
            }
            (Some("_"), &[_, name, exponent, significand])
                if expressions.atom(name) == Some("FloatingPoint") =>
            {
                float_sort(self.number(exponent)?, self.number(significand)?)
                    .map_err(|message| expressions.error(node, message))
            }
            (Some("Array"), &[_, index, element]) => {
                // Looked at before descending, so that nested arrays do not nest calls.
                let is_bv = |node: u32| {
                    let name = expressions.items(node).get(1);
                    name.and_then(|&name| expressions.atom(name)) == Some("BitVec")
                };
                if !is_bv(index) || !is_bv(element) {
                    return Err(expressions.error(node, "arrays map bit-vectors to bit-vectors"));
                }
                match (self.sort(index)?, self.sort(element)?) {
                    (Sort::BitVec(index), Sort::BitVec(element)) => {
                        Ok(Sort::Array { index, element })
                    }
                    _ => Err(unknown()),
                }
            }
            _ => Err(unknown()),
        }
    }

    fn boolean(&mut self, node: u32) -> Result<Term, SmtError> {
        let term = self.term(node)?;
        if self.pool.sort(term) != Sort::Bool {
            return Err(self.expressions.error(node, "a boolean term expected"));
        }
        Ok(term)
    }

    fn term(&mut self, node: u32) -> Result<Term, SmtError> {
        let expressions = self.expressions;
        let mut steps = vec![Step::Read(node)];
        let mut values: Vec<Arg> = Vec::new();
        while let Some(step) = steps.pop() {
            match step {
                Step::Read(node) => match expressions.node(node) {
                    SExpr::Atom(text) => {
                        let value = self.atom(node, text)?;
                        values.push(value);
                    }
                    SExpr::List(items) => self.read_list(node, items, &mut steps, &mut values)?,
                },
                Step::Apply(node) => {
                    let count = expressions.items(node).len() - 1;
                    let args = values.split_off(values.len() - count);
                    let term = self.apply(node, &args)?;
                    values.push(Arg::Term(term));
                }
                Step::Bind(node) => {
                    let bindings = expressions.items(expressions.items(node)[1]);
                    let bound = values.split_off(values.len() - bindings.len());
                    for (&binding, value) in bindings.iter().zip(bound) {
                        let Arg::Term(term) = value else {
                            return Err(expressions.error(binding, "a term expected"));
                        };
                        let name = self.binding_name(binding)?;
                        self.bound.entry(name).or_default().push(term);
                    }
                }
                Step::Unbind(node) => {
                    let bindings = expressions.items(expressions.items(node)[1]);
                    for &binding in bindings {
                        let name = self.binding_name(binding)?;
                        if let Some(stack) = self.bound.get_mut(name) {
                            stack.pop();
                        }
                    }
                }
            }
        }
        match values.pop() {
            Some(Arg::Term(term)) => Ok(term),
            _ => Err(expressions.error(node, "a term expected")),
        }
    }

    fn binding_name(&self, binding: u32) -> Result<&'t str, SmtError> {
        let items = self.expressions.items(binding);
        match items.first().and_then(|&name| self.expressions.atom(name)) {
            Some(name) if items.len() == 2 => Ok(name),
            _ => Err(self.expressions.error(binding, "malformed binding")),
        }
    }

    fn read_list(
        &mut self,
        node: u32,
        items: &[u32],
        steps: &mut Vec<Step>,
        values: &mut Vec<Arg>,
    ) -> Result<(), SmtError> {
        let expressions = self.expressions;
        let head = items.first().and_then(|&first| expressions.atom(first));
        match head {
            Some("let") => {
                let &[_, bindings, body] = items else {
                    return Err(expressions.error(node, "malformed let"));
                };
                steps.push(Step::Unbind(node));
                steps.push(Step::Read(body));
                steps.push(Step::Bind(node));
                for &binding in expressions.items(bindings).iter().rev() {
                    self.binding_name(binding)?;
                    steps.push(Step::Read(expressions.items(binding)[1]));
                }
            }
            Some("!") if items.len() >= 2 => steps.push(Step::Read(items[1])),
            Some("_") => {
                let name = items.get(1).and_then(|&name| expressions.atom(name));
                let numbers: Vec<u32> = items[2.min(items.len())..]
                    .iter()
                    .map(|&number| self.number(number))
                    .collect::<Result<_, _>>()?;
                let constant = name.and_then(|name| indexed_constant(self.pool, name, &numbers));
                match constant {
                    Some(Ok(term)) => values.push(Arg::Term(term)),
                    Some(Err(message)) => return Err(expressions.error(node, message)),
                    None => return Err(expressions.error(node, "unknown constant")),
                }
            }
            _ if items.len() >= 2 => {
                steps.push(Step::Apply(node));
                for &item in items[1..].iter().rev() {
                    steps.push(Step::Read(item));
                }
            }
            _ => return Err(expressions.error(node, "an operator with arguments expected")),
        }
        Ok(())
    }

    fn atom(&mut self, node: u32, text: &'t str) -> Result<Arg, SmtError> {
        if let Some(&term) = self.bound.get(text).and_then(|stack| stack.last()) {
            return Ok(Arg::Term(term));
        }
        if let Some(&term) = self.definitions.get(text) {
            return Ok(Arg::Term(term));
        }
        match text {
            "true" => return Ok(Arg::Term(TermPool::TRUE)),
            "false" => return Ok(Arg::Term(TermPool::FALSE)),
            _ => {}
        }
        if let Some(mode) = rounding_mode(text) {
            return Ok(Arg::Mode(mode));
        }
        if let Some(value) = literal(text) {
            return Ok(Arg::Term(self.pool.bv_value(value)));
        }
        let symbol = self.pool.symbol(text);
        match self.pool.existing_var(symbol) {
            Some(term) => Ok(Arg::Term(term)),
            None => Err(self.expressions.error(node, format!("unknown name {text}"))),
        }
    }

    fn apply(&mut self, node: u32, args: &[Arg]) -> Result<Term, SmtError> {
        let expressions = self.expressions;
        let head = expressions.items(node)[0];
        let result = match expressions.node(head) {
            SExpr::Atom(name) => {
                if self.macros.contains_key(name) {
                    return self.expand(node, name, args);
                }
                operators::apply(self.pool, name, args)
            }
            SExpr::List(items) => {
                let first = items.first().and_then(|&first| expressions.atom(first));
                match (first, items.as_slice()) {
                    (Some("_"), &[_, name, ref numbers @ ..]) => {
                        let numbers: Vec<u32> = numbers
                            .iter()
                            .map(|&number| self.number(number))
                            .collect::<Result<_, _>>()?;
                        let name = expressions.atom(name).unwrap_or_default();
                        operators::apply_indexed(self.pool, name, &numbers, args)
                    }
                    (Some("as"), &[_, name, sort]) if expressions.atom(name) == Some("const") => {
                        let sort = self.sort(sort)?;
                        match (sort, args) {
                            (Sort::Array { index, element }, &[Arg::Term(value)])
                                if self.pool.sort(value) == Sort::BitVec(element) =>
                            {
                                Ok(self.pool.const_array(index, value))
                            }
                            _ => Err("malformed constant array".into()),
                        }
                    }
                    _ => Err("an operator expected".into()),
                }
            }
        };
        result.map_err(|message: String| expressions.error(node, message))
    }

    fn expand(&mut self, node: u32, name: &str, args: &[Arg]) -> Result<Term, SmtError> {
        let definition = &self.macros[name];
        let mut map = FxHashMap::default();
        let fits = definition.parameters.len() == args.len();
        for (&parameter, arg) in definition.parameters.iter().zip(args) {
            match arg {
                Arg::Term(term) if fits && self.pool.sort(*term) == self.pool.sort(parameter) => {
                    map.insert(parameter, *term);
                }
                _ => {
                    let message = format!("wrong arguments of {name}");
                    return Err(self.expressions.error(node, message));
                }
            }
        }
        let body = definition.body;
        Ok(self.pool.substitute(body, &map))
    }
}

/// `#x2a` or `#b101`.
fn literal(text: &str) -> Option<BvValue> {
    let (digits, radix, bits) = if let Some(digits) = text.strip_prefix("#x") {
        (digits, 16, 4)
    } else {
        (text.strip_prefix("#b")?, 2, 1)
    };
    let width = u32::try_from(digits.len()).ok()?.checked_mul(bits)?;
    if width == 0 || width > MAX_WIDTH {
        return None;
    }
    let value = num_bigint::BigUint::parse_bytes(digits.as_bytes(), radix)?;
    Some(BvValue::from_big(width, value))
}
