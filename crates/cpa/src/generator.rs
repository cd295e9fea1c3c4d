//! Invariants in rounds of growing precision (Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016, section 2.3.6, algorithm 3: continuous
//! refinement).
//!
//! | paper | here |
//! |---|---|
//! | initial precision | the first of [`GeneratorOptions::rounds`] |
//! | refined precision | the next round: a richer domain, or the same with more patience |
//! | an analysis with a continuously refined precision | [`GeneratorOptions::interpretations`] |
//! | the Invariants CPA with its precision `(Y, n, w)` | [`GeneratorOptions::invariants_cpa`] |
//! | the invariants so far, offered to others | published on the board after every round |
//!
//! Deviation: before precisions are refined continuously, each of the given rounds interprets the
//! program once in a numeric domain. Without rounds it is the paper's generator as such.

use crate::invariants_cpa::refinement::{self, InvariantsCpaOptions};
use absint::continuous;
use absint::interpretation::{Interpretation, InterpretationOptions};
use absint::invariants::{InvariantOptions, Invariants, generate};
use absint::numeric::choice::Domain;
use absint::publication::{NOT_SAID, is_inductive, is_promising, publish};
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome, Reason};
use facts::invariants::InvariantMap;
use serde::{Deserialize, Serialize};

/// Abstract interpretation in rounds of growing precision; publishes what each round finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GeneratorOptions {
    /// Rounds of abstract interpretation.
    pub rounds: Vec<InvariantOptions>,
    /// Abstract interpretations after the rounds, each refined continuously up to its finest
    /// precision.
    pub interpretations: Vec<InterpretationOptions>,
    /// Run the Invariants CPA last, refined continuously.
    pub continuous: bool,
    /// The Invariants CPA.
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
            interpretations: Vec::new(),
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
        let mut reason = Reason::from("the configuration has no rounds");
        for (number, round) in self.options.rounds.iter().enumerate() {
            if budget.is_exhausted() {
                return Outcome::Unknown(Reason::OutOfTime(format!(" in round {number}")));
            }
            board.progress(NAME, &format!("round {number}: {:?}", round.domain));
            match generate(program, round, budget) {
                Ok(found) => {
                    board.count(NAME, "rounds", number as u64 + 1);
                    board.count(NAME, "visits", found.visits);
                    if let Some(certificate) = found.certificate() {
                        if is_promising(program, &certificate, found.lost, budget) {
                            return Outcome::Answer(certificate);
                        }
                        reason = NOT_SAID.into();
                    } else {
                        reason = found.why_no_proof();
                    }
                    tell(program, round, found, board, budget);
                }
                Err(why) => reason = why,
            }
        }
        for options in &self.options.interpretations {
            let mut interpretation = Interpretation {
                program,
                options,
                name: NAME,
            };
            match continuous::run(program, NAME, &mut interpretation, board, budget) {
                Outcome::Unknown(why) => reason = why,
                answer => return answer,
            }
        }
        if self.options.continuous && !budget.is_exhausted() {
            let options = &self.options.invariants_cpa;
            return refinement::run(program, NAME, options, board, budget);
        }
        Outcome::Unknown(reason)
    }
}

/// Publishes what a round has found. Relations of floats cannot be said exactly: if that has cost
/// the map its law, the round is done once more without floats.
fn tell(
    program: &Program,
    round: &InvariantOptions,
    found: Invariants,
    board: &dyn Board,
    budget: &Budget,
) {
    let named = |mut map: InvariantMap| {
        // Whoever reads it knows the engine by this name.
        map.by = NAME.into();
        map
    };
    if publish(program, named(found.map), found.lost, board, budget) || !round.handle_floats {
        return;
    }
    let without_floats = InvariantOptions {
        handle_floats: false,
        ..round.clone()
    };
    if let Ok(found) = generate(program, &without_floats, budget) {
        publish(program, named(found.map), found.lost, board, budget);
    }
}

/// Invariants for an analysis that wants some for itself, of one abstract interpretation within the
/// budget; nobody else is told. The map keeps the law of facts, so that it can be handed over with
/// a proof. The error says why there is none.
pub fn generate_within(
    program: &Program,
    options: &InvariantOptions,
    budget: &Budget,
) -> Result<InvariantMap, Reason> {
    let found = generate(program, options, budget)?;
    if is_inductive(program, &found.map, found.lost, budget) {
        Ok(found.map)
    } else {
        Err(NOT_SAID.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use testing::{self, Recorder};

    fn ran(text: &str, options: GeneratorOptions) -> (Outcome, Vec<InvariantMap>) {
        let program = testing::program(text);
        let board = Recorder::default();
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let mut generator = Generator { options };
        let outcome = generator.run(&program, &board, &budget);
        let maps = board.maps();
        testing::assert_sound(&program, &outcome, &maps);
        assert!(maps.iter().all(|map| map.by == NAME));
        (outcome, maps)
    }

    /// No domain excludes the violation.
    const HARD: &str = "int main(void) {
        unsigned x = __VERIFIER_nondet_uint(), y = x, n = 0;
        float f = 0.5f, g = 1.0f;
        while (n < 10) { n++; x += 3; y += 3; f = f + g; }
        if (x * y == 1000003u && x != y + 1) reach_error();
        return 0;
    }";

    #[test]
    fn every_round_publishes() {
        let round = |domain| InvariantOptions {
            domain,
            ..InvariantOptions::default()
        };
        let options = GeneratorOptions {
            rounds: vec![
                round(Domain::Interval),
                round(Domain::ScalarAffine),
                round(Domain::Octagon),
            ],
            continuous: false,
            ..GeneratorOptions::default()
        };
        let (outcome, maps) = ran(HARD, options);
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert_eq!(maps.len(), 3);
    }

    /// The options as a configuration gives them.
    #[test]
    fn any_domain_can_be_the_one_that_is_refined_continuously() {
        let options: GeneratorOptions = serde_json::from_str(
            r#"{ "rounds": [], "continuous": false, "interpretations": [
                { "first": { "domain": "octagon", "tracked": 1 }, "refinement": ["tracked"] },
                { "first": { "domain": "congruence" }, "refinement": ["domain"],
                  "domains": ["scalar-affine"] } ] }"#,
        )
        .expect("these are options");
        let (outcome, maps) = ran(HARD, options);
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert!(maps.len() >= 4, "{} maps", maps.len());
    }

    #[test]
    fn an_analysis_can_have_invariants_of_its_own() {
        let program = testing::program(HARD);
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        for domain in [Domain::Octagon, Domain::Congruence, Domain::All] {
            let options = InvariantOptions {
                domain,
                ..InvariantOptions::default()
            };
            let map = generate_within(&program, &options, &budget);
            let map = map.unwrap_or_else(|why| panic!("{domain:?}: {why}"));
            assert_eq!(map.entries.len(), 1, "{domain:?}");
            testing::assert_sound(&program, &Outcome::Unknown("".into()), &[map]);
        }
        let exhausted = Budget::new(Some(Duration::ZERO), None);
        let options = InvariantOptions::default();
        assert!(generate_within(&program, &options, &exhausted).is_err());
    }
}
