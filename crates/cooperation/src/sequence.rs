//! Analyses one after the other (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis
//! with Auxiliary Invariants*, 2016, sections 2.3.3 and 6.4.3; Stieglmaier2014: T.
//! Stieglmaier, *Octagon-Based Software Verification with CPAchecker*, 2014, section 3.3.2): each
//! gets its part of the time, and what earlier ones published helps later ones. A part that cannot
//! help with what is known when its turn comes is left out, and its time is for those after it.

use crate::parallel::run_guarded;
use crate::part::{Ended, Part, Participant};
use facts::budget::Budget;
use facts::engine::{Board, Reason};

pub struct Sequence {
    pub name: String,
    pub parts: Vec<Part>,
}

impl Participant for Sequence {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_combination(&self) -> bool {
        true
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let whole = budget.own_time();
        let mut reasons = Vec::new();
        for part in &mut self.parts {
            if budget.is_exhausted() {
                break;
            }
            let name = part.participant.name().to_string();
            if let Err(reason) = part.participant.can_help(board) {
                board.skipped(&name, &reason);
                reasons.push((name, reason.into()));
                continue;
            }
            let (own, _watch) = match (part.limit, whole) {
                (Some(fraction), Some(whole)) => {
                    let limit = whole.mul_f64(fraction.clamp(0.0, 1.0));
                    let (own, watch) = budget.within_own_time(limit);
                    (own, Some(watch))
                }
                _ => (budget.clone(), None),
            };
            match run_guarded(&mut *part.participant, board, &own) {
                Ended::Answered => return Ended::Answered,
                Ended::Unknown(reason) => reasons.push((name, reason)),
            }
        }
        Ended::Unknown(Reason::Parts(reasons))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Answers, Panics, Spins};
    use facts::engine::NoBoard;
    use std::time::Duration;

    #[test]
    fn a_part_gets_its_time_and_the_next_one_the_rest() {
        let part = |participant: Box<dyn Participant>, limit| Part { participant, limit };
        let mut sequence = Sequence {
            name: "test".into(),
            parts: vec![
                part(Box::new(Spins), Some(0.05)),
                part(Box::new(Panics), None),
                part(Box::new(Answers(Duration::from_millis(1))), None),
            ],
        };
        let budget = Budget::new(Some(Duration::from_secs(4)), None);
        let outcome = sequence.run(&NoBoard, &budget);
        assert_eq!(outcome, Ended::Answered);
    }
}
