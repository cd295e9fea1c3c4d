//! The rules of the simplifying constructors (see their laws in the module above), and folding of
//! constants.

use crate::concrete;
use crate::expr::{BinOp, ExprId, ExprPool, Node, UnOp};
use crate::value::Ty;
use arith::int;

impl ExprPool {
    pub(super) fn simplify_and(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        self.simplify_junction(a, b, true)
    }

    pub(super) fn simplify_or(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        self.simplify_junction(a, b, false)
    }

    /// Conjunction or disjunction, of which this is the neutral value; the other one absorbs.
    fn simplify_junction(&mut self, a: ExprId, b: ExprId, neutral: bool) -> Option<ExprId> {
        if a == b {
            return Some(a);
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(value), _) if value == neutral => Some(b),
            (_, Some(value)) if value == neutral => Some(a),
            (Some(_), _) if !self.can_fail(b) => Some(a),
            (_, Some(_)) if self.is_droppable(a) => Some(b),
            _ => None,
        }
    }

    pub(super) fn simplify_equality(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let ty = self.ty(a);
        let positive = op == BinOp::Eq;
        if a == b && !ty.is_float() && self.is_droppable(a) {
            return Some(self.bool_constant(positive));
        }
        let bits = self.as_constant(b)?;
        if ty == Ty::Bool {
            return Some(if (bits != 0) == positive {
                a
            } else {
                self.not(a)
            });
        }
        if !ty.is_int() {
            return None;
        }
        // A distinct address is never null; two objects' addresses are left to those who lay them
        // out.
        if matches!(self.node(a), Node::Address(_)) && bits == 0 {
            return Some(self.bool_constant(!positive));
        }
        match self.node(a) {
            Node::Unary(UnOp::Convert(_), inner) if self.ty(inner) == Ty::Bool => {
                let one = self.convert_constant(Ty::Bool, ty, 1)?;
                match bits {
                    0 => Some(if positive { self.not(inner) } else { inner }),
                    _ if bits == one => Some(if positive { inner } else { self.not(inner) }),
                    _ if self.is_droppable(inner) => Some(self.bool_constant(!positive)),
                    _ => None,
                }
            }
            // `(int)c == 5` of a narrower `c`: the conversion is one-to-one, so compare before it.
            Node::Unary(UnOp::Convert(_), inner)
                if self.ty(inner).is_int() && self.ty(inner).width() <= ty.width() =>
            {
                let narrow = self.ty(inner);
                let back = self.convert_constant(ty, narrow, bits)?;
                if self.convert_constant(narrow, ty, back)? == bits {
                    let constant = self.constant(back, narrow);
                    Some(self.binary(op, inner, constant))
                } else if self.is_droppable(inner) {
                    Some(self.bool_constant(!positive))
                } else {
                    None
                }
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.as_constant(x)?, self.as_constant(y)?);
                if !self.is_droppable(c) {
                    return None;
                }
                let x = self.bool_constant((x == bits) == positive);
                let y = self.bool_constant((y == bits) == positive);
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }

    fn convert_constant(&self, from: Ty, to: Ty, bits: u128) -> Option<u128> {
        concrete::convert(from, to, bits).ok()
    }

    pub(super) fn simplify_integer(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let ty = self.ty(a);
        let ones = int::mask(u32::from(ty.width()));
        let (left, right) = (self.as_constant(a), self.as_constant(b));
        match op {
            // A signed shift to the left stays: that of a negative value, or by too much, is a
            // violation of the overflow property, also by zero places and of zero.
            BinOp::Shl if ty.is_signed() => None,
            BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
                if right == Some(0) =>
            {
                Some(a)
            }
            BinOp::Mul | BinOp::Div if right == Some(1) => Some(a),
            BinOp::Mul | BinOp::And if right == Some(0) && self.is_droppable(a) => Some(b),
            BinOp::And if right == Some(ones) => Some(a),
            BinOp::Or if right == Some(ones) && self.is_droppable(a) => Some(b),
            BinOp::And | BinOp::Or if a == b => Some(a),
            BinOp::Xor | BinOp::Sub if a == b && self.is_droppable(a) => Some(self.zero(ty)),
            BinOp::Lt if a == b && self.is_droppable(a) => Some(self.bool_constant(false)),
            BinOp::Le if a == b && self.is_droppable(a) => Some(self.bool_constant(true)),
            // Nothing unsigned is below zero.
            BinOp::Lt if right == Some(0) && !ty.is_signed() && self.is_droppable(a) => {
                Some(self.bool_constant(false))
            }
            BinOp::Le if left == Some(0) && !ty.is_signed() && self.is_droppable(b) => {
                Some(self.bool_constant(true))
            }
            BinOp::Add if !ty.is_signed() && right.is_some() => match self.node(a) {
                Node::Binary(BinOp::Add, base, c) if self.as_constant(c).is_some() => {
                    let sum = self.add(c, b);
                    Some(self.add(base, sum))
                }
                _ => None,
            },
            BinOp::AddOverflows | BinOp::SubOverflows | BinOp::MulOverflows
                if right == Some(0) && self.is_droppable(a) =>
            {
                Some(self.bool_constant(false))
            }
            BinOp::MulOverflows if right == Some(1) && ty.width() > 1 && self.is_droppable(a) => {
                Some(self.bool_constant(false))
            }
            _ => None,
        }
    }
}

/// Whether converting through `middle` gives what converting straight from `from` to `to` does.
pub(super) fn first_conversion_is_redundant(from: Ty, middle: Ty, to: Ty) -> bool {
    match (from, middle, to) {
        (Ty::Bool, Ty::Int { width, signed }, _) => width > 1 || !signed,
        (Ty::Int { .. }, Ty::Int { .. }, _) => {
            let (w0, s0) = (from.width(), from.is_signed());
            let (w1, s1) = (middle.width(), middle.is_signed());
            let keeps_value = w1 > w0 && (s1 || !s0);
            match to {
                // Only the low bits count, and they are those of the first extension or truncation.
                Ty::Int { width, .. } if width <= w1 => true,
                // Widened twice: the second extension must continue the first.
                Ty::Int { .. } => keeps_value || w1 == w0 && s1 == s0,
                // A widened integer has its value, so the float is the same.
                Ty::Float(_) => keeps_value,
                Ty::Bool => false,
            }
        }
        _ => false,
    }
}

/// Folding `MIN` away under a negation would hide its overflow.
pub(super) fn overflows_alone(op: UnOp, ty: Ty, bits: u128) -> bool {
    op == UnOp::Neg && ty.is_signed() && int::neg_overflows(bits, u32::from(ty.width()))
}

/// Arithmetic on constants that overflows, and a shift that goes too far, stay visible for the
/// properties that look for them.
pub(super) fn overflows(op: BinOp, ty: Ty, count: Ty, a: u128, b: u128) -> bool {
    if ty.is_float() {
        let divides_by_zero = op == BinOp::Div && is_zero(ty, b);
        return !divides_by_zero
            && !op.is_comparison()
            && concrete::binary(op, ty, count, a, b)
                .is_ok_and(|result| becomes_infinite(&[(ty, a), (ty, b)], ty, result));
    }
    if matches!(op, BinOp::Shl | BinOp::Shr) {
        let width = u128::from(ty.width());
        let count = int::resize(b, count.width().into(), count.is_signed(), 128);
        if count >= width {
            return true;
        }
    }
    if !ty.is_signed() {
        return false;
    }
    let width = u32::from(ty.width());
    match op {
        BinOp::Add => int::sadd_overflows(a, b, width),
        BinOp::Sub => int::ssub_overflows(a, b, width),
        BinOp::Mul => int::smul_overflows(a, b, width),
        BinOp::Div | BinOp::Rem => int::sdiv_overflows(a, b, width),
        BinOp::Shl => shift_overflows(a, width, count, b),
        _ => false,
    }
}

fn is_zero(ty: Ty, bits: u128) -> bool {
    concrete::unary(UnOp::IsZero, ty, bits) == Ok(1)
}

/// Finite numbers of which an operation makes an infinity.
pub(super) fn becomes_infinite(operands: &[(Ty, u128)], ty: Ty, result: u128) -> bool {
    let is_infinite =
        |ty: Ty, bits| ty.is_float() && concrete::unary(UnOp::IsInf, ty, bits) == Ok(1);
    is_infinite(ty, result) && !operands.iter().any(|&(ty, bits)| is_infinite(ty, bits))
}

/// C11 6.5.7 paragraph 4: a left shift of a signed value is defined if the value is not negative
/// and the mathematical result fits.
fn shift_overflows(a: u128, width: u32, count_ty: Ty, count: u128) -> bool {
    let count = int::resize(count, count_ty.width().into(), count_ty.is_signed(), 128);
    if int::is_negative(a, width) || count >= u128::from(width) {
        return true;
    }
    let shifted = int::shl(a, count, width);
    int::is_negative(shifted, width) || int::lshr(shifted, count, width) != a
}
