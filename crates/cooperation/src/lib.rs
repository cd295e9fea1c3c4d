//! How analyses work together: the facts that they share, and the ways in which they are combined.
//!
//! Nothing here knows a particular analysis.

pub mod at_most;
pub mod master;
pub mod parallel;
pub mod part;
mod said;
pub mod sequence;
pub mod sharing;
pub mod store;
mod versions;

/// What [`versions`] is made of.
mod sync {
    pub use std::sync::atomic::{AtomicUsize, Ordering};
    pub use std::sync::{Arc, Mutex};
}

#[cfg(test)]
mod combination_tests;
#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod master_tests;
#[cfg(test)]
mod tests;
