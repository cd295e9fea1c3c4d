//! What tests need again and again: programs from text, programs made by hand, random
//! numbers that are the same in every run.
//!
//! The feature `analyses` adds boards, an engine, and answers held against the checker; without it
//! the crate lies low enough for the tests of the front end. Only tests and examples depend on this
//! crate.

mod arguments;
#[cfg(feature = "analyses")]
mod boards;
#[cfg(feature = "analyses")]
mod certified;
mod hand;
mod load;
#[cfg(feature = "analyses")]
mod says;

pub use arguments::Arguments;
pub use arith::random::Random;
#[cfg(feature = "analyses")]
pub use boards::{Counts, Recorder, assert_knowledge_laws};
#[cfg(feature = "analyses")]
pub use certified::assert_sound;
pub use hand::Hand;
pub use load::{PRELUDE, lowered, program, with_tree};
#[cfg(feature = "analyses")]
pub use says::Says;
