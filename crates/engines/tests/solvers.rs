//! Engines that prove by induction: what they prove is certified, what does not hold is never
//! proved, and the chosen solver is the one that they ask.

use cfa::program::Program;
use engines::houdini::Houdini;
use engines::k_induction::KInduction;
use engines::pdr::{Pdr, PdrOptions};
use facts::budget::{Budget, SolverBudget};
use facts::certificate::Certificate;
use facts::engine::{Engine, NoBoard, Outcome};
use logic::SolverChoice;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use std::time::Duration;
use syntax::driver;
use transform::regions::split_memory;

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

fn lowered(body: &str) -> Program {
    let text = format!("{HEAD}{body}");
    let (driver, lower) = (driver::Options::default(), LowerOptions::default());
    match load_text("test.c", &text, &driver, &lower) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}

fn run(program: &Program, engine: &mut dyn Engine, solver: &str) -> Outcome {
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    engine.run(
        program,
        &NoBoard,
        &budget.with_solver(SolverChoice::named(solver)),
    )
}

/// Two loops, the second of which needs what the first leaves behind.
const TWO_LOOPS: &str = "int main(void) { int x = 0, y = 5; while (x < 10) { x++; if (__VERIFIER_nondet_int()) break; }\n\
    while (__VERIFIER_nondet_int()) { if (x > 10 || y != 5) reach_error(); } return 0; }";
/// Needs a relation of two variables.
const TOGETHER: &str = "int main(void) { int a = 0, b = 0; while (__VERIFIER_nondet_int()) { if (a < 100) { a++; b++; } }\n\
    if (a != b) reach_error(); return 0; }";
/// The third round goes wrong.
const BROKEN: &str = "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) { x++; if (x == 3) reach_error(); } return 0; }";

fn is_certified(program: &Program, outcome: &Outcome) -> bool {
    let Outcome::Answer(certificate) = outcome else {
        return false;
    };
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    if let Err(why) = certify::certify(program, certificate, &budget) {
        panic!("{why}");
    }
    true
}

#[test]
fn pdr_finds_invariants_over_several_loops() {
    for text in [TWO_LOOPS, TOGETHER] {
        let program = lowered(text);
        let outcome = run(&program, &mut Pdr::default(), "native");
        assert!(is_certified(&program, &outcome), "{text}: {outcome:?}");
        assert!(matches!(outcome, Outcome::Answer(Certificate::Graph(_))));
    }
}

#[test]
fn houdini_keeps_what_is_inductive() {
    let program = lowered(TWO_LOOPS);
    let outcome = run(&program, &mut Houdini::default(), "native");
    assert!(is_certified(&program, &outcome), "{outcome:?}");
}

#[test]
fn what_does_not_hold_is_not_proved() {
    let program = lowered(BROKEN);
    for engine in [
        &mut Pdr::default() as &mut dyn Engine,
        &mut Houdini::default(),
    ] {
        let outcome = run(&program, engine, "native");
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    }
}

#[test]
fn pdr_gives_up_after_the_allowed_questions() {
    let program = lowered(TOGETHER);
    let options = PdrOptions { most_questions: 2 };
    match run(&program, &mut Pdr { options }, "native") {
        Outcome::Unknown(reason) => {
            assert!(reason.to_string().contains("2 solver queries"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

/// No question goes to the default solver when another one was chosen.
#[test]
fn without_the_chosen_solver_there_is_no_answer() {
    let program = lowered(TWO_LOOPS);
    let engines: [&mut dyn Engine; 3] = [
        &mut Pdr::default(),
        &mut Houdini::default(),
        &mut KInduction::default(),
    ];
    for engine in engines {
        let outcome = run(&program, engine, "no-such-solver-anywhere");
        assert!(
            matches!(outcome, Outcome::Unknown(_)),
            "{}: {outcome:?}",
            engine.name()
        );
    }
}

#[test]
fn the_chosen_solver_answers() {
    if SolverChoice::named("z3").check().is_err() {
        println!("SKIPPED: no z3");
        return;
    }
    let program = lowered(TWO_LOOPS);
    for engine in [
        &mut Pdr::default() as &mut dyn Engine,
        &mut Houdini::default(),
    ] {
        let outcome = run(&program, engine, "z3");
        let name = engine.name();
        assert!(is_certified(&program, &outcome), "{name}: {outcome:?}");
    }
}
