//! When an expression has no value: for statements about programs, which must not end an execution
//! by being evaluated.

use crate::property::{Checks, Rewriter, overflow};
use arith::float::{self, RoundingMode};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use cfa::memory::{Object, ObjectId};
use cfa::op::Op;
use cfa::program::{ErrorKind, LocId, LocationKind, Program};
use cfa::value::Ty;
use syntax::span::Span;

/// Conditions under which C gives the expression no value, in the order of evaluation: each can be
/// evaluated where those before it are false, and where all are false the expression can, provided
/// that it does not read through pointers ([`reads_through_pointer`]).
pub fn conditions(program: &mut Program, expr: ExprId) -> Vec<ExprId> {
    let objects = std::mem::take(&mut program.objects);
    let when = |pool: &mut ExprPool, expr: ExprId| {
        let found = has_no_value(pool, &objects, expr);
        let found = found.map(|condition| (ErrorKind::ErrorCall, condition));
        found.into_iter().collect()
    };
    let mut checks = Checks::default();
    checks.collect_if(&mut program.pool, expr, &|_, _| true, &when);
    let conditions = checks.into_groups(&mut program.pool);
    program.objects = objects;
    conditions
        .into_iter()
        .map(|(_, condition)| condition)
        .collect()
}

/// Does the expression read memory at an address that is no place in an object which it names?
/// Nothing says then whether the object lives.
pub fn reads_through_pointer(program: &Program, expr: ExprId) -> bool {
    let mut pool = program.pool.clone();
    let mut seen = vec![false; pool.len()];
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if std::mem::replace(&mut seen[expr.0 as usize], true) {
            continue;
        }
        let node = program.pool.node(expr);
        if let Node::Load { address, .. } = node
            && outside(&mut pool, &program.objects, address, 1).is_none()
        {
            return true;
        }
        open.extend(node.children());
    }
    false
}

/// When the operation at the top of the expression has no value.
fn has_no_value(pool: &mut ExprPool, objects: &[Object], expr: ExprId) -> Option<ExprId> {
    match pool.node(expr) {
        Node::Binary(BinOp::Div | BinOp::Rem, a, b) if pool.ty(a).is_int() => {
            let zero = pool.zero(pool.ty(b));
            let by_zero = pool.eq(b, zero);
            Some(match overflow(pool, expr) {
                Some(overflows) => pool.or(by_zero, overflows),
                None => by_zero,
            })
        }
        Node::Binary(BinOp::Shl | BinOp::Shr, a, count) => {
            let too_far = too_far(pool, pool.ty(a).width(), count);
            Some(match overflow(pool, expr) {
                Some(overflows) => pool.or(too_far, overflows),
                None => too_far,
            })
        }
        Node::Unary(UnOp::Convert(to), a) if pool.ty(a).is_float() && to.is_int() => {
            Some(beyond_range(pool, a, to))
        }
        Node::Load { address, .. } => {
            let bytes = pool.ty(expr).bytes();
            outside(pool, objects, address, bytes)
        }
        _ => overflow(pool, expr),
    }
}

/// When a shift of so many bits goes beyond the width of what is shifted.
pub(crate) fn too_far(pool: &mut ExprPool, width: u16, count: ExprId) -> ExprId {
    let count_ty = Ty::unsigned(pool.ty(count).width());
    let unsigned = pool.convert(count, count_ty);
    let width = pool.constant(width.into(), count_ty);
    pool.le(width, unsigned)
}

/// When a float, cut to an integer, is no value of the type (C11 6.3.1.4), as a NaN never is.
pub(crate) fn beyond_range(pool: &mut ExprPool, value: ExprId, to: Ty) -> ExprId {
    let Ty::Float(format) = pool.ty(value) else {
        return pool.bool_constant(false);
    };
    let whole = |number: u128| {
        float::from_int(format, RoundingMode::NearestEven, number, u128::BITS, false)
    };
    // The first whole number above those of the type is 2^bits.
    let bits = u32::from(to.width()) - u32::from(to.is_signed());
    let half = whole(1 << (bits - 1));
    let above = float::add(format, RoundingMode::NearestEven, half, half);
    let power = match to.is_signed() {
        true => 1u128 << bits,
        false => 0,
    };
    let (least, below) = (whole(power), whole(power + 1));
    let constant = |pool: &mut ExprPool, bits| pool.constant(bits, Ty::Float(format));
    let above = constant(pool, above);
    // Where the first number below has no place in the format, the least one has none between them.
    let large_enough = if below == least {
        let least = constant(pool, float::neg(format, least));
        pool.le(least, value)
    } else {
        let below = constant(pool, float::neg(format, below));
        pool.lt(below, value)
    };
    let small_enough = pool.lt(value, above);
    let fits = pool.and(large_enough, small_enough);
    pool.not(fits)
}

/// When an access of some bytes is not inside the object that the address names; `None` if it names
/// none.
fn outside(pool: &mut ExprPool, objects: &[Object], address: ExprId, bytes: u64) -> Option<ExprId> {
    if let Node::Ite(condition, a, b) = pool.node(address) {
        let (a, b) = (
            outside(pool, objects, a, bytes)?,
            outside(pool, objects, b, bytes)?,
        );
        return Some(pool.ite(condition, a, b));
    }
    // A number is the address of nothing that the program has.
    if pool.as_constant(address).is_some() {
        return Some(pool.bool_constant(true));
    }
    let (object, offset) = named_place(pool, address)?;
    let size = objects[object.0 as usize].size?;
    let Some(last) = size.checked_sub(bytes) else {
        return Some(pool.bool_constant(true));
    };
    let last = pool.constant(last.into(), pool.ty(offset));
    Some(pool.lt(last, offset))
}

/// The object that an address names, and how far it is from its start (unsigned).
pub fn named_place(pool: &mut ExprPool, address: ExprId) -> Option<(ObjectId, ExprId)> {
    match pool.node(address) {
        Node::Address(object) => {
            let zero = pool.zero(pool.ty(address));
            Some((object, zero))
        }
        Node::Binary(BinOp::Add, a, b) => {
            let ((object, offset), other) = match named_place(pool, a) {
                Some(found) => (found, b),
                None => (named_place(pool, b)?, a),
            };
            Some((object, pool.binary(BinOp::Add, offset, other)))
        }
        Node::Binary(BinOp::Sub, a, b) => {
            let (object, offset) = named_place(pool, a)?;
            Some((object, pool.binary(BinOp::Sub, offset, b)))
        }
        _ => None,
    }
}

/// Pointee from a location to an error wherever the expression has no value; comes back with the
/// location where it has one.
pub(crate) fn guard(
    rewriter: &mut Rewriter,
    from: LocId,
    error: LocId,
    expr: ExprId,
    span: Span,
) -> LocId {
    let function = rewriter.program.location(from).function;
    let mut here = from;
    for condition in conditions(&mut rewriter.program, expr) {
        let fine = rewriter.program.pool.not(condition);
        let next = rewriter.location(function, LocationKind::Ordinary, span);
        rewriter.edge(here, error, Op::Assume(condition), span);
        rewriter.edge(here, next, Op::Assume(fine), span);
        here = next;
    }
    here
}
