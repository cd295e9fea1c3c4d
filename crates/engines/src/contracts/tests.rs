//! Programs with recursion: safe ones are proved, and their broken siblings are not.

use super::Contracts;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Engine, NoBoard, Outcome};
use std::time::Duration;

/// Why there is no proof that its certificate proves.
fn proof(program: &Program) -> Result<(), String> {
    let budget = Budget::new(Some(Duration::from_secs(100)), None);
    match Contracts::default().run(program, &NoBoard, &budget) {
        Outcome::Answer(certificate) => certify::certify(program, &certificate, &budget)
            .map(|_| ())
            .map_err(|rejection| rejection.to_string()),
        Outcome::Unknown(reason) => Err(reason.to_string()),
    }
}

#[track_caller]
fn proved(text: &str) {
    assert_eq!(proof(&testing::program(text)), Ok(()), "{text}");
}

#[track_caller]
fn not_proved(text: &str) {
    let reason = proof(&testing::program(text)).expect_err(text);
    assert!(reason.contains("do not prove"), "{reason}: {text}");
}

#[test]
fn cases_of_an_argument() {
    let text = |value: &str| {
        format!(
            "int f(int x) {{ if (x > 100) return x - 10; return f(f(x + 11)); }}
            int main(void) {{ int x = __VERIFIER_nondet_int(); int y = f(x);
            if (x <= 101 && y != {value}) reach_error(); return 0; }}"
        )
    };
    proved(&text("91"));
    not_proved(&text("92"));
}

#[test]
fn two_functions_that_call_each_other() {
    let text = |rest: &str| {
        format!(
            "int odd(int n); int even(int n) {{ if (n == 0) return 1; if (n == 1) return 0; return odd(n - 1); }}
            int odd(int n) {{ if (n == 0) return 0; if (n == 1) return 1; return even(n - 1); }}
            int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0) return 0;
            if (odd(n) != {rest}) reach_error(); return 0; }}"
        )
    };
    proved(&text("n % 2"));
    not_proved(&text("1 - n % 2"));
}

#[test]
fn globals_that_are_read_and_written() {
    let text = |step: &str| {
        format!(
            "int count; int limit; void down(int n) {{ if (n > limit) {{ count += {step}; down(n - 1); }} }}
            int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; count = 5;
            down(n); if (count != n + 5) reach_error(); return 0; }}"
        )
    };
    proved(&text("1"));
    not_proved(&text("2"));
}

#[test]
fn sums_of_degree_two() {
    let text = |first: &str| {
        format!(
            "unsigned sum(unsigned n) {{ if (n == 0) return {first}; return n + sum(n - 1); }}
            int main(void) {{ unsigned n = __VERIFIER_nondet_uint(); if (n > 100) return 0;
            if (2 * sum(n) != n * n + n) reach_error(); return 0; }}"
        )
    };
    proved(&text("0"));
    not_proved(&text("1"));
}

#[test]
fn what_a_function_needs_of_its_callers() {
    let text = |least: &str| {
        format!(
            "int gcd(int a, int b) {{ if (a == b) return a; if (a > b) return gcd(a - b, b); return gcd(a, b - a); }}
            int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            if (a < {least} || b < 1) return 0; if (gcd(a, b) < 1) reach_error(); return 0; }}"
        )
    };
    proved(&text("1"));
    not_proved(&text("-1"));
}

#[test]
fn errors_in_the_middle_of_a_recursion() {
    let text = |last: &str| {
        format!(
            "void down(int n) {{ if (n < 0) reach_error(); if (n != {last}) down(n - 1); }}
            int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0) return 0; down(n); return 0; }}"
        )
    };
    proved(&text("0"));
    not_proved(&text("3"));
}

#[test]
fn a_function_that_touches_memory_has_no_contract() {
    let text = "int a[9]; void fill(int n) { if (n > 0) { a[n - 1] = 1; fill(n - 1); } }
        int main(void) { int n = __VERIFIER_nondet_int() & 7; fill(n); if (n > 0 && a[n - 1] != 1) reach_error(); return 0; }";
    let reason = proof(&testing::program(text)).expect_err(text);
    assert!(reason.contains("touches memory"), "{reason}");
}
