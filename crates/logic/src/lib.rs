//! Formulas: terms, solvers, interpolation.

pub mod bdd;
mod cube;
pub mod flatten;
pub mod float;
pub mod interpolate;
#[cfg(test)]
mod random_terms;
pub mod sat;
pub mod smtlib;
pub mod solver;
pub mod term;

pub use cube::Cube;
pub use solver::{Answer, NativeSolver, Solver, SolverChoice, SolverOptions, UnknownReason};

pub use term::{
    ArrayValue, BvValue, Evaluator, Model, Op, RoundingMode, Sort, Symbol, Term, TermPool, Value,
};
