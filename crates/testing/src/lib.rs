//! What tests need again and again: programs from text, programs made by hand, random
//! numbers that are the same in every run.
//!
//! Only tests and examples depend on this crate.

mod hand;
mod load;
mod random;

pub use hand::Hand;
pub use load::{PRELUDE, lowered, program};
pub use random::Random;
