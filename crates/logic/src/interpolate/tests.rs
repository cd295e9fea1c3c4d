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
        let literals: Vec<Term> = (0..3)
            .map(|_| {
                let term = random.pick(&booleans);
                if random.chance(2) {
                    pool.not(term)
                } else {
                    term
                }
            })
            .collect();
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
fn vocabularies_give_interpolants() {
    let stop = StopToken::new();
    let mut found = 0;
    for seed in 0..150 {
        let mut random = Random::new(seed + 777);
        let shape = Shape {
            widths: vec![1, 3, 4],
            arrays: seed % 2 == 0,
            hard_operators: false,
            models: 1,
            ..Shape::default()
        };
        let (mut pool, blocks) = random_blocks(&mut random, &shape);
        let mut atoms: Vec<Term> = pool
            .postorder(&blocks)
            .into_iter()
            .filter(|&term| pool.sort(term) == Sort::Bool)
            .collect();
        // Single bits separate whatever can be separated without arrays.
        for variable in pool.free_vars_of(&blocks) {
            if let Sort::BitVec(width) = pool.sort(variable) {
                atoms.extend((0..width).map(|position| pool.bit(variable, position)));
            }
        }
        let has_arrays = pool
            .free_vars_of(&blocks)
            .iter()
            .any(|&variable| matches!(pool.sort(variable), Sort::Array { .. }));
        let mut interpolator = VocabularyInterpolator::new(atoms);
        match interpolator.interpolate(&mut pool, &blocks, &stop) {
            Ok(interpolants) => {
                let verdict = check_interpolants(&mut pool, &blocks, &interpolants, &stop);
                assert_eq!(verdict, Ok(()), "seed {seed}");
                found += 1;
            }
            Err(InterpolationError::Satisfiable) => {}
            Err(InterpolationError::Declined(_)) if has_arrays => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(found > 30, "{found}");
}

/// Two turns of `x = 0; while (x < 100) x++; assert(x == 100)` style: the vocabulary's bound is
/// what comes out.
#[test]
fn the_vocabulary_decides_what_is_said() {
    let mut pool = TermPool::new();
    let word = Sort::BitVec(32);
    let x: Vec<Term> = (0..3).map(|i| pool.var(&format!("x@{i}"), word)).collect();
    let zero = pool.bv(32, 0);
    let hundred = pool.bv(32, 100);
    let one = pool.bv(32, 1);
    let start = pool.eq(x[0], zero);
    let step = |pool: &mut TermPool, from: Term, to: Term| {
        let inside = pool.ult(from, hundred);
        let next = pool.bv_add(from, one);
        let assigned = pool.eq(to, next);
        pool.and(inside, assigned)
    };
    let first = step(&mut pool, x[0], x[1]);
    let second = step(&mut pool, x[1], x[2]);
    let beyond = pool.ult(hundred, x[2]);
    let blocks = [start, first, second, beyond];
    let atoms: Vec<Term> = x.iter().map(|&x| pool.ule(x, hundred)).collect();
    let mut interpolator = VocabularyInterpolator::new(atoms.clone());
    let stop = StopToken::new();
    let interpolants = interpolator
        .interpolate(&mut pool, &blocks, &stop)
        .expect("separable");
    // The last block alone contradicts x2 <= 100; the step before it implies that without help.
    assert_eq!(interpolants, vec![TermPool::TRUE, TermPool::TRUE, atoms[2]]);
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

#[test]
fn a_weak_vocabulary_is_declined() {
    let mut pool = TermPool::new();
    let p = pool.var("p", Sort::Bool);
    let not_p = pool.not(p);
    let stop = StopToken::new();
    let result = VocabularyInterpolator::new(Vec::new()).interpolate(&mut pool, &[p, not_p], &stop);
    assert!(matches!(result, Err(InterpolationError::Declined(_))));
}
