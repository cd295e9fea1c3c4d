//! Blocks are followed whole; only the end of the budget stops them.

use encoding::path::Path;
use encoding::unwind::Guide;
use facts::budget::Budget;
use logic::TermPool;

pub struct Watch<'a>(pub &'a Budget);

impl Guide for Watch<'_> {
    fn is_feasible(&mut self, _: &mut TermPool, _: &Path) -> bool {
        true
    }

    fn must_stop(&mut self) -> bool {
        self.0.is_exhausted()
    }
}
