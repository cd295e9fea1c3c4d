//! Programs about all cells: safe ones are proved, and their broken siblings are not.

use super::Arrays;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Engine, NoBoard, Outcome};
use std::time::Duration;

const PRELUDE: &str = "void *malloc(unsigned long);
    void check(int holds) { if (!holds) reach_error(); }\n";

fn program(text: &str) -> Program {
    testing::program(&format!("{PRELUDE}{text}"))
}

/// Why there is no proof that its certificate proves.
fn proof(text: &str) -> Result<(), String> {
    let program = program(text);
    let budget = Budget::new(Some(Duration::from_secs(100)), None);
    match Arrays::default().run(&program, &NoBoard, &budget) {
        Outcome::Answer(certificate) => certify::certify(&program, &certificate, &budget)
            .map(|_| ())
            .map_err(|rejection| rejection.to_string()),
        Outcome::Unknown(reason) => Err(reason.to_string()),
    }
}

#[track_caller]
fn proved(text: &str) {
    assert_eq!(proof(text), Ok(()), "{text}");
}

#[track_caller]
fn not_proved(text: &str) {
    let reason = proof(text).expect_err(text);
    assert!(reason.contains("inductive"), "{reason}: {text}");
}

const LENGTH: &str =
    "int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0; int i; int j;";

#[test]
fn filled_with_the_index() {
    let text = |first: &str, value: &str| {
        format!(
            "int a[1000]; int main(void) {{ {LENGTH}
            for (i = {first}; i < n; i++) a[i] = {value};
            for (i = 0; i < n; i++) check(a[i] == i); return 0; }}"
        )
    };
    proved(&text("0", "i"));
    not_proved(&text("2", "i"));
    not_proved(&text("0", "i == 17 ? 3 : i"));
}

#[test]
fn filled_downwards() {
    let text = |last: &str| {
        format!(
            "int main(void) {{ int a[1000]; {LENGTH}
            for (i = n - 1; i >= {last}; i--) a[i] = 5;
            for (j = 0; j < n; j++) if (a[j] != 5) reach_error(); return 0; }}"
        )
    };
    proved(&text("0"));
    not_proved(&text("1"));
}

#[test]
fn copied_and_added() {
    let text = |sum: &str| {
        format!(
            "int a[1000], b[1000], c[1000]; int main(void) {{ {LENGTH}
            for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
            for (i = 0; i < n; i++) b[i] = __VERIFIER_nondet_int();
            for (i = 0; i < n; i++) c[i] = {sum};
            for (i = 0; i < n; i++) check(c[i] == a[i] + b[i]); return 0; }}"
        )
    };
    proved(&text("a[i] + b[i]"));
    not_proved(&text("a[i] + b[0]"));
}

#[test]
fn the_greatest_is_no_less_than_any() {
    let text = |last: &str| {
        format!(
            "int a[1000]; int main(void) {{ {LENGTH}
            for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
            int max = a[0];
            for (i = 0; i < {last}; i++) if (a[i] > max) max = a[i];
            for (j = 0; j < n; j++) check(a[j] <= max); return 0; }}"
        )
    };
    proved(&text("n"));
    not_proved(&text("n - 1"));
}

#[test]
fn on_the_heap_and_by_functions() {
    let text = |value: &str| {
        format!(
            "void fill(int *p, int n, int value) {{ for (int i = 0; i < n; i++) p[i] = value; }}
            int main(void) {{ {LENGTH}
            int *a = malloc(n * sizeof(int)); int *b = malloc(n * sizeof(int));
            fill(a, n, 1); fill(b, n, {value});
            for (j = 0; j < n; j++) {{ check(a[j] == 1); check(b[j] == 2); }} return 0; }}"
        )
    };
    proved(&text("2"));
    not_proved(&text("n"));
}

#[test]
fn at_an_index_from_outside() {
    let text = |limit: &str| {
        format!(
            "unsigned char a[1000]; int main(void) {{ {LENGTH}
            for (i = 0; i < n; i++) a[i] = 1;
            unsigned at = __VERIFIER_nondet_uint(); if (at < {limit}) check(a[at] != 0); return 0; }}"
        )
    };
    proved(&text("n"));
    not_proved(&text("n + 1"));
}

#[test]
fn neighbours_are_in_order() {
    let text = |value: &str| {
        format!(
            "int a[1001]; int main(void) {{ {LENGTH}
            for (i = 0; i <= n; i++) a[i] = {value};
            for (i = 0; i < n; i++) check(a[i] <= a[i + 1]); return 0; }}"
        )
    };
    proved(&text("2 * i"));
    not_proved(&text("2 - i"));
}

#[test]
fn in_two_dimensions() {
    let text = |last: &str| {
        format!(
            "int a[100][100]; int main(void) {{ int i, j;
            int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
            if (n < 1 || n > 100 || m < 1 || m > 100) return 0;
            for (i = 0; i < n; i++) for (j = 0; j < {last}; j++) a[i][j] = 9;
            for (i = 0; i < n; i++) for (j = 0; j < m; j++) check(a[i][j] == 9); return 0; }}"
        )
    };
    proved(&text("m"));
    not_proved(&text("m - 1"));
}

#[test]
fn without_an_array_it_ends_at_once() {
    let reason = proof(
        "int main(void) { int i = 0; while (__VERIFIER_nondet_int()) i++; check(i != 77); return 0; }",
    );
    assert_eq!(
        reason,
        Err("no assertion is about the elements of an array".into())
    );
}

#[test]
fn a_flag_says_whether_all_cells_were_alike() {
    let text = |found: &str| {
        format!(
            "int a[1000]; int b[1000]; int main(void) {{ {LENGTH} int same = 1;
            for (i = 0; i < n; i++) {{ a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }}
            for (i = 0; i < n; i++) if (a[i] != b[i]{found}) same = 0;
            if (same) for (i = 0; i < n; i++) check(a[i] == b[i]); return 0; }}"
        )
    };
    proved(&text(""));
    not_proved(&text(" && i != 5"));
}
