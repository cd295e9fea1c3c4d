//! When the runs of a benchmark happened: one lane for each place that they ran at, side by side.

use super::super::group::Group;
use crate::html::escape;
use runner::bench::Record;
use runner::verdict::Class;
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
const LANE: f64 = 14.0;
/// More bars than this cannot be told apart; the longest are drawn.
const MAX_BARS: usize = 3000;

/// A run: when it began and ended.
struct Bar<'records> {
    begin: f64,
    end: f64,
    record: &'records Record,
    contender: usize,
}

/// ` Run from … to ….`; nothing if the journal does not say when.
pub fn dates(records: &[Record]) -> String {
    let begin = records
        .iter()
        .filter_map(|record| Some(record.ended_s? - record.wall_s));
    let begin = begin.fold(f64::INFINITY, f64::min);
    let end = records.iter().filter_map(|record| record.ended_s);
    let end = end.fold(f64::NEG_INFINITY, f64::max);
    match begin <= end {
        true => format!(" Run from {} to {} UTC.", date(begin), date(end)),
        false => String::new(),
    }
}

/// Days since 1970 as a date of the calendar, and the time of the day.
fn date(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (days, rest) = ((whole / 86_400) as i64, whole % 86_400);
    // Years of 400 have 146,097 days; a year begins in March, so that the leap day is its last.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + era * 400 + next;
    let (hour, minute) = (rest / 3600, rest / 60 % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// The runs on a line of time; nothing if the journal does not say when they were.
pub fn section(groups: &[Group<'_>], records: &[Record]) -> String {
    let mut bars: Vec<Bar<'_>> = Vec::new();
    for (contender, group) in groups.iter().enumerate() {
        bars.extend(group.records.iter().filter_map(|record| {
            let end = record.ended_s?;
            Some(Bar {
                begin: end - record.wall_s,
                end,
                record,
                contender,
            })
        }));
    }
    if bars.is_empty() {
        return String::new();
    }
    bars.sort_by(|a, b| (b.end - b.begin).total_cmp(&(a.end - a.begin)));
    bars.truncate(MAX_BARS);
    bars.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    let first = bars
        .iter()
        .map(|bar| bar.begin)
        .fold(f64::INFINITY, f64::min);
    let last = bars.iter().map(|bar| bar.end).fold(first, f64::max);
    let scale = WIDTH / (last - first).max(0.001);
    // Each run takes the first lane that is free when it begins.
    let mut lanes: Vec<f64> = Vec::new();
    let mut drawn = String::new();
    for bar in &bars {
        let free = lanes.iter().position(|end| *end <= bar.begin + 0.002);
        let lane = free.unwrap_or_else(|| {
            lanes.push(0.0);
            lanes.len() - 1
        });
        lanes[lane] = bar.end;
        let class = match bar.record.class() {
            Class::Correct => "correct",
            Class::Wrong => "wrong",
            _ => "other",
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            drawn,
            "<rect class='{class} of-{}' x='{:.1}' y='{:.1}' width='{:.1}' height='{:.1}'><title>{}, {}: {}, {:.1} s</title></rect>",
            bar.contender,
            (bar.begin - first) * scale,
            lane as f64 * LANE,
            ((bar.end - bar.begin) * scale).max(1.0),
            LANE - 2.0,
            escape(&bar.record.task),
            escape(&groups[bar.contender].label),
            escape(&bar.record.verdict.to_string()),
            bar.end - bar.begin,
        );
    }
    let height = lanes.len() as f64 * LANE;
    let left_out = records.len() - bars.len();
    let mut out = format!(
        "<section><h2>Time-line</h2>\n<div class='wide'><svg class='timeline' viewBox='0 0 {WIDTH} {height}' \
        role='img' aria-label='When the runs happened'>\n{drawn}</svg></div>\n\
        <p class='dim'>{:.0} s from left to right; one line for each run at the same time. Green: correct, red: wrong.",
        last - first
    );
    if left_out > 0 {
        let _ = write!(out, " {left_out} runs are not drawn.");
    }
    out + "</p></section>\n"
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(date(0.0), "1970-01-01 00:00");
        assert_eq!(date(951_782_399.0), "2000-02-28 23:59");
        assert_eq!(date(951_782_400.0), "2000-02-29 00:00");
        assert_eq!(date(1_735_689_599.0), "2024-12-31 23:59");
        assert_eq!(date(4_107_542_400.0), "2100-03-01 00:00");
    }
}
