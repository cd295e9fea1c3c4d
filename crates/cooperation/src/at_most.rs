//! A part that gets so much processor time at most, however much there is.
//!
//! Shares of the whole are right for what goes on for long. What is tried first, because it is quick where it works at all, would
//! keep everybody waiting in a long run.

use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use std::time::Duration;

pub struct AtMost {
    pub engine: Box<dyn Engine>,
    pub time: Duration,
}

impl Engine for AtMost {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn is_combination(&self) -> bool {
        self.engine.is_combination()
    }

    fn serves_others(&self) -> bool {
        self.engine.serves_others()
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        self.engine.can_help(board)
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let (own, _watch) = budget.within_own_time(self.time);
        self.engine.run(program, board, &own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Part;
    use crate::sequence::Sequence;
    use crate::tests::{Answers, Spins, program};
    use facts::engine::NoBoard;
    use std::time::Instant;

    #[test]
    fn the_next_one_does_not_wait_for_a_part_of_a_long_time() {
        let first = AtMost {
            engine: Box::new(Spins),
            time: Duration::from_millis(50),
        };
        let mut sequence = Sequence {
            name: "sequence".into(),
            parts: vec![
                Part {
                    engine: Box::new(first),
                    limit: Some(0.5),
                },
                Part::from(Box::new(Answers(Duration::ZERO)) as Box<dyn Engine>),
            ],
        };
        let begin = Instant::now();
        let budget = Budget::new(Some(Duration::from_secs(600)), None);
        let outcome = sequence.run(&program(), &NoBoard, &budget);
        assert!(matches!(outcome, Outcome::Answer(_)));
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
}
