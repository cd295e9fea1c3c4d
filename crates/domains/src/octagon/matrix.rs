//! What the decomposed octagon needs of the matrix of one block.

use super::bound::{Bound, Upward};
use super::closure::Empty;
use super::half_matrix::HalfMatrix;
use crate::thresholds::Thresholds;

/// A difference-bound matrix over the literals of a few variables (see [`HalfMatrix`] for the
/// meaning of cells).
///
/// Laws: cells may be larger than asked for (an upper bound), never smaller; `close` and
/// `add_constraint` leave a closed matrix; `join`, `forget`, `shift`, `negate`, `copy_variable`,
/// `select` and `assemble` of closed matrices are closed.
pub trait Matrix: Clone + PartialEq + std::fmt::Debug {
    /// The number type in which cells are read and written.
    type Bound: Bound;

    fn unconstrained(variables: usize) -> Self;
    fn variables(&self) -> usize;
    fn get(&self, i: usize, j: usize) -> Self::Bound;
    /// Writes one cell and its mirror, without closing.
    fn set(&mut self, i: usize, j: usize, bound: Self::Bound);
    /// Writes one cell and its mirror if that makes it smaller, without closing.
    fn lower(&mut self, i: usize, j: usize, bound: Self::Bound) {
        if bound < self.get(i, j) {
            self.set(i, j, bound);
        }
    }
    fn close(&mut self) -> Result<(), Empty>;
    fn add_constraint(&mut self, a: usize, b: usize, bound: Self::Bound) -> Result<(), Empty>;

    /// Cell by cell.
    fn at_most(&self, other: &Self) -> bool;
    /// Cell by cell the greater.
    fn join(&self, other: &Self) -> Self;
    /// The same in place of `self`, which saves the memory.
    fn join_from(&mut self, other: &Self);
    /// Cell by cell the smaller, not closed.
    fn meet(&self, other: &Self) -> Self;
    /// Cell by cell: stable cells stay, others go to a threshold or to infinity. Not closed.
    fn widen(&self, newer: &Self, thresholds: &Thresholds) -> Self;
    /// Cell by cell: infinite cells are taken from `newer`. Not closed.
    fn narrow(&self, newer: &Self) -> Self;

    fn select(&self, variables: &[usize]) -> Self;
    /// See [`HalfMatrix::assemble`].
    fn assemble(
        variables: usize,
        singles: &[(usize, Self::Bound, Self::Bound)],
        parts: &[(&Self, &[usize])],
    ) -> Self;
    fn components(&self) -> Vec<Vec<usize>>;
    /// Whether there is exactly one component.
    fn is_connected(&self) -> bool;
    /// Whether every cell is at least the bound that `exact` gives for it. `upper` has doubled
    /// bounds of the literals, and each exact bound is at most the sum of the two literals' own, so
    /// most cells need not ask.
    fn is_above(&self, upper: &[Self::Bound], exact: &dyn Fn(usize, usize) -> Self::Bound) -> bool;
    fn forget(&mut self, variable: usize);
    fn negate(&mut self, variable: usize);
    fn shift(&mut self, variable: usize, high: Self::Bound, minus_low: Self::Bound);
    fn copy_variable(&mut self, variable: usize, source: usize);

    /// The least threshold for a bound of one literal (doubled) or of two.
    fn threshold(bound: Self::Bound, doubled: bool, thresholds: &Thresholds) -> Self::Bound;

    /// The doubled upper bound of a literal.
    fn unary(&self, literal: usize) -> Self::Bound {
        self.get(literal ^ 1, literal)
    }
}

/// Widening of one cell.
#[inline(always)]
pub(crate) fn widen_cell<B: Bound>(older: B, newer: B, rest: impl FnOnce(B) -> B) -> B {
    if newer <= older { older } else { rest(newer) }
}

impl<B: Bound> HalfMatrix<B> {
    /// Widening cell by cell; `rest` gives an unstable cell its new bound, told whether it bounds a
    /// single literal.
    pub(crate) fn widen_cells(&self, newer: &Self, rest: impl Fn(B, bool) -> B) -> Self {
        let mut result = self.clone();
        for i in 0..self.literals() {
            for (j, (cell, &new)) in result.row_mut(i).iter_mut().zip(newer.row(i)).enumerate() {
                *cell = widen_cell(*cell, new, |bound| rest(bound, j == i ^ 1));
            }
        }
        result
    }
}

impl Matrix for HalfMatrix<Upward> {
    type Bound = Upward;

    fn unconstrained(variables: usize) -> Self {
        HalfMatrix::unconstrained(variables)
    }

    fn variables(&self) -> usize {
        HalfMatrix::variables(self)
    }

    fn get(&self, i: usize, j: usize) -> Upward {
        HalfMatrix::get(self, i, j)
    }

    fn set(&mut self, i: usize, j: usize, bound: Upward) {
        HalfMatrix::set(self, i, j, bound);
    }

    fn close(&mut self) -> Result<(), Empty> {
        HalfMatrix::close(self)
    }

    fn add_constraint(&mut self, a: usize, b: usize, bound: Upward) -> Result<(), Empty> {
        HalfMatrix::add_constraint(self, a, b, bound)
    }

    fn at_most(&self, other: &Self) -> bool {
        HalfMatrix::at_most(self, other)
    }

    fn join(&self, other: &Self) -> Self {
        self.combine(other, Upward::greatest)
    }

    fn join_from(&mut self, other: &Self) {
        self.combine_from(other, Upward::greatest);
    }

    fn meet(&self, other: &Self) -> Self {
        self.combine(other, Upward::least)
    }

    fn widen(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        self.widen_cells(newer, |bound, doubled| {
            Self::threshold(bound, doubled, thresholds)
        })
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.combine(newer, |old, new| if old.is_finite() { old } else { new })
    }

    fn select(&self, variables: &[usize]) -> Self {
        HalfMatrix::select(self, variables)
    }

    fn assemble(
        variables: usize,
        singles: &[(usize, Upward, Upward)],
        parts: &[(&Self, &[usize])],
    ) -> Self {
        HalfMatrix::assemble(variables, singles, parts)
    }

    fn components(&self) -> Vec<Vec<usize>> {
        HalfMatrix::components(self)
    }

    fn is_connected(&self) -> bool {
        HalfMatrix::is_connected(self)
    }

    fn is_above(&self, upper: &[Upward], exact: &dyn Fn(usize, usize) -> Upward) -> bool {
        let halves: Vec<Upward> = upper.iter().map(|b| b.half()).collect();
        self.all_below(&halves, |i, j, cell| exact(i, j) <= cell)
    }

    fn forget(&mut self, variable: usize) {
        HalfMatrix::forget(self, variable);
    }

    fn negate(&mut self, variable: usize) {
        HalfMatrix::negate(self, variable);
    }

    fn shift(&mut self, variable: usize, high: Upward, minus_low: Upward) {
        HalfMatrix::shift(self, variable, high, minus_low);
        // Sums of two are rounded once, doubled bounds twice.
        self.strengthen();
    }

    fn copy_variable(&mut self, variable: usize, source: usize) {
        HalfMatrix::copy_variable(self, variable, source);
    }

    fn threshold(bound: Upward, doubled: bool, thresholds: &Thresholds) -> Upward {
        if !bound.is_finite() {
            return Upward::INFINITY;
        }
        // The least integer not below the bound; thresholds of float programs are integers or
        // infinity, too.
        let value = if doubled { bound.half() } else { bound };
        let ceiling = value.0.ceil();
        if ceiling.abs() >= 2f64.powi(100) {
            return Upward::INFINITY;
        }
        match thresholds.at_least(ceiling as i128) {
            Some(t) if (t as f64) as i128 == t => {
                Upward(if doubled { 2.0 * t as f64 } else { t as f64 })
            }
            Some(t) => Upward(if doubled { 2.0 * t as f64 } else { t as f64 }.next_up()),
            None => Upward::INFINITY,
        }
    }
}
