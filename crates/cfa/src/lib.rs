//! The program as analyses see it: control-flow automata over typed, side-effect-free expressions, with
//! memory split into objects and regions, and a map back to the source text.
//!
//! No formula of a solver lives here.

pub mod algebra;
pub mod blocks;
pub mod build;
pub mod comparisons;
pub mod concrete;
mod describe;
pub mod dominators;
pub mod emit_c;
pub mod export;
pub mod expr;
mod expr_laws;
pub mod features;
pub mod interpreter;
pub mod live;
pub mod lower;
pub mod memory;
pub mod models;
pub mod monitor;
pub mod op;
pub mod order;
pub mod outside;
mod owners;
pub mod passes;
pub mod place;
pub mod print_c;
pub mod program;
pub mod property;
pub mod regions;
pub mod undefined;
pub mod value;
