//! Refinement with octagons (Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software Verification
//! with CPAchecker*, 2014, section 4.3.1): the back-up for paths that known values cannot refute.
//!
//! 1. The feasible prefix of the path is computed with the full precision.
//! 2. The variables in the conditions of the prefix, and those that they depend on, are collected.
//! 3. What of them is not tracked yet is the increment.

use absint::numeric::NumericState;
use absint::numeric::transfer::{Everything, Transfer};
use absint::place::{Step, StepKind};
use cfa::expr::VarId;
use cfa::op::Op;
use domains::numeric::NumericDomain;
use facts::budget::Budget;
use std::collections::BTreeSet;

/// The number of the first step that the domain excludes; `None` if it excludes none, or the budget
/// is exhausted.
pub fn contradiction<D: NumericDomain>(
    transfer: &mut Transfer<'_>,
    top: D,
    path: &[Step],
    budget: &Budget,
) -> Option<usize> {
    let mut state = NumericState::new(top);
    for (number, step) in path.iter().enumerate() {
        if budget.is_exhausted() {
            return None;
        }
        match transfer.apply(&state, step, &Everything) {
            Some(after) => state = after,
            None => return Some(number),
        }
    }
    None
}

/// The variables in the conditions of a prefix and all that they depend on along it.
pub fn relevant(transfer: &mut Transfer<'_>, prefix: &[Step]) -> BTreeSet<VarId> {
    let program = transfer.program;
    let mut relevant = BTreeSet::new();
    for step in prefix.iter().rev() {
        match (step.kind, program.edge_op(step.edge)) {
            (StepKind::Operation, Op::Assume(condition)) => {
                relevant.extend(transfer.variables_of(*condition).iter().copied());
            }
            (StepKind::Operation, Op::Assign(var, value)) if relevant.contains(var) => {
                relevant.extend(transfer.variables_of(*value).iter().copied());
            }
            (StepKind::Call, Op::Call { function, args, .. }) => {
                let params = &program.function(*function).params;
                for (param, &arg) in params.iter().zip(args) {
                    if relevant.contains(param) {
                        relevant.extend(transfer.variables_of(arg).iter().copied());
                    }
                }
            }
            (
                StepKind::Return,
                Op::Call {
                    function,
                    result: Some(result),
                    ..
                },
            ) if relevant.contains(result) => {
                relevant.extend(program.function(*function).result);
            }
            _ => {}
        }
    }
    relevant
}

/// The first step of the path that reads or writes one of the variables.
pub fn first_use(
    transfer: &mut Transfer<'_>,
    path: &[Step],
    variables: &BTreeSet<VarId>,
) -> Option<usize> {
    let program = transfer.program;
    path.iter().position(|step| {
        let op = program.edge_op(step.edge);
        let written = op
            .written_variable()
            .is_some_and(|var| variables.contains(&var));
        let passed = matches!(op, Op::Call { function, .. }
            if program.function(*function).params.iter().any(|param| variables.contains(param)));
        written
            || passed
            || op.expressions().into_iter().any(|expression| {
                let read = transfer.variables_of(expression);
                read.iter().any(|var| variables.contains(var))
            })
    })
}
