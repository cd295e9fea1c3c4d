//! An execution for people: inputs first, then source lines with the values that they change.

use super::message::{Counterexample, InputShown, Note, Step};
use cfa::expr::VarId;
use cfa::interpreter::{Change, Observer, View, write_value};
use cfa::memory::ObjectKind;
use cfa::op::InputKind;
use cfa::program::{EdgeId, Program, VariableKind};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use std::collections::VecDeque;

/// Steps kept from the beginning and from the end.
const FIRST: usize = 40;
const LAST: usize = 160;

/// Replays the execution and notes what a reader wants to see.
pub fn build(program: &Program, values: &[InputValue], budget: &Budget) -> Counterexample {
    let mut scribe = Scribe {
        program,
        depth: 0,
        library_depth: 0,
        first: Vec::new(),
        last: VecDeque::new(),
        left_out: 0,
        current: None,
    };
    let run = certify::replay(program, values, budget, Some(&mut scribe));
    scribe.close();
    let place = run
        .place
        .edge
        .map_or(run.place.span, |edge| program.edge(edge).span);
    let mut steps = scribe.first;
    steps.extend(scribe.last);
    Counterexample {
        inputs: values.iter().map(|value| shown(program, value)).collect(),
        left_out: scribe.left_out,
        violation: Note {
            place: program.describe(place),
            text: line_text(program, place.lo),
        },
        steps,
    }
}

fn shown(program: &Program, value: &InputValue) -> InputShown {
    let (place, what) = match program.inputs.get(value.input.0 as usize) {
        Some(input) => {
            let what = match &input.kind {
                InputKind::Nondet(name) | InputKind::External(name) => {
                    format!("{}()", program.names.get(*name))
                }
                InputKind::Uninitialised(name) => format!("uninitialised {name}"),
                InputKind::Argument(name) => format!("argument {name}"),
                InputKind::Assembly => "inline assembly".into(),
            };
            (program.describe(input.span), what)
        }
        None => {
            let object = value.input.0 as usize - program.inputs.len();
            match program.objects.get(object) {
                Some(object) => (
                    program.describe(object.span),
                    format!("uninitialised memory of {}", object.name),
                ),
                None => ("generated code".into(), "uninitialised memory".into()),
            }
        }
    };
    InputShown {
        place,
        what,
        value: write_value(value.ty, value.bits),
    }
}

fn line_text(program: &Program, offset: u32) -> String {
    let text = program.sources.line_text(offset).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

struct Scribe<'a> {
    program: &'a Program,
    depth: u32,
    /// Calls open inside a library model, which is not shown.
    library_depth: u32,
    first: Vec<Step>,
    last: VecDeque<Step>,
    left_out: u64,
    current: Option<Step>,
}

impl Scribe<'_> {
    fn close(&mut self) {
        let Some(step) = self.current.take() else {
            return;
        };
        if step.values.is_empty() && step.branch.is_none() {
            return;
        }
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

    fn note(&mut self, edge: EdgeId, value: Option<(String, String)>) {
        let edge = self.program.edge(edge);
        if edge.span.is_none() || self.library_depth > 0 {
            return;
        }
        let Some(place) = self.program.sources.original(edge.span.lo) else {
            return;
        };
        let same = self.current.as_ref().is_some_and(|step| {
            step.line == place.line && step.depth == self.depth && step.file == place.file
        });
        if !same {
            self.close();
            self.current = Some(Step {
                depth: self.depth,
                file: place.file.to_string(),
                line: place.line,
                text: line_text(self.program, edge.span.lo),
                values: Vec::new(),
                branch: None,
            });
        }
        let Some(step) = &mut self.current else {
            return;
        };
        if let Some((name, value)) = value {
            match step.values.iter_mut().find(|(known, _)| *known == name) {
                Some(known) => known.1 = value,
                None => step.values.push((name, value)),
            }
        }
        if let Some(branch) = edge.branch {
            step.branch = Some(branch.taken);
        }
    }

    /// What was written to memory, under the name of the object's part.
    fn memory(&self, view: &View<'_>, address: u64, size: u64) -> Option<(String, String)> {
        let (object, offset) = view.object_at(address)?;
        if self.program.object(object).kind == ObjectKind::StringLiteral {
            // They get their characters before the program starts, which is no news.
            return None;
        }
        let name = cfa::regions::part_name(self.program, self.program.object(object), offset);
        if size > 16 {
            return Some((name, format!("{size} bytes")));
        }
        let mut bits = 0u128;
        for at in (0..size).rev() {
            bits = bits << 8 | u128::from(view.byte(address + at)?);
        }
        let ty = Ty::signed((size * 8) as u16);
        Some((name, write_value(ty, bits)))
    }

    fn named(&self, var: VarId, bits: u128) -> Option<(String, String)> {
        let info = self.program.var(var);
        match info.kind {
            VariableKind::Temporary => None,
            VariableKind::Result => Some(("result".into(), write_value(info.ty, bits))),
            _ => Some((info.name.clone(), write_value(info.ty, bits))),
        }
    }
}

impl Observer for Scribe<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        match change {
            Change::Nothing => self.note(edge, None),
            Change::Variable(var, bits) => {
                let value = self.named(var, bits);
                self.note(edge, value);
            }
            Change::Memory { address, size } => {
                let value = self.memory(view, address, size);
                self.note(edge, value);
            }
            Change::Call(function) => {
                self.note(edge, None);
                self.depth += 1;
                if self.library_depth > 0 || self.program.function(function).is_library_model {
                    self.library_depth += 1;
                }
            }
        }
    }

    fn leave(&mut self, call: EdgeId, change: Change, _: &View<'_>) {
        self.depth = self.depth.saturating_sub(1);
        self.library_depth = self.library_depth.saturating_sub(1);
        if let Change::Variable(var, bits) = change {
            let value = self.named(var, bits);
            self.note(call, value);
        }
    }
}
