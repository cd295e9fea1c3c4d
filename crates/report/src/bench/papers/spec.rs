//! A table as a paper has it: which figure of which configuration stands where, and what the paper
//! says there.

use super::matching::find;
use super::measure::{Context, Measure, solved};
use crate::bench::group::Group;
use crate::bench::table::Table;
use runner::bench::Record;

pub struct Spec {
    pub title: &'static str,
    pub header: Vec<&'static str>,
    pub rows: Vec<Row>,
    /// Only tasks of these categories, as the paper's table has them; all when empty.
    pub categories: &'static [&'static str],
    pub note: &'static str,
}

/// A column: its name and what stands in it.
pub type Column = (&'static str, Measure);

impl Spec {
    /// A table over all tasks with a row for each line of the text, see [`rows`].
    pub fn of(
        title: &'static str,
        first_column: &'static str,
        columns: &[Column],
        text: &'static str,
    ) -> Spec {
        let measures: Vec<Measure> = columns.iter().map(|(_, measure)| *measure).collect();
        let names = columns.iter().map(|(name, _)| *name);
        Spec {
            title,
            header: std::iter::once(first_column).chain(names).collect(),
            rows: rows(text, &measures),
            categories: &[],
            note: "",
        }
    }
}

pub struct Row {
    pub label: String,
    pub cells: Vec<Cell>,
    /// Names of the configuration that `additional` compares with.
    pub baseline: Option<&'static str>,
}

pub struct Cell {
    /// Names of the configuration, see [`find`].
    pub configuration: String,
    pub measure: Measure,
    /// What the paper has here; empty where it has nothing.
    pub paper: String,
}

/// Rows of one configuration each. A line is `label | names | figures`; figures are separated by
/// spaces, `.` is an empty cell, `_` a space within one.
pub fn rows(text: &'static str, measures: &[Measure]) -> Vec<Row> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| row(line, measures))
        .collect()
}

fn row(line: &'static str, measures: &[Measure]) -> Row {
    let mut parts = line.split('|').map(str::trim);
    let (label, names) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let figures: Vec<&str> = parts
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let cells = measures.iter().enumerate().map(|(column, &measure)| Cell {
        configuration: names.to_owned(),
        measure,
        paper: figures
            .get(column)
            .filter(|figure| **figure != ".")
            .map_or(String::new(), |figure| figure.replace('_', " ")),
    });
    Row {
        label: label.to_owned(),
        cells: cells.collect(),
        baseline: None,
    }
}

/// Rows in which each column is another configuration and the figure is always the same. A line is
/// `label | names, names, … | figures`.
pub fn matrix(text: &'static str, measure: Measure) -> Vec<Row> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut parts = line.split('|').map(str::trim);
            let label = parts.next().unwrap_or_default().to_owned();
            let names: Vec<&str> = parts
                .next()
                .unwrap_or_default()
                .split(',')
                .map(str::trim)
                .collect();
            let figures = parts.next().unwrap_or_default().split_whitespace();
            let cells = names.iter().zip(figures).map(|(names, figure)| Cell {
                configuration: (*names).to_owned(),
                measure,
                paper: figure.replace('_', " "),
            });
            Row {
                label,
                cells: cells.collect(),
                baseline: None,
            }
        })
        .collect()
}

impl Spec {
    pub fn table(&self, paper: &str, groups: &[Group<'_>]) -> Table {
        let groups: Vec<Group<'_>> = groups.iter().map(|group| self.restrict(group)).collect();
        let of_table = self.rows.iter().flat_map(|row| &row.cells);
        let mut run: Vec<&Group<'_>> = of_table
            .filter_map(|cell| find(&groups, paper, &cell.configuration))
            .collect();
        run.dedup_by_key(|group| std::ptr::from_ref(*group));
        let equal = Context::equal_of(&run);
        let row = |row: &Row| {
            let baseline = row
                .baseline
                .and_then(|names| find(&groups, paper, names))
                .map(solved);
            let context = Context {
                equal: equal.clone(),
                baseline,
            };
            let cells = row.cells.iter().map(|cell| {
                let group = find(&groups, paper, &cell.configuration)
                    .filter(|group| !group.records.is_empty());
                let ours = group.and_then(|group| cell.measure.of(group, &context));
                beside(ours.as_deref(), &cell.paper)
            });
            std::iter::once(row.label.clone()).chain(cells).collect()
        };
        Table {
            title: format!("{paper}, {}", self.title),
            header: self.header.iter().map(|name| (*name).to_owned()).collect(),
            rows: self.rows.iter().map(row).collect(),
            notes: if self.note.is_empty() {
                Vec::new()
            } else {
                vec![self.note.to_owned()]
            },
        }
    }

    fn restrict<'records>(&self, group: &Group<'records>) -> Group<'records> {
        let wanted = |record: &&&'records Record| {
            self.categories.is_empty()
                || record
                    .category
                    .as_deref()
                    .is_some_and(|category| self.categories.contains(&category))
        };
        Group {
            records: group.records.iter().filter(wanted).copied().collect(),
            ..group.clone()
        }
    }
}

/// `ours [paper's]`.
pub fn beside(ours: Option<&str>, paper: &str) -> String {
    match (ours, paper) {
        (ours, "") => ours.unwrap_or("–").to_owned(),
        (ours, paper) => format!("{} [{paper}]", ours.unwrap_or("–")),
    }
}
