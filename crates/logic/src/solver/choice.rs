//! Which solver to use: our own, or another one in a process of its own.

use super::external::{ExternalError, ExternalSolver};
use super::{Answer, NativeSolver, Solver, SolverOptions, UnknownReason};
use crate::StopToken;
use crate::term::{Term, TermPool, Value};

/// A choice that was made once for a whole run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SolverChoice {
    #[default]
    Native,
    /// A well-known name (`z3`, `cvc5`, `bitwuzla`) or a command.
    External(String),
}

impl SolverChoice {
    /// `native` or `concord` is our own; everything else names another.
    pub fn named(name: &str) -> SolverChoice {
        match name.trim() {
            "native" | "concord" => SolverChoice::Native,
            other => SolverChoice::External(other.to_string()),
        }
    }

    /// Can the solver be used at all? Starts it for a moment.
    pub fn check(&self) -> Result<(), ExternalError> {
        match self {
            SolverChoice::Native => Ok(()),
            SolverChoice::External(name) => ExternalSolver::start(name).map(drop),
        }
    }

    /// A solver without assertions. One that cannot be started answers "unknown" to everything.
    pub fn make(&self, options: SolverOptions) -> Box<dyn Solver> {
        match self {
            SolverChoice::Native => Box::new(NativeSolver::new(options)),
            SolverChoice::External(name) => Box::new(Restarting::new(name)),
        }
    }
}

/// An external solver that is started anew after it was interrupted: the process that was thinking then is of no use
/// any more, but its assertions still hold.
struct Restarting {
    name: String,
    running: Result<ExternalSolver, String>,
    /// What was asserted in each open frame; the first is always open.
    frames: Vec<Vec<Term>>,
    stop: StopToken,
}

impl Restarting {
    fn new(name: &str) -> Restarting {
        Restarting {
            name: name.to_string(),
            running: ExternalSolver::start(name).map_err(|error| error.to_string()),
            frames: vec![Vec::new()],
            stop: StopToken::new(),
        }
    }

    /// The solver with all assertions.
    fn solver(&mut self, pool: &mut TermPool) -> Result<&mut ExternalSolver, &str> {
        if self.running.as_ref().is_ok_and(ExternalSolver::is_broken) {
            self.running = ExternalSolver::start(&self.name).map_err(|error| error.to_string());
            if let Ok(solver) = &mut self.running {
                solver.set_stop(self.stop.clone());
                for (number, frame) in self.frames.iter().enumerate() {
                    if number > 0 {
                        solver.push();
                    }
                    for &term in frame {
                        solver.assert(pool, term);
                    }
                }
            }
        }
        self.running.as_mut().map_err(|error| error.as_str())
    }
}

impl Solver for Restarting {
    fn assert(&mut self, pool: &mut TermPool, term: Term) {
        if let Ok(solver) = self.solver(pool) {
            solver.assert(pool, term);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.push(term);
        }
    }

    fn push(&mut self) {
        self.frames.push(Vec::new());
        if let Ok(solver) = &mut self.running {
            solver.push();
        }
    }

    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
        if let Ok(solver) = &mut self.running {
            solver.pop();
        }
    }

    fn check(&mut self, pool: &mut TermPool, assumptions: &[Term]) -> Answer {
        match self.solver(pool) {
            Ok(solver) => solver.check(pool, assumptions),
            Err(error) => Answer::Unknown(UnknownReason::Solver(error.to_string())),
        }
    }

    fn value(&mut self, pool: &TermPool, term: Term) -> Option<Value> {
        self.running.as_mut().ok()?.value(pool, term)
    }

    fn core(&self) -> &[Term] {
        match &self.running {
            Ok(solver) => solver.core(),
            Err(_) => &[],
        }
    }

    fn set_stop(&mut self, stop: StopToken) {
        if let Ok(solver) = &mut self.running {
            solver.set_stop(stop.clone());
        }
        self.stop = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;
    use std::time::Duration;

    #[test]
    fn an_absent_solver_is_said_to_be_absent() {
        let choice = SolverChoice::named("no-such-solver-anywhere");
        let message = choice.check().expect_err("it is not there").to_string();
        assert!(message.contains("no-such-solver-anywhere"), "{message}");
        let mut pool = TermPool::new();
        let mut solver = choice.make(SolverOptions::default());
        assert!(matches!(solver.check(&mut pool, &[]), Answer::Unknown(_)));
    }

    #[test]
    fn an_interrupted_solver_goes_on_with_its_assertions() {
        let choice = SolverChoice::named("z3");
        if choice.check().is_err() {
            println!("SKIPPED: no z3");
            return;
        }
        let mut pool = TermPool::new();
        let (x, y) = (pool.var("x", Sort::Bool), pool.var("y", Sort::Bool));
        let mut solver = choice.make(SolverOptions::default());
        solver.assert(&mut pool, x);
        solver.push();
        solver.assert(&mut pool, y);
        solver.set_stop(StopToken::new().with_timeout(Duration::ZERO));
        assert_eq!(
            solver.check(&mut pool, &[]),
            Answer::Unknown(UnknownReason::Stopped)
        );
        solver.set_stop(StopToken::new());
        let (not_x, not_y) = (pool.not(x), pool.not(y));
        assert!(solver.check(&mut pool, &[not_y]).is_unsat());
        solver.pop();
        assert!(solver.check(&mut pool, &[not_y]).is_sat());
        assert!(solver.check(&mut pool, &[not_x]).is_unsat());
    }
}
