//! Results by who ran: a tool, its analysis, its limits.

use runner::bench::{LimitsRecord, Record};
use runner::verdict::Class;
use std::collections::BTreeMap;

/// All results of one contender under the same limits: a column of most tables.
#[derive(Clone, Debug)]
pub struct Group<'records> {
    pub tool: &'records str,
    pub analysis: &'records str,
    pub limits: LimitsRecord,
    /// Unique among the groups: the analysis, with the tool and the limits where these differ.
    pub label: String,
    pub records: Vec<&'records Record>,
}

/// The groups in the order in which they first appear.
pub fn groups(records: &[Record]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for record in records {
        let known = groups.iter_mut().find(|group| {
            group.tool == record.tool
                && group.analysis == record.analysis
                && group.limits == record.limits
        });
        match known {
            Some(group) => group.records.push(record),
            None => groups.push(Group {
                tool: &record.tool,
                analysis: &record.analysis,
                limits: record.limits,
                label: String::new(),
                records: vec![record],
            }),
        }
    }
    let several_tools = groups.iter().any(|group| group.tool != groups[0].tool);
    let several_limits = groups.iter().any(|group| group.limits != groups[0].limits);
    for group in &mut groups {
        group.label = match (several_tools || group.analysis.is_empty(), group.analysis) {
            (true, "" | "default") => group.tool.to_owned(),
            (true, analysis) => format!("{} {analysis}", group.tool),
            (false, analysis) => analysis.to_owned(),
        };
        if several_limits {
            group.label += &format!(" ({})", limits_text(&group.limits));
        }
    }
    groups
}

pub fn limits_text(limits: &LimitsRecord) -> String {
    let parts = [
        limits.cpu_s.map(|seconds| format!("{seconds} s CPU")),
        limits.wall_s.map(|seconds| format!("{seconds} s wall")),
        limits
            .memory_bytes
            .map(|bytes| format!("{} MB", bytes / 1_000_000)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "no limits".to_owned()
    } else {
        parts.join(", ")
    }
}

/// What is asked: a program and a property. The same for all contenders.
pub type Question<'records> = (&'records str, &'records str);

pub fn question(record: &Record) -> Question<'_> {
    (&record.task, &record.property)
}

impl<'records> Group<'records> {
    pub fn correct(&self) -> impl Iterator<Item = &'records Record> + '_ {
        self.records
            .iter()
            .copied()
            .filter(|record| record.class() == Class::Correct)
    }

    pub fn by_question(&self) -> BTreeMap<Question<'records>, &'records Record> {
        self.records
            .iter()
            .map(|record| (question(record), *record))
            .collect()
    }
}
