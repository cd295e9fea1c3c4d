//! Algorithm 1 line by line: helpers that are quick, late, trivial, silent, and that crash.

use crate::master::{Brought, Helper, MasterAndHelpers, Terms};
use crate::part::{Ended, Participant};
use crate::store::FactStore;
use cfa::expr::{ExprPool, VarId};
use cfa::place::CallPattern;
use cfa::program::LocId;
use cfa::value::Ty;
use facts::budget::Budget;
use facts::engine::Board;
use facts::invariants::{CandidateMap, Invariant, InvariantMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers once so many proposals are on the board, or after a time; notes how often it is started,
/// and when it ended.
#[derive(Clone, Default)]
struct Master {
    needs: usize,
    alone: Option<Duration>,
    gives_up: bool,
    starts: Arc<Mutex<Vec<usize>>>,
}

impl Participant for Master {
    fn name(&self) -> &str {
        "master"
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let begin = Instant::now();
        self.starts.lock().unwrap().push(board.proposals());
        while !budget.is_exhausted() {
            if board.proposals() >= self.needs && self.needs > 0 {
                assert_eq!(board.precisions().len(), board.proposals());
                return Ended::Answered;
            }
            if self.alone.is_some_and(|alone| begin.elapsed() >= alone) {
                return Ended::Answered;
            }
            if self.gives_up {
                return Ended::Unknown("too hard".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ended::Unknown("stopped".into())
    }
}

/// What a helper does after a while.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Finds,
    Trivial,
    Fails,
    Panics,
}

struct Helping {
    name: &'static str,
    after: Duration,
    does: Does,
    seen: Arc<Mutex<Vec<(&'static str, bool)>>>,
}

/// Each says something of its own: what was proposed before is not proposed again.
fn brought(by: &str, is_trivial: bool) -> Brought {
    let mut pool = ExprPool::default();
    let ty = Ty::unsigned(32);
    let holds = match is_trivial {
        true => pool.bool_constant(false),
        false => {
            let (variable, bound) = (
                pool.variable(VarId(0), ty),
                pool.constant(by.len() as u128, ty),
            );
            pool.le(variable, bound)
        }
    };
    Brought {
        candidates: CandidateMap(InvariantMap {
            by: by.into(),
            pool,
            entries: vec![Invariant {
                calls: CallPattern::Any,
                location: LocId(0),
                holds,
            }],
        }),
        left_out: 0,
    }
}

impl Helper for Helping {
    fn name(&self) -> &str {
        self.name
    }

    fn look(
        &mut self,
        _: &dyn Board,
        budget: &Budget,
        _: Option<Duration>,
    ) -> Result<Brought, String> {
        let begin = Instant::now();
        while begin.elapsed() < self.after {
            if budget.is_exhausted() {
                self.seen.lock().unwrap().push((self.name, false));
                return Err("stopped".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.seen.lock().unwrap().push((self.name, true));
        match self.does {
            Does::Finds => Ok(brought(self.name, false)),
            Does::Trivial => Ok(brought(self.name, true)),
            Does::Fails => Err("no idea".into()),
            Does::Panics => panic!("on purpose"),
        }
    }
}

struct Run {
    ended: Ended,
    /// The proposals at each start of the master.
    starts: Vec<usize>,
    /// The helpers in the order in which they ended, and whether they came to their end.
    seen: Vec<(&'static str, bool)>,
    proposals: usize,
}

/// Helpers by name, milliseconds and what they do; the limit is ten seconds.
fn run(terms: Terms, master: Master, helpers: &[(&'static str, u64, Does)]) -> Run {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let helpers = helpers.iter().map(|&(name, after, does)| {
        let helper: Box<dyn Helper> = Box::new(Helping {
            name,
            after: Duration::from_millis(after),
            does,
            seen: Arc::clone(&seen),
        });
        helper
    });
    let starts = Arc::clone(&master.starts);
    let mut all = MasterAndHelpers {
        master: Box::new(master),
        helpers: helpers.collect(),
        terms,
    };
    let board = FactStore::default();
    let budget = Budget::new(Some(Duration::from_secs(10)), None);
    let ended = all.run(&board, &budget);
    let starts = starts.lock().unwrap().clone();
    let seen = seen.lock().unwrap().clone();
    Run {
        ended,
        starts,
        seen,
        proposals: board.proposals(),
    }
}

/// The master asks after a hundredth of the time at the latest.
fn terms() -> Terms {
    Terms {
        timer: 0.0,
        timeout: 0.05,
        ..Terms::default()
    }
}

fn needing(needs: usize) -> Master {
    Master {
        needs,
        ..Master::default()
    }
}

const LATE: u64 = 60_000;

/// Lines 1 to 4.
#[test]
fn a_master_that_needs_no_help_gets_none() {
    let master = Master {
        alone: Some(Duration::from_millis(30)),
        ..Master::default()
    };
    let terms = Terms {
        timer: 0.9,
        ..terms()
    };
    let run = run(terms, master, &[("a", 0, Does::Finds)]);
    assert_eq!(run.ended, Ended::Answered);
    assert!(run.seen.is_empty() && run.proposals == 0);
}

/// Lines 15 to 20 with `restartMaster`.
#[test]
fn the_master_starts_again_with_what_was_found() {
    let run = run(terms(), needing(1), &[("a", 20, Does::Finds)]);
    assert_eq!(run.ended, Ended::Answered);
    assert_eq!(run.starts, [0, 1]);
}

/// Line 18 without `restartMaster`.
#[test]
fn the_master_goes_on_with_what_was_found() {
    let terms = Terms {
        restart_master: false,
        ..terms()
    };
    let run = run(terms, needing(1), &[("a", 20, Does::Finds)]);
    assert_eq!(run.ended, Ended::Answered);
    assert_eq!(run.starts, [0]);
}

/// The request is the master's own where it gives up, however long its timer is.
#[test]
fn a_master_that_gives_up_asks_for_help() {
    for restart_master in [true, false] {
        let master = Master {
            gives_up: true,
            ..needing(1)
        };
        let terms = Terms {
            timer: 1.0,
            restart_master,
            ..terms()
        };
        let run = run(terms, master, &[("a", 20, Does::Finds)]);
        assert_eq!(run.ended, Ended::Answered);
        assert_eq!(run.starts, [0, 1]);
    }
}

/// Lines 10 to 12.
#[test]
fn the_first_that_finds_something_stops_the_others() {
    let helpers = [
        ("slow", LATE, Does::Finds),
        ("trivial", 10, Does::Trivial),
        ("fails", 10, Does::Fails),
        ("panics", 10, Does::Panics),
        ("finds", 150, Does::Finds),
    ];
    let run = run(terms(), needing(1), &helpers);
    assert_eq!(run.ended, Ended::Answered);
    assert_eq!(run.seen.last(), Some(&("slow", false)));
    assert!(run.seen.contains(&("finds", true)));
    assert_eq!(run.proposals, 1);
}

/// Line 10 without `termAfterFirstInv`: all are waited for, until their time is over (line 7).
#[test]
fn all_are_waited_for() {
    let helpers = [
        ("first", 10, Does::Finds),
        ("second", 200, Does::Finds),
        ("late", LATE, Does::Finds),
    ];
    let terms = Terms {
        first_only: false,
        timeout: 0.02,
        ..terms()
    };
    let run = run(terms, needing(2), &helpers);
    assert_eq!(run.ended, Ended::Answered);
    assert_eq!(run.starts, [0, 2]);
    assert_eq!(run.seen.last(), Some(&("late", false)));
}

/// Lines 13 and 14.
#[test]
fn an_answer_of_the_master_stops_the_helpers() {
    let master = Master {
        alone: Some(Duration::from_millis(100)),
        ..Master::default()
    };
    let terms = Terms {
        timeout: 1.0,
        ..terms()
    };
    let run = run(terms, master, &[("late", LATE, Does::Finds)]);
    assert_eq!(run.ended, Ended::Answered);
    assert_eq!(run.seen, [("late", false)]);
}

/// Line 21: without anything to inject the master goes on.
#[test]
fn a_master_without_help_goes_on() {
    let master = Master {
        alone: Some(Duration::from_millis(400)),
        ..Master::default()
    };
    let helpers = [("trivial", 5, Does::Trivial), ("fails", 5, Does::Fails)];
    let run = run(terms(), master, &helpers);
    assert_eq!(run.ended, Ended::Answered);
    assert_eq!((run.starts.as_slice(), run.proposals), (&[0][..], 0));
}

/// The limit of the whole ends everybody.
#[test]
fn the_limit_ends_all() {
    let mut all = MasterAndHelpers {
        master: Box::new(Master::default()),
        helpers: vec![Box::new(Helping {
            name: "late",
            after: Duration::from_millis(LATE),
            does: Does::Finds,
            seen: Arc::default(),
        })],
        terms: Terms {
            timeout: 1.0,
            ..terms()
        },
    };
    let budget = Budget::new(Some(Duration::from_millis(200)), None);
    let ended = all.run(&FactStore::default(), &budget);
    assert!(matches!(ended, Ended::Unknown(_)));
}

/// Gives up at once; beside it somebody proves what was proposed, and ends after it.
struct GivesUp {
    starts: Arc<Mutex<usize>>,
}

impl Participant for GivesUp {
    fn name(&self) -> &str {
        "gives up"
    }

    fn run(&mut self, board: &dyn Board, _: &Budget) -> Ended {
        *self.starts.lock().unwrap() += 1;
        if board.facts().version() > 0 {
            return Ended::Answered;
        }
        for proposed in board.candidates() {
            board.publish(proposed.0.clone());
        }
        Ended::Unknown("too hard".into())
    }
}

/// Line 20: what is proved while the restarted master gives up is not lost.
#[test]
fn a_master_that_gives_up_at_once_gets_what_is_proved_meanwhile() {
    for does in [Does::Finds, Does::Trivial] {
        let starts = Arc::new(Mutex::new(0));
        let mut all = MasterAndHelpers {
            master: Box::new(GivesUp {
                starts: Arc::clone(&starts),
            }),
            helpers: vec![Box::new(Helping {
                name: "a",
                after: Duration::from_millis(5),
                does,
                seen: Arc::default(),
            })],
            terms: terms(),
        };
        let budget = Budget::new(Some(Duration::from_secs(10)), None);
        let ended = all.run(&FactStore::default(), &budget);
        match does {
            Does::Finds => assert_eq!((ended, *starts.lock().unwrap()), (Ended::Answered, 3)),
            _ => assert_eq!(*starts.lock().unwrap(), 1),
        }
    }
}
