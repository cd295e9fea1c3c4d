//! Congruences: arithmetic progressions `remainder + modulus·Z`.
//!
//! P. Granger, *Static analysis of arithmetical congruences*, Int. J. Comput. Math. 30 (1989). A
//! modulus of zero is a single number. What does not fit an `i128` is given up, never wrapped.

use std::fmt;

use crate::expression::{BinaryOperator, UnaryOperator, concrete};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::machine::MachineInt;
use crate::value::{Comparison, Value};

/// `{ remainder + k·modulus | k ∈ Z }`, or nothing.
///
/// `modulus >= 0`; if it is not zero, `0 <= remainder < modulus`; so equality is equality of sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Congruence {
    /// Negative for the empty set.
    modulus: i128,
    remainder: i128,
}

pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor, or `None` if it does not fit (both are multiples of 2^127).
fn common_divisor(a: i128, b: i128) -> Option<i128> {
    i128::try_from(gcd(a.unsigned_abs(), b.unsigned_abs())).ok()
}

impl Congruence {
    pub const TOP: Congruence = Congruence {
        modulus: 1,
        remainder: 0,
    };
    pub const EMPTY: Congruence = Congruence {
        modulus: -1,
        remainder: 0,
    };

    pub const fn constant(value: i128) -> Self {
        Congruence {
            modulus: 0,
            remainder: value,
        }
    }

    /// All numbers congruent to `remainder` modulo `modulus`, whose sign does not matter.
    pub fn new(modulus: i128, remainder: i128) -> Self {
        let Some(modulus) = modulus.checked_abs() else {
            return Congruence::TOP;
        };
        let remainder = if modulus == 0 {
            remainder
        } else {
            remainder.rem_euclid(modulus)
        };
        Congruence { modulus, remainder }
    }

    pub fn of_interval(interval: Interval) -> Self {
        if interval.is_empty() {
            return Congruence::EMPTY;
        }
        interval
            .as_constant()
            .map_or(Congruence::TOP, Congruence::constant)
    }

    pub fn is_empty(self) -> bool {
        self.modulus < 0
    }

    /// Zero for a single number; `None` for the empty set.
    pub fn modulus(self) -> Option<i128> {
        (!self.is_empty()).then_some(self.modulus)
    }

    pub fn remainder(self) -> Option<i128> {
        (!self.is_empty()).then_some(self.remainder)
    }

    pub fn as_constant(self) -> Option<i128> {
        (self.modulus == 0).then_some(self.remainder)
    }

    pub fn contains(self, value: i128) -> bool {
        match self.modulus {
            0 => value == self.remainder,
            1.. => value.rem_euclid(self.modulus) == self.remainder,
            _ => false,
        }
    }

    /// The least interval that holds the members of both.
    pub fn tighten(self, interval: Interval) -> Interval {
        if self.is_empty() || interval.is_empty() {
            return Interval::EMPTY;
        }
        if let Some(value) = self.as_constant() {
            return interval.intersect(Interval::constant(value));
        }
        let up = |lo: i128| {
            let step = (self.remainder - lo.rem_euclid(self.modulus)).rem_euclid(self.modulus);
            lo.checked_add(step)
        };
        let down = |hi: i128| {
            let step = (hi.rem_euclid(self.modulus) - self.remainder).rem_euclid(self.modulus);
            hi.checked_sub(step)
        };
        let lower = interval.lower().map(|lo| up(lo).unwrap_or(lo));
        let upper = interval.upper().map(|hi| down(hi).unwrap_or(hi));
        Interval::new(lower, upper)
    }

    fn with_modulus(modulus: Option<i128>, remainder: Option<i128>) -> Self {
        match (modulus, remainder) {
            (Some(m), Some(r)) => Congruence::new(m, r),
            _ => Congruence::TOP,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self::with_modulus(
            common_divisor(self.modulus, other.modulus),
            self.remainder.checked_add(other.remainder),
        )
    }

    fn negate(self) -> Self {
        Self::with_modulus(Some(self.modulus), self.remainder.checked_neg())
    }

    fn times(self, other: Self) -> Self {
        let modulus = || {
            let cross = common_divisor(
                self.modulus.checked_mul(other.remainder)?,
                other.modulus.checked_mul(self.remainder)?,
            )?;
            common_divisor(cross, self.modulus.checked_mul(other.modulus)?)
        };
        Self::with_modulus(modulus(), self.remainder.checked_mul(other.remainder))
    }

    /// Exact where the divisor divides modulus and remainder, as then it divides every member.
    fn divided_by(self, divisor: i128) -> Self {
        let divides = |n: i128| n.checked_rem(divisor) == Some(0);
        if divides(self.modulus) && divides(self.remainder) {
            return Self::with_modulus(
                self.modulus.checked_div(divisor),
                self.remainder.checked_div(divisor),
            );
        }
        Congruence::TOP
    }

    /// `x % y = x - y·q`, so it is congruent to `x` modulo anything that divides all the divisors.
    fn remainder_by(self, divisor: Self) -> Self {
        let modulus = common_divisor(divisor.modulus, divisor.remainder)
            .and_then(|d| common_divisor(self.modulus, d));
        Self::with_modulus(modulus, Some(self.remainder))
    }

    /// Rounds down, so exact if the modulus is a multiple of the power.
    fn shifted_right(self, amount: Self) -> Self {
        let Some(amount @ 0..=126) = amount.as_constant() else {
            return Congruence::TOP;
        };
        let power = 1i128 << amount;
        if self.modulus % power == 0 {
            return Congruence::new(self.modulus / power, self.remainder >> amount);
        }
        Congruence::TOP
    }

    fn shifted_left(self, amount: Self) -> Self {
        match amount.as_constant() {
            Some(amount @ 0..=126) => self.times(Congruence::constant(1 << amount)),
            _ => Congruence::TOP,
        }
    }

    /// How many low bits are the same in all members.
    fn known_low_bits(self) -> u32 {
        self.modulus.trailing_zeros().min(126)
    }

    /// A bitwise operation on the low bits that both operands fix.
    fn bitwise(self, other: Self, operation: impl Fn(i128, i128) -> i128) -> Self {
        let bits = self.known_low_bits().min(other.known_low_bits());
        Congruence::new(1 << bits, operation(self.remainder, other.remainder))
    }
}

/// Solves `x ≡ r₁ (m₁)` and `x ≡ r₂ (m₂)` for positive moduli. `Err` if there is no solution,
/// `Ok(None)` if it is beyond the representation.
fn chinese_remainder(a: Congruence, b: Congruence) -> Result<Option<Congruence>, ()> {
    let Some(divisor) = common_divisor(a.modulus, b.modulus) else {
        return Ok(None);
    };
    let difference = b.remainder - a.remainder; // both are non-negative
    if difference % divisor != 0 {
        return Err(());
    }
    let reduced = b.modulus / divisor;
    let solution = || {
        let inverse = inverse_modulo((a.modulus / divisor).rem_euclid(reduced), reduced)?;
        let factor = (difference / divisor)
            .rem_euclid(reduced)
            .checked_mul(inverse)?
            % reduced;
        let modulus = a.modulus.checked_mul(reduced)?;
        let remainder = a.remainder.checked_add(a.modulus.checked_mul(factor)?)?;
        Some(Congruence::new(modulus, remainder))
    };
    Ok(solution())
}

/// The inverse of `a` modulo `m`, which have no common divisor.
fn inverse_modulo(a: i128, m: i128) -> Option<i128> {
    let (mut r, mut next_r) = (m, a);
    let (mut t, mut next_t) = (0i128, 1i128);
    while next_r != 0 {
        let quotient = r / next_r;
        (t, next_t) = (next_t, t.checked_sub(quotient.checked_mul(next_t)?)?);
        (r, next_r) = (next_r, r - quotient * next_r);
    }
    Some(if m == 1 { 0 } else { t.rem_euclid(m) })
}

impl Lattice for Congruence {
    fn bottom(&self) -> Self {
        Congruence::EMPTY
    }

    fn top(&self) -> Self {
        Congruence::TOP
    }

    fn is_bottom(&self) -> bool {
        self.is_empty()
    }

    fn is_top(&self) -> bool {
        self.modulus == 1
    }

    fn leq(&self, other: &Self) -> bool {
        if self.is_empty() || other.is_empty() {
            return self.is_empty();
        }
        let divides = if other.modulus == 0 {
            self.modulus == 0
        } else {
            self.modulus % other.modulus == 0
        };
        divides && other.contains(self.remainder)
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        let modulus = || {
            let difference = self.remainder.checked_sub(other.remainder)?;
            common_divisor(common_divisor(self.modulus, other.modulus)?, difference)
        };
        Self::with_modulus(modulus(), Some(self.remainder))
    }

    fn meet(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Congruence::EMPTY;
        }
        for (one, set) in [(self, other), (other, self)] {
            if let Some(value) = one.as_constant() {
                return if set.contains(value) {
                    *one
                } else {
                    Congruence::EMPTY
                };
            }
        }
        match chinese_remainder(*self, *other) {
            Err(()) => Congruence::EMPTY,
            Ok(Some(both)) => both,
            Ok(None) if self.modulus >= other.modulus => *self,
            Ok(None) => *other,
        }
    }

    /// Every strictly increasing sequence is finite: the modulus is divided at each step.
    fn widen(&self, newer: &Self) -> Self {
        self.join(newer)
    }

    fn narrow(&self, newer: &Self) -> Self {
        if self.is_top() || newer.is_empty() {
            *newer
        } else {
            *self
        }
    }
}

impl Value for Congruence {
    fn any() -> Self {
        Congruence::TOP
    }

    fn none() -> Self {
        Congruence::EMPTY
    }

    fn of_interval(interval: Interval) -> Self {
        Congruence::of_interval(interval)
    }

    fn interval(&self) -> Interval {
        if self.is_empty() {
            return Interval::EMPTY;
        }
        self.as_constant().map_or(Interval::TOP, Interval::constant)
    }

    fn congruence(&self) -> Congruence {
        *self
    }

    fn unary(operator: UnaryOperator, operand: &Self) -> Self {
        if operand.is_empty() {
            return *operand;
        }
        match operator {
            UnaryOperator::Negate => operand.negate(),
            UnaryOperator::BitNot => operand.negate().plus(Congruence::constant(-1)),
        }
    }

    fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Self {
        use BinaryOperator::*;
        let (a, b) = (*left, *right);
        if a.is_empty() || b.is_empty() {
            return Congruence::EMPTY;
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return match concrete(operator, x, y) {
                Some(z) => Congruence::constant(z),
                None if matches!(operator, Divide | Remainder) && y == 0 => Congruence::EMPTY,
                None => Congruence::TOP,
            };
        }
        match operator {
            Add => a.plus(b),
            Subtract => a.plus(b.negate()),
            Multiply => a.times(b),
            Divide => b.as_constant().map_or(Congruence::TOP, |d| a.divided_by(d)),
            Remainder => a.remainder_by(b),
            ShiftLeft => a.shifted_left(b),
            ShiftRight => a.shifted_right(b),
            BitAnd => a.bitwise(b, |x, y| x & y),
            BitOr => a.bitwise(b, |x, y| x | y),
            BitXor => a.bitwise(b, |x, y| x ^ y),
            Equal if a.meet(&b).is_empty() => Congruence::constant(0),
            NotEqual if a.meet(&b).is_empty() => Congruence::constant(1),
            Less | AtMost | Equal | NotEqual => Congruence::TOP,
        }
    }

    fn wrap(&self, to: MachineInt) -> Self {
        if self.is_empty() {
            return *self;
        }
        if let Some(wrapped) = self.as_constant().and_then(|value| to.wrap_value(value)) {
            return Congruence::constant(wrapped);
        }
        // Wrapping adds a multiple of 2^width; beyond 126 bits the power does not fit.
        let power = to.modulus().unwrap_or(1 << 126);
        Self::with_modulus(common_divisor(self.modulus, power), Some(self.remainder))
    }

    fn restrict(&self, comparison: Comparison, right: &Self) -> Self {
        if right.is_empty() {
            return Congruence::EMPTY;
        }
        match comparison {
            Comparison::Equal => {
                // A meet beyond the representation may be the other operand, which would not be
                // below this one.
                let meet = self.meet(right);
                if meet.leq(self) { meet } else { *self }
            }
            Comparison::NotEqual if self.as_constant().is_some() && self == right => {
                Congruence::EMPTY
            }
            Comparison::Less if self.as_constant().is_some() && self == right => Congruence::EMPTY,
            _ => *self,
        }
    }

    fn restrict_right(&self, comparison: Comparison, left: &Self) -> Self {
        self.restrict(comparison, left)
    }

    fn restrict_congruence(&self, congruence: Congruence) -> Self {
        self.restrict(Comparison::Equal, &congruence)
    }

    fn constraints(&self, variable: VarId) -> Vec<Constraint> {
        if self.is_empty() {
            return vec![Constraint::False];
        }
        match (self.modulus, self.remainder.checked_neg()) {
            (0, _) => Constraint::of_interval(variable, self.interval()),
            (modulus @ 2.., Some(constant)) => {
                vec![Constraint::Multiple {
                    terms: vec![(variable, 1)],
                    constant,
                    modulus,
                }]
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Debug for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.modulus {
            ..0 => f.write_str("∅"),
            0 => write!(f, "{}", self.remainder),
            1 => f.write_str("Z"),
            modulus => write!(f, "{}+{modulus}Z", self.remainder),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::laws;
    use crate::value::value_laws::check_value;

    fn congruences() -> impl Strategy<Value = Congruence> {
        prop_oneof![
            8 => (0i128..40, -50i128..50).prop_map(|(m, r)| Congruence::new(m, r)),
            1 => any::<(i128, i128)>().prop_map(|(m, r)| Congruence::new(m, r)),
            1 => Just(Congruence::EMPTY),
        ]
    }

    fn with_member() -> impl Strategy<Value = (Congruence, i128)> {
        (0i128..40, -50i128..50, -20i128..20)
            .prop_map(|(m, r, k)| (Congruence::new(m, r), r + k * m))
    }

    proptest! {
        #[test]
        fn lattice_laws(a in congruences(), b in congruences(), c in congruences()) {
            laws::check_lattice(&a, &b, &c)?;
        }

        #[test]
        fn small_ones_have_best_joins_and_meets(x in with_member(), y in with_member(), z in with_member()) {
            laws::check_meet_is_lower(&x.0, &y.0)?;
            laws::check_join_is_least(&x.0, &y.0, &z.0)?;
        }

        #[test]
        fn stabilises(a in congruences(), rest in prop::collection::vec(congruences(), 8)) {
            laws::check_stabilises(&a, &rest, 130)?;
        }

        #[test]
        fn operations_hold_all_results((a, x) in with_member(), (b, y) in with_member()) {
            check_value((&a, x), (&b, y), |c, v| c.contains(v))?;
        }

        #[test]
        fn meet_is_intersection(a in congruences(), b in congruences(), v in -2000i128..2000) {
            if a.contains(v) && b.contains(v) {
                prop_assert!(a.meet(&b).contains(v));
            }
            if a.modulus < 100 && b.modulus < 100 && a.meet(&b).contains(v) {
                prop_assert!(a.contains(v) && b.contains(v));
            }
        }

        #[test]
        fn tightened_ends_are_members((a, x) in with_member(), before in 0i128..50, after in 0i128..50) {
            let tight = a.tighten(Interval::finite(x - before, x + after));
            prop_assert!(tight.contains(x));
            prop_assert!(a.contains(tight.lower().expect("bounded")));
            prop_assert!(a.contains(tight.upper().expect("bounded")));
        }
    }
}
