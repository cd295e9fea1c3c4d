//! The numbers in the cells of a difference-bound matrix.
//!
//! A cell is an upper bound, so every operation may err upwards and never downwards. Three kinds
//! share one closure: [`Small`] (integers held exactly in a double, fast), [`Wide`] (integers of
//! 128 bits, saturating) and [`Upward`] (doubles rounded towards plus infinity).

use std::fmt;

/// An upper bound in `Z ∪ {+∞}` or in the doubles with `+∞`.
pub trait Bound: Copy + PartialOrd + PartialEq + fmt::Debug {
    const INFINITY: Self;
    const ZERO: Self;

    /// An upper bound of the sum; infinity absorbs.
    fn plus(self, other: Self) -> Self;
    /// An upper bound of the half.
    fn half(self) -> Self;
    /// The largest value not above `self` that twice a variable can have: even for integers,
    /// anything for reals.
    fn tighten(self) -> Self;

    fn is_finite(self) -> bool {
        self < Self::INFINITY
    }

    #[inline(always)]
    fn least(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    #[inline(always)]
    fn greatest(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

/// An integer in a double, or `+∞`. Sums are exact as long as their size is at most 2^53; who uses
/// it sees to that (see [`super::integer_matrix`]). Infinity then needs no special case and the
/// processor adds and compares several at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Small(pub f64);

impl Bound for Small {
    const INFINITY: Self = Small(f64::INFINITY);
    const ZERO: Self = Small(0.0);

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Small(self.0 + other.0)
    }

    #[inline(always)]
    fn half(self) -> Self {
        Small(self.0 * 0.5)
    }

    fn tighten(self) -> Self {
        Small((self.0 * 0.5).floor() * 2.0)
    }
}

/// A 128-bit integer; `i128::MAX` is `+∞`. What leaves the range upwards becomes infinite,
/// downwards it stays at the least value: both are sound for upper bounds.
#[derive(Clone, Copy, PartialEq, PartialOrd, Eq, Ord, Hash, Debug)]
pub struct Wide(pub i128);

impl Bound for Wide {
    const INFINITY: Self = Wide(i128::MAX);
    const ZERO: Self = Wide(0);

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        if self == Self::INFINITY || other == Self::INFINITY {
            return Self::INFINITY;
        }
        Wide(self.0.saturating_add(other.0))
    }

    fn half(self) -> Self {
        if self == Self::INFINITY {
            return self;
        }
        // Rounds upwards; cells that are halved are even, unless they are the least value of all.
        Wide((self.0 >> 1) + (self.0 & 1))
    }

    fn tighten(self) -> Self {
        if self == Self::INFINITY {
            self
        } else {
            Wide(self.0 & !1)
        }
    }
}

/// A double that is only ever rounded upwards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Upward(pub f64);

/// The order of the doubles. Written out, because the derived comparisons go through `partial_cmp`,
/// which keeps the compiler from comparing several cells at a time.
macro_rules! order_as_doubles {
    ($type:ty) => {
        impl PartialOrd for $type {
            #[inline(always)]
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.0.partial_cmp(&other.0)
            }

            #[inline(always)]
            fn lt(&self, other: &Self) -> bool {
                self.0 < other.0
            }

            #[inline(always)]
            fn le(&self, other: &Self) -> bool {
                self.0 <= other.0
            }

            #[inline(always)]
            fn gt(&self, other: &Self) -> bool {
                self.0 > other.0
            }

            #[inline(always)]
            fn ge(&self, other: &Self) -> bool {
                self.0 >= other.0
            }
        }
    };
}

order_as_doubles!(Small);
order_as_doubles!(Upward);

impl Bound for Upward {
    const INFINITY: Self = Upward(f64::INFINITY);
    const ZERO: Self = Upward(0.0);

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Upward(add_up(self.0, other.0))
    }

    #[inline(always)]
    fn half(self) -> Self {
        let half = self.0 * 0.5;
        // Inexact only where it falls below the least normal number.
        Upward(if half + half < self.0 {
            half.next_up()
        } else {
            half
        })
    }

    fn tighten(self) -> Self {
        self
    }
}

/// The least double that is at least `a + b`; neither is minus infinity or NaN.
#[inline(always)]
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's error-free transformation: `a + b = sum + error` exactly, unless something is
    // infinite.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error <= 0.0 {
        return sum;
    }
    if sum == f64::NEG_INFINITY {
        return f64::MIN;
    }
    sum.next_up()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn upward_sums_are_upper_bounds(a: i64, b: i64, scale in -40i32..40) {
            let factor = 2f64.powi(scale);
            let (x, y) = (a as f64, b as f64 * factor);
            let sum = add_up(x, y);
            // The sum rounded to nearest and its neighbour above enclose the exact sum.
            prop_assert!(sum == x + y || sum == (x + y).next_up());
            // Exact comparison in integers, where both are.
            if scale >= 0 && b.unsigned_abs() < 1 << 20 {
                let exact = (x as i128) + (b as i128) * (1i128 << scale);
                if sum as i128 != i128::MAX {
                    prop_assert!(sum as i128 >= exact);
                }
            }
        }

        #[test]
        fn wide_sums_saturate(a: i128, b: i128) {
            let sum = Wide(a).plus(Wide(b));
            match a.checked_add(b) {
                Some(exact) if a != i128::MAX && b != i128::MAX => prop_assert_eq!(sum, Wide(exact)),
                _ => prop_assert!(sum == Wide::INFINITY || sum.0 == i128::MIN),
            }
        }
    }

    #[test]
    fn infinity_absorbs_and_overflow_stays_sound() {
        assert_eq!(add_up(f64::INFINITY, -1e300), f64::INFINITY);
        assert_eq!(add_up(f64::MAX, f64::MAX), f64::INFINITY);
        assert_eq!(add_up(f64::MIN, f64::MIN), f64::MIN);
        assert_eq!(add_up(1.0, f64::from_bits(1)), 1.0f64.next_up());
        assert_eq!(add_up(1.0, -f64::from_bits(1)), 1.0);
        assert_eq!(Upward(f64::from_bits(1)).half(), Upward(f64::from_bits(1)));
        assert_eq!(Upward(f64::from_bits(3)).half(), Upward(f64::from_bits(2)));
        assert_eq!(Upward(-f64::from_bits(1)).half(), Upward(0.0));
        assert_eq!(Small(-3.0).tighten(), Small(-4.0));
        assert_eq!(Wide(-3).tighten(), Wide(-4));
        assert!(!Small::INFINITY.tighten().is_finite());
    }
}
