//! Refinement: why an abstract counterexample is none, in predicates.
//!
//! First conjunctions of atoms that are inductive over the whole program; then sequences of
//! interpolants along the path, from the configured sources in their order, until one of them says
//! something that the precision does not have yet. A source that has nothing new for a path is
//! thereby passed over, and the next one is asked.

use super::abstraction::Undecided;
use super::algorithm::{Refined, Spurious};
use super::analysis::Analysis;
use super::candidates;
use super::divergence::Counting;
use super::options::InterpolantSource;
use super::trace::Trace;
use super::tree::NodeId;
use cfa::expr::{ExprId, VarId};
use control::StopToken;
use control::clock;
use facts::engine::Outcome;
use induction::graph::{PlaceId, Target};
use induction::saying::is_dynamic_address;
use logic::interpolate::InterpolationError;
use logic::{Term, UnknownReason};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Predicates that one refinement adds at one place.
const MAX_NEW: usize = 24;

/// A part of the time that is left, and never more than `most`.
pub(super) fn part(stop: &StopToken, fraction: f64, most: Duration) -> StopToken {
    let left = stop.time_left().map_or(most, |left| left.mul_f64(fraction));
    stop.with_timeout(left.min(most))
}

impl Analysis<'_> {
    /// Refutes the path: new facts or predicates, and the tree without what they change.
    pub(super) fn refute(&mut self, spurious: Spurious) -> Refined {
        let Spurious {
            nodes,
            trace,
            core,
            is_first,
        } = spurious;
        if let Some(step) = self.new_invariants(trace, core, is_first) {
            self.statistics.refinements_by_facts += 1;
            self.cut_back(nodes, step);
            return Refined::Progress;
        }
        let begin = clock::now();
        let strengthened =
            self.options.inductive && self.may_search_facts() && self.strengthen(trace, core);
        self.statistics.inductive_time += clock::since(begin);
        if strengthened {
            match self.first_impassable(nodes, trace) {
                Ok(Some(step)) => {
                    self.statistics.refinements_by[0] += 1;
                    self.cut_back(nodes, step + 1);
                    return Refined::Progress;
                }
                Ok(None) => {}
                Err(Undecided(why)) => {
                    return Refined::Done(Outcome::Unknown(
                        self.undecided("the solver could not decide a path", &why),
                    ));
                }
            }
        }
        let mut reasons = Vec::new();
        for (number, source) in self.options.interpolants.clone().into_iter().enumerate() {
            if self.budget.is_exhausted() {
                break;
            }
            if source == InterpolantSource::Proof && !self.graph.solving.gives_proofs() {
                reasons.push("the chosen solver provides no proofs for interpolation".into());
                continue;
            }
            let begin = clock::now();
            let stop = self.time_for(source);
            let found = self.predicates_from(source, nodes, trace, core, &stop);
            self.statistics.interpolation_time += clock::since(begin);
            match found {
                Ok(found) => {
                    let mut first = None;
                    let mut new = Vec::new();
                    for (step, atoms) in found {
                        let place = trace.place(&self.graph, step);
                        for atom in atoms.into_iter().take(MAX_NEW) {
                            if self.add_predicate(place, atom) {
                                new.push((place, atom));
                                first = Some(first.map_or(step, |first: usize| first.min(step)));
                                self.add_family(place, atom);
                            }
                        }
                    }
                    if let Some(first) = first {
                        self.statistics.refinements_by[source as usize + 1] += 1;
                        self.tell_found(&format!("{source:?}"), trace, &new);
                        self.watch_divergence(&new);
                        self.cut_back(nodes, first);
                        return Refined::Progress;
                    }
                    reasons.push(format!("interpolants of source {number} are not new"));
                }
                Err(InterpolationError::Unknown(UnknownReason::Stopped)) => {
                    reasons.push(format!("source {number} of interpolants timed out"));
                }
                Err(why) => reasons.push(why.to_string()),
            }
        }
        if self.budget.is_exhausted() {
            return Refined::Done(Outcome::Unknown(self.out_of_time()));
        }
        // The predicates are there, but the abstractions over them were too coarse.
        if self.abstractions.enumerate_more() {
            self.tree.restart();
            return Refined::Progress;
        }
        // States that were made before the last facts came do not know them.
        if self.has_facts_since_restart() {
            self.tree.restart();
            return Refined::Progress;
        }
        let mut text = format!("refinement found no new predicate: {}", reasons.join("; "));
        if let Some(divergence) = self.divergence() {
            text = format!("{text}; {divergence}");
        }
        Refined::Done(Outcome::Unknown(text.into()))
    }

    /// Invariants that others proved, or found in this path by the configured means; the first step
    /// of the path at whose place something is new.
    ///
    /// Only the first time that the path is met: what others go on publishing must not keep this
    /// analysis from finding out by itself, and the path says nothing new about itself.
    fn new_invariants(
        &mut self,
        trace: &Trace,
        core: &[Vec<Term>],
        is_first: bool,
    ) -> Option<usize> {
        let injected = self.inject_along(trace);
        if !is_first {
            return self.admit_hard_facts(trace);
        }
        let found = self.use_heuristics(trace, core);
        let path = self.path_invariants(trace);
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

    /// The variables that the path depends on, those of its end first, and what they depend on
    /// elsewhere.
    pub(super) fn relevant_variables(&mut self, trace: &Trace, all: bool) -> Vec<VarId> {
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
            let blocks = self.graph.general_blocks();
            let mut conditions: Vec<Option<Vec<Term>>> = vec![None; blocks.len()];
            for with_conditions in [false, true] {
                let mut next = 0;
                while next < leaves.len() && leaves.len() < 40 {
                    let leaf = leaves[next];
                    next += 1;
                    for (&block, conditions) in blocks.iter().zip(&mut conditions) {
                        if !matches!(self.graph.block(block).target, Target::Place(_)) {
                            continue;
                        }
                        let value = self.graph.value_at_end(block, leaf);
                        if value == leaf {
                            continue;
                        }
                        let mut found = self.graph.leaves_of(&[value]);
                        if with_conditions {
                            if conditions.is_none() {
                                let path = self.graph.block(block).path.clone();
                                *conditions = Some(self.graph.leaves_of(&path));
                            }
                            found.extend(conditions.iter().flatten());
                        }
                        for leaf in found {
                            if known.insert(leaf) {
                                leaves.push(leaf);
                            }
                        }
                    }
                }
            }
        }
        candidates::variables(&mut self.graph, &leaves)
    }

    /// All values of what the atom gives one of, if it controls the program.
    fn add_family(&mut self, place: PlaceId, atom: ExprId) {
        if !self.options.families {
            return;
        }
        let family = self.families.of(&self.predicates.exprs, atom).to_vec();
        for other in family {
            self.add_predicate(place, other);
        }
    }

    /// Notes when constants of predicates begin to count.
    pub(super) fn watch_divergence(&mut self, new: &[(PlaceId, ExprId)]) {
        for &(place, expr) in new {
            let location = self.graph.place(place).location;
            let text = self.text_of(expr);
            if let Some(counting) = self.divergence.note(location, &text) {
                self.tell_counting(&counting);
            }
        }
    }

    /// Says so when they do.
    pub(super) fn tell_counting(&self, counting: &Counting) {
        let program = self.graph.program();
        let text = format!(
            "refinement unrolls the loop at {}: '{}' with {}, {} more each time",
            program.describe(program.location(counting.place).span),
            counting.shape,
            counting.latest,
            counting.step
        );
        self.board.progress(self.name, &text);
    }

    pub(super) fn text_of(&self, expr: ExprId) -> String {
        printing::export::expression_text_in(self.graph.program(), &self.predicates.exprs, expr)
    }

    /// What a refinement found, for whoever follows the analysis.
    pub(super) fn tell_found(&self, how: &str, trace: &Trace, found: &[(PlaceId, ExprId)]) {
        let texts = found
            .iter()
            .map(|&(place, expr)| format!("{} @{}", self.text_of(expr), place.0));
        let texts: Vec<String> = texts.take(12).collect();
        let text = format!(
            "refinement {} ({} blocks), {how}: {}",
            self.statistics.refinements,
            trace.blocks.len(),
            texts.join(", ")
        );
        self.board.progress(self.name, &text);
    }

    pub(super) fn constants_of(&mut self, trace: &Trace) -> Vec<i128> {
        let mut terms: Vec<Term> = Vec::new();
        for (step, &block) in trace.blocks.iter().enumerate() {
            terms.extend(&self.graph.block(block).path);
            terms.extend(trace.ends[step].iter().map(|&(_, value)| value));
        }
        let mut constants = candidates::constants_of_terms(self.graph.pool(), &terms);
        constants.retain(|&value| !is_dynamic_address(&self.graph.unwinder.encoder, value as u128));
        constants
    }

    pub(super) fn precision_of(&self, place: PlaceId) -> Vec<super::predicates::PredicateId> {
        let location = self.graph.place(place).location;
        self.precision.at(self.graph.program(), location)
    }
}
