//! Rounding: from an exact result to a packed float.
//!
//! The usual order in hardware is normalise, denormalise, round, renormalise. Here a result is
//! never normalised further than the least exponent allows, so a subnormal result is in place at
//! once; and since fraction and exponent field are adjacent, a carry out of the rounded fraction is
//! already the right exponent.

use super::format::Format;
use super::words::{
    add_constant, any_of_low_bits, append_zeros, normalise_within, shift_right_sticky,
};
use crate::{RoundingMode, Term, TermPool};

/// A finite number before rounding: ±`significand`, whose top bit has the weight 2^(`position` +
/// e), e being the format's least exponent. The lowest bit may stand for "something below"; then
/// there must be at least two bits above it that are beyond the precision.
pub(super) struct Exact {
    pub sign: Term,
    /// A signed number.
    pub position: Term,
    pub significand: Term,
    /// How many leading zeros a nonzero significand may have as long as the position allows
    /// shifting it.
    pub leading_zeros: u32,
    /// May the position be negative?
    pub may_underflow: bool,
}

/// Is a magnitude incremented? `odd` is its last bit, `half` the first bit that is cut off, `below`
/// whether any other bit that is cut off is set.
pub(super) fn increment(
    pool: &mut TermPool,
    rm: RoundingMode,
    sign: Term,
    odd: Term,
    half: Term,
    below: Term,
) -> Term {
    match rm {
        RoundingMode::NearestEven => {
            let up = pool.or(odd, below);
            pool.and(half, up)
        }
        RoundingMode::NearestAway => half,
        RoundingMode::TowardPositive => {
            let inexact = pool.or(half, below);
            let positive = pool.not(sign);
            pool.and(positive, inexact)
        }
        RoundingMode::TowardNegative => {
            let inexact = pool.or(half, below);
            pool.and(sign, inexact)
        }
        RoundingMode::TowardZero => TermPool::FALSE,
    }
}

/// The packed float that a rounding mode picks.
pub(super) fn round(pool: &mut TermPool, format: Format, rm: RoundingMode, exact: &Exact) -> Term {
    let precision = format.precision;
    let missing = (precision + 2).saturating_sub(pool.width(exact.significand));
    let mut significand = append_zeros(pool, exact.significand, missing);
    let width = pool.width(significand);
    let mut position = exact.position;
    if exact.may_underflow {
        let position_width = pool.width(position);
        let negative = pool.bit(position, position_width - 1);
        let zero = pool.bv(position_width, 0);
        let opposite = pool.bv_neg(position);
        let amount = pool.ite(negative, opposite, zero);
        significand = shift_right_sticky(pool, significand, amount);
        position = pool.ite(negative, zero, position);
    }
    if exact.leading_zeros > 0 {
        (significand, position) =
            normalise_within(pool, significand, position, exact.leading_zeros);
    }

    // Without a leading one the number is subnormal (or zero), and the field is zero.
    let field_width = pool.width(position).max(format.exponent) + 1;
    let position = pool.resize(position, field_width, false);
    let field = add_constant(pool, position, 1);
    let leading = pool.bit(significand, width - 1);
    let zero = pool.bv(field_width, 0);
    let field = pool.ite(leading, field, zero);

    let fraction = pool.extract(significand, width - 2, width - precision);
    let odd = pool.bit(significand, width - precision);
    let half = pool.bit(significand, width - precision - 1);
    let below = any_of_low_bits(pool, significand, width - precision - 1);
    let up = increment(pool, rm, exact.sign, odd, half, below);
    let magnitude = pool.concat(field, fraction);
    let up = pool.bool_to_bv(up, field_width + precision - 1);
    let magnitude = pool.bv_add(magnitude, up);

    let field = pool.extract(magnitude, field_width + precision - 2, precision - 1);
    let infinite_field = pool.bv(field_width, (1 << format.exponent) - 1);
    let overflow = pool.ule(infinite_field, field);
    let magnitude = pool.extract(magnitude, format.width() - 2, 0);
    let infinity = format.infinite_magnitude(pool);
    let largest = format.largest_magnitude(pool);
    let beyond = match rm {
        RoundingMode::NearestEven | RoundingMode::NearestAway => infinity,
        RoundingMode::TowardPositive => pool.ite(exact.sign, largest, infinity),
        RoundingMode::TowardNegative => pool.ite(exact.sign, infinity, largest),
        RoundingMode::TowardZero => largest,
    };
    let magnitude = pool.ite(overflow, beyond, magnitude);
    format.with_sign(pool, exact.sign, magnitude)
}
