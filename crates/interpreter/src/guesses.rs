//! Whether an execution depends on a result that a library function does not give.
//!
//! Of some library functions any result is taken, although the function determines it (`sin`,
//! `sscanf`). A proof holds for all of them. A violation counts only if it does not depend on the
//! one that was taken: if no branch is decided by it, and no address and nothing that may fail is
//! computed with it.

use super::{Change, Observer, Relevance, View};
use cfa::expr::{ExprId, Node};
use cfa::op::{InputKind, Op};
use cfa::program::{EdgeId, FuncId, Program};
use lowering::models::is_a_guess;

/// Watches an execution.
pub struct Guesses<'p> {
    program: &'p Program,
    flow: Relevance<'p>,
    /// Functions whose results are guessed.
    guessing: Vec<bool>,
    /// The functions that are active.
    stack: Vec<FuncId>,
    /// How many functions were active when the outermost one of those was called.
    inside: Option<usize>,
    /// Where it was called.
    called_at: Option<EdgeId>,
    /// Of each step: does a guess come from it, may it decide something, and whose guess is it.
    from: Vec<bool>,
    decides: Vec<bool>,
    names: Vec<String>,
}

/// Models that write a text about which nothing is known.
const ANY_TEXT: [&str; 2] = ["__concord_put_any", "__concord_any_wide_text"];

/// `__builtin_return_address` and `__builtin_frame_address`.
const ADDRESS_OF_CALLER: &str = "__builtin_return_address";

/// Before the name of a function, in that of a model that gives results of the function which are
/// not computed.
const GUESS: &str = "__concord_guess_";

fn is_guessed(name: &str) -> bool {
    is_a_guess(name)
        || ANY_TEXT.contains(&name)
        || name == ADDRESS_OF_CALLER
        || name.starts_with(GUESS)
}

impl<'p> Guesses<'p> {
    /// `None` if nothing in the program is guessed.
    pub fn of(program: &'p Program) -> Option<Guesses<'p>> {
        let name = |name| program.names.get(name);
        let guessing: Vec<bool> = program
            .functions
            .iter()
            .map(|function| function.is_library_model && is_guessed(name(function.name)))
            .collect();
        let inputs = program
            .inputs
            .iter()
            .any(|input| source(program, &input.kind).is_some());
        (inputs || guessing.contains(&true)).then(|| Guesses {
            program,
            flow: Relevance::new(program),
            guessing,
            stack: Vec::new(),
            inside: None,
            called_at: None,
            from: Vec::new(),
            decides: Vec::new(),
            names: Vec::new(),
        })
    }

    /// The function whose result something depends on, if it is so.
    pub fn needed(&self) -> Option<&str> {
        let guess = self.from.iter().position(|&is_source| is_source)?;
        let told = |step: usize| self.names.get(step).map(String::as_str);
        match self.flow.first_taking(&self.from, &self.decides) {
            Some(None) => None,
            // Which of several it is does not matter to the reader: the last one before.
            Some(Some(step)) => {
                let before = (0..=step.min(self.from.len() - 1)).rev();
                before
                    .filter(|&step| self.from[step])
                    .find_map(told)
                    .or(told(guess))
            }
            None => told(guess),
        }
    }

    /// The name that the program calls a function by whose model has a name of its own; it stands
    /// where the call does.
    fn name_of(&self, function: FuncId, call: Option<EdgeId>) -> String {
        let name = self.program.names.get(self.program.function(function).name);
        if let Some(known) = name.strip_prefix(GUESS) {
            return known.to_owned();
        }
        if !name.starts_with("__concord") {
            return name.to_owned();
        }
        let called = call.and_then(|call| written_at(self.program, call));
        called.unwrap_or_else(|| "printf".to_owned())
    }

    fn note(&mut self, edge: EdgeId, is_source: Option<String>) {
        self.from.push(is_source.is_some());
        self.names.push(is_source.unwrap_or_default());
        let decides = self.inside.is_none() && may_decide(self.program, edge);
        self.decides.push(decides);
    }
}

/// The identifier with which the text of a call begins.
fn written_at(program: &Program, call: EdgeId) -> Option<String> {
    let text = program.sources.snippet(program.edge(call).span);
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name: Vec<u8> = text.iter().take_while(is_part).copied().collect();
    let name = String::from_utf8(name).ok()?;
    (!name.is_empty() && !name.starts_with("__concord")).then_some(name)
}

/// The library function that an input stands for a guess of.
fn source<'p>(program: &'p Program, kind: &InputKind) -> Option<&'p str> {
    match kind {
        InputKind::Library(name) | InputKind::External(name) => {
            Some(program.names.get(*name)).filter(|name| is_guessed(name))
        }
        _ => None,
    }
}

/// Whether values in the operation have an influence on more than other values.
fn may_decide(program: &Program, edge: EdgeId) -> bool {
    let source = program.edge(edge).source;
    if program.location(source).outgoing.len() > 1 {
        return true;
    }
    let op = program.edge_op(edge);
    let moves = match op {
        Op::Store { address, .. } => !is_fixed(program, *address),
        Op::Copy { target, source, .. } => {
            !is_fixed(program, *target) || !is_fixed(program, *source)
        }
        Op::Assume(_)
        | Op::Fill { .. }
        | Op::Allocate { .. }
        | Op::Reallocate { .. }
        | Op::Release(_)
        | Op::Halt(_) => true,
        _ => false,
    };
    let fails = |&expr: &ExprId| computes_addresses(program, expr);
    moves || op.expressions().iter().any(fails)
}

/// An address that nothing is computed for.
fn is_fixed(program: &Program, address: ExprId) -> bool {
    let pool = &program.pool;
    !pool.reads_variables(address) && !pool.reads_memory(address)
}

/// Something in the expression may fail, except for reading at a fixed address.
fn computes_addresses(program: &Program, expr: ExprId) -> bool {
    let pool = &program.pool;
    if !pool.can_fail(expr) {
        return false;
    }
    match pool.node(expr) {
        Node::Load { address, .. } => !is_fixed(program, address),
        Node::Binary(cfa::expr::BinOp::Div | cfa::expr::BinOp::Rem, ..) => true,
        node => node
            .children()
            .any(|child| computes_addresses(program, child)),
    }
}

impl Observer for Guesses<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        self.flow.edge(edge, change, view);
        let inside = self.inside.and_then(|depth| self.stack.get(depth));
        let is_source = match (inside, self.program.edge_op(edge)) {
            (Some(&function), _) => Some(self.name_of(function, self.called_at)),
            (None, Op::Havoc(_, input)) => {
                let kind = &self.program.inputs[input.0 as usize].kind;
                source(self.program, kind).map(str::to_owned)
            }
            _ => None,
        };
        self.note(edge, is_source);
        if let Change::Call(function) = change {
            if self.inside.is_none() && self.guessing[function.0 as usize] {
                self.inside = Some(self.stack.len());
                self.called_at = Some(edge);
            }
            self.stack.push(function);
        }
    }

    fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
        self.flow.leave(call, change, view);
        let left = self.stack.pop();
        let was_guess = self.inside == Some(self.stack.len());
        if was_guess {
            self.inside = None;
        }
        let left = left.filter(|_| was_guess);
        let name = left.map(|function| self.name_of(function, Some(call)));
        // Returning decides nothing.
        self.note(call, name);
        if let Some(last) = self.decides.last_mut() {
            *last = false;
        }
    }
}
