//! Conditional model checking: continues with what a condition leaves, and writes down what a run
//! without an answer can prove ([`transform::condition`] has the papers, the words, and why parts
//! are worth the whole).
//!
//! Nobody believes a condition. The part that it claims is a program of its own, and so is the rest; a
//! verdict about the whole needs a certified proof of each part ([`join`]), or an execution, which is
//! one of the whole program whatever the condition says.

use crate::case::Case;
use crate::certification;
use crate::conclusions::Conclusion;
use crate::decide::{Decision, without_search};
use crate::each::{Attempts, Found};
use crate::plan::{Configured, Plan, Step};
use crate::registry;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocationKind, Program};
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, Certificate, InputValue};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use transform::checks::{asked_at, checks};
use transform::condition::{Condition, Move, State, claimed, residual};
use witness::condition::Labels;

/// The part of the time in which the rest is looked at, if there is a claim to be proved besides.
const PART_OF_REST: f64 = 0.6;
/// The part of what is left in which claims are proved: whoever cannot has to say so in time.
const PART_OF_CLAIMS: f64 = 0.8;
/// The part of the time in which a proof that came with a condition is checked.
const PART_OF_GIVEN: f64 = 0.3;
/// Branches whose sides are tried, and how often a loop is entered in the part that is bounded.
const MAX_BRANCHES: usize = 8;
const BOUNDS: [u32; 2] = [8, 2];
/// The least time that makes an attempt worth while.
const LEAST: Duration = Duration::from_millis(200);

/// Proofs of parts of a claim, as [`facts::stored`] writes them, by the numbers of the parts.
pub type Proofs = BTreeMap<u32, String>;

/// What is known of the whole program.
pub enum Combined {
    /// The execution with these inputs violates the property.
    Violated {
        found: Found,
        inputs: Vec<InputValue>,
        harness: Option<String>,
    },
    /// All parts are proved: who proved the rest, and how each part was certified.
    Proved {
        engine: Option<String>,
        how: String,
    },
    Unknown(String),
}

/// Continues where a condition ends: decides the rest, and proves what the condition claims.
pub fn decide_with(
    program: &Program,
    condition: &Condition,
    proofs: &Proofs,
    plan: &Plan,
    budget: &Budget,
    attempts: &mut dyn Attempts,
) -> Result<Combined, String> {
    let parts = match condition.initial {
        State::Done => vec![0],
        _ => condition.parts(),
    };
    let rest = residual(program, condition)?;
    let share = if parts.is_empty() { 1.0 } else { PART_OF_REST };
    let rest = match decide_part(rest, plan, share, budget, attempts) {
        Part::Proved(found) => found,
        Part::Violated(violation) => return Ok(violation),
        Part::Unknown(why) => {
            return Ok(Combined::Unknown(format!(
                "what the condition leaves is not decided: {why}"
            )));
        }
    };
    let mut claims = Vec::new();
    for (number, &part) in parts.iter().enumerate() {
        let of_part = claimed(program, &condition.only(part))?;
        if let Some(proof) = proofs.get(&part)
            && let Some(found) = given(attempts, of_part.clone(), proof, budget)
        {
            claims.push(found);
            continue;
        }
        let share = PART_OF_CLAIMS / (parts.len() - number) as f64;
        match decide_part(of_part, plan, share, budget, attempts) {
            Part::Proved(found) => claims.push(found),
            Part::Violated(violation) => return Ok(violation),
            Part::Unknown(why) => {
                return Ok(Combined::Unknown(format!(
                    "conditional: no execution violates the property in what the condition leaves, but what it claims could not \
                     be proved: {why}"
                )));
            }
        }
    }
    Ok(join(rest, &claims))
}

/// The answer for the whole program, of which each part is proved.
fn join(rest: Found, claims: &[Found]) -> Combined {
    let mut how = format!("what the condition leaves: {}", rest.how);
    for claim in claims {
        how += &format!("; what it claims: {} ({})", claim.how, claim.certificate);
    }
    Combined::Proved {
        engine: rest.engine,
        how,
    }
}

/// What became of one part.
enum Part {
    Proved(Found),
    Violated(Combined),
    Unknown(String),
}

fn decide_part(
    part: Program,
    plan: &Plan,
    share: f64,
    budget: &Budget,
    attempts: &mut dyn Attempts,
) -> Part {
    match certified_part(part, plan, share, budget, attempts) {
        Ok((certificate, found, harness)) => match certificate {
            Certificate::Inputs(inputs) => Part::Violated(Combined::Violated {
                found,
                inputs,
                harness,
            }),
            _ => Part::Proved(found),
        },
        Err(why) => Part::Unknown(why),
    }
}

/// A certified answer about a part; or why there is none.
fn certified_part(
    part: Program,
    plan: &Plan,
    share: f64,
    budget: &Budget,
    attempts: &mut dyn Attempts,
) -> Result<(Certificate, Found, Option<String>), String> {
    if let Some((certificate, accepted)) = without_search(&part, budget) {
        let found = Found {
            engine: None,
            certificate: certificate.name(),
            how: accepted.how,
        };
        return Ok((certificate, found, None));
    }
    let time = budget.own_time().unwrap_or(Duration::from_secs(3600));
    let (own, _limit) = budget.within_own_time(time.mul_f64(share).max(LEAST));
    let (decision, reason) = attempts.decide(part, plan, &own);
    // Whoever has not stopped yet works for nobody any more.
    own.stop.stop();
    match decision {
        Decision::Certified(conclusion) => {
            let Conclusion {
                engine,
                certificate,
                how,
                harness,
            } = *conclusion;
            let found = Found {
                engine: Some(engine),
                certificate: certificate.name(),
                how,
            };
            Ok((certificate, found, harness))
        }
        Decision::Contradicted(how) => Err(how),
        Decision::Unknown(_) => Err(reason),
    }
}

/// Checks a proof that came with the condition. What it does not prove is tried again by others.
fn given(attempts: &mut dyn Attempts, part: Program, text: &str, budget: &Budget) -> Option<Found> {
    let case = attempts.case(part);
    let program = &case.views.split;
    let proof = facts::stored::read_proof(text, program.locations.len()).ok()?;
    let belongs = |graph: &AnnotatedGraph| {
        let said: Vec<_> = graph.nodes.iter().map(|node| node.invariant).collect();
        let is_edge = |edge: &EdgeId| (edge.0 as usize) < program.edges.len();
        let mut calls = graph.nodes.iter().map(|node| &node.calls);
        certify::belongs_to(program, &graph.pool, &said)
            && calls.all(|calls| match calls {
                CallPattern::Any => true,
                CallPattern::Exactly(edges) => edges.iter().all(is_edge),
            })
    };
    match &proof {
        Certificate::Graph(graph) if !belongs(graph) => return None,
        Certificate::KInduction(claim) if !belongs(&claim.support) => return None,
        _ => {}
    }
    let time = budget.own_time().unwrap_or(Duration::from_secs(3600));
    let (own, _limit) = budget.within_own_time(time.mul_f64(PART_OF_GIVEN));
    let accepted = checked(&case, &proof, &own)?;
    Some(Found {
        engine: None,
        certificate: proof.name(),
        how: accepted,
    })
}

fn checked(case: &Case, proof: &Certificate, budget: &Budget) -> Option<String> {
    // A way through the graph is looked for in the program as it was lowered.
    if matches!(proof, Certificate::NoWay) {
        let accepted = certify::certify(&case.views.original, proof, budget).ok()?;
        return Some(accepted.how);
    }
    let accepted = certification::proof(case, proof, budget).ok()?;
    Some(accepted.how)
}

/// What a run without an answer can prove: a condition with the proofs of its parts.
pub struct Written {
    pub condition: Condition,
    pub proofs: Proofs,
}

/// What became of a run that is to leave a condition.
pub enum Ending {
    Answer(Combined),
    /// Nothing at all could be proved if it has no parts.
    Condition(Written),
}

/// Proves what it can: single checks, sides of branches, and executions that enter loops a few times
/// only. If that is all there is, the run has an answer after all.
pub fn what_is_proved(
    program: &Program,
    labels: &Labels,
    plan: &Plan,
    budget: &Budget,
    attempts: &mut dyn Attempts,
) -> Result<Ending, String> {
    let mut found = Proving {
        program,
        labels,
        done: Vec::new(),
        bound: None,
        proofs: Proofs::new(),
        answers: BTreeMap::new(),
        violation: None,
    };
    let candidates = found.candidates();
    let count = candidates.len() + BOUNDS.len();
    for (number, edges) in candidates.into_iter().enumerate() {
        let share = 1.0 / (count - number) as f64;
        let part = number as u32 + 1;
        let condition = found.with_edges(&edges, part);
        if budget.is_exhausted() || found.violation.is_some() {
            break;
        }
        if found.attempt(&condition, part, plan, share, budget, attempts)? {
            found.done.push((part, edges));
        }
    }
    let part = count as u32 + 1;
    let bounded = registry::named("bmc").map(|engine| {
        let options = toml::Table::new();
        Plan::from(Step::Engine(Configured { engine, options }))
    });
    for (number, bound) in BOUNDS.into_iter().enumerate() {
        let (Some(condition), Some(plan)) = (found.bounded(bound, part), &bounded) else {
            break;
        };
        if budget.is_exhausted() || found.violation.is_some() {
            break;
        }
        let share = 0.9 / (BOUNDS.len() - number) as f64;
        if found.attempt(&condition, part, plan, share, budget, attempts)? {
            found.bound = Some((part, bound));
            break;
        }
    }
    found.ending(budget)
}

struct Proving<'a> {
    program: &'a Program,
    labels: &'a Labels,
    /// Edges behind which nothing is violated, by parts.
    done: Vec<(u32, Vec<EdgeId>)>,
    /// How often loops may be entered so that nothing is violated.
    bound: Option<(u32, u32)>,
    proofs: Proofs,
    answers: BTreeMap<u32, Found>,
    violation: Option<Combined>,
}

impl Proving<'_> {
    /// Sets of edges that a part may begin at: those into the error locations of each check, then
    /// the sides of branches outside loops.
    fn candidates(&self) -> Vec<Vec<EdgeId>> {
        let program = self.program;
        let mut found: Vec<Vec<EdgeId>> = Vec::new();
        let all = checks(program);
        let is_named = |edge: &EdgeId| self.labels.is_named(*edge);
        if all.len() > 1 {
            for check in &all {
                let errors = check.errors.iter();
                let edges: Vec<EdgeId> = errors
                    .flat_map(|&error| program.location(error).incoming.iter().copied())
                    .collect();
                if !edges.is_empty() && edges.iter().all(is_named) {
                    found.push(edges);
                }
            }
        }
        let errors: Vec<_> = program.errors.iter().map(|(error, _)| *error).collect();
        let asked: BTreeSet<_> = asked_at(program, &errors).into_iter().collect();
        let mut sides: Vec<EdgeId> = (0..program.edges.len() as u32)
            .map(EdgeId)
            .filter(|&id| {
                let edge = program.edge(id);
                edge.branch.is_some()
                    && is_named(&id)
                    && !asked.contains(&edge.source)
                    && program.location(edge.source).kind != LocationKind::LoopHead
                    && !self.is_in_loop(id)
            })
            .collect();
        sides.truncate(MAX_BRANCHES);
        found.extend(sides.into_iter().map(|edge| vec![edge]));
        found
    }

    /// Does a way from behind the edge come back to it, in its own function?
    fn is_in_loop(&self, id: EdgeId) -> bool {
        let program = self.program;
        let start = program.edge(id).source;
        let mut seen: BTreeSet<_> = BTreeSet::new();
        let mut open = vec![program.edge(id).target];
        while let Some(at) = open.pop() {
            if at == start {
                return true;
            }
            if seen.insert(at) {
                let outgoing = program.location(at).outgoing.iter();
                open.extend(outgoing.map(|&edge| program.edge(edge).target));
            }
        }
        false
    }

    fn with_edges(&self, edges: &[EdgeId], part: u32) -> Condition {
        let moves = edges.iter().map(|&edge| Move {
            from: 0,
            edge,
            guard: None,
            to: State::Done,
            part,
        });
        Condition {
            initial: State::At(0),
            moves: moves.collect(),
        }
    }

    /// The edges by which loops are entered once more; nothing if there is no loop, or one has no
    /// such edge that has a name.
    fn entered(&self) -> Option<Vec<EdgeId>> {
        let program = self.program;
        let mut found = Vec::new();
        for location in &program.locations {
            if location.kind != LocationKind::LoopHead {
                continue;
            }
            let ids = (0..program.edges.len() as u32).map(EdgeId);
            let own: Vec<EdgeId> = ids
                .filter(|&id| {
                    let edge = program.edge(id);
                    let is_of_loop = |branch: cfa::program::Branch| {
                        branch.taken && branch.statement.lo == location.span.lo
                    };
                    edge.branch.is_some_and(is_of_loop) && self.labels.is_named(id)
                })
                .collect();
            if own.is_empty() {
                return None;
            }
            found.extend(own);
        }
        found.sort_unstable();
        found.dedup();
        (!found.is_empty()).then_some(found)
    }

    /// Executions that enter loops not more often than this.
    fn bounded(&self, bound: u32, part: u32) -> Option<Condition> {
        let entered = self.entered()?;
        let errors = self.error_edges()?;
        let mut moves = Vec::new();
        for from in 0..=bound {
            moves.extend(errors.iter().map(|&edge| Move {
                from,
                edge,
                guard: None,
                to: State::Done,
                part,
            }));
            moves.extend(entered.iter().map(|&edge| Move {
                from,
                edge,
                guard: None,
                to: State::At(from + 1),
                part,
            }));
        }
        let whole = Condition {
            initial: State::At(0),
            moves,
        };
        Some(whole.only(part))
    }

    /// The edges into error locations that are not done otherwise; nothing if one has no name.
    fn error_edges(&self) -> Option<Vec<EdgeId>> {
        let program = self.program;
        let errors = program.errors.iter();
        let edges = errors.flat_map(|(error, _)| program.location(*error).incoming.clone());
        let is_done = |edge: &EdgeId| self.done.iter().any(|(_, done)| done.contains(edge));
        let edges: Vec<EdgeId> = edges.filter(|edge| !is_done(edge)).collect();
        let all_named = edges.iter().all(|&edge| self.labels.is_named(edge));
        (all_named && !edges.is_empty()).then_some(edges)
    }

    /// Tries to prove what a condition claims. Says whether that is proved, and keeps the proof.
    fn attempt(
        &mut self,
        condition: &Condition,
        part: u32,
        plan: &Plan,
        share: f64,
        budget: &Budget,
        attempts: &mut dyn Attempts,
    ) -> Result<bool, String> {
        let program = claimed(self.program, condition)?;
        match certified_part(program, plan, share, budget, attempts) {
            Ok((Certificate::Inputs(inputs), found, harness)) => {
                self.violation = Some(Combined::Violated {
                    found,
                    inputs,
                    harness,
                });
                Ok(false)
            }
            Ok((certificate, found, _)) => {
                if let Some(text) = facts::stored::write_proof(&certificate) {
                    self.proofs.insert(part, text);
                }
                self.answers.insert(part, found);
                Ok(true)
            }
            Err(_) => Ok(false),
        }
    }

    /// All that is proved as one condition: states count how often loops were entered.
    fn condition(&self) -> Condition {
        let bound = self.bound.map(|(_, bound)| bound);
        let last = bound.map_or(0, |bound| bound + 1);
        let mut moves = Vec::new();
        let step = |from, edge, to, part| Move {
            from,
            edge,
            guard: None,
            to,
            part,
        };
        let (entered, errors) = match self.bound {
            Some(_) => (self.entered(), self.error_edges()),
            None => (None, None),
        };
        for from in 0..=last {
            for (part, edges) in &self.done {
                let edges = edges.iter();
                moves.extend(edges.map(|&edge| step(from, edge, State::Done, *part)));
            }
            let Some((part, bound)) = self.bound.filter(|(_, bound)| from <= *bound) else {
                continue;
            };
            let edges = errors.iter().flatten();
            moves.extend(edges.map(|&edge| step(from, edge, State::Done, part)));
            let edges = entered.iter().flatten();
            let is_done = |edge: &EdgeId| self.done.iter().any(|(_, done)| done.contains(edge));
            let edges = edges.filter(|edge| !is_done(edge));
            let next = State::At((from + 1).min(bound + 1));
            moves.extend(edges.map(|&edge| step(from, edge, next, part)));
        }
        Condition {
            initial: State::At(0),
            moves,
        }
    }

    fn ending(self, budget: &Budget) -> Result<Ending, String> {
        let condition = self.condition();
        if let Some(violation) = self.violation {
            return Ok(Ending::Answer(violation));
        }
        let rest = residual(self.program, &condition)?;
        if let Some((certificate, accepted)) = without_search(&rest, budget) {
            let rest = Found {
                engine: None,
                certificate: certificate.name(),
                how: accepted.how,
            };
            let claims: Vec<Found> = self.answers.into_values().collect();
            return Ok(Ending::Answer(join(rest, &claims)));
        }
        Ok(Ending::Condition(Written {
            condition,
            proofs: self.proofs,
        }))
    }
}
