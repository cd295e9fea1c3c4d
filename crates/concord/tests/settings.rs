//! `concord.toml` and `concord cc`.

mod common;

use common::Scratch;
use std::path::Path;
use std::process::Command;

const CONCORD: &str = env!("CARGO_BIN_EXE_concord");

fn run(folder: &Path, program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("CONCORD", CONCORD)
        .output()
        .expect("it can be started");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code(), text)
}

/// Two functions, one of which is wrong if the limit is not 10.
fn project(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for folder in ["src", "inc", "deep"] {
        std::fs::create_dir_all(scratch.0.join(folder)).expect("a folder");
    }
    scratch.file("inc/q.h", b"int take(int);\n#define TEN 10\n");
    scratch.file(
        "src/q.c",
        b"#include <q.h>\n#include <assert.h>
int take(int x) { int y = x > LIMIT ? LIMIT : x; assert(y <= TEN); return y; }
int twice(int x) { return x > 1000 || x < 0 ? 0 : x + x; }\n",
    );
    scratch.file(
        "src/main.c",
        b"#include \"q.h\"\n#include <stdlib.h>
int main(int argc, char **argv) { return argc > 1 ? take(atoi(argv[1])) : 0; }\n",
    );
    scratch
}

#[test]
fn settings_are_found_and_their_entries_are_checked() {
    let scratch = project("settings");
    let settings = "files = ['src/*.c']\nincludes = ['inc']\ndefines = ['LIMIT=10']\n\
                    timeout = '20s'\n[entries.take]\n[entries.twice]\nproperty = 'no-overflow'\n";
    scratch.file("concord.toml", settings.as_bytes());
    let deep = scratch.0.join("deep");
    let (code, text) = run(&deep, CONCORD, &["check"]);
    assert_eq!(code, Some(0), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[1].starts_with("take") && lines[2].starts_with("twice"),
        "{text}"
    );
    // The command line counts more, and one entry can be chosen.
    let arguments = ["check", "--entry", "take", "-ULIMIT", "-DTOP", "--quiet"];
    let (code, text) = run(&deep, CONCORD, &arguments);
    assert_eq!(code, Some(2), "LIMIT is undefined: {text}");
    let other = settings.replace("LIMIT=10", "LIMIT=11");
    scratch.file(
        "deep/concord.toml",
        other
            .replace("'src", "'../src")
            .replace("'inc", "'../inc")
            .as_bytes(),
    );
    let (code, text) = run(&deep, CONCORD, &["check", "--entry", "take"]);
    assert_eq!(code, Some(1), "{text}");
    let (code, text) = run(&deep, CONCORD, &["check", "--project", "none"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("no files"), "{text}");
    scratch.file("deep/concord.toml", b"timeot = '3s'\n");
    let (code, text) = run(&deep, CONCORD, &["check"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("concord.toml:1: error: `timeot`"), "{text}");
    assert!(text.contains("did you mean `timeout`?"), "{text}");
}

#[test]
fn a_build_is_recorded() {
    let scratch = project("recorded");
    scratch.file(
        "build.sh",
        b"set -e
cd src
$CONCORD cc -I../inc -DLIMIT=11 -O2 -Wall -c q.c -o ../q.o
cd ..
ar rc libq.a q.o
$CONCORD cc -Iinc src/main.c -L. -lq -o prog
echo 'int main(void) { return 0; }' > conftest.c
$CONCORD cc conftest.c -o conftest && rm conftest.c conftest
! $CONCORD cc -c missing.c
",
    );
    std::fs::create_dir(scratch.0.join(".git")).expect("a folder");
    let (code, text) = run(&scratch.0, "sh", &["build.sh"]);
    assert_eq!(code, Some(0), "{text}");
    let limit = ["--timeout", "20s"];
    let check = |arguments: &[&str]| {
        let words = [&["check"], arguments, &limit].concat();
        run(&scratch.0.join("deep"), CONCORD, &words)
    };
    // From main, and from the library's function, as it was compiled.
    let (code, text) = check(&["--entry", "take"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("q.c:3"), "{text}");
    let (code, text) = check(&[
        "--program",
        "prog",
        "--entry",
        "main",
        "--property",
        "no-overflow",
    ]);
    assert_ne!(code, Some(2), "{text}");
    let (code, text) = check(&["--program", "other"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("there are: ") && text.contains("prog"),
        "{text}"
    );
    // A second program: one of them is to be chosen.
    let arguments = [
        "cc",
        "-Iinc",
        "-DLIMIT=1",
        "src/main.c",
        "src/q.c",
        "-o",
        "two",
    ];
    assert_eq!(run(&scratch.0, CONCORD, &arguments).0, Some(0));
    let (code, text) = check(&[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("choose one with --program"), "{text}");
    for (program, verdict) in [("prog", 1), ("two", 0)] {
        let (code, text) = check(&["--entry", "take", "--program", program]);
        assert_eq!(code, Some(verdict), "{text}");
    }
}
