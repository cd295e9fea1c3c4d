//! One result, as it is stored.

use crate::tasks::{DataModel, Task};
use crate::verdict::{self, Class, Expected, Verdict};
use process::{Limits, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The limits that make two results comparable, in the units of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitsRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

impl From<&Limits> for LimitsRecord {
    fn from(limits: &Limits) -> Self {
        Self {
            cpu_s: limits.cpu.map(|cpu| cpu.as_secs_f64()),
            wall_s: limits.wall.map(|wall| wall.as_secs_f64()),
            memory_bytes: limits.memory,
        }
    }
}

/// What a result is the result of. Two with the same key are the same result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub task: String,
    pub property: String,
    pub data_model: DataModel,
    pub tool: String,
    pub analysis: String,
    /// Milliseconds and bytes: whole numbers compare exactly.
    pub limits: (Option<u64>, Option<u64>, Option<u64>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub task: String,
    pub property: String,
    pub data_model: DataModel,
    pub tool: String,
    pub analysis: String,
    pub limits: LimitsRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(flatten)]
    pub verdict: Verdict,
    pub cpu_s: f64,
    pub wall_s: f64,
    pub memory_bytes: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub statistics: BTreeMap<String, f64>,
    /// How often the tool noticed what must not happen, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub alarms: BTreeMap<String, u64>,
    /// The part of the tool that found the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_by: Option<String>,
    /// Further columns of the task's list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// Relative to the directory of the benchmark run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// When it ended, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_s: Option<f64>,
    /// What it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

impl Record {
    /// A result for `task` that took nothing yet.
    pub fn new(task: &Task, tool: &str, analysis: &str, limits: &Limits, verdict: Verdict) -> Self {
        Self {
            task: task.name.clone(),
            property: task.kind.name().to_owned(),
            data_model: task.data_model,
            tool: tool.to_owned(),
            analysis: analysis.to_owned(),
            limits: limits.into(),
            expected: task.expected.clone(),
            category: task.category.clone(),
            verdict,
            cpu_s: 0.0,
            wall_s: 0.0,
            memory_bytes: 0,
            statistics: BTreeMap::new(),
            alarms: BTreeMap::new(),
            found_by: None,
            columns: task.columns.clone(),
            log: None,
            witness: None,
            tool_version: None,
            ended_s: None,
            machine: None,
        }
    }

    pub fn measured(mut self, usage: &Usage) -> Self {
        // Microseconds: short enough in decimal to be read back as the very same number.
        let seconds = |time: std::time::Duration| time.as_micros() as f64 / 1e6;
        self.cpu_s = seconds(usage.cpu);
        self.wall_s = seconds(usage.wall);
        self.memory_bytes = usage.peak_memory;
        self
    }

    pub fn key(&self) -> Key {
        let milliseconds = |seconds: f64| (seconds * 1000.0).round() as u64;
        Key {
            task: self.task.clone(),
            property: self.property.clone(),
            data_model: self.data_model,
            tool: self.tool.clone(),
            analysis: self.analysis.clone(),
            limits: (
                self.limits.cpu_s.map(milliseconds),
                self.limits.wall_s.map(milliseconds),
                self.limits.memory_bytes,
            ),
        }
    }

    pub fn class(&self) -> Class {
        verdict::classify(&self.verdict, self.expected.as_ref())
    }

    /// How often the tool noticed what must not happen.
    pub fn alarm_count(&self) -> u64 {
        self.alarms.values().sum()
    }

    pub fn score(&self) -> i64 {
        verdict::score(&self.verdict, self.expected.as_ref())
    }

    /// `tool` or `tool/analysis`: what a column of a table is called.
    pub fn contender(&self) -> String {
        if self.analysis.is_empty() {
            self.tool.clone()
        } else {
            format!("{}/{}", self.tool, self.analysis)
        }
    }
}
