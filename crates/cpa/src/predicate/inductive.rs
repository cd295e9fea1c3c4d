//! Conjunctions of vocabulary atoms that are inductive over the graph of blocks (C. Flanagan, K. R. M. Leino: Houdini,
//! an annotation assistant for ESC/Java, FME 2001): start with all candidates, drop what a block does not preserve,
//! until nothing is left to drop.
//!
//! What remains holds at its places whatever the analysis does, so it strengthens every abstract state there. It is
//! asked for before any interpolation: invariants do not count up to the bound of a loop.

use super::blocks::{BlockId, Blocks, PlaceId, ROOT, Target};
use super::predicates::Predicates;
use cfa::expr::ExprId;
use logic::{Answer, NativeSolver, Solver, StopToken, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Atoms or their negations at places.
pub type Candidates = BTreeMap<PlaceId, Vec<ExprId>>;

/// The places that blocks lead to from the start, with the blocks between them; `None` if there are more than
/// `limit`.
pub fn whole_graph(graph: &mut Blocks<'_>, limit: usize) -> Option<(Vec<PlaceId>, Vec<BlockId>)> {
    let mut places = vec![ROOT];
    let mut known: FxHashSet<PlaceId> = places.iter().copied().collect();
    let mut blocks = Vec::new();
    let mut next = 0;
    while next < places.len() {
        let place = places[next];
        next += 1;
        for &block in graph.outgoing(place).iter() {
            if let Target::Place(target) = graph.block(block).target {
                blocks.push(block);
                if known.insert(target) {
                    places.push(target);
                    if places.len() > limit {
                        return None;
                    }
                }
            }
        }
        if graph.stop.is_stopped() {
            return None;
        }
    }
    Some((places, blocks))
}

/// Drops candidates until the rest is inductive. `false` if that was not finished.
pub fn make_inductive(
    graph: &mut Blocks<'_>,
    predicates: &mut Predicates,
    blocks: &[BlockId],
    candidates: &mut Candidates,
    stop: &StopToken,
) -> bool {
    let mut solvers: FxHashMap<BlockId, NativeSolver> = FxHashMap::default();
    let mut dirty: Vec<bool> = vec![true; blocks.len()];
    while let Some(position) = dirty.iter().position(|&dirty| dirty) {
        dirty[position] = false;
        let block = blocks[position];
        let Target::Place(target) = graph.block(block).target else {
            continue;
        };
        if candidates.get(&target).is_none_or(Vec::is_empty) {
            continue;
        }
        let source = graph.block(block).source;
        let mut assumptions: Vec<Term> = Vec::new();
        for &expr in candidates.get(&source).into_iter().flatten() {
            if let Some(term) = predicates.start_term(graph, source, expr) {
                assumptions.push(term);
            }
        }
        let mut goals: Vec<(ExprId, Term)> = Vec::new();
        let mut dropped: FxHashSet<ExprId> = FxHashSet::default();
        for &expr in &candidates[&target] {
            match predicates.end_term(graph, block, expr) {
                Some(term) => goals.push((expr, term)),
                None => {
                    dropped.insert(expr);
                }
            }
        }
        // What the block does not touch stays true.
        let held: FxHashSet<Term> = assumptions.iter().copied().collect();
        goals.retain(|(_, term)| !held.contains(term));
        let path = graph.block(block).path.clone();
        let pool = graph.pool();
        let solver = solvers.entry(block).or_insert_with(|| {
            let mut solver = NativeSolver::default();
            for term in path {
                solver.assert(pool, term);
            }
            solver
        });
        solver.set_stop(stop.clone());
        let fixed = assumptions.len();
        loop {
            goals.retain(|(expr, _)| !dropped.contains(expr));
            let all = pool.and_all(goals.iter().map(|&(_, term)| term));
            if all == logic::TermPool::TRUE {
                break;
            }
            assumptions.truncate(fixed);
            assumptions.push(pool.not(all));
            match solver.check(pool, &assumptions) {
                Answer::Unsat => break,
                Answer::Unknown(_) => return false,
                Answer::Sat => {
                    let before = dropped.len();
                    for &(expr, term) in &goals {
                        if solver.holds(pool, term) != Some(true) {
                            dropped.insert(expr);
                        }
                    }
                    if dropped.len() == before {
                        return false;
                    }
                }
            }
        }
        if !dropped.is_empty() {
            if let Some(list) = candidates.get_mut(&target) {
                list.retain(|expr| !dropped.contains(expr));
            }
            for (number, &other) in blocks.iter().enumerate() {
                if graph.block(other).source == target {
                    dirty[number] = true;
                }
            }
        }
        if stop.is_stopped() {
            return false;
        }
    }
    true
}
