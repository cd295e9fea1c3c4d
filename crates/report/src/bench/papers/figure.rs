//! Greitschus2017, figure 8: four plots over the samples, each sorted by its own value. The paper
//! prints no numbers for them, so the table beside them has only ours.

use super::matching::find;
use super::measure::significant;
use super::paper001::SETTINGS;
use super::statistics::{PATH_PROGRAM_REFINEMENTS, REFINEMENTS, USEFUL_PATH_PROGRAM_REFINEMENTS};
use crate::bench::group::Group;
use crate::bench::plot::{Series, quantile};
use crate::bench::table::Table;
use runner::bench::Record;

/// File name, title, and the value of a run.
type Panel = (&'static str, &'static str, fn(&Record) -> Option<f64>);

const PANELS: [Panel; 4] = [
    ("figure-001-8-runtime.svg", "Runtime (s)", |record| {
        Some(record.cpu_s)
    }),
    (
        "figure-001-8-refinements.svg",
        "Total refinements",
        |record| record.statistics.get(REFINEMENTS).copied(),
    ),
    (
        "figure-001-8-abstract.svg",
        "Abs. interp. refinements",
        |record| record.statistics.get(PATH_PROGRAM_REFINEMENTS).copied(),
    ),
    (
        "figure-001-8-useful.svg",
        "Useful abs. interp. refinements",
        |record| {
            record
                .statistics
                .get(USEFUL_PATH_PROGRAM_REFINEMENTS)
                .copied()
        },
    ),
];

fn series(groups: &[Group<'_>], value: fn(&Record) -> Option<f64>) -> Vec<Series> {
    let runs = SETTINGS
        .iter()
        .filter_map(|(label, names, _)| Some((label, find(groups, "001", names)?)));
    runs.map(|(label, group)| Series {
        name: (*label).to_owned(),
        values: group
            .records
            .iter()
            .filter_map(|record| value(record))
            .collect(),
    })
    .filter(|series| !series.values.is_empty())
    .collect()
}

/// The plots for which there are values: file name and SVG.
pub fn figure_8(groups: &[Group<'_>]) -> Vec<(String, String)> {
    let panel = |(name, title, value): &Panel| {
        let series = series(groups, *value);
        (!series.is_empty()).then(|| {
            (
                (*name).to_owned(),
                quantile(&series, "samples, sorted by value", title),
            )
        })
    };
    PANELS.iter().filter_map(panel).collect()
}

pub fn figure_8_table(groups: &[Group<'_>]) -> Table {
    let mut rows = Vec::new();
    for (_, title, value) in PANELS {
        let known = series(groups, value);
        for (label, _, _) in SETTINGS {
            let mut row = vec![title.to_owned(), label.to_owned()];
            match known.iter().find(|series| series.name == label) {
                Some(series) => {
                    let mut sorted = series.values.clone();
                    sorted.sort_by(f64::total_cmp);
                    let at = |part: usize| significant(sorted[(sorted.len() - 1) * part / 4], 3);
                    row.extend([
                        at(1),
                        at(2),
                        at(3),
                        at(4),
                        significant(sorted.iter().sum(), 4),
                    ]);
                }
                None => row.extend(std::iter::repeat_n("–".to_owned(), 5)),
            }
            rows.push(row);
        }
    }
    Table {
        title: "001, figure 8: statistics of the runs as quartiles".to_owned(),
        header: ["plot", "setting", "25 %", "50 %", "75 %", "max", "sum"]
            .map(str::to_owned)
            .to_vec(),
        rows,
        notes: vec![
            "The paper shows curves without numbers; ours are in the figures beside this table."
                .to_owned(),
        ],
    }
}
