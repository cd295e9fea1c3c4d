//! Expressions and operations with parts replaced.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::op::{Halt, Op, Print};
use rustc_hash::FxHashMap;

/// The node with each of its parts replaced.
pub(super) fn with_parts(node: Node, mut new: impl FnMut(ExprId) -> ExprId) -> Node {
    match node {
        Node::Const(_) | Node::Var(_) | Node::Address(_) => node,
        Node::Unary(op, a) => Node::Unary(op, new(a)),
        Node::Binary(op, a, b) => Node::Binary(op, new(a), new(b)),
        Node::Ite(a, b, c) => Node::Ite(new(a), new(b), new(c)),
        Node::Fma(a, b, c) => Node::Fma(new(a), new(b), new(c)),
        Node::Load { region, address } => Node::Load {
            region,
            address: new(address),
        },
    }
}

/// The operation with its expressions and the variable that it writes replaced.
pub(crate) fn map_op(
    op: &Op,
    mut expr: impl FnMut(ExprId) -> ExprId,
    mut var: impl FnMut(VarId) -> VarId,
) -> Op {
    let mut new = op.clone();
    match &mut new {
        Op::Skip | Op::Begin { .. } | Op::End(_) | Op::Halt(Halt::Abort) => {}
        Op::Halt(Halt::Undefined(_) | Halt::Unsupported(_)) => {}
        Op::Assume(a) | Op::Release(a) | Op::Halt(Halt::Exit(a)) => *a = expr(*a),
        Op::Assign(target, a) => {
            *a = expr(*a);
            *target = var(*target);
        }
        Op::Havoc(target, _) => *target = var(*target),
        Op::Store { address, value, .. } => {
            *address = expr(*address);
            *value = expr(*value);
        }
        Op::Allocate { target, size, .. } => {
            *size = expr(*size);
            *target = var(*target);
        }
        Op::Reallocate {
            target,
            address,
            size,
            ..
        } => {
            *address = expr(*address);
            *size = expr(*size);
            *target = var(*target);
        }
        Op::Copy {
            target,
            source,
            size,
            ..
        } => {
            *target = expr(*target);
            *source = expr(*source);
            *size = expr(*size);
        }
        Op::Fill {
            target, byte, size, ..
        } => {
            *target = expr(*target);
            *byte = expr(*byte);
            *size = expr(*size);
        }
        Op::Call { args, result, .. } | Op::Print(Print { args, result, .. }) => {
            for arg in args {
                *arg = expr(*arg);
            }
            *result = result.map(var);
        }
    }
    new
}

/// Expressions with leaves replaced, each shared part once, simplified on the way.
#[derive(Default)]
pub(super) struct Substitution {
    memo: FxHashMap<ExprId, ExprId>,
}

impl Substitution {
    /// `leaf` says what stands for a variable or an address; `None` keeps it. It must answer alike
    /// as long as the substitution is used.
    pub fn apply(
        &mut self,
        pool: &mut ExprPool,
        root: ExprId,
        mut leaf: impl FnMut(&mut ExprPool, Node) -> Option<ExprId>,
    ) -> ExprId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.memo.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = pool.node(id);
            let before = stack.len();
            stack.extend(node.children().filter(|part| !self.memo.contains_key(part)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let new = match node {
                Node::Var(_) | Node::Address(_) => leaf(pool, node).unwrap_or(id),
                Node::Const(_) => id,
                _ if node.children().all(|part| self.memo[&part] == part) => id,
                Node::Unary(op, a) => pool.unary(op, self.memo[&a]),
                Node::Binary(op, a, b) => {
                    let (a, b) = (self.memo[&a], self.memo[&b]);
                    self.binary(pool, id, op, a, b)
                }
                Node::Ite(a, b, c) => pool.ite(self.memo[&a], self.memo[&b], self.memo[&c]),
                Node::Fma(a, b, c) => pool.fma(self.memo[&a], self.memo[&b], self.memo[&c]),
                Node::Load { region, address } => {
                    let ty = pool.ty(id);
                    pool.load(region, self.memo[&address], ty)
                }
            };
            self.memo.insert(id, new);
        }
        self.memo[&root]
    }

    /// The operation on new operands, with what was noted of the old one.
    fn binary(
        &mut self,
        pool: &mut ExprPool,
        old: ExprId,
        op: BinOp,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        let before = pool.len();
        if pool.is_object_offset(old) {
            let new = distance(pool, a, b).unwrap_or_else(|| pool.binary(op, a, b));
            // Nobody else takes it, or it would be there already.
            if new.0 as usize >= before {
                pool.mark_object_offset(new);
            }
            return new;
        }
        let new = pool.binary(op, a, b);
        pool.unmark_object_offset(new);
        if pool.is_sum_of_integers(old) {
            pool.mark_sum_of_integers(new);
        }
        new
    }
}

/// The terms of a sum, with their signs, as far as they are of its type.
fn terms(pool: &ExprPool, root: ExprId, sign: bool, found: &mut Vec<(ExprId, bool)>) {
    let mut open = vec![(root, sign)];
    while let Some((id, sign)) = open.pop() {
        match pool.node(id) {
            Node::Binary(op @ (BinOp::Add | BinOp::Sub), a, b)
                if found.len() + open.len() < MAX_TERMS
                    && [a, b].map(|part| pool.ty(part)) == [pool.ty(root); 2] =>
            {
                open.push((b, sign == (op == BinOp::Add)));
                open.push((a, sign));
            }
            _ => found.push((id, sign)),
        }
    }
}

/// Terms of an address that are looked at one by one.
const MAX_TERMS: usize = 8;

/// The difference of two sums without what they have in common; nothing if that is nothing. (Sums
/// go round alike however they are ordered.)
fn distance(pool: &mut ExprPool, a: ExprId, b: ExprId) -> Option<ExprId> {
    let ty = pool.ty(a);
    if ty != pool.ty(b) || ty.is_signed() {
        return None;
    }
    let mut all = Vec::new();
    terms(pool, a, true, &mut all);
    let mut taken = Vec::new();
    terms(pool, b, false, &mut taken);
    let before = all.len() + taken.len();
    for (term, sign) in taken {
        let other = all.iter().position(|&(id, of)| id == term && of != sign);
        match other {
            Some(at) if pool.is_droppable(term) => _ = all.remove(at),
            _ => all.push((term, sign)),
        }
    }
    if all.len() == before {
        return None;
    }
    let (plus, minus): (Vec<_>, Vec<_>) = all.into_iter().partition(|&(_, sign)| sign);
    let plus = plus.into_iter().map(|(id, _)| id);
    let sum = plus.reduce(|sum, term| pool.add(sum, term));
    let mut sum = sum.unwrap_or_else(|| pool.zero(ty));
    for (term, _) in minus {
        sum = pool.sub(sum, term);
    }
    Some(sum)
}

/// The expression with a value in place of a variable.
pub fn replace_variable(pool: &mut ExprPool, root: ExprId, var: VarId, value: ExprId) -> ExprId {
    let is_var = |_: &mut ExprPool, node| (node == Node::Var(var)).then_some(value);
    Substitution::default().apply(pool, root, is_var)
}

/// The expression with another one in place of each part that is the given one.
pub fn replace_expression(
    pool: &mut ExprPool,
    root: ExprId,
    part: ExprId,
    value: ExprId,
) -> ExprId {
    let mut substitution = Substitution::default();
    substitution.memo.insert(part, value);
    substitution.apply(pool, root, |_, _| None)
}

/// The variables of an expression, in order of their numbers.
pub(super) fn variables(pool: &ExprPool, roots: impl IntoIterator<Item = ExprId>) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work: Vec<ExprId> = roots.into_iter().collect();
    while let Some(id) = work.pop() {
        if !pool.reads_variables(id) || !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Var(var) => found.push(var),
            node => work.extend(node.children()),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
