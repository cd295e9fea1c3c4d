//! Integer matrices that choose their own number type.
//!
//! Almost all bounds of real programs are small, and small integers are exact in doubles, where
//! addition, minimum and infinity cost one instruction for several cells. Bounds of 64-bit
//! variables need 66 bits. So a block is held in doubles while that is exact, and in 128-bit
//! integers otherwise; no bound is ever rounded.
//!
//! Why it is exact: doubles hold every integer up to 2^53. Let `M` be the size of the largest
//! finite cell. An incremental closure adds at most five cells ([`HalfMatrix::add_constraint`]), so
//! `5·M <= 2^53` suffices; a full closure of `n` variables computes lengths of simple paths, at
//! most `2n` cells, plus one more pass, so `4n·M <= 2^53` suffices, as it stops at the first
//! negative cycle. `magnitude` is kept as an upper bound of `M` that is cheap to maintain, and
//! measured anew when it has grown too large.

use super::bound::{Bound, Small, Wide};
use super::closure::Empty;
use super::half_matrix::HalfMatrix;
use super::matrix::Matrix;
use crate::thresholds::Thresholds;

/// Largest magnitude with which a small matrix is kept; leaves room for one incremental closure.
const SMALL_LIMIT: f64 = (1u64 << 50) as f64;
/// Wide matrices whose cells are at most this large become small again; the gap keeps them from
/// going to and fro.
const RETURN_LIMIT: i128 = 1 << 40;
/// All sums below this are exact.
const EXACT: f64 = (1u64 << 53) as f64;
const _: () = assert!(
    5.0 * SMALL_LIMIT <= EXACT,
    "an incremental closure adds up to five cells"
);

#[derive(Clone, Debug)]
pub enum IntegerMatrix {
    Small {
        matrix: HalfMatrix<Small>,
        magnitude: f64,
    },
    Wide(HalfMatrix<Wide>),
}

/// Two matrices in the fast number type, and the larger of their magnitudes.
type BothSmall<'a> = (&'a HalfMatrix<Small>, &'a HalfMatrix<Small>, f64);

#[inline(always)]
fn widen_number(bound: Small) -> Wide {
    // By way of `i64`, which the processor can convert itself; small cells fit.
    if bound.is_finite() {
        Wide(i128::from(bound.0 as i64))
    } else {
        Wide::INFINITY
    }
}

/// The bound as a small number, if it is infinite or small enough.
fn shrink_number(bound: Wide) -> Option<Small> {
    if bound == Wide::INFINITY {
        return Some(Small::INFINITY);
    }
    (bound.0.unsigned_abs() <= SMALL_LIMIT as u128).then_some(Small(bound.0 as i64 as f64))
}

fn measure(matrix: &HalfMatrix<Small>) -> f64 {
    matrix.cells().iter().fold(0.0, |largest: f64, cell| {
        let size = cell.0.abs();
        if size > largest && size < f64::INFINITY {
            size
        } else {
            largest
        }
    })
}

impl IntegerMatrix {
    fn to_wide(&self) -> HalfMatrix<Wide> {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.convert(widen_number),
            IntegerMatrix::Wide(matrix) => matrix.clone(),
        }
    }

    /// The same matrix, small if its cells allow it.
    fn from_wide(matrix: HalfMatrix<Wide>) -> Self {
        let fits = |b: &Wide| *b == Wide::INFINITY || b.0.unsigned_abs() <= RETURN_LIMIT as u128;
        if matrix.cells().iter().all(fits) {
            let matrix = matrix.convert(|b| {
                if b == Wide::INFINITY {
                    Small::INFINITY
                } else {
                    Small(b.0 as f64)
                }
            });
            return Self::from_small(matrix);
        }
        IntegerMatrix::Wide(matrix)
    }

    fn from_small(matrix: HalfMatrix<Small>) -> Self {
        let magnitude = measure(&matrix);
        IntegerMatrix::Small { matrix, magnitude }
    }

    /// Makes sure that a full closure is exact, in whichever number type.
    fn prepare_to_close(&mut self) {
        let count = 4.0 * self.variables() as f64;
        if let IntegerMatrix::Small { matrix, magnitude } = self
            && *magnitude * count > EXACT
        {
            *magnitude = measure(matrix);
            if *magnitude * count > EXACT {
                *self = IntegerMatrix::Wide(self.to_wide());
            }
        }
    }

    /// After an operation that let cells of a small matrix grow by at most `factor`.
    fn grown(&mut self, factor: f64) {
        if let IntegerMatrix::Small { matrix, magnitude } = self {
            *magnitude *= factor;
            if *magnitude > SMALL_LIMIT {
                *magnitude = measure(matrix);
                if *magnitude > SMALL_LIMIT {
                    *self = IntegerMatrix::Wide(self.to_wide());
                }
            }
        }
    }

    /// Both in the fast number type, and the larger magnitude.
    fn both_small<'a>(&'a self, other: &'a Self) -> Option<BothSmall<'a>> {
        let IntegerMatrix::Small {
            matrix: a,
            magnitude: x,
        } = self
        else {
            return None;
        };
        let IntegerMatrix::Small {
            matrix: b,
            magnitude: y,
        } = other
        else {
            return None;
        };
        Some((a, b, x.max(*y)))
    }

    /// Applies an operation on two matrices in the smallest number type that holds both.
    fn combine(
        &self,
        other: &Self,
        small: impl FnOnce(&HalfMatrix<Small>, &HalfMatrix<Small>) -> HalfMatrix<Small>,
        wide: impl FnOnce(&HalfMatrix<Wide>, &HalfMatrix<Wide>) -> HalfMatrix<Wide>,
    ) -> Self {
        if let Some((a, b, magnitude)) = self.both_small(other) {
            return IntegerMatrix::Small {
                matrix: small(a, b),
                magnitude,
            };
        }
        match (self, other) {
            (IntegerMatrix::Wide(a), IntegerMatrix::Wide(b)) => Self::from_wide(wide(a, b)),
            (IntegerMatrix::Wide(a), b) => Self::from_wide(wide(a, &b.to_wide())),
            (a, IntegerMatrix::Wide(b)) => Self::from_wide(wide(&a.to_wide(), b)),
            (a, b) => Self::from_wide(wide(&a.to_wide(), &b.to_wide())),
        }
    }

    /// Whether the block is held in the fast number type.
    pub fn is_small(&self) -> bool {
        matches!(self, IntegerMatrix::Small { .. })
    }
}

impl PartialEq for IntegerMatrix {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (IntegerMatrix::Small { matrix: a, .. }, IntegerMatrix::Small { matrix: b, .. }) => {
                a == b
            }
            (IntegerMatrix::Wide(a), IntegerMatrix::Wide(b)) => a == b,
            (a, b) => a.variables() == b.variables() && a.to_wide() == b.to_wide(),
        }
    }
}

impl Matrix for IntegerMatrix {
    type Bound = Wide;

    fn unconstrained(variables: usize) -> Self {
        IntegerMatrix::Small {
            matrix: HalfMatrix::unconstrained(variables),
            magnitude: 0.0,
        }
    }

    fn variables(&self) -> usize {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.variables(),
            IntegerMatrix::Wide(matrix) => matrix.variables(),
        }
    }

    #[inline]
    fn get(&self, i: usize, j: usize) -> Wide {
        match self {
            IntegerMatrix::Small { matrix, .. } => widen_number(matrix.get(i, j)),
            IntegerMatrix::Wide(matrix) => matrix.get(i, j),
        }
    }

    fn set(&mut self, i: usize, j: usize, bound: Wide) {
        match (&mut *self, shrink_number(bound)) {
            (IntegerMatrix::Small { matrix, magnitude }, Some(small)) => {
                matrix.set(i, j, small);
                if small.is_finite() {
                    *magnitude = magnitude.max(small.0.abs());
                }
            }
            (IntegerMatrix::Small { .. }, None) => {
                let mut wide = self.to_wide();
                wide.set(i, j, bound);
                *self = IntegerMatrix::Wide(wide);
            }
            (IntegerMatrix::Wide(matrix), _) => matrix.set(i, j, bound),
        }
    }

    #[inline]
    fn lower(&mut self, i: usize, j: usize, bound: Wide) {
        if let IntegerMatrix::Small { matrix, magnitude } = self
            && let Some(small) = shrink_number(bound)
        {
            if small < matrix.get(i, j) {
                matrix.set(i, j, small);
                *magnitude = magnitude.max(small.0.abs());
            }
        } else if bound < self.get(i, j) {
            self.set(i, j, bound);
        }
    }

    fn close(&mut self) -> Result<(), Empty> {
        self.prepare_to_close();
        match self {
            IntegerMatrix::Small { matrix, magnitude } => {
                matrix.close()?;
                *magnitude = measure(matrix);
                self.grown(1.0);
            }
            IntegerMatrix::Wide(matrix) => {
                matrix.close()?;
                *self = Self::from_wide(matrix.clone());
            }
        }
        Ok(())
    }

    fn add_constraint(&mut self, a: usize, b: usize, bound: Wide) -> Result<(), Empty> {
        match (&mut *self, shrink_number(bound)) {
            (IntegerMatrix::Small { .. }, None) => {
                *self = IntegerMatrix::Wide(self.to_wide());
            }
            (IntegerMatrix::Small { magnitude, .. }, Some(small)) if small.is_finite() => {
                *magnitude = magnitude.max(small.0.abs());
            }
            _ => {}
        }
        match self {
            IntegerMatrix::Small { matrix, .. } => {
                let small = shrink_number(bound).unwrap_or(Small::INFINITY);
                matrix.add_constraint(a, b, small)?;
                self.grown(5.0);
            }
            IntegerMatrix::Wide(matrix) => matrix.add_constraint(a, b, bound)?,
        }
        Ok(())
    }

    fn at_most(&self, other: &Self) -> bool {
        match (self, other) {
            (IntegerMatrix::Small { matrix: a, .. }, IntegerMatrix::Small { matrix: b, .. }) => {
                a.at_most(b)
            }
            (a, b) => a.to_wide().at_most(&b.to_wide()),
        }
    }

    fn join(&self, other: &Self) -> Self {
        self.combine(
            other,
            |a, b| a.combine(b, Small::greatest),
            |a, b| a.combine(b, Wide::greatest),
        )
    }

    fn join_from(&mut self, other: &Self) {
        match (&mut *self, other) {
            (
                IntegerMatrix::Small {
                    matrix: a,
                    magnitude: x,
                },
                IntegerMatrix::Small {
                    matrix: b,
                    magnitude: y,
                },
            ) => {
                a.combine_from(b, Small::greatest);
                *x = x.max(*y);
            }
            _ => *self = self.join(other),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        self.combine(
            other,
            |a, b| a.combine(b, Small::least),
            |a, b| a.combine(b, Wide::least),
        )
    }

    fn widen(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        if thresholds.is_empty() {
            return self.combine(
                newer,
                |a, b| a.widen_cells(b, |_, _| Small::INFINITY),
                |a, b| a.widen_cells(b, |_, _| Wide::INFINITY),
            );
        }
        // Thresholds may be far outside what is small, so they are met in wide numbers; widening is
        // rare.
        let widened = self
            .to_wide()
            .widen_cells(&newer.to_wide(), |bound, doubled| {
                Self::threshold(bound, doubled, thresholds)
            });
        Self::from_wide(widened)
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.combine(
            newer,
            |a, b| a.combine(b, |old, new| if old.is_finite() { old } else { new }),
            |a, b| a.combine(b, |old, new| if old.is_finite() { old } else { new }),
        )
    }

    fn select(&self, variables: &[usize]) -> Self {
        match self {
            IntegerMatrix::Small { matrix, magnitude } => IntegerMatrix::Small {
                matrix: matrix.select(variables),
                magnitude: *magnitude,
            },
            IntegerMatrix::Wide(matrix) => Self::from_wide(matrix.select(variables)),
        }
    }

    fn assemble(
        variables: usize,
        singles: &[(usize, Wide, Wide)],
        parts: &[(&Self, &[usize])],
    ) -> Self {
        // A cell between parts is half the sum of two cells, so no larger than they are.
        let mut magnitude: f64 = 0.0;
        let small_singles: Option<Vec<(usize, Small, Small)>> = singles
            .iter()
            .map(|&(p, upper, lower)| {
                let (upper, lower) = (shrink_number(upper)?, shrink_number(lower)?);
                for bound in [upper, lower].into_iter().filter(|b| b.is_finite()) {
                    magnitude = magnitude.max(bound.0.abs());
                }
                Some((p, upper, lower))
            })
            .collect();
        let small_parts: Option<Vec<(&HalfMatrix<Small>, &[usize])>> = parts
            .iter()
            .map(|(part, positions)| match part {
                IntegerMatrix::Small {
                    matrix,
                    magnitude: size,
                } => {
                    magnitude = magnitude.max(*size);
                    Some((matrix, *positions))
                }
                IntegerMatrix::Wide(_) => None,
            })
            .collect();
        if let (Some(singles), Some(parts)) = (small_singles, small_parts) {
            let matrix = HalfMatrix::assemble(variables, &singles, &parts);
            return IntegerMatrix::Small { matrix, magnitude };
        }
        let wide: Vec<HalfMatrix<Wide>> = parts.iter().map(|(part, _)| part.to_wide()).collect();
        let parts: Vec<(&HalfMatrix<Wide>, &[usize])> = wide
            .iter()
            .zip(parts)
            .map(|(matrix, (_, positions))| (matrix, *positions))
            .collect();
        IntegerMatrix::Wide(HalfMatrix::assemble(variables, singles, &parts))
    }

    fn components(&self) -> Vec<Vec<usize>> {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.components(),
            IntegerMatrix::Wide(matrix) => matrix.components(),
        }
    }

    fn is_connected(&self) -> bool {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.is_connected(),
            IntegerMatrix::Wide(matrix) => matrix.is_connected(),
        }
    }

    fn is_above(&self, upper: &[Wide], exact: &dyn Fn(usize, usize) -> Wide) -> bool {
        match self {
            IntegerMatrix::Small { matrix, .. } => {
                // A bound too large for the type counts as none here; then the exact one is asked.
                let half = |b: &Wide| shrink_number(*b).map_or(Small::INFINITY, Small::half);
                let halves: Vec<Small> = upper.iter().map(half).collect();
                matrix.all_below(&halves, |i, j, cell| exact(i, j) <= widen_number(cell))
            }
            IntegerMatrix::Wide(matrix) => {
                let halves: Vec<Wide> = upper.iter().map(|b| b.half()).collect();
                matrix.all_below(&halves, |i, j, cell| exact(i, j) <= cell)
            }
        }
    }

    fn forget(&mut self, variable: usize) {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.forget(variable),
            IntegerMatrix::Wide(matrix) => {
                matrix.forget(variable);
                *self = Self::from_wide(matrix.clone());
            }
        }
    }

    fn negate(&mut self, variable: usize) {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.negate(variable),
            IntegerMatrix::Wide(matrix) => matrix.negate(variable),
        }
    }

    fn shift(&mut self, variable: usize, high: Wide, minus_low: Wide) {
        let small = shrink_number(high).zip(shrink_number(minus_low));
        if let (IntegerMatrix::Small { magnitude, .. }, Some((high, minus_low))) =
            (&mut *self, small)
        {
            let finite = |b: Small| if b.is_finite() { b.0.abs() } else { 0.0 };
            *magnitude = magnitude.max(finite(high)).max(finite(minus_low));
            if let IntegerMatrix::Small { matrix, .. } = self {
                matrix.shift(variable, high, minus_low);
                self.grown(3.0);
                return;
            }
        }
        let mut wide = self.to_wide();
        wide.shift(variable, high, minus_low);
        *self = Self::from_wide(wide);
    }

    fn copy_variable(&mut self, variable: usize, source: usize) {
        match self {
            IntegerMatrix::Small { matrix, .. } => matrix.copy_variable(variable, source),
            IntegerMatrix::Wide(matrix) => matrix.copy_variable(variable, source),
        }
    }

    fn threshold(bound: Wide, doubled: bool, thresholds: &Thresholds) -> Wide {
        if bound == Wide::INFINITY {
            return bound;
        }
        let value = if doubled { bound.half() } else { bound };
        let Some(threshold) = thresholds.at_least(value.0) else {
            return Wide::INFINITY;
        };
        if doubled {
            Wide(threshold).plus(Wide(threshold))
        } else {
            Wide(threshold)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sizes around which the representation changes.
    fn bounds() -> impl Strategy<Value = i128> {
        prop_oneof![
            -20i128..20,
            (30u32..70, -3i128..4).prop_map(|(bits, off)| (1i128 << bits) + off),
            (30u32..70, -3i128..4).prop_map(|(bits, off)| -(1i128 << bits) + off),
        ]
    }

    proptest! {
        #[test]
        fn the_number_type_does_not_matter(
            cs in prop::collection::vec((0usize..8, 0usize..8, bounds()), 0..12),
            shifts in prop::collection::vec((0usize..4, bounds(), 0i128..9), 0..3),
            removed in 0usize..4,
        ) {
            let mut adaptive = IntegerMatrix::unconstrained(4);
            let mut wide = HalfMatrix::<Wide>::unconstrained(4);
            for (a, b, c) in cs {
                if a == b {
                    continue;
                }
                let expected = wide.add_constraint(a, b, Wide(c));
                prop_assert_eq!(adaptive.add_constraint(a, b, Wide(c)), expected);
                if expected.is_err() {
                    return Ok(());
                }
                prop_assert_eq!(adaptive.to_wide(), wide.clone());
            }
            for (v, low, slack) in shifts {
                adaptive.shift(v, Wide(low + slack), Wide(-low));
                wide.shift(v, Wide(low + slack), Wide(-low));
                prop_assert_eq!(adaptive.to_wide(), wide.clone());
            }
            let mut again = adaptive.clone();
            prop_assert_eq!(again.close(), Ok(()));
            prop_assert_eq!(again.to_wide(), wide.clone());
            adaptive.forget(removed);
            wide.forget(removed);
            prop_assert_eq!(adaptive.to_wide(), wide);
        }
    }

    /// A chain of bounds whose sum no double holds exactly.
    #[test]
    fn long_sums_are_exact() {
        let (variables, step) = (20, (1i128 << 50) - 1);
        let mut chain = IntegerMatrix::unconstrained(variables);
        for v in 1..variables {
            chain.set(2 * v - 2, 2 * v, Wide(step));
        }
        assert!(chain.is_small());
        assert_eq!(chain.close(), Ok(()));
        let expected = 19 * step;
        assert_ne!(expected as f64 as i128, expected);
        assert_eq!(chain.get(0, 38), Wide(expected));
        let mut one_by_one = IntegerMatrix::unconstrained(variables);
        for v in 1..variables {
            assert_eq!(
                one_by_one.add_constraint(2 * v - 2, 2 * v, Wide(step)),
                Ok(())
            );
        }
        assert_eq!(one_by_one, chain);
    }

    #[test]
    fn sixty_four_bit_bounds_are_exact_and_small_ones_return() {
        let mut m = IntegerMatrix::unconstrained(2);
        let max = i128::from(u64::MAX);
        assert_eq!(m.add_constraint(1, 0, Wide(2 * max)), Ok(()));
        assert!(!m.is_small());
        assert_eq!(m.add_constraint(0, 1, Wide(-2 * max)), Ok(()));
        assert_eq!(m.add_constraint(1, 2, Wide(max + 5)), Ok(()));
        assert_eq!(m.get(3, 2), Wide(10));
        m.forget(0);
        assert!(m.is_small());
        assert_eq!(m.get(3, 2), Wide(10));
    }
}
