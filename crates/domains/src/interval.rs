//! Intervals of mathematical integers with infinite ends.
//!
//! Ends are `i128`, so that sums and products of 64-bit values are exact; what does not fit goes to infinity on the
//! side where that is an over-approximation, and never wraps. Arithmetic is that of unbounded integers; machine
//! arithmetic is this arithmetic followed by [`Interval::wrap`].

use std::fmt;

use crate::bitwise;
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

/// `a + b` as a lower end: an overflow upwards stays finite, since "at least infinity" would be empty.
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

/// The product of two ends with `0 * infinity = 0`; the infinities stand for "beyond what is representable".
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
    pub const TOP: Interval = Interval {
        lo: NEGATIVE_INFINITY,
        hi: POSITIVE_INFINITY,
    };
    pub const EMPTY: Interval = Interval { lo: 1, hi: 0 };
    pub const ZERO: Interval = Interval::constant(0);
    pub const ONE: Interval = Interval::constant(1);
    /// The possible results of a comparison.
    pub const BOOLEAN: Interval = Interval { lo: 0, hi: 1 };

    /// The single value `value`. The two extreme values of `i128` are taken for infinite ends, which only enlarges.
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

    /// Bitwise and of two's-complement numbers of unbounded width. Exact ends for bounded operands. For machine integers
    /// of one type, signed or unsigned, this is also the machine's result.
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

    /// The constant to add to bring all values into the type's range, if one constant does it for all of them.
    pub fn wrap_offset(self, to: MachineInt) -> Option<i128> {
        let range = to.range();
        if self.is_subset_of(range) {
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

    /// Whether `self < other` for all (`Some(true)`), for no (`Some(false)`) or for some pairs of values.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::laws;

    pub(crate) fn small() -> impl Strategy<Value = Interval> {
        (-20i128..20, 0i128..12).prop_map(|(lo, length)| Interval::finite(lo, lo + length))
    }

    fn any_interval() -> impl Strategy<Value = Interval> {
        prop_oneof![
            6 => small(),
            1 => (-20i128..20).prop_map(Interval::at_least),
            1 => (-20i128..20).prop_map(Interval::at_most),
            1 => Just(Interval::TOP),
            1 => Just(Interval::EMPTY),
        ]
    }

    /// Every result of `concrete` on members lies in `abstracted`, and its ends are reached.
    fn exact(
        a: Interval,
        b: Interval,
        abstracted: Interval,
        concrete: impl Fn(i128, i128) -> Option<i128>,
    ) -> Result<(), TestCaseError> {
        let mut hull = Interval::EMPTY;
        for x in a.lo..=a.hi {
            for y in b.lo..=b.hi {
                if let Some(z) = concrete(x, y) {
                    hull = hull.hull(Interval::constant(z));
                }
            }
        }
        prop_assert_eq!(hull, abstracted);
        Ok(())
    }

    /// As [`exact`], but the abstract result may be larger.
    fn sound(
        a: Interval,
        b: Interval,
        abstracted: Interval,
        concrete: impl Fn(i128, i128) -> Option<i128>,
    ) -> Result<(), TestCaseError> {
        for x in a.lo..=a.hi {
            for y in b.lo..=b.hi {
                if let Some(z) = concrete(x, y) {
                    prop_assert!(
                        abstracted.contains(z),
                        "{} {} -> {} not in {}",
                        x,
                        y,
                        z,
                        abstracted
                    );
                }
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn lattice_laws(a in any_interval(), b in any_interval(), c in any_interval()) {
            laws::check_lattice(&a, &b, &c)?;
        }

        #[test]
        fn widening_and_narrowing_stabilise(a in any_interval(), rest in prop::collection::vec(any_interval(), 12)) {
            laws::check_stabilises(&a, &rest, 3)?;
            laws::check_stabilises_with(&a, &rest, &Thresholds::new([-15, -5, 0, 7, 22]), 12)?;
        }

        #[test]
        fn arithmetic_is_exact(a in small(), b in small()) {
            exact(a, b, a.plus(b), |x, y| Some(x + y))?;
            exact(a, b, a.minus(b), |x, y| Some(x - y))?;
            exact(a, b, a.times(b), |x, y| Some(x * y))?;
            exact(a, b, a.divide(b), |x, y| x.checked_div(y))?;
            exact(a, b, a.bit_and(b), |x, y| Some(x & y))?;
            exact(a, b, a.bit_or(b), |x, y| Some(x | y))?;
            exact(a, b, a.bit_xor(b), |x, y| Some(x ^ y))?;
            exact(a, a, a.bit_not(), |x, _| Some(!x))?;
            exact(a, b, a.shift_left(b), |x, y| (y >= 0).then(|| x << y))?;
            exact(a, b, a.shift_right(b), |x, y| (y >= 0).then(|| x >> y))?;
            sound(a, b, a.remainder(b), |x, y| x.checked_rem(y))?;
            exact(a, b, a.where_at_most(b), |x, y| (x <= y).then_some(x))?;
            exact(a, b, a.where_at_least(b), |x, y| (x >= y).then_some(x))?;
        }

        #[test]
        fn remainder_by_a_constant(a in small(), d in 1i128..15) {
            let by = Interval::constant(d);
            sound(a, by, a.remainder(by), |x, y| Some(x % y))?;
            sound(a, by.negate(), a.remainder(by.negate()), |x, y| Some(x % y))?;
        }

        #[test]
        fn wrap_is_the_hull_of_wrapped_values(a in -600i128..600, length in 0i128..300, signed: bool) {
            let ty = MachineInt::new(8, signed).expect("8 bits");
            let i = Interval::finite(a, a + length);
            let mut hull = Interval::EMPTY;
            for v in i.lo..=i.hi {
                hull = hull.hull(Interval::constant(ty.wrap_value(v).expect("fits")));
            }
            prop_assert!(hull.is_subset_of(i.wrap(ty)));
            // Only a result that crosses a window's border is inexact, and then it is the whole type.
            prop_assert!(hull == i.wrap(ty) || i.wrap(ty) == ty.range());
        }

        #[test]
        fn far_ends_saturate(a: i128, b: i128, c: i128, d: i128) {
            let x = Interval::finite(a.min(b), a.max(b));
            let y = Interval::finite(c.min(d), c.max(d));
            let holds = |i: Interval, exact: Option<i128>, positive: bool| match exact {
                Some(v) => i.contains(v),
                None if positive => i.upper().is_none(),
                None => i.lower().is_none(),
            };
            for (p, q) in [(a, c), (a, d), (b, c), (b, d)] {
                prop_assert!(holds(x.plus(y), p.checked_add(q), p > 0));
                prop_assert!(holds(x.minus(y), p.checked_sub(q), p > 0));
                prop_assert!(holds(x.times(y), p.checked_mul(q), (p < 0) == (q < 0)));
            }
        }
    }

    #[test]
    fn infinite_operands() {
        let up = Interval::at_least(3);
        assert_eq!(up.plus(Interval::constant(-5)), Interval::at_least(-2));
        assert_eq!(up.times(Interval::constant(-2)), Interval::at_most(-6));
        assert_eq!(up.times(Interval::ZERO), Interval::ZERO);
        assert_eq!(Interval::TOP.times(Interval::ZERO), Interval::ZERO);
        assert_eq!(up.divide(Interval::constant(2)), Interval::at_least(1));
        assert_eq!(Interval::constant(7).divide(up), Interval::finite(0, 2));
        assert_eq!(
            Interval::TOP.remainder(Interval::constant(8)),
            Interval::finite(-7, 7)
        );
        assert_eq!(up.remainder(Interval::constant(8)), Interval::finite(0, 7));
        assert_eq!(Interval::TOP.divide(Interval::ZERO), Interval::EMPTY);
        assert_eq!(
            Interval::at_most(-1).shift_right(Interval::at_least(0)),
            Interval::at_most(-1)
        );
        assert_eq!(
            up.bit_and(Interval::finite(0, 255)),
            Interval::finite(0, 255)
        );
        assert_eq!(up.bit_or(Interval::finite(4, 255)), Interval::at_least(4));
    }

    #[test]
    fn sixty_four_bit_products_are_exact() {
        let u64_ = MachineInt::new(64, false).expect("64 bits");
        let max = i128::from(u64::MAX);
        let square = u64_.range().times(Interval::finite(0, 1 << 62));
        assert_eq!(square.upper(), Some(max << 62));
        assert_eq!(
            Interval::constant(max).plus(Interval::ONE).wrap(u64_),
            Interval::ZERO
        );
    }
}
