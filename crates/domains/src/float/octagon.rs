//! Octagons over floats: bounds of `±x ±y` over the reals, and for each variable whether it may be
//! NaN.
//!
//! What a float octagon stands for. A state is a member if there are octagon points (vectors of
//! reals) in which each variable with a finite value has that value, each one with the value `+∞`
//! (`-∞`) grows (falls) beyond all limits from point to point, and a variable that is NaN, which it
//! may be only if it is not listed as a number, has any real. So a bounded variable is finite, and
//! closing loses no state.
//!
//! The one trap is `∞ <= ∞`, which holds although the reals behind the two infinities may be in
//! another order. Between variables that may both be infinite only constraints with the constant
//! zero arise (arithmetic on an unbounded variable has an unbounded rounding error), and adding
//! `x - y <= 0` keeps all such states unless the octagon says that `x - y > 0`. So a test that
//! would leave nothing is given up there instead.

use std::fmt;
use std::sync::Arc;

use super::expression::{FloatBounds, FloatExpression, FloatForm, FloatValue};
use super::interval::FloatInterval;
use crate::lattice::Lattice;
use crate::linear::VarId;
use crate::octagon::Literal;
use crate::octagon::bound::{Bound, Upward};
use crate::octagon::decomposed::{Decomposed, UNLIMITED};
use crate::octagon::half_matrix::HalfMatrix;
use crate::octagon::matrix::Matrix;
use crate::thresholds::Thresholds;

/// Comparison of floats; all but `NotEqual` are false if an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatComparison {
    Less,
    AtMost,
    Equal,
    NotEqual,
}

/// What a float octagon knows, for readers that do not know the domain.
#[derive(Clone, Debug, PartialEq)]
pub enum FloatConstraint {
    /// No state at all.
    False,
    /// The variable is a number.
    NotNan(VarId),
    /// If all variables are numbers: the exact sum of one or two literals is at most `bound`.
    AtMost { literals: Vec<Literal>, bound: f64 },
}

/// An octagon over float variables. One that was never mentioned may have any value, also NaN.
#[derive(Clone, PartialEq)]
pub struct FloatOctagon {
    octagon: Decomposed<HalfMatrix<Upward>>,
    /// Variables that are not NaN, sorted.
    numbers: Arc<Vec<VarId>>,
}

fn form_of(literal: Literal) -> FloatForm {
    let form = FloatForm::variable(literal.variable);
    if literal.negative {
        form.negate()
    } else {
        form
    }
}

/// The literal of a coefficient that is exactly 1 or -1.
fn unit_literal(variable: VarId, coefficient: FloatInterval) -> Option<Literal> {
    match coefficient.as_constant() {
        Some(1.0) => Some(Literal::positive(variable)),
        Some(-1.0) => Some(Literal::positive(variable).negated()),
        _ => None,
    }
}

fn doubled(bound: f64) -> Upward {
    Upward(bound).plus(Upward(bound))
}

impl FloatOctagon {
    pub fn top() -> Self {
        FloatOctagon {
            octagon: Decomposed::top(),
            numbers: Arc::default(),
        }
    }

    pub fn bottom() -> Self {
        FloatOctagon {
            octagon: Decomposed::bottom(),
            numbers: Arc::default(),
        }
    }

    fn with(octagon: Decomposed<HalfMatrix<Upward>>, numbers: Arc<Vec<VarId>>) -> Self {
        if octagon.is_bottom() {
            Self::bottom()
        } else {
            FloatOctagon { octagon, numbers }
        }
    }

    /// An interval for the values of the variable that are not NaN.
    pub fn interval(&self, variable: VarId) -> FloatInterval {
        FloatBounds::interval(self, variable)
    }

    pub fn may_be_nan(&self, variable: VarId) -> bool {
        !self.is_bottom() && self.numbers.binary_search(&variable).is_err()
    }

    /// The bound of the exact difference `to - from`, infinite if there is none.
    pub fn difference_bound(&self, from: Literal, to: Literal) -> f64 {
        self.octagon.bound(from, to).0
    }

    /// An interval that holds every value of the expression that is not NaN, and whether it may be
    /// NaN.
    pub fn evaluate(&self, expression: &FloatExpression) -> (FloatInterval, bool) {
        if self.is_bottom() {
            return (FloatInterval::EMPTY, false);
        }
        let value = expression.linearise(self);
        (value.interval, value.nan)
    }

    fn set_number(&mut self, variable: VarId, number: bool) {
        match (self.numbers.binary_search(&variable), number) {
            (Err(position), true) => Arc::make_mut(&mut self.numbers).insert(position, variable),
            (Ok(position), false) => {
                Arc::make_mut(&mut self.numbers).remove(position);
            }
            _ => {}
        }
    }

    /// `variable := expression`.
    pub fn assign(&mut self, variable: VarId, expression: &FloatExpression) {
        if self.is_bottom() {
            return;
        }
        let value = expression.linearise(self);
        if value.interval.is_empty() {
            if !value.nan {
                *self = Self::bottom();
                return;
            }
            // Only NaN, for which any real stands.
            self.forget(variable);
            return;
        }
        self.assign_value(variable, &value);
        if self.octagon.is_bottom() {
            *self = Self::bottom();
            return;
        }
        self.set_number(variable, !value.nan);
    }

    fn assign_value(&mut self, variable: VarId, value: &FloatValue) {
        let form = &value.form;
        if let &[(source, coefficient)] = form.terms.as_slice()
            && let Some(source) = unit_literal(source, coefficient)
        {
            let (high, minus_low) = (form.constant.upper(), -form.constant.lower());
            self.octagon
                .update(|s| s.assign_literal(variable, source, Upward(high), Upward(minus_low)));
        } else {
            let relations = self.relations_of_form(variable, form);
            let (upper, lower) = (value.interval.upper(), -value.interval.lower());
            self.octagon
                .update(|s| s.assign_interval(variable, doubled(upper), doubled(lower)));
            for (from, to, bound) in relations {
                self.octagon.add_constraint(from, to, bound);
            }
        }
        self.assume_interval(variable, value.interval);
    }

    /// Bounds of the form's value together with each other variable of the form, computed before
    /// the assignment.
    fn relations_of_form(
        &self,
        target: VarId,
        form: &FloatForm,
    ) -> Vec<(Literal, Literal, Upward)> {
        let result = Literal::positive(target);
        let mut relations = Vec::new();
        for &(other, coefficient) in &form.terms {
            let Some(literal) = unit_literal(other, coefficient).filter(|_| other != target) else {
                continue;
            };
            let difference = FloatBounds::evaluate(self, &form.subtract(&form_of(literal)));
            relations.push((literal, result, Upward(difference.upper())));
            relations.push((result, literal, Upward(-difference.lower())));
        }
        relations.retain(|(_, _, bound)| bound.is_finite());
        relations
    }

    fn assume_interval(&mut self, variable: VarId, interval: FloatInterval) {
        let literal = Literal::positive(variable);
        for (to, bound) in [
            (literal, interval.upper()),
            (literal.negated(), -interval.lower()),
        ] {
            if bound < f64::INFINITY {
                self.octagon
                    .add_constraint(to.negated(), to, doubled(bound));
            }
        }
    }

    /// Restricts to states in which `left comparison right` is (`holds`) or is not (`!holds`) true;
    /// the two are not opposite where an operand may be NaN.
    pub fn assume(
        &mut self,
        left: &FloatExpression,
        comparison: FloatComparison,
        right: &FloatExpression,
        holds: bool,
    ) {
        use FloatComparison::*;
        if self.is_bottom() {
            return;
        }
        let (a, b) = (left.linearise(self), right.linearise(self));
        let nan = a.nan || b.nan;
        match (comparison, holds) {
            (NotEqual, true) | (Equal, false) => {
                let same = a.interval.as_constant().is_some() && a.interval == b.interval;
                if same && !nan {
                    *self = Self::bottom();
                }
                return;
            }
            (Less | AtMost, false) if nan => return,
            _ => {}
        }
        // From here on the comparison was true of two numbers, or false of two numbers: neither was
        // NaN, and NaN anywhere in an expression would have made it NaN.
        if a.interval.is_empty() || b.interval.is_empty() {
            *self = Self::bottom();
            return;
        }
        for v in left.variables().chain(right.variables()) {
            self.set_number(v, true);
        }
        let unchanged = self.clone();
        match (comparison, holds) {
            (Less, true) => self.assume_at_most(&a, &b, true),
            (AtMost, true) => self.assume_at_most(&a, &b, false),
            (Less, false) => self.assume_at_most(&b, &a, false),
            (AtMost, false) => self.assume_at_most(&b, &a, true),
            (Equal, _) | (NotEqual, _) => {
                self.assume_at_most(&a, &b, false);
                self.assume_at_most(&b, &a, false);
            }
        }
        let both = |end: fn(FloatInterval) -> f64| {
            end(a.interval).is_infinite() && end(b.interval).is_infinite()
        };
        let strict = matches!((comparison, holds), (Less, true) | (AtMost, false));
        if self.octagon.is_bottom() {
            // Two infinities of the same sign are equal whatever the octagon says about the reals
            // behind them.
            let infinities = both(FloatInterval::upper) || both(FloatInterval::lower);
            *self = if infinities && !strict {
                unchanged
            } else {
                Self::bottom()
            };
        }
    }

    /// `a <= b` or `a < b` for two numbers.
    fn assume_at_most(&mut self, a: &FloatValue, b: &FloatValue, strict: bool) {
        let (low, high) = (a.interval.lower(), b.interval.upper());
        if low > high || (strict && low == high && high < f64::INFINITY) {
            self.octagon = Decomposed::bottom();
            return;
        }
        let difference = a.form.subtract(&b.form);
        let literals: Vec<Literal> = difference
            .terms
            .iter()
            .filter_map(|&(v, c)| unit_literal(v, c))
            .collect();
        let mut constraints: Vec<(Literal, Literal, Upward)> = Vec::new();
        for (k, &literal) in literals.iter().enumerate() {
            let own = form_of(literal);
            let bound = FloatBounds::evaluate(self, &own.subtract(&difference)).upper();
            // Between a variable and a number there is no other float.
            let alone =
                difference.terms.len() == 1 && (a.form.terms.len() + b.form.terms.len()) == 1;
            let exact = difference.constant.as_constant().is_some();
            let bound = if strict && alone && exact {
                bound.next_down()
            } else {
                bound
            };
            constraints.push((literal.negated(), literal, doubled(bound)));
            for &other in &literals[..k] {
                let pair = own.add(&form_of(other));
                let bound = FloatBounds::evaluate(self, &pair.subtract(&difference)).upper();
                constraints.push((other.negated(), literal, Upward(bound)));
            }
        }
        for (from, to, bound) in constraints {
            if bound.is_finite() {
                self.octagon.add_constraint(from, to, bound);
            }
        }
    }

    /// Removes all knowledge about a variable.
    pub fn forget(&mut self, variable: VarId) {
        self.octagon.forget(variable);
        self.set_number(variable, false);
    }

    pub fn retain(&mut self, keep: impl Fn(VarId) -> bool) {
        self.octagon.update(|s| {
            s.retain(&keep);
            Ok(())
        });
        if self.numbers.iter().any(|&v| !keep(v)) {
            Arc::make_mut(&mut self.numbers).retain(|&v| keep(v));
        }
    }

    /// The same octagon over other variables; `rename` must not map two of its variables to one.
    pub fn rename(&self, rename: impl Fn(VarId) -> VarId) -> Self {
        let mut numbers: Vec<VarId> = self.numbers.iter().map(|&v| rename(v)).collect();
        numbers.sort_unstable();
        FloatOctagon {
            octagon: self.octagon.rename(rename),
            numbers: Arc::new(numbers),
        }
    }

    pub fn constraints(&self) -> Vec<FloatConstraint> {
        let Some(shape) = self.octagon.shape() else {
            return vec![FloatConstraint::False];
        };
        let mut constraints: Vec<FloatConstraint> = self
            .numbers
            .iter()
            .map(|&v| FloatConstraint::NotNan(v))
            .collect();
        let mut push = |literals: Vec<Literal>, bound: f64| {
            if bound < f64::INFINITY {
                constraints.push(FloatConstraint::AtMost { literals, bound });
            }
        };
        for single in &shape.singles {
            let literal = Literal::positive(single.variable);
            push(vec![literal], single.upper.half().0);
            push(vec![literal.negated()], single.lower.half().0);
        }
        for block in &shape.blocks {
            let matrix = &block.matrix;
            let literal = |i: usize| Literal {
                variable: block.variables[i / 2],
                negative: i % 2 == 1,
            };
            for i in 0..2 * block.variables.len() {
                let own = Matrix::unary(matrix, i).half();
                push(vec![literal(i)], own.0);
                for j in (0..i).filter(|j| j / 2 != i / 2) {
                    // literal i + literal j is bounded by the cell from the opposite of j to i.
                    let bound = Matrix::get(matrix, j ^ 1, i);
                    if bound < own.plus(Matrix::unary(matrix, j).half()) {
                        push(vec![literal(j), literal(i)], bound.0);
                    }
                }
            }
        }
        constraints
    }
}

impl FloatBounds for FloatOctagon {
    fn interval(&self, variable: VarId) -> FloatInterval {
        let Some(shape) = self.octagon.shape() else {
            return FloatInterval::EMPTY;
        };
        let place = shape.place(variable);
        let end = |negative: bool| shape.unary_at(place, negative).half().0;
        FloatInterval::new(-end(true), end(false))
    }

    fn may_be_nan(&self, variable: VarId) -> bool {
        FloatOctagon::may_be_nan(self, variable)
    }

    fn evaluate(&self, form: &FloatForm) -> FloatInterval {
        let term_by_term = form.terms.iter().fold(form.constant, |sum, &(v, c)| {
            sum.plus(c.times(self.interval(v)))
        });
        // Two variables with coefficients 1 or -1: the octagon knows their sum.
        if let &[(x, c), (y, d)] = form.terms.as_slice()
            && let (Some(a), Some(b)) = (unit_literal(x, c), unit_literal(y, d))
        {
            let upper = self.difference_bound(b.negated(), a);
            let lower = -self.difference_bound(a, b.negated());
            return term_by_term.intersect(form.constant.plus(FloatInterval::new(lower, upper)));
        }
        term_by_term
    }
}

impl Lattice for FloatOctagon {
    fn bottom(&self) -> Self {
        FloatOctagon::bottom()
    }

    fn top(&self) -> Self {
        FloatOctagon::top()
    }

    fn is_bottom(&self) -> bool {
        self.octagon.is_bottom()
    }

    fn is_top(&self) -> bool {
        self.octagon.is_top() && self.numbers.is_empty()
    }

    fn leq(&self, other: &Self) -> bool {
        self.is_bottom()
            || (self.octagon.leq(&other.octagon)
                && other
                    .numbers
                    .iter()
                    .all(|v| self.numbers.binary_search(v).is_ok()))
    }

    fn join(&self, other: &Self) -> Self {
        Self::with(
            self.octagon.join(&other.octagon, UNLIMITED),
            self.common_numbers(other),
        )
    }

    fn meet(&self, other: &Self) -> Self {
        Self::with(self.octagon.meet(&other.octagon), self.all_numbers(other))
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        Self::with(
            self.octagon.widen(&newer.octagon, thresholds, UNLIMITED),
            self.common_numbers(newer),
        )
    }

    fn narrow(&self, newer: &Self) -> Self {
        Self::with(self.octagon.narrow(&newer.octagon), self.all_numbers(newer))
    }
}

impl FloatOctagon {
    /// Numbers in both; an empty octagon has no say.
    fn common_numbers(&self, other: &Self) -> Arc<Vec<VarId>> {
        if self.is_bottom() || Arc::ptr_eq(&self.numbers, &other.numbers) {
            return Arc::clone(&other.numbers);
        }
        if other.is_bottom() {
            return Arc::clone(&self.numbers);
        }
        let common = self
            .numbers
            .iter()
            .filter(|v| other.numbers.binary_search(v).is_ok());
        Arc::new(common.copied().collect())
    }

    fn all_numbers(&self, other: &Self) -> Arc<Vec<VarId>> {
        let mut all: Vec<VarId> = self
            .numbers
            .iter()
            .chain(other.numbers.iter())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        Arc::new(all)
    }
}

impl fmt::Debug for FloatOctagon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.constraints()).finish()
    }
}
