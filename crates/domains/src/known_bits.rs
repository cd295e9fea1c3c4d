//! Known bits: each bit of a machine word is known to be zero, known to be one, or unknown.
//!
//! Words have 1 to 128 bits. Addition follows the carries that are known (as LLVM's
//! `KnownBits::computeForAddCarry`); multiplication adds up partial products with their uncertainty
//! apart (H. Vishwanathan et al., *Sound, precise, and fast abstract interpretation with tristate
//! numbers*, CGO 2022).

use std::fmt;

use crate::lattice::Lattice;

/// A set of bit patterns of one width.
///
/// A bit in neither mask is unknown; the empty set is represented by all bits in both, so equality
/// is equality of sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KnownBits {
    width: u8,
    zeros: u128,
    ones: u128,
}

fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

impl KnownBits {
    /// Any pattern; `None` unless `1 <= width <= 128`.
    pub fn unknown(width: u32) -> Option<Self> {
        (1..=128).contains(&width).then_some(KnownBits {
            width: width as u8,
            zeros: 0,
            ones: 0,
        })
    }

    /// Any pattern of 128 bits.
    pub(crate) const ANY_128: KnownBits = KnownBits {
        width: 128,
        zeros: 0,
        ones: 0,
    };

    /// The pattern of `value`, of which only the low bits count.
    pub fn constant(width: u32, value: u128) -> Option<Self> {
        Some(Self::unknown(width)?.with_masks(!value, value))
    }

    /// Patterns with zeros where `zeros` is set and ones where `ones` is set.
    fn with_masks(self, zeros: u128, ones: u128) -> Self {
        let all = mask(self.width());
        let (zeros, ones) = (zeros & all, ones & all);
        if zeros & ones != 0 {
            return KnownBits {
                zeros: all,
                ones: all,
                ..self
            };
        }
        KnownBits {
            zeros,
            ones,
            ..self
        }
    }

    fn constant_like(self, value: u128) -> Self {
        self.with_masks(!value, value)
    }

    pub fn width(self) -> u32 {
        u32::from(self.width)
    }

    pub fn is_empty(self) -> bool {
        self.zeros & self.ones != 0
    }

    /// The known bits.
    pub fn known_mask(self) -> u128 {
        self.zeros | self.ones
    }

    /// The known ones.
    pub fn known_value(self) -> u128 {
        self.ones
    }

    pub fn as_constant(self) -> Option<u128> {
        (!self.is_empty() && self.known_mask() == mask(self.width())).then_some(self.ones)
    }

    pub fn contains(self, pattern: u128) -> bool {
        let pattern = pattern & mask(self.width());
        !self.is_empty() && pattern & self.zeros == 0 && !pattern & self.ones == 0
    }

    /// Fixes the bits chosen by `bits` to those of `value`.
    pub fn assume(self, bits: u128, value: u128) -> Self {
        if self.is_empty() {
            return self;
        }
        self.with_masks(self.zeros | bits & !value, self.ones | bits & value)
    }

    pub fn min_unsigned(self) -> u128 {
        self.ones
    }

    pub fn max_unsigned(self) -> u128 {
        !self.zeros & mask(self.width())
    }

    fn sign_bit(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The pattern read as a two's-complement number.
    fn signed(self, pattern: u128) -> i128 {
        let shift = 128 - self.width();
        (pattern << shift) as i128 >> shift
    }

    pub fn min_signed(self) -> i128 {
        // Negative if it may be, and then as small as possible.
        let sign = if self.zeros & self.sign_bit() == 0 {
            self.sign_bit()
        } else {
            0
        };
        self.signed(self.ones | sign)
    }

    pub fn max_signed(self) -> i128 {
        let sign = if self.ones & self.sign_bit() == 0 {
            self.sign_bit()
        } else {
            0
        };
        self.signed(self.max_unsigned() & !sign)
    }

    /// How many low bits are known.
    pub fn trailing_known(self) -> u32 {
        self.known_mask().trailing_ones()
    }

    pub fn complement(self) -> Self {
        KnownBits {
            zeros: self.ones,
            ones: self.zeros,
            ..self
        }
    }

    /// Applies an operation that needs members.
    fn lift(self, other: Self, result: impl FnOnce() -> Self) -> Self {
        if self.is_empty() {
            return self;
        }
        if other.is_empty() {
            return self.bottom();
        }
        result()
    }

    pub fn and(self, other: Self) -> Self {
        self.lift(other, || {
            self.with_masks(self.zeros | other.zeros, self.ones & other.ones)
        })
    }

    pub fn or(self, other: Self) -> Self {
        self.lift(other, || {
            self.with_masks(self.zeros & other.zeros, self.ones | other.ones)
        })
    }

    pub fn xor(self, other: Self) -> Self {
        self.lift(other, || {
            let known = self.known_mask() & other.known_mask();
            let value = self.ones ^ other.ones;
            self.with_masks(known & !value, known & value)
        })
    }

    /// Addition modulo `2^width` with a known carry into the lowest bit.
    fn add_carry(self, other: Self, carry: u128) -> Self {
        let largest = (!self.zeros).wrapping_add(!other.zeros).wrapping_add(carry);
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        // A carry into a bit is known if the largest and the least sum agree about it.
        let carry_zero = !(largest ^ !self.zeros ^ !other.zeros);
        let carry_one = least ^ self.ones ^ other.ones;
        let known = self.known_mask() & other.known_mask() & (carry_zero | carry_one);
        self.with_masks(known & !least, known & least)
    }

    pub fn plus(self, other: Self) -> Self {
        self.lift(other, || self.add_carry(other, 0))
    }

    pub fn minus(self, other: Self) -> Self {
        self.lift(other, || self.add_carry(other.complement(), 1))
    }

    pub fn negate(self) -> Self {
        self.lift(self, || {
            self.constant_like(0).add_carry(self.complement(), 1)
        })
    }

    pub fn times(self, other: Self) -> Self {
        self.lift(other, || {
            let width = self.width();
            let certain = self.constant_like(self.ones.wrapping_mul(other.ones));
            // Bits that may be set beyond the certain product, summed with all carries unknown.
            let mut uncertain = self.constant_like(0);
            for k in 0..width {
                let bit = 1u128 << k;
                let possible = if self.ones & bit != 0 {
                    !other.known_mask()
                } else if self.zeros & bit == 0 {
                    !other.zeros
                } else {
                    continue;
                };
                let partial = self.with_masks(!((possible & mask(width)) << k), 0);
                uncertain = uncertain.add_carry(partial, 0);
            }
            certain.add_carry(uncertain, 0)
        })
    }

    /// Patterns up to `limit`: bits above its highest one are zero.
    fn at_most_unsigned(self, limit: u128) -> Self {
        let used = 128 - limit.leading_zeros();
        self.with_masks(!mask_or_none(used), 0)
    }

    /// Unsigned division; by zero there is no result.
    pub fn divide_unsigned(self, other: Self) -> Self {
        self.lift(other, || {
            if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
                return a
                    .checked_div(b)
                    .map_or(self.bottom(), |q| self.constant_like(q));
            }
            if let Some(b) = other.as_constant()
                && b.is_power_of_two()
            {
                return self.shift_right_by(b.trailing_zeros(), false);
            }
            self.at_most_unsigned(self.max_unsigned() / other.min_unsigned().max(1))
        })
    }

    /// Unsigned remainder; by zero there is no result.
    pub fn remainder_unsigned(self, other: Self) -> Self {
        self.lift(other, || {
            if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
                return a
                    .checked_rem(b)
                    .map_or(self.bottom(), |r| self.constant_like(r));
            }
            if other.max_unsigned() == 0 {
                return self.bottom();
            }
            if let Some(b) = other.as_constant()
                && b.is_power_of_two()
            {
                return self.and(self.constant_like(b - 1));
            }
            // Low bits that all divisors have zero pass through.
            let zeros = (other.zeros).trailing_ones();
            let low = mask_or_none(zeros);
            self.at_most_unsigned(self.max_unsigned().min(other.max_unsigned() - 1))
                .assume(self.known_mask() & low, self.ones)
        })
    }

    fn is_non_negative(self) -> bool {
        self.zeros & self.sign_bit() != 0
    }

    /// Signed division, rounding towards zero; the least number divided by -1 wraps.
    pub fn divide_signed(self, other: Self) -> Self {
        self.lift(other, || {
            if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
                if b == 0 {
                    return self.bottom();
                }
                return self.constant_like(self.signed(a).wrapping_div(self.signed(b)) as u128);
            }
            if self.is_non_negative() && other.is_non_negative() {
                return self.divide_unsigned(other);
            }
            if other.max_unsigned() == 0 {
                self.bottom()
            } else {
                self.top()
            }
        })
    }

    /// Signed remainder, with the sign of the dividend.
    pub fn remainder_signed(self, other: Self) -> Self {
        self.lift(other, || {
            if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
                if b == 0 {
                    return self.bottom();
                }
                return self.constant_like(self.signed(a).wrapping_rem(self.signed(b)) as u128);
            }
            if self.is_non_negative() && other.is_non_negative() {
                return self.remainder_unsigned(other);
            }
            if other.max_unsigned() == 0 {
                return self.bottom();
            }
            // Low bits that all divisors have zero pass through, whatever the signs.
            let low = mask_or_none(other.zeros.trailing_ones());
            self.top().assume(self.known_mask() & low, self.ones)
        })
    }

    fn shift_left_by(self, amount: u32) -> Self {
        if amount >= self.width() {
            return self.constant_like(0);
        }
        self.with_masks(
            self.zeros << amount | mask_or_none(amount),
            self.ones << amount,
        )
    }

    fn shift_right_by(self, amount: u32, arithmetic: bool) -> Self {
        let width = self.width();
        let amount = if amount >= width {
            if !arithmetic {
                return self.constant_like(0);
            }
            width - 1
        } else {
            amount
        };
        let vacated = mask(width) & !(mask(width) >> amount);
        let (mut zeros, mut ones) = (self.zeros >> amount, self.ones >> amount);
        if !arithmetic || self.zeros & self.sign_bit() != 0 {
            zeros |= vacated;
        } else if self.ones & self.sign_bit() != 0 {
            ones |= vacated;
        }
        self.with_masks(zeros, ones)
    }

    /// Joins the results for each possible amount; amounts of the width or more act alike.
    fn shift(self, amount: Self, by: impl Fn(Self, u32) -> Self) -> Self {
        self.lift(amount, || {
            let width = self.width();
            let mut result = self.bottom();
            if amount.max_unsigned() >= u128::from(width) {
                result = by(self, width);
            }
            for k in 0..width {
                if amount.max_unsigned() >= u128::from(k) && amount.contains_number(u128::from(k)) {
                    result = result.join(&by(self, k));
                }
            }
            result
        })
    }

    /// As [`Self::contains`], but a number that does not fit the width is not contained.
    fn contains_number(self, number: u128) -> bool {
        number & !mask(self.width()) == 0 && self.contains(number)
    }

    /// Shift left; by the width or more it gives zero.
    pub fn shift_left(self, amount: Self) -> Self {
        self.shift(amount, KnownBits::shift_left_by)
    }

    /// Logical shift right; by the width or more it gives zero.
    pub fn shift_right_logical(self, amount: Self) -> Self {
        self.shift(amount, |x, k| x.shift_right_by(k, false))
    }

    /// Arithmetic shift right; by the width or more it gives the sign.
    pub fn shift_right_arithmetic(self, amount: Self) -> Self {
        self.shift(amount, |x, k| x.shift_right_by(k, true))
    }

    /// The low bits as a shorter word, or the same number in a longer one; `None` for an invalid
    /// width.
    pub fn resize(self, width: u32, signed: bool) -> Option<Self> {
        let resized = Self::unknown(width)?;
        if self.is_empty() {
            return Some(resized.bottom());
        }
        let added = mask(width) & !mask(self.width());
        let (mut zeros, mut ones) = (self.zeros, self.ones);
        if !signed || self.zeros & self.sign_bit() != 0 {
            zeros |= added;
        } else if self.ones & self.sign_bit() != 0 {
            ones |= added;
        }
        Some(resized.with_masks(zeros, ones))
    }

    /// Whether the two are equal for all, for no or for some pairs of members.
    pub fn always_equal(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.zeros & other.ones != 0 || self.ones & other.zeros != 0 {
            return Some(false);
        }
        (self.as_constant().is_some() && self == other).then_some(true)
    }

    /// Whether `self < other` as unsigned numbers for all, for no or for some pairs of members.
    pub fn always_less_unsigned(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.max_unsigned() < other.min_unsigned() {
            return Some(true);
        }
        (self.min_unsigned() >= other.max_unsigned()).then_some(false)
    }

    /// Whether `self < other` as signed numbers for all, for no or for some pairs of members.
    pub fn always_less_signed(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.max_signed() < other.min_signed() {
            return Some(true);
        }
        (self.min_signed() >= other.max_signed()).then_some(false)
    }
}

/// The lowest `bits` bits, also for none of them.
fn mask_or_none(bits: u32) -> u128 {
    if bits == 0 { 0 } else { mask(bits) }
}

impl Lattice for KnownBits {
    fn bottom(&self) -> Self {
        self.with_masks(u128::MAX, u128::MAX)
    }

    fn top(&self) -> Self {
        self.with_masks(0, 0)
    }

    fn is_bottom(&self) -> bool {
        self.is_empty()
    }

    fn is_top(&self) -> bool {
        self.known_mask() == 0
    }

    fn leq(&self, other: &Self) -> bool {
        // Whatever the greater one knows, the smaller one knows, too.
        self.is_empty() || (other.zeros & !self.zeros == 0 && other.ones & !self.ones == 0)
    }

    fn join(&self, other: &Self) -> Self {
        // The empty set has all bits in both masks, so it is neutral.
        self.with_masks(self.zeros & other.zeros, self.ones & other.ones)
    }

    fn meet(&self, other: &Self) -> Self {
        self.with_masks(self.zeros | other.zeros, self.ones | other.ones)
    }

    fn widen(&self, newer: &Self) -> Self {
        self.join(newer)
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.meet(newer)
    }
}

impl fmt::Debug for KnownBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("∅");
        }
        f.write_str("0b")?;
        for k in (0..self.width()).rev() {
            let symbol = match (self.zeros >> k & 1, self.ones >> k & 1) {
                (1, _) => '0',
                (_, 1) => '1',
                _ => '?',
            };
            write!(f, "{symbol}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::laws;

    const WIDTH: u32 = 5;

    fn bits(zeros: u128, ones: u128) -> KnownBits {
        KnownBits::unknown(WIDTH)
            .expect("valid")
            .with_masks(zeros, ones)
    }

    fn any_bits() -> impl Strategy<Value = KnownBits> {
        (0u128..32, 0u128..32).prop_map(|(known, value)| bits(known & !value, known & value))
    }

    fn members(a: KnownBits) -> impl Iterator<Item = u128> {
        (0..1 << WIDTH).filter(move |&v| a.contains(v))
    }

    fn signed(v: u128) -> i128 {
        ((v << (128 - WIDTH)) as i128) >> (128 - WIDTH)
    }

    /// The result holds all concrete results; if `best`, it is the least such set.
    fn check(
        (a, b): (KnownBits, KnownBits),
        result: KnownBits,
        best: bool,
        concrete: impl Fn(u128, u128) -> Option<u128>,
    ) -> Result<(), TestCaseError> {
        let mut least = a.bottom();
        for x in members(a) {
            for y in members(b) {
                if let Some(z) = concrete(x, y) {
                    prop_assert!(
                        result.contains(z),
                        "{:?} {:?}: {} gives {:05b} not in {:?}",
                        a,
                        b,
                        x,
                        z,
                        result
                    );
                    least = least.join(&a.constant_like(z));
                }
            }
        }
        prop_assert!(
            !best || least == result,
            "{:?} {:?}: {:?} could be {:?}",
            a,
            b,
            result,
            least
        );
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn lattice_laws(a in any_bits(), b in any_bits(), c in any_bits()) {
            laws::check_lattice(&a, &b, &c)?;
            laws::check_meet_is_lower(&a, &b)?;
            laws::check_join_is_least(&a, &b, &c)?;
            laws::check_stabilises(&a, &[b, c], 6)?;
        }

        #[test]
        fn operations(a in any_bits(), b in any_bits()) {
            let pair = (a, b);
            check(pair, a.and(b), true, |x, y| Some(x & y))?;
            check(pair, a.or(b), true, |x, y| Some(x | y))?;
            check(pair, a.xor(b), true, |x, y| Some(x ^ y))?;
            check((a, a), a.complement(), true, |x, _| Some(!x & 31))?;
            check(pair, a.plus(b), true, |x, y| Some((x + y) & 31))?;
            check(pair, a.minus(b), true, |x, y| Some(x.wrapping_sub(y) & 31))?;
            check((a, a), a.negate(), false, |x, _| Some(x.wrapping_neg() & 31))?;
            check(pair, a.times(b), false, |x, y| Some(x.wrapping_mul(y) & 31))?;
            check(pair, a.divide_unsigned(b), false, |x, y| x.checked_div(y))?;
            check(pair, a.remainder_unsigned(b), false, |x, y| x.checked_rem(y))?;
            let signed_pair = |f: fn(i128, i128) -> Option<i128>| {
                move |x: u128, y: u128| f(signed(x), signed(y)).map(|z| z as u128 & 31)
            };
            check(pair, a.divide_signed(b), false, signed_pair(i128::checked_div))?;
            check(pair, a.remainder_signed(b), false, signed_pair(i128::checked_rem))?;
            check(pair, a.shift_left(b), true, |x, y| Some((x << y) & 31))?;
            check(pair, a.shift_right_logical(b), true, |x, y| Some(x >> y))?;
            check(pair, a.shift_right_arithmetic(b), true, |x, y| Some((signed(x) >> y) as u128 & 31))?;
        }

        #[test]
        fn ends_and_comparisons(a in any_bits(), b in any_bits()) {
            prop_assert_eq!(Some(a.min_unsigned()), members(a).min());
            prop_assert_eq!(Some(a.max_unsigned()), members(a).max());
            prop_assert_eq!(Some(a.min_signed()), members(a).map(signed).min());
            prop_assert_eq!(Some(a.max_signed()), members(a).map(signed).max());
            for x in members(a) {
                for y in members(b) {
                    prop_assert!(a.always_equal(b).is_none_or(|t| t == (x == y)));
                    prop_assert!(a.always_less_unsigned(b).is_none_or(|t| t == (x < y)));
                    prop_assert!(a.always_less_signed(b).is_none_or(|t| t == (signed(x) < signed(y))));
                }
            }
        }

        #[test]
        fn resizing_keeps_the_number(a in any_bits()) {
            for x in members(a) {
                prop_assert!(a.resize(9, true).expect("valid").contains(signed(x) as u128));
                prop_assert!(a.resize(9, false).expect("valid").contains(x));
                prop_assert!(a.resize(3, false).expect("valid").contains(x & 7));
            }
        }

        #[test]
        fn full_width_arithmetic(x: u128, y: u128, known: u128) {
            let all = KnownBits::ANY_128;
            let (a, b) = (all.assume(known, x), all.constant_like(y));
            prop_assert!(a.plus(b).contains(x.wrapping_add(y)));
            prop_assert!(a.times(b).contains(x.wrapping_mul(y)));
            prop_assert!(a.minus(b).contains(x.wrapping_sub(y)));
        }
    }

    #[test]
    fn widths_are_checked() {
        assert!(KnownBits::unknown(0).is_none());
        assert!(KnownBits::unknown(129).is_none());
        let word = KnownBits::constant(8, 0x1ff).expect("valid");
        assert_eq!(word.as_constant(), Some(0xff));
    }
}
