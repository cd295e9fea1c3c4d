//! What the working process tells the supervising one: lines of JSON. The last one is the report, which
//! `--format json` prints as it is.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the report's schema; a field that changes its meaning raises it.
pub const SCHEMA: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Message {
    /// What an engine is doing now.
    Progress {
        engine: String,
        phase: String,
    },
    /// A number of an engine's statistics.
    Count {
        engine: String,
        what: String,
        value: u64,
    },
    /// The input is wrong; the text is for the user.
    BadInput {
        text: String,
    },
    Report {
        report: Box<Report>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    True,
    False,
    Unknown,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Note {
    pub place: String,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub schema: u32,
    pub verdict: Verdict,
    /// The property asked for.
    pub property: String,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The engine that found the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// The kind of certificate, and how it was checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certified: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counterexample: Option<Counterexample>,
    /// The program as C text that violates the property when compiled and run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub harness: Option<String>,
    /// What was assumed about bodies that are missing.
    pub assumptions: Vec<Note>,
    /// Constructs without support that the program contains.
    pub unsupported: Vec<Note>,
    /// Why each engine that did not answer gave up.
    pub gave_up: BTreeMap<String, String>,
    pub statistics: BTreeMap<String, BTreeMap<String, u64>>,
    /// Seconds and bytes of the whole run, measured from outside; absent inside it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpu_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wall_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub peak_memory: Option<u64>,
}

impl Report {
    pub fn unknown(property: &str, reason: impl Into<String>) -> Report {
        Report {
            schema: SCHEMA,
            verdict: Verdict::Unknown,
            property: property.into(),
            reason: Some(reason.into()),
            engine: None,
            certificate: None,
            certified: None,
            counterexample: None,
            harness: None,
            assumptions: Vec::new(),
            unsupported: Vec::new(),
            gave_up: BTreeMap::new(),
            statistics: BTreeMap::new(),
            cpu_seconds: None,
            wall_seconds: None,
            peak_memory: None,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counterexample {
    pub inputs: Vec<InputShown>,
    pub steps: Vec<Step>,
    /// Steps that are not in the list because it would be too long.
    pub left_out: u64,
    /// Where the property is violated.
    pub violation: Note,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputShown {
    pub place: String,
    pub what: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// How many calls are open.
    pub depth: u32,
    pub file: String,
    pub line: u32,
    /// The line of the source text.
    pub text: String,
    /// Variables that changed, with their new values.
    pub values: Vec<(String, String)>,
    /// What a branch decided.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<bool>,
}
