//! Everything that analyses publish is inductive as it is said, whatever it was found with: checked
//! by the checker of certificates on small programs.

use absint::numeric::choice::Domain;
use cpa::engine::{Analysis, CpaOptions, engine};
use cpa::formalism::{Merge, Stop};
use cpa::generator::{Generator, GeneratorOptions};
use facts::budget::Budget;
use facts::engine::{Engine, Outcome};
use facts::invariants::InvariantMap;
use std::time::Duration;
use testing::{Recorder, program};

/// Runs the analysis; all that it publishes is checked, and an answer certified.
fn published(text: &str, mut analysis: Box<dyn Engine>) -> (Outcome, Vec<InvariantMap>) {
    let program = program(text);
    let board = Recorder::default();
    let budget = Budget::new(Some(Duration::from_secs(10)), None);
    let outcome = analysis.run(&program, &board, &budget);
    let maps = board.maps();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    if let Outcome::Answer(certificate) = &outcome
        && let Err(rejection) = certify::certify(&program, certificate, &budget)
    {
        panic!("{}: {rejection}\n{text}", analysis.name());
    }
    for map in &maps {
        if let Err(rejection) = certify::check_facts(&program, map, &budget) {
            panic!("{}: {rejection}\n{text}", map.by);
        }
    }
    (outcome, maps)
}

/// What is asked is never excluded, and never violated: the analyses below finish with alarms that
/// are rejected.
const QUESTION: &str =
    "if (a > 1 && a < 60000u && b > 1 && b < 60000u && a * b == 65537u) reach_error();";

/// The same before a loop, so that the alarm comes before the loop is seen.
const QUESTION_FIRST: &str = "unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (a > 1 && a < 60000u && b > 1 && b < 60000u && a * b == 65537u) reach_error();";

fn with_question(loops: &str) -> String {
    format!(
        "{loops}\nint main(void) {{ run();
            unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(); {QUESTION} return 0; }}"
    )
}

const COUNTER: &str = "void run(void) {
    unsigned x = 0, y = 0;
    while (x < 10) { x++; y++; }
}";

/// Two calls of the same loop are told apart, also in a loop.
const CALLS: &str = "int g;
    void count(int a) { int i = 0; while (i < a) { i++; if (g < 100) g++; } }
    void run(void) { count(3); for (int j = 0; j < 2; j++) count(5 + j); }";

const MODES: &str = "void run(void) {
    int flag = __VERIFIER_nondet_int(), value;
    if (flag == 3) value = 10; else { flag = 7; value = 20; }
    while (__VERIFIER_nondet_int()) { if (value == 10) flag = 3; }
}";

const MEMORY: &str = "void run(void) {
    int cells[4] = { 1, 2, 3, 4 }; int *p = &cells[1];
    while (__VERIFIER_nondet_int()) { *p = 2; cells[3] = 4; }
}";

const FLOATS: &str = "void run(void) {
    float f = __VERIFIER_nondet_float(), g = f;
    if (!(f > 0.0f && f < 8.0f)) return;
    while (g < 100.0f && __VERIFIER_nondet_int()) { g = g + f; }
}";

/// Relations of differences that are no octagons, products, remainders and bits.
const ARITHMETIC: &str = "void run(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = x & 12u, z = x * x, w = 0, q = x / 3u, r = x % 8u;
    unsigned char c = x; int s = c; s = s << 2;
    while (__VERIFIER_nondet_int()) { if (x == 5u) w = y; w += 4u * (w < 4u); if (r == 3u) w = 4; }
}";

const PROGRAMS: [&str; 6] = [COUNTER, CALLS, MODES, MEMORY, FLOATS, ARITHMETIC];

fn numeric(merge: Merge, domain: Domain) -> CpaOptions {
    CpaOptions {
        merge,
        domain,
        handle_floats: true,
        threshold_widening: true,
        ..CpaOptions::default()
    }
}

fn analyses() -> Vec<(&'static str, CpaOptions)> {
    let value = |cegar| CpaOptions {
        analysis: Analysis::Value,
        cegar,
        ..CpaOptions::default()
    };
    vec![
        ("value", value(false)),
        ("value with refinement", value(true)),
        ("octagons", numeric(Merge::Widening, Domain::Octagon)),
        ("all domains", numeric(Merge::Widening, Domain::All)),
        (
            "expressions",
            numeric(Merge::Widening, Domain::ExpressionMap),
        ),
        (
            "octagons of functions",
            CpaOptions {
                restrict_to_function: true,
                stop: Stop::Join,
                ..numeric(Merge::Widening, Domain::OctagonScalar)
            },
        ),
        (
            "octagons with refinement",
            CpaOptions {
                cegar: true,
                ..numeric(Merge::Widening, Domain::Octagon)
            },
        ),
        (
            "classes",
            CpaOptions {
                classes_at_loop_heads: true,
                ..numeric(Merge::Sep, Domain::IntervalOffsets)
            },
        ),
    ]
}

/// An exploration that has come to its end with alarms that are none says what it knows at loop
/// heads.
#[test]
fn finished_explorations_are_facts() {
    let mut heard = Vec::new();
    for (name, options) in analyses() {
        let mut count = 0;
        for text in PROGRAMS {
            let (outcome, maps) = published(&with_question(text), engine(options.clone()));
            assert!(
                !matches!(outcome, Outcome::Answer(_)),
                "{name}: {outcome:?}"
            );
            assert!(maps.len() <= 1, "{name}");
            assert!(maps.iter().all(|map| !map.entries.is_empty()));
            count += maps.len();
        }
        heard.push((name, count));
    }
    // Explorations that keep values apart need not come to an end.
    for (name, count) in &heard {
        let least = if name.starts_with("octagons") || *name == "all domains" {
            5
        } else {
            2
        };
        assert!(*count >= least, "{name}: {heard:?}");
    }
}

/// A recursion that is not followed to its end leaves executions out: what is known of the others
/// is no fact.
#[test]
fn what_was_not_followed_is_not_published() {
    let text = "int g;
        void down(int n) { while (g < n) g++; if (n > 0) down(n - 1); }
        void run(void) { down(__VERIFIER_nondet_int()); while (__VERIFIER_nondet_int()) ; }";
    let options = CpaOptions {
        recursion: 2,
        ..numeric(Merge::Widening, Domain::Octagon)
    };
    let (outcome, maps) = published(&with_question(text), engine(options));
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    assert!(maps.is_empty());
}

/// What was given up because of its alarms is followed to its end where states are merged;
/// otherwise it says nothing.
#[test]
fn unfinished_explorations_are_silent() {
    let ends = format!(
        "int run(void) {{ {QUESTION_FIRST} unsigned x = 0; while (x < 10) x++; return 0; }}"
    );
    for (merge, expected) in [(Merge::Widening, 1), (Merge::Sep, 0)] {
        let options = CpaOptions {
            alarms: 1,
            ..numeric(merge, Domain::Octagon)
        };
        let (outcome, maps) = published(&with_question(&ends), engine(options));
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert_eq!(maps.len(), expected, "{merge:?}");
    }
}

/// The default rounds, and then the Invariants CPA.
#[test]
fn every_round_of_the_generator_is_inductive() {
    for text in PROGRAMS {
        let (outcome, maps) = published(&with_question(text), Box::new(Generator::default()));
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert!(maps.len() >= 3, "{} maps\n{text}", maps.len());
        let alone = Generator {
            options: GeneratorOptions {
                rounds: Vec::new(),
                ..GeneratorOptions::default()
            },
        };
        let (_, maps) = published(&with_question(text), Box::new(alone));
        assert!(!maps.is_empty(), "{text}");
    }
}
