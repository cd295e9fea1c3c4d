//! Affine equalities modulo a power of two: conjunctions of `Σ aᵢ·xᵢ + c ≡ 0 (mod 2^w)`.
//!
//! M. Müller-Olm, H. Seidl, *Analysis of modular arithmetic*, TOPLAS 29 (2007); A. King, H.
//! Søndergaard, *Inferring congruence equations using SAT*, CAV 2008; M. Elder et al., *Abstract
//! domains of affine relations*, TOPLAS 36 (2014), section 3 (the domain KS). Exact under
//! wrap-around: reduction modulo `2^w` commutes with addition and multiplication, and a value that
//! was wrapped to `v <= w` bits satisfies its equation modulo `2^v`, which is the equation times
//! `2^(w-v)` modulo `2^w`. So one domain with `w = 64` serves all narrower types, signed or not.
//!
//! | paper | here |
//! |---|---|
//! | KS element, matrix in Howell form | [`AffineEqualities`], `howell::Howell` |
//! | projection: the column to the front, drop its leading rows | [`AffineEqualities::forget`] |
//! | join: rows of `[A A; B 0]` that are zero in the first half | `join` |
//!
//! Rows are sparse, so a variable that no equation mentions costs nothing.

mod howell;
#[cfg(test)]
mod tests;
mod transfer;

use std::fmt;
use std::sync::Arc;

use howell::{Column, Howell, Ring, Row};

use transfer::Affine;

use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, VarId};

/// The column of a new value while the old one can still be read, behind all variables.
const FRESH: Column = 1 << 32;
/// The column of the constant terms.
const CONSTANT: Column = 1 << 33;
/// Added to a column for its copy in the right half of a matrix of double width.
const SECOND_HALF: Column = 1 << 34;

fn column(variable: VarId) -> Column {
    Column::from(variable.0)
}

fn variable(column: Column) -> Option<VarId> {
    u32::try_from(column).ok().map(VarId)
}

/// A set of states of integer variables that satisfy affine equalities modulo `2^width`.
///
/// The matrix is in its unique form, so equality is equality of sets. Copies share it until one is
/// changed.
#[derive(Clone, PartialEq)]
pub struct AffineEqualities {
    ring: Ring,
    /// `None` if there is no state at all.
    equations: Option<Arc<Howell>>,
}

impl AffineEqualities {
    /// All states; `None` unless `1 <= width <= 64`.
    pub fn top(width: u32) -> Option<Self> {
        (1..=64).contains(&width).then(|| {
            let ring = Ring { width };
            AffineEqualities {
                ring,
                equations: Some(Arc::new(Howell::new(ring))),
            }
        })
    }

    pub fn width(&self) -> u32 {
        self.ring.width
    }

    fn empty(&self) -> Self {
        AffineEqualities {
            ring: self.ring,
            equations: None,
        }
    }

    fn of(matrix: Howell) -> Self {
        let ring = matrix.ring();
        // A row that leads in the constant's column says that a non-zero number is zero.
        let contradictory = matrix
            .rows()
            .last()
            .and_then(Row::leading_column)
            .is_some_and(|c| c == CONSTANT);
        AffineEqualities {
            ring,
            equations: (!contradictory).then(|| Arc::new(matrix)),
        }
    }

    fn rows(&self) -> &[Row] {
        self.equations.as_ref().map_or(&[], |h| h.rows())
    }

    /// Adds equations `row ≡ 0`.
    fn add_rows(&mut self, rows: impl IntoIterator<Item = Row>) {
        let Some(equations) = self.equations.take() else {
            return;
        };
        let mut matrix = Arc::unwrap_or_clone(equations);
        matrix.insert(rows);
        *self = Self::of(matrix);
    }

    /// Adds `Σ terms + constant ≡ 0 (mod 2^bits)`.
    pub fn assume_equality(&mut self, terms: &[(VarId, i128)], constant: i128, bits: u32) {
        let row = self.exact_row(terms, constant);
        self.assume_affine(&Affine::new(row, bits.min(self.ring.width)));
    }

    /// `target := Σ terms + constant`, exact modulo `2^width`.
    pub fn assign_affine(&mut self, target: VarId, terms: &[(VarId, i128)], constant: i128) {
        let row = self.exact_row(terms, constant);
        self.assign_row(target, &Affine::new(row, self.ring.width));
    }

    fn exact_row(&self, terms: &[(VarId, i128)], constant: i128) -> Row {
        // Truncation is reduction modulo 2^64.
        let entries = terms.iter().map(|&(v, c)| (column(v), c as u64));
        self.ring.row(entries.chain([(CONSTANT, constant as u64)]))
    }

    fn assume_affine(&mut self, form: &Affine) {
        if form.precision > 0 {
            let factor = 1 << (self.ring.width - form.precision);
            self.add_rows([self.ring.scale(&form.row, factor)]);
        }
    }

    fn assign_row(&mut self, target: VarId, form: &Affine) {
        let own = form.row.entry(column(target));
        if form.precision == self.ring.width && own % 2 == 1 {
            self.substitute(target, &form.row, own);
            return;
        }
        let difference = self
            .ring
            .subtract(&form.row, 1, &self.ring.row([(FRESH, 1)]));
        self.assume_affine(&Affine::new(difference, form.precision));
        self.forget(target);
        self.rekey(|c| if c == FRESH { column(target) } else { c });
    }

    /// `target := own·target + rest` with `own` odd: the old value is `(target - rest) / own` in
    /// every equation.
    fn substitute(&mut self, target: VarId, form: &Row, own: u64) {
        let (ring, place) = (self.ring, column(target));
        let inverse = ring.inverse(own);
        // form - own·target = rest
        let rest = ring.subtract(form, own, &ring.row([(place, 1)]));
        let old_value = ring.scale(&ring.subtract(&ring.row([(place, 1)]), 1, &rest), inverse);
        let mut matrix = Howell::new(ring);
        matrix.insert(self.rows().iter().map(|row| {
            let factor = row.entry(place);
            let without = ring.subtract(row, factor, &ring.row([(place, 1)]));
            ring.subtract(&without, factor.wrapping_neg() & ring.mask(), &old_value)
        }));
        if self.equations.is_some() {
            *self = Self::of(matrix);
        }
    }

    /// Gives columns other numbers, no two the same.
    fn rekey(&mut self, rename: impl Fn(Column) -> Column) {
        if self.equations.is_none() {
            return;
        }
        let mut matrix = Howell::new(self.ring);
        let ring = self.ring;
        matrix.insert(
            self.rows()
                .iter()
                .map(|r| ring.row(r.entries.iter().map(|&(c, e)| (rename(c), e)))),
        );
        *self = Self::of(matrix);
    }

    /// Removes all knowledge about a variable: the exact projection.
    pub fn forget(&mut self, target: VarId) {
        let place = column(target);
        if self.equations.is_none() || self.rows().iter().all(|r| r.entry(place) == 0) {
            return;
        }
        let (with, without): (Vec<Row>, Vec<Row>) = self
            .rows()
            .iter()
            .cloned()
            .partition(|r| r.entry(place) != 0);
        // With the variable's column in front of all others, the rows that do not lead there are
        // the projection.
        let ring = self.ring;
        let mut front = Howell::new(ring);
        front.insert(with.iter().map(|row| {
            ring.row(
                row.entries
                    .iter()
                    .map(|&(c, e)| (if c == place { 0 } else { c + 1 }, e)),
            )
        }));
        let projected = front
            .rows()
            .iter()
            .filter(|r| r.leading_column() != Some(0))
            .map(|row| Row {
                entries: row.entries.iter().map(|&(c, e)| (c - 1, e)).collect(),
            });
        let mut matrix = Howell::new(ring);
        matrix.insert(without.into_iter().chain(projected));
        *self = Self::of(matrix);
    }
}

impl Lattice for AffineEqualities {
    fn bottom(&self) -> Self {
        self.empty()
    }

    fn top(&self) -> Self {
        Self::of(Howell::new(self.ring))
    }

    fn is_bottom(&self) -> bool {
        self.equations.is_none()
    }

    fn is_top(&self) -> bool {
        self.equations.is_some() && self.rows().is_empty()
    }

    fn leq(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (&self.equations, &other.equations) else {
            return self.equations.is_none();
        };
        Arc::ptr_eq(a, b) || b.rows().iter().all(|row| a.contains(row))
    }

    fn join(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (&self.equations, &other.equations) else {
            return if self.is_bottom() {
                other.clone()
            } else {
                self.clone()
            };
        };
        if Arc::ptr_eq(a, b) {
            return self.clone();
        }
        // Rows that both spans have: combinations of `[A A; B 0]` that vanish in the first half.
        let ring = self.ring;
        let mut doubled = Howell::new(ring);
        let twice = a.rows().iter().map(|row| {
            let second = row.entries.iter().map(|&(c, e)| (c + SECOND_HALF, e));
            ring.row(row.entries.iter().copied().chain(second))
        });
        doubled.insert(twice.chain(b.rows().iter().cloned()));
        let common = doubled
            .rows()
            .iter()
            .filter(|r| r.leading_column() >= Some(SECOND_HALF))
            .map(|r| Row {
                entries: r
                    .entries
                    .iter()
                    .map(|&(c, e)| (c - SECOND_HALF, e))
                    .collect(),
            });
        let mut matrix = Howell::new(ring);
        matrix.insert(common);
        Self::of(matrix)
    }

    fn meet(&self, other: &Self) -> Self {
        if other.is_bottom() {
            return other.clone();
        }
        let mut both = self.clone();
        both.add_rows(other.rows().iter().cloned());
        both
    }

    /// Increasing sequences are finite: over `n` variables at most `(n + 1)·width` steps.
    fn widen(&self, newer: &Self) -> Self {
        self.join(newer)
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.meet(newer)
    }
}

impl Bounds for AffineEqualities {
    fn interval(&self, _: VarId) -> Interval {
        if self.is_bottom() {
            Interval::EMPTY
        } else {
            Interval::TOP
        }
    }
}

impl AffineEqualities {
    /// The equations, each in the form that is easiest to read and to reason with: coefficients
    /// near zero. A multiple by an odd number says the same, and so do all equations together when
    /// one of those below is added.
    fn readable(&self) -> Vec<Constraint> {
        let rows = self.rows();
        // In large systems most equations are about one variable, and looking at all pairs takes
        // too long.
        let combines = rows.len() <= MAX_COMBINED_ROWS;
        let simplified = rows.iter().enumerate().map(|(number, row)| {
            let mut best = self.near_zero(row);
            let below = rows[number + 1..].iter().filter(|_| combines);
            for below in below {
                for factor in [1, self.ring.mask()] {
                    for from in [row, &best.0.clone()] {
                        let other = self.near_zero(&self.ring.subtract(from, factor, below));
                        if other.1 < best.1 {
                            best = other;
                        }
                    }
                }
            }
            self.constraint_of(&best.0)
        });
        simplified.collect()
    }

    /// The multiple by an odd number whose coefficients are nearest to zero, and their sum.
    fn near_zero(&self, row: &Row) -> (Row, u128) {
        let shared = shared_twos(row);
        let odd = row.entries.iter().map(|&(_, e)| e >> shared);
        let odd = odd.filter(|entry| entry % 2 == 1);
        let scaled = odd.map(|entry| self.ring.scale(row, self.ring.inverse(entry)));
        // `3 * x = 2 * y` has no coefficient one.
        let small = scaled.flat_map(|row| {
            let factors = (1..=LARGEST_FACTOR).rev().step_by(2);
            factors.map(move |factor| self.ring.scale(&row, factor))
        });
        let all = small.chain([row.clone()]).map(|row| {
            let sum = row.entries.iter().map(|&(_, entry)| {
                let distance = entry.min(entry.wrapping_neg() & self.ring.mask());
                u128::from(distance >> shared)
            });
            let sum = sum.sum();
            (row, sum)
        });
        // Of equal ones the last is the row as it was.
        let best = all.reduce(|best, other| if other.1 <= best.1 { other } else { best });
        best.unwrap_or((row.clone(), 0))
    }

    /// An equation, divided by the powers of two that all its coefficients share.
    fn constraint_of(&self, row: &Row) -> Constraint {
        let shared = shared_twos(row);
        let modulus = 1i128 << (self.ring.width - shared);
        // The representative nearest to zero reads best: `-1` rather than `2^64 - 1`.
        let signed = |entry: u64| {
            let value = i128::from(entry >> shared);
            if value > modulus / 2 {
                value - modulus
            } else {
                value
            }
        };
        let terms = row
            .entries
            .iter()
            .filter_map(|&(c, e)| variable(c).map(|v| (v, signed(e))))
            .collect();
        Constraint::Multiple {
            terms,
            constant: signed(row.entry(CONSTANT)),
            modulus,
        }
    }
}

/// Systems of so many equations are made readable by adding equations to one another.
const MAX_COMBINED_ROWS: usize = 40;
/// Odd: coefficients of equations are seldom larger in programs.
const LARGEST_FACTOR: u64 = 31;

/// How often two divides all coefficients.
fn shared_twos(row: &Row) -> u32 {
    let twos = row.entries.iter().map(|&(_, e)| e.trailing_zeros());
    twos.min().unwrap_or(0)
}

impl fmt::Debug for AffineEqualities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(crate::numeric::NumericDomain::constraints(self))
            .finish()
    }
}
