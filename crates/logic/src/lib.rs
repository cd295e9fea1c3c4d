//! Formulas: terms, solvers, interpolation.
//!
//! ```
//! use logic::{NativeSolver, Solver, SolverOptions, Sort, TermPool};
//!
//! // Is there a byte whose square is 169? And a small one?
//! let mut pool = TermPool::new();
//! let x = pool.var("x", Sort::BitVec(8));
//! let square = pool.bv_mul(x, x);
//! let wanted = pool.bv(8, 169);
//! let found = pool.eq(square, wanted);
//! let ten = pool.bv(8, 10);
//! let small = pool.ult(x, ten);
//!
//! let mut solver = NativeSolver::new(SolverOptions::default());
//! solver.assert(&mut pool, found);
//! assert!(solver.check(&mut pool, &[]).is_sat());
//! assert!(solver.check(&mut pool, &[small]).is_unsat());
//! assert_eq!(solver.core(), [small]);
//! ```

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
