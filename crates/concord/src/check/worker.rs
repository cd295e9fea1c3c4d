//! The working process: loads the program, runs the engines, certifies what they find.

use super::again::Again;
use super::case::{Case, Conclusion, View};
use super::message::{Configuration, DYING, Message, Note, Report, SCHEMA, Verdict};
use super::shown::{self, Files};
use super::{counterexample, engines, evidence, limits, precision, proof, proved, reachability};
use crate::analyses::{self, Analysis};
use crate::cli::CheckArgs;
use crate::{exit, load};
use cfa::program::{LocId, Program};
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome, Status};
use facts::invariants::{CandidateMap, Facts, InvariantMap};
use facts::precision::PrecisionMap;
use facts::reachability::ReachabilityGraph;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use syntax::span::Span;
use syntax::types::DataModel;

pub fn send(message: &Message) {
    if let Ok(line) = serde_json::to_string(message) {
        let mut out = std::io::stdout().lock();
        // If nobody listens any more, the guard ends us.
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// Passes progress on to the supervising process, and keeps the numbers for the report.
struct StreamBoard<'a> {
    counts: Mutex<BTreeMap<String, BTreeMap<String, u64>>>,
    case: &'a Case,
    /// If the program is shown, facts are told as text too, and abstract states.
    files: Option<&'a Files>,
}

/// Entries of one published map that are told.
const MOST_ENTRIES: usize = 20;

impl StreamBoard<'_> {
    fn new<'a>(case: &'a Case, files: Option<&'a Files>) -> StreamBoard<'a> {
        StreamBoard {
            counts: Mutex::default(),
            case,
            files,
        }
    }

    fn tell(&self, map: &InvariantMap) {
        let program = self.case.program(View::Prepared);
        for entry in map.entries.iter().take(MOST_ENTRIES) {
            let span = program
                .locations
                .get(entry.location.0 as usize)
                .map_or(Span::NONE, |location| location.span);
            send(&Message::Fact {
                engine: map.by.to_string(),
                place: program.describe(span),
                text: proof::statement(program, &map.pool, entry.holds),
            });
        }
    }
}

impl Board for StreamBoard<'_> {
    fn begins(&self, engine: &str) {
        self.case.at_work.begins(engine);
        self.case.store.begins(engine);
    }

    fn ended(&self, engine: &str) {
        self.case.at_work.ended();
        self.case.store.ended(engine);
    }

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

    fn explored(&self, _: &str, locations: &[LocId]) {
        send(&Message::Explored {
            locations: locations.iter().map(|location| location.0).collect(),
        });
    }

    fn wants_graphs(&self) -> bool {
        self.files.is_some()
    }

    fn graph(&self, graph: ReachabilityGraph) {
        if let Some(files) = self.files {
            let graph = Box::new(reachability::shown(self.case, files, &graph));
            send(&Message::Graph { graph });
        }
    }

    fn gave_up(&self, engine: &str, reason: &str) {
        self.case.store.gave_up(engine, reason);
    }

    fn skipped(&self, engine: &str, reason: &str) {
        self.case.store.skipped(engine, reason);
    }

    fn status(&self) -> Vec<(String, Status)> {
        self.case.store.status()
    }

    fn publish(&self, map: InvariantMap) {
        if self.files.is_some() {
            self.tell(&map);
        }
        let stored = facts::stored::write(&map);
        if self.case.store.publish(map)
            && let Some(map) = stored
        {
            send(&Message::Proved { map });
        }
    }

    fn facts(&self) -> Facts {
        self.case.store.facts()
    }

    fn version(&self) -> usize {
        self.case.store.version()
    }

    fn propose(&self, candidates: CandidateMap) {
        self.case.store.propose(candidates);
    }

    fn candidates(&self) -> Vec<Arc<CandidateMap>> {
        self.case.store.candidates()
    }

    fn proposals(&self) -> usize {
        self.case.store.proposals()
    }

    fn publish_precision(&self, map: PrecisionMap) {
        self.case.store.publish_precision(map);
    }

    fn precisions(&self) -> Vec<Arc<PrecisionMap>> {
        self.case.store.precisions()
    }
}

/// The second process, which is told more than the command line says.
pub fn work_again(args: &CheckArgs, given: Option<&Path>) -> ExitCode {
    match Again::heard() {
        Ok(again) => work(&again.arguments(args), given),
        Err(text) => exit::bad_input(text),
    }
}

pub fn work(args: &CheckArgs, given: Option<&Path>) -> ExitCode {
    // Without it the supervising process does not know of which engine we died.
    let _ = runner::process::last_words::say_where(DYING.0, DYING.1);
    let report = match given {
        Some(witness) => crate::validate::report(args, witness),
        None => report(args),
    };
    match report {
        Ok(report) => send(&Message::Report {
            report: Box::new(report),
        }),
        Err(text) => send(&Message::BadInput { text }),
    }
    exit::code(0)
}

pub fn analysis(args: &CheckArgs) -> Result<Analysis, String> {
    let analysis = match (&args.config, &args.analysis) {
        (Some(file), _) => analyses::from_file(file),
        (None, Some(name)) => analyses::named(name),
        (None, None) => analyses::named("default"),
    }?;
    let Some(Again { without, .. }) = &args.again else {
        return Ok(analysis);
    };
    match engines::without(&analysis.plan, without) {
        Some(plan) => Ok(Analysis { plan, ..analysis }),
        None => Err(format!("nothing is left without {without}")),
    }
}

/// What a process before this one has found, to be checked.
pub fn earlier_facts(args: &CheckArgs) -> Vec<InvariantMap> {
    let again = args.again.iter();
    let texts = again.flat_map(|again| &again.facts);
    // What cannot be read is not worth a word: nothing depends on it.
    texts
        .filter_map(|text| facts::stored::read(text).ok())
        .collect()
}

fn report(args: &CheckArgs) -> Result<Report, String> {
    let analysis = analysis(args)?;
    let task = load::task(args)?;
    let (lowered, mut tree) = load::with_tree(&task.files, task.model, &args.input)?;
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
    let files = args.wants_program().then(|| Files::of(&original));
    send(&Message::Loaded {
        configuration: Box::new(configuration(args, &analysis, &task, &original)),
        program: files.as_ref().map(|files| shown::program(&original, files)),
        assumptions: report.assumptions.clone(),
        unsupported: report.unsupported.clone(),
    });
    if original.errors.is_empty() {
        // Nothing in the program can violate the property.
        report.verdict = Verdict::True;
        report.reason = None;
        report.certificate = Some("no error location".into());
        report.certified =
            Some("the property's error location does not occur in the program".into());
        return Ok(report);
    }
    let _counting = args.deterministic.then(clock::count);
    let budget = budget(args);
    let case = Arc::new(Case::new(original, args, &analysis.passes));
    let mut plan = if args.deterministic {
        engines::in_turns(&analysis.plan)
    } else {
        analysis.plan.clone()
    };
    if let Some(file) = &args.precision_in {
        let map = precision::read(file, &mut tree, &case)?;
        case.store.publish_precision(map);
        plan = engines::with_precision(&plan);
    }
    let engine = engines::make(&plan, &case, earlier_facts(args))?;
    let watched = limits::watch(args, &budget, &case);
    let (certificate, facts) = decide(engine, &case, files.as_ref(), &budget, &mut report);
    if report.verdict == Verdict::Unknown
        && let Some(reason) = watched.reason()
    {
        limits::say_stopped(&mut report, reason);
    }
    if let Some(file) = &args.precision_out {
        precision::write(file, &tree, &case)?;
    }
    if report.verdict == Verdict::True {
        report.not_proved = super::validity::not_proved(&case.split);
    }
    report.invariants = match &certificate {
        Some(certificate) => proved::of_certificate(&tree, &case.split, certificate),
        None => proved::of_facts(&tree, &case.split, &case.facts_before(facts)),
    };
    if let Some(certificate) = certificate
        && (args.witness.is_some() || args.output.is_some())
    {
        let program = &case.original;
        report.witness = evidence::witness(args, &task, program, &report, &certificate, &budget);
    }
    Ok(report)
}

/// What the arguments grant.
pub fn budget(args: &CheckArgs) -> Budget {
    Budget::new(Some(args.wall()), Some(args.memory * 9 / 10))
        .with_processor_time(args.timeout)
        .with_solver(args.solver())
}

/// Lets an analysis run, and puts its answer into the report. Comes back with what proves the answer.
pub fn decide(
    mut engine: Box<dyn Engine>,
    case: &Arc<Case>,
    files: Option<&Files>,
    budget: &Budget,
    report: &mut Report,
) -> (Option<Certificate>, Facts) {
    let board = StreamBoard::new(case, files);
    let outcome = engine.run(&case.split, &board, &case.shared(budget));
    if let Ok(counts) = board.counts.lock() {
        report.statistics = counts.clone();
    }
    if let Some(counted) = clock::counted() {
        let counted = counted.as_millis().try_into().unwrap_or(u64::MAX);
        let own = report.statistics.entry("deterministic run".into());
        own.or_default().insert("counted ms".into(), counted);
    }
    let why = |status: Status| match status {
        Status::GaveUp(reason) | Status::Skipped(reason) => Some(reason),
        Status::Running | Status::Answered => None,
    };
    let status = board.status().into_iter();
    report.gave_up = status
        .filter_map(|(engine, status)| Some((engine, why(status)?)))
        .collect();
    let certificate = match (case.take_conclusion(), outcome) {
        (Err(contradiction), _) => {
            report.reason = Some(contradiction);
            None
        }
        (Ok(Some(conclusion)), _) => {
            let certificate = conclusion.certificate.clone();
            fill(report, case, files, conclusion, budget);
            Some(certificate)
        }
        (Ok(None), Outcome::Unknown(reason)) => {
            report.reason = Some(headline(report, reason, budget));
            None
        }
        // An answer is one only with a conclusion.
        (Ok(None), Outcome::Answer(_)) => None,
    };
    (certificate, board.facts())
}

/// The one reason that a user reads first; those of the single engines are in the report.
fn headline(report: &Report, reason: String, budget: &Budget) -> String {
    if budget.is_exhausted() {
        return "out of time".into();
    }
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for given in report.gave_up.values() {
        *counts.entry(given).or_default() += 1;
    }
    // What several of them say is worth more than that there are several.
    match counts.iter().max_by_key(|(_, count)| **count) {
        None => reason,
        Some((&most, &count)) if count > 1 || counts.len() == 1 => most.clone(),
        Some(_) => "no engine found an answer".into(),
    }
}

/// What was asked for, as the report shows it.
fn configuration(
    args: &CheckArgs,
    analysis: &Analysis,
    task: &load::Task,
    program: &Program,
) -> Configuration {
    let name = match (&args.config, &args.analysis) {
        (Some(file), _) => file.display().to_string(),
        (None, Some(name)) => name.clone(),
        (None, None) => "default".into(),
    };
    let mut command_line: Vec<String> = std::env::args().collect();
    if let [program, command, ..] = &mut command_line[..] {
        // The working process is an affair of ours.
        (*program, *command) = ("concord".into(), "check".into());
    }
    let entry = args.input.entry.clone().unwrap_or_else(|| "main".into());
    Configuration {
        version: env!("CARGO_PKG_VERSION").into(),
        analysis: name,
        summary: analysis.summary.clone(),
        paper: analysis.paper.clone(),
        text: analysis.text.clone(),
        files: task
            .files
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
        data_model: match program.model {
            DataModel::Ilp32 => "ILP32".into(),
            DataModel::Lp64 => "LP64".into(),
        },
        entry,
        timeout_seconds: args.timeout.as_secs_f64(),
        memory_bytes: args.memory,
        command_line,
    }
}

/// Puts a certified answer into the report.
fn fill(
    report: &mut Report,
    case: &Case,
    files: Option<&Files>,
    conclusion: Conclusion,
    budget: &Budget,
) {
    let Conclusion {
        engine,
        certificate,
        how,
    } = conclusion;
    report.schema = SCHEMA;
    report.reason = None;
    report.verdict = if certificate.claims_safety() {
        Verdict::True
    } else {
        Verdict::False
    };
    if let Some(files) = files {
        report.proof = proof::shown(&case.split, files, &certificate);
    }
    if let Certificate::Inputs(values) = &certificate {
        // What is left of the time may be short, but a counterexample is worth a little more.
        let left = budget
            .left()
            .unwrap_or(Duration::MAX)
            .max(Duration::from_secs(1));
        let budget = Budget::new(Some(left), budget.memory);
        report.harness = Some(certify::harness(&case.original, values));
        report.counterexample = Some(counterexample::build(
            &case.original,
            files,
            values,
            &budget,
        ));
    }
    report.engine = Some(engine);
    report.certificate = Some(certificate.name().into());
    report.certified = Some(how);
}
