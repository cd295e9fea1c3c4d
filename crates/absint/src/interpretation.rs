//! Abstract interpretation in any numeric domain as a generator whose precision grows (see
//! [`crate::continuous`]).
//!
//! | part of the precision | grows by |
//! |---|---|
//! | the variables that states speak of, the most important first | [`Increase::Tracked`] |
//! | visits of a loop head before it is widened | [`Increase::WideningDelay`] |
//! | where widening rests | [`Increase::Thresholds`] |
//! | the domain | [`Increase::Domain`] |

use crate::continuous::{Refinable, Round};
use crate::invariants::{InvariantOptions, generate};
use crate::numeric::choice::Domain;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::Board;
use serde::{Deserialize, Serialize};

/// One way to make the precision of an abstract interpretation finer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Increase {
    /// Twice as many variables, at last all.
    Tracked,
    /// Twice as many visits before a loop head is widened.
    WideningDelay,
    /// Widening stops at the program's constants and the bounds of types.
    Thresholds,
    /// The next domain of the list.
    Domain,
}

/// An abstract interpretation whose precision is refined from round to round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct InterpretationOptions {
    /// The first precision.
    pub first: InvariantOptions,
    /// Refinement steps, applied in turn.
    pub refinement: Vec<Increase>,
    /// Domains for the step `domain`, in this order.
    pub domains: Vec<Domain>,
    /// The step `widening-delay` stops here.
    pub most_widening_delay: u32,
    /// The share of the time left that one round may take.
    pub round_limit: f64,
}

impl Default for InterpretationOptions {
    /// Octagons of few variables without patience, up to all that can be known of all variables.
    fn default() -> Self {
        InterpretationOptions {
            first: InvariantOptions {
                domain: Domain::Octagon,
                tracked: Some(8),
                widening_delay: 1,
                ..InvariantOptions::default()
            },
            refinement: vec![
                Increase::Tracked,
                Increase::Thresholds,
                Increase::Domain,
                Increase::WideningDelay,
            ],
            domains: vec![Domain::OctagonScalar, Domain::All],
            most_widening_delay: 64,
            round_limit: 0.25,
        }
    }
}

/// The analysis of one program.
pub struct Interpretation<'a> {
    pub program: &'a Program,
    pub options: &'a InterpretationOptions,
    /// How it is called in statistics.
    pub name: &'a str,
}

impl Refinable for Interpretation<'_> {
    type Precision = InvariantOptions;
    type Direction = Increase;

    fn first(&self) -> InvariantOptions {
        self.options.first.clone()
    }

    fn directions(&self) -> &[Increase] {
        &self.options.refinement
    }

    fn finer(&self, precision: &InvariantOptions, direction: Increase) -> Option<InvariantOptions> {
        let mut finer = precision.clone();
        match direction {
            Increase::Tracked => {
                let more = finer.tracked?.saturating_mul(2).max(1);
                finer.tracked = (more < self.program.vars.len()).then_some(more);
            }
            Increase::WideningDelay => {
                let longer = finer.widening_delay.saturating_mul(2).max(1);
                finer.widening_delay = longer.min(self.options.most_widening_delay);
                // What was patient from the start stays so.
                if finer.widening_delay <= precision.widening_delay {
                    return None;
                }
            }
            Increase::Thresholds => finer.thresholds = true,
            Increase::Domain => {
                let domains = &self.options.domains;
                let current = domains.iter().position(|&other| other == finer.domain);
                finer.domain = *domains.get(current.map_or(0, |current| current + 1))?;
            }
        }
        (finer != *precision).then_some(finer)
    }

    fn describe(&self, precision: &InvariantOptions) -> String {
        let tracked = match precision.tracked {
            Some(count) => format!("{count} variables"),
            None => "all variables".into(),
        };
        let thresholds = match precision.thresholds {
            true => "with thresholds",
            false => "without thresholds",
        };
        format!(
            "{:?} over {tracked}, widening after {} visits {thresholds}",
            precision.domain, precision.widening_delay
        )
    }

    fn round_limit(&self) -> f64 {
        self.options.round_limit
    }

    fn round(&mut self, precision: &InvariantOptions, board: &dyn Board, limit: &Budget) -> Round {
        let found = match generate(self.program, precision, limit) {
            Ok(found) => found,
            Err(reason) => return Round::Unfinished(reason),
        };
        board.count(self.name, "visits", found.visits);
        match found.certificate() {
            Some(certificate) => Round::Proof {
                certificate,
                lost: found.lost,
            },
            None => Round::Found {
                reason: found.why_no_proof(),
                facts: Some(found.map),
                lost: found.lost,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuous::run;
    use facts::engine::Outcome;
    use facts::invariants::InvariantMap;
    use std::time::Duration;
    use testing::{self, Recorder};

    fn ran(text: &str, options: &InterpretationOptions) -> (Program, Outcome, Vec<InvariantMap>) {
        let program = testing::program(text);
        let board = Recorder::default();
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let mut analysis = Interpretation {
            program: &program,
            options,
            name: "test",
        };
        let outcome = run(&program, "test", &mut analysis, &board, &budget);
        let maps = board.maps();
        testing::assert_sound(&program, &outcome, &maps);
        (program, outcome, maps)
    }

    fn says(program: &Program, map: &InvariantMap, what: &str) -> bool {
        let mut extended = program.clone();
        extended.pool = map.pool.clone();
        let texts = map.entries.iter();
        let mut texts =
            texts.map(|entry| printing::export::expression_text(&extended, entry.holds));
        texts.any(|text| text.contains(what))
    }

    /// Both counters have to be followed; conditions read one of them more often. What is asked at
    /// the end is beyond octagons, so that every round publishes.
    const COUNTERS: &str = "int main(void) {
        int x = 0, y = 0, n = __VERIFIER_nondet_int();
        while (x < 1000 && x != n) { x++; y++; }
        if (y * y * y == 343 && n * n == 49 && x == 7) reach_error();
        return 0;
    }";

    fn octagons() -> InterpretationOptions {
        InterpretationOptions {
            first: InvariantOptions {
                domain: Domain::Octagon,
                tracked: Some(1),
                ..InvariantOptions::default()
            },
            refinement: vec![Increase::Tracked],
            domains: Vec::new(),
            ..InterpretationOptions::default()
        }
    }

    #[test]
    fn octagons_relate_variables_once_their_precision_has_both() {
        let (program, outcome, maps) = ran(COUNTERS, &octagons());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert!(maps.len() >= 2, "{} maps", maps.len());
        let equal = |map| {
            says(&program, map, "x == y")
                || says(&program, map, "y == x")
                || (says(&program, map, "x <= y") && says(&program, map, "y <= x"))
        };
        assert!(!equal(&maps[0]), "one variable is related to nothing");
        assert!(maps.iter().any(equal), "the counters are equal");
    }

    #[test]
    fn a_later_domain_proves_what_earlier_ones_do_not() {
        let text = "int main(void) {
            unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0;
            while (x > 0) { x--; y++; }
            if (y != n) reach_error();
            return 0;
        }";
        let congruences = InterpretationOptions {
            first: InvariantOptions {
                domain: Domain::Congruence,
                ..InvariantOptions::default()
            },
            refinement: vec![Increase::Domain],
            domains: Vec::new(),
            ..InterpretationOptions::default()
        };
        let (_, outcome, maps) = ran(text, &congruences);
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert_eq!(maps.len(), 1);
        let richer = InterpretationOptions {
            domains: vec![Domain::Octagon, Domain::ScalarAffine],
            ..congruences
        };
        let (_, outcome, maps) = ran(text, &richer);
        assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
        assert!(!maps.is_empty(), "the rounds before the proof published");
    }

    #[test]
    fn patience_and_thresholds_are_part_of_the_precision() {
        let text = "int main(void) {
            int x = 0, n = __VERIFIER_nondet_int();
            while (n != 0) { n = __VERIFIER_nondet_int(); if (x != 5) x++; }
            if (x > 5) reach_error();
            return 0;
        }";
        let with = |refinement| InterpretationOptions {
            first: InvariantOptions {
                domain: Domain::Interval,
                widening_delay: 1,
                narrowing: 0,
                thresholds: false,
                ..InvariantOptions::default()
            },
            refinement,
            domains: Vec::new(),
            ..InterpretationOptions::default()
        };
        let proves = |refinement| {
            let (_, outcome, _) = ran(text, &with(refinement));
            matches!(outcome, Outcome::Answer(_))
        };
        assert!(!proves(Vec::new()));
        assert!(proves(vec![Increase::WideningDelay]));
        assert!(proves(vec![Increase::Thresholds]));
    }

    #[test]
    fn precisions_grow_until_nothing_is_left() {
        let program = testing::program(COUNTERS);
        let options = InterpretationOptions {
            most_widening_delay: 3,
            ..InterpretationOptions::default()
        };
        let analysis = Interpretation {
            program: &program,
            options: &options,
            name: "test",
        };
        let mut precision = InvariantOptions {
            tracked: Some(1),
            thresholds: false,
            ..analysis.first()
        };
        let mut steps = 0;
        while let Some(finer) = analysis
            .directions()
            .iter()
            .find_map(|&direction| analysis.finer(&precision, direction))
        {
            precision = finer;
            steps += 1;
        }
        assert!((5..20).contains(&steps), "{steps}");
        assert_eq!(precision.tracked, None);
        assert_eq!(precision.domain, Domain::All);
        assert_eq!(precision.widening_delay, 3);
        assert!(precision.thresholds);
    }
}
