//! Certificates that are easier to check.
//!
//! An abstract interpretation says all that it knows of a place, needed or not. That a counter is a
//! multiple of three is cheap to find out and very expensive to prove with bits; most proofs do not
//! need it.

use crate::certificate::{AnnotatedGraph, Certificate};
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use rustc_hash::FxHashMap;

/// The certificate without statements that need divisions or products of unknowns; `None` if there
/// are none.
///
/// Law: what the result says of a place follows from what the certificate says of it. Whether it is
/// still enough, its checker must find out.
pub fn without_products(certificate: &Certificate) -> Option<Certificate> {
    match certificate {
        Certificate::Graph(graph) => weakened(graph).map(Certificate::Graph),
        Certificate::KInduction(claim) => {
            let mut claim = claim.clone();
            claim.support = weakened(&claim.support)?;
            Some(Certificate::KInduction(claim))
        }
        _ => None,
    }
}

fn weakened(graph: &AnnotatedGraph) -> Option<AnnotatedGraph> {
    let mut result = graph.clone();
    let mut hard = FxHashMap::default();
    let mut has_changed = false;
    for node in &mut result.nodes {
        let (mut open, mut kept) = (vec![node.invariant], Vec::new());
        while let Some(id) = open.pop() {
            match graph.pool.node(id) {
                Node::Binary(BinOp::BoolAnd, a, b) => open.extend([b, a]),
                _ if is_hard(&graph.pool, id, &mut hard) => has_changed = true,
                _ => kept.push(id),
            }
        }
        let pool = &mut result.pool;
        let all = kept
            .into_iter()
            .reduce(|all, one| pool.binary(BinOp::BoolAnd, all, one));
        node.invariant = all.unwrap_or_else(|| pool.bool_constant(true));
    }
    has_changed.then_some(result)
}

/// Are there divisions by other numbers than powers of two, or products of unknowns? `known` keeps
/// the answers for parts.
pub fn is_hard(pool: &ExprPool, root: ExprId, known: &mut FxHashMap<ExprId, bool>) -> bool {
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        let node = pool.node(id);
        let before = stack.len();
        stack.extend(node.children().filter(|part| !known.contains_key(part)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let is_constant = |id: ExprId| matches!(pool.node(id), Node::Const(_));
        let itself = match node {
            Node::Binary(BinOp::Div | BinOp::Rem, _, by) => {
                !matches!(pool.node(by), Node::Const(bits) if bits.is_power_of_two())
            }
            Node::Binary(BinOp::Mul, a, b) => !is_constant(a) && !is_constant(b),
            _ => false,
        };
        let hard = itself || node.children().any(|part| known[&part]);
        known.insert(id, hard);
    }
    known[&root]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::AnnotatedNode;
    use cfa::expr::VarId;
    use cfa::place::CallPattern;
    use cfa::program::LocId;
    use cfa::value::Ty;

    #[test]
    fn only_what_needs_a_product_is_left_out() {
        let mut pool = ExprPool::default();
        let ty = Ty::unsigned(32);
        let (x, y) = (pool.variable(VarId(0), ty), pool.variable(VarId(1), ty));
        let (zero, three, four) = (
            pool.constant(0, ty),
            pool.constant(3, ty),
            pool.constant(4, ty),
        );
        let mut is_zero = |op, a, b| {
            let value = pool.binary(op, a, b);
            pool.binary(BinOp::Eq, value, zero)
        };
        let by_three = is_zero(BinOp::Rem, x, three);
        let by_four = is_zero(BinOp::Rem, x, four);
        let square = is_zero(BinOp::Mul, x, y);
        let sum = is_zero(BinOp::Add, x, y);
        let all = [by_three, by_four, square, sum];
        let all = all
            .into_iter()
            .reduce(|all, one| pool.binary(BinOp::BoolAnd, all, one))
            .expect("four statements");
        let graph = |pool: &ExprPool, invariant| {
            Certificate::Graph(AnnotatedGraph {
                pool: pool.clone(),
                nodes: vec![AnnotatedNode {
                    calls: CallPattern::Any,
                    location: LocId(0),
                    invariant,
                }],
            })
        };
        let Some(Certificate::Graph(easier)) = without_products(&graph(&pool, all)) else {
            panic!("there is something to leave out");
        };
        let expected = pool.binary(BinOp::BoolAnd, by_four, sum);
        assert_eq!(
            easier.nodes[0].invariant,
            easier.pool.clone().import(&pool, expected)
        );
        assert!(without_products(&graph(&pool, expected)).is_none());
    }
}
