//! Properties that have no file of the competition's: by name, on small programs of both verdicts.

use std::process::Command;

const INPUT: &str = "int __VERIFIER_nondet_int(void);\n";

/// The first line of the answer about a program.
fn verdict(property: &str, body: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.c");
    let text = format!("{INPUT}#include <assert.h>\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n");
    std::fs::write(&file, text).expect("a temporary file");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", "20s", "--property", property])
        .arg(&file)
        .output()
        .expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn each_property_has_both_verdicts() {
    for (property, right, wrong) in [
        (
            "no-division-by-zero",
            "int x = __VERIFIER_nondet_int(); if (x) x = 7 % x;",
            "int x = __VERIFIER_nondet_int(); x = 7 % x;",
        ),
        (
            "valid-shift",
            "unsigned x = __VERIFIER_nondet_int(); x = 1u << (x & 31);",
            "unsigned x = __VERIFIER_nondet_int(); x = 1u << (x & 63);",
        ),
        (
            "no-float-overflow",
            "int x = __VERIFIER_nondet_int(); double d = (double)x * x;",
            "int x = __VERIFIER_nondet_int(); float d = 1e30f; if (x) d = d * 1e20f;",
        ),
        (
            "valid-deref",
            "int x, *p = __VERIFIER_nondet_int() ? &x : 0; if (p) *p = 1;",
            "int x, *p = __VERIFIER_nondet_int() ? &x : 0; *p = 1;",
        ),
    ] {
        assert_eq!(verdict(property, right), "Verdict: TRUE", "{property}");
        let expected = format!("Verdict: FALSE ({property})");
        assert_eq!(verdict(property, wrong), expected, "{property}");
    }
}

#[test]
fn all_means_each_of_them() {
    let fine = "int a[2] = {1, 2}, i = __VERIFIER_nondet_int(); if (i == 0 || i == 1) assert(a[i] / a[0] == a[i]);";
    assert_eq!(verdict("all", fine), "Verdict: TRUE");
    for (property, body) in [
        ("unreach-call", "assert(__VERIFIER_nondet_int() != 3);"),
        ("no-overflow", "int x = __VERIFIER_nondet_int(); x = x + 1;"),
        (
            "no-division-by-zero",
            "int x = __VERIFIER_nondet_int(); x = 1 / x;",
        ),
        (
            "valid-deref",
            "int a[2] = {0}, i = __VERIFIER_nondet_int(); a[i & 3] = 1;",
        ),
    ] {
        assert_eq!(verdict("all", body), format!("Verdict: FALSE ({property})"));
    }
}

/// What `main` is given is any memory here, and good memory where programs are started.
#[test]
fn what_main_is_given_is_no_violation() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.c");
    let text = "int main(int argc, char **argv) { if (argc > 1) return argv[1][0]; return 0; }\n";
    std::fs::write(&file, text).expect("a temporary file");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", "5s", "--property", "valid-deref"])
        .arg(&file)
        .output()
        .expect("concord can be started");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}
