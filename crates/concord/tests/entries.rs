//! Entries: the arguments that harnesses make, and `concord harness`.

mod common;

use common::{Scratch, concord};
use std::path::Path;

const RING: &[u8] = b"#include <stddef.h>
#include <assert.h>
typedef struct { unsigned char *buf; size_t size, r, w; void (*event)(int); } ring;
static int calls;
static int put(ring *q, const unsigned char *data, size_t n) {
  if (!q || !data) return 0;
  for (size_t i = 0; i < n; i++) {
    q->buf[q->w] = data[i];
    if (++q->w >= q->size + EXTRA) q->w = 0;
  }
  return 1;
}
int next(ring *q) { return q->r + 1 < q->size; }
int first(const char *s) { return s[0] ? s[1] : 0; }
int count(void) { assert(calls == 0); return calls; }
int mix(int x, char c, double d, _Bool b) { assert(x != 7 || c != 'x' || !b); return d > 1; }
";

fn check(file: &Path, words: &[&str]) -> (Option<i32>, String) {
    let words = [&["check", "--timeout", "20s"], words].concat();
    concord(&words, &[file])
}

const PUT: [&str; 10] = [
    "--entry",
    "put",
    "--argument",
    "q->buf[q->size]",
    "--argument",
    "data[n]",
    "--assume",
    "n <= 2 && q->size > 0 && q->size <= 2 && q->w < q->size",
    "--property",
    "valid-deref",
];

#[test]
fn arrays_have_the_length_that_is_said() {
    let scratch = Scratch::new("entries-arrays");
    let file = scratch.file("ring.c", RING);
    let (code, text) = check(&file, &[&PUT[..], &["-DEXTRA=0"]].concat());
    assert_eq!(code, Some(0), "{text}");
    for assumed in [
        "`q` leads to one object of its own",
        "`data` leads to n elements of its own",
        "as --assume says",
    ] {
        assert!(text.contains(assumed), "{assumed}: {text}");
    }
    // A static function: the compiled program calls it, too.
    let (code, text) = check(&file, &[&PUT[..], &["-DEXTRA=1"]].concat());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("out of bounds"), "{text}");
}

#[test]
fn pointers_may_be_null_and_strings_have_an_end() {
    let scratch = Scratch::new("entries-null");
    let file = scratch.file("ring.c", RING);
    let entry = |name: &str, words: &[&str]| {
        let own = ["-DEXTRA=0", "--property", "valid-deref", "--entry", name];
        check(&file, &[&own[..], words].concat())
    };
    let (code, text) = entry("next", &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("null"), "{text}");
    assert_eq!(entry("next", &["--argument", "*q"]).0, Some(0));
    assert_eq!(entry("next", &["--assume", "q->size > 0"]).0, Some(0));
    assert_eq!(entry("first", &[]).0, Some(0));
}

#[test]
fn globals_start_as_is_said_and_numbers_have_any_value() {
    let scratch = Scratch::new("entries-globals");
    let file = scratch.file("ring.c", RING);
    let entry = |words: &[&str]| check(&file, &[&["-DEXTRA=0"], words].concat());
    assert_eq!(entry(&["--entry", "count"]).0, Some(0));
    let (code, text) = entry(&["--entry", "count", "--globals", "any"]);
    assert_eq!(code, Some(1), "{text}");
    let (code, text) = entry(&["--entry", "mix"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("confirmed by the compiled program"), "{text}");
    assert_eq!(entry(&["--entry", "mix", "--assume", "x < 7"]).0, Some(0));
}

#[test]
fn what_is_printed_is_what_is_checked() {
    let scratch = Scratch::new("entries-printed");
    let file = scratch.file("ring.c", RING);
    let mut words = vec!["harness"];
    words.extend(&PUT[1..8]);
    let (code, text) = concord(&[&words[..], &["-DEXTRA=1"]].concat(), &[&file]);
    assert_eq!(code, Some(0), "{text}");
    let harness = scratch.file("harness.c", text.as_bytes());
    let entry = [
        "--entry",
        "concord_harness_put",
        "--property",
        "valid-deref",
    ];
    let (code, text) = check(&harness, &[&entry[..], &["-DEXTRA=1"]].concat());
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(
        check(&harness, &[&entry[..], &["-DEXTRA=0"]].concat()).0,
        Some(0)
    );
}

#[test]
fn what_is_not_understood_is_an_error() {
    let scratch = Scratch::new("entries-errors");
    let file = scratch.file("ring.c", RING);
    let entry = |words: &[&str]| check(&file, &[&["-DEXTRA=0"], words].concat());
    for (words, expected) in [
        (
            &["--entry", "next", "--argument", "z[3]"][..],
            "no pointer that is made",
        ),
        (&["--entry", "next", "--argument", "q"], "write 'buf[len]'"),
        (&["--entry", "next", "--assume", "zz > 1"], "zz"),
        (
            &["--entry", "nothing"],
            "does not define the function 'nothing'",
        ),
        (&["--globals", "any"], "need --entry"),
    ] {
        let (code, text) = entry(words);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

/// What the answer shows, and the test that it writes, are about the user's own function.
#[test]
fn a_violation_is_told_in_the_words_of_the_function() {
    let scratch = Scratch::new("entries-test");
    let text = b"typedef enum { IDLE, RUN } mode;
typedef struct { mode m; double level; int v[2]; } unit;
int start(unit *u, mode m, double level) {
  if (u->m == IDLE && m == RUN) { u->level = level; if (level > 0.25) return u->v[2]; }
  return 0;
}
";
    let file = scratch.file("unit.c", text);
    let test = scratch.0.join("test.c");
    let entry = [
        "--entry",
        "start",
        "--argument",
        "*u",
        "--property",
        "valid-deref",
    ];
    let wanted = format!("--test={}", test.display());
    let (code, text) = check(&file, &[&entry[..], &[&wanted]].concat());
    assert_eq!(code, Some(1), "{text}");
    for shown in [
        "m = 1",
        "level = 1.0",
        "m = RUN",
        "u->level = 1.0",
        ".m = IDLE",
        "`u` leads to",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    for hidden in ["__VERIFIER", "harness", "0x3f", "malloc_"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let test = std::fs::read_to_string(test).expect("a test");
    for line in [
        "u->m = 0u;",
        "m = 1u;",
        "level = 1.0;",
        "start(u, m, level);",
    ] {
        assert!(test.contains(line), "{line}: {test}");
    }
    assert!(
        !test.contains("nondet") && !test.contains("assume"),
        "{test}"
    );
}
