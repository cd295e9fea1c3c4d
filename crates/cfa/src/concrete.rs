//! The concrete meaning of every operator, on bit patterns: what the interpreter computes, what
//! constant folding folds to, and what every other algebra is tested against.
//!
//! A value is a bit pattern in the low bits of a `u128`, zero-extended; every function here takes
//! and gives such patterns. The arithmetic itself is that of crate `arith`.

use crate::algebra::Algebra;
use crate::expr::{BinOp, UnOp, VarId};
use crate::memory::{ObjectId, RegionId};
use crate::value::Ty;
use arith::float::{self, RoundingMode};
use arith::int;

/// Why an operator has no value for its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Undefined {
    /// Integer division or remainder by zero: the execution ends.
    DivisionByZero,
    /// `MIN / -1` or `MIN % -1`.
    DivisionOverflows,
    /// The operator does not exist for the type. No program that obeys the laws of [`crate::expr`]
    /// gets here.
    IllTyped,
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Undefined::DivisionByZero => "division by zero",
            Undefined::DivisionOverflows => "division overflows",
            Undefined::IllTyped => "operator applied to a type that it does not have",
        })
    }
}

const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// A unary operator; `ty` is the operand's type.
pub fn unary(op: UnOp, ty: Ty, a: u128) -> Result<u128, Undefined> {
    let width = u32::from(ty.width());
    Ok(match (op, ty) {
        (UnOp::Not, Ty::Bool) => a ^ 1,
        (UnOp::Neg, Ty::Int { .. }) => int::neg(a, width),
        (UnOp::BitNot, Ty::Int { .. }) => int::not(a, width),
        (UnOp::Clz, Ty::Int { .. }) => int::truncate(int::clz(a, width).into(), width),
        (UnOp::Ctz, Ty::Int { .. }) => int::truncate(int::ctz(a, width).into(), width),
        (UnOp::Popcount, Ty::Int { .. }) => int::truncate(int::popcount(a, width).into(), width),
        (UnOp::Bswap, Ty::Int { .. }) => int::bswap(a, width),
        (UnOp::Neg, Ty::Float(format)) => float::neg(format, a),
        (UnOp::Abs, Ty::Float(format)) => float::abs(format, a),
        (UnOp::Sqrt, Ty::Float(format)) => float::sqrt(format, NEAREST, a),
        (UnOp::Round(mode), Ty::Float(format)) => float::round_to_integral(format, mode, a),
        (UnOp::IsNan, Ty::Float(format)) => float::is_nan(format, a).into(),
        (UnOp::IsInf, Ty::Float(format)) => float::is_inf(format, a).into(),
        (UnOp::IsZero, Ty::Float(format)) => float::is_zero(format, a).into(),
        (UnOp::IsNormal, Ty::Float(format)) => float::is_normal(format, a).into(),
        (UnOp::IsSubnormal, Ty::Float(format)) => float::is_subnormal(format, a).into(),
        (UnOp::SignBit, Ty::Float(format)) => float::sign_bit(format, a).into(),
        (UnOp::Reinterpret(to), _) => int::truncate(a, to.width().into()),
        (UnOp::Convert(to), _) => convert(ty, to, a)?,
        _ => return Err(Undefined::IllTyped),
    })
}

/// C's conversion between arithmetic types (see [`UnOp::Convert`]).
pub fn convert(from: Ty, to: Ty, a: u128) -> Result<u128, Undefined> {
    let width = u32::from(from.width());
    Ok(match (from, to) {
        (Ty::Bool, Ty::Bool) => a,
        (Ty::Bool, Ty::Int { .. }) => a,
        (Ty::Bool, Ty::Float(format)) => float::from_int(format, NEAREST, a, 1, false),
        (Ty::Int { signed, .. }, Ty::Int { width: to, .. }) => {
            int::resize(a, width, signed, to.into())
        }
        (Ty::Int { signed, .. }, Ty::Float(format)) => {
            float::from_int(format, NEAREST, a, width, signed)
        }
        (Ty::Float(format), Ty::Int { width, signed }) => {
            float::to_int_x86(format, a, width.into(), signed)
        }
        (Ty::Float(from), Ty::Float(to)) if from == to => a,
        (Ty::Float(from), Ty::Float(to)) => float::convert(from, to, NEAREST, a),
        (Ty::Int { .. } | Ty::Float(_), Ty::Bool) => return Err(Undefined::IllTyped),
    })
}

/// A binary operator; `ty` is the left operand's type and `count` the right operand's, which
/// differs for shifts only.
pub fn binary(op: BinOp, ty: Ty, count: Ty, a: u128, b: u128) -> Result<u128, Undefined> {
    match ty {
        Ty::Bool => of_bools(op, a, b),
        Ty::Int { width, signed } => of_integers(op, width.into(), signed, count, a, b),
        Ty::Float(format) => of_floats(op, format, a, b),
    }
}

fn of_bools(op: BinOp, a: u128, b: u128) -> Result<u128, Undefined> {
    Ok(match op {
        BinOp::BoolAnd | BinOp::And => a & b,
        BinOp::BoolOr | BinOp::Or => a | b,
        BinOp::Ne | BinOp::Xor => a ^ b,
        BinOp::Eq => a ^ b ^ 1,
        _ => return Err(Undefined::IllTyped),
    })
}

/// Whether `MIN / -1` and `MIN % -1` of these integers end the execution: x86 has an instruction
/// for the width, and it traps. Where gcc's code does not trap there (a divisor that is written
/// as -1, 64 bits on machines of 32), lowering writes something else than a division.
pub fn division_traps(width: u32, signed: bool) -> bool {
    signed && matches!(width, 32 | 64)
}

fn of_integers(
    op: BinOp,
    width: u32,
    signed: bool,
    count: Ty,
    a: u128,
    b: u128,
) -> Result<u128, Undefined> {
    let quotient = |value: Option<u128>| value.ok_or(Undefined::DivisionByZero);
    let divides = matches!(op, BinOp::Div | BinOp::Rem) && division_traps(width, signed);
    if divides && int::sdiv_overflows(a, b, width) {
        return Err(Undefined::DivisionOverflows);
    }
    Ok(match op {
        BinOp::Add => int::add(a, b, width),
        BinOp::Sub => int::sub(a, b, width),
        BinOp::Mul => int::mul(a, b, width),
        BinOp::Div if signed => quotient(int::sdiv(a, b, width))?,
        BinOp::Div => quotient(int::udiv(a, b, width))?,
        BinOp::Rem if signed => quotient(int::srem(a, b, width))?,
        BinOp::Rem => quotient(int::urem(a, b, width))?,
        BinOp::And => int::and(a, b, width),
        BinOp::Or => int::or(a, b, width),
        BinOp::Xor => int::xor(a, b, width),
        BinOp::Shl => int::shl_x86(a, shift_count(count, b)?, width),
        BinOp::Shr if signed => int::ashr_x86(a, shift_count(count, b)?, width),
        BinOp::Shr => int::lshr_x86(a, shift_count(count, b)?, width),
        BinOp::Eq => int::equal(a, b, width).into(),
        BinOp::Ne => (!int::equal(a, b, width)).into(),
        BinOp::Lt if signed => int::slt(a, b, width).into(),
        BinOp::Lt => int::ult(a, b, width).into(),
        BinOp::Le if signed => int::sle(a, b, width).into(),
        BinOp::Le => int::ule(a, b, width).into(),
        BinOp::AddOverflows if signed => int::sadd_overflows(a, b, width).into(),
        BinOp::AddOverflows => int::uadd_overflows(a, b, width).into(),
        BinOp::SubOverflows if signed => int::ssub_overflows(a, b, width).into(),
        BinOp::SubOverflows => int::usub_overflows(a, b, width).into(),
        BinOp::MulOverflows if signed => int::smul_overflows(a, b, width).into(),
        BinOp::MulOverflows => int::umul_overflows(a, b, width).into(),
        _ => return Err(Undefined::IllTyped),
    })
}

/// A count narrower than the bits that x86 looks at is extended as C converts it.
fn shift_count(ty: Ty, count: u128) -> Result<u128, Undefined> {
    match ty {
        Ty::Int { width, signed } => Ok(int::resize(count, width.into(), signed, 128)),
        _ => Err(Undefined::IllTyped),
    }
}

fn of_floats(op: BinOp, format: float::FloatFormat, a: u128, b: u128) -> Result<u128, Undefined> {
    Ok(match op {
        BinOp::Add => float::add(format, NEAREST, a, b),
        BinOp::Sub => float::sub(format, NEAREST, a, b),
        BinOp::Mul => float::mul(format, NEAREST, a, b),
        BinOp::Div => float::div(format, NEAREST, a, b),
        BinOp::Eq => float::equal(format, a, b).into(),
        BinOp::Ne => (!float::equal(format, a, b)).into(),
        BinOp::Lt => float::less(format, a, b).into(),
        BinOp::Le => float::less_or_equal(format, a, b).into(),
        BinOp::FRem => float::fmod(format, a, b),
        BinOp::Remainder => float::remainder(format, a, b),
        BinOp::FMin => float::fmin(format, a, b),
        BinOp::FMax => float::fmax(format, a, b),
        BinOp::CopySign => float::copysign(format, a, b),
        _ => return Err(Undefined::IllTyped),
    })
}

/// `a * b + c`, rounded once.
pub fn fma(ty: Ty, a: u128, b: u128, c: u128) -> Result<u128, Undefined> {
    match ty {
        Ty::Float(format) => Ok(float::fma(format, NEAREST, a, b, c)),
        _ => Err(Undefined::IllTyped),
    }
}

pub fn ite(c: u128, a: u128, b: u128) -> u128 {
    if c != 0 { a } else { b }
}

/// A concrete state, as far as expressions read it.
pub trait State {
    type Error: From<Undefined>;

    fn variable(&mut self, var: VarId, ty: Ty) -> Result<u128, Self::Error>;
    fn address(&mut self, object: ObjectId) -> Result<u128, Self::Error>;
    fn load(&mut self, address: u128, ty: Ty) -> Result<u128, Self::Error>;
}

/// The algebra of concrete values over a state.
pub struct Concrete<'a, S>(pub &'a mut S);

impl<S: State> Algebra for Concrete<'_, S> {
    type Value = u128;
    type Error = S::Error;

    fn constant(&mut self, bits: u128, _: Ty) -> Result<u128, S::Error> {
        Ok(bits)
    }

    fn variable(&mut self, var: VarId, ty: Ty) -> Result<u128, S::Error> {
        self.0.variable(var, ty)
    }

    fn address(&mut self, object: ObjectId, _: Ty) -> Result<u128, S::Error> {
        self.0.address(object)
    }

    fn unary(&mut self, op: UnOp, ty: Ty, a: u128) -> Result<u128, S::Error> {
        Ok(unary(op, ty, a)?)
    }

    fn binary(&mut self, op: BinOp, ty: Ty, count: Ty, a: u128, b: u128) -> Result<u128, S::Error> {
        Ok(binary(op, ty, count, a, b)?)
    }

    fn ite(&mut self, _: Ty, c: u128, a: u128, b: u128) -> Result<u128, S::Error> {
        Ok(ite(c, a, b))
    }

    fn fma(&mut self, ty: Ty, a: u128, b: u128, c: u128) -> Result<u128, S::Error> {
        Ok(fma(ty, a, b, c)?)
    }

    fn load(&mut self, _: RegionId, ty: Ty, address: u128) -> Result<u128, S::Error> {
        self.0.load(address, ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: Ty = Ty::Int {
        width: 8,
        signed: true,
    };

    #[test]
    fn conversions_follow_c() {
        let minus_one = 0xff;
        let convert = |from, to, bits| unary(UnOp::Convert(to), from, bits);
        assert_eq!(convert(I8, Ty::I32, minus_one), Ok(0xffff_ffff));
        assert_eq!(convert(Ty::U8, Ty::I32, minus_one), Ok(0xff));
        assert_eq!(convert(Ty::I64, I8, 0x1234), Ok(0x34));
        assert_eq!(convert(Ty::Bool, Ty::I32, 1), Ok(1));
        let double = Ty::Float(float::FloatFormat::Double);
        let bits = |value: f64| u128::from(value.to_bits());
        assert_eq!(convert(Ty::I32, double, 0xffff_ffff), Ok(bits(-1.0)));
        assert_eq!(convert(double, Ty::I32, bits(-3.9)), Ok(0xffff_fffd));
        assert_eq!(convert(double, Ty::Bool, 0), Err(Undefined::IllTyped));
    }

    #[test]
    fn shift_counts_are_those_of_x86() {
        let shl = |count_ty, count| binary(BinOp::Shl, Ty::I32, count_ty, 1, count);
        assert_eq!(shl(Ty::I32, 33), Ok(2));
        // A count of -1 in eight bits is 31 modulo 32, however it is extended.
        assert_eq!(shl(I8, 0xff), Ok(1 << 31));
        assert_eq!(
            binary(BinOp::Shr, Ty::I32, Ty::I32, 0x8000_0000, 31),
            Ok(0xffff_ffff)
        );
        assert_eq!(binary(BinOp::Shr, Ty::U32, Ty::I32, 0x8000_0000, 31), Ok(1));
    }

    #[test]
    fn division_fails_on_zero_and_where_x86_traps() {
        for op in [BinOp::Div, BinOp::Rem] {
            for ty in [Ty::I32, Ty::U32, Ty::I64, Ty::U64] {
                let zero = Err(Undefined::DivisionByZero);
                assert_eq!(binary(op, ty, ty, 1, 0), zero);
            }
        }
        for width in [8, 16, 32, 40, 64, 128] {
            let (min, minus_one) = (int::signed_min(width), int::mask(width));
            for op in [BinOp::Div, BinOp::Rem] {
                let by = |signed, a| {
                    let width = width as u16;
                    let ty = Ty::Int { width, signed };
                    binary(op, ty, ty, a, minus_one)
                };
                let expected = match (width, op) {
                    (32 | 64, _) => Err(Undefined::DivisionOverflows),
                    (_, BinOp::Div) => Ok(min),
                    _ => Ok(0),
                };
                assert_eq!(by(true, min), expected);
                assert!(by(true, min + 1).is_ok() && by(false, min).is_ok());
            }
        }
    }

    #[test]
    fn comparison_respects_the_sign() {
        let lt = |ty| binary(BinOp::Lt, ty, ty, 0xffff_ffff, 0);
        assert_eq!(lt(Ty::I32), Ok(1));
        assert_eq!(lt(Ty::U32), Ok(0));
    }
}
