//! Functions of the library that access memory which their models leave alone.
//!
//! A model says what a function returns and writes. One that never looks at a pointer that it is
//! given (`fwrite`: any number of elements may be written) says nothing about what the function
//! reads there. Whether that is valid is open then: no proof passes such a call. A stream is
//! believed to be one if it came from outside, is not null, and nothing was closed before.

use super::ghosts::allocated;
use cfa::expr::{ExprId, Node, VarId};
use cfa::memory::{ObjectId, ObjectKind};
use cfa::op::{InputKind, Op};
use cfa::program::{FuncId, Program, Variable, VariableKind};
use lowering::models::FILE_OUTPUT;
use rustc_hash::FxHashSet;
use syntax::types::Type;

/// Functions whose only pointers are streams, which the library owns.
const OF_STREAMS: [&str; 27] = [
    "clearerr",
    "fclose",
    "feof",
    "feof_unlocked",
    "ferror",
    "ferror_unlocked",
    "fflush",
    "fflush_unlocked",
    "fgetc",
    "fgetc_unlocked",
    "fileno",
    "fputc",
    "fputc_unlocked",
    "fseek",
    "fseeko",
    "ftell",
    "ftello",
    "getc",
    "getc_unlocked",
    "pclose",
    "putc",
    "putc_unlocked",
    "rewind",
    "setlinebuf",
    "ungetc",
    "_IO_getc",
    "_IO_putc",
];

/// Functions after which a stream is no more.
const CLOSING: [&str; 5] = ["fclose", "fcloseall", "freopen", "freopen64", "pclose"];

/// The function of the library that an operation calls.
fn called<'p>(program: &'p Program, op: &Op) -> Option<&'p str> {
    let Op::Call { function, .. } = op else {
        return None;
    };
    let name = program.function_name(*function);
    let name = name.strip_prefix("__concord_model_").unwrap_or(name);
    lowering::models::is_library(name).then_some(name)
}

/// Whether the operation closes a stream.
pub(super) fn closes_stream(program: &Program, op: &Op) -> bool {
    called(program, op).is_some_and(|name| CLOSING.contains(&name))
}

/// The streams that a function of the library is given, but for those that are always open.
pub(super) fn streams(program: &Program, op: &Op) -> Vec<ExprId> {
    let (Op::Call { function, args, .. }, Some(name)) = (op, called(program, op)) else {
        return Vec::new();
    };
    let params = &program.function(*function).params;
    let passed = params.iter().zip(args).filter(|&(&param, _)| {
        let var = program.var(param);
        let is_pointer = var.ty == program.pointer_ty();
        is_pointer && (is_stream(var) || OF_STREAMS.contains(&name))
    });
    let streams = passed.map(|(_, &arg)| arg);
    streams.filter(|&arg| !is_standard(program, arg)).collect()
}

/// Models call a stream so.
fn is_stream(param: &Variable) -> bool {
    param.name == "file" || param.name == "stream"
}

/// `stdin`, `stdout` and `stderr`.
fn is_standard(program: &Program, arg: ExprId) -> bool {
    let Node::Var(var) = program.pool.node(arg) else {
        return false;
    };
    let var = program.var(var);
    let names = ["stdin", "stdout", "stderr"];
    var.kind == VariableKind::Global && names.contains(&var.name.as_str())
}

/// Of an operation: the function of the library that may access memory which nobody looks at.
pub(super) fn accesses_unseen(program: &Program, op: &Op) -> Option<String> {
    let (function, args) = match op {
        Op::Call { function, args, .. } => (function, args),
        // What it finds in a text is any input, and the text is not read.
        Op::Havoc(_, input) => {
            let name = match &program.inputs[input.0 as usize].kind {
                InputKind::Library(name) | InputKind::External(name) => program.names.get(*name),
                _ => return None,
            };
            return name.contains("scanf").then(|| name.to_owned());
        }
        _ => return None,
    };
    if program.function_name(*function).ends_with(FILE_OUTPUT) {
        return Some("output to a file".to_owned());
    }
    let callee = program.function(*function);
    let name = called(program, op)?;
    if OF_STREAMS.contains(&name) {
        return None;
    }
    let read = read_variables(program, *function);
    let mut passed = callee.params.iter().zip(args);
    let is_unseen = passed.any(|(&param, &arg)| {
        takes_pointer(program, param) && !read.contains(&param) && !is_harmless(program, arg)
    });
    is_unseen.then(|| name.to_owned())
}

/// Memory that the library hands out and keeps: the program does not free it.
pub(super) fn keeps(program: &Program, object: ObjectId) -> bool {
    let mut edges = program.edges.iter();
    edges.any(|edge| {
        let function = program.location(edge.source).function;
        allocated(program.op(edge.op)) == Some(object)
            && program
                .function_name(function)
                .ends_with("__concord_kept_text")
    })
}

fn takes_pointer(program: &Program, param: VarId) -> bool {
    let var = program.var(param);
    if var.ty != program.pointer_ty() || is_stream(var) {
        return false;
    }
    let shape = var.c_type.map(|ty| program.types.shape(ty));
    shape.is_none_or(|shape| matches!(shape, Type::Pointer(_) | Type::Array { .. }))
}

/// A string literal is there, and ends; null is no memory.
fn is_harmless(program: &Program, arg: ExprId) -> bool {
    match program.pool.node(arg) {
        Node::Const(bits) => bits == 0,
        Node::Address(object) => {
            program.objects[object.0 as usize].kind == ObjectKind::StringLiteral
        }
        _ => false,
    }
}

/// The variables that a function's own operations read.
fn read_variables(program: &Program, function: FuncId) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let edges = program.edges.iter();
    let own = edges.filter(|edge| program.location(edge.source).function == function);
    for edge in own {
        let mut open = program.op(edge.op).expressions();
        while let Some(expr) = open.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let node = program.pool.node(expr);
            if let Node::Var(var) = node {
                found.insert(var);
            }
            open.extend(node.children());
        }
    }
    found
}
