//! External solvers and our own agree.

use super::*;
use crate::random_terms::{Random, RandomTerms, Shape};
use crate::solver::{NativeSolver, laws};
use std::time::Duration;

/// A solver for comparison; where it is missing the test says so, or fails if it must not be
/// missing.
fn opponent(name: &str) -> Option<ExternalSolver> {
    match ExternalSolver::start(name) {
        Ok(solver) => Some(solver),
        Err(error) if std::env::var_os("CONCORD_CI").is_some_and(|value| value == "1") => {
            panic!("{error}")
        }
        Err(_) => {
            eprintln!("SKIPPED: {name} not installed");
            None
        }
    }
}

/// How many random formulas to compare; `CONCORD_RANDOM_TERMS=20000` for a long run.
fn rounds(default: u64) -> u64 {
    std::env::var("CONCORD_RANDOM_TERMS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Random formulas: both solvers agree, and both models evaluate to true.
fn compare(name: &str, shape: &Shape, rounds: u64, conjuncts: usize) {
    let Some(first) = opponent(name) else { return };
    let mut external = first;
    let (mut sat, mut unsat, mut undecided) = (0, 0, 0);
    for seed in 0..rounds {
        // A process for a few formulas: names of one pool mean nothing in the next.
        if let Some(solver) = (seed > 0).then(|| opponent(name)).flatten() {
            external = solver;
        }
        let mut random = Random::new(seed + 900);
        let mut terms = RandomTerms::generate(&mut random, shape.clone());
        let mut booleans: Vec<Term> = terms
            .entries
            .iter()
            .map(|entry| entry.term)
            .filter(|&term| terms.pool.sort(term) == Sort::Bool)
            .collect();
        let mut native = NativeSolver::default();
        for definition in 0..3 {
            // Variables that assertions define, and atoms over them.
            let meaning = random.pick(&terms.entries).term;
            let sort = terms.pool.sort(meaning);
            let variable = terms.pool.var(&format!("defined{definition}"), sort);
            let equation = terms.pool.eq(variable, meaning);
            native.assert(&mut terms.pool, equation);
            external.assert(&mut terms.pool, equation);
            let alike: Vec<Term> = terms
                .entries
                .iter()
                .map(|entry| entry.term)
                .filter(|&term| terms.pool.sort(term) == sort)
                .collect();
            for _ in 0..4 {
                let other = random.pick(&alike);
                booleans.push(terms.pool.eq(variable, other));
            }
            if let Sort::Array { index, .. } = sort {
                let place = terms.pool.var(&format!("x{index}"), Sort::BitVec(index));
                let element = terms.pool.select(variable, place);
                booleans.push(terms.pool.bv_to_bool(element));
            }
        }
        for query in 0..8 {
            if external.broken.is_some() {
                break;
            }
            let stop = StopToken::new().with_timeout(Duration::from_secs(10));
            external.set_stop(stop.clone());
            native.set_stop(stop);
            let literals: Vec<Term> = (0..conjuncts)
                .map(|_| random.literal(&mut terms.pool, &booleans))
                .collect();
            let pool = &mut terms.pool;
            let ours = native.check(pool, &literals);
            let theirs = external.check(pool, &literals);
            let stopped = Answer::Unknown(UnknownReason::Stopped);
            if ours == stopped || external.broken.is_some() && external.talk.stop.is_stopped() {
                // Hard, or the machine is busy.
                undecided += 1;
                break;
            }
            match &theirs {
                Answer::Unknown(UnknownReason::Solver(words)) if words == "it answered unknown" => {
                    undecided += 1;
                    continue;
                }
                Answer::Unknown(UnknownReason::Solver(words))
                    if words.contains("not yet support") =>
                {
                    undecided += 1;
                    break;
                }
                Answer::Unknown(UnknownReason::Stopped) => {
                    undecided += 1;
                    break;
                }
                _ => {}
            }
            assert_eq!(ours, theirs, "{name}, seed {seed}, query {query}");
            match ours {
                Answer::Sat => {
                    sat += 1;
                    for &literal in &literals {
                        assert_eq!(native.holds(pool, literal), Some(true), "seed {seed}");
                        match external.holds(pool, literal) {
                            None if external.talk.stop.is_stopped() => {}
                            holds => assert_eq!(
                                holds,
                                Some(true),
                                "{name}, seed {seed} {:?}",
                                external.broken
                            ),
                        }
                    }
                }
                _ => {
                    unsat += 1;
                    for core in [native.core().to_vec(), external.core().to_vec()] {
                        external.set_stop(StopToken::new().with_timeout(Duration::from_secs(10)));
                        let answer = external.check(pool, &core);
                        assert_ne!(answer, Answer::Sat, "{name}, seed {seed}");
                        assert!(core.iter().all(|term| literals.contains(term)));
                    }
                }
            }
        }
    }
    eprintln!("{name}: {sat} satisfiable, {unsat} not, {undecided} undecided by it");
    assert!(sat > 0 && unsat > 0 && undecided <= sat + unsat);
}

fn bit_vectors() -> Shape {
    Shape {
        widths: vec![1, 3, 4, 6],
        arrays: false,
        models: 1,
        ..Shape::default()
    }
}

fn arrays() -> Shape {
    Shape {
        widths: vec![1, 2, 3],
        hard_operators: false,
        models: 1,
        ..Shape::default()
    }
}

fn floats() -> Shape {
    Shape {
        widths: vec![8],
        arrays: false,
        models: 1,
        steps: 30,
        floats: vec![Sort::Float {
            exponent: 3,
            significand: 4,
        }],
        ..Shape::default()
    }
}

#[test]
fn z3_agrees_on_bit_vectors() {
    compare("z3", &bit_vectors(), rounds(60), 4);
}

#[test]
fn z3_agrees_on_arrays() {
    compare("z3", &arrays(), rounds(60), 5);
}

#[test]
fn z3_agrees_on_floats() {
    compare("z3", &floats(), rounds(30), 3);
}

#[test]
fn cvc5_agrees_on_bit_vectors() {
    compare("cvc5", &bit_vectors(), rounds(60), 4);
}

#[test]
fn cvc5_agrees_on_arrays() {
    let shape = Shape {
        plain_constant_arrays: true,
        ..arrays()
    };
    compare("cvc5", &shape, rounds(60), 5);
}

#[test]
fn cvc5_agrees_on_floats() {
    let command = "cvc5 --incremental --produce-models --lang=smt2 --fp-exp";
    compare(command, &floats(), rounds(30), 3);
}

#[test]
fn a_missing_solver_is_an_error_with_its_name() {
    let Err(error) = ExternalSolver::start("no-such-solver-anywhere --in") else {
        panic!("started a solver that does not exist");
    };
    assert!(matches!(error, ExternalError::CannotStart { .. }));
    assert!(error.to_string().contains("no-such-solver-anywhere"));
    assert!(matches!(
        ExternalSolver::start(" "),
        Err(ExternalError::NoCommand)
    ));
    let cat = ExternalSolver::start("cat");
    assert!(matches!(cat, Err(ExternalError::NotASolver { .. })));
}

#[test]
fn frames_come_and_go() {
    for name in ["z3", "cvc5"] {
        let Some(mut solver) = opponent(name) else {
            continue;
        };
        laws::check_frames(&mut solver, name);
    }
}
