//! The published schemas of the JSON output (`docs/schema`) say what is printed: everything that is
//! printed fits, and has its place in the schema.

mod common;

use common::{Scratch, VIOLATION};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// With functions of the library.
fn wrong() -> String {
    let text = VIOLATION.replace(
        "2 * limit",
        "2 * limit && strlen(strcpy(text, \"abc\")) == 3",
    );
    let text = text.replace("    if", "    char text[8];\n    if");
    format!(
        "extern char *strcpy(char *, const char *);\nextern unsigned long strlen(const char *);\n{text}"
    )
}

const RIGHT: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void unknown(int);
int main(void) {
    unsigned i = 0, j = 0;
    while (__VERIFIER_nondet_int()) {
        if (i < 1000) { i++; j++; }
        unknown(__VERIFIER_nondet_int() + 1);
    }
    if (i != j) reach_error();
    return 0;
}
";

fn schema(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let text = std::fs::read_to_string(folder.join(name)).expect("the schema is there");
    serde_json::from_str(&text).expect("JSON")
}

/// The schema without room for what it does not name: users may rely on what is documented, and we
/// are to document what there is.
fn closed(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(closed),
        Value::Object(object) => {
            let is_record = object.contains_key("properties") && object.contains_key("required");
            if is_record && object.get("type") == Some(&json!("object")) {
                object.insert("additionalProperties".into(), json!(false));
            }
            object.values_mut().for_each(closed);
        }
        _ => {}
    }
}

fn problems(name: &str, value: &Value) -> Vec<String> {
    let mut schema = schema(name);
    closed(&mut schema);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors = validator.iter_errors(value);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn printed(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("concord can be started");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Results of all verdicts, of analyses that show different things, and of a witness.
#[test]
fn results_fit_their_schema() {
    let scratch = Scratch::new("schema");
    let folder = &scratch.0;
    scratch.file("wrong.c", wrong().as_bytes());
    scratch.file("right.c", RIGHT.as_bytes());
    scratch.file("open.c", common::GENERATOR.as_bytes());
    let check = |arguments: &[&str]| {
        let words = [&["check", "--format", "json"], arguments].concat();
        printed(folder, &words)
    };
    let results = [
        ("FALSE", check(&["wrong.c"])),
        ("FALSE", check(&["--property", "all", "wrong.c"])),
        ("TRUE", check(&["--each-check", "right.c"])),
        ("TRUE", check(&["--witness", "right.yml", "right.c"])),
        ("TRUE", check(&["--analysis", "predicate", "right.c"])),
        ("TRUE", check(&["--analysis", "traces-OCT+CON", "right.c"])),
        ("TRUE", check(&["--analysis", "IC3CFA", "right.c"])),
        ("UNKNOWN", check(&["--timeout", "1s", "open.c"])),
        ("UNKNOWN", check(&["--strict", "right.c"])),
        (
            "TRUE",
            printed(
                folder,
                &["validate", "--format", "json", "right.yml", "right.c"],
            ),
        ),
    ];
    for (verdict, result) in &results {
        assert_eq!(result["verdict"], *verdict, "{result}");
        let problems = problems("result-1.json", result);
        assert!(problems.is_empty(), "{verdict}: {problems:?}");
    }
    for field in [
        "checks",
        "reachability",
        "refinements",
        "frames",
        "validation",
        "not_proved",
        "facts",
    ] {
        let is_there = results
            .iter()
            .any(|(_, result)| result.get(field).is_some());
        assert!(
            is_there,
            "no result has {field}, so nothing is known about it"
        );
    }
}

#[test]
fn other_outputs_fit_their_schemas() {
    let scratch = Scratch::new("schema-other");
    let folder = &scratch.0;
    scratch.file("wrong.c", wrong().as_bytes());
    let words = ["check", "--each-function", "--format", "json", "wrong.c"];
    let table = printed(folder, &words);
    assert_eq!(table.as_array().map(Vec::len), Some(2));
    assert_eq!(
        problems("each-function-1.json", &table),
        Vec::<String>::new()
    );
    for row in table.as_array().into_iter().flatten() {
        assert!(row["result"].is_object(), "{row}");
        assert_eq!(
            problems("result-1.json", &row["result"]),
            Vec::<String>::new()
        );
    }
    let doctor = printed(folder, &["doctor", "--format", "json"]);
    assert_eq!(problems("doctor-1.json", &doctor), Vec::<String>::new());
}

/// The check of these tests can fail.
#[test]
fn what_does_not_fit_is_noticed() {
    let good = json!({
        "schema": 1, "verdict": "UNKNOWN", "property": "unreach-call", "reason": "none",
        "assumptions": [], "unsupported": [], "gave_up": {}, "statistics": {},
    });
    assert_eq!(problems("result-1.json", &good), Vec::<String>::new());
    for (field, value) in [
        ("verdict", json!("MAYBE")),
        ("verdict", json!("FALSE")),
        ("schema", json!(2)),
        ("statistics", json!({"bmc": 3})),
        ("a_field_that_nobody_documents", json!(1)),
        (
            "proof",
            json!({"nodes": [], "edges": [[1, 2, 3]], "left_out": 0}),
        ),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert_ne!(
            problems("result-1.json", &bad),
            Vec::<String>::new(),
            "{field}"
        );
    }
}
