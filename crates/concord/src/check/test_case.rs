//! The violation as a test that an engineer would write: a few lines of C that set the inputs and
//! call the entry, to be compiled with the program's files and run in a debugger.
//!
//! It is made from the execution: the statements of the harness that were executed, with the values
//! that they were executed with, without its conditions and loops.

use super::counterexample::line_text;
use super::message::Counterexample;
use super::values::{HARNESS, is_in_harness, number};
use arith::float::{self, FloatFormat};
use cfa::expr::VarId;
use cfa::op::InputKind;
use cfa::program::{EdgeId, FuncId, Program};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{Change, Observer, View, write_value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use syntax::harness::PREFIX;
use syntax::span::Span;
use syntax::type_name::declaration;
use syntax::types::Type;

/// A longer test is not read.
const MAX_LINES: usize = 2000;
/// How long the execution is followed.
const PATIENCE: Duration = Duration::from_millis(500);

/// The test; `None` where the execution takes what no test can give (what memory held before, say).
pub fn write(
    program: &Program,
    values: &[InputValue],
    found: &Counterexample,
    budget: &Budget,
) -> Option<String> {
    let executed = program.executed();
    let functions = (0..executed.functions.len() as u32).map(FuncId);
    let mut made = functions.filter(|&id| is_in_harness(executed, executed.function(id).span));
    let entry = made.find_map(|id| executed.function_name(id).strip_prefix(PREFIX));
    let mut watch = Watch::new(executed);
    certify::replay(program, values, &budget.within(PATIENCE), Some(&mut watch));
    watch.complete();
    if watch.lines.len() > MAX_LINES {
        return None;
    }
    let stubs = stubs(executed, values)?;
    let mut files: Vec<&str> = Vec::new();
    for source in executed.sources.sources() {
        let name = executed.sources.name(source);
        if !name.starts_with('<') && !files.contains(&name) {
            files.push(name);
        }
    }
    let mut text = String::new();
    let _ = writeln!(
        text,
        "/* {}: {}",
        found.violation.place,
        found.violation.text.replace("*/", "* /")
    );
    if let Some(why) = &found.why {
        let _ = writeln!(text, " * {why}");
    }
    let Some(entry) = entry else {
        let _ = writeln!(
            text,
            " *\n * With what these functions return, the program fails:\n *\n *   cc -g -fsanitize=address,undefined {} TEST.c -o test -lm && ./test\n */",
            files.join(" ")
        );
        text += &failing(executed);
        text += &stubs;
        return Some(text);
    };
    let functions = (0..executed.functions.len() as u32).map(FuncId);
    let mut named = functions.filter(|&id| executed.function_name(id) == entry);
    let span = executed.function(named.next()?).span;
    let own = executed.sources.name(executed.sources.source_of(span.lo)?);
    let others: Vec<&str> = files.iter().filter(|file| **file != own).copied().collect();
    let others: String = others.iter().map(|file| format!("{file} ")).collect();
    let _ = writeln!(
        text,
        " *\n *   cc -g -fsanitize=address,undefined TEST.c {others}-o test -lm && ./test\n */"
    );
    let has_main = executed
        .function_index
        .keys()
        .any(|name| executed.names.get(*name) == "main");
    match has_main {
        true => {
            let _ = writeln!(
                text,
                "#define main main_of_the_program\n#include \"{own}\"\n#undef main\n"
            );
        }
        false => {
            let _ = writeln!(text, "#include \"{own}\"\n");
        }
    }
    text += &failing(executed);
    text += &stubs;
    for line in &mut watch.lines {
        *line = line.replace(" = malloc(", " = calloc(1, ");
    }
    if watch.lines.iter().any(|line| line.contains(" = calloc(")) {
        text += "extern void *calloc(__typeof__(sizeof 0), __typeof__(sizeof 0));\n\n";
    }
    text += "int main(void)\n{\n";
    for line in declarations(executed, entry).iter().chain(&watch.lines) {
        let _ = writeln!(text, "    {line}");
    }
    text += "    return 0;\n}\n";
    Some(text)
}

/// The program's error function, which a test has to define.
fn failing(program: &Program) -> String {
    let is_called = |name: &str| {
        program.function_index.iter().any(|(known, &id)| {
            let function = program.function(id);
            program.names.get(*known) == name && function.span.is_none()
        })
    };
    match is_called("reach_error") {
        true => "void reach_error(void) { __builtin_abort(); }\n\n".into(),
        false => String::new(),
    }
}

/// Functions without a body, which return what they did in the execution.
fn stubs(program: &Program, values: &[InputValue]) -> Option<String> {
    let mut calls: BTreeMap<String, Vec<(Ty, u128)>> = BTreeMap::new();
    for value in values {
        let Some(input) = program.inputs.get(value.input.0 as usize) else {
            // Memory that nobody wrote holds zeros in a test.
            if value.bits == 0 {
                continue;
            }
            return None;
        };
        match &input.kind {
            InputKind::Nondet(_) if is_in_harness(program, input.span) => {}
            // Results of the library's functions are their own.
            InputKind::External(name) if input.is_bool && program.names.get(*name) == "malloc" => {}
            InputKind::Nondet(name) | InputKind::External(name) => {
                let name = program.names.get(*name).to_owned();
                calls.entry(name).or_default().push((value.ty, value.bits));
            }
            InputKind::Library(_) | InputKind::Unusual(_) | InputKind::Replaced(_) => {}
            _ => return None,
        }
    }
    let mut text = String::new();
    for (name, values) in calls {
        let mut known = program.function_index.iter();
        let (_, &id) = known.find(|(known, _)| program.names.get(**known) == name)?;
        let ty = program.function(id).c_type?;
        let Type::Function(shape) = program.types.shape(ty) else {
            return None;
        };
        let head = declaration(&program.types, &program.names, ty, &name);
        let element = declaration(&program.types, &program.names, shape.result, "values[]");
        let list: Option<Vec<String>> =
            values.iter().map(|&(ty, bits)| literal(ty, bits)).collect();
        let list = list?.join(", ");
        let count = values.len();
        let _ = writeln!(
            text,
            "{head}\n{{\n    static const {element} = {{{list}}};\n    static unsigned call;\n    return values[call < {count} ? call++ : {}];\n}}\n",
            count - 1
        );
    }
    Some(text)
}

/// The variables for the arguments of the entry: the first lines of the harness.
fn declarations(program: &Program, entry: &str) -> Vec<String> {
    let head = format!("void {PREFIX}{entry}(void) {{");
    let lines = (1..).map_while(|number| {
        let line = *program.sources.find_line(HARNESS, number).first()?;
        Some(line_text(program, line.lo))
    });
    let is_declaration = |line: &String| {
        let is_call = line.starts_with(&format!("{entry}(")) || line.starts_with("__VERIFIER");
        !line.contains(" = ") && !line.starts_with("if (") && !line.starts_with("for (") && !is_call
    };
    lines
        .skip_while(|line| *line != head)
        .skip(1)
        .skip_while(|line| line.starts_with("concord_globals_"))
        .take_while(is_declaration)
        .collect()
}

/// Follows the statements of the harness.
struct Watch<'a> {
    program: &'a Program,
    is_harness: Vec<bool>,
    indices: BTreeMap<String, VarId>,
    lines: Vec<String>,
    /// Globals get values too, and need not be zeros.
    sets_globals: bool,
    /// The statement that is being executed.
    current: Option<Statement>,
}

/// The number of a line of the harness, its text, and the last value that it gave.
type Statement = (u32, String, Option<(Ty, u128)>);

impl<'a> Watch<'a> {
    fn new(program: &'a Program) -> Watch<'a> {
        let functions = program.functions.iter();
        let is_harness: Vec<bool> = functions
            .map(|function| is_in_harness(program, function.span))
            .collect();
        let vars = program.vars.iter().enumerate();
        let indices = vars.filter(|(_, var)| {
            let is_own = var
                .function
                .is_some_and(|function| is_harness[function.0 as usize]);
            is_own && var.name.starts_with("index_")
        });
        let indices = indices.map(|(number, var)| (var.name.clone(), VarId(number as u32)));
        Watch {
            program,
            indices: indices.collect(),
            is_harness,
            lines: Vec::new(),
            sets_globals: program
                .function_index
                .keys()
                .any(|name| program.names.get(*name).starts_with("concord_globals_")),
            current: None,
        }
    }

    /// Writes the statement that ends.
    fn complete(&mut self) {
        let Some((_, line, value)) = self.current.take() else {
            return;
        };
        let starts = ["if (", "for (", "__VERIFIER_assume(", "concord_globals_"];
        if starts.iter().any(|start| line.starts_with(start)) || self.lines.len() > MAX_LINES {
            return;
        }
        let nondet = " = __VERIFIER_nondet_";
        let line = match (line.find(nondet), value) {
            (Some(at), Some((ty, bits))) => {
                let path = &line[..at];
                // Memory of the heap is all zeros in a test.
                let is_zero = bits == 0 && path.contains(['>', '[']);
                if is_zero && !self.sets_globals {
                    return;
                }
                match literal(ty, bits) {
                    Some(value) => format!("{path} = {value};"),
                    None => line,
                }
            }
            _ => line,
        };
        self.lines.push(line);
    }

    fn passed(&mut self, edge: EdgeId, value: Option<(Ty, u128)>, view: &View<'_>) {
        let edge = self.program.edge(edge);
        let FuncId(function) = self.program.location(edge.source).function;
        if !self.is_harness[function as usize] || edge.span.is_none() {
            return;
        }
        let Some(number) = self.line_number(edge.span) else {
            return;
        };
        if self
            .current
            .as_ref()
            .is_none_or(|(known, ..)| *known != number)
        {
            self.complete();
            let mut line = line_text(self.program, edge.span.lo);
            for (name, &var) in &self.indices {
                if let Some(value) = view.variable(var) {
                    line = line.replace(&format!("[{name}]"), &format!("[{value}]"));
                }
            }
            self.current = Some((number, line, None));
        }
        if let (Some((.., known)), Some(value)) = (&mut self.current, value) {
            *known = Some(value);
        }
    }

    fn line_number(&self, span: Span) -> Option<u32> {
        Some(self.program.sources.original(span.lo)?.line)
    }
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        let value = match change {
            Change::Variable(var, bits) => Some((self.program.var(var).ty, bits)),
            // The value that is stored was a variable's before.
            _ => None,
        };
        self.passed(edge, value, view);
    }
}

/// A value as C has it.
fn literal(ty: Ty, bits: u128) -> Option<String> {
    Some(match ty {
        Ty::Bool => bits.to_string(),
        Ty::Int { width, signed } => match (width, signed) {
            (128, _) => return None,
            (_, true) if width >= 32 && bits == 1 << (width - 1) => {
                // No literal is as small.
                format!("(-{} - 1)", (1u128 << (width - 1)) - 1)
            }
            (32 | 64, false) => format!("{bits}u"),
            _ => write_value(ty, bits),
        },
        Ty::Float(format) => {
            if float::is_inf(format, bits) {
                let sign = if float::sign_bit(format, bits) {
                    "-"
                } else {
                    ""
                };
                return Some(format!("{sign}__builtin_inf()"));
            }
            let text = number(ty, bits);
            match format {
                _ if text == "nan" => "__builtin_nan(\"\")".into(),
                FloatFormat::Single => format!("{text}f"),
                FloatFormat::Double => text,
                _ => return None,
            }
        }
    })
}
