//! What a verifier answered, what was expected, and what that is worth.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of answer. Its text is that of the field's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    #[serde(rename = "true")]
    True,
    #[serde(rename = "false")]
    False,
    #[serde(rename = "unknown")]
    Unknown,
    #[serde(rename = "TIMEOUT")]
    Timeout,
    #[serde(rename = "OUT OF MEMORY")]
    OutOfMemory,
    #[serde(rename = "ERROR")]
    Error,
}

impl Status {
    pub const ALL: [Self; 6] = [
        Self::True,
        Self::False,
        Self::Unknown,
        Self::Timeout,
        Self::OutOfMemory,
        Self::Error,
    ];

    pub fn text(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::Timeout => "TIMEOUT",
            Self::OutOfMemory => "OUT OF MEMORY",
            Self::Error => "ERROR",
        }
    }

    /// Reads any spelling in upper or lower case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.text().eq_ignore_ascii_case(text.trim()))
    }
}

/// An answer: for `false` the property that is violated, for what is not an answer the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violated: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Verdict {
    pub fn new(status: Status) -> Self {
        Self {
            status,
            violated: None,
            reason: None,
        }
    }

    pub fn with_reason(status: Status, reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..Self::new(status)
        }
    }

    /// Reads `true`, `false(unreach-call)`, `unknown`, …
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (head, inner) = match text.split_once('(') {
            Some((head, rest)) => (head, Some(rest.strip_suffix(')')?.trim().to_owned())),
            None => (text, None),
        };
        let status = Status::parse(head)?;
        Some(match status {
            Status::False => Self {
                violated: inner,
                ..Self::new(status)
            },
            _ => Self {
                reason: inner,
                ..Self::new(status)
            },
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.violated, self.status) {
            (Some(property), Status::False) => write!(out, "false({property})"),
            _ => out.write_str(self.status.text()),
        }
    }
}

/// What is right for a task; stored as its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Expected {
    True,
    /// With the part of the property that is violated, where the property has parts (memory
    /// safety).
    False(Option<String>),
}

impl From<Expected> for String {
    fn from(expected: Expected) -> Self {
        expected.to_string()
    }
}

impl TryFrom<String> for Expected {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match Verdict::parse(&text) {
            Some(Verdict {
                status: Status::True,
                ..
            }) => Ok(Self::True),
            Some(Verdict {
                status: Status::False,
                violated,
                ..
            }) => Ok(Self::False(violated)),
            _ => Err(format!("`{text}` is not an expected verdict")),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => out.write_str("true"),
            Self::False(None) => out.write_str("false"),
            Self::False(Some(part)) => write!(out, "false({part})"),
        }
    }
}

/// How an answer compares with what is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Correct,
    Wrong,
    Unknown,
    Timeout,
    OutOfMemory,
    Error,
    /// An answer to a task of which nobody has said what is right.
    Unjudged,
}

impl Class {
    pub const ALL: [Self; 7] = [
        Self::Correct,
        Self::Wrong,
        Self::Unknown,
        Self::Timeout,
        Self::OutOfMemory,
        Self::Error,
        Self::Unjudged,
    ];

    pub fn text(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Wrong => "wrong",
            Self::Unknown => "unknown",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out-of-memory",
            Self::Error => "error",
            Self::Unjudged => "unjudged",
        }
    }
}

pub fn classify(verdict: &Verdict, expected: Option<&Expected>) -> Class {
    match (verdict.status, expected) {
        (Status::Unknown, _) => Class::Unknown,
        (Status::Timeout, _) => Class::Timeout,
        (Status::OutOfMemory, _) => Class::OutOfMemory,
        (Status::Error, _) => Class::Error,
        (_, None) => Class::Unjudged,
        (Status::True, Some(Expected::True)) => Class::Correct,
        (Status::False, Some(Expected::False(part))) => match (part, &verdict.violated) {
            (Some(part), Some(violated)) if part != violated => Class::Wrong,
            _ => Class::Correct,
        },
        (Status::True | Status::False, Some(_)) => Class::Wrong,
    }
}

/// The competition's points.
pub fn score(verdict: &Verdict, expected: Option<&Expected>) -> i64 {
    match (classify(verdict, expected), verdict.status) {
        (Class::Correct, Status::True) => 2,
        (Class::Correct, _) => 1,
        (Class::Wrong, Status::True) => -32,
        (Class::Wrong, _) => -16,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_competition() {
        let points = |answer: &str, expected: Expected| {
            score(&Verdict::parse(answer).unwrap(), Some(&expected))
        };
        assert_eq!(points("true", Expected::True), 2);
        assert_eq!(points("false(unreach-call)", Expected::False(None)), 1);
        assert_eq!(points("FALSE", Expected::True), -16);
        assert_eq!(points("TRUE", Expected::False(None)), -32);
        for answer in ["unknown", "TIMEOUT", "OUT OF MEMORY", "ERROR"] {
            assert_eq!(points(answer, Expected::True), 0);
        }
    }

    #[test]
    fn the_part_of_a_property_must_be_right() {
        let expected = Expected::False(Some("valid-deref".into()));
        let class = |answer: &str| classify(&Verdict::parse(answer).unwrap(), Some(&expected));
        assert_eq!(class("false(valid-deref)"), Class::Correct);
        assert_eq!(class("false(valid-free)"), Class::Wrong);
        assert_eq!(class("false"), Class::Correct);
    }

    #[test]
    fn without_an_expectation_nothing_is_right_or_wrong() {
        assert_eq!(classify(&Verdict::new(Status::True), None), Class::Unjudged);
        assert_eq!(score(&Verdict::new(Status::True), None), 0);
    }

    #[test]
    fn expectations_are_stored_as_text() {
        for (text, expected) in [
            ("\"true\"", Expected::True),
            ("\"false\"", Expected::False(None)),
            (
                "\"false(valid-deref)\"",
                Expected::False(Some("valid-deref".into())),
            ),
        ] {
            assert_eq!(serde_json::to_string(&expected).unwrap(), text);
            assert_eq!(serde_json::from_str::<Expected>(text).unwrap(), expected);
        }
        assert!(serde_json::from_str::<Expected>("\"TIMEOUT\"").is_err());
    }

    #[test]
    fn verdicts_are_read_as_written() {
        for text in [
            "true",
            "false",
            "false(no-overflow)",
            "unknown",
            "TIMEOUT",
            "OUT OF MEMORY",
            "ERROR",
        ] {
            assert_eq!(Verdict::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Verdict::parse("maybe"), None);
        assert_eq!(Verdict::parse("false(x"), None);
    }
}
