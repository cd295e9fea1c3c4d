//! Coherent difference-bound matrices, of which only the lower half is stored.
//!
//! A. Miné, *The octagon abstract domain*, HOSC 19 (2006), sections 3.1 and 4.2, and the table 2.1
//! of the thesis: each variable `x` has two literals, `+x` (even index) and `-x` (odd index, the
//! even one xor 1); cell `(i, j)` is an upper bound of `literal j - literal i`. Since
//! `literal j - literal i` and `literal ī - literal j̄` are the same number, cells `(i, j)` and
//! `(j̄, ī)` are equal, and the ones with `j <= i | 1` suffice. Bounds of single variables are
//! doubled: cell `(x̄, x)` bounds `2x`.

use super::bound::Bound;

/// The literal with the opposite sign.
#[inline(always)]
pub(crate) const fn opposite(literal: usize) -> usize {
    literal ^ 1
}

/// Where the row of a literal begins; it has `(literal | 1) + 1` cells.
#[inline(always)]
pub(crate) const fn row_start(literal: usize) -> usize {
    (literal + 1) * (literal + 1) / 2
}

/// The lower half of a coherent matrix over a number of variables.
#[derive(Clone, PartialEq, Debug)]
pub struct HalfMatrix<B> {
    variables: usize,
    cells: Vec<B>,
}

impl<B: Bound> HalfMatrix<B> {
    /// No constraint but that every literal equals itself.
    pub fn unconstrained(variables: usize) -> Self {
        let mut matrix = HalfMatrix {
            variables,
            cells: vec![B::INFINITY; row_start(2 * variables)],
        };
        for literal in 0..2 * variables {
            matrix.cells[row_start(literal) + literal] = B::ZERO;
        }
        matrix
    }

    pub fn variables(&self) -> usize {
        self.variables
    }

    pub fn literals(&self) -> usize {
        2 * self.variables
    }

    #[inline(always)]
    fn position(i: usize, j: usize) -> usize {
        if j <= (i | 1) {
            row_start(i) + j
        } else {
            row_start(opposite(j)) + opposite(i)
        }
    }

    #[inline(always)]
    pub fn get(&self, i: usize, j: usize) -> B {
        self.cells[Self::position(i, j)]
    }

    #[inline(always)]
    pub fn set(&mut self, i: usize, j: usize, bound: B) {
        self.cells[Self::position(i, j)] = bound;
    }

    /// The stored part of a row: columns `0..=(i | 1)`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[B] {
        &self.cells[row_start(i)..row_start(i + 1)]
    }

    #[inline(always)]
    pub fn row_mut(&mut self, i: usize) -> &mut [B] {
        &mut self.cells[row_start(i)..row_start(i + 1)]
    }

    pub fn cells(&self) -> &[B] {
        &self.cells
    }

    /// Copies the whole row, also its part that is stored as columns, into `buffer`.
    pub fn copy_row(&self, i: usize, buffer: &mut Vec<B>) {
        buffer.clear();
        buffer.extend_from_slice(self.row(i));
        let column = opposite(i);
        // Column `j` beyond the stored part is cell `(j̄, ī)`; rows come in pairs of equal length.
        let mut start = row_start((i | 1) + 1);
        let mut length = (i | 1) + 3;
        for _ in (i | 1) / 2 + 1..self.variables {
            buffer.push(self.cells[start + length + column]);
            buffer.push(self.cells[start + column]);
            start += 2 * length;
            length += 2;
        }
    }

    /// The doubled upper bound of a literal.
    #[inline(always)]
    pub fn unary(&self, literal: usize) -> B {
        self.cells[row_start(opposite(literal)) + literal]
    }

    pub fn set_unary(&mut self, literal: usize, bound: B) {
        self.cells[row_start(opposite(literal)) + literal] = bound;
    }

    pub fn convert<C: Bound>(&self, cell: impl Fn(B) -> C) -> HalfMatrix<C> {
        HalfMatrix {
            variables: self.variables,
            cells: self.cells.iter().map(|&b| cell(b)).collect(),
        }
    }

    pub fn combine(&self, other: &Self, cell: impl Fn(B, B) -> B) -> Self {
        HalfMatrix {
            variables: self.variables,
            cells: self
                .cells
                .iter()
                .zip(&other.cells)
                .map(|(&a, &b)| cell(a, b))
                .collect(),
        }
    }

    pub fn combine_from(&mut self, other: &Self, cell: impl Fn(B, B) -> B) {
        for (a, &b) in self.cells.iter_mut().zip(&other.cells) {
            *a = cell(*a, b);
        }
    }

    /// Cell by cell at most the other's; for closed matrices this is inclusion.
    pub fn at_most(&self, other: &Self) -> bool {
        // In pieces: without a branch for each cell, and still stopping early.
        self.cells
            .chunks(64)
            .zip(other.cells.chunks(64))
            .all(|(a, b)| a.iter().zip(b).fold(true, |all, (x, y)| all & (x <= y)))
    }

    /// The matrix over the given variables of this one, in their order, which must increase.
    pub fn select(&self, variables: &[usize]) -> Self {
        let mut selected = HalfMatrix {
            variables: variables.len(),
            cells: Vec::with_capacity(row_start(2 * variables.len())),
        };
        for (position, &row_variable) in variables.iter().enumerate() {
            for sign in 0..2 {
                let row = self.row(2 * row_variable + sign);
                for &column_variable in &variables[..=position] {
                    selected
                        .cells
                        .extend_from_slice(&row[2 * column_variable..2 * column_variable + 2]);
                }
            }
        }
        selected
    }

    /// Writes `part` into the cells of the given variables, in increasing order.
    pub fn embed(&mut self, part: &Self, variables: &[usize]) {
        for (position, &row_variable) in variables.iter().enumerate() {
            for sign in 0..2 {
                let source = part.row(2 * position + sign);
                let target = self.row_mut(2 * row_variable + sign);
                for (k, &column_variable) in variables[..=position].iter().enumerate() {
                    target[2 * column_variable..2 * column_variable + 2]
                        .copy_from_slice(&source[2 * k..2 * k + 2]);
                }
            }
        }
    }

    /// The matrix in which each bound of two literals is the sum of their own bounds, also on the
    /// diagonal.
    pub fn sums(upper: &[B]) -> Self {
        let mut cells = Vec::with_capacity(row_start(upper.len()));
        for i in 0..upper.len() {
            let from = upper[opposite(i)];
            cells.extend(upper[..=(i | 1)].iter().map(|&to| from.plus(to)));
        }
        HalfMatrix {
            variables: upper.len() / 2,
            cells,
        }
    }

    /// Whether two variables have a bound that does not follow from their own bounds alone; for
    /// strongly closed matrices. `upper` has the bounds of the single literals.
    #[inline(always)]
    fn related(&self, upper: &[B], x: usize, y: usize) -> bool {
        let (low, high) = (2 * x.min(y), 2 * x.max(y));
        let length = high + 2;
        let start = row_start(high) + low;
        let differs = |position: usize, from: usize, to: usize| {
            self.cells[position] < upper[from].plus(upper[to])
        };
        differs(start, high + 1, low)
            | differs(start + 1, high + 1, low + 1)
            | differs(start + length, high, low)
            | differs(start + length + 1, high, low + 1)
    }

    /// Whether each cell is at least the sum of its two literals' bounds in `halves`, or else
    /// passes `check`.
    pub(crate) fn all_below(&self, halves: &[B], check: impl Fn(usize, usize, B) -> bool) -> bool {
        let clear = |from: B, cells: &[B], halves: &[B]| {
            let pairs = cells.iter().zip(halves);
            pairs.fold(true, |all, (&cell, &to)| all & (from.plus(to) <= cell))
        };
        (0..self.literals()).all(|i| {
            let (from, row) = (halves[opposite(i)], self.row(i));
            // A literal is never apart from itself, so the diagonal is left out.
            (clear(from, &row[..i], halves) && clear(from, &row[i + 1..], &halves[i + 1..]))
                || row
                    .iter()
                    .zip(halves)
                    .enumerate()
                    .all(|(j, (&cell, &to))| j == i || from.plus(to) <= cell || check(i, j, cell))
        })
    }

    /// Whether all variables are related, directly or by way of others.
    pub fn is_connected(&self) -> bool {
        if self.variables > 128 {
            return self.components().len() == 1;
        }
        // Sets of variables as bits, so that the usual answer needs no memory.
        let mut halves = [B::INFINITY; 256];
        for (literal, half) in halves[..self.literals()].iter_mut().enumerate() {
            *half = self.unary(literal).half();
        }
        let halves = &halves[..self.literals()];
        let mut unseen: u128 = if self.variables == 128 {
            u128::MAX
        } else {
            (1 << self.variables) - 1
        };
        let mut reached: u128 = unseen & 1;
        unseen &= !1;
        while reached != 0 && unseen != 0 {
            let from = reached.trailing_zeros() as usize;
            reached &= reached - 1;
            let mut candidates = unseen;
            while candidates != 0 {
                let candidate = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if self.related(halves, from, candidate) {
                    reached |= 1 << candidate;
                    unseen &= !(1 << candidate);
                }
            }
        }
        unseen == 0
    }

    /// The classes of variables between which no relation exists, each sorted, ordered by their
    /// first variable.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let upper: Vec<B> = (0..self.literals())
            .map(|literal| self.unary(literal).half())
            .collect();
        let mut unseen: Vec<usize> = (0..self.variables).collect();
        let mut components = Vec::new();
        while let Some(&first) = unseen.first() {
            unseen.remove(0);
            let mut component = vec![first];
            let mut next = 0;
            while next < component.len() && !unseen.is_empty() {
                let from = component[next];
                unseen.retain(|&candidate| {
                    let related = self.related(&upper, from, candidate);
                    if related {
                        component.push(candidate);
                    }
                    !related
                });
                next += 1;
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }

    /// Exchanges the two literals of a variable: the matrix after `x := -x`.
    pub fn negate(&mut self, variable: usize) {
        let (plus, minus) = (2 * variable, 2 * variable + 1);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        self.copy_row(plus, &mut first);
        self.copy_row(minus, &mut second);
        first.swap(plus, minus);
        second.swap(plus, minus);
        self.write_row(plus, &second);
        self.write_row(minus, &first);
    }

    /// Writes a whole row, including the cells that are stored as columns.
    pub fn write_row(&mut self, i: usize, row: &[B]) {
        for (j, &bound) in row.iter().enumerate() {
            self.set(i, j, bound);
        }
    }

    /// The matrix after `x := x + [low, high]`, given `high` and `-low`; closed if this one is.
    pub fn shift(&mut self, variable: usize, high: B, minus_low: B) {
        let (plus, minus) = (2 * variable, 2 * variable + 1);
        for j in 0..self.literals() {
            if j / 2 == variable {
                continue;
            }
            // Cell (j, +x) bounds x - literal j; cell (j, -x) bounds -x - literal j.
            self.set(j, plus, self.get(j, plus).plus(high));
            self.set(j, minus, self.get(j, minus).plus(minus_low));
        }
        self.set_unary(plus, self.unary(plus).plus(high).plus(high));
        self.set_unary(minus, self.unary(minus).plus(minus_low).plus(minus_low));
    }

    /// Makes `x` a copy of the literal `source` of another variable: the matrix after `x := ±y`;
    /// closed if this one is.
    pub fn copy_variable(&mut self, variable: usize, source: usize) {
        let (plus, minus) = (2 * variable, 2 * variable + 1);
        let mut row = Vec::new();
        self.copy_row(source, &mut row);
        let unary = |m: &Self, literal: usize| m.unary(literal);
        let (up, down) = (unary(self, source), unary(self, opposite(source)));
        row[plus] = B::ZERO;
        row[minus] = down;
        row[source] = B::ZERO;
        row[opposite(source)] = down;
        self.write_row(plus, &row);
        self.copy_row(opposite(source), &mut row);
        row[plus] = up;
        row[minus] = B::ZERO;
        row[source] = up;
        row[opposite(source)] = B::ZERO;
        self.write_row(minus, &row);
    }

    /// Removes every constraint on a variable; closed if this one is.
    pub fn forget(&mut self, variable: usize) {
        for i in [2 * variable, 2 * variable + 1] {
            for j in 0..self.literals() {
                self.set(i, j, B::INFINITY);
            }
        }
        for i in [2 * variable, 2 * variable + 1] {
            self.set(i, i, B::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bound::Wide;
    use super::*;

    fn numbered(variables: usize) -> HalfMatrix<Wide> {
        let mut m = HalfMatrix::unconstrained(variables);
        for (k, cell) in m.cells.iter_mut().enumerate() {
            *cell = Wide(k as i128);
        }
        m
    }

    #[test]
    fn cells_are_coherent() {
        let m = numbered(4);
        for i in 0..8 {
            for j in (0..8).filter(|j| j / 2 != i / 2) {
                assert_eq!(m.get(i, j), m.get(opposite(j), opposite(i)));
            }
        }
        assert_eq!(row_start(8), m.cells.len());
    }

    #[test]
    fn a_copied_row_has_all_cells() {
        let m = numbered(5);
        let mut row = Vec::new();
        for i in 0..10 {
            m.copy_row(i, &mut row);
            assert_eq!(row, (0..10).map(|j| m.get(i, j)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn selecting_and_embedding_are_inverse() {
        let m = numbered(5);
        let part = m.select(&[1, 3, 4]);
        for i in 0..6 {
            for j in 0..6 {
                let outer = |k: usize| 2 * [1, 3, 4][k / 2] + k % 2;
                assert_eq!(part.get(i, j), m.get(outer(i), outer(j)));
            }
        }
        let mut n = m.clone();
        n.embed(&part, &[1, 3, 4]);
        assert_eq!(n, m);
    }

    #[test]
    fn negating_twice_is_nothing() {
        let m = numbered(4);
        let mut n = m.clone();
        n.negate(2);
        assert_eq!(n.get(4, 0), m.get(5, 0));
        assert_eq!(n.get(4, 5), m.get(5, 4));
        assert_eq!(n.get(6, 4), m.get(6, 5));
        n.negate(2);
        assert_eq!(n, m);
    }
}
