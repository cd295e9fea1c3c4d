//! The formula of an execution has exactly the final state that the interpreter computes.
//!
//! A random program is executed, and its final state is written into two copies of it: one that
//! violates the property exactly in this state, and one that violates it in every other. With the
//! same inputs the formula of the first must have a model, and that of the second none.

use cfa::op::Input;
use cfa::program::Program;
use cfa::value::Ty;
use encoding::path::Path;
use encoding::step::Encoder;
use encoding::unwind::{Guide, Limits, Unwinder};
use interpreter::{InputSource, Interpreter, Options, Outcome};
use logic::{Answer, NativeSolver, Solver, SolverOptions, TermPool};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use std::fmt::Write;
use testing::Random;
use transform::regions::split_memory;

/// All that is left when a program ends.
const STATE: [&str; 14] = [
    "g", "h", "cells[0]", "cells[1]", "cells[2]", "cells[3]", "bytes[0]", "bytes[3]", "bytes[7]",
    "record.a", "record.b", "record.c", "wide", "*p",
];

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int printf(const char *, ...);
    int g = 3, cells[4] = {1, 2}; unsigned h; unsigned char bytes[8]; long long wide; int *p = cells;
    struct { short a; int b; unsigned c : 5; } record, other;
    static int mix(int a, int *q) { *q = *q ^ a; if (a > 5) return a * 3; return a + *q; }
    static void swap(int *q, int *r) { int t = *q; *q = *r; *r = t; }";

fn value(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(4) {
            0 => random
                .pick(&["0", "1", "-1", "7", "255", "2147483647", "40000u", "3ll"])
                .into(),
            1 => random.pick(&["x", "y", "i"]).into(),
            _ => STATE[random.below(STATE.len() as u64) as usize].into(),
        };
    }
    let (a, b) = (value(random, depth - 1), value(random, depth - 1));
    match random.below(9) {
        0 => format!("(-({a}))"),
        1 => format!(
            "(({})({a}))",
            random.pick(&["char", "unsigned short", "int", "unsigned"])
        ),
        2 => format!("(({a}) ? ({b}) : x)"),
        3 => format!("(({a}) {} (({b}) & 7))", random.pick(&["<<", ">>"])),
        4 => format!("(({a}) {} ((({b}) & 15) + 1))", random.pick(&["/", "%"])),
        5 => format!(
            "(({a}) {} ({b}))",
            random.pick(&["<", "==", "!=", "&&", "||"])
        ),
        6 => format!("cells[({a}) & 3]"),
        7 => format!("bytes[({a}) & 7]"),
        _ => format!(
            "(({a}) {} ({b}))",
            random.pick(&["+", "-", "*", "&", "|", "^"])
        ),
    }
}

fn statement(random: &mut Random, depth: u32) -> String {
    let (a, b) = (value(random, 2), value(random, 2));
    match random.below(if depth == 0 { 9 } else { 12 }) {
        0 => format!("cells[({a}) & 3] = {b};"),
        1 => format!("bytes[({a}) & 7] = {b};"),
        2 => format!("p = &cells[({a}) & 3];"),
        3 => format!("*p = {a};"),
        4 => format!("g = mix({a}, p);"),
        5 => format!("swap(p, &cells[({a}) & 3]);"),
        6 => "other = record; record.c = other.c + 1;".into(),
        7 => format!("wide = wide * 3 + ({a});"),
        8 => format!(
            "{} = {a};",
            random.pick(&["g", "h", "record.a", "record.b", "record.c", "x"])
        ),
        9 => format!(
            "if ({a}) {{ {} }} else {{ {} }}",
            statement(random, depth - 1),
            statement(random, depth - 1)
        ),
        10 => format!(
            "for (int i = 0; i < (({a}) & 3); i++) {{ {} }}",
            statement(random, depth - 1)
        ),
        _ => format!(
            "{} {}",
            statement(random, depth - 1),
            statement(random, depth - 1)
        ),
    }
}

fn program(text: &str) -> Program {
    let front = syntax::driver::Options::default();
    match load_text("random.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}\n{text}"),
    }
}

struct Values(Vec<u128>);

impl InputSource for Values {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        self.0.pop()
    }
}

struct Feasible(NativeSolver);

impl Guide for Feasible {
    fn is_feasible(&mut self, pool: &mut TermPool, path: &Path) -> bool {
        !self.0.check(pool, &path.conjuncts_after(0)).is_unsat()
    }

    fn must_stop(&mut self) -> bool {
        false
    }
}

/// Does the formula of the execution with these inputs allow a violation?
fn violates(program: &Program, inputs: &[u128]) -> bool {
    let options = Options::default();
    let run =
        Interpreter::new(program).run(&options, &mut Values(inputs.to_vec()), &mut std::io::sink());
    let mut unwinder = Unwinder::new(Encoder::new(program));
    unwinder.give_inputs(run.inputs.iter().map(|&(input, _, bits)| (input, bits)));
    let limits = Limits {
        iterations: 64,
        recursion: 8,
        steps: 100_000,
    };
    let mut guide = Feasible(NativeSolver::new(SolverOptions::default()));
    let unwinding = unwinder.unwind(&limits, &mut guide);
    assert!(
        unwinding.cuts.is_empty(),
        "the execution is followed to its end"
    );
    let pool = &mut unwinder.encoder.pool;
    unwinding.errors.iter().any(|error| {
        let answer = guide.0.check(pool, &error.path.conjuncts_after(0));
        assert!(!matches!(answer, Answer::Unknown(_)));
        !answer.is_unsat()
    })
}

#[test]
fn final_states_agree() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for number in 0..60 {
        let mut body = String::new();
        for _ in 0..6 {
            let _ = writeln!(body, "        {}", statement(&mut random, 2));
        }
        let main = |end: &str| {
            format!(
                "{HEAD}\nint main(void) {{ int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), i = 1;\n\
                 {body}        {end} return 0; }}\n"
            )
        };
        let print: Vec<String> = STATE
            .iter()
            .map(|part| format!("printf(\"%lld \", (long long)({part}));"))
            .collect();
        let shown = program(&main(&print.join(" ")));
        let inputs: Vec<u128> = (0..2)
            .map(|_| match random.below(3) {
                0 => u128::from(random.below(10)),
                _ => u128::from(random.below(1 << 32) as u32),
            })
            .collect();
        let mut out = Vec::new();
        let run = Interpreter::new(&shown).run(
            &Options::default(),
            &mut Values(inputs.clone()),
            &mut out,
        );
        assert_eq!(
            run.outcome,
            Outcome::Finished(0),
            "program {number}\n{body}"
        );
        let text = String::from_utf8(out).expect("digits");
        let values: Vec<i64> = text
            .split_whitespace()
            .map(|word| word.parse().expect("a number"))
            .collect();
        assert_eq!(values.len(), STATE.len());
        let same: Vec<String> = STATE
            .iter()
            .zip(&values)
            .map(|(part, value)| match *value {
                i64::MIN => format!("(long long)({part}) == -9223372036854775807ll - 1"),
                value => format!("(long long)({part}) == {value}ll"),
            })
            .collect();
        let same = same.join(" && ");
        let this = program(&main(&format!("if ({same}) reach_error();")));
        assert!(
            violates(&this, &inputs),
            "program {number} ends otherwise\n{body}"
        );
        let other = program(&main(&format!("if (!({same})) reach_error();")));
        assert!(
            !violates(&other, &inputs),
            "program {number} may end otherwise\n{body}"
        );
    }
}
