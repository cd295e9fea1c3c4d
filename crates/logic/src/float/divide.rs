//! Division and square root, digit by digit.
//!
//! A bit-vector division of twice the width would do more work for the same digits.

use super::format::{Format, Parts};
use super::round::{Exact, round};
use super::words::{add_constant, append_zeros, as_bit, division_step, nonzero};
use crate::{RoundingMode, Term, TermPool};

/// The quotient of two packed floats.
pub(super) fn divide(
    pool: &mut TermPool,
    format: Format,
    rm: RoundingMode,
    a: Term,
    b: Term,
) -> Term {
    let a = Parts::of(pool, format, a);
    let b = Parts::of(pool, format, b);
    let sign = pool.xor(a.sign, b.sign);
    let (dividend, a_scale) = a.normalised(pool, format);
    let (divisor, b_scale) = b.normalised(pool, format);

    // The quotient of normalised significands lies between one half and two: one digit before the
    // point, then as many as the precision and one more, because the first may be zero.
    let divisor = pool.zero_extend(divisor, 2);
    let mut remainder = pool.zero_extend(dividend, 2);
    let mut digits = Vec::new();
    for _ in 0..format.precision + 2 {
        let (digit, rest) = division_step(pool, remainder, divisor);
        digits.push(as_bit(pool, digit));
        let kept = pool.extract(rest, format.precision, 0);
        remainder = append_zeros(pool, kept, 1);
    }
    let below = nonzero(pool, remainder);
    digits.push(as_bit(pool, below));
    let significand = pool.concat_all(&digits);
    let position = pool.bv_sub(a_scale, b_scale);
    let exact = Exact {
        sign,
        position: add_constant(pool, position, -format.least_exponent()),
        significand,
        leading_zeros: 1,
        may_underflow: true,
    };
    let finite = round(pool, format, rm, &exact);

    let both_infinite = pool.and(a.infinite, b.infinite);
    let both_zero = pool.and(a.zero, b.zero);
    let is_nan = pool.or_all([a.nan, b.nan, both_infinite, both_zero]);
    let infinite = pool.or(a.infinite, b.zero);
    let vanishes = pool.or(a.zero, b.infinite);
    let zero = format.zero(pool, sign);
    let infinity = format.infinity(pool, sign);
    let nan = format.nan(pool);
    let result = pool.ite(vanishes, zero, finite);
    let result = pool.ite(infinite, infinity, result);
    pool.ite(is_nan, nan, result)
}

/// The square root of a packed float.
pub(super) fn square_root(pool: &mut TermPool, format: Format, rm: RoundingMode, a: Term) -> Term {
    let precision = format.precision;
    let parts = Parts::of(pool, format, a);
    let (significand, scale) = parts.normalised(pool, format);
    let exponent = add_constant(pool, scale, format.least_exponent());
    // The exponent has to be even: an odd one gives a factor of two to the radicand, which then
    // lies between one and four.
    let odd = pool.bit(exponent, 0);
    let single = pool.zero_extend(significand, 1);
    let double = append_zeros(pool, significand, 1);
    let radicand = pool.ite(odd, double, single);
    let radicand = append_zeros(pool, radicand, precision + 3);

    let digit_count = precision + 2;
    let mut root: Option<Term> = None;
    let mut remainder: Option<Term> = None;
    for step in 0..digit_count {
        let high = 2 * (digit_count - step) - 1;
        let next_pair = pool.extract(radicand, high, high - 1);
        let current = match remainder {
            Some(rest) => pool.concat(rest, next_pair),
            None => next_pair,
        };
        let trial_tail = pool.bv(2, 1);
        let trial = match root {
            Some(root) => pool.concat(root, trial_tail),
            None => trial_tail,
        };
        // With n digits found, the remainder is at most twice the root: n + 1 bits, here with the
        // next pair and a spare bit.
        let width = step + 4;
        let current = pool.resize(current, width, false);
        let trial = pool.resize(trial, width, false);
        let (digit, rest) = division_step(pool, current, trial);
        let digit = as_bit(pool, digit);
        root = Some(match root {
            Some(root) => pool.concat(root, digit),
            None => digit,
        });
        remainder = Some(pool.extract(rest, step + 1, 0));
    }
    let (root, remainder) = (
        root.expect("there are at least four digits"),
        remainder.expect("there are at least four digits"),
    );
    let below = nonzero(pool, remainder);
    let below = as_bit(pool, below);
    let significand = pool.concat(root, below);
    // Halving by an arithmetic shift rounds an odd exponent down, which is what the doubled
    // radicand wants.
    let width = pool.width(exponent);
    let half = pool.extract(exponent, width - 1, 1);
    let half = pool.sign_extend(half, 1);
    let position = add_constant(pool, half, -format.least_exponent());
    // Only in formats with more digits than exponents can a root be subnormal.
    let lowest = format.layout().lowest_exponent();
    let exact = Exact {
        sign: TermPool::FALSE,
        position,
        significand,
        leading_zeros: 0,
        may_underflow: lowest.div_euclid(2) < format.least_exponent(),
    };
    let finite = round(pool, format, rm, &exact);

    let nonzero_number = pool.not(parts.zero);
    let negative = pool.and(parts.sign, nonzero_number);
    let is_nan = pool.or(parts.nan, negative);
    let unchanged = pool.or(parts.zero, parts.infinite);
    let nan = format.nan(pool);
    let result = pool.ite(unchanged, a, finite);
    pool.ite(is_nan, nan, result)
}
