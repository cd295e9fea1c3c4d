//! The analysis of program locations: tracks the program counter and knows which locations are
//! errors.

use crate::formalism::Cpa;
use absint::place::Step;
use cfa::program::{LocId, Program};

pub struct LocationCpa<'p> {
    pub program: &'p Program,
}

impl Cpa for LocationCpa<'_> {
    type State = LocId;
    type Precision = ();

    fn initial(&mut self) -> (LocId, ()) {
        (self.program.function(self.program.entry).entry, ())
    }

    fn successors(&mut self, state: &LocId, (): &(), step: &Step, successors: &mut Vec<LocId>) {
        debug_assert_eq!(*state, step.source.location);
        successors.push(step.target.location);
    }

    fn leq(&mut self, small: &LocId, large: &LocId) -> bool {
        small == large
    }

    /// States at one place agree.
    fn identity(&mut self, _: &LocId) -> Option<u64> {
        Some(0)
    }

    fn is_target(&self, state: &LocId) -> bool {
        self.program.is_error(*state)
    }
}
