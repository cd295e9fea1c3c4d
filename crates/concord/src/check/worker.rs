//! The working process: loads the program, runs the engines, certifies what they find.

use super::counterexample;
use super::message::{Message, Note, Report, SCHEMA, Verdict};
use crate::analyses::{self, Analysis, EngineName};
use crate::cli::CheckArgs;
use crate::{exit, load};
use cfa::program::Program;
use cooperation::store::FactStore;
use engines::bmc::Bmc;
use engines::execution::Execution;
use engines::k_induction::KInduction;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::{Facts, InvariantMap};
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

/// Stack of an engine's thread; walks are iterative, but the solver's are not all.
const ENGINE_STACK: usize = 256 << 20;

pub fn send(message: &Message) {
    if let Ok(line) = serde_json::to_string(message) {
        let mut out = std::io::stdout().lock();
        // If nobody listens any more, the guard ends us.
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// Passes progress on to the supervising process, and keeps the numbers for the report.
#[derive(Default)]
struct StreamBoard {
    counts: Mutex<BTreeMap<String, BTreeMap<String, u64>>>,
    facts: FactStore,
}

impl Board for StreamBoard {
    fn progress(&self, engine: &str, phase: &str) {
        send(&Message::Progress {
            engine: engine.into(),
            phase: phase.into(),
        });
    }

    fn count(&self, engine: &str, what: &str, value: u64) {
        if let Ok(mut counts) = self.counts.lock() {
            counts
                .entry(engine.into())
                .or_default()
                .insert(what.into(), value);
        }
        send(&Message::Count {
            engine: engine.into(),
            what: what.into(),
            value,
        });
    }

    fn publish(&self, map: InvariantMap) {
        self.facts.publish(map);
    }

    fn facts(&self) -> Facts {
        self.facts.facts()
    }

    fn version(&self) -> usize {
        self.facts.version()
    }
}

pub fn work(args: &CheckArgs) -> ExitCode {
    match report(args) {
        Ok(report) => send(&Message::Report {
            report: Box::new(report),
        }),
        Err(text) => send(&Message::BadInput { text }),
    }
    exit::code(0)
}

fn analysis(args: &CheckArgs) -> Result<Analysis, String> {
    match (&args.config, &args.analysis) {
        (Some(file), _) => analyses::from_file(file),
        (None, Some(name)) => analyses::named(name),
        (None, None) => analyses::named("default"),
    }
}

fn report(args: &CheckArgs) -> Result<Report, String> {
    let analysis = analysis(args)?;
    let task = load::task(args)?;
    let lowered = load::lowered(&task.files, task.model, &args.input)?;
    let original = cfa::property::instrument(&lowered, &task.property);
    let notes = |list: &[cfa::program::Assumption]| -> Vec<Note> {
        list.iter()
            .map(|note| Note {
                place: original.describe(note.span),
                text: note.text.clone(),
            })
            .collect()
    };
    let mut report = Report {
        assumptions: notes(&original.assumptions),
        unsupported: notes(&original.unsupported),
        ..Report::unknown(task.property_name, "no engine found an answer")
    };
    if original.errors.is_empty() {
        // Nothing in the program can violate the property.
        report.verdict = Verdict::True;
        report.reason = None;
        report.certificate = Some("no error location".into());
        report.certified =
            Some("the property's error location does not occur in the program".into());
        return Ok(report);
    }
    let split = cfa::regions::split_memory(&original);
    let board = StreamBoard::default();
    let budget = Budget::new(Some(args.timeout), Some(args.memory * 9 / 10));
    let programs = Programs {
        original: &original,
        split: &split,
    };
    let answer = portfolio(&analysis, &programs, &board, &budget, &mut report.gave_up);
    if let Ok(counts) = board.counts.lock() {
        report.statistics = counts.clone();
    }
    if let Some(answer) = answer {
        conclude(&mut report, &programs, answer, &budget);
    } else if let Some(reason) = report.gave_up.values().next() {
        report.reason = Some(reason.clone());
    }
    Ok(report)
}

/// The program as it was lowered, and with its memory split into regions and variables.
struct Programs<'a> {
    original: &'a Program,
    split: &'a Program,
}

/// An engine's answer, before anybody has checked it.
struct Claim {
    engine: String,
    certificate: Certificate,
    /// The engine saw the program before its memory was split.
    of_original: bool,
}

fn engine(name: EngineName) -> Box<dyn Engine> {
    match name {
        EngineName::Execution => Box::new(Execution::default()),
        EngineName::Bmc => Box::new(Bmc::default()),
        EngineName::KInduction => Box::new(KInduction::default()),
    }
}

/// Executions need every access to memory, also those that no read makes matter.
fn sees_original(name: EngineName) -> bool {
    name == EngineName::Execution
}

/// Runs the engines side by side until one answers.
fn portfolio(
    analysis: &Analysis,
    programs: &Programs<'_>,
    board: &StreamBoard,
    budget: &Budget,
    gave_up: &mut BTreeMap<String, String>,
) -> Option<Claim> {
    let race = budget.detached();
    let (sender, receiver) = mpsc::channel();
    let mut answer = None;
    std::thread::scope(|scope| {
        for name in &analysis.engines {
            let mut engine = engine(*name);
            let of_original = sees_original(*name);
            let program = if of_original {
                programs.original
            } else {
                programs.split
            };
            let (sender, race) = (sender.clone(), &race);
            let body = move || {
                let name = engine.name().to_string();
                let run = AssertUnwindSafe(|| engine.run(program, board, race));
                let outcome = std::panic::catch_unwind(run).unwrap_or_else(|_| {
                    Outcome::Unknown("the engine failed; please report this".into())
                });
                let _ = sender.send((name, of_original, outcome));
            };
            let builder = std::thread::Builder::new().stack_size(ENGINE_STACK);
            if let Err(error) = builder.spawn_scoped(scope, body) {
                gave_up.insert(format!("{name:?}"), format!("no thread: {error}"));
            }
        }
        drop(sender);
        while let Ok((engine, of_original, outcome)) = receiver.recv() {
            match outcome {
                Outcome::Answer(certificate) if answer.is_none() => {
                    answer = Some(Claim {
                        engine,
                        certificate,
                        of_original,
                    });
                    race.stop.stop();
                }
                Outcome::Answer(_) => {}
                Outcome::Unknown(reason) => {
                    gave_up.insert(engine, reason);
                }
            }
        }
    });
    answer
}

/// Certifies an answer; only then it is one.
fn conclude(report: &mut Report, programs: &Programs<'_>, claim: Claim, budget: &Budget) {
    let Programs { original, split } = *programs;
    let Claim {
        engine,
        certificate,
        of_original,
    } = claim;
    send(&Message::Progress {
        engine: engine.clone(),
        phase: "certifying the answer".into(),
    });
    let left = budget.left().unwrap_or(Duration::from_secs(3600));
    let budget = Budget::new(Some(left), budget.memory);
    // Inputs are those of the program before memory was split.
    let certificate = match certificate {
        Certificate::Inputs(values) if !of_original => {
            let taken: Vec<_> = values
                .iter()
                .map(|value| (value.input, value.ty, value.bits))
                .collect();
            let run = cfa::regions::replay_before(original, split, &taken, budget.stop.deadline());
            let inputs = run.inputs.iter();
            Certificate::Inputs(
                inputs
                    .map(|&(input, ty, bits)| facts::certificate::InputValue { input, ty, bits })
                    .collect(),
            )
        }
        other => other,
    };
    let program = if certificate.claims_safety() {
        split
    } else {
        original
    };
    match certify::certify(program, &certificate, &budget) {
        Ok(accepted) => {
            report.schema = SCHEMA;
            report.reason = None;
            report.verdict = if certificate.claims_safety() {
                Verdict::True
            } else {
                Verdict::False
            };
            let mut how = accepted.how;
            if let Certificate::Inputs(values) = &certificate {
                how = confirm(original, values, how, &budget);
                report.harness = Some(certify::harness(original, values));
                report.counterexample = Some(counterexample::build(original, values, &budget));
            }
            report.engine = Some(engine);
            report.certificate = Some(certificate.name().into());
            report.certified = Some(how);
        }
        Err(certify::Rejection::Wrong(why)) => {
            report.reason = Some(format!(
                "{engine} gave an answer that its certificate does not prove ({why}); please report this"
            ));
        }
        Err(certify::Rejection::Unfinished(why)) => {
            report.reason = Some(format!(
                "the answer of {engine} could not be certified: {why}"
            ));
        }
    }
}

/// What the compiled harness says, besides the replay.
fn confirm(
    program: &Program,
    values: &[facts::certificate::InputValue],
    how: String,
    budget: &Budget,
) -> String {
    match certify::run_harness(program, values, budget) {
        certify::Harness::Fails => format!("{how}, and the compiled program fails too"),
        certify::Harness::Differs(how_it_ended) => {
            format!("{how}; the compiled program ends otherwise ({how_it_ended})")
        }
        certify::Harness::NotRun(why) => format!("{how}; harness not run: {why}"),
    }
}
