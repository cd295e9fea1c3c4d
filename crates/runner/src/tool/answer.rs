//! From the output of a run to its verdict.

use super::description::{Rule, Tool};
use crate::verdict::{Status, Verdict};
use process::{Cause, Exit, Outcome};
use std::collections::BTreeMap;

/// What a run said.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub verdict: Verdict,
    pub statistics: BTreeMap<String, f64>,
    /// How often the run noticed what must not happen.
    pub alarms: BTreeMap<String, u64>,
    pub found_by: Option<String>,
}

impl Tool {
    /// A limit that was hit is the answer, whatever was printed before: a verifier that has
    /// answered ends. A crash is an answer too.
    pub fn answer(&self, outcome: &Outcome) -> Answer {
        let output = [outcome.stdout.text(), outcome.stderr.text()].join("\n");
        let mut statistics = self.figures(&output);
        let counted = self.alarms.iter().filter_map(|name| {
            let count = statistics.remove(name)?;
            Some((name.clone(), count as u64))
        });
        let alarms = counted.filter(|(_, count)| *count > 0).collect();
        let found_by = self.found_by.as_ref().and_then(|pattern| {
            let found = pattern.captures(&output)?.get(1)?;
            Some(found.as_str().trim().to_owned())
        });
        let verdict = match outcome.cause {
            Cause::CpuLimit => Verdict::with_reason(Status::Timeout, "CPU time"),
            Cause::WallLimit => Verdict::with_reason(Status::Timeout, "wall time"),
            Cause::MemoryLimit => Verdict::new(Status::OutOfMemory),
            Cause::ProcessLimit => Verdict::with_reason(Status::Error, "too many processes"),
            Cause::OutputLimit => Verdict::with_reason(Status::Error, "too much output"),
            Cause::Cancelled => Verdict::with_reason(Status::Error, "cancelled"),
            Cause::Finished => self.said(&output, outcome.exit),
        };
        Answer {
            verdict,
            statistics,
            alarms,
            found_by,
        }
    }

    fn said(&self, output: &str, exit: Exit) -> Verdict {
        if let Some(verdict) = self
            .verdicts
            .iter()
            .find_map(|rule| rule.apply(output, exit))
        {
            return verdict;
        }
        match exit {
            Exit::Code(0) => Verdict::with_reason(Status::Unknown, "no rule matches the output"),
            Exit::Code(code) => Verdict::with_reason(Status::Error, format!("exit code {code}")),
            Exit::Signal(signal) => Verdict::with_reason(Status::Error, signal_name(signal)),
        }
    }

    fn figures(&self, output: &str) -> BTreeMap<String, f64> {
        let mut figures = BTreeMap::new();
        for statistic in &self.statistics {
            for found in statistic.pattern.captures_iter(output) {
                let name = statistic
                    .name
                    .as_deref()
                    .or_else(|| found.name("name").map(|name| name.as_str()));
                let value = found.name("value").or_else(|| found.get(1));
                if let (Some(name), Some(value)) = (name, value)
                    && let Ok(value) = value.as_str().trim().parse::<f64>()
                    && value.is_finite()
                {
                    figures.insert(name.trim().replace(' ', "-"), value);
                }
            }
        }
        figures
    }
}

impl Rule {
    fn apply(&self, output: &str, exit: Exit) -> Option<Verdict> {
        match exit {
            Exit::Signal(_) if !self.after_signal => return None,
            Exit::Code(code) if !self.exit_codes.is_empty() && !self.exit_codes.contains(&code) => {
                return None;
            }
            _ => {}
        }
        if !self.output.is_empty()
            && !self
                .output
                .iter()
                .any(|text| output.contains(text.as_str()))
        {
            return None;
        }
        let fill = |template: &str, found: &regex::Captures<'_>| {
            let mut text = String::new();
            found.expand(template, &mut text);
            text
        };
        let (verdict, reason) = match &self.pattern {
            Some(pattern) => {
                // The last one: some tools print the verdict of each step before that of the whole.
                let found = pattern.captures_iter(output).last()?;
                (
                    fill(&self.verdict, &found),
                    self.reason.as_deref().map(|reason| fill(reason, &found)),
                )
            }
            None => (self.verdict.clone(), self.reason.clone()),
        };
        let Some(mut verdict) = Verdict::parse(&verdict) else {
            return Some(Verdict::with_reason(
                Status::Error,
                format!("`{verdict}` is not a verdict"),
            ));
        };
        verdict.reason = reason
            .filter(|reason| !reason.trim().is_empty())
            .or(verdict.reason);
        Some(verdict)
    }
}

fn signal_name(number: i32) -> String {
    match nix::sys::signal::Signal::try_from(number) {
        Ok(signal) => signal.as_str().to_owned(),
        Err(_) => format!("signal {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::{Captured, Usage};

    const RULES: &str = r#"
        name = "T"
        executable = "t"
        command = ["t"]
        [[verdict]]
        verdict = "OUT OF MEMORY"
        output = ["bad_alloc", "no memory"]
        after-signal = true
        [[verdict]]
        verdict = "false(${1})"
        pattern = '^FALSE \((.*)\)$'
        [[verdict]]
        verdict = "true"
        pattern = '^TRUE'
        exit-code = [0]
        [[verdict]]
        verdict = "unknown"
        pattern = '^UNKNOWN \((.*)\)$'
        reason = "${1}"
        [[statistics]]
        pattern = '^(?<name>\w+) = (?<value>\S+)$'
    "#;

    #[test]
    fn alarms_are_counted_apart() {
        let mut tool = Tool::parse(RULES).unwrap();
        tool.alarms = vec!["contradictions".into(), "doubts".into()];
        let stdout = Captured {
            head: "TRUE\ncontradictions = 2\ndoubts = 0\nrounds = 7\n".into(),
            ..Captured::default()
        };
        let outcome = Outcome {
            cause: Cause::Finished,
            exit: Exit::Code(0),
            usage: Usage::default(),
            stdout,
            stderr: Captured::default(),
            left_behind: Vec::new(),
        };
        let answer = tool.answer(&outcome);
        assert_eq!(
            answer.alarms,
            BTreeMap::from([("contradictions".into(), 2)])
        );
        assert_eq!(answer.statistics, BTreeMap::from([("rounds".into(), 7.0)]));
    }

    fn answer(cause: Cause, exit: Exit, output: &str) -> Answer {
        let stdout = Captured {
            head: output.into(),
            ..Captured::default()
        };
        let stderr = Captured::default();
        let outcome = Outcome {
            cause,
            exit,
            usage: Usage::default(),
            stdout,
            stderr,
            left_behind: Vec::new(),
        };
        Tool::parse(RULES).unwrap().answer(&outcome)
    }

    fn text(exit: Exit, output: &str) -> (String, Option<String>) {
        let verdict = answer(Cause::Finished, exit, output).verdict;
        (verdict.to_string(), verdict.reason)
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        assert_eq!(
            text(Exit::Code(0), "bla\nTRUE, indeed"),
            ("true".into(), None)
        );
        assert_eq!(
            text(Exit::Code(1), "FALSE (no-overflow)\n"),
            ("false(no-overflow)".into(), None)
        );
        assert_eq!(
            text(Exit::Code(0), "UNKNOWN (loops)\nTRUE"),
            ("true".into(), None)
        );
        assert_eq!(
            text(Exit::Code(0), "UNKNOWN (loops)"),
            ("unknown".into(), Some("loops".into()))
        );
        assert_eq!(
            text(Exit::Code(0), "std::bad_alloc\nTRUE").0,
            "OUT OF MEMORY"
        );
    }

    #[test]
    fn a_tool_may_say_which_part_found_the_answer() {
        let own = super::super::builtin("concord").unwrap();
        let output =
            "Verdict: TRUE\nFound by k-induction; certificate: k-induction, proved again\n";
        let outcome = Outcome {
            cause: Cause::Finished,
            exit: Exit::Code(0),
            usage: Usage::default(),
            stdout: Captured {
                head: output.into(),
                ..Captured::default()
            },
            stderr: Captured::default(),
            left_behind: Vec::new(),
        };
        assert_eq!(
            own.answer(&outcome).found_by.as_deref(),
            Some("k-induction")
        );
        assert_eq!(
            answer(Cause::Finished, Exit::Code(0), output).found_by,
            None
        );
    }

    #[test]
    fn without_a_rule_the_exit_decides() {
        assert_eq!(text(Exit::Code(0), "hm").0, "unknown");
        assert_eq!(
            text(Exit::Code(3), "TRUE"),
            ("ERROR".into(), Some("exit code 3".into()))
        );
        assert_eq!(
            text(Exit::Signal(11), "TRUE"),
            ("ERROR".into(), Some("SIGSEGV".into()))
        );
        assert_eq!(text(Exit::Signal(6), "bad_alloc").0, "OUT OF MEMORY");
    }

    #[test]
    fn a_limit_outdoes_what_was_printed() {
        let status = |cause| answer(cause, Exit::Code(0), "TRUE").verdict.status;
        assert_eq!(status(Cause::CpuLimit), Status::Timeout);
        assert_eq!(status(Cause::WallLimit), Status::Timeout);
        assert_eq!(status(Cause::MemoryLimit), Status::OutOfMemory);
        assert_eq!(status(Cause::OutputLimit), Status::Error);
    }

    #[test]
    fn statistics_are_collected_and_the_last_counts() {
        let figures =
            answer(Cause::CpuLimit, Exit::Signal(9), "a = 1\nb = x\na = 2.5\n").statistics;
        assert_eq!(figures, BTreeMap::from([("a".to_owned(), 2.5)]));
    }
}
