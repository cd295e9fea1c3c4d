//! Abstract values of single variables, and what an analysis without relations needs of them.

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, UnaryOperator};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::machine::MachineInt;

/// A comparison of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Less,
    AtMost,
    Equal,
    NotEqual,
}

impl Comparison {
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
        }
    }
}

/// A lattice of sets of integers with the operators of expressions.
///
/// Laws: every operation holds all results on members (`γ`-soundness); `x.restrict(c, y)` holds
/// every member of `x` that compares so with some member of `y`, and `x.restrict_right(c, y)` every
/// one with which some member of `y` compares so; neither is larger than `x`.
pub trait Value: Lattice + std::hash::Hash + std::fmt::Debug {
    /// All integers.
    fn any() -> Self;
    /// No integer.
    fn none() -> Self;
    /// At least the members of the interval.
    fn of_interval(interval: Interval) -> Self;
    /// An interval that holds all members.
    fn interval(&self) -> Interval;
    /// A congruence that holds for all members.
    fn congruence(&self) -> Congruence {
        Congruence::of_interval(self.interval())
    }
    fn unary(operator: UnaryOperator, operand: &Self) -> Self;
    fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Self;
    fn wrap(&self, to: MachineInt) -> Self;
    fn restrict(&self, comparison: Comparison, right: &Self) -> Self;
    fn restrict_right(&self, comparison: Comparison, left: &Self) -> Self;
    /// At least the members that satisfy the congruence.
    fn restrict_congruence(&self, congruence: Congruence) -> Self;
    /// What is known of a variable with this value.
    fn constraints(&self, variable: VarId) -> Vec<Constraint>;
}

/// [`Value::restrict`] on intervals.
pub(crate) fn restrict_interval(x: Interval, comparison: Comparison, right: Interval) -> Interval {
    match comparison {
        Comparison::Less => x.where_at_most(right.minus(Interval::ONE)),
        Comparison::AtMost => x.where_at_most(right),
        Comparison::Equal => x.intersect(right),
        Comparison::NotEqual => without_constant(x, right),
    }
}

/// [`Value::restrict_right`] on intervals.
pub(crate) fn restrict_interval_right(
    x: Interval,
    comparison: Comparison,
    left: Interval,
) -> Interval {
    match comparison {
        Comparison::Less => x.where_at_least(left.plus(Interval::ONE)),
        Comparison::AtMost => x.where_at_least(left),
        Comparison::Equal => x.intersect(left),
        Comparison::NotEqual => without_constant(x, left),
    }
}

fn without_constant(x: Interval, other: Interval) -> Interval {
    if other.is_empty() {
        return Interval::EMPTY;
    }
    other.as_constant().map_or(x, |value| x.without(value))
}

impl Value for Interval {
    fn any() -> Self {
        Interval::TOP
    }

    fn none() -> Self {
        Interval::EMPTY
    }

    fn of_interval(interval: Interval) -> Self {
        interval
    }

    fn interval(&self) -> Interval {
        *self
    }

    fn unary(operator: UnaryOperator, operand: &Self) -> Self {
        match operator {
            UnaryOperator::Negate => operand.negate(),
            UnaryOperator::BitNot => operand.bit_not(),
        }
    }

    fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Self {
        crate::expression::on_intervals(operator, *left, *right)
    }

    fn wrap(&self, to: MachineInt) -> Self {
        Interval::wrap(*self, to)
    }

    fn restrict(&self, comparison: Comparison, right: &Self) -> Self {
        restrict_interval(*self, comparison, *right)
    }

    fn restrict_right(&self, comparison: Comparison, left: &Self) -> Self {
        restrict_interval_right(*self, comparison, *left)
    }

    fn restrict_congruence(&self, congruence: Congruence) -> Self {
        congruence.tighten(*self)
    }

    fn constraints(&self, variable: VarId) -> Vec<Constraint> {
        Constraint::of_interval(variable, *self)
    }
}

/// Checks of the laws of [`Value`], for the tests of each implementation.
#[cfg(test)]
pub(crate) mod value_laws {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::concrete;

    pub(crate) const OPERATORS: [BinaryOperator; 14] = [
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Remainder,
        BinaryOperator::ShiftLeft,
        BinaryOperator::ShiftRight,
        BinaryOperator::BitAnd,
        BinaryOperator::BitOr,
        BinaryOperator::BitXor,
        BinaryOperator::Less,
        BinaryOperator::AtMost,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
    ];

    const COMPARISONS: [Comparison; 4] = [
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Equal,
        Comparison::NotEqual,
    ];

    /// `x` and `y` must be members of `a` and `b`; `contains` decides membership.
    pub(crate) fn check_value<V: Value>(
        (a, x): (&V, i128),
        (b, y): (&V, i128),
        contains: impl Fn(&V, i128) -> bool,
    ) -> Result<(), TestCaseError> {
        prop_assert!(
            contains(a, x) && contains(b, y),
            "the test must give members"
        );
        prop_assert!(contains(&a.join(b), x) && contains(&a.join(b), y));
        prop_assert!(contains(&a.widen(b), x) && contains(&a.widen(b), y));
        if contains(b, x) {
            prop_assert!(
                contains(&a.meet(b), x),
                "meet of {:?} and {:?} loses {}",
                a,
                b,
                x
            );
            prop_assert!(contains(&a.narrow(b), x));
        }
        for operator in OPERATORS {
            if let Some(z) = concrete(operator, x, y) {
                let result = V::binary(operator, a, b);
                prop_assert!(
                    contains(&result, z),
                    "{} {:?} {} = {} not in {:?} (of {:?}, {:?})",
                    x,
                    operator,
                    y,
                    z,
                    result,
                    a,
                    b
                );
            }
        }
        prop_assert!(contains(&V::unary(UnaryOperator::BitNot, a), !x));
        prop_assert!(contains(&V::unary(UnaryOperator::Negate, a), -x));
        for width in [1, 3, 8, 16, 32, 64] {
            for signed in [false, true] {
                let to = MachineInt::new(width, signed).expect("a valid width");
                let wrapped = to.wrap_value(x).expect("small");
                prop_assert!(contains(&a.wrap(to), wrapped), "{} wrapped to {:?}", x, to);
            }
        }
        for comparison in COMPARISONS {
            let (left, right) = (a.restrict(comparison, b), b.restrict_right(comparison, a));
            prop_assert!(left.leq(a) && right.leq(b));
            if comparison.holds(x, y) {
                prop_assert!(
                    contains(&left, x),
                    "{:?} {:?} {:?} loses {}",
                    a,
                    comparison,
                    b,
                    x
                );
                prop_assert!(
                    contains(&right, y),
                    "{:?} {:?} {:?} loses {} on the right",
                    a,
                    comparison,
                    b,
                    y
                );
            }
        }
        let congruence = b.congruence();
        prop_assert!(congruence.contains(y));
        prop_assert!(a.interval().contains(x));
        if congruence.contains(x) {
            prop_assert!(contains(&a.restrict_congruence(congruence), x));
        }
        for constraint in a.constraints(VarId(0)) {
            prop_assert_eq!(constraint.holds(|_| x), Some(true));
        }
        prop_assert!(contains(
            &V::of_interval(Interval::finite(x.min(y), x.max(y))),
            x
        ));
        Ok(())
    }

    proptest! {
        #[test]
        fn intervals(x in -300i128..300, y in -300i128..300, s in prop::array::uniform4(0i128..9)) {
            let a = Interval::finite(x - s[0], x + s[1]);
            let b = Interval::finite(y - s[2], y + s[3]);
            check_value((&a, x), (&b, y), |i, v| i.contains(v))?;
            check_value((&Interval::at_least(x), x), (&b, y), |i, v| i.contains(v))?;
            check_value((&a, x), (&Interval::at_most(y), y), |i, v| i.contains(v))?;
        }
    }
}
