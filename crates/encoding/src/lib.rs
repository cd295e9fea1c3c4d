//! What operations and paths of a program mean in logic.
//!
//! No search lives here: whoever looks for a proof or a counterexample builds its formulas with
//! this crate, and so does whoever checks one.

pub mod algebra;
pub mod back;
pub mod blocks;
pub mod layout;
pub mod memory;
pub mod model;
pub mod path;
pub mod persistent;
pub mod state;
pub mod step;
pub mod unwind;
pub mod vocabulary;
