//! What an annotation says of addresses is left out.
//!
//! Where executions begin, formulas place objects somewhere; in the arbitrary states from which a
//! step of an induction starts they lie elsewhere. A program that cannot observe addresses does not
//! care. An annotation that tells the placements apart (`p < 0x5f00…` for a pointer `p`) would hold
//! at the start and exclude all states of the step: everything would follow from it.

use crate::graph::belongs_to;
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use cfa::program::Program;
use facts::certificate::AnnotatedGraph;
use rustc_hash::FxHashMap;

/// The annotation without what depends on addresses, which says less; `None` if all of it may stay.
pub(crate) fn without_addresses(
    program: &Program,
    graph: &AnnotatedGraph,
) -> Option<AnnotatedGraph> {
    let roots: Vec<ExprId> = graph.nodes.iter().map(|node| node.invariant).collect();
    if !belongs_to(program, &graph.pool, &roots) {
        // Refused by whoever looks at it.
        return None;
    }
    let atoms = atoms(&graph.pool, &roots);
    let observing = transform::regions::observing_claims(program, &graph.pool, &atoms);
    if !observing.contains(&true) {
        return None;
    }
    let mut weaker = graph.clone();
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for (&atom, &observes) in atoms.iter().zip(&observing) {
        let kept = match observes {
            true => weaker.pool.bool_constant(true),
            false => atom,
        };
        known.insert(atom, kept);
    }
    for node in &mut weaker.nodes {
        node.invariant = rebuilt(&mut weaker.pool, node.invariant, &mut known);
    }
    Some(weaker)
}

/// What conjunctions and disjunctions are made of.
fn atoms(pool: &ExprPool, roots: &[ExprId]) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Binary(BinOp::BoolAnd | BinOp::BoolOr, a, b) => open.extend([a, b]),
            _ => found.push(id),
        }
    }
    found
}

/// The same with other atoms. True instead of an atom makes conjunctions and disjunctions weaker,
/// never stronger.
fn rebuilt(pool: &mut ExprPool, root: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
    let mut open = vec![root];
    while let Some(&id) = open.last() {
        if known.contains_key(&id) {
            open.pop();
            continue;
        }
        let Node::Binary(op, a, b) = pool.node(id) else {
            known.insert(id, id);
            continue;
        };
        match (known.get(&a).copied(), known.get(&b).copied()) {
            (Some(a), Some(b)) => {
                let new = match op {
                    BinOp::BoolAnd => pool.and(a, b),
                    _ => pool.or(a, b),
                };
                known.insert(id, new);
            }
            _ => open.extend([a, b]),
        }
    }
    known[&root]
}
