//! `concord check`: a supervising process that limits the working one, shows what it does, and prints the answer,
//! whatever happens to it.

pub mod case;
mod counterexample;
pub mod engines;
mod evidence;
mod human;
mod iterations;
mod limits;
mod live;
pub mod message;
mod notes;
mod output;
mod precision;
mod proof;
mod proved;
mod reachability;
pub mod shown;
mod timeline;
mod validity;
pub mod worker;

use crate::cli::{CheckArgs, Format, ValidateArgs};
use crate::exit;
use live::Live;
use message::{
    Configuration, Event, FactShown, Judgement, Message, Note, Report, Validation, Verdict,
};
use report::check::{ProgramShown, ReachabilityShown};
use runner::bench::Stop;
use runner::process::{self, Cause, CommandLine, Guard, Limits, OutputPolicy, SoftStop};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use timeline::Timeline;

/// Facts that the report shows.
const MOST_FACTS: usize = 2000;

/// How long the working process may speak after it was asked to stop.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// What the working process has said so far.
struct Heard {
    started: Instant,
    report: Option<Report>,
    bad_input: Option<String>,
    phases: BTreeMap<String, String>,
    counts: BTreeMap<String, BTreeMap<String, u64>>,
    loaded: Option<Loaded>,
    explored: BTreeSet<u32>,
    timeline: Timeline,
    facts: Vec<FactShown>,
    /// The latest of each engine.
    graphs: BTreeMap<String, ReachabilityShown>,
}

/// What was checked; known before any engine starts.
struct Loaded {
    configuration: Box<Configuration>,
    program: Option<ProgramShown>,
    assumptions: Vec<Note>,
    unsupported: Vec<Note>,
}

impl Heard {
    fn new() -> Heard {
        Heard {
            started: Instant::now(),
            report: None,
            bad_input: None,
            phases: BTreeMap::new(),
            counts: BTreeMap::new(),
            loaded: None,
            explored: BTreeSet::new(),
            timeline: Timeline::new(),
            facts: Vec::new(),
            graphs: BTreeMap::new(),
        }
    }

    fn seconds(&self) -> f64 {
        // To the millisecond: more is noise.
        (self.started.elapsed().as_secs_f64() * 1e3).round() / 1e3
    }

    /// Adds to the report what it does not know of itself.
    fn complete(&mut self, report: &mut Report) {
        if let Some(loaded) = self.loaded.take() {
            report.configuration = Some(*loaded.configuration);
            report.program = loaded.program;
            if report.assumptions.is_empty() && report.unsupported.is_empty() {
                report.assumptions = loaded.assumptions;
                report.unsupported = loaded.unsupported;
            }
        }
        report.explored = std::mem::take(&mut self.explored).into_iter().collect();
        report.timeline = std::mem::replace(&mut self.timeline, Timeline::new()).into_events();
        report.facts = std::mem::take(&mut self.facts);
        let graphs = std::mem::take(&mut self.graphs);
        report.reachability = graphs.into_values().collect();
        let answering = report.engine.as_ref();
        report
            .reachability
            .sort_by_key(|graph| Some(&graph.engine) != answering);
    }
}

pub fn check(args: &CheckArgs) -> ExitCode {
    supervise(args, "work")
}

/// `concord validate`: the same, for the claim of a witness.
pub fn validate(args: &ValidateArgs) -> ExitCode {
    supervise(&args.check, "work-validate")
}

fn supervise(args: &CheckArgs, work: &str) -> ExitCode {
    let validates = work != "work";
    // What is wrong with the command line is said before any process is started.
    if let Err(text) = crate::load::task(args) {
        return exit::bad_input(text);
    }
    for solver in [args.solver(), args.certifier()] {
        if let Err(error) = solver.check() {
            return exit::bad_input(error);
        }
    }
    let stop = match Stop::on_signals() {
        Ok(stop) => stop.softly(),
        Err(error) => return exit::bad_input(format!("signals: {error}")),
    };
    let guard = match Guard::this_executable() {
        Ok(guard) => guard,
        Err(error) => return exit::bad_input(format!("cannot find the own executable: {error}")),
    };
    let command = CommandLine::new(guard.program.clone())
        .arguments(std::iter::once(work.into()).chain(std::env::args_os().skip(2)));
    let limits = Limits {
        cpu: Some(args.timeout),
        wall: Some(args.wall() + Duration::from_secs(1)),
        memory: Some(args.memory),
        grace: LAST_WORDS,
        soft_stop: SoftStop::Tree,
        ..Limits::default()
    };
    let heard = Arc::new(Mutex::new(Heard::new()));
    let live = Arc::new(Mutex::new(Live::new(
        args.quiet || args.format != Format::Human,
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
            if let Ok(live) = live.lock() {
                live.watch(running.pid());
            }
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
        live.finish();
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
        let report = partial(&heard, property, &outcome, stop.is_requested());
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
    heard.complete(&mut report);
    let words = outcome.stderr.text();
    report.log = words.lines().map(str::to_owned).collect();
    report.cpu_seconds = Some(outcome.usage.cpu.as_secs_f64());
    report.wall_seconds = Some(outcome.usage.wall.as_secs_f64());
    report.peak_memory = Some(outcome.usage.peak_memory);
    let written = output::write(args, &mut report);
    match args.format {
        Format::Json => match serde_json::to_string_pretty(&report) {
            Ok(text) => println!("{text}"),
            Err(error) => return exit::bad_input(error),
        },
        Format::Sarif => match serde_json::to_string_pretty(&report::check::sarif(&report)) {
            Ok(text) => println!("{text}"),
            Err(error) => return exit::bad_input(error),
        },
        Format::Human => human::print(&report, args.quiet, args.verbose),
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
        (None, Verdict::False) => exit::FALSE,
        (None, Verdict::Unknown) => exit::UNKNOWN,
    })
}

fn hear(line: &str, heard: &Mutex<Heard>, live: &Mutex<Live>) {
    let (Ok(message), Ok(mut heard)) = (serde_json::from_str(line), heard.lock()) else {
        return;
    };
    match message {
        Message::Progress { engine, phase } => {
            let event = Event {
                seconds: heard.seconds(),
                engine: engine.clone(),
                phase: phase.clone(),
            };
            heard.timeline.add(event);
            if let Ok(live) = live.lock() {
                live.phase(&engine, &phase);
            }
            heard.phases.insert(engine, phase);
        }
        Message::Count {
            engine,
            what,
            value,
        } => {
            heard.counts.entry(engine).or_default().insert(what, value);
        }
        Message::Fact {
            engine,
            place,
            text,
        } => {
            if heard.facts.len() < MOST_FACTS {
                let seconds = heard.seconds();
                heard.facts.push(FactShown {
                    seconds,
                    engine,
                    place,
                    text,
                });
            }
        }
        Message::Explored { locations } => heard.explored.extend(locations),
        Message::Graph { graph } => {
            heard.graphs.insert(graph.engine.clone(), *graph);
        }
        Message::Loaded {
            configuration,
            program,
            assumptions,
            unsupported,
        } => {
            heard.loaded = Some(Loaded {
                configuration,
                program,
                assumptions,
                unsupported,
            });
        }
        Message::BadInput { text } => heard.bad_input = Some(text),
        Message::Report { report } => heard.report = Some(*report),
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
fn partial(heard: &Heard, property: &str, outcome: &process::Outcome, interrupted: bool) -> Report {
    let reason = match (stopped_by(outcome, interrupted), outcome.exit) {
        (Some(reason), _) => reason.to_owned(),
        (None, exit) => match exit {
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
