//! Takes away the guards that strict evaluation needs: C's `&&`, `||` and `?:` do not evaluate what
//! they skip.
//!
//! In `a && b`, a selection `a ? x : y` inside `b` is `x`; see [`lowering`] on how such selections
//! come about. The value stays the same in every state in which the expression has one.

use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use rustc_hash::FxHashMap;

/// A copy of the expression in a pool of its own, without needless guards.
pub(super) fn unguarded(pool: &ExprPool, root: ExprId) -> (ExprPool, ExprId) {
    let mut own = ExprPool::default();
    let root = copied(pool, &mut own, root);
    let mut writer = Unguarding {
        pool: own,
        done: FxHashMap::default(),
        parts: FxHashMap::default(),
    };
    let root = writer.expression(root);
    (writer.pool, root)
}

/// The node with its parts replaced.
fn with_parts(node: Node, part: impl Fn(ExprId) -> ExprId) -> Node {
    match node {
        Node::Const(_) | Node::Var(_) | Node::Address(_) => node,
        Node::Unary(op, a) => Node::Unary(op, part(a)),
        Node::Binary(op, a, b) => Node::Binary(op, part(a), part(b)),
        Node::Ite(c, a, b) => Node::Ite(part(c), part(a), part(b)),
        Node::Fma(a, b, c) => Node::Fma(part(a), part(b), part(c)),
        Node::Load { region, address } => Node::Load {
            region,
            address: part(address),
        },
    }
}

/// Copies the expression with all of its parts.
fn copied(pool: &ExprPool, own: &mut ExprPool, root: ExprId) -> ExprId {
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        if known.contains_key(&id) {
            stack.pop();
            continue;
        }
        let node = pool.node(id);
        let before = stack.len();
        stack.extend(node.children().filter(|child| !known.contains_key(child)));
        if stack.len() == before {
            let copy = own.intern(with_parts(node, |part| known[&part]), pool.ty(id));
            known.insert(id, copy);
        }
    }
    known[&root]
}

struct Unguarding {
    pool: ExprPool,
    done: FxHashMap<ExprId, ExprId>,
    /// The parts of a node once their guards are gone.
    parts: FxHashMap<ExprId, Node>,
}

impl Unguarding {
    fn expression(&mut self, root: ExprId) -> ExprId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.done.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = self.without_guards(id);
            let before = stack.len();
            let open = node.children();
            stack.extend(open.filter(|child| !self.done.contains_key(child)));
            if stack.len() == before {
                let ty = self.pool.ty(id);
                let new = self
                    .pool
                    .intern(with_parts(node, |part| self.done[&part]), ty);
                self.done.insert(id, new);
            }
        }
        self.done[&root]
    }

    fn without_guards(&mut self, id: ExprId) -> Node {
        if let Some(&node) = self.parts.get(&id) {
            return node;
        }
        let node = match self.pool.node(id) {
            Node::Binary(BinOp::BoolAnd, a, b) => {
                Node::Binary(BinOp::BoolAnd, a, self.assuming(b, a))
            }
            Node::Binary(BinOp::BoolOr, a, b) => {
                let negation = self.pool.not(a);
                Node::Binary(BinOp::BoolOr, a, self.assuming(b, negation))
            }
            Node::Ite(c, a, b) => {
                let negation = self.pool.not(c);
                Node::Ite(c, self.assuming(a, c), self.assuming(b, negation))
            }
            node => node,
        };
        self.parts.insert(id, node);
        node
    }

    /// The expression where a condition is known to hold.
    fn assuming(&mut self, expr: ExprId, condition: ExprId) -> ExprId {
        if !self.pool.can_fail(expr) {
            return expr;
        }
        // Selections by the condition are replaced wherever they stand, inner ones first.
        let mut known = FxHashMap::default();
        let mut stack = vec![expr];
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = self.pool.node(id);
            let before = stack.len();
            let chosen = match node {
                Node::Ite(c, chosen, _) if c == condition => Some(chosen),
                _ => None,
            };
            match chosen {
                Some(chosen) => stack.extend((!known.contains_key(&chosen)).then_some(chosen)),
                None => stack.extend(node.children().filter(|child| !known.contains_key(child))),
            }
            if stack.len() > before {
                continue;
            }
            let new = match chosen {
                Some(chosen) => known[&chosen],
                None => {
                    let ty = self.pool.ty(id);
                    self.pool.intern(with_parts(node, |part| known[&part]), ty)
                }
            };
            known.insert(id, new);
        }
        known[&expr]
    }
}
