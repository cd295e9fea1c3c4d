//! Addition, subtraction and fused multiply-add.

use super::format::{Format, Parts, normal_scale_width};
use super::multiply;
use super::round::{Exact, round};
use super::words::{add_constant, add_or_subtract, append_zeros, nonzero, shift_right_sticky};
use crate::{RoundingMode, Term, TermPool};

/// A number whose significand's top bit has the weight 2^(`position` + e).
struct Summand {
    sign: Term,
    /// A signed number.
    position: Term,
    significand: Term,
}

/// The exact sum of two numbers, the first of which has the larger magnitude or the second of which
/// is zero.
///
/// Two guard bits and a sticky bit below the significands are enough: if the smaller one is shifted
/// by two or more places, the difference loses at most one leading bit.
fn sum(pool: &mut TermPool, rm: RoundingMode, large: &Summand, small: &Summand) -> Exact {
    let width = pool.width(large.significand);
    let a = append_zeros(pool, large.significand, 3);
    let b = append_zeros(pool, small.significand, 3);
    let distance = pool.bv_sub(large.position, small.position);
    let b = shift_right_sticky(pool, b, distance);
    let a = pool.zero_extend(a, 1);
    let b = pool.zero_extend(b, 1);
    let subtract = pool.xor(large.sign, small.sign);
    let significand = add_or_subtract(pool, subtract, a, b);
    // Opposite numbers cancel to plus zero, or to minus zero when rounding downwards.
    let some_bit = nonzero(pool, significand);
    let nothing_left = pool.not(some_bit);
    let cancelled = pool.and(subtract, nothing_left);
    let cancelled_sign = pool.bool(rm == RoundingMode::TowardNegative);
    let sign = pool.ite(cancelled, cancelled_sign, large.sign);
    Exact {
        sign,
        position: add_constant(pool, large.position, 1),
        significand,
        leading_zeros: width + 3,
        may_underflow: false,
    }
}

/// The sum of two packed floats, of the second with its sign flipped if `subtract`.
pub(super) fn add(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
    b: Term,
    subtract: bool,
) -> Term {
    let top = format.width() - 1;
    let a_sign = pool.bit(a, top);
    let mut b_sign = pool.bit(b, top);
    if subtract {
        b_sign = pool.not(b_sign);
    }
    let a_magnitude = pool.extract(a, top - 1, 0);
    let b_magnitude = pool.extract(b, top - 1, 0);
    let swap = pool.ult(a_magnitude, b_magnitude);
    let large_sign = pool.ite(swap, b_sign, a_sign);
    let small_sign = pool.ite(swap, a_sign, b_sign);
    let large_magnitude = pool.ite(swap, b_magnitude, a_magnitude);
    let small_magnitude = pool.ite(swap, a_magnitude, b_magnitude);
    let large_pattern = format.with_sign(pool, large_sign, large_magnitude);
    let small_pattern = format.with_sign(pool, small_sign, small_magnitude);
    let large = Parts::of(pool, format, large_pattern);
    let small = Parts::of(pool, format, small_pattern);

    let summand = |pool: &mut TermPool, parts: &Parts, sign| Summand {
        sign,
        position: pool.zero_extend(parts.scale, 2),
        significand: parts.significand,
    };
    let large_summand = summand(pool, &large, large_sign);
    let small_summand = summand(pool, &small, small_sign);
    let exact = sum(pool, rm, &large_summand, &small_summand);
    let finite = round(pool, format, rm, &exact);

    // NaN has the largest magnitudes, then come the infinities: looking at the larger operand is
    // enough.
    let opposite = pool.xor(large_sign, small_sign);
    let invalid = pool.and_all([large.infinite, small.infinite, opposite]);
    let is_nan = pool.or(large.nan, invalid);
    let nan = format.nan(pool);
    let result = pool.ite(large.infinite, large_pattern, finite);
    pool.ite(is_nan, nan, result)
}

/// a · b + c, rounded once.
pub(super) fn fma(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
    b: Term,
    c: Term,
) -> Term {
    let precision = format.precision;
    let a = Parts::of(pool, format, a);
    let b = Parts::of(pool, format, b);
    let c = Parts::of(pool, format, c);
    let product_sign = pool.xor(a.sign, b.sign);
    let product_zero = pool.or(a.zero, b.zero);
    let product_infinite = pool.or(a.infinite, b.infinite);

    // Normalised factors: then the product has at most one leading zero, and the larger position is
    // the larger number.
    let (a_significand, a_scale) = a.normalised(pool, format);
    let (b_significand, b_scale) = b.normalised(pool, format);
    let (c_significand, c_scale) = c.normalised(pool, format);
    let product = multiply::product(pool, a_significand, b_significand);
    let position = multiply::product_position(pool, format, a_scale, b_scale);
    let top = pool.bit(product, 2 * precision - 1);
    let shifted = pool.extract(product, 2 * precision - 2, 0);
    let shifted = append_zeros(pool, shifted, 1);
    let product = pool.ite(top, product, shifted);
    let position_before = add_constant(pool, position, -1);
    let position = pool.ite(top, position, position_before);
    let addend = append_zeros(pool, c_significand, precision);
    debug_assert_eq!(pool.width(position), normal_scale_width(format));

    let lower = pool.slt(position, c_scale);
    let level = pool.eq(position, c_scale);
    let less = pool.ult(product, addend);
    let level_and_less = pool.and(level, less);
    let smaller = pool.or(lower, level_and_less);
    // The positions of zeros mean nothing; a zero has to be the smaller one.
    let addend_nonzero = pool.not(c.zero);
    let smaller = pool.and(addend_nonzero, smaller);
    let swap = pool.or(product_zero, smaller);
    let choose =
        |pool: &mut TermPool, condition, product, addend| pool.ite(condition, addend, product);
    let large = Summand {
        sign: choose(pool, swap, product_sign, c.sign),
        position: choose(pool, swap, position, c_scale),
        significand: choose(pool, swap, product, addend),
    };
    let small = Summand {
        sign: choose(pool, swap, c.sign, product_sign),
        position: choose(pool, swap, c_scale, position),
        significand: choose(pool, swap, addend, product),
    };
    let mut exact = sum(pool, rm, &large, &small);
    exact.may_underflow = true;
    let finite = round(pool, format, rm, &exact);

    let invalid_product_a = pool.and(a.infinite, b.zero);
    let invalid_product_b = pool.and(a.zero, b.infinite);
    let opposite = pool.xor(product_sign, c.sign);
    let invalid_sum = pool.and_all([product_infinite, c.infinite, opposite]);
    let is_nan = pool.or_all([
        a.nan,
        b.nan,
        c.nan,
        invalid_product_a,
        invalid_product_b,
        invalid_sum,
    ]);
    let nan = format.nan(pool);
    let infinite = pool.or(product_infinite, c.infinite);
    let infinity_sign = pool.ite(product_infinite, product_sign, c.sign);
    let infinity = format.infinity(pool, infinity_sign);
    let result = pool.ite(infinite, infinity, finite);
    pool.ite(is_nan, nan, result)
}
