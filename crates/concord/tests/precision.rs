//! Precisions in files: what a run tracked saves a later one its refinements.

mod common;

use common::Scratch;
use std::process::Command;

fn check(file: &std::path::Path, more: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--format", "json", "--analysis", "base600"])
        .args(more)
        .arg(file)
        .output()
        .expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn refinements(result: &serde_json::Value) -> u64 {
    assert_eq!(result["verdict"], "TRUE", "{result}");
    result["statistics"]["predicate"]["refinements"]
        .as_u64()
        .unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn a_precision_is_written_as_c_and_read_again() {
    let scratch = Scratch::new("precision");
    let file = scratch.file(
        "states.c",
        b"int nondet(void); void reach_error(void);
struct box { int size; int used; };
int main(void) {
    struct box box = {4, 0};
    int state = 1;
    while (nondet()) {
        if (state == 1) { box.used = 1; state = 2; }
        else if (state == 2) { box.used = 0; state = 1; }
    }
    if (state == 2 && box.used != 1) reach_error();
    return 0;
}
",
    );
    let kept = scratch.0.join("precision.toml");
    let kept = kept.to_str().expect("a path in ASCII");
    let first = refinements(&check(&file, &["--precision-out", kept]));
    assert!(first > 0);
    let text = std::fs::read_to_string(kept).expect("the precision was written");
    assert!(
        text.contains("state ==") && text.contains("line = 6"),
        "{text}"
    );
    assert!(text.contains("box.used"), "{text}");
    let again = refinements(&check(&file, &["--precision-in", kept]));
    assert_eq!(again, 0, "{text}");
}

#[test]
fn a_precision_for_another_program_does_no_harm() {
    let scratch = Scratch::new("precision-of-another");
    let file = scratch.file(
        "loop.c",
        b"int nondet(void); void reach_error(void);
int main(void) { int x = 1;
    while (nondet()) { x = 1; }
    if (x != 1) reach_error(); return 0; }
",
    );
    let kept = scratch.file(
        "precision.toml",
        b"[[predicate]]\nfile = \"loop.c\"\nline = 3\ncolumn = 5\nvalue = \"gone == 3\"\n
[[predicate]]\nfile = \"loop.c\"\nline = 300\ncolumn = 5\nvalue = \"x == 3\"\n",
    );
    let kept = kept.to_str().expect("a path in ASCII");
    refinements(&check(&file, &["--precision-in", kept]));
}
