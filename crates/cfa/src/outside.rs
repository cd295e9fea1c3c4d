//! Memory outside the program: where pointers that the program did not make may point to.
//!
//! A pointer that is an input (of `__VERIFIER_nondet_pointer`, of a function without a body, of
//! memory without a value) may be anything, so also the address of some memory that is none of the
//! program's objects. One object stands for all of it. It lies at the same place for whoever
//! chooses addresses (formulas, the interpreter, compiled programs), because its address goes from
//! one to the other as a number.

use crate::expr::{BinOp, ExprId, ExprPool, Node};
use crate::memory::{Object, ObjectId, ObjectKind};
use crate::program::Program;
use syntax::span::Span;
use syntax::types::DataModel;

/// Enough for whatever such pointers are pointers to.
pub const BYTES: u64 = 1 << 20;

/// Where it begins: where nothing of a compiled program lies.
pub fn address(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x1000_0000,
        DataModel::Lp64 => 0x5f00_0000_0000,
    }
}

/// Whether a pointer is an address of this memory. As no object of the program lies there, that
/// says nothing about where objects are placed.
pub fn holds(pool: &mut ExprPool, pointer: ExprId, model: DataModel) -> ExprId {
    let ty = pool.ty(pointer);
    let start = pool.constant(address(model).into(), ty);
    let distance = pool.sub(pointer, start);
    let bytes = pool.constant(BYTES.into(), ty);
    pool.lt(distance, bytes)
}

/// Recognises what [`holds`] makes, and gives the pointer.
pub fn question(pool: &ExprPool, node: Node, model: DataModel) -> Option<ExprId> {
    let Node::Binary(BinOp::Lt, distance, bytes) = node else {
        return None;
    };
    if pool.as_constant(bytes) != Some(BYTES.into()) {
        return None;
    }
    let width = u32::from(model.pointer_bits());
    let start = u128::from(address(model));
    let back = start.wrapping_neg() & (u128::MAX >> (128 - width));
    match pool.node(distance) {
        Node::Binary(BinOp::Sub, pointer, by) if pool.as_constant(by) == Some(start) => {
            Some(pointer)
        }
        Node::Binary(BinOp::Add, pointer, by) if pool.as_constant(by) == Some(back) => {
            Some(pointer)
        }
        _ => None,
    }
}

/// A comparison of the program's own, which may look like the question and asks something else:
/// where an object lies. It then gets another form with the same meaning.
pub fn unlike_question(pool: &mut ExprPool, comparison: ExprId, model: DataModel) -> ExprId {
    let node = pool.node(comparison);
    let last = |pool: &mut ExprPool, ty| pool.constant(u128::from(BYTES) - 1, ty);
    match node {
        Node::Binary(BinOp::Lt, distance, _) if question(pool, node, model).is_some() => {
            let last = last(pool, pool.ty(distance));
            pool.le(distance, last)
        }
        Node::Binary(BinOp::Le, bytes, distance) => {
            let opposite = Node::Binary(BinOp::Lt, distance, bytes);
            if question(pool, opposite, model).is_none() {
                return comparison;
            }
            let last = last(pool, pool.ty(distance));
            pool.lt(last, distance)
        }
        _ => comparison,
    }
}

/// The object that stands for it, which every lowered program has.
pub fn object(program: &Program) -> Option<ObjectId> {
    let mut objects = program.objects.iter();
    let number = objects.position(|object| object.kind == ObjectKind::External)?;
    Some(ObjectId(number as u32))
}

pub fn add(program: &mut Program) {
    let id = ObjectId(program.objects.len() as u32);
    program.objects.push(Object {
        name: "outside".into(),
        kind: ObjectKind::External,
        size: Some(BYTES),
        align: 4096,
        c_type: None,
        read_only: false,
        unique: true,
        span: Span::NONE,
    });
    for region in &mut program.regions {
        region.objects.push(id);
    }
}
