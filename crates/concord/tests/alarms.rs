//! What must not happen even without a wrong verdict is counted, and does not happen on a sample of
//! `programs/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a benchmark of these folders or files, with its results in `name`.
fn bench(name: &str, tasks: &[&str], sample: &str) -> (Output, PathBuf) {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("alarms-{name}"));
    let _ = std::fs::remove_dir_all(&output);
    let run = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("bench")
        .args(tasks.iter().map(|task| root().join("programs").join(task)))
        .args([
            "--sample",
            sample,
            "--seed",
            "7",
            "--timeout",
            "20s",
            "--jobs",
            "2",
            "--output",
        ])
        .arg(&output)
        .output()
        .expect("concord can be started");
    (run, output)
}

fn is_there_no_compiler() -> bool {
    if Command::new("cc").arg("--version").output().is_ok() {
        return false;
    }
    assert!(std::env::var_os("CONCORD_CI").is_none(), "no C compiler");
    println!("SKIPPED: no C compiler");
    true
}

#[test]
fn no_alarm_on_a_sample_of_the_programs() {
    let (run, output) = bench("none", &["verdicts", "properties", "features"], "24");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && text.contains(" 0 wrong,"), "{text}");
    assert!(!text.contains("must not happen"), "{text}");
    let journal = std::fs::read_to_string(output.join("results.jsonl")).expect("a journal");
    assert!(journal.lines().count() == 24 && !journal.contains("\"alarms\":"));
    let page = std::fs::read_to_string(output.join("report.html")).expect("a page");
    assert!(page.contains("<th>alarms</th>") && !page.contains("<h2>Alarms</h2>"));
}

#[test]
fn a_harness_that_passes_is_counted_everywhere() {
    if is_there_no_compiler() {
        return;
    }
    let (run, output) = bench("some", &["undefined/own-library-function.c"], "1");
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{text}");
    assert!(text.contains("harness-passes"), "{text}");
    for file in [
        "results.jsonl",
        "results.csv",
        "results.json",
        "tables.md",
        "report.html",
    ] {
        let text = std::fs::read_to_string(output.join(file)).expect(file);
        assert!(text.contains("harness-passes"), "{file}: {text}");
    }
    let program = root().join("programs/undefined/own-library-function.c");
    let check = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--format", "json", "--timeout", "20s"])
        .arg(program)
        .output()
        .expect("concord can be started");
    let result: serde_json::Value = serde_json::from_slice(&check.stdout).expect("JSON");
    assert_eq!(result["verdict"], "UNKNOWN");
    assert_eq!(result["alarms"][0]["kind"], "harness-passes");
}
