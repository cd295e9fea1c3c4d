//! Where an analysis gets its solvers, and what it spends in them.
//!
//! All of its questions go through here, so that a chosen solver answers them and the time is
//! known. Interpolation from a proof is the exception: only the default solver gives proofs.

use control::StopToken;
use control::clock;
use logic::{Answer, Solver, SolverChoice, SolverOptions, Term, TermPool, Value};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Makes solvers. Copies share the counts.
#[derive(Clone, Default)]
pub struct Solving {
    choice: SolverChoice,
    memory_limit: Option<u64>,
    spent: Rc<Spent>,
}

#[derive(Default)]
struct Spent {
    checks: Cell<u64>,
    time: Cell<Duration>,
}

impl Solving {
    pub fn new(choice: SolverChoice, memory_limit: Option<u64>) -> Solving {
        Solving {
            choice,
            memory_limit,
            spent: Rc::default(),
        }
    }

    /// A solver without assertions.
    pub fn solver(&self, stop: &StopToken) -> Box<dyn Solver> {
        let mut solver = self.choice.make(SolverOptions {
            memory_limit: self.memory_limit,
            ..SolverOptions::default()
        });
        solver.set_stop(stop.clone());
        Box::new(Counted {
            solver,
            spent: Rc::clone(&self.spent),
        })
    }

    /// Proofs come from the default solver only.
    pub fn gives_proofs(&self) -> bool {
        self.choice == SolverChoice::Native
    }

    /// Questions asked so far.
    pub fn checks(&self) -> u64 {
        self.spent.checks.get()
    }

    /// Time spent in questions so far.
    pub fn time(&self) -> Duration {
        self.spent.time.get()
    }
}

/// A solver whose questions are counted.
struct Counted {
    solver: Box<dyn Solver>,
    spent: Rc<Spent>,
}

impl Solver for Counted {
    fn assert(&mut self, pool: &mut TermPool, term: Term) {
        self.solver.assert(pool, term);
    }

    fn push(&mut self) {
        self.solver.push();
    }

    fn pop(&mut self) {
        self.solver.pop();
    }

    fn check(&mut self, pool: &mut TermPool, assumptions: &[Term]) -> Answer {
        let start = clock::now();
        let answer = self.solver.check(pool, assumptions);
        self.spent.checks.set(self.spent.checks.get() + 1);
        self.spent
            .time
            .set(self.spent.time.get() + clock::since(start));
        answer
    }

    fn value(&mut self, pool: &TermPool, term: Term) -> Option<Value> {
        self.solver.value(pool, term)
    }

    fn core(&self) -> &[Term] {
        self.solver.core()
    }

    fn restarts(&self) -> u64 {
        self.solver.restarts()
    }

    fn set_stop(&mut self, stop: StopToken) {
        self.solver.set_stop(stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_counted_over_all_solvers() {
        let solving = Solving::default();
        let mut pool = TermPool::new();
        for count in 1..=3 {
            let mut solver = solving.solver(&StopToken::new());
            assert!(solver.check(&mut pool, &[]).is_sat());
            assert_eq!(solving.clone().checks(), count);
        }
        assert!(solving.time() > Duration::ZERO);
    }
}
