//! Evaluation of constant expressions on bit patterns.
//!
//! The checker folds while it builds the tree: an operator whose operands are already
//! [`ExprKind::Int`] or [`ExprKind::Float`] becomes such a leaf itself, so that asking for the
//! value of a constant expression is mostly a look at its root. What is *not* folded there is a
//! signed operation that overflows and a shift by a wrong count, because an analysis may have to
//! see them; [`evaluate`] computes those too, as the machine would, for places where C demands a
//! constant.

mod link_time;

pub use link_time::{AddressBase, LinkTime, Symbols, field_offset, is_plain_address, link_time};

use crate::typed::{BinaryOp, CompareOp, Expr, ExprKind, InitValue, UnaryOp};
use crate::types::{FloatKind, IntKind, Type, TypeId, TypeTable};
use arith::float::{self, RoundingMode};
use arith::int;
use std::cmp::Ordering;

/// A value: a bit pattern in the integer or pointer type, or in the float format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    Int(u128),
    Float(u128),
}

impl Constant {
    pub fn into_kind(self) -> ExprKind {
        match self {
            Constant::Int(bits) => ExprKind::Int(bits),
            Constant::Float(bits) => ExprKind::Float(bits),
        }
    }
}

/// How an operator treats its operands: what is left of a type once its name is forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Bool,
    Int { bits: u32, signed: bool },
    Float(FloatKind),
}

fn format(types: &TypeTable, ty: TypeId) -> Option<Format> {
    match *types.shape(ty) {
        Type::Int(IntKind::Bool) => Some(Format::Bool),
        Type::Float(kind) => Some(Format::Float(kind)),
        _ => {
            let (bits, signed) = types.int_bits(ty)?;
            Some(Format::Int { bits, signed })
        }
    }
}

/// The leaf that an expression is, if it is one.
#[inline]
pub fn leaf(expr: &Expr) -> Option<Constant> {
    match expr.kind {
        ExprKind::Int(bits) => Some(Constant::Int(bits)),
        ExprKind::Float(bits) => Some(Constant::Float(bits)),
        _ => None,
    }
}

/// The integer that a pattern stands for in its type.
pub fn int_value(types: &TypeTable, ty: TypeId, bits: u128) -> i128 {
    match types.int_bits(ty) {
        Some((width, true)) => int::to_signed(bits, width),
        _ => bits as i128,
    }
}

/// The conversions of C11 6.3, `_Bool` included; a float out of the integer's range gives x86's
/// result.
pub fn convert(types: &TypeTable, from: TypeId, to: TypeId, value: Constant) -> Option<Constant> {
    let nearest = RoundingMode::NearestEven;
    Some(match (format(types, from)?, format(types, to)?, value) {
        (Format::Float(kind), Format::Bool, Constant::Float(bits)) => {
            Constant::Int(u128::from(!float::is_zero(kind.format(), bits)))
        }
        (_, Format::Bool, Constant::Int(bits)) => Constant::Int(u128::from(bits != 0)),
        (Format::Bool, Format::Int { .. }, Constant::Int(bits)) => Constant::Int(bits),
        (Format::Int { bits: from, signed }, Format::Int { bits: to, .. }, Constant::Int(bits)) => {
            Constant::Int(int::resize(bits, from, signed, to))
        }
        (Format::Bool, Format::Float(kind), Constant::Int(bits)) => {
            Constant::Float(float::from_int(kind.format(), nearest, bits, 8, false))
        }
        (
            Format::Int {
                bits: width,
                signed,
            },
            Format::Float(kind),
            Constant::Int(bits),
        ) => Constant::Float(float::from_int(kind.format(), nearest, bits, width, signed)),
        (
            Format::Float(kind),
            Format::Int {
                bits: width,
                signed,
            },
            Constant::Float(bits),
        ) => Constant::Int(saturated(kind, bits, width, signed)),
        (Format::Float(from), Format::Float(to), Constant::Float(bits)) if from == to => {
            Constant::Float(bits)
        }
        (Format::Float(from), Format::Float(to), Constant::Float(bits)) => {
            let result = float::convert(from.format(), to.format(), nearest, bits);
            // A NaN keeps its sign.
            let is_nan = float::is_nan(from.format(), bits);
            let negative = float::sign_bit(from.format(), bits);
            Constant::Float(match (is_nan, negative) {
                (true, false) => float::abs(to.format(), result),
                (true, true) => float::neg(to.format(), float::abs(to.format(), result)),
                (false, _) => result,
            })
        }
        _ => return None,
    })
}

/// The integer that gcc takes for a float constant: the nearest one where the number is out of
/// range, zero for what is no number. (Its code for x86 gives other results where C leaves them
/// open; but of a constant there is no code.)
fn saturated(kind: FloatKind, bits: u128, width: u32, signed: bool) -> u128 {
    let format = kind.format();
    let toward_zero = RoundingMode::TowardZero;
    float::to_int(format, bits, toward_zero, width, signed).unwrap_or_else(|| {
        match (
            float::is_nan(format, bits),
            signed,
            float::sign_bit(format, bits),
        ) {
            (true, ..) | (false, false, true) => 0,
            (false, true, true) => int::signed_min(width),
            (false, true, false) => int::signed_min(width) - 1,
            (false, false, false) => int::truncate(u128::MAX, width),
        }
    })
}

/// Whether a float can be converted to the integer type with a meaning in C.
fn float_fits(types: &TypeTable, from: TypeId, to: TypeId, value: Constant) -> bool {
    match (format(types, from), format(types, to), value) {
        (
            Some(Format::Float(kind)),
            Some(Format::Int {
                bits: width,
                signed,
            }),
            Constant::Float(bits),
        ) => float::to_int(kind.format(), bits, RoundingMode::TowardZero, width, signed).is_some(),
        (Some(_), Some(Format::Float(kind)), _) => {
            let is_infinite = |format: Option<Format>, value| match (format, value) {
                (Some(Format::Float(kind)), Some(Constant::Float(bits))) => {
                    float::is_inf(kind.format(), bits)
                }
                _ => false,
            };
            let converted = convert(types, from, to, value);
            is_infinite(format(types, from), Some(value))
                || !is_infinite(Some(Format::Float(kind)), converted)
        }
        _ => true,
    }
}

/// As [`convert`], but not where C leaves the result undefined, nor where a float becomes infinite,
/// which a property looks for.
pub fn fold_convert(
    types: &TypeTable,
    from: TypeId,
    to: TypeId,
    value: Constant,
) -> Option<Constant> {
    if float_fits(types, from, to, value) {
        convert(types, from, to, value)
    } else {
        None
    }
}

/// An operator on values of type `ty`; of shifts, `ty` is the left operand's and the result's type,
/// and the right operand is a count read as a signed number. `None` for a division by zero.
pub fn binary(
    types: &TypeTable,
    op: BinaryOp,
    ty: TypeId,
    a: Constant,
    b: Constant,
) -> Option<Constant> {
    match (format(types, ty)?, a, b) {
        (Format::Int { bits: w, signed }, Constant::Int(a), Constant::Int(b)) => {
            Some(Constant::Int(match op {
                BinaryOp::Add => int::add(a, b, w),
                BinaryOp::Sub => int::sub(a, b, w),
                BinaryOp::Mul => int::mul(a, b, w),
                BinaryOp::Div if signed => int::sdiv(a, b, w)?,
                BinaryOp::Div => int::udiv(a, b, w)?,
                BinaryOp::Rem if signed => int::srem(a, b, w)?,
                BinaryOp::Rem => int::urem(a, b, w)?,
                BinaryOp::Shl => int::shl_x86(a, b, w),
                BinaryOp::Shr if signed => int::ashr_x86(a, b, w),
                BinaryOp::Shr => int::lshr_x86(a, b, w),
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                BinaryOp::BitXor => a ^ b,
            }))
        }
        (Format::Float(kind), Constant::Float(a), Constant::Float(b)) => {
            let (format, nearest) = (kind.format(), RoundingMode::NearestEven);
            let result = match op {
                BinaryOp::Add => float::add(format, nearest, a, b),
                BinaryOp::Sub => float::sub(format, nearest, a, b),
                BinaryOp::Mul => float::mul(format, nearest, a, b),
                BinaryOp::Div => float::div(format, nearest, a, b),
                _ => return None,
            };
            if !is_new_nan(kind, a, b, result) {
                return Some(Constant::Float(result));
            }
            // The processor makes a negative NaN; gcc gives it the sign that a product would have.
            let negative = matches!(op, BinaryOp::Mul | BinaryOp::Div)
                && float::sign_bit(format, a) != float::sign_bit(format, b);
            let nan = float::abs(format, result);
            Some(Constant::Float(if negative {
                float::neg(format, nan)
            } else {
                nan
            }))
        }
        _ => None,
    }
}

fn is_new_nan(kind: FloatKind, a: u128, b: u128, result: u128) -> bool {
    let is_nan = |bits| float::is_nan(kind.format(), bits);
    is_nan(result) && !is_nan(a) && !is_nan(b)
}

/// Finite operands, and an infinity: by a division by zero, or because it is too large.
fn is_new_infinity(kind: FloatKind, a: u128, b: u128, result: u128) -> bool {
    let is_infinite = |bits| float::is_inf(kind.format(), bits);
    is_infinite(result) && !is_infinite(a) && !is_infinite(b)
}

/// As [`binary`], but not where C leaves the result undefined, nor where an invalid operation makes
/// a NaN, which gcc leaves to the processor, nor where finite floats make an infinity: a property
/// looks for that, and an invariant that needs it has no value.
pub fn fold_binary(
    types: &TypeTable,
    op: BinaryOp,
    ty: TypeId,
    a: Constant,
    b: Constant,
    count_ty: TypeId,
) -> Option<Constant> {
    if let (Format::Int { bits: w, signed }, Constant::Int(x), Constant::Int(y)) =
        (format(types, ty)?, a, b)
    {
        let undefined = match op {
            BinaryOp::Add => signed && int::sadd_overflows(x, y, w),
            BinaryOp::Sub => signed && int::ssub_overflows(x, y, w),
            BinaryOp::Mul => signed && int::smul_overflows(x, y, w),
            BinaryOp::Div | BinaryOp::Rem => signed && int::sdiv_overflows(x, y, w),
            BinaryOp::Shl | BinaryOp::Shr => {
                let count = int_value(types, count_ty, y);
                // A signed left shift that loses bits is defined by gcc, but a check for overflow
                // wants to see it.
                let lost = || {
                    signed && op == BinaryOp::Shl && {
                        let shifted = int::shl(x, y, w);
                        int::is_negative(x, w) || int::ashr(shifted, y, w) != x
                    }
                };
                !(0..i128::from(w)).contains(&count) || lost()
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => false,
        };
        if undefined {
            return None;
        }
    }
    let result = binary(types, op, ty, a, b)?;
    if let (Some(kind), Constant::Float(x), Constant::Float(y), Constant::Float(z)) =
        (types.float_kind(ty), a, b, result)
        && (is_new_nan(kind, x, y, z) || is_new_infinity(kind, x, y, z))
    {
        return None;
    }
    Some(result)
}

/// `Neg` and `BitNot` on a value of type `ty`, which is the result's; `Not` on any scalar.
pub fn unary(types: &TypeTable, op: UnaryOp, ty: TypeId, a: Constant) -> Option<Constant> {
    match (format(types, ty)?, op, a) {
        (Format::Int { bits, .. }, UnaryOp::Neg, Constant::Int(a)) => {
            Some(Constant::Int(int::neg(a, bits)))
        }
        (Format::Int { bits, .. }, UnaryOp::BitNot, Constant::Int(a)) => {
            Some(Constant::Int(int::not(a, bits)))
        }
        (Format::Float(kind), UnaryOp::Neg, Constant::Float(a)) => {
            Some(Constant::Float(float::neg(kind.format(), a)))
        }
        (_, UnaryOp::Not, _) => Some(Constant::Int(u128::from(!truth(types, ty, a)?))),
        _ => None,
    }
}

/// As [`unary`], but not where C leaves the result undefined.
pub fn fold_unary(types: &TypeTable, op: UnaryOp, ty: TypeId, a: Constant) -> Option<Constant> {
    if let (UnaryOp::Neg, Some(Format::Int { bits, signed: true }), Constant::Int(a)) =
        (op, format(types, ty), a)
        && int::neg_overflows(a, bits)
    {
        return None;
    }
    unary(types, op, ty, a)
}

/// Whether a scalar is unequal to zero.
pub fn truth(types: &TypeTable, ty: TypeId, a: Constant) -> Option<bool> {
    match (format(types, ty)?, a) {
        (Format::Float(kind), Constant::Float(bits)) => Some(!float::is_zero(kind.format(), bits)),
        (_, Constant::Int(bits)) => Some(bits != 0),
        _ => None,
    }
}

/// A comparison of two values of type `ty`.
pub fn compare(
    types: &TypeTable,
    op: CompareOp,
    ty: TypeId,
    a: Constant,
    b: Constant,
) -> Option<bool> {
    let ordering = match (format(types, ty)?, a, b) {
        (Format::Float(kind), Constant::Float(a), Constant::Float(b)) => {
            float::compare(kind.format(), a, b)
        }
        (Format::Int { bits, signed: true }, Constant::Int(a), Constant::Int(b)) => {
            Some(int::to_signed(a, bits).cmp(&int::to_signed(b, bits)))
        }
        (_, Constant::Int(a), Constant::Int(b)) => Some(a.cmp(&b)),
        _ => return None,
    };
    Some(match op {
        CompareOp::Eq => ordering == Some(Ordering::Equal),
        CompareOp::Ne => ordering != Some(Ordering::Equal),
        CompareOp::Lt => ordering == Some(Ordering::Less),
        CompareOp::Le => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        CompareOp::Gt => ordering == Some(Ordering::Greater),
        CompareOp::Ge => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
    })
}

/// How deep [`evaluate`] looks. Since operators are folded as they are built, only operators that
/// the folding leaves alone count, and nobody nests those.
const DEPTH: u32 = 200;

/// The value of an expression without variables, as the machine computes it.
pub fn evaluate(types: &TypeTable, expr: &Expr) -> Option<Constant> {
    evaluate_to(types, expr, DEPTH)
}

fn evaluate_to(types: &TypeTable, expr: &Expr, depth: u32) -> Option<Constant> {
    let depth = depth.checked_sub(1)?;
    let value = |operand: &Expr| evaluate_to(types, operand, depth);
    let bool_of = |b: bool| Some(Constant::Int(u128::from(b)));
    match &expr.kind {
        ExprKind::Int(bits) => Some(Constant::Int(*bits)),
        ExprKind::Float(bits) => Some(Constant::Float(*bits)),
        ExprKind::Unary(op, a) => unary(types, *op, a.ty, value(a)?),
        ExprKind::Binary(op, a, b) => binary(types, *op, expr.ty, value(a)?, value(b)?),
        ExprKind::Compare(op, a, b) => bool_of(compare(types, *op, a.ty, value(a)?, value(b)?)?),
        ExprKind::And(a, b) => {
            bool_of(truth(types, a.ty, value(a)?)? && truth(types, b.ty, value(b)?)?)
        }
        ExprKind::Or(a, b) => {
            bool_of(truth(types, a.ty, value(a)?)? || truth(types, b.ty, value(b)?)?)
        }
        ExprKind::Conditional(c, a, b) => {
            if truth(types, c.ty, value(c)?)? {
                value(a)
            } else {
                value(b)
            }
        }
        ExprKind::Elvis {
            value: a,
            otherwise,
        } => {
            let first = value(a)?;
            if truth(types, a.ty, first)? {
                Some(first)
            } else {
                value(otherwise)
            }
        }
        ExprKind::Convert(a) => convert(types, a.ty, expr.ty, value(a)?),
        _ => None,
    }
}

/// The value of a scalar initialiser that is one constant.
pub fn initial_value(init: &crate::typed::Init) -> Option<Constant> {
    match init.items.as_slice() {
        [item] if init.whole => match &item.value {
            InitValue::Expr(expr) => leaf(expr),
            InitValue::String { .. } => None,
        },
        _ => None,
    }
}
