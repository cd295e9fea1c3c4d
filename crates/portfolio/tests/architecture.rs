//! ARCHITECTURE.md says which crates there are, in the order in which they may know one another,
//! and links to files. That stays true.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates of the table, from above to below.
fn listed() -> Vec<String> {
    let text = text(&root().join("ARCHITECTURE.md"));
    let table = text.split("## The crates").nth(1).expect("a section");
    let table = table.split("\n## ").next().expect("its text");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next())
        .map(str::to_owned)
        .collect()
}

/// What a crate needs, but for its tests.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = text(&root().join("crates").join(name).join("Cargo.toml"));
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let table = manifest.get("dependencies").and_then(toml::Value::as_table);
    table.map_or(Vec::new(), |table| table.keys().cloned().collect())
}

#[test]
fn the_list_of_crates_is_complete() {
    let folders = std::fs::read_dir(root().join("crates")).expect("a folder");
    let names = folders.map(|entry| entry.expect("it can be read").file_name());
    let mut found: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let mut listed = listed();
    found.sort();
    listed.sort();
    assert_eq!(listed, found);
}

#[test]
fn a_crate_depends_only_on_crates_above_it() {
    let listed = listed();
    let position = |name: &str| listed.iter().position(|other| other == name);
    for (own, name) in listed.iter().enumerate() {
        for needed in dependencies(name) {
            assert!(
                position(&needed).is_none_or(|other| other < own),
                "{name} depends on {needed}, which stands below it"
            );
        }
    }
}

#[test]
fn its_links_lead_to_files() {
    let text = text(&root().join("ARCHITECTURE.md"));
    let links = text
        .split("](")
        .skip(1)
        .filter_map(|it| it.split(')').next());
    for link in links.filter(|link| !link.starts_with("http")) {
        assert!(root().join(link).exists(), "{link}");
    }
}
