//! Accesses to arrays: which parts of an address are indices.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::program::Program;
use rustc_hash::FxHashSet;

/// The indices in an address such as `base + 4 * i` or `base + 40 * i + 4 * (j + 1) + 8`, without
/// conversions, in order.
pub fn indices(program: &Program, pool: &ExprPool, address: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    // Each with whether it is scaled: what is, is no base.
    let mut stack = vec![(address, false)];
    while let Some((id, is_scaled)) = stack.pop() {
        let inner = without_conversions(pool, id);
        let is_converted = inner != id;
        match pool.node(inner) {
            Node::Const(_) | Node::Address(_) | Node::Load { .. } => {}
            Node::Binary(BinOp::Add | BinOp::Sub, a, b) if !is_scaled && !is_converted => {
                stack.extend([(b, false), (a, false)]);
            }
            Node::Binary(BinOp::Mul, a, b) | Node::Binary(BinOp::Shl, a, b) if !is_scaled => {
                let factors = [(a, b), (b, a)];
                let scaled = factors.into_iter().find(|(_, by)| is_constant(pool, *by));
                if let Some((scaled, _)) = scaled {
                    stack.push((scaled, true));
                }
            }
            Node::Var(var) if !is_scaled && !is_converted && is_base(program, var) => {}
            _ => {
                if pool.ty(inner).is_int() && !pool.can_fail(inner) && !found.contains(&inner) {
                    found.push(inner);
                }
            }
        }
    }
    found.retain(|&index| pool.reads_variables(index));
    found
}

/// Is the variable, of the width of addresses, the beginning of an array rather than an index into
/// one?
fn is_base(program: &Program, var: cfa::expr::VarId) -> bool {
    let var = program.var(var);
    match var.c_type {
        Some(ty) => program.types.is_pointer(ty),
        // What lowering made holds what allocations return.
        None => var.ty == program.pointer_ty(),
    }
}

fn is_constant(pool: &ExprPool, id: ExprId) -> bool {
    matches!(pool.node(id), Node::Const(_))
}

/// The expression below conversions that lose nothing.
pub fn without_conversions(pool: &ExprPool, mut id: ExprId) -> ExprId {
    while let Node::Unary(UnOp::Convert(ty), a) = pool.node(id)
        && pool.ty(a).is_int()
        && ty.is_int()
        && ty.width() >= pool.ty(a).width()
    {
        id = a;
    }
    id
}

/// The index without a constant offset: of `i + 1` it is `i`.
pub fn without_offset(pool: &ExprPool, index: ExprId) -> ExprId {
    match pool.node(index) {
        Node::Binary(BinOp::Add | BinOp::Sub, a, b) if is_constant(pool, b) => {
            without_conversions(pool, a)
        }
        _ => index,
    }
}

/// The loads in an expression, each once, the outer ones first.
pub fn loads(pool: &ExprPool, root: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !pool.reads_memory(id) || !seen.insert(id) {
            continue;
        }
        let node = pool.node(id);
        if matches!(node, Node::Load { .. }) {
            found.push(id);
        }
        let children: Vec<ExprId> = node.children().collect();
        stack.extend(children.into_iter().rev());
    }
    found
}

/// The indices of all loads in an expression.
pub fn indices_of_loads(program: &Program, pool: &ExprPool, root: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    for load in loads(pool, root) {
        let Node::Load { address, .. } = pool.node(load) else {
            continue;
        };
        for index in indices(program, pool, address) {
            if !found.contains(&index) {
                found.push(index);
            }
        }
    }
    found
}
