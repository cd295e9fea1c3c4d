//! Guides of unwindings that follow everything until the time is over.

use cfa::program::Program;
use control::StopToken;
use encoding::path::Path;
use encoding::unwind::{CutReason, Guide};
use facts::engine::Reason;
use logic::TermPool;

/// Follows blocks whole. Only the token stops them, and what has no formula.
pub struct UntilStopped<'a>(pub &'a StopToken);

impl Guide for UntilStopped<'_> {
    fn is_feasible(&mut self, _: &mut TermPool, _: &Path) -> bool {
        true
    }

    fn must_stop(&mut self) -> bool {
        self.0.is_stopped()
    }
}

/// Why executions that go on beyond a cut are not followed.
pub fn not_followed(cut: &CutReason, program: &Program) -> Reason {
    match cut {
        CutReason::Stopped => Reason::out_of_time(),
        other => Reason::Unsupported(other.describe(program)),
    }
}
