//! Properties that have no file of the competition's: by name, on small programs of both verdicts.

use std::process::Command;

const INPUT: &str = "int __VERIFIER_nondet_int(void);\n";

/// The first line of the answer about a program.
fn verdict(property: &str, body: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.c");
    let text = format!(
        "{INPUT}#include <assert.h>\n#include <stdlib.h>\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n"
    );
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

/// C evaluates what nobody needs, and what a compiler could compute beforehand.
#[test]
fn no_operation_is_left_out() {
    const COUNT: &str = "int n = __VERIFIER_nondet_int();";
    for (property, given, right, wrong) in [
        ("valid-shift", COUNT, "n = 0u >> (n & 31);", "n = 0u >> n;"),
        (
            "valid-shift",
            COUNT,
            "n = (1u << (n & 31)) & 0;",
            "n = (1u << n) & 0;",
        ),
        (
            "valid-shift",
            "",
            "unsigned x = 1u << 31;",
            "unsigned x = 1u << 32;",
        ),
        (
            "no-division-by-zero",
            COUNT,
            "n = div(7, n | 1).quot;",
            "n = div(7, n).quot;",
        ),
        (
            "no-float-overflow",
            "",
            "double x = 1e307 * 10;",
            "double x = 1e308 * 10;",
        ),
        (
            "no-float-overflow",
            "long double x = 1e307L;",
            "x *= 10; double y = x;",
            "x *= 100; double y = x;",
        ),
        (
            "no-float-overflow",
            "_Complex double z; __real__ z = 1e200; __imag__ z = 1e200;",
            "z = z + z;",
            "z = z * z;",
        ),
    ] {
        let text = |body| format!("{given}\n{body}");
        let answer = verdict(property, &text(right));
        assert_eq!(answer, "Verdict: TRUE", "{property}: {right}");
        let expected = format!("Verdict: FALSE ({property})");
        let answer = verdict(property, &text(wrong));
        assert_eq!(answer, expected, "{property}: {wrong}");
    }
    // A compiler leaves these out; no proof does.
    for (property, body) in [
        ("valid-shift", "(void)(1 >> __VERIFIER_nondet_int());"),
        (
            "no-float-overflow",
            "double d = __VERIFIER_nondet_int() * 1e300; return (d * 10 > 0) & 0;",
        ),
        ("valid-deref", "int *p = 0; switch (*p) { default: break; }"),
        ("valid-deref", "struct { int x, y; } *p = 0; (void)*p;"),
    ] {
        let answer = verdict(property, body);
        assert!(!answer.starts_with("Verdict: TRUE"), "{property}: {body}");
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

/// The whole answer about a program, as data.
fn checked(text: &str, more: &[&str]) -> serde_json::Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("a temporary file");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", "30s", "--format", "json"])
        .args(more)
        .arg(&file)
        .output()
        .expect("concord can be started");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Line, property and status of each check, in the order of lines.
fn statuses(result: &serde_json::Value) -> Vec<(u32, String, String)> {
    let text = |check: &serde_json::Value, key: &str| check[key].as_str().unwrap_or("").to_owned();
    let checks = result["checks"].as_array().expect("a list of checks");
    let mut found: Vec<(u32, String, String)> = checks
        .iter()
        .map(|check| {
            let place = text(check, "place");
            let line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
            let (property, status) = (text(check, "property"), text(check, "status"));
            (line.unwrap_or(0), property, status)
        })
        .collect();
    found.sort();
    found
}

const SEVERAL: &str = "#include <assert.h>
int __VERIFIER_nondet_int(void);
int a[10];
int never(int x) { return 7 / x; } // Not called: not in the program.
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x >= 0 && x <= 10) {
    a[x] = 1;
    assert(x < 10);
    assert(x < 9);
  }
  if (x > 5 && x < 3)
    assert(x == 4);
  return 7 / (x & 3);
}
";

#[test]
fn every_check_has_its_own_verdict() {
    let result = checked(SEVERAL, &["--property", "all"]);
    let found = statuses(&result);
    let has = |line: u32, property: &str, status: &str| {
        let wanted = (line, property.to_owned(), status.to_owned());
        assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
    };
    has(8, "valid-deref", "violated");
    // The access before it has ended the execution.
    has(9, "unreach-call", "proved");
    has(10, "unreach-call", "violated");
    has(13, "unreach-call", "unreachable");
    has(14, "no-division-by-zero", "violated");
    has(0, "valid-memtrack", "proved");
    assert!(found.iter().all(|(_, _, status)| status != "unknown"));
    assert_eq!(result["verdict"], "FALSE");
    for check in result["checks"].as_array().expect("a list") {
        let is_violated = check["status"] == "violated";
        let steps = &check["counterexample"]["steps"];
        assert_eq!(is_violated, steps.is_array(), "{check}");
        let place = &check["counterexample"]["violation"]["place"];
        assert!(!is_violated || *place == check["place"], "{check}");
    }
}

#[test]
fn each_check_is_asked_for_by_an_option_and_declined_by_another() {
    let result = checked(SEVERAL, &["--each-check"]);
    let found = statuses(&result);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found
            .iter()
            .all(|(_, property, _)| property == "unreach-call")
    );
    let result = checked(SEVERAL, &["--property", "all", "--stop-at-first"]);
    assert_eq!(result["verdict"], "FALSE");
    assert!(result.get("checks").is_none());
    let result = checked(SEVERAL, &[]);
    assert!(result.get("checks").is_none());
}

/// What is printed as a text has no formula: that is said of this check, and hinders no other.
#[test]
fn what_cannot_be_decided_hinders_nobody() {
    let text = "#include <stdio.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  char text[4];
  for (int i = 0; i < 3; i++) text[i] = 'a' + (__VERIFIER_nondet_int() & 7);
  text[3] = 0;
  printf(\"%s\", text);
  int x = __VERIFIER_nondet_int() & 3;
  text[x] = 1;
  return 0;
}
";
    let found = statuses(&checked(text, &["--property", "all"]));
    let of = |line: u32| {
        let here = found
            .iter()
            .filter(|one| one.0 == line && one.1 == "valid-deref");
        here.map(|one| one.2.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of(7), ["unknown"]);
    assert_eq!((of(5), of(9)), (vec!["proved"], vec!["proved"]));
}

/// Memory that comes from outside is not watched: what lies behind an access to it is not proved
/// for the executions only that the ghosts know to be valid.
#[test]
fn nothing_is_proved_behind_an_access_that_is_not_watched() {
    let text = "#include <assert.h>
extern int *outside(void);
extern int known[];
int main(void) {
  int *p = outside();
  int x = known[3];
  assert(x != 3);
  x = *p;
  assert(x != 4);
  return 0;
}
";
    let found = statuses(&checked(text, &["--property", "all"]));
    let assertions = found.iter().filter(|one| one.1 == "unreach-call");
    let proved = assertions.filter(|one| one.2 == "proved" || one.2 == "unreachable");
    assert_eq!(proved.count(), 0, "{found:?}");
}

#[test]
fn a_leak_says_where_the_last_pointer_was_lost() {
    for (body, line) in [
        ("char *p = malloc(3);\n*p = 1;\np = 0;\nreturn 0;", 5),
        (
            "char *p = malloc(3), *q = p;\np = 0;\nkeep(q);\nq = 0;\nreturn 0;",
            6,
        ),
        ("make();\nreturn 0;", 3),
    ] {
        let text = format!(
            "void *malloc(unsigned long); static void keep(char *p) {{ *p = 1; }} static void make(void) {{ char *p = malloc(3); *p = 1; }}\n\
             int main(void) {{\n{body}\n}}\n"
        );
        let result = checked(&text, &["--property", "valid-memtrack"]);
        let why = result["counterexample"]["why"].as_str().unwrap_or_default();
        assert!(why.contains("3 bytes allocated at"), "{why}");
        let (_, place) = why.split_once("was lost at ").unwrap_or_default();
        let found = place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
        assert_eq!(found, Some(line), "{why}\n{text}");
    }
}
