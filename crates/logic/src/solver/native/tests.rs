//! The default solver against evaluation and enumeration.

use super::*;
use crate::random_terms::{Random, RandomTerms, Shape};
use crate::solver::laws;
use crate::term::BvValue;

/// Under a random model some literals over random terms hold; asserting them must be satisfiable,
/// with a model that evaluates to true. Then the negation of one literal's conjunction with itself
/// must be unsatisfiable.
fn check_consistent(shape: Shape, seeds: std::ops::Range<u64>, literals: usize) {
    for seed in seeds {
        let mut random = Random::new(seed + 77);
        let mut terms = RandomTerms::generate(&mut random, shape.clone());
        let mut chosen = Vec::new();
        let entries = terms.entries.clone();
        let mut solver = NativeSolver::default();
        for entry in entries.iter().rev() {
            if chosen.len() == literals {
                break;
            }
            let value = terms
                .pool
                .value_of_sort(&entry.values[0], terms.pool.sort(entry.term));
            let literal = terms.pool.eq(entry.term, value);
            chosen.push(literal);
        }
        for (number, &literal) in chosen.iter().enumerate() {
            if number % 2 == 0 {
                solver.assert(&mut terms.pool, literal);
            }
        }
        let assumed: Vec<Term> = chosen.iter().copied().skip(1).step_by(2).collect();
        let answer = solver.check(&mut terms.pool, &assumed);
        assert_eq!(answer, Answer::Sat, "seed {seed}");
        for &literal in &chosen {
            assert_eq!(
                solver.holds(&terms.pool, literal),
                Some(true),
                "seed {seed}"
            );
        }
        let variables = terms.pool.free_vars_of(&chosen);
        let model = solver.model(&terms.pool, &variables).expect("satisfiable");
        for &literal in &chosen {
            assert_eq!(
                terms.pool.eval(literal, &model),
                Value::Bool(true),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn models_of_bit_vectors_evaluate_to_true() {
    let shape = Shape {
        widths: vec![1, 3, 4, 8],
        arrays: false,
        ..Shape::default()
    };
    check_consistent(shape, 0..150, 8);
}

#[test]
fn models_of_arrays_evaluate_to_true() {
    let shape = Shape {
        widths: vec![1, 2, 3],
        hard_operators: false,
        ..Shape::default()
    };
    check_consistent(shape, 0..400, 12);
}

#[test]
fn models_of_floats_evaluate_to_true() {
    let shape = Shape {
        widths: vec![8],
        arrays: false,
        floats: vec![
            Sort::Float {
                exponent: 3,
                significand: 4,
            },
            Sort::Float {
                exponent: 4,
                significand: 3,
            },
        ],
        ..Shape::default()
    };
    check_consistent(shape, 0..60, 8);
}

#[test]
fn small_formulas_agree_with_enumeration() {
    for seed in 0..300 {
        let mut random = Random::new(seed + 5000);
        let shape = Shape {
            widths: vec![1, 2],
            arrays: false,
            models: 1,
            steps: 40,
            ..Shape::default()
        };
        let mut terms = RandomTerms::generate(&mut random, shape);
        let booleans: Vec<Term> = terms
            .entries
            .iter()
            .map(|entry| entry.term)
            .filter(|&term| terms.pool.sort(term) == Sort::Bool)
            .collect();
        let picked: Vec<Term> = (0..4)
            .map(|_| random.literal(&mut terms.pool, &booleans))
            .collect();
        let satisfiable = exists_model(&terms.pool, &picked);
        let mut solver = NativeSolver::default();
        let answer = solver.check(&mut terms.pool, &picked);
        assert_eq!(answer.is_sat(), satisfiable, "seed {seed}");
        if answer.is_unsat() {
            let core = solver.core().to_vec();
            assert!(core.iter().all(|term| picked.contains(term)));
            assert!(!exists_model(&terms.pool, &core), "seed {seed}");
        }
    }
}

fn exists_model(pool: &TermPool, terms: &[Term]) -> bool {
    use crate::term::{Evaluator, Model};
    let variables = pool.free_vars_of(terms);
    let bits: u32 = variables.iter().map(|&v| pool.width(v).max(1)).sum();
    (0..1u128 << bits).any(|mut code| {
        let mut model = Model::new();
        for &variable in &variables {
            let width = pool.width(variable).max(1);
            let number = code & crate::term::mask(width);
            code >>= width;
            let value = match pool.sort(variable) {
                Sort::Bool => Value::Bool(number == 1),
                _ => Value::Bv(BvValue::new(width, number)),
            };
            model.set(variable, value);
        }
        let mut evaluator = Evaluator::new(&model);
        terms.iter().all(|&term| evaluator.is_true(pool, term))
    })
}

#[test]
fn frames_come_and_go() {
    laws::check_frames(&mut NativeSolver::default(), "native");
}

/// The same random session with and without memories: answers, models and cores stay right.
#[test]
fn remembered_answers_are_right() {
    let (mut model_hits, mut core_hits) = (0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed + 321);
        let shape = Shape {
            widths: vec![1, 2, 3],
            models: 1,
            hard_operators: false,
            ..Shape::default()
        };
        let mut terms = RandomTerms::generate(&mut random, shape);
        let booleans: Vec<Term> = terms
            .entries
            .iter()
            .map(|entry| entry.term)
            .filter(|&term| terms.pool.sort(term) == Sort::Bool)
            .collect();
        let pool = &mut terms.pool;
        let mut with = NativeSolver::default();
        let mut without = NativeSolver::new(SolverOptions {
            remember_models: false,
            remember_cores: false,
            ..SolverOptions::default()
        });
        let mut open: Vec<Vec<Term>> = vec![Vec::new()];
        for _ in 0..60 {
            let literals: Vec<Term> = (0..3).map(|_| random.literal(pool, &booleans)).collect();
            match random.below(12) {
                0 => {
                    open.push(Vec::new());
                    with.push();
                    without.push();
                }
                1 => {
                    if open.len() > 1 {
                        open.pop();
                    }
                    with.pop();
                    without.pop();
                }
                2 => {
                    let clause = pool.or_all(literals);
                    with.assert(pool, clause);
                    without.assert(pool, clause);
                    open.last_mut().expect("a frame").push(clause);
                }
                _ => {
                    let answer = with.check(pool, &literals);
                    assert_eq!(answer, without.check(pool, &literals), "seed {seed}");
                    if answer.is_sat() {
                        for &term in open.iter().flatten().chain(&literals) {
                            assert_eq!(with.holds(pool, term), Some(true), "seed {seed}");
                        }
                    } else {
                        let core = with.core().to_vec();
                        assert!(core.iter().all(|term| literals.contains(term)));
                        assert!(without.check(pool, &core).is_unsat(), "seed {seed}");
                    }
                }
            }
        }
        model_hits += with.statistics().model_hits;
        core_hits += with.statistics().core_hits;
    }
    assert!(model_hits > 0 && core_hits > 0);
}

#[test]
fn a_solver_stopped_while_it_gets_clauses_is_started_anew() {
    let mut pool = TermPool::new();
    let mut solver = NativeSolver::default();
    let sort = Sort::BitVec(64);
    let (x, y) = (pool.var("x", sort), pool.var("y", sort));
    let one = pool.bv(64, 1);
    // Large enough that the solver looks at the token while it gets the clauses.
    let mut product = pool.bv_mul(x, y);
    for _ in 0..4 {
        product = pool.bv_mul(product, x);
        product = pool.bv_add(product, one);
    }
    let asked = pool.eq(product, one);
    solver.set_stop(StopToken::new().with_timeout(std::time::Duration::ZERO));
    assert!(matches!(
        solver.check(&mut pool, &[asked]),
        Answer::Unknown(_)
    ));
    solver.set_stop(StopToken::new());
    assert!(solver.check(&mut pool, &[asked]).is_sat());
    let (a, b) = (solver.value(&pool, x), solver.value(&pool, product));
    assert!(
        a.is_some() && b == solver.value(&pool, one),
        "a model of the formula"
    );
}

#[test]
fn a_stopped_solver_says_so() {
    let mut pool = TermPool::new();
    let mut solver = NativeSolver::default();
    let sort = Sort::BitVec(64);
    let (x, y) = (pool.var("x", sort), pool.var("y", sort));
    let product = pool.bv_mul(x, y);
    let target = pool.bv(64, 4_611_686_018_427_387_847);
    let equal = pool.eq(product, target);
    let one = pool.bv(64, 1);
    let half = pool.bv(64, 1 << 32);
    for factor in [x, y] {
        let above = pool.ult(one, factor);
        let below = pool.ult(factor, half);
        solver.assert(&mut pool, above);
        solver.assert(&mut pool, below);
    }
    solver.assert(&mut pool, equal);
    let limit = std::time::Duration::from_millis(200);
    solver.set_stop(StopToken::new().with_timeout(limit));
    let answer = solver.check(&mut pool, &[]);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped));
}
