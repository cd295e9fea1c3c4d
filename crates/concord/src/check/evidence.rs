//! The witness of a certified answer.

use super::message::{self, Report, Verdict};
use crate::cli::CheckArgs;
use crate::load::Task;
use cfa::program::{FuncId, Program};
use facts::budget::Budget;
use facts::certificate::Certificate;
use lowering::property::Property;
use syntax::types::DataModel;
use witness::{Content, Format, Invariant, InvariantKind, Metadata, SourcePlace, Witness};

/// The text of a witness, in the format that the arguments ask for; none if the answer is none.
pub fn witness(
    args: &CheckArgs,
    task: &Task,
    program: &Program,
    report: &Report,
    certificate: &Certificate,
    budget: &Budget,
) -> Option<String> {
    let content = match (report.verdict, certificate) {
        (Verdict::False, Certificate::Inputs(values)) => {
            Content::Sequence(witness::execution::segments(program, values, budget)?)
        }
        (Verdict::True, _) => Content::Invariants(invariants(report).into()),
        _ => return None,
    };
    let witness = Witness {
        metadata: metadata(args, task, program),
        content,
    };
    let format = args
        .witness
        .as_deref()
        .map_or(Format::Yaml, Format::of_file);
    Some(witness::write(&witness, format))
}

fn invariants(report: &Report) -> Vec<Invariant> {
    let shown = report.invariants.iter();
    // A witness is believed; and a loop that jumps make has no statement that a witness could name.
    let sure = shown.filter(|shown| shown.certified && !shown.by_jump);
    sure.map(loop_invariant).collect()
}

/// What is shown of a loop, as a witness says it.
pub fn loop_invariant(shown: &message::Invariant) -> Invariant {
    Invariant {
        kind: InvariantKind::Loop,
        place: SourcePlace {
            file: shown.file.clone(),
            line: shown.line,
            column: Some(shown.column),
            function: Some(shown.function.clone()),
        },
        value: shown.text.clone(),
        steps: Vec::new(),
    }
}

fn metadata(args: &CheckArgs, task: &Task, program: &Program) -> Metadata {
    let files: Vec<(String, Option<String>)> = task
        .files
        .iter()
        .map(|file| (file.display().to_string(), witness::hash_of_file(file).ok()))
        .collect();
    let creation_time = witness::creation_time(std::time::SystemTime::now());
    let specification = specification(args, task, program);
    Metadata {
        producer: "Concord".into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        uuid: witness::metadata::uuid_of(&format!("{files:?} {specification} {creation_time}")),
        creation_time,
        files,
        specification,
        data_model: Some(match program.model {
            DataModel::Ilp32 => witness::DataModel::Ilp32,
            DataModel::Lp64 => witness::DataModel::Lp64,
        }),
    }
}

/// The property as the competition writes it.
pub fn specification(args: &CheckArgs, task: &Task, program: &Program) -> String {
    let entry = args.input.entry.as_deref().unwrap_or("main");
    match &task.specification {
        Some(text) => text.clone(),
        None => format!(
            "CHECK( init({entry}()), LTL(G ! call({}())) )",
            error_function(program, &task.property)
        ),
    }
}

/// Of the functions that no execution may call, the one that the program has.
fn error_function<'a>(program: &Program, property: &'a Property) -> &'a str {
    let Property::ErrorCall(names) = property else {
        return "reach_error";
    };
    let is_there = |name: &&String| {
        let functions = 0..program.functions.len() as u32;
        functions
            .map(FuncId)
            .any(|function| program.function_name(function) == name.as_str())
    };
    names
        .iter()
        .find(is_there)
        .map_or("reach_error", String::as_str)
}
