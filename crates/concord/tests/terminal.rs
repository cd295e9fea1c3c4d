//! What people meet on a terminal: colours, explanations, standard input, `watch` and `doctor`.

mod common;

use common::{Scratch, WRONG};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

fn right() -> String {
    WRONG.replace("n == 7", "n != n")
}

fn concord(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
    command.current_dir(folder);
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"] {
        command.env_remove(variable);
    }
    command
}

fn with_input(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("concord can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("concord ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn pipes_and_no_color_are_respected() {
    let scratch = Scratch::new("colours");
    scratch.file("wrong.c", WRONG.as_bytes());
    let run = |variables: &[(&str, &str)]| {
        let mut command = concord(&scratch.0);
        command.args(["check", "wrong.c"]).envs(variables.to_vec());
        text(&command.output().expect("concord can be started").stdout)
    };
    let plain = run(&[]);
    assert!(
        plain.starts_with("Verdict: FALSE (unreach-call)\n"),
        "{plain}"
    );
    assert!(!plain.contains('\x1b'), "{plain:?}");
    let forced = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(forced.contains("\x1b["), "{forced:?}");
    assert!(forced.contains("FALSE"), "{forced:?}");
    let refused = run(&[("CLICOLOR_FORCE", "0"), ("NO_COLOR", "1")]);
    assert!(!refused.contains('\x1b'), "{refused:?}");
}

#[test]
fn a_program_may_come_from_standard_input() {
    let scratch = Scratch::new("stdin");
    scratch.file("seven.h", b"#define SEVEN 7\n");
    let program = format!(
        "#include \"seven.h\"\n{}",
        WRONG.replace("== 7", "== SEVEN")
    );
    let mut command = concord(&scratch.0);
    command.args(["check", "-"]);
    let output = with_input(command, &program);
    let said = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{said}{}",
        text(&output.stderr)
    );
    assert!(said.contains("Violated at <stdin>:6:"), "{said}");
    assert!(said.contains("confirmed by the compiled program"), "{said}");

    let mut command = concord(&scratch.0);
    command.args(["check", "--format", "json", "-"]);
    let output = with_input(command, &right());
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["verdict"], "TRUE");
    assert_eq!(result["configuration"]["files"][0], "<stdin>");

    let mut command = concord(&scratch.0);
    command.args(["check", "-"]);
    let output = with_input(command, "int main(void) { return x; }\n");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("<stdin>:1:"), "{said}");
}

#[test]
fn the_path_of_the_report_and_explanations_are_at_the_end() {
    let scratch = Scratch::new("explain");
    scratch.file("wrong.c", WRONG.as_bytes());
    let mut command = concord(&scratch.0);
    let output = command.args(["check", "--explain", "--output", "out", "wrong.c"]);
    let said = text(&output.output().expect("concord can be started").stdout);
    assert!(said.ends_with("\nReport: out/report.html\n"), "{said}");
    for line in ["What this means:", "  Inputs\n", "  Violated at\n"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("  Loop invariants"), "{said}");
}

/// Lines of a process, as they come.
fn lines(child: &mut std::process::Child) -> mpsc::Receiver<String> {
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

fn wait_for(lines: &mpsc::Receiver<String>, wanted: &str) {
    let mut seen = Vec::new();
    loop {
        match lines.recv_timeout(Duration::from_secs(60)) {
            Ok(line) if line.contains(wanted) => return,
            Ok(line) => seen.push(line),
            Err(error) => panic!("{wanted} did not come ({error}): {seen:?}"),
        }
    }
}

#[test]
fn watching_checks_again_when_a_file_or_a_header_changes() {
    let scratch = Scratch::new("watch");
    scratch.file("limit.h", b"#define LIMIT 7\n");
    let program = format!(
        "#include \"limit.h\"\n{}",
        WRONG.replace("n == 7", "LIMIT == 7")
    );
    scratch.file("program.c", program.as_bytes());
    let mut command = concord(&scratch.0);
    let mut child = command
        .args(["watch", "--quiet"])
        .arg(scratch.0.join("program.c"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("concord can be started");
    let lines = lines(&mut child);
    wait_for(&lines, "Verdict: FALSE");
    wait_for(&lines, "[watching 2 files]");
    scratch.file("limit.h", b"#define LIMIT 12345\n");
    wait_for(&lines, "Verdict: TRUE");
    wait_for(&lines, "[watching 2 files]");
    scratch.file("program.c", WRONG.as_bytes());
    wait_for(&lines, "Verdict: FALSE");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    common::nothing_is_left(&scratch.0);
}

#[test]
fn the_doctor_says_what_follows_where_something_is_missing() {
    let scratch = Scratch::new("doctor");
    let examined = |path: Option<&str>| {
        let mut command = concord(&scratch.0);
        command
            .args(["doctor", "--format", "json"])
            .env_remove("CC");
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let output = command.output().expect("concord can be started");
        let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), result)
    };
    let (code, healthy) = examined(None);
    assert_eq!(code, Some(0), "{healthy}");
    assert_eq!(healthy["ready"], true);
    let (code, bare) = examined(Some("/nowhere"));
    assert_eq!(code, Some(1), "{bare}");
    assert_eq!(bare["ready"], false);
    let checks = bare["checks"].as_array().expect("a list");
    let compiler = &checks[0];
    assert_eq!(compiler["name"], "C compiler");
    assert_eq!(compiler["found"], false);
    for check in checks {
        for field in ["without", "remedy", "detail"] {
            let text = check[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{check}");
        }
    }
    let mut command = concord(&scratch.0);
    let output = command
        .arg("doctor")
        .env("PATH", "/nowhere")
        .env_remove("CC");
    let output = output.output().expect("concord can be started");
    let said = text(&output.stdout);
    assert!(said.contains("MISSING  C compiler"), "{said}");
    assert!(
        said.contains("without it: only preprocessed files"),
        "{said}"
    );
}
