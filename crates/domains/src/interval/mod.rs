//! Intervals of mathematical integers with infinite ends.
//!
//! Ends are `i128`, so that sums and products of 64-bit values are exact; what does not fit goes to
//! infinity on the side where that is an over-approximation, and never wraps. Arithmetic is that of
//! unbounded integers; machine arithmetic is this arithmetic followed by [`Interval::wrap`].

mod arithmetic;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::lattice::Lattice;
use crate::machine::MachineInt;
use crate::thresholds::Thresholds;

const NEGATIVE_INFINITY: i128 = i128::MIN;
const POSITIVE_INFINITY: i128 = i128::MAX;

/// A set of integers `{ x | lo <= x <= hi }`; `i128::MIN` and `i128::MAX` as ends mean "unbounded".
///
/// The empty set has exactly one representation, so that equality is equality of sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    lo: i128,
    hi: i128,
}

impl Interval {
    pub const TOP: Interval = Interval {
        lo: NEGATIVE_INFINITY,
        hi: POSITIVE_INFINITY,
    };
    pub const EMPTY: Interval = Interval { lo: 1, hi: 0 };
    pub const ZERO: Interval = Interval::constant(0);
    pub const ONE: Interval = Interval::constant(1);
    /// The possible results of a comparison.
    pub const BOOLEAN: Interval = Interval { lo: 0, hi: 1 };

    /// The single value `value`. The two extreme values of `i128` are taken for infinite ends,
    /// which only enlarges.
    pub const fn constant(value: i128) -> Self {
        Interval::finite(value, value)
    }

    /// `[lo, hi]`, empty if `lo > hi`.
    pub const fn finite(lo: i128, hi: i128) -> Self {
        if lo > hi {
            return Interval::EMPTY;
        }
        // Keeps `[MAX, MAX]` and `[MIN, MIN]` from reading as "at least +∞" and "at most -∞".
        let lo = if lo == POSITIVE_INFINITY {
            POSITIVE_INFINITY - 1
        } else {
            lo
        };
        let hi = if hi == NEGATIVE_INFINITY {
            NEGATIVE_INFINITY + 1
        } else {
            hi
        };
        Interval { lo, hi }
    }

    /// `[lo, hi]` where a missing end is infinite.
    pub const fn new(lo: Option<i128>, hi: Option<i128>) -> Self {
        let lo = match lo {
            Some(lo) => lo,
            None => NEGATIVE_INFINITY,
        };
        let hi = match hi {
            Some(hi) => hi,
            None => POSITIVE_INFINITY,
        };
        Interval::finite(lo, hi)
    }

    pub const fn at_least(lo: i128) -> Self {
        Interval::finite(lo, POSITIVE_INFINITY)
    }

    pub const fn at_most(hi: i128) -> Self {
        Interval::finite(NEGATIVE_INFINITY, hi)
    }

    pub const fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// The least value; `None` if there is none (unbounded or empty).
    pub const fn lower(self) -> Option<i128> {
        if self.lo == NEGATIVE_INFINITY || self.is_empty() {
            None
        } else {
            Some(self.lo)
        }
    }

    /// The greatest value; `None` if there is none (unbounded or empty).
    pub const fn upper(self) -> Option<i128> {
        if self.hi == POSITIVE_INFINITY || self.is_empty() {
            None
        } else {
            Some(self.hi)
        }
    }

    /// The lower end with `i128::MIN` for minus infinity.
    pub(crate) const fn raw_lower(self) -> i128 {
        self.lo
    }

    /// The upper end with `i128::MAX` for plus infinity.
    pub(crate) const fn raw_upper(self) -> i128 {
        self.hi
    }

    pub const fn as_constant(self) -> Option<i128> {
        if self.lo == self.hi {
            Some(self.lo)
        } else {
            None
        }
    }

    pub const fn contains(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    pub const fn is_bounded(self) -> bool {
        self.is_empty() || (self.lo != NEGATIVE_INFINITY && self.hi != POSITIVE_INFINITY)
    }

    /// How many values there are; `None` if unbounded or beyond `i128`.
    pub fn count(self) -> Option<i128> {
        if self.is_empty() {
            return Some(0);
        }
        self.upper()?.checked_sub(self.lower()?)?.checked_add(1)
    }

    pub const fn intersect(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let lo = if self.lo > other.lo {
            self.lo
        } else {
            other.lo
        };
        let hi = if self.hi < other.hi {
            self.hi
        } else {
            other.hi
        };
        Interval::finite(lo, hi)
    }

    /// The least interval that holds both.
    pub const fn hull(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Interval {
            lo: if self.lo < other.lo {
                self.lo
            } else {
                other.lo
            },
            hi: if self.hi > other.hi {
                self.hi
            } else {
                other.hi
            },
        }
    }

    pub const fn is_subset_of(self, other: Self) -> bool {
        self.is_empty() || (other.lo <= self.lo && self.hi <= other.hi)
    }

    /// All values are ones of the type. Of types so wide that their ends are infinite here, values
    /// without a finite bound may lie outside.
    pub fn fits(self, to: MachineInt) -> bool {
        let is_bounded = || self.lower().is_some() && self.upper().is_some();
        self.is_subset_of(to.range()) && (to.modulus().is_some() || self.is_empty() || is_bounded())
    }

    /// The constant to add to bring all values into the type's range, if one constant does it for
    /// all of them.
    pub fn wrap_offset(self, to: MachineInt) -> Option<i128> {
        let range = to.range();
        if self.fits(to) {
            return Some(0);
        }
        let (modulus, lo, hi) = (to.modulus()?, self.lower()?, self.upper()?);
        let window = |value: i128| value.checked_sub(range.lo).map(|v| v.div_euclid(modulus));
        let window_of_lo = window(lo)?;
        if window(hi)? != window_of_lo {
            return None;
        }
        window_of_lo.checked_neg()?.checked_mul(modulus)
    }

    /// The least interval that holds every value after wrap-around to the type.
    pub fn wrap(self, to: MachineInt) -> Self {
        match self.wrap_offset(to) {
            Some(offset) => self.plus(Interval::constant(offset)),
            None => to.range(),
        }
    }

    /// The values of `self` that can be `<=` some value of `other`.
    pub fn where_at_most(self, other: Self) -> Self {
        if other.is_empty() {
            Interval::EMPTY
        } else {
            self.intersect(Interval::at_most(other.hi))
        }
    }

    /// The values of `self` that can be `>=` some value of `other`.
    pub fn where_at_least(self, other: Self) -> Self {
        if other.is_empty() {
            Interval::EMPTY
        } else {
            self.intersect(Interval::at_least(other.lo))
        }
    }

    /// `self` without `value`, where that leaves an interval.
    pub fn without(self, value: i128) -> Self {
        if self.is_empty() {
            return self;
        }
        if self.lo == value && self.hi == value {
            return Interval::EMPTY;
        }
        if self.lower() == Some(value) {
            return Interval {
                lo: value + 1,
                hi: self.hi,
            };
        }
        if self.upper() == Some(value) {
            return Interval {
                lo: self.lo,
                hi: value - 1,
            };
        }
        self
    }

    /// Whether `self < other` for all (`Some(true)`), for no (`Some(false)`) or for some pairs of
    /// values.
    pub fn always_less(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.hi < other.lo {
            Some(true)
        } else if self.lo >= other.hi {
            Some(false)
        } else {
            None
        }
    }

    /// Whether `self == other` for all, for no or for some pairs of values.
    pub fn always_equal(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.intersect(other).is_empty() {
            return Some(false);
        }
        (self.as_constant().is_some() && self == other).then_some(true)
    }
}

impl Lattice for Interval {
    fn bottom(&self) -> Self {
        Interval::EMPTY
    }

    fn top(&self) -> Self {
        Interval::TOP
    }

    fn is_bottom(&self) -> bool {
        self.is_empty()
    }

    fn is_top(&self) -> bool {
        *self == Interval::TOP
    }

    fn leq(&self, other: &Self) -> bool {
        self.is_subset_of(*other)
    }

    fn join(&self, other: &Self) -> Self {
        self.hull(*other)
    }

    fn meet(&self, other: &Self) -> Self {
        self.intersect(*other)
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        if self.is_empty() {
            return *newer;
        }
        if newer.is_empty() {
            return *self;
        }
        let lo = if newer.lo >= self.lo {
            self.lo
        } else {
            thresholds.at_most(newer.lo).unwrap_or(NEGATIVE_INFINITY)
        };
        let hi = if newer.hi <= self.hi {
            self.hi
        } else {
            thresholds.at_least(newer.hi).unwrap_or(POSITIVE_INFINITY)
        };
        Interval::finite(lo, hi)
    }

    fn narrow(&self, newer: &Self) -> Self {
        if self.is_empty() || newer.is_empty() {
            return Interval::EMPTY;
        }
        let lo = if self.lo == NEGATIVE_INFINITY {
            newer.lo
        } else {
            self.lo
        };
        let hi = if self.hi == POSITIVE_INFINITY {
            newer.hi
        } else {
            self.hi
        };
        Interval::finite(lo, hi)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("∅");
        }
        match self.lower() {
            Some(lo) => write!(f, "[{lo}, ")?,
            None => f.write_str("[-∞, ")?,
        }
        match self.upper() {
            Some(hi) => write!(f, "{hi}]"),
            None => f.write_str("+∞]"),
        }
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
