//! What every solver keeps to.

use super::{Answer, Solver};
use crate::{Sort, TermPool};

/// What is asserted in a frame goes with it, and a core is a part of what was assumed.
pub fn check_frames(solver: &mut dyn Solver, name: &str) {
    let mut pool = TermPool::new();
    let x = pool.var("x y", Sort::BitVec(8));
    let five = pool.bv(8, 5);
    let less = pool.ult(x, five);
    let more = pool.ugt(x, five);
    solver.assert(&mut pool, less);
    solver.push();
    solver.assert(&mut pool, more);
    assert_eq!(solver.check(&mut pool, &[]), Answer::Unsat, "{name}");
    solver.pop();
    assert_eq!(solver.check(&mut pool, &[less]), Answer::Sat, "{name}");
    assert_eq!(solver.holds(&pool, less), Some(true), "{name}");
    let both = solver.check(&mut pool, &[less, more]);
    assert_eq!(both, Answer::Unsat, "{name}");
    assert_eq!(solver.core(), &[more], "{name}");
}
