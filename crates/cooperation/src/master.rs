//! A master that asks helpers for invariants (Haltermann2020: J. Haltermann, H. Wehrheim,
//! *Cooperative Verification via Collective Invariant Generation*, 2020, algorithm 1 and table 1).
//!
//! | paper | here |
//! |---|---|
//! | M | [`MasterAndHelpers::master`] |
//! | Helpers | [`MasterAndHelpers::helpers`] |
//! | `restartMaster` | [`Terms::restart_master`] |
//! | `termAfterFirstInv` | [`Terms::first_only`] |
//! | `timerM`, `timeoutH` | [`Terms::timer`], [`Terms::timeout`]: parts of the time there is |
//! | `M.requestsForHelp` | [`Request`] |
//! | `H.start`, `H.getSolution` | [`Helper::look`] |
//! | `H.stop` | the token of the helper's budget |
//! | `nonTrivial` | [`Brought::is_trivial`] |
//! | `M.inject` | [`Brought::inject`] |
//!
//! Deviations:
//! - Time is processor time, and a part of the limit: the paper's seconds are those of 900. Where
//!   the machine is busy, a helper that gets none is waited for so many times its time.
//! - A master that ends without an answer asks for help too (the paper: "not being able to solve
//!   the problem alone"). There is nothing left to continue then, so it is started again, whatever
//!   `restartMaster` says.
//! - When the master has its answer while helpers still look (line 13), they are stopped: nobody
//!   needs them any more.
//! - A master that gives up while somebody still proves what was injected is started again once that
//!   is proved: it has never used it.
//! - What a helper brings is a candidate. It is proposed and handed on as a precision; what becomes
//!   of it is decided by whoever proves it. So a wrong one costs time, never a verdict.

use crate::parallel::run_guarded;
use crate::part::{Ended, Participant};
use control::StopToken;
use cpu_time::ProcessTime;
use facts::budget::Budget;
use facts::engine::{Board, Reason};
use facts::invariants::CandidateMap;
use facts::precision::PrecisionMap;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Somebody outside who looks for invariants.
///
/// Laws: `look` returns soon after the budget is exhausted, and nothing of the helper is left then.
/// What it brings may be wrong.
pub trait Helper: Send {
    fn name(&self) -> &str;
    /// What it has found with so much processor time; or why it has found nothing.
    fn look(
        &mut self,
        board: &dyn Board,
        budget: &Budget,
        limit: Option<Duration>,
    ) -> Result<Brought, String>;
}

/// What a helper brings, about the program that all who share facts see.
#[derive(Clone, Debug)]
pub struct Brought {
    pub candidates: CandidateMap,
    /// What of it could not be read or placed in the program.
    pub left_out: usize,
}

impl Brought {
    /// How many statements there are that say something.
    pub fn count(&self) -> usize {
        let CandidateMap(map) = &self.candidates;
        let parts = map.conjuncts().into_iter();
        let says_something = parts.filter(|part| map.pool.as_constant(part.holds).is_none());
        says_something.count()
    }

    /// Is everything in it either true or false?
    pub fn is_trivial(&self) -> bool {
        self.count() == 0
    }

    /// Hands it to the master: to be proved, and as predicates, conjunctions split.
    fn inject(self, board: &dyn Board) {
        let CandidateMap(map) = &self.candidates;
        let parts = map.conjuncts().into_iter();
        board.publish_precision(PrecisionMap {
            by: map.by.clone(),
            pool: map.pool.clone(),
            predicates: parts.map(|part| (part.location, part.holds)).collect(),
        });
        board.propose(self.candidates);
    }
}

/// How master and helpers work together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    /// Is the master started anew with what was found, or does it go on?
    pub restart_master: bool,
    /// Does the first helper that brings something stop the others?
    pub first_only: bool,
    /// The part of the time after which the master asks for help.
    pub timer: f64,
    /// The part of the time that each helper has.
    pub timeout: f64,
}

impl Terms {
    /// The seconds of the paper's limit.
    pub const WHOLE: f64 = 900.0;
}

impl Default for Terms {
    /// Those of section 5.2.
    fn default() -> Terms {
        Terms {
            restart_master: true,
            first_only: true,
            timer: 50.0 / Terms::WHOLE,
            timeout: 300.0 / Terms::WHOLE,
        }
    }
}

pub struct MasterAndHelpers {
    pub master: Box<dyn Participant>,
    pub helpers: Vec<Box<dyn Helper>>,
    pub terms: Terms,
}

/// Why the master asks for help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    Timer,
    GaveUp,
}

/// What happens.
enum Event {
    Master(Ended),
    Helper(usize, Result<Brought, String>),
}

/// The name under which the cooperation speaks.
const NAME: &str = "cooperation";
/// Between two looks at the time.
const PAUSE: Duration = Duration::from_millis(20);
/// How many times its processor time something may take on the wall.
const BUSY: u32 = 4;
/// Stack of threads; those of the master's parts have their own.
const STACK: usize = 64 << 20;

impl Participant for MasterAndHelpers {
    fn name(&self) -> &str {
        NAME
    }

    fn is_combination(&self) -> bool {
        true
    }

    fn run(&mut self, board: &dyn Board, budget: &Budget) -> Ended {
        let whole = budget.own_time();
        let part = |share: f64| whole.map(|whole| whole.mul_f64(share.clamp(0.0, 1.0)));
        let (timer, timeout) = (part(self.terms.timer), part(self.terms.timeout));
        let first = self.alone_then_with_helpers(board, budget, timer, timeout);
        let (before, mut ended) = match first {
            First::Answered => return Ended::Answered,
            First::Alone(ended) => return ended,
            First::Continued(before, ended) => (before, ended),
            First::Stopped(brought, ended) => {
                // Lines 15 to 20: the master is not running now.
                if brought.is_empty() || budget.is_exhausted() {
                    return ended;
                }
                let before = board.version();
                inject(brought, board);
                board.progress(NAME, "the master starts again with what was found");
                (before, run_guarded(&mut *self.master, board, budget))
            }
        };
        // What was proved while it gave up it has not used.
        let mut used = before;
        while ended != Ended::Answered && !budget.is_exhausted() {
            let known = board.version();
            if known == used {
                break;
            }
            used = known;
            board.progress(NAME, "the master starts again with what was proved");
            ended = run_guarded(&mut *self.master, board, budget);
        }
        ended
    }
}

/// How the first run of the master ended.
enum First {
    Answered,
    /// It went on without anything to its end.
    Alone(Ended),
    /// It went on with what was found to its end; the version of the facts when that was injected.
    Continued(usize, Ended),
    /// It was stopped, or had ended before: what was found for a second run.
    Stopped(Vec<Brought>, Ended),
}

impl MasterAndHelpers {
    /// Lines 1 to 14, and 21 where the master is not started anew.
    fn alone_then_with_helpers(
        &mut self,
        board: &dyn Board,
        budget: &Budget,
        timer: Option<Duration>,
        timeout: Option<Duration>,
    ) -> First {
        let terms = self.terms;
        let (master, helpers) = (&mut *self.master, &mut self.helpers);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            // Line 1.
            let of_master = budget.raced(1);
            let stop_master = of_master.stop.clone();
            let begin = (Instant::now(), ProcessTime::now());
            let teller = sender.clone();
            let running = spawn(scope, "master", move || {
                let _at_work = of_master.at_work();
                let ended = run_guarded(master, board, &of_master);
                let _ = teller.send(Event::Master(ended));
            });
            if let Err(error) = running {
                return First::Alone(Ended::Unknown(error.into()));
            }
            // Line 2: the only events of now are those of the master.
            let mut ended: Option<Ended> = None;
            let request = loop {
                match receiver.recv_timeout(PAUSE) {
                    Ok(Event::Master(Ended::Answered)) => return First::Answered,
                    Ok(Event::Master(unknown)) => {
                        ended = Some(unknown);
                        break Request::GaveUp;
                    }
                    Ok(Event::Helper(..)) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break Request::GaveUp,
                }
                if timer.is_some_and(|timer| is_over(begin, timer)) {
                    break Request::Timer;
                }
            };
            if budget.is_exhausted() || helpers.is_empty() {
                return First::Alone(ended.unwrap_or_else(|| wait_for_master(&receiver)));
            }
            board.progress(
                NAME,
                match request {
                    Request::Timer => "the master's time alone is over: it asks for help",
                    Request::GaveUp => "the master has no answer: it asks for help",
                },
            );
            // Lines 5 to 12.
            let stops = start(scope, helpers, board, budget, timeout, &sender);
            drop(sender);
            let mut open = stops.len();
            let mut brought: Vec<Brought> = Vec::new();
            while open > 0 {
                match receiver.recv() {
                    // Lines 13 and 14.
                    Ok(Event::Master(Ended::Answered)) => {
                        stops.iter().for_each(StopToken::stop);
                        return First::Answered;
                    }
                    Ok(Event::Master(unknown)) => ended = Some(unknown),
                    Ok(Event::Helper(number, found)) => {
                        open -= 1;
                        let Ok(found) = found else { continue };
                        // Line 8.
                        if found.is_trivial() {
                            continue;
                        }
                        brought.push(found);
                        if terms.first_only {
                            let others = stops.iter().enumerate();
                            others
                                .filter(|(other, _)| *other != number)
                                .for_each(|(_, stop)| stop.stop());
                        }
                    }
                    Err(_) => break,
                }
            }
            match ended {
                Some(ended) => First::Stopped(brought, ended),
                None if brought.is_empty() => First::Alone(wait_for_master(&receiver)),
                None if terms.restart_master => {
                    // Line 17.
                    stop_master.stop();
                    match wait_for_master(&receiver) {
                        Ended::Answered => First::Answered,
                        unknown => First::Stopped(brought, unknown),
                    }
                }
                None => {
                    // Lines 18 and 21.
                    let before = board.version();
                    inject(brought, board);
                    First::Continued(before, wait_for_master(&receiver))
                }
            }
        })
    }
}

/// Has this process, in which only the master works, used so much since then?
fn is_over((wall, processor): (Instant, ProcessTime), timer: Duration) -> bool {
    processor.elapsed() >= timer || wall.elapsed() >= timer * BUSY
}

fn inject(brought: Vec<Brought>, board: &dyn Board) {
    for found in brought {
        let by = found.candidates.0.by.clone();
        board.count(&by, "candidates injected", found.count() as u64);
        found.inject(board);
    }
}

fn wait_for_master(receiver: &mpsc::Receiver<Event>) -> Ended {
    loop {
        match receiver.recv() {
            Ok(Event::Master(ended)) => return ended,
            Ok(Event::Helper(..)) => {}
            Err(_) => return Ended::Unknown(Reason::Failed("it ended without a word".into())),
        }
    }
}

fn spawn<'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    name: &str,
    body: impl FnOnce() + Send + 'scope,
) -> Result<(), String> {
    let builder = std::thread::Builder::new().name(name.into());
    let thread = builder.stack_size(STACK).spawn_scoped(scope, body);
    thread
        .map(|_| ())
        .map_err(|error| format!("cannot start a thread: {error}"))
}

/// Starts the helpers side by side; the tokens that stop them.
fn start<'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    helpers: &'scope mut [Box<dyn Helper>],
    board: &'scope dyn Board,
    budget: &Budget,
    timeout: Option<Duration>,
    sender: &Sender<Event>,
) -> Vec<StopToken> {
    let mut stops = Vec::new();
    for (number, helper) in helpers.iter_mut().enumerate() {
        let own = budget.raced(1);
        let own = timeout.map_or(own.clone(), |timeout| own.within(timeout * BUSY));
        stops.push(own.stop.clone());
        let teller = sender.clone();
        let name = helper.name().to_owned();
        let body = move || {
            let found = look(&mut **helper, board, &own, timeout);
            let _ = teller.send(Event::Helper(number, found));
        };
        if let Err(error) = spawn(scope, &name, body) {
            let _ = sender.send(Event::Helper(number, Err(error)));
        }
    }
    stops
}

/// Lets a helper look, so that a panic is no more than its failure, and says what came of it.
fn look(
    helper: &mut dyn Helper,
    board: &dyn Board,
    budget: &Budget,
    limit: Option<Duration>,
) -> Result<Brought, String> {
    let name = helper.name().to_owned();
    board.begins(&name);
    board.progress(&name, "looking for invariants");
    let run = std::panic::AssertUnwindSafe(|| helper.look(board, budget, limit));
    let found = std::panic::catch_unwind(run).unwrap_or_else(|_| Err("it crashed".into()));
    let text = match &found {
        Ok(found) if found.is_trivial() => "brought nothing that says something".to_owned(),
        Ok(found) => match found.count() {
            1 => "brought 1 candidate".to_owned(),
            count => format!("brought {count} candidates"),
        },
        Err(why) => why.clone(),
    };
    if let Ok(found) = &found {
        board.count(&name, "candidates", found.count() as u64);
        board.count(&name, "candidates left out", found.left_out as u64);
    }
    board.progress(&name, &text);
    board.gave_up(&name, &text);
    board.ended(&name);
    found
}
