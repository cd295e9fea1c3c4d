//! Runs programs under limits, and benchmarks of verifiers with them.
//!
//! - [`process`]: one command, its whole process tree limited and measured from outside.
//! - [`verdict`]: answers, expectations, points.
//! - [`tasks`]: lists of programs with what is asked of them.
//! - [`tool`]: verifiers described by data: how to call them and what their output means.

pub mod process;
pub mod tasks;
pub mod tool;
pub mod verdict;
