//! Facts about floats that the solver has to prove, or refute with a model, on symbolic operands.

use crate::{Answer, NativeSolver, RoundingMode, Solver, Sort, Term, TermPool};

const RNE: RoundingMode = RoundingMode::NearestEven;
const HALF: Sort = Sort::Float {
    exponent: 5,
    significand: 11,
};

fn constant(pool: &mut TermPool, sort: Sort, value: f32) -> Term {
    let single = pool.fp_const(Sort::FLOAT32, value.to_bits().into());
    pool.fp_to_fp(RNE, sort, single)
}

/// Is the fact true of all operands?
fn prove(pool: &mut TermPool, fact: Term) {
    let counterexample = pool.not(fact);
    let mut solver = NativeSolver::default();
    solver.assert(pool, counterexample);
    assert_eq!(solver.check(pool, &[]), Answer::Unsat);
}

#[test]
fn a_sum_with_one_grows_in_a_range() {
    for sort in [Sort::FLOAT32, Sort::FLOAT64] {
        let mut pool = TermPool::new();
        let x = pool.var("x", sort);
        let [zero, one, hundred] = [0.0, 1.0, 100.0].map(|value| constant(&mut pool, sort, value));
        let lower = pool.fp_le(zero, x);
        let upper = pool.fp_le(x, hundred);
        let sum = pool.fp_add(RNE, x, one);
        let grows = pool.fp_lt(x, sum);
        let range = pool.and(lower, upper);
        let fact = pool.implies(range, grows);
        prove(&mut pool, fact);
    }
}

#[test]
fn a_reciprocal_is_at_most_one() {
    let mut pool = TermPool::new();
    let x = pool.var("x", Sort::FLOAT32);
    let one = constant(&mut pool, Sort::FLOAT32, 1.0);
    let range = pool.fp_le(one, x);
    let reciprocal = pool.fp_div(RNE, one, x);
    let small = pool.fp_le(reciprocal, one);
    let fact = pool.implies(range, small);
    prove(&mut pool, fact);
}

#[test]
fn small_integers_survive_a_float() {
    let mut pool = TermPool::new();
    let n = pool.var("n", Sort::BitVec(16));
    let float = pool.fp_from_signed(RNE, Sort::FLOAT32, n);
    let back = pool.fp_to_signed(RoundingMode::TowardZero, 16, float);
    let fact = pool.eq(n, back);
    prove(&mut pool, fact);
}

#[test]
fn a_float_survives_a_double() {
    let mut pool = TermPool::new();
    let x = pool.var("x", Sort::FLOAT32);
    let double = pool.fp_to_fp(RNE, Sort::FLOAT64, x);
    let back = pool.fp_to_fp(RNE, Sort::FLOAT32, double);
    let fact = pool.eq(x, back);
    prove(&mut pool, fact);
}

/// The two circuits have little in common, so neither can be wrong alone.
#[test]
fn a_sum_is_a_fused_product_with_one() {
    for rm in RoundingMode::ALL {
        let mut pool = TermPool::new();
        let sort = Sort::Float {
            exponent: 3,
            significand: 5,
        };
        let [x, y] = ["x", "y"].map(|name| pool.var(name, sort));
        let one = constant(&mut pool, sort, 1.0);
        let sum = pool.fp_add(rm, x, y);
        let fused = pool.fp_fma(rm, x, one, y);
        let fact = pool.eq(sum, fused);
        prove(&mut pool, fact);
    }
}

#[test]
fn a_root_squared_is_found() {
    let mut pool = TermPool::new();
    let [x, y] = ["x", "y"].map(|name| pool.var(name, HALF));
    let one = constant(&mut pool, HALF, 1.0);
    let root = pool.fp_sqrt(RNE, x);
    let square = pool.fp_mul(RNE, root, root);
    let exact = pool.fp_eq(square, x);
    let inexact = pool.not(exact);
    let above_one = pool.fp_lt(one, x);
    let related = pool.fp_eq(y, root);
    let infinite = pool.fp_is_infinite(x);
    let finite = pool.not(infinite);
    let goal = pool.and_all([inexact, above_one, related, finite]);
    let mut solver = NativeSolver::default();
    solver.assert(&mut pool, goal);
    assert_eq!(solver.check(&mut pool, &[]), Answer::Sat);
    let model = solver.model(&pool, &[x, y]).expect("satisfiable");
    assert_eq!(pool.eval(goal, &model).as_bool(), Some(true));
}
