//! What tools noticed that must not happen: two answers that contradict each other, a certificate
//! that does not prove its answer, a compiled program that does not fail with the inputs of a
//! violation.

use runner::bench::Record;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How often each kind was noticed.
pub fn counts(records: &[Record]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for (kind, count) in records.iter().flat_map(|record| &record.alarms) {
        *counts.entry(kind.as_str()).or_default() += count;
    }
    counts
}

/// The results with alarms.
pub fn alarmed(records: &[Record]) -> impl Iterator<Item = &Record> {
    records.iter().filter(|record| record.alarm_count() > 0)
}

/// The alarms of one result: `harness-passes 2, wrong-certificates 1`.
pub fn text(record: &Record) -> String {
    let alarms = record.alarms.iter();
    let alarms: Vec<String> = alarms
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    alarms.join(", ")
}

/// For people, a line for each result with alarms; empty if there is none.
pub fn listing(records: &[Record]) -> String {
    let mut out = String::new();
    let counts = counts(records);
    if counts.is_empty() {
        return out;
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    // Writing to a string does not fail.
    let _ = writeln!(out, "internal inconsistencies: {}", counts.join(", "));
    for record in alarmed(records) {
        let _ = writeln!(
            out,
            "  {} ({}): {}",
            record.task,
            record.contender(),
            text(record)
        );
    }
    out
}
