//! Widening thresholds of a program: its constants, their neighbours, and the bounds of types.

use crate::numeric::translate::range;
use cfa::expr::{ExprId, Node};
use cfa::program::Program;
use domains::thresholds::Thresholds;
use rustc_hash::FxHashSet;

/// With more constants than this the smallest are used: each threshold may cost an iteration of a
/// loop.
const MOST: usize = 300;

pub fn of_program(program: &Program) -> Thresholds {
    let mut seen = FxHashSet::default();
    let mut constants = FxHashSet::default();
    let mut stack: Vec<ExprId> = Vec::new();
    for edge in &program.edges {
        stack.extend(program.op(edge.op).expressions());
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = program.pool.node(id);
            if let Node::Const(bits) = node {
                constants.extend(program.pool.ty(id).number(bits));
            }
            stack.extend(node.children());
        }
    }
    let mut constants: Vec<i128> = constants.into_iter().collect();
    constants.sort_unstable_by_key(|value| (value.unsigned_abs(), *value));
    constants.truncate(MOST);
    let mut values: Vec<i128> = constants
        .iter()
        .flat_map(|&value| [value.saturating_sub(1), value, value.saturating_add(1)])
        .collect();
    for var in &program.vars {
        let range = range(var.ty);
        values.extend(range.lower());
        values.extend(range.upper());
    }
    Thresholds::new(values)
}
