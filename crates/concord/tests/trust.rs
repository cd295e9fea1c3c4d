//! `docs/trust.md` says what an answer rests on. Here it is compared with what the checker is built
//! from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    let file = root().join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn page() -> String {
    text("docs/trust.md")
}

/// The lines below a title, up to the next one.
fn section<'a>(page: &'a str, title: &str) -> Vec<&'a str> {
    let mut lines = page.lines();
    assert!(lines.any(|line| line == title), "there is no '{title}'");
    lines.take_while(|line| !line.starts_with("## ")).collect()
}

/// What stands in backquotes.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// The rows of the section's table below its head, cell by cell.
fn rows<'a>(page: &'a str, title: &str) -> Vec<Vec<&'a str>> {
    let lines = section(page, title).into_iter();
    let rows = lines.filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// The crates of the workspace that a crate is built from, itself included.
fn built_from(name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        let manifest = text(&format!("crates/{name}/Cargo.toml"));
        let dependencies = manifest
            .lines()
            .skip_while(|line| !line.starts_with("[dependencies]"))
            .skip(1)
            .take_while(|line| !line.starts_with('['));
        for line in dependencies {
            let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if root()
                .join("crates")
                .join(dependency)
                .join("Cargo.toml")
                .exists()
                && !dependency.is_empty()
                && !found.contains(dependency)
            {
                open.push(dependency.to_owned());
            }
        }
        found.insert(name);
    }
    found
}

#[test]
fn the_trusted_crates_are_those_that_the_checker_is_built_from() {
    let page = page();
    let listed: BTreeSet<String> = rows(&page, "## Trusted crates")
        .iter()
        .flat_map(|row| quoted(row[0]))
        .map(str::to_owned)
        .collect();
    let built = built_from("certify");
    assert!(built.len() > 4, "{built:?}");
    assert_eq!(
        listed, built,
        "docs/trust.md and crates/certify/Cargo.toml differ"
    );
    for analysis in [
        "engines",
        "cpa",
        "absint",
        "predicate",
        "domains",
        "cooperation",
    ] {
        assert!(
            root().join("crates").join(analysis).is_dir(),
            "{analysis} is no crate"
        );
        assert!(!built.contains(analysis), "the checker knows {analysis}");
    }
}

/// Whoever adds a kind of proof says here why it is believed.
#[test]
fn every_file_of_the_checker_is_explained() {
    let page = page();
    let listed: BTreeSet<String> = rows(&page, "## What the checker does, file by file")
        .iter()
        .flat_map(|row| quoted(row[0]))
        .map(str::to_owned)
        .collect();
    let folder = root().join("crates/certify/src");
    let files = std::fs::read_dir(folder).expect("the checker is there");
    let files: BTreeSet<String> = files
        .map(|entry| entry.expect("the folder can be read").path())
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            match path.join("mod.rs").exists() {
                true => Some(format!("{name}/")),
                false => name.ends_with(".rs").then_some(name),
            }
        })
        .filter(|name| name != "lib.rs" && !name.ends_with("tests.rs"))
        .collect();
    assert_eq!(listed, files, "docs/trust.md and crates/certify/src differ");
}

#[test]
fn every_opponent_exists() {
    let page = page();
    let rows = rows(&page, "## The opponents");
    assert!(rows.len() >= 12);
    for row in &rows {
        let files = quoted(row[2]);
        assert!(!files.is_empty(), "{row:?} names no test");
        for file in files {
            let text = text(file);
            let tests = text.contains("#[test]") || text.contains("proptest!");
            assert!(tests, "{file} has no test");
        }
    }
    // Every trusted crate but those that only carry data has somebody who attacks it.
    let attacked = rows
        .iter()
        .flat_map(|row| quoted(row[2]))
        .collect::<String>();
    for name in [
        "syntax",
        "cfa",
        "lowering",
        "interpreter",
        "transform",
        "arith",
        "logic",
        "encoding",
        "certify",
    ] {
        assert!(
            attacked.contains(&format!("crates/{name}/")),
            "nobody attacks {name}"
        );
    }
}

#[test]
fn the_page_is_found() {
    for place in ["docs/SUMMARY.md", "README.md"] {
        assert!(
            text(place).contains("trust.md"),
            "{place} does not link the page"
        );
    }
}
