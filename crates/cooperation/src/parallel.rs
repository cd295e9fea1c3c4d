//! Analyses side by side (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with
//! Auxiliary Invariants*, 2016, algorithm 5).
//!
//! | paper | here |
//! |---|---|
//! | the set of analyses | [`Parallel::parts`] |
//! | aggregated reached sets | the board that all of them get |
//! | a sound result stops the others | the race's token is set at the first answer |
//! | limits of the analyses | [`Part::limit`] |
//!
//! Deviation: an answer is certified in the thread that found it. The others are not stopped for it
//! but wait for a while (`Gate` of crate `control`), so that an answer that cannot be certified
//! does not end the race.

use crate::part::{Ended, Part, Participant};
use control::StopToken;
use control::clock;
use facts::budget::Budget;
use facts::engine::{Board, Reason};
use std::panic::AssertUnwindSafe;
use std::sync::mpsc;
use std::time::Duration;

/// Stack of an analysis's thread; walks are iterative, but those of foreign solvers are not all.
const STACK: usize = 256 << 20;

pub struct Parallel {
    pub name: String,
    pub parts: Vec<Part>,
}

/// Lets a participant run so that its panic is no more than its failure.
pub fn run_guarded(participant: &mut dyn Participant, board: &dyn Board, budget: &Budget) -> Ended {
    // A combination does nothing itself.
    let name = (!participant.is_combination()).then(|| participant.name().to_string());
    if let Some(name) = &name {
        board.begins(name);
    }
    let run = AssertUnwindSafe(|| participant.run(board, budget));
    let ended = std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Ended::Unknown(Reason::Failed(format!("it crashed ({text})")))
    });
    if let Some(name) = &name {
        if let Ended::Unknown(reason) = &ended {
            board.gave_up(name, &reason.to_string());
        }
        board.ended(name);
    }
    ended
}

impl Participant for Parallel {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_combination(&self) -> bool {
        true
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        // Those who only serve the others sleep most of the time.
        let parts = self.parts.iter();
        let mut rivals = parts
            .filter(|part| !part.participant.serves_others())
            .count();
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
        let mut is_answered = false;
        let mut reasons = Vec::new();
        std::thread::scope(|scope| {
            for (number, part) in self.parts.iter_mut().enumerate() {
                let participant = &mut *part.participant;
                let told = Told {
                    number,
                    name: participant.name().to_string(),
                    is_rival: !participant.serves_others(),
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
                    let ended = run_guarded(participant, board, &own);
                    // Whoever listens is there until all parts have ended.
                    let _ = teller.send((by, ended, time.counted_since()));
                };
                let builder = std::thread::Builder::new()
                    .name(told.name.clone())
                    .stack_size(STACK);
                if let Err(error) = builder.spawn_scoped(scope, body) {
                    let reason = format!("cannot start a thread: {error}").into();
                    let _ = sender.send((told, Ended::Unknown(reason), Duration::ZERO));
                }
            }
            drop(sender);
            while let Ok((told, ended, took)) = receiver.recv() {
                counted = counted.max(took);
                match ended {
                    Ended::Answered => {
                        race.stop.stop();
                        is_answered = true;
                    }
                    Ended::Unknown(reason) => reasons.push((told.name, reason)),
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
        match is_answered {
            true => Ended::Answered,
            false => Ended::Unknown(Reason::Parts(reasons)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Answers, Panics, Spins};
    use facts::engine::NoBoard;

    fn parallel(parts: Vec<Box<dyn Participant>>) -> Parallel {
        Parallel {
            name: "test".into(),
            parts: parts.into_iter().map(Part::from).collect(),
        }
    }

    #[test]
    fn the_first_answer_stops_the_others() {
        let mut parts = parallel(vec![
            Box::new(Spins),
            Box::new(Answers(Duration::from_millis(50))),
            Box::new(Spins),
        ]);
        let outcome = parts.run(&NoBoard, &Budget::unlimited());
        assert_eq!(outcome, Ended::Answered);
    }

    #[test]
    fn a_panic_ends_only_its_own_part() {
        let mut parts = parallel(vec![
            Box::new(Panics),
            Box::new(Answers(Duration::from_millis(20))),
        ]);
        let outcome = parts.run(&NoBoard, &Budget::unlimited());
        assert_eq!(outcome, Ended::Answered);
    }

    #[test]
    fn the_limit_ends_all() {
        let mut parts = parallel(vec![Box::new(Spins), Box::new(Panics)]);
        let budget = Budget::new(Some(Duration::from_millis(100)), None);
        let Ended::Unknown(reason) = parts.run(&NoBoard, &budget) else {
            panic!("nobody answers");
        };
        let reason = reason.to_string();
        assert!(reason.contains("please report") && reason.contains("stopped"));
    }
}
