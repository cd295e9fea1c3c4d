//! Is a sequence one of interpolants? Independent of how it was found.

use crate::solver::{Answer, NativeSolver, Solver};
use crate::term::{Term, TermPool};
use control::StopToken;
use rustc_hash::FxHashSet;

/// Checks the law of [`super::Interpolator`]. An undecided step is not an error; a refuted one is.
pub fn check_interpolants(
    pool: &mut TermPool,
    blocks: &[Term],
    interpolants: &[Term],
    stop: &StopToken,
) -> Result<(), String> {
    if interpolants.len() + 1 != blocks.len() {
        return Err(format!(
            "{} interpolants for {} blocks",
            interpolants.len(),
            blocks.len()
        ));
    }
    let mut before = TermPool::TRUE;
    for (number, &block) in blocks.iter().enumerate() {
        let after = interpolants.get(number).copied().unwrap_or(TermPool::FALSE);
        let not_after = pool.not(after);
        let mut solver = NativeSolver::default();
        solver.set_stop(stop.clone());
        for term in [before, block, not_after] {
            solver.assert(pool, term);
        }
        if solver.check(pool, &[]) == Answer::Sat {
            return Err(format!("step {number} is not inductive"));
        }
        before = after;
    }
    for (number, &interpolant) in interpolants.iter().enumerate() {
        let prefix: FxHashSet<Term> = pool.free_vars_of(&blocks[..=number]).into_iter().collect();
        let suffix: FxHashSet<Term> = pool
            .free_vars_of(&blocks[number + 1..])
            .into_iter()
            .collect();
        for variable in pool.free_vars(interpolant) {
            if !prefix.contains(&variable) || !suffix.contains(&variable) {
                return Err(format!("interpolant {number} uses a variable of one side"));
            }
        }
    }
    Ok(())
}
