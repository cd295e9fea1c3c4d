//! Craig interpolation behind one interface.
//!
//! Interpolants come from refutations of the propositional solver ([`ProofInterpolator`]); the
//! predicate analysis has a source of its own, which searches over atoms of the program.

mod check;
mod proof;
#[cfg(test)]
mod tests;

pub use check::check_interpolants;
pub use proof::{Labelling, ProofInterpolator};

use crate::solver::UnknownReason;
use crate::term::{Term, TermPool};
use control::StopToken;
use std::fmt;

/// Why there is no sequence of interpolants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterpolationError {
    /// The blocks have a common model, so there is none.
    Satisfiable,
    /// This interpolator cannot find one; another may.
    Declined(String),
    /// Unsatisfiability was not decided.
    Unknown(UnknownReason),
}

impl fmt::Display for InterpolationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpolationError::Satisfiable => write!(f, "the blocks are satisfiable"),
            InterpolationError::Declined(why) => write!(f, "no interpolant: {why}"),
            InterpolationError::Unknown(reason) => write!(f, "not decided: {reason}"),
        }
    }
}

impl std::error::Error for InterpolationError {}

/// Finds inductive sequences of interpolants.
///
/// Law: for blocks `A1 … An` whose conjunction is unsatisfiable the result is `I1 … I(n-1)` such
/// that, with `I0` true and `In` false, `I(k-1) ∧ Ak` implies `Ik` for each `k`, and every variable
/// of `Ik` occurs both in `A1 … Ak` and in `A(k+1) … An`. [`check_interpolants`] checks exactly
/// this.
pub trait Interpolator {
    /// The interpolants between consecutive blocks: one fewer than blocks.
    fn interpolate(
        &mut self,
        pool: &mut TermPool,
        blocks: &[Term],
        stop: &StopToken,
    ) -> Result<Vec<Term>, InterpolationError>;
}
