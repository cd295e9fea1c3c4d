//! The program as analyses see it, and what it means: control-flow automata over typed,
//! side-effect-free expressions, with memory split into objects and regions, and a map back to the
//! source text.
//!
//! How a program is made from C is `lowering`; no formula of a solver lives here.

pub mod algebra;
pub mod build;
pub mod comparisons;
pub mod concrete;
mod describe;
pub mod dominators;
pub mod expr;
mod expr_laws;
pub mod live;
pub mod memory;
pub mod op;
pub mod order;
pub mod outside;
pub mod owners;
pub mod place;
pub mod program;
pub mod value;
