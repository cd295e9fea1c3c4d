//! The proof: an annotation of every place from the product of the program with all data automata.
//!
//! A state of the product is a place and the formulas that are known there; what holds at a place
//! is one of the conjunctions that it is met with. A conjunction that implies another one of the
//! place is left out.

use crate::data::{All, Asking, DataAutomaton};
use automata::{Difference, Search, search};
use cfa::expr::ExprId;
use cfa::place::CallPattern;
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use facts::engine::Reason;
use induction::graph::{PlaceId, ROOT};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The annotation, if the union of the automata has all traces of the program.
pub fn annotation(
    asking: &mut Asking<'_, '_>,
    automata: &[DataAutomaton],
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
    let mut known: FxHashMap<u32, Vec<BTreeSet<ExprId>>> = FxHashMap::default();
    for (state, set) in states {
        let formulas = rest.elements(set).iter().map(|&(_, formula)| formula);
        let formulas: BTreeSet<ExprId> = formulas.filter(|&formula| formula != truth).collect();
        known.entry(state.0).or_default().push(formulas);
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
        let mut add = |invariant| {
            nodes.push(AnnotatedNode {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                invariant,
            });
        };
        let Some(state) = trimmed.states.get(number as usize).copied().flatten() else {
            // No error can be reached from there: anything may hold.
            add(truth);
            continue;
        };
        let sets = known.remove(&state.0).unwrap_or_default();
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
            add(pool.bool_constant(false));
        }
        for set in least {
            let all = set
                .iter()
                .copied()
                .reduce(|one, other| pool.and(one, other));
            add(all.unwrap_or(truth));
        }
    }
    Ok(AnnotatedGraph { pool, nodes })
}
