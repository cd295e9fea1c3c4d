//! An execution for people: inputs first, then source lines with the values that they change.

use super::message::{Counterexample, InputShown, Note, Step};
use super::program_report::Files;
use super::scribe::Scribe;
use super::values::{self, HARNESS};
use super::{fault, lost};
use cfa::op::InputKind;
use cfa::program::Program;
use concord::inputs::described;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{MemoryFault, Outcome, Relevance};
use std::collections::VecDeque;
use std::time::Duration;
use syntax::span::Span;

/// How long an execution is watched.
const LONGEST: Duration = Duration::from_millis(500);
/// How long one is watched of which it is known that this will not be to its end: what is shown is
/// its beginning.
const BEGINNING: Duration = Duration::from_millis(50);
/// Steps kept from the beginning and from the end.
const FIRST: usize = 1000;
const LAST: usize = 3000;
/// The first and the last steps of an execution.
#[derive(Default)]
struct Kept {
    first: Vec<Step>,
    last: VecDeque<Step>,
    left_out: u64,
}

impl Kept {
    fn push(&mut self, step: Step) {
        if self.first.len() < FIRST {
            self.first.push(step);
            return;
        }
        self.last.push_back(step);
        if self.last.len() > LAST {
            self.last.pop_front();
            self.left_out += 1;
        }
    }
}

/// Replays the execution and notes what a reader wants to see.
pub fn build(
    program: &Program,
    files: Option<&Files>,
    values: &[InputValue],
    budget: &Budget,
) -> Counterexample {
    let watched_program = program;
    let program = program.executed();
    let mut relevance = Relevance::new(program);
    let watched = budget.within(LONGEST);
    let run = certify::replay(watched_program, values, &watched, Some(&mut relevance));
    let patience = match run.outcome {
        Outcome::Error(_) => LONGEST,
        _ => BEGINNING,
    };
    let mut kept = Kept::default();
    let matters = relevance.steps_that_matter();
    let mut scribe = Scribe::new(program, files, matters, |step| kept.push(step));
    let run = certify::replay(
        watched_program,
        values,
        &budget.within(patience),
        Some(&mut scribe),
    );
    let place = match (&run.outcome, &watched_program.errors[..]) {
        (Outcome::Error(_), _) => fault::place(program, &run),
        // Too long to be watched to its end: if there is one error, that is it.
        (_, [(only, _)]) => watched_program.location(*only).span,
        _ => Span::NONE,
    };
    let unfinished = !matches!(run.outcome, Outcome::Error(_));
    scribe.violation(place);
    drop(scribe);
    if unfinished {
        // The last step of what was watched is not the last one.
        let violation = match kept.last.is_empty() {
            true => kept.first.pop(),
            false => kept.last.pop_back(),
        };
        kept.left_out += kept.last.len() as u64;
        kept.last.clear();
        kept.last.extend(violation);
    }
    let left_out_after = kept.first.len();
    let mut steps = kept.first;
    steps.extend(kept.last);
    Counterexample {
        inputs: values
            .iter()
            .map(|value| shown(program, files, value))
            .collect(),
        left_out: kept.left_out,
        left_out_after,
        unfinished,
        violation: Note {
            place: program.describe(place),
            text: line_text(program, place.lo),
        },
        steps,
        why: fault::describe(program, &run).map(|why| match &run.fault {
            Some(MemoryFault::Left { object, bytes }) => {
                let budget = budget.within(patience);
                let lost = lost::last_pointer(watched_program, values, *object, *bytes, &budget);
                match lost {
                    Some(span) => {
                        let place = program.describe(span);
                        format!("{why}; the last pointer to them was lost at {place}")
                    }
                    None => why,
                }
            }
            _ => why,
        }),
    }
}

fn shown(program: &Program, files: Option<&Files>, value: &InputValue) -> InputShown {
    let (span, what) = described(program, value);
    let at = files.and_then(|files| files.line(program, span));
    let place = program.describe(span);
    let number = values::number(value.ty, value.bits);
    let number = match what.ends_with(" fails") {
        true if value.bits == 0 => "no".into(),
        true => "yes".into(),
        false => number,
    };
    let (what, value) = match made_by_harness(program, value, span) {
        Some(Made::Value(path)) => (path, number),
        Some(Made::Pointer(path)) if value.bits == 0 => (path, "null".into()),
        Some(Made::Pointer(path)) => (path, "an object of its own".into()),
        None => (what, number),
    };
    InputShown {
        place,
        at,
        what,
        value,
    }
}

/// What the harness of an entry makes of an input.
enum Made {
    /// The value of this.
    Value(String),
    /// Whether this pointer leads to something.
    Pointer(String),
}

fn made_by_harness(program: &Program, value: &InputValue, span: Span) -> Option<Made> {
    let input = program.inputs.get(value.input.0 as usize)?;
    let place = program.sources.original(span.lo)?;
    if place.file != HARNESS || !matches!(input.kind, InputKind::Nondet(_)) {
        return None;
    }
    let line = line_text(program, span.lo);
    if line.starts_with("if (") {
        // The line before makes the pointer null.
        let before = program
            .sources
            .find_line(HARNESS, place.line.checked_sub(1)?);
        let before = line_text(program, before.first()?.lo);
        return values::assigned(&before).map(Made::Pointer);
    }
    let path = values::assigned(&line)?;
    if line.contains(" ? ") {
        return Some(Made::Pointer(path));
    }
    // Elements are listed one after the other.
    let path = match path.find("[index_") {
        Some(at) => {
            let rest = path[at..].split_once(']').map_or("", |(_, rest)| rest);
            format!("{}[…]{rest}", &path[..at])
        }
        None => path,
    };
    Some(Made::Value(match path.strip_prefix("length_of_") {
        Some(name) => format!("length of {name}"),
        None => path,
    }))
}

pub fn line_text(program: &Program, offset: u32) -> String {
    let text = program.sources.line_text(offset).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
