//! Programs with known behaviour: what is proved must be accepted by the checker.

use super::abstraction::AbstractionKind;
use super::blocks::BlockOperator;
use super::options::RefinementKind;
use super::predicates::Scope;
use super::{Options, PredicateAnalysis};
use crate::testing::program;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{Engine, NoBoard, Outcome};
use std::path::Path;
use std::time::Duration;

fn run(text: &str, options: &Options) -> Outcome {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let mut engine = PredicateAnalysis {
        options: options.clone(),
    };
    let outcome = engine.run(&program, &NoBoard, &budget);
    if let Outcome::Answer(certificate) = &outcome {
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        if let Err(why) = certify::certify(&program, certificate, &budget) {
            panic!("{why}");
        }
    }
    outcome
}

fn proves(text: &str, options: &Options) {
    match run(text, options) {
        Outcome::Answer(Certificate::Graph(_)) => {}
        other => panic!("no proof with {options:?}: {other:?}"),
    }
}

fn refutes(text: &str, options: &Options) {
    match run(text, options) {
        Outcome::Answer(Certificate::Inputs(_)) => {}
        other => panic!("no counterexample with {options:?}: {other:?}"),
    }
}

fn all_variants() -> Vec<Options> {
    let mut variants = Vec::new();
    for inductive in [true, false] {
        for blocks in [
            BlockOperator::LoopHeads,
            BlockOperator::Lbe,
            BlockOperator::AbeLength(3),
        ] {
            variants.push(Options {
                blocks,
                inductive,
                ..Options::default()
            });
        }
    }
    variants.push(Options {
        blocks: BlockOperator::Sbe,
        scope: Scope::Function,
        ..Options::default()
    });
    variants.push(Options {
        abstraction: AbstractionKind::Cartesian,
        refinement: RefinementKind::Global,
        ..Options::default()
    });
    variants.push(Options {
        abstraction: AbstractionKind::Boolean,
        scope: Scope::Global,
        inductive: false,
        ..Options::default()
    });
    variants
}

const COUNTER: &str = "int main(void) { int x = 0, n = __VERIFIER_nondet_int();
    while (x < 100) { x++; if (n > 5) x = x + 0; }
    if (x != 100) reach_error(); return 0; }";

#[test]
fn a_counter_stops_at_its_bound_in_every_variant() {
    for options in all_variants() {
        if options.inductive || options.blocks == BlockOperator::LoopHeads {
            proves(COUNTER, &options);
        }
    }
}

#[test]
fn a_violation_after_some_iterations_is_found_in_every_variant() {
    let text = "int main(void) { int x = 0, n = __VERIFIER_nondet_int();
        if (n != 123456) return 0;
        while (x < 3) { x++; n = n - 1; }
        if (n == 123453) reach_error(); return 0; }";
    for options in all_variants() {
        refutes(text, &options);
    }
}

/// A program of `programs/loops`.
fn stored(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/loops");
    std::fs::read_to_string(folder.join(name)).expect("the program is there")
}

/// The program of figure 1 of 001: an interpolant that blocks as little as possible is the invariant.
#[test]
fn a_loop_whose_interpolants_count_up() {
    proves(&stored("loop-bound-and-constant.c"), &Options::default());
}

#[test]
fn equations_come_from_sampled_states() {
    proves(&stored("loop-affine.c"), &Options::default());
}

#[test]
fn calls_are_followed_with_their_locals() {
    let text = "int up_to(int bound) { int i = 0; while (i < bound) i++; return i; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0;
        if (up_to(n) != n) reach_error(); return 0; }";
    proves(text, &Options::default());
}

#[test]
fn states_of_an_automaton_need_disjunctions() {
    let text = stored("loop-automaton-flag.c");
    proves(&text, &Options::default());
    proves(
        &text,
        &Options {
            inductive: false,
            ..Options::default()
        },
    );
}

#[test]
fn memory_is_part_of_predicates() {
    let text = "int a[4]; int main(void) { int i = 0; int k = __VERIFIER_nondet_int();
        if (k < 0 || k > 3) return 0; a[k] = 7;
        while (i < 10) { i++; }
        if (a[k] != 7) reach_error(); return 0; }";
    proves(text, &Options::default());
}
