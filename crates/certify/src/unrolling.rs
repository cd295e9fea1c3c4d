//! Complete unrollings: unwound once more, with formulas and a solver of our own.

use crate::{Accepted, Rejection};
use cfa::program::Program;
use encoding::path::Path;
use encoding::step::Encoder;
use encoding::unwind::{Guide, Limits, Unwinder};
use facts::budget::Budget;
use facts::certificate::UnrollingBounds;
use logic::{Answer, NativeSolver, Solver, SolverOptions, Term, TermPool};

/// Follows loops only as far as the solver finds them feasible: otherwise nested loops would be unwound to the
/// bound each time.
struct Checked<'a> {
    solver: &'a mut NativeSolver,
    budget: &'a Budget,
}

impl Guide for Checked<'_> {
    fn is_feasible(&mut self, pool: &mut TermPool, path: &Path) -> bool {
        !self.solver.check(pool, &path.conjuncts_after(0)).is_unsat()
    }

    fn must_stop(&mut self) -> bool {
        self.budget.is_exhausted()
    }
}

pub(crate) fn check(
    program: &Program,
    bounds: &UnrollingBounds,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let limits = Limits {
        iterations: bounds.iterations,
        recursion: bounds.recursion,
        steps: bounds.steps,
    };
    let options = SolverOptions {
        seed: 7,
        memory_limit: budget.memory,
        ..SolverOptions::default()
    };
    let mut solver = NativeSolver::new(options);
    solver.set_stop(budget.stop.clone());
    let mut unwinder = Unwinder::new(Encoder::new(program));
    let unwinding = unwinder.unwind(
        &limits,
        &mut Checked {
            solver: &mut solver,
            budget,
        },
    );
    if budget.is_exhausted() {
        return Err(Rejection::Unfinished("out of time".into()));
    }
    let pool = &mut unwinder.encoder.pool;
    let mut obligations = 0;
    let mut refute = |pool: &mut TermPool, path: &Path, what: &str| -> Result<(), Rejection> {
        let conjuncts: Vec<Term> = path.conjuncts_after(0);
        obligations += 1;
        match solver.check(pool, &conjuncts) {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Rejection::Wrong(what.into())),
            Answer::Unknown(reason) => Err(Rejection::Unfinished(reason.to_string())),
        }
    };
    for error in &unwinding.errors {
        refute(
            pool,
            &error.path,
            "an execution within the bound violates the property",
        )?;
    }
    for cut in &unwinding.cuts {
        let what = format!("an execution leaves the bound ({:?})", cut.reason);
        refute(pool, &cut.path, &what)?;
    }
    Ok(Accepted {
        how: format!(
            "unwound again to bound {} ({} steps, {obligations} obligations refuted)",
            bounds.iterations, unwinding.steps
        ),
    })
}

/// A run without inputs: the unwinding has one path and needs no bound but the number of steps.
pub(crate) fn check_deterministic(
    program: &Program,
    steps: u64,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let bounds = UnrollingBounds {
        iterations: 0,
        recursion: u32::MAX,
        steps: steps.saturating_mul(4).max(10_000),
    };
    let accepted = check(program, &bounds, budget)?;
    Ok(Accepted {
        how: format!("the only execution, {}", accepted.how),
    })
}
