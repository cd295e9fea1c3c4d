//! The analyses. Each is an [`facts::engine::Engine`]; none knows another.

pub mod arrays;
pub mod bmc;
pub mod candidates;
pub mod execution;
pub mod houdini;
pub mod k_induction;
pub mod model;
pub mod pdr;
pub mod sieve;
