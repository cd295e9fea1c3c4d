//! Intervals of real numbers with double ends, rounded outwards.

use std::fmt;

use super::rounding::{
    FloatFormat, add_down, add_up, divide_down, divide_up, multiply_down, multiply_up,
};

/// `{ x | lo <= x <= hi }`; an infinite end means that values have no bound there and may be
/// infinite themselves.
#[derive(Clone, Copy, PartialEq)]
pub struct FloatInterval {
    lo: f64,
    hi: f64,
}

impl FloatInterval {
    pub const TOP: FloatInterval = FloatInterval {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };
    pub const EMPTY: FloatInterval = FloatInterval {
        lo: f64::INFINITY,
        hi: f64::NEG_INFINITY,
    };
    pub const ZERO: FloatInterval = FloatInterval { lo: 0.0, hi: 0.0 };
    pub const ONE: FloatInterval = FloatInterval { lo: 1.0, hi: 1.0 };

    /// All numbers between the ends; NaN as an end means unbounded.
    pub fn new(lo: f64, hi: f64) -> Self {
        let lo = if lo.is_nan() { f64::NEG_INFINITY } else { lo };
        let hi = if hi.is_nan() { f64::INFINITY } else { hi };
        if lo > hi {
            return FloatInterval::EMPTY;
        }
        // An infinite value stands for arbitrarily large numbers.
        FloatInterval {
            lo: lo.min(f64::MAX),
            hi: hi.max(f64::MIN),
        }
    }

    /// One number; an infinity becomes the numbers beyond the greatest finite one.
    pub fn constant(value: f64) -> Self {
        Self::new(value, value)
    }

    /// `[-size, size]`
    pub(crate) fn around_zero(size: f64) -> Self {
        Self::new(-size, size)
    }

    pub fn lower(self) -> f64 {
        self.lo
    }

    pub fn upper(self) -> f64 {
        self.hi
    }

    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// Whether a float, finite or infinite, is a member.
    pub fn contains(self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }

    pub fn as_constant(self) -> Option<f64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn may_be_infinite(self) -> bool {
        self.lo == f64::NEG_INFINITY || self.hi == f64::INFINITY
    }

    pub fn intersect(self, other: Self) -> Self {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo > hi {
            FloatInterval::EMPTY
        } else {
            FloatInterval { lo, hi }
        }
    }

    pub fn hull(self, other: Self) -> Self {
        FloatInterval {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The largest absolute value.
    pub(crate) fn magnitude(self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            self.lo.abs().max(self.hi.abs())
        }
    }

    pub fn negate(self) -> Self {
        FloatInterval {
            lo: -self.hi,
            hi: -self.lo,
        }
    }

    pub fn plus(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return FloatInterval::EMPTY;
        }
        FloatInterval {
            lo: add_down(self.lo, other.lo),
            hi: add_up(self.hi, other.hi),
        }
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negate())
    }

    fn corners(self, other: Self) -> [(f64, f64); 4] {
        [
            (self.lo, other.lo),
            (self.lo, other.hi),
            (self.hi, other.lo),
            (self.hi, other.hi),
        ]
    }

    fn spanned(
        corners: [(f64, f64); 4],
        down: impl Fn(f64, f64) -> f64,
        up: impl Fn(f64, f64) -> f64,
    ) -> Self {
        FloatInterval {
            lo: corners
                .iter()
                .map(|&(a, b)| down(a, b))
                .fold(f64::INFINITY, f64::min),
            hi: corners
                .iter()
                .map(|&(a, b)| up(a, b))
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }

    pub fn times(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return FloatInterval::EMPTY;
        }
        Self::spanned(self.corners(other), multiply_down, multiply_up)
    }

    /// Quotients; if the divisor can be zero they are anything.
    pub fn divided_by(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return FloatInterval::EMPTY;
        }
        if other.contains(0.0) {
            return FloatInterval::TOP;
        }
        let result = Self::spanned(self.corners(other), divide_down, divide_up);
        // A bounded divisor gives no unbounded quotient of its own; an unbounded one may give
        // exactly zero.
        if other.may_be_infinite() {
            result.hull(FloatInterval::ZERO)
        } else {
            result
        }
    }

    /// All results of rounding members to the format, in whatever direction.
    pub fn rounded(self, format: FloatFormat) -> Self {
        if self.is_empty() {
            return self;
        }
        FloatInterval {
            lo: format.round_down(self.lo),
            hi: format.round_up(self.hi),
        }
    }
}

impl fmt::Debug for FloatInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            f.write_str("∅")
        } else {
            write!(f, "[{}, {}]", self.lo, self.hi)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A member and an interval around it.
    fn with_member() -> impl Strategy<Value = (FloatInterval, f64)> {
        let value = prop_oneof![-1e3..1e3f64, -1e-300..1e-300f64, 1e300..f64::MAX, Just(0.0)];
        let slack = prop_oneof![Just(0.0), 0.0..1e3f64, Just(f64::INFINITY)];
        (value, slack.clone(), slack)
            .prop_map(|(v, below, above)| (FloatInterval::new(v - below, v + above), v))
    }

    proptest! {
        #[test]
        fn results_are_members((a, x) in with_member(), (b, y) in with_member()) {
            prop_assert!(a.plus(b).contains(x + y));
            prop_assert!(a.minus(b).contains(x - y));
            prop_assert!(a.times(b).contains(x * y));
            prop_assert!(a.negate().contains(-x));
            if y != 0.0 {
                prop_assert!(a.divided_by(b).contains(x / y), "{:?} / {:?}: {}", a, b, x / y);
            }
            prop_assert!(a.rounded(FloatFormat::Single).contains(f64::from(x as f32)));
            prop_assert!(a.hull(b).contains(x) && a.hull(b).contains(y));
            if b.contains(x) {
                prop_assert!(a.intersect(b).contains(x));
            }
        }
    }
}
