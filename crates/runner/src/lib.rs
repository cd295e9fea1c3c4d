//! Runs programs under limits, and benchmarks of verifiers with them.
//!
//! - [`process`]: one command, its whole process tree limited and measured from outside.

pub mod process;
