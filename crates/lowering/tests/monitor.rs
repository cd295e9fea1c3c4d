//! Programs watched by an automaton, executed.

use cfa::expr::VarId;
use cfa::program::{LocId, LocationKind, Program};
use cfa::value::Ty;
use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::monitor::*;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use syntax::driver;

const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n\
     int main(void) { int i = 0; int n = __VERIFIER_nondet_int();\n\
     while (i < n) { i++; }\n\
     if (i == 3) reach_error(); return 0; }";

fn program() -> Program {
    let front = driver::Options::default();
    let loaded = match load_text("test.c", TEXT, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{failure}"),
    };
    instrument(&loaded, &Property::assertions())
}

fn outcome(program: &Program, input: u128) -> Outcome {
    let mut inputs = ConstantInputs(input);
    let options = Options::default();
    Interpreter::new(program)
        .run(&options, &mut inputs, &mut Vec::new())
        .outcome
}

fn variable(program: &Program, name: &str) -> VarId {
    let at = program.vars.iter().position(|var| var.name == name);
    VarId(at.expect("the variable is there") as u32)
}

fn loop_head(program: &Program) -> LocId {
    let is_head = |location: &cfa::program::Location| location.kind == LocationKind::LoopHead;
    let at = program.locations.iter().position(is_head);
    LocId(at.expect("there is a loop") as u32)
}

#[test]
fn a_claim_that_fails_is_an_error() {
    let mut program = program();
    let head = loop_head(&program);
    let i = variable(&program, "i");
    let i = program.pool.variable(i, Ty::I32);
    let four = program.pool.constant(4, Ty::I32);
    let claim = program.pool.le(i, four);
    let (asserted, errors) = assert_at(program, &[(head, claim)]);
    assert_eq!(outcome(&asserted, 2), Outcome::Finished(0));
    assert_eq!(outcome(&asserted, 4), Outcome::Finished(0));
    assert_eq!(outcome(&asserted, 9), Outcome::Error(errors[0]));
    assert!(matches!(outcome(&asserted, 3), Outcome::Error(at) if at != errors[0]));
}

/// The automaton counts visits of the loop head; what it accepts decides which violations count.
#[test]
fn an_automaton_runs_along() {
    let program = program();
    let head = loop_head(&program);
    let transitions = (0..5).map(|from| Transition {
        from,
        to: Some(from + 1),
        condition: None,
    });
    let automaton = Automaton {
        in_order: false,
        initial: 0,
        moments: vec![(Moment::At(head), transitions.collect())],
    };
    // Three rounds are four visits.
    let (counted, _) = product(program.clone(), &automaton, &|_, _| vec![4]);
    assert!(matches!(outcome(&counted, 3), Outcome::Error(_)));
    let (counted, _) = product(program.clone(), &automaton, &|_, _| vec![3]);
    assert_eq!(outcome(&counted, 3), Outcome::AssumeFailed);
    assert_eq!(outcome(&counted, 2), Outcome::Finished(0));
}

#[test]
fn executions_without_interest_end() {
    let program = program();
    let head = loop_head(&program);
    let automaton = Automaton {
        in_order: false,
        initial: 7,
        moments: vec![(
            Moment::At(head),
            vec![
                Transition {
                    from: 7,
                    to: Some(8),
                    condition: None,
                },
                Transition {
                    from: 8,
                    to: None,
                    condition: None,
                },
            ],
        )],
    };
    let (watched, _) = product(program, &automaton, &|_, _| vec![7, 8]);
    assert_eq!(outcome(&watched, 0), Outcome::Finished(0));
    assert_eq!(outcome(&watched, 3), Outcome::AssumeFailed);
}
