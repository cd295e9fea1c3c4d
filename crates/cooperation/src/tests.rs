//! Participants for tests of the combinations.

use crate::part::{Ended, Participant};
use cpu_time::ThreadTime;
use facts::budget::Budget;
use facts::engine::Board;
use facts::precision::PrecisionMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers after a while.
pub struct Answers(pub Duration);

impl Participant for Answers {
    fn name(&self) -> &str {
        "answers"
    }

    fn run(&mut self, _: &dyn Board, budget: &Budget) -> Ended {
        let started = Instant::now();
        while started.elapsed() < self.0 {
            if budget.is_exhausted() {
                return Ended::Unknown("stopped".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ended::Answered
    }
}

/// Works until it is stopped.
pub struct Spins;

impl Participant for Spins {
    fn name(&self) -> &str {
        "spins"
    }

    fn run(&mut self, _: &dyn Board, budget: &Budget) -> Ended {
        while !budget.is_exhausted() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ended::Unknown("stopped".into())
    }
}

pub struct Panics;

impl Participant for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn run(&mut self, _: &dyn Board, _: &Budget) -> Ended {
        panic!("on purpose")
    }
}

/// Has no answer.
pub struct GivesUp;

impl Participant for GivesUp {
    fn name(&self) -> &str {
        "gives-up"
    }

    fn run(&mut self, _: &dyn Board, _: &Budget) -> Ended {
        Ended::Unknown("too hard".into())
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

impl Participant for Works {
    fn name(&self) -> &str {
        "works"
    }

    fn run(&mut self, _: &dyn Board, budget: &Budget) -> Ended {
        let begin = ThreadTime::now();
        let mut number = 1u64;
        while !budget.is_exhausted() {
            for _ in 0..1000 {
                number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
            }
        }
        let mut used = self.0.lock().expect("nobody panics");
        used.push(begin.elapsed());
        Ended::Unknown("stopped".into())
    }
}

/// Goes on as long as there is somebody to serve.
pub struct Serves;

impl Participant for Serves {
    fn name(&self) -> &str {
        "serves"
    }

    fn serves_others(&self) -> bool {
        true
    }

    fn run(&mut self, _: &dyn Board, budget: &Budget) -> Ended {
        while !budget.is_exhausted() && !budget.is_nobody_served() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ended::Unknown("nobody is left".into())
    }
}

/// Could help if somebody had handed on a precision.
pub struct NeedsPrecision;

impl Participant for NeedsPrecision {
    fn name(&self) -> &str {
        "needs-precision"
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        match board.precisions().is_empty() {
            true => Err("no earlier analysis provided a precision".into()),
            false => Ok(()),
        }
    }

    fn run(&mut self, board: &dyn Board, _: &Budget) -> Ended {
        assert!(!board.precisions().is_empty());
        Ended::Answered
    }
}

/// Hands on a precision.
pub struct HandsOn;

impl Participant for HandsOn {
    fn name(&self) -> &str {
        "hands-on"
    }

    fn run(&mut self, board: &dyn Board, _: &Budget) -> Ended {
        board.publish_precision(PrecisionMap::default());
        Ended::Unknown("it has handed on a precision".into())
    }
}
