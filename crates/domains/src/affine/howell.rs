//! Sparse matrices over the integers modulo `2^w` in Howell form.
//!
//! J. Howell, *Spans in the module (Z_m)^s*, 1986; M. Elder et al., *Abstract domains of affine
//! relations*, TOPLAS 36 (2014), section 2.1. Modulo a power of two not every number has an
//! inverse, so echelon form is not enough: a row whose leading entry is `2^k` has the multiple
//! `2^(w-k)` times itself, which loses the leading entry and says something about the columns
//! behind it. A matrix in Howell form has these consequences in its lower rows, and then
//!
//! * a row is in the span exactly if it can be reduced to zero by leading entries from left to
//!   right, and
//! * the rows without the first columns span everything in the span that is zero there
//!   (projection).
//!
//! Rows are kept with leading entries that are powers of two and with smaller entries above each,
//! which makes the form unique.

use crate::linear::combine_terms;

/// A column; rows begin with their smallest one.
pub(super) type Column = u64;

/// The non-zero entries of a row, sorted by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub entries: Vec<(Column, u64)>,
}

/// The residues modulo `2^width`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ring {
    pub width: u32,
}

impl Ring {
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// The inverse of an odd number, by Newton's iteration: each step doubles the number of correct
    /// bits.
    pub fn inverse(self, odd: u64) -> u64 {
        let mut inverse = odd;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        inverse & self.mask()
    }

    pub fn row(self, entries: impl IntoIterator<Item = (Column, u64)>) -> Row {
        let mut entries: Vec<(Column, u64)> = entries.into_iter().collect();
        combine_terms(&mut entries, u64::wrapping_add);
        for entry in &mut entries {
            entry.1 &= self.mask();
        }
        entries.retain(|&(_, e)| e != 0);
        Row { entries }
    }

    pub fn scale(self, row: &Row, factor: u64) -> Row {
        let entries = row
            .entries
            .iter()
            .map(|&(c, e)| (c, e.wrapping_mul(factor) & self.mask()))
            .filter(|&(_, e)| e != 0)
            .collect();
        Row { entries }
    }

    /// `row - factor·other`.
    pub fn subtract(self, row: &Row, factor: u64, other: &Row) -> Row {
        let mut entries = Vec::with_capacity(row.entries.len() + other.entries.len());
        let (mut i, mut j) = (0, 0);
        while i < row.entries.len() || j < other.entries.len() {
            let left = row.entries.get(i);
            let right = other.entries.get(j);
            let column = match (left, right) {
                (Some(&(c, _)), Some(&(d, _))) => c.min(d),
                (Some(&(c, _)), None) | (None, Some(&(c, _))) => c,
                (None, None) => break,
            };
            let mut value = 0u64;
            if let Some(&(_, e)) = left.filter(|&&(c, _)| c == column) {
                value = e;
                i += 1;
            }
            if let Some(&(_, e)) = right.filter(|&&(c, _)| c == column) {
                value = value.wrapping_sub(factor.wrapping_mul(e));
                j += 1;
            }
            if value & self.mask() != 0 {
                entries.push((column, value & self.mask()));
            }
        }
        Row { entries }
    }
}

impl Row {
    pub fn is_zero(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn leading_column(&self) -> Option<Column> {
        self.entries.first().map(|&(c, _)| c)
    }

    pub fn entry(&self, column: Column) -> u64 {
        match self.entries.binary_search_by_key(&column, |&(c, _)| c) {
            Ok(position) => self.entries[position].1,
            Err(_) => 0,
        }
    }
}

/// A matrix in Howell form: at most one row leads in each column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Howell {
    ring: Ring,
    /// Sorted by leading column; leading entries are powers of two.
    rows: Vec<Row>,
}

impl Howell {
    pub fn new(ring: Ring) -> Self {
        Howell {
            ring,
            rows: Vec::new(),
        }
    }

    pub fn ring(&self) -> Ring {
        self.ring
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn leading_in(&self, column: Column) -> Result<usize, usize> {
        self.rows
            .binary_search_by_key(&Some(column), Row::leading_column)
    }

    /// Adds rows to the span and restores the unique form.
    pub fn insert(&mut self, rows: impl IntoIterator<Item = Row>) {
        let mut pending: Vec<Row> = rows.into_iter().collect();
        let mut changed = false;
        while let Some(row) = pending.pop() {
            changed |= self.insert_one(row, &mut pending);
        }
        if changed {
            self.reduce_upwards();
        }
    }

    /// Adds one row; what follows from it for later columns is left in `pending`.
    fn insert_one(&mut self, mut row: Row, pending: &mut Vec<Row>) -> bool {
        while let Some(&(column, entry)) = row.entries.first() {
            let rank = entry.trailing_zeros();
            let place = self.leading_in(column);
            if let Ok(position) = place {
                let leading = self.rows[position].entries[0].1;
                if rank >= leading.trailing_zeros() {
                    let factor = entry >> leading.trailing_zeros();
                    row = self.ring.subtract(&row, factor, &self.rows[position]);
                    continue;
                }
            }
            let row = self.ring.scale(&row, self.ring.inverse(entry >> rank));
            if rank > 0 {
                pending.push(self.ring.scale(&row, 1 << (self.ring.width - rank)));
            }
            match place {
                Ok(position) => pending.push(std::mem::replace(&mut self.rows[position], row)),
                Err(position) => self.rows.insert(position, row),
            }
            return true;
        }
        false
    }

    /// Makes the entries above each leading entry smaller than it.
    fn reduce_upwards(&mut self) {
        for position in (0..self.rows.len()).rev() {
            let mut next = 1;
            while let Some(&(column, entry)) = self.rows[position].entries.get(next) {
                if let Ok(below) = self.leading_in(column) {
                    let rank = self.rows[below].entries[0].1.trailing_zeros();
                    let factor = entry >> rank;
                    if factor != 0 {
                        self.rows[position] =
                            self.ring
                                .subtract(&self.rows[position], factor, &self.rows[below]);
                        // The entry is now smaller or gone; only later columns have changed
                        // otherwise.
                        if entry & ((1 << rank) - 1) == 0 {
                            continue;
                        }
                    }
                }
                next += 1;
            }
        }
    }

    /// The row minus what the span says about its columns: zero exactly if the row is in the span.
    pub fn reduce(&self, row: &Row) -> Row {
        let mut row = row.clone();
        let mut next = 0;
        while let Some(&(column, entry)) = row.entries.get(next) {
            if let Ok(position) = self.leading_in(column) {
                let rank = self.rows[position].entries[0].1.trailing_zeros();
                let factor = entry >> rank;
                if factor != 0 {
                    row = self.ring.subtract(&row, factor, &self.rows[position]);
                    if entry & ((1 << rank) - 1) == 0 {
                        continue;
                    }
                }
            }
            next += 1;
        }
        row
    }

    pub fn contains(&self, row: &Row) -> bool {
        self.reduce(row).is_zero()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WIDTH: u32 = 3;
    const COLUMNS: u64 = 3;

    fn ring() -> Ring {
        Ring { width: WIDTH }
    }

    fn rows() -> impl Strategy<Value = Vec<Vec<u64>>> {
        prop::collection::vec(prop::collection::vec(0u64..8, COLUMNS as usize), 0..4)
    }

    fn dense(row: &[u64]) -> Row {
        ring().row(row.iter().enumerate().map(|(c, &e)| (c as u64, e)))
    }

    fn howell(rows: &[Vec<u64>]) -> Howell {
        let mut h = Howell::new(ring());
        h.insert(rows.iter().map(|r| dense(r)));
        h
    }

    /// All linear combinations, by brute force.
    fn span(rows: &[Vec<u64>]) -> std::collections::BTreeSet<Vec<u64>> {
        let mut span = std::collections::BTreeSet::from([vec![0; COLUMNS as usize]]);
        for row in rows {
            span = span
                .iter()
                .flat_map(|v| {
                    (0..8u64)
                        .map(move |f| v.iter().zip(row).map(|(a, b)| (a + f * b) % 8).collect())
                })
                .collect();
        }
        span
    }

    proptest! {
        #[test]
        fn membership_is_exact(rows in rows(), candidate in prop::collection::vec(0u64..8, COLUMNS as usize)) {
            let expected = span(&rows).contains(&candidate);
            prop_assert_eq!(howell(&rows).contains(&dense(&candidate)), expected);
        }

        #[test]
        fn the_form_is_unique(rows in rows(), factors in prop::collection::vec(0u64..8, 3)) {
            let mut shuffled: Vec<Vec<u64>> = rows.iter().rev().cloned().collect();
            // Adding a combination of rows does not change the span.
            if !rows.is_empty() {
                let combination = (0..COLUMNS as usize)
                    .map(|c| rows.iter().zip(&factors).map(|(r, f)| r[c] * f).sum::<u64>() % 8)
                    .collect();
                shuffled.push(combination);
            }
            prop_assert_eq!(howell(&rows), howell(&shuffled));
        }

        /// Projection: what the rows behind a column span is what the span says there.
        #[test]
        fn lower_rows_are_the_projection(rows in rows()) {
            let h = howell(&rows);
            let mut lower = Howell::new(ring());
            lower.insert(h.rows().iter().filter(|r| r.leading_column() > Some(0)).cloned());
            for v in span(&rows).iter().filter(|v| v[0] == 0) {
                prop_assert!(lower.contains(&dense(v)));
            }
        }

        #[test]
        fn inverses(odd: u64, width in 1u32..=64) {
            let (odd, ring) = (odd | 1, Ring { width });
            prop_assert_eq!(odd.wrapping_mul(ring.inverse(odd)) & ring.mask(), 1 & ring.mask());
        }
    }
}
