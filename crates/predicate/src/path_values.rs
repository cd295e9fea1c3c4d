//! Values that control variables have together at the places of a path program.
//!
//! State machines set a variable to constants and compare it with them ([`super::families`]). Which
//! combinations of such values a place is reached with is found by asking each block for those that
//! it leads to, until there are no new ones: the most precise abstraction over these comparisons
//! (T. Reps, M. Sagiv, G. Yorsh: Symbolic Implementation of the Best Transformer, VMCAI 2004). All
//! other values of a variable are one.

use super::analysis::Analysis;
use super::inductive::Candidates;
use super::refutation::Infeasible;
use super::trace::Trace;
use cfa::expr::{ExprId, VarId};
use control::StopToken;
use encoding::vocabulary;
use induction::graph::{BlockId, PlaceId, ROOT, Target};
use logic::{Answer, Term};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that are looked at together.
const MAX_SUBJECTS: usize = 4;
/// Combinations of values at all places.
const MAX_COMBINATIONS: usize = 300;

/// For each subject the number of its value; `None` for all others.
type Combination = Vec<Option<usize>>;

impl Analysis<'_> {
    /// The combinations of values at each place, as one formula, which is inductive over the
    /// blocks. `None` if nothing controls the path, or there are too many.
    pub(super) fn values(
        &mut self,
        path: &Infeasible,
        blocks: &[BlockId],
        stop: &StopToken,
    ) -> Option<Candidates> {
        let families = self.families_of(path);
        if families.is_empty() {
            return None;
        }
        let mut reached: BTreeMap<PlaceId, BTreeSet<Combination>> = BTreeMap::new();
        let mut work: Vec<(PlaceId, Option<Combination>)> = vec![(ROOT, None)];
        while let Some((place, combination)) = work.pop() {
            let mut from = Vec::new();
            if let Some(combination) = &combination {
                let literals = literals(&families, combination);
                from = self.terms(&literals, |this, atom| {
                    this.predicates.start_term(&mut this.graph, place, atom)
                });
            }
            for &block in blocks {
                let Target::Place(target) = self.graph.block(block).target else {
                    continue;
                };
                if self.graph.block(block).source != place {
                    continue;
                }
                let known = reached.entry(target).or_default();
                let new = self.leads_to(block, (&from, &families), known, stop)?;
                for combination in new {
                    known.insert(combination.clone());
                    work.push((target, Some(combination)));
                }
                if reached.values().map(BTreeSet::len).sum::<usize>() > MAX_COMBINATIONS {
                    return None;
                }
            }
        }
        let mut found = Candidates::new();
        for (place, combinations) in reached {
            let exprs = &mut self.predicates.exprs;
            let mut any = exprs.bool_constant(false);
            for combination in combinations {
                let mut all = exprs.bool_constant(true);
                for (atom, is_true) in literals(&families, &combination) {
                    let literal = if is_true { atom } else { exprs.not(atom) };
                    all = exprs.and(all, literal);
                }
                any = exprs.or(any, all);
            }
            if self.predicates.is_about(&self.graph, place, any) {
                found.insert(place, vec![any]);
            }
        }
        Some(found)
    }

    /// The comparisons of what controls the contradiction on the path, the end of it first.
    fn families_of(&mut self, path: &Infeasible) -> Vec<Vec<ExprId>> {
        let blocks = path.trace.blocks.clone();
        let sliced = Trace::sliced(&mut self.graph, blocks, path.core.clone());
        let variables: Vec<VarId> = self.relevant_variables(&sliced, false);
        let exprs = &self.predicates.exprs;
        let mut found: Vec<(usize, &[ExprId])> = Vec::new();
        for (subject, atoms) in self.families.all() {
            let about = vocabulary::variables_of(exprs, subject);
            let positions = about
                .iter()
                .map(|var| variables.iter().position(|v| v == var));
            let positions: Option<Vec<usize>> = positions.collect();
            if let Some(last) = positions.and_then(|positions| positions.into_iter().max()) {
                found.push((last, atoms));
            }
        }
        found.sort_by_key(|&(position, _)| position);
        let chosen = found.into_iter().take(MAX_SUBJECTS);
        chosen.map(|(_, atoms)| atoms.to_vec()).collect()
    }

    /// The combinations that the block leads to from there, beside those that are known.
    fn leads_to(
        &mut self,
        block: BlockId,
        (from, families): (&[Term], &[Vec<ExprId>]),
        known: &BTreeSet<Combination>,
        stop: &StopToken,
    ) -> Option<Vec<Combination>> {
        let mut assumptions = from.to_vec();
        for combination in known {
            let excluded = self.excluded(block, &literals(families, combination));
            assumptions.push(excluded);
        }
        let mut new = Vec::new();
        loop {
            let (solver, pool) = self.graph.solver(block);
            solver.set_stop(stop.clone());
            match solver.check(pool, &assumptions) {
                Answer::Unsat => return Some(new),
                Answer::Unknown(_) => return None,
                Answer::Sat => {}
            }
            if new.len() > MAX_COMBINATIONS {
                return None;
            }
            let mut combination = Combination::new();
            for family in families {
                let mut value = None;
                for (number, &atom) in family.iter().enumerate() {
                    let end = self.predicates.end_term(&mut self.graph, block, atom);
                    let (solver, pool) = self.graph.solver(block);
                    if end.is_some_and(|end| solver.holds(pool, end) == Some(true)) {
                        value = Some(number);
                        break;
                    }
                }
                combination.push(value);
            }
            let excluded = self.excluded(block, &literals(families, &combination));
            assumptions.push(excluded);
            new.push(combination);
        }
    }

    /// The block ends with other values.
    fn excluded(&mut self, block: BlockId, literals: &[(ExprId, bool)]) -> Term {
        let terms = self.terms(literals, |this, atom| {
            this.predicates.end_term(&mut this.graph, block, atom)
        });
        let pool = self.graph.pool();
        let all = pool.and_all(terms);
        pool.not(all)
    }

    /// What cannot be said there is left out.
    fn terms(
        &mut self,
        literals: &[(ExprId, bool)],
        mut term: impl FnMut(&mut Self, ExprId) -> Option<Term>,
    ) -> Vec<Term> {
        let mut terms = Vec::new();
        for &(atom, is_true) in literals {
            if let Some(term) = term(self, atom) {
                terms.push(if is_true {
                    term
                } else {
                    self.graph.pool().not(term)
                });
            }
        }
        terms
    }
}

/// What a combination says, as comparisons that hold or do not.
fn literals(families: &[Vec<ExprId>], combination: &Combination) -> Vec<(ExprId, bool)> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for (family, value) in families.iter().zip(combination) {
        match value {
            Some(number) => found.push((family[*number], true)),
            None => found.extend(family.iter().map(|&atom| (atom, false))),
        }
    }
    found.retain(|literal| seen.insert(*literal));
    found
}
