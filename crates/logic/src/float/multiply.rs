//! Multiplication.

use super::format::{Format, Parts, normal_scale_width};
use super::round::{Exact, round};
use super::words::add_constant;
use crate::{RoundingMode, Term, TermPool};

/// The exact product of two significands, twice as wide.
pub(super) fn product(pool: &mut TermPool, a: Term, b: Term) -> Term {
    let width = pool.width(a);
    let a = pool.zero_extend(a, width);
    let b = pool.zero_extend(b, width);
    pool.bv_mul(a, b)
}

/// The position of the top bit of the product of two significands with these scales (see
/// [`Exact`]).
pub(super) fn product_position(
    pool: &mut TermPool,
    format: Format,
    a_scale: Term,
    b_scale: Term,
) -> Term {
    let sum = pool.bv_add(a_scale, b_scale);
    add_constant(pool, sum, format.least_exponent() + 1)
}

/// The product of two packed floats.
pub(super) fn multiply(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
    b: Term,
) -> Term {
    let a = Parts::of(pool, format, a);
    let b = Parts::of(pool, format, b);
    let sign = pool.xor(a.sign, b.sign);
    let significand = product(pool, a.significand, b.significand);
    let width = normal_scale_width(format);
    let a_scale = pool.resize(a.scale, width, false);
    let b_scale = pool.resize(b.scale, width, false);
    let position = product_position(pool, format, a_scale, b_scale);
    let exact = Exact {
        sign,
        position,
        significand,
        // With one subnormal factor there are as many leading zeros as the precision; the product
        // of two of them is so small that it stays where it is.
        leading_zeros: format.precision,
        may_underflow: true,
    };
    let finite = round(pool, format, rm, &exact);

    let invalid_left = pool.and(a.infinite, b.zero);
    let invalid_right = pool.and(a.zero, b.infinite);
    let is_nan = pool.or_all([a.nan, b.nan, invalid_left, invalid_right]);
    let infinite = pool.or(a.infinite, b.infinite);
    let infinity = format.infinity(pool, sign);
    let nan = format.nan(pool);
    let result = pool.ite(infinite, infinity, finite);
    pool.ite(is_nan, nan, result)
}
