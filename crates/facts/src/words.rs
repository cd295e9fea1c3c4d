//! Words for users that several crates need.

use std::fmt::Display;

/// "1 place", "2 places": a regular noun with its number.
pub fn count<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(count(0usize, "place"), "0 places");
        assert_eq!(count(1u64, "place"), "1 place");
        assert_eq!(count(12u32, "place"), "12 places");
    }
}
