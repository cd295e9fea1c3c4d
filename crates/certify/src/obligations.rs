//! Questions that must all be answered with "no".

use crate::Rejection;
use cfa::program::Program;
use encoding::path::Path;
use encoding::unwind::{Cut, CutReason, Guide};
use facts::budget::{Budget, SolverBudget};
use logic::{Answer, Solver, Term, TermPool};

/// A solver of the checker's own, and a count of what it refuted.
pub struct Obligations<'a> {
    solver: Box<dyn Solver>,
    budget: &'a Budget,
    pub refuted: usize,
}

impl<'a> Obligations<'a> {
    pub fn new(budget: &'a Budget) -> Obligations<'a> {
        let solver = budget.make_solver(7);
        Obligations {
            solver,
            budget,
            refuted: 0,
        }
    }

    /// The path together with the further conditions has no execution; otherwise the certificate is
    /// wrong.
    pub fn refute(
        &mut self,
        pool: &mut TermPool,
        path: &Path,
        further: &[Term],
        what: impl FnOnce() -> String,
    ) -> Result<(), Rejection> {
        let mut conditions = path.conjuncts_after(0);
        conditions.extend_from_slice(further);
        self.refuted += 1;
        match self.solver.check(pool, &conditions) {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Rejection::Wrong(what())),
            Answer::Unknown(reason) => Err(Rejection::Unfinished(reason.to_string())),
        }
    }

    /// No execution leaves what formulas say there. One that comes to something without a formula,
    /// or to the end of what is unwound at once (steps, or calls of a function by itself within a
    /// block), makes the certificate no worse: it cannot be checked.
    pub fn refute_cut(
        &mut self,
        program: &Program,
        pool: &mut TermPool,
        cut: &Cut,
    ) -> Result<(), Rejection> {
        if cut.reason == CutReason::Stopped {
            return Err(Rejection::Unfinished("out of time".into()));
        }
        let refuted = self.refute(pool, &cut.path, &[], || {
            let why = cut.reason.describe(program);
            format!("it does not exclude executions that cannot be encoded ({why})")
        });
        match (refuted, &cut.reason) {
            (
                Err(Rejection::Wrong(why)),
                CutReason::Beyond(..) | CutReason::Steps | CutReason::Recursion(_),
            ) => Err(Rejection::Unfinished(why)),
            (refuted, _) => refuted,
        }
    }

    /// May the path have an execution? In doubt, yes.
    pub fn is_feasible(&mut self, pool: &mut TermPool, path: &Path) -> bool {
        !self.solver.check(pool, &path.conjuncts_after(0)).is_unsat()
    }

    /// Has the path an execution for certain?
    pub fn has_model(&mut self, pool: &mut TermPool, path: &Path) -> bool {
        self.solver.check(pool, &path.conjuncts_after(0)).is_sat()
    }

    pub fn check_time(&self) -> Result<(), Rejection> {
        if self.budget.is_exhausted() {
            return Err(Rejection::Unfinished("out of time".into()));
        }
        Ok(())
    }
}

/// Follows loops only as far as the solver finds them feasible: otherwise nested loops would be
/// unwound to the bound each time.
impl Guide for Obligations<'_> {
    fn is_feasible(&mut self, pool: &mut TermPool, path: &Path) -> bool {
        Obligations::is_feasible(self, pool, path)
    }

    fn must_stop(&mut self) -> bool {
        self.budget.is_exhausted()
    }
}
