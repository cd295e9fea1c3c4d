//! Which edges of a program the statements of an automaton are.

use super::{Automaton, FALSE, State as Said, TRUE, Transition, Trigger};
use crate::placing::Places;
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::program::{EdgeId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write;
use transform::condition::{Condition, Move, State};

/// What automata say of the edges of a program.
pub struct Labels {
    /// The texts of each edge, as they are compared; none where no statement begins.
    texts: Vec<Vec<String>>,
    /// The text that each edge is written by.
    shown: Vec<String>,
    lines: Vec<Option<u32>>,
    calls: Vec<Option<String>>,
}

/// The text as it is compared: without space, and without the semicolon at its end.
fn compared(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    text.trim_end_matches(';').to_owned()
}

impl Labels {
    pub fn of(program: &Program) -> Labels {
        let ids = || (0..program.edges.len() as u32).map(EdgeId);
        let said: Vec<Vec<String>> = ids().map(|id| texts(program, id)).collect();
        let shown = said
            .iter()
            .map(|texts| texts.last().cloned().unwrap_or_default());
        Labels {
            shown: shown.collect(),
            texts: said
                .iter()
                .map(|texts| texts.iter().map(|text| compared(text)).collect())
                .collect(),
            lines: ids()
                .map(|id| {
                    let edge = program.edge(id);
                    let place = program.sources.place(edge.span.lo);
                    place
                        .filter(|_| !edge.span.is_none())
                        .map(|place| place.line)
                })
                .collect(),
            calls: ids()
                .map(|id| match program.edge_op(id) {
                    Op::Call { function, .. } => Some(program.function_name(*function).to_owned()),
                    _ => None,
                })
                .collect(),
        }
    }

    /// May an automaton read the edge?
    pub fn is_read(&self, edge: EdgeId) -> bool {
        !self.texts[edge.0 as usize].is_empty()
    }

    /// Can a file name the edge, so that no other is meant?
    pub fn is_named(&self, edge: EdgeId) -> bool {
        self.name(edge).is_some()
    }

    fn matches(&self, trigger: &Trigger, edge: EdgeId) -> bool {
        let number = edge.0 as usize;
        match trigger {
            Trigger::True => true,
            Trigger::False => false,
            Trigger::Match(text) => self.texts[number].contains(&compared(text)),
            Trigger::Line(line) => self.lines[number] == Some(*line),
            Trigger::Call(name) => {
                let is_called = |text: &String| {
                    text.strip_prefix(name.as_str())
                        .is_some_and(|rest| rest.starts_with('('))
                };
                self.calls[number].as_ref() == Some(name)
                    || self.texts[number].iter().any(is_called)
            }
            Trigger::Not(inner) => !self.matches(inner, edge),
            Trigger::And(a, b) => self.matches(a, edge) && self.matches(b, edge),
            Trigger::Or(a, b) => self.matches(a, edge) || self.matches(b, edge),
        }
    }

    /// How an edge is named, so that no other is meant; nothing if there is no such name.
    fn name(&self, edge: EdgeId) -> Option<String> {
        let number = edge.0 as usize;
        let text = self.texts[number].last()?;
        let shown = &self.shown[number];
        let same: Vec<usize> = (0..self.texts.len())
            .filter(|&other| self.texts[other].contains(text))
            .collect();
        let line = self.lines[number];
        let on_line = same.iter().filter(|&&other| self.lines[other] == line);
        // The language has no way to write a quote in a text.
        let is_plain = !shown.contains(['"', '\\', '\n']);
        let is_one_line = || {
            let all = (0..self.texts.len()).filter(|&other| !self.texts[other].is_empty());
            all.filter(|&other| self.lines[other] == line).count() == 1
        };
        match line {
            _ if is_plain && same.len() == 1 => Some(format!("MATCH \"{shown}\"")),
            Some(line) if is_plain && on_line.count() == 1 => Some(format!(
                "MATCH \"{shown}\" && EVAL(location, \"lineno\") == {line}"
            )),
            Some(line) if is_one_line() => Some(format!("EVAL(location, \"lineno\") == {line}")),
            _ => None,
        }
    }
}

/// The texts of an edge as CPAchecker has them: its condition in brackets, or the statement that begins before it. The
/// last is the one that it is written by.
fn texts(program: &Program, id: EdgeId) -> Vec<String> {
    let edge = program.edge(id);
    let snippet = |span| {
        let text = String::from_utf8_lossy(program.sources.snippet(span)).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    };
    let statement = |span| match snippet(span) {
        text if text.is_empty() || text.ends_with([';', '}']) => text,
        text => format!("{text};"),
    };
    if let Some(branch) = edge.branch {
        let condition = snippet(edge.span);
        if condition.is_empty() {
            return Vec::new();
        }
        return vec![match branch.taken {
            true => format!("[{condition}]"),
            false => format!("[!({condition})]"),
        }];
    }
    let begins = program.location(edge.source).span;
    let mut found = Vec::new();
    if !begins.is_none() && !matches!(program.edge_op(id), Op::Assume(_)) {
        found.push(statement(begins));
    }
    if program.is_error(edge.target) && !edge.span.is_none() {
        found.push(statement(edge.span));
    }
    found.retain(|text| !text.is_empty());
    found.dedup();
    found
}

/// The condition that an automaton states about a program. Its guards are in the pool of `places`.
pub fn meaning(automaton: &Automaton, places: &mut Places) -> Condition {
    let labels = Labels::of(&places.program);
    let known: FxHashSet<&String> = labels.texts.iter().flatten().collect();
    let by_name: FxHashMap<&str, &Said> = automaton
        .states
        .iter()
        .map(|state| (state.name.as_str(), state))
        .collect();
    // Where a state leads whose statements this program has no edges for.
    let passed = |state: &Said| -> Option<String> {
        let mut to: Option<&str> = None;
        for step in &state.transitions {
            match step.trigger.texts()[..] {
                [] => {}
                ref texts if texts.iter().any(|text| known.contains(&compared(text))) => {
                    return None;
                }
                _ if step.assume.as_deref().is_some_and(|text| !is_true(text)) => return None,
                _ if to.is_some_and(|to| to != step.to) => return None,
                _ => to = Some(&step.to),
            }
        }
        to.filter(|to| *to != state.name).map(str::to_owned)
    };
    let own: Vec<&Said> = automaton
        .states
        .iter()
        .filter(|state| state.name != TRUE && state.name != FALSE)
        .collect();
    let numbers: FxHashMap<&str, u32> = own
        .iter()
        .enumerate()
        .map(|(number, state)| (state.name.as_str(), number as u32))
        .collect();
    let named = |name: &str| -> State {
        let mut name = name.to_owned();
        for _ in 0..=own.len() {
            match name.as_str() {
                TRUE => return State::Done,
                FALSE => return State::Open,
                _ => {}
            }
            match by_name.get(name.as_str()).and_then(|state| passed(state)) {
                Some(next) => name = next,
                None => break,
            }
        }
        numbers
            .get(name.as_str())
            .map_or(State::Open, |&number| State::At(number))
    };
    let steps = automaton.states.iter().flat_map(|state| &state.transitions);
    let atoms: Vec<&Trigger> = steps.flat_map(|step| step.trigger.atoms()).collect();
    let is_meant =
        |edge: EdgeId| atoms.is_empty() || atoms.iter().any(|atom| labels.matches(atom, edge));
    let edges: Vec<EdgeId> = (0..places.program.edges.len() as u32)
        .map(EdgeId)
        .filter(|&edge| labels.is_read(edge) && is_meant(edge))
        .collect();
    let mut moves = Vec::new();
    for (from, state) in own.iter().enumerate() {
        for &edge in &edges {
            let steps = state.transitions.iter();
            for step in steps.filter(|step| labels.matches(&step.trigger, edge)) {
                let guard = guard(step, edge, places);
                moves.push(Move {
                    from: from as u32,
                    edge,
                    guard,
                    to: named(&step.to),
                    part: step.part,
                });
                if guard.is_none() {
                    break;
                }
            }
        }
    }
    // What leaves the state as it is, is no move.
    let mut counts: BTreeMap<(u32, EdgeId), usize> = BTreeMap::new();
    for it in &moves {
        *counts.entry((it.from, it.edge)).or_default() += 1;
    }
    moves.retain(|it| {
        let is_alone = counts[&(it.from, it.edge)] == 1;
        !(is_alone && it.guard.is_none() && it.to == State::At(it.from))
    });
    Condition {
        initial: named(&automaton.initial),
        moves,
    }
}

fn is_true(text: &str) -> bool {
    matches!(text.trim(), "true" | "1" | "TRUE")
}

/// The assumption of a transition by an edge; nothing if it is always met. What cannot be read, or may
/// have no value, is not met.
fn guard(step: &Transition, edge: EdgeId, places: &mut Places) -> Option<ExprId> {
    let text = step.assume.as_deref().filter(|text| !is_true(text))?;
    let is_call = matches!(places.program.edge_op(edge), Op::Call { .. });
    let claim = match is_call {
        true => places.before(text, places.program.edge(edge).source),
        false => places.after(text, edge),
    };
    let never = places.pool.bool_constant(false);
    let read = claim.ok().filter(|claim| claim.unclear.is_none());
    Some(match read {
        Some(claim) if !places.pool.can_fail(claim.condition) => claim.condition,
        _ => never,
    })
}

/// The text of a condition that reads the same; nothing if there is none, because the program has
/// no names for some of its edges.
pub fn written(condition: &Condition, labels: &Labels, notes: &[String]) -> Option<String> {
    let name = |state: State| match state {
        State::Done => TRUE.to_owned(),
        State::Open => FALSE.to_owned(),
        State::At(number) => format!("ARG{number}"),
    };
    let mut text = format!(
        "OBSERVER AUTOMATON AssumptionAutomaton\n\nINITIAL STATE {};\n\n",
        name(condition.initial)
    );
    for last in [TRUE, FALSE] {
        let _ = write!(text, "STATE {last} :\n    TRUE -> GOTO {last};\n\n");
    }
    let mut states: Vec<u32> = condition.moves.iter().map(|it| it.from).collect();
    let others = condition.moves.iter().map(|it| it.to);
    states.extend(others.chain([condition.initial]).filter_map(|to| match to {
        State::At(number) => Some(number),
        _ => None,
    }));
    states.sort_unstable();
    states.dedup();
    for state in states {
        let _ = writeln!(text, "STATE USEFIRST ARG{state} :");
        for it in condition.moves.iter().filter(|it| it.from == state) {
            if it.guard.is_some() {
                return None;
            }
            let trigger = labels.name(it.edge)?;
            let _ = write!(text, "    {trigger} -> GOTO {};", name(it.to));
            if it.to == State::Done {
                let _ = write!(text, " // part {}", it.part);
            }
            text.push('\n');
        }
        let _ = write!(text, "    TRUE -> GOTO ARG{state};\n\n");
    }
    text += "END AUTOMATON\n";
    for note in notes {
        let _ = writeln!(text, "// concord {note}");
    }
    Some(text)
}
