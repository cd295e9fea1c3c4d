//! `cargo build` and `cargo test --workspace` ask for the same features of every crate that both
//! compile: otherwise everything is compiled twice.

use std::collections::BTreeMap;
use std::process::Command;

/// The features of each package, for each machine (host or target) that it is compiled for.
fn features(arguments: &[&str]) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["--format", "{p}|{f}"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{output:?}");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((package, features)) = line.split_once('|') else {
            continue;
        };
        let features = features.trim_end_matches(" (*)").to_owned();
        let known = found.entry(package.to_owned()).or_default();
        if !known.contains(&features) {
            known.push(features);
        }
    }
    found.values_mut().for_each(|known| known.sort());
    found
}

#[test]
fn building_and_testing_agree_on_features() {
    let built = features(&["--package", "concord", "--edges", "normal,build"]);
    let tested = features(&["--workspace", "--edges", "normal,build,dev"]);
    assert!(built.len() > 50, "only {} packages", built.len());
    for (package, features) in &built {
        assert_eq!(
            Some(features),
            tested.get(package),
            "{package}: crates/concord/Cargo.toml is to ask for what the tests need too"
        );
    }
}
