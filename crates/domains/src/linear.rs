//! Variables, linear forms with interval coefficients, and the linear constraints that domains hand
//! out.

use std::fmt;

use crate::interval::Interval;

/// A numbered variable. Numbers should be dense; what they stand for is the client's business.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

impl fmt::Debug for VarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// What a domain must know about variables to evaluate a linear form.
pub trait Bounds {
    /// An interval that holds every value of the variable.
    fn interval(&self, variable: VarId) -> Interval;

    /// An interval that holds every value of the form; relational domains do better than term by
    /// term.
    fn evaluate(&self, form: &LinearForm) -> Interval {
        form.evaluate(|v| self.interval(v))
    }
}

/// Knows nothing.
impl Bounds for () {
    fn interval(&self, _: VarId) -> Interval {
        Interval::TOP
    }
}

/// `c + Σ cᵢ·xᵢ` where each coefficient is any value of an interval, independently at each
/// evaluation.
///
/// Terms are sorted by variable and none has the coefficient `[0, 0]`, so equality is structural.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearForm {
    terms: Vec<(VarId, Interval)>,
    constant: Interval,
}

/// Sorts terms, and adds up those of the same variable or column.
pub(crate) fn combine_terms<K: Ord + Copy, C: Copy>(
    terms: &mut Vec<(K, C)>,
    plus: impl Fn(C, C) -> C,
) {
    terms.sort_by_key(|&(of, _)| of);
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = plus(kept.1, next.1);
        }
        same
    });
}

impl LinearForm {
    pub fn constant(value: Interval) -> Self {
        LinearForm {
            terms: Vec::new(),
            constant: value,
        }
    }

    pub fn variable(variable: VarId) -> Self {
        LinearForm {
            terms: vec![(variable, Interval::ONE)],
            constant: Interval::ZERO,
        }
    }

    /// Terms for the same variable are added up.
    pub fn new(terms: impl IntoIterator<Item = (VarId, Interval)>, constant: Interval) -> Self {
        let mut terms: Vec<(VarId, Interval)> = terms.into_iter().collect();
        combine_terms(&mut terms, Interval::plus);
        terms.retain(|&(_, c)| c != Interval::ZERO);
        LinearForm { terms, constant }
    }

    /// `constant + Σ coefficient·variable` with exact coefficients.
    pub fn exact(terms: impl IntoIterator<Item = (VarId, i128)>, constant: i128) -> Self {
        LinearForm::new(
            terms.into_iter().map(|(v, c)| (v, Interval::constant(c))),
            Interval::constant(constant),
        )
    }

    pub fn terms(&self) -> &[(VarId, Interval)] {
        &self.terms
    }

    pub fn constant_term(&self) -> Interval {
        self.constant
    }

    pub fn coefficient(&self, variable: VarId) -> Interval {
        match self.terms.binary_search_by_key(&variable, |&(v, _)| v) {
            Ok(position) => self.terms[position].1,
            Err(_) => Interval::ZERO,
        }
    }

    /// No evaluation has a value: some coefficient is empty.
    pub fn is_empty(&self) -> bool {
        self.constant.is_empty() || self.terms.iter().any(|&(_, c)| c.is_empty())
    }

    pub fn add(&self, other: &Self) -> Self {
        LinearForm::new(
            self.terms.iter().chain(&other.terms).copied(),
            self.constant.plus(other.constant),
        )
    }

    pub fn negate(&self) -> Self {
        LinearForm {
            terms: self.terms.iter().map(|&(v, c)| (v, c.negate())).collect(),
            constant: self.constant.negate(),
        }
    }

    pub fn subtract(&self, other: &Self) -> Self {
        self.add(&other.negate())
    }

    pub fn add_constant(&self, value: Interval) -> Self {
        LinearForm {
            terms: self.terms.clone(),
            constant: self.constant.plus(value),
        }
    }

    /// Multiplies by a factor from an interval.
    pub fn scale(&self, factor: Interval) -> Self {
        LinearForm::new(
            self.terms.iter().map(|&(v, c)| (v, c.times(factor))),
            self.constant.times(factor),
        )
    }

    /// The form divided by `divisor`, if that divides every coefficient and the constant; otherwise
    /// truncation would make the quotient non-linear.
    pub fn divide_exactly(&self, divisor: i128) -> Option<Self> {
        let quotient = |i: Interval| {
            let value = i.as_constant()?;
            (value.checked_rem(divisor)? == 0)
                .then(|| value.checked_div(divisor).map(Interval::constant))?
        };
        let terms = self
            .terms
            .iter()
            .map(|&(v, c)| Some((v, quotient(c)?)))
            .collect::<Option<Vec<_>>>()?;
        Some(LinearForm {
            terms,
            constant: quotient(self.constant)?,
        })
    }

    /// The interval of the form's values, term by term.
    pub fn evaluate(&self, interval: impl Fn(VarId) -> Interval) -> Interval {
        self.terms
            .iter()
            .fold(self.constant, |sum, &(v, c)| sum.plus(c.times(interval(v))))
    }

    /// The coefficients, if each is one number.
    pub fn exact_terms(&self) -> Option<Vec<(VarId, i128)>> {
        self.terms
            .iter()
            .map(|&(v, c)| Some((v, c.as_constant()?)))
            .collect()
    }

    pub fn map_variables(&self, rename: impl Fn(VarId) -> VarId) -> Self {
        LinearForm::new(
            self.terms.iter().map(|&(v, c)| (rename(v), c)),
            self.constant,
        )
    }
}

/// How a linear form is compared with zero in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    AtMostZero,
    Zero,
    NonZero,
}

/// A constraint with exact coefficients: what a domain knows, in a form that any client can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// No state at all.
    False,
    /// `Σ cᵢ·xᵢ + constant <= 0`.
    AtMostZero {
        terms: Vec<(VarId, i128)>,
        constant: i128,
    },
    /// `Σ cᵢ·xᵢ + constant == 0`.
    Zero {
        terms: Vec<(VarId, i128)>,
        constant: i128,
    },
    /// `Σ cᵢ·xᵢ + constant` is a multiple of `modulus` (which is at least 2).
    Multiple {
        terms: Vec<(VarId, i128)>,
        constant: i128,
        modulus: i128,
    },
    /// The two's-complement pattern of `variable` has the bits `value` where `mask` is set.
    Bits {
        variable: VarId,
        mask: u128,
        value: u128,
    },
    /// `variable` lies in one of the intervals (more than one, sorted and disjoint).
    OneOf {
        variable: VarId,
        intervals: Vec<Interval>,
    },
}

impl Constraint {
    /// The constraints that say `variable ∈ interval`.
    pub fn of_interval(variable: VarId, interval: Interval) -> Vec<Constraint> {
        if interval.is_empty() {
            return vec![Constraint::False];
        }
        if let Some(value) = interval.as_constant() {
            return vec![Constraint::Zero {
                terms: vec![(variable, 1)],
                constant: -value,
            }];
        }
        let lower = interval.lower().map(|lo| Constraint::AtMostZero {
            terms: vec![(variable, -1)],
            constant: lo,
        });
        let upper = interval.upper().map(|hi| Constraint::AtMostZero {
            terms: vec![(variable, 1)],
            constant: -hi,
        });
        lower.into_iter().chain(upper).collect()
    }

    /// Whether the constraint holds for the given values; `None` if the sum does not fit an `i128`.
    pub fn holds(&self, value: impl Fn(VarId) -> i128) -> Option<bool> {
        let sum = |terms: &[(VarId, i128)], constant: i128| {
            terms.iter().try_fold(constant, |sum, &(v, c)| {
                sum.checked_add(c.checked_mul(value(v))?)
            })
        };
        Some(match self {
            Constraint::False => false,
            Constraint::AtMostZero { terms, constant } => sum(terms, *constant)? <= 0,
            Constraint::Zero { terms, constant } => sum(terms, *constant)? == 0,
            Constraint::Multiple {
                terms,
                constant,
                modulus,
            } => sum(terms, *constant)?.rem_euclid(*modulus) == 0,
            Constraint::Bits {
                variable,
                mask,
                value: bits,
            } => value(*variable) as u128 & mask == *bits,
            Constraint::OneOf {
                variable,
                intervals,
            } => intervals.iter().any(|i| i.contains(value(*variable))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: VarId = VarId(0);
    const Y: VarId = VarId(1);

    #[test]
    fn forms_are_normalised() {
        let f = LinearForm::exact([(Y, 2), (X, 1), (Y, -2)], 5);
        assert_eq!(f, LinearForm::exact([(X, 1)], 5));
        assert_eq!(
            f.subtract(&LinearForm::variable(X)),
            LinearForm::constant(Interval::constant(5))
        );
        assert_eq!(f.coefficient(Y), Interval::ZERO);
    }

    #[test]
    fn exact_division_only() {
        let f = LinearForm::exact([(X, 4), (Y, -6)], 2);
        assert_eq!(
            f.divide_exactly(2),
            Some(LinearForm::exact([(X, 2), (Y, -3)], 1))
        );
        assert_eq!(f.divide_exactly(4), None);
        assert_eq!(f.divide_exactly(0), None);
    }

    #[test]
    fn interval_constraints_hold_for_members_only() {
        for i in [
            Interval::finite(-2, 3),
            Interval::constant(4),
            Interval::at_least(1),
            Interval::EMPTY,
        ] {
            for v in -5..6 {
                let all = Constraint::of_interval(X, i)
                    .iter()
                    .all(|c| c.holds(|_| v) == Some(true));
                assert_eq!(all, i.contains(v), "{i} {v}");
            }
        }
    }
}
