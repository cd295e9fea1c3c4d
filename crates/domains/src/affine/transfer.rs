//! Expressions as affine forms, and the transfer functions that follow from them.
//!
//! Addition and multiplication by constants are exact modulo any power of two. Wrapping to fewer
//! bits leaves the form exact modulo a smaller power, so each form carries the number of bits to
//! which it is exact.

use std::hash::{Hash, Hasher};

use super::howell::Row;
use super::{AffineEqualities, CONSTANT, column, variable};
use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, Expression, Node, UnaryOperator};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::numeric::{Condition, NumericDomain};
use crate::value::Comparison;

/// `value ≡ Σ terms + constant (mod 2^precision)`.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    pub row: Row,
    /// Zero says nothing.
    pub precision: u32,
    /// The number itself, if it is written in the expression.
    literal: Option<i128>,
}

impl Affine {
    pub fn new(row: Row, precision: u32) -> Self {
        Affine {
            row,
            precision,
            literal: None,
        }
    }
}

impl AffineEqualities {
    /// The affine value of an expression, as far as it has one.
    fn affine_of(&self, expression: &Expression) -> Affine {
        let ring = self.ring;
        let unknown = || Affine::new(ring.row([]), 0);
        let constant = |value: i128| Affine {
            row: ring.row([(CONSTANT, value as u64)]),
            precision: ring.width,
            literal: Some(value),
        };
        let mut done: Vec<Affine> = Vec::with_capacity(expression.nodes().len());
        for node in expression.nodes() {
            let at = |index: u32| &done[index as usize];
            let result = match *node {
                Node::Constant(values) => values.as_constant().map_or_else(unknown, constant),
                Node::Variable(v) => Affine::new(ring.row([(column(v), 1)]), ring.width),
                Node::Unary(UnaryOperator::Negate, a) => self.scaled(at(a), ring.mask()),
                Node::Unary(UnaryOperator::BitNot, a) => {
                    self.sum(&self.scaled(at(a), ring.mask()), &constant(-1), 1)
                }
                Node::Binary(operator, a, b) => self
                    .affine_binary(operator, at(a), at(b))
                    .unwrap_or_else(unknown),
                Node::Wrap(to, a) => {
                    Affine::new(at(a).row.clone(), at(a).precision.min(to.width()))
                }
            };
            done.push(result);
        }
        done.pop().unwrap_or_else(unknown)
    }

    fn sum(&self, a: &Affine, b: &Affine, factor: u64) -> Affine {
        Affine::new(
            self.ring
                .subtract(&a.row, factor.wrapping_neg() & self.ring.mask(), &b.row),
            a.precision.min(b.precision),
        )
    }

    /// A factor that is a multiple of `2^k` makes `k` more bits of the product certain.
    fn scaled(&self, a: &Affine, factor: u64) -> Affine {
        let gained = (factor & self.ring.mask()).trailing_zeros();
        Affine::new(
            self.ring.scale(&a.row, factor),
            a.precision.saturating_add(gained).min(self.ring.width),
        )
    }

    /// The value of an affine form in all states, if it is one number modulo `2^width`.
    fn constant_of(&self, form: &Affine) -> Option<u64> {
        if form.precision < self.ring.width {
            return None;
        }
        let reduced = self.equations.as_ref()?.reduce(&form.row);
        match reduced.entries.as_slice() {
            [] => Some(0),
            &[(CONSTANT, value)] => Some(value),
            _ => None,
        }
    }

    fn affine_binary(&self, operator: BinaryOperator, a: &Affine, b: &Affine) -> Option<Affine> {
        use BinaryOperator::*;
        match operator {
            Add => Some(self.sum(a, b, 1)),
            Subtract => Some(self.sum(a, b, self.ring.mask())),
            Multiply => match (self.constant_of(a), self.constant_of(b)) {
                (Some(factor), _) => Some(self.scaled(b, factor)),
                (_, Some(factor)) => Some(self.scaled(a, factor)),
                _ => None,
            },
            ShiftLeft => {
                let amount = b
                    .literal
                    .filter(|k| (0..i128::from(self.ring.width)).contains(k))?;
                Some(self.scaled(a, 1 << amount))
            }
            // `x & (2^k - 1)` and `x % 2^k` are congruent to `x` modulo `2^k`.
            BitAnd => {
                let (form, mask) = match (a.literal, b.literal) {
                    (_, Some(mask)) => (a, mask),
                    (Some(mask), _) => (b, mask),
                    _ => return None,
                };
                let bits = mask.trailing_ones();
                Some(Affine::new(form.row.clone(), form.precision.min(bits)))
            }
            Remainder => {
                let bits = b.literal.filter(|&d| d != 0)?.trailing_zeros();
                Some(Affine::new(a.row.clone(), a.precision.min(bits)))
            }
            _ => None,
        }
    }

    /// The congruence of an affine form: the largest power of two modulo which it is one number.
    fn congruence_of_form(&self, form: &Affine) -> Congruence {
        let Some(equations) = &self.equations else {
            return Congruence::EMPTY;
        };
        for bits in (1..=form.precision.min(self.ring.width)).rev() {
            let shift = self.ring.width - bits;
            let reduced = equations.reduce(&self.ring.scale(&form.row, 1 << shift));
            let constant = match reduced.entries.as_slice() {
                [] => 0,
                &[(CONSTANT, value)] => value,
                _ => continue,
            };
            if constant.trailing_zeros() >= shift {
                return Congruence::new(1 << bits, i128::from(constant >> shift));
            }
        }
        Congruence::TOP
    }
}

impl NumericDomain for AffineEqualities {
    fn assign(&mut self, target: VarId, value: &Expression) {
        let form = self.affine_of(value);
        self.assign_row(target, &form);
    }

    fn assume(&mut self, condition: &Condition) {
        if condition.comparison == Comparison::Equal {
            let (left, right) = (
                self.affine_of(&condition.left),
                self.affine_of(&condition.right),
            );
            let difference = self.sum(&left, &right, self.ring.mask());
            self.assume_affine(&difference);
        }
    }

    fn forget(&mut self, target: VarId) {
        AffineEqualities::forget(self, target);
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        let mut dropped: Vec<VarId> = self
            .rows()
            .iter()
            .flat_map(|r| r.entries.iter().filter_map(|&(c, _)| variable(c)))
            .filter(|&v| !keep(v))
            .collect();
        dropped.sort_unstable();
        dropped.dedup();
        for v in dropped {
            self.forget(v);
        }
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        self.rekey(|c| variable(c).map_or(c, |v| column(rename(v))));
    }

    fn assume_interval(&mut self, target: VarId, interval: Interval) {
        if interval.is_empty() {
            *self = self.empty();
        } else if let Some(value) = interval.as_constant() {
            self.assume_equality(&[(target, -1)], value, self.ring.width);
        }
    }

    fn congruence(&self, target: VarId) -> Congruence {
        self.congruence_of(&Expression::variable(target))
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        self.congruence_of_form(&self.affine_of(expression))
    }

    fn assume_congruence(&mut self, target: VarId, congruence: Congruence) {
        let (Some(modulus), Some(remainder)) = (congruence.modulus(), congruence.remainder())
        else {
            *self = self.empty();
            return;
        };
        let bits = if modulus == 0 {
            self.ring.width
        } else {
            modulus.trailing_zeros()
        };
        if bits > 0 {
            let row = self.exact_row(&[(target, 1)], remainder.wrapping_neg());
            self.assume_affine(&Affine::new(row, bits.min(self.ring.width)));
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.is_bottom() {
            return vec![Constraint::False];
        }
        self.readable()
    }

    fn fingerprint(&self, mut hasher: &mut dyn Hasher) {
        for row in self.rows() {
            row.entries.hash(&mut hasher);
        }
    }
}
