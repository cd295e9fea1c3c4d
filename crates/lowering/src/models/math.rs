//! Functions of numbers that are expressions of the automaton.

use super::IntrinsicCall;
use crate::FunctionLowering;
use arith::float::{FloatFormat, RoundingMode};
use cfa::expr::{BinOp, ExprId, UnOp};
use cfa::value::Ty;
use syntax::typed::Builtin;

/// `EDOM` and `ERANGE`.
const DOMAIN: i128 = 33;
const RANGE: i128 = 34;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Math {
    /// `abs`, `labs`, `llabs`: of the declared type.
    IntegerAbs,
    Abs,
    Sqrt,
    Round(RoundingMode),
    /// `lrint`, `lround` and their kin: rounded, then converted to the declared type.
    RoundToInteger(RoundingMode),
    Binary(BinOp),
    Fma,
    /// `fdim`.
    PositiveDifference,
    Classify(Builtin),
    /// glibc's `__fpclassify`.
    FpClassify,
}

impl Math {
    /// Of `floorf` the format is single, of `floorl` x87's, of `floor` double.
    pub fn named(name: &str) -> Option<(Math, FloatFormat)> {
        if let Some(math) = Math::base(name) {
            return Some((math, FloatFormat::Double));
        }
        let (base, format) = match name.as_bytes().last()? {
            b'f' => (&name[..name.len() - 1], FloatFormat::Single),
            b'l' => (&name[..name.len() - 1], FloatFormat::X87),
            _ => return None,
        };
        let math = Math::base(base)?;
        if math == Math::IntegerAbs {
            None
        } else {
            Some((math, format))
        }
    }

    fn base(name: &str) -> Option<Math> {
        Some(match name {
            "abs" | "labs" | "llabs" | "imaxabs" => Math::IntegerAbs,
            "fabs" => Math::Abs,
            "sqrt" => Math::Sqrt,
            "floor" => Math::Round(RoundingMode::TowardNegative),
            "ceil" => Math::Round(RoundingMode::TowardPositive),
            "trunc" => Math::Round(RoundingMode::TowardZero),
            "round" => Math::Round(RoundingMode::NearestAway),
            "rint" | "nearbyint" | "roundeven" => Math::Round(RoundingMode::NearestEven),
            "lrint" | "llrint" => Math::RoundToInteger(RoundingMode::NearestEven),
            "lround" | "llround" => Math::RoundToInteger(RoundingMode::NearestAway),
            "fmin" => Math::Binary(BinOp::FMin),
            "fmax" => Math::Binary(BinOp::FMax),
            "fmod" => Math::Binary(BinOp::FRem),
            "remainder" | "drem" => Math::Binary(BinOp::Remainder),
            "copysign" => Math::Binary(BinOp::CopySign),
            "fma" => Math::Fma,
            "fdim" => Math::PositiveDifference,
            "isnan" | "__isnan" => Math::Classify(Builtin::IsNan),
            "isinf" | "__isinf" => Math::Classify(Builtin::IsInfSign),
            "isfinite" | "finite" | "__finite" => Math::Classify(Builtin::IsFinite),
            "isnormal" => Math::Classify(Builtin::IsNormal),
            "signbit" | "__signbit" => Math::Classify(Builtin::SignBit),
            "__fpclassify" => Math::FpClassify,
            _ => return None,
        })
    }
}

impl FunctionLowering<'_, '_> {
    pub(super) fn math(
        &mut self,
        math: Math,
        format: FloatFormat,
        call: &IntrinsicCall,
    ) -> Option<ExprId> {
        let result = self.context.value_ty(call.ty);
        if math == Math::IntegerAbs {
            return Some(self.integer_abs(call, result));
        }
        let ty = Ty::Float(format);
        let x = self.argument_as(call, 0, ty);
        let value = match math {
            Math::IntegerAbs => x,
            Math::Abs => self.context.pool.unary(UnOp::Abs, x),
            Math::Sqrt => {
                let pool = &mut self.context.pool;
                let zero = pool.zero(ty);
                let invalid = pool.lt(x, zero);
                self.errno_if(invalid, DOMAIN, call.span);
                self.context.pool.unary(UnOp::Sqrt, x)
            }
            Math::Round(mode) => self.context.pool.unary(UnOp::Round(mode), x),
            Math::RoundToInteger(mode) => {
                let rounded = self.context.pool.unary(UnOp::Round(mode), x);
                return Some(self.context.pool.convert(rounded, result));
            }
            Math::Binary(op) => {
                let y = self.argument_as(call, 1, ty);
                if let BinOp::FRem | BinOp::Remainder = op {
                    self.remainder_errno(x, y, call);
                }
                self.context.pool.binary(op, x, y)
            }
            Math::Fma => {
                let (y, z) = (self.argument_as(call, 1, ty), self.argument_as(call, 2, ty));
                self.context.pool.fma(x, y, z)
            }
            Math::PositiveDifference => {
                let y = self.argument_as(call, 1, ty);
                let pool = &mut self.context.pool;
                let (below, difference, zero) = (pool.le(x, y), pool.sub(x, y), pool.zero(ty));
                let value = pool.ite(below, zero, difference);
                let overflow = self.classify(Builtin::IsInf, value, Ty::I32);
                let from_infinity = self.classify(Builtin::IsInf, x, Ty::I32);
                let other_infinity = self.classify(Builtin::IsInf, y, Ty::I32);
                let pool = &mut self.context.pool;
                let (overflow, from) = (pool.truth(overflow), pool.truth(from_infinity));
                let other = pool.truth(other_infinity);
                let exact = pool.or(from, other);
                let finite = pool.not(exact);
                let too_large = pool.and(overflow, finite);
                self.errno_if(too_large, RANGE, call.span);
                value
            }
            Math::Classify(builtin) => return Some(self.classify(builtin, x, result)),
            Math::FpClassify => {
                // FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO of glibc.
                let numbers = [0, 1, 4, 3, 2].map(|n| self.context.pool.integer(n, Ty::I32));
                return Some(self.classify_as(numbers, x, result));
            }
        };
        Some(self.context.pool.convert(value, result))
    }

    /// The remainder by zero or of an infinity is a domain error, unless the other one is a NaN.
    fn remainder_errno(&mut self, x: ExprId, y: ExprId, call: &IntrinsicCall) {
        let ty = self.context.pool.ty(x);
        let infinite = self.classify(Builtin::IsInf, x, Ty::I32);
        let pool = &mut self.context.pool;
        let zero = pool.zero(ty);
        let by_zero = pool.eq(y, zero);
        let (x_is_number, y_is_number) = (pool.eq(x, x), pool.eq(y, y));
        let by_zero = pool.and(by_zero, x_is_number);
        let infinite = pool.truth(infinite);
        let infinite = pool.and(infinite, y_is_number);
        let invalid = pool.or(by_zero, infinite);
        self.errno_if(invalid, DOMAIN, call.span);
    }

    fn integer_abs(&mut self, call: &IntrinsicCall, ty: Ty) -> ExprId {
        let x = self.argument_as(call, 0, ty);
        if !ty.is_signed() {
            return x;
        }
        let pool = &mut self.context.pool;
        let zero = pool.zero(ty);
        let (negative, opposite) = (pool.lt(x, zero), pool.neg(x));
        pool.ite(negative, opposite, x)
    }
}
