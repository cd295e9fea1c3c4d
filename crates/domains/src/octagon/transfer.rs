//! Assignments and tests of linear forms on integer octagons.
//!
//! Miné, HOSC 19 (2006), sections 3.6 and 3.7: forms that are octagonal are exact; for others each
//! octagonal bound that the form implies is computed in the state before (`±x ±y <= max(±x ±y - e)`
//! wherever `e <= 0`), which keeps as much as the domain can say. Beyond the paper, forms are
//! evaluated with the bounds of pairs of variables, not only of single ones.

use super::Octagon;
use super::bound::{Bound, Wide};
use super::shape::{Literal, Place};
use crate::interval::Interval;
use crate::linear::{Bounds, LinearForm, Relation, VarId};
use crate::numeric::LinearDomain;

/// Forms with more variables than this are treated variable by variable only, as pairs grow
/// quadratically.
const PAIRS_UP_TO: usize = 8;

/// An upper end as a matrix bound.
fn upper_of(interval: Interval) -> Wide {
    interval.upper().map_or(Wide::INFINITY, Wide)
}

/// The negated lower end as a matrix bound.
fn minus_lower_of(interval: Interval) -> Wide {
    interval.lower().map_or(Wide::INFINITY, |lo| Wide(-lo))
}

fn doubled(bound: Wide) -> Wide {
    bound.plus(bound)
}

/// The literal with the sign of a non-zero coefficient, and the coefficient's size.
fn weighted(variable: VarId, coefficient: i128) -> (Literal, i128) {
    (
        Literal {
            variable,
            negative: coefficient < 0,
        },
        coefficient.saturating_abs(),
    )
}

fn form_of(literal: Literal) -> LinearForm {
    let variable = LinearForm::variable(literal.variable);
    if literal.negative {
        variable.negate()
    } else {
        variable
    }
}

impl Octagon {
    /// The greatest value of `to - from`, if there is a bound.
    pub fn difference_bound(&self, from: Literal, to: Literal) -> Option<i128> {
        let bound = self.octagon.bound(from, to);
        bound.is_finite().then_some(bound.0)
    }

    fn literal_upper(&self, literal: Literal) -> Wide {
        let doubled = self.octagon.bound(literal.negated(), literal);
        if doubled.is_finite() {
            Wide(doubled.0.div_euclid(2))
        } else {
            doubled
        }
    }

    /// An upper bound of the form, using bounds of pairs of variables where they are better.
    fn upper_bound(&self, form: &LinearForm) -> Wide {
        let Some(shape) = self.octagon.shape() else {
            return Wide::INFINITY;
        };
        let mut sum = upper_of(form.constant_term());
        let mut exact: Vec<(Literal, Place, i128)> = Vec::new();
        for &(variable, coefficient) in form.terms() {
            match coefficient.as_constant() {
                Some(c) if c != 0 => {
                    let (literal, weight) = weighted(variable, c);
                    exact.push((literal, shape.place(variable), weight));
                }
                _ => sum = sum.plus(upper_of(coefficient.times(self.interval(variable)))),
            }
        }
        // Pairs with the greatest gain first.
        while exact.len() > 1 && exact.len() <= PAIRS_UP_TO {
            let mut best: Option<(Wide, usize, usize, Wide)> = None;
            for i in 1..exact.len() {
                for j in 0..i {
                    let ((a, a_place, _), (b, b_place, _)) = (exact[i], exact[j]);
                    let (Place::Block(m, _), Place::Block(n, _)) = (a_place, b_place) else {
                        continue;
                    };
                    if m != n {
                        continue;
                    }
                    let pair = shape.bound_at(b.negated(), b_place, a, a_place);
                    let apart = self.literal_upper(a).plus(self.literal_upper(b));
                    if pair < apart {
                        let gain = if apart.is_finite() {
                            Wide(apart.0.saturating_sub(pair.0))
                        } else {
                            Wide::INFINITY
                        };
                        if best.is_none_or(|(most, ..)| gain > most) {
                            best = Some((gain, i, j, pair));
                        }
                    }
                }
            }
            let Some((_, i, j, pair)) = best else { break };
            let times = exact[i].2.min(exact[j].2);
            sum = sum.plus(scaled(pair, times));
            exact[i].2 -= times;
            exact[j].2 -= times;
            exact.retain(|&(_, _, weight)| weight > 0);
        }
        for (literal, _, weight) in exact {
            sum = sum.plus(scaled(self.literal_upper(literal), weight));
        }
        sum
    }

    /// `variable := form`.
    pub fn assign_form(&mut self, variable: VarId, form: &LinearForm) {
        if self.octagon.is_bottom() || form.is_empty() {
            *self = Octagon::bottom();
            return;
        }
        let constant = form.constant_term();
        if let &[(source, coefficient)] = form.terms()
            && let Some(sign @ (1 | -1)) = coefficient.as_constant()
        {
            let source = weighted(source, sign).0;
            let (high, minus_low) = (upper_of(constant), minus_lower_of(constant));
            self.octagon
                .update(|s| s.assign_literal(variable, source, high, minus_low));
            return;
        }
        let value = self.evaluate(form);
        let relations = self.relations_of_form(variable, form);
        let own = form.coefficient(variable).as_constant();
        if let Some(sign @ (1 | -1)) = own {
            let source = weighted(variable, sign).0;
            let rest = self.evaluate(&form.subtract(&form_of(source)));
            let (high, minus_low) = (upper_of(rest), minus_lower_of(rest));
            self.octagon
                .update(|s| s.assign_literal(variable, source, high, minus_low));
            self.assume_interval(variable, value);
        } else {
            let (upper, lower) = (doubled(upper_of(value)), doubled(minus_lower_of(value)));
            self.octagon
                .update(|s| s.assign_interval(variable, upper, lower));
        }
        for (from, to, bound) in relations {
            self.octagon.add_constraint(from, to, bound);
        }
    }

    /// The bounds of the form's value together with each other variable of the form: constraints
    /// that hold after the form was assigned to `target`.
    fn relations_of_form(&self, target: VarId, form: &LinearForm) -> Vec<(Literal, Literal, Wide)> {
        let mut relations = Vec::new();
        if form.terms().len() > PAIRS_UP_TO {
            return relations;
        }
        let result = Literal::positive(target);
        for &(other, _) in form.terms() {
            if other == target {
                continue;
            }
            for literal in [Literal::positive(other), Literal::positive(other).negated()] {
                let difference = form.subtract(&form_of(literal));
                let bounds = [
                    (literal, result, self.upper_bound(&difference)),
                    (result, literal, self.upper_bound(&difference.negate())),
                ];
                relations.extend(bounds.into_iter().filter(|(_, _, b)| b.is_finite()));
            }
        }
        relations
    }

    /// Restricts to states in which some value of the form has the relation to zero.
    pub fn assume_form(&mut self, form: &LinearForm, relation: Relation) {
        if self.octagon.is_bottom() {
            return;
        }
        self.restrict(form, relation);
    }

    pub(crate) fn assume_at_most_zero(&mut self, form: &LinearForm) {
        let form = &divided_by_common_factor(form);
        if self.upper_bound(&form.negate()) < Wide::ZERO {
            *self = Octagon::bottom();
            return;
        }
        let mut constraints: Vec<(Literal, Literal, Wide)> = Vec::new();
        let mut literals: Vec<Literal> = Vec::new();
        for &(variable, coefficient) in form.terms() {
            let exact = coefficient.as_constant();
            let sign = match (coefficient.lower(), coefficient.upper()) {
                (Some(lo), _) if lo > 0 => 1,
                (_, Some(hi)) if hi < 0 => -1,
                _ => continue,
            };
            let (literal, _) = weighted(variable, sign);
            literals.push(literal);
            let weight = exact.map_or(1, i128::saturating_abs);
            let term = form_of(literal).scale(Interval::constant(weight));
            let bound = self.upper_bound(&term.subtract(form));
            if bound.is_finite() {
                let bound = Wide(bound.0.div_euclid(weight));
                constraints.push((literal.negated(), literal, doubled(bound)));
            }
        }
        if literals.len() <= PAIRS_UP_TO {
            for (k, &a) in literals.iter().enumerate() {
                for &b in &literals[..k] {
                    let pair = form_of(a).add(&form_of(b));
                    let bound = self.upper_bound(&pair.subtract(form));
                    if bound.is_finite() {
                        constraints.push((b.negated(), a, bound));
                    }
                }
            }
        }
        for (from, to, bound) in constraints {
            self.octagon.add_constraint(from, to, bound);
        }
    }

    /// Restricts a variable to an interval.
    pub fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        if interval.is_empty() {
            *self = Octagon::bottom();
            return;
        }
        let literal = Literal::positive(variable);
        let (upper, lower) = (
            doubled(upper_of(interval)),
            doubled(minus_lower_of(interval)),
        );
        if upper.is_finite() {
            self.octagon
                .add_constraint(literal.negated(), literal, upper);
        }
        if lower.is_finite() {
            self.octagon
                .add_constraint(literal, literal.negated(), lower);
        }
    }
}

fn scaled(bound: Wide, times: i128) -> Wide {
    if !bound.is_finite() {
        return bound;
    }
    upper_of(Interval::constant(bound.0).times(Interval::constant(times)))
}

/// `2x - 2y + 3 <= 0` is `x - y + 2 <= 0` for integers.
fn divided_by_common_factor(form: &LinearForm) -> LinearForm {
    let Some(terms) = form.exact_terms() else {
        return form.clone();
    };
    let gcd = terms.iter().fold(0u128, |g, &(_, c)| {
        crate::congruence::gcd(g, c.unsigned_abs())
    });
    let (Ok(gcd @ 2..), Some(lower)) = (i128::try_from(gcd), form.constant_term().lower()) else {
        return form.clone();
    };
    // Only the constant's lower end matters, rounded up.
    let constant = -((-lower).div_euclid(gcd));
    LinearForm::exact(terms.into_iter().map(|(v, c)| (v, c / gcd)), constant)
}

impl Bounds for Octagon {
    fn interval(&self, variable: VarId) -> Interval {
        let Some(shape) = self.octagon.shape() else {
            return Interval::EMPTY;
        };
        let place = shape.place(variable);
        let end = |negative: bool| {
            let doubled = shape.unary_at(place, negative);
            doubled.is_finite().then(|| doubled.0.div_euclid(2))
        };
        Interval::new(end(true).and_then(i128::checked_neg), end(false))
    }

    fn evaluate(&self, form: &LinearForm) -> Interval {
        if self.octagon.is_bottom() || form.is_empty() {
            return Interval::EMPTY;
        }
        let end = |bound: Wide| bound.is_finite().then_some(bound.0);
        let upper = end(self.upper_bound(form));
        let lower = end(self.upper_bound(&form.negate())).and_then(i128::checked_neg);
        Interval::new(lower, upper)
    }
}
