//! The working process: loads the program, runs the engines, certifies what they find.

use super::cache::Cache;
use super::decide::{self, decide_and_tell};
use super::interim_invariants::InterimInvariants;
use super::message::{Configuration, DYING, Message, Note, Report, Verdict};
use super::program_report::{self, Files};
use super::restart::Restart;
use super::stream::send;
use super::{
    conditional, each, evidence, limits, loop_invariants, precision, reuse, strict, vacuity,
};
use crate::cli::CheckArgs;
use crate::{exit, load};
use cfa::program::Program;
use concord::validity;
use control::clock;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::Certificate;
use facts::invariants::{Facts, InvariantMap};
use portfolio::cache::{CACHE, Earlier, Entry};
use portfolio::case::{Case, Settings};
use portfolio::configuration::{self, Analysis};
use portfolio::{assembly, certified_facts, helpers};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use syntax::types::DataModel;

/// The second process, which is told more than the command line says.
pub fn work_again(args: &CheckArgs, given: Option<&Path>) -> ExitCode {
    match Restart::from_stdin() {
        Ok(restart) => work(&restart.arguments(args), given),
        Err(text) => exit::bad_input(text),
    }
}

pub fn work(args: &CheckArgs, given: Option<&Path>) -> ExitCode {
    // Without it the supervising process does not know of which engine we died.
    let _ = process::last_words::say_where(DYING.0, DYING.1);
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
        (Some(file), _) => configuration::from_file(file),
        (None, Some(name)) => configuration::named(name),
        (None, None) => configuration::named("default"),
    }?;
    let Some(Restart { without, .. }) = &args.restart else {
        return Ok(analysis);
    };
    match analysis.plan.without(without) {
        Some(plan) => Ok(Analysis { plan, ..analysis }),
        None => Err(format!("no engine is left without {without}")),
    }
}

/// What a process before this one has found, to be checked.
pub fn earlier_facts(args: &CheckArgs) -> Vec<InvariantMap> {
    let restart = args.restart.iter();
    let texts = restart.flat_map(|restart| &restart.facts);
    // What cannot be read is not worth a word: nothing depends on it.
    texts
        .filter_map(|text| facts::stored::read(text).ok())
        .collect()
}

fn report(args: &CheckArgs) -> Result<Report, String> {
    let analysis = analysis(args)?;
    let task = load::task(args)?;
    let (lowered, mut tree) = load::with_tree(&task.files, task.model, &args.input)?;
    let original = transform::safety::instrument(&lowered, &task.property);
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
        warnings: notes(&original.warnings),
        unsupported: notes(&original.unsupported),
        ..Report::unknown(task.property_name, "no engine found an answer")
    };
    let files = args.wants_program();
    let files = files.then(|| Arc::new(Files::of(&original)));
    send(&Message::Loaded {
        configuration: Box::new(configuration(args, &analysis, &task, &original)),
        program: files
            .as_ref()
            .map(|files| program_report::program(&original, files)),
        assumptions: report.assumptions.clone(),
        warnings: report.warnings.clone(),
        unsupported: report.unsupported.clone(),
    });
    if args.strict && !strict::admits(&mut report)? {
        return Ok(report);
    }
    let _counting = args.deterministic.then(clock::count);
    let budget = budget(args);
    if args.condition_in.is_some() || args.condition_out.is_some() {
        conditional::admits(args)?;
    }
    if let Some(condition) = &args.condition_in {
        let given = each::Task {
            args,
            task: &task,
            analysis: &analysis,
            files: files.as_ref(),
            original: &original,
        };
        return conditional::continued(&given, (condition, tree), &budget, report);
    }
    // Where there is no check, something unsupported may have hidden it: that is for the proof to say.
    if args.decides_each() && !original.errors.is_empty() {
        let task = each::Task {
            args,
            task: &task,
            analysis: &analysis,
            files: files.as_ref(),
            original: &original,
        };
        return each::report(&task, &budget, report);
    }
    if let Some(certificate) = decide::without_search(&original, &budget, &mut report) {
        report.vacuous = vacuity::without_errors(&original, &task.property);
        report.not_proved =
            validity::not_proved(&transform::regions::split_memory(&original), &task.property);
        if args.witness.is_some() || args.output.is_some() {
            report.witness =
                evidence::witness(args, &task, &original, &report, &certificate, &budget);
        }
        return Ok(report);
    }
    // What is left of the time goes into what can be proved of it.
    let whole = budget.clone();
    let (budget, _limit) = match &args.condition_out {
        Some(_) => {
            let own = budget.own_time().unwrap_or(args.timeout);
            let wall = budget.left().unwrap_or(args.wall());
            let budget = budget.within(wall.mul_f64(conditional::PART_OF_ANSWER));
            let (budget, limit) = budget.within_own_time(own.mul_f64(conditional::PART_OF_ANSWER));
            (budget, Some(limit))
        }
        None => (budget, None),
    };
    let build = load::build(&args.input, &task.property);
    let mut case = case(original, args, Some(build), &analysis.passes);
    case.tell_helpers(helped(args, &task, &case.views.original));
    let case = Arc::new(case);
    let mut plan = if args.deterministic {
        analysis.plan.in_turns()
    } else {
        analysis.plan.clone()
    };
    if let Some(file) = &args.precision_in {
        let map = precision::read(file, &mut tree, &case)?;
        case.store.publish_precision(map);
        plan = plan.with_precision();
    }
    if let Some(dir) = &args.reuse {
        case.store.start_keeping(reuse::read(dir, args)?);
    }
    let cache = args.cache.as_deref().map(|dir| {
        let cache = Cache::open(dir, args, &task);
        (cache, portfolio::cache::key(&case.views.split))
    });
    let (mut earlier, is_known) = match &cache {
        Some((cache, key)) => {
            let (entries, is_known) = cache.entries(key, Entry::read);
            let is_known = is_known && entries.iter().all(Entry::is_answered);
            (Earlier::of(&case, &entries), is_known)
        }
        None => (Earlier::default(), false),
    };
    if cache.is_some() && args.reuse.is_none() {
        case.store.start_keeping(std::mem::take(&mut earlier.kept));
    }
    if args.precision_in.is_none()
        && let Some(map) = earlier.precision.take()
    {
        case.store.publish_precision(map);
        plan = plan.with_precision();
    }
    let mut candidates = earlier_facts(args);
    candidates.extend(earlier.candidates);
    let engines = assembly::make_after(&plan, &case, earlier.answers, candidates)?;
    let at_work = Arc::clone(&case);
    let watched = limits::watch(args, &budget, move || Some(Arc::clone(&at_work)));
    let mut interim = InterimInvariants::new(&tree, &case);
    let (certificate, facts) = decide_and_tell(
        engines,
        &case,
        files.as_ref(),
        &budget,
        &mut report,
        &mut |board| interim.look(board),
    );
    if report.verdict == Verdict::Unknown
        && let Some(reason) = watched.reason()
    {
        limits::say_stopped(&mut report, reason);
    }
    if let (Some(file), Verdict::Unknown) = (&args.condition_out, report.verdict) {
        budget.stop.stop();
        let given = each::Task {
            args,
            task: &task,
            analysis: &analysis,
            files: files.as_ref(),
            original: &case.views.original,
        };
        return conditional::written(&given, (file, tree), &whole, report);
    }
    if let Some(dir) = &args.reuse {
        reuse::write(dir, args, &case.store.kept_for_later())?;
    }
    if let Some(file) = &args.precision_out {
        precision::write(file, &tree, &case)?;
    }
    if let Some((cache, key)) = &cache {
        match is_known && report.engine.as_deref() == Some(CACHE) {
            true => cache.touch(key),
            false => {
                let facts = interim.carried(&facts);
                let entry = Entry::of(&case, certificate.as_ref(), &facts);
                if let Some(text) = entry.and_then(|entry| entry.text()) {
                    cache.keep(key, &text)?;
                }
            }
        }
    }
    if report.verdict == Verdict::True {
        report.not_proved = validity::not_proved(&case.views.split, &task.property);
        if let Some(certificate) = &certificate {
            let budget = checking(args);
            let proved = case.views.for_proofs();
            report.vacuous = vacuity::of_proof(&case.views.original, proved, certificate, &budget);
        }
    }
    let (extra, sifting) = time_to_show(args, &budget);
    report.invariants = match &certificate {
        Some(Certificate::Inputs(_)) => Vec::new(),
        Some(certificate) => {
            let of_proof =
                loop_invariants::of_certificate(&tree, &case.views.split, certificate, sifting);
            if of_proof.is_empty() {
                // The proof is of another kind; what was found on the way may say why the program
                // is right.
                let facts = interim.carried(&facts);
                let judged =
                    certified_facts::judge(&case.views.split, &facts, extra, &checking(args));
                loop_invariants::of_facts(
                    &tree,
                    &case.views.split,
                    &judged.certified,
                    true,
                    sifting,
                )
            } else {
                of_proof
            }
        }
        None => {
            let facts = interim.carried(&facts);
            let judged = certified_facts::judge(&case.views.split, &facts, extra, &checking(args));
            let shown = |facts: &Facts, is_certified| {
                loop_invariants::of_facts(&tree, &case.views.split, facts, is_certified, sifting)
            };
            let mut list = shown(&judged.certified, true);
            list.extend(shown(&judged.open, false));
            list
        }
    };
    if let Some(certificate) = certificate
        && (args.witness.is_some() || args.output.is_some())
    {
        let program = &case.views.original;
        report.witness = evidence::witness(args, &task, program, &report, &certificate, &budget);
    }
    Ok(report)
}

/// The program under check. Without a way to build it, no compiled program confirms a violation.
pub fn case(
    original: Program,
    args: &CheckArgs,
    build: Option<certify::Build>,
    passes: &[&str],
) -> Case {
    let settings = Settings {
        certifier: args.certifier(),
        any_assembly: args.input.havoc_asm,
        build,
        task: None,
    };
    Case::new(original, passes, settings)
}

/// What helpers are told of the task; nothing where nobody could watch over them.
pub fn helped(args: &CheckArgs, task: &load::Task, program: &Program) -> Option<helpers::Task> {
    let (files, model, input) = (task.files.clone(), task.model, args.input.clone());
    let read = move || load::with_tree(&files, model, &input).map(|(_, tree)| tree);
    Some(helpers::Task {
        files: task.files.clone(),
        specification: evidence::specification(args, task, program),
        property: task.property.clone(),
        data_model: task.model,
        read: Box::new(read),
        guard: process::Guard::this_executable().ok()?,
        spent: helpers::task::Spent::default(),
    })
}

/// How long facts may be checked, and how long those may be looked for that follow from others:
/// neither makes an answer truer, so it must not be lost for them.
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
