//! Frames of IC3, iteration by iteration: for each place what is known of the executions that reach
//! it with so many steps.

use super::super::result::{FramesShown, PlaceFrames};
use super::line_data;
use crate::html::escape;

/// Bytes of all tables: the page has to stay one that a browser opens at once.
const MAX_BYTES: usize = 800_000;

/// One table for each iteration; the last is open.
pub fn html(all: &[FramesShown]) -> String {
    let mut out = String::from(
        "<p class=hint>After iteration <i>k</i> no execution with at most <i>k</i> steps reaches an error. A clause of the \
         frames with index up to <i>i</i> holds in all states that executions with at most <i>i</i> steps have at its place. \
         The proof is found when an index has all clauses of the next one.</p>",
    );
    // The last ones matter most.
    let mut tables: Vec<String> = Vec::new();
    let mut bytes = 0;
    for (number, frames) in all.iter().enumerate().rev() {
        let table = iteration(frames, number + 1 == all.len());
        bytes += table.len();
        if bytes > MAX_BYTES {
            tables.push(format!(
                "<p class=empty>{} earlier iterations: no room.</p>",
                number + 1
            ));
            break;
        }
        tables.push(table);
    }
    tables.reverse();
    out += &tables.concat();
    out
}

fn iteration(frames: &FramesShown, is_open: bool) -> String {
    let clauses: usize = frames.places.iter().map(|place| place.clauses.len()).sum();
    let mut out = format!(
        "<details class=frames{}><summary>{}, iteration {}: {} at {}</summary>\
         <table class=list><tr><th>place<th>index<th>clauses</tr>",
        if is_open { " open" } else { "" },
        escape(&frames.engine),
        frames.iteration,
        counted(clauses, "clause"),
        counted(frames.places.len(), "place")
    );
    for place in &frames.places {
        out += &rows(place);
    }
    out + "</table></details>"
}

fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// One row for each index that has clauses of its own.
fn rows(place: &PlaceFrames) -> String {
    // Where a function is called from several places, the calls tell its frames apart.
    let mut name = match &place.calls[..] {
        [] | [_] => place.function.clone(),
        calls => calls.join(" → "),
    };
    if let Some(at) = place.at {
        name += &format!(", line {}", at.line);
    }
    let mut groups: Vec<(u32, Vec<&str>)> = Vec::new();
    for (index, text) in &place.clauses {
        match groups.last_mut() {
            Some((last, texts)) if last == index => texts.push(text),
            _ => groups.push((*index, vec![text])),
        }
    }
    let mut out = String::new();
    let mut first = Some(name);
    let mut row = |index: &str, clauses: &str| {
        let name = first.take().unwrap_or_default();
        out += &format!(
            "<tr{}><td>{}</td><td class=num>{index}</td><td>{clauses}</td></tr>",
            line_data(place.at),
            escape(&name)
        );
    };
    if place.first > 0 {
        let below = match place.first {
            1 => "0".to_owned(),
            first => format!("0 to {}", first - 1),
        };
        row(&below, "<span class=hint>not reached</span>");
    }
    if groups.is_empty() {
        row("", "<span class=hint>nothing is known</span>");
    }
    for (index, texts) in groups {
        let texts = texts
            .iter()
            .map(|text| format!("<code>{}</code>", escape(text)));
        let texts: Vec<String> = texts.collect();
        row(&format!("up to {index}"), &texts.join("<br>"));
    }
    if place.left_out > 0 {
        row("", &format!("… and {} more", place.left_out));
    }
    out
}
