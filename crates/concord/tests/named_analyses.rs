//! Programs that papers use to show what their configurations are for.

use std::path::Path;
use std::process::Command;

fn verdict(analysis: &str, program: &str, timeout: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", timeout, "--analysis", analysis])
        .arg(root.join("programs/verdicts").join(program))
        .output()
        .expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().unwrap_or_default().to_string()
}

/// 000, listing 1: a loop that interpolants unroll. Of processor time, which other tests at the same time do not change.
#[test]
fn a_counting_loop_is_proved_within_two_seconds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for analysis in ["path-inv", "async-abs", "kInduction"] {
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["check", "--timeout", "60s", "--format", "json"])
            .args(["--analysis", analysis])
            .arg(root.join("programs/verdicts/count-to-a-million.yml"))
            .output()
            .expect("concord can be started");
        let result: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("the result is JSON");
        assert_eq!(result["verdict"], "TRUE", "{analysis}");
        let seconds = result["cpu_seconds"].as_f64().expect("a number");
        assert!(seconds < 2.0, "{analysis} took {seconds} s");
    }
}

/// Injections of invariants, heuristics and sequences of 000: no wrong verdict.
#[test]
fn configurations_of_the_thesis_are_never_wrong() {
    let endings = ["abs", "prec-path", "prec-abs-path"];
    let mut names = vec!["basePar".to_string(), "restart2".into(), "path-inv".into()];
    for prefix in ["async", "seq", "int-check", "weakening", "conj-check"] {
        names.extend(endings.iter().map(|ending| format!("{prefix}-{ending}")));
    }
    let mut wrong = Vec::new();
    for name in names {
        let safe = verdict(&name, "count-to-a-million.yml", "5s");
        let violated = verdict(&name, "bounded-sum-bug.yml", "5s");
        if !(safe.starts_with("Verdict: TRUE") || safe.starts_with("Verdict: UNKNOWN"))
            || !(violated.starts_with("Verdict: FALSE") || violated.starts_with("Verdict: UNKNOWN"))
        {
            wrong.push(format!("{name}: {safe} / {violated}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
