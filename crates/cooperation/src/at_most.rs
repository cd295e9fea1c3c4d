//! A part that gets so much processor time at most, however much there is.
//!
//! Shares of the whole are right for what goes on for long. What is tried first, because it is
//! quick where it works at all, would keep everybody waiting in a long run.

use crate::part::{Ended, Participant, Wrapper};
use facts::budget::Budget;
use facts::engine::Board;
use std::time::Duration;

pub struct AtMost {
    pub participant: Box<dyn Participant>,
    pub time: Duration,
}

impl Wrapper for AtMost {
    fn inner(&self) -> &dyn Participant {
        &*self.participant
    }

    fn run_inner(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let (own, _watch) = budget.within_own_time(self.time);
        self.participant.run(board, &own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Part;
    use crate::sequence::Sequence;
    use crate::tests::{Answers, Spins};
    use facts::engine::NoBoard;

    #[test]
    fn the_next_one_does_not_wait_for_a_part_of_a_long_time() {
        let first = AtMost {
            participant: Box::new(Spins),
            time: Duration::from_millis(50),
        };
        let mut sequence = Sequence {
            name: "sequence".into(),
            parts: vec![
                Part {
                    participant: Box::new(first),
                    limit: Some(0.5),
                },
                Part::from(Box::new(Answers(Duration::ZERO)) as Box<dyn Participant>),
            ],
        };
        let budget = Budget::new(Some(Duration::from_secs(600)), None);
        let outcome = sequence.run(&NoBoard, &budget);
        assert_eq!(outcome, Ended::Answered);
    }
}
