//! Conjunctions of vocabulary atoms that are inductive over the graph of blocks
//! ([`induction::houdini`]), and the parts of them that somebody needs.
//!
//! What is inductive holds at its places whatever the analysis does, so it strengthens every
//! abstract state there. It is asked for before any interpolation: invariants do not count up to
//! the bound of a loop.

use super::predicates::Predicates;
use cfa::expr::{BinOp, ExprId, Node};
use control::StopToken;
use encoding::vocabulary;
use induction::graph::{BlockId, PlaceId, Target};
use induction::hoare::{HoareChecker, Solvers, Step};
use induction::houdini::{self, Candidate, Houdini, Obligation, Questions, Undecided};
use induction::solver_graph::SolverGraph;
use logic::{Term, TermPool};
use std::collections::BTreeMap;
use std::time::Duration;

/// Atoms or their negations at places.
pub type Candidates = BTreeMap<PlaceId, Vec<ExprId>>;

/// The places that blocks lead to from the start, with the blocks between them; `None` if there are
/// more than `limit`.
pub fn whole_graph(
    graph: &mut SolverGraph<'_>,
    limit: usize,
) -> Option<(Vec<PlaceId>, Vec<BlockId>)> {
    let stop = graph.stop.clone();
    graph.explore(limit.checked_sub(1)?, &stop).ok()?;
    let mut blocks = graph.general_blocks();
    blocks.retain(|&block| matches!(graph.block(block).target, Target::Place(_)));
    Some((graph.places().collect(), blocks))
}

/// One question is worth so much; a candidate that needs more is dropped.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// Makes the checker of candidates. Its solvers are not those of the abstractions, because every
/// question leaves something behind.
pub fn checker(graph: &SolverGraph<'_>) -> HoareChecker {
    let (solving, stop) = (graph.solving.clone(), graph.stop.clone());
    let solver = {
        let stop = stop.clone();
        move || solving.solver(&stop)
    };
    HoareChecker::new(Solvers::PerStep, &stop, solver)
}

/// Candidates by their numbers.
struct Numbered<'a, 'p> {
    graph: &'a mut SolverGraph<'p>,
    predicates: &'a mut Predicates,
    list: Vec<(PlaceId, ExprId)>,
}

impl houdini::Candidates for Numbered<'_, '_> {
    fn pool(&mut self) -> &mut TermPool {
        self.graph.pool()
    }

    fn assumed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let (place, expr) = self.list[candidate];
        debug_assert_eq!(self.graph.block(BlockId(step)).source, place);
        self.predicates.start_term(self.graph, place, expr)
    }

    fn claimed(&mut self, step: u32, candidate: Candidate) -> Option<Term> {
        let (_, expr) = self.list[candidate];
        self.predicates.end_term(self.graph, BlockId(step), expr)
    }

    /// What speaks of the same variables is usually enough, and much easier to see through.
    fn is_near(&mut self, assumed: Candidate, claimed: Candidate) -> bool {
        let exprs = &self.predicates.exprs;
        let about = vocabulary::variables_of(exprs, self.list[claimed].1);
        let variables = vocabulary::variables_of(exprs, self.list[assumed].1);
        variables.iter().all(|var| about.contains(var))
    }
}

/// Drops candidates until the rest is inductive. `false` if that was not finished.
pub fn make_inductive(
    graph: &mut SolverGraph<'_>,
    predicates: &mut Predicates,
    checker: &mut HoareChecker,
    blocks: &[BlockId],
    candidates: &mut Candidates,
    stop: &StopToken,
) -> bool {
    let mut houdini = Houdini::new(Questions::Alone, Undecided::Falls);
    let mut list: Vec<(PlaceId, ExprId)> = Vec::new();
    let mut numbers: BTreeMap<PlaceId, Vec<Candidate>> = BTreeMap::new();
    for (&place, exprs) in candidates.iter() {
        for &expr in exprs {
            list.push((place, expr));
            let number = houdini.add_candidate();
            numbers.entry(place).or_default().push(number);
        }
    }
    for &id in blocks {
        let block = graph.block(id);
        if let Target::Place(target) = block.target {
            houdini.add_obligation(Obligation {
                key: id.0,
                path: block.path.clone(),
                before: numbers.get(&block.source).cloned().unwrap_or_default(),
                after: numbers.get(&target).cloned().unwrap_or_default(),
            });
        }
    }
    checker.limit(stop, Some(PATIENCE));
    let mut numbered = Numbered {
        graph,
        predicates,
        list,
    };
    if houdini.run(&mut numbered, checker).is_err() {
        return false;
    }
    for (place, exprs) in candidates.iter_mut() {
        let numbers = numbers.get(place).into_iter().flatten();
        let mut is_left = numbers.map(|&number| houdini.is_left(number));
        exprs.retain(|_| is_left.next().unwrap_or(true));
    }
    true
}

/// The expressions at the block's beginning that make it impossible; `None` if they do not.
pub fn refutes(
    graph: &mut SolverGraph<'_>,
    predicates: &mut Predicates,
    checker: &mut HoareChecker,
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
    let path = graph.block(block).path.clone();
    let step = Step {
        key: block.0,
        path: &path,
    };
    for terms_of_kind in [equations, simple, all] {
        checker.limit(stop, Some(2 * PATIENCE));
        let answer = checker.ask(graph.pool(), step, &terms_of_kind, TermPool::FALSE);
        if answer.is_valid() {
            let core = checker.needed(block.0);
            checker.limit(&stop.with_timeout(4 * PATIENCE), None);
            let core = shrunk(graph.pool(), checker, step, core, TermPool::FALSE);
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

/// The part of a precondition that is needed: what is not is dropped, while there are few.
fn shrunk(
    pool: &mut TermPool,
    checker: &mut HoareChecker,
    step: Step<'_>,
    core: Vec<Term>,
    post: Term,
) -> Vec<Term> {
    let mut core = core;
    if core.len() > 30 {
        return core;
    }
    let mut position = 0;
    while position < core.len() {
        let mut fewer = core.clone();
        fewer.remove(position);
        if checker.ask(pool, step, &fewer, post).is_valid() {
            let used = checker.needed(step.key);
            fewer.retain(|term| used.contains(term));
            core = fewer;
        } else {
            position += 1;
        }
    }
    core
}

/// The wanted expressions with those of the inductive `known` ones that keep them true over the
/// blocks: an inductive part of what is known. `None` if it was not finished.
pub fn support(
    graph: &mut SolverGraph<'_>,
    predicates: &mut Predicates,
    checker: &mut HoareChecker,
    blocks: &[BlockId],
    known: &Candidates,
    wanted: Candidates,
    stop: &StopToken,
) -> Option<Candidates> {
    checker.limit(stop, None);
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
            if goal == TermPool::TRUE {
                continue;
            }
            let path = graph.block(block).path.clone();
            let step = Step {
                key: block.0,
                path: &path,
            };
            // What is wanted anyway first: perhaps nothing else is needed.
            let chosen = result.get(&source).cloned().unwrap_or_default();
            let of_chosen = terms.iter().filter(|(expr, _)| chosen.contains(expr));
            let of_chosen: Vec<Term> = of_chosen.map(|&(_, term)| term).collect();
            let all: Vec<Term> = terms.iter().map(|&(_, term)| term).collect();
            let pool = graph.pool();
            if !checker.ask(pool, step, &of_chosen, goal).is_valid()
                && !checker.ask(pool, step, &all, goal).is_valid()
            {
                return None;
            }
            let mut core = checker.needed(block.0);
            core.retain(|term| all.contains(term));
            let core = shrunk(pool, checker, step, core, goal);
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
