//! Invariants that others proved, put into this analysis (Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, sections 5.1
//! and 5.3).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | precision increment, `π ∪ inv` | [`Injection::Precision`]: atoms along the refuted path |
//! | `ψ' = (φ ∧ ψ ∧ inv)^π`, then `φ = inv` | [`Injection::PathFormula`]: at both ends of blocks |
//! | `ψ' = (φ ∧ ψ)^π ∧ inv` | [`Injection::AbstractionFormula`]: at the start, in comparisons |
//! | `updateGlobalInvariants` | [`Analysis::take_facts`]: at the start and in refinements |
//! | `getInvariantFor` | [`Analysis::know_facts_of`] |
//!
//! Between two refinements the analysis sees one version of the board (section 5.3.1). A proof that
//! may have used facts carries all of the maps that they come from, because the maps are inductive
//! as a whole and not fact by fact.
//!
//! Deviations: a map that speaks of places inside blocks is left alone, since the proof could not
//! say it there. Of facts for the precision only those over variables are taken that the refuted
//! path depends on, because each predicate costs time in every abstraction (the harm that
//! sections 6.4.1 and 8.2 report).

use super::analysis::Analysis;
use super::candidates;
use super::trace::Trace;
use cfa::expr::{BinOp, ExprId, Node, VarId};
use encoding::vocabulary;
use facts::invariants::InvariantMap;
use induction::graph::{PlaceId, ROOT};
use logic::{Answer, Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Where invariants go (Stieglmaier2016, section 5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injection {
    /// As predicates of the precision.
    Precision,
    /// As conjuncts of path formulas.
    PathFormula,
    /// As conjuncts of abstraction formulas.
    AbstractionFormula,
}

/// Predicates that facts bring to one place in one refinement.
const MAX_PREDICATES: usize = 16;
/// One question about facts is worth so much.
const PATIENCE: Duration = Duration::from_millis(150);

/// The facts in use: one version of the board.
#[derive(Default)]
pub struct Injected {
    /// Publications seen.
    version: usize,
    maps: Vec<Arc<InvariantMap>>,
    /// How many of them there were when the exploration was last begun anew because of them.
    at_restart: usize,
    /// For places, how many of the maps were put into formulas.
    known: FxHashMap<PlaceId, usize>,
    /// What of them was not, because it is hard.
    held_back: FxHashMap<PlaceId, Vec<ExprId>>,
    /// Compares states under the facts of their place.
    solver: Option<Box<dyn Solver>>,
}

impl Analysis<'_> {
    fn injects(&self, where_to: Injection) -> bool {
        self.options.inject.contains(&where_to)
    }

    pub(super) fn injects_formulas(&self) -> bool {
        self.injects(Injection::PathFormula) || self.injects(Injection::AbstractionFormula)
    }

    /// Makes the board's present version the one in use; `true` if it is a newer one.
    pub(super) fn take_facts(&mut self) -> bool {
        if self.options.inject.is_empty() || self.board.version() == self.injected.version {
            return false;
        }
        let facts = self.board.facts();
        let new = facts.maps.iter().skip(self.injected.version);
        let usable: Vec<Arc<InvariantMap>> = new
            .filter(|map| {
                let mut entries = map.entries.iter();
                entries.all(|entry| self.graph.is_cut(entry.location))
            })
            .cloned()
            .collect();
        self.injected.version = facts.version();
        let is_news = !usable.is_empty();
        self.injected.maps.extend(usable);
        is_news
    }

    /// Where nothing else helps: are there facts in use, of now or of before, for which the
    /// exploration has not been begun anew? They are asked for once.
    pub(super) fn has_facts_since_restart(&mut self) -> bool {
        self.take_facts();
        let now = self.injected.maps.len();
        std::mem::replace(&mut self.injected.at_restart, now) < now
    }

    /// What the maps from the given one on say of a place: conjuncts, in the predicates' pool.
    fn conjuncts_at(&mut self, place: PlaceId, from: usize) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for map in &self.injected.maps[from..] {
            let at = self.graph.place(place);
            for holds in map.at(&at.calls, at.location) {
                let exprs = &mut self.predicates.exprs;
                let mut work = vec![exprs.import(&map.pool, holds)];
                while let Some(expr) = work.pop() {
                    match exprs.node(expr) {
                        Node::Binary(BinOp::BoolAnd, a, b) => work.extend([b, a]),
                        Node::Const(1) => {}
                        _ if seen.insert(expr) => found.push(expr),
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// Puts the facts of a place into formulas, as far as they are not there; `true` if there are
    /// new ones.
    pub(super) fn know_facts_of(&mut self, place: PlaceId) -> bool {
        if place == ROOT || !self.injects_formulas() {
            return false;
        }
        let count = self.injected.maps.len();
        let from = self.injected.known.insert(place, count).unwrap_or(0);
        if from >= count {
            return false;
        }
        let mut any = false;
        for fact in self.conjuncts_at(place, from) {
            if self.is_left_out(fact) {
                self.injected.held_back.entry(place).or_default().push(fact);
                continue;
            }
            let Some(term) = self.predicates.start_term(&mut self.graph, place, fact) else {
                continue;
            };
            if !self.is_implied(place, term) {
                any |= self.know(place, fact, term);
            }
        }
        any
    }

    fn know(&mut self, place: PlaceId, fact: ExprId, term: Term) -> bool {
        let at_ends = self.injects(Injection::PathFormula).then_some(fact);
        self.abstractions.add_fact(place, term, at_ends)
    }

    /// The path has come back, so that what was put into formulas was not enough: what was held
    /// back at its places goes there too. The first step of the path at whose place there is
    /// something.
    pub(super) fn admit_hard_facts(&mut self, trace: &Trace) -> Option<usize> {
        let mut first = None;
        for step in 1..trace.blocks.len() {
            let place = trace.place(&self.graph, step);
            for fact in self.injected.held_back.remove(&place).unwrap_or_default() {
                let term = self.predicates.start_term(&mut self.graph, place, fact);
                if term.is_some_and(|term| self.know(place, fact, term)) {
                    first.get_or_insert(step);
                }
            }
        }
        first
    }

    /// Do the facts of the place say so already? If that is not decided quickly, it is taken to be
    /// new: it holds.
    fn is_implied(&mut self, place: PlaceId, term: Term) -> bool {
        let mut question = self.abstractions.facts(place).to_vec();
        if question.is_empty() {
            return false;
        }
        question.push(self.graph.pool().not(term));
        self.is_contradictory(&question)
    }

    /// The abstraction formula: with the facts of the place, if they belong there.
    fn abstraction_formula(&mut self, place: PlaceId, psi: logic::bdd::Bdd) -> Vec<Term> {
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        let mut formula = self.abstractions.formula(graph, predicates, place, psi);
        if self.injects(Injection::AbstractionFormula) {
            formula.extend(self.abstractions.facts(place));
        }
        formula
    }

    /// Under the facts of the place, does the first abstract state imply the second?
    pub(super) fn is_implied_with_facts(
        &mut self,
        place: PlaceId,
        stronger: logic::bdd::Bdd,
        weaker: logic::bdd::Bdd,
    ) -> bool {
        if !self.injects(Injection::AbstractionFormula) || self.abstractions.facts(place).is_empty()
        {
            return false;
        }
        let mut question = self.abstraction_formula(place, stronger);
        let weaker = self.abstraction_formula(place, weaker);
        let pool = self.graph.pool();
        let weaker = pool.and_all(weaker);
        question.push(pool.not(weaker));
        self.is_contradictory(&question)
    }

    /// `false` also where that is not decided in time: both who asks what is new and who compares
    /// states are right then, only less thrifty.
    fn is_contradictory(&mut self, question: &[Term]) -> bool {
        let solving = &self.graph.solving;
        let solver = &mut self.injected.solver;
        let solver = solver.get_or_insert_with(|| solving.solver(&self.budget.stop));
        solver.set_stop(self.budget.stop.with_timeout(PATIENCE));
        solver.check(self.graph.pool(), question) == Answer::Unsat
    }

    /// Takes a newer version of the board for an infeasible path; the first step of the path at
    /// whose place something is known now that was not.
    pub(super) fn inject_along(&mut self, trace: &Trace) -> Option<usize> {
        if self.options.inject.is_empty() {
            return None;
        }
        self.take_facts();
        let variables: FxHashSet<VarId> = match self.injects(Injection::Precision) {
            true => {
                let leaves: Vec<Term> = trace.needed.concat();
                let list = candidates::variables(&mut self.graph, &leaves);
                list.into_iter().collect()
            }
            false => FxHashSet::default(),
        };
        let mut first = None;
        let mut seen = FxHashSet::default();
        for step in 1..trace.blocks.len() {
            let place = trace.place(&self.graph, step);
            if !seen.insert(place) {
                continue;
            }
            let mut is_new = self.know_facts_of(place);
            if self.injects(Injection::Precision) {
                let mut atoms = Vec::new();
                for fact in self.conjuncts_at(place, 0) {
                    atoms.extend(vocabulary::atoms_of(&mut self.predicates.exprs, fact));
                }
                is_new |= self.add_relevant(place, &atoms, &variables);
            }
            if is_new {
                first.get_or_insert(step);
            }
        }
        first
    }

    /// An invariant that this analysis proved goes where the configuration says; `true` if it is
    /// new there.
    pub(super) fn put(&mut self, place: PlaceId, fact: ExprId) -> bool {
        let mut any = false;
        let at_ends = self.injects(Injection::PathFormula).then_some(fact);
        if self.injects_formulas()
            && let Some(term) = self.predicates.start_term(&mut self.graph, place, fact)
            && self.abstractions.add_fact(place, term, at_ends)
        {
            self.facts.entry(place).or_default().push(fact);
            any = true;
        }
        if self.injects(Injection::Precision) {
            let atoms = vocabulary::atoms_of(&mut self.predicates.exprs, fact);
            any |= self.add_invariant_atoms(place, atoms, MAX_PREDICATES);
        }
        any
    }

    /// Atoms over the variables become predicates; `true` if one is new.
    pub(super) fn add_relevant(
        &mut self,
        place: PlaceId,
        atoms: &[ExprId],
        variables: &FxHashSet<VarId>,
    ) -> bool {
        let relevant = |atom: &ExprId| {
            let own = vocabulary::variables_of(&self.predicates.exprs, *atom);
            own.iter().all(|var| variables.contains(var))
                && self.predicates.is_about(&self.graph, place, *atom)
        };
        let relevant: Vec<ExprId> = atoms.iter().copied().filter(relevant).collect();
        self.add_invariant_atoms(place, relevant, MAX_PREDICATES)
    }

    /// The facts that a proof must carry: the analysis's own, and all of the maps that it used.
    pub(super) fn facts_of_proof(&mut self) -> FxHashMap<PlaceId, Vec<ExprId>> {
        let mut facts = self.facts.clone();
        if self.injects_formulas() && !self.injected.maps.is_empty() {
            for number in 1..self.graph.place_count() {
                let place = PlaceId(number as u32);
                let more = self.conjuncts_at(place, 0);
                if !more.is_empty() {
                    facts.entry(place).or_default().extend(more);
                }
            }
        }
        facts
    }
}

#[cfg(test)]
mod table_1;
#[cfg(test)]
mod tests;
