//! Continuous precision refinement (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis
//! with Auxiliary Invariants*, 2016, section 2.3.6, algorithm 3; Beyer2015: D. Beyer,
//! M. Dangl, P. Wendler, *Boosting k-induction with continuously-refined invariants*, CAV 2015),
//! for every analysis whose precision can grow.
//!
//! | paper | here |
//! |---|---|
//! | `D`, the analysis | [`Refinable`] |
//! | `CPAAlgorithm(D, …)` under `π` | [`Refinable::round`] |
//! | `containsTargetState(reached)` | [`Round::Found`]; without a target [`Round::Proof`] |
//! | `Inv := Inv ∧ ⋁ reached` | the round's map, published: readers conjoin facts |
//! | `RefinePrec(π)` | [`Refinable::finer`] in the direction whose turn it is |
//!
//! Deviations: a round has a limit of time. One that does not end within it says nothing, and what
//! is finer would take longer still: the direction in which the precision grew last is given up,
//! and the others go on from the last precision that came to an end. If already the first precision
//! takes too long, there is no way that promises more.

use crate::publication::{NOT_SAID, is_promising, publish};
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use cfa::program::{LocId, Program};
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Outcome, Reason};
use facts::invariants::InvariantMap;

/// How an analysis under one precision ended.
pub enum Round {
    Proof {
        certificate: Certificate,
        /// It may say less than the fixpoint.
        lost: bool,
    },
    /// A fixpoint, but it does not exclude a violation.
    Found {
        /// What can be told to others.
        facts: Option<InvariantMap>,
        /// The map may say less than the fixpoint.
        lost: bool,
        reason: Reason,
    },
    /// There was no fixpoint within the limit.
    Unfinished(Reason),
}

/// An analysis whose precision can grow in several directions.
///
/// Law: [`Refinable::finer`] ends: from every precision only finitely many steps are possible.
pub trait Refinable {
    type Precision: Clone;
    type Direction: Copy + PartialEq;

    fn first(&self) -> Self::Precision;
    /// The order of refinement; after the last it begins again.
    fn directions(&self) -> &[Self::Direction];
    /// `None` if the precision does not grow in this direction any more.
    fn finer(
        &self,
        precision: &Self::Precision,
        direction: Self::Direction,
    ) -> Option<Self::Precision>;
    /// In words for users.
    fn describe(&self, precision: &Self::Precision) -> String;
    /// The part of the time left that one round may take.
    fn round_limit(&self) -> f64;
    /// One run of the analysis. What it says of its work goes to the board; its facts do not.
    fn round(&mut self, precision: &Self::Precision, board: &dyn Board, limit: &Budget) -> Round;
}

/// Where the refinement stands.
struct Schedule<P, D> {
    now: P,
    /// The direction in which the precision grew last, and the precision before.
    before: Option<(D, P)>,
    given_up: Vec<D>,
    turn: usize,
}

impl<P: Clone, D: Copy + PartialEq> Schedule<P, D> {
    fn new(first: P) -> Self {
        Schedule {
            now: first,
            before: None,
            given_up: Vec::new(),
            turn: 0,
        }
    }

    /// Goes on to the next precision; `false` if there is none.
    fn advance(
        &mut self,
        finished: bool,
        directions: &[D],
        finer: impl Fn(&P, D) -> Option<P>,
    ) -> bool {
        if !finished {
            let Some((direction, coarser)) = self.before.take() else {
                return false;
            };
            self.given_up.push(direction);
            self.now = coarser;
        }
        for offset in 0..directions.len() {
            let direction = directions[(self.turn + offset) % directions.len()];
            if self.given_up.contains(&direction) {
                continue;
            }
            if let Some(next) = finer(&self.now, direction) {
                let before = std::mem::replace(&mut self.now, next);
                self.before = Some((direction, before));
                self.turn += offset + 1;
                return true;
            }
        }
        false
    }
}

/// Runs until the program is proved, no finer precision is left, or the budget is exhausted.
/// Publishes what each round found under the given name, unless an earlier one found the same.
pub fn run<A: Refinable>(
    program: &Program,
    name: &str,
    analysis: &mut A,
    board: &dyn Board,
    budget: &Budget,
) -> Outcome {
    let mut schedule = Schedule::new(analysis.first());
    let mut published = Published::new(program);
    for round in 0u64.. {
        if budget.is_exhausted() {
            return Outcome::Unknown(Reason::OutOfTime(format!(" in round {round}")));
        }
        let description = analysis.describe(&schedule.now);
        board.progress(name, &format!("precision: {description}"));
        let limit = budget.fraction(analysis.round_limit());
        let ended = analysis.round(&schedule.now, board, &limit);
        board.count(name, "precisions", round + 1);
        let (finished, reason) = match ended {
            Round::Proof { certificate, lost } => {
                if is_promising(program, &certificate, lost, budget) {
                    return Outcome::Answer(certificate);
                }
                (true, NOT_SAID.into())
            }
            Round::Found {
                facts,
                lost,
                reason,
            } => {
                if let Some(mut map) = facts
                    && published.is_new(&map)
                {
                    // Whoever reads it knows the engine by this name.
                    map.by = name.into();
                    publish(program, map, lost, board, budget);
                }
                (true, reason)
            }
            Round::Unfinished(reason) => (false, reason),
        };
        let finer = |precision: &_, direction| analysis.finer(precision, direction);
        if !schedule.advance(finished, analysis.directions(), finer) {
            return Outcome::Unknown(reason);
        }
    }
    Outcome::Unknown(Reason::out_of_time())
}

/// What was said before, in one pool.
struct Published {
    pool: cfa::expr::ExprPool,
    maps: Vec<Vec<(LocId, CallPattern, ExprId)>>,
}

impl Published {
    fn new(program: &Program) -> Self {
        Published {
            pool: program.pool.clone(),
            maps: Vec::new(),
        }
    }

    fn is_new(&mut self, map: &InvariantMap) -> bool {
        let entries = map.entries.iter().map(|entry| {
            let holds = self.pool.import(&map.pool, entry.holds);
            (entry.location, entry.calls.clone(), holds)
        });
        let entries: Vec<_> = entries.collect();
        let is_new = !self.maps.contains(&entries);
        if is_new {
            self.maps.push(entries);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::invariants::Invariant;
    use std::time::Duration;
    use testing::{self, Recorder};

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Way {
        Wide,
        Deep,
    }

    /// Precisions are pairs; those that are too deep do not come to an end.
    struct Fake<'p> {
        program: &'p Program,
        order: Vec<Way>,
        deepest: u32,
        seen: Vec<(u32, u32)>,
    }

    impl Refinable for Fake<'_> {
        type Precision = (u32, u32);
        type Direction = Way;

        fn first(&self) -> (u32, u32) {
            (0, 0)
        }

        fn directions(&self) -> &[Way] {
            &self.order
        }

        fn finer(&self, &(wide, deep): &(u32, u32), direction: Way) -> Option<(u32, u32)> {
            match direction {
                Way::Wide => (wide < 3).then_some((wide + 1, deep)),
                Way::Deep => (deep < 9).then_some((wide, deep + 1)),
            }
        }

        fn describe(&self, precision: &(u32, u32)) -> String {
            format!("{precision:?}")
        }

        fn round_limit(&self) -> f64 {
            0.25
        }

        fn round(&mut self, &(wide, deep): &(u32, u32), _: &dyn Board, _: &Budget) -> Round {
            self.seen.push((wide, deep));
            if deep > self.deepest {
                return Round::Unfinished("too deep".into());
            }
            let mut pool = self.program.pool.clone();
            // The same for all precisions that are equally wide.
            let holds = pool.bool_constant(wide % 2 == 0);
            let facts = InvariantMap {
                by: "fake".into(),
                pool,
                entries: vec![Invariant {
                    calls: CallPattern::Exactly(Vec::new()),
                    location: LocId(wide),
                    holds,
                }],
            };
            Round::Found {
                facts: Some(facts),
                lost: false,
                reason: "found".into(),
            }
        }
    }

    fn explored(order: Vec<Way>, deepest: u32) -> (Vec<(u32, u32)>, Vec<u32>, String) {
        let program = testing::program("int main(void) { while (1) ; }");
        let board = Recorder::default();
        let budget = Budget::new(Some(Duration::from_secs(20)), None);
        let mut fake = Fake {
            program: &program,
            order,
            deepest,
            seen: Vec::new(),
        };
        let Outcome::Unknown(reason) = run(&program, "test", &mut fake, &board, &budget) else {
            panic!("there is no proof");
        };
        let maps = board.maps();
        assert!(maps.iter().all(|map| map.by == "test"));
        let said = maps.iter().map(|map| map.entries[0].location.0).collect();
        (fake.seen, said, reason.to_string())
    }

    #[test]
    fn what_is_new_is_published_after_every_round() {
        let (seen, said, reason) = explored(vec![Way::Wide, Way::Deep], 9);
        assert_eq!(&seen[..4], [(0, 0), (1, 0), (1, 1), (2, 1)]);
        assert_eq!(seen.last(), Some(&(3, 9)));
        assert_eq!(said, [0, 1, 2, 3]);
        assert_eq!(reason, "found");
    }

    #[test]
    fn a_direction_that_takes_too_long_is_given_up_and_the_others_go_on() {
        let (seen, said, _) = explored(vec![Way::Deep, Way::Wide], 0);
        // One step down is too far; from then on precisions grow in the other direction only.
        assert_eq!(seen, [(0, 0), (0, 1), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(said, [0, 1, 2, 3]);
        let (seen, _, _) = explored(vec![Way::Deep, Way::Wide], 1);
        let expected = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 1), (3, 1)];
        assert_eq!(seen, expected);
        let (seen, _, reason) = explored(vec![Way::Deep], 0);
        assert_eq!(seen, [(0, 0), (0, 1)]);
        assert_eq!(reason, "too deep");
    }
}
