//! Programs for the tests, and whoever counts.

use facts::budget::Budget;
use facts::engine::{Engine, Knowledge, Outcome, Reporter};
use facts::invariants::{Facts, InvariantMap};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;
use testing::program;
use traces::{Options, TraceAbstraction};

/// A board that remembers numbers.
#[derive(Default)]
pub struct Counts(Mutex<BTreeMap<String, u64>>);

impl Counts {
    pub fn get(&self, what: &str) -> u64 {
        let counts = self.0.lock().expect("nobody panics with it");
        counts.get(what).copied().unwrap_or_default()
    }
}

impl Knowledge for Counts {
    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

impl Reporter for Counts {
    fn count(&self, _: &str, what: &str, value: u64) {
        let mut counts = self.0.lock().expect("nobody panics with it");
        counts.insert(what.into(), value);
    }
}

/// The outcome, certified if it is an answer.
pub fn run(text: &str, options: &Options, seconds: u64) -> (Outcome, Counts) {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
    let board = Counts::default();
    let mut engine = TraceAbstraction {
        options: options.clone(),
    };
    let outcome = engine.run(&program, &board, &budget);
    if let Outcome::Answer(certificate) = &outcome
        && let Err(why) = certify::certify(&program, certificate, &budget)
    {
        panic!("{why}");
    }
    (outcome, board)
}
