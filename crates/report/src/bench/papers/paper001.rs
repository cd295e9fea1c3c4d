//! Greitschus2017, table 1: 214 tasks, 90 s.

use super::matching::find;
use super::measure::solved;
use super::spec::beside;
use crate::bench::group::{Group, Question, question};
use crate::bench::table::Table;
use runner::verdict::Class;
use std::collections::BTreeSet;

/// The paper's name, the names of the configuration, and success, timeout, error as the paper has
/// them.
pub const SETTINGS: [(&str, &str, [&str; 3]); 7] = [
    (
        "Default",
        "traces-Default/!Default/trace-abstraction/automizer",
        ["97 (3)", "110", "7"],
    ),
    ("OCT Enh.", "traces-OCT Enh./OCT Enh.", ["97", "106", "11"]),
    ("OCT", "traces-OCT/OCT", ["100", "106", "8"]),
    (
        "OCT+CON Enh.",
        "traces-OCT+CON Enh./OCT+CON Enh.",
        ["101", "100", "13"],
    ),
    ("OCT+CON", "traces-OCT+CON/OCT+CON", ["103", "98", "13"]),
    ("INT", "traces-INT/INT", ["91", "104", "19"]),
    ("INT Enh.", "traces-INT Enh./INT Enh.", ["91", "104", "19"]),
];

const PORTFOLIO: [&str; 3] = ["108", "89", "6"];

pub fn table_1(groups: &[Group<'_>]) -> Table {
    let run: Vec<Option<&Group<'_>>> = SETTINGS
        .iter()
        .map(|(_, names, _)| find(groups, "001", names))
        .collect();
    let success: Vec<BTreeSet<Question<'_>>> = run
        .iter()
        .map(|group| group.map(|group| solved(group)).unwrap_or_default())
        .collect();
    let mut rows = Vec::new();
    for (index, (label, _, paper)) in SETTINGS.iter().enumerate() {
        let figures = run[index].map(|group| {
            let exclusive = success[index].iter().filter(|question| {
                let others = success
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != index);
                others.into_iter().all(|(_, set)| !set.contains(*question))
            });
            let solved = match exclusive.count() {
                0 => success[index].len().to_string(),
                exclusive => format!("{} ({exclusive})", success[index].len()),
            };
            let late = with_class(group, &[Class::Timeout]).len();
            // What is neither solved nor out of time could not be solved: the paper has no other
            // column for it.
            let failed = group.records.len() - success[index].len() - late;
            [solved, late.to_string(), failed.to_string()]
        });
        rows.push(line(label, figures.as_ref(), paper));
    }
    let run: Vec<&Group<'_>> = run.into_iter().flatten().collect();
    let portfolio = (!run.is_empty()).then(|| {
        let any: BTreeSet<_> = success.iter().flatten().copied().collect();
        let all = |sets: Vec<BTreeSet<Question<'_>>>| {
            let common = sets
                .into_iter()
                .reduce(|left, right| left.intersection(&right).copied().collect());
            common.unwrap_or_default().len().to_string()
        };
        let failed = [
            Class::Error,
            Class::OutOfMemory,
            Class::Unknown,
            Class::Wrong,
            Class::Unjudged,
        ];
        [
            any.len().to_string(),
            all(run
                .iter()
                .map(|group| with_class(group, &[Class::Timeout]))
                .collect()),
            all(run.iter().map(|group| with_class(group, &failed)).collect()),
        ]
    });
    rows.push(line("Portfolio", portfolio.as_ref(), &PORTFOLIO));
    // The paper has no single run of all settings.
    let together = find(groups, "001", "traces-Portfolio").map(|group| {
        let (solved, late) = (
            solved(group).len(),
            with_class(group, &[Class::Timeout]).len(),
        );
        let failed = group.records.len() - solved - late;
        [solved, late, failed].map(|count| count.to_string())
    });
    rows.push(line("Portfolio, one run", together.as_ref(), &[""; 3]));
    Table {
        title: "001, table 1: the evaluation results".to_owned(),
        header: ["", "Success", "Timeout", "Error"].map(str::to_owned).to_vec(),
        rows,
        notes: vec![
            "In parentheses: solved by this setting only. Portfolio: solved by any; timeouts and errors of all.".to_owned(),
        ],
    }
}

fn with_class<'records>(
    group: &Group<'records>,
    classes: &[Class],
) -> BTreeSet<Question<'records>> {
    group
        .records
        .iter()
        .filter(|record| classes.contains(&record.class()))
        .map(|record| question(record))
        .collect()
}

fn line(label: &str, figures: Option<&[String; 3]>, paper: &[&str; 3]) -> Vec<String> {
    let cells = paper
        .iter()
        .enumerate()
        .map(|(column, paper)| beside(figures.map(|figures| &*figures[column]), paper));
    std::iter::once(label.to_owned()).chain(cells).collect()
}
