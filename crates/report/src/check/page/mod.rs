//! The report of a check: one HTML file that needs nothing else.
//!
//! What does not change is written here as HTML, so that it can be read and printed without a
//! script; what follows the selected step (values, call stack, automaton) is drawn by `script.js`
//! from the data at the end of the page.

mod checks;
mod frames;
mod highlight;
mod overview;
mod rests;
mod source;
mod tables;

use super::drawing::{Drawing, draw, draw_proof};
use super::reachability::draw_reachability;
use super::refinement::draw_refinement;
use super::result::{Counterexample, InputShown, Report, SourceLine, Verdict};
use crate::html::{escape, json_in_script};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Boxes in all drawings, and bytes that they may take in the page: more would take longer to make
/// than anybody looks at them.
const MAX_BOXES: usize = 1500;
const MAX_BYTES: usize = 1_200_000;
/// Bytes that the steps of a counterexample may take, and how many are kept at both ends if they
/// take more.
const MAX_STEP_BYTES: usize = 1_000_000;
const FIRST_STEPS: usize = 200;
const LAST_STEPS: usize = 800;
/// Graphs of abstract states: that of the analysis with the answer, and of a few others.
const MAX_GRAPHS: usize = 3;
const MAX_REFINEMENTS: usize = 12;
/// Rows of a table of which there may be any number.
const MAX_ROWS: usize = 500;

/// What the script works on.
#[derive(Serialize)]
struct Data<'a> {
    counterexample: Option<Cow<'a, Counterexample>>,
    drawings: Vec<Drawing>,
    /// Functions for which there was no room.
    not_drawn: Vec<&'a str>,
    explored: Vec<u32>,
    files: Vec<&'a str>,
}

/// The page.
pub fn page(report: &Report) -> String {
    let path = locations_on_path(report);
    let (drawings, not_drawn) = drawings(report, &path);
    let program = report.program.as_ref();
    let drawn: BTreeSet<u32> = drawings
        .iter()
        .flat_map(|drawing| &drawing.blocks)
        .flat_map(|block| block.locations.iter().copied())
        .collect();
    let explored = report.explored.iter().copied();
    let data = Data {
        counterexample: report.counterexample.as_ref().map(shortened),
        drawings,
        not_drawn,
        explored: explored.filter(|number| drawn.contains(number)).collect(),
        files: program.map_or(Vec::new(), |program| {
            program
                .files
                .iter()
                .map(|file| file.name.as_str())
                .collect()
        }),
    };
    let name = report
        .configuration
        .as_ref()
        .and_then(|known| known.files.first())
        .map_or("program", |file| file.rsplit('/').next().unwrap_or(file));
    let (verdict, class) = match report.verdict {
        Verdict::True => ("TRUE", "true"),
        Verdict::False => ("FALSE", "false"),
        Verdict::Unknown => ("UNKNOWN", "unknown"),
    };
    let has_steps = report.counterexample.is_some();
    // A tab with nothing in it is not there.
    let steps = report.counterexample.as_ref().map(counterexample);
    let drawn = (!data.drawings.is_empty()).then(|| automaton(&data));
    let logged = !(report.timeline.is_empty() && report.log.is_empty());
    let settings = report.configuration.is_some();
    let framed = !report.frames.is_empty();
    let tabs: Vec<(&str, &str, String)> = [
        ("overview", "Overview", Some(overview::html(report))),
        ("source", "Source", Some(source::html(report, &path))),
        ("counterexample", "Counterexample", steps),
        ("automaton", "Automaton", drawn),
        (
            "frames",
            "Frames",
            framed.then(|| frames::html(&report.frames)),
        ),
        ("statistics", "Statistics", Some(tables::statistics(report))),
        (
            "configuration",
            "Configuration",
            settings.then(|| tables::configuration(report)),
        ),
        ("log", "Log", logged.then(|| tables::log(report))),
    ]
    .into_iter()
    .filter_map(|(id, title, content)| Some((id, title, content?)))
    .collect();
    let mut bar = String::new();
    let mut panels = String::new();
    for (number, (id, title, content)) in tabs.iter().enumerate() {
        let (selected, hidden) = if number == 0 {
            ("true", "")
        } else {
            ("false", " hidden")
        };
        bar += &format!(
            "<button role=tab id=tab-{id} aria-controls={id} aria-selected={selected} title=\"{title} (key {})\">\
             {title}</button>",
            number + 1
        );
        panels += &format!(
            "<section role=tabpanel id={id} aria-labelledby=tab-{id} tabindex=-1{hidden}>\n<h2 class=print>{title}</h2>\n\
             {content}\n</section>\n"
        );
    }
    let stepper = if has_steps {
        "<div class=stepper role=group aria-label=Steps>\
         <button id=first title=\"First step (Home)\">|◀</button>\
         <button id=back title=\"One step back (←)\">◀</button>\
         <output id=position>–</output>\
         <button id=forward title=\"One step forward (→)\">▶</button>\
         <button id=last title=\"Last step (End)\">▶|</button></div>"
    } else {
        ""
    };
    format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\n\
         <link rel=icon href=\"data:,\">\n\
         <title>{verdict}: {title} – Concord</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header><div class=title><b class=\"verdict {class}\">{verdict}</b><span class=name>{title}</span></div>\
         {stepper}<div class=tools><button id=theme title=\"Light or dark (t)\">◐</button>\
         <button id=help title=\"Keys (?)\">?</button></div>\n<nav role=tablist>{bar}</nav></header>\n\
         <main>\n{panels}</main>\n\
         <dialog id=keys><h3>Keys</h3><table>\
         <tr><td><kbd>←</kbd> <kbd>→</kbd></td><td>step back, step forward</td></tr>\
         <tr><td><kbd>Home</kbd> <kbd>End</kbd></td><td>first step, last step</td></tr>\
         <tr><td><kbd>1</kbd> … <kbd>{keys}</kbd></td><td>tabs</td></tr>\
         <tr><td><kbd>/</kbd></td><td>search the steps; Enter finds the next</td></tr>\
         <tr><td><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></td><td>automaton: larger, smaller, fit</td></tr>\
         <tr><td><kbd>t</kbd></td><td>light or dark</td></tr>\
         </table><form method=dialog><button>Close</button></form></dialog>\n\
         <script type=application/json id=data>{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        title = escape(name),
        keys = tabs.len(),
        style = include_str!("style.css"),
        script = include_str!("script.js"),
        data = json_in_script(&data),
    )
}

fn locations_on_path(report: &Report) -> BTreeSet<u32> {
    let steps = report.counterexample.iter().flat_map(|found| &found.steps);
    steps
        .flat_map(|step| step.locations.iter().copied())
        .collect()
}

/// The counterexample, with its middle left out if the page would become too large.
fn shortened(found: &Counterexample) -> Cow<'_, Counterexample> {
    let size = |found: &Counterexample| serde_json::to_string(found).map_or(0, |text| text.len());
    if size(found) <= MAX_STEP_BYTES {
        return Cow::Borrowed(found);
    }
    let mut found = found.clone();
    // They are listed beside the steps.
    found.inputs.clear();
    for step in &mut found.steps {
        let surplus = step.locations.len().saturating_sub(8);
        step.locations.drain(..surplus);
        step.values.truncate(20);
    }
    let (mut first, mut last) = (FIRST_STEPS, LAST_STEPS);
    while size(&found) > MAX_STEP_BYTES && first > 0 {
        let surplus = found.steps.len().saturating_sub(first + last);
        if surplus > 0 {
            found.steps.drain(first..first + surplus);
            found.left_out += surplus as u64;
            found.left_out_after = first;
        }
        (first, last) = (first / 2, last / 2);
    }
    Cow::Owned(found)
}

/// A line in place of rows for which there is no room.
fn more_rows(count: usize) -> String {
    match count.saturating_sub(MAX_ROWS) {
        0 => String::new(),
        more => format!("<tr><td>… and {more} more</td></tr>"),
    }
}

/// Drawings of the functions: those on the path first, as many as there is time and room for.
fn drawings<'a>(report: &'a Report, path: &BTreeSet<u32>) -> (Vec<Drawing>, Vec<&'a str>) {
    let Some(program) = &report.program else {
        return (Vec::new(), Vec::new());
    };
    let is_on_path = |index: &usize| {
        let locations = &program.functions[*index].locations;
        locations
            .iter()
            .any(|location| path.contains(&location.number))
    };
    let entry = report
        .configuration
        .as_ref()
        .map(|known| known.entry.as_str());
    let mut order: Vec<usize> = (0..program.functions.len()).collect();
    // The user's entry function, the path, then the rest as it stands in the text; what was
    // generated comes last.
    order.sort_by_key(|index| {
        let function = &program.functions[*index];
        (
            Some(function.name.as_str()) != entry,
            function.at.is_none(),
            !is_on_path(index),
            *index,
        )
    });
    let (mut drawn, mut not_drawn) = (Vec::new(), Vec::new());
    let (mut boxes, mut bytes) = (0, 0);
    for index in order {
        let function = &program.functions[index];
        let drawing = if boxes < MAX_BOXES && bytes < MAX_BYTES {
            draw(function, path)
        } else {
            None
        };
        match drawing {
            Some(drawing) => {
                boxes += drawing.blocks.len();
                bytes += serde_json::to_string(&drawing).map_or(0, |text| text.len());
                drawn.push(drawing);
            }
            None => not_drawn.push(function.name.as_str()),
        }
    }
    let graphs = report.reachability.iter().take(MAX_GRAPHS);
    drawn.extend(graphs.filter_map(draw_reachability));
    let refinements = report.refinements.iter().take(MAX_REFINEMENTS);
    drawn.extend(refinements.filter_map(draw_refinement));
    drawn.extend(report.proof.as_ref().and_then(draw_proof));
    (drawn, not_drawn)
}

/// The frame that the script fills.
fn counterexample(found: &Counterexample) -> String {
    let inputs = match found.inputs.is_empty() {
        true => "<p class=empty>The execution takes no input.</p>".to_owned(),
        false => inputs(&found.inputs, MAX_ROWS),
    };
    format!(
        "<div class=search><input id=search type=search placeholder=\"Search steps: code, variable, value, \
         function\" aria-label=\"Search steps\"><output id=matches></output></div>\n\
         <div class=split><ol id=steps aria-label=\"Steps of the execution\"></ol>\n<aside>\
         <h3>Call stack</h3><ol id=stack></ol>\
         <h3>Changed here</h3><div id=changed></div>\
         <h3>Variables</h3><div id=variables></div>\
         <h3>Inputs</h3>{inputs}</aside></div>"
    )
}

/// The first inputs of an execution as a table.
fn inputs(list: &[InputShown], most: usize) -> String {
    let rows: String = list
        .iter()
        .enumerate()
        .take(most)
        .map(|(number, input)| {
            format!(
                "<tr{}><td>{}</td><td><code>{}</code></td><td class=num><code>{}</code></td><td>{}</td></tr>",
                line_data(input.at),
                number + 1,
                escape(&input.what),
                escape(&input.value),
                escape(&input.place)
            )
        })
        .collect();
    let more = match list.len().saturating_sub(most) {
        0 => String::new(),
        more => format!("<tr><td colspan=4>… and {more} more</td></tr>"),
    };
    format!(
        "<table class=inputs><tr><th>#<th>input<th class=num>value<th>place</tr>{rows}{more}</table>"
    )
}

fn line_data(at: Option<SourceLine>) -> String {
    at.map_or(String::new(), |at| {
        format!(" data-at={}-{}", at.file, at.line)
    })
}

fn automaton(data: &Data<'_>) -> String {
    let group = |title: &str, is_whole: bool| {
        let drawings = data.drawings.iter().enumerate();
        let options: String = drawings
            .filter(|(_, drawing)| drawing.is_whole == is_whole)
            .map(|(number, drawing)| {
                format!("<option value={number}>{}</option>", escape(&drawing.name))
            })
            .collect();
        match options.is_empty() {
            true => String::new(),
            false => format!("<optgroup label=\"{title}\">{options}</optgroup>"),
        }
    };
    let options = group("Functions", false) + &group("Whole program", true);
    let rest = match data.not_drawn.len() {
        0 => String::new(),
        count => format!("<span class=hint>{count} more functions are not drawn</span>"),
    };
    format!(
        "<div class=bar><label>Show <select id=function>{options}</select></label>\
         <button id=larger title=\"Larger (+)\">+</button><button id=smaller title=\"Smaller (-)\">−</button>\
         <button id=fit title=\"Fit (0)\">Fit</button><span id=cut class=hint></span>{rest}\
         <span class=legend><i class=box-loop></i>loop head <i class=box-path></i>on the path <i class=box-now></i>\
         selected step <i class=box-error></i>error <span class=of-function><i class=box-explored></i>executed</span>\
         <span class=of-states><i class=box-covered></i>covered <i class=box-open></i>not explored</span></span></div>\n\
         <div id=canvas tabindex=0 aria-label=\"Automaton\"></div>"
    )
}
