//! What inductive arguments over blocks are made of, for all engines that make them.
//!
//! | file | what |
//! |---|---|
//! | [`graph`] | the program as a graph of blocks between cut points |
//! | [`cuts`], [`special`] | where blocks end; blocks from states with known values |
//! | [`solver_graph`], [`solving`] | the graph of adjustable blocks, with a solver for each block |
//! | [`saying`] | what formulas about states mean as expressions |
//! | [`statements`] | expressions as formulas at the beginning and end of blocks |
//! | [`hoare`] | the check of Hoare triples `{φ} step {ψ}`, in layers |
//! | [`houdini`] | the greatest inductive subset of candidates |
//! | [`frames`], [`obligations`], [`relative`] | what property-directed reachability is made of |
//! | [`relevant`] | the variables that decide whether a violation is reached |
//! | [`known`] | facts from the board, as proofs about loop heads can use them |
//! | [`guide`] | ends an unwinding with the budget |
//!
//! Nothing here is believed: what an engine finds with it is certified by code that does not know
//! this crate.

pub mod cuts;
pub mod frames;
pub mod graph;
pub mod guide;
pub mod hoare;
pub mod houdini;
pub mod known;
pub mod obligations;
pub mod relative;
pub mod relevant;
pub mod saying;
pub mod solver_graph;
pub mod solving;
pub mod special;
pub mod statements;
#[cfg(test)]
mod testing;
