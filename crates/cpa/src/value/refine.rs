//! Refinement of the value analysis: which variables must be tracked so that a path is found
//! infeasible.
//!
//! D. Beyer, S. Löwe, FASE 2013 (Stieglmaier2014: T. Stieglmaier, *Octagon-Based Software
//! Verification with CPAchecker*, 2014, section 2.4.2), and the choice among infeasible prefixes of
//! D. Beyer, S. Löwe, P. Wendler, *Refinement selection*, SPIN 2015.
//!
//! | paper | here |
//! |---|---|
//! | infeasible prefix | a step whose condition the values contradict; there may be several |
//! | interpolant at a position | the variables in [`Interpolants::needed`], with values |
//! | `Refine(σ)` | [`prefixes`] |
//!
//! Deviation: interpolants are found from the contradiction backwards, in time linear in the path:
//! a variable is needed before a step if what is needed after it cannot be computed without it.
//! Each step drops what it can do without.

use super::store::MapId;
use super::transfer::ValueTransfer;
use absint::place::{Step, StepKind};
use absint::precision::Variables;
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::op::Op;
use cfa::program::{EdgeId, Program};
use facts::budget::Budget;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Variables that suffice to refute a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpolants {
    /// The step that cannot be taken.
    pub contradiction: usize,
    /// For each step up to it: what is needed before.
    pub needed: Vec<BTreeSet<VarId>>,
}

impl Interpolants {
    pub fn variables(&self) -> BTreeSet<VarId> {
        self.needed.iter().flatten().copied().collect()
    }

    /// The first step before which a variable is needed: from there on the abstraction changes.
    pub fn cut(&self) -> usize {
        self.needed
            .iter()
            .position(|needed| !needed.is_empty())
            .unwrap_or(self.contradiction)
    }
}

fn variables_of(pool: &ExprPool, roots: impl IntoIterator<Item = ExprId>) -> BTreeSet<VarId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut variables = BTreeSet::new();
    let mut stack: Vec<ExprId> = roots.into_iter().collect();
    while let Some(id) = stack.pop() {
        if !pool.reads_variables(id) || !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Var(var) => {
                variables.insert(var);
            }
            node => stack.extend(node.children()),
        }
    }
    variables
}

/// The infeasible prefixes of the path that values can see, with their interpolants; best first. As
/// many as the time allows.
pub fn prefixes(
    transfer: &mut ValueTransfer<'_>,
    path: &[Step],
    budget: &Budget,
) -> Vec<Interpolants> {
    let mut maps = vec![MapId::EMPTY];
    let mut contradictions = Vec::new();
    for (index, step) in path.iter().enumerate() {
        if index % STEPS_BETWEEN_CHECKS == 0 && budget.is_exhausted() {
            return Vec::new();
        }
        let before = maps[index];
        match transfer.apply(before, step, &Variables::All) {
            Some(after) => maps.push(after),
            None => {
                contradictions.push(index);
                // As if the step could be taken: a condition changes nothing.
                maps.push(before);
            }
        }
    }
    // On long paths fewer are looked at: each costs a walk along the path.
    contradictions.truncate((MAX_STEPS / path.len().max(1)).clamp(1, MAX_PREFIXES));
    let counts = counting_steps(transfer.program, path);
    let mut found: Vec<(u64, usize, Interpolants)> = Vec::new();
    for contradiction in contradictions {
        let Some(interpolants) = interpolate(transfer, path, &maps, contradiction, budget) else {
            break;
        };
        let score = score(&counts, &interpolants);
        found.push((score, contradiction, interpolants));
    }
    found.sort_by_key(|(score, contradiction, _)| (*score, *contradiction));
    found.into_iter().map(|(_, _, found)| found).collect()
}

const MAX_PREFIXES: usize = 40;
const MAX_STEPS: usize = 400_000;
const STEPS_BETWEEN_CHECKS: usize = 256;

/// For each variable the steps that compute its new value from its old one.
fn counting_steps(program: &Program, path: &[Step]) -> FxHashMap<VarId, Vec<usize>> {
    let mut reads_itself: FxHashMap<EdgeId, Option<VarId>> = FxHashMap::default();
    let mut counts: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
    for (index, step) in path.iter().enumerate() {
        if step.kind != StepKind::Operation {
            continue;
        }
        let counted =
            *reads_itself
                .entry(step.edge)
                .or_insert_with(|| match *program.edge_op(step.edge) {
                    Op::Assign(target, value)
                        if program.pool.node(value) != Node::Var(target)
                            && variables_of(&program.pool, [value]).contains(&target) =>
                    {
                        Some(target)
                    }
                    _ => None,
                });
        if let Some(var) = counted {
            counts.entry(var).or_default().push(index);
        }
    }
    counts
}

/// Variables that change often along the path make many states; few variables make few states.
fn score(counts: &FxHashMap<VarId, Vec<usize>>, interpolants: &Interpolants) -> u64 {
    let variables = interpolants.variables();
    let scores = variables.iter().map(|var| {
        let changes = counts.get(var).map_or(0, |steps| {
            steps.partition_point(|&step| step < interpolants.contradiction)
        });
        1 + 10 * (changes as u64).min(20)
    });
    scores.sum()
}

fn interpolate(
    transfer: &mut ValueTransfer<'_>,
    path: &[Step],
    maps: &[MapId],
    contradiction: usize,
    budget: &Budget,
) -> Option<Interpolants> {
    let program = transfer.program;
    let mut needed = vec![BTreeSet::new(); contradiction + 1];
    let step = &path[contradiction];
    let mentioned = mentioned_by(transfer, maps[contradiction], step);
    // Without any of the others the step must still be impossible.
    needed[contradiction] = minimal(transfer, maps[contradiction], mentioned, |transfer, map| {
        transfer.apply(map, step, &Variables::All).is_none()
    });
    for index in (0..contradiction).rev() {
        if index % STEPS_BETWEEN_CHECKS == 0 && budget.is_exhausted() {
            return None;
        }
        let step = &path[index];
        let after = needed[index + 1].clone();
        let (before_map, after_map) = (maps[index], maps[index + 1]);
        let taught_nothing = before_map == after_map
            && step.kind == StepKind::Operation
            && matches!(program.edge_op(step.edge), Op::Assume(_));
        needed[index] = if after.is_empty() || taught_nothing || !changes_any(program, step, &after)
        {
            after
        } else {
            // What the step reads, and what it leaves alone.
            let candidates = &mentioned_by(transfer, before_map, step) | &after;
            minimal(transfer, before_map, candidates, |transfer, map| {
                // A step that is impossible with less is no way to what is needed.
                let result = transfer.apply(map, step, &Variables::All);
                result.is_some_and(|result| {
                    after.iter().all(|var| {
                        transfer.store.get(result, var.0) == transfer.store.get(after_map, var.0)
                    })
                })
            })
        };
    }
    Some(Interpolants {
        contradiction,
        needed,
    })
}

/// Can the step change one of the values?
fn changes_any(program: &cfa::program::Program, step: &Step, values: &BTreeSet<VarId>) -> bool {
    let cells = || {
        values
            .iter()
            .any(|var| var.0 as usize >= program.vars.len())
    };
    let op = program.edge_op(step.edge);
    match (step.kind, op) {
        (StepKind::Call, Op::Call { function, .. }) => values.iter().any(|var| {
            let var = program.vars.get(var.0 as usize);
            var.is_some_and(|var| var.function == Some(*function))
        }),
        (StepKind::Return, Op::Call { result, .. }) => {
            result.is_some_and(|result| values.contains(&result))
        }
        (_, Op::Assume(_)) => true,
        (_, Op::Skip | Op::End(_) | Op::Release(_)) => false,
        (_, Op::Assign(var, _) | Op::Havoc(var, _)) => values.contains(var),
        _ => {
            cells()
                || op
                    .written_variable()
                    .is_some_and(|var| values.contains(&var))
        }
    }
}

/// The variables and cells that a step reads.
fn mentioned_by(transfer: &mut ValueTransfer<'_>, map: MapId, step: &Step) -> BTreeSet<VarId> {
    let program = transfer.program;
    match (step.kind, program.edge_op(step.edge)) {
        (StepKind::Return, Op::Call { function, .. }) => {
            program.function(*function).result.into_iter().collect()
        }
        (_, op) => {
            let expressions = op.expressions();
            let mut read = variables_of(&program.pool, expressions.iter().copied());
            for expression in expressions {
                if program.pool.reads_memory(expression) {
                    read.extend(transfer.cells_read(map, expression));
                }
            }
            read
        }
    }
}

/// The map restricted to as few of the variables as satisfy the test, which all of them do.
fn minimal(
    transfer: &mut ValueTransfer<'_>,
    map: MapId,
    variables: BTreeSet<VarId>,
    mut suffices: impl FnMut(&mut ValueTransfer<'_>, MapId) -> bool,
) -> BTreeSet<VarId> {
    let mut kept: BTreeSet<VarId> = variables
        .into_iter()
        .filter(|var| transfer.store.get(map, var.0).is_some())
        .collect();
    let mut restricted = MapId::EMPTY;
    for var in &kept {
        let value = transfer.store.get(map, var.0);
        restricted = transfer.store.set(restricted, var.0, value);
    }
    for var in kept.clone() {
        let without = transfer.store.set(restricted, var.0, None);
        if suffices(transfer, without) {
            restricted = without;
            kept.remove(&var);
        }
    }
    kept
}
