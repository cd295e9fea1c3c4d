//! Programs that abstract interpretation proves, and that the checker certifies; and programs that
//! it must not prove.

use absint::invariants::{InvariantOptions, generate};
use absint::numeric::choice::Domain;
use cfa::program::Program;
use cpa::engine::{CpaOptions, engine};
use cpa::formalism::Stop;
use facts::budget::Budget;
use facts::certificate::Certificate;
use facts::engine::{NoBoard, Outcome};
use std::time::Duration;

fn program(text: &str) -> Program {
    testing::program(&format!(
        "void check(int c) {{ if (!c) reach_error(); }}\n{text}"
    ))
}

/// Does the domain prove the program? A proof must be certified.
fn proves(text: &str, domain: Domain) -> bool {
    let program = program(text);
    let options = InvariantOptions {
        domain,
        ..InvariantOptions::default()
    };
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let invariants = generate(&program, &options, &budget).expect("small programs are analysed");
    let Some(certificate) = invariants.certificate() else {
        return false;
    };
    match certify::certify(&program, &certificate, &budget) {
        Ok(_) => true,
        Err(rejection) => panic!("{rejection}\n{text}"),
    }
}

#[test]
fn a_bounded_counter_needs_intervals() {
    let text = "int main(void) { int i = 0; while (i < 100) i++; check(i == 100); return 0; }";
    for domain in [Domain::Interval, Domain::Octagon, Domain::All] {
        assert!(proves(text, domain), "{domain:?}");
    }
    assert!(!proves(text, Domain::Congruence));
}

#[test]
fn equal_counters_need_relations() {
    let text = "int main(void) { int x = 0, y = 0, n = __VERIFIER_nondet_int();
        while (x < n) { x++; y++; } check(x == y); return 0; }";
    assert!(!proves(text, Domain::Interval));
    assert!(proves(text, Domain::ScalarAffine));
    assert!(proves(text, Domain::Octagon));
}

#[test]
fn a_moved_amount_needs_affine_equalities() {
    let text = "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0;
        while (x > 0) { x--; y++; } check(y == n); return 0; }";
    assert!(!proves(text, Domain::Octagon));
    assert!(proves(text, Domain::ScalarAffine));
}

#[test]
fn steps_of_two_need_congruences() {
    let text = "int main(void) { unsigned i = 0;
        while (__VERIFIER_nondet_int()) { i += 2; } check(i % 2 == 0); return 0; }";
    assert!(!proves(text, Domain::Interval));
    assert!(proves(text, Domain::Scalar));
}

#[test]
fn calls_are_told_apart() {
    let text = "int g; int twice(int a) { int i = 0; while (i < a) { i++; g++; } return a + a; }
        int main(void) { int a = twice(3); int b = twice(50); check(a == 6 && b == 100); return 0; }";
    assert!(proves(text, Domain::Interval));
}

#[test]
fn overflow_is_not_overlooked() {
    let text = "int main(void) { unsigned char c = 0; int steps = 0;
        while (__VERIFIER_nondet_int()) { c++; } check(c < 255); return 0; }";
    let wrap = "int main(void) { int x = __VERIFIER_nondet_int(); int y = x + 1; check(y > x); return 0; }";
    for domain in [Domain::Interval, Domain::Octagon, Domain::All] {
        assert!(!proves(text, domain), "{domain:?}");
        assert!(!proves(wrap, domain), "{domain:?}");
    }
}

#[test]
fn conversions_wrap() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); unsigned char c = x;
        check(c <= 255); signed char s = c; check(s >= -128 && s < 128);
        if (x < 0) { unsigned u = x; check(u >= 0x80000000u); } return 0; }";
    assert!(proves(text, Domain::Interval));
}

/// What an engine answers, certified.
fn answer(text: &str, options: CpaOptions) -> Option<Certificate> {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    match engine(options).run(&program, &NoBoard, &budget) {
        Outcome::Answer(certificate) => {
            if let Err(rejection) = certify::certify(&program, &certificate, &budget) {
                panic!("{rejection}\n{text}");
            }
            Some(certificate)
        }
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn proofs_with_either_stop_are_certified() {
    let text = "int main(void) {
        int x = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) { if (x < 0 || x > 4) return 0; } else { if (x < 5 || x > 9) return 0; }
        while (__VERIFIER_nondet_int()) { x = __VERIFIER_nondet_int(); if (x < 0 || x > 9) return 0; }
        check(x >= 0 && x <= 9);
        return 0; }";
    let states = |stop| {
        let options = CpaOptions {
            stop,
            ..CpaOptions::default()
        };
        match answer(text, options) {
            Some(Certificate::Graph(graph)) => graph.nodes.len(),
            other => panic!("{other:?}"),
        }
    };
    assert!(states(Stop::Join) <= states(Stop::Sep));
}

/// A local of another activation is not the caller's.
#[test]
fn waiting_variables_of_a_recursion_are_not_those_of_another_activation() {
    let restricted = |text: &str| {
        let options = CpaOptions {
            restrict_to_function: true,
            ..CpaOptions::default()
        };
        answer(text, options).map(|certificate| certificate.claims_safety())
    };
    let program = |condition: &str| {
        format!(
            "int f(int n) {{ int a = n, r = 0; if (n > 0) r = f(n - 1); check({condition}); return a; }}
             int main(void) {{ int x = 7; int r = f(2); check(x == 7 && r == 2); return 0; }}"
        )
    };
    assert_eq!(restricted(&program("!(n == 2 && r == 1)")), Some(false));
    assert_ne!(restricted(&program("r < 2")), Some(false));
}
