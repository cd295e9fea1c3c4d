//! Distances of pointers that were tested: what is not null has no distance from null.
//!
//! `char *c = strchr(line, ','); if (c) n = c - line;` subtracts pointers into one object, unless `c`
//! is null; and there it is not.

use super::observed::{Observation, Observer};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::op::Op;
use cfa::program::{EdgeId, Program};
use rustc_hash::FxHashSet;

/// An operand while it is looked at.
struct Guarded {
    edge: EdgeId,
    /// Conditions that have these truth values where a part of it is evaluated.
    guards: Vec<(ExprId, bool)>,
    visits: usize,
}

/// Parts of an operand that are looked at again; in larger ones whatever was found counts.
const MAX_VISITS: usize = 2000;

impl Observer<'_> {
    /// The first observation in an operand of an edge, without distances from null where it is known
    /// that the pointer is not null.
    pub(super) fn observed_at(&self, edge: EdgeId, expr: ExprId) -> Option<Observation> {
        let mut walk = Guarded {
            edge,
            guards: Vec::new(),
            visits: 0,
        };
        self.observed_under(expr, &mut walk)
    }

    /// Parts before the whole, each under what was asked before it is evaluated.
    fn observed_under(&self, id: ExprId, walk: &mut Guarded) -> Option<Observation> {
        let found = self.found[id.0 as usize]?;
        walk.visits += 1;
        if walk.visits > MAX_VISITS {
            return Some(found);
        }
        let node = self.program.pool.node(id);
        let guarded: Vec<(ExprId, Option<(ExprId, bool)>)> = match node {
            Node::Binary(BinOp::BoolAnd, a, b) => vec![(a, None), (b, Some((a, true)))],
            Node::Binary(BinOp::BoolOr, a, b) => vec![(a, None), (b, Some((a, false)))],
            Node::Ite(c, a, b) => vec![(c, None), (a, Some((c, true))), (b, Some((c, false)))],
            node => node.children().map(|child| (child, None)).collect(),
        };
        for (part, guard) in guarded {
            walk.guards.extend(guard);
            let below = self.observed_under(part, walk);
            if guard.is_some() {
                walk.guards.pop();
            }
            if below.is_some() {
                return below;
            }
        }
        let how = self.observation(id, node)?;
        let pointer = self.distance_unless_null(node);
        let is_not_null = |var: VarId| {
            let pool = &self.program.pool;
            let mut guards = walk.guards.iter();
            guards.any(|&(guard, truth)| excludes_null(pool, guard, var, truth))
                || is_not_null_at(self.program, walk.edge, var)
        };
        (!pointer.is_some_and(is_not_null)).then_some(how)
    }

    /// Of a distance within one object that only null makes an observation: the variable that may
    /// be null.
    fn distance_unless_null(&self, node: Node) -> Option<VarId> {
        let Node::Binary(BinOp::Sub, a, b) = node else {
            return None;
        };
        let is_partial = |expr: ExprId| {
            let traits = self.carried.value(expr);
            traits.partial || traits.mixed || self.derived[expr.0 as usize]
        };
        let pool = &self.program.pool;
        let is_pointers = pool.ty(a).width() == self.program.model.pointer_bits();
        let is_distance = is_pointers
            && !is_partial(a)
            && !is_partial(b)
            && self.in_one_object(a, b)
            && !self.may_be_number(a, b);
        match pool.node(a) {
            Node::Var(var) if is_distance => Some(var),
            Node::Unary(UnOp::Convert(_) | UnOp::Reinterpret(_), inner) if is_distance => {
                match pool.node(inner) {
                    Node::Var(var) => Some(var),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether a variable is not null wherever an edge begins: that was asked on the only way there, and
/// nothing was assigned since.
fn is_not_null_at(program: &Program, edge: EdgeId, var: VarId) -> bool {
    if program.var(var).function.is_none() {
        return false;
    }
    let mut at = program.edge(edge).source;
    let mut seen = FxHashSet::default();
    while seen.insert(at) {
        let here = program.location(at);
        let [before] = here.incoming[..] else {
            return false;
        };
        if program.function(here.function).entry == at {
            return false;
        }
        let op = program.edge_op(before);
        match op {
            Op::Assume(condition) if excludes_null(&program.pool, *condition, var, true) => {
                return true;
            }
            Op::Call { result, .. } if *result == Some(var) => return false,
            op if op.written_variable() == Some(var) => return false,
            _ => {}
        }
        at = program.edge(before).source;
    }
    false
}

/// Whether a condition that has this truth value says that a variable is not null.
fn excludes_null(pool: &ExprPool, condition: ExprId, var: VarId, truth: bool) -> bool {
    let is_null = |expr: ExprId| pool.as_constant(expr) == Some(0);
    let is_var = |expr: ExprId| pool.node(expr) == Node::Var(var);
    match (pool.node(condition), truth) {
        (Node::Unary(UnOp::Not, inner), _) => excludes_null(pool, inner, var, !truth),
        (Node::Binary(BinOp::BoolAnd, a, b), true) | (Node::Binary(BinOp::BoolOr, a, b), false) => {
            excludes_null(pool, a, var, truth) || excludes_null(pool, b, var, truth)
        }
        (Node::Binary(BinOp::Ne, a, b), true) | (Node::Binary(BinOp::Eq, a, b), false) => {
            is_var(a) && is_null(b) || is_var(b) && is_null(a)
        }
        _ => false,
    }
}
