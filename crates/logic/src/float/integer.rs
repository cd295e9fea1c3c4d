//! Rounding to integers: as floats, to bit-vectors, and back.

use super::format::{Format, Parts};
use super::round::{Exact, increment, round};
use super::words::{add_constant, any_of_low_bits, append_zeros, bit_length, nonzero};
use crate::{BvValue, RoundingMode, Term, TermPool};

/// The nearest integral float in the direction of the rounding mode.
pub(super) fn round_to_integral(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
) -> Term {
    let precision = format.precision;
    let parts = Parts::of(pool, format, a);

    // Below one the result is zero or one.
    let half_magnitude = format.power_of_two_magnitude(pool, -1);
    let one_magnitude = format.power_of_two_magnitude(pool, 0);
    let zero_magnitude = pool.bv(format.width() - 1, 0);
    let reaches_half = pool.ule(half_magnitude, parts.magnitude);
    let is_half = pool.eq(half_magnitude, parts.magnitude);
    let nonzero_number = pool.not(parts.zero);
    let off_half = pool.not(is_half);
    let beside_half = pool.and(nonzero_number, off_half);
    let up = increment(
        pool,
        rm,
        parts.sign,
        TermPool::FALSE,
        reaches_half,
        beside_half,
    );
    let small = pool.ite(up, one_magnitude, zero_magnitude);

    // From one on, the unit is a bit of the significand; `fraction` counts the bits below it.
    let width = format.exponent.max(bit_length(u64::from(precision))) + 2;
    let scale = pool.resize(parts.scale, width, false);
    let opposite = pool.bv_neg(scale);
    let fraction = add_constant(
        pool,
        opposite,
        i64::from(precision) - 1 - format.least_exponent(),
    );
    let zero = pool.bv(width, 0);
    let has_fraction = pool.slt(zero, fraction);
    let magnitude_width = format.width() - 1;
    let amount_width = magnitude_width.max(width);
    let amount = pool.sign_extend(fraction, amount_width - width);
    let amount = pool.extract(amount, magnitude_width - 1, 0);
    let one = pool.bv(magnitude_width, 1);
    let unit = pool.bv_shl(one, amount);
    let below_unit = add_constant(pool, unit, -1);
    let half = {
        let kept = pool.extract(unit, magnitude_width - 1, 1);
        pool.zero_extend(kept, 1)
    };
    let all = pool.bv_value(BvValue::ones(magnitude_width));
    let below_half = pool.bv_add(half, all);
    let significand = pool.resize(parts.significand, magnitude_width, false);
    let test = |pool: &mut TermPool, bits| {
        let picked = pool.bv_and(significand, bits);
        nonzero(pool, picked)
    };
    let odd = test(pool, unit);
    let half_set = test(pool, half);
    let below_set = test(pool, below_half);
    let up = increment(pool, rm, parts.sign, odd, half_set, below_set);
    let zero = pool.bv(magnitude_width, 0);
    let step = pool.ite(up, unit, zero);
    let sum = pool.bv_add(parts.magnitude, step);
    let keep = pool.bv_not(below_unit);
    let large = pool.bv_and(sum, keep);

    let below_one = pool.ult(parts.magnitude, one_magnitude);
    let magnitude = pool.ite(has_fraction, large, parts.magnitude);
    let magnitude = pool.ite(below_one, small, magnitude);
    let finite = format.with_sign(pool, parts.sign, magnitude);
    let special = pool.or(parts.nan, parts.infinite);
    pool.ite(special, a, finite)
}

/// A bit-vector of the given width with the number rounded to an integer; `otherwise` for NaN and
/// numbers out of range.
pub(super) fn to_integer(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
    width: u32,
    signed: bool,
    otherwise: Term,
) -> Term {
    let precision = format.precision;
    let parts = Parts::of(pool, format, a);
    let largest_exponent = format.layout().bias();

    // Fixed point: the significand starts with its top bit at weight 2^-2, where it only counts as
    // "something", and is shifted left by its exponent plus two. Exponents above the width of the
    // result are out of range anyway.
    let most = i64::from(width).min(largest_exponent);
    let scale_width = format.exponent.max(bit_length(u64::from(width))) + 2;
    let scale = pool.resize(parts.scale, scale_width, false);
    let exponent = add_constant(pool, scale, format.least_exponent());
    let bound = pool.bv_signed(scale_width, i128::from(most));
    let too_large = pool.slt(bound, exponent);
    let amount = add_constant(pool, exponent, 2);
    let negative = pool.bit(amount, scale_width - 1);
    let zero = pool.bv(scale_width, 0);
    let amount = pool.ite(negative, zero, amount);
    let amount_width = bit_length(most as u64 + 2);
    let amount = pool.extract(amount, amount_width - 1, 0);

    let integer_width = most as u32 + 1;
    let fraction_width = precision + 1;
    let register_width = integer_width + fraction_width;
    let register = pool.resize(parts.significand, register_width, false);
    let amount = pool.resize(amount, register_width, false);
    let register = pool.bv_shl(register, amount);
    let integer = pool.extract(register, register_width - 1, fraction_width);
    let odd = pool.bit(integer, 0);
    let half = pool.bit(register, fraction_width - 1);
    let below = any_of_low_bits(pool, register, fraction_width - 1);
    let up = increment(pool, rm, parts.sign, odd, half, below);
    let magnitude_width = width.max(integer_width) + 1;
    let integer = pool.resize(integer, magnitude_width, false);
    let up = pool.bool_to_bv(up, magnitude_width);
    let magnitude = pool.bv_add(integer, up);

    let limit = |pool: &mut TermPool, value: BvValue| {
        let by = magnitude_width - value.width();
        let bound = pool.bv_value(value.zero_extend(by));
        pool.ult(bound, magnitude)
    };
    let (positive_bound, negative_bound) = if signed {
        (BvValue::min_signed(width).not(), BvValue::min_signed(width))
    } else {
        (BvValue::ones(width), BvValue::zero(width))
    };
    let above = limit(pool, positive_bound);
    let beneath = limit(pool, negative_bound);
    let outside = pool.ite(parts.sign, beneath, above);
    let magnitude = pool.extract(magnitude, width - 1, 0);
    let opposite = pool.bv_neg(magnitude);
    let result = pool.ite(parts.sign, opposite, magnitude);
    let bad = pool.or_all([parts.nan, parts.infinite, too_large, outside]);
    pool.ite(bad, otherwise, result)
}

/// The packed float nearest to an integer.
pub(super) fn from_integer(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
    signed: bool,
) -> Term {
    let width = pool.width(a);
    let (sign, magnitude) = if signed {
        let sign = pool.bit(a, width - 1);
        let opposite = pool.bv_neg(a);
        (sign, pool.ite(sign, opposite, a))
    } else {
        (TermPool::FALSE, a)
    };
    let missing = (format.precision + 2).saturating_sub(width);
    let position = i64::from(width) - 1 - format.least_exponent();
    let position_width = bit_length(position as u64) + 2;
    let exact = Exact {
        sign,
        position: pool.bv_signed(position_width, i128::from(position)),
        significand: append_zeros(pool, magnitude, missing),
        leading_zeros: width - 1,
        may_underflow: false,
    };
    round(pool, format, rm, &exact)
}
