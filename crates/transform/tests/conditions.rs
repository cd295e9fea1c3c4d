//! The parts of a condition are the whole program, whatever the condition says.

use cfa::expr::VarId;
use cfa::program::{EdgeId, Program};
use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use transform::condition::{Condition, Move, State, claimed, residual};

fn program(body: &str) -> Program {
    let text = format!(
        "int __VERIFIER_nondet_int(void); void reach_error(void); int f(int a) {{ return a + 1; }}\n\
         int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"
    );
    let front = syntax::driver::Options::default();
    let loaded = load_text("test.i", &text, &front, &LowerOptions::default());
    let loaded = loaded.unwrap_or_else(|failure| panic!("{failure}"));
    instrument(&loaded.program, &Property::assertions())
}

fn is_violated(program: &Program, input: i32) -> bool {
    let mut inputs = ConstantInputs(u128::from(input as u32));
    let mut interpreter = Interpreter::new(program);
    let run = interpreter.run(&Options::default(), &mut inputs, &mut std::io::sink());
    match run.outcome {
        Outcome::Error(_) => true,
        Outcome::Finished(_) | Outcome::AssumeFailed => false,
        other => panic!("{other:?}"),
    }
}

const INPUTS: &[i32] = &[-3, -1, 0, 1, 2, 3, 5, 8, 13];

/// Whatever a condition says: no violation is lost, and none is in both parts; what the whole
/// claims, one of its parts claims.
#[test]
fn random_conditions_lose_no_violation() {
    let program = program(
        "int i = 0, y = 1; if (x < 0) { y = f(x); x = 0 - x; } while (i < x) { i++; if (i == 3) y = f(y); }\n\
         if (y > 1) reach_error(); while (y < 4 && x != 1) y = f(y); if (x > 4) reach_error(); if (i == y) reach_error();",
    );
    let count = program.edges.len() as u64;
    let mut seed = 1u64;
    let mut random = |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut claims = 0;
    for _ in 0..150 {
        let mut moves = Vec::new();
        for _ in 0..=random(8) {
            moves.push(Move {
                from: random(3) as u32,
                edge: EdgeId(random(count) as u32),
                guard: None,
                to: match random(5) {
                    0 => State::Open,
                    1 | 2 => State::Done,
                    _ => State::At(random(3) as u32),
                },
                part: random(3) as u32,
            });
        }
        let condition = Condition {
            initial: State::At(0),
            moves,
        };
        let whole = claimed(&program, &condition).expect("it is a condition");
        let rest = residual(&program, &condition).expect("it is a condition");
        for &input in INPUTS {
            let (first, second) = (is_violated(&whole, input), is_violated(&rest, input));
            assert!(!(first && second), "{input} is in both: {condition:?}");
            let is_lost = is_violated(&program, input) != (first || second);
            assert!(!is_lost, "{input}: {condition:?}");
            claims += usize::from(first);
        }
        let parts: Vec<Program> = condition
            .parts()
            .into_iter()
            .map(|part| claimed(&program, &condition.only(part)).expect("a condition"))
            .collect();
        for &input in INPUTS.iter().filter(|&&input| is_violated(&whole, input)) {
            let is_in = parts.iter().any(|part| is_violated(part, input));
            assert!(is_in, "{input}: {condition:?}");
        }
    }
    assert!(claims > 50, "{claims}");
}

/// The edges whose text is this.
fn edges(program: &Program, text: &str, taken: bool) -> Vec<EdgeId> {
    let all = program.edges.iter().enumerate();
    let found = all.filter(|(_, edge)| {
        let is_text = program.sources.snippet(edge.span) == text.as_bytes();
        is_text && edge.branch.is_none_or(|branch| branch.taken == taken)
    });
    found.map(|(number, _)| EdgeId(number as u32)).collect()
}

fn step(from: u32, edge: EdgeId, to: State) -> Move {
    Move {
        from,
        edge,
        guard: None,
        to,
        part: 0,
    }
}

/// Both parts together have the violations of the whole, and no violation twice.
fn parts_are_the_whole(program: &Program, condition: &Condition, inputs: &[i32]) -> usize {
    let claimed = claimed(program, condition).expect("it is a condition");
    let residual = residual(program, condition).expect("it is a condition");
    let mut done = 0;
    for &input in inputs {
        let whole = is_violated(program, input);
        let (first, second) = (is_violated(&claimed, input), is_violated(&residual, input));
        assert!(!(first && second), "{input} is in both");
        assert_eq!(first || second, whole, "{input}");
        done += usize::from(first);
    }
    done
}

#[test]
fn branches_and_calls_and_errors_are_parted() {
    let program = program(
        "int y; if (x > 2) y = f(x); else y = 0 - x; if (y > 1) reach_error(); if (x == 0) reach_error();",
    );
    let branch = edges(&program, "x > 2", true)[0];
    let call = edges(&program, "f(x)", true)[0];
    let errors: Vec<EdgeId> = edges(&program, "reach_error()", true);
    assert_eq!(errors.len(), 2);
    for (edge, claims) in [(branch, 4), (call, 4), (errors[0], 5), (errors[1], 1)] {
        let condition = Condition {
            initial: State::At(0),
            moves: vec![step(0, edge, State::Done)],
        };
        let done = parts_are_the_whole(&program, &condition, INPUTS);
        assert_eq!(done, claims, "{edge:?}");
    }
    for initial in [State::Done, State::Open] {
        let condition = Condition {
            initial,
            moves: Vec::new(),
        };
        let done = parts_are_the_whole(&program, &condition, INPUTS);
        assert_eq!(done, if initial == State::Done { 6 } else { 0 });
    }
}

#[test]
fn iterations_are_counted_and_guards_decide() {
    let mut program = program("int i = 0; while (i < x) { i++; } if (x != 1) reach_error();");
    let again = edges(&program, "i < x", true)[0];
    let error = edges(&program, "reach_error()", true)[0];
    // Not more than two iterations.
    let mut moves = Vec::new();
    for state in 0..3 {
        moves.push(step(state, again, State::At(state + 1)));
        moves.push(step(state, error, State::Done));
    }
    let bounded = Condition {
        initial: State::At(0),
        moves,
    };
    assert_eq!(parts_are_the_whole(&program, &bounded, INPUTS), 4);
    // Where x is not more than 4 when an iteration begins; all else is open from there.
    let var = program.vars.iter().position(|var| var.name == "x").unwrap();
    let ty = program.vars[var].ty;
    let x = program.pool.variable(VarId(var as u32), ty);
    let four = program.pool.constant(4, ty);
    let guard = program.pool.le(x, four);
    let guarded = Condition {
        initial: State::At(0),
        moves: vec![
            Move {
                guard: Some(guard),
                ..step(0, again, State::At(0))
            },
            step(0, error, State::Done),
        ],
    };
    assert_eq!(parts_are_the_whole(&program, &guarded, INPUTS), 5);
}

#[test]
fn a_part_is_what_its_moves_leave_out() {
    let program = program(
        "int i = 0; while (i < x) i++; if (x > 2) reach_error(); if (x < 1) reach_error();",
    );
    let again = edges(&program, "i < x", true)[0];
    let errors = edges(&program, "reach_error()", true);
    let mut moves = Vec::new();
    for state in 0..2 {
        moves.push(Move {
            part: 1,
            ..step(state, errors[0], State::Done)
        });
    }
    moves.push(Move {
        part: 2,
        ..step(0, errors[1], State::Done)
    });
    moves.push(step(0, again, State::At(1)));
    let condition = Condition {
        initial: State::At(0),
        moves,
    };
    assert_eq!(condition.parts(), [1, 2]);
    let first = condition.only(1);
    assert_eq!(first.moves.len(), 1, "it needs no states: {first:?}");
    assert_eq!(parts_are_the_whole(&program, &first, INPUTS), 4);
    let second = condition.only(2);
    assert_eq!(parts_are_the_whole(&program, &second, INPUTS), 3);
    assert_eq!(parts_are_the_whole(&program, &condition, INPUTS), 7);
}

#[test]
fn what_may_have_no_value_is_no_guard() {
    let mut program = program("if (x > 2) reach_error();");
    let edge = edges(&program, "x > 2", true)[0];
    let var = program.vars.iter().position(|var| var.name == "x").unwrap();
    let ty = program.vars[var].ty;
    let x = program.pool.variable(VarId(var as u32), ty);
    let quotient = program.pool.binary(cfa::expr::BinOp::Div, x, x);
    let guard = program.pool.eq(quotient, x);
    let condition = Condition {
        initial: State::At(0),
        moves: vec![Move {
            guard: Some(guard),
            ..step(0, edge, State::Done)
        }],
    };
    assert!(claimed(&program, &condition).is_err());
    assert!(residual(&program, &condition).is_err());
}
