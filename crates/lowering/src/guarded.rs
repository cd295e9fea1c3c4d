//! Conditional evaluation without control flow, for expressions that are given as text.
//!
//! Evaluation of an expression is strict, so `p && *p` would fail where `p` is null. Here the right
//! side is evaluated always, but what could fail in it looks at something harmless unless the left
//! side is true: a load reads an object that always lives, a division divides by one.

use super::frame::FunctionLowering;
use cfa::expr::{BinOp, ExprId, Node};
use rustc_hash::FxHashMap;
use syntax::typed::Expr;

impl FunctionLowering<'_, '_> {
    /// Whether a part that C evaluates conditionally may be evaluated always.
    pub fn needs_no_branch(&self, expr: &Expr) -> bool {
        self.frame.guards.is_some() || self.is_total(expr)
    }

    /// The same value where the condition is true, and some value that does not fail where it is
    /// not.
    pub fn guarded(&mut self, value: ExprId, condition: ExprId) -> ExprId {
        let Some(mut guards) = self.frame.guards else {
            return value;
        };
        let pool = &mut self.context.pool;
        let mut done: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut stack = vec![value];
        while let Some(&id) = stack.last() {
            if done.contains_key(&id) {
                stack.pop();
                continue;
            }
            if !pool.can_fail(id) {
                done.insert(id, id);
                continue;
            }
            let before = stack.len();
            let node = pool.node(id);
            stack.extend(node.children().filter(|child| !done.contains_key(child)));
            if stack.len() > before {
                continue;
            }
            let ty = pool.ty(id);
            let new = match node {
                Node::Const(_) | Node::Var(_) | Node::Address(_) => id,
                Node::Unary(op, a) => pool.unary(op, done[&a]),
                Node::Binary(op, a, b) => {
                    let mut divisor = done[&b];
                    if matches!(op, BinOp::Div | BinOp::Rem) && ty.is_int() {
                        let one = pool.constant(1, ty);
                        divisor = pool.ite(condition, divisor, one);
                    }
                    pool.binary(op, done[&a], divisor)
                }
                Node::Ite(c, a, b) => pool.ite(done[&c], done[&a], done[&b]),
                Node::Fma(a, b, c) => pool.fma(done[&a], done[&b], done[&c]),
                Node::Load { region, address } => {
                    let harmless = guards.harmless.filter(|&(_, size)| size >= ty.bytes());
                    let address = done[&address];
                    match harmless {
                        Some((object, _)) => {
                            let harmless = pool.address(object, pool.ty(address));
                            let address = pool.ite(condition, address, harmless);
                            pool.load(region, address, ty)
                        }
                        None => {
                            guards.failed = true;
                            id
                        }
                    }
                }
            };
            done.insert(id, new);
        }
        self.frame.guards = Some(guards);
        done[&value]
    }
}
