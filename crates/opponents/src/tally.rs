//! Counts of answers, and the programs whose answers are wrong.

use crate::verifier::{Answer, Verdict};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};

#[derive(Default)]
pub struct Tally {
    pub right: u64,
    pub unknown: u64,
    pub refused: u64,
    pub wrong: u64,
    /// Messages that ask to be reported.
    pub complaints: u64,
    /// Programs, and among them those that could not be used.
    pub programs: u64,
    pub unusable: BTreeMap<String, u64>,
    /// What is not supported in refused programs.
    pub refusals: BTreeMap<String, u64>,
    /// One line for each wrong answer and complaint.
    pub findings: Vec<String>,
}

impl Tally {
    /// Counts an answer to a question whose right answer is known; says whether it was wrong.
    pub fn count(&mut self, name: &str, answer: &Answer, truth: bool) -> bool {
        let wrong = match answer.verdict {
            Verdict::Unknown => {
                self.unknown += 1;
                false
            }
            Verdict::Refused => {
                self.refused += 1;
                *self.refusals.entry(construct(&answer.reason)).or_default() += 1;
                false
            }
            verdict => verdict != if truth { Verdict::True } else { Verdict::False },
        };
        if wrong {
            self.wrong += 1;
            self.find(format!("WRONG {:?}: {name}", answer.verdict));
        } else if matches!(answer.verdict, Verdict::True | Verdict::False) {
            self.right += 1;
        }
        for complaint in &answer.complaints {
            self.complaints += 1;
            self.find(format!("COMPLAINT: {name}: {complaint}"));
        }
        wrong
    }

    pub fn unusable(&mut self, why: &str) {
        *self.unusable.entry(why.to_owned()).or_default() += 1;
    }

    /// Said at once: a run can be long.
    pub fn find(&mut self, text: String) {
        println!("{text}");
        self.findings.push(text);
    }

    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Display for Tally {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{} programs: {} right, {} unknown, {} refused, {} wrong, {} complaints",
            self.programs, self.right, self.unknown, self.refused, self.wrong, self.complaints
        )?;
        for (why, count) in &self.unusable {
            write!(out, "; {count} not used ({why})")?;
        }
        for (what, count) in &self.refusals {
            write!(out, "; {count} refused ({what})")?;
        }
        Ok(())
    }
}

/// The kind of a message about a program that is not accepted: without places, quoted names and
/// numbers. What has no other words keeps its name.
pub fn construct(message: &str) -> String {
    let error = message
        .lines()
        .find_map(|line| line.split_once("error: ").map(|(_, text)| text))
        .or_else(|| message.lines().last()?.splitn(4, ": ").last())
        .unwrap_or("nothing said");
    if error.starts_with(['\'', '`', '"']) {
        return error.to_owned();
    }
    let mut kind = String::new();
    for (index, part) in error.split(['\'', '`', '"']).enumerate() {
        kind.push_str(if index % 2 == 0 { part } else { "…" });
    }
    kind
}

/// Copies a program to the folder of those that somebody must look at.
pub fn keep(folder: &Path, name: &str, source: &Path) -> Result<PathBuf, String> {
    let kept = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::copy(source, &kept))
        .map_err(|error| format!("{}: {error}", kept.display()))?;
    Ok(kept)
}
