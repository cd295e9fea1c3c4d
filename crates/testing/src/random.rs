//! Random numbers for tests that make programs: the same in every run.

use arith::random::xorshift;

/// Drawn by [`xorshift`]; the seed is not zero.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        (xorshift(&mut self.0) >> 33) % limit
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}
