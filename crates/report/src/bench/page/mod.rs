//! The HTML page of a benchmark run: one file, nothing loaded from elsewhere except the logs it
//! links to.

mod timeline;

use super::alarms;
use super::group::{Group, Question, groups, limits_text, question};
use super::plot::{Point, Series, quantile, scatter};
use super::summary::Summary;
use super::who;
use crate::html::{count, escape};
use runner::bench::Record;
use runner::verdict::Class;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// More scatter plots than this say less, not more.
const MAX_SCATTERS: usize = 12;

pub fn html(title: &str, records: &[Record]) -> String {
    let groups = groups(records);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\
        <meta name='viewport' content='width=device-width, initial-scale=1'>\
        <title>{0}</title>\n<style>\n{STYLE}</style></head>\n<body>\n<header><h1>{0}</h1>\n",
        escape(title)
    );
    out += &about(&groups, records);
    out += "</header>\n<main>\n";
    out += &chooser(&groups);
    out += &scores(&groups);
    out += &alarms(records);
    out += &alone(&groups);
    out += "<div class='beside'>\n";
    out += &categories(&groups);
    out += &plots(&groups);
    out += "</div>\n";
    out += &timeline::section(&groups, records);
    out += &results(&groups, records);
    // Writing to a string does not fail, here and below.
    let _ = write!(
        out,
        "</main>\n<script>\n{SCRIPT}</script>\n</body></html>\n"
    );
    out
}

fn about(groups: &[Group<'_>], records: &[Record]) -> String {
    let questions: BTreeSet<Question<'_>> = records.iter().map(question).collect();
    let limits: BTreeSet<String> = groups
        .iter()
        .map(|group| limits_text(&group.limits))
        .collect();
    let versions: BTreeSet<String> = records
        .iter()
        .filter_map(|record| Some(version(&record.tool, record.tool_version.as_ref()?)))
        .collect();
    let join = |texts: BTreeSet<String>| escape(&texts.into_iter().collect::<Vec<_>>().join("; "));
    let mut out = format!(
        "<p>{}, {}. Limits: {}.",
        count(questions.len() as u64, "task"),
        count(records.len() as u64, "run"),
        join(limits)
    );
    if !versions.is_empty() {
        let _ = write!(out, " Versions: {}.", join(versions));
    }
    let machines: BTreeSet<String> = records
        .iter()
        .filter_map(|record| record.machine.clone())
        .collect();
    if !machines.is_empty() {
        let _ = write!(out, " Machine: {}.", join(machines));
    }
    out += &timeline::dates(records);
    out + "</p>\n<p>The same as data: <a href='results.csv'>results.csv</a>, <a href='results.json'>results.json</a>; \
        beside the papers' figures: <a href='tables.md'>tables.md</a>.</p>\n"
}

/// Most tools name themselves when they are asked for their version.
fn version(tool: &str, version: &str) -> String {
    match version.to_lowercase().starts_with(&tool.to_lowercase()) {
        true => version.to_owned(),
        false => format!("{tool} {version}"),
    }
}

/// Contenders that are shown; nothing where there is one.
fn chooser(groups: &[Group<'_>]) -> String {
    if groups.len() < 2 {
        return String::new();
    }
    let mut out = String::from("<form id='chooser' aria-label='Contenders that are shown'>");
    for (index, group) in groups.iter().enumerate() {
        let _ = write!(
            out,
            "<label><input type='checkbox' value='{index}' checked> {}</label>",
            escape(&group.label)
        );
    }
    out + "</form>\n"
}

/// What only one contender solves.
fn alone(groups: &[Group<'_>]) -> String {
    let lists = who::alone(groups);
    if lists.iter().all(|(_, tasks)| tasks.is_empty()) {
        return String::new();
    }
    let mut out = String::from("<section><h2>Solved by one contender alone</h2>\n");
    for (index, (label, tasks)) in lists.iter().enumerate() {
        if tasks.is_empty() {
            continue;
        }
        let _ = write!(
            out,
            "<details class='of-{index}'><summary>{}: {}</summary><ul>",
            escape(label),
            count(tasks.len() as u64, "task")
        );
        for task in tasks {
            let _ = write!(out, "<li>{}</li>", escape(task));
        }
        out += "</ul></details>\n";
    }
    out + "</section>\n"
}

fn scores(groups: &[Group<'_>]) -> String {
    let header = [
        "contender",
        "score",
        "of",
        "correct",
        "true",
        "false",
        "wrong",
        "wrong true",
        "wrong false",
        "unknown",
        "timeout",
        "out of memory",
        "error",
        "not judged",
        "alarms",
        "CPU (s)",
        "CPU correct (s)",
        "wall (s)",
        "peak memory (MB)",
    ];
    let mut out = String::from(
        "<section><h2>Scores</h2>\n<div class='wide'><table class='sortable'><thead><tr>",
    );
    for name in header {
        let _ = write!(out, "<th>{name}</th>");
    }
    out += "</tr></thead><tbody>\n";
    for (index, group) in groups.iter().enumerate() {
        let summary = Summary::of(group.records.iter().copied());
        let _ = write!(
            out,
            "<tr class='of-{index}'><td>{}</td>",
            escape(&group.label)
        );
        let counts = [
            summary.score,
            summary.max_score,
            summary.correct() as i64,
            summary.correct_true as i64,
            summary.correct_false as i64,
        ];
        for count in counts {
            let _ = write!(out, "<td>{count}</td>");
        }
        let class = if summary.wrong() > 0 {
            " class='wrong'"
        } else {
            ""
        };
        let _ = write!(out, "<td{class}>{}</td>", summary.wrong());
        let counts = [
            summary.wrong_true,
            summary.wrong_false,
            summary.unknown,
            summary.timeout,
            summary.out_of_memory,
            summary.error,
            summary.unjudged,
        ];
        for count in counts {
            let _ = write!(out, "<td>{count}</td>");
        }
        let class = match summary.alarms {
            0 => "",
            _ => " class='wrong'",
        };
        let _ = write!(out, "<td{class}>{}</td>", summary.alarms);
        let _ = writeln!(
            out,
            "<td>{:.1}</td><td>{:.1}</td><td>{:.1}</td><td>{:.0}</td></tr>",
            summary.cpu_s,
            summary.cpu_correct_s,
            summary.wall_s,
            summary.peak_memory_bytes as f64 / 1e6
        );
    }
    out + "</tbody></table></div></section>\n"
}

/// What must not happen, and did.
fn alarms(records: &[Record]) -> String {
    let mut alarmed = alarms::alarmed(records).peekable();
    if alarmed.peek().is_none() {
        return String::new();
    }
    let mut out = String::from(
        "<section><h2>Alarms</h2>\n<p>Internal inconsistencies: answers that contradict each other, certificates that do \
        not prove their answer, compiled programs that do not fail with the inputs of a violation.</p>\
        <div class='wide'><table class='sortable'><thead><tr><th>task</th><th>contender</th><th>verdict</th>\
        <th>alarms</th></tr></thead><tbody>\n",
    );
    for record in alarmed {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td>{}<td class='wrong'>{}</td></tr>",
            escape(&record.task),
            escape(&record.contender()),
            verdict_cell(record),
            escape(&alarms::text(record))
        );
    }
    out + "</tbody></table></div></section>\n"
}

fn categories(groups: &[Group<'_>]) -> String {
    let category = |record: &Record| record.category.clone().unwrap_or_else(|| "–".to_owned());
    let names: BTreeSet<String> = groups
        .iter()
        .flat_map(|group| &group.records)
        .map(|record| category(record))
        .collect();
    if names.len() < 2 {
        return String::new();
    }
    let mut out = String::from(
        "<section><h2>Categories</h2>\n<p>Correct answers of all tasks, and the score; wrong answers are marked.</p>\
        <div class='wide'><table class='sortable'><thead><tr><th>category</th>",
    );
    for group in groups {
        let _ = write!(out, "<th>{}</th>", escape(&group.label));
    }
    out += "</tr></thead><tbody>\n";
    for name in names {
        let _ = write!(out, "<tr><td>{}</td>", escape(&name));
        for group in groups {
            let summary = Summary::of(
                group
                    .records
                    .iter()
                    .copied()
                    .filter(|record| category(record) == name),
            );
            let class = if summary.wrong() > 0 {
                " class='wrong'"
            } else {
                ""
            };
            let _ = write!(
                out,
                "<td{class} data-sort='{0}'>{0} / {1} ({2})</td>",
                summary.correct(),
                summary.runs,
                summary.score
            );
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div></section>\n"
}

fn plots(groups: &[Group<'_>]) -> String {
    let times = |group: &Group<'_>| Series {
        name: group.label.clone(),
        values: group.correct().map(|record| record.cpu_s).collect(),
    };
    let series: Vec<Series> = groups.iter().map(times).collect();
    let mut out = String::from("<section class='grows'><h2>Plots</h2>\n<div class='plots'>\n");
    let figure = |caption: &str, svg: &str| {
        format!(
            "<figure>{svg}<figcaption>{}</figcaption></figure>\n",
            escape(caption)
        )
    };
    out += &figure(
        "Quantile plot: the number of tasks solved correctly within a CPU time per task.",
        &quantile(&series, "correctly solved tasks", "CPU time (s)"),
    );
    let Some((first, others)) = groups.split_first() else {
        return out + "</div></section>\n";
    };
    for (index, other) in others.iter().enumerate().take(MAX_SCATTERS) {
        let drawn = figure(
            "CPU time per task; below the diagonal the second is faster. Orange: not solved by both. Dashed: the limits.",
            &scatter(
                &pairs(first, other),
                &format!("{} (s)", first.label),
                &format!("{} (s)", other.label),
                (first.limits.cpu_s, other.limits.cpu_s),
            ),
        );
        let shown = format!("<figure class='of-0 of-{}'>", index + 1);
        out += &drawn.replacen("<figure>", &shown, 1);
    }
    out + "</div></section>\n"
}

fn pairs(left: &Group<'_>, right: &Group<'_>) -> Vec<Point> {
    let others = right.by_question();
    let solved = |record: &Record| record.class() == Class::Correct;
    (left.records.iter())
        .filter_map(|record| Some((record, *others.get(&question(record))?)))
        .filter(|(record, other)| solved(record) || solved(other))
        .map(|(record, other)| Point {
            name: record.task.clone(),
            x: record.cpu_s,
            y: other.cpu_s,
            marked: !(solved(record) && solved(other)),
        })
        .collect()
}

fn results(groups: &[Group<'_>], records: &[Record]) -> String {
    let mut out = String::from(
        "<section><h2>Results</h2>\n<form id='filter'><label>Task or category <input id='text' type='search' \
        placeholder='part of the name'></label> <label>Show <select id='class'><option value=''>everything</option>",
    );
    for class in Class::ALL {
        let _ = write!(out, "<option value='{0}'>{0}</option>", class.text());
    }
    out += "<option value='differ'>where contenders differ</option></select></label> <label>of <select id='who'>\
        <option value=''>anyone</option>";
    for (index, group) in groups.iter().enumerate() {
        let _ = write!(
            out,
            "<option value='{index}'>{}</option>",
            escape(&group.label)
        );
    }
    let folder = common_folder(records);
    out += "</select></label> <output id='count'></output></form>\n";
    if !folder.is_empty() {
        let _ = writeln!(out, "<p class='dim'>Tasks in {}</p>", escape(folder));
    }
    out += "<div class='wide tall'><table id='results' class='sortable'>\
        <thead><tr><th>task</th><th>category</th><th>property</th><th>expected</th>";
    for (index, group) in groups.iter().enumerate() {
        let label = escape(&group.label);
        let _ = write!(
            out,
            "<th class='of-{index}'>{label}</th><th class='of-{index}' title='{label}'>CPU (s)</th>\
            <th class='of-{index}' title='{label}'>MB</th>"
        );
    }
    out += "</tr></thead><tbody>\n";
    let mut questions: BTreeMap<Question<'_>, &Record> = BTreeMap::new();
    for record in records {
        questions.entry(question(record)).or_insert(record);
    }
    let by_question: Vec<_> = groups.iter().map(Group::by_question).collect();
    for (asked, example) in questions {
        let answers: Vec<Option<&Record>> = by_question
            .iter()
            .map(|results| results.get(&asked).copied())
            .collect();
        let classes: Vec<&str> = answers
            .iter()
            .map(|answer| answer.map_or("", |record| record.class().text()))
            .collect();
        let _ = write!(
            out,
            "<tr data-classes='{}'><td title='{}'>{}</td><td>{}</td><td>{}</td><td>{}</td>",
            classes.join(" ,").replace(' ', ""),
            escape(&example.task),
            escape(&example.task[folder.len()..]),
            escape(example.category.as_deref().unwrap_or("")),
            escape(&example.property),
            example
                .expected
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default()
        );
        for (index, answer) in answers.into_iter().enumerate() {
            out += &match answer {
                Some(record) => cell(record, index),
                None => {
                    format!("<td class='of-{index}'>–</td>")
                        + &format!("<td class='of-{index}'></td>").repeat(2)
                }
            };
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div></section>\n"
}

/// The folder that all tasks are in, with its last slash; empty if there is none.
fn common_folder(records: &[Record]) -> &str {
    let Some((first, others)) = records.split_first() else {
        return "";
    };
    let folder_of = |text: &str| text.rfind('/').map_or(0, |slash| slash + 1);
    let first = first.task.as_str();
    let mut end = folder_of(first);
    for other in others {
        while !other.task.starts_with(&first[..end]) {
            end = folder_of(&first[..end - 1]);
        }
    }
    &first[..end]
}

/// The verdict, linked to its log, and what it took.
fn cell(record: &Record, contender: usize) -> String {
    let verdict = verdict_cell(record);
    format!(
        "{}<td class='of-{contender}'>{:.2}</td><td class='of-{contender}'>{:.0}</td>",
        verdict.replacen("class='", &format!("class='of-{contender} "), 1),
        record.cpu_s,
        record.memory_bytes as f64 / 1e6
    )
}

fn verdict_cell(record: &Record) -> String {
    let verdict = escape(&record.verdict.to_string());
    let verdict = match &record.log {
        Some(log) => format!("<a href='{}'>{verdict}</a>", escape(&url(log))),
        None => verdict,
    };
    let reason = record
        .verdict
        .reason
        .as_deref()
        .map(|reason| format!(" title='{}'", escape(reason)))
        .unwrap_or_default();
    format!(
        "<td class='{}'{reason}>{verdict}</td>",
        record.class().text()
    )
}

/// A relative path as a link: everything that means something in one is encoded.
fn url(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte))
            }
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}
