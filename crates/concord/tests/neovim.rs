//! The language server in an editor that we did not write: Neovim opens a file, shows what the
//! server says, and carries out its code action.

mod common;

use common::{LOOP, Scratch, WRONG};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

fn there_is_neovim() -> bool {
    let version = Command::new("nvim")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let there = version.is_ok_and(|status| status.success());
    if !there {
        opponents::skip("no Neovim");
    }
    there
}

/// What the editor saw of the file, and what it printed.
fn session(scratch: &Scratch, file: &Path) -> (Value, String) {
    let out = scratch.0.join("seen.json");
    let words = json!([env!("CARGO_BIN_EXE_concord"), scratch.0, file, out]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("CONCORD_SESSION", words.to_string())
        .env("XDG_STATE_HOME", &scratch.0)
        .env("XDG_CACHE_HOME", &scratch.0)
        .stdin(Stdio::null())
        .output()
        .expect("Neovim can be started");
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let seen = std::fs::read_to_string(&out).unwrap_or_else(|error| panic!("{error}: {printed}"));
    (serde_json::from_str(&seen).expect("JSON"), printed)
}

#[test]
fn neovim_shows_a_violation_and_writes_its_harness() {
    if !there_is_neovim() {
        return;
    }
    let scratch = Scratch::new("neovim-violation");
    let file = scratch.file("wrong.c", WRONG.as_bytes());
    let (seen, printed) = session(&scratch, &file);
    let shown = &seen["diagnostics"][0];
    assert_eq!(shown["code"], "unreach-call", "{seen:#} {printed}");
    assert_eq!(shown["lnum"], 4);
    assert!(
        shown["message"]
            .as_str()
            .is_some_and(|text| text.contains("= 7"))
    );
    let related = &shown["user_data"]["lsp"]["relatedInformation"];
    assert!(related.as_array().is_some_and(|steps| !steps.is_empty()));
    let harness = std::fs::read_to_string(scratch.0.join("wrong.harness.c"))
        .unwrap_or_else(|error| panic!("{error}: {printed}"));
    assert!(harness.contains("__VERIFIER_nondet_int"), "{harness}");
}

#[test]
fn neovim_gets_the_invariants_of_a_proof() {
    if !there_is_neovim() {
        return;
    }
    let scratch = Scratch::new("neovim-proof");
    let file = scratch.file("loop.c", LOOP.as_bytes());
    let (seen, printed) = session(&scratch, &file);
    let errors = seen["diagnostics"].as_array().expect("a list");
    assert!(
        errors.iter().all(|one| one["severity"] != 1),
        "{seen:#} {printed}"
    );
    let hint = &seen["hints"][0];
    assert_eq!(hint["position"]["line"], 4, "{seen:#} {printed}");
}
