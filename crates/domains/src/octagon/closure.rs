//! Strong and tight closure.
//!
//! Sources: A. Miné, *The octagon abstract domain*, HOSC 19 (2006), section 3.3 (strong closure);
//! R. Bagnara, P. M. Hill, E. Zaffanella, *Weakly-relational shapes for numeric abstractions*, FMSD
//! 35 (2009), section 6 (for integers: shortest paths, then tightening, then one strengthening give
//! the tight closure); A. Chawdhary, E. Robbins, A. King, *Incrementally closing octagons*, FMSD 54
//! (2019) (after one new constraint, in quadratic time).
//!
//! | paper | here |
//! |---|---|
//! | `m(i,j)` | [`HalfMatrix::get`]`(i, j)`, a bound of literal j minus literal i |
//! | `ī` | `opposite(i)` |
//! | new constraint `x_b - x_a <= d` | `add_constraint(a, b, d)` |
//!
//! Differences: both literals of a variable are pivots in the same pass over the matrix, which
//! halves the memory traffic; in the incremental closure a row is visited only if a path through
//! the new constraint improves its way to the constraint's end, which leaves most rows alone.

use super::bound::Bound;
use super::half_matrix::{HalfMatrix, opposite};

/// The octagon has no point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Empty;

/// `row[j] = min(row[j], a + to_first[j], b + to_second[j])`
#[inline(always)]
fn relax_row<B: Bound>(row: &mut [B], a: B, to_first: &[B], b: B, to_second: &[B]) {
    for ((cell, &first), &second) in row.iter_mut().zip(to_first).zip(to_second) {
        *cell = cell.least(a.plus(first)).least(b.plus(second));
    }
}

/// `row[j] = min(row[j], a + to[j])`
#[inline(always)]
fn relax_row_once<B: Bound>(row: &mut [B], a: B, to: &[B]) {
    for (cell, &rest) in row.iter_mut().zip(to) {
        *cell = cell.least(a.plus(rest));
    }
}

impl<B: Bound> HalfMatrix<B> {
    /// Strong closure, for integers tight closure: afterwards every cell is as small as the
    /// constraints imply. On `Err` the contents are meaningless.
    pub fn close(&mut self) -> Result<(), Empty> {
        self.shortest_paths()?;
        self.tighten_and_strengthen()
    }

    fn shortest_paths(&mut self) -> Result<(), Empty> {
        let literals = self.literals();
        let (mut from_plus, mut from_minus) = (Vec::with_capacity(literals), Vec::new());
        let (mut via_plus, mut via_minus) = (Vec::with_capacity(literals), Vec::new());
        for plus in (0..literals).step_by(2) {
            let minus = plus + 1;
            self.copy_row(plus, &mut from_plus);
            self.copy_row(minus, &mut from_minus);
            let (across, back) = (from_plus[minus], from_minus[plus]);
            if across.plus(back) < B::ZERO {
                return Err(Empty);
            }
            via_plus.clear();
            via_minus.clear();
            for (&p, &m) in from_plus.iter().zip(&from_minus) {
                via_plus.push(p.least(across.plus(m)));
                via_minus.push(m.least(back.plus(p)));
            }
            for i in 0..literals {
                // By coherence the cells (i, plus) and (i, minus) stand in the pivots' rows.
                let to_plus = from_minus[opposite(i)];
                let to_minus = from_plus[opposite(i)];
                let row = self.row_mut(i);
                let length = row.len();
                match (to_plus.is_finite(), to_minus.is_finite()) {
                    (true, true) => {
                        relax_row(
                            row,
                            to_plus,
                            &via_plus[..length],
                            to_minus,
                            &via_minus[..length],
                        );
                    }
                    (true, false) => relax_row_once(row, to_plus, &via_plus[..length]),
                    (false, true) => relax_row_once(row, to_minus, &via_minus[..length]),
                    (false, false) => {}
                }
                // Seen at once, so that no cell is ever the length of a way that goes round a
                // negative cycle.
                if row[i] < B::ZERO {
                    return Err(Empty);
                }
            }
        }
        Ok(())
    }

    fn tighten_and_strengthen(&mut self) -> Result<(), Empty> {
        for literal in 0..self.literals() {
            self.set_unary(literal, self.unary(literal).tighten());
        }
        for literal in (0..self.literals()).step_by(2) {
            if self.unary(literal).plus(self.unary(opposite(literal))) < B::ZERO {
                return Err(Empty);
            }
        }
        self.strengthen();
        Ok(())
    }

    /// Each bound of two literals is at most the sum of the literals' own bounds.
    pub(crate) fn strengthen(&mut self) {
        let upper: Vec<B> = (0..self.literals()).map(|j| self.unary(j).half()).collect();
        for i in 0..self.literals() {
            let from = upper[opposite(i)];
            if from.is_finite() {
                relax_row_once(self.row_mut(i), from, &upper);
            }
        }
    }

    /// Adds `literal b - literal a <= bound` to a closed matrix and closes it again. On `Err` the
    /// contents are meaningless.
    pub fn add_constraint(&mut self, a: usize, b: usize, bound: B) -> Result<(), Empty> {
        let bound = if b == opposite(a) {
            bound.tighten()
        } else {
            bound
        };
        if bound >= self.get(a, b) {
            return Ok(());
        }
        let literals = self.literals();
        let (not_a, not_b) = (opposite(a), opposite(b));
        let mut rows = [const { Vec::new() }; 4];
        for (row, literal) in rows.iter_mut().zip([b, not_a, not_b, a]) {
            row.reserve(literals);
            self.copy_row(literal, row);
        }
        let [from_b, from_not_a, from_not_b, from_a] = rows;
        // The new edges are a → b and b̄ → ā, both of length `bound`; `both` uses one after the
        // other.
        let around_b = bound.plus(from_b[not_b]).plus(bound);
        let around_a = bound.plus(from_not_a[a]).plus(bound);
        if bound.plus(from_b[a]) < B::ZERO || around_b.plus(from_not_a[a]) < B::ZERO {
            return Err(Empty);
        }
        let mut tightened: Vec<(usize, B)> = Vec::new();
        for i in 0..literals {
            let to_a = from_not_a[opposite(i)];
            let to_not_b = from_b[opposite(i)];
            let to_b = to_a.plus(bound).least(to_not_b.plus(around_a));
            let to_not_a = to_not_b.plus(bound).least(to_a.plus(around_b));
            // No shorter way to b or ā: then none to anywhere behind them, as the matrix was
            // closed.
            let improves_b = to_b < from_not_b[opposite(i)];
            let improves_not_a = to_not_a < from_a[opposite(i)];
            if !improves_b && !improves_not_a {
                continue;
            }
            let row = self.row_mut(i);
            let length = row.len();
            let before = row[opposite(i)];
            match (improves_b, improves_not_a) {
                (true, true) => {
                    relax_row(
                        row,
                        to_b,
                        &from_b[..length],
                        to_not_a,
                        &from_not_a[..length],
                    );
                }
                (true, false) => relax_row_once(row, to_b, &from_b[..length]),
                _ => relax_row_once(row, to_not_a, &from_not_a[..length]),
            }
            let after = row[opposite(i)].tighten();
            if after < before {
                row[opposite(i)] = after;
                tightened.push((opposite(i), after));
            }
        }
        for &(literal, unary) in &tightened {
            if unary.plus(self.unary(opposite(literal))) < B::ZERO {
                return Err(Empty);
            }
        }
        self.strengthen_from(&tightened);
        Ok(())
    }

    /// [`Self::strengthen`] after only the given literals' own bounds have changed.
    fn strengthen_from(&mut self, changed: &[(usize, B)]) {
        if changed.is_empty() {
            return;
        }
        if changed.len() > self.variables() / 4 {
            self.strengthen();
            return;
        }
        let upper: Vec<B> = (0..self.literals()).map(|j| self.unary(j).half()).collect();
        for &(literal, unary) in changed {
            let i = opposite(literal);
            let from = unary.half();
            relax_row_once(self.row_mut(i), from, &upper);
            for row_literal in (i | 1) + 1..self.literals() {
                // Cell (row, literal) is the mirror of (i, opposite row).
                let cell = &mut self.row_mut(row_literal)[literal];
                *cell = cell.least(upper[opposite(row_literal)].plus(from));
            }
        }
    }

    /// Whether closing again would change nothing; for tests and debug assertions.
    pub fn is_closed(&self) -> bool {
        let mut closed = self.clone();
        closed.close().is_ok() && closed == *self
    }

    /// The matrix of a set of variables of which some are unrelated to all others, given with the
    /// doubled bounds of the variable and of its negation, and others are in parts: parts are
    /// written to their variables' cells, and each cell between parts is the sum of the literals'
    /// own bounds. Positions in a part increase.
    pub fn assemble(
        variables: usize,
        singles: &[(usize, B, B)],
        parts: &[(&HalfMatrix<B>, &[usize])],
    ) -> Self {
        let mut upper = vec![B::INFINITY; 2 * variables];
        for &(p, plus, minus) in singles {
            upper[2 * p] = plus.half();
            upper[2 * p + 1] = minus.half();
        }
        for (part, positions) in parts {
            for (k, &p) in positions.iter().enumerate() {
                upper[2 * p] = part.unary(2 * k).half();
                upper[2 * p + 1] = part.unary(2 * k + 1).half();
            }
        }
        // First as if all variables were apart, then the parts over that.
        let mut whole = HalfMatrix::sums(&upper);
        for (part, positions) in parts {
            whole.embed(part, positions);
        }
        for &(p, plus, minus) in singles {
            whole.set_unary(2 * p, plus);
            whole.set_unary(2 * p + 1, minus);
        }
        for i in 0..2 * variables {
            whole.set(i, i, B::ZERO);
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::bound::{Small, Upward, Wide};
    use super::*;

    /// Constraints `literal b - literal a <= bound` over the given number of variables.
    fn constraints(variables: usize) -> impl Strategy<Value = Vec<(usize, usize, i128)>> {
        let literals = 2 * variables;
        prop::collection::vec(
            (0..literals, 0..literals, -6i128..12).prop_filter("two literals", |(a, b, _)| a != b),
            0..10,
        )
    }

    fn closed_wide(
        variables: usize,
        constraints: &[(usize, usize, i128)],
    ) -> Result<HalfMatrix<Wide>, Empty> {
        let mut m = HalfMatrix::<Wide>::unconstrained(variables);
        for &(a, b, c) in constraints {
            m.set(a, b, m.get(a, b).least(Wide(c)));
        }
        m.close()?;
        Ok(m)
    }

    fn literal_value(point: &[i128], literal: usize) -> i128 {
        if literal.is_multiple_of(2) {
            point[literal / 2]
        } else {
            -point[literal / 2]
        }
    }

    /// All integer points in a box that satisfy the constraints.
    fn points(
        variables: usize,
        size: i128,
        constraints: &[(usize, usize, i128)],
    ) -> Vec<Vec<i128>> {
        let mut all = vec![vec![]];
        for _ in 0..variables {
            all = all
                .iter()
                .flat_map(|p: &Vec<i128>| {
                    (-size..=size).map(move |v| p.iter().copied().chain([v]).collect())
                })
                .collect();
        }
        all.retain(|p: &Vec<i128>| {
            constraints
                .iter()
                .all(|&(a, b, c)| literal_value(p, b) - literal_value(p, a) <= c)
        });
        all
    }

    proptest! {
        /// Brute force: in a box, each cell of the tight closure is the maximum over the integer
        /// points.
        #[test]
        fn closure_is_the_tightest(mut cs in constraints(3)) {
            let size = 5;
            for v in 0..3 {
                cs.push((2 * v + 1, 2 * v, 2 * size));
                cs.push((2 * v, 2 * v + 1, 2 * size));
            }
            let all = points(3, size, &cs);
            match closed_wide(3, &cs) {
                Err(Empty) => prop_assert!(all.is_empty(), "lost {:?}", all),
                Ok(m) => {
                    prop_assert!(!all.is_empty(), "emptiness not seen");
                    for i in 0..6 {
                        for j in 0..6 {
                            let tight = all.iter().map(|p| literal_value(p, j) - literal_value(p, i)).max();
                            prop_assert_eq!(Some(m.get(i, j).0), tight);
                        }
                    }
                }
            }
        }

        #[test]
        fn closure_is_a_normal_form(cs in constraints(5)) {
            if let Ok(m) = closed_wide(5, &cs) {
                prop_assert!(m.is_closed());
            }
        }

        #[test]
        fn one_by_one_is_all_at_once(cs in constraints(5)) {
            let mut m = HalfMatrix::<Wide>::unconstrained(5);
            let mut result = Ok(());
            for &(a, b, c) in &cs {
                result = m.add_constraint(a, b, Wide(c));
                if result.is_err() {
                    break;
                }
            }
            match closed_wide(5, &cs) {
                Ok(expected) => {
                    prop_assert!(result.is_ok());
                    prop_assert_eq!(m, expected);
                }
                Err(Empty) => prop_assert!(result.is_err()),
            }
        }

        #[test]
        fn small_and_wide_agree(cs in constraints(6)) {
            let mut small = HalfMatrix::<Small>::unconstrained(6);
            for &(a, b, c) in &cs {
                small.set(a, b, small.get(a, b).least(Small(c as f64)));
            }
            let wide = closed_wide(6, &cs);
            prop_assert_eq!(small.close().is_ok(), wide.is_ok());
            if let Ok(wide) = wide {
                let converted = small.convert(|b| if b.is_finite() { Wide(b.0 as i128) } else { Wide::INFINITY });
                prop_assert_eq!(converted, wide);
            }
        }

        /// A float octagon that rounds up holds every real point of the constraints.
        #[test]
        fn upward_closure_is_sound(
            point in prop::collection::vec(-1e3f64..1e3, 4),
            pairs in prop::collection::vec((0usize..8, 0usize..8, 0f64..1e-3), 0..12),
        ) {
            let value = |l: usize| if l.is_multiple_of(2) { point[l / 2] } else { -point[l / 2] };
            let mut m = HalfMatrix::<Upward>::unconstrained(4);
            for &(a, b, slack) in &pairs {
                if a != b {
                    // `next_up` covers the rounding of the difference itself.
                    let bound = Upward((value(b) - value(a) + slack).next_up());
                    prop_assert!(m.add_constraint(a, b, bound).is_ok());
                }
            }
            for i in 0..8 {
                for j in 0..8 {
                    prop_assert!(m.get(i, j).0 >= (value(j) - value(i)).next_down());
                }
            }
        }

        #[test]
        fn assembling_unrelated_parts_is_closed(cs in constraints(2), ds in constraints(3)) {
            if let (Ok(first), Ok(second)) = (closed_wide(2, &cs), closed_wide(3, &ds)) {
                let whole = HalfMatrix::assemble(5, &[], &[(&first, &[1, 3]), (&second, &[0, 2, 4])]);
                prop_assert!(whole.is_closed());
                prop_assert_eq!(whole.select(&[1, 3]), first);
                let components = whole.components();
                let separate =
                    components.iter().all(|c| c.iter().all(|v| v % 2 == c[0] % 2));
                prop_assert!(separate, "{:?}", components);
            }
        }
    }
}
