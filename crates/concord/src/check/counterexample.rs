//! An execution for people: inputs first, then source lines with the values that they change.

use super::message::{Counterexample, Folded, InputShown, Note, Step};
use super::program_report::Files;
use super::{fault, lost};
use cfa::expr::VarId;
use cfa::memory::ObjectKind;
use cfa::program::{EdgeId, FuncId, LocId, Program, VariableKind};
use cfa::value::Ty;
use concord::inputs::described;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{Change, MemoryFault, Observer, Outcome, Relevance, View, write_value};
use std::collections::VecDeque;
use std::time::Duration;
use syntax::span::Span;
use syntax::types::Type;

/// How long an execution is watched.
const LONGEST: Duration = Duration::from_millis(500);
/// How long one is watched of which it is known that this will not be to its end: what is shown is
/// its beginning.
const BEGINNING: Duration = Duration::from_millis(50);
/// Steps kept from the beginning and from the end.
const FIRST: usize = 1000;
const LAST: usize = 3000;
/// Locations that one step remembers at most: it may stand for many that are not shown.
const MAX_LOCATIONS: usize = 200;

/// A variable or a part of an object that got a value.
struct Written {
    name: String,
    value: String,
    is_global: bool,
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
    let mut scribe = Scribe {
        program,
        files,
        matters: relevance.steps_that_matter(),
        observed: 0,
        depth: 0,
        library_depth: 0,
        first: Vec::new(),
        last: VecDeque::new(),
        left_out: 0,
        current: None,
        passed: Vec::new(),
        folded: Vec::new(),
        activations: Vec::new(),
    };
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
    if unfinished {
        scribe.left_out += scribe.last.len() as u64;
        scribe.last.clear();
    }
    scribe.violation(place);
    let left_out_after = scribe.first.len();
    let mut steps = scribe.first;
    steps.extend(scribe.last);
    Counterexample {
        inputs: values
            .iter()
            .map(|value| shown(program, files, value))
            .collect(),
        left_out: scribe.left_out,
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
    InputShown {
        place: program.describe(span),
        at: files.and_then(|files| files.line(program, span)),
        what,
        value: write_value(value.ty, value.bits),
    }
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

struct Scribe<'a> {
    program: &'a Program,
    files: Option<&'a Files>,
    /// For each step of the interpreter whether the violation depends on it; if that is not known,
    /// on all of them.
    matters: Option<Vec<bool>>,
    /// Steps of the interpreter so far.
    observed: usize,
    depth: u32,
    /// Calls open inside a library model, which is not shown.
    library_depth: u32,
    first: Vec<Step>,
    last: VecDeque<Step>,
    left_out: u64,
    current: Option<Step>,
    /// Locations passed since the last step that was kept.
    passed: Vec<LocId>,
    /// Library calls since the last step that was kept.
    folded: Vec<Folded>,
    /// The functions that are active, outermost first.
    activations: Vec<FuncId>,
}

impl Scribe<'_> {
    fn close(&mut self) {
        let Some(mut step) = self.current.take() else {
            return;
        };
        let is_bare = step.values.is_empty() && step.branch.is_none();
        if is_bare && !step.violates && self.folded.is_empty() {
            return;
        }
        step.locations = self.passed.drain(..).map(|location| location.0).collect();
        step.folded = std::mem::take(&mut self.folded);
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

    fn pass(&mut self, location: LocId) {
        if self.library_depth == 0
            && self.passed.len() < MAX_LOCATIONS
            && self.passed.last() != Some(&location)
        {
            self.passed.push(location);
        }
    }

    /// Begins a step at the place, unless the current one is there.
    fn at(&mut self, span: Span) -> Option<&mut Step> {
        let place = self.program.sources.original(span.lo)?;
        let same = self.current.as_ref().is_some_and(|step| {
            step.line == place.line && step.depth == self.depth && step.file == place.file
        });
        if !same {
            self.close();
            let function = self.activations.last();
            self.current = Some(Step {
                depth: self.depth,
                file: place.file.to_string(),
                line: place.line,
                text: line_text(self.program, span.lo),
                values: Vec::new(),
                branch: None,
                decided: String::new(),
                function: function.map_or(String::new(), |&function| {
                    self.program.function_name(function).to_owned()
                }),
                globals: Vec::new(),
                at: self.files.and_then(|files| files.line(self.program, span)),
                locations: Vec::new(),
                folded: Vec::new(),
                violates: false,
                matters: false,
            });
        }
        self.current.as_mut()
    }

    fn note(&mut self, edge: EdgeId, value: Option<Written>) {
        let edge = self.program.edge(edge);
        if edge.span.is_none() || self.library_depth > 0 {
            return;
        }
        let known = self.matters.as_ref();
        let matters = known.is_none_or(|steps| steps.get(self.observed) != Some(&false));
        let Some(step) = self.at(edge.span) else {
            return;
        };
        step.matters |= matters;
        if let Some(Written {
            name,
            value,
            is_global,
        }) = value
        {
            if is_global && !step.globals.contains(&name) {
                step.globals.push(name.clone());
            }
            match step.values.iter_mut().find(|(known, _)| *known == name) {
                Some(known) => known.1 = value,
                None => step.values.push((name, value)),
            }
        }
        if let Some(branch) = edge.branch {
            step.branch = Some(branch.taken);
            step.decided = decided(&step.text, branch.taken).into();
        }
    }

    /// The last step: where the property is violated.
    fn violation(&mut self, span: Span) {
        if !span.is_none()
            && let Some(step) = self.at(span)
        {
            step.violates = true;
        }
        self.close();
    }

    /// What was written to memory, under the name of the object's part.
    fn memory(&self, view: &View<'_>, address: u64, size: u64) -> Option<Written> {
        let (object, offset) = view.object_at(address)?;
        let kind = self.program.object(object).kind;
        let is_global = matches!(kind, ObjectKind::Global | ObjectKind::Heap);
        if kind == ObjectKind::StringLiteral {
            // They get their characters before the program starts, which is no news.
            return None;
        }
        let name = transform::regions::part_name(self.program, self.program.object(object), offset);
        if size > 16 || !size.is_power_of_two() {
            return Some(Written {
                name,
                value: format!("{size} bytes"),
                is_global,
            });
        }
        let mut bits = 0u128;
        for at in (0..size).rev() {
            bits = bits << 8 | u128::from(view.byte(address + at)?);
        }
        let ty = Ty::signed((size * 8) as u16);
        // Memory of the heap has no declared type: what is an address of an object is meant as one.
        let is_untyped = self.program.object(object).c_type.is_none();
        let is_address = is_untyped && size == self.program.model.pointer_bytes() && bits != 0;
        let pointer = is_address.then(|| self.object(view, bits)).flatten();
        Some(Written {
            name,
            value: pointer.unwrap_or_else(|| write_value(ty, bits)),
            is_global,
        })
    }

    /// The part of an object that an address leads to.
    fn object(&self, view: &View<'_>, address: u128) -> Option<String> {
        let (object, offset) = view.object_at(u64::try_from(address).ok()?)?;
        let object = self.program.object(object);
        Some(match (object.c_type, offset) {
            (Some(_), _) => {
                let part = transform::regions::part_name(self.program, object, offset);
                format!("&{part}")
            }
            (None, 0) => object.name.clone(),
            (None, offset) => format!("{} + {offset}", object.name),
        })
    }

    /// A value as its type in C says.
    fn value(&self, view: &View<'_>, var: VarId, bits: u128) -> String {
        let info = self.program.var(var);
        let is_pointer = |ty| matches!(self.program.types.shape(ty), Type::Pointer(_));
        let number = || write_value(info.ty, bits);
        match info.c_type.is_some_and(is_pointer) {
            true if bits == 0 => "null".into(),
            true => self.object(view, bits).unwrap_or_else(number),
            false => number(),
        }
    }

    fn named(&self, view: &View<'_>, var: VarId, bits: u128) -> Option<Written> {
        let info = self.program.var(var);
        let name = match info.kind {
            VariableKind::Temporary => return None,
            VariableKind::Result => "result".into(),
            _ => info.name.clone(),
        };
        Some(Written {
            name,
            value: self.value(view, var, bits),
            is_global: info.function.is_none(),
        })
    }
}

impl Observer for Scribe<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if self.activations.is_empty() {
            self.activations.push(view.function());
        }
        let (source, target) = (
            self.program.edge(edge).source,
            self.program.edge(edge).target,
        );
        self.pass(source);
        if let (true, Some(library)) = (self.library_depth > 0, self.folded.last_mut()) {
            library.steps += 1;
        }
        match change {
            Change::Nothing => self.note(edge, None),
            Change::Variable(var, bits) => {
                let value = self.named(view, var, bits);
                self.note(edge, value);
            }
            Change::Memory { address, size } => {
                let value = self.memory(view, address, size);
                self.note(edge, value);
            }
            Change::Call(function) => {
                self.note(edge, None);
                self.depth += 1;
                self.activations.push(function);
                let is_model = self.program.function(function).is_library_model;
                if self.library_depth == 0 && is_model {
                    self.folded.push(Folded {
                        function: self.program.function_name(function).to_owned(),
                        steps: 0,
                    });
                }
                if self.library_depth > 0 || is_model {
                    self.library_depth += 1;
                }
                self.pass(self.program.function(function).entry);
            }
        }
        if !matches!(change, Change::Call(_)) {
            self.pass(target);
        }
        self.observed += 1;
    }

    fn leave(&mut self, call: EdgeId, change: Change, view: &View<'_>) {
        self.depth = self.depth.saturating_sub(1);
        self.activations.pop();
        self.library_depth = self.library_depth.saturating_sub(1);
        if let Change::Variable(var, bits) = change {
            let value = self.named(view, var, bits);
            self.note(call, value);
        }
        self.observed += 1;
    }
}
/// Conditions that are not there to choose a way.
const ASSERTIONS: [&str; 3] = ["assert", "__VERIFIER_assert", "_Static_assert"];

/// What a branch decided, in words: the condition of an assertion holds or does not, any other way
/// is taken or is not.
fn decided(line: &str, taken: bool) -> &'static str {
    let is_assertion = ASSERTIONS
        .iter()
        .any(|name| line.trim_start().starts_with(name));
    match (is_assertion, taken) {
        (true, true) => "holds",
        (true, false) => "does not hold",
        (false, true) => "taken",
        (false, false) => "not taken",
    }
}
