//! Bad input: exit code 2 and one clear message each.

mod common;

use common::Scratch;
use std::process::Command;

fn refused(arguments: &[&str], file: &std::path::Path, wanted: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(arguments)
        .arg(file)
        .output()
        .expect("concord can be started");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{file:?}: {message}");
    assert!(message.contains(wanted), "{file:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn each_kind_of_bad_input_has_its_message() {
    let scratch = Scratch::new("bad-input");
    let cases: [(&str, &[u8], &str); 7] = [
        ("empty.c", b"", "empty"),
        ("comment.c", b"int main(void) { /* never ends", "comment"),
        (
            "conflict.c",
            b"int x; long x; int main(void) { return 0; }",
            "conflicting",
        ),
        (
            "include.c",
            b"#include \"nowhere.h\"\nint main(void) { return 0; }",
            "nowhere.h",
        ),
        ("declaration.c", b"int f(int);", "main"),
        ("nomain.c", b"int f(void) { return 0; }", "main"),
        ("binary.c", b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe\0\x01", ""),
    ];
    for (name, bytes, wanted) in cases {
        let file = scratch.file(name, bytes);
        refused(&["check"], &file, wanted);
        refused(&["run"], &file, wanted);
        refused(&["cfa"], &file, wanted);
    }
    refused(&["check"], &scratch.0, "directory");
    refused(&["check"], &scratch.0.join("missing.c"), "missing.c");
}

#[test]
fn the_command_line_is_checked() {
    let scratch = Scratch::new("command-line");
    let file = scratch.file("fine.c", b"int main(void) { return 0; }");
    refused(
        &["check", "--property", "termination"],
        &file,
        "not supported",
    );
    refused(&["check", "--property", "beauty"], &file, "beauty");
    refused(&["check", "--analysis", "bmx"], &file, "did you mean `bmc`");
    refused(&["check", "--entry", "nothere"], &file, "nothere");
}
