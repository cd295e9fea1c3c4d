//! Conjunctions of vocabulary atoms that are inductive over the graph of blocks (C. Flanagan, K. R.
//! M. Leino: Houdini, an annotation assistant for ESC/Java, FME 2001): start with all candidates,
//! drop what a block does not preserve, until nothing is left to drop.
//!
//! What remains holds at its places whatever the analysis does, so it strengthens every abstract
//! state there. It is asked for before any interpolation: invariants do not count up to the bound
//! of a loop.

use super::blocks::{BlockId, Blocks, PlaceId, ROOT, Target};
use super::predicates::Predicates;
use cfa::expr::{BinOp, ExprId, Node};
use control::StopToken;
use encoding::vocabulary;
use logic::{Answer, Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A solver for each block, holding its path, that questions about candidates go to. They are not
/// those of the abstractions, because every question leaves something behind.
#[derive(Default)]
pub struct Solvers(FxHashMap<BlockId, Box<dyn Solver>>);

impl Solvers {
    fn of<'a>(
        &'a mut self,
        graph: &mut Blocks<'_>,
        block: BlockId,
        stop: &StopToken,
    ) -> &'a mut dyn Solver {
        let path = &graph.block(block).path.clone();
        let solving = graph.solving.clone();
        let pool = graph.pool();
        let solver = self.0.entry(block).or_insert_with(|| {
            let mut solver = solving.solver(stop);
            for &term in path {
                solver.assert(pool, term);
            }
            solver
        });
        solver.set_stop(stop.clone());
        solver.as_mut()
    }

    /// The solver as it was left.
    fn again(&mut self, block: BlockId) -> Option<&mut Box<dyn Solver>> {
        self.0.get_mut(&block)
    }
}

/// Atoms or their negations at places.
pub type Candidates = BTreeMap<PlaceId, Vec<ExprId>>;

/// The places that blocks lead to from the start, with the blocks between them; `None` if there are
/// more than `limit`.
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

/// One question is worth so much; a candidate that needs more is dropped.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// Drops candidates until the rest is inductive. `false` if that was not finished.
///
/// Each candidate is asked about alone: many small questions are easier than one about all of them.
/// What a candidate was derived from is remembered, and it is asked about again only when a part of
/// that is dropped.
pub fn make_inductive(
    graph: &mut Blocks<'_>,
    predicates: &mut Predicates,
    solvers: &mut Solvers,
    blocks: &[BlockId],
    candidates: &mut Candidates,
    stop: &StopToken,
) -> bool {
    let mut obligations: Vec<(BlockId, PlaceId, PlaceId)> = Vec::new();
    for &block in blocks {
        if let Target::Place(target) = graph.block(block).target {
            obligations.push((block, graph.block(block).source, target));
        }
    }
    let mut queue: VecDeque<(usize, ExprId)> = VecDeque::new();
    for (number, &(_, _, target)) in obligations.iter().enumerate() {
        let list = candidates.get(&target).into_iter().flatten();
        queue.extend(list.map(|&expr| (number, expr)));
    }
    // For each block and candidate at its end: the candidates at its beginning that it follows
    // from.
    let mut reasons: FxHashMap<(usize, ExprId), Vec<ExprId>> = FxHashMap::default();
    while let Some((number, expr)) = queue.pop_front() {
        let (block, source, target) = obligations[number];
        if !candidates[&target].contains(&expr) {
            continue;
        }
        if stop.is_stopped() {
            return false;
        }
        let mut dropped: Vec<ExprId> = Vec::new();
        match predicates.end_term(graph, block, expr) {
            None => dropped.push(expr),
            Some(logic::TermPool::TRUE) => {
                reasons.insert((number, expr), Vec::new());
            }
            Some(goal) => {
                let mut known: Vec<(ExprId, Term)> = Vec::new();
                for &expr in candidates.get(&source).into_iter().flatten() {
                    if let Some(term) = predicates.start_term(graph, source, expr) {
                        known.push((expr, term));
                    }
                }
                if let Some(&(same, _)) = known.iter().find(|&&(_, term)| term == goal) {
                    // The block does not touch it.
                    reasons.insert((number, expr), vec![same]);
                    continue;
                }
                // What speaks of the same variables is usually enough, and much easier to see
                // through.
                let about = vocabulary::variables_of(&predicates.exprs, expr);
                let mut near: Vec<Term> = Vec::new();
                for &(expr, term) in &known {
                    let variables = vocabulary::variables_of(&predicates.exprs, expr);
                    if variables.iter().all(|var| about.contains(var)) {
                        near.push(term);
                    }
                }
                let solver = solvers.of(graph, block, &stop.with_timeout(PATIENCE));
                let pool = graph.pool();
                let fails = pool.not(goal);
                near.push(fails);
                let mut answer = solver.check(pool, &near);
                if answer.is_sat() {
                    let mut assumptions: Vec<Term> = known.iter().map(|&(_, term)| term).collect();
                    assumptions.push(fails);
                    answer = solver.check(pool, &assumptions);
                }
                match answer {
                    Answer::Unsat => {
                        let core = solver.core();
                        let used = known.iter().filter(|(_, term)| core.contains(term));
                        reasons.insert((number, expr), used.map(|&(expr, _)| expr).collect());
                    }
                    Answer::Unknown(_) => dropped.push(expr),
                    Answer::Sat => {
                        let list = candidates[&target].clone();
                        for other in list {
                            let Some(term) = predicates.end_term(graph, block, other) else {
                                continue;
                            };
                            let solver = solvers.again(block);
                            if solver.is_none_or(|solver| {
                                solver.holds(graph.pool(), term) == Some(false)
                            }) {
                                dropped.push(other);
                            }
                        }
                        if !dropped.contains(&expr) {
                            dropped.push(expr);
                        }
                    }
                }
            }
        }
        if dropped.is_empty() {
            continue;
        }
        if let Some(list) = candidates.get_mut(&target) {
            list.retain(|expr| !dropped.contains(expr));
        }
        for (next, &(_, from, to)) in obligations.iter().enumerate() {
            if from != target {
                continue;
            }
            for &goal in candidates.get(&to).into_iter().flatten() {
                let reason = reasons.get(&(next, goal));
                if reason.is_some_and(|used| used.iter().any(|expr| dropped.contains(expr))) {
                    reasons.remove(&(next, goal));
                    queue.push_back((next, goal));
                }
            }
        }
    }
    true
}

/// The expressions at the block's beginning that make it impossible; `None` if they do not.
pub fn refutes(
    graph: &mut Blocks<'_>,
    predicates: &mut Predicates,
    solvers: &mut Solvers,
    block: BlockId,
    known: &[ExprId],
    stop: &StopToken,
) -> Option<Vec<ExprId>> {
    let source = graph.block(block).source;
    let mut terms: Vec<(ExprId, Term)> = Vec::new();
    for &expr in known {
        if let Some(term) = predicates.start_term(graph, source, expr) {
            terms.push((expr, term));
        }
    }
    // Equations first: they say most and are few; with all the rest a question may become hard.
    let is_equation = |expr: ExprId| {
        matches!(
            predicates.exprs.node(expr),
            Node::Binary(BinOp::Eq, ..) | Node::Binary(BinOp::Ne, ..)
        )
    };
    let is_bound = |expr: ExprId| match predicates.exprs.node(expr) {
        Node::Binary(BinOp::Le, a, b) => {
            matches!(predicates.exprs.node(a), Node::Var(_) | Node::Const(_))
                && matches!(predicates.exprs.node(b), Node::Var(_) | Node::Const(_))
        }
        _ => false,
    };
    let equations: Vec<Term> = terms
        .iter()
        .filter(|&&(expr, _)| is_equation(expr))
        .map(|&(_, term)| term)
        .collect();
    let simple: Vec<Term> = terms
        .iter()
        .filter(|&&(expr, _)| is_equation(expr) || is_bound(expr))
        .map(|&(_, term)| term)
        .collect();
    let all: Vec<Term> = terms.iter().map(|&(_, term)| term).collect();
    for mut core in [equations, simple, all] {
        let solver = solvers.of(graph, block, &stop.with_timeout(2 * PATIENCE));
        let pool = graph.pool();
        if solver.check(pool, &core) == Answer::Unsat {
            core = solver.core().to_vec();
            let solver = solvers.of(graph, block, &stop.with_timeout(4 * PATIENCE));
            shrink(graph.pool(), solver, &mut core, &[]);
            return Some(named(&terms, &core));
        }
    }
    None
}

/// The expressions of terms.
fn named(terms: &[(ExprId, Term)], core: &[Term]) -> Vec<ExprId> {
    let mut found = Vec::new();
    for &wanted in core {
        if let Some(&(expr, _)) = terms.iter().find(|&&(_, term)| term == wanted) {
            found.push(expr);
        }
    }
    found
}

/// Drops assumptions that are not needed, while there are few.
fn shrink(
    pool: &mut logic::TermPool,
    solver: &mut dyn Solver,
    core: &mut Vec<Term>,
    fixed: &[Term],
) {
    if core.len() > 30 {
        return;
    }
    let mut position = 0;
    while position < core.len() {
        let mut fewer = core.clone();
        fewer.remove(position);
        let mut assumptions = fewer.clone();
        assumptions.extend(fixed);
        if solver.check(pool, &assumptions) == Answer::Unsat {
            let used = solver.core().to_vec();
            fewer.retain(|term| used.contains(term));
            *core = fewer;
        } else {
            position += 1;
        }
    }
}

/// The wanted expressions with those of the inductive `known` ones that keep them true over the
/// blocks: an inductive part of what is known. `None` if it was not finished.
pub fn support(
    graph: &mut Blocks<'_>,
    predicates: &mut Predicates,
    solvers: &mut Solvers,
    blocks: &[BlockId],
    known: &Candidates,
    wanted: Candidates,
    stop: &StopToken,
) -> Option<Candidates> {
    let mut result = wanted;
    let mut work: Vec<(PlaceId, ExprId)> = Vec::new();
    for (&place, list) in &result {
        work.extend(list.iter().map(|&expr| (place, expr)));
    }
    while let Some((place, expr)) = work.pop() {
        for &block in blocks {
            if graph.block(block).target != Target::Place(place) {
                continue;
            }
            let source = graph.block(block).source;
            let goal = predicates.end_term(graph, block, expr)?;
            let mut terms: Vec<(ExprId, Term)> = Vec::new();
            for &expr in known.get(&source).into_iter().flatten() {
                if let Some(term) = predicates.start_term(graph, source, expr) {
                    terms.push((expr, term));
                }
            }
            let solver = solvers.of(graph, block, stop);
            let pool = graph.pool();
            let fails = pool.not(goal);
            if fails == logic::TermPool::FALSE {
                continue;
            }
            // What is wanted anyway first: perhaps nothing else is needed.
            let mut assumptions = vec![fails];
            let chosen = result.get(&source).cloned().unwrap_or_default();
            for &(expr, term) in &terms {
                if chosen.contains(&expr) {
                    assumptions.push(term);
                }
            }
            if solver.check(pool, &assumptions) != Answer::Unsat {
                assumptions = terms.iter().map(|&(_, term)| term).collect();
                assumptions.push(fails);
                if solver.check(pool, &assumptions) != Answer::Unsat {
                    return None;
                }
            }
            let mut core = solver.core().to_vec();
            core.retain(|&term| term != fails);
            shrink(pool, solver, &mut core, &[fails]);
            for expr in named(&terms, &core) {
                let list = result.entry(source).or_default();
                if !list.contains(&expr) {
                    list.push(expr);
                    work.push((source, expr));
                }
            }
        }
    }
    Some(result)
}
