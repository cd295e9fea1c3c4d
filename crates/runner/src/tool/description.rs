//! Reading a description, with an error and a suggestion for everything that is not understood.

use super::command::{Argument, placeholders_of};
use crate::suggestion::{suggestion, with_suggestion};
use crate::tasks::Kind;
use crate::verdict::Verdict;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// See the module's documentation for the meaning of each field.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub executable: String,
    pub version: Option<Vec<String>>,
    pub command: Vec<Argument>,
    pub directory: Option<String>,
    pub environment: BTreeMap<String, String>,
    pub data_model: BTreeMap<String, String>,
    pub properties: Option<Vec<Kind>>,
    pub analyses: BTreeMap<String, Vec<String>>,
    pub any_analysis: bool,
    pub verdicts: Vec<Rule>,
    pub statistics: Vec<Statistic>,
    /// Statistics that count what must not happen, whatever the verdict.
    pub alarms: Vec<String>,
    /// Which part of the tool found the answer: the first group.
    pub found_by: Option<Regex>,
    pub witness: Option<String>,
}

/// When all conditions given hold, the output means `verdict`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// A verdict, in which `${1}` stands for the first group of the pattern.
    pub verdict: String,
    pub reason: Option<String>,
    pub output: Vec<String>,
    pub pattern: Option<Regex>,
    pub exit_codes: Vec<i32>,
    /// Also when the command was ended by a signal: then an answer is normally not believed.
    pub after_signal: bool,
}

/// A figure in the output: the group `value` (or the only one) under `name` (or the group `name`,
/// with `-` for spaces). The last match counts, so that a tool may report as it goes.
#[derive(Clone, Debug)]
pub struct Statistic {
    pub name: Option<String>,
    pub pattern: Regex,
}

/// What is wrong with a description, and where.
#[derive(Debug)]
pub struct ToolError {
    pub file: PathBuf,
    pub problem: String,
}

impl fmt::Display for ToolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.file.display(), self.problem)
    }
}

impl std::error::Error for ToolError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    name: String,
    executable: String,
    version: Option<Vec<String>>,
    command: Vec<RawArgument>,
    directory: Option<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    data_model: BTreeMap<String, String>,
    properties: Option<Vec<String>>,
    #[serde(default)]
    analyses: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    any_analysis: bool,
    verdict: Vec<RawRule>,
    #[serde(default)]
    statistics: Vec<RawStatistic>,
    #[serde(default)]
    alarms: Vec<String>,
    found_by: Option<String>,
    witness: Option<RawWitness>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawArgument {
    One(String),
    Optional(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRule {
    verdict: String,
    reason: Option<String>,
    #[serde(default)]
    output: Vec<String>,
    pattern: Option<String>,
    #[serde(default)]
    exit_code: Vec<i32>,
    #[serde(default)]
    after_signal: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStatistic {
    name: Option<String>,
    pattern: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWitness {
    file: String,
}

impl Tool {
    pub fn read(file: &Path) -> Result<Self, ToolError> {
        let text = std::fs::read_to_string(file).map_err(|error| ToolError {
            file: file.into(),
            problem: format!("cannot read: {error}"),
        })?;
        Self::parse(&text).map_err(|problem| ToolError {
            file: file.into(),
            problem,
        })
    }

    /// Reads a description from its text; the error says what is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let raw: Raw = toml::from_str(text).map_err(|error| with_suggestion(&error.to_string()))?;
        let command = (raw.command.into_iter())
            .map(|argument| match argument {
                RawArgument::One(text) => Argument::Always(text),
                RawArgument::Optional(group) => Argument::WhenKnown(group),
            })
            .collect::<Vec<_>>();
        if command.is_empty() {
            return Err("`command` is empty".to_owned());
        }
        let texts = command.iter().flat_map(|argument| match argument {
            Argument::Always(text) => std::slice::from_ref(text),
            Argument::WhenKnown(group) => group.as_slice(),
        });
        for text in texts.chain(raw.environment.values()).chain(&raw.directory) {
            for name in placeholders_of(text) {
                if !super::command::PLACEHOLDERS.contains(&name) {
                    let known = super::command::PLACEHOLDERS.iter().copied();
                    return Err(format!(
                        "`{{{name}}}` is not a placeholder{}",
                        suggestion(name, known)
                    ));
                }
            }
        }
        for model in raw.data_model.keys() {
            if crate::tasks::DataModel::parse(model).is_none() {
                return Err(format!("`{model}` is not a data model; use ILP32 or LP64"));
            }
        }
        let properties = raw
            .properties
            .map(|names| names.iter().map(|name| property(name)).collect())
            .transpose()?;
        let verdicts = raw
            .verdict
            .into_iter()
            .map(rule)
            .collect::<Result<_, _>>()?;
        let statistics = raw
            .statistics
            .into_iter()
            .map(statistic)
            .collect::<Result<_, _>>()?;
        let found_by = raw.found_by.map(|text| expression(&text)).transpose()?;
        Ok(Self {
            name: raw.name,
            executable: raw.executable,
            version: raw.version,
            command,
            directory: raw.directory,
            environment: raw.environment,
            data_model: raw.data_model,
            properties,
            analyses: raw.analyses,
            any_analysis: raw.any_analysis,
            verdicts,
            statistics,
            alarms: raw.alarms,
            found_by,
            witness: raw.witness.map(|witness| witness.file),
        })
    }

    /// Whether the tool has an analysis of this name; the error suggests one that it has.
    pub fn check_analysis(&self, analysis: &str) -> Result<(), String> {
        if self.any_analysis || self.analyses.contains_key(analysis) {
            return Ok(());
        }
        let known = self.analyses.keys().map(String::as_str);
        Err(format!(
            "{} has no analysis `{analysis}`{}",
            self.name,
            suggestion(analysis, known)
        ))
    }
}

fn property(name: &str) -> Result<Kind, String> {
    let known = Kind::ALL.into_iter().map(Kind::name);
    Kind::named(name)
        .ok_or_else(|| format!("`{name}` is not a property{}", suggestion(name, known)))
}

fn rule(raw: RawRule) -> Result<Rule, String> {
    // With a group in it, any text may stand there; what it then says is checked when it is used.
    if !raw.verdict.contains('$') && Verdict::parse(&raw.verdict).is_none() {
        let known = crate::verdict::Status::ALL
            .into_iter()
            .map(crate::verdict::Status::text);
        return Err(format!(
            "`{}` is not a verdict{}",
            raw.verdict,
            suggestion(&raw.verdict, known)
        ));
    }
    if raw.output.is_empty() && raw.pattern.is_none() && raw.exit_code.is_empty() {
        return Err(format!("the rule for `{}` has no condition", raw.verdict));
    }
    Ok(Rule {
        verdict: raw.verdict,
        reason: raw.reason,
        output: raw.output,
        pattern: raw.pattern.as_deref().map(expression).transpose()?,
        exit_codes: raw.exit_code,
        after_signal: raw.after_signal,
    })
}

fn statistic(raw: RawStatistic) -> Result<Statistic, String> {
    let pattern = expression(&raw.pattern)?;
    let groups: Vec<&str> = pattern.capture_names().flatten().collect();
    if raw.name.is_none() && !groups.contains(&"name") {
        return Err(format!(
            "the statistic `{}` has neither a `name` nor a group of that name",
            raw.pattern
        ));
    }
    if !groups.contains(&"value") && pattern.captures_len() != 2 {
        return Err(format!(
            "the statistic `{}` needs one group, or one named `value`",
            raw.pattern
        ));
    }
    Ok(Statistic {
        name: raw.name,
        pattern,
    })
}

fn expression(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text)
        .multi_line(true)
        .build()
        .map_err(|error| format!("pattern `{text}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str = "name = 'T'\nexecutable = 't'\ncommand = ['{executable}', '{file}']\n\
        [[verdict]]\nverdict = 'true'\noutput = ['yes']\n";

    #[test]
    fn the_smallest_description() {
        let tool = Tool::parse(MINIMAL).unwrap();
        assert_eq!((&*tool.name, tool.verdicts.len()), ("T", 1));
    }

    #[test]
    fn slips_are_errors_with_a_suggestion() {
        let problem = |from: &str, to: &str| {
            assert!(MINIMAL.contains(from));
            Tool::parse(&MINIMAL.replace(from, to)).unwrap_err()
        };
        for (from, to, expected) in [
            (
                "executable = 't'",
                "executable = 't'\nenviroment = {}",
                "did you mean `environment`?",
            ),
            ("output =", "outputs =", "did you mean `output`?"),
            (
                "{file}",
                "{flie}",
                "`{flie}` is not a placeholder; did you mean `file`?",
            ),
            ("'true'", "'ture'", "did you mean `true`?"),
            ("output = ['yes']", "", "has no condition"),
            ("output = ['yes']", "pattern = '('", "pattern `(`"),
            (
                "executable = 't'",
                "executable = 't'\nproperties = ['no-overflw']",
                "did you mean `no-overflow`?",
            ),
            (
                "executable = 't'",
                "executable = 't'\ndata-model = {ILP64 = 'x'}",
                "not a data model",
            ),
            ("name = 'T'", "", "name"),
        ] {
            let problem = problem(from, to);
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn statistics_need_a_name_and_a_value() {
        let parse = |text: &str| Tool::parse(&format!("{MINIMAL}[[statistics]]\n{text}\n"));
        assert!(parse("name = 'a'\npattern = 'a: (.*)'").is_ok());
        assert!(parse("pattern = '(?<name>.*): (?<value>.*)'").is_ok());
        assert!(parse("pattern = 'a: (.*)'").is_err());
        assert!(parse("name = 'a'\npattern = 'a: '").is_err());
    }
}
