//! The program as analyses see it: control-flow automata over typed, side-effect-free expressions, with
//! memory split into objects and regions, and a map back to the source text.
//!
//! No formula of a solver lives here.

pub mod algebra;
pub mod concrete;
pub mod expr;
pub mod memory;
pub mod op;
pub mod order;
pub mod program;
pub mod value;
