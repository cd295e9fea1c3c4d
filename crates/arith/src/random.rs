//! Pseudo-random numbers that are the same in every run, for choices and for tests.

/// Draws the next number and moves the state on: xorshift64* (S. Vigna, *An experimental
/// exploration of Marsaglia's xorshift generators, scrambled*, 2016). The state is never zero.
pub fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

/// A stream of numbers drawn by [`xorshift`]; the seed is not zero.
pub struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> u64 {
        xorshift(&mut self.0)
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.number()) << 64 | u128::from(self.number())
    }

    /// A number below the bound. (The low bits of the stream are its worst.)
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.number() >> 16) % bound
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_algorithm() {
        let mut state = 1;
        assert_eq!(xorshift(&mut state), 0x47e4_ce4b_896c_dd1d);
        assert_eq!(state, 0x0200_0001);
    }
}
