//! The guide: every page is reachable, every link leads somewhere, and what it says of the command
//! line is so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Targets of Markdown links outside of code.
fn links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        if in_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            found.extend(part.split(')').next().map(str::to_owned));
        }
    }
    found
}

fn pages(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("decisions") {
            pages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let docs = docs();
    let listed: BTreeSet<PathBuf> = links(&read(&docs.join("SUMMARY.md")))
        .iter()
        .map(|link| docs.join(link))
        .collect();
    let mut all = Vec::new();
    pages(&docs, &mut all);
    assert!(all.len() > 20);
    for page in all {
        assert!(
            page.ends_with("SUMMARY.md") || listed.contains(&page),
            "{} is not in the summary",
            page.display()
        );
        let folder = page.parent().expect("a page lies in a folder");
        for link in links(&read(&page)) {
            let target = link.split('#').next().unwrap_or_default();
            let is_here = target.is_empty() || folder.join(target).exists();
            assert!(
                link.starts_with("https://") || is_here,
                "{}: {link} leads nowhere",
                page.display()
            );
        }
    }
}

fn help(command: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(command)
        .arg("--help")
        .output()
        .expect("concord can be started");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Options in the guide's shell commands exist.
#[test]
fn options_in_examples_exist() {
    let mut all = Vec::new();
    pages(&docs(), &mut all);
    let mut seen = 0;
    for page in all {
        for line in read(&page).lines() {
            let line = line.trim_start_matches("$ ").trim();
            let Some(rest) = line.strip_prefix("concord ") else {
                continue;
            };
            let command = rest.split_whitespace().next().unwrap_or_default();
            if !command.chars().all(|c| c.is_ascii_lowercase()) {
                continue;
            }
            let known = help(&[command]);
            assert!(
                known.contains("Usage: concord"),
                "{}: {line}",
                page.display()
            );
            let words = rest.split('|').next().unwrap_or_default();
            for option in words
                .split_whitespace()
                .filter(|word| word.starts_with("--"))
            {
                let option = option.split('=').next().unwrap_or_default();
                seen += 1;
                assert!(
                    known.contains(option),
                    "{}: `concord {command}` has no {option}",
                    page.display()
                );
            }
        }
    }
    assert!(seen > 10, "only {seen} options were looked at");
}

/// The transcripts of a page: what was typed behind `$`, and the lines that were printed.
fn transcripts(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let (mut in_code, mut in_transcript) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            in_transcript = false;
        } else if let Some(command) = line.strip_prefix("$ concord ").filter(|_| in_code) {
            in_transcript = true;
            found.push((command.into(), Vec::new()));
        } else if in_transcript && let Some((_, printed)) = found.last_mut() {
            printed.push(line.into());
        }
    }
    found
}

/// A line of a transcript that stands for any number of lines.
const LEFT_OUT: &str = "[…]";

/// Is this what is shown, except for what is left out?
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [LEFT_OUT, rest @ ..] => (0..=printed.len()).any(|skip| fits(rest, &printed[skip..])),
        [line, rest @ ..] => printed
            .split_first()
            .is_some_and(|(first, others)| first == line && fits(rest, others)),
    }
}

#[test]
fn only_what_is_left_out_may_differ() {
    let printed = ["a", "b", "c"];
    for shown in [
        &["a", "b", "c"][..],
        &["a", LEFT_OUT],
        &[LEFT_OUT, "c"],
        &["a", LEFT_OUT, "c"],
    ] {
        assert!(fits(shown, &printed), "{shown:?}");
    }
    for shown in [
        &["a", "b"][..],
        &[],
        &[LEFT_OUT, "b"],
        &["a", "x", LEFT_OUT],
    ] {
        assert!(!fits(shown, &printed), "{shown:?}");
    }
}

/// Analyses, and options in tables about other tools, exist.
#[test]
fn what_newcomers_are_told_exists() {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("analyses")
        .output()
        .expect("concord can be started");
    let analyses = String::from_utf8_lossy(&output.stdout).into_owned();
    let analyses: BTreeSet<&str> = analyses
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let known = ["check", "validate", "invariants"].map(|command| help(&[command]));
    let text = read(&docs().join("coming-from.md"));
    let mut seen = 0;
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let ours = cells.last().copied().unwrap_or_default();
        // What stands in backquotes.
        for code in ours.split('`').skip(1).step_by(2) {
            let words: Vec<&str> = code.split_whitespace().collect();
            for option in words
                .iter()
                .filter(|word| word.starts_with('-') && word.len() > 1)
            {
                seen += 1;
                let is_known = known.iter().any(|help| help.contains(option));
                assert!(is_known, "{option} in: {line}");
            }
            if let ["--analysis", name] = words[..] {
                assert!(analyses.contains(name), "{name} in: {line}");
            }
        }
    }
    assert!(seen > 30, "only {seen} options were looked at");
}

/// What the guide shows is what users see, to the letter.
#[test]
fn transcripts_are_what_is_printed() {
    let root = docs().join("..");
    let mut all = vec![root.join("README.md")];
    pages(&docs(), &mut all);
    let mut seen = 0;
    for page in all {
        for (command, shown) in transcripts(&read(&page)) {
            let output = Command::new(env!("CARGO_BIN_EXE_concord"))
                .args(command.split_whitespace())
                .current_dir(&root)
                .output()
                .expect("concord can be started");
            let printed = String::from_utf8_lossy(&output.stdout);
            let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
            let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
            let place = page.display();
            assert!(
                fits(&shown, &printed),
                "{place}: concord {command}\nshown: {shown:#?}\nprinted: {printed:#?}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 7, "only {seen} transcripts were found");
}
