//! Programs that papers use to show what their configurations are for.

use std::path::Path;
use std::process::Command;

/// The first line about a program of `programs`.
fn verdict(analysis: &str, program: &str, timeout: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", timeout, "--analysis", analysis])
        .arg(root.join("programs").join(program))
        .output()
        .expect("concord can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().unwrap_or_default().to_string()
}

/// Stieglmaier2016, listing 1: a loop that interpolants unroll. Of processor time, which other
/// tests at the same time do not change.
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

/// Injections of invariants, heuristics and sequences of Stieglmaier2016: no wrong verdict.
#[test]
fn configurations_of_the_thesis_are_never_wrong() {
    let endings = ["abs", "prec-path", "prec-abs-path"];
    let mut names = vec!["basePar".to_string(), "restart2".into(), "path-inv".into()];
    for prefix in ["async", "seq", "int-check", "weakening", "conj-check"] {
        names.extend(endings.iter().map(|ending| format!("{prefix}-{ending}")));
    }
    let mut wrong = Vec::new();
    for name in names {
        let safe = verdict(&name, "verdicts/count-to-a-million.yml", "5s");
        let violated = verdict(&name, "verdicts/bounded-sum-bug.yml", "5s");
        if !(safe.starts_with("Verdict: TRUE") || safe.starts_with("Verdict: UNKNOWN"))
            || !(violated.starts_with("Verdict: FALSE") || violated.starts_with("Verdict: UNKNOWN"))
        {
            wrong.push(format!("{name}: {safe} / {violated}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Stieglmaier2016, table 7: loops like those that the thesis's baseline unrolls. Those for which
/// the table has path invariants of the Invariants CPA by that configuration, the others by the
/// default. Our interpolants do not unroll all of them, so that this does not show that path
/// invariants are needed: tests of the predicate analysis do, where it has other interpolants.
#[test]
fn loops_of_table_7_are_proved() {
    let by_path_invariants = [
        "verdicts/count-to-a-million.yml",
        "loops/loop-counted-inside.yml",
        "loops/loop-in-a-loop.yml",
        "loops/loop-search-within-bounds.yml",
    ];
    let by_default = [
        "loops/loop-even-counter.yml",
        "loops/loop-step-by-call.yml",
        "loops/loop-any-step.yml",
    ];
    let mut missing = Vec::new();
    let path_invariants = by_path_invariants.map(|program| ("path-inv", program));
    let others = by_default.map(|program| ("default", program));
    for (analysis, program) in path_invariants.into_iter().chain(others) {
        let found = verdict(analysis, program, "30s");
        if found != "Verdict: TRUE" {
            missing.push(format!("{program} by {analysis}: {found}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// What the report's tables of Stieglmaier2016 need reaches the printed statistics.
#[test]
fn searches_for_invariants_are_counted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", "30s", "--format", "json"])
        .args(["--analysis", "path-inv"])
        .arg(root.join("programs/loops/loop-in-a-loop.yml"))
        .output()
        .expect("concord can be started");
    let result: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the result is JSON");
    let counts = &result["statistics"]["predicate"];
    let attempts = counts["invariant-attempts"].as_u64().expect("a number");
    let successes = counts["invariant-successes"].as_u64().expect("a number");
    assert!((1..=attempts).contains(&successes), "{counts}");
    assert!(counts["invariant-ms"].is_u64());
}
