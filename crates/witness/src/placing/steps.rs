//! The steps of the program that an edge of a graph stands for.

use super::places::Places;
use crate::{Control, Edge};
use cfa::op::{InputKind, Op};
use cfa::program::{EdgeId, FuncId, LocId, LocationKind, Program};
use lowering::monitor::Moment;
use lowering::property::Property;
use syntax::span::Span;

/// When executions pass an edge.
pub struct Steps {
    /// With the step itself, where there is one.
    pub moments: Vec<(Moment, Option<EdgeId>)>,
    /// Other tools may mean other moments.
    pub is_uncertain: bool,
    /// Why nobody knows when executions pass it.
    pub unknown: Option<&'static str>,
}

pub fn is_error_function(name: &str, property: &Property) -> bool {
    property
        .error_functions()
        .iter()
        .any(|wanted| wanted == name)
}

/// The file of a step, if the program has it, and the text on the lines.
pub fn lines_exist(places: &Places, step: &Edge) -> Result<(), String> {
    let Some((first, last)) = step.lines else {
        return Ok(());
    };
    for line in [first, last] {
        if places.lines(step.file.as_deref(), line).is_empty() {
            return Err(format!("there is no line {line} in the program"));
        }
    }
    Ok(())
}

/// An assumption in two parts, each as one expression: what it says of `\\result`, and of
/// variables.
pub fn conjunction(text: Option<&str>) -> (Option<String>, Option<String>) {
    let parts = text.unwrap_or_default().split(';').map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let joined = |about_result: bool| {
        let parts = parts.iter();
        let parts: Vec<String> = parts
            .filter(|part| part.contains("\\result") == about_result)
            .map(|part| format!("({part})"))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" && "))
    };
    (joined(true), joined(false))
}

impl Steps {
    /// The moments at which executions pass the edge; an error if there are none, unless it may be
    /// vague.
    pub fn of(
        places: &Places,
        step: &Edge,
        property: &Property,
        may_be_vague: bool,
    ) -> Result<Steps, String> {
        let stretch = places.stretch(step)?;
        let on_place: Vec<EdgeId> = places
            .edges()
            .filter(|(_, edge)| match step.lines {
                Some(lines) => places.is_in_lines(edge.span, step.file.as_deref(), lines),
                None => true,
            })
            .map(|(id, _)| id)
            .filter(|&id| stretch.as_ref().is_none_or(|it| places.touches(it, id)))
            .collect();
        let mut steps = Steps {
            moments: Vec::new(),
            is_uncertain: false,
            unknown: None,
        };
        match (&step.enter_function, &step.return_from) {
            (Some(name), None) => steps.entering(places, step, name, &on_place),
            (None, Some(name)) => steps.returning(places, step, name, &on_place),
            (Some(enter), Some(leave)) => {
                let calls = on_place.iter().filter(|&&id| {
                    enter == leave && Steps::callee(places, id) == Some(enter.as_str())
                });
                steps
                    .moments
                    .extend(calls.map(|&id| (Moment::After(id), Some(id))));
            }
            (None, None) => steps.plain(places, step, property, &on_place),
        }
        // The names of an assumption are those of one function.
        if let (Some(scope), Some(_)) = (&step.scope, &step.assumption) {
            steps.moments.retain(|(moment, _)| {
                let location = match *moment {
                    Moment::At(location) => location,
                    Moment::After(edge) => places.program.edge(edge).source,
                };
                let function = places.program.location(location).function;
                places.program.function_name(function) == scope
            });
        }
        match steps.moments.is_empty() && !may_be_vague {
            true => Err("no step of the program matches it".into()),
            false => Ok(steps),
        }
    }

    /// The function that a step calls; also one without a body, whose result is an input.
    pub fn callee(places: &Places, id: EdgeId) -> Option<&str> {
        let program = &places.program;
        match program.edge_op(id) {
            Op::Call { function, .. } => Some(program.function_name(*function)),
            Op::Havoc(_, input) => match program.inputs.get(input.0 as usize)?.kind {
                InputKind::Nondet(name) | InputKind::External(name) | InputKind::Library(name) => {
                    Some(program.names.get(name))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// May a step on the lines of the edge violate the property?
    pub fn may_violate(places: &Places, step: &Edge, property: &Property) -> bool {
        let Some(lines) = step.lines else {
            return true;
        };
        places.edges().any(|(id, edge)| {
            places.is_in_lines(edge.span, step.file.as_deref(), lines)
                && match property {
                    Property::ErrorCall(_) => Steps::callee(places, id)
                        .is_some_and(|name| is_error_function(name, property)),
                    Property::NoOverflow | Property::Checks { .. } => true,
                }
        })
    }

    fn function(places: &Places, name: &str) -> Option<FuncId> {
        let ids = (0..places.program.functions.len() as u32).map(FuncId);
        ids.into_iter()
            .find(|&id| places.program.function_name(id) == name)
    }

    /// Is one of the lines of the step in the text of the function?
    fn is_within(places: &Places, step: &Edge, function: FuncId) -> bool {
        let Some(body) = places.extent(function) else {
            return false;
        };
        let Some((first, last)) = step.lines else {
            return true;
        };
        let lines = (first..=last).flat_map(|line| places.lines(step.file.as_deref(), line));
        lines
            .into_iter()
            .any(|line| line.lo <= body.hi && body.lo <= line.hi)
    }

    /// A call of the function on the lines, or its beginning.
    fn entering(&mut self, places: &Places, step: &Edge, name: &str, on_place: &[EdgeId]) {
        let function = Steps::function(places, name);
        for &id in on_place {
            if Steps::callee(places, id) != Some(name) {
                continue;
            }
            let is_call = matches!(places.program.edge_op(id), Op::Call { .. });
            // What is assumed of the parameters is read inside.
            let is_inside = step.assumption.is_some() && step.scope.as_deref() == Some(name);
            let moment = match (is_call, function) {
                (true, Some(function)) if is_inside => {
                    Moment::At(places.program.function(function).entry)
                }
                (true, _) => Moment::At(places.program.edge(id).source),
                (false, _) => Moment::After(id),
            };
            if !self.moments.iter().any(|(known, _)| *known == moment) {
                self.moments.push((moment, Some(id)));
            }
        }
        let Some(function) = function.filter(|_| self.moments.is_empty()) else {
            return;
        };
        let name = places.program.function(function).span;
        let begins = step
            .lines
            .is_some_and(|lines| places.is_in_lines(name, step.file.as_deref(), lines));
        if begins || is_started(&places.program, function) && step.lines.is_none() {
            self.is_uncertain = true;
            let entry = places.program.function(function).entry;
            self.moments.push((Moment::At(entry), None));
        }
    }

    /// The return of a call on the lines, or what leads to the end of the function.
    fn returning(&mut self, places: &Places, step: &Edge, name: &str, on_place: &[EdgeId]) {
        for &id in on_place {
            if Steps::callee(places, id) == Some(name) {
                self.moments.push((Moment::After(id), Some(id)));
            }
        }
        let Some(function) = Steps::function(places, name).filter(|_| self.moments.is_empty())
        else {
            return;
        };
        if !Steps::is_within(places, step, function) {
            return;
        }
        self.is_uncertain = true;
        let exit = places.program.function(function).exit;
        let ends = on_place
            .iter()
            .filter(|&&id| places.program.edge(id).target == exit);
        let ends = ends.map(|&id| (Moment::After(id), None));
        self.moments.extend(ends);
        if self.moments.is_empty() && on_place.is_empty() {
            self.moments.push((Moment::At(exit), None));
        }
    }

    fn plain(&mut self, places: &Places, step: &Edge, property: &Property, on_place: &[EdgeId]) {
        let wanted = step.control.map(|control| control == Control::True);
        for &id in on_place {
            let edge = places.program.edge(id);
            let op = places.program.edge_op(id);
            let is_right = match (wanted, edge.branch) {
                (None, _) => true,
                (Some(wanted), Some(branch)) => {
                    self.is_uncertain |= is_compound(places, id);
                    branch.taken == wanted
                }
                // A part of a condition: which way it goes is not kept.
                (Some(_), None) => {
                    let is_part = matches!(op, Op::Assume(_));
                    self.is_uncertain |= is_part;
                    is_part
                }
            };
            if !is_right {
                continue;
            }
            let violates = matches!(op, Op::Call { .. })
                && Steps::callee(places, id).is_some_and(|it| is_error_function(it, property));
            // An execution that violates the property never comes behind the step.
            let moment = match violates {
                true => Moment::At(edge.source),
                false => Moment::After(id),
            };
            self.moments.push((moment, Some(id)));
        }
        if on_place.is_empty()
            && wanted.is_none()
            && let Some(next) = next_location(places, step)
        {
            self.is_uncertain = true;
            self.moments.push((Moment::At(next), None));
            if words(places, step).any(|word| matches!(word, b"goto" | b"break" | b"continue")) {
                self.unknown = Some("it jumps, and the program has no step for that");
            }
        }
    }

    /// Does one of the steps lead to the head of a loop, or a loop begin on its lines? If the steps
    /// do, only those that do are meant.
    pub fn enter_loop(&mut self, places: &Places, step: &Edge) -> bool {
        if self.loop_heads(places, step).is_empty() {
            return false;
        }
        if step.return_from.is_none() && loops_on_lines(places, step).is_empty() {
            let leads = |(moment, _): &(Moment, Option<EdgeId>)| {
                head_behind(&places.program, behind(&places.program, *moment)).is_some()
            };
            if self.moments.iter().any(leads) {
                self.moments.retain(leads);
            }
        }
        true
    }

    /// The heads of the loops that begin on the lines, or else that the steps lead to.
    pub fn loop_heads(&self, places: &Places, step: &Edge) -> Vec<LocId> {
        let program = &places.program;
        let mut found = loops_on_lines(places, step);
        if !found.is_empty() {
            return found;
        }
        for (moment, _) in &self.moments {
            found.extend(head_behind(program, behind(program, *moment)));
        }
        // The last call of a loop's body returns to its head.
        for (id, edge) in places.edges() {
            let returned = step.return_from.as_deref();
            if returned.is_some() && Steps::callee(places, id) == returned {
                found.extend(head_behind(program, edge.target));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The heads of the loops that begin on the lines of a step.
fn loops_on_lines(places: &Places, step: &Edge) -> Vec<LocId> {
    let heads = (0..places.program.locations.len() as u32).map(LocId);
    let on_lines = heads.filter(|&id| {
        let location = places.program.location(id);
        location.kind == LocationKind::LoopHead
            && step
                .lines
                .is_some_and(|lines| places.is_in_lines(location.span, step.file.as_deref(), lines))
    });
    on_lines.collect()
}

/// Where control is then.
fn behind(program: &Program, moment: Moment) -> LocId {
    match moment {
        Moment::At(location) => location,
        Moment::After(edge) => program.edge(edge).target,
    }
}

/// The head of a loop that control comes to without doing anything.
fn head_behind(program: &Program, mut location: LocId) -> Option<LocId> {
    for _ in 0..program.locations.len() {
        let here = program.location(location);
        if here.kind == LocationKind::LoopHead {
            return Some(location);
        }
        match here.outgoing.as_slice() {
            [only] if matches!(program.edge_op(*only), Op::Skip) => {
                location = program.edge(*only).target;
            }
            _ => return None,
        }
    }
    None
}

/// Is it the function that executions start in?
fn is_started(program: &Program, function: FuncId) -> bool {
    program.edges.iter().enumerate().any(|(index, edge)| {
        program.location(edge.source).function == program.entry
            && matches!(program.edge_op(EdgeId(index as u32)),
                Op::Call { function: called, .. } if *called == function)
    })
}

/// Has the condition of a branch several parts, which others may tell apart?
fn is_compound(places: &Places, id: EdgeId) -> bool {
    let text = places.program.sources.snippet(places.program.edge(id).span);
    text.windows(2).any(|pair| matches!(pair, b"&&" | b"||")) || text.contains(&b'?')
}

/// The words on the lines of a step.
fn words<'a>(places: &'a Places, step: &Edge) -> impl Iterator<Item = &'a [u8]> {
    let (first, last) = step.lines.unwrap_or((1, 0));
    let lines = (first..=last).flat_map(|line| places.lines(step.file.as_deref(), line));
    let lines: Vec<Span> = lines.collect();
    lines.into_iter().flat_map(|line| {
        let text = places.program.sources.snippet(line);
        text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
    })
}

/// Where control is when it has passed a line on which nothing happens: a declaration, a label, a
/// `return`.
fn next_location(places: &Places, step: &Edge) -> Option<LocId> {
    let program = &places.program;
    let (first, last) = step.lines?;
    let lines = (first..=last).flat_map(|line| places.lines(step.file.as_deref(), line));
    let mut lines = lines.into_iter().filter(|line| {
        let text = program.sources.snippet(*line);
        !text.iter().all(u8::is_ascii_whitespace)
    });
    let line = lines.next()?;
    let functions = (0..program.functions.len() as u32).map(FuncId);
    let inside = functions.into_iter().find(|&id| {
        let body = places.extent(id);
        body.is_some_and(|body| body.lo <= line.hi && line.lo <= body.hi)
    });
    let Some(function) = inside else {
        // Globals have their values before the first step.
        let functions = (0..program.functions.len() as u32).map(FuncId);
        let started = functions.into_iter().find(|&id| is_started(program, id))?;
        return Some(program.function(started).entry);
    };
    if words(places, step).any(|word| word == b"return") {
        return Some(program.function(function).exit);
    }
    let locations = (0..program.locations.len() as u32).map(LocId);
    let behind = locations.filter(|&id| {
        let location = program.location(id);
        location.function == function && !location.span.is_none() && location.span.lo >= line.lo
    });
    let next = behind.min_by_key(|&id| program.location(id).span.lo);
    Some(next.unwrap_or(program.function(function).exit))
}
