//! Witnesses of correctness: the property and each invariant, asserted in the program and proved.

use super::{Task, judged};
use crate::check::decide;
use crate::check::message::{Invariant as InvariantShown, Judgement, Report, Validation, Verdict};
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId, Program};
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate, KInduction, Rest};
use lowering::Claim;
use lowering::initialised::{Holder, may_lack_value};
use witness::placing::{Places, Point, points};
use witness::{Invariant, InvariantKind, Invariants};

/// An invariant at a location of the automaton.
struct Asserted<'a> {
    invariant: &'a Invariant,
    location: LocId,
    expression: ExprId,
    /// Other nodes of a graph stand at the same place: it may be about some of the executions only.
    is_shared: bool,
}

/// Why nobody can say whether the expression has a value there.
fn without_check(program: &Program, at: LocId, claim: &Claim) -> Option<String> {
    if lowering::undefined::reads_through_pointer(program, claim.condition) {
        return Some("reads through a pointer".into());
    }
    if let Some(what) = claim.unclear {
        return Some(what.into());
    }
    let vars = claim.vars.iter().map(|&var| {
        let holder = Holder::Var(var);
        (holder, program.var(var).name.as_str())
    });
    let objects = claim.objects.iter().map(|part| {
        let name = program.objects[part.object.0 as usize].name.as_str();
        (Holder::Object(part.clone()), name)
    });
    let mut holders = vars.chain(objects);
    let lacking = holders.find(|(holder, _)| may_lack_value(program, at, holder));
    lacking.map(|(_, name)| format!("reads '{name}', which may be uninitialised"))
}

pub fn validate(
    task: &Task<'_>,
    places: &mut Places,
    said: &Invariants,
    report: &mut Report,
) -> Result<Validation, String> {
    let invariants = said.list.as_slice();
    let mut unclear = said.unchecked.clone();
    let mut claims: Vec<(&Invariant, Point, Claim)> = Vec::new();
    for invariant in invariants {
        let Invariant { place, value, .. } = invariant;
        let mut note = None;
        for point in points(places, &task.property, invariant, &mut note)? {
            let claim = match point {
                Point::Head(location) => places.at_loop(value, location),
                Point::Before(location) => places.before(value, location),
                Point::Behind(edge) => places.after(value, edge),
            };
            match claim {
                Ok(claim) => claims.push((invariant, point, claim)),
                // It may be right, and nothing depends on it.
                Err(why) if why.contains(lowering::NEVER_USED) => {
                    note.get_or_insert(why);
                }
                Err(why) => {
                    return Err(format!(
                        "the invariant in line {} cannot be used: {why}",
                        place.line
                    ));
                }
            }
        }
        if let Some(why) = note {
            unclear.get_or_insert(format!("'{value}' is not checked: {why}"));
        }
    }
    let mut edges: Vec<EdgeId> = Vec::new();
    for (_, point, _) in &claims {
        if let Point::Behind(edge) = point
            && !edges.contains(edge)
        {
            edges.push(*edge);
        }
    }
    let with_pool = Program {
        pool: places.pool.clone(),
        ..places.program.clone()
    };
    let (with_pool, behind) = lowering::monitor::behind_edges(with_pool, &edges);
    let mut asserted = Vec::new();
    for (invariant, point, claim) in &claims {
        let location = match *point {
            Point::Head(location) | Point::Before(location) => location,
            Point::Behind(edge) => {
                let at = edges.iter().position(|&other| other == edge);
                behind[at.expect("it was collected from the same claims")]
            }
        };
        // Nothing says whether it has a value: it must not end executions.
        if let Some(why) = without_check(&with_pool, location, claim) {
            let Invariant { place, value, .. } = invariant;
            unclear.get_or_insert(format!(
                "'{value}' in line {} {why}, and whether it has a value there is not checked",
                place.line
            ));
            continue;
        }
        asserted.push(Asserted {
            invariant,
            location,
            expression: claim.condition,
            is_shared: claims.iter().any(|(other, at, _)| {
                !std::ptr::eq(*other, *invariant) && at == point && !other.steps.is_empty()
            }),
        });
    }
    let program = transform::safety::instrument(&with_pool, &task.property);
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
                "no path through the program violates the property or one of {} of the witness",
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
                    match asserted[index].is_shared {
                        true => judged(
                            Judgement::Unknown,
                            format!("{reason}, but the witness has several nodes there"),
                        ),
                        false => judged(Judgement::Refuted, reason),
                    }
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

/// The expression whose failure leads to the error location, in terms of the program with split
/// memory.
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
