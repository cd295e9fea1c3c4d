//! The analysis of call stacks: which calls an execution is inside of.

use crate::formalism::Cpa;
use absint::place::{StackId, Step};

pub struct CallStackCpa;

impl Cpa for CallStackCpa {
    type State = StackId;
    type Precision = ();

    fn initial(&mut self) -> (StackId, ()) {
        (StackId::EMPTY, ())
    }

    fn successors(&mut self, state: &StackId, (): &(), step: &Step, successors: &mut Vec<StackId>) {
        debug_assert_eq!(*state, step.source.stack);
        successors.push(step.target.stack);
    }

    fn leq(&mut self, small: &StackId, large: &StackId) -> bool {
        small == large
    }

    /// States at one place agree.
    fn identity(&mut self, _: &StackId) -> Option<u64> {
        Some(0)
    }
}
