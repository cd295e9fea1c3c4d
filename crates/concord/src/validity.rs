//! What a proof takes for granted: conditions that C demands of a program and that were not proved.
//! Where one fails, `docs/undefined-behaviour.md` says what the proof is about.

use cfa::expr::{BinOp, ExprId, Node};
use cfa::op::{Halt, Op};
use cfa::program::{EdgeId, Program};
use facts::words::count;
use lowering::property::{Check, Property};
use report::check::Note;

/// One note for each kind of condition, with the first place that it matters at and the number of
/// places.
pub fn not_proved(program: &Program, property: &Property) -> Vec<Note> {
    let mut kinds = [
        Kind::new("memory accesses stay within live objects"),
        Kind::new("no division or remainder by zero, or of the smallest integer by -1"),
        Kind::new("no signed overflow (the proof lets it wrap around)"),
        Kind::new("`free` and `realloc` get null or the start of a live heap object"),
        Kind::new("no undefined behaviour ends the execution here"),
    ];
    let models = accessing_models(program);
    let checks_overflow = property.has(Check::Overflow);
    let checked = [
        property.has(Check::Deref),
        property.has(Check::DivisionByZero) && checks_overflow,
        checks_overflow,
        property.has(Check::Free),
        false,
    ];
    let mut seen = vec![false; program.pool.len()];
    for number in 0..program.edges.len() as u32 {
        let id = EdgeId(number);
        let edge = program.edge(id);
        let function = program.location(edge.source).function;
        if program.function(function).is_library_model || edge.span.is_none() {
            continue;
        }
        let op = program.op(edge.op);
        let mut found = [false; 5];
        found[0] =
            accesses(op) || matches!(op, Op::Call { function, .. } if models[function.0 as usize]);
        found[3] = matches!(op, Op::Release(_) | Op::Reallocate { .. });
        found[4] = matches!(op, Op::Halt(Halt::Undefined(_)));
        let mut stack: Vec<ExprId> = op.expressions();
        while let Some(expr) = stack.pop() {
            if std::mem::replace(&mut seen[expr.0 as usize], true) {
                continue;
            }
            let node = program.pool.node(expr);
            stack.extend(node.children());
            match node {
                Node::Load { .. } => found[0] = true,
                Node::Binary(BinOp::Div | BinOp::Rem, _, b)
                    if program.pool.ty(b).is_int()
                        && !matches!(program.pool.node(b), Node::Const(_)) =>
                {
                    found[1] = true;
                }
                Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, _)
                    if !checks_overflow && program.pool.ty(a).is_signed() =>
                {
                    found[2] = true;
                }
                _ => {}
            }
        }
        for ((kind, found), checked) in kinds.iter_mut().zip(found).zip(checked) {
            if found && !checked {
                kind.count += 1;
                kind.first
                    .get_or_insert_with(|| program.describe(edge.span));
            }
        }
    }
    kinds
        .into_iter()
        .filter_map(|kind| {
            let more = match kind.count {
                0 | 1 => String::new(),
                all => format!(" (and {})", count(all - 1, "more place")),
            };
            Some(Note {
                place: kind.first?,
                text: format!("{}{more}", kind.text),
            })
        })
        .collect()
}

fn accesses(op: &Op) -> bool {
    matches!(op, Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. })
}

/// The models of library functions that access memory, themselves or through others.
fn accessing_models(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.functions.len()];
    loop {
        let before = found.iter().filter(|&&found| found).count();
        for edge in &program.edges {
            let function = program.location(edge.source).function;
            if found[function.0 as usize] || !program.function(function).is_library_model {
                continue;
            }
            let op = program.op(edge.op);
            found[function.0 as usize] = accesses(op)
                || matches!(op, Op::Call { function, .. } if found[function.0 as usize])
                || op
                    .expressions()
                    .iter()
                    .any(|&expr| program.pool.reads_memory(expr));
        }
        if found.iter().filter(|&&found| found).count() == before {
            return found;
        }
    }
}

struct Kind {
    text: &'static str,
    first: Option<String>,
    count: usize,
}

impl Kind {
    fn new(text: &'static str) -> Kind {
        Kind {
            text,
            first: None,
            count: 0,
        }
    }
}
