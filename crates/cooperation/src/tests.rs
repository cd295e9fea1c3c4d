//! Analyses for tests of the combinations.

use cfa::program::Program;
use cpu_time::ThreadTime;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome};
use facts::precision::PrecisionMap;
use std::sync::{Arc, Mutex};
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

/// Has no answer.
pub struct GivesUp;

impl Engine for GivesUp {
    fn name(&self) -> &str {
        "gives-up"
    }

    fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
        Outcome::Unknown("too hard".into())
    }
}

/// Uses processor time until it is stopped, and notes how much its thread has used.
#[derive(Clone, Default)]
pub struct Works(pub Arc<Mutex<Vec<Duration>>>);

impl Works {
    /// What each has used.
    pub fn used(&self) -> Vec<Duration> {
        self.0.lock().expect("nobody panics").clone()
    }
}

impl Engine for Works {
    fn name(&self) -> &str {
        "works"
    }

    fn run(&mut self, _: &Program, _: &dyn Board, budget: &Budget) -> Outcome {
        let begin = ThreadTime::now();
        let mut number = 1u64;
        while !budget.is_exhausted() {
            for _ in 0..1000 {
                number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
            }
        }
        let mut used = self.0.lock().expect("nobody panics");
        used.push(begin.elapsed());
        Outcome::Unknown("stopped".into())
    }
}

/// Goes on as long as there is somebody to serve.
pub struct Serves;

impl Engine for Serves {
    fn name(&self) -> &str {
        "serves"
    }

    fn serves_others(&self) -> bool {
        true
    }

    fn run(&mut self, _: &Program, _: &dyn Board, budget: &Budget) -> Outcome {
        while !budget.is_exhausted() && !budget.is_nobody_served() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Outcome::Unknown("nobody is left".into())
    }
}

/// Could help if somebody had handed on a precision.
pub struct NeedsPrecision;

impl Engine for NeedsPrecision {
    fn name(&self) -> &str {
        "needs-precision"
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        match board.precisions().is_empty() {
            true => Err("no precision was handed on".into()),
            false => Ok(()),
        }
    }

    fn run(&mut self, _: &Program, board: &dyn Board, _: &Budget) -> Outcome {
        assert!(!board.precisions().is_empty());
        Outcome::Answer(Certificate::DeterministicRun { steps: 1 })
    }
}

/// Hands on a precision.
pub struct HandsOn;

impl Engine for HandsOn {
    fn name(&self) -> &str {
        "hands-on"
    }

    fn run(&mut self, _: &Program, board: &dyn Board, _: &Budget) -> Outcome {
        board.publish_precision(PrecisionMap::default());
        Outcome::Unknown("it has handed on a precision".into())
    }
}
