//! Random unsatisfiable sequences of blocks, and the examples that papers draw.

use super::*;
use crate::random_terms::{Random, RandomTerms, Shape};
use crate::solver::{NativeSolver, Solver};
use crate::term::Sort;
use rustc_hash::FxHashMap;

/// Blocks over shared variables and variables of their own.
fn random_blocks(random: &mut Random, shape: &Shape) -> (TermPool, Vec<Term>) {
    let mut terms = RandomTerms::generate(random, shape.clone());
    let booleans: Vec<Term> = terms
        .entries
        .iter()
        .map(|entry| entry.term)
        .filter(|&term| terms.pool.sort(term) == Sort::Bool && !terms.pool.is_const(term))
        .collect();
    let pool = &mut terms.pool;
    let count = 2 + random.below(3);
    let mut blocks = Vec::new();
    for block in 0..count {
        let literals: Vec<Term> = (0..3).map(|_| random.literal(pool, &booleans)).collect();
        let term = pool.and_all(literals);
        let mut renaming = FxHashMap::default();
        for variable in pool.free_vars(term) {
            // A third of the variables are the block's own.
            if random.chance(3) {
                let sort = pool.sort(variable);
                let own = pool.var(&format!("own{block}_{}", variable.index()), sort);
                renaming.insert(variable, own);
            }
        }
        blocks.push(pool.substitute(term, &renaming));
    }
    (terms.pool, blocks)
}

fn check_proofs(shape: &Shape, seeds: u64, may_decline: bool) {
    let stop = StopToken::new();
    let (mut found, mut declined) = (0, 0);
    for seed in 0..seeds {
        let mut random = Random::new(seed + 4242);
        let (mut pool, blocks) = random_blocks(&mut random, shape);
        let mut solver = NativeSolver::default();
        let unsatisfiable = solver.check(&mut pool, &blocks).is_unsat();
        for labelling in [
            Labelling::McMillan,
            Labelling::Pudlak,
            Labelling::InverseMcMillan,
        ] {
            let mut interpolator = ProofInterpolator { labelling };
            match interpolator.interpolate(&mut pool, &blocks, &stop) {
                Ok(interpolants) => {
                    assert!(unsatisfiable, "seed {seed}");
                    let verdict = check_interpolants(&mut pool, &blocks, &interpolants, &stop);
                    assert_eq!(verdict, Ok(()), "seed {seed}, {labelling:?}");
                    found += 1;
                }
                Err(InterpolationError::Satisfiable) => assert!(!unsatisfiable, "seed {seed}"),
                Err(InterpolationError::Declined(why)) if may_decline => {
                    assert!(unsatisfiable, "seed {seed}: {why}");
                    declined += 1;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(
        found > seeds as usize / 4,
        "{found} found, {declined} declined"
    );
}

#[test]
fn proofs_give_interpolants_of_bit_vectors() {
    let shape = Shape {
        widths: vec![1, 3, 4],
        arrays: false,
        models: 1,
        ..Shape::default()
    };
    check_proofs(&shape, 200, false);
}

#[test]
fn proofs_give_interpolants_of_arrays_or_decline() {
    let shape = Shape {
        widths: vec![1, 2, 3],
        hard_operators: false,
        models: 1,
        ..Shape::default()
    };
    check_proofs(&shape, 200, true);
}

#[test]
fn proofs_give_interpolants_of_floats() {
    let shape = Shape {
        widths: vec![8],
        arrays: false,
        hard_operators: false,
        models: 1,
        steps: 25,
        floats: vec![Sort::Float {
            exponent: 3,
            significand: 3,
        }],
        ..Shape::default()
    };
    check_proofs(&shape, 40, false);
}

#[test]
fn a_false_block_needs_no_proof() {
    let mut pool = TermPool::new();
    let p = pool.var("p", Sort::Bool);
    let blocks = [p, TermPool::FALSE, p];
    let stop = StopToken::new();
    let result = ProofInterpolator::default().interpolate(&mut pool, &blocks, &stop);
    assert_eq!(result, Ok(vec![TermPool::TRUE, TermPool::FALSE]));
}
