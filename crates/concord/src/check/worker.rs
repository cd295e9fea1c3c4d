//! The working process: loads the program, runs the engines, certifies what they find.

use super::again::Again;
use super::case::{Case, Conclusion, View};
use super::message::{Configuration, DYING, Message, Note, Report, SCHEMA, Verdict};
use super::shown::{self, Files};
use super::told::Told;
use super::{
    counterexample, engines, evidence, holding, limits, precision, proof, proved, reachability,
};
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
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
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
struct StreamBoard {
    counts: Mutex<BTreeMap<String, BTreeMap<String, u64>>>,
    case: Arc<Case>,
    /// If the program is shown, facts are told as text too, and abstract states.
    files: Option<Arc<Files>>,
}

/// Entries of one published map that are told.
const MOST_ENTRIES: usize = 20;

impl StreamBoard {
    fn new(case: &Arc<Case>, files: Option<&Arc<Files>>) -> StreamBoard {
        StreamBoard {
            counts: Mutex::default(),
            case: Arc::clone(case),
            files: files.cloned(),
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

impl Board for StreamBoard {
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
        if let Some(files) = &self.files {
            let graph = Box::new(reachability::shown(&self.case, files, &graph));
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
    let files = args.wants_program();
    let files = files.then(|| Arc::new(Files::of(&original)));
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
    let mut told = Told::new(&tree, &case);
    let (certificate, facts) = decide_and_tell(
        engine,
        &case,
        files.as_ref(),
        &budget,
        &mut report,
        &mut |board| told.look(board),
    );
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
    let (extra, sifting) = time_to_show(args, &budget);
    report.invariants = match &certificate {
        Some(Certificate::Inputs(_)) => Vec::new(),
        Some(certificate) => {
            let of_proof = proved::of_certificate(&tree, &case.split, certificate, sifting);
            if of_proof.is_empty() {
                // The proof is of another kind; what was found on the way may say why the program is right.
                let facts = told.carried(&facts);
                let judged = holding::judge(&case.split, &facts, extra, &checking(args));
                proved::of_facts(&tree, &case.split, &judged.certified, true, sifting)
            } else {
                of_proof
            }
        }
        None => {
            let facts = told.carried(&facts);
            let judged = holding::judge(&case.split, &facts, extra, &checking(args));
            let shown = |facts: &Facts, is_certified| {
                proved::of_facts(&tree, &case.split, facts, is_certified, sifting)
            };
            let mut list = shown(&judged.certified, true);
            list.extend(shown(&judged.open, false));
            list
        }
    };
    if let Some(certificate) = certificate
        && (args.witness.is_some() || args.output.is_some())
    {
        let program = &case.original;
        report.witness = evidence::witness(args, &task, program, &report, &certificate, &budget);
    }
    Ok(report)
}

/// How long facts may be checked, and how long those may be looked for that follow from others: neither makes an answer
/// truer, so it must not be lost for them.
fn time_to_show(args: &CheckArgs, budget: &Budget) -> (Duration, Duration) {
    if budget.is_exhausted() {
        return LAST_WORDS;
    }
    let (checking, sifting) = match args.deterministic {
        true => (UNHURRIED, UNHURRIED),
        false => (LONGEST_EXTRA, SIFTING),
    };
    let left = budget.own_time().unwrap_or(Duration::MAX);
    (checking.min(left / 3), sifting.min(left / 3))
}

/// Both, if there is no hurry.
const LONGEST_EXTRA: Duration = Duration::from_millis(500);
const SIFTING: Duration = Duration::from_millis(400);
/// Both, where what is shown must not depend on how fast the machine is.
const UNHURRIED: Duration = Duration::from_secs(20);
/// Both, where the time is up.
const LAST_WORDS: (Duration, Duration) = (Duration::from_millis(150), Duration::from_millis(100));

/// For the checker of certificates, when the engines are done; whoever uses it sets the time.
fn checking(args: &CheckArgs) -> Budget {
    Budget::new(None, Some(args.memory * 9 / 10)).with_solver(args.certifier())
}

/// What the arguments grant.
pub fn budget(args: &CheckArgs) -> Budget {
    Budget::new(Some(args.wall()), Some(args.memory * 9 / 10))
        .with_processor_time(args.timeout)
        .with_solver(args.solver())
}

/// How long an answer waits for engines that do not stop.
const PATIENCE: Duration = Duration::from_millis(200);
/// Between two looks at what the engines have found.
const PAUSE: Duration = Duration::from_millis(20);
/// Stack of the thread that the engines are started from; they have others of their own.
const STACK: usize = 8 << 20;

/// Lets an analysis run, and puts its answer into the report. Comes back with what proves the answer.
pub fn decide(
    engine: Box<dyn Engine>,
    case: &Arc<Case>,
    files: Option<&Arc<Files>>,
    budget: &Budget,
    report: &mut Report,
) -> (Option<Certificate>, Facts) {
    decide_and_tell(engine, case, files, budget, report, &mut |_| ())
}

/// Lets an analysis run, as [`decide`]; meanwhile `tell` may look at the board from time to time.
///
/// A certified answer is one, even if an engine does not stop for it: then its thread is left behind, and ends with the
/// process.
fn decide_and_tell(
    mut engine: Box<dyn Engine>,
    case: &Arc<Case>,
    files: Option<&Arc<Files>>,
    budget: &Budget,
    report: &mut Report,
    tell: &mut dyn FnMut(&dyn Board),
) -> (Option<Certificate>, Facts) {
    let board = Arc::new(StreamBoard::new(case, files));
    let (sender, receiver) = mpsc::channel();
    let body = {
        let (case, board) = (Arc::clone(case), Arc::clone(&board));
        let budget = case.shared(budget);
        let time = clock::hand_over();
        move || {
            let _counting = time.take_up();
            let outcome = engine.run(&case.split, &*board, &budget);
            // Nobody listens any more if it came too late.
            let _ = sender.send((outcome, time.counted_since()));
        }
    };
    let builder = std::thread::Builder::new().name("engines".into());
    let outcome = match builder.stack_size(STACK).spawn(body) {
        Ok(_) => wait(&receiver, case, || tell(&*board)),
        Err(error) => Outcome::Unknown(format!("no thread: {error}")),
    };
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
            fill(
                report,
                case,
                files.map(|files| &**files),
                conclusion,
                budget,
            );
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

/// Waits until the engines have ended, or for a while longer than for a certified answer.
fn wait(receiver: &Receiver<(Outcome, Duration)>, case: &Case, mut tell: impl FnMut()) -> Outcome {
    let mut concluded: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok((outcome, counted)) => {
                clock::tick(counted);
                return outcome;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Outcome::Unknown("the engines failed; please report this".into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let has_answer = case.is_concluded();
        if !has_answer {
            tell();
        } else if concluded.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return Outcome::Unknown("not all engines have stopped".into());
        }
    }
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

#[cfg(test)]
mod tests {
    use super::super::case::Certified;
    use super::*;
    use cooperation::parallel::Parallel;
    use facts::certificate::UnrollingBounds;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Answers with a certificate, whatever the program is.
    struct Says(Certificate);

    impl Engine for Says {
        fn name(&self) -> &str {
            "says"
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            Outcome::Answer(self.0.clone())
        }
    }

    /// Works on, whoever wants it to stop.
    struct NeverStops(Arc<AtomicBool>);

    impl Engine for NeverStops {
        fn name(&self) -> &str {
            "never stops"
        }

        fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
            while !self.0.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
            }
            Outcome::Unknown("the test is over".into())
        }
    }

    #[test]
    fn an_answer_is_not_lost_because_an_engine_does_not_stop() {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void);
            int main(void) { int x = __VERIFIER_nondet_int();
            if (x > 0 && x < 0) reach_error(); return 0; }";
        let case = Arc::new(Case::for_test(text));
        let says = Certified {
            engine: Box::new(Says(Certificate::CompleteUnrolling(UnrollingBounds {
                iterations: 1,
                recursion: 1,
                steps: 1000,
            }))),
            case: Arc::clone(&case),
            view: View::Split,
        };
        let is_over = Arc::new(AtomicBool::new(false));
        let engine = Box::new(Parallel {
            name: "parallel".into(),
            parts: [
                Box::new(says) as Box<dyn Engine>,
                Box::new(NeverStops(Arc::clone(&is_over))),
            ]
            .map(Into::into)
            .into(),
        });
        let mut report = Report::unknown("unreach-call", "no engine found an answer");
        let begin = Instant::now();
        let (certificate, _) = decide(engine, &case, None, &Budget::unlimited(), &mut report);
        is_over.store(true, Ordering::Relaxed);
        assert!(certificate.is_some(), "{:?}", report.reason);
        assert_eq!(report.verdict, Verdict::True);
        assert_eq!(report.engine.as_deref(), Some("says"));
        assert!(begin.elapsed() >= PATIENCE, "it does stop");
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn engines_that_panic_are_no_answer() {
        struct Panics;
        impl Engine for Panics {
            fn name(&self) -> &str {
                "panics"
            }

            fn run(&mut self, _: &Program, _: &dyn Board, _: &Budget) -> Outcome {
                panic!("on purpose")
            }
        }
        let case = Arc::new(Case::for_test(
            "void reach_error(void); int main(void) { return 0; }",
        ));
        let mut report = Report::unknown("unreach-call", "no engine found an answer");
        let (certificate, _) = decide(
            Box::new(Panics),
            &case,
            None,
            &Budget::unlimited(),
            &mut report,
        );
        assert!(certificate.is_none());
        let reason = report.reason.unwrap_or_default();
        assert!(reason.contains("please report this"), "{reason}");
    }
}
