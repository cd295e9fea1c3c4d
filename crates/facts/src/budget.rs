//! What an analysis may use: limits, and which solver.

use logic::{Solver, SolverChoice, SolverOptions};

/// The limits of an analysis, with what answers its questions about formulas.
pub type Budget = control::Budget<SolverChoice>;

/// Solvers within a budget.
pub trait SolverBudget {
    /// What answers questions about formulas.
    fn solver(&self) -> &SolverChoice;

    /// The same with another solver.
    #[must_use]
    fn with_solver(&self, solver: SolverChoice) -> Budget;

    /// A solver of the chosen kind that stops with the budget and stays within its memory.
    fn make_solver(&self, seed: u32) -> Box<dyn Solver>;
}

impl SolverBudget for Budget {
    fn solver(&self) -> &SolverChoice {
        &self.means
    }

    fn with_solver(&self, solver: SolverChoice) -> Budget {
        self.with_means(solver)
    }

    fn make_solver(&self, seed: u32) -> Box<dyn Solver> {
        let mut solver = self.solver().make(SolverOptions {
            seed,
            memory_limit: self.memory,
            ..SolverOptions::default()
        });
        solver.set_stop(self.stop.clone());
        solver
    }
}
