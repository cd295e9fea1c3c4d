//! Answers and facts under the checker's eyes.

use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::Outcome;
use facts::invariants::InvariantMap;
use std::time::Duration;

/// The answer, if there is one, is certified, and every published map keeps its law.
pub fn assert_sound(program: &Program, outcome: &Outcome, maps: &[InvariantMap]) {
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    if let Outcome::Answer(certificate) = outcome
        && let Err(rejection) = certify::certify(program, certificate, &budget)
    {
        panic!("{rejection}");
    }
    for (number, map) in maps.iter().enumerate() {
        if let Err(rejection) = certify::check_facts(program, map, &budget) {
            panic!("map {number} of {}: {rejection}", maps.len());
        }
    }
}
