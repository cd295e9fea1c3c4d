//! The proof: an annotation of every place from the product of the program with all data automata.
//!
//! A state of the product is a place and the formulas that are known there; what holds at a place
//! is one of the conjunctions that it is met with. A conjunction that implies another one of the
//! place is left out. Facts of other analyses that triples rely on are part of it.

use crate::data::{All, Asking, DataAutomaton};
use crate::knowledge::Facts;
use automata::{Difference, Search, search};
use cfa::expr::{ExprId, ExprPool};
use cfa::place::{CallPattern, Invariant};
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use facts::engine::Reason;
use facts::invariants::InvariantMap;
use induction::graph::{PlaceId, ROOT};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The annotation, if the union of the automata has all traces of the program.
pub fn annotation(
    asking: &mut Asking<'_, '_>,
    automata: &[DataAutomaton],
    facts: &Facts,
) -> Result<AnnotatedGraph, Reason> {
    let program = asking.program;
    let truth = asking.constants.truth;
    let trimmed = automata::trim(&program.nfa);
    let union = All {
        asking,
        automata,
        known: FxHashMap::default(),
    };
    let mut rest = Difference::new(&trimmed.nfa, union);
    let states = match search(&mut rest)? {
        Search::Empty(states) => states,
        Search::Accepts(_) => return Err("the data automata do not accept all traces".into()),
    };
    let mut sets_of: FxHashMap<u32, Vec<BTreeSet<ExprId>>> = FxHashMap::default();
    for (state, set) in states {
        let formulas = rest.elements(set).iter().map(|&(_, formula)| formula);
        let formulas: BTreeSet<ExprId> = formulas.filter(|&formula| formula != truth).collect();
        sets_of.entry(state.0).or_default().push(formulas);
    }
    drop(rest);
    let (graph, predicates) = asking.refuter.parts();
    let mut pool = predicates.exprs.clone();
    let mut nodes = Vec::new();
    for number in 0..graph.place_count() as u32 {
        if number == ROOT.0 {
            continue;
        }
        let place = graph.place(PlaceId(number));
        let known = facts.at(PlaceId(number)).iter().copied();
        let known = known.reduce(|one, other| pool.and(one, other));
        let mut add = |pool: &mut ExprPool, invariant| {
            let invariant = known.map_or(invariant, |known| pool.and(known, invariant));
            nodes.push(AnnotatedNode {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                invariant,
            });
        };
        let Some(state) = trimmed.states.get(number as usize).copied().flatten() else {
            // No error can be reached from there: anything may hold.
            add(&mut pool, truth);
            continue;
        };
        let sets = sets_of.remove(&state.0).unwrap_or_default();
        let least: Vec<&BTreeSet<ExprId>> = (sets.iter().enumerate())
            .filter(|&(position, set)| {
                !sets.iter().enumerate().any(|(other, smaller)| {
                    smaller.is_subset(set) && (smaller.len() < set.len() || other < position)
                })
            })
            .map(|(_, set)| set)
            .collect();
        if least.is_empty() {
            // No word that may be feasible leads there.
            let falsity = pool.bool_constant(false);
            add(&mut pool, falsity);
        }
        for set in least {
            let all = set
                .iter()
                .copied()
                .reduce(|one, other| pool.and(one, other));
            add(&mut pool, all.unwrap_or(truth));
        }
    }
    Ok(AnnotatedGraph { pool, nodes })
}

/// The annotation as one statement for each place.
pub fn as_map(by: &str, graph: &AnnotatedGraph) -> InvariantMap {
    let mut pool = graph.pool.clone();
    let mut entries: Vec<Invariant> = Vec::new();
    for node in &graph.nodes {
        let known = (entries.iter_mut())
            .find(|entry| entry.location == node.location && entry.calls == node.calls);
        match known {
            Some(entry) => entry.holds = pool.or(entry.holds, node.invariant),
            None => entries.push(Invariant {
                calls: node.calls.clone(),
                location: node.location,
                holds: node.invariant,
            }),
        }
    }
    InvariantMap {
        by: by.into(),
        pool,
        entries,
    }
}
