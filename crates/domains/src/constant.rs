//! Constants: the flat lattice of one known integer.

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, UnaryOperator, concrete, on_intervals};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::machine::MachineInt;
use crate::value::{Comparison, Value, restrict_interval, restrict_interval_right};

/// No value, one value or any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    None,
    Known(i128),
    Any,
}

impl Constant {
    pub fn contains(self, value: i128) -> bool {
        match self {
            Constant::None => false,
            Constant::Known(known) => known == value,
            Constant::Any => true,
        }
    }

    pub fn known(self) -> Option<i128> {
        match self {
            Constant::Known(value) => Some(value),
            _ => None,
        }
    }
}

impl Lattice for Constant {
    fn bottom(&self) -> Self {
        Constant::None
    }

    fn top(&self) -> Self {
        Constant::Any
    }

    fn is_bottom(&self) -> bool {
        *self == Constant::None
    }

    fn is_top(&self) -> bool {
        *self == Constant::Any
    }

    fn leq(&self, other: &Self) -> bool {
        *self == Constant::None || *other == Constant::Any || self == other
    }

    fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Constant::None, x) | (x, Constant::None) => *x,
            (a, b) if a == b => *a,
            _ => Constant::Any,
        }
    }

    fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (Constant::Any, x) | (x, Constant::Any) => *x,
            (a, b) if a == b => *a,
            _ => Constant::None,
        }
    }

    fn widen(&self, newer: &Self) -> Self {
        self.join(newer)
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.meet(newer)
    }
}

impl Value for Constant {
    fn any() -> Self {
        Constant::Any
    }

    fn none() -> Self {
        Constant::None
    }

    fn of_interval(interval: Interval) -> Self {
        if interval.is_empty() {
            return Constant::None;
        }
        interval
            .as_constant()
            .map_or(Constant::Any, Constant::Known)
    }

    fn interval(&self) -> Interval {
        match *self {
            Constant::None => Interval::EMPTY,
            Constant::Known(value) => Interval::constant(value),
            Constant::Any => Interval::TOP,
        }
    }

    fn unary(operator: UnaryOperator, operand: &Self) -> Self {
        Self::of_interval(Interval::unary(operator, &operand.interval()))
    }

    fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Self {
        if let (Constant::Known(x), Constant::Known(y)) = (left, right)
            && let Some(z) = concrete(operator, *x, *y)
        {
            return Constant::Known(z);
        }
        // Knows `0 * x`, `x & 0` and the like.
        Self::of_interval(on_intervals(operator, left.interval(), right.interval()))
    }

    fn wrap(&self, to: MachineInt) -> Self {
        match *self {
            Constant::Known(value) => to.wrap_value(value).map_or(Constant::Any, Constant::Known),
            other => other,
        }
    }

    fn restrict(&self, comparison: Comparison, right: &Self) -> Self {
        self.meet(&Self::of_interval(restrict_interval(
            self.interval(),
            comparison,
            right.interval(),
        )))
    }

    fn restrict_right(&self, comparison: Comparison, left: &Self) -> Self {
        self.meet(&Self::of_interval(restrict_interval_right(
            self.interval(),
            comparison,
            left.interval(),
        )))
    }

    fn restrict_congruence(&self, congruence: Congruence) -> Self {
        self.meet(&Self::of_interval(congruence.interval()))
            .meet(&Self::of_interval(congruence.tighten(self.interval())))
    }

    fn constraints(&self, variable: VarId) -> Vec<Constraint> {
        Constraint::of_interval(variable, self.interval())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::laws;
    use crate::value::value_laws::check_value;

    fn constants() -> impl Strategy<Value = Constant> {
        prop_oneof![
            Just(Constant::None),
            Just(Constant::Any),
            (-2i128..3).prop_map(Constant::Known),
            any::<i128>().prop_map(Constant::Known),
        ]
    }

    proptest! {
        #[test]
        fn lattice_laws(a in constants(), b in constants(), c in constants()) {
            laws::check_lattice(&a, &b, &c)?;
            laws::check_meet_is_lower(&a, &b)?;
            laws::check_join_is_least(&a, &b, &c)?;
            laws::check_stabilises(&a, &[b, c], 2)?;
        }

        #[test]
        fn operations_hold_all_results(x in -300i128..300, y in -300i128..300, any: (bool, bool)) {
            let of = |v, any| if any { Constant::Any } else { Constant::Known(v) };
            check_value((&of(x, any.0), x), (&of(y, any.1), y), |c, v| c.contains(v))?;
        }
    }
}
