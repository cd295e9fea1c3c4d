//! The one walk that evaluates expressions (decision 1): generic over an algebra of values, so that
//! the interpreter, formulas, abstract domains and constant folding cannot disagree about what an
//! expression is.

use crate::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use crate::memory::{ObjectId, RegionId};
use crate::value::Ty;
use rustc_hash::FxHashMap;

/// The meaning of each operator for one kind of value.
///
/// Law (soundness): for a concrete state, the concrete result is described by the algebra's result
/// on descriptions of the parts; where the concrete evaluation fails, anything may be returned, but
/// an algebra may record the condition (division by zero, invalid address) under which it does.
pub trait Algebra {
    type Value: Clone;
    /// Ends the walk early (the concrete algebra's undefined operation).
    type Error;

    fn constant(&mut self, bits: u128, ty: Ty) -> Result<Self::Value, Self::Error>;
    fn variable(&mut self, var: VarId, ty: Ty) -> Result<Self::Value, Self::Error>;
    fn address(&mut self, object: ObjectId, ty: Ty) -> Result<Self::Value, Self::Error>;
    /// `ty` is the operand's type.
    fn unary(&mut self, op: UnOp, ty: Ty, a: Self::Value) -> Result<Self::Value, Self::Error>;
    /// `ty` is the left operand's type; `count` the right operand's (other only for shifts).
    fn binary(
        &mut self,
        op: BinOp,
        ty: Ty,
        count: Ty,
        a: Self::Value,
        b: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
    fn ite(
        &mut self,
        ty: Ty,
        c: Self::Value,
        a: Self::Value,
        b: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
    fn fma(
        &mut self,
        ty: Ty,
        a: Self::Value,
        b: Self::Value,
        c: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
    fn load(
        &mut self,
        region: RegionId,
        ty: Ty,
        address: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
}

/// Evaluates an expression, each shared part once. Iterative: expressions may be deep.
pub fn evaluate<A: Algebra>(
    pool: &ExprPool,
    root: ExprId,
    algebra: &mut A,
) -> Result<A::Value, A::Error> {
    let mut memo = FxHashMap::default();
    evaluate_with(pool, root, algebra, &mut memo)
}

/// As [`evaluate`], keeping the values of parts in `memo`, which is valid as long as the state is.
pub fn evaluate_with<A: Algebra>(
    pool: &ExprPool,
    root: ExprId,
    algebra: &mut A,
    memo: &mut FxHashMap<ExprId, A::Value>,
) -> Result<A::Value, A::Error> {
    if let Some(value) = memo.get(&root) {
        return Ok(value.clone());
    }
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        if memo.contains_key(&id) {
            stack.pop();
            continue;
        }
        let node = pool.node(id);
        let before = stack.len();
        stack.extend(node.children().filter(|child| !memo.contains_key(child)));
        if stack.len() > before {
            // Children lie on the stack in order; reverse so that the first is evaluated first.
            stack[before..].reverse();
            continue;
        }
        stack.pop();
        let ty = pool.ty(id);
        let value = match node {
            Node::Const(bits) => algebra.constant(bits, ty)?,
            Node::Var(var) => algebra.variable(var, ty)?,
            Node::Address(object) => algebra.address(object, ty)?,
            Node::Unary(op, a) => algebra.unary(op, pool.ty(a), memo[&a].clone())?,
            Node::Binary(op, a, b) => {
                let (x, y) = (memo[&a].clone(), memo[&b].clone());
                algebra.binary(op, pool.ty(a), pool.ty(b), x, y)?
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (memo[&c].clone(), memo[&a].clone(), memo[&b].clone());
                algebra.ite(ty, c, a, b)?
            }
            Node::Fma(a, b, c) => {
                let (a, b, c) = (memo[&a].clone(), memo[&b].clone(), memo[&c].clone());
                algebra.fma(ty, a, b, c)?
            }
            Node::Load { region, address } => algebra.load(region, ty, memo[&address].clone())?,
        };
        memo.insert(id, value);
    }
    Ok(memo[&root].clone())
}
