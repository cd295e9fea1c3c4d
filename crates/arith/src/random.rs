//! Pseudo-random numbers that are the same in every run, for choices and for tests.

/// Draws the next number and moves the state on: xorshift64* (S. Vigna, *An experimental
/// exploration of Marsaglia's xorshift generators, scrambled*, 2016). The state is never zero.
pub fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
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
