//! The analyses that search with formulas or by execution. Each is an [`facts::engine::Engine`].
//!
//! No engine starts another, but for [`contracts`], which starts some on a program of its own. What
//! several of them need lies in crate `induction`; two services live beside the engine that they
//! come from, and others use them: [`houdini::prove_with`] (by [`arrays`]), and [`model`], which
//! replays a model as an execution.

pub mod arrays;
pub mod bmc;
pub mod candidates;
pub mod contracts;
pub mod execution;
pub mod houdini;
pub mod ic3cfa;
pub mod k_induction;
pub mod model;
pub mod pdr;
pub mod sieve;
