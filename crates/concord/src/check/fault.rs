//! What is wrong with memory where an execution violates memory safety, in words.

use super::counterexample::line_text;
use super::values::{self, HARNESS};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::program::{EdgeId, FuncId, Program};
use facts::words::count;
use interpreter::{AccessKind, Fault, InvalidAccess, MemoryFault, Run};
use syntax::span::Span;

/// The fault that ended an execution of the program.
pub fn describe(program: &Program, run: &Run) -> Option<String> {
    Some(match run.fault.as_ref()? {
        MemoryFault::Left { object, bytes } => format!(
            "{} allocated at {} are never freed",
            count(*bytes, "byte"),
            program.describe(program.object(*object).span)
        ),
        MemoryFault::Access(access) => described(program, access),
    })
}

fn described(program: &Program, access: &InvalidAccess) -> String {
    let what = match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Release => "free",
    };
    let object = access.object.map(|(object, _)| named(program, object));
    let object = object.unwrap_or_else(|| "no object".into());
    let offset = access.object.map_or(0, |(_, offset)| offset);
    let ended = access.ended.and_then(|edge| {
        let span = place_of(program, edge);
        (!span.is_none()).then(|| program.describe(span))
    });
    match access.fault {
        Fault::Null => format!(
            "{what} through a null pointer (address {:#x})",
            access.address
        ),
        Fault::ReadOnly => format!("{what} of {object}, which is read-only"),
        Fault::Dead => {
            let is_heap = access
                .object
                .is_some_and(|(object, _)| program.object(object).kind == ObjectKind::Heap);
            let (how, at) = match (is_heap, ended) {
                (true, Some(at)) => ("was freed", format!(" at {at}")),
                (true, None) => ("was freed", String::new()),
                (false, _) => ("does not exist any more: its block was left", String::new()),
            };
            match access.kind {
                AccessKind::Release if is_heap => format!("{object} {how}{at}, and is freed again"),
                _ => format!("{what} of {object}, which {how}{at}"),
            }
        }
        Fault::OutOfBounds => {
            let size = access.size.unwrap_or(0);
            let by = match u64::try_from(offset) {
                Ok(offset) => format!(
                    "{} past the end",
                    count(offset - size.min(offset) + 1, "byte")
                ),
                Err(_) => format!("{} before the start", count(offset.unsigned_abs(), "byte")),
            };
            format!(
                "{what} out of bounds: {by} of {object}, which has {} (offset {offset})",
                count(size, "byte")
            )
        }
        Fault::NotAllocated => match access.object {
            Some(_) if access.ended.is_some() => {
                let at = ended.map_or_else(String::new, |at| format!(" at {at}"));
                format!("{object} was freed{at}, and is freed again")
            }
            Some((id, 0)) if program.object(id).kind != ObjectKind::Heap => {
                format!("free of {object}, which was not allocated")
            }
            Some(_) => format!(
                "free of an address {} into {object}",
                count(offset.unsigned_abs(), "byte")
            ),
            None => "free of an address that was never allocated".into(),
        },
        Fault::Wild => format!(
            "{what} through a pointer to no object (address {:#x}), such as one without a value",
            access.address
        ),
    }
}

/// An object as its reader knows it.
fn named(program: &Program, object: ObjectId) -> String {
    let info = program.object(object);
    match info.kind {
        ObjectKind::Heap | ObjectKind::StackAllocation(_) => allocated(program, info.span),
        ObjectKind::StringLiteral => {
            format!("the string literal at {}", program.describe(info.span))
        }
        ObjectKind::External => "memory outside the program".into(),
        _ => format!("`{}`", info.name),
    }
}

/// Memory that the harness made is known by what it was made for.
fn allocated(program: &Program, span: Span) -> String {
    let place = program.sources.original(span.lo);
    let path = place
        .filter(|place| place.file == HARNESS)
        .and_then(|_| values::assigned(&line_text(program, span.lo)));
    match path {
        Some(path) => format!("what `{path}` leads to"),
        None => format!("the memory allocated at {}", program.describe(span)),
    }
}

fn place_of(program: &Program, edge: EdgeId) -> Span {
    program.edge(edge).span
}

/// Where a reader looks for the fault: in the models of library functions there is nothing to see,
/// so it is the call that led there.
pub fn place(program: &Program, run: &Run) -> Span {
    let is_model = |function: FuncId| program.function(function).is_library_model;
    let function = program.location(run.place.location).function;
    if !is_model(function) {
        return run
            .place
            .edge
            .map_or(run.place.span, |edge| program.edge(edge).span);
    }
    let calls = run.place.calls.iter().rev();
    let mut calls = calls.map(|&edge| program.edge(edge));
    let call = calls.find(|edge| !is_model(program.location(edge.source).function));
    call.map_or(run.place.span, |edge| edge.span)
}
