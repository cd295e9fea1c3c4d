//! Octagons that relate only so many variables at once in joins and widenings.
//!
//! The least upper bound of two states that differ in the constants of many variables relates all
//! of them: its cost is quadratic in their number, and hardly any of the relations is ever used.

use domains::congruence::Congruence;
use domains::expression::Expression;
use domains::interval::Interval;
use domains::lattice::Lattice;
use domains::linear::{Bounds, Constraint, LinearForm, VarId};
use domains::numeric::{Condition, NumericDomain};
use domains::octagon::Octagon;
use domains::thresholds::Thresholds;
use std::hash::Hasher;

/// Variables that one join may relate anew.
const RELATED: usize = 24;

#[derive(Clone, PartialEq, Debug)]
pub struct LimitedOctagon(pub Octagon);

impl LimitedOctagon {
    pub fn top() -> Self {
        LimitedOctagon(Octagon::top())
    }
}

impl Lattice for LimitedOctagon {
    fn bottom(&self) -> Self {
        LimitedOctagon(self.0.bottom())
    }

    fn top(&self) -> Self {
        LimitedOctagon::top()
    }

    fn is_bottom(&self) -> bool {
        self.0.is_bottom()
    }

    fn is_top(&self) -> bool {
        self.0.is_top()
    }

    fn leq(&self, other: &Self) -> bool {
        self.0.leq(&other.0)
    }

    fn join(&self, other: &Self) -> Self {
        LimitedOctagon(self.0.join_limited(&other.0, RELATED))
    }

    fn meet(&self, other: &Self) -> Self {
        LimitedOctagon(self.0.meet(&other.0))
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        LimitedOctagon(self.0.widen_limited(&newer.0, thresholds, RELATED))
    }

    fn narrow(&self, newer: &Self) -> Self {
        LimitedOctagon(self.0.narrow(&newer.0))
    }
}

impl Bounds for LimitedOctagon {
    fn interval(&self, variable: VarId) -> Interval {
        self.0.interval(variable)
    }

    fn evaluate(&self, form: &LinearForm) -> Interval {
        self.0.evaluate(form)
    }
}

impl NumericDomain for LimitedOctagon {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        self.0.assign(variable, value);
    }

    fn assume(&mut self, condition: &Condition) {
        self.0.assume(condition);
    }

    fn forget(&mut self, variable: VarId) {
        self.0.forget(variable);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        self.0.retain(keep);
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        NumericDomain::rename(&mut self.0, rename);
    }

    fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        self.0.assume_interval(variable, interval);
    }

    fn congruence(&self, variable: VarId) -> Congruence {
        self.0.congruence(variable)
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        self.0.congruence_of(expression)
    }

    fn assume_congruence(&mut self, variable: VarId, congruence: Congruence) {
        self.0.assume_congruence(variable, congruence);
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.0.constraints()
    }

    fn fingerprint(&self, hasher: &mut dyn Hasher) {
        self.0.fingerprint(hasher);
    }
}
