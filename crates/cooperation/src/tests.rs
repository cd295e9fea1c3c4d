//! Analyses for tests of the combinations.

use cfa::program::Program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome};
use std::time::{Duration, Instant};

pub fn program() -> Program {
    let text = "int main(void) { return 0; }";
    let (front, options) = (Default::default(), Default::default());
    match cfa::lower::load_text("test.c", text, &front, &options) {
        Ok(loaded) => loaded.program,
        Err(_) => panic!("a correct program"),
    }
}

/// Answers after a while.
pub struct Answers(pub Duration);

impl Engine for Answers {
    fn name(&self) -> &str {
        "answers"
    }

    fn run(&mut self, _: &Program, _: &dyn Board, budget: &Budget) -> Outcome {
        let started = Instant::now();
        while started.elapsed() < self.0 {
            if budget.is_exhausted() {
                return Outcome::Unknown("stopped".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Outcome::Answer(Certificate::DeterministicRun { steps: 1 })
    }
}

/// Works until it is stopped.
pub struct Spins;

impl Engine for Spins {
    fn name(&self) -> &str {
        "spins"
    }

    fn run(&mut self, _: &Program, _: &dyn Board, budget: &Budget) -> Outcome {
        while !budget.is_exhausted() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Outcome::Unknown("stopped".into())
    }
}

pub struct Panics;

impl Engine for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
        panic!("on purpose")
    }
}
