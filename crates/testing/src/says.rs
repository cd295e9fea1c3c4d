//! An engine that is asked nothing.

use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome, View};

/// Answers with a certificate, whatever the program is.
pub struct Says(pub Certificate);

impl Engine for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn view(&self) -> View {
        View::Split
    }

    fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
        Outcome::Answer(self.0.clone())
    }
}
