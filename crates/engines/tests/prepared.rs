//! Answers about a prepared program are certified on the program that it was prepared from.

use cfa::program::Program;
use engines::bmc::Bmc;
use engines::houdini::Houdini;
use engines::k_induction::{KInduction, KInductionOptions};
use engines::pdr::Pdr;
use facts::budget::Budget;
use facts::carried::carry_back;
use facts::engine::{Engine, NoBoard, Outcome};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use std::time::Duration;
use syntax::driver;
use transform::passes::{SIMPLIFY, Settings, prepare};
use transform::regions::split_memory;

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); void abort(void);\n";

fn lowered(body: &str) -> Program {
    let text = format!("{HEAD}{body}");
    match load_text(
        "test.c",
        &text,
        &driver::Options::default(),
        &LowerOptions::default(),
    ) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}

/// What the engine says about the prepared program, certified on the given one; `None` if it does
/// not know.
fn answer(given: &Program, engine: &mut dyn Engine) -> Option<Result<(), String>> {
    let prepared = prepare(given, &SIMPLIFY, &Settings::default());
    assert!(prepared.program.edges.len() < given.edges.len());
    loop {
        let budget = Budget::new(Some(Duration::from_secs(20)), None);
        let Outcome::Answer(certificate) = engine.run(&prepared.program, &NoBoard, &budget) else {
            return None;
        };
        let carried = carry_back(given, &prepared, &certificate, None)?;
        let budget = Budget::new(Some(Duration::from_secs(20)), None);
        let certified = certify::certify(given, &carried, &budget);
        if certified.is_ok() || !engine.retry_after_rejection(&certificate) {
            let certified = certified.map(|_| ());
            return Some(certified.map_err(|rejection| rejection.to_string()));
        }
    }
}

fn k_induction_to(last_depth: u32) -> KInduction {
    let options = KInductionOptions {
        last_depth,
        ..KInductionOptions::default()
    };
    KInduction { options }
}

/// Five rounds of a loop that matters, and a loop that does not.
fn five_rounds(before: &str, after: &str) -> Program {
    lowered(&format!(
        "int main(void) {{ int x = 0, y = 0, z = __VERIFIER_nondet_int(); {before}\n\
         while (x < 5) {{ x++; if (__VERIFIER_nondet_int()) y++; }} if (y > 5) reach_error(); {after} return 0; }}"
    ))
}

/// That all executions end is true also with the loops that passes removed: those lead to no error.
#[test]
fn executions_that_end_are_carried_back() {
    for (before, after) in [
        ("", "while (z > 0) z--;"),
        ("for (int i = 0; i < 4; i++) z++;", ""),
    ] {
        let given = five_rounds(before, after);
        let result = answer(&given, &mut k_induction_to(12));
        assert_eq!(result, Some(Ok(())), "{before} {after}");
    }
}

/// Proofs that need what the passes knew: constants of variables, globals and callers; loops that
/// lead nowhere; code that constants exclude; branches that do not matter.
const SAFE: [&str; 7] = [
    "int main(void) { int step = 2, n = 0; while (__VERIFIER_nondet_int()) { n = n + step; if (n > 1000) n = 0; }\n\
     if (n % 2) reach_error(); while (n < 7) n++; return 0; }",
    "int limit = 100; int main(void) { int x = 0; while (x < limit) { if (__VERIFIER_nondet_int()) x = x + 1; }\n\
     if (x != 100) reach_error(); return 0; }",
    "int tally; void note(int n) { if (n > 2) tally = n; else tally = __VERIFIER_nondet_int(); }\n\
     int main(void) { int mode = 3, k = 0; while (k < 50) { note(k); if (mode != 3) reach_error(); k++; if (__VERIFIER_nondet_int()) note(5); }\n\
     if (k != 50) reach_error(); return 0; }",
    "int g; void spin(void) { while (g < 10) { g++; if (__VERIFIER_nondet_int()) return; } }\n\
     int main(void) { int base = 7; g = 0; spin(); spin(); int y = base + g; if (base + g != y || y > 17) reach_error(); return 0; }",
    "int debug = 0; int main(void) { int x = __VERIFIER_nondet_int(), y = 0; while (x > 0) { x--; y = 1; if (debug) { while (y) y++; reach_error(); } }\n\
     if (y > 1) reach_error(); return 0; }",
    "int g; void spin(int n) { while (n > 0) { n--; g++; } }\n\
     int main(void) { int mode = 3; spin(__VERIFIER_nondet_int()); if (mode != 3) reach_error(); return 0; }",
    "int state; int probe(int x) { if (x) return 1; state = 0; return 0; }\n\
     int main(void) { int s = 0, a, b; while (1) { a = __VERIFIER_nondet_int(); if (!a && s == 0) goto out;\n\
     b = __VERIFIER_nondet_int(); if (b == 0 && s == 0) { if (probe(b)) goto out; s = 0; } }\n\
     out: if (state != 0) reach_error(); return 0; }",
];

#[test]
fn proofs_are_carried_back() {
    let (mut proved, mut failures) = (0, Vec::new());
    for body in SAFE {
        let given = lowered(body);
        let engines: [&mut dyn Engine; 3] = [
            &mut Houdini::default(),
            &mut KInduction::default(),
            &mut Pdr::default(),
        ];
        for engine in engines {
            if let Some(result) = answer(&given, engine) {
                match result {
                    Ok(()) => proved += 1,
                    Err(why) => failures.push(format!("{}: {why}\n{body}", engine.name())),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(proved >= 8, "only {proved} proofs");
}

#[test]
fn violations_are_carried_back() {
    for body in [
        "int seen; int main(void) { int noise = __VERIFIER_nondet_int(); int x = __VERIFIER_nondet_int(); if (noise > 3) seen = noise;\n\
         int more = __VERIFIER_nondet_int(), n = 0; while (n < 3) { n++; more = more + __VERIFIER_nondet_int(); } if (x == 42) reach_error(); return more; }",
        "int f(int a) { if (a < 0) abort(); return a * 2; } int main(void) { int s = 0; for (int i = 0; i < 3; i++) { int d = __VERIFIER_nondet_int(); s += f(d); }\n\
         int rest = __VERIFIER_nondet_int(); if (s == 24 && rest != 5) reach_error(); return 0; }",
    ] {
        let given = lowered(body);
        assert_eq!(answer(&given, &mut Bmc::default()), Some(Ok(())), "{body}");
    }
}
