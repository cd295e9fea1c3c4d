//! `concord check`: a supervising process that limits the working one, shows what it does, and
//! prints the answer, whatever happens to it.

mod cache;
mod checks;
pub mod conditional;
pub mod counterexample;
pub mod decide;
mod each;
pub(crate) mod evidence;
mod explain;
mod fault;
mod frames;
mod human;
mod interim_invariants;
mod iterations;
mod limits;
mod live;
mod loop_invariants;
mod lost;
pub mod message;
mod notes;
mod output;
mod precision;
pub mod program_report;
mod proof;
mod reachability;
mod received;
pub mod restart;
mod reuse;
pub mod scribe;
mod stream;
mod strict;
mod test_case;
mod timeline;
mod vacuity;
pub mod values;
pub mod worker;

use crate::cli::{CheckArgs, Format, ValidateArgs};
use crate::exit;
use crate::standard_input::StandardInput;
use live::Live;
use message::{Judgement, Report, Validation, Verdict};
use process::{Cause, CommandLine, Guard, InputText, Limits, OutputPolicy, SoftStop, StartError};
use received::Received;
use report::check::{Baseline, Compared};
use restart::{Death, Restart};
use runner::bench::Stop;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the working process may speak after it was asked to stop.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// `words` are those of the command line behind the command.
pub fn check(args: &CheckArgs, words: &[OsString], stdin: Option<&StandardInput>) -> ExitCode {
    supervise(args, "work", words, stdin)
}

/// `concord validate`: the same, for the claim of a witness.
pub fn validate(args: &ValidateArgs, words: &[OsString]) -> ExitCode {
    supervise(&args.check, "work-validate", words, None)
}

fn supervise(
    args: &CheckArgs,
    work: &str,
    words: &[OsString],
    stdin: Option<&StandardInput>,
) -> ExitCode {
    let validates = work != "work";
    // What is wrong with the command line is said before any process is started.
    if let Err(text) = crate::load::task(args) {
        return exit::bad_input(text);
    }
    if validates && args.strict {
        return exit::bad_input(
            "--strict works only with `concord check`: a witness makes assumptions of its own",
        );
    }
    if validates && (args.condition_in.is_some() || args.condition_out.is_some()) {
        return exit::bad_input(
            "--condition-in and --condition-out work only with `concord check`: a witness is about the whole program",
        );
    }
    for solver in [args.solver(), args.certifier()] {
        if let Err(error) = solver.check() {
            return exit::bad_input(error);
        }
    }
    let baseline = match args.baseline.as_deref().map(read_baseline).transpose() {
        Ok(baseline) => baseline,
        Err(text) => return exit::bad_input(text),
    };
    let stop = match Stop::on_signals() {
        Ok(stop) => stop.softly(),
        Err(error) => return exit::bad_input(format!("cannot install signal handlers: {error}")),
    };
    let guard = match Guard::this_executable() {
        Ok(guard) => guard,
        Err(error) => {
            return exit::bad_input(format!("cannot find Concord's own executable: {error}"));
        }
    };
    let supervisor = Supervisor {
        args,
        work,
        words,
        stdin: stdin.cloned(),
        guard,
        stop,
        received: Arc::new(Mutex::new(Received::new())),
        live: Arc::new(Mutex::new(Live::new(
            args.quiet || args.format != Format::Human,
        ))),
    };
    let ended = supervisor.run();
    if let Ok(mut live) = supervisor.live.lock() {
        live.finish();
    }
    let stop = &supervisor.stop;
    let Ended { outcome, death } = match ended {
        Ok(ended) => ended,
        Err(error) => return exit::bad_input(error),
    };
    let mut received = supervisor.received();
    if let Some(text) = received.bad_input.take() {
        anstream::eprintln!("{}", crate::paint::diagnostic(text.trim_end()));
        return exit::code(exit::BAD_INPUT);
    }
    let mut report = received.report.take().unwrap_or_else(|| {
        let property = crate::load::task(args).map_or("unreach-call", |task| task.property_name);
        let report = partial(&received, property, &outcome, stop.is_requested());
        let validation = validates.then(|| Validation {
            judgement: Judgement::Unknown,
            reason: report.reason.clone().unwrap_or_default(),
        });
        Report {
            validation,
            ..report
        }
    });
    if report.verdict == Verdict::Unknown
        && let Some(reason) = stopped_by(&outcome, stop.is_requested())
    {
        limits::say_stopped(&mut report, reason);
    }
    if let Some(death) = death {
        report.restarted = Some(death.told());
        report.gave_up.insert(death.engine, death.how);
    }
    received.complete(&mut report);
    let words = outcome.stderr.text();
    report.log = words.lines().map(str::to_owned).collect();
    report.cpu_seconds = Some(outcome.usage.cpu.as_secs_f64());
    report.wall_seconds = Some(outcome.usage.wall.as_secs_f64());
    report.peak_memory = Some(outcome.usage.peak_memory);
    let mut sarif = report::check::sarif(&report);
    let compared = baseline.map(|baseline| baseline.mark(&mut sarif));
    let is_known = compared.is_some_and(|compared| compared.new == 0);
    let written = output::write(args, &mut report, &sarif);
    match args.format {
        Format::Json => match serde_json::to_string_pretty(&report) {
            Ok(text) => println!("{text}"),
            Err(error) => return exit::bad_input(error),
        },
        Format::Sarif => match serde_json::to_string_pretty(&sarif) {
            Ok(text) => println!("{text}"),
            Err(error) => return exit::bad_input(error),
        },
        Format::Human => {
            let limit = limits::hit(args, &report);
            human::print(&report, limit.as_deref(), args.quiet, args.verbose);
            if report.verdict == Verdict::False && !args.quiet {
                match compared {
                    Some(Compared { new: 0, .. }) => {
                        println!("\nNot new: the baseline has all that is violated.");
                    }
                    Some(Compared { new, known }) => {
                        println!(
                            "\nNew: the baseline does not have {new} of {}.",
                            new + known
                        );
                    }
                    None => {}
                }
            }
            if args.explain {
                explain::print(&report);
            }
            if let (Some(folder), Ok(()), false) = (&args.output, &written, args.quiet) {
                println!("\nReport: {}", folder.join("report.html").display());
            }
        }
    }
    // The answer is said first: it is not lost because there is no room for a file.
    if let Err(text) = written {
        return exit::bad_input(text);
    }
    exit::code(match (&report.validation, report.verdict) {
        (Some(validation), _) => match validation.judgement {
            Judgement::Confirmed => exit::TRUE,
            Judgement::Refuted => exit::FALSE,
            Judgement::Unknown => exit::UNKNOWN,
        },
        (None, Verdict::True) => exit::TRUE,
        (None, Verdict::False) if is_known => exit::KNOWN,
        (None, Verdict::False) => exit::FALSE,
        (None, Verdict::Unknown) => exit::UNKNOWN,
    })
}

fn read_baseline(file: &Path) -> Result<Baseline, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
    text.and_then(|text| Baseline::read(&text))
        .map_err(|problem| format!("--baseline {}: {problem}", file.display()))
}

/// How the work came to its end.
struct Ended {
    /// Of all processes together.
    outcome: process::Outcome,
    /// How the first process died, if there was a second one.
    death: Option<Death>,
}

/// Lets the working process run, and sees to it that it is heard.
struct Supervisor<'a> {
    args: &'a CheckArgs,
    /// The command of the working process.
    work: &'a str,
    /// The words behind it.
    words: &'a [OsString],
    stdin: Option<StandardInput>,
    guard: Guard,
    stop: Stop,
    received: Arc<Mutex<Received>>,
    live: Arc<Mutex<Live>>,
}

impl Supervisor<'_> {
    fn received(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One process, and at most one more, without the engine that the first one died of.
    fn run(&self) -> Result<Ended, StartError> {
        let first = self.start(None)?;
        let second = self.restart(&first);
        let Some((restart, death)) = second else {
            return Ok(Ended {
                outcome: first,
                death: None,
            });
        };
        let report = {
            let mut received = self.received();
            let report = received.report.take();
            received.restarts();
            report
        };
        let second = self.start(Some(&restart));
        let mut received = self.received();
        match second {
            // It had a program to work on, and something to do.
            Ok(second) if received.bad_input.take().is_none() => Ok(Ended {
                outcome: after(&first, second),
                death: Some(death),
            }),
            _ => {
                received.report = report;
                Ok(Ended {
                    outcome: first,
                    death: None,
                })
            }
        }
    }

    /// What a second process would be told, and why there is to be one.
    fn restart(&self, first: &process::Outcome) -> Option<(Restart, Death)> {
        let received = self.received();
        let death = restart::death(&received, first, self.stop.is_requested())?;
        let analysis = worker::analysis(self.args).ok()?;
        analysis.plan.without(&death.engine)?;
        let restart = Restart::after(&death, &received, first, self.args)?;
        Some((restart, death))
    }

    fn start(&self, restart: Option<&Restart>) -> Result<process::Outcome, StartError> {
        let args = self.args;
        let (timeout, wall) = match restart {
            None => (args.timeout, args.wall()),
            Some(restart) => (restart.timeout, restart.wall),
        };
        let work = match restart {
            None => self.work.to_owned(),
            Some(_) => format!("{}-again", self.work),
        };
        let input = match restart {
            None => None,
            Some(restart) => {
                let text = serde_json::to_string(restart).map_err(std::io::Error::from);
                let text = text.and_then(|text| InputText::new(&text));
                Some(text.map_err(StartError::Output)?)
            }
        };
        let command = CommandLine {
            input: input.as_ref().map(InputText::path),
            ..CommandLine::new(self.guard.program.clone())
        };
        let command =
            command.arguments(std::iter::once(work.into()).chain(self.words.iter().cloned()));
        let limits = Limits {
            cpu: Some(timeout),
            wall: Some(wall + Duration::from_secs(1)),
            memory: Some(args.memory),
            grace: LAST_WORDS,
            soft_stop: SoftStop::Tree,
            ..Limits::default()
        };
        let listen = {
            let (received, live) = (self.received.clone(), self.live.clone());
            let stdin = self.stdin.clone();
            move |line: &str| match &stdin {
                Some(stdin) => received::receive(&stdin.shown(line), &received, &live),
                None => received::receive(line, &received, &live),
            }
        };
        // A counterexample is one line, however many inputs it has.
        let output = OutputPolicy {
            longest_line: usize::MAX,
            ..OutputPolicy::keep(1 << 12)
        };
        let running = process::start(
            &self.guard,
            &command,
            &limits,
            &output,
            &OutputPolicy::keep(1 << 16),
            Some(Box::new(listen)),
        )?;
        if let Ok(live) = self.live.lock() {
            live.watch(running.pid());
        }
        let watched = running
            .canceller()
            .ok()
            .map(|canceller| self.stop.watch(canceller));
        let outcome = running.wait();
        drop(watched);
        outcome
    }
}

/// The outcome of the second process, with what both have used and said.
fn after(first: &process::Outcome, second: process::Outcome) -> process::Outcome {
    let (one, two) = (&first.usage, &second.usage);
    let usage = process::Usage {
        cpu: one.cpu + two.cpu,
        wall: one.wall + two.wall,
        peak_memory: one.peak_memory.max(two.peak_memory),
        peak_processes: one.peak_processes.max(two.peak_processes),
    };
    let mut stderr = first.stderr.clone();
    stderr
        .tail
        .extend_from_slice(second.stderr.text().as_bytes());
    process::Outcome {
        usage,
        stderr,
        ..second
    }
}

/// Who ended the working process, if it did not end by itself.
fn stopped_by(outcome: &process::Outcome, interrupted: bool) -> Option<&'static str> {
    match outcome.cause {
        _ if interrupted => Some(limits::INTERRUPTED),
        Cause::CpuLimit | Cause::WallLimit => Some(limits::OUT_OF_TIME),
        Cause::MemoryLimit => Some(limits::OUT_OF_MEMORY),
        Cause::ProcessLimit | Cause::OutputLimit | Cause::Cancelled => Some("stopped"),
        Cause::Finished => None,
    }
}

/// The report of a run that did not live to give one.
fn partial(
    received: &Received,
    property: &str,
    outcome: &process::Outcome,
    interrupted: bool,
) -> Report {
    let reason = match (stopped_by(outcome, interrupted), outcome.exit) {
        (Some(reason), _) => reason.to_owned(),
        (None, exit) => match exit {
            process::Exit::Signal(signal) => {
                format!("signal {signal} killed the worker process")
            }
            process::Exit::Code(code) => {
                let words = outcome.stderr.text();
                let last = words
                    .lines()
                    .next_back()
                    .unwrap_or("no message")
                    .to_string();
                format!(
                    "the worker process failed with exit code {code}: {last}; please report this"
                )
            }
        },
    };
    let mut report = Report {
        gave_up: received.phases.clone(),
        invariants: received.invariants.clone(),
        statistics: received.counts.clone(),
        ..Report::unknown(property, reason)
    };
    if !received.checks.is_empty() {
        checks::conclude(&mut report, received.checks.clone());
    }
    report
}
