//! Interpolants along an infeasible path, from the configured sources.
//!
//! Those over a vocabulary are found by search: the smallest set of atoms that suffices says least
//! beside the point. Where a loop is being unrolled (see [`super::divergence`]), atoms that only go
//! on counting are left out at first.

use super::analysis::Analysis;
use super::candidates::{self, Source};
use super::options::{InterpolantSource, PredicateKind};
use super::refinement::part;
use super::sequence::{Clause, Given, Sequence, Suffixes};
use super::trace::Trace;
use super::tree::NodeId;
use cfa::expr::{ExprId, VarId};
use control::StopToken;
use encoding::vocabulary::{self, Extent};
use induction::graph::PlaceId;
use logic::interpolate::{InterpolationError, Interpolator, ProofInterpolator};
use logic::{Term, UnknownReason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// Atoms of an interpolant from a proof.
const MAX_OF_PROOF: usize = 6;
/// Atoms about cells of memory at one place.
const MAX_OF_CELLS: usize = 120;

/// Vocabularies beyond the path's own conditions, growing.
const STAGES: [Extent; 5] = [
    // The program's own conditions.
    Extent {
        variables: 80,
        related: 0,
        constants: 0,
        bounds: false,
        congruences: false,
        sums: false,
    },
    Extent {
        variables: 12,
        related: 0,
        constants: 16,
        bounds: false,
        congruences: false,
        sums: false,
    },
    Extent {
        variables: 12,
        related: 8,
        constants: 8,
        bounds: true,
        congruences: false,
        sums: false,
    },
    Extent {
        variables: 12,
        related: 8,
        constants: 12,
        bounds: true,
        congruences: true,
        sums: true,
    },
    // For programs with very many variables: what they are equal to.
    Extent {
        variables: 60,
        related: 0,
        constants: 24,
        bounds: false,
        congruences: false,
        sums: false,
    },
];

/// What interpolants may be made of, beside the predicates that are there.
struct Vocabulary<'a> {
    /// The conditions of the path moved backwards.
    moved: &'a [Vec<ExprId>],
    /// Further atoms, if any.
    extent: Option<Extent>,
    /// Nothing of a series of constants that counts.
    avoids_counting: bool,
}

impl Analysis<'_> {
    /// The time for interpolants from one source in a refinement.
    pub(super) fn time_for(&self, source: InterpolantSource) -> StopToken {
        match source {
            InterpolantSource::Vocabulary => part(&self.budget.stop, 0.5, Duration::from_secs(30)),
            _ => part(&self.budget.stop, 0.25, Duration::from_secs(5)),
        }
    }

    /// Atoms for each cut of the path: (number of the block that begins there, atoms).
    pub(super) fn predicates_from(
        &mut self,
        source: InterpolantSource,
        nodes: &[NodeId],
        trace: &Trace,
        core: &[Vec<Term>],
        stop: &StopToken,
    ) -> Result<Vec<(usize, Vec<ExprId>)>, InterpolationError> {
        if stop.is_stopped() {
            return Err(InterpolationError::Unknown(UnknownReason::Stopped));
        }
        if source == InterpolantSource::StrongestPostcondition {
            return Ok(self.postconditions(trace, core));
        }
        let mut formulas = Vec::new();
        let mut facts: Vec<Vec<Term>> = Vec::new();
        for (step, mut conjuncts) in trace.relations(&mut self.graph).into_iter().enumerate() {
            let place = trace.place(&self.graph, step);
            let mut known = match step {
                0 => Vec::new(),
                _ => self.abstractions.facts(place).to_vec(),
            };
            known.extend(self.known_on_path.get(&place).into_iter().flatten());
            for &fact in &known {
                conjuncts.push(Trace::term_at(&mut self.graph, fact, step));
            }
            facts.push(known);
            formulas.push(self.graph.pool().and_all(conjuncts));
        }
        let mut suffixes = Suffixes::new(formulas.clone(), self.graph.solving.solver(stop));
        let (pivot, at_pivot) = self.pivot(nodes, trace, &mut suffixes);
        if source == InterpolantSource::Proof {
            let mut first = vec![formulas[pivot]];
            for &term in &at_pivot {
                first.push(Trace::term_at(&mut self.graph, term, pivot));
            }
            formulas[pivot] = self.graph.pool().and_all(first);
            let mut interpolator = ProofInterpolator::default();
            let found = interpolator.interpolate(self.graph.pool(), &formulas[pivot..], stop)?;
            return Ok(self.whole_interpolants(trace, pivot, &found));
        }
        let moved =
            candidates::moved_back(&mut self.graph, &mut self.predicates.exprs, trace, core);
        let given = Given {
            facts,
            pivot,
            at_pivot,
        };
        // The smallest vocabulary that suffices gives the predicates that say least beside the
        // point.
        let mut stages: Vec<Option<Extent>> = vec![None];
        if source == InterpolantSource::Vocabulary {
            stages.extend(STAGES.map(Some));
        }
        let mut result = Err(InterpolationError::Declined("no vocabulary".into()));
        // Reasons that do not go on counting, if there are any: a path through a loop has more than
        // one.
        let mut tries: Vec<(bool, Option<Extent>)> = Vec::new();
        if !self.divergence.found().is_empty() {
            tries.extend(stages.iter().map(|&stage| (true, stage)));
        }
        tries.extend(stages.iter().map(|&stage| (false, stage)));
        for (avoids_counting, extent) in tries {
            let vocabulary = Vocabulary {
                moved: &moved,
                extent,
                avoids_counting,
            };
            result = self.over_vocabulary(trace, &mut suffixes, &given, &vocabulary, stop);
            match &result {
                Err(InterpolationError::Declined(_)) => {}
                _ => break,
            }
        }
        match result {
            // Conditions moved backwards are worth having even where they alone are no interpolant.
            Err(InterpolationError::Declined(_))
                if source == InterpolantSource::WeakestPrecondition
                    && self.options.predicates != PredicateKind::Sequence =>
            {
                Ok(moved.into_iter().enumerate().skip(1).collect())
            }
            result => result,
        }
    }

    /// The last abstract state of the path from which the rest of the path is impossible: only
    /// after it anything has to be learnt. With its formulas.
    fn pivot(
        &mut self,
        nodes: &[NodeId],
        trace: &Trace,
        suffixes: &mut Suffixes,
    ) -> (usize, Vec<Term>) {
        for step in (1..trace.blocks.len()).rev() {
            // Whoever has no abstract states wants the whole path explained.
            let Some(&node) = nodes.get(step) else {
                continue;
            };
            let place = trace.place(&self.graph, step);
            let psi = self.tree.node(node).psi;
            let (graph, predicates) = (&mut self.graph, &mut self.predicates);
            let condition = self.abstractions.condition(graph, predicates, place, psi);
            let mut given = Vec::new();
            for &term in &condition {
                given.push(Trace::term_at(&mut self.graph, term, step));
            }
            if suffixes.is_impossible(self.graph.pool(), step, &given) {
                return (step, condition);
            }
        }
        (0, Vec::new())
    }

    /// Interpolants over the predicates that are there, the conditions of the path moved backwards
    /// and, with an extent, further atoms.
    fn over_vocabulary(
        &mut self,
        trace: &Trace,
        suffixes: &mut Suffixes,
        given: &Given,
        vocabulary: &Vocabulary<'_>,
        stop: &StopToken,
    ) -> Result<Vec<(usize, Vec<ExprId>)>, InterpolationError> {
        let extent = vocabulary.extent;
        let variables = self.relevant_variables(trace, false);
        let constants = self.constants_of(trace);
        let mut vocabularies: Vec<Vec<ExprId>> = vec![Vec::new(); given.pivot + 1];
        for (step, moved) in vocabulary.moved.iter().enumerate().skip(given.pivot + 1) {
            let place = trace.place(&self.graph, step);
            let mut atoms: Vec<ExprId> = self
                .precision_of(place)
                .into_iter()
                .map(|predicate| self.predicates.expression(predicate))
                .collect();
            if let Some(extent) = extent {
                let own = candidates::variables(&mut self.graph, &trace.needed[step]);
                let mut ordered = own.clone();
                ordered.extend(variables.iter().filter(|var| !own.contains(var)));
                let cells =
                    vocabulary::cells_of(&self.predicates.exprs, &[&atoms[..], moved].concat());
                let source = Source {
                    text: &self.text,
                    variables: &ordered,
                    constants: &constants,
                    cells: &cells,
                    extent,
                };
                atoms.extend(candidates::at_place(
                    &self.graph,
                    &mut self.predicates,
                    place,
                    &source,
                ));
            }
            if extent.is_some() {
                atoms.extend(self.atoms_of_cells(place, &variables));
            }
            atoms.extend(moved);
            let mut known = FxHashSet::default();
            let (exprs, pointers) = (&self.predicates.exprs, &self.text.pointers);
            atoms.retain(|&atom| known.insert(atom) && !pointers.places_an_object(exprs, atom));
            if vocabulary.avoids_counting {
                let location = self.graph.place(place).location;
                atoms.retain(|&atom| !self.divergence.counts(location, &self.text_of(atom)));
            }
            vocabularies.push(atoms);
        }
        let mut sequence = Sequence {
            graph: &mut self.graph,
            predicates: &mut self.predicates,
            families: &self.families,
            trace,
            given,
            stop,
        };
        let found = sequence.find(suffixes, &vocabularies)?;
        let mut result = Vec::new();
        for (step, clauses) in found.into_iter().enumerate().skip(1) {
            let mut atoms: Vec<ExprId> = Vec::new();
            if self.options.predicates != PredicateKind::Atoms {
                atoms.extend(self.whole(&clauses));
                result.push((step, atoms));
                continue;
            }
            for (atom, _) in clauses.into_iter().flatten() {
                if !atoms.contains(&atom) {
                    atoms.push(atom);
                }
            }
            result.push((step, atoms));
        }
        Ok(result)
    }

    /// Values of cells that the variables lead to.
    fn atoms_of_cells(&self, place: PlaceId, variables: &[VarId]) -> Vec<ExprId> {
        let exprs = &self.predicates.exprs;
        let mut atoms = Vec::new();
        for (cell, values) in self.families.of_cells(exprs) {
            let needed = vocabulary::variables_of(exprs, cell);
            if needed.iter().all(|var| variables.contains(var))
                && self.predicates.is_about(&self.graph, place, cell)
                && atoms.len() + values.len() <= MAX_OF_CELLS
            {
                atoms.extend(values);
            }
        }
        atoms
    }

    /// The conjunction of clauses as one predicate, if it is one.
    fn whole(&mut self, clauses: &[Clause]) -> Option<ExprId> {
        let exprs = &mut self.predicates.exprs;
        let mut all = exprs.bool_constant(true);
        for clause in clauses {
            let mut one = exprs.bool_constant(false);
            for &(atom, positive) in clause {
                let literal = if positive { atom } else { exprs.not(atom) };
                one = exprs.or(one, literal);
            }
            all = exprs.and(all, one);
        }
        let is_wanted = self.is_predicate(all);
        is_wanted.then_some(all)
    }

    /// What is always or never true is worth having only in a sequence.
    fn is_predicate(&self, whole: ExprId) -> bool {
        self.options.predicates == PredicateKind::Sequence
            || self.predicates.exprs.as_bool(whole).is_none()
    }

    /// The atoms of interpolants that are any formulas over the values between blocks.
    fn whole_interpolants(
        &mut self,
        trace: &Trace,
        pivot: usize,
        interpolants: &[Term],
    ) -> Vec<(usize, Vec<ExprId>)> {
        let mut result = Vec::new();
        for (cut, &interpolant) in interpolants.iter().enumerate() {
            let step = pivot + cut + 1;
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
                if self.options.predicates != PredicateKind::Atoms {
                    if self.is_predicate(expr) {
                        result.push((step, vec![expr]));
                    }
                    continue;
                }
                let atoms = vocabulary::atoms_of(exprs, expr);
                // Many atoms are single bits spelled out: no abstraction can use them.
                if atoms.len() <= MAX_OF_PROOF {
                    result.push((step, atoms));
                }
            }
        }
        result
    }
}
