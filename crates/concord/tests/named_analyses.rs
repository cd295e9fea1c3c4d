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

/// Stieglmaier2016, listing 1: a loop that interpolants unroll.
/// Counted, not timed: a loop that is unrolled takes a thousand questions.
#[test]
fn a_counting_loop_is_proved_with_few_questions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (analysis, engine, count, most) in [
        ("path-inv", "predicate", "solver checks", 200),
        ("path-policy", "predicate", "solver checks", 200),
        ("policy", "policy", "determinations", 3),
        ("async-abs", "predicate", "solver checks", 200),
        ("kInduction", "k-induction", "depth", 2),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["check", "--timeout", "60s", "--format", "json"])
            .args(["--analysis", analysis])
            .arg(root.join("programs/verdicts/count-to-a-million.yml"))
            .output()
            .expect("concord can be started");
        let result: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("the result is JSON");
        assert_eq!(result["verdict"], "TRUE", "{analysis}");
        // Another part of the configuration may have been faster: then there is nothing to count.
        let counted = result["statistics"][engine][count].as_u64();
        assert!(
            counted.is_none_or(|counted| counted <= most),
            "{analysis}: {counted:?}"
        );
    }
}

/// Injections of invariants, heuristics and sequences of Stieglmaier2016
/// decide a proof and a violation.
#[test]
fn configurations_of_the_thesis_decide() {
    let endings = ["abs", "prec-path", "prec-abs-path"];
    let mut names = vec!["basePar".to_string(), "restart2".into(), "path-inv".into()];
    names.extend(["path-policy", "400s-inv", "400s-policy"].map(String::from));
    for prefix in ["async", "seq", "int-check", "weakening", "conj-check"] {
        names.extend(endings.iter().map(|ending| format!("{prefix}-{ending}")));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let programs = ["verdicts/count-to-a-million", "verdicts/bounded-sum-bug"];
    decided(names.iter().map(|name| (*name, &programs[..])));
}

/// What each engine alone must decide; what it gives up is not asked.
#[test]
fn engines_decide_what_they_are_for() {
    const COUNT: &str = "verdicts/count-to-a-million";
    const BUG: &str = "verdicts/bounded-sum-bug";
    const SUM: &str = "verdicts/bounded-sum";
    const EVEN: &str = "loops/loop-even-counter";
    const CALL: &str = "loops/loop-step-by-call";
    const NESTED: &str = "loops/loop-in-a-loop";
    const RECURSION: &str = "verdicts/recursion-bounded";
    const CELLS: &str = "verdicts/cells-filled";
    let expected: [(&str, &[&str]); 23] = [
        ("predicate", &[COUNT, BUG, EVEN, CALL, NESTED]),
        ("predicate-sbe", &[COUNT, BUG, EVEN, CALL, NESTED]),
        ("predicate-lbe", &[COUNT, BUG, EVEN, CALL, NESTED]),
        ("base600", &[COUNT, BUG, EVEN, CALL, NESTED]),
        ("kInduction", &[COUNT, BUG, SUM, EVEN, CALL, NESTED]),
        ("kInduction-plain", &[COUNT, BUG, SUM]),
        ("bmc", &[COUNT, BUG, SUM, EVEN, CALL, RECURSION]),
        ("pdr", &[COUNT, SUM, EVEN, CALL]),
        ("IC3CFA", &[COUNT, BUG]),
        ("traces-OCT+CON", &[COUNT, BUG, EVEN, CALL, NESTED]),
        ("arrays", &[CELLS]),
        ("contracts", &[RECURSION, "verdicts/recursion-cases"]),
        ("houdini", &[COUNT, BUG, SUM, EVEN, CALL, NESTED]),
        ("octagon", &[COUNT, BUG, SUM, EVEN, CALL, NESTED]),
        ("policy", &[COUNT, NESTED]),
        ("apronSep-POLKA", &[BUG, SUM]),
        ("apronSep-BOX", &[BUG]),
        ("eva-refiner", &[BUG]),
        ("oadl-refiner", &[BUG, SUM]),
        ("invariants-octagon", &[COUNT, NESTED]),
        ("execution", &[COUNT, BUG, EVEN, CALL]),
        ("classes", &[COUNT, BUG, SUM, NESTED]),
        ("default", &[COUNT, BUG, SUM, EVEN, CALL, NESTED, RECURSION]),
    ];
    decided(expected);
}

/// Each analysis decides its programs; the verdict of a program is in its name.
fn decided<'a>(expected: impl IntoIterator<Item = (&'a str, &'a [&'a str])>) {
    let mut missing = Vec::new();
    for (analysis, programs) in expected {
        for program in programs {
            let wanted = match program.ends_with("-bug") {
                true => "Verdict: FALSE",
                false => "Verdict: TRUE",
            };
            let found = verdict(analysis, &format!("{program}.yml"), "60s");
            if !found.starts_with(wanted) {
                missing.push(format!("{program} by {analysis}: {found}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
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
