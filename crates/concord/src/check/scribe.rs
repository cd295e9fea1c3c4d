//! Writes down an execution as steps that a reader follows: source lines, the values that they
//! change, and how they branch.

use super::counterexample::line_text;
use super::message::{Folded, Step};
use super::program_report::Files;
use super::values::{Values, Written, is_in_harness};
use cfa::expr::VarId;
use cfa::program::{Branch, EdgeId, FuncId, LocId, Program, Variable, VariableKind};
use interpreter::{Change, Observer, View};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use syntax::harness::PREFIX;
use syntax::span::Span;

/// Locations that one step remembers at most: it may stand for many that are not shown.
const MAX_LOCATIONS: usize = 200;
/// Letters of a condition that tells one branch of a line from another.
const MAX_CONDITION: usize = 48;

/// Hands on each step when it is complete.
pub struct Scribe<'a, Keep: FnMut(Step)> {
    program: &'a Program,
    files: Option<&'a Files>,
    keep: Keep,
    values: Values<'a>,
    /// For each step of the interpreter whether the violation depends on it; if that is not known,
    /// on all of them.
    matters: Option<Vec<bool>>,
    /// Steps of the interpreter so far.
    observed: usize,
    depth: u32,
    /// Calls open inside a library model, which is not shown.
    library_depth: u32,
    current: Option<Step>,
    /// How the statements of the current step's line branched, where there are several.
    decisions: Vec<(String, &'static str)>,
    /// Locations passed since the last step that was kept.
    passed: Vec<LocId>,
    /// Library calls since the last step that was kept.
    folded: Vec<Folded>,
    /// The functions that are active, outermost first, and the edges that called them.
    activations: Vec<(FuncId, Option<EdgeId>)>,
    /// For each function whether it was made for an entry.
    is_harness: Vec<bool>,
    /// Lines on which several statements branch.
    crowded: BTreeSet<(String, u32)>,
}

impl<'a, Keep: FnMut(Step)> Scribe<'a, Keep> {
    pub fn new(
        program: &'a Program,
        files: Option<&'a Files>,
        matters: Option<Vec<bool>>,
        keep: Keep,
    ) -> Scribe<'a, Keep> {
        Scribe {
            program,
            files,
            keep,
            values: Values::new(program),
            matters,
            observed: 0,
            depth: 0,
            library_depth: 0,
            current: None,
            decisions: Vec::new(),
            passed: Vec::new(),
            folded: Vec::new(),
            activations: Vec::new(),
            is_harness: program
                .functions
                .iter()
                .map(|function| is_in_harness(program, function.span))
                .collect(),
            crowded: crowded_lines(program),
        }
    }

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
        (self.keep)(step);
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
            self.decisions.clear();
            self.current = Some(Step {
                depth: self.depth,
                file: place.file.to_string(),
                line: place.line,
                text: line_text(self.program, span.lo),
                values: Vec::new(),
                branch: None,
                decided: String::new(),
                function: function.map_or(String::new(), |&(function, _)| {
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

    fn note(&mut self, edge: EdgeId, values: Vec<Written>) {
        let edge = self.program.edge(edge);
        // What the harness makes is listed with the inputs.
        let FuncId(function) = self.program.location(edge.source).function;
        if edge.span.is_none() || self.library_depth > 0 || self.is_harness[function as usize] {
            return;
        }
        let known = self.matters.as_ref();
        let matters = known.is_none_or(|steps| steps.get(self.observed) != Some(&false));
        let Some(step) = self.at(edge.span) else {
            return;
        };
        step.matters |= matters;
        for Written {
            name,
            value,
            is_global,
        } in values
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
            self.branched(branch);
        }
    }

    fn branched(&mut self, branch: Branch) {
        let program = self.program;
        let Some(step) = self.current.as_mut() else {
            return;
        };
        step.branch = Some(branch.taken);
        let words = decided(&step.text, branch.taken);
        let is_crowded = self.crowded.contains(&(step.file.clone(), step.line));
        if !is_crowded {
            step.decided = words.into();
            return;
        }
        let which = match head(program, branch.statement, &step.text) {
            Some(head) => head,
            None => match program.sources.original(branch.statement.lo) {
                Some(place) => format!("column {}", place.column),
                None => return,
            },
        };
        // A loop on one line decides again and again.
        match self.decisions.iter_mut().find(|(known, _)| *known == which) {
            Some(known) => known.1 = words,
            None => self.decisions.push((which, words)),
        }
        let is_loop = |which: &str| which.starts_with("for (") || which.starts_with("while (");
        let is_told = |one: &&(String, &str)| self.decisions.len() == 1 || !is_loop(&one.0);
        let told = self.decisions.iter().filter(is_told);
        let told: Vec<String> = told
            .map(|(which, words)| format!("{which} {words}"))
            .collect();
        step.decided = told.join("; ");
    }

    /// The last step: where the property is violated.
    pub fn violation(&mut self, span: Span) {
        if !span.is_none()
            && let Some(step) = self.at(span)
        {
            step.violates = true;
        }
        self.close();
    }

    fn named(&mut self, view: &View<'_>, var: VarId, bits: u128) -> Option<Written> {
        let info = self.program.var(var);
        let value = self.values.variable(view, var, bits);
        let name = match info.kind {
            VariableKind::Temporary => return None,
            VariableKind::Result => "result".into(),
            // Macros of headers have names of their own.
            _ if info.name.starts_with("__") && info.function.is_some() => return None,
            _ => info.name.clone(),
        };
        Some(Written {
            name,
            value,
            is_global: info.function.is_none(),
        })
    }

    /// Shows with which arguments the harness calls its function. The parameters have no values
    /// yet, but the harness has variables of the same names.
    fn enter(&mut self, function: FuncId, caller: FuncId, view: &View<'_>) {
        let program = self.program;
        let info = program.function(function);
        let mut shown = Vec::new();
        for &param in &info.params {
            let param = program.var(param);
            let is_argument = |var: &Variable| {
                let is_static = var.function.is_none() && is_in_harness(program, var.span);
                var.name == param.name && (var.function == Some(caller) || is_static)
            };
            let argument = program.vars.iter().position(is_argument);
            let argument = argument.map(|number| VarId(number as u32));
            let Some((argument, bits)) = argument.and_then(|var| Some((var, view.variable(var)?)))
            else {
                continue;
            };
            let value = self.values.variable(view, argument, bits);
            let behind = param
                .c_type
                .and_then(|ty| self.values.behind(view, ty, bits));
            let name = param.name.clone();
            if value != name || behind.is_none() {
                shown.push((name.clone(), value));
            }
            shown.extend(behind.map(|value| (format!("*{name}"), value)));
        }
        if let Some(step) = self.at(info.span) {
            step.matters = true;
            step.values = shown;
        }
        self.close();
    }
}

impl<Keep: FnMut(Step)> Observer for Scribe<'_, Keep> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        if self.activations.is_empty() {
            self.activations.push((view.function(), None));
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
            Change::Nothing => self.note(edge, Vec::new()),
            Change::Variable(var, bits) => {
                // Models of the library are called from where the reader is.
                let calls = self.activations.iter().rev();
                let is_model = |id: &FuncId| self.program.function(*id).is_library_model;
                let call = calls.take_while(|(id, _)| is_model(id)).last();
                let place = call.and_then(|&(_, call)| call).unwrap_or(edge);
                self.values.passed(edge, self.program.edge(place), bits);
                let value = self.named(view, var, bits);
                self.note(edge, value.into_iter().collect());
            }
            Change::Memory { address, size } => {
                let values = self.values.memory(view, address, size);
                self.note(edge, values);
            }
            Change::Call(function) => {
                self.note(edge, Vec::new());
                self.depth += 1;
                let caller = self.activations.last().map(|&(caller, _)| caller);
                self.activations.push((function, Some(edge)));
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
                let name = |id| self.program.function_name(id);
                let is_entry = caller.is_some_and(|caller| {
                    name(caller).strip_prefix(PREFIX) == Some(name(function))
                });
                if let (true, Some(caller)) = (is_entry && !is_model, caller) {
                    self.enter(function, caller, view);
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
            self.note(call, value.into_iter().collect());
        }
        self.observed += 1;
    }
}

/// The lines on which several statements branch.
fn crowded_lines(program: &Program) -> BTreeSet<(String, u32)> {
    let mut statements: FxHashMap<(String, u32), u32> = FxHashMap::default();
    let mut crowded = BTreeSet::new();
    for edge in &program.edges {
        let Some(branch) = edge.branch else {
            continue;
        };
        let Some(place) = program.sources.original(edge.span.lo) else {
            continue;
        };
        let key = (place.file.to_string(), place.line);
        let statement = branch.statement.lo;
        match statements.get(&key) {
            Some(&known) if known != statement => {
                crowded.insert(key);
            }
            Some(_) => {}
            None => {
                statements.insert(key, statement);
            }
        }
    }
    crowded
}

/// The head of a branching statement, as far as it stands on the line.
fn head(program: &Program, statement: Span, line: &str) -> Option<String> {
    let text = String::from_utf8_lossy(program.sources.snippet(statement));
    let text = text.lines().next()?.trim();
    let starts = ["if", "while", "for", "switch"];
    let is_statement = starts.iter().any(|word| {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| rest.trim_start().starts_with('('))
    });
    let end = match is_statement {
        true => closing(text)? + 1,
        false => text.len(),
    };
    let head = &text[..end];
    if !line.contains(head) {
        return None;
    }
    Some(match head.char_indices().nth(MAX_CONDITION) {
        Some((end, _)) => format!("{}…", &head[..end]),
        None => head.to_owned(),
    })
}

/// Where the first parenthesis is closed.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' if open == 1 => return Some(at),
            b')' => open -= 1,
            _ => {}
        }
    }
    None
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
