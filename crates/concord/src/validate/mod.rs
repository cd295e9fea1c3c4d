//! `concord validate`: does a witness show what it claims?
//!
//! A violation is confirmed by an execution that the witness describes and that violates the
//! property when it is replayed. Correctness is confirmed by a proof of the property and of every
//! invariant of the witness.

mod automaton;
mod correctness;
mod violation;

use crate::check::message::{Judgement, Report, Validation};
use crate::check::program_report::Files;
use crate::check::{decide, worker};
use crate::cli::CheckArgs;
use crate::load;
use cfa::program::Program;
use cooperation::part::Participant;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Board, Engine, Outcome, View};
use lowering::property::Property;
use portfolio::assembly;
use portfolio::case::Case;
use portfolio::certification::Certified;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use syntax::types::DataModel;
use witness::placing::Places;
use witness::{Content, Witness};

/// What is known once the witness was found to be about this program.
struct Task<'a> {
    args: &'a CheckArgs,
    property: Property,
    budget: Budget,
}

/// Certificates that follow from the witness, as an analysis whose answer is the first that is
/// right.
struct Given(Vec<Certificate>);

/// Time for one of them.
const PATIENCE: Duration = Duration::from_secs(20);

impl Engine for Given {
    fn name(&self) -> &str {
        "witness"
    }

    /// What kind they are the first one shows.
    fn view(&self) -> View {
        match self.0.first().is_some_and(Certificate::claims_safety) {
            true => View::Split,
            false => View::Original,
        }
    }

    fn run(&mut self, program: &Program, _: &dyn Board, budget: &Budget) -> Outcome {
        let candidates = std::mem::take(&mut self.0);
        let right = candidates.into_iter().find(|certificate| {
            // Inputs are checked once anyway, on the program before its memory was split.
            !certificate.claims_safety()
                || certify::certify(program, certificate, &budget.within(PATIENCE)).is_ok()
        });
        match right {
            Some(certificate) => Outcome::Answer(certificate),
            None => Outcome::Unknown("the witness alone is no proof".into()),
        }
    }
}

impl Task<'_> {
    /// The instrumented program, also with its memory split. Where its errors are the property's
    /// own, a violation is confirmed by the compiled program.
    fn case(&self, original: Program, is_property: bool) -> Result<Case, String> {
        let passes = worker::analysis(self.args)?.passes;
        let build = is_property.then(|| crate::load::build(&self.args.input, &self.property));
        Ok(worker::case(original, self.args, build, &passes))
    }

    /// Decides an instrumented program: by a certificate at hand, if one is right, or else by the
    /// analyses.
    fn decide(
        &self,
        case: Case,
        at_hand: Vec<Certificate>,
        report: &mut Report,
    ) -> Result<(Arc<Case>, Option<Certificate>), String> {
        let files = self.args.wants_program();
        let files = files.then(|| Arc::new(Files::of(&case.views.original)));
        let case = Arc::new(case);
        if !at_hand.is_empty() {
            let certified = Certified::new(Box::new(Given(at_hand)), &case);
            let certified: Box<dyn Participant> = Box::new(certified);
            let witness = assembly::alone(certified);
            let budget = self.budget.within(self.args.timeout / 3);
            let (found, _) = decide::decide(witness, &case, files.as_ref(), &budget, report);
            if found.is_some() {
                return Ok((case, found));
            }
        }
        let analysis = worker::analysis(self.args)?;
        let engines = assembly::make(&analysis.plan, &case, worker::earlier_facts(self.args))?;
        let (found, _) = decide::decide(engines, &case, files.as_ref(), &self.budget, report);
        Ok((case, found))
    }
}

/// Validates the witness in the file. Errors are those of the user: no witness, or not of this
/// program.
pub fn report(args: &CheckArgs, file: &Path) -> Result<Report, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    let witness = witness::read(&text).map_err(|error| format!("{shown}: {error}"))?;
    let task = load::task(args)?;
    let rejected = |why: String| format!("{shown}: {why}");
    let (property, name) = property(args, &task, &witness).map_err(rejected)?;
    let model = data_model(args, &task, &witness).map_err(rejected)?;
    same_program(&witness, &task.files).map_err(rejected)?;
    let (program, tree) = load::with_tree(&task.files, model, &args.input)?;
    names_a_function(&program, &property).map_err(rejected)?;
    let mut places = Places::new(program, tree, &task.files);
    let task = Task {
        args,
        property,
        budget: worker::budget(args),
    };
    let mut report = Report::unknown(name, "not validated");
    let validation = match &witness.content {
        Content::Invariants(said) => {
            correctness::validate(&task, &mut places, said, &mut report).map_err(rejected)?
        }
        Content::Sequence(segments) => {
            let automaton = violation::of_sequence(&mut places, segments).map_err(rejected)?;
            violation::validate(&task, places, automaton, &mut report)?
        }
        Content::Graph(graph) => {
            let automaton = automaton::of_graph(&mut places, graph, &task.property);
            let automaton = automaton.map_err(rejected)?;
            violation::validate(&task, places, automaton, &mut report)?
        }
    };
    report.validation = Some(validation);
    Ok(report)
}

fn judged(judgement: Judgement, reason: impl Into<String>) -> Validation {
    Validation {
        judgement,
        reason: reason.into(),
    }
}

/// The property that the witness is about; what the user asked for must be the same.
fn property(
    args: &CheckArgs,
    task: &load::Task,
    witness: &Witness,
) -> Result<(Property, &'static str), String> {
    let specification = &witness.metadata.specification;
    let (stated, name) = load::stated(specification)?;
    if stated.is_about_memory() {
        return Err(format!("witnesses for {name} are not supported"));
    }
    let entry = args.input.entry.as_deref().unwrap_or("main");
    if let Some(other) = started_at(specification).filter(|other| *other != entry) {
        return Err(format!(
            "the witness is about executions that start in '{other}', not in '{entry}'"
        ));
    }
    if args.property.is_none() && task.specification.is_none() {
        return Ok((stated, name));
    }
    let is_same = match (&task.property, &stated) {
        (Property::ErrorCall(asked), Property::ErrorCall(stated)) => {
            stated.iter().all(|name| asked.contains(name))
        }
        (asked, stated) => asked == stated,
    };
    if !is_same {
        return Err(format!(
            "the witness is about another property: {}",
            witness.metadata.specification.trim()
        ));
    }
    Ok((stated, name))
}

/// The function that executions start in, as the specification of a witness names it.
fn started_at(specification: &str) -> Option<&str> {
    let (_, behind) = specification.split_once("init(")?;
    let (name, _) = behind.split_once('(')?;
    Some(name.trim())
}

/// A witness may be about calls of any function, but one that the program does not even name says
/// nothing of it.
fn names_a_function(program: &Program, property: &Property) -> Result<(), String> {
    let Property::ErrorCall(names) = property else {
        return Ok(());
    };
    let usual = Property::assertions();
    let is_there = |name: &String| {
        let mut functions = program.functions.iter();
        functions.any(|function| program.names.get(function.name) == name)
    };
    let usual = usual.error_functions();
    // Where the program calls none of the usual functions, any of them may be what it could have
    // called.
    let others = usual.iter().any(is_there);
    let is_known = |name: &String| is_there(name) || !others && usual.contains(name);
    match names.iter().find(|name| !is_known(name)) {
        Some(name) => Err(format!(
            "the witness is about calls of '{name}', and the program calls no such function"
        )),
        None => Ok(()),
    }
}

fn in_words(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    }
}

fn data_model(args: &CheckArgs, task: &load::Task, witness: &Witness) -> Result<DataModel, String> {
    let stated = witness.metadata.data_model.map(|model| match model {
        witness::DataModel::Ilp32 => DataModel::Ilp32,
        witness::DataModel::Lp64 => DataModel::Lp64,
    });
    let is_asked = args.input.data_model.is_some() || task.is_definition;
    match stated {
        Some(stated) if is_asked && stated != task.model => Err(format!(
            "the witness is about the data model {}, not {}",
            in_words(stated),
            in_words(task.model)
        )),
        Some(stated) => Ok(stated),
        None => Ok(task.model),
    }
}

/// Digits of a SHA-256.
const HASH_DIGITS: usize = 64;

/// The witness states the SHA-256 of each file, and of no other: anything else says nothing about
/// the program.
fn same_program(witness: &Witness, files: &[PathBuf]) -> Result<(), String> {
    let mut hashes = Vec::new();
    for file in files {
        let hash = witness::hash_of_file(file);
        hashes.push(hash.map_err(|error| format!("{}: {error}", file.display()))?);
    }
    let list = || -> String {
        let list = files.iter().map(|file| file.display().to_string());
        list.collect::<Vec<_>>().join(", ")
    };
    let mut stated = Vec::new();
    for (name, hash) in &witness.metadata.files {
        let hash = hash.as_ref().ok_or_else(|| {
            format!(
                "the witness does not say which program it is about: there is no hash of {name}"
            )
        })?;
        let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_hash {
            return Err(format!(
                "the witness does not say which program it is about: '{hash}' is not a SHA-256 hash"
            ));
        }
        if !hashes.iter().any(|own| own.eq_ignore_ascii_case(hash)) {
            return Err(format!(
                "the witness is about another program: the SHA-256 of {} is not {hash}, which it states for {name}",
                list()
            ));
        }
        stated.push(hash);
    }
    let is_stated = |own: &String| stated.iter().any(|hash| own.eq_ignore_ascii_case(hash));
    match hashes.iter().position(|own| !is_stated(own)) {
        Some(index) => Err(format!(
            "the witness is about another program: it says nothing of {}",
            files[index].display()
        )),
        None => Ok(()),
    }
}
