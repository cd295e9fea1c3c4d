//! Conditions that say anything: their parts are the whole program.

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
