//! IC3CFA, table B.1: each program with what the thesis reports for it. That comes with the task
//! list, in its columns `doc_status` and `doc_time_s`.

use super::matching::find;
use super::measure::significant;
use super::paper002::IC3CFA;
use super::spec::beside;
use super::statistics::{FRAMES, SOLVER_QUERIES, SOLVER_TIME, reported};
use crate::bench::group::Group;
use crate::bench::table::Table;
use runner::bench::Record;
use std::collections::BTreeMap;

const STATUS: &str = "doc_status";
const TIME: &str = "doc_time_s";

pub fn table_b1(groups: &[Group<'_>]) -> Table {
    let ours = find(groups, "002", IC3CFA);
    // The programs are those of anybody who ran the list: without our configuration its rows are
    // still there.
    let mut programs: BTreeMap<&str, &Record> = BTreeMap::new();
    for record in groups.iter().flat_map(|group| &group.records) {
        if record.columns.contains_key(STATUS) {
            programs.entry(&record.task).or_insert(record);
        }
    }
    let results = ours.map(Group::by_question).unwrap_or_default();
    let row = |(task, listed): (&str, &Record)| {
        let result = results.get(&(task, &*listed.property));
        let paper = |name: &str| listed.columns.get(name).map_or("", String::as_str);
        let figure = |name: &str, digits| {
            result
                .and_then(|result| reported(result, name))
                .map(|value| significant(value, digits))
        };
        let name = task.rsplit('/').next().unwrap_or(task).to_owned();
        vec![
            name,
            beside(
                result.map(|result| result.verdict.status.text()),
                paper(STATUS),
            ),
            beside(
                result.map(|result| significant(result.cpu_s, 3)).as_deref(),
                paper(TIME),
            ),
            beside(figure(SOLVER_TIME, 4).as_deref(), ""),
            beside(figure(SOLVER_QUERIES, 12).as_deref(), ""),
            beside(figure(FRAMES, 12).as_deref(), ""),
            beside(
                result
                    .map(|result| (result.memory_bytes / 1_000_000).to_string())
                    .as_deref(),
                "",
            ),
        ]
    };
    Table {
        title: "002, table B.1: detailed results".to_owned(),
        header: [
            "Program",
            "status",
            "t (s)",
            "SAT (s)",
            "# SAT",
            "k",
            "memory (MB)",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: programs.into_iter().map(row).collect(),
        notes: vec![
            "The thesis' status and time are those of the task list (limit 1800 s).".to_owned(),
        ],
    }
}
