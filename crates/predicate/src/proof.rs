//! The finished tree as a certificate.

use super::abstraction::Abstractions;
use super::predicates::{PredicateId, Predicates};
use super::tree::Tree;
use cfa::expr::{ExprId, ExprPool};
use cfa::place::CallPattern;
use facts::certificate::{AnnotatedGraph, AnnotatedNode};
use induction::graph::{PlaceId, ROOT};
use induction::solver_graph::SolverGraph;
use logic::bdd::Bdd;
use rustc_hash::{FxHashMap, FxHashSet};

/// An abstract state as an expression.
pub fn expression(
    abstractions: &Abstractions,
    predicates: &Predicates,
    exprs: &mut ExprPool,
    psi: Bdd,
) -> ExprId {
    if let Some(cubes) = abstractions.bdds.cubes(psi, 1)
        && cubes.len() == 1
    {
        let mut all = exprs.bool_constant(true);
        for &(variable, positive) in &cubes[0] {
            let mut literal = predicates.expression(PredicateId(variable));
            if !positive {
                literal = exprs.not(literal);
            }
            all = exprs.and(all, literal);
        }
        return all;
    }
    let (yes, no) = (exprs.bool_constant(true), exprs.bool_constant(false));
    abstractions.bdds.fold(
        psi,
        |value| if value { yes } else { no },
        |variable, high, low| {
            let test = predicates.expression(PredicateId(variable));
            let (positive, negative) = (test, exprs.not(test));
            // Choices would want branches that cannot fail; conjunctions and disjunctions do not.
            let high = exprs.and(positive, *high);
            let low = exprs.and(negative, *low);
            exprs.or(high, low)
        },
    )
}

/// One node for each abstract state, with the facts of its place.
pub fn graph(
    blocks: &SolverGraph<'_>,
    tree: &Tree,
    abstractions: &Abstractions,
    predicates: &Predicates,
    facts: &FxHashMap<PlaceId, Vec<ExprId>>,
) -> AnnotatedGraph {
    let mut pool = predicates.exprs.clone();
    let mut nodes: Vec<AnnotatedNode> = Vec::new();
    for node in tree.proper() {
        if node.place == ROOT {
            continue;
        }
        let mut invariant = expression(abstractions, predicates, &mut pool, node.psi);
        for &fact in facts.get(&node.place).into_iter().flatten() {
            invariant = pool.and(invariant, fact);
        }
        let place = blocks.place(node.place);
        let node = AnnotatedNode {
            calls: CallPattern::Exactly(place.calls.clone()),
            location: place.location,
            invariant,
        };
        let is_known = nodes.iter().any(|other| {
            other.location == node.location
                && other.calls == node.calls
                && other.invariant == node.invariant
        });
        if !is_known {
            nodes.push(node);
        }
    }
    // Places that no abstract state came to are unreachable, and the checker need not look for the
    // reason.
    let reached: FxHashSet<PlaceId> = tree.proper().map(|node| node.place).collect();
    let never = pool.bool_constant(false);
    for number in 1..blocks.place_count() {
        let id = PlaceId(number as u32);
        if !reached.contains(&id) {
            let place = blocks.place(id);
            nodes.push(AnnotatedNode {
                calls: CallPattern::Exactly(place.calls.clone()),
                location: place.location,
                invariant: never,
            });
        }
    }
    AnnotatedGraph { pool, nodes }
}
