//! The overview: the answer, how it was found and certified, what it rests on, and who did what
//! when.

use super::super::result::{Report, Verdict};
use super::MAX_ROWS;
use crate::html::{count, escape};
use std::collections::BTreeMap;

/// Inputs on the first page; the others stand under Counterexample.
const FIRST_INPUTS: usize = 12;

pub fn html(report: &Report) -> String {
    let mut out = String::new();
    out += &answer(report);
    out += &super::checks::table(&report.checks);
    if let Some(found) = &report.counterexample {
        out += &format!(
            "<h3>Violation</h3><p><code>{}</code> at <b>{}</b>, after {} with {}.</p>",
            escape(&found.violation.text),
            escape(&found.violation.place),
            count(found.steps.len() as u64 + found.left_out, "step"),
            count(found.inputs.len() as u64, "input")
        );
        if !found.inputs.is_empty() {
            let inputs = super::inputs(&found.inputs, FIRST_INPUTS);
            out += &format!("<h3>Inputs</h3>{inputs}");
        }
    }
    if !report.invariants.is_empty() {
        out += "<h3>Invariants</h3><table class=list>";
        for invariant in &report.invariants {
            out += &format!(
                "<tr><td>{}:{}</td><td>{}</td><td><code>{}</code>{}</td></tr>",
                escape(&invariant.file),
                invariant.line,
                escape(&invariant.function),
                escape(&invariant.text),
                if invariant.certified {
                    ""
                } else {
                    " (not certified)"
                }
            );
        }
        out += "</table>";
    }
    if !report.gave_up.is_empty() && report.verdict == Verdict::Unknown {
        out += "<h3>Progress of the engines</h3><table class=list>";
        for (engine, reason) in &report.gave_up {
            out += &format!(
                "<tr><td>{}</td><td>{}</td></tr>",
                escape(engine),
                escape(reason)
            );
        }
        out += "</table>";
    }
    out += &super::rests::html(report);
    out += &timeline(report);
    out
}

/// The answer as a card.
fn answer(report: &Report) -> String {
    let (class, headline) = match (report.verdict, report.property.as_str()) {
        (Verdict::True, "no-overflow") => ("true", "No signed operation overflows.".to_owned()),
        (Verdict::True, "valid-memsafety" | "valid-deref") => {
            ("true", "Every access to memory is valid.".to_owned())
        }
        (Verdict::True, "unreach-call") => ("true", "No assertion can fail.".to_owned()),
        (Verdict::True, property) => ("true", format!("The property {property} holds.")),
        (Verdict::False, "no-overflow") => ("false", "A signed operation overflows.".to_owned()),
        (Verdict::False, "unreach-call") => ("false", "An assertion can fail.".to_owned()),
        (Verdict::False, property) => ("false", format!("The property {property} is violated.")),
        (Verdict::Unknown, _) => (
            "unknown",
            format!(
                "No answer: {}.",
                report.reason.as_deref().unwrap_or("no reason is known")
            ),
        ),
    };
    let mut rows = String::new();
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            rows += &format!("<tr><th>{name}</th><td>{}</td></tr>", escape(&value));
        }
    };
    row("Property", Some(report.property.clone()));
    row("Found by", report.engine.clone());
    row("Certificate", report.certificate.clone());
    row("Certified", report.certified.clone());
    let note = report.vacuous.as_ref();
    row(
        "Note",
        note.map(|note| format!("{}: {}", note.place, note.text)),
    );
    row("Restarted", report.restarted.clone());
    row(
        "Analysis",
        report
            .configuration
            .as_ref()
            .map(|known| format!("{} ({})", known.summary, known.analysis)),
    );
    row(
        "Time",
        report
            .cpu_seconds
            .zip(report.wall_seconds)
            .map(|(cpu, wall)| format!("{cpu:.2} s CPU, {wall:.2} s wall")),
    );
    row(
        "Memory",
        report
            .peak_memory
            .map(|bytes| format!("{:.0} MB", bytes as f64 / 1e6)),
    );
    format!(
        "<div class=\"card {class}\"><p class=headline>{}</p><table>{rows}</table></div>",
        escape(&headline)
    )
}

/// A stretch of time in which an engine did one kind of thing.
struct Stretch {
    from: f64,
    until: f64,
    /// The first and the last of what it said.
    first: String,
    last: String,
}

/// Events that differ in their numbers only are one stretch.
fn stretches(report: &Report, end: f64) -> BTreeMap<&str, Vec<Stretch>> {
    let kind = |phase: &str| -> String {
        phase
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect::<String>()
            .replace("00", "0")
            .replace("00", "0")
    };
    let mut lanes: BTreeMap<&str, Vec<Stretch>> = BTreeMap::new();
    for event in &report.timeline {
        let lane = lanes.entry(&event.engine).or_default();
        if let Some(last) = lane.last_mut() {
            last.until = event.seconds;
            if kind(&last.last) == kind(&event.phase) {
                last.last = event.phase.clone();
                last.until = end.max(event.seconds);
                continue;
            }
        }
        lane.push(Stretch {
            from: event.seconds,
            until: end.max(event.seconds),
            first: event.phase.clone(),
            last: event.phase.clone(),
        });
    }
    for fact in &report.facts {
        lanes.entry(&fact.engine).or_default();
    }
    lanes
}

fn timeline(report: &Report) -> String {
    let last = report.timeline.last().map_or(0.0, |event| event.seconds);
    let end = report.wall_seconds.unwrap_or(last).max(last).max(0.001);
    let lanes = stretches(report, end);
    if lanes.is_empty() {
        return "<h3>Timeline</h3><p class=empty>No engine had to run.</p>".to_owned();
    }
    let percent = |seconds: f64| (seconds / end * 100.0).clamp(0.0, 100.0);
    let mut rows = String::new();
    for (engine, lane) in &lanes {
        let mut bars = String::new();
        for (number, stretch) in lane.iter().enumerate() {
            let text = if stretch.first == stretch.last {
                stretch.first.clone()
            } else {
                format!("{} … {}", stretch.first, stretch.last)
            };
            bars += &format!(
                "<span class=\"part p{}\" style=\"left:{:.2}%;width:{:.2}%\" title=\"{:.3} s to {:.3} s: {}\">{}</span>",
                number % 4,
                percent(stretch.from),
                percent(stretch.until - stretch.from),
                stretch.from,
                stretch.until,
                escape(&text),
                escape(&text)
            );
        }
        for fact in report
            .facts
            .iter()
            .take(MAX_ROWS)
            .filter(|fact| fact.engine == *engine)
        {
            bars += &format!(
                "<span class=fact style=\"left:{:.2}%\" title=\"{:.3} s, {}: {}\"></span>",
                percent(fact.seconds),
                fact.seconds,
                escape(&fact.place),
                escape(&fact.text)
            );
        }
        rows += &format!(
            "<div class=lane><span class=who>{}</span><div class=track>{bars}</div></div>",
            escape(engine)
        );
    }
    let marks: String = (0..=4)
        .map(|quarter| {
            let seconds = end * f64::from(quarter) / 4.0;
            format!(
                "<span style=\"left:{}%\">{seconds:.2} s</span>",
                quarter * 25
            )
        })
        .collect();
    let facts = match report.facts.len() {
        0 => "The engines exchanged no facts.".to_owned(),
        1 => "1 fact was exchanged (a dot; it is under Statistics).".to_owned(),
        count => format!("{count} facts were exchanged (dots; all of them under Statistics)."),
    };
    format!(
        "<h3>Timeline</h3><div class=timeline>{rows}<div class=lane><span class=who></span>\
         <div class=\"track marks\">{marks}</div></div></div><p class=hint>{facts}</p>"
    )
}
