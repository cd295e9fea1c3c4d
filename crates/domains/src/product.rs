//! The reduced product of two domains over the same variables.
//!
//! Both follow the same program. After each step they exchange what both can say about the
//! variables it touched, an interval and a congruence, so that each sharpens the other: `x` even
//! and `x - y <= 3` with `y = 0` gives `x <= 2`. Before a step, wrap-around that the combined
//! intervals exclude is removed from its expressions, so that a domain without intervals need not
//! fear it.

use std::hash::Hasher;

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, Expression};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, LinearForm, VarId};
use crate::numeric::{Condition, NumericDomain};
use crate::thresholds::Thresholds;
use crate::value::Comparison;

/// States that both domains allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Product<A, B> {
    first: A,
    second: B,
}

impl<A: NumericDomain, B: NumericDomain> Product<A, B> {
    pub fn new(first: A, second: B) -> Self {
        Product { first, second }.normalised()
    }

    pub fn first(&self) -> &A {
        &self.first
    }

    pub fn second(&self) -> &B {
        &self.second
    }

    /// If one part is empty, so is the whole.
    fn normalised(self) -> Self {
        if self.first.is_bottom() == self.second.is_bottom() {
            return self;
        }
        Product {
            first: self.first.bottom(),
            second: self.second.bottom(),
        }
    }

    fn normalise(&mut self) {
        if self.first.is_bottom() != self.second.is_bottom() {
            self.first = self.first.bottom();
            self.second = self.second.bottom();
        }
    }

    /// Whether the difference of the two sides allows the comparison. One part may know its
    /// interval and the other its class modulo a number, and only together they know that it is
    /// zero.
    fn may_hold(&self, condition: &Condition) -> bool {
        let difference = Expression::binary(
            BinaryOperator::Subtract,
            condition.left.clone(),
            condition.right.clone(),
        );
        let interval = difference.linearise(self).interval;
        let interval = self.congruence_of(&difference).tighten(interval);
        !interval.is_empty()
            && match condition.comparison {
                Comparison::Less => interval.lower().is_none_or(|lo| lo < 0),
                Comparison::AtMost => interval.lower().is_none_or(|lo| lo <= 0),
                Comparison::Equal => interval.contains(0),
                Comparison::NotEqual => interval != Interval::ZERO,
            }
    }

    /// Exchanges what is known about the given variables.
    fn reduce(&mut self, variables: impl IntoIterator<Item = VarId>) {
        for v in variables {
            let congruence = self.first.congruence(v).meet(&self.second.congruence(v));
            let interval = self.first.interval(v).intersect(self.second.interval(v));
            let interval = congruence.tighten(interval);
            if interval != self.first.interval(v) {
                self.first.assume_interval(v, interval);
            }
            if interval != self.second.interval(v) {
                self.second.assume_interval(v, interval);
            }
            if congruence != self.first.congruence(v) {
                self.first.assume_congruence(v, congruence);
            }
            if congruence != self.second.congruence(v) {
                self.second.assume_congruence(v, congruence);
            }
        }
        self.normalise();
    }
}

impl<A: NumericDomain, B: NumericDomain> Lattice for Product<A, B> {
    fn bottom(&self) -> Self {
        Product {
            first: self.first.bottom(),
            second: self.second.bottom(),
        }
    }

    fn top(&self) -> Self {
        Product {
            first: self.first.top(),
            second: self.second.top(),
        }
    }

    fn is_bottom(&self) -> bool {
        self.first.is_bottom()
    }

    fn is_top(&self) -> bool {
        self.first.is_top() && self.second.is_top()
    }

    fn leq(&self, other: &Self) -> bool {
        self.first.leq(&other.first) && self.second.leq(&other.second)
    }

    fn join(&self, other: &Self) -> Self {
        Product {
            first: self.first.join(&other.first),
            second: self.second.join(&other.second),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        Product {
            first: self.first.meet(&other.first),
            second: self.second.meet(&other.second),
        }
        .normalised()
    }

    /// Part by part and not reduced: reduction could take back what the widening gave up, for ever.
    fn widen(&self, newer: &Self) -> Self {
        Product {
            first: self.first.widen(&newer.first),
            second: self.second.widen(&newer.second),
        }
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        Product {
            first: self.first.widen_with(&newer.first, thresholds),
            second: self.second.widen_with(&newer.second, thresholds),
        }
    }

    fn narrow(&self, newer: &Self) -> Self {
        Product {
            first: self.first.narrow(&newer.first),
            second: self.second.narrow(&newer.second),
        }
        .normalised()
    }
}

impl<A: NumericDomain, B: NumericDomain> Bounds for Product<A, B> {
    fn interval(&self, variable: VarId) -> Interval {
        self.first
            .interval(variable)
            .intersect(self.second.interval(variable))
    }

    fn evaluate(&self, form: &LinearForm) -> Interval {
        self.first
            .evaluate(form)
            .intersect(self.second.evaluate(form))
    }
}

impl<A: NumericDomain, B: NumericDomain> NumericDomain for Product<A, B> {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        let value = value.without_idle_wraps(self);
        self.first.assign(variable, &value);
        self.second.assign(variable, &value);
        self.normalise();
        self.reduce([variable]);
    }

    fn assume(&mut self, condition: &Condition) {
        let condition = Condition::new(
            condition.left.without_idle_wraps(self),
            condition.comparison,
            condition.right.without_idle_wraps(self),
        );
        if !self.may_hold(&condition) {
            *self = self.bottom();
            return;
        }
        self.first.assume(&condition);
        self.second.assume(&condition);
        self.normalise();
        let mut variables: Vec<VarId> = condition
            .left
            .variables()
            .chain(condition.right.variables())
            .collect();
        variables.sort_unstable();
        variables.dedup();
        self.reduce(variables);
    }

    fn forget(&mut self, variable: VarId) {
        self.first.forget(variable);
        self.second.forget(variable);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        self.first.retain(keep);
        self.second.retain(keep);
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        self.first.rename(rename);
        self.second.rename(rename);
    }

    fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        self.first.assume_interval(variable, interval);
        self.second.assume_interval(variable, interval);
        self.normalise();
        self.reduce([variable]);
    }

    /// Part by part and not reduced, like the widening: what one part still knows must not bring
    /// the bounds back.
    fn loosen(&mut self, variable: VarId, interval: Interval) {
        self.first.loosen(variable, interval);
        self.second.loosen(variable, interval);
    }

    fn congruence(&self, variable: VarId) -> Congruence {
        self.first
            .congruence(variable)
            .meet(&self.second.congruence(variable))
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        self.first
            .congruence_of(expression)
            .meet(&self.second.congruence_of(expression))
    }

    fn assume_congruence(&mut self, variable: VarId, congruence: Congruence) {
        self.first.assume_congruence(variable, congruence);
        self.second.assume_congruence(variable, congruence);
        self.normalise();
        self.reduce([variable]);
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.is_bottom() {
            return vec![Constraint::False];
        }
        let mut constraints = self.first.constraints();
        for constraint in self.second.constraints() {
            if !constraints.contains(&constraint) {
                constraints.push(constraint);
            }
        }
        constraints
    }

    fn definitions(&self) -> Vec<(VarId, Expression)> {
        let mut definitions = self.first.definitions();
        definitions.extend(self.second.definitions());
        definitions
    }

    fn fingerprint(&self, hasher: &mut dyn Hasher) {
        self.first.fingerprint(hasher);
        self.second.fingerprint(hasher);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::environment::Environment;
    use crate::numeric::domain_laws::{check_domain, points, steps};
    use crate::octagon::Octagon;

    type OctagonWithCongruences = Product<Octagon, Environment<Congruence>>;

    fn top() -> OctagonWithCongruences {
        Product::new(Octagon::top(), Environment::new())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn follows_programs(p in points(), q in points(), slack in 0i128..4, s in steps(), t in steps()) {
            check_domain(&top(), (&p, &q), slack, (&s, &t))?;
        }
    }

    #[test]
    fn congruence_sharpens_the_octagon() {
        let (x, y) = (VarId(0), VarId(1));
        let mut state = top();
        state.assume_congruence(x, Congruence::new(2, 0));
        state.assign(y, &Expression::constant(0));
        // x - y <= 3
        let difference = Expression::binary(
            BinaryOperator::Subtract,
            Expression::variable(x),
            Expression::variable(y),
        );
        state.assume(&Condition::new(
            difference,
            Comparison::AtMost,
            Expression::constant(3),
        ));
        assert_eq!(state.first().interval(x), Interval::at_most(2));
        assert_eq!(state.congruence(y), Congruence::constant(0));
    }
}
