//! The second start: a working process that died in one engine is started once more, without that
//! engine.
//!
//! See `docs/decisions/016-started-once-more.md`.

use super::limits;
use super::message::Verdict;
use super::received::Received;
use crate::cli::CheckArgs;
use process::{Cause, Exit, Outcome};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::time::Duration;

/// What the second process is told, on its standard input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restart {
    /// The engine that is left out.
    pub without: String,
    /// What is left of the limits.
    pub timeout: Duration,
    pub wall: Duration,
    /// What the first process had proved, as [`facts::stored`] writes it: candidates, to be checked
    /// before use.
    pub facts: Vec<String>,
}

/// With less time than this there is nothing to be won.
const LEAST_TIME: Duration = Duration::from_millis(200);

/// How a working process has died, and of what engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    pub engine: String,
    pub how: String,
}

impl Death {
    /// In words for users.
    pub fn told(&self) -> String {
        format!("{}; continued without {}", self.how, self.engine)
    }
}

/// Did the working process die of one of its engines? Not if it was ended from outside, nor if it
/// has an answer.
pub fn death(received: &Received, outcome: &Outcome, interrupted: bool) -> Option<Death> {
    let report = received.report.as_ref();
    if interrupted || report.is_some_and(|report| report.verdict != Verdict::Unknown) {
        return None;
    }
    let said = report.and_then(|report| report.reason.as_deref());
    match (outcome.cause, outcome.exit) {
        (Cause::MemoryLimit, _) => of_memory(received),
        (Cause::Finished, _) if said == Some(limits::OUT_OF_MEMORY) => of_memory(received),
        _ if report.is_some() => None,
        // The system itself has no memory left.
        (Cause::Finished, Exit::Signal(KILL)) => of_memory(received),
        (Cause::Finished, Exit::Code(limits::NO_LAST_WORDS)) => of_memory(received),
        (Cause::Finished, Exit::Signal(signal)) => {
            let engine = received.died_in.clone()?;
            let how = format!("the worker process crashed in {engine} (signal {signal})");
            Some(Death { engine, how })
        }
        _ => None,
    }
}

/// SIGKILL.
const KILL: i32 = 9;

fn of_memory(received: &Received) -> Option<Death> {
    let engine = received.largest.clone().or_else(|| received.last.clone())?;
    let how = format!("out of memory, most of it used by {engine}");
    Some(Death { engine, how })
}

impl Restart {
    /// With what is left of the time; `None` if that is too little.
    pub fn after(
        death: &Death,
        received: &Received,
        outcome: &Outcome,
        args: &CheckArgs,
    ) -> Option<Restart> {
        let timeout = args.timeout.saturating_sub(outcome.usage.cpu);
        let wall = args.wall().saturating_sub(outcome.usage.wall);
        (timeout.min(wall) >= LEAST_TIME).then(|| Restart {
            without: death.engine.clone(),
            timeout,
            wall,
            facts: received.proved.iter().cloned().collect(),
        })
    }

    /// What the supervising process says on the standard input.
    pub fn from_stdin() -> Result<Restart, String> {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| format!("standard input: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("standard input: {error}"))
    }

    /// The arguments of the first process, as they hold for the second.
    pub fn arguments(self, first: &CheckArgs) -> CheckArgs {
        CheckArgs {
            timeout: self.timeout,
            wall: Some(self.wall),
            restart: Some(self),
            ..first.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::message::Report;
    use process::{Captured, Usage};

    fn received() -> Received {
        let mut received = Received::new();
        received.died_in = Some("bmc".into());
        received.largest = Some("pdr".into());
        received.last = Some("invariants".into());
        received
    }

    fn ended(cause: Cause, exit: Exit) -> Outcome {
        Outcome {
            cause,
            exit,
            usage: Usage::default(),
            stdout: Captured::default(),
            stderr: Captured::default(),
            left_behind: Vec::new(),
        }
    }

    #[test]
    fn the_engine_depends_on_the_death() {
        let engine = |received: &Received, cause, exit| {
            death(received, &ended(cause, exit), false).map(|death| death.engine)
        };
        let (abort, kill) = (Exit::Signal(6), Exit::Signal(KILL));
        assert_eq!(
            engine(&received(), Cause::Finished, abort),
            Some("bmc".into())
        );
        for (cause, exit) in [
            (Cause::MemoryLimit, kill),
            (Cause::Finished, kill),
            (Cause::Finished, Exit::Code(limits::NO_LAST_WORDS)),
        ] {
            assert_eq!(engine(&received(), cause, exit), Some("pdr".into()));
        }
        let mut unknown_size = received();
        unknown_size.largest = None;
        let of_last = engine(&unknown_size, Cause::MemoryLimit, kill);
        assert_eq!(of_last, Some("invariants".into()));
        // Nobody knows of what, or it was not its own doing.
        assert_eq!(engine(&Received::new(), Cause::Finished, abort), None);
        assert_eq!(engine(&Received::new(), Cause::MemoryLimit, kill), None);
        for cause in [Cause::CpuLimit, Cause::WallLimit, Cause::Cancelled] {
            assert_eq!(engine(&received(), cause, kill), None);
        }
        assert_eq!(engine(&received(), Cause::Finished, Exit::Code(101)), None);
        assert_eq!(
            death(&received(), &ended(Cause::Finished, abort), true),
            None
        );
    }

    #[test]
    fn an_answer_is_kept_and_an_orderly_end_for_lack_of_memory_is_not() {
        let with = |verdict, reason: &str| {
            let report = Report {
                verdict,
                ..Report::unknown("unreach-call", reason)
            };
            let mut received = received();
            received.report = Some(report);
            received
        };
        let well = ended(Cause::Finished, Exit::Code(0));
        let dies = |received: &Received| death(received, &well, false).is_some();
        assert!(dies(&with(Verdict::Unknown, limits::OUT_OF_MEMORY)));
        assert!(!dies(&with(Verdict::Unknown, limits::OUT_OF_TIME)));
        assert!(!dies(&with(Verdict::True, limits::OUT_OF_MEMORY)));
        // It had answered when it died.
        let late = ended(Cause::Finished, Exit::Signal(11));
        assert_eq!(death(&with(Verdict::False, ""), &late, false), None);
    }
}
