//! Arithmetic of intervals: exact ends, infinite where they do not fit.

use super::{Interval, NEGATIVE_INFINITY, POSITIVE_INFINITY};
use crate::bitwise;

/// `a + b` as a lower end: an overflow upwards stays finite, since "at least infinity" would be
/// empty.
fn add_lower(a: i128, b: i128) -> i128 {
    if a == NEGATIVE_INFINITY || b == NEGATIVE_INFINITY {
        return NEGATIVE_INFINITY;
    }
    a.saturating_add(b).min(POSITIVE_INFINITY - 1)
}

/// `a + b` as an upper end.
fn add_upper(a: i128, b: i128) -> i128 {
    if a == POSITIVE_INFINITY || b == POSITIVE_INFINITY {
        return POSITIVE_INFINITY;
    }
    a.saturating_add(b).max(NEGATIVE_INFINITY + 1)
}

/// `-a`, exchanging the infinities.
fn negate_end(a: i128) -> i128 {
    match a {
        NEGATIVE_INFINITY => POSITIVE_INFINITY,
        POSITIVE_INFINITY => NEGATIVE_INFINITY,
        a => -a,
    }
}

/// The product of two ends with `0 * infinity = 0`; the infinities stand for "beyond what is
/// representable".
fn multiply_ends(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 {
        return 0;
    }
    let infinite = |e: i128| e == NEGATIVE_INFINITY || e == POSITIVE_INFINITY;
    let product = if infinite(a) || infinite(b) {
        None
    } else {
        a.checked_mul(b)
    };
    product.unwrap_or(if (a < 0) == (b < 0) {
        POSITIVE_INFINITY
    } else {
        NEGATIVE_INFINITY
    })
}

/// The quotient of two ends, rounded towards zero; `b` is not zero.
fn divide_ends(a: i128, b: i128) -> i128 {
    let infinite = |e: i128| e == NEGATIVE_INFINITY || e == POSITIVE_INFINITY;
    match (infinite(a), infinite(b)) {
        // The quotients by the divisor's other end bound what lies between.
        (_, true) => 0,
        (true, false) => multiply_ends(a, b.signum()),
        (false, false) => a / b,
    }
}

impl Interval {
    pub fn negate(self) -> Self {
        if self.is_empty() {
            return self;
        }
        Interval {
            lo: negate_end(self.hi),
            hi: negate_end(self.lo),
        }
    }

    pub fn plus(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval {
            lo: add_lower(self.lo, other.lo),
            hi: add_upper(self.hi, other.hi),
        }
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negate())
    }

    pub fn times(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Self::spanned_by([
            multiply_ends(self.lo, other.lo),
            multiply_ends(self.lo, other.hi),
            multiply_ends(self.hi, other.lo),
            multiply_ends(self.hi, other.hi),
        ])
    }

    fn spanned_by(ends: [i128; 4]) -> Self {
        let lo = ends.into_iter().fold(POSITIVE_INFINITY, i128::min);
        let hi = ends.into_iter().fold(NEGATIVE_INFINITY, i128::max);
        Interval {
            lo: lo.min(POSITIVE_INFINITY - 1),
            hi: hi.max(NEGATIVE_INFINITY + 1),
        }
    }

    /// Quotients rounded towards zero, as in C; a divisor of zero has no result.
    pub fn divide(self, divisor: Self) -> Self {
        if self.is_empty() || divisor.is_empty() {
            return Interval::EMPTY;
        }
        let by = |part: Interval| {
            if part.is_empty() {
                return Interval::EMPTY;
            }
            Self::spanned_by([
                divide_ends(self.lo, part.lo),
                divide_ends(self.lo, part.hi),
                divide_ends(self.hi, part.lo),
                divide_ends(self.hi, part.hi),
            ])
        };
        let positive = by(divisor.intersect(Interval::at_least(1)));
        let negative = by(divisor.intersect(Interval::at_most(-1)));
        positive.hull(negative)
    }

    /// The largest absolute value, `i128::MAX` if unbounded.
    fn magnitude(self) -> i128 {
        negate_end(self.lo).max(self.hi)
    }

    /// Remainders with the sign of the dividend, as in C; a divisor of zero has no result.
    pub fn remainder(self, divisor: Self) -> Self {
        let positive = divisor.intersect(Interval::at_least(1));
        let negative = divisor.intersect(Interval::at_most(-1)).negate();
        let by = positive.hull(negative); // the sign of the divisor does not matter
        if self.is_empty() || by.is_empty() {
            return Interval::EMPTY;
        }
        if let Some(d) = by.as_constant()
            && let (Some(lo), Some(hi)) = (self.lower(), self.upper())
            && lo / d == hi / d
            && (lo >= 0 || hi <= 0 || d > self.magnitude())
        {
            return Interval::finite(lo % d, hi % d);
        }
        if self.magnitude() < by.lo {
            return self;
        }
        let limit = if by.hi == POSITIVE_INFINITY {
            by.hi
        } else {
            by.hi - 1
        };
        let lo = if self.lo >= 0 {
            0
        } else {
            self.lo.max(negate_end(limit))
        };
        let hi = if self.hi <= 0 { 0 } else { self.hi.min(limit) };
        Interval { lo, hi }
    }

    /// `self * 2^amount`; negative amounts have no result.
    pub fn shift_left(self, amount: Self) -> Self {
        let amount = amount.intersect(Interval::at_least(0));
        if self.is_empty() || amount.is_empty() {
            return Interval::EMPTY;
        }
        let power = |k: i128| {
            if k <= 126 {
                1i128 << k
            } else {
                POSITIVE_INFINITY
            }
        };
        self.times(Interval::finite(power(amount.lo), power(amount.hi)))
    }

    /// `floor(self / 2^amount)`, the arithmetic shift; negative amounts have no result.
    pub fn shift_right(self, amount: Self) -> Self {
        let amount = amount.intersect(Interval::at_least(0));
        if self.is_empty() || amount.is_empty() {
            return Interval::EMPTY;
        }
        let shifted = |value: i128, k: i128| match value {
            NEGATIVE_INFINITY if k < POSITIVE_INFINITY => NEGATIVE_INFINITY,
            POSITIVE_INFINITY if k < POSITIVE_INFINITY => POSITIVE_INFINITY,
            value => value >> k.min(127),
        };
        Self::spanned_by([
            shifted(self.lo, amount.lo),
            shifted(self.lo, amount.hi),
            shifted(self.hi, amount.lo),
            shifted(self.hi, amount.hi),
        ])
    }

    /// Bitwise and of two's-complement numbers of unbounded width. Exact ends for bounded operands.
    /// For machine integers of one type, signed or unsigned, this is also the machine's result.
    pub fn bit_and(self, other: Self) -> Self {
        bitwise::and(self, other)
    }

    pub fn bit_or(self, other: Self) -> Self {
        bitwise::or(self, other)
    }

    pub fn bit_xor(self, other: Self) -> Self {
        bitwise::xor(self, other)
    }

    /// `-x - 1`. For an unsigned type, [`Interval::wrap`] the result.
    pub fn bit_not(self) -> Self {
        self.negate().minus(Interval::ONE)
    }
}
