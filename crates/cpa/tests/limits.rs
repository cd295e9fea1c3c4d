//! Every analysis ends soon after it is asked to, and stays within its memory, on programs that it
//! cannot finish.

use absint::numeric::choice::Domain;
use cfa::program::Program;
use cpa::engine::{Analysis, CpaOptions, engine};
use cpa::formalism::{Merge, Stop};
use cpa::generator::{Generator, GeneratorOptions};
use facts::budget::Budget;
use facts::engine::{Engine, NoBoard, Outcome, Reason};
use std::fmt::Write;
use std::time::{Duration, Instant};
use testing::program;

/// A loop over many variables whose values never come to an end, with long stretches and hard
/// conditions.
fn endless() -> Program {
    let mut text = String::from("int main(void) {\n");
    for variable in 0..40 {
        let _ = writeln!(text, "int v{variable} = {variable};");
    }
    text.push_str("float f = __VERIFIER_nondet_float();\nwhile (1) {\n");
    for line in 0..200 {
        let (a, b, c) = (line % 40, (line * 7 + 3) % 40, (line * 13 + 5) % 40);
        let _ = writeln!(text, "v{a} = v{b} + v{c}; f = f * 1.5f + 1.0f;");
        if line % 10 == 0 {
            let _ = writeln!(text, "if (__VERIFIER_nondet_int()) v{b}++;");
        }
    }
    text.push_str("if (v0 * v1 * v2 == 1000003 && v3 * v4 == v5 * v5 + 17) reach_error();\n}\n}\n");
    program(&text)
}

fn analyses() -> Vec<(&'static str, Box<dyn Engine>)> {
    let numeric = |merge, domain, cegar| CpaOptions {
        merge,
        domain,
        cegar,
        handle_floats: true,
        ..CpaOptions::default()
    };
    let value = |cegar| CpaOptions {
        analysis: Analysis::Value,
        cegar,
        ..CpaOptions::default()
    };
    let restricted = CpaOptions {
        restrict_to_function: true,
        stop: Stop::Join,
        threshold_widening: true,
        ..numeric(Merge::Widening, Domain::OctagonScalar, false)
    };
    let continuous = Generator {
        options: GeneratorOptions {
            rounds: Vec::new(),
            ..GeneratorOptions::default()
        },
    };
    vec![
        ("eva-basic", engine(value(false))),
        ("eva-refiner", engine(value(true))),
        ("sep", engine(numeric(Merge::Sep, Domain::Octagon, false))),
        ("join", engine(numeric(Merge::Join, Domain::Octagon, false))),
        (
            "widening",
            engine(numeric(Merge::Widening, Domain::All, false)),
        ),
        (
            "refiner",
            engine(numeric(Merge::Sep, Domain::Octagon, true)),
        ),
        ("restricted", engine(restricted)),
        ("invariants", Box::new(Generator::default())),
        ("invariants-cpa", Box::new(continuous)),
    ]
}

/// On a machine that is busy with other things one attempt says little.
const ATTEMPTS: usize = 4;

#[test]
fn they_stop_within_a_fifth_of_a_second() {
    let program = endless();
    for (name, mut analysis) in analyses() {
        let mut best = Duration::MAX;
        for _ in 0..ATTEMPTS {
            let budget = Budget::new(Some(Duration::from_millis(300)), None);
            let begin = Instant::now();
            let outcome = analysis.run(&program, &NoBoard, &budget);
            assert!(
                !matches!(outcome, Outcome::Answer(_)),
                "{name} found an answer"
            );
            best = best.min(begin.elapsed().saturating_sub(Duration::from_millis(300)));
            if best <= Duration::from_millis(200) {
                break;
            }
        }
        assert!(
            best <= Duration::from_millis(200),
            "{name} took {best:?} longer"
        );
    }
}

#[test]
fn they_stay_within_their_memory() {
    let program = endless();
    for (analysis, cegar) in [
        (Analysis::Value, false),
        (Analysis::Value, true),
        (Analysis::Numeric, false),
    ] {
        let mut analysis = engine(CpaOptions {
            analysis,
            cegar,
            ..CpaOptions::default()
        });
        let budget = Budget::new(Some(Duration::from_secs(20)), Some(4 << 20));
        match analysis.run(&program, &NoBoard, &budget) {
            Outcome::Unknown(reason) => assert_eq!(reason, Reason::OutOfMemory),
            answer => panic!("{answer:?}"),
        }
    }
}
