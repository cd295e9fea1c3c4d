//! Order, equality, minimum, maximum and sign manipulation on packed floats.

use super::format::{Format, Parts};
use crate::{Term, TermPool};

/// Is neither NaN?
fn ordered(pool: &mut TermPool, a: &Parts, b: &Parts) -> Term {
    let unordered = pool.or(a.nan, b.nan);
    pool.not(unordered)
}

/// IEEE equality.
pub(super) fn equal(pool: &mut TermPool, format: Format, a: Term, b: Term) -> Term {
    let same = pool.eq(a, b);
    let a = Parts::of(pool, format, a);
    let b = Parts::of(pool, format, b);
    let zeros = pool.and(a.zero, b.zero);
    let equal = pool.or(same, zeros);
    let ordered = ordered(pool, &a, &b);
    pool.and(ordered, equal)
}

/// IEEE less-than, or less-or-equal.
pub(super) fn less(pool: &mut TermPool, format: Format, a: Term, b: Term, or_equal: bool) -> Term {
    let a = Parts::of(pool, format, a);
    let b = Parts::of(pool, format, b);
    let zeros = pool.and(a.zero, b.zero);
    let (forwards, backwards, between) = if or_equal {
        (
            pool.ule(a.magnitude, b.magnitude),
            pool.ule(b.magnitude, a.magnitude),
            TermPool::TRUE,
        )
    } else {
        (
            pool.ult(a.magnitude, b.magnitude),
            pool.ult(b.magnitude, a.magnitude),
            pool.not(zeros),
        )
    };
    // Of different signs: the negative one is less, except that zeros are equal.
    let positive_first = if or_equal { zeros } else { TermPool::FALSE };
    let a_negative = pool.ite(b.sign, backwards, between);
    let a_positive = pool.ite(b.sign, positive_first, forwards);
    let less = pool.ite(a.sign, a_negative, a_positive);
    let ordered = ordered(pool, &a, &b);
    pool.and(ordered, less)
}

/// The smaller (or larger) of two packed floats. A NaN is ignored, and of equal ones the first is
/// taken, as `arith` does.
pub(super) fn extremum(
    pool: &mut TermPool,
    format: Format,
    a: Term,
    b: Term,
    larger: bool,
) -> Term {
    let first = if larger {
        less(pool, format, b, a, true)
    } else {
        less(pool, format, a, b, true)
    };
    let b_parts = Parts::of(pool, format, b);
    let take_first = pool.or(first, b_parts.nan);
    pool.ite(take_first, a, b)
}

/// The packed float with its sign flipped, or cleared; NaN stays the canonical one.
pub(super) fn change_sign(pool: &mut TermPool, format: Format, a: Term, clear: bool) -> Term {
    let parts = Parts::of(pool, format, a);
    let sign = if clear {
        TermPool::FALSE
    } else {
        pool.not(parts.sign)
    };
    let changed = format.with_sign(pool, sign, parts.magnitude);
    pool.ite(parts.nan, a, changed)
}

/// Is the float normal (or, if not `normal`, subnormal)?
pub(super) fn is_normal(pool: &mut TermPool, format: Format, a: Term, normal: bool) -> Term {
    let parts = Parts::of(pool, format, a);
    let hidden = pool.bit(parts.significand, format.precision - 1);
    if normal {
        let special = pool.or(parts.nan, parts.infinite);
        let finite = pool.not(special);
        pool.and(finite, hidden)
    } else {
        let small = pool.not(hidden);
        let nonzero = pool.not(parts.zero);
        pool.and(small, nonzero)
    }
}
