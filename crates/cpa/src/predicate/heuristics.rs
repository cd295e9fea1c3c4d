//! Lightweight invariants from infeasible paths (000, section 5.2.3).
//!
//! | 000 | here |
//! |---|---|
//! | checking interpolants with k-induction (`int-check`) | [`Heuristic::IntCheck`] |
//! | inductive weakening of path formulas (`weakening`) | [`Heuristic::Weakening`] |
//! | checking conjuncts of path formulas on inductivity (`conj-check`) | [`Heuristic::ConjCheck`] |
//! | `generationStrategy`, `useAllStrategies` | [`super::Options::heuristics`], [`super::Options::use_all_heuristics`] |
//! | `timeForInvariantGeneration` | [`PATIENCE`] |
//!
//! Each makes candidates from the path ([`Analysis::conjuncts_of_path`], [`Analysis::interpolants_of_path`]). The first
//! and the third ask for each of them alone whether it is inductive over the whole program; weakening takes all of them
//! and drops what is not preserved (G. Karpenkov, D. Monniaux: Formula slicing, HVC 2016). What remains is proved, is
//! kept, and goes where the configuration says.
//!
//! Deviations: the three interpolation runs are one with each source of interpolants, since ours are deterministic; of
//! interpolants the literals are checked. A candidate may hold at every place that has its variables, not only where it
//! was found.

use super::analysis::Analysis;
use super::blocks::{PlaceId, ROOT};
use super::inductive::{self, Candidates};
use super::prefixes;
use super::refinement::part;
use super::trace::Trace;
use cfa::expr::ExprId;
use logic::{Op, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heuristic {
    IntCheck,
    Weakening,
    ConjCheck,
}

/// Time for all heuristics in one refinement, and its part of what is left.
const PATIENCE: Duration = Duration::from_secs(2);
const FRACTION: f64 = 0.1;
/// Places of a program that is looked at.
const MOST_PLACES: usize = 60;
/// Candidates of one refinement.
const MOST_CANDIDATES: usize = 48;

impl Analysis<'_> {
    /// Looks for invariants; the first step of the path at whose place one is new.
    pub(super) fn use_heuristics(&mut self, trace: &Trace, core: &[Vec<Term>]) -> Option<usize> {
        if self.options.heuristics.is_empty() {
            return None;
        }
        let (places, blocks) = inductive::whole_graph(&mut self.graph, MOST_PLACES)?;
        let stop = part(&self.budget.stop, FRACTION, PATIENCE);
        let mut proved: Vec<(PlaceId, ExprId)> = Vec::new();
        for heuristic in self.options.heuristics.clone() {
            let found = match heuristic {
                Heuristic::IntCheck => self.interpolants_of_path(trace, core),
                Heuristic::Weakening | Heuristic::ConjCheck => self.conjuncts_of_path(trace),
            };
            let mut list: Vec<ExprId> = Vec::new();
            for expr in found {
                if list.len() < MOST_CANDIDATES && self.looked_at.insert((heuristic, expr)) {
                    list.push(expr);
                }
            }
            let groups: Vec<Vec<ExprId>> = match heuristic {
                Heuristic::Weakening => vec![list],
                Heuristic::IntCheck | Heuristic::ConjCheck => {
                    list.into_iter().map(|expr| vec![expr]).collect()
                }
            };
            let before = proved.len();
            for group in groups {
                if stop.is_stopped() {
                    break;
                }
                let mut candidates: Candidates = Candidates::new();
                for &place in &places {
                    if place == ROOT {
                        continue;
                    }
                    let location = self.graph.place(place).location;
                    let mut here = group.clone();
                    here.retain(|&expr| self.predicates.is_about(&self.graph, place, expr));
                    self.samples
                        .filter(&self.predicates.exprs, location, &mut here);
                    candidates.insert(place, here);
                }
                let (graph, predicates) = (&mut self.graph, &mut self.predicates);
                let solvers = &mut self.solvers;
                if inductive::make_inductive(
                    graph,
                    predicates,
                    solvers,
                    &blocks,
                    &mut candidates,
                    &stop,
                ) {
                    for (place, list) in candidates {
                        proved.extend(list.into_iter().map(|expr| (place, expr)));
                    }
                }
            }
            if proved.len() > before && !self.options.use_all_heuristics {
                break;
            }
        }
        let mut changed: FxHashSet<PlaceId> = FxHashSet::default();
        for (place, expr) in proved {
            if self.put(place, expr) {
                changed.insert(place);
            }
        }
        (1..trace.blocks.len()).find(|&step| changed.contains(&trace.place(&self.graph, step)))
    }

    /// Literals of interpolants from every source, for the path and each of its infeasible sliced prefixes.
    fn interpolants_of_path(&mut self, trace: &Trace, core: &[Vec<Term>]) -> Vec<ExprId> {
        let mut paths: Vec<(Trace, Vec<Vec<Term>>)> = vec![(trace.clone(), core.to_vec())];
        let stop = part(&self.budget.stop, FRACTION, PATIENCE);
        for prefix in prefixes::all(&mut self.graph, trace, &stop) {
            let blocks = trace.blocks[..prefix.core.len()].to_vec();
            let sliced = Trace::sliced(&mut self.graph, blocks, prefix.core.clone());
            paths.push((sliced, prefix.core));
        }
        let mut found = Vec::new();
        for (path, core) in paths {
            for source in self.options.interpolants.clone() {
                let interpolants = self.predicates_from(source, &[], &path, &core);
                for atom in interpolants
                    .into_iter()
                    .flatten()
                    .flat_map(|(_, atoms)| atoms)
                {
                    found.push(atom);
                    found.push(self.predicates.exprs.not(atom));
                }
            }
        }
        found
    }

    /// The conjuncts of the path formula at each place of the path, as far as the values there can say them: what the
    /// variables are in terms of each other, and the conditions passed so far.
    fn conjuncts_of_path(&mut self, trace: &Trace) -> Vec<ExprId> {
        let composed = trace.compose(&mut self.graph, false);
        let mut found = Vec::new();
        for step in 1..trace.blocks.len() {
            let values: Vec<(Term, Term)> = trace.needed[step]
                .iter()
                .filter_map(|leaf| Some((*leaf, *composed.substitutions[step].get(leaf)?)))
                .collect();
            // The first variable of a value stands for it.
            let mut names: FxHashMap<Term, Term> = FxHashMap::default();
            for &(leaf, value) in &values {
                if !self.graph.pool().free_vars_of(&[value]).is_empty() {
                    names.entry(value).or_insert(leaf);
                }
            }
            let mut conjuncts = Vec::new();
            for &(leaf, value) in &values {
                let mut others = names.clone();
                if others.get(&value) == Some(&leaf) {
                    others.remove(&value);
                }
                let pool = self.graph.pool();
                let value = pool.substitute(value, &others);
                conjuncts.push(pool.eq(leaf, value));
            }
            for condition in composed.conditions[..step].iter().flatten() {
                let condition = self.graph.pool().substitute(*condition, &names);
                split(self.graph.pool(), condition, &mut conjuncts);
            }
            let place = trace.place(&self.graph, step);
            for conjunct in conjuncts {
                let variables = self.graph.pool().free_vars_of(&[conjunct]);
                if variables.is_empty()
                    || variables
                        .iter()
                        .any(|&each| self.graph.leaf(each).is_none())
                {
                    continue;
                }
                let meaning = self.graph.meaning(place);
                if let Some(expr) = meaning.say(&mut self.predicates.exprs, conjunct)
                    && !found.contains(&expr)
                {
                    found.push(expr);
                }
            }
        }
        found
    }
}

/// The conjuncts of a term.
fn split(pool: &TermPool, root: Term, into: &mut Vec<Term>) {
    let mut work = vec![root];
    while let Some(term) = work.pop() {
        match pool.op(term) {
            Op::And => work.extend(pool.args(term)),
            _ => into.push(term),
        }
    }
}
