//! Analyses one after the other (000, sections 2.3.3 and 6.4.3; 004, section 3.3.2): each gets its part of the
//! time, and what earlier ones published helps later ones. A part that cannot help with what is known when its turn comes is
//! left out, and its time is for those after it.

use crate::parallel::{all_reasons, run_guarded};
use crate::part::Part;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};

pub struct Sequence {
    pub name: String,
    pub parts: Vec<Part>,
}

impl Engine for Sequence {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_combination(&self) -> bool {
        true
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let whole = budget.own_time();
        let mut reasons = Vec::new();
        for part in &mut self.parts {
            if budget.is_exhausted() {
                break;
            }
            if let Err(reason) = part.engine.can_help(board) {
                let name = part.engine.name().to_string();
                board.skipped(&name, &reason);
                reasons.push((name, reason));
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
            match run_guarded(&mut *part.engine, program, board, &own) {
                Outcome::Answer(certificate) => return Outcome::Answer(certificate),
                Outcome::Unknown(reason) => {
                    reasons.push((part.engine.name().to_string(), reason));
                }
            }
        }
        Outcome::Unknown(all_reasons(&reasons))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Answers, Panics, Spins, program};
    use facts::engine::NoBoard;
    use std::time::{Duration, Instant};

    #[test]
    fn a_part_gets_its_time_and_the_next_one_the_rest() {
        let part = |engine: Box<dyn Engine>, limit| Part { engine, limit };
        let mut sequence = Sequence {
            name: "test".into(),
            parts: vec![
                part(Box::new(Spins), Some(0.05)),
                part(Box::new(Panics), None),
                part(Box::new(Answers(Duration::from_millis(1))), None),
            ],
        };
        let started = Instant::now();
        let budget = Budget::new(Some(Duration::from_secs(4)), None);
        let outcome = sequence.run(&program(), &NoBoard, &budget);
        assert!(matches!(outcome, Outcome::Answer(_)));
        let elapsed = started.elapsed();
        assert!(elapsed >= Duration::from_millis(190) && elapsed < Duration::from_secs(3));
    }
}
