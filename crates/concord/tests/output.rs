//! What `concord check` leaves behind: files that are whole or not there, and formats that say what
//! the guide says.

mod common;

use common::VIOLATION;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("output-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn concord(folder: &Path, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("program.c"), VIOLATION).expect("the program can be written");
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("concord can be started")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_directory_gets_all_files_and_nothing_half_written() {
    let folder = folder("files");
    let output = concord(&folder, &["check", "--output", "deep/er", "program.c"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let written = names(&folder.join("deep/er"));
    for name in ["harness.c", "report.html", "result.json", "result.sarif"] {
        assert!(
            written.iter().any(|known| known == name),
            "{name} is not among {written:?}"
        );
    }
    assert!(
        !written.iter().any(|name| name.ends_with(".part")),
        "{written:?}"
    );
    let text = std::fs::read_to_string(folder.join("deep/er/result.json")).expect("a result");
    let result: Value = serde_json::from_str(&text).expect("the result is JSON");
    assert_eq!(result["verdict"], "FALSE");
    assert_eq!(result["program"]["files"][0]["text"], VIOLATION);
}

#[test]
fn an_output_that_cannot_be_written_is_said_clearly() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("taken"), "a file").expect("a file can be written");
    let output = concord(&folder, &["check", "--output", "taken", "program.c"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("taken"),
        "{output:?}"
    );
}

/// The names of all fields of all objects inside.
fn fields(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                into.insert(name.clone());
                // Their fields are names of engines.
                if name != "statistics" && name != "gave_up" {
                    fields(value, into);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| fields(value, into)),
        _ => {}
    }
}

#[test]
fn json_is_what_the_guide_documents() {
    let folder = folder("json");
    let output = concord(&folder, &["check", "--format", "json", "program.c"]);
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["schema"], 1);
    let mut used = BTreeSet::new();
    fields(&result, &mut used);
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let missing: Vec<&String> = used
        .iter()
        .filter(|name| !guide.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "docs/json.md does not name {missing:?}");
}

#[test]
fn sarif_names_the_violation() {
    let folder = folder("sarif");
    let output = concord(&folder, &["check", "--format", "sarif", "program.c"]);
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unreach-call");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "program.c");
    assert_eq!(place["region"]["startLine"], 7);
}

/// In continuous integration only what is new is to fail; moved lines make nothing new.
#[test]
fn violations_of_the_baseline_have_an_exit_code_of_their_own() {
    let folder = folder("baseline");
    let sarif = |name: &str| -> Value {
        let text = std::fs::read(folder.join(name).join("result.sarif")).expect("a log");
        serde_json::from_slice(&text).expect("JSON")
    };
    let output = concord(&folder, &["check", "--output", "first", "program.c"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let result = &sarif("first")["runs"][0]["results"][0];
    assert_eq!(result["baselineState"], Value::Null);
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["endLine"], &region["endColumn"]),
        (&7.into(), &50.into())
    );

    let check = |name: &str, text: &str| {
        std::fs::write(folder.join("program.c"), text).expect("the program can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .current_dir(&folder)
            .args([
                "check",
                "--baseline",
                "first/result.sarif",
                "--output",
                name,
            ])
            .arg("program.c")
            .output()
            .expect("concord can be started");
        output.status.code()
    };
    assert_eq!(check("moved", &format!("\n\n{VIOLATION}")), Some(4));
    let state = |name| sarif(name)["runs"][0]["results"][0]["baselineState"].clone();
    assert_eq!(state("moved"), "unchanged");
    assert_eq!(
        check("other", &VIOLATION.replace("2 * limit", "4 * limit")),
        Some(1)
    );
    assert_eq!(state("other"), "new");
    assert_eq!(
        check("proved", &VIOLATION.replace("2 * limit", "2 * limit + 1")),
        Some(0)
    );
    std::fs::write(folder.join("first/result.sarif"), "{}").expect("it can be written");
    assert_eq!(check("none", VIOLATION), Some(2));
}

#[test]
fn completions_and_manual_know_every_command() {
    let folder = folder("completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = concord(&folder, &["completions", shell]);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for word in ["check", "bench", "data-model"] {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
    }
    let page = concord(&folder, &["man"]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(
        page.contains(".TH concord 1") && page.contains("check"),
        "{page}"
    );
    let output = concord(&folder, &["man", "pages"]);
    assert!(output.status.success(), "{output:?}");
    let pages = names(&folder.join("pages"));
    for name in [
        "concord.1",
        "concord-check.1",
        "concord-bench.1",
        "concord-bench-diff.1",
    ] {
        assert!(
            pages.iter().any(|known| known == name),
            "{name} is not among {pages:?}"
        );
    }
    assert!(
        !pages.iter().any(|name| name == "concord-work.1"),
        "{pages:?}"
    );
}

/// Nobody may overlook that a function is not declared; `--strict` takes no answer from such a
/// program.
#[test]
fn warnings_are_in_every_output_and_strict_makes_them_errors() {
    let folder = folder("warnings");
    let text = "int main(void) { int x = __VERIFIER_nondt_int(); assert(x == x); return 0; }\n";
    std::fs::write(folder.join("misspelt.c"), text).expect("the program can be written");
    let wanted = "did you mean '__VERIFIER_nondet_int'?";
    for arguments in [
        &["check", "misspelt.c"][..],
        &["check", "--format", "json", "misspelt.c"],
        &["check", "--format", "sarif", "misspelt.c"],
        &["check", "--quiet", "misspelt.c"],
        &["check", "--strict", "misspelt.c"],
        &["check", "--output", "out", "misspelt.c"],
    ] {
        let output = concord(&folder, arguments);
        let (out, err) = (&output.stdout, &output.stderr);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(out),
            String::from_utf8_lossy(err)
        );
        assert!(said.contains(wanted), "{arguments:?}: {said}");
        let strict = arguments.contains(&"--strict");
        assert_eq!(
            output.status.code() == Some(2),
            strict,
            "{arguments:?}: {said}"
        );
    }
    let page = std::fs::read_to_string(folder.join("out/report.html")).expect("a page");
    assert!(
        page.contains("Warnings about the text"),
        "no warnings in the page"
    );

    let text = "int f(void); int main(void) { return f(); }\n";
    std::fs::write(folder.join("assumed.c"), text).expect("the program can be written");
    let output = concord(&folder, &["check", "--strict", "assumed.c"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("--strict allows no assumptions"), "{said}");
}
