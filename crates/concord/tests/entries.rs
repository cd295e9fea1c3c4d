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
