//! Formulas: terms, solvers, interpolation.

#[cfg(test)]
mod random_terms;
pub mod term;

pub use term::{
    ArrayValue, BvValue, Evaluator, Model, Op, RoundingMode, Sort, Symbol, Term, TermPool, Value,
};
