//! Statistics, configuration and log as tables.

use super::super::result::{LocationKind, Report};
use super::{MAX_ROWS, more_rows};
use crate::html::escape;
use std::collections::BTreeSet;

pub fn statistics(report: &Report) -> String {
    let mut out = String::from("<h3>The run</h3><table class=figures>");
    let mut row = |name: &str, value: String| {
        out += &format!("<tr><td>{name}</td><td class=num>{value}</td></tr>");
    };
    if let Some(cpu) = report.cpu_seconds {
        row("CPU time", format!("{cpu:.3} s"));
    }
    if let Some(wall) = report.wall_seconds {
        row("wall time", format!("{wall:.3} s"));
    }
    if let Some(memory) = report.peak_memory {
        row("peak memory", format!("{:.1} MB", memory as f64 / 1e6));
    }
    if let Some(program) = &report.program {
        let lines: usize = program
            .files
            .iter()
            .map(|file| file.text.lines().count())
            .sum();
        let locations = || {
            program
                .functions
                .iter()
                .flat_map(|function| &function.locations)
        };
        let edges: usize = program
            .functions
            .iter()
            .map(|function| function.edges.len())
            .sum();
        let loops = locations().filter(|location| location.kind == LocationKind::LoopHead);
        row("files", program.files.len().to_string());
        row("lines", lines.to_string());
        row("functions", program.functions.len().to_string());
        row("locations", locations().count().to_string());
        row("edges", edges.to_string());
        row("loops", loops.count().to_string());
        let explored: BTreeSet<u32> = report.explored.iter().copied().collect();
        let executed = locations().filter(|location| explored.contains(&location.number));
        row(
            "locations executed concretely",
            executed.count().to_string(),
        );
    }
    out += "</table>";
    for (engine, counts) in &report.statistics {
        out += &format!("<h3>{}</h3><table class=figures>", escape(engine));
        for (what, value) in counts {
            out += &format!(
                "<tr><td>{}</td><td class=num>{value}</td></tr>",
                escape(what)
            );
        }
        out += "</table>";
    }
    if report.statistics.is_empty() {
        out += "<p class=empty>No engine has counted anything.</p>";
    }
    out += "<h3>Facts exchanged</h3>";
    if report.facts.is_empty() {
        out += "<p class=empty>None.</p>";
    } else {
        out += "<table class=list><tr><th>time<th>from<th>place<th>fact</tr>";
        for fact in report.facts.iter().take(MAX_ROWS) {
            out += &format!(
                "<tr><td class=num>{:.3} s</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
                fact.seconds,
                escape(&fact.engine),
                escape(&fact.place),
                escape(&fact.text)
            );
        }
        out += &more_rows(report.facts.len());
        out += "</table>";
    }
    out
}

pub fn configuration(report: &Report) -> String {
    let Some(known) = &report.configuration else {
        return "<p class=empty>The run ended before its configuration was known.</p>".to_owned();
    };
    let mut out = String::from("<table class=list>");
    let mut row = |name: &str, value: &str| {
        out += &format!("<tr><th>{name}</th><td>{}</td></tr>", escape(value));
    };
    row("Concord", &known.version);
    row("Analysis", &known.analysis);
    row("What it does", &known.summary);
    if let Some(paper) = &known.paper {
        row("Paper", paper);
    }
    row("Property", &report.property);
    row("Files", &known.files.join(", "));
    row("Data model", &known.data_model);
    row("Entry", &known.entry);
    row("Time limit", &format!("{} s", known.timeout_seconds));
    row(
        "Memory limit",
        &format!("{:.0} MB", known.memory_bytes as f64 / 1e6),
    );
    out += "</table>";
    out += &format!(
        "<h3>Command line</h3><pre>{}</pre>",
        escape(&known.command_line.join(" "))
    );
    if !known.text.is_empty() {
        out += &format!(
            "<h3>The analysis</h3><pre>{}</pre>",
            escape(known.text.trim_end())
        );
    }
    out
}

pub fn log(report: &Report) -> String {
    let mut out = String::from("<table class=log>");
    for event in &report.timeline {
        out += &format!(
            "<tr><td class=num>{:.3} s</td><td>{}</td><td>{}</td></tr>\n",
            event.seconds,
            escape(&event.engine),
            escape(&event.phase)
        );
    }
    out += "</table>";
    if !report.log.is_empty() {
        out += &format!(
            "<h3>Messages</h3><pre>{}</pre>",
            escape(&report.log.join("\n"))
        );
    }
    out
}
