//! Small programs with every switch.

use super::*;

/// TreeIC3.
fn tree() -> Ic3CfaOptions {
    Ic3CfaOptions {
        tree: true,
        ..Ic3CfaOptions::default()
    }
}

/// Every switch alone, turned.
fn variants() -> Vec<Ic3CfaOptions> {
    let given = Ic3CfaOptions::default;
    vec![
        given(),
        Ic3CfaOptions::old(),
        Ic3CfaOptions {
            section_5_1_distances: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_3_inductiveness: Inductiveness::Transitions,
            ..given()
        },
        Ic3CfaOptions {
            section_5_4_assumes: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_5_predecessor_cubes: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_6_context: ContextForm::None,
            ..given()
        },
        Ic3CfaOptions {
            section_5_6_context: ContextForm::SameCube,
            ..given()
        },
        Ic3CfaOptions {
            section_5_7_minimal: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_8_ordering: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_9_earlier_edges: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_10_interpolation: false,
            ..given()
        },
        Ic3CfaOptions {
            section_5_11_counterexamples: true,
            ..given()
        },
        Ic3CfaOptions {
            cores: false,
            ..given()
        },
        Ic3CfaOptions {
            models: false,
            ..given()
        },
        Ic3CfaOptions {
            lifting: false,
            ..given()
        },
        Ic3CfaOptions {
            loop_indices: false,
            ..given()
        },
        Ic3CfaOptions {
            lifting: true,
            loop_indices: true,
            ..Ic3CfaOptions::old()
        },
        Ic3CfaOptions {
            propagation: false,
            ..given()
        },
        Ic3CfaOptions {
            propagation: true,
            ..Ic3CfaOptions::old()
        },
        Ic3CfaOptions {
            implied_literals: false,
            ..given()
        },
        Ic3CfaOptions {
            requeueing: true,
            ..given()
        },
        Ic3CfaOptions {
            publication: true,
            ..given()
        },
        Ic3CfaOptions {
            most_partial_commands: 1,
            ..given()
        },
        Ic3CfaOptions {
            most_partial_commands: 16,
            ..given()
        },
        tree(),
    ]
}

const COUNTS: &str =
    "int main(void) { int x = 0; while (x < 10) x++; if (x != 10) reach_error(); return 0; }";
const COUNTS_TO: &str =
    "int main(void) { int x = 0; while (x < 10) x++; if (x == 10) reach_error(); return 0; }";
const EQUAL: &str = "int main(void) { int x = 0, y = 0; while (__VERIFIER_nondet_int()) {
    x++; y++; if (x > 5) { x = 0; y = 0; } } if (x != y) reach_error(); return 0; }";
const DEEP: &str = "int main(void) { int x = __VERIFIER_nondet_int(), y = 0;
    while (x > 0) { y++; if (y == 4) reach_error(); x = x - 3; } return 0; }";
const STATES: &str = "int state; void step(void) { int in = __VERIFIER_nondet_int();
    if (state == 0 && in > 7) state = 1; else if (state == 1) state = in ? 2 : 0; else if (state == 2) state = LAST; }
    int main(void) { while (1) { step(); if (state == 3) reach_error(); } }";
const MEMORY: &str = "int a[4]; int main(void) { int i = 0; while (__VERIFIER_nondet_int()) {
    a[2] = 1; a[i & 1] = 7; i++; } if (a[2] > 1) reach_error(); return 0; }";
const LOCAL: &str = "int f(int n) { int s = 0; int *p = &s; for (int i = 0; i < n; i++) *p = *p | 2; return s; }
    int main(void) { int x = f(__VERIFIER_nondet_int()); int y = f(3); if (x & 1) reach_error(); if (y & 4) reach_error(); return 0; }";
const LOCAL_BAD: &str =
    "int f(int n) { int s = 0; int *p = &s; for (int i = 0; i < n; i++) *p = *p + 2; return s; }
    int main(void) { int y = f(3); if (y == 6) reach_error(); return 0; }";
const RECURSION: &str = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
    int main(void) { if (f(2) != 2) reach_error(); return 0; }";

/// One place leads to errors in functions at different depths.
const DEPTHS: &str = "int x; void g(void) { if (x > 9) reach_error(); } void f(void) { g(); if (x > 8) reach_error(); }
    int main(void) { while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) g(); else f(); if (x < 5) x++; } return 0; }";

fn programs() -> Vec<(String, &'static str)> {
    let some = [
        ("int main(void) { return 0; }", "TRUE"),
        ("int main(void) { reach_error(); }", "FALSE"),
        (COUNTS, "TRUE"),
        (COUNTS_TO, "FALSE"),
        (EQUAL, "TRUE"),
        (DEEP, "FALSE"),
        (MEMORY, "TRUE"),
        (LOCAL, "TRUE"),
        (LOCAL_BAD, "FALSE"),
        (RECURSION, "TRUE"),
        (DEPTHS, "TRUE"),
    ];
    let some = some
        .into_iter()
        .map(|(text, verdict)| (text.to_owned(), verdict));
    let states = [("0", "TRUE"), ("3", "FALSE")];
    let states = states.map(|(last, verdict)| (STATES.replace("LAST", last), verdict));
    some.chain(states).collect()
}

#[test]
fn small_programs_are_decided() {
    for (body, expected) in programs() {
        for options in [Ic3CfaOptions::default(), Ic3CfaOptions::old(), tree()] {
            assert_eq!(answer(&body, few_questions(options)), expected, "{body}");
        }
    }
}

/// Every syntactic check is compared with the solver's on the way.
#[test]
fn every_switch_keeps_the_answers() {
    let states = STATES.replace("LAST", "0");
    for options in variants() {
        for (body, expected) in [
            (COUNTS, "TRUE"),
            (EQUAL, "TRUE"),
            (&states, "TRUE"),
            (DEEP, "FALSE"),
        ] {
            let described = format!("{options:?}");
            assert_eq!(
                answer(body, few_questions(options.clone())),
                expected,
                "{described} {body}"
            );
        }
    }
}

/// Ways through a command that differ in what is read again later, or never.
const WAKING: &str = "int t1, t2, t3, s, pc;
    void wake(void) { if (t1 == 1) s = 1; if (t2 == 1) s = s + 1; if (t3 == 1) s = s + 1; }
    int main(void) { while (1) { int i = __VERIFIER_nondet_int();
        if (i == 1) t1 = 1; else if (i == 2 && FIRST) t2 = 1; else if (i == 3 && SECOND) t3 = 1;
        s = 0; wake(); if (s == 3) reach_error(); if (s == 2) pc = pc < 2 ? pc + 1 : pc; } }";

/// Predecessors without branches, and indices without the places between loop heads.
#[test]
fn ways_that_are_merged_are_told_apart_in_executions() {
    let safe = WAKING.replace("FIRST", "!t3").replace("SECOND", "!t2");
    let violable = WAKING.replace("FIRST", "pc < 9").replace("SECOND", "t2");
    for (lifting, loop_indices) in [(true, true), (true, false), (false, true)] {
        for most_partial_commands in [2, 64] {
            let options = Ic3CfaOptions {
                lifting,
                loop_indices,
                most_partial_commands,
                most_questions: 20_000,
                ..Ic3CfaOptions::default()
            };
            for (body, expected) in [(&safe, "TRUE"), (&violable, "FALSE")] {
                assert_eq!(answer(body, options.clone()), expected, "{options:?}");
            }
        }
    }
}

#[test]
fn without_generalisation_small_state_spaces_are_decided() {
    let none = Ic3CfaOptions {
        generalisation: Generalisation::None,
        ..Ic3CfaOptions::old()
    };
    assert_eq!(answer(TRUE_PROGRAM, few_questions(none.clone())), "TRUE");
    assert_eq!(answer(COUNTS_TO, few_questions(none)), "FALSE");
}
