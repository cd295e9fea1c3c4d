//! Projects: compilation databases, options of compilers, functions that are replaced, and all
//! functions one by one.

mod common;

use common::{Scratch, concord};
use std::path::Path;

const LIMIT: [&str; 2] = ["--timeout", "20s"];

fn check(arguments: &[&str], files: &[&Path]) -> (Option<i32>, String) {
    let mut all = vec!["check"];
    all.extend(LIMIT);
    all.extend(arguments);
    concord(&all, files)
}

/// Two files, each of which needs options of its own; the limit is what the database defines.
fn project(limit: u32) -> Scratch {
    let scratch = Scratch::new(&format!("project-{limit}"));
    std::fs::create_dir_all(scratch.0.join("inc")).expect("a folder");
    std::fs::create_dir_all(scratch.0.join("build")).expect("a folder");
    scratch.file("inc/queue.h", b"int take(int);\n");
    scratch.file("pre.h", b"#define BEFORE 1\n");
    scratch.file(
        "main.c",
        b"#include <queue.h>
#ifndef BEFORE
#error the file that comes before is missing
#endif
#ifdef GONE
#error it was undefined
#endif
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = take(__VERIFIER_nondet_int());
  if (x > 10) reach_error();
}
",
    );
    scratch.file(
        "queue.c",
        b"#include \"queue.h\"
static int bounded(int x) { return x > LIMIT ? LIMIT : x; }
int take(int x) { return bounded(x); }
",
    );
    let database = format!(
        r#"[
  {{"directory": "..", "file": "main.c",
    "command": "cc -DGONE -UGONE -Iinc -include pre.h -O2 -Wall -o main.o -c main.c"}},
  {{"directory": "..", "file": "queue.c",
    "arguments": ["ccache", "gcc", "-DLIMIT={limit}", "-I", "inc", "-std=c99", "-c", "queue.c"]}},
  {{"directory": "..", "file": "other.cpp", "command": "c++ -c other.cpp"}}
]"#
    );
    scratch.file("build/compile_commands.json", database.as_bytes());
    scratch
}

fn database(project: &Scratch) -> String {
    let file = project.0.join("build/compile_commands.json");
    file.display().to_string()
}

#[test]
fn files_are_read_as_the_compilation_database_says() {
    let safe = project(10);
    let (code, text) = check(&["--compile-commands", &database(&safe)], &[]);
    assert_eq!(code, Some(0), "{text}");
    let broken = project(11);
    let (code, text) = check(&["--compile-commands", &database(&broken)], &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("confirmed by the compiled program"), "{text}");
    // One of its files, with options of the command line behind those of the database.
    let file = broken.0.join("queue.c");
    let arguments = ["--compile-commands", &database(&broken), "--entry", "take"];
    let (code, text) = check(&arguments, &[&file]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn what_a_database_cannot_mean_is_an_error() {
    let project = project(10);
    let cases = [
        ("-funsigned-char", "may change the meaning"),
        ("-m32 -DLIMIT=1", "compiled for 32 bits"),
        ("-std=c++17", "not a supported standard"),
    ];
    for (option, expected) in cases {
        let text = std::fs::read_to_string(database(&project)).expect("the database");
        let text = text.replace("cc -DGONE", &format!("cc {option} -DGONE"));
        let file = project.file("build/other.json", text.as_bytes());
        let file = file.display().to_string();
        let arguments = ["--compile-commands", &file, "--data-model", "lp64"];
        let (code, text) = check(&arguments, &[]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn options_of_compilers_are_understood() {
    let scratch = Scratch::new("options");
    scratch.file("first.h", b"#define LIMIT 3\n");
    let response = scratch.file("flags", b"-D 'START=1 + 1'\n");
    let file = scratch.file(
        "a.c",
        b"#include <assert.h>
#ifdef EXTRA
#error it is undefined
#endif
int main(void) { assert(START + 1 == LIMIT && __STDC_VERSION__ == 199901L); }
",
    );
    let header = scratch.0.join("first.h").display().to_string();
    let response = format!("@{}", response.display());
    let arguments = [
        "-DEXTRA", "-UEXTRA", "-std=c99", "-include", &header, &response,
    ];
    let (code, text) = check(&arguments, &[&file]);
    assert_eq!(code, Some(0), "{text}");
}

/// Inline functions are linked by other rules before C99.
#[test]
fn inline_functions_of_old_standards_are_refused() {
    let scratch = Scratch::new("inline");
    let file = scratch.file(
        "a.c",
        b"#define ONE 1\nextern inline int f(void) { return ONE; }\nint main(void) { return f(); }\n",
    );
    let (code, text) = check(&["-std=gnu89"], &[&file]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("inline"), "{text}");
    assert_eq!(check(&["-std=gnu99"], &[&file]).0, Some(0));
}

#[test]
fn functions_are_removed_and_replaced() {
    let scratch = Scratch::new("replaced");
    let file = scratch.file(
        "a.c",
        b"#include <assert.h>
static inline int level(void);
static inline int level(void) { return 1; }
int main(void) { assert(level() == 1); }
",
    );
    let stub = scratch.file("stub.c", b"int level(void) { return 2; }\n");
    assert_eq!(check(&[], &[&file]).0, Some(0));
    // Any result; the function has no body in the compiled program either.
    let (code, text) = check(&["--remove-body", "level"], &[&file]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("confirmed by the compiled program"), "{text}");
    let replace = format!("level={}", stub.display());
    let (code, text) = check(&["--replace", &replace], &[&file]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("confirmed by the compiled program"), "{text}");
    let (code, text) = check(&["--remove-body", "lever"], &[&file]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("lever"), "{text}");
}

#[test]
fn every_function_is_checked_by_itself() {
    let scratch = Scratch::new("each");
    let file = scratch.file(
        "a.c",
        b"#include <assert.h>
static int clamp(int x) { return x < 0 ? 0 : x; }
int good(int x) { assert(clamp(x) >= 0); return x; }
int bad(int x) { assert(x != 7); return x; }
",
    );
    let (code, text) = check(&["--each-function"], &[&file]);
    assert_eq!(code, Some(1), "{text}");
    let verdict = |function: &str| {
        let line = text.lines().find(|line| line.starts_with(function));
        line.unwrap_or_default()
            .split_whitespace()
            .nth(1)
            .map(str::to_owned)
    };
    assert_eq!(verdict("good").as_deref(), Some("true"), "{text}");
    assert_eq!(verdict("clamp").as_deref(), Some("true"), "{text}");
    assert_eq!(verdict("bad").as_deref(), Some("false"), "{text}");
    assert!(text.contains("a.c:4"), "{text}");
}

/// C leaves open which of the two is called; gcc calls the external one where it does not optimise.
#[test]
fn an_external_definition_wins_over_an_inline_one() {
    let scratch = Scratch::new("inline-and-external");
    let main = |asserted: &str| {
        format!(
            "#include <assert.h>\ninline int f(void) {{ return 1; }}\n\
             inline int alone(void) {{ return 3; }}\n\
             int main(void) {{ assert({asserted}); return 0; }}\n"
        )
    };
    let other = scratch.file("other.c", b"int f(void) { return 2; }\n");
    for (asserted, code) in [
        ("f() == 2 && alone() == 3", 0),
        ("f() == 1", 1),
        ("f() == 2 && alone() == 4", 1),
    ] {
        let main = scratch.file("main.c", main(asserted).as_bytes());
        for files in [[&*main, &*other], [&*other, &*main]] {
            let (found, text) = check(&[], &files);
            assert_eq!(found, Some(code), "{asserted}: {text}");
        }
    }
}

/// A definition without a prototype takes a `double`, whatever a prototype in another file says.
#[test]
fn prototypes_of_other_files_do_not_count() {
    let scratch = Scratch::new("old-style-float");
    let own = scratch.file("own.c", b"float f(x) float x; { return x; }\n");
    for (declared, code) in [("float f();", 0), ("float f(float);", 1)] {
        let text = format!(
            "#include <assert.h>\n{declared}\nint main(void) {{ assert(f(1.5f) == 1.5f); return 0; }}\n"
        );
        let main = scratch.file("main.c", text.as_bytes());
        for files in [[&*main, &*own], [&*own, &*main]] {
            let (found, text) = check(&[], &files);
            assert_eq!(found, Some(code), "{declared}: {text}");
        }
    }
}

/// What linkers do not see is a warning; what changes the meaning is an error.
#[test]
fn files_may_disagree_about_qualifiers() {
    let scratch = Scratch::new("project-linking");
    let main = scratch.file(
        "main.c",
        b"extern const int limit; extern int state; int sum(const signed char *p, int n); void reach_error(void);
int main(void) { signed char b[2] = { -1, 2 }; if (sum(b, 2) != 257 || limit != 3 || state != 1) reach_error(); return 0; }
",
    );
    let other = scratch.file(
        "other.c",
        b"int limit = 3; volatile int state = 1;
int sum(unsigned char *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
",
    );
    let (code, text) = check(&[], &[&main, &other]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches("with different types").count(), 3, "{text}");
    let wrong = scratch.file(
        "wrong.c",
        b"double limit = 3; int state; int sum(char *p, int n) { return n; }\n",
    );
    let (code, text) = check(&[], &[&main, &wrong]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn registers_give_any_value_where_they_lie() {
    let scratch = Scratch::new("project-registers");
    let file = scratch.file(
        "uart.c",
        b"#define STATUS (*(volatile unsigned *)0x40001000u)
#define DATA (*(volatile unsigned *)0x40001004u)
void reach_error(void);
int kept = 5;
int main(void) {
  DATA = 7;
  unsigned c = DATA & 0xff, d = DATA & 0xff;
  if (kept != 5 || c > 255) reach_error();
#ifdef SAME
  if (c != d) reach_error();
#endif
  STATUS |= 1;
  return 0;
}
",
    );
    let range = ["--mmio", "0x40001000-0x40001fff"];
    let (code, text) = check(
        &[&range[..], &["--property", "valid-deref"]].concat(),
        &[&file],
    );
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = check(&[&range[..], &["-DSAME"]].concat(), &[&file]);
    assert_eq!(code, Some(1), "{text}");
    let outside = [
        "--mmio",
        "0x40001000-0x40001003",
        "--property",
        "valid-deref",
    ];
    let (code, text) = check(&outside, &[&file]);
    assert_ne!(code, Some(0), "{text}");
}
