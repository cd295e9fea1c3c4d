//! The program's text: what was executed, the path of a violation, and invariants at their loops.

use super::super::result::{ProgramShown, Report};
use super::checks;
use super::highlight::Highlighter;
use crate::html::{escape, escape_into};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Bytes that the text takes with all its marks; the rest of a very long program is left out.
const MAX_TEXT: usize = 1_800_000;

/// What is known of a line.
#[derive(Clone, Copy, Default)]
struct Status {
    has_code: bool,
    is_explored: bool,
}

pub fn html(report: &Report, path: &BTreeSet<u32>) -> String {
    let Some(program) = &report.program else {
        return "<p class=empty>The program could not be loaded.</p>".to_owned();
    };
    let explored: BTreeSet<u32> = report.explored.iter().chain(path).copied().collect();
    let status = statuses(program, &explored);
    let mut invariants: BTreeMap<(u32, u32), Vec<&str>> = BTreeMap::new();
    // Beside the text only what is certain is written.
    for invariant in report.invariants.iter().filter(|one| one.certified) {
        let file = program
            .files
            .iter()
            .position(|file| same_file(&file.name, &invariant.file));
        if let Some(file) = file {
            let at = invariants.entry((file as u32, invariant.line)).or_default();
            at.push(&invariant.text);
        }
    }
    let marks = checks::marks(&report.checks);
    let mut out = String::new();
    let counted = status.values().filter(|line| line.has_code).count();
    let reached = status.values().filter(|line| line.is_explored).count();
    let on_path = match report.counterexample {
        Some(_) => "<i class=line-path></i>on the error path ",
        None => "",
    };
    let _ = write!(
        out,
        "<p class=legend><i class=line-explored></i>executed <i class=line-unexplored></i>not executed \
         {on_path}<span class=hint>{reached} of {counted} lines with code were executed \
         concretely</span></p>"
    );
    for (number, file) in program.files.iter().enumerate() {
        if file.text.is_empty() {
            continue;
        }
        let _ = write!(
            out,
            "<h3 class=file>{}</h3><div class=code>",
            escape(&file.name)
        );
        let mut highlighter = Highlighter::default();
        for (index, text) in file.text.lines().enumerate() {
            if out.len() + text.len() > MAX_TEXT {
                let _ = write!(
                    out,
                    "<p class=hint>The file goes on; {} lines are not shown.</p>",
                    file.text.lines().count() - index
                );
                break;
            }
            let line = index as u32 + 1;
            let at = (number as u32, line);
            for invariant in invariants.get(&at).into_iter().flatten() {
                let indent: String = text.chars().take_while(|c| c.is_whitespace()).collect();
                let _ = write!(
                    out,
                    "<div class=invariant>{indent}invariant <code>{}</code> <button class=copy>copy</button></div>",
                    escape(invariant)
                );
            }
            let class = match status.get(&at) {
                Some(Status {
                    is_explored: true, ..
                }) => " x",
                Some(Status { has_code: true, .. }) => " u",
                _ => "",
            };
            let _ = write!(
                out,
                "<div class=\"l{class}\" id=L{number}-{line}><b>{line}</b><code>"
            );
            // Colours cost as much as the text: a very long one does without.
            if out.len() < MAX_TEXT / 2 {
                highlighter.line(text, &mut out);
            } else {
                escape_into(text, &mut out);
            }
            out += "</code>";
            out += marks.get(&at).map_or("", String::as_str);
            out += "</div>\n";
        }
        out += "</div>";
    }
    out
}

fn statuses(program: &ProgramShown, explored: &BTreeSet<u32>) -> BTreeMap<(u32, u32), Status> {
    let mut status: BTreeMap<(u32, u32), Status> = BTreeMap::new();
    for function in &program.functions {
        // An edge is executed only if its source is; a location's line is that of the statement
        // that begins there.
        let edges = function.edges.iter().map(|edge| (edge.source, edge.at));
        let locations = function.locations.iter();
        let locations = locations.map(|location| (location.number, location.at));
        for (number, at) in edges.chain(locations) {
            if let Some(at) = at {
                let line = status.entry((at.file, at.line)).or_default();
                line.has_code = true;
                line.is_explored |= explored.contains(&number);
            }
        }
    }
    status
}

/// Are two paths the same as far as both say?
fn same_file(known: &str, asked: &str) -> bool {
    let (known, asked) = (
        known.trim_start_matches("./"),
        asked.trim_start_matches("./"),
    );
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    ends(known, asked) || ends(asked, known)
}
