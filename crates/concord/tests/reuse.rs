//! Data automata kept between versions of a program (`--reuse`): ten edits of one program, each
//! with a certified verdict of its own.

mod common;

use common::Scratch;
use std::path::Path;
use std::process::Command;

const FIRST: &str = "extern int nondet(void); extern void reach_error(void);
int step(int x) { return x + 2; }
int main(void) {
    int x = 0, y = 42, z = 0;
    while (x < 100) {
        x = step(x);
        if (y <= 0) y = 7;
        if (nondet()) z = z ^ 1;
    }
    if (x != 100 || y != 42) reach_error();
    if (z != 0 && z != 1) reach_error();
    return 0;
}
";

/// Runs a version; every version has the same name, as in a repository.
fn check(scratch: &Scratch, text: &str, reuse: Option<&Path>) -> serde_json::Value {
    let file = scratch.file("main.c", text.as_bytes());
    let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
    command.args(["check", "--format", "json", "--analysis", "traces-OCT+CON"]);
    command.args(["--timeout", "60s"]);
    if let Some(dir) = reuse {
        command.arg("--reuse").arg(dir);
    }
    let output = command.arg(file).output().expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn number(result: &serde_json::Value, what: &str) -> u64 {
    let value = &result["statistics"]["trace-abstraction"][what];
    value.as_u64().unwrap_or_else(|| panic!("{what}: {result}"))
}

/// An edit of the program.
struct Edit {
    what: &'static str,
    from: &'static str,
    to: &'static str,
    /// Behind the program's text.
    end: &'static str,
    verdict: &'static str,
    /// Is what was kept a proof of the edited program too?
    is_enough: bool,
}

const fn edit(what: &'static str, from: &'static str, to: &'static str) -> Edit {
    Edit {
        what,
        from,
        to,
        end: "",
        verdict: "TRUE",
        is_enough: true,
    }
}

const fn breaking(what: &'static str, from: &'static str, to: &'static str) -> Edit {
    Edit {
        verdict: "FALSE",
        is_enough: false,
        ..edit(what, from, to)
    }
}

const EDITS: [Edit; 10] = [
    edit("nothing", "main", "main"),
    edit("a comment", "int x = 0", "/* from the start */ int x = 0"),
    edit("a constant that does not matter", "y = 7", "y = 8"),
    breaking("a constant that matters", "x != 100", "x != 98"),
    breaking("a step that leaps over the bound", "x + 2", "x + 3"),
    breaking("another bound", "x < 100", "x < 50"),
    Edit {
        is_enough: false,
        ..edit("a renamed variable", "z", "flag")
    },
    edit(
        "an added branch",
        "if (nondet())",
        "if (nondet()) y = 42; if (nondet())",
    ),
    Edit {
        end: "int step(int x) { return x + 2; }\n",
        ..edit("a moved function", "{ return x + 2; }", ";")
    },
    edit(
        "an added assertion",
        "return 0;",
        "if (y == 7) reach_error(); return 0;",
    ),
];

#[test]
fn ten_edits_are_decided_with_what_was_kept() {
    let scratch = Scratch::new("reuse");
    let first = scratch.0.join("first");
    let original = check(&scratch, FIRST, Some(&first));
    assert_eq!(original["verdict"], "TRUE", "{original}");
    assert!(number(&original, "refinements") > 1, "{original}");
    let kept = first.join("main.c.trace-abstraction.kept");
    let text = std::fs::read_to_string(&kept).expect("the automata were written");
    assert!(text.contains("automaton from octagon-congruence"), "{text}");
    assert!(text.contains("main::x <= 100"), "{text}");
    assert!(text.contains("[x < 100]; x = step(x)"), "{text}");
    for edit in EDITS {
        let (what, verdict) = (edit.what, edit.verdict);
        let dir = scratch.0.join("again");
        std::fs::create_dir_all(&dir).expect("a temporary folder");
        std::fs::copy(&kept, dir.join("main.c.trace-abstraction.kept")).expect("a copy");
        let text = FIRST.replace(edit.from, edit.to) + edit.end;
        let alone = check(&scratch, &text, None);
        let reusing = check(&scratch, &text, Some(&dir));
        assert_eq!(alone["verdict"], verdict, "{what}: {alone}");
        assert_eq!(reusing["verdict"], verdict, "{what}: {reusing}");
        let (new, fewer) = (
            number(&alone, "refinements"),
            number(&reusing, "refinements"),
        );
        assert!(fewer < new, "{what}: {fewer} refinements instead of {new}");
        if edit.is_enough {
            assert_eq!(fewer, 0, "{what}: {reusing}");
            assert!(
                number(&reusing, "kept triples confirmed") > 0,
                "{what}: {reusing}"
            );
        }
        // What was kept of the edited program serves it again.
        let third = check(&scratch, &text, Some(&dir));
        assert_eq!(third["verdict"], verdict, "{what}: {third}");
        assert!(number(&third, "refinements") <= 1, "{what}: {third}");
    }
}

#[test]
fn a_file_that_is_none_does_no_harm() {
    let scratch = Scratch::new("reuse-of-nonsense");
    let dir = scratch.0.join("kept");
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let heading = "# Data automata of trace abstraction, for `concord check --reuse`.\n";
    for text in [
        "",
        "\u{0}\u{1}",
        "automaton from nowhere",
        heading,
        &format!(
            "{heading}\nautomaton from a liar\nstate 1: true\n{{ }} x = step(x) {{ false }}\n"
        ),
        // Every statement is said to be impossible.
        &format!(
            "{heading}\nautomaton from a liar\nstate 1: (main::x == 5)\n{{ 1 }} … {{ false }}\n{{ }} {{ false }}\n"
        ),
    ] {
        let file = dir.join("main.c.trace-abstraction.kept");
        std::fs::write(&file, text).expect("a temporary file");
        let unsafe_text = FIRST.replace("x != 100", "x != 98");
        assert_eq!(
            check(&scratch, &unsafe_text, Some(&dir))["verdict"],
            "FALSE"
        );
        std::fs::write(&file, text).expect("a temporary file");
        assert_eq!(check(&scratch, FIRST, Some(&dir))["verdict"], "TRUE");
    }
}
