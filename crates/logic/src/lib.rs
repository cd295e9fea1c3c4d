//! Formulas: terms, solvers, interpolation.

pub mod flatten;
pub mod float;
#[cfg(test)]
mod random_terms;
pub mod sat;
pub mod solver;
mod stop;
pub mod term;

pub use solver::{Answer, NativeSolver, Solver, SolverOptions, UnknownReason};
pub use stop::StopToken;

pub use term::{
    ArrayValue, BvValue, Evaluator, Model, Op, RoundingMode, Sort, Symbol, Term, TermPool, Value,
};
