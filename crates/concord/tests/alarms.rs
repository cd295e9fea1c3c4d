//! What must not happen even without a wrong verdict is counted, and does not happen on a sample of
//! `programs/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a benchmark of these folders or files, with its results in `name`, and this compiler.
fn bench(name: &str, tasks: &[&str], sample: &str, compiler: &str) -> (Output, PathBuf) {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("alarms-{name}"));
    let _ = std::fs::remove_dir_all(&output);
    let run = Command::new(env!("CARGO_BIN_EXE_concord"))
        .env("CC", compiler)
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

/// A compiler whose programs all end at once, without a violation.
fn wrong_compiler() -> String {
    use std::os::unix::fs::PermissionsExt;
    const SCRIPT: &str = "#!/bin/sh
case \" $* \" in *\" -c \"*|*\" -E \"*) exec cc \"$@\";; esac
while [ $# -gt 0 ]; do [ \"$1\" = -o ] && program=$2; shift; done
printf '#!/bin/sh\\nexit 0\\n' > \"$program\" && chmod +x \"$program\"
";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-compiler");
    std::fs::write(&path, SCRIPT).expect("a file of our own");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("a file of our own");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn no_alarm_on_a_sample_of_the_programs() {
    let (run, output) = bench("none", &["verdicts", "properties", "features"], "24", "cc");
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
    let compiler = wrong_compiler();
    let program = "verdicts/array-index-bug.c";
    let (run, output) = bench("some", &[program], "1", &compiler);
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
    let check = Command::new(env!("CARGO_BIN_EXE_concord"))
        .env("CC", &compiler)
        .args(["check", "--format", "json", "--timeout", "20s"])
        .arg(root().join("programs").join(program))
        .output()
        .expect("concord can be started");
    let result: serde_json::Value = serde_json::from_slice(&check.stdout).expect("JSON");
    assert_eq!(result["verdict"], "UNKNOWN");
    assert_eq!(result["alarms"][0]["kind"], "harness-passes");
}
