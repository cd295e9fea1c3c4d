//! Floats in bit-vectors: every float operator as a term over bit-vectors.
//!
//! In the manner of Brain, Schanda and Sun, "Building Better Bit-Blasting for Floating-Point
//! Problems" (TACAS 2019), but written afresh and with another representation between operators: a
//! float is its packed IEEE pattern with one canonical NaN. Their unpacked, normalised floats save
//! work in long chains of operators and cost it at both ends; here operands come from memory and go
//! into comparisons after few operators, and the adder and the multiplier take subnormal operands
//! as they are, so nothing is normalised that the rounding does not look at.
//!
//! One file per group of operators; each computes an exact result ([`round::Exact`]) and leaves the
//! rest to [`round`].

mod add;
mod compare;
mod convert;
mod derived;
mod divide;
mod format;
mod integer;
mod multiply;
mod remainder;
mod round;
#[cfg(test)]
mod solving_tests;
#[cfg(test)]
mod tests;
mod words;

use crate::{BvValue, Op, Sort, Term, TermPool};
use format::{Format, Parts};
use rustc_hash::FxHashMap;
use std::fmt;

/// A float operator whose circuit would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The operator.
    pub operator: Op,
    /// The sort of its first operand.
    pub sort: Sort,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {} in bit-vectors", self.operator, self.sort)
    }
}

impl std::error::Error for Unsupported {}

/// Translates terms with floats into terms without, remembering what was translated.
///
/// A float variable becomes a bit-vector variable with its pattern; see
/// [`FloatLowering::pattern_of`].
#[derive(Default)]
pub struct FloatLowering {
    /// For floats the pattern, for other terms the term without floats.
    memo: FxHashMap<Term, Term>,
}

/// The term with its floats expressed in bit-vectors; see [`FloatLowering`] for many terms of one
/// pool.
pub fn lower_float(pool: &mut TermPool, term: Term) -> Result<Term, Unsupported> {
    FloatLowering::default().lower(pool, term)
}

impl FloatLowering {
    /// Nothing is translated yet.
    pub fn new() -> FloatLowering {
        FloatLowering::default()
    }

    /// The bit-vector variable that stands for a float variable. Its value in a model is a pattern
    /// of the float, though not necessarily the canonical one of a NaN.
    pub fn pattern_of(pool: &mut TermPool, variable: Term) -> Option<Term> {
        let symbol = pool.as_var(variable)?;
        let width = Format::of(pool.sort(variable))?.width();
        Some(pool.symbol_var(symbol, Sort::BitVec(width)))
    }

    /// The term without floats: of the same sort and value, or for a float its canonical pattern.
    pub fn lower(&mut self, pool: &mut TermPool, term: Term) -> Result<Term, Unsupported> {
        let mut stack = vec![term];
        let mut args = Vec::new();
        while let Some(&current) = stack.last() {
            if self.memo.contains_key(&current) {
                stack.pop();
                continue;
            }
            let pending = stack.len();
            stack.extend(
                pool.args(current)
                    .iter()
                    .filter(|arg| !self.memo.contains_key(arg)),
            );
            if stack.len() > pending {
                continue;
            }
            stack.pop();
            args.clear();
            args.extend(pool.args(current).iter().map(|arg| self.memo[arg]));
            let lowered = lower_operator(pool, current, &args)?;
            self.memo.insert(current, lowered);
        }
        Ok(self.memo[&term])
    }
}

/// Translates one operator over translated operands.
fn lower_operator(pool: &mut TermPool, term: Term, args: &[Term]) -> Result<Term, Unsupported> {
    let operator = pool.op(term);
    let sort = pool.sort(term);
    if !operator.is_float() {
        return Ok(match (operator, Format::of(sort)) {
            (Op::Var(_), Some(format)) => {
                let pattern = FloatLowering::pattern_of(pool, term).expect("a float variable");
                format.canonical(pool, pattern)
            }
            _ if args == pool.args(term) => term,
            // Equality and choice are the same on canonical patterns as on floats.
            _ => pool.rebuild(term, args),
        });
    }
    let operand_sort = pool.args(term).first().map_or(sort, |&arg| pool.sort(arg));
    let unsupported = Unsupported {
        operator,
        sort: operand_sort,
    };
    let result_format = Format::of(sort);
    // Of the operand; for operators that make floats of bit-vectors, of the result.
    let format = Format::of(operand_sort)
        .or(result_format)
        .ok_or(unsupported)?;
    let width = pool.width(term);
    let a = args[0];
    Ok(match operator {
        Op::FpFromBits => format.canonical(pool, a),
        Op::FpToBits => a,
        Op::FpAdd(rm) => add::add(pool, format, rm, a, args[1], false),
        Op::FpSub(rm) => add::add(pool, format, rm, a, args[1], true),
        Op::FpMul(rm) => multiply::multiply(pool, format, rm, a, args[1]),
        Op::FpDiv(rm) => divide::divide(pool, format, rm, a, args[1]),
        Op::FpFma(rm) => add::fma(pool, format, rm, a, args[1], args[2]),
        Op::FpSqrt(rm) => divide::square_root(pool, format, rm, a),
        Op::FpRoundToIntegral(rm) => integer::round_to_integral(pool, format, rm, a),
        Op::FpRem if remainder::is_feasible(format) => {
            remainder::remainder(pool, format, a, args[1])
        }
        Op::FpRem => return Err(unsupported),
        Op::FpMin => compare::extremum(pool, format, a, args[1], false),
        Op::FpMax => compare::extremum(pool, format, a, args[1], true),
        Op::FpAbs => compare::change_sign(pool, format, a, true),
        Op::FpNeg => compare::change_sign(pool, format, a, false),
        Op::FpEq => compare::equal(pool, format, a, args[1]),
        Op::FpLt => compare::less(pool, format, a, args[1], false),
        Op::FpLe => compare::less(pool, format, a, args[1], true),
        Op::FpIsNan => Parts::of(pool, format, a).nan,
        Op::FpIsInfinite => Parts::of(pool, format, a).infinite,
        Op::FpIsZero => Parts::of(pool, format, a).zero,
        Op::FpIsNormal => compare::is_normal(pool, format, a, true),
        Op::FpIsSubnormal => compare::is_normal(pool, format, a, false),
        Op::FpIsNegative => {
            let parts = Parts::of(pool, format, a);
            let number = pool.not(parts.nan);
            pool.and(number, parts.sign)
        }
        Op::FpIsPositive => {
            let parts = Parts::of(pool, format, a);
            let excluded = pool.or(parts.nan, parts.sign);
            pool.not(excluded)
        }
        Op::FpToFp(rm) => {
            let to = result_format.ok_or(unsupported)?;
            convert::convert(pool, format, to, rm, a)
        }
        Op::FpFromSigned(rm) => integer::from_integer(pool, format, rm, a, true),
        Op::FpFromUnsigned(rm) => integer::from_integer(pool, format, rm, a, false),
        Op::FpToSigned(rm) => {
            let otherwise = pool.bv_value(BvValue::min_signed(width));
            integer::to_integer(pool, format, rm, a, width, true, otherwise)
        }
        Op::FpToUnsigned(rm) => {
            let otherwise = pool.bv_value(BvValue::ones(width));
            integer::to_integer(pool, format, rm, a, width, false, otherwise)
        }
        _ => return Err(unsupported),
    })
}
