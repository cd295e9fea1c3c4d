//! Blocks are followed whole; only the end of the budget stops them, and what has no formula.

use cfa::program::Program;
use encoding::path::Path;
use encoding::unwind::{CutReason, Guide};
use facts::budget::Budget;
use facts::engine::Reason;
use logic::TermPool;

/// Why executions that go on beyond a cut are not followed.
pub fn not_followed(cut: &CutReason, program: &Program) -> Reason {
    match cut {
        CutReason::Stopped => Reason::out_of_time(),
        other => Reason::Unsupported(other.describe(program)),
    }
}

pub struct Watch<'a>(pub &'a Budget);

impl Guide for Watch<'_> {
    fn is_feasible(&mut self, _: &mut TermPool, _: &Path) -> bool {
        true
    }

    fn must_stop(&mut self) -> bool {
        self.0.is_exhausted()
    }
}
