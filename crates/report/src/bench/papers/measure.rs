//! A figure of a table: what is counted, over which runs, in which unit.

use super::statistics::reported;
use crate::bench::group::{Group, Question, question};
use runner::bench::Record;
use runner::verdict::{Class, Status};
use std::collections::BTreeSet;

/// The runs of a configuration that a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    All,
    Correct,
    /// Those that every configuration of the table (that was run) answered correctly.
    Equal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Plain,
    Seconds,
    Minutes,
    Hours,
    Megabytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Correct,
    CorrectProofs,
    CorrectAlarms,
    WrongProofs,
    WrongAlarms,
    /// Correct answers of all runs: `117 / 150`.
    SolvedOf,
    /// Two points for a proof, one for an alarm, none off for what is wrong: the score of IC3CFA.
    SimpleScore,
    CpuSum(Over, Unit),
    WallSum(Over, Unit),
    /// Average over all runs and, in brackets, over the correct ones: Haltermann2020, table 4.
    CpuMeans,
    MemorySum(Over),
    MemoryMean(Over),
    StatisticSum(&'static str, Over, Unit),
    StatisticMean(&'static str, Over),
    /// Correct answers that this part of the configuration found.
    FoundBy(&'static str),
    /// Correct answers that this configuration gives and the first of its block does not.
    Additional(Status),
}

/// What the other configurations of the table did.
pub struct Context<'records> {
    pub equal: BTreeSet<Question<'records>>,
    /// What the first configuration of the block answered correctly.
    pub baseline: Option<BTreeSet<Question<'records>>>,
}

impl<'records> Context<'records> {
    pub fn equal_of(groups: &[&Group<'records>]) -> BTreeSet<Question<'records>> {
        let sets = groups.iter().map(|group| solved(group));
        sets.reduce(|left, right| left.intersection(&right).copied().collect())
            .unwrap_or_default()
    }
}

pub fn solved<'records>(group: &Group<'records>) -> BTreeSet<Question<'records>> {
    group.correct().map(question).collect()
}

impl Measure {
    /// The figure as text; nothing when the runs do not tell.
    pub fn of(self, group: &Group<'_>, context: &Context<'_>) -> Option<String> {
        let count = |class: Class, status: Status| {
            let counted = group
                .records
                .iter()
                .filter(|record| record.class() == class && record.verdict.status == status);
            Some(counted.count().to_string())
        };
        let over = |over: Over| -> Vec<&Record> {
            let wanted = |record: &&&Record| match over {
                Over::All => true,
                Over::Correct => record.class() == Class::Correct,
                Over::Equal => context.equal.contains(&question(record)),
            };
            group.records.iter().filter(wanted).copied().collect()
        };
        let sum = |records: Vec<&Record>, value: fn(&Record) -> f64| {
            records.into_iter().map(value).sum::<f64>()
        };
        match self {
            Self::Correct => Some(group.correct().count().to_string()),
            Self::CorrectProofs => count(Class::Correct, Status::True),
            Self::CorrectAlarms => count(Class::Correct, Status::False),
            Self::WrongProofs => count(Class::Wrong, Status::True),
            Self::WrongAlarms => count(Class::Wrong, Status::False),
            Self::SolvedOf => Some(format!(
                "{} / {}",
                group.correct().count(),
                group.records.len()
            )),
            Self::SimpleScore => Some(group.correct().map(Record::score).sum::<i64>().to_string()),
            Self::CpuSum(runs, unit) => Some(in_unit(sum(over(runs), |record| record.cpu_s), unit)),
            Self::WallSum(runs, unit) => {
                Some(in_unit(sum(over(runs), |record| record.wall_s), unit))
            }
            Self::CpuMeans => {
                let mean = |runs| mean(over(runs).into_iter().map(|record| record.cpu_s));
                let correct =
                    mean(Over::Correct).map_or("–".to_owned(), |value| significant(value, 2));
                Some(format!("{} ({correct})", significant(mean(Over::All)?, 3)))
            }
            Self::MemorySum(runs) => Some(in_unit(
                sum(over(runs), |record| record.memory_bytes as f64),
                Unit::Megabytes,
            )),
            Self::MemoryMean(runs) => mean(
                over(runs)
                    .into_iter()
                    .map(|record| record.memory_bytes as f64),
            )
            .map(|value| in_unit(value, Unit::Megabytes)),
            Self::StatisticSum(name, runs, unit) => {
                let values = statistic(&over(runs), name);
                (!values.is_empty()).then(|| in_unit(values.iter().sum(), unit))
            }
            Self::FoundBy(part) => {
                let found: Vec<&str> = group
                    .correct()
                    .filter_map(|record| record.found_by.as_deref())
                    .collect();
                let by_part = found.iter().filter(|&&by| by == part).count();
                (!found.is_empty()).then(|| by_part.to_string())
            }
            Self::StatisticMean(name, runs) => {
                mean(statistic(&over(runs), name).into_iter()).map(|value| significant(value, 3))
            }
            Self::Additional(status) => {
                let baseline = context.baseline.as_ref()?;
                let new = |record: &&Record| {
                    record.verdict.status == status && !baseline.contains(&question(record))
                };
                Some(match group.correct().filter(new).count() {
                    0 => "0".to_owned(),
                    count => format!("+{count}"),
                })
            }
        }
    }
}

/// The values of those runs that report the statistic.
fn statistic(records: &[&Record], name: &str) -> Vec<f64> {
    records
        .iter()
        .filter_map(|record| reported(record, name))
        .collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn in_unit(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Plain => significant(value, 12),
        Unit::Seconds => significant(value, 3),
        Unit::Minutes => significant(value / 60.0, 3),
        Unit::Hours => significant(value / 3600.0, 3),
        Unit::Megabytes => significant(value / 1e6, 4),
    }
}

/// So many significant digits, without an exponent and without zeros behind that say nothing.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let places = (digits - 1 - value.abs().log10().floor() as i32).clamp(0, 12);
    let text = format!("{value:.*}", places as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits() {
        let cases = [
            (0.0, 3, "0"),
            (12345.6, 3, "12346"),
            (17.84, 3, "17.8"),
            (0.012345, 3, "0.0123"),
            (2.0, 3, "2"),
        ];
        for (value, digits, text) in cases {
            assert_eq!(significant(value, digits), text);
        }
    }
}
