//! Who answered: which part of a configuration found the answers, and what only one configuration
//! solves.

use super::group::{Group, Question, question};
use super::table::Table;
use runner::verdict::Status;
use std::collections::{BTreeMap, BTreeSet};

/// Correct answers by the part that found them, as `proofs + alarms`; `None` if nobody says who it
/// was.
pub fn found_by(groups: &[Group<'_>]) -> Option<Table> {
    let mut parts: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        for record in group.correct() {
            let Some(part) = record.found_by.as_deref() else {
                continue;
            };
            let counts = parts
                .entry(part)
                .or_insert_with(|| vec![(0, 0); groups.len()]);
            match record.verdict.status {
                Status::True => counts[number].0 += 1,
                _ => counts[number].1 += 1,
            }
        }
    }
    if parts.is_empty() {
        return None;
    }
    let mut header = vec!["found by".to_owned()];
    header.extend(groups.iter().map(|group| group.label.clone()));
    let rows = parts.into_iter().map(|(part, counts)| {
        let cells = counts
            .into_iter()
            .map(|(proofs, alarms)| match (proofs, alarms) {
                (0, 0) => "–".to_owned(),
                _ => format!("{proofs} + {alarms}"),
            });
        std::iter::once(part.to_owned()).chain(cells).collect()
    });
    Some(Table {
        title: "Who found the correct answers (proofs + alarms)".into(),
        header,
        rows: rows.collect(),
        notes: Vec::new(),
    })
}

/// For each group the tasks that it alone answers correctly; empty if there is one group only.
pub fn alone(groups: &[Group<'_>]) -> Vec<(String, Vec<String>)> {
    if groups.len() < 2 {
        return Vec::new();
    }
    let solved: Vec<BTreeSet<Question<'_>>> = groups
        .iter()
        .map(|group| group.correct().map(question).collect())
        .collect();
    let only = |number: usize| {
        let others = |question: &Question<'_>| {
            let mut others = solved.iter().enumerate();
            others.any(|(other, set)| other != number && set.contains(question))
        };
        let own = solved[number].iter().filter(|question| !others(question));
        own.map(|(task, _)| (*task).to_owned()).collect()
    };
    let labels = groups.iter().enumerate();
    labels
        .map(|(number, group)| (group.label.clone(), only(number)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::group::groups;
    use super::super::tests::{Made, record};
    use super::*;

    #[test]
    fn parts_are_counted_and_what_one_solves_is_listed() {
        let made = |task, analysis, answer, part: Option<&str>| {
            let mut record = record(Made {
                task,
                analysis,
                answer,
                expected: "true",
                ..Made::default()
            });
            record.found_by = part.map(str::to_owned);
            record
        };
        let records = [
            made("a", "x", "true", Some("pdr")),
            made("b", "x", "true", Some("predicate")),
            made("a", "y", "true", Some("predicate")),
            made("b", "y", "TIMEOUT", None),
        ];
        let groups = groups(&records);
        let table = found_by(&groups).expect("they say who").markdown();
        assert!(table.contains("| pdr | 1 + 0 | – |"), "{table}");
        assert!(table.contains("| predicate | 1 + 0 | 1 + 0 |"), "{table}");
        let alone = alone(&groups);
        assert_eq!(alone[0], ("x".to_owned(), vec!["b".to_owned()]));
        assert_eq!(alone[1], ("y".to_owned(), Vec::new()));
    }
}
