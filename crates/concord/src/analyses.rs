//! Analyses as data: named configurations, read from files that are part of the program, or from a file of the
//! user's.

use crate::exit;
use serde::Deserialize;
use std::path::Path;
use std::process::ExitCode;

/// A configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Analysis {
    /// One line for the list.
    pub summary: String,
    /// The paper and section that it comes from.
    pub paper: Option<String>,
    /// The engines that run side by side.
    pub engines: Vec<EngineName>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    Execution,
    Bmc,
    KInduction,
}

const NAMED: &[(&str, &str)] = &[
    ("default", include_str!("../../../configs/default.toml")),
    (
        "kInduction-plain",
        include_str!("../../../configs/kInduction-plain.toml"),
    ),
    ("bmc", include_str!("../../../configs/bmc.toml")),
    ("execution", include_str!("../../../configs/execution.toml")),
];

fn read(name: &str, text: &str) -> Result<Analysis, String> {
    toml::from_str(text).map_err(|error| format!("analysis {name}: {error}"))
}

/// The named analysis.
pub fn named(name: &str) -> Result<Analysis, String> {
    match NAMED.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => read(name, text),
        None => {
            let close = NAMED
                .iter()
                .map(|(known, _)| (distance(known, name), *known))
                .min()
                .filter(|(distance, _)| *distance <= 3);
            let hint = close.map_or(String::new(), |(_, known)| {
                format!("; did you mean '{known}'?")
            });
            Err(format!(
                "there is no analysis '{name}'{hint} (concord analyses lists them)"
            ))
        }
    }
}

pub fn from_file(path: &Path) -> Result<Analysis, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(&path.display().to_string(), &text)
}

/// Edit distance, for suggestions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

pub fn list() -> ExitCode {
    for (name, text) in NAMED {
        match read(name, text) {
            Ok(analysis) => {
                let paper = analysis
                    .paper
                    .map_or(String::new(), |paper| format!(" [{paper}]"));
                println!("{name:<12} {}{paper}", analysis.summary);
            }
            Err(error) => return exit::bad_input(error),
        }
    }
    exit::code(exit::TRUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_analysis_can_be_read() {
        for (name, text) in NAMED {
            assert!(!read(name, text).unwrap().engines.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        assert!(named("bmx").unwrap_err().contains("did you mean 'bmc'"));
    }

    #[test]
    fn unknown_keys_are_errors() {
        assert!(read("x", "summary = \"\"\nengines = []\nengine = 1").is_err());
    }
}
