//! Benchmarks of verifiers, each run a process under limits.
//!
//! - [`verdict`]: answers, expectations, points.
//! - [`tasks`]: lists of programs with what is asked of them.
//! - [`tool`]: verifiers described by data: how to call them and what their output means.
//! - [`mod@bench`]: every task with every verifier, each result kept at once, interrupted and resumed
//!   at will.
//! - [`cluster`]: the same on many machines, by an engine that is there already.
//! - [`progress`]: what a person sees meanwhile.
//! - [`suggestion`]: the name that was probably meant.

pub mod bench;
pub mod cluster;
pub mod progress;
pub mod suggestion;
pub mod tasks;
pub mod tool;
pub mod verdict;
