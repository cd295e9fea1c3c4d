//! What an answer rests on, in one box: nobody should have to look for it in several lists.

use super::super::result::{Note, Report, Verdict};
use super::{MAX_ROWS, more_rows};
use crate::html::escape;

pub fn html(report: &Report) -> String {
    let scope = report
        .configuration
        .as_ref()
        .map_or(String::new(), |known| {
            format!(
                ", from <code>{}</code>, with the sizes of {}",
                escape(&known.entry),
                escape(&known.data_model)
            )
        });
    let (title, lead) = match report.verdict {
        Verdict::True => (
            "What this proof rests on",
            format!("It is about every execution with any input{scope}."),
        ),
        Verdict::False => (
            "What this violation rests on",
            format!("It is one execution with the inputs above{scope}."),
        ),
        Verdict::Unknown => ("What an answer would rest on", String::new()),
    };
    let not_supported = match report.verdict {
        Verdict::True => "Not supported, but no execution comes there",
        _ => "Not supported",
    };
    let groups = [
        ("Warnings about the text", &report.warnings),
        ("Assumed of code that is not there", &report.assumptions),
        ("Taken for granted, not proved", &report.not_proved),
        (not_supported, &report.unsupported),
    ];
    let lists: String = groups
        .iter()
        .filter(|(_, notes)| !notes.is_empty())
        .map(|(name, notes)| list(name, notes))
        .collect();
    let ask = match report.not_proved.is_empty() {
        true => "",
        false => {
            "<p class=hint>To have it proved too, ask for it: <code>--property all</code>.</p>"
        }
    };
    if report.verdict == Verdict::Unknown {
        return match lists.is_empty() {
            true => String::new(),
            false => format!("<div class=rests><h3>{title}</h3>{lists}</div>"),
        };
    }
    let nothing = match lists.is_empty() {
        true => "<p>Nothing was assumed of the program.</p>",
        false => "",
    };
    format!(
        "<div class=rests><h3>{title}</h3><p>{lead}</p>{lists}{ask}{nothing}\
         <p class=hint>Besides, on Concord's reading of C, its checker and its solver. \
         The guide's page on trust says why each is believed.</p></div>"
    )
}

/// Notes under a heading, each with its place.
fn list(name: &str, notes: &[Note]) -> String {
    let rows: String = notes
        .iter()
        .take(MAX_ROWS)
        .map(|note| {
            format!(
                "<tr><td>{}</td><td>{}</td></tr>",
                escape(&note.place),
                escape(&note.text)
            )
        })
        .collect();
    let more = more_rows(notes.len());
    format!("<h4>{name}</h4><table class=list>{rows}{more}</table>")
}
