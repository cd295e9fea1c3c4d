//! With `--deterministic` a run can be repeated exactly.

mod common;

use common::Scratch;
use std::path::Path;
use std::process::Command;

fn run(program: &Path, analysis: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args([
            "check",
            "--deterministic",
            "--format",
            "json",
            "--timeout",
            "300s",
        ])
        .args(analysis)
        .arg(program)
        .output()
        .expect("concord can be started");
    let mut result: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the result is JSON");
    let fields = result.as_object_mut().expect("the result is an object");
    // What measures time and memory differs, and so does what happened when.
    for measured in ["cpu_seconds", "wall_seconds", "peak_memory", "timeline"] {
        fields.remove(measured);
    }
    for fact in fields
        .get_mut("facts")
        .and_then(|facts| facts.as_array_mut())
        .into_iter()
        .flatten()
    {
        fact["seconds"].take();
    }
    result
}

#[test]
fn the_same_run_gives_the_same_result() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/verdicts");
    for (name, analysis) in [
        ("bounded-sum.c", "default"),
        ("needle.c", "default"),
        ("unsigned-wrap-loop.c", "default"),
        ("unsigned-wrap-loop.c", "async-abs"),
        ("bounded-sum.c", "predicate"),
        ("unsigned-wrap-loop.c", "int-check-prec"),
    ] {
        let program = root.join(name);
        let once = || run(&program, &["--analysis", analysis]);
        let (first, second) = (once(), once());
        assert_eq!(first, second, "{name}, {analysis}");
        assert_ne!(first["verdict"], "UNKNOWN", "{name}, {analysis}");
    }
}

/// Limits inside of analyses are limits of work: what ends without an answer ends at the same
/// point.
#[test]
fn the_same_run_without_an_answer_stops_at_the_same_point() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/loops");
    let program = root.join("loop-every-second-step.c");
    let text = "summary = \"a small part of the time\"\nengine = \"predicate\"\n\
                options = { inductive = false, share = 0.005 }\n";
    let folder = Scratch::new("deterministic");
    let config_text = folder
        .file("part.toml", text.as_bytes())
        .display()
        .to_string();
    let once = || run(&program, &["--config", &config_text]);
    let (first, second) = (once(), once());
    assert_eq!(first, second);
    assert_eq!(first["verdict"], "UNKNOWN");
}
