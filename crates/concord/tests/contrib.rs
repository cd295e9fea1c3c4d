//! The scripts of `contrib`, run as their users run them: on a repository of git, and to make a
//! package.

mod common;

use common::{Scratch, WRONG};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Are the programs there? In continuous integration they must be.
fn has(programs: &[&str]) -> bool {
    let is_there = |program: &&str| {
        let found = Command::new(program).arg("--version").output();
        found.is_ok_and(|output| output.status.success())
    };
    let missing: Vec<&&str> = programs.iter().filter(|one| !is_there(one)).collect();
    if missing.is_empty() {
        return true;
    }
    opponents::skip(&format!("{missing:?} not found"));
    false
}

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
        .args(arguments)
        .output()
        .expect("git can be started");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file can be written");
}

/// A repository with two programs that are right and one header.
fn repository(folder: &Path) {
    let right = WRONG.replace("n == 7", "n != n");
    git(folder, &["init", "-q"]);
    write(folder, "limit.h", "#define LIMIT 7\n");
    write(folder, "a.c", &right);
    write(folder, "b.c", &format!("#include \"limit.h\"\n{right}"));
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "first"]);
}

fn script(folder: &Path, name: &str, variables: &[(&str, &str)]) -> Output {
    Command::new(root().join("contrib").join(name))
        .current_dir(folder)
        .env("CONCORD", env!("CARGO_BIN_EXE_concord"))
        .envs(variables.to_vec())
        .output()
        .expect("the script can be started")
}

#[test]
fn the_action_checks_what_changed_and_fails_on_what_is_new() {
    if !has(&["git", "jq", "bash"]) {
        return;
    }
    let scratch = Scratch::new("action");
    let folder = &scratch.0;
    repository(folder);
    let name = "github/check-changed";
    let base = [
        ("CONCORD_BASE", "HEAD~1"),
        ("CONCORD_OPTIONS", "--timeout 20s"),
    ];
    let findings = || -> Value {
        let text = std::fs::read(folder.join("concord-reports/concord.sarif")).expect("a log");
        serde_json::from_slice(&text).expect("JSON")
    };

    write(folder, "a.c", WRONG);
    git(folder, &["commit", "-qam", "a is wrong"]);
    let output = script(folder, name, &base);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("::group::a.c") && !said.contains("::group::b.c"),
        "{said}"
    );
    let log = findings();
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    std::fs::copy(
        folder.join("concord-reports/concord.sarif"),
        folder.join("known.sarif"),
    )
    .expect("it can be copied");

    // A header changes, so the file that includes it is checked too.
    write(folder, "limit.h", "#define LIMIT 8\n");
    write(folder, "a.c", &format!("\n\n{WRONG}"));
    git(
        folder,
        &["commit", "-qam", "lines move, and a header changes"],
    );
    let with_baseline = [base[0], base[1], ("CONCORD_BASELINE", "known.sarif")];
    let output = script(folder, name, &with_baseline);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("::group::a.c") && said.contains("::group::b.c"),
        "{said}"
    );
    assert_eq!(
        findings()["runs"][0]["results"][0]["baselineState"],
        "unchanged"
    );

    let nothing = [("CONCORD_BASE", "HEAD")];
    let output = script(folder, name, &nothing);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        findings()["runs"][0]["results"].as_array().map(Vec::len),
        Some(0)
    );
}

#[test]
fn the_hook_refuses_a_commit_with_a_violation() {
    if !has(&["git", "bash"]) {
        return;
    }
    let scratch = Scratch::new("hook");
    let folder = &scratch.0;
    repository(folder);
    let name = "pre-commit/check-staged";
    write(folder, "b.c", WRONG);
    // What is not to be committed is not looked at.
    assert_eq!(script(folder, name, &[]).status.code(), Some(0));
    git(folder, &["add", "b.c"]);
    let output = script(folder, name, &[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Violated at b.c:5:"), "{said}");
}

/// All that crates.io wants to know of a package is there.
#[test]
fn every_crate_says_what_it_is() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--offline",
            "--locked",
            "--no-deps",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(packages.len() > 20);
    for package in packages {
        for field in ["description", "license"] {
            let text = package[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{} has no {field}", package["name"]);
        }
        for field in ["keywords", "categories", "authors"] {
            let list = package[field].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&list), "{}: {field}", package["name"]);
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let (wanted, name) = (&dependency["req"], &dependency["name"]);
            assert_ne!(wanted, "*", "{} needs any {name}", package["name"]);
        }
    }
}

/// The extension starts the server with settings that it declares, and its file is JavaScript.
#[test]
fn the_extension_of_the_editor_fits_the_server() {
    let folder = root().join("contrib/vscode");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let manifest: Value = serde_json::from_str(&read("package.json")).expect("JSON");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let script = read("extension.js");
    assert!(script.contains("args: [\"lsp\"]"), "{script}");
    let settings = manifest["contributes"]["configuration"]["properties"].as_object();
    for name in settings.into_iter().flat_map(|settings| settings.keys()) {
        let name = name.strip_prefix("concord.").expect("our own setting");
        let used = format!("settings.get(\"{name}\"");
        assert!(script.contains(&used), "{name} is not used");
    }
    if !has(&["node"]) {
        return;
    }
    let output = Command::new("node")
        .arg("--check")
        .arg(folder.join("extension.js"))
        .output()
        .expect("node can be started");
    assert!(output.status.success(), "{output:?}");
}
