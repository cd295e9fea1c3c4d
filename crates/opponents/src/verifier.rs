//! The verifier, as its users have it: a command with files, and an answer.

use crate::gcc::Model;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    True,
    False,
    Unknown,
    /// Not accepted as a program.
    Refused,
}

/// What `concord check` said.
#[derive(Clone, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    /// Why there is no answer; for a refused program what is wrong with it.
    pub reason: String,
    /// What it asks its users to report: an engine that failed or an answer that its certificate
    /// does not prove.
    pub complaints: Vec<String>,
    /// The inputs of a violation, in the order in which they are taken: what takes them, and the
    /// value.
    pub inputs: Vec<(String, String)>,
}

/// What `concord run` did.
#[derive(Clone, Debug)]
pub struct Ran {
    pub output: Vec<u8>,
    pub message: String,
    pub status: Option<i32>,
}

pub struct Verifier {
    pub binary: PathBuf,
}

impl Verifier {
    /// The binary of the environment variable CONCORD, or the one beside the running program.
    pub fn find() -> Result<Self, String> {
        if let Some(binary) = std::env::var_os("CONCORD") {
            return Ok(Verifier {
                binary: binary.into(),
            });
        }
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let binary = own.with_file_name("concord");
        if binary.exists() {
            return Ok(Verifier { binary });
        }
        Err(format!(
            "{} is not there: build it with `cargo build -p concord`, or set CONCORD to a binary",
            binary.display()
        ))
    }

    /// The names of all analyses.
    pub fn analyses(&self) -> Result<Vec<String>, String> {
        let output = Command::new(&self.binary)
            .arg("analyses")
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        Ok(text.lines().filter_map(first).collect())
    }

    pub fn check(&self, files: &[&Path], model: Model, options: &[&str]) -> Result<Answer, String> {
        let output = Command::new(&self.binary)
            .args(["check", "--format", "json", "--data-model", model.name()])
            .args(options)
            .args(files)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() == Some(2) {
            return Ok(Answer {
                verdict: Verdict::Refused,
                reason: errors,
                complaints: Vec::new(),
                inputs: Vec::new(),
            });
        }
        let result: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("no result ({error}), {}: {errors}", output.status))?;
        let (verdict, code) = match result["verdict"].as_str() {
            Some("TRUE") => (Verdict::True, 0),
            Some("FALSE") => (Verdict::False, 1),
            _ => (Verdict::Unknown, 3),
        };
        if output.status.code() != Some(code) {
            let verdict = &result["verdict"];
            return Err(format!("{verdict} ends with {}", output.status));
        }
        let mut complaints = Vec::new();
        collect_complaints(&result, &mut complaints);
        let inputs = result["counterexample"]["inputs"].as_array();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Answer {
            verdict,
            reason: text(&result["reason"]),
            complaints,
            inputs: inputs.map_or(Vec::new(), |inputs| {
                let pair = |input: &Value| (text(&input["what"]), text(&input["value"]));
                inputs.iter().map(pair).collect()
            }),
        })
    }

    pub fn run(&self, files: &[&Path], model: Model, options: &[&str]) -> Result<Ran, String> {
        let output = Command::new(&self.binary)
            .args(["run", "--data-model", model.name()])
            .args(options)
            .args(files)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        Ok(Ran {
            output: output.stdout,
            message: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status.code(),
        })
    }
}

/// Every text in the result (but not in the program) that asks to be reported.
fn collect_complaints(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text)
            if text.contains("please report") || text.contains("internal error") =>
        {
            found.push(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|v| collect_complaints(v, found)),
        Value::Object(fields) => {
            let told = fields.iter().filter(|(name, _)| *name != "program");
            told.for_each(|(_, value)| collect_complaints(value, found));
        }
        _ => {}
    }
}
