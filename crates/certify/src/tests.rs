//! Certificates that prove their claim are accepted, those that do not are not, however close they
//! come.

use crate::{Rejection, certify, check_facts};
use cfa::expr::{ExprId, ExprPool};
use cfa::order::Order;
use cfa::place::CallPattern;
use cfa::program::{LocId, Program};
use facts::budget::Budget;
use facts::certificate::{
    AnnotatedGraph, AnnotatedNode, Certificate, InputValue, KInduction, Rest, UnrollingBounds,
};
use facts::invariants::{Invariant, InvariantMap};

pub(crate) use testing::program;

/// The one loop head of `main`.
fn head(program: &Program) -> LocId {
    let main = program
        .functions
        .iter()
        .position(|function| program.names.get(function.name) == "main")
        .expect("there is a main");
    Order::of(program, cfa::program::FuncId(main as u32)).loops[0].head
}

fn graph(program: &Program, say: impl Fn(&mut ExprPool, ExprId) -> ExprId) -> AnnotatedGraph {
    let number = program
        .vars
        .iter()
        .position(|var| var.name == "x")
        .expect("there is an x");
    let var = cfa::expr::VarId(number as u32);
    let mut pool = program.pool.clone();
    let x = pool.variable(var, program.var(var).ty);
    let invariant = say(&mut pool, x);
    AnnotatedGraph {
        pool,
        nodes: vec![AnnotatedNode {
            calls: CallPattern::Any,
            location: head(program),
            invariant,
        }],
    }
}

fn at_most(bound: i128) -> impl Fn(&mut ExprPool, ExprId) -> ExprId {
    move |pool, x| {
        let bound = pool.integer(bound, pool.ty(x));
        pool.le(x, bound)
    }
}

fn check(program: &Program, certificate: Certificate) -> Result<(), Rejection> {
    certify(program, &certificate, &Budget::unlimited()).map(|_| ())
}

fn is_wrong(result: Result<(), Rejection>) -> bool {
    matches!(result, Err(Rejection::Wrong(_)))
}

const COUNTER: &str = "int main(void) { int x = 0;
    while (__VERIFIER_nondet_int()) { if (x < 10) x++; if (x > 10) reach_error(); } return 0; }";

#[test]
fn an_inductive_annotation_is_a_proof() {
    let program = program(COUNTER);
    let right = graph(&program, at_most(10));
    assert_eq!(check(&program, Certificate::Graph(right)), Ok(()));
}

#[test]
fn annotations_that_fail_weaken_or_miss_are_wrong() {
    let program = program(COUNTER);
    for bound in [-1, 9, 11] {
        let wrong = graph(&program, at_most(bound));
        assert!(
            is_wrong(check(&program, Certificate::Graph(wrong))),
            "x <= {bound}"
        );
    }
    let mut missing = graph(&program, at_most(10));
    missing.nodes.clear();
    assert!(is_wrong(check(&program, Certificate::Graph(missing))));
}

#[test]
fn what_is_said_of_the_start_is_not_taken_for_granted() {
    let program = program("int main(void) { int x = 0; if (x == 0) reach_error(); while (1) {} }");
    let mut wrong = graph(&program, |pool, _| pool.bool_constant(true));
    wrong.nodes[0].location = program.function(program.entry).entry;
    wrong.nodes[0].invariant = wrong.pool.bool_constant(false);
    assert!(is_wrong(check(&program, Certificate::Graph(wrong))));
}

/// `mode` is 0, 1 or 2 while `x` follows; 3 is never reached.
const MACHINE: &str = "int main(void) { int x = 0, y = 130;
    while (1) {
        int input = __VERIFIER_nondet_int();
        if (x == 0 && input == 1) { x = 1; y = y % 15 + 200; }
        else if (x == 1 && y > 140 && input == 2) { x = 2; y = (y - 300) * 2; }
        else if (x == 2 && y <= 140) { x = 0; y = 130; }
        else if (x == 3) reach_error();
    } }";

/// The nodes `x == value && least <= y <= most`.
fn boxes(program: &Program, said: &[(i128, i128, i128)]) -> AnnotatedGraph {
    let mut graph = graph(program, |pool, _| pool.bool_constant(true));
    let var = |name: &str| {
        let number = program.vars.iter().position(|var| var.name == name);
        cfa::expr::VarId(number.expect("there is one") as u32)
    };
    let location = graph.nodes[0].location;
    graph.nodes.clear();
    for &(value, least, most) in said {
        let pool = &mut graph.pool;
        let x = pool.variable(var("x"), program.var(var("x")).ty);
        let y = pool.variable(var("y"), program.var(var("y")).ty);
        let number = |pool: &mut ExprPool, value| pool.integer(value, pool.ty(x));
        let (value, least, most) = (number(pool, value), number(pool, least), number(pool, most));
        let parts = [pool.eq(x, value), pool.le(least, y), pool.le(y, most)];
        let invariant = parts
            .into_iter()
            .reduce(|a, b| pool.and(a, b))
            .expect("three");
        graph.nodes.push(AnnotatedNode {
            calls: CallPattern::Any,
            location,
            invariant,
        });
    }
    graph
}

#[test]
fn boxes_of_values_are_a_proof() {
    let program = program(MACHINE);
    let right = boxes(&program, &[(0, 0, 140), (1, 141, 245), (2, -10_000, 140)]);
    let accepted = certify(&program, &Certificate::Graph(right), &Budget::unlimited());
    let how = accepted.expect("a proof").how;
    assert!(how.contains("boxes of values"), "{how}");
}

#[test]
fn boxes_that_are_left_or_missing_are_wrong() {
    let program = program(MACHINE);
    for wrong in [
        &[(0, 0, 140), (1, 141, 245)][..],
        &[(0, 0, 129), (1, 141, 245), (2, -10_000, 140)],
        &[(0, 0, 140), (1, 201, 245), (2, -10_000, 140)],
        &[(0, 0, 140), (1, 141, 245), (2, -150, 140)],
        &[(0, 0, 140), (1, 141, 245), (2, -10_000, 140), (3, 0, 1)],
    ] {
        let wrong_graph = boxes(&program, wrong);
        let result = check(&program, Certificate::Graph(wrong_graph));
        assert!(is_wrong(result), "{wrong:?}");
    }
}

/// The nodes `mode == value && x == y + apart`.
fn apart(program: &Program, said: &[(i128, i128)]) -> AnnotatedGraph {
    let mut graph = graph(program, |pool, _| pool.bool_constant(true));
    let location = graph.nodes[0].location;
    graph.nodes.clear();
    for &(value, apart) in said {
        let pool = &mut graph.pool;
        let [mode, x, y] = ["mode", "x", "y"].map(|name| {
            let number = program.vars.iter().position(|var| var.name == name);
            let var = cfa::expr::VarId(number.expect("there is one") as u32);
            pool.variable(var, program.var(var).ty)
        });
        let (value, apart) = (
            pool.integer(value, pool.ty(mode)),
            pool.integer(apart, pool.ty(y)),
        );
        let sum = pool.binary(cfa::expr::BinOp::Add, y, apart);
        let (in_mode, so_far) = (pool.eq(mode, value), pool.eq(x, sum));
        graph.nodes.push(AnnotatedNode {
            calls: CallPattern::Any,
            location,
            invariant: pool.and(in_mode, so_far),
        });
    }
    graph
}

/// An unknown number that goes up and down again.
const UP_AND_DOWN: &str = "int up(int value) { return value + 1; }
    int main(void) { int x = __VERIFIER_nondet_int(); int y = x; int mode = 0;
    while (1) {
        if (mode == 0) { x = up(x); mode = 1; }
        else if (mode == 1) { x = up(x); mode = 2; }
        else { x -= 2; mode = 0; if (x != y) reach_error(); y = x; }
    } }";

#[test]
fn differences_of_unknown_values_are_a_proof() {
    let program = program(UP_AND_DOWN);
    let right = apart(&program, &[(0, 0), (1, 1), (2, 2)]);
    let accepted = certify(&program, &Certificate::Graph(right), &Budget::unlimited());
    let how = accepted.expect("a proof").how;
    assert!(how.contains("boxes of values"), "{how}");
}

#[test]
fn wrong_differences_are_wrong() {
    let program = program(UP_AND_DOWN);
    for wrong in [
        &[(0, 0), (1, 1), (2, 3)][..],
        &[(0, 0), (1, 2), (2, 3)],
        &[(0, 1), (1, 1), (2, 2)],
        &[(0, 0), (1, 1)],
    ] {
        let result = check(&program, Certificate::Graph(apart(&program, wrong)));
        assert!(is_wrong(result), "{wrong:?}");
    }
}

#[test]
fn annotations_of_another_program_are_wrong() {
    let program = program(COUNTER);
    let mut other = graph(&program, at_most(10));
    other.nodes[0].location = LocId(1_000_000);
    assert!(is_wrong(check(&program, Certificate::Graph(other))));
}

/// Needs two steps: after one, y may still be anything.
const DELAYED: &str = "int main(void) { int x = 0, y = 0;
    while (__VERIFIER_nondet_int()) { if (y > 5) reach_error(); y = x; x = 3; } return 0; }";

fn induction(depth: u32, support: AnnotatedGraph) -> Certificate {
    Certificate::KInduction(KInduction {
        depth,
        support,
        rest: Rest::Follows,
    })
}

#[test]
fn induction_needs_its_depth() {
    let program = program(DELAYED);
    let none = || AnnotatedGraph {
        nodes: Vec::new(),
        ..graph(&program, at_most(3))
    };
    assert!(is_wrong(check(&program, induction(0, none()))));
    assert!(is_wrong(check(&program, induction(1, none()))));
    assert_eq!(check(&program, induction(2, none())), Ok(()));
}

#[test]
fn support_is_checked_too() {
    let program = program(DELAYED);
    // True of every state, and enough for one step less.
    assert_eq!(
        check(&program, induction(1, graph(&program, at_most(3)))),
        Ok(())
    );
    // Not true after one iteration, however useful.
    assert!(is_wrong(check(
        &program,
        induction(1, graph(&program, at_most(2)))
    )));
}

#[test]
fn induction_finds_the_violation_in_the_base_case() {
    let program = program(
        "int main(void) { int x = 0;
        while (__VERIFIER_nondet_int()) { x++; if (x == 4) reach_error(); } return 0; }",
    );
    for depth in 0..8 {
        let none = AnnotatedGraph {
            nodes: Vec::new(),
            ..graph(&program, at_most(3))
        };
        assert!(is_wrong(check(&program, induction(depth, none))), "{depth}");
    }
}

#[test]
fn an_unrolling_must_reach_the_end() {
    let program = program(
        "int main(void) { int n = __VERIFIER_nondet_int(), x = 0;
        while (x < n && x < 5) x++; if (x > 5) reach_error(); return 0; }",
    );
    let bounds = |iterations| {
        Certificate::CompleteUnrolling(UnrollingBounds {
            iterations,
            recursion: 2,
            steps: 10_000,
        })
    };
    assert!(is_wrong(check(&program, bounds(4))));
    assert_eq!(check(&program, bounds(6)), Ok(()));
}

#[test]
fn inputs_must_lead_to_the_violation() {
    let program = program(
        "int main(void) { int x = __VERIFIER_nondet_int();
        if (x == 7 && __VERIFIER_nondet_int() == 8) reach_error(); return 0; }",
    );
    let run = |values: &[u128]| {
        let inputs = program.inputs.iter().enumerate();
        let nondet: Vec<_> = inputs
            .filter(|(_, input)| matches!(input.kind, cfa::op::InputKind::Nondet(_)))
            .map(|(number, _)| cfa::op::InputId(number as u32))
            .collect();
        let values = values.iter().zip(nondet).map(|(&bits, input)| InputValue {
            input,
            ty: cfa::value::Ty::signed(32),
            bits,
        });
        check(&program, Certificate::Inputs(values.collect()))
    };
    assert_eq!(run(&[7, 8]), Ok(()));
    assert!(is_wrong(run(&[7, 9])));
    // One step short.
    assert!(is_wrong(run(&[7])));
}

#[test]
fn the_formula_of_an_execution_is_a_second_opinion() {
    let program = program(
        "int main(void) { int x = __VERIFIER_nondet_int(), sum = 0;
        for (int i = 0; i < 20; i++) sum += x;
        if (sum == 140 && __VERIFIER_nondet_int() == 8) reach_error(); return 0; }",
    );
    let confirmed = |values: &[u128]| {
        let inputs = program.inputs.iter().enumerate();
        let nondet = inputs
            .filter(|(_, input)| matches!(input.kind, cfa::op::InputKind::Nondet(_)))
            .map(|(number, _)| cfa::op::InputId(number as u32));
        let values: Vec<InputValue> = values
            .iter()
            .zip(nondet)
            .map(|(&bits, input)| InputValue {
                input,
                ty: cfa::value::Ty::signed(32),
                bits,
            })
            .collect();
        crate::confirmed_by_formula(&program, &values, &Budget::unlimited())
    };
    assert!(confirmed(&[7, 8]));
    assert!(!confirmed(&[7, 9]));
    assert!(!confirmed(&[6, 8]));
}

/// Which location of a loop is its head is nobody's choice but the checker's own; a proof may cut
/// it anywhere.
#[test]
fn a_loop_may_be_cut_behind_its_head() {
    let text = "int main(void) { int x = 0; while (1) {
        if (x > 10) reach_error();
        if (x < 10 && __VERIFIER_nondet_int()) x = x + 1; } }";
    let program = program(text);
    let mut graph = graph(&program, at_most(10));
    let behind = program.location(head(&program)).outgoing[0];
    graph.nodes[0].location = program.edge(behind).target;
    assert_ne!(graph.nodes[0].location, head(&program));
    let accepted = certify(
        &program,
        &Certificate::Graph(graph.clone()),
        &Budget::unlimited(),
    );
    assert!(accepted.is_ok(), "{accepted:?}");
    graph.nodes[0].invariant = at_most(9)(&mut graph.pool, {
        let number = program.vars.iter().position(|var| var.name == "x");
        let var = cfa::expr::VarId(number.expect("there is an x") as u32);
        program.pool.clone().variable(var, program.var(var).ty)
    });
    let rejected = certify(&program, &Certificate::Graph(graph), &Budget::unlimited());
    assert!(matches!(rejected, Err(Rejection::Wrong(_))), "{rejected:?}");
}

/// What an engine leaves out of its formulas is said as it is, and is no bug of the engine's.
#[test]
fn an_execution_that_ends_before_its_violation_says_how() {
    let program = program(
        "int main(void) { int x = __VERIFIER_nondet_int(); int y = 8 / x;
        if (y == 0 || x == 0) reach_error(); return 0; }",
    );
    let inputs = program.inputs.iter();
    let nondet = inputs
        .enumerate()
        .find(|(_, input)| matches!(input.kind, cfa::op::InputKind::Nondet(_)))
        .map(|(number, _)| cfa::op::InputId(number as u32))
        .expect("it takes an input");
    let run = |bits| {
        let value = InputValue {
            input: nondet,
            ty: cfa::value::Ty::signed(32),
            bits,
        };
        check(&program, Certificate::Inputs(vec![value]))
    };
    match run(0) {
        Err(Rejection::Unfinished(why)) => {
            assert!(why.contains("before the violation"), "{why}");
            assert!(why.contains("division by zero"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(run(9), Ok(()));
    assert!(is_wrong(run(1)));
}

#[test]
fn a_map_of_facts_is_checked_as_a_whole() {
    let program = program(COUNTER);
    let map = |bounds: &[(i128, CallPattern)]| {
        let mut pool = program.pool.clone();
        let mut entries = Vec::new();
        for (bound, calls) in bounds {
            let statement = graph(&program, at_most(*bound));
            entries.push(Invariant {
                calls: calls.clone(),
                location: statement.nodes[0].location,
                holds: pool.import(&statement.pool, statement.nodes[0].invariant),
            });
        }
        let by = "test".into();
        InvariantMap { by, pool, entries }
    };
    let check = |bounds: &[(i128, CallPattern)]| {
        check_facts(&program, &map(bounds), &Budget::unlimited()).map(|_| ())
    };
    let (any, none) = (CallPattern::Any, CallPattern::Exactly(Vec::new()));
    assert_eq!(check(&[(10, any.clone())]), Ok(()));
    assert_eq!(check(&[(10, none.clone()), (20, none.clone())]), Ok(()));
    assert!(is_wrong(check(&[(9, any.clone())])));
    // All entries of a place hold, not one of them.
    assert!(is_wrong(check(&[(10, any.clone()), (9, any.clone())])));
    let mixed = check(&[(10, any), (9, none)]);
    assert!(mixed.is_err(), "{mixed:?}");
}

/// Safe because the loop ends after five rounds; then there is a loop without end, which leads
/// nowhere.
const FIVE_ROUNDS: &str = "int main(void) { int x = 0, y = 0;
    while (x < 5) { x++; if (__VERIFIER_nondet_int()) y++; }
    if (y > 5) reach_error(); while (__VERIFIER_nondet_int()) y++; return 0; }";

/// No execution passes more loop heads than the base case.
fn ends(program: &Program, depth: u32) -> Result<(), Rejection> {
    let support = AnnotatedGraph {
        pool: program.pool.clone(),
        nodes: Vec::new(),
    };
    let claim = KInduction {
        depth,
        support,
        rest: Rest::Nothing,
    };
    check(program, Certificate::KInduction(claim))
}

#[test]
fn executions_that_end_need_no_step_case() {
    let program = program(FIVE_ROUNDS);
    for depth in 0..6 {
        assert!(is_wrong(ends(&program, depth)), "{depth}");
    }
    assert_eq!(ends(&program, 6), Ok(()));
    assert_eq!(ends(&program, 60), Ok(()));
}

#[test]
fn executions_that_end_badly_are_no_proof() {
    let program = program(&FIVE_ROUNDS.replace("y > 5", "y > 4"));
    for depth in [0, 5, 6, 60] {
        assert!(is_wrong(ends(&program, depth)), "{depth}");
    }
}

#[test]
fn a_loop_without_end_before_an_error_does_not_end() {
    let program = program(
        "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) if (x < 3) x++;
        if (x > 3) reach_error(); return 0; }",
    );
    for depth in [0, 3, 30] {
        assert!(is_wrong(ends(&program, depth)), "{depth}");
    }
}

/// The error is behind the return from where the loop without end is.
#[test]
fn a_loop_in_a_function_leads_to_what_its_callers_do() {
    let program = program(
        "int x; void spin(void) { while (__VERIFIER_nondet_int()) x = 7; }
        int main(void) { x = 0; spin(); if (x > 6) reach_error(); return 0; }",
    );
    for depth in [0, 3] {
        assert!(is_wrong(ends(&program, depth)), "{depth}");
    }
}

/// A recursion that goes deeper than blocks do comes back with a state that no block has seen.
#[test]
fn facts_behind_a_recursion_that_is_not_followed_are_not_accepted() {
    let text = |depth: &str| {
        format!(
            "unsigned __VERIFIER_nondet_uint(void); unsigned n = 0; int deep = 0;
            void descend(unsigned left) {{ if (left == 0) return;
              n = n + 1; if (n > 6) deep = 1; descend(left - 1); }}
            int main(void) {{ unsigned z = 1; descend({depth});
              while (__VERIFIER_nondet_uint()) z = z * 5;
              if (z == 0 && deep) reach_error(); return 0; }}"
        )
    };
    let never_deep = |program: &Program| {
        let number = program.vars.iter().position(|var| var.name == "deep");
        let deep = cfa::expr::VarId(number.expect("it is a variable") as u32);
        let mut pool = program.pool.clone();
        let ty = program.var(deep).ty;
        let (variable, zero) = (pool.variable(deep, ty), pool.constant(0, ty));
        let holds = pool.eq(variable, zero);
        InvariantMap {
            by: "test".into(),
            pool,
            entries: vec![Invariant {
                calls: CallPattern::Any,
                location: head(program),
                holds,
            }],
        }
    };
    let check = |text: &str| {
        let program = program(text);
        check_facts(&program, &never_deep(&program), &Budget::unlimited()).map(|_| ())
    };
    let refused = check(&text("__VERIFIER_nondet_uint()"));
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(check(&text("2")), Ok(()));
}

/// An inner activation writes the outer one's local.
fn recursion(condition: &str) -> Program {
    program(&format!(
        "void f(int r, int *p) {{ int l = 10; if (r) {{ *p = 20; return; }} f(1, &l);
         if ({condition}) reach_error(); }} int main(void) {{ f(0, 0); return 0; }}"
    ))
}

#[test]
fn every_activation_has_objects_of_its_own() {
    let bounds = UnrollingBounds {
        iterations: 1,
        recursion: 3,
        steps: 1000,
    };
    for (condition, is_safe) in [("l != 20", true), ("l != 10", false)] {
        let checked = check(
            &recursion(condition),
            Certificate::CompleteUnrolling(bounds),
        );
        assert_eq!(checked.is_ok(), is_safe, "{condition}: {checked:?}");
        assert_eq!(is_wrong(checked), !is_safe);
    }
}
