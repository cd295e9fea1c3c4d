//! What policy iteration proves, what it must not, and that the checker accepts all it says.

use crate::PolicyOptions;
use crate::engine::{EngineOptions, PolicyEngine};
use crate::templates::TemplateKind;
use facts::budget::Budget;
use facts::engine::{Engine, Outcome};
use facts::invariants::InvariantMap;
use std::time::Duration;
use testing::{Counts, Recorder};

fn options(templates: &[TemplateKind]) -> EngineOptions {
    EngineOptions {
        rounds: vec![PolicyOptions {
            templates: templates.to_vec(),
            ..PolicyOptions::default()
        }],
    }
}

fn run(text: &str, options: EngineOptions) -> (Outcome, Vec<InvariantMap>) {
    let program = testing::program(text);
    let board = Recorder::default();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let outcome = PolicyEngine { options }.run(&program, &board, &budget);
    let maps = board.maps();
    testing::assert_sound(&program, &outcome, &maps);
    (outcome, maps)
}

fn is_proved(text: &str, options: EngineOptions) -> bool {
    match run(text, options).0 {
        Outcome::Answer(_) => true,
        Outcome::Unknown(_) => false,
    }
}

/// Stieglmaier2016, listing 1.
const COUNT: &str = "int main(void) { int i; for (i = 0; i < 1000000; i++) ;
    if (i != 1000000) reach_error(); return 0; }";
const PAIR: &str = "int main(void) { int i = 0, j = 0; while (i < 100000) { i++; j++; }
    if (j != 100000) reach_error(); return 0; }";
const NESTED: &str = "int main(void) { unsigned x = 0, y = 0;
    while (x < 100000) { y = 0; while (y < 100000) y++; x++; }
    if (x != 100000) reach_error(); return 0; }";
/// The way that changes nothing would keep every bound, however great.
const IDLE: &str = "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) { if (x < 10) x++; } else if (x > 3 && __VERIFIER_nondet_int()) x = 0; }
    if (x > 10) reach_error(); return 0; }";
const SUM: &str = "int main(void) { int x = 0, y = 500; while (x < y) { x++; y--; }
    if (x + y != 500) reach_error(); return 0; }";
const TWICE: &str = "int main(void) { unsigned x = 0, y = 0; while (x < 1000) { x++; y += 2; }
    if (y != 2000) reach_error(); return 0; }";
const SEQUENCE: &str = "int main(void) { int i = 0, k = 0; while (i < 700) i++;
    while (k < i) { k++; if (k > 700) reach_error(); } if (k != 700) reach_error(); return 0; }";
const CALLED: &str =
    "int step(int from, int most) { if (from < most) return from + 1; return from; }
    int main(void) { int x = 0; while (__VERIFIER_nondet_int()) x = step(x, 77);
    if (x > 77 || x < 0) reach_error(); return 0; }";

#[test]
fn templates_prove_what_they_can_say() {
    use TemplateKind::*;
    for (text, kinds) in [
        (COUNT, vec![Bounds]),
        (PAIR, vec![Octagons]),
        (PAIR, vec![Bounds, Differences]),
        (NESTED, vec![Bounds]),
        (IDLE, vec![Bounds]),
        (SUM, vec![Bounds, Sums]),
        (SUM, vec![Program]),
        (TWICE, vec![Bounds, Rich]),
        (SEQUENCE, vec![Octagons]),
        (CALLED, vec![Bounds]),
    ] {
        assert!(is_proved(text, options(&kinds)), "{kinds:?}: {text}");
    }
}

#[test]
fn bounds_alone_do_not_relate_variables() {
    for text in [PAIR, SUM, TWICE] {
        assert!(!is_proved(text, options(&[TemplateKind::Bounds])), "{text}");
    }
}

#[test]
fn the_default_proves_all_of_them() {
    for text in [COUNT, PAIR, NESTED, IDLE, SUM, TWICE, SEQUENCE, CALLED] {
        assert!(is_proved(text, EngineOptions::default()), "{text}");
    }
}

/// One off in each of them: nothing is proved, and what is published is true.
#[test]
fn what_can_be_violated_is_not_proved() {
    for (text, right, wrong) in [
        (COUNT, "i != 1000000", "i != 999999"),
        (PAIR, "j != 100000", "j == 100000"),
        (NESTED, "x != 100000", "y == 100000"),
        (IDLE, "x > 10)", "x >= 10)"),
        (SUM, "!= 500", "== 500"),
        (TWICE, "!= 2000", "!= 2001"),
        (SEQUENCE, "k != 700", "k != 699"),
        (CALLED, "x > 77", "x > 76"),
    ] {
        assert!(text.contains(right), "{text}");
        let broken = text.replace(right, wrong);
        assert!(!is_proved(&broken, EngineOptions::default()), "{broken}");
    }
}

/// Wrap-around is part of what is maximised.
#[test]
fn machine_integers_wrap() {
    let text = |limit: &str| {
        format!(
            "int main(void) {{ unsigned char x = 250; while (__VERIFIER_nondet_int()) {{
            x = x + 1; if (x {limit}) x = 251; }}
            if (x < 250) reach_error(); return 0; }}"
        )
    };
    // From 255 it wraps to 0, which is not caught.
    assert!(!is_proved(&text("== 7"), EngineOptions::default()));
    assert!(is_proved(&text("< 250"), EngineOptions::default()));
}

/// A million steps are one value determination.
#[test]
fn loops_are_not_unrolled() {
    let program = testing::program(PAIR);
    let board = Counts::default();
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let options = options(&[TemplateKind::Octagons]);
    let outcome = PolicyEngine { options }.run(&program, &board, &budget);
    assert!(matches!(outcome, Outcome::Answer(_)), "{outcome:?}");
    assert!(board.get("determinations") >= 1);
    assert!(board.get("improvements") < 40, "{:?}", board.all());
}

/// Without value determination bounds rise step by step, and are given up.
#[test]
fn a_bound_that_rises_for_ever_is_given_up() {
    let mut options = options(&[TemplateKind::Octagons]);
    options.rounds[0].unknowns = 0;
    assert!(!is_proved(PAIR, options));
}

#[test]
fn what_is_not_followed_is_no_proof() {
    let text = "int depth = 0; void descend(unsigned left) { if (left == 0) return;
        depth = depth + 1; descend(left - 1); }
        int main(void) { int z = 0; while (z < 5) { z++; descend(__VERIFIER_nondet_uint()); }
        if (depth > 40) reach_error(); return 0; }";
    let (outcome, maps) = run(text, EngineOptions::default());
    assert!(maps.is_empty());
    let Outcome::Unknown(why) = outcome else {
        panic!("there is no proof")
    };
    assert!(why.to_string().contains("recursion of descend"), "{why}");
}

/// The least value of a type is a bound like any other.
#[test]
fn the_ends_of_types_are_bounds() {
    let text = |end: &str| {
        format!(
            "int main(void) {{ signed char x = -128; int n = 0; while (n < 9) {{ n++; x = -128; }}
            if (x != {end}) reach_error(); return 0; }}"
        )
    };
    assert!(is_proved(&text("-128"), EngineOptions::default()));
    assert!(!is_proved(&text("127"), EngineOptions::default()));
}
