//! SARIF as the standard's own schema has it, and fingerprints that survive edits.

use report::check::{
    Baseline, CheckShown, CheckStatus, Compared, Counterexample, InputShown, Note, ProgramShown,
    Report, SourceFile, Step, Verdict, sarif,
};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("data/sarif-schema-2.1.0.json");

/// The schema, but for one pattern (of a language, which we never state): its stray bracket is no
/// regular expression for readers that are strict.
fn schema() -> Value {
    let stray = "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$";
    assert!(SCHEMA.contains(stray));
    let text = SCHEMA.replace(stray, "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    serde_json::from_str(&text).expect("the schema is JSON")
}

fn check(log: &Value) {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).expect("the schema can be read");
    let problems: Vec<String> = validator
        .iter_errors(log)
        .map(|problem| format!("{}: {problem}", problem.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{problems:#?}\n{log:#}");
}

fn step(depth: u32, function: &str, line: u32, values: &[(&str, &str)]) -> Step {
    Step {
        depth,
        file: "src/my program.c".into(),
        line,
        text: format!("line {line}"),
        values: values
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect(),
        branch: Some(true),
        decided: "taken".into(),
        function: function.into(),
        globals: Vec::new(),
        at: None,
        locations: vec![1, 2],
        folded: Vec::new(),
        violates: false,
        matters: true,
    }
}

/// A violation whose lines are moved down by `moved`.
fn violation(moved: u32, text: &str) -> Report {
    let mut last = step(2, "check", 9 + moved, &[]);
    last.violates = true;
    Report {
        verdict: Verdict::False,
        reason: None,
        engine: Some("bmc".into()),
        certificate: Some("inputs".into()),
        certified: Some("replayed in 3 steps".into()),
        counterexample: Some(Counterexample {
            why: None,
            inputs: vec![InputShown {
                place: format!("src/my program.c:{}:3", 3 + moved),
                what: "__VERIFIER_nondet_int()".into(),
                value: "-1".into(),
                at: None,
            }],
            steps: vec![step(1, "main", 3 + moved, &[("x", "-1")]), last],
            left_out: 0,
            left_out_after: 0,
            unfinished: false,
            violation: Note {
                place: format!("src/my program.c:{}:5", 9 + moved),
                text: text.into(),
            },
        }),
        assumptions: vec![Note {
            place: "generated code".into(),
            text: "f has no body".into(),
        }],
        ..Report::unknown("unreach-call", "")
    }
}

#[test]
fn all_verdicts_fit_the_schema() {
    let proof = Report {
        verdict: Verdict::True,
        reason: None,
        ..Report::unknown("no-overflow", "")
    };
    let open = Report {
        unsupported: vec![Note {
            place: "a.c:3:1".into(),
            text: "inline assembly".into(),
        }],
        ..Report::unknown("unreach-call", "time limit reached")
    };
    for report in [violation(0, "assert(x >= 0);"), proof, open] {
        let log = sarif(&report);
        check(&log);
        let results = log["runs"][0]["results"].as_array().map(Vec::len);
        assert_eq!(results, Some(usize::from(report.verdict == Verdict::False)));
        assert_eq!(
            log["runs"][0]["properties"]["verdict"],
            json!(report.verdict)
        );
    }
}

/// Ends of regions come from the program's text, baseline states from an earlier log.
#[test]
fn positions_and_baseline_states_fit_the_schema() {
    let lines = "\n".repeat(8) + "    assert(x >= 0);\n";
    let report = Report {
        program: Some(ProgramShown {
            files: vec![SourceFile {
                name: "src/my program.c".into(),
                text: lines,
            }],
            ..ProgramShown::default()
        }),
        ..violation(0, "assert(x >= 0);")
    };
    let mut log = sarif(&report);
    let earlier = sarif(&violation(30, "assert(x >= 0);")).to_string();
    let baseline = Baseline::read(&earlier).expect("a log");
    assert_eq!(baseline.mark(&mut log), Compared { new: 0, known: 1 });
    check(&log);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["baselineState"], "unchanged");
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"],
        json!({"startLine": 9, "startColumn": 5, "endLine": 9, "endColumn": 20})
    );
}

#[test]
fn what_is_not_sarif_is_noticed() {
    let mut log = sarif(&violation(0, "assert(x >= 0);"));
    log["runs"][0]["results"][0]["level"] = json!("terrible");
    let schema = schema();
    assert!(!jsonschema::is_valid(&schema, &log));
}

#[test]
fn a_violation_has_its_rule_place_and_flow() {
    let log = sarif(&violation(0, "assert(x >= 0);"));
    let run = &log["runs"][0];
    let result = &run["results"][0];
    let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/my%20program.c");
    assert_eq!(place["region"], json!({"startLine": 9, "startColumn": 5}));
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().map(Vec::len), Some(2));
    assert_eq!(flow[0]["state"]["x"]["text"], "-1");
    assert_eq!(flow[0]["location"]["message"]["text"], "x = -1");
    assert_eq!(flow[1]["nestingLevel"], 2);
    assert_eq!(flow[1]["importance"], "essential");
    assert!(
        result["message"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("__VERIFIER_nondet_int() = -1"))
    );
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let print =
        |report: &Report| sarif(report)["runs"][0]["results"][0]["partialFingerprints"].clone();
    let before = print(&violation(0, "assert(x >= 0);"));
    assert_eq!(before, print(&violation(17, "assert(x >= 0);")));
    assert_eq!(before, print(&violation(0, "   assert(x  >= 0);")));
    assert_ne!(before, print(&violation(0, "assert(y >= 0);")));
    let mut other_caller = violation(0, "assert(x >= 0);");
    if let Some(found) = &mut other_caller.counterexample {
        found.steps[0].function = "start".into();
    }
    assert_ne!(before, print(&other_caller));
}

fn decided(status: CheckStatus, line: u32) -> CheckShown {
    let found = violation(0, "assert(x > 0);");
    CheckShown {
        status,
        property: "valid-deref".into(),
        claim: "memory is accessed inside live objects".into(),
        function: "main".into(),
        place: format!("src/my program.c:{line}:5"),
        text: "a[i] = 3".into(),
        at: None,
        reason: (status == CheckStatus::Unknown).then(|| "out of time".into()),
        engine: None,
        certificate: None,
        certified: None,
        counterexample: found
            .counterexample
            .filter(|_| status == CheckStatus::Violated),
    }
}

#[test]
fn every_check_is_a_result() {
    let report = Report {
        checks: vec![
            decided(CheckStatus::Violated, 9),
            decided(CheckStatus::Unknown, 10),
            decided(CheckStatus::Proved, 11),
            decided(CheckStatus::Unreachable, 12),
        ],
        ..violation(0, "assert(x > 0);")
    };
    let log = sarif(&report);
    check(&log);
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let kinds: Vec<&Value> = results.iter().map(|result| &result["kind"]).collect();
    assert_eq!(kinds, ["fail", "open", "pass", "notApplicable"]);
    assert!(results[0]["codeFlows"].is_array());
    let lines: Vec<&Value> = results
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"]["region"]["startLine"])
        .collect();
    assert_eq!(lines, [9, 10, 11, 12]);
}
