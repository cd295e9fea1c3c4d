//! Deciding formulas: the interface, the default solver, and solvers behind a pipe.

mod arrays;
mod choice;
mod cnf;
mod conversation;
mod definitions;
mod external;
#[cfg(test)]
mod laws;
mod memory;
mod native;
mod values;

pub use choice::SolverChoice;
pub use conversation::{ExternalError, solver_command};
pub use external::ExternalSolver;
pub use native::{NativeSolver, SolverOptions, SolverStatistics};

use crate::term::{Model, Term, TermPool, Value};
use control::StopToken;
use std::fmt;

/// What a check found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; see [`Solver::value`].
    Sat,
    /// There is none under the assumptions; see [`Solver::core`].
    Unsat,
    /// Neither was found.
    Unknown(UnknownReason),
}

impl Answer {
    /// Is there a model?
    pub fn is_sat(&self) -> bool {
        *self == Answer::Sat
    }

    /// Is there no model?
    pub fn is_unsat(&self) -> bool {
        *self == Answer::Unsat
    }
}

/// Why a check was not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The stop token was set, or its deadline passed.
    Stopped,
    /// The memory limit was reached.
    Memory,
    /// The formula contains something that the solver does not support.
    Unsupported(String),
    /// The solver gave up or failed; its own words.
    Solver(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Stopped => write!(f, "stopped"),
            UnknownReason::Memory => write!(f, "memory limit reached"),
            UnknownReason::Unsupported(what) => write!(f, "unsupported: {what}"),
            UnknownReason::Solver(words) => write!(f, "solver: {words}"),
        }
    }
}

/// An incremental solver over the terms of one pool.
///
/// Laws:
/// - All calls on one solver use the same pool.
/// - `check` answers for the conjunction of all assertions of open frames and the assumptions.
///   Assumptions are arbitrary boolean terms and hold for one check only.
/// - After [`Answer::Sat`], until the next call that is not `value` or `model`, every asserted and
///   assumed term has the value true, and values of terms agree with evaluation under the model.
/// - After [`Answer::Unsat`], `core` is a subset of the assumptions that is unsatisfiable with the
///   assertions.
/// - A check ends within about 100 ms after the stop token is set.
pub trait Solver {
    /// Adds a boolean term to the current frame.
    fn assert(&mut self, pool: &mut TermPool, term: Term);

    /// Opens a frame.
    fn push(&mut self);

    /// Closes the newest frame and forgets its assertions. Without an open frame nothing happens.
    fn pop(&mut self);

    /// Is there a model of the assertions and assumptions?
    fn check(&mut self, pool: &mut TermPool, assumptions: &[Term]) -> Answer;

    /// The value of any term in the model; `None` unless the last check was satisfiable.
    fn value(&mut self, pool: &TermPool, term: Term) -> Option<Value>;

    /// The values of the given variables (or other terms) as a model that outlives the solver's
    /// next call.
    fn model(&mut self, pool: &TermPool, terms: &[Term]) -> Option<Model> {
        let mut model = Model::new();
        for &term in terms {
            model.set(term, self.value(pool, term)?);
        }
        Some(model)
    }

    /// The assumptions that were used to refute; empty unless the last check was unsatisfiable.
    fn core(&self) -> &[Term];

    /// What interrupts a check.
    fn set_stop(&mut self, stop: StopToken);

    /// How often the solver was started anew behind the interface, where it says.
    fn restarts(&self) -> u64 {
        0
    }

    /// Is the boolean term true in the model?
    fn holds(&mut self, pool: &TermPool, term: Term) -> Option<bool> {
        self.value(pool, term)?.as_bool()
    }
}
