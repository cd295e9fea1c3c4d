//! Analyses side by side (000, algorithm 5).
//!
//! | paper | here |
//! |---|---|
//! | the set of analyses | [`Parallel::parts`] |
//! | aggregated reached sets | the board that all of them get |
//! | a sound result stops the others | the race's token is set at the first answer |
//!
//! Deviation: an answer is certified in the thread that found it. The others are not stopped for it but wait for a while (`Gate`
//! of crate `logic`), so that an answer that cannot be certified does not end the race.

use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use std::panic::AssertUnwindSafe;
use std::sync::mpsc;
use std::time::Duration;

use cfa::program::Program;

/// Stack of an analysis's thread; walks are iterative, but those of foreign solvers are not all.
const STACK: usize = 256 << 20;

pub struct Parallel {
    pub name: String,
    pub parts: Vec<Box<dyn Engine>>,
}

/// Runs an analysis so that its panic is no more than its failure.
pub fn run_guarded(
    engine: &mut dyn Engine,
    program: &Program,
    board: &dyn Board,
    budget: &Budget,
) -> Outcome {
    // A combination does nothing itself.
    let name = (!engine.is_combination()).then(|| engine.name().to_string());
    if let Some(name) = &name {
        board.begins(name);
    }
    let run = AssertUnwindSafe(|| engine.run(program, board, budget));
    let outcome = std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Outcome::Unknown(format!("it failed ({text}); please report this"))
    });
    if let Some(name) = &name {
        board.ended(name);
    }
    outcome
}

impl Engine for Parallel {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_combination(&self) -> bool {
        true
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let race = budget.raced(self.parts.len());
        let time = clock::hand_over();
        let mut counted = Duration::ZERO;
        let (sender, receiver) = mpsc::channel();
        let mut answer = None;
        let mut reasons = Vec::new();
        std::thread::scope(|scope| {
            for engine in &mut self.parts {
                let (sender, race) = (sender.clone(), &race);
                let name = engine.name().to_string();
                let body = move || {
                    let _counting = time.take_up();
                    let outcome = run_guarded(&mut **engine, program, board, race);
                    // Whoever listens is there until all parts have ended.
                    let is_combination = engine.is_combination();
                    let _ = sender.send((
                        engine.name().to_string(),
                        is_combination,
                        outcome,
                        time.counted_since(),
                    ));
                };
                let builder = std::thread::Builder::new()
                    .name(name.clone())
                    .stack_size(STACK);
                if let Err(error) = builder.spawn_scoped(scope, body) {
                    reasons.push((name, format!("no thread: {error}")));
                }
            }
            drop(sender);
            while let Ok((name, is_combination, outcome, took)) = receiver.recv() {
                counted = counted.max(took);
                match outcome {
                    Outcome::Answer(certificate) => {
                        race.stop.stop();
                        answer.get_or_insert(certificate);
                    }
                    Outcome::Unknown(reason) => {
                        if !is_combination {
                            board.gave_up(&name, &reason);
                        }
                        reasons.push((name, reason));
                    }
                }
            }
        });
        clock::tick(counted);
        match answer {
            Some(certificate) => Outcome::Answer(certificate),
            None => Outcome::Unknown(all_reasons(&reasons)),
        }
    }
}

pub(crate) fn all_reasons(reasons: &[(String, String)]) -> String {
    let texts: Vec<String> = reasons
        .iter()
        .map(|(name, reason)| format!("{name}: {reason}"))
        .collect();
    texts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Answers, Panics, Spins, program};
    use facts::engine::NoBoard;
    use std::time::Instant;

    fn parallel(parts: Vec<Box<dyn Engine>>) -> Parallel {
        Parallel {
            name: "test".into(),
            parts,
        }
    }

    #[test]
    fn the_first_answer_stops_the_others() {
        let started = Instant::now();
        let mut parts = parallel(vec![
            Box::new(Spins),
            Box::new(Answers(Duration::from_millis(50))),
            Box::new(Spins),
        ]);
        let outcome = parts.run(&program(), &NoBoard, &Budget::unlimited());
        assert!(matches!(outcome, Outcome::Answer(_)));
        assert!(started.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn a_panic_ends_only_its_own_part() {
        let mut parts = parallel(vec![
            Box::new(Panics),
            Box::new(Answers(Duration::from_millis(20))),
        ]);
        let outcome = parts.run(&program(), &NoBoard, &Budget::unlimited());
        assert!(matches!(outcome, Outcome::Answer(_)));
    }

    #[test]
    fn the_limit_ends_all() {
        let started = Instant::now();
        let mut parts = parallel(vec![Box::new(Spins), Box::new(Panics)]);
        let budget = Budget::new(Some(Duration::from_millis(100)), None);
        let outcome = parts.run(&program(), &NoBoard, &budget);
        let Outcome::Unknown(reason) = outcome else {
            panic!("nobody answers");
        };
        assert!(reason.contains("please report") && reason.contains("stopped"));
        assert!(started.elapsed() < Duration::from_secs(2));
    }
}
