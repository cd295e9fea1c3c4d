//! Analyses side by side (000, algorithm 5).
//!
//! | paper | here |
//! |---|---|
//! | the set of analyses | [`Parallel::parts`] |
//! | aggregated reached sets | the board that all of them get |
//! | a sound result stops the others | the race's token is set at the first answer |
//! | limits of the analyses | [`Part::limit`] |
//!
//! Deviation: an answer is certified in the thread that found it. The others are not stopped for it but wait for a while (`Gate`
//! of crate `logic`), so that an answer that cannot be certified does not end the race.

use crate::part::Part;
use control::StopToken;
use control::clock;
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
    pub parts: Vec<Part>,
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
        if let Outcome::Unknown(reason) = &outcome {
            board.gave_up(name, reason);
        }
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
        // Those who only serve the others sleep most of the time.
        let parts = self.parts.iter();
        let mut rivals = parts.filter(|part| !part.engine.serves_others()).count();
        let race = budget.raced(rivals);
        let served = StopToken::new();
        if rivals == 0 {
            served.stop();
        }
        let whole = budget.own_time();
        let limits = self.parts.iter().map(|part| {
            let limit = whole?.mul_f64(part.limit?.clamp(0.0, 1.0));
            Some(race.account(limit))
        });
        // Of those that run and have a limit, what they may use.
        let mut limits: Vec<_> = limits.collect();
        let time = clock::hand_over();
        let mut counted = Duration::ZERO;
        let (sender, receiver) = mpsc::channel();
        let mut answer = None;
        let mut reasons = Vec::new();
        std::thread::scope(|scope| {
            for (number, part) in self.parts.iter_mut().enumerate() {
                let engine = &mut *part.engine;
                let told = Told {
                    number,
                    name: engine.name().to_string(),
                    is_rival: !engine.serves_others(),
                };
                let own = match told.is_rival {
                    true => race.clone(),
                    false => race.serving(&served),
                };
                let limit = limits[number].clone();
                let (teller, by) = (sender.clone(), told.clone());
                let body = move || {
                    let _counting = time.take_up();
                    let _at_work = own.at_work();
                    let (own, _watch) = match &limit {
                        Some(account) => {
                            let (own, watch) = own.on_account(account);
                            (own, Some(watch))
                        }
                        None => (own, None),
                    };
                    let outcome = run_guarded(engine, program, board, &own);
                    // Whoever listens is there until all parts have ended.
                    let _ = teller.send((by, outcome, time.counted_since()));
                };
                let builder = std::thread::Builder::new()
                    .name(told.name.clone())
                    .stack_size(STACK);
                if let Err(error) = builder.spawn_scoped(scope, body) {
                    let reason = format!("no thread: {error}");
                    let _ = sender.send((told, Outcome::Unknown(reason), Duration::ZERO));
                }
            }
            drop(sender);
            while let Ok((told, outcome, took)) = receiver.recv() {
                counted = counted.max(took);
                match outcome {
                    Outcome::Answer(certificate) => {
                        race.stop.stop();
                        answer.get_or_insert(certificate);
                    }
                    Outcome::Unknown(reason) => reasons.push((told.name, reason)),
                }
                rivals -= usize::from(told.is_rival);
                if rivals == 0 {
                    served.stop();
                }
                if let Some(ended) = limits[told.number].take() {
                    let others = limits.iter().flatten();
                    let count = others.clone().count().max(1) as u32;
                    let over = ended.left() / count;
                    others.for_each(|other| other.grant(over));
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

/// Who has ended.
#[derive(Clone)]
struct Told {
    number: usize,
    name: String,
    is_rival: bool,
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
            parts: parts.into_iter().map(Part::from).collect(),
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
