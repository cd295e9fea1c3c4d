//! Results for other programs. Names and meaning of the fields do not change; new ones may be
//! added.

use super::group::{groups, limits_text};
use super::summary::Summary;
use runner::bench::{LimitsRecord, Record};
use runner::verdict::Class;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

/// One line per result; statistics, and further columns of the lists, follow the fixed columns.
pub fn csv(records: &[Record]) -> io::Result<Vec<u8>> {
    let statistics: BTreeSet<&String> = records
        .iter()
        .flat_map(|record| record.statistics.keys())
        .collect();
    let columns: BTreeSet<&String> = records
        .iter()
        .flat_map(|record| record.columns.keys())
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fixed = [
        "task",
        "property",
        "data_model",
        "category",
        "expected",
        "tool",
        "analysis",
        "verdict",
        "class",
        "score",
        "cpu_s",
        "wall_s",
        "memory_bytes",
        "cpu_limit_s",
        "wall_limit_s",
        "memory_limit_bytes",
        "reason",
        "found_by",
        "log",
        "witness",
        "tool_version",
        "alarms",
    ];
    let header = fixed.into_iter().map(str::to_owned);
    let header = header.chain(statistics.iter().map(|name| format!("stat:{name}")));
    writer.write_record(header.chain(columns.iter().map(|name| format!("list:{name}"))))?;
    for record in records {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let mut row = vec![
            record.task.clone(),
            record.property.clone(),
            record.data_model.text().to_owned(),
            text(&record.category),
            record
                .expected
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            record.tool.clone(),
            record.analysis.clone(),
            record.verdict.to_string(),
            record.class().text().to_owned(),
            record.score().to_string(),
            format!("{:.3}", record.cpu_s),
            format!("{:.3}", record.wall_s),
            record.memory_bytes.to_string(),
            number(record.limits.cpu_s),
            number(record.limits.wall_s),
            record
                .limits
                .memory_bytes
                .map(|bytes| bytes.to_string())
                .unwrap_or_default(),
            text(&record.verdict.reason),
            text(&record.found_by),
            text(&record.log),
            text(&record.witness),
            text(&record.tool_version),
            super::alarms::text(record),
        ];
        row.extend(
            statistics
                .iter()
                .map(|name| number(record.statistics.get(*name).copied())),
        );
        row.extend(
            columns
                .iter()
                .map(|name| record.columns.get(*name).cloned().unwrap_or_default()),
        );
        writer.write_record(row)?;
    }
    writer
        .into_inner()
        .map_err(|error| io::Error::other(error.to_string()))
}

#[derive(Serialize)]
struct Document<'records> {
    contenders: Vec<Contender<'records>>,
    results: Vec<Judged<'records>>,
}

#[derive(Serialize)]
struct Contender<'records> {
    label: String,
    tool: &'records str,
    analysis: &'records str,
    limits: LimitsRecord,
    limits_text: String,
    summary: Summary,
}

/// A stored result with what follows from it.
#[derive(Serialize)]
struct Judged<'records> {
    #[serde(flatten)]
    record: &'records Record,
    class: Class,
    score: i64,
}

pub fn json(records: &[Record]) -> io::Result<String> {
    let contenders = groups(records)
        .into_iter()
        .map(|group| Contender {
            summary: Summary::of(group.records.iter().copied()),
            limits_text: limits_text(&group.limits),
            label: group.label,
            tool: group.tool,
            analysis: group.analysis,
            limits: group.limits,
        })
        .collect();
    let judge = |record| Judged {
        record,
        class: record.class(),
        score: record.score(),
    };
    Ok(serde_json::to_string_pretty(&Document {
        contenders,
        results: records.iter().map(judge).collect(),
    })?)
}
