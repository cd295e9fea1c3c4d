//! Facts that refute a path: conjunctions of atoms that are inductive over the whole program.

use super::analysis::Analysis;
use super::candidates::{self, Source};
use super::inductive::{self, Candidates};
use super::narrow::narrow;
use super::refinement::part;
use super::trace::Trace;
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use control::StopToken;
use encoding::vocabulary::{self, Extent};
use induction::graph::{PlaceId, ROOT};
use induction::solver_graph::SolverGraph;
use logic::{Answer, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// More places than this are not looked at all at once.
pub(super) const MAX_PLACES: usize = 60;
/// Candidates at one place.
const MAX_CANDIDATES: usize = 250;
/// Facts that one refinement adds at one place without their refuting its path.
const MAX_FACTS: usize = 12;
/// Bounds by constants of one value from one side.
const MAX_BOUNDS: usize = 4;

/// What facts are searched among, at first and when a loop is unrolled. Samples suggest the sums
/// that matter.
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

impl Analysis<'_> {
    /// Looks for new inductive facts; `true` if there are any.
    pub(super) fn strengthen(&mut self, trace: &Trace, core: &[Vec<Term>]) -> bool {
        let Some((places, blocks)) = inductive::whole_graph(&mut self.graph, MAX_PLACES) else {
            return false;
        };
        let mut chosen = self.candidates_at(&places, trace, core);
        let mut is_new = false;
        for (&place, list) in &chosen {
            let tried = self.tried.entry(place).or_default();
            for &expr in list {
                is_new |= tried.insert(expr);
            }
        }
        if !is_new {
            return false;
        }
        let stop = part(&self.budget.stop, 0.3, Duration::from_secs(4));
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        let checker = &mut self.checker;
        if !inductive::make_inductive(graph, predicates, checker, &blocks, &mut chosen, &stop) {
            return false;
        }
        let wanted = match self.refuting(trace, &chosen, &stop) {
            Some(refuting) => refuting,
            None => self.about(trace, &chosen, &stop),
        };
        let (graph, predicates) = (&mut self.graph, &mut self.predicates);
        let checker = &mut self.checker;
        let wanted =
            inductive::support(graph, predicates, checker, &blocks, &chosen, wanted, &stop);
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

    /// Atoms that may hold at the places, but the start, and help against the path.
    pub(super) fn candidates_at(
        &mut self,
        places: &[PlaceId],
        trace: &Trace,
        core: &[Vec<Term>],
    ) -> Candidates {
        let extent = FACT_EXTENTS[usize::from(self.is_unrolled(trace))];
        let variables = self.relevant_variables(trace, true);
        let constants = self.constants_of(trace);
        let moved =
            candidates::moved_back(&mut self.graph, &mut self.predicates.exprs, trace, core);
        let mut chosen: Candidates = Candidates::new();
        let cells = vocabulary::cells_of(&self.predicates.exprs, &moved.concat());
        for &place in places {
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
            let samples = self.samples.of(location);
            let mut atoms =
                candidates::affine(program, &mut self.predicates.exprs, samples, &variables);
            atoms.extend(narrow(
                program,
                &mut self.predicates.exprs,
                samples,
                &variables,
            ));
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
            let pointers = &self.text.pointers;
            list.retain(|&expr| seen.insert(expr) && !pointers.places_an_object(exprs, expr));
            self.samples.filter(exprs, location, &mut list);
            tightest_bounds(exprs, &mut list);
            list.retain(|&expr| self.predicates.is_about(&self.graph, place, expr));
            list.truncate(MAX_CANDIDATES);
            chosen.insert(place, list);
        }
        chosen
    }

    /// Does the path pass a place again and again? Such a loop is worth a longer search.
    pub(super) fn is_unrolled(&self, trace: &Trace) -> bool {
        let mut visits: FxHashMap<PlaceId, u32> = FxHashMap::default();
        for step in 0..trace.blocks.len() {
            *visits.entry(trace.place(&self.graph, step)).or_insert(0) += 1;
        }
        visits.values().any(|&count| count > 2)
    }

    /// Of what was found to hold, what makes a block of the path impossible, if one is.
    pub(super) fn refuting(
        &mut self,
        trace: &Trace,
        known: &Candidates,
        stop: &StopToken,
    ) -> Option<Candidates> {
        let mut seen = FxHashSet::default();
        for (step, &block) in trace.blocks.iter().enumerate() {
            let place = trace.place(&self.graph, step);
            let Some(list) = known.get(&place).filter(|_| seen.insert(block)) else {
                continue;
            };
            let (graph, predicates) = (&mut self.graph, &mut self.predicates);
            let checker = &mut self.checker;
            if let Some(core) = inductive::refutes(graph, predicates, checker, block, list, stop) {
                return Some(Candidates::from([(place, core)]));
            }
        }
        None
    }

    /// Of what was found to hold, what speaks of the variables that the path depends on.
    pub(super) fn about(
        &mut self,
        trace: &Trace,
        known: &Candidates,
        stop: &StopToken,
    ) -> Candidates {
        let mut wanted = Candidates::new();
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
            kept.truncate(MAX_FACTS);
            wanted.insert(place, kept);
        }
        wanted
    }
}

/// Of bounds of one value by constants only the few that say most: candidates come from states, so
/// one of these holds if any does.
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
        loose.extend(list.iter().skip(MAX_BOUNDS).map(|&(_, expr)| expr));
    }
    list.retain(|expr| !loose.contains(expr));
}

/// The expressions without those that the others imply.
fn irredundant(
    graph: &mut SolverGraph<'_>,
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
