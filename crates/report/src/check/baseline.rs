//! Which findings are new: those of a log are held against those of an earlier one by their
//! fingerprints, which survive moved lines.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The fingerprints of an earlier SARIF log.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    known: BTreeSet<(String, String)>,
}

/// How many findings of a log are new, and how many are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    pub new: usize,
    pub known: usize,
}

impl Baseline {
    /// Reads a SARIF log, whatever tool and whichever version wrote it.
    pub fn read(text: &str) -> Result<Baseline, String> {
        let log: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if log["version"] != "2.1.0" || !log["runs"].is_array() {
            return Err("it is no SARIF 2.1.0 log".into());
        }
        let known = results(&log).flat_map(fingerprints).collect();
        Ok(Baseline { known })
    }

    /// Says of each finding of a log whether it is new.
    pub fn mark(&self, log: &mut Value) -> Compared {
        let mut compared = Compared::default();
        let runs = log["runs"].as_array_mut().into_iter().flatten();
        let results = runs.flat_map(|run| run["results"].as_array_mut().into_iter().flatten());
        for result in results.filter(|result| is_finding(result)) {
            let is_known = fingerprints(result).any(|print| self.known.contains(&print));
            let state = if is_known { "unchanged" } else { "new" };
            result["baselineState"] = json!(state);
            match is_known {
                true => compared.known += 1,
                false => compared.new += 1,
            }
        }
        compared
    }
}

fn results(log: &Value) -> impl Iterator<Item = &Value> {
    let runs = log["runs"].as_array().into_iter().flatten();
    // What was gone already is no reason to call it known.
    let is_there = |result: &&Value| result["baselineState"] != "absent";
    runs.flat_map(|run| run["results"].as_array().into_iter().flatten())
        .filter(is_there)
        .filter(|result| is_finding(result))
}

/// A check that was proved, or is open, is a result and no finding.
fn is_finding(result: &Value) -> bool {
    let kind = result["kind"].as_str();
    kind.is_none_or(|kind| kind == "fail")
}

/// Kind and value of each fingerprint, with the rule.
fn fingerprints(result: &Value) -> impl Iterator<Item = (String, String)> {
    let rule = result["ruleId"].as_str().unwrap_or_default();
    let prints = result["partialFingerprints"].as_object();
    let prints = prints.into_iter().flatten();
    prints.filter_map(move |(kind, value)| {
        let value = value.as_str()?;
        Some((format!("{rule}/{kind}"), value.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(prints: &[&str]) -> Value {
        let results: Vec<Value> = prints
            .iter()
            .map(|print| json!({"ruleId": "r", "partialFingerprints": {"v1": print}}))
            .collect();
        json!({"version": "2.1.0", "runs": [{"results": results}]})
    }

    #[test]
    fn what_was_there_before_is_not_new() {
        let baseline = Baseline::read(&log(&["a", "b"]).to_string()).expect("a log");
        let mut now = log(&["b", "c"]);
        assert_eq!(baseline.mark(&mut now), Compared { new: 1, known: 1 });
        assert_eq!(now["runs"][0]["results"][0]["baselineState"], "unchanged");
        assert_eq!(now["runs"][0]["results"][1]["baselineState"], "new");
        let mut other = log(&["a"]);
        other["runs"][0]["results"][0]["ruleId"] = json!("another");
        assert_eq!(baseline.mark(&mut other).new, 1);
    }

    #[test]
    fn a_proved_check_is_no_finding() {
        let mut now = log(&["a", "b"]);
        now["runs"][0]["results"][0]["kind"] = json!("pass");
        now["runs"][0]["results"][1]["kind"] = json!("fail");
        let none = Baseline::default();
        assert_eq!(none.mark(&mut now), Compared { new: 1, known: 0 });
        assert!(now["runs"][0]["results"][0].get("baselineState").is_none());
    }

    #[test]
    fn what_is_no_log_is_refused() {
        for text in ["", "{}", "[]", "{\"version\": \"1\", \"runs\": []}"] {
            assert!(Baseline::read(text).is_err(), "{text}");
        }
        let mut gone = log(&["a"]);
        gone["runs"][0]["results"][0]["baselineState"] = json!("absent");
        let baseline = Baseline::read(&gone.to_string()).expect("a log");
        assert_eq!(baseline.mark(&mut log(&["a"])).new, 1);
    }
}
