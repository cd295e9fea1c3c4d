//! Distances of pointers that were tested: what is not null has no distance from null.
//!
//! `char *c = strchr(line, ','); if (c) n = c - line;` subtracts pointers into one object, unless `c`
//! is null; and there it is not. Where nothing was asked, it is asked before the distance is taken
//! ([`super::any_placement`]).

use super::near::Near;
use super::observed::{Observation, Observer};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::op::Op;
use cfa::program::{EdgeId, Program};
use rustc_hash::FxHashSet;

/// An operand while it is looked at.
struct Guarded {
    edge: EdgeId,
    /// Conditions that have these truth values where a part of it is evaluated.
    guards: Vec<(ExprId, bool)>,
    visits: usize,
    /// Pointers whose distance is taken although they may be null.
    unless_null: Vec<ExprId>,
}

/// When an operand observes addresses.
pub(super) enum When {
    Never,
    /// If one of the pointers is null.
    Null(Vec<ExprId>),
    Always(Observation),
}

/// Parts of an operand that are looked at again; in larger ones whatever was found counts.
const MAX_VISITS: usize = 2000;

impl Observer<'_> {
    /// When an operand of an edge observes addresses: a distance from null counts only where the
    /// pointer may be null.
    pub(super) fn observed_at(&self, edge: EdgeId, expr: ExprId) -> When {
        let mut walk = Guarded {
            edge,
            guards: Vec::new(),
            visits: 0,
            unless_null: Vec::new(),
        };
        match self.observed_under(expr, &mut walk) {
            Some(how) => When::Always(how),
            None if walk.unless_null.is_empty() => When::Never,
            None => When::Null(walk.unless_null),
        }
    }

    /// The first observation that does not need a null pointer. Parts before the whole, each under
    /// what was asked before it is evaluated.
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
        let Some(pointer) = self.distance_unless_null(node) else {
            return Some(how);
        };
        let pool = &self.program.pool;
        let mut guards = walk.guards.iter();
        let is_tested = guards.any(|&(guard, truth)| excludes_null(pool, guard, pointer, truth))
            || is_not_null_at(self.program, walk.edge, pointer);
        if !is_tested && !walk.unless_null.contains(&pointer) {
            walk.unless_null.push(pointer);
        }
        None
    }

    /// Of a distance within one object that only null makes an observation: the value that may be
    /// null.
    pub(super) fn distance_unless_null(&self, node: Node) -> Option<ExprId> {
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
            && !self.may_be_number(a, b)
            // Other numbers near null, what was moved from it, and functions are not null, and still no
            // addresses of the object.
            && self.carried.value(a).near == Near::NULL
            && !self.carried.value(a).function;
        match pool.node(a) {
            _ if !is_distance => None,
            Node::Unary(UnOp::Convert(_) | UnOp::Reinterpret(_), inner)
                if pool.ty(inner).width() == pool.ty(a).width() =>
            {
                Some(inner)
            }
            _ => Some(a),
        }
    }
}

/// Whether a value is not null wherever an edge begins: that was asked on the only way there, and
/// nothing that it depends on has changed since.
fn is_not_null_at(program: &Program, edge: EdgeId, value: ExprId) -> bool {
    let vars = cfa::live::variables(program, value);
    let of_others = program.pool.reads_memory(value)
        || vars.iter().any(|&var| program.var(var).function.is_none());
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
        match program.edge_op(before) {
            Op::Assume(condition) if excludes_null(&program.pool, *condition, value, true) => {
                return true;
            }
            Op::Assume(_) => {}
            op if op.written_variable().is_some_and(|var| vars.contains(&var)) => return false,
            Op::Assign(..) | Op::Havoc(..) => {}
            _ if of_others => return false,
            _ => {}
        }
        at = program.edge(before).source;
    }
    false
}

/// Whether a condition that has this truth value says that a value is not null.
fn excludes_null(pool: &ExprPool, condition: ExprId, value: ExprId, truth: bool) -> bool {
    let is_null = |expr: ExprId| pool.as_constant(expr) == Some(0);
    match (pool.node(condition), truth) {
        (Node::Unary(UnOp::Not, inner), _) => excludes_null(pool, inner, value, !truth),
        (Node::Binary(BinOp::BoolAnd, a, b), true) | (Node::Binary(BinOp::BoolOr, a, b), false) => {
            excludes_null(pool, a, value, truth) || excludes_null(pool, b, value, truth)
        }
        (Node::Binary(BinOp::Ne, a, b), true) | (Node::Binary(BinOp::Eq, a, b), false) => {
            a == value && is_null(b) || b == value && is_null(a)
        }
        _ => false,
    }
}
