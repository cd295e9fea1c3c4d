//! Refinement: why an abstract counterexample is none, in predicates.
//!
//! First conjunctions of atoms that are inductive over the whole program; then sequences of interpolants along the
//! path, from the configured sources in their order, until one of them says something that the precision does not have
//! yet. A source that has nothing new for a path is thereby passed over, and the next one is asked.

use super::abstraction::Undecided;
use super::analysis::{Analysis, Refined};
use super::blocks::{Blocks, PlaceId, ROOT, Target};
use super::candidates::{self, Source};
use super::inductive::{self, Candidates};
use super::options::InterpolantSource;
use super::trace::Trace;
use super::tree::NodeId;
use cfa::expr::{BinOp, ExprId, Node, VarId};
use encoding::vocabulary::{self, Extent};
use facts::engine::Outcome;
use logic::interpolate::{
    InterpolationError, Interpolator, ProofInterpolator, VocabularyInterpolator,
};
use logic::{Answer, NativeSolver, Solver, StopToken, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// More places than this are not looked at all at once.
const MOST_PLACES: usize = 60;
/// Candidates at one place.
const MOST_CANDIDATES: usize = 400;
/// Predicates that one refinement adds at one place.
const MOST_NEW: usize = 24;

/// A part of the time that is left, and never more than `most`.
pub(super) fn part(stop: &StopToken, fraction: f64, most: Duration) -> StopToken {
    let left = stop.time_left().map_or(most, |left| left.mul_f64(fraction));
    stop.with_timeout(left.min(most))
}

impl Analysis<'_> {
    /// Refutes the path: new facts or predicates, and the tree without what they change.
    pub(super) fn refute(
        &mut self,
        nodes: &[NodeId],
        trace: &Trace,
        core: &[Vec<Term>],
    ) -> Refined {
        // Once for each path: what others go on publishing must not keep this analysis from finding out by itself.
        let is_first = self
            .refined
            .get(&trace.blocks)
            .is_none_or(|&times| times < 2);
        if let Some(step) = self.new_invariants(trace, core)
            && is_first
        {
            self.statistics.refinements_by_facts += 1;
            self.cut_back(nodes, step);
            return Refined::Progress;
        }
        if self.options.inductive && self.strengthen(trace, core) {
            match self.first_impassable(nodes, trace) {
                Ok(Some(step)) => {
                    self.statistics.refinements_by[0] += 1;
                    self.cut_back(nodes, step + 1);
                    return Refined::Progress;
                }
                Ok(None) => {}
                Err(Undecided(why)) => return Refined::Done(Outcome::Unknown(why)),
            }
        }
        let mut reasons = Vec::new();
        for (number, source) in self.options.interpolants.clone().into_iter().enumerate() {
            if self.budget.is_exhausted() {
                break;
            }
            match self.predicates_from(source, trace, core) {
                Ok(found) => {
                    let mut first = None;
                    for (step, atoms) in found {
                        let place = trace.place(&self.graph, step);
                        for atom in atoms.into_iter().take(MOST_NEW) {
                            if self.add_predicate(place, atom) {
                                first = Some(first.map_or(step, |first: usize| first.min(step)));
                            }
                        }
                    }
                    if let Some(first) = first {
                        self.statistics.refinements_by[source as usize + 1] += 1;
                        self.cut_back(nodes, first);
                        return Refined::Progress;
                    }
                    reasons.push(format!("source {number} has no new predicate"));
                }
                Err(why) => reasons.push(why.to_string()),
            }
        }
        let mut text = format!("no progress in refinement: {}", reasons.join("; "));
        if let Some(divergence) = self.divergence() {
            text = format!("{text}; {divergence}");
        }
        Refined::Done(Outcome::Unknown(text))
    }

    /// Invariants that others proved, or found in this path by the configured means; the first step of the path at
    /// whose place something is new.
    fn new_invariants(&mut self, trace: &Trace, core: &[Vec<Term>]) -> Option<usize> {
        let injected = self.inject_along(trace);
        let found = self.use_heuristics(trace, core);
        let options = self.options;
        let path = match &options.path_invariants {
            Some(options) => self.path_invariants(trace, options),
            None => None,
        };
        [injected, found, path].into_iter().flatten().min()
    }

    /// The first block of the path that its abstract state does not allow any more.
    fn first_impassable(
        &mut self,
        nodes: &[NodeId],
        trace: &Trace,
    ) -> Result<Option<usize>, Undecided> {
        for (step, &block) in trace.blocks.iter().enumerate() {
            let psi = self.tree.node(nodes[step]).psi;
            let (graph, predicates) = (&mut self.graph, &mut self.predicates);
            if !self
                .abstractions
                .is_passable(graph, predicates, block, psi)?
            {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// The variables that the path depends on, those of its end first, and what they depend on elsewhere.
    fn relevant_variables(&mut self, trace: &Trace, all: bool) -> Vec<VarId> {
        let mut leaves: Vec<Term> = Vec::new();
        let mut known: FxHashSet<Term> = FxHashSet::default();
        for needed in trace.needed.iter().rev() {
            for &leaf in needed {
                if known.insert(leaf) {
                    leaves.push(leaf);
                }
            }
        }
        if all {
            // What blocks of the same places read to compute them, and then their conditions.
            let count = self.graph.block_count();
            for with_conditions in [false, true] {
                let mut next = 0;
                while next < leaves.len() && leaves.len() < 40 {
                    let leaf = leaves[next];
                    next += 1;
                    for number in 0..count {
                        let block = super::blocks::BlockId(number as u32);
                        if !matches!(self.graph.block(block).target, Target::Place(_)) {
                            continue;
                        }
                        let value = self.graph.value_at_end(block, leaf);
                        let mut terms = vec![value];
                        if with_conditions && value != leaf {
                            terms.extend(&self.graph.block(block).path);
                        }
                        for found in self.graph.leaves_of(&terms) {
                            if known.insert(found) {
                                leaves.push(found);
                            }
                        }
                    }
                }
            }
        }
        candidates::variables(&mut self.graph, &leaves)
    }

    /// Looks for new inductive facts; `true` if there are any.
    fn strengthen(&mut self, trace: &Trace, core: &[Vec<Term>]) -> bool {
        let Some((places, blocks)) = inductive::whole_graph(&mut self.graph, MOST_PLACES) else {
            return false;
        };
        let variables = self.relevant_variables(trace, true);
        let constants = self.constants_of(trace);
        let moved =
            candidates::moved_back(&mut self.graph, &mut self.predicates.exprs, trace, core);
        let mut chosen: Candidates = Candidates::new();
        let mut is_new = false;
        for place in places {
            if place == ROOT {
                continue;
            }
            let location = self.graph.place(place).location;
            let source = Source {
                text: &self.text,
                variables: &variables,
                constants: &constants,
                extent: Extent {
                    variables: 16,
                    related: 10,
                    constants: 12,
                    ..Extent::default()
                },
            };
            let mut atoms = candidates::at_place(&self.graph, &mut self.predicates, place, &source);
            for (step, found) in moved.iter().enumerate() {
                if trace.place(&self.graph, step) == place {
                    atoms.extend(found);
                }
            }
            let program = self.graph.program();
            let exprs = &mut self.predicates.exprs;
            atoms.extend(candidates::affine(
                program,
                exprs,
                &self.samples,
                location,
                &variables,
            ));
            let mut list: Vec<ExprId> = self.facts.get(&place).cloned().unwrap_or_default();
            for atom in atoms {
                list.push(atom);
                if !matches!(exprs.node(atom), Node::Binary(BinOp::Le, ..)) {
                    list.push(exprs.not(atom));
                }
            }
            let mut seen = FxHashSet::default();
            list.retain(|&expr| seen.insert(expr));
            self.samples.filter(exprs, location, &mut list);
            list.retain(|&expr| self.predicates.is_about(&self.graph, place, expr));
            list.truncate(MOST_CANDIDATES);
            let tried = self.tried.entry(place).or_default();
            for &expr in &list {
                is_new |= tried.insert(expr);
            }
            chosen.insert(place, list);
        }
        if !is_new {
            return false;
        }
        let stop = part(&self.budget.stop, 0.3, Duration::from_secs(4));
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        if !inductive::make_inductive(graph, predicates, &blocks, &mut chosen, &stop) {
            return false;
        }
        let mut any = false;
        for (place, list) in chosen {
            let kept = irredundant(&mut self.graph, place, &list, &mut self.predicates, &stop);
            for expr in kept {
                any |= self.inject(place, expr, false);
            }
        }
        any
    }

    fn constants_of(&mut self, trace: &Trace) -> Vec<i128> {
        let mut terms: Vec<Term> = Vec::new();
        for (step, &block) in trace.blocks.iter().enumerate() {
            terms.extend(&self.graph.block(block).path);
            terms.extend(trace.ends[step].iter().map(|&(_, value)| value));
        }
        candidates::constants_of_terms(self.graph.pool(), &terms)
    }

    /// Atoms for each cut of the path: (number of the block that begins there, atoms).
    pub(super) fn predicates_from(
        &mut self,
        source: InterpolantSource,
        trace: &Trace,
        core: &[Vec<Term>],
    ) -> Result<Vec<(usize, Vec<ExprId>)>, InterpolationError> {
        let mut formulas = Vec::new();
        for (step, mut conjuncts) in trace.relations(&mut self.graph).into_iter().enumerate() {
            let place = trace.place(&self.graph, step);
            if step > 0 {
                for fact in self.abstractions.facts(place).to_vec() {
                    conjuncts.push(Trace::term_at(&mut self.graph, fact, step));
                }
            }
            formulas.push(self.graph.pool().and_all(conjuncts));
        }
        let stop = part(&self.budget.stop, 0.25, Duration::from_secs(5));
        if source == InterpolantSource::Proof {
            let mut interpolator = ProofInterpolator::default();
            let found = interpolator.interpolate(self.graph.pool(), &formulas, &stop)?;
            return Ok(self.whole_interpolants(trace, &found));
        }
        let moved =
            candidates::moved_back(&mut self.graph, &mut self.predicates.exprs, trace, core);
        let variables = self.relevant_variables(trace, false);
        let constants = self.constants_of(trace);
        let mut names: Vec<FxHashMap<Term, ExprId>> = Vec::new();
        let mut vocabularies: Vec<Vec<Term>> = Vec::new();
        for (step, moved) in moved.iter().enumerate().skip(1) {
            let place = trace.place(&self.graph, step);
            let mut atoms: Vec<ExprId> = self
                .precision_of(place)
                .into_iter()
                .map(|predicate| self.predicates.expression(predicate))
                .collect();
            if source == InterpolantSource::Vocabulary {
                let own = candidates::variables(&mut self.graph, &trace.needed[step]);
                let mut ordered = own.clone();
                ordered.extend(variables.iter().filter(|var| !own.contains(var)));
                let given = Source {
                    text: &self.text,
                    variables: &ordered,
                    constants: &constants,
                    extent: Extent {
                        variables: 12,
                        related: 8,
                        constants: 8,
                        ..Extent::default()
                    },
                };
                atoms.extend(candidates::at_place(
                    &self.graph,
                    &mut self.predicates,
                    place,
                    &given,
                ));
            }
            atoms.extend(moved);
            let mut map: FxHashMap<Term, ExprId> = FxHashMap::default();
            let mut terms = Vec::new();
            for atom in atoms {
                let Some(term) = self.predicates.start_term(&mut self.graph, place, atom) else {
                    continue;
                };
                let term = Trace::term_at(&mut self.graph, term, step);
                let (term, _) = self.graph.pool().strip_not(term);
                if let std::collections::hash_map::Entry::Vacant(entry) = map.entry(term) {
                    entry.insert(atom);
                    terms.push(term);
                }
            }
            names.push(map);
            vocabularies.push(terms);
        }
        let mut interpolator = VocabularyInterpolator::per_cut(vocabularies);
        let found = interpolator.interpolate(self.graph.pool(), &formulas, &stop);
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                // Conditions moved backwards are worth having even where they alone are no interpolant.
                if source == InterpolantSource::WeakestPrecondition
                    && !matches!(error, InterpolationError::Satisfiable)
                {
                    return Ok(moved.into_iter().enumerate().skip(1).collect());
                }
                return Err(error);
            }
        };
        let mut result = Vec::new();
        for (cut, &interpolant) in found.iter().enumerate() {
            let mut atoms = Vec::new();
            collect_atoms(self.graph.pool(), interpolant, &names[cut], &mut atoms);
            result.push((cut + 1, atoms));
        }
        Ok(result)
    }

    fn precision_of(&self, place: PlaceId) -> Vec<super::predicates::PredicateId> {
        let location = self.graph.place(place).location;
        self.precision.at(self.graph.program(), location)
    }

    /// The atoms of interpolants that are any formulas over the values between blocks.
    fn whole_interpolants(
        &mut self,
        trace: &Trace,
        interpolants: &[Term],
    ) -> Vec<(usize, Vec<ExprId>)> {
        let mut result = Vec::new();
        for (cut, &interpolant) in interpolants.iter().enumerate() {
            let step = cut + 1;
            let mut back: FxHashMap<Term, Term> = FxHashMap::default();
            for &leaf in &trace.needed[step] {
                let named = Trace::at(self.graph.pool(), leaf, step);
                back.insert(named, leaf);
            }
            let term = self.graph.pool().substitute(interpolant, &back);
            let place = trace.place(&self.graph, step);
            let meaning = self.graph.meaning(place);
            let exprs = &mut self.predicates.exprs;
            if let Some(expr) = meaning.say(exprs, term) {
                result.push((step, vocabulary::atoms_of(exprs, expr)));
            }
        }
        result
    }
}

/// The atoms of an interpolant that was made from named ones.
fn collect_atoms(
    pool: &TermPool,
    root: Term,
    names: &FxHashMap<Term, ExprId>,
    into: &mut Vec<ExprId>,
) {
    let mut work = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(term) = work.pop() {
        let (term, _) = pool.strip_not(term);
        if !seen.insert(term) {
            continue;
        }
        match names.get(&term) {
            Some(&atom) => {
                if !into.contains(&atom) {
                    into.push(atom);
                }
            }
            None => work.extend(
                pool.args(term)
                    .iter()
                    .filter(|&&arg| pool.sort(arg) == logic::Sort::Bool),
            ),
        }
    }
}

/// The expressions without those that the others imply.
fn irredundant(
    graph: &mut Blocks<'_>,
    place: PlaceId,
    list: &[ExprId],
    predicates: &mut super::predicates::Predicates,
    stop: &StopToken,
) -> Vec<ExprId> {
    let mut kept: Vec<(ExprId, Term)> = Vec::new();
    for &expr in list {
        if let Some(term) = predicates.start_term(graph, place, expr)
            && term != TermPool::TRUE
        {
            kept.push((expr, term));
        }
    }
    let pool = graph.pool();
    let mut solver = NativeSolver::default();
    solver.set_stop(stop.clone());
    for position in (0..kept.len()).rev() {
        let mut assumptions: Vec<Term> = Vec::with_capacity(kept.len());
        for (number, &(_, term)) in kept.iter().enumerate() {
            assumptions.push(if number == position {
                pool.not(term)
            } else {
                term
            });
        }
        if solver.check(pool, &assumptions) == Answer::Unsat {
            kept.remove(position);
        }
    }
    kept.into_iter().map(|(expr, _)| expr).collect()
}
