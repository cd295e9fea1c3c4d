//! How analyses work together: the facts that they share, and the ways in which they are combined.
//!
//! Nothing here knows a particular analysis.

pub mod parallel;
pub mod sequence;
pub mod store;

#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod tests;
