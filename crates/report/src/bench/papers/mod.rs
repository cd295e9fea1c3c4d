//! The papers' tables, with our figures beside theirs.
//!
//! Each cell reads `ours [paper's]`. A row belongs to the configuration of that name, whoever of
//! the contenders has it; a row that nobody ran, and a figure that nobody reports, is `–`. The
//! figures in brackets are those of the paper on its tasks, machine and limits: they show the
//! shape, not a race.

mod calls;
mod detail;
mod figure;
mod matching;
mod measure;
mod paper000;
mod paper001;
mod paper002;
mod paper003;
mod paper004;
mod spec;
pub mod statistics;

use super::alarms;
use super::group::{groups, limits_text};
use super::table::Table;
use super::who;
use crate::html::count;
use runner::bench::Record;

/// A Markdown text and the figures (file name, SVG) that it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub markdown: String,
    pub figures: Vec<(String, String)>,
}

/// The number of a paper and what it is about.
const PAPERS: [(&str, &str); 5] = [
    (
        "000",
        "T. Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016",
    ),
    (
        "001",
        "M. Greitschus, D. Dietsch, A. Podelski, *Refining Trace Abstraction using Abstract Interpretation*, 2017",
    ),
    ("002", "IC3 on control-flow automata, generalisation"),
    (
        "003",
        "J. Haltermann, H. Wehrheim, *Cooperative Verification via Collective Invariant Generation*, 2020",
    ),
    (
        "004",
        "T. Stieglmaier, *Octagon-Based Software Verification with CPAchecker*, 2014",
    ),
];

/// The tables of one paper. Results of tasks that the paper did not use are to be left out by the
/// caller.
pub fn tables(paper: &str, records: &[Record]) -> Vec<Table> {
    let groups = groups(records);
    match paper {
        "000" => {
            let specs = paper000::specs();
            let tables = specs.iter().map(|spec| spec.table(paper, &groups));
            let mut tables: Vec<Table> = tables.collect();
            tables.insert(3, paper000::table_7(&groups));
            tables
        }
        "001" => vec![paper001::table_1(&groups), figure::figure_8_table(&groups)],
        "002" => {
            let mut tables: Vec<Table> = paper002::specs()
                .iter()
                .map(|spec| spec.table(paper, &groups))
                .collect();
            tables.insert(2, calls::figure_613(&groups));
            tables.push(detail::table_b1(&groups));
            tables
        }
        "003" => paper003::specs()
            .iter()
            .map(|spec| spec.table(paper, &groups))
            .collect(),
        "004" => paper004::specs()
            .iter()
            .map(|spec| spec.table(paper, &groups))
            .collect(),
        _ => Vec::new(),
    }
}

/// All tables and figures of all papers.
pub fn document(records: &[Record]) -> Document {
    let groups = groups(records);
    let mut markdown = String::from(
        "# The papers' tables\n\nEach cell is `ours [paper's]`: our figure on the tasks of this run, and the paper's own \
        on its tasks, its machine and its limits. `–` is what was not run or not reported.\n\n",
    );
    for group in &groups {
        markdown += &format!(
            "- {}: {}, {}\n",
            group.label,
            count(group.records.len() as u64, "run"),
            limits_text(&group.limits)
        );
    }
    let noticed = alarms::listing(records);
    if !noticed.is_empty() {
        markdown += &format!("\n```text\n{noticed}```\n");
    }
    if let Some(table) = who::found_by(&groups) {
        markdown += "\n";
        markdown += &table.markdown();
    }
    for (label, tasks) in who::alone(&groups) {
        if !tasks.is_empty() {
            markdown += &format!("\nSolved by {label} alone ({}):\n\n", tasks.len());
            for task in tasks {
                markdown += &format!("- {task}\n");
            }
        }
    }
    let figures = figure::figure_8(&groups);
    for (paper, title) in PAPERS {
        markdown += &format!("\n## {paper}: {title}\n");
        for table in tables(paper, records) {
            markdown += "\n";
            markdown += &table.markdown();
        }
        if paper == "001" {
            for (name, _) in &figures {
                markdown += &format!("\n![Figure 8]({name})\n");
            }
        }
    }
    Document { markdown, figures }
}

#[cfg(test)]
mod tests;
