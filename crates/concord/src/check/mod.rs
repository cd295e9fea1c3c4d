//! `concord check`: a supervising process that limits the working one, shows what it does, and prints the answer,
//! whatever happens to it.

mod case;
mod counterexample;
pub mod engines;
mod human;
mod live;
mod message;
pub mod worker;

use crate::cli::{CheckArgs, Format};
use crate::exit;
use live::Live;
use message::{Message, Report, Verdict};
use runner::bench::Stop;
use runner::process::{self, Cause, CommandLine, Guard, Limits, OutputPolicy, SoftStop};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the working process has said so far.
#[derive(Default)]
struct Heard {
    report: Option<Report>,
    bad_input: Option<String>,
    phases: BTreeMap<String, String>,
    counts: BTreeMap<String, BTreeMap<String, u64>>,
}

pub fn check(args: &CheckArgs) -> ExitCode {
    // What is wrong with the command line is said before any process is started.
    if let Err(text) = crate::load::task(args) {
        return exit::bad_input(text);
    }
    let stop = match Stop::on_signals() {
        Ok(stop) => stop,
        Err(error) => return exit::bad_input(format!("signals: {error}")),
    };
    let guard = match Guard::this_executable() {
        Ok(guard) => guard,
        Err(error) => return exit::bad_input(format!("cannot find the own executable: {error}")),
    };
    let command = CommandLine::new(guard.program.clone())
        .arguments(std::iter::once("work".into()).chain(std::env::args_os().skip(2)));
    let limits = Limits {
        cpu: Some(args.timeout),
        wall: Some(args.timeout + Duration::from_secs(1)),
        memory: Some(args.memory),
        grace: Duration::from_millis(200),
        soft_stop: SoftStop::Tree,
        ..Limits::default()
    };
    let heard = Arc::new(Mutex::new(Heard::default()));
    let live = Arc::new(Mutex::new(Live::new(
        args.quiet || args.format == Format::Json,
    )));
    let listen = {
        let (heard, live) = (heard.clone(), live.clone());
        move |line: &str| hear(line, &heard, &live)
    };
    let running = process::start(
        &guard,
        &command,
        &limits,
        &OutputPolicy::keep(1 << 12),
        &OutputPolicy::keep(1 << 16),
        Some(Box::new(listen)),
    );
    let outcome = match running {
        Ok(running) => {
            let watched = running
                .canceller()
                .ok()
                .map(|canceller| stop.watch(canceller));
            let outcome = running.wait();
            drop(watched);
            outcome
        }
        Err(error) => Err(error),
    };
    if let Ok(mut live) = live.lock() {
        live.clear();
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return exit::bad_input(error),
    };
    let mut heard = match heard.lock() {
        Ok(heard) => heard,
        Err(poisoned) => poisoned.into_inner(),
    };
    if let Some(text) = heard.bad_input.take() {
        eprintln!("{}", text.trim_end());
        return exit::code(exit::BAD_INPUT);
    }
    let mut report = heard.report.take().unwrap_or_else(|| {
        let property = crate::load::task(args).map_or("unreach-call", |task| task.property_name);
        partial(&heard, property, &outcome, stop.is_requested())
    });
    report.cpu_seconds = Some(outcome.usage.cpu.as_secs_f64());
    report.wall_seconds = Some(outcome.usage.wall.as_secs_f64());
    report.peak_memory = Some(outcome.usage.peak_memory);
    if let (Some(file), Some(text)) = (&args.harness, &report.harness)
        && let Err(error) = write_whole(file, text)
    {
        return exit::bad_input(format!("{}: {error}", file.display()));
    }
    // Its place is a file of its own.
    report.harness = None;
    match args.format {
        Format::Json => match serde_json::to_string_pretty(&report) {
            Ok(text) => println!("{text}"),
            Err(error) => return exit::bad_input(error),
        },
        Format::Human => human::print(&report, args.quiet, args.verbose),
    }
    exit::code(match report.verdict {
        Verdict::True => exit::TRUE,
        Verdict::False => exit::FALSE,
        Verdict::Unknown => exit::UNKNOWN,
    })
}

/// Writes a file so that it is there as a whole or not at all.
fn write_whole(file: &std::path::Path, text: &str) -> std::io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = std::path::PathBuf::from(name);
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn hear(line: &str, heard: &Mutex<Heard>, live: &Mutex<Live>) {
    let (Ok(message), Ok(mut heard)) = (serde_json::from_str(line), heard.lock()) else {
        return;
    };
    match message {
        Message::Progress { engine, phase } => {
            heard.phases.insert(engine, phase);
            if let Ok(mut live) = live.lock() {
                live.show(&heard.phases);
            }
        }
        Message::Count {
            engine,
            what,
            value,
        } => {
            heard.counts.entry(engine).or_default().insert(what, value);
        }
        Message::BadInput { text } => heard.bad_input = Some(text),
        Message::Report { report } => heard.report = Some(*report),
    }
}

/// The report of a run that did not live to give one.
fn partial(heard: &Heard, property: &str, outcome: &process::Outcome, interrupted: bool) -> Report {
    let reason = match outcome.cause {
        _ if interrupted => "interrupted".to_string(),
        Cause::CpuLimit | Cause::WallLimit => "time limit reached".into(),
        Cause::MemoryLimit => "memory limit reached".into(),
        Cause::ProcessLimit | Cause::OutputLimit | Cause::Cancelled => "stopped".into(),
        Cause::Finished => match outcome.exit {
            process::Exit::Signal(signal) => {
                format!("the working process was ended by signal {signal}")
            }
            process::Exit::Code(code) => {
                let words = outcome.stderr.text();
                let last = words
                    .lines()
                    .next_back()
                    .unwrap_or("no message")
                    .to_string();
                format!("the working process failed with code {code}: {last}; please report this")
            }
        },
    };
    Report {
        gave_up: heard.phases.clone(),
        statistics: heard.counts.clone(),
        ..Report::unknown(property, reason)
    }
}
