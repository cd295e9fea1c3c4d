//! The example of section 1.1, step by step.

use crate::common::Counts;
use absint::invariants::InvariantOptions;
use absint::numeric::choice::Domain;
use facts::budget::Budget;
use predicate::blocks::BlockOperator;
use predicate::refutation::{Refuter, options as refuter_options};
use std::time::Duration;
use testing::program;
use traces::Options;
use traces::engine::Abstraction;
use traces::options::Enhancement;

const P1: &str = "int main(void) { int x = 0, y = 42;
    while (x < 100) { x = x + 1; if (y <= 0) y = 42; }
    if ((x != 100) | (y != 42)) reach_error(); return 0; }";

/// What happened in one iteration.
struct Seen {
    trace: Vec<String>,
    formulas: Vec<String>,
    is_interpreted: bool,
}

/// The iterations until the proof, which is certified.
fn iterations(options: &Options) -> Vec<Seen> {
    let program = program(P1);
    let board = Counts::default();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let given = refuter_options(&predicate::Options {
        blocks: options.blocks,
        ..predicate::Options::default()
    });
    let mut refuter = Refuter::new(&program, &given, "test", &board, &budget);
    let abstraction = Abstraction::new(&mut refuter, options, &board, &budget);
    let mut abstraction = abstraction.expect("a small program");
    let certificate = abstraction.run().expect("a proof");
    certify::certify(&program, &certificate, &budget).expect("a proof is certified");
    let mut seen = Vec::new();
    for iteration in abstraction.iterations.clone() {
        let mut trace = abstraction.text(&iteration.trace);
        trace.retain(|text| !text.is_empty() && !text.contains("main"));
        let formulas = iteration.automaton.predicates.iter();
        let formulas = formulas.map(|&formula| abstraction.formula_text(formula));
        seen.push(Seen {
            trace,
            formulas: formulas.collect(),
            is_interpreted: iteration.is_interpreted,
        });
    }
    seen
}

fn intervals(enhanced: Enhancement) -> Options {
    Options {
        blocks: BlockOperator::Sbe,
        interpretations: vec![InvariantOptions {
            domain: Domain::Interval,
            ..InvariantOptions::default()
        }],
        enhanced,
        ..Options::default()
    }
}

const LAST: &str = "[((i32)(x != 100) | (i32)(y != 42)) != 0]";

#[test]
fn two_traces_and_a_proof() {
    let seen = iterations(&intervals(Enhancement::Solver));
    let [first, second] = &seen[..] else {
        panic!("{} iterations", seen.len());
    };
    assert_eq!(first.trace, ["x = 0", "y = 42", "[100 <= x]", LAST]);
    assert!(!first.is_interpreted, "the trace has no loop");
    let tau = [
        "x = 0",
        "y = 42",
        "[x < 100]",
        "x = x + 1",
        "[0 < y]",
        "[100 <= x]",
        LAST,
    ];
    assert_eq!(second.trace, tau);
    assert!(second.is_interpreted);
    // Figure 3.
    for assertion in [
        "((0 <= x) && (x <= 100)) && (y == 42)",
        "((0 <= x) && (x <= 99)) && (y == 42)",
        "((1 <= x) && (x <= 100)) && (y == 42)",
        "(x == 100) && (y == 42)",
        "false",
    ] {
        let is_there = second.formulas.iter().any(|formula| formula == assertion);
        assert!(is_there, "{assertion}: {:?}", second.formulas);
    }
}

/// Without enhancement the other way through the body is a path program of its own, and so is the one with both ways.
#[test]
fn each_path_program_is_interpreted() {
    let seen = iterations(&intervals(Enhancement::Off));
    let has = |number: usize, text: &str| seen[number].trace.iter().any(|other| other == text);
    assert_eq!(seen.len(), 4);
    assert!(!has(1, "[y <= 0]") && has(1, "[0 < y]"));
    assert!(has(2, "[y <= 0]") && !has(2, "[0 < y]"));
    assert!(has(3, "[y <= 0]") && has(3, "[0 < y]"));
    assert!(
        seen.iter()
            .skip(1)
            .all(|iteration| iteration.is_interpreted)
    );
}
