//! What of a fixpoint its proof needs.
//!
//! A fixpoint says all that its domain can say, and most of that has nothing to do with the error:
//! an automaton whose states say less has more transitions, and removes more traces. Starting at
//! the blocks that lead to the error, each obligation `{φ} b {ψ}` is asked with the conjuncts of
//! `φ` that are needed already, and if that is not enough with all of them: those in the solver's
//! core are needed from then on, and so is whatever keeps them, on every block of the path program
//! that leads to their place.
//!
//! Law: the triples of the path program are valid for what is left, and no execution of it reaches
//! the error.

use cfa::expr::ExprId;
use facts::budget::Budget;
use facts::invariants::conjuncts;
use induction::graph::{BlockId, PlaceId, ROOT, Target};
use logic::{Answer, Term};
use predicate::refutation::Refuter;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Questions that make one core smaller.
const MAX_DROPS: usize = 12;

/// For each place the formulas of the fixpoint, and those that are needed.
pub struct Relevance {
    all: BTreeMap<PlaceId, Vec<ExprId>>,
    needed: BTreeMap<PlaceId, BTreeSet<ExprId>>,
    incoming: FxHashMap<PlaceId, Vec<BlockId>>,
}

/// A block, and what has to hold behind it; nothing: that no execution passes it.
type Obligation = (BlockId, Option<ExprId>);

impl Relevance {
    /// `formula` is what the fixpoint says of a place.
    pub fn new(
        refuter: &mut Refuter<'_>,
        blocks: &BTreeSet<BlockId>,
        formula: impl Fn(&cfa::place::Place) -> ExprId,
    ) -> Relevance {
        let (graph, predicates) = refuter.parts();
        let mut relevance = Relevance {
            all: BTreeMap::new(),
            needed: BTreeMap::new(),
            incoming: FxHashMap::default(),
        };
        for &block in blocks {
            let source = graph.block(block).source;
            let said = conjuncts(&predicates.exprs, formula(graph.place(source)));
            relevance.all.insert(source, said);
            if let Target::Place(target) = graph.block(block).target {
                relevance.incoming.entry(target).or_default().push(block);
            }
        }
        relevance
    }

    /// Finds what is needed; `false` if the solver does not confirm the fixpoint.
    pub fn find(
        &mut self,
        refuter: &mut Refuter<'_>,
        blocks: &BTreeSet<BlockId>,
        falsity: ExprId,
        budget: &Budget,
    ) -> bool {
        let mut open: Vec<Obligation> = Vec::new();
        for &block in blocks {
            if !matches!(refuter.graph().block(block).target, Target::Place(_)) {
                open.push((block, None));
            }
        }
        while let Some((block, goal)) = open.pop() {
            if budget.is_exhausted() {
                return false;
            }
            let Some(new) = self.support(refuter, block, goal, falsity) else {
                return false;
            };
            let source = refuter.graph().block(block).source;
            for conjunct in new {
                if self.needed.entry(source).or_default().insert(conjunct) {
                    let incoming = self.incoming.get(&source).into_iter().flatten();
                    open.extend(incoming.map(|&before| (before, Some(conjunct))));
                }
            }
        }
        true
    }

    /// The conjuncts at the beginning of the block that are needed besides those that are.
    fn support(
        &self,
        refuter: &mut Refuter<'_>,
        block: BlockId,
        goal: Option<ExprId>,
        falsity: ExprId,
    ) -> Option<Vec<ExprId>> {
        let (graph, predicates) = refuter.parts();
        let source = graph.block(block).source;
        let mut assumed: Vec<Term> = Vec::new();
        if let Some(goal) = goal.filter(|&goal| goal != falsity) {
            let end = predicates.end_term(graph, block, goal)?;
            assumed.push(graph.pool().not(end));
        }
        let needed = self.needed.get(&source);
        let (mut known, mut others): (Vec<Term>, Vec<(ExprId, Term)>) = Default::default();
        // Nothing is known where the program starts.
        let said = self.all.get(&source).filter(|_| source != ROOT);
        for &conjunct in said.into_iter().flatten() {
            let Some(term) = predicates.start_term(graph, source, conjunct) else {
                continue;
            };
            match needed.is_some_and(|needed| needed.contains(&conjunct)) {
                true => known.push(term),
                false => others.push((conjunct, term)),
            }
        }
        let (solver, pool) = graph.solver(block);
        let mut ask = |others: &[(ExprId, Term)]| -> Option<Vec<(ExprId, Term)>> {
            let mut assumptions = assumed.clone();
            assumptions.extend(&known);
            assumptions.extend(others.iter().map(|&(_, term)| term));
            match solver.check(pool, &assumptions) {
                Answer::Unsat => {
                    let core = solver.core();
                    let kept = others.iter().filter(|(_, term)| core.contains(term));
                    Some(kept.copied().collect())
                }
                _ => None,
            }
        };
        if ask(&[]).is_some() {
            return Some(Vec::new());
        }
        let mut core = ask(&others)?;
        let mut position = 0;
        for _ in 0..MAX_DROPS {
            if position >= core.len() {
                break;
            }
            let mut fewer = core.clone();
            fewer.remove(position);
            match ask(&fewer) {
                Some(smaller) => core = smaller,
                None => position += 1,
            }
        }
        Some(core.into_iter().map(|(conjunct, _)| conjunct).collect())
    }

    /// What is left of the formula of a place.
    pub fn formula(&self, refuter: &mut Refuter<'_>, place: PlaceId) -> ExprId {
        let exprs = &mut refuter.parts().1.exprs;
        let needed = self.needed.get(&place).into_iter().flatten().copied();
        let all = needed.reduce(|one, other| exprs.and(one, other));
        all.unwrap_or_else(|| exprs.bool_constant(true))
    }
}
