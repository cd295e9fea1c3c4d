//! `--condition-in` and `--condition-out`: conditional model checking (`portfolio::conditional`).

use super::each::{Task, Work};
use super::message::{Message, Report, SCHEMA, Verdict};
use super::stream::send;
use super::{counterexample, evidence};
use crate::cli::CheckArgs;
use cfa::program::Program;
use concord::validity;
use facts::budget::Budget;
use facts::certificate::Certificate;
use lowering::Tree;
use portfolio::conditional::{Combined, Ending, Proofs, Written, decide_with, what_is_proved};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use transform::condition::{Condition, State};
use witness::condition::{Labels, meaning, read};
use witness::placing::Places;

/// The part of the time in which an answer is looked for, where a condition is to be written if there
/// is none.
pub const PART_OF_ANSWER: f64 = 0.5;

/// What a condition does not go with is said.
pub fn admits(args: &CheckArgs) -> Result<(), String> {
    if args.decides_each() {
        return Err(
            "conditions are about one verdict for the whole program: use --stop-at-first with --property all, and no \
             --each-check"
                .into(),
        );
    }
    if args.precision_in.is_some() || args.precision_out.is_some() || args.reuse.is_some() {
        return Err(
            "--precision-in, --precision-out and --reuse are about one run of the analysis, and a condition parts the \
             program"
                .into(),
        );
    }
    Ok(())
}

/// A condition of a file as one about a program, whose pool holds its guards then, and the proofs
/// that came with it.
pub fn of_file(
    file: &Path,
    program: &Program,
    tree: Tree,
    files: &[PathBuf],
) -> Result<(Program, Condition, Proofs), String> {
    let problem = |error: String| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| problem(error.to_string()))?;
    let automaton = read(&text).map_err(problem)?;
    let mut places = Places::new(program.clone(), tree, files);
    let condition = meaning(&automaton, &mut places);
    let notes = automaton.notes.iter();
    let proofs = notes.filter_map(|note| {
        let (number, proof) = note.strip_prefix("proof ")?.split_once(' ')?;
        Some((number.parse().ok()?, proof.to_owned()))
    });
    Ok((places.into_program(), condition, proofs.collect()))
}

/// Continues with what a condition leaves.
pub fn continued(
    given: &Task<'_>,
    (file, tree): (&Path, Tree),
    budget: &Budget,
    report: Report,
) -> Result<Report, String> {
    let (program, condition, proofs) = of_file(file, given.original, tree, &given.task.files)?;
    let claims = condition.initial == State::Done || !condition.parts().is_empty();
    if !claims {
        send(&Message::Progress {
            engine: "condition".into(),
            phase: "it claims nothing about this program".into(),
        });
    }
    let mut work = Work::new(given, budget, report);
    let plan = &given.analysis.plan;
    let combined = decide_with(&program, &condition, &proofs, plan, budget, &mut work);
    let combined = combined.map_err(|error| format!("{}: {error}", file.display()))?;
    let mut report = work.report;
    fill(&mut report, given, combined, budget);
    Ok(report)
}

/// Proves what it can of a program that has no verdict, and writes it.
pub fn written(
    given: &Task<'_>,
    (file, tree): (&Path, Tree),
    budget: &Budget,
    report: Report,
) -> Result<Report, String> {
    let program = given.original;
    let labels = Labels::of(program);
    let reason = report.reason.clone();
    let mut work = Work::new(given, budget, report);
    let plan = &given.analysis.plan;
    let ending = what_is_proved(program, &labels, plan, budget, &mut work)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let mut report = work.report;
    let Written { condition, proofs } = match ending {
        Ending::Answer(combined) => {
            fill(&mut report, given, combined, budget);
            return Ok(report);
        }
        Ending::Condition(written) => written,
    };
    let notes: Vec<String> = proofs
        .iter()
        .map(|(part, proof)| format!("proof {part} {proof}"))
        .collect();
    let text = witness::condition::written(&condition, &labels, &notes);
    let text = text.ok_or("the condition has no text: edges of the program share their names")?;
    // Whoever reads it must understand what was meant.
    let automaton = read(&text).map_err(|error| format!("the condition: {error}"))?;
    let mut places = Places::new(program.clone(), tree, &given.task.files);
    if said(&meaning(&automaton, &mut places)) != said(&condition) {
        return Err("the condition has no text that means the same".into());
    }
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    report.reason = reason.map(|reason| match condition.parts().len() {
        0 => format!("{reason}; no part of it could be proved either"),
        parts => {
            let parts = facts::words::count(parts, "part");
            let file = file.display();
            format!("{reason}; what is proved ({parts}) is in {file}")
        }
    });
    Ok(report)
}

/// What a condition says, whatever the order of its moves.
fn said(condition: &Condition) -> (State, BTreeSet<(u32, u32, State, u32)>) {
    let moves = condition.moves.iter().map(|it| {
        let part = if it.to == State::Done { it.part } else { 0 };
        (it.from, it.edge.0, it.to, part)
    });
    (condition.initial, moves.collect())
}

/// Puts the answer for the whole program into the report.
fn fill(report: &mut Report, given: &Task<'_>, combined: Combined, budget: &Budget) {
    let program = given.original;
    let certificate = match combined {
        Combined::Unknown(reason) => {
            report.verdict = Verdict::Unknown;
            report.reason = Some(reason);
            return;
        }
        Combined::Proved { engine, how } => {
            report.verdict = Verdict::True;
            report.engine = engine;
            report.certificate = Some("proofs of the parts of a condition".into());
            report.certified = Some(how);
            let split = transform::regions::split_memory(program);
            report.not_proved = validity::not_proved(&split, &given.task.property);
            // It says no more than that there is nothing to show.
            Certificate::NoWay
        }
        Combined::Violated {
            found,
            inputs,
            harness,
        } => {
            // It was found in a part, and must be one of the whole.
            let left = budget.left().unwrap_or(Duration::MAX);
            let left = left.max(Duration::from_secs(1));
            let budget = Budget::new(Some(left), budget.memory);
            let certificate = Certificate::Inputs(inputs.clone());
            match certify::certify(program, &certificate, &budget) {
                Ok(accepted) => report.certified = Some(format!("{}; {}", accepted.how, found.how)),
                Err(why) => {
                    report.verdict = Verdict::Unknown;
                    report.reason = Some(format!(
                        "the violation of a part is none of the whole program ({why}); please report this"
                    ));
                    return;
                }
            }
            report.verdict = Verdict::False;
            report.engine = found.engine;
            report.certificate = Some(certificate.name().into());
            report.harness = harness;
            let files = given.files.map(|files| &**files);
            report.counterexample = Some(counterexample::build(program, files, &inputs, &budget));
            certificate
        }
    };
    report.schema = SCHEMA;
    report.reason = None;
    let args = given.args;
    if args.witness.is_some() || args.output.is_some() {
        report.witness = evidence::witness(args, given.task, program, report, &certificate, budget);
    }
}
