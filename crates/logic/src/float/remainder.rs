//! The IEEE remainder.
//!
//! The quotient may have as many bits as there are exponents; each costs a subtraction of the width
//! of the significand.

use super::format::{Format, Parts};
use super::round::{Exact, round};
use super::words::{division_step, nonzero};
use crate::{RoundingMode, Term, TermPool};

/// The most full adders that a remainder may cost: room for binary64, not for the formats with 15
/// exponent bits.
const LARGEST_CIRCUIT: u64 = 1 << 18;

/// Is the circuit small enough to be built?
pub(super) fn is_feasible(format: Format) -> bool {
    let steps = (1u64 << format.exponent) + u64::from(format.precision);
    steps * u64::from(format.precision) <= LARGEST_CIRCUIT
}

/// The remainder of two packed floats.
pub(super) fn remainder(pool: &mut TermPool, format: Format, a: Term, b: Term) -> Term {
    let precision = format.precision;
    let a_pattern = a;
    let a = Parts::of(pool, format, a);
    let b = Parts::of(pool, format, b);

    // The dividend's significand first, most significant bit first, then as many zeros as its scale
    // is above the divisor's. Widths: a remainder below the divisor, doubled, and a spare bit for
    // the division step.
    let width = precision + 2;
    let divisor = pool.resize(b.significand, width, false);
    let mut rest = pool.bv(width, 0);
    let mut last_digit = TermPool::FALSE;
    for position in (0..precision).rev() {
        let kept = pool.extract(rest, width - 2, 0);
        let next_bit = pool.extract(a.significand, position, position);
        let current = pool.concat(kept, next_bit);
        (last_digit, rest) = division_step(pool, current, divisor);
    }
    let scale_width = format.exponent;
    let below = pool.ult(a.scale, b.scale);
    let distance = pool.bv_sub(a.scale, b.scale);
    let zero_scale = pool.bv(scale_width, 0);
    let distance = pool.ite(below, zero_scale, distance);
    let zero_bit = pool.bv(1, 0);
    // The scales of finite numbers run from zero to two less than the largest field.
    for step in 0..(1u128 << format.exponent) - 3 {
        let number = pool.bv(scale_width, step);
        let active = pool.ult(number, distance);
        let kept = pool.extract(rest, width - 2, 0);
        let current = pool.concat(kept, zero_bit);
        let (digit, next) = division_step(pool, current, divisor);
        rest = pool.ite(active, next, rest);
        last_digit = pool.ite(active, digit, last_digit);
    }

    // A divisor of a larger scale is a normal number and larger than the dividend. Half of it can
    // only be less than the dividend if it is larger by one scale; then the digits are counted in
    // the dividend's scale.
    let one_scale = pool.bv(scale_width, 1);
    let next_scale = pool.bv_add(a.scale, one_scale);
    let is_next = pool.eq(b.scale, next_scale);
    let one_below = pool.and(below, is_next);
    let dividend = pool.resize(a.significand, width, false);
    let doubled_divisor = pool.bv_add(divisor, divisor);
    let rest = pool.ite(below, dividend, rest);
    let unit = pool.ite(below, doubled_divisor, divisor);
    let last_digit = {
        let counted = pool.not(below);
        pool.and(counted, last_digit)
    };
    let scale = pool.ite(below, a.scale, b.scale);

    // To the nearest multiple, and to the even one from the middle. The rest has a spare bit to be
    // doubled.
    let doubled_rest = pool.bv_add(rest, rest);
    let more = pool.ult(unit, doubled_rest);
    let tie = pool.eq(unit, doubled_rest);
    let odd_tie = pool.and(tie, last_digit);
    let nearer = pool.or(more, odd_tie);
    let counted = pool.not(below);
    let comparable = pool.or(counted, one_below);
    let over = pool.and(nearer, comparable);
    let complement = pool.bv_sub(unit, rest);
    let significand = pool.ite(over, complement, rest);
    let some_bit = nonzero(pool, significand);
    let flip = pool.and(over, some_bit);
    let sign = pool.xor(a.sign, flip);

    // Two more bits than a significand has: the top bit's position is two above the scale.
    let position_width = format.exponent + 2;
    let position = pool.resize(scale, position_width, false);
    let two = pool.bv(position_width, 2);
    let exact = Exact {
        sign,
        position: pool.bv_add(position, two),
        significand,
        leading_zeros: width,
        may_underflow: false,
    };
    // The result is exact, whatever the rounding mode.
    let finite = round(pool, format, RoundingMode::TowardZero, &exact);

    let is_nan = pool.or_all([a.nan, b.nan, a.infinite, b.zero]);
    let nan = format.nan(pool);
    let result = pool.ite(b.infinite, a_pattern, finite);
    pool.ite(is_nan, nan, result)
}
