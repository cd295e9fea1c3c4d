//! Inputs of a violation in words.

use cfa::op::InputKind;
use cfa::program::Program;
use facts::certificate::InputValue;
use syntax::span::Span;

/// Functions whose input is whether they fail.
const ALLOCATING: [&str; 6] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "strdup",
];

/// Where an input is read, and what it is.
pub fn described(program: &Program, value: &InputValue) -> (Span, String) {
    match program.inputs.get(value.input.0 as usize) {
        Some(input) => {
            let what = match &input.kind {
                InputKind::External(name)
                    if input.is_bool && ALLOCATING.contains(&program.names.get(*name)) =>
                {
                    format!("{}() fails", program.names.get(*name))
                }
                InputKind::Nondet(name) | InputKind::External(name) => {
                    format!("{}()", program.names.get(*name))
                }
                InputKind::Library(name) => match program.names.get(*name) {
                    // Of output only whether it succeeds is asked.
                    name if input.is_bool && lowering::models::prints(name) => {
                        format!("{name}() fails")
                    }
                    // A part of several models.
                    name if name.starts_with("__concord") => "inside a library function".into(),
                    name => format!("inside {name}()"),
                },
                InputKind::Unusual(name) => {
                    format!("{}() returns an unusual value", program.names.get(*name))
                }
                InputKind::Replaced(name) => {
                    let name = program.names.get(*name);
                    format!("{name}() is the library's, not the program's own")
                }
                InputKind::Uninitialised(name) => format!("uninitialised {name}"),
                InputKind::Argument(name) => format!("argument {name}"),
                InputKind::Volatile(name) => format!("read of {name}"),
                InputKind::Assembly => "inline assembly".into(),
                InputKind::Asked { .. } => "the answer to a question about memory".into(),
            };
            (input.span, what)
        }
        None => {
            let object = value.input.0 as usize - program.inputs.len();
            match program.objects.get(object) {
                Some(object) => (
                    object.span,
                    format!("uninitialised memory of {}", object.name),
                ),
                None => (Span::NONE, "uninitialised memory".into()),
            }
        }
    }
}
