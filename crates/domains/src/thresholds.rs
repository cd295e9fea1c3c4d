//! The values at which a widening may rest before it goes to infinity.

/// A finite, sorted set of widening thresholds: constants of the program, their neighbours, bounds
/// of types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thresholds {
    sorted: Vec<i128>,
}

impl Thresholds {
    /// No thresholds: widening goes straight to infinity.
    pub const fn none() -> Self {
        Thresholds { sorted: Vec::new() }
    }

    pub fn new(values: impl IntoIterator<Item = i128>) -> Self {
        let mut sorted: Vec<i128> = values.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        Thresholds { sorted }
    }

    /// The given constants with the values one below and one above each, as loop bounds are usually
    /// off by one.
    pub fn with_neighbours(constants: impl IntoIterator<Item = i128>) -> Self {
        Self::new(
            constants
                .into_iter()
                .flat_map(|c| [c.saturating_sub(1), c, c.saturating_add(1)]),
        )
    }

    pub fn values(&self) -> &[i128] {
        &self.sorted
    }

    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The least threshold that is at least `bound`.
    pub fn at_least(&self, bound: i128) -> Option<i128> {
        let position = self.sorted.partition_point(|&t| t < bound);
        self.sorted.get(position).copied()
    }

    /// The greatest threshold that is at most `bound`.
    pub fn at_most(&self, bound: i128) -> Option<i128> {
        let position = self.sorted.partition_point(|&t| t <= bound);
        position.checked_sub(1).map(|p| self.sorted[p])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_threshold_on_each_side() {
        let t = Thresholds::with_neighbours([10, -3]);
        assert_eq!(t.values(), &[-4, -3, -2, 9, 10, 11]);
        assert_eq!(t.at_least(-1), Some(9));
        assert_eq!(t.at_least(9), Some(9));
        assert_eq!(t.at_least(12), None);
        assert_eq!(t.at_most(8), Some(-2));
        assert_eq!(t.at_most(-4), Some(-4));
        assert_eq!(t.at_most(-5), None);
    }
}
