//! Programs for the tests, and whoever counts.

use facts::budget::Budget;
use facts::engine::{Engine, Outcome};
use std::time::Duration;
pub use testing::Counts;
use testing::program;
use traces::{Options, TraceAbstraction};

/// The outcome, certified if it is an answer.
pub fn run(text: &str, options: &Options, seconds: u64) -> (Outcome, Counts) {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
    let board = Counts::default();
    let mut engine = TraceAbstraction::new(options.clone());
    let outcome = engine.run(&program, &board, &budget);
    if let Outcome::Answer(certificate) = &outcome
        && let Err(why) = certify::certify(&program, certificate, &budget)
    {
        panic!("{why}");
    }
    (outcome, board)
}
