//! The working process keeps its limits itself, a little before the supervising one would end it:
//! so there is time to say what is known.

use super::message::{Message, Report};
use super::stream::send;
use crate::cli::CheckArgs;
use facts::budget::Budget;
use portfolio::case::Case;
use runner::bench::Stop;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub const OUT_OF_TIME: &str = "out of time";
pub const OUT_OF_MEMORY: &str = "memory limit reached";
pub const INTERRUPTED: &str = "interrupted";

/// The exit code of a process that has no memory left for last words.
pub const NO_LAST_WORDS: i32 = 9;

/// How long before the limit of processor time the engines are stopped.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// Memory that is left for last words: this part of the limit, and no more than so many bytes.
const PART_LEFT: u64 = 20;
const MAX_LEFT: u64 = 64 << 20;
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Why the engines were stopped, if they were.
#[derive(Clone, Default)]
pub struct Watched(Arc<OnceLock<&'static str>>);

impl Watched {
    pub fn reason(&self) -> Option<&'static str> {
        self.0.get().copied()
    }
}

/// Stops the budget when processor time (of all threads together) or memory come to an end, or when
/// the supervising process asks for it. Meanwhile it is seen who takes the memory: `case` says what
/// is worked on.
pub fn watch(
    args: &CheckArgs,
    budget: &Budget,
    case: impl Fn() -> Option<Arc<Case>> + Send + 'static,
) -> Watched {
    let watched = Watched::default();
    // Without signals and without the thread the supervisor ends the process, and less is said.
    let asked = Stop::on_signals().ok();
    let (stop, reason) = (budget.stop.clone(), watched.clone());
    let cpu = args
        .timeout
        .saturating_sub(LAST_WORDS)
        .max(args.timeout / 2);
    let limit = args.memory;
    let memory = limit - (limit / PART_LEFT).min(MAX_LEFT);
    let body = move || {
        while reason.reason().is_none() {
            let used = resident_bytes().unwrap_or(0);
            let case = case();
            let largest = case.as_ref().and_then(|case| case.memory.look(used, limit));
            if let Some(engine) = largest {
                send(&Message::Largest { engine });
            }
            let over = if asked.as_ref().is_some_and(Stop::is_requested) {
                Some(INTERRUPTED)
            } else if used_time(case.as_deref()) >= cpu {
                Some(OUT_OF_TIME)
            } else if used >= memory {
                Some(OUT_OF_MEMORY)
            } else {
                None
            };
            if let Some(over) = over {
                let _ = reason.0.set(over);
                stop.stop();
            }
            std::thread::sleep(PAUSE);
        }
        // Last words must not take what was not granted.
        loop {
            if resident_bytes().is_some_and(|used| used >= limit) {
                std::process::exit(NO_LAST_WORDS);
            }
            std::thread::sleep(PAUSE);
        }
    };
    let _ = std::thread::Builder::new().spawn(body);
    watched
}

/// Processor time of this process and of the helpers that have ended.
fn used_time(case: Option<&Case>) -> Duration {
    let outside = case
        .and_then(Case::task)
        .map_or(Duration::ZERO, |task| task.spent.total());
    cpu_time::ProcessTime::now().as_duration() + outside
}

/// Memory of this process.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// There is no answer, because the engines were stopped: what each says of the time would be wrong.
pub fn say_stopped(report: &mut Report, reason: &str) {
    report.reason = Some(reason.to_owned());
    if reason == OUT_OF_TIME {
        return;
    }
    for text in report.gave_up.values_mut() {
        *text = text
            .replace("ran out of time", "was stopped")
            .replace(OUT_OF_TIME, "stopped");
    }
}

/// Which limit ended the search, and the option that moves it.
pub fn hit(args: &CheckArgs, report: &Report) -> Option<String> {
    let reason = report.reason.as_deref()?;
    if reason.starts_with(OUT_OF_MEMORY) {
        let megabytes = args.memory / 1_000_000;
        return Some(format!("{megabytes} MB of memory are used up (--memory)"));
    }
    if !reason.starts_with(OUT_OF_TIME) {
        return None;
    }
    let cpu = report.cpu_seconds?;
    let limit = args.timeout.as_secs_f64();
    // The engines are stopped a little earlier.
    Some(match cpu >= 0.9 * limit - LAST_WORDS.as_secs_f64() {
        true => format!("{limit} s of processor time are used up (--timeout)"),
        false => format!(
            "{} s on the clock are over (--wall); {cpu:.1} s of processor time were used",
            args.wall().as_secs_f64()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_engine_did_not_run_out_of_time() {
        let mut report = Report::unknown("unreach-call", "out of time");
        report
            .gave_up
            .insert("bmc".into(), "out of time at bound 7".into());
        say_stopped(&mut report, INTERRUPTED);
        assert_eq!(report.reason.as_deref(), Some(INTERRUPTED));
        assert_eq!(report.gave_up["bmc"], "stopped at bound 7");
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(resident_bytes() > Some(100_000));
    }
}
