//! Invariants in rounds of growing precision (000, section 2.3.6, algorithm 3: continuous refinement).
//!
//! | paper | here |
//! |---|---|
//! | initial precision | the first of [`GeneratorOptions::rounds`] |
//! | refined precision | the next round: a richer domain, or the same with more patience |
//! | the Invariants CPA with its precision `(Y, n, w)` | [`GeneratorOptions::invariants_cpa`], refined after the rounds |
//! | the invariants so far, offered to others | published on the board after every round |
//!
//! Deviation: before the Invariants CPA is refined continuously, each of the given rounds interprets the program once in
//! a numeric domain. Without rounds it is the paper's generator as such.

use crate::invariants::{InvariantOptions, generate};
use crate::invariants_cpa::refinement::{self, InvariantsCpaOptions};
use crate::numeric::choice::Domain;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GeneratorOptions {
    /// Abstract interpretation, once for each.
    pub rounds: Vec<InvariantOptions>,
    /// Whether the Invariants CPA follows, refined continuously.
    pub continuous: bool,
    pub invariants_cpa: InvariantsCpaOptions,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        let round = |domain, widening_delay| InvariantOptions {
            domain,
            widening_delay,
            ..InvariantOptions::default()
        };
        GeneratorOptions {
            rounds: vec![
                round(Domain::IntervalSet, 1),
                round(Domain::Scalar, 2),
                round(Domain::ScalarAffine, 2),
                round(Domain::OctagonScalar, 2),
                round(Domain::All, 8),
            ],
            continuous: true,
            invariants_cpa: InvariantsCpaOptions::default(),
        }
    }
}

/// The analysis.
#[derive(Default)]
pub struct Generator {
    pub options: GeneratorOptions,
}

const NAME: &str = "invariants";

impl Engine for Generator {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let mut reason = "no rounds are configured".to_string();
        for (number, round) in self.options.rounds.iter().enumerate() {
            if budget.is_exhausted() {
                return Outcome::Unknown(format!("out of time in round {number}"));
            }
            board.progress(NAME, &format!("round {number}: {:?}", round.domain));
            match generate(program, round, budget) {
                Ok(found) => {
                    board.count(NAME, "rounds", number as u64 + 1);
                    board.count(NAME, "visits", found.visits);
                    if let Some(certificate) = found.certificate() {
                        return Outcome::Answer(certificate);
                    }
                    reason = found
                        .reason
                        .unwrap_or_else(|| "the invariants do not exclude a violation".into());
                    let mut map = found.map;
                    // Whoever reads it knows the engine by this name.
                    map.by = NAME.into();
                    board.publish(map);
                }
                Err(why) => reason = why,
            }
        }
        if self.options.continuous && !budget.is_exhausted() {
            let options = &self.options.invariants_cpa;
            return refinement::run(program, NAME, options, board, budget);
        }
        Outcome::Unknown(reason)
    }
}
