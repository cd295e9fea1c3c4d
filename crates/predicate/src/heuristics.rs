//! Lightweight invariants from infeasible paths (Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016, section 5.2.3).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | checking interpolants with k-induction (`int-check`) | [`Heuristic::IntCheck`] |
//! | inductive weakening of path formulas (`weakening`) | [`Heuristic::Weakening`] |
//! | checking conjuncts of path formulas on inductivity (`conj-check`) | [`Heuristic::ConjCheck`] |
//! | `generationStrategy` | [`super::Options::heuristics`] |
//! | `useAllStrategies` | [`super::Options::use_all_heuristics`] |
//! | conversion to conjunctive normal form on higher levels | [`reduced_cnf`] |
//! | `timeForInvariantGeneration` | [`super::Options::heuristic_time`] |
//!
//! Each makes candidates from the path ([`Analysis::conjuncts_of_path`],
//! [`Analysis::interpolants_of_path`]). The first and the third ask for each of them alone whether
//! it is inductive over the whole program; weakening takes all of them and drops what is not
//! preserved (G. Karpenkov, D. Monniaux: Formula slicing, HVC 2016). What remains is proved, is
//! kept, and goes where the configuration says.
//!
//! Deviations: the three interpolation runs are one with each source of interpolants, since ours
//! are deterministic; of interpolants the literals are checked. A candidate may hold at every place
//! that has its variables, not only where it was found.

use super::analysis::Analysis;
use super::inductive::{self, Candidates};
use super::options::InterpolantSource;
use super::prefixes;
use super::reduced_cnf::reduced_cnf;
use super::refinement::part;
use super::trace::Trace;
use cfa::expr::ExprId;
use control::StopToken;
use control::clock;
use induction::graph::{PlaceId, ROOT};
use logic::Term;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A search for invariants in an infeasible path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heuristic {
    /// Interpolants that are inductive.
    IntCheck,
    /// Path formulas, weakened until they are inductive.
    Weakening,
    /// Conjuncts of path formulas that are inductive.
    ConjCheck,
}

impl Heuristic {
    /// As configurations write it.
    pub fn name(self) -> &'static str {
        match self {
            Heuristic::IntCheck => "int-check",
            Heuristic::Weakening => "weakening",
            Heuristic::ConjCheck => "conj-check",
        }
    }
}

/// The part of the time left that heuristics may take in one refinement, and of that what finding
/// candidates may.
const FRACTION: f64 = 0.1;
const FOR_CANDIDATES: f64 = 0.5;
/// Places of a program that is looked at.
const MAX_PLACES: usize = 60;
/// Candidates of one refinement.
const MAX_CANDIDATES: usize = 48;
/// Conjuncts that one condition of a path is split into.
const MAX_CLAUSES: usize = 64;

/// Invariants where they hold.
type Proved = Vec<(PlaceId, ExprId)>;

impl Analysis<'_> {
    /// Looks for invariants; the first step of the path at whose place one is new.
    pub(super) fn use_heuristics(&mut self, trace: &Trace, core: &[Vec<Term>]) -> Option<usize> {
        if self.options.heuristics.is_empty() {
            return None;
        }
        let most = self.options.time_for_heuristics();
        let stop = part(&self.budget.stop, FRACTION, most);
        let mut changed: FxHashSet<PlaceId> = FxHashSet::default();
        for (place, expr) in self.invariants_of_path(trace, core, &stop) {
            if self.put(place, expr) {
                changed.insert(place);
            }
        }
        (1..trace.blocks.len()).find(|&step| changed.contains(&trace.place(&self.graph, step)))
    }

    /// What the heuristics find, all of them or up to the first that finds something.
    fn invariants_of_path(
        &mut self,
        trace: &Trace,
        core: &[Vec<Term>],
        stop: &StopToken,
    ) -> Proved {
        let mut proved = Proved::new();
        for heuristic in self.options.heuristics.clone() {
            let begin = clock::now();
            let found = self.search_by(heuristic, trace, core, stop);
            self.statistics.heuristics[heuristic as usize].note(begin, !found.is_empty());
            proved.extend(found);
            if !proved.is_empty() && !self.options.use_all_heuristics {
                break;
            }
        }
        proved
    }

    /// Candidates of one heuristic that are inductive.
    fn search_by(
        &mut self,
        heuristic: Heuristic,
        trace: &Trace,
        core: &[Vec<Term>],
        stop: &StopToken,
    ) -> Proved {
        let Some((places, blocks)) = inductive::whole_graph(&mut self.graph, MAX_PLACES) else {
            return Proved::new();
        };
        let mut found = match heuristic {
            Heuristic::IntCheck => self.interpolants_of_path(trace, core, stop),
            Heuristic::Weakening | Heuristic::ConjCheck => self.conjuncts_of_path(trace),
        };
        let mut seen = FxHashSet::default();
        found.retain(|&expr| seen.insert(expr) && !self.is_left_out(expr));
        let is_known = |expr: &ExprId| self.looked_at.contains(&(heuristic, *expr));
        let (known, mut list): (Vec<ExprId>, Vec<ExprId>) = found.into_iter().partition(is_known);
        // What is inductive together with something new need not be so without it.
        if heuristic == Heuristic::Weakening && !list.is_empty() {
            list.extend(known);
        }
        list.truncate(MAX_CANDIDATES);
        let groups: Vec<Vec<ExprId>> = match heuristic {
            Heuristic::Weakening if list.is_empty() => Vec::new(),
            Heuristic::Weakening => vec![list],
            Heuristic::IntCheck | Heuristic::ConjCheck => {
                list.into_iter().map(|expr| vec![expr]).collect()
            }
        };
        let mut proved = Proved::new();
        for group in groups {
            if stop.is_stopped() {
                break;
            }
            let mut candidates: Candidates = Candidates::new();
            for &place in places.iter().filter(|&&place| place != ROOT) {
                let location = self.graph.place(place).location;
                let mut here = group.clone();
                here.retain(|&expr| self.predicates.is_about(&self.graph, place, expr));
                self.samples
                    .filter(&self.predicates.exprs, location, &mut here);
                candidates.insert(place, here);
            }
            let is_finished = inductive::make_inductive(
                &mut self.graph,
                &mut self.predicates,
                &mut self.checker,
                &blocks,
                &mut candidates,
                stop,
            );
            if is_finished {
                for (place, list) in candidates {
                    proved.extend(list.into_iter().map(|expr| (place, expr)));
                }
            }
            // What the time was too short for is tried again with another path.
            if is_finished && !stop.is_stopped() {
                let looked_at = group.into_iter().map(|expr| (heuristic, expr));
                self.looked_at.extend(looked_at);
            }
        }
        proved
    }

    /// Literals of interpolants from every source, for the path and each of its infeasible sliced
    /// prefixes.
    fn interpolants_of_path(
        &mut self,
        trace: &Trace,
        core: &[Vec<Term>],
        stop: &StopToken,
    ) -> Vec<ExprId> {
        let stop = part(stop, FOR_CANDIDATES, self.options.time_for_heuristics());
        let mut paths: Vec<(Trace, Vec<Vec<Term>>)> = vec![(trace.clone(), core.to_vec())];
        for prefix in prefixes::all(&mut self.graph, trace, &stop) {
            let blocks = trace.blocks[..prefix.core.len()].to_vec();
            let sliced = Trace::sliced(&mut self.graph, blocks, prefix.core.clone());
            paths.push((sliced, prefix.core));
        }
        let mut sources = self.options.interpolants.clone();
        sources.retain(|&source| {
            source != InterpolantSource::Proof || self.graph.solving.gives_proofs()
        });
        let mut found = Vec::new();
        for (path, core) in paths {
            for &source in &sources {
                let interpolants = self.predicates_from(source, &[], &path, &core, &stop);
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

    /// The conjuncts of the path formula at each place of the path, as far as the values there can
    /// say them: what the variables are in terms of each other, and the conditions passed so far.
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
                conjuncts.push(condition);
            }
            let place = trace.place(&self.graph, step);
            let clauses: Vec<Term> = conjuncts
                .into_iter()
                .flat_map(|conjunct| reduced_cnf(self.graph.pool(), conjunct, MAX_CLAUSES))
                .collect();
            for conjunct in clauses {
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

#[cfg(test)]
mod tests;
