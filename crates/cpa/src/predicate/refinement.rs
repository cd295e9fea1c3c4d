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
use super::options::{InterpolantSource, PredicateKind};
use super::sequence::{Clause, Given, Sequence, Suffixes};
use super::trace::Trace;
use super::tree::NodeId;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use encoding::vocabulary::{self, Extent};
use facts::engine::Outcome;
use logic::interpolate::{InterpolationError, Interpolator, ProofInterpolator};
use logic::{Answer, StopToken, Term, TermPool, UnknownReason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// More places than this are not looked at all at once.
const MOST_PLACES: usize = 60;
/// Candidates at one place.
const MOST_CANDIDATES: usize = 250;
/// Facts that one refinement adds at one place without their refuting its path.
const MOST_FACTS: usize = 12;
/// Bounds by constants of one value from one side.
const MOST_BOUNDS: usize = 4;
/// Atoms of an interpolant from a proof.
const MOST_OF_PROOF: usize = 6;
/// Atoms about cells of memory at one place.
const MOST_OF_CELLS: usize = 120;
/// Predicates that one refinement adds at one place.
const MOST_NEW: usize = 24;

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

/// What facts are searched among, at first and when a loop is unrolled. Samples suggest the sums that matter.
const FACT_EXTENTS: [Extent; 2] = [
    Extent {
        variables: 8,
        related: 5,
        constants: 8,
        bounds: true,
        congruences: false,
        sums: false,
    },
    Extent {
        variables: 16,
        related: 10,
        constants: 12,
        bounds: true,
        congruences: true,
        sums: false,
    },
];

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
        let begin = Instant::now();
        let strengthened =
            self.options.inductive && self.may_search_facts() && self.strengthen(trace, core);
        self.statistics.inductive_time += begin.elapsed();
        if strengthened {
            match self.first_impassable(nodes, trace) {
                Ok(Some(step)) => {
                    self.statistics.refinements_by[0] += 1;
                    self.cut_back(nodes, step + 1);
                    return Refined::Progress;
                }
                Ok(None) => {}
                Err(Undecided(why)) => {
                    return Refined::Done(Outcome::Unknown(self.undecided(&why)));
                }
            }
        }
        let mut reasons = Vec::new();
        for (number, source) in self.options.interpolants.clone().into_iter().enumerate() {
            if self.budget.is_exhausted() {
                break;
            }
            if source == InterpolantSource::Proof && !self.graph.solving.gives_proofs() {
                reasons.push("the chosen solver gives no proofs to interpolate from".into());
                continue;
            }
            let begin = Instant::now();
            let found = self.predicates_from(source, nodes, trace, core);
            self.statistics.interpolation_time += begin.elapsed();
            match found {
                Ok(found) => {
                    let mut first = None;
                    let mut new = Vec::new();
                    for (step, atoms) in found {
                        let place = trace.place(&self.graph, step);
                        for atom in atoms.into_iter().take(MOST_NEW) {
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
                    reasons.push(format!("source {number} has no new predicate"));
                }
                Err(InterpolationError::Unknown(UnknownReason::Stopped)) => {
                    reasons.push(format!("source {number} was given too little time"));
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

    /// Looks for new inductive facts; `true` if there are any.
    fn strengthen(&mut self, trace: &Trace, core: &[Vec<Term>]) -> bool {
        // A loop that is passed again and again is worth a longer search.
        let mut visits: FxHashMap<PlaceId, u32> = FxHashMap::default();
        for step in 0..trace.blocks.len() {
            *visits.entry(trace.place(&self.graph, step)).or_insert(0) += 1;
        }
        let is_unrolled = visits.values().any(|&count| count > 2);
        let extent = FACT_EXTENTS[usize::from(is_unrolled)];
        let Some((places, blocks)) = inductive::whole_graph(&mut self.graph, MOST_PLACES) else {
            return false;
        };
        let variables = self.relevant_variables(trace, true);
        let constants = self.constants_of(trace);
        let moved =
            candidates::moved_back(&mut self.graph, &mut self.predicates.exprs, trace, core);
        let mut chosen: Candidates = Candidates::new();
        let mut is_new = false;
        let cells = vocabulary::cells_of(&self.predicates.exprs, &moved.concat());
        for place in places {
            if place == ROOT {
                continue;
            }
            let location = self.graph.place(place).location;
            let source = Source {
                text: &self.text,
                variables: &variables,
                constants: &constants,
                cells: &cells,
                extent,
            };
            let program = self.graph.program();
            let mut atoms = candidates::affine(
                program,
                &mut self.predicates.exprs,
                &self.samples,
                location,
                &variables,
            );
            atoms.extend(candidates::at_place(
                &self.graph,
                &mut self.predicates,
                place,
                &source,
            ));
            for (step, found) in moved.iter().enumerate() {
                if trace.place(&self.graph, step) == place {
                    atoms.extend(found);
                }
            }
            let exprs = &mut self.predicates.exprs;
            let mut list: Vec<ExprId> = self.facts.get(&place).cloned().unwrap_or_default();
            for atom in atoms {
                list.push(atom);
                let negation_matters = match exprs.node(atom) {
                    Node::Binary(BinOp::Le, ..) => false,
                    Node::Binary(BinOp::Eq, _, b) => {
                        exprs.as_constant(b).is_none_or(|value| value == 0)
                    }
                    _ => true,
                };
                if negation_matters {
                    list.push(exprs.not(atom));
                }
            }
            let mut seen = FxHashSet::default();
            list.retain(|&expr| seen.insert(expr));
            self.samples.filter(exprs, location, &mut list);
            tightest_bounds(exprs, &mut list);
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
        let solvers = &mut self.solvers;
        if !inductive::make_inductive(graph, predicates, solvers, &blocks, &mut chosen, &stop) {
            return false;
        }
        let wanted = self.wanted(trace, &chosen, &stop);
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        let solvers = &mut self.solvers;
        let wanted =
            inductive::support(graph, predicates, solvers, &blocks, &chosen, wanted, &stop);
        let Some(wanted) = wanted else {
            return false;
        };
        let mut new = Vec::new();
        for (place, list) in wanted {
            for expr in list {
                if self.inject(place, expr, false) {
                    new.push((place, expr));
                }
            }
        }
        self.tell_found("inductive", trace, &new);
        !new.is_empty()
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

    /// Says so when constants of predicates begin to count.
    fn watch_divergence(&mut self, new: &[(PlaceId, ExprId)]) {
        let program = self.graph.program();
        for &(place, expr) in new {
            let location = self.graph.place(place).location;
            let text = cfa::export::expression_text_in(program, &self.predicates.exprs, expr);
            if let Some(counting) = self.divergence.note(location, &text) {
                let span = program.location(location).span;
                let text = format!(
                    "the loop at {} is being unrolled: '{}' with {}, {} further on each time",
                    program.describe(span),
                    counting.shape,
                    counting.latest,
                    counting.step
                );
                self.board.progress(self.name, &text);
            }
        }
    }

    /// What a refinement found, for whoever follows the analysis.
    fn tell_found(&self, how: &str, trace: &Trace, found: &[(PlaceId, ExprId)]) {
        let program = self.graph.program();
        let texts = found.iter().map(|&(place, expr)| {
            let text = cfa::export::expression_text_in(program, &self.predicates.exprs, expr);
            format!("{} @{}", text, place.0)
        });
        let texts: Vec<String> = texts.take(12).collect();
        let text = format!(
            "refinement {} ({} blocks), {how}: {}",
            self.statistics.refinements,
            trace.blocks.len(),
            texts.join(", ")
        );
        self.board.progress(self.name, &text);
    }

    /// Of what was found to hold, what helps against the path: if a block of it is impossible then, what makes it so;
    /// otherwise what speaks of the variables that it depends on.
    fn wanted(&mut self, trace: &Trace, known: &Candidates, stop: &StopToken) -> Candidates {
        let mut wanted = Candidates::new();
        for (step, &block) in trace.blocks.iter().enumerate() {
            let place = trace.place(&self.graph, step);
            let Some(list) = known.get(&place) else {
                continue;
            };
            let (graph, predicates) = (&mut self.graph, &mut self.predicates);
            let solvers = &mut self.solvers;
            if let Some(core) = inductive::refutes(graph, predicates, solvers, block, list, stop) {
                wanted.insert(place, core);
                return wanted;
            }
        }
        for step in 1..trace.blocks.len() {
            let place = trace.place(&self.graph, step);
            let Some(list) = known.get(&place) else {
                continue;
            };
            let needed = candidates::variables(&mut self.graph, &trace.needed[step]);
            let mut about: Vec<ExprId> = list
                .iter()
                .copied()
                .filter(|&expr| {
                    let variables = vocabulary::variables_of(&self.predicates.exprs, expr);
                    variables.iter().all(|var| needed.contains(var))
                })
                .collect();
            // Equations say most.
            let exprs = &self.predicates.exprs;
            about.sort_by_key(|&expr| !matches!(exprs.node(expr), Node::Binary(BinOp::Eq, ..)));
            about.truncate(120);
            let mut kept = irredundant(&mut self.graph, place, &about, &mut self.predicates, stop);
            kept.truncate(MOST_FACTS);
            wanted.insert(place, kept);
        }
        wanted
    }

    fn constants_of(&mut self, trace: &Trace) -> Vec<i128> {
        let mut terms: Vec<Term> = Vec::new();
        for (step, &block) in trace.blocks.iter().enumerate() {
            terms.extend(&self.graph.block(block).path);
            terms.extend(trace.ends[step].iter().map(|&(_, value)| value));
        }
        let mut constants = candidates::constants_of_terms(self.graph.pool(), &terms);
        constants.retain(|&value| !self.graph.is_dynamic_address(value as u128));
        constants
    }

    /// Atoms for each cut of the path: (number of the block that begins there, atoms).
    pub(super) fn predicates_from(
        &mut self,
        source: InterpolantSource,
        nodes: &[NodeId],
        trace: &Trace,
        core: &[Vec<Term>],
    ) -> Result<Vec<(usize, Vec<ExprId>)>, InterpolationError> {
        let mut formulas = Vec::new();
        let mut facts: Vec<Vec<Term>> = Vec::new();
        for (step, mut conjuncts) in trace.relations(&mut self.graph).into_iter().enumerate() {
            let place = trace.place(&self.graph, step);
            let known = match step {
                0 => Vec::new(),
                _ => self.abstractions.facts(place).to_vec(),
            };
            for &fact in &known {
                conjuncts.push(Trace::term_at(&mut self.graph, fact, step));
            }
            facts.push(known);
            formulas.push(self.graph.pool().and_all(conjuncts));
        }
        let stop = match source {
            InterpolantSource::Vocabulary => part(&self.budget.stop, 0.5, Duration::from_secs(30)),
            _ => part(&self.budget.stop, 0.25, Duration::from_secs(5)),
        };
        let mut suffixes = Suffixes::new(formulas.clone(), self.graph.solving.solver(&stop));
        let (pivot, at_pivot) = self.pivot(nodes, trace, &mut suffixes);
        if source == InterpolantSource::Proof {
            let mut first = vec![formulas[pivot]];
            for &term in &at_pivot {
                first.push(Trace::term_at(&mut self.graph, term, pivot));
            }
            formulas[pivot] = self.graph.pool().and_all(first);
            let mut interpolator = ProofInterpolator::default();
            let found = interpolator.interpolate(self.graph.pool(), &formulas[pivot..], &stop)?;
            return Ok(self.whole_interpolants(trace, pivot, &found));
        }
        let moved =
            candidates::moved_back(&mut self.graph, &mut self.predicates.exprs, trace, core);
        let given = Given {
            facts,
            pivot,
            at_pivot,
        };
        // The smallest vocabulary that suffices gives the predicates that say least beside the point.
        let mut stages: Vec<Option<Extent>> = vec![None];
        if source == InterpolantSource::Vocabulary {
            stages.extend(STAGES.map(Some));
        }
        let mut result = Err(InterpolationError::Declined("no vocabulary".into()));
        for stage in stages {
            result = self.over_vocabulary(trace, &mut suffixes, &given, &moved, stage, &stop);
            match &result {
                Err(InterpolationError::Declined(_)) => {}
                _ => break,
            }
        }
        match result {
            // Conditions moved backwards are worth having even where they alone are no interpolant.
            Err(InterpolationError::Declined(_))
                if source == InterpolantSource::WeakestPrecondition =>
            {
                Ok(moved.into_iter().enumerate().skip(1).collect())
            }
            result => result,
        }
    }

    /// The last abstract state of the path from which the rest of the path is impossible: only after it anything has to be
    /// learnt. With its formulas.
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

    /// Interpolants over the predicates that are there, the conditions of the path moved backwards and, with an extent,
    /// further atoms.
    fn over_vocabulary(
        &mut self,
        trace: &Trace,
        suffixes: &mut Suffixes,
        given: &Given,
        moved: &[Vec<ExprId>],
        extent: Option<Extent>,
        stop: &StopToken,
    ) -> Result<Vec<(usize, Vec<ExprId>)>, InterpolationError> {
        let variables = self.relevant_variables(trace, false);
        let constants = self.constants_of(trace);
        let mut vocabularies: Vec<Vec<ExprId>> = vec![Vec::new(); given.pivot + 1];
        for (step, moved) in moved.iter().enumerate().skip(given.pivot + 1) {
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
            atoms.retain(|&atom| known.insert(atom));
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
            if self.options.predicates == PredicateKind::Whole {
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
                && atoms.len() + values.len() <= MOST_OF_CELLS
            {
                atoms.extend(values);
            }
        }
        atoms
    }

    /// The conjunction of clauses as one predicate, if it says anything.
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
        exprs.as_bool(all).is_none().then_some(all)
    }

    fn precision_of(&self, place: PlaceId) -> Vec<super::predicates::PredicateId> {
        let location = self.graph.place(place).location;
        self.precision.at(self.graph.program(), location)
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
                if self.options.predicates == PredicateKind::Whole {
                    if exprs.as_bool(expr).is_none() {
                        result.push((step, vec![expr]));
                    }
                    continue;
                }
                let atoms = vocabulary::atoms_of(exprs, expr);
                // Many atoms are single bits spelled out: no abstraction can use them.
                if atoms.len() <= MOST_OF_PROOF {
                    result.push((step, atoms));
                }
            }
        }
        result
    }
}

/// Of bounds of one value by constants only the few that say most: candidates come from states, so one of these holds
/// if any does.
fn tightest_bounds(exprs: &ExprPool, list: &mut Vec<ExprId>) {
    let mut bounds: FxHashMap<(ExprId, bool), Vec<(i128, ExprId)>> = FxHashMap::default();
    for &expr in list.iter() {
        if let Node::Binary(BinOp::Le, a, b) = exprs.node(expr) {
            match (exprs.as_integer(a), exprs.as_integer(b)) {
                (None, Some(upper)) => bounds.entry((a, true)).or_default().push((upper, expr)),
                (Some(lower), None) => bounds.entry((b, false)).or_default().push((-lower, expr)),
                _ => {}
            }
        }
    }
    let mut loose: FxHashSet<ExprId> = FxHashSet::default();
    for list in bounds.values_mut() {
        list.sort_unstable();
        loose.extend(list.iter().skip(MOST_BOUNDS).map(|&(_, expr)| expr));
    }
    list.retain(|expr| !loose.contains(expr));
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
    let mut solver = graph.solving.solver(stop);
    let pool = graph.pool();
    for position in (0..kept.len()).rev() {
        solver.set_stop(stop.with_timeout(inductive::PATIENCE));
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
