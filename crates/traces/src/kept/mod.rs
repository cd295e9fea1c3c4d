//! Data automata as text, for later versions of the program (`concord check --reuse`).
//!
//! A data automaton speaks of statements, not of places: what was proved of one version of a
//! program removes traces of the next one. The text has states as formulas ([`formula`]) and
//! triples with their statements as C:
//!
//! ```text
//! automaton from octagon-congruence
//! state 1: (main::x <= 100)
//! { } x = 0; y = 42 { 1 }
//! { 1 } [x < 100]; x = x + 1 { 1 }
//! { 1 } [100 <= x]; [x != 100] { false }
//! ```
//!
//! Nothing of it is believed. A formula that the program has no names for is left out, with all
//! triples of it; a triple whose statement is still there is checked once, when it is first asked
//! for. Statements that the text does not know are tried with all formulas, as if the automaton
//! were new.

pub mod formula;

use crate::data::{DataAutomaton, Transitions};
use crate::program::ProgramAutomaton;
use crate::statements;
use crate::triples::Triples;
use automata::Letter;
use cfa::expr::ExprId;
use cfa::op::Op;
use formula::Names;
use induction::graph::BlockId;
use induction::solver_graph::SolverGraph;
use predicate::refutation::Refuter;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

const HEADING: &str = "# Data automata of trace abstraction, for `concord check --reuse`.";
/// Automata of one text.
const MAX_AUTOMATA: usize = 500;

/// The triples of an automaton of an earlier run.
#[derive(Clone, Debug, Default)]
pub struct KeptTriples {
    /// Preconditions, for statement and postcondition; each ascending.
    pub before: FxHashMap<(Letter, ExprId), Vec<Vec<ExprId>>>,
    /// The statements that the earlier program had too.
    pub known: FxHashSet<Letter>,
}

/// What a block does, as C; inputs without their numbers, which other inputs of the program change.
pub fn statement_text(graph: &SolverGraph<'_>, block: BlockId) -> String {
    let program = graph.program();
    statements::edges(graph, block).map_or_else(
        || "…".into(),
        |edges| {
            let texts = edges.into_iter().map(|edge| match program.edge_op(edge) {
                Op::Havoc(target, _) => format!("{} = input", program.var(*target).name),
                op => printing::export::operation_text(program, op),
            });
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            texts.join("; ")
        },
    )
}

/// Equal for statements of the same operations: functions may stand in another order in the text.
fn key(statement: &str) -> String {
    let mut operations: Vec<&str> = statement.split("; ").collect();
    operations.sort_unstable();
    operations.join("; ")
}

/// An automaton and what made it.
pub struct Named<'x> {
    pub automaton: &'x DataAutomaton,
    pub origin: &'x str,
}

/// The automata as text.
pub fn write(
    refuter: &mut Refuter<'_>,
    program: &ProgramAutomaton,
    triples: &Triples,
    falsity: ExprId,
    automata: &[Named<'_>],
) -> String {
    let (graph, predicates) = refuter.parts();
    let names = Names::new(graph.program());
    let exprs = &predicates.exprs;
    let mut statements: FxHashMap<Letter, String> = FxHashMap::default();
    let mut text = format!("{HEADING}\n");
    let mut seen: FxHashSet<String> = FxHashSet::default();
    for named in automata.iter().rev().take(MAX_AUTOMATA).rev() {
        let mut numbers: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut part = format!("\nautomaton from {}\n", named.origin);
        for &formula in named
            .automaton
            .predicates
            .iter()
            .filter(|&&one| one != falsity)
        {
            if let Some(said) = names.text(exprs, formula) {
                let number = numbers.len() + 1;
                numbers.insert(formula, number);
                let _ = writeln!(part, "state {number}: {said}");
            }
        }
        let mut lines: Vec<String> = Vec::new();
        for (before, letter, after) in triples_of(named.automaton, triples, program, falsity) {
            let before: Option<Vec<usize>> =
                before.iter().map(|one| numbers.get(one).copied()).collect();
            let after = match after == falsity {
                true => Some("false".to_owned()),
                false => numbers.get(&after).map(usize::to_string),
            };
            let (Some(mut before), Some(after)) = (before, after) else {
                continue;
            };
            before.sort_unstable();
            let statement = statements
                .entry(letter)
                .or_insert_with(|| statement_text(graph, program.block(letter)));
            let before: String = before.iter().map(|number| format!("{number} ")).collect();
            lines.push(format!("{{ {before}}} {statement} {{ {after} }}"));
        }
        lines.sort();
        lines.dedup();
        for line in lines.iter().filter(|line| !line.contains('\n')) {
            let _ = writeln!(part, "{line}");
        }
        if seen.insert(part.clone()) {
            text.push_str(&part);
        }
    }
    text
}

/// The triples of an automaton, as far as they were asked for.
fn triples_of(
    automaton: &DataAutomaton,
    triples: &Triples,
    program: &ProgramAutomaton,
    falsity: ExprId,
) -> Vec<(Vec<ExprId>, Letter, ExprId)> {
    let mut found = Vec::new();
    if let Transitions::Given(transitions) = &automaton.transitions {
        for (&(from, letter), targets) in transitions {
            let is_state = automaton.predicates.contains(&from);
            let before = if is_state { vec![from] } else { Vec::new() };
            if from != falsity {
                found.extend(targets.iter().map(|&to| (before.clone(), letter, to)));
            }
        }
        return found;
    }
    let states: FxHashSet<ExprId> = automaton.predicates.iter().copied().collect();
    let known = match &automaton.transitions {
        Transitions::Kept(kept) => Some(kept),
        _ => None,
    };
    for letter in program.letters() {
        for &after in states.iter().chain([&falsity]) {
            let of_earlier = known.and_then(|kept| kept.before.get(&(letter, after)));
            for before in triples.valid_before(letter, after) {
                // Of what an earlier run found only what holds still.
                let is_asked =
                    known.is_none_or(|kept| !kept.known.contains(&letter)) || of_earlier.is_some();
                if is_asked && before.iter().all(|one| states.contains(one)) {
                    found.push((before.clone(), letter, after));
                }
            }
        }
    }
    found
}

/// An automaton that was read, and what made it.
pub struct Read {
    pub automaton: DataAutomaton,
    pub origin: String,
}

/// The automata of a text, as far as they are about this program.
pub fn read(
    refuter: &mut Refuter<'_>,
    program: &ProgramAutomaton,
    falsity: ExprId,
    text: &str,
) -> Vec<Read> {
    if !text.starts_with(HEADING) {
        return Vec::new();
    }
    let (graph, predicates) = refuter.parts();
    let names = Names::new(graph.program());
    let mut letters: FxHashMap<String, Vec<Letter>> = FxHashMap::default();
    for letter in program.letters() {
        let statement = statement_text(graph, program.block(letter));
        letters.entry(key(&statement)).or_default().push(letter);
    }
    let mut found = Vec::new();
    for part in text.split("\nautomaton from ").skip(1).take(MAX_AUTOMATA) {
        let mut lines = part.lines();
        let origin = lines.next().unwrap_or_default().to_owned();
        let mut states: FxHashMap<&str, ExprId> = FxHashMap::from_iter([("false", falsity)]);
        let mut kept = KeptTriples::default();
        for line in lines {
            if let Some((number, said)) = line
                .strip_prefix("state ")
                .and_then(|rest| rest.split_once(": "))
            {
                let whole = graph.program();
                if let Some(formula) = names.read(whole, &mut predicates.exprs, said) {
                    states.insert(number, formula);
                }
                continue;
            }
            let Some((before, statement, after)) = triple(line) else {
                continue;
            };
            let here = letters.get(&key(statement)).map_or(&[][..], Vec::as_slice);
            kept.known.extend(here);
            let before: Option<Vec<ExprId>> = before
                .split_whitespace()
                .map(|number| states.get(number).copied())
                .collect();
            let (Some(mut before), Some(&after)) = (before, states.get(after)) else {
                continue;
            };
            before.sort_unstable();
            before.dedup();
            for &letter in here {
                let sets = kept.before.entry((letter, after)).or_default();
                sets.push(before.clone());
            }
        }
        let mut predicates: Vec<ExprId> = states.into_values().collect();
        predicates.sort_unstable();
        predicates.dedup();
        found.push(Read {
            automaton: DataAutomaton {
                predicates,
                transitions: Transitions::Kept(kept),
            },
            origin,
        });
    }
    found
}

/// The parts of `{ 1 2 } statement { 3 }`.
fn triple(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.strip_prefix('{')?.split_once("} ")?;
    let (statement, after) = rest.strip_suffix(" }")?.rsplit_once(" { ")?;
    Some((before, statement, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_triples() {
        let line = "{ 1 2 } x = input; [x < 3] { 4 }";
        assert_eq!(triple(line), Some((" 1 2 ", "x = input; [x < 3]", "4")));
        assert_eq!(
            triple("{ } print \"{ } a\" { false }"),
            Some((" ", "print \"{ } a\"", "false"))
        );
        assert_eq!(triple("state 1: true"), None);
        assert_eq!(triple("{ 1 } x = 0"), None);
    }

    #[test]
    fn the_order_of_functions_is_no_difference() {
        assert_eq!(key("a = 1; b = 2"), key("b = 2; a = 1"));
        assert_ne!(key("a = 1; b = 2"), key("a = 1; b = 3"));
    }
}
