//! Witnesses of correctness: the property and each invariant, asserted in the program and proved.

use super::{Task, judged, places::Places};
use crate::check::decide;
use crate::check::message::{Invariant as InvariantShown, Judgement, Report, Validation, Verdict};
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::place::CallPattern;
use cfa::program::{LocId, Program};
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate, KInduction, Rest};
use witness::{Invariant, InvariantKind};

/// An invariant at a location of the automaton.
struct Asserted<'a> {
    invariant: &'a Invariant,
    location: LocId,
    expression: ExprId,
}

pub fn validate(
    task: &Task<'_>,
    places: &mut Places,
    invariants: &[Invariant],
    report: &mut Report,
) -> Result<Validation, String> {
    let mut asserted = Vec::new();
    for invariant in invariants {
        let locations = match invariant.kind {
            InvariantKind::Loop => places.loop_heads(&invariant.place)?,
            InvariantKind::Location => places.statements(&invariant.place)?,
        };
        for location in locations {
            let expression = match invariant.kind {
                InvariantKind::Loop => places.at_loop(&invariant.value, location),
                InvariantKind::Location => places.before(&invariant.value, location),
            };
            let expression = expression.map_err(|why| {
                format!(
                    "the invariant in line {} is none: {why}",
                    invariant.place.line
                )
            })?;
            asserted.push(Asserted {
                invariant,
                location,
                expression,
            });
        }
    }
    let with_pool = Program {
        pool: places.pool.clone(),
        ..places.program.clone()
    };
    // Nothing says whether a pointer's object lives: such an invariant may have no value, and must not end executions.
    let (unclear, asserted): (Vec<_>, Vec<_>) = asserted.into_iter().partition(|claim| {
        lowering::undefined::reads_through_pointer(&with_pool, claim.expression)
    });
    let unclear = unclear.first().map(|claim| {
        let Invariant { place, value, .. } = claim.invariant;
        format!(
            "'{value}' in line {} reads through a pointer, and whether it has a value there is not checked",
            place.line
        )
    });
    let program = lowering::property::instrument(&with_pool, &task.property);
    let claims: Vec<(LocId, ExprId)> = asserted
        .iter()
        .map(|claim| (claim.location, claim.expression))
        .collect();
    let (original, errors) = lowering::monitor::assert_at(program, &claims);
    // Neither the property nor an invariant can be violated: checked as any proof is.
    if decide::without_search(&original, &task.budget, report).is_some() {
        if let Some(why) = unclear {
            return Ok(judged(Judgement::Unknown, why));
        }
        return Ok(judged(
            Judgement::Confirmed,
            format!(
                "no way through the program violates the property or one of {} of the witness",
                count(invariants.len(), "invariant")
            ),
        ));
    }
    let case = task.case(original, false)?;
    let at_hand = by_the_invariants(&case.views.split, &claims, &errors);
    let (case, certificate) = task.decide(case, at_hand, report)?;
    report.harness = None;
    match (report.verdict, certificate) {
        (Verdict::True, _) if unclear.is_some() => {
            Ok(judged(Judgement::Unknown, unclear.unwrap_or_default()))
        }
        (Verdict::True, _) => {
            report.invariants = asserted
                .iter()
                .filter(|claim| claim.invariant.kind == InvariantKind::Loop)
                .map(shown)
                .collect();
            Ok(judged(
                Judgement::Confirmed,
                format!(
                    "the property and {} of the witness are proved",
                    count(invariants.len(), "invariant")
                ),
            ))
        }
        (Verdict::False, Some(Certificate::Inputs(values))) => {
            let run = certify::replay(&case.views.original, &values, &task.budget, None);
            let failing = match run.outcome {
                interpreter::Outcome::Error(at) => errors.iter().position(|&error| error == at),
                _ => None,
            };
            Ok(match failing {
                Some(index) => {
                    let Invariant { place, value, .. } = asserted[index].invariant;
                    let reason = format!(
                        "'{value}' in line {} does not always hold, or has no value",
                        place.line
                    );
                    judged(Judgement::Refuted, reason)
                }
                None => judged(Judgement::Refuted, "the program violates the property"),
            })
        }
        _ => {
            let reason = report.reason.clone();
            Ok(judged(Judgement::Unknown, reason.unwrap_or_default()))
        }
    }
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("the {what}"),
        _ => format!("the {number} {what}s"),
    }
}

fn shown(claim: &Asserted<'_>) -> InvariantShown {
    let Invariant { place, value, .. } = claim.invariant;
    InvariantShown {
        file: place.file.clone(),
        line: place.line,
        column: place.column.unwrap_or(1),
        function: place.function.clone().unwrap_or_default(),
        text: value.clone(),
        certified: true,
        by_jump: false,
    }
}

/// Loops passed at once that are tried when the invariants alone are no proof.
const DEPTHS: std::ops::Range<u32> = 0..3;

/// The cheap ways: the invariants are inductive, or enough support for a short induction.
fn by_the_invariants(
    split: &Program,
    claims: &[(LocId, ExprId)],
    errors: &[LocId],
) -> Vec<Certificate> {
    let mut pool = split.pool.clone();
    let mut nodes: Vec<AnnotatedNode> = Vec::new();
    for (&(location, _), &error) in claims.iter().zip(errors) {
        let Some(holds) = asserted_in(split, error) else {
            continue;
        };
        match nodes.iter_mut().find(|node| node.location == location) {
            Some(node) => node.invariant = pool.and(node.invariant, holds),
            None => nodes.push(AnnotatedNode {
                calls: CallPattern::Any,
                location,
                invariant: holds,
            }),
        }
    }
    let graph = AnnotatedGraph { pool, nodes };
    let inductions = DEPTHS.map(|depth| {
        Certificate::KInduction(KInduction {
            depth,
            support: graph.clone(),
            rest: Rest::Follows,
        })
    });
    [Certificate::Graph(graph.clone())]
        .into_iter()
        .chain(inductions)
        .collect()
}

/// The expression whose failure leads to the error location, in terms of the program with split memory.
fn asserted_in(split: &Program, error: LocId) -> Option<ExprId> {
    // Before it come the ways that an expression without a value takes.
    let &edge = split.location(error).incoming.last()?;
    let source = split.edge(edge).source;
    split
        .location(source)
        .outgoing
        .iter()
        .find_map(|&other| match split.edge_op(other) {
            Op::Assume(holds) if split.edge(other).target != error => Some(*holds),
            _ => None,
        })
}
