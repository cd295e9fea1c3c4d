//! Refinement of the value analysis: which variables must be tracked so that a path is found infeasible.
//!
//! D. Beyer, S. Löwe, FASE 2013 (thesis 004, section 2.4.2), and the choice among infeasible prefixes of D. Beyer, S. Löwe,
//! P. Wendler, *Refinement selection*, SPIN 2015.
//!
//! | paper | here |
//! |---|---|
//! | infeasible prefix | a step of the path whose condition the values contradict; there may be several |
//! | interpolant at a position | the variables in [`Interpolants::needed`] there, with their values |
//! | `Refine(σ)` | [`refine`] |
//!
//! Deviation: interpolants are found from the contradiction backwards, in time linear in the path: a variable is needed
//! before a step if what is needed after it cannot be computed without it. Each step drops what it can do without.

use super::store::MapId;
use super::transfer::ValueTransfer;
use crate::numeric::transfer::Tracked;
use crate::place::{Step, StepKind};
use crate::precision::Variables;
use cfa::expr::{ExprId, ExprPool, Node, VarId};
use cfa::op::Op;
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

/// All infeasible prefixes of the path that values can see, with their interpolants; best first.
pub fn prefixes(transfer: &mut ValueTransfer<'_>, path: &[Step]) -> Vec<Interpolants> {
    let mut maps = vec![MapId::EMPTY];
    let mut contradictions = Vec::new();
    for (index, step) in path.iter().enumerate() {
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
    contradictions.truncate(MOST_PREFIXES);
    let mut found: Vec<(u64, usize, Interpolants)> = contradictions
        .into_iter()
        .map(|contradiction| {
            let interpolants = interpolate(transfer, path, &maps, contradiction);
            let score = score(transfer, path, &interpolants);
            (score, contradiction, interpolants)
        })
        .collect();
    found.sort_by_key(|(score, contradiction, _)| (*score, *contradiction));
    found.into_iter().map(|(_, _, found)| found).collect()
}

const MOST_PREFIXES: usize = 40;

/// Variables that change often along the path make many states; few variables make few states.
fn score(transfer: &ValueTransfer<'_>, path: &[Step], interpolants: &Interpolants) -> u64 {
    let variables = interpolants.variables();
    let program = transfer.program;
    let mut score = 0;
    for var in &variables {
        let changes = path[..interpolants.contradiction]
            .iter()
            .filter(|step| {
                let op = program.edge_op(step.edge);
                let reads_itself = matches!(op, Op::Assign(target, value)
                    if target == var && program.pool.node(*value) != Node::Var(*var)
                        && variables_of(&program.pool, [*value]).contains(var));
                step.kind == StepKind::Operation && reads_itself
            })
            .count() as u64;
        score += 1 + 10 * changes.min(20);
    }
    score
}

fn interpolate(
    transfer: &mut ValueTransfer<'_>,
    path: &[Step],
    maps: &[MapId],
    contradiction: usize,
) -> Interpolants {
    let program = transfer.program;
    let mut needed = vec![BTreeSet::new(); contradiction + 1];
    let step = &path[contradiction];
    let mentioned = mentioned_by(transfer, maps[contradiction], step);
    // Without any of the others the step must still be impossible.
    needed[contradiction] = minimal(transfer, maps[contradiction], mentioned, |transfer, map| {
        transfer.apply(map, step, &Variables::All).is_none()
    });
    for index in (0..contradiction).rev() {
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
    Interpolants {
        contradiction,
        needed,
    }
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

/// The variables to track besides those of the precision, and where the abstraction changes first; `None` if values
/// cannot refute the path, or nothing new would be tracked.
pub fn refine(
    transfer: &mut ValueTransfer<'_>,
    path: &[Step],
    precision: &Variables,
) -> Option<(Vec<VarId>, usize)> {
    for interpolants in prefixes(transfer, path) {
        let more: Vec<VarId> = interpolants
            .variables()
            .into_iter()
            .filter(|&var| !precision.tracks(var))
            .collect();
        if !more.is_empty() {
            return Some((more, interpolants.cut()));
        }
    }
    None
}
