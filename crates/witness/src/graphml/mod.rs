//! GraphML 1.0: automata whose edges are matched with the program's steps.
//!
//! Read: any automaton for a violation; for correctness the invariants of nodes, whose place is the
//! line of an edge that enters them. Written: a chain.

mod read;
mod write;

pub use read::read;
pub use write::write;

#[cfg(test)]
mod tests;
