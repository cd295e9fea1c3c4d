//! The example of section 1.1, step by step: figures 1, 2, 3 and 7.

use crate::common::{Counts, run};
use absint::invariants::InvariantOptions;
use absint::numeric::choice::Domain;
use facts::budget::Budget;
use facts::engine::Outcome;
use induction::cuts::BlockOperator;
use predicate::analysis::Analysis;
use predicate::options::InterpolantSource;
use predicate::refutation::{Refuter, options as refuter_options};
use std::collections::BTreeSet;
use std::time::Duration;
use testing::program;
use traces::Options;
use traces::engine::Abstraction;
use traces::options::Enhancement;
use traces::program::ProgramAutomaton;
use traces::statements;

const P1: &str = "int main(void) { int x = 0, y = 42;
    while (x < 100) { x = x + 1; if (y <= 0) y = 42; }
    if ((x != 100) | (y != 42)) reach_error(); return 0; }";

/// What happened in one iteration.
struct Seen {
    trace: Vec<String>,
    path_program: BTreeSet<String>,
    formulas: Vec<String>,
    transitions: Vec<[String; 3]>,
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
    let mut refuter = Refuter::new(Analysis::new(&program, &given, "test", &board, &budget));
    let abstraction = Abstraction::new(&mut refuter, options, &board, &budget);
    let mut abstraction = abstraction.expect("a small program");
    let certificate = abstraction.run().expect("a proof");
    certify::certify(&program, &certificate, &budget).expect("a proof is certified");
    let mut seen = Vec::new();
    let of_program = |text: &String| !text.is_empty() && !text.contains("main");
    let done = abstraction.iterations.clone();
    for iteration in &done {
        let mut trace = abstraction.text(&iteration.trace);
        trace.retain(of_program);
        let unconfirmed = abstraction.unconfirmed(&iteration.automaton);
        assert_eq!(unconfirmed, Ok(Vec::new()));
        let formulas = iteration.automaton.predicates.iter();
        let formulas = formulas.map(|&formula| abstraction.formula_text(formula));
        seen.push(Seen {
            trace,
            path_program: BTreeSet::new(),
            formulas: formulas.collect(),
            transitions: abstraction.transitions(&iteration.automaton),
            is_interpreted: iteration.is_interpreted,
        });
    }
    let automaton = ProgramAutomaton::of(refuter.graph(), &budget).expect("it was made before");
    for (iteration, seen) in done.iter().zip(&mut seen) {
        let blocks = automaton.path_program(&iteration.trace).into_iter();
        let texts = blocks.map(|block| statements::text(refuter.graph(), block));
        seen.path_program = texts.filter(of_program).collect();
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

const HEAD: &str = "((0 <= x) && (x <= 100)) && (y == 42)";
const BODY: &str = "((0 <= x) && (x <= 99)) && (y == 42)";
const STEPPED: &str = "((1 <= x) && (x <= 100)) && (y == 42)";
const BEHIND: &str = "(x == 100) && (y == 42)";
const LAST: &str = "[((i32)(x != 100) | (i32)(y != 42)) != 0]";

#[test]
fn two_traces_and_a_proof() {
    let seen = iterations(&intervals(Enhancement::Abstract));
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
    // Figure 2: the path program has the statements of the trace between its places, and no others.
    assert_eq!(second.path_program, BTreeSet::from(tau.map(String::from)));
    // Figure 3.
    for assertion in [HEAD, BODY, STEPPED, BEHIND, "false"] {
        let is_there = second.formulas.iter().any(|formula| formula == assertion);
        assert!(is_there, "{assertion}: {:?}", second.formulas);
    }
    // Figure 7: the transitions of the path program, and those that enhancement adds.
    for transition in [
        [HEAD, "[x < 100]", BODY],
        [BODY, "x = x + 1", STEPPED],
        [STEPPED, "[0 < y]", HEAD],
        [HEAD, "[100 <= x]", BEHIND],
        [BEHIND, LAST, "false"],
        [HEAD, "[y <= 0]", "false"],
        [STEPPED, "[y <= 0]", "false"],
        [HEAD, "y = 42", HEAD],
        [STEPPED, "y = 42", STEPPED],
        [BODY, "[100 <= x]", "false"],
        [BEHIND, "[x < 100]", "false"],
        [BODY, "[0 < y]", BODY],
    ] {
        let is_there = second.transitions.iter().any(|other| other == &transition);
        assert!(is_there, "{transition:?}: {:#?}", second.transitions);
    }
    // Abstract post says no more than is true.
    let wrong = [HEAD, "x = x + 1", HEAD];
    assert!(!second.transitions.iter().any(|other| other == &wrong));
}

/// Section 1.1: refutations with few clauses say what `x` is after so many iterations, and each
/// trace needs its own.
#[test]
fn interpolants_from_proofs_unroll_the_loop() {
    let options = Options {
        interpretations: Vec::new(),
        interpolants: vec![InterpolantSource::Proof],
        inductive: false,
        // As states of their own, conjuncts remove many unrollings at once.
        split: false,
        most_refinements: 12,
        ..intervals(Enhancement::Off)
    };
    let (outcome, counts) = run(P1, &options, 60);
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    assert_eq!(counts.get("refinements"), 12);
}

/// Without enhancement the other way through the body is a path program of its own, and so is the
/// one with both ways.
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
