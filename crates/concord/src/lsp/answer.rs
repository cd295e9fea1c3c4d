//! What a result is in the editor: diagnostics with the counterexample, invariants as hints, and an
//! action that writes the harness.

use super::{WRITE_HARNESS, places};
use crate::check::message::{CheckShown, CheckStatus, Counterexample, Note, Report, Step, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ERROR: u32 = 1;
const WARNING: u32 = 2;
const INFORMATION: u32 = 3;
const HINT: u32 = 4;

/// Steps of an execution that the editor shows; those at its end matter most.
const MAX_STEPS: usize = 60;
/// Inputs that the message names.
const MAX_INPUTS: usize = 8;
/// Letters of a hint; all of it is shown when one points at it.
const MAX_LETTERS: usize = 80;

/// What is known of a file.
pub struct Answer {
    path: PathBuf,
    report: Option<Report>,
    harness: Option<String>,
    /// What the check said instead of a result.
    refusal: String,
    /// The texts of the files that are spoken of, as they were when they were checked.
    texts: BTreeMap<PathBuf, Vec<String>>,
}

impl Answer {
    pub fn new(path: &Path, report: Report, harness: Option<String>) -> Answer {
        let mut texts = BTreeMap::new();
        for file in report.program.iter().flat_map(|program| &program.files) {
            let lines = file.text.lines().map(str::to_owned).collect();
            texts.insert(resolved(path, &file.name), lines);
        }
        Answer {
            path: path.to_owned(),
            report: Some(report),
            harness,
            refusal: String::new(),
            texts,
        }
    }

    /// Of a file that is no correct program.
    pub fn refused(path: &Path, said: &str) -> Answer {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().map(str::to_owned).collect();
        Answer {
            path: path.to_owned(),
            report: None,
            harness: None,
            refusal: said.trim().to_owned(),
            texts: BTreeMap::from([(path.to_owned(), lines)]),
        }
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let Some(report) = &self.report else {
            return "not checked: the program has errors".into();
        };
        match report.verdict {
            Verdict::True => "TRUE".into(),
            Verdict::False => format!("FALSE ({})", report.property),
            Verdict::Unknown => {
                format!("UNKNOWN ({})", report.reason.as_deref().unwrap_or_default())
            }
        }
    }

    fn range(&self, file: &Path, line: u32, column: u32) -> Value {
        let lines = self.texts.get(file).map_or(&[][..], Vec::as_slice);
        places::range(lines, line, column)
    }

    /// Diagnostics by the addresses of their files. The file that was checked is always among them,
    /// so that what was said of it before goes away.
    pub fn diagnostics(&self, uri: &str) -> BTreeMap<String, Vec<Value>> {
        let mut list = vec![];
        match &self.report {
            Some(report) => {
                list.extend(self.violations(report));
                list.extend(
                    report
                        .checks
                        .iter()
                        .filter_map(|check| self.undecided(check)),
                );
                if report.verdict == Verdict::Unknown {
                    let reason = report.reason.as_deref().unwrap_or("no reason");
                    let text = format!("No answer: {reason}");
                    let place = (self.path.clone(), 1, 0);
                    list.push(self.diagnostic(place, INFORMATION, "unknown", &text));
                }
                let notes = [
                    (&report.warnings, WARNING, "program-warning"),
                    (&report.unsupported, WARNING, "unsupported"),
                    (&report.assumptions, HINT, "assumption"),
                ];
                for (notes, severity, code) in notes {
                    list.extend(notes.iter().map(|note| self.note(note, severity, code)));
                }
            }
            None => list.extend(self.refusals()),
        }
        let mut by_file = BTreeMap::from([(uri.to_owned(), Vec::new())]);
        for (file, diagnostic) in list {
            let file = match file == self.path {
                true => uri.to_owned(),
                false => places::uri(&file),
            };
            by_file
                .entry(file)
                .or_insert_with(Vec::new)
                .push(diagnostic);
        }
        by_file
    }

    /// The addresses of the files that diagnostics are about.
    pub fn addresses(&self, uri: &str) -> impl Iterator<Item = String> {
        self.diagnostics(uri).into_keys()
    }

    /// A diagnostic with its file.
    fn diagnostic(
        &self,
        (file, line, column): (PathBuf, u32, u32),
        severity: u32,
        code: &str,
        text: &str,
    ) -> (PathBuf, Value) {
        let diagnostic = json!({
            "range": self.range(&file, line, column),
            "severity": severity,
            "code": code,
            "source": "concord",
            "message": text,
        });
        (file, diagnostic)
    }

    /// Where a place is; what has none is said of the beginning of the file.
    fn place(&self, place: &str) -> (PathBuf, u32, u32) {
        match places::parsed(place) {
            Some((file, line, column)) => (resolved(&self.path, file), line, column),
            None => (self.path.clone(), 1, 0),
        }
    }

    fn note(&self, note: &Note, severity: u32, code: &str) -> (PathBuf, Value) {
        self.diagnostic(self.place(&note.place), severity, code, &note.text)
    }

    /// Each violation with its file; the first is the one that the harness is about.
    fn violations(&self, report: &Report) -> Vec<(PathBuf, Value)> {
        if report.verdict != Verdict::False {
            return Vec::new();
        }
        let checks = report.checks.iter();
        let each: Vec<(&str, &Counterexample)> = checks
            .filter_map(|check| Some((check.property.as_str(), check.counterexample.as_ref()?)))
            .collect();
        if each.is_empty() {
            let found = report.counterexample.iter();
            let one = found.map(|found| self.violation(&report.property, found));
            return one.collect();
        }
        let all = each.into_iter();
        all.map(|(property, found)| self.violation(property, found))
            .collect()
    }

    /// A check that is neither proved nor violated.
    fn undecided(&self, check: &CheckShown) -> Option<(PathBuf, Value)> {
        let reason = check.reason.as_deref().unwrap_or("no reason");
        let text = format!("Not proved: {}: {reason}", check.claim);
        (check.status == CheckStatus::Unknown).then(|| {
            self.diagnostic(
                self.place(&check.place),
                INFORMATION,
                &check.property,
                &text,
            )
        })
    }

    fn violation(&self, property: &str, counterexample: &Counterexample) -> (PathBuf, Value) {
        let inputs = counterexample.inputs.iter().take(MAX_INPUTS);
        let inputs: Vec<String> = inputs
            .map(|input| format!("{} = {}", input.what, input.value))
            .collect();
        let mut text = format!("{property} can be violated here");
        if let Some(why) = &counterexample.why {
            text.push_str(&format!(": {why}"));
        }
        if !inputs.is_empty() {
            text.push_str(&format!(", for {}", inputs.join(", ")));
        }
        if counterexample.inputs.len() > MAX_INPUTS {
            text.push_str(", …");
        }
        let place = self.place(&counterexample.violation.place);
        let (file, mut diagnostic) = self.diagnostic(place, ERROR, property, &text);
        let steps: Vec<&Step> = counterexample
            .steps
            .iter()
            .filter(|step| step.matters && (!step.values.is_empty() || step.branch.is_some()))
            .collect();
        let from = steps.len().saturating_sub(MAX_STEPS);
        let related: Vec<Value> = steps[from..]
            .iter()
            .map(|step| self.related(step))
            .collect();
        diagnostic["relatedInformation"] = json!(related);
        (file, diagnostic)
    }

    fn related(&self, step: &Step) -> Value {
        let file = resolved(&self.path, &step.file);
        let values = step.values.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let text = match values.is_empty() {
            true => step.decided.clone(),
            false => values.join(", "),
        };
        json!({
            "location": {"uri": places::uri(&file), "range": self.range(&file, step.line, 0)},
            "message": text,
        })
    }

    /// The messages of the front end: lines `file:line:column: error: …`.
    fn refusals(&self) -> Vec<(PathBuf, Value)> {
        let said = self.refusal.lines().filter_map(|line| {
            let (place, text) = line.split_once(": error: ")?;
            places::parsed(place)?;
            Some(self.diagnostic(self.place(place), ERROR, "error", text))
        });
        let said: Vec<(PathBuf, Value)> = said.collect();
        if !said.is_empty() {
            return said;
        }
        let text = self
            .refusal
            .strip_prefix("concord: ")
            .unwrap_or(&self.refusal);
        let place = (self.path.clone(), 1, 0);
        vec![self.diagnostic(place, INFORMATION, "not-checked", text)]
    }

    /// Certified invariants behind the heads of loops in the lines that are asked for.
    pub fn hints(&self, parameters: &Value) -> Vec<Value> {
        let Some(report) = &self.report else {
            return Vec::new();
        };
        let line = |path: &str| parameters.pointer(path).and_then(Value::as_u64);
        let first = line("/range/start/line").unwrap_or(0);
        let last = line("/range/end/line").unwrap_or(u64::MAX);
        let certified = report.invariants.iter().filter(|one| one.certified);
        let here = certified.filter(|one| {
            let line = u64::from(one.line.saturating_sub(1));
            resolved(&self.path, &one.file) == self.path && (first..=last).contains(&line)
        });
        here.map(|one| {
            let end = self.range(&self.path, one.line, 0)["end"].clone();
            let short = match one.text.char_indices().nth(MAX_LETTERS) {
                Some((end, _)) => format!("{} …", &one.text[..end]),
                None => one.text.clone(),
            };
            json!({
                "position": end,
                "label": format!("invariant: {short}"),
                "paddingLeft": true,
                "tooltip": format!("Proved: whenever an execution is here, {}", one.text),
            })
        })
        .collect()
    }

    /// Where the harness is written: beside the program.
    fn harness_path(&self) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}.harness.c"))
    }

    /// The action that writes the harness, where a violation is in the lines that are asked for.
    pub fn action(&self, uri: &str, parameters: &Value, creates_files: bool) -> Option<Value> {
        let (report, harness) = (self.report.as_ref()?, self.harness.as_ref()?);
        let (file, diagnostic) = self.violations(report).into_iter().next()?;
        let line = |path: &str| parameters.pointer(path).and_then(Value::as_u64);
        let violated = diagnostic
            .pointer("/range/start/line")
            .and_then(Value::as_u64)?;
        let first = line("/range/start/line").unwrap_or(0);
        let last = line("/range/end/line").unwrap_or(u64::MAX);
        if file != self.path || !(first..=last).contains(&violated) {
            return None;
        }
        let target = self.harness_path();
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("Write a test harness with the inputs of this violation ({name})");
        let mut action = json!({
            "title": title,
            "kind": "quickfix",
            "diagnostics": [diagnostic],
        });
        match creates_files {
            true => {
                let target = places::uri(&target);
                let start = json!({"line": 0, "character": 0});
                action["edit"] = json!({"documentChanges": [
                    {"kind": "create", "uri": target, "options": {"overwrite": true}},
                    {
                        "textDocument": {"uri": target, "version": null},
                        "edits": [{"range": {"start": start, "end": start}, "newText": harness}],
                    },
                ]});
            }
            false => {
                action["command"] =
                    json!({"title": title, "command": WRITE_HARNESS, "arguments": [uri]});
            }
        }
        Some(action)
    }

    pub fn write_harness(&self) -> Result<PathBuf, String> {
        let harness = self.harness.as_ref().ok_or("there is no violation")?;
        let path = self.harness_path();
        let written = std::fs::write(&path, harness);
        written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }
}

/// The path of a file that a result names; it was made in the folder of the file that was checked.
fn resolved(path: &Path, name: &str) -> PathBuf {
    match path.parent() {
        Some(folder) => folder.join(name),
        None => PathBuf::from(name),
    }
}
