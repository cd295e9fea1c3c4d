//! The reduced product of intervals, congruences and known bits.
//!
//! Each part sharpens the others: the ends of the interval move to members of the congruence; the
//! low bits that a congruence modulo a power of two fixes are known bits and the other way round;
//! leading bits that all numbers of the interval share are known, and known leading bits bound the
//! interval. Bits are the lowest 128 of the number's two's-complement pattern. They are read as a
//! number only where the interval is bounded, so that the number fits.

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, UnaryOperator, on_intervals};
use crate::interval::Interval;
use crate::known_bits::KnownBits;
use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::machine::MachineInt;
use crate::thresholds::Thresholds;
use crate::value::{Comparison, Value, restrict_interval, restrict_interval_right};

/// A set of integers known by three views of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    interval: Interval,
    congruence: Congruence,
    bits: KnownBits,
}

/// Each round passes knowledge once around; more rounds rarely find more, and stopping early is
/// sound.
const ROUNDS: usize = 3;

impl Scalar {
    const ANY: Scalar = Scalar {
        interval: Interval::TOP,
        congruence: Congruence::TOP,
        bits: KnownBits::ANY_128,
    };

    fn none_of() -> Self {
        Scalar {
            interval: Interval::EMPTY,
            congruence: Congruence::EMPTY,
            bits: KnownBits::ANY_128.bottom(),
        }
    }

    pub fn constant(value: i128) -> Self {
        Scalar {
            interval: Interval::constant(value),
            ..Scalar::ANY
        }
        .reduced()
    }

    /// The numbers that all three views allow, each view as small as the others make it.
    pub fn new(interval: Interval, congruence: Congruence, bits: KnownBits) -> Option<Self> {
        (bits.width() == 128).then(|| {
            Scalar {
                interval,
                congruence,
                bits,
            }
            .reduced()
        })
    }

    pub fn bits(&self) -> KnownBits {
        self.bits
    }

    pub fn contains(&self, value: i128) -> bool {
        self.interval.contains(value)
            && self.congruence.contains(value)
            && self.bits.contains(value as u128)
    }

    fn reduced(mut self) -> Self {
        for _ in 0..ROUNDS {
            let before = self;
            self.reduce_once();
            if self.interval.is_empty() || self.congruence.is_empty() || self.bits.is_empty() {
                return Scalar::none_of();
            }
            if self == before {
                break;
            }
        }
        self
    }

    fn reduce_once(&mut self) {
        // Bits and congruence share the low bits.
        let low = self.bits.trailing_known().min(126);
        if low > 0 {
            let value = (self.bits.known_value() & ((1 << low) - 1)) as i128;
            self.congruence = self
                .congruence
                .restrict_congruence(Congruence::new(1 << low, value));
        }
        match (self.congruence.modulus(), self.congruence.remainder()) {
            (Some(0), Some(value)) => self.bits = self.bits.assume(u128::MAX, value as u128),
            (Some(modulus), Some(remainder)) => {
                let low = (1u128 << modulus.trailing_zeros()) - 1;
                self.bits = self.bits.assume(low, remainder as u128);
            }
            _ => {}
        }
        self.interval = self.congruence.tighten(self.interval);
        if let (Some(lo), Some(hi)) = (self.interval.lower(), self.interval.upper()) {
            // The leading bits in which both ends agree are those of all numbers between.
            let differing = 128 - ((lo ^ hi) as u128).leading_zeros();
            let common = if differing == 128 {
                0
            } else {
                u128::MAX << differing
            };
            self.bits = self.bits.assume(common, lo as u128);
            if !self.bits.is_empty() {
                let range = Interval::finite(self.bits.min_signed(), self.bits.max_signed());
                self.interval = self.interval.intersect(range);
            }
        }
        if let Some(value) = self.interval.as_constant() {
            self.congruence = self
                .congruence
                .restrict_congruence(Congruence::constant(value));
        }
    }

    /// The bits of a result that need not fit 128 bits.
    fn binary_bits(operator: BinaryOperator, left: &Self, right: &Self) -> KnownBits {
        use BinaryOperator::*;
        let (a, b) = (left.bits, right.bits);
        let both_fit = left.interval.is_bounded() && right.interval.is_bounded();
        match operator {
            Add => a.plus(b),
            Subtract => a.minus(b),
            Multiply => a.times(b),
            BitAnd => a.and(b),
            BitOr => a.or(b),
            BitXor => a.xor(b),
            ShiftLeft if right.interval.is_bounded() => a.shift_left(b),
            Divide if both_fit => a.divide_signed(b),
            Remainder if both_fit => a.remainder_signed(b),
            ShiftRight if both_fit => a.shift_right_arithmetic(b),
            _ => KnownBits::ANY_128,
        }
    }
}

impl Lattice for Scalar {
    fn bottom(&self) -> Self {
        Scalar::none_of()
    }

    fn top(&self) -> Self {
        Scalar::ANY
    }

    fn is_bottom(&self) -> bool {
        self.interval.is_empty()
    }

    fn is_top(&self) -> bool {
        *self == Scalar::ANY
    }

    fn leq(&self, other: &Self) -> bool {
        self.interval.leq(&other.interval)
            && self.congruence.leq(&other.congruence)
            && self.bits.leq(&other.bits)
    }

    fn join(&self, other: &Self) -> Self {
        Scalar {
            interval: self.interval.join(&other.interval),
            congruence: self.congruence.join(&other.congruence),
            bits: self.bits.join(&other.bits),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        Scalar {
            interval: self.interval.meet(&other.interval),
            congruence: self.congruence.meet(&other.congruence),
            bits: self.bits.meet(&other.bits),
        }
        .reduced()
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    /// Part by part and not reduced: reduction could take back what the widening gave up, for ever.
    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        Scalar {
            interval: self.interval.widen_with(&newer.interval, thresholds),
            congruence: self.congruence.widen(&newer.congruence),
            bits: self.bits.widen(&newer.bits),
        }
    }

    fn narrow(&self, newer: &Self) -> Self {
        let narrowed = Scalar {
            interval: self.interval.narrow(&newer.interval),
            congruence: self.congruence.narrow(&newer.congruence),
            bits: self.bits.narrow(&newer.bits),
        };
        if narrowed.interval.is_empty()
            || narrowed.congruence.is_empty()
            || narrowed.bits.is_empty()
        {
            return Scalar::none_of();
        }
        narrowed
    }
}

impl Value for Scalar {
    fn any() -> Self {
        Scalar::ANY
    }

    fn none() -> Self {
        Scalar::none_of()
    }

    fn of_interval(interval: Interval) -> Self {
        Scalar {
            interval,
            ..Scalar::ANY
        }
        .reduced()
    }

    fn interval(&self) -> Interval {
        self.interval
    }

    fn congruence(&self) -> Congruence {
        self.congruence
    }

    fn unary(operator: UnaryOperator, operand: &Self) -> Self {
        Scalar {
            interval: Interval::unary(operator, &operand.interval),
            congruence: Congruence::unary(operator, &operand.congruence),
            bits: match operator {
                UnaryOperator::Negate => operand.bits.negate(),
                UnaryOperator::BitNot => operand.bits.complement(),
            },
        }
        .reduced()
    }

    fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Self {
        if left.is_bottom() || right.is_bottom() {
            return Scalar::none_of();
        }
        let mut interval = on_intervals(operator, left.interval, right.interval);
        if let BinaryOperator::Equal | BinaryOperator::NotEqual = operator
            && left.bits.always_equal(right.bits) == Some(false)
        {
            let result = i128::from(operator == BinaryOperator::NotEqual);
            interval = interval.intersect(Interval::constant(result));
        }
        Scalar {
            interval,
            congruence: Congruence::binary(operator, &left.congruence, &right.congruence),
            bits: Self::binary_bits(operator, left, right),
        }
        .reduced()
    }

    fn wrap(&self, to: MachineInt) -> Self {
        if self.interval.fits(to) {
            return *self;
        }
        let bits = self
            .bits
            .resize(to.width(), false)
            .and_then(|b| b.resize(128, to.is_signed()));
        Scalar {
            interval: Interval::wrap(self.interval, to),
            congruence: self.congruence.wrap(to),
            bits: bits.unwrap_or(KnownBits::ANY_128),
        }
        .reduced()
    }

    fn restrict(&self, comparison: Comparison, right: &Self) -> Self {
        let bits = match comparison {
            Comparison::Equal => self.bits.meet(&right.bits),
            _ => self.bits,
        };
        Scalar {
            interval: restrict_interval(self.interval, comparison, right.interval),
            congruence: self.congruence.restrict(comparison, &right.congruence),
            bits,
        }
        .reduced()
    }

    fn restrict_right(&self, comparison: Comparison, left: &Self) -> Self {
        let equal = match comparison {
            Comparison::Equal => self.restrict(comparison, left),
            _ => *self,
        };
        Scalar {
            interval: restrict_interval_right(equal.interval, comparison, left.interval),
            congruence: equal
                .congruence
                .restrict_right(comparison, &left.congruence),
            bits: equal.bits,
        }
        .reduced()
    }

    fn restrict_congruence(&self, congruence: Congruence) -> Self {
        Scalar {
            congruence: self.congruence.restrict_congruence(congruence),
            ..*self
        }
        .reduced()
    }

    fn constraints(&self, variable: VarId) -> Vec<Constraint> {
        let mut constraints = self.interval.constraints(variable);
        if self.interval.as_constant().is_some() || self.is_bottom() {
            return constraints;
        }
        constraints.extend(self.congruence.constraints(variable));
        // Bits below the congruence's power of two and above the interval's ends are said already.
        let low = self
            .congruence
            .modulus()
            .map_or(0, i128::trailing_zeros)
            .min(127);
        let mut mask = self.bits.known_mask() & (u128::MAX << low);
        if let (Some(lo), Some(hi)) = (self.interval.lower(), self.interval.upper()) {
            let differing = 128 - ((lo ^ hi) as u128).leading_zeros();
            mask &= if differing == 128 {
                u128::MAX
            } else {
                (1 << differing) - 1
            };
        }
        if mask != 0 {
            let value = self.bits.known_value() & mask;
            constraints.push(Constraint::Bits {
                variable,
                mask,
                value,
            });
        }
        constraints
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::laws;
    use crate::value::value_laws::check_value;

    /// A scalar that holds the given number, with random further knowledge.
    fn around(x: i128, below: i128, above: i128, modulus: i128, known: u128) -> Scalar {
        let interval = match (below, above) {
            (9, _) => Interval::at_most(x + above),
            (_, 9) => Interval::at_least(x - below),
            _ => Interval::finite(x - below, x + above),
        };
        let bits = KnownBits::ANY_128.assume(known, x as u128);
        Scalar::new(interval, Congruence::new(modulus, x), bits).expect("128 bits")
    }

    fn with_member() -> impl Strategy<Value = (Scalar, i128)> {
        let mask = prop_oneof![Just(0u128), 0u128..256, any::<u128>()];
        (-300i128..300, 0i128..10, 0i128..10, 0i128..9, mask)
            .prop_map(|(x, below, above, m, known)| (around(x, below, above, m, known), x))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn lattice_laws(a in with_member(), b in with_member(), c in with_member()) {
            laws::check_lattice(&a.0, &b.0, &c.0)?;
            laws::check_lattice(&a.0, &Scalar::none_of(), &c.0)?;
            laws::check_meet_is_lower(&a.0, &b.0)?;
            laws::check_stabilises(&a.0, &[b.0, c.0], 140)?;
        }

        #[test]
        fn operations_hold_all_results((a, x) in with_member(), (b, y) in with_member()) {
            check_value((&a, x), (&b, y), Scalar::contains)?;
        }

        #[test]
        fn constraints_say_all_that_is_known((a, x) in with_member(), v in -320i128..320) {
            let all = a.constraints(VarId(0)).iter().all(|c| c.holds(|_| v) == Some(true));
            prop_assert_eq!(all, a.contains(v), "{:?} {} {}", a, v, x);
        }
    }

    #[test]
    fn parts_sharpen_each_other() {
        // x in [3, 17], x odd multiple of ... : x % 4 == 1 and bit 3 set: 9, 13
        let bits = KnownBits::ANY_128.assume(8, 8);
        let x =
            Scalar::new(Interval::finite(3, 15), Congruence::new(4, 1), bits).expect("128 bits");
        assert_eq!(x.interval(), Interval::finite(9, 13));
        let even = Scalar::new(
            Interval::finite(-1, 1),
            Congruence::new(2, 0),
            KnownBits::ANY_128,
        );
        assert_eq!(even, Some(Scalar::constant(0)));
        let none = Scalar::new(
            Interval::finite(1, 3),
            Congruence::new(4, 0),
            KnownBits::ANY_128,
        );
        assert!(none.expect("128 bits").is_bottom());
    }
}
