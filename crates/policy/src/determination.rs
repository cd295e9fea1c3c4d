//! Value determination: where a loop of policies comes to rest.
//!
//! Each unknown bound `d` has a policy: a way through a block from a place whose bounds may be unknown
//! themselves. The system says of every unknown that its policy, begun within the bounds, ends with a
//! value of at least `d`. Solutions are closed under maxima, because more is allowed at the beginning
//! where bounds are greater; so there is a greatest one, and it is found bound by bound.

use crate::iteration::{Iteration, Unknown, at_most};
use crate::maximise::maximise;
use facts::budget::SolverBudget;
use facts::engine::Reason;
use induction::graph::{PlaceId, Target};
use logic::{Answer, Solver, Sort, Term, TermPool, UnknownReason};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Parts of the formulas of one system.
const MAX_SIZE: usize = 100_000;

/// Raises the bounds that policies on a loop through the improved templates raise again and again;
/// the places where something has changed.
pub(crate) fn determine(
    iteration: &mut Iteration<'_, '_>,
    improved: &[Unknown],
) -> Result<BTreeSet<PlaceId>, Reason> {
    let mut changed = BTreeSet::new();
    let unknowns = unknowns(iteration, improved);
    if unknowns.is_empty() || unknowns.len() > iteration.options.unknowns {
        return Ok(changed);
    }
    let Some(mut system) = System::new(iteration, &unknowns)? else {
        return Ok(changed);
    };
    iteration.counts.determinations += 1;
    let mut raised: Vec<(Unknown, i128)> = Vec::new();
    for &unknown in &unknowns {
        let (place, number) = unknown;
        let Some(before) = value_of(iteration, unknown) else {
            continue;
        };
        let highest = iteration.templates(place)[number].highest();
        let found = system.greatest(iteration.graph.pool(), unknown, before, highest);
        let found = found.map_err(|why| Reason::of_solver(iteration.budget, &why))?;
        if found > before {
            raised.push((unknown, found));
        }
    }
    for (unknown, value) in raised {
        iteration.raise(unknown, value, None);
        changed.insert(unknown.0);
    }
    Ok(changed)
}

fn value_of(iteration: &Iteration<'_, '_>, (place, number): Unknown) -> Option<i128> {
    let bound = iteration.states.get(&place)?.get(number)?;
    bound.as_ref().map(|bound| bound.value)
}

/// The unknowns that the improved ones depend on through policies on their loop, with the improved
/// ones that depend on some; nothing if no policy comes back to where it began.
fn unknowns(iteration: &Iteration<'_, '_>, improved: &[Unknown]) -> Vec<Unknown> {
    let mut found: BTreeSet<Unknown> = BTreeSet::new();
    let mut work: Vec<Unknown> = improved.to_vec();
    while let Some(unknown) = work.pop() {
        let Some(source) = source(iteration, unknown) else {
            continue;
        };
        if !found.insert(unknown) {
            continue;
        }
        let templates = 0..iteration.templates(source).len();
        work.extend(templates.map(|number| (source, number)));
    }
    // A bound is determined only where a way leads back to it.
    let returns = improved.iter().any(|unknown| {
        let sources = found.iter().filter_map(|&other| source(iteration, other));
        let mut sources = sources;
        found.contains(unknown) && sources.any(|source| source == unknown.0)
    });
    match returns {
        true => found.into_iter().collect(),
        false => Vec::new(),
    }
}

/// Where the policy of an unknown begins, if that is on a loop with it and the bound says something.
fn source(iteration: &Iteration<'_, '_>, (place, number): Unknown) -> Option<PlaceId> {
    let bound = iteration.states.get(&place)?.get(number)?.as_ref()?;
    let is_trivial = bound.value >= iteration.templates(place)[number].highest();
    let source = iteration.graph.block(bound.policy.block).source;
    (!is_trivial && iteration.is_cycle(source, place)).then_some(source)
}

/// The policies of all unknowns, each with variables of its own.
struct System {
    solver: Box<dyn Solver>,
    /// A variable for each unknown bound.
    bounds: FxHashMap<Unknown, Term>,
}

impl System {
    /// `None` if it is too large.
    fn new(
        iteration: &mut Iteration<'_, '_>,
        unknowns: &[Unknown],
    ) -> Result<Option<System>, Reason> {
        let mut solver = iteration.budget.make_solver(0);
        let mut bounds = FxHashMap::default();
        for &(place, number) in unknowns {
            let width = iteration.templates(place)[number].width();
            let pool = iteration.graph.pool();
            let bound = pool.fresh_var("bound", Sort::BitVec(width));
            bounds.insert((place, number), bound);
        }
        let mut size = 0;
        for &unknown in unknowns {
            let said = policy(iteration, unknown, &bounds)?;
            let pool = iteration.graph.pool();
            size += pool.dag_size(said);
            if size > MAX_SIZE {
                return Ok(None);
            }
            solver.assert(pool, said);
        }
        Ok(Some(System { solver, bounds }))
    }

    /// The greatest value of an unknown; it is at least that from now on.
    fn greatest(
        &mut self,
        pool: &mut TermPool,
        unknown: Unknown,
        known: i128,
        highest: i128,
    ) -> Result<i128, UnknownReason> {
        let Some(&bound) = self.bounds.get(&unknown) else {
            return Ok(known);
        };
        let solver = &mut self.solver;
        let value = maximise(
            |least| {
                let below = at_most(pool, bound, least - 1);
                let above = pool.not(below);
                match solver.check(pool, &[above]) {
                    Answer::Unsat => Ok(None),
                    Answer::Sat => {
                        let value = solver.value(pool, bound);
                        Ok(value.and_then(|value| value.as_bv()?.to_i128()))
                    }
                    Answer::Unknown(why) => Err(why),
                }
            },
            known,
            highest,
        )?;
        let below = at_most(pool, bound, value - 1);
        let above = pool.not(below);
        solver.assert(pool, above);
        Ok(value)
    }
}

/// "The unknown's policy, begun within the bounds, ends with at least the unknown bound", and that
/// this is at least what it was.
fn policy(
    iteration: &mut Iteration<'_, '_>,
    unknown: Unknown,
    bounds: &FxHashMap<Unknown, Term>,
) -> Result<Term, Reason> {
    let (place, number) = unknown;
    let bound = iteration.states.get(&place).and_then(|all| all.get(number));
    let Some(bound) = bound.cloned().flatten() else {
        return Ok(TermPool::TRUE);
    };
    let id = bound.policy.block;
    let block = iteration.graph.block(id);
    debug_assert_eq!(block.target, Target::Place(place));
    let (source, mut parts) = (block.source, block.path.clone());
    parts.extend(&bound.policy.literals);
    parts.extend(iteration.assumed(source, |number| bounds.contains_key(&(source, number))));
    let end = iteration.at_end(id, place)?[number];
    let starts = iteration.at_start(source);
    let pool = iteration.graph.pool();
    let mut variables = pool.free_vars_of(&parts);
    variables.extend(pool.free_vars_of(&[end]));
    variables.extend(pool.free_vars_of(&starts));
    let mut own: FxHashMap<Term, Term> = FxHashMap::default();
    for variable in variables {
        let sort = pool.sort(variable);
        own.entry(variable)
            .or_insert_with(|| pool.fresh_var("copy", sort));
    }
    let mut said = Vec::new();
    for part in parts {
        said.push(pool.substitute_memo(part, &mut own));
    }
    for (number, &start) in starts.iter().enumerate() {
        if let Some(&bound) = bounds.get(&(source, number)) {
            let start = pool.substitute_memo(start, &mut own);
            said.push(pool.sle(start, bound));
        }
    }
    let end = pool.substitute_memo(end, &mut own);
    if let Some(&unknown) = bounds.get(&unknown) {
        said.push(pool.sle(unknown, end));
        let below = at_most(pool, unknown, bound.value - 1);
        said.push(pool.not(below));
    }
    Ok(pool.and_all(said))
}
