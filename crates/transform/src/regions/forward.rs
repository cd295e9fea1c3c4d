//! Expressions about the program before its memory was split, said about the split one.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::memory::{ObjectId, RegionId};
use cfa::program::{Program, VariableKind};
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// The expression (of `pool`, an extension of the split program's) with each read of a known place
/// in an object as the variable or the cell that holds it now. `None` where it reads through
/// pointers: which region they lead to is known of the program's own accesses only.
pub fn expression_after_split(
    split: &Program,
    pool: &mut ExprPool,
    root: ExprId,
) -> Option<ExprId> {
    let mut pieces: FxHashMap<(ObjectId, u64), VarId> = FxHashMap::default();
    for (number, var) in split.vars.iter().enumerate() {
        if let VariableKind::Piece { object, offset } = var.kind {
            pieces.insert((object, offset), VarId(number as u32));
        }
    }
    let mut done: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        if done.contains_key(&id) {
            stack.pop();
            continue;
        }
        let node = pool.node(id);
        let before = stack.len();
        stack.extend(node.children().filter(|part| !done.contains_key(part)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let ty = pool.ty(id);
        let part = |part: ExprId| done[&part];
        let new = match node {
            Node::Const(_) | Node::Var(_) | Node::Address(_) => id,
            Node::Unary(op, a) => pool.intern(Node::Unary(op, part(a)), ty),
            Node::Binary(op, a, b) => pool.intern(Node::Binary(op, part(a), part(b)), ty),
            Node::Ite(a, b, c) => pool.intern(Node::Ite(part(a), part(b), part(c)), ty),
            Node::Fma(a, b, c) => pool.intern(Node::Fma(part(a), part(b), part(c)), ty),
            Node::Load { address, .. } => {
                let (object, offset) = known_place(pool, address)?;
                match pieces.get(&(object, offset)) {
                    Some(&var) if split.var(var).ty == ty => pool.variable(var, ty),
                    Some(_) => return None,
                    None => {
                        let region = region_of(split, object, ty)?;
                        pool.load(region, part(address), ty)
                    }
                }
            }
        };
        done.insert(id, new);
    }
    done.get(&root).copied()
}

/// The object and the bytes into it, where an address is both.
fn known_place(pool: &ExprPool, address: ExprId) -> Option<(ObjectId, u64)> {
    match pool.node(address) {
        Node::Address(object) => Some((object, 0)),
        Node::Binary(BinOp::Add, a, b) => {
            let Node::Address(object) = pool.node(a) else {
                return None;
            };
            Some((object, u64::try_from(pool.as_constant(b)?).ok()?))
        }
        _ => None,
    }
}

/// The only region that the object's cells of this width lie in.
fn region_of(split: &Program, object: ObjectId, ty: Ty) -> Option<RegionId> {
    let mut found = None;
    for (number, region) in split.regions.iter().enumerate() {
        if region.objects.contains(&object) && region.cell_bits == ty.width() {
            if found.is_some() {
                return None;
            }
            found = Some(RegionId(number as u32));
        }
    }
    found
}
