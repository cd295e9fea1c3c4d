//! Loop invariants for people: what a proof or facts say at the loops of the source text, as C.
//!
//! A loop is shown with what holds whenever an execution is there. Proofs and facts speak of
//! places, which are locations with the calls that lead to them, so only what they say for all
//! these calls is an invariant of the loop: where they say nothing for one of them, nothing is
//! known; where they say that no execution comes by one, it does not count.

use super::message::Invariant;
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use cfa::order::loop_heads;
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId, LocationKind, Program};
use encoding::step::Encoder;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::invariants::Facts;
use logic::Term;
use lowering::Tree;
use portfolio::call_strings::CallStrings;
use printing::print_c;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::time::Duration;

/// More statements than this are not sifted, and longer ones not shown.
const MAX_SIFTED: usize = 80;
const LONGEST: usize = 160;
const MAX_SHOWN: usize = 12;

/// The invariants of a proof.
pub fn of_certificate(
    tree: &Tree,
    program: &Program,
    certificate: &Certificate,
    sifting: Duration,
) -> Vec<Invariant> {
    let graph: &AnnotatedGraph = match certificate {
        Certificate::Graph(graph) => graph,
        Certificate::KInduction(induction) => &induction.support,
        _ => return Vec::new(),
    };
    let contexts = CallStrings::of(program);
    let known = known_of_graph(program, &contexts, graph);
    show(tree, program, &contexts, &known, true, sifting)
}

/// The invariants that were published; `certified` says whether the checker has found all of them
/// to hold.
pub fn of_facts(
    tree: &Tree,
    program: &Program,
    facts: &Facts,
    certified: bool,
    sifting: Duration,
) -> Vec<Invariant> {
    if facts.maps.is_empty() {
        return Vec::new();
    }
    let contexts = CallStrings::of(program);
    let known = known_of_facts(program, &contexts, facts);
    show(tree, program, &contexts, &known, certified, sifting)
}

/// Statements that hold at locations, whatever the calls.
struct Known {
    pool: ExprPool,
    /// At other locations nothing is known.
    at: BTreeMap<LocId, Common>,
}

/// What several conjunctions have in common; that of none is everything.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Common {
    Everything,
    Parts(Vec<ExprId>),
}

impl Common {
    fn meet(&mut self, other: &Common) {
        match (&mut *self, other) {
            (_, Common::Everything) => {}
            (Common::Everything, parts) => *self = parts.clone(),
            (Common::Parts(parts), Common::Parts(others)) => {
                let others: FxHashSet<ExprId> = others.iter().copied().collect();
                parts.retain(|part| others.contains(part));
            }
        }
    }

    fn all(list: impl IntoIterator<Item = Common>) -> Common {
        list.into_iter().fold(Common::Everything, |mut all, one| {
            all.meet(&one);
            all
        })
    }

    /// The conjunction of the statements: everything, if one of them is false.
    fn conjunction(pool: &ExprPool, statements: impl IntoIterator<Item = ExprId>) -> Common {
        let mut found = Vec::new();
        let mut stack: Vec<ExprId> = statements.into_iter().collect();
        stack.reverse();
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match pool.node(id) {
                Node::Binary(BinOp::BoolAnd, a, b) => stack.extend([b, a]),
                // Where the false holds, no execution is.
                Node::Const(0) => return Common::Everything,
                Node::Const(_) => {}
                _ => found.push(id),
            }
        }
        Common::Parts(found)
    }

    fn nothing() -> Common {
        Common::Parts(Vec::new())
    }
}

/// Of the nodes that speak of a place one holds.
fn known_of_graph(program: &Program, contexts: &CallStrings, graph: &AnnotatedGraph) -> Known {
    let mut nodes: BTreeMap<LocId, Vec<(&CallPattern, Common)>> = BTreeMap::new();
    for node in &graph.nodes {
        let parts = Common::conjunction(&graph.pool, [node.invariant]);
        let here = nodes.entry(node.location).or_default();
        here.push((&node.calls, parts));
    }
    let one_of = |nodes: &[(&CallPattern, Common)], is_there: &dyn Fn(&CallPattern) -> bool| {
        let mut there = nodes.iter().filter(|(calls, _)| is_there(calls)).peekable();
        match there.peek() {
            Some(_) => Common::all(there.map(|(_, parts)| parts.clone())),
            None => Common::nothing(),
        }
    };
    let at = nodes.into_iter().map(|(location, nodes)| {
        let parts = match contexts.strings(program, location) {
            Some(strings) => {
                let strings = strings.iter();
                Common::all(strings.map(|string| one_of(&nodes, &|calls| calls.matches(string))))
            }
            None if nodes.iter().any(|(calls, _)| **calls == CallPattern::Any) => {
                one_of(&nodes, &|_| true)
            }
            None => Common::nothing(),
        };
        (location, parts)
    });
    Known {
        at: at.collect(),
        pool: graph.pool.clone(),
    }
}

/// Of the entries that speak of a place all hold.
fn known_of_facts(program: &Program, contexts: &CallStrings, facts: &Facts) -> Known {
    let mut pool = ExprPool::default();
    let mut entries: BTreeMap<LocId, Vec<(&CallPattern, ExprId)>> = BTreeMap::new();
    for map in &facts.maps {
        for entry in &map.entries {
            let holds = pool.import(&map.pool, entry.holds);
            let here = entries.entry(entry.location).or_default();
            here.push((&entry.calls, holds));
        }
    }
    let at = entries.into_iter().map(|(location, entries)| {
        let all_of = |is_there: &dyn Fn(&CallPattern) -> bool| {
            let there = entries.iter().filter(|(calls, _)| is_there(calls));
            Common::conjunction(&pool, there.map(|&(_, holds)| holds))
        };
        let parts = match contexts.strings(program, location) {
            Some(strings) => {
                let strings = strings.iter();
                Common::all(strings.map(|string| all_of(&|calls| calls.matches(string))))
            }
            None => all_of(&|calls| *calls == CallPattern::Any),
        };
        (location, parts)
    });
    Known {
        at: at.collect(),
        pool,
    }
}

/// The heads of loops that are in the text, by where they begin there. Heads of several loops may
/// begin at one place (a macro may write more than one): what is said there is said of all of them.
fn heads_by_place(program: &Program) -> BTreeMap<(bool, u32), Vec<LocId>> {
    let heads = loop_heads(program);
    let mut places: BTreeMap<(bool, u32), Vec<LocId>> = BTreeMap::new();
    for number in 0..program.locations.len() as u32 {
        let location = program.location(LocId(number));
        let is_loop = location.kind == LocationKind::LoopHead;
        let is_head = is_loop || heads.contains(&LocId(number));
        if is_head
            && !location.span.is_none()
            && !program.function(location.function).is_library_model
        {
            let here = places.entry((!is_loop, location.span.lo)).or_default();
            here.push(LocId(number));
        }
    }
    places
}

fn show(
    tree: &Tree,
    program: &Program,
    contexts: &CallStrings,
    known: &Known,
    certified: bool,
    sifting: Duration,
) -> Vec<Invariant> {
    let budget = Budget::new(Some(sifting), None);
    let mut shown = Vec::new();
    for ((by_jump, offset), heads) in heads_by_place(program) {
        let there = heads.iter().map(|head| known.at.get(head).cloned());
        let parts = match Common::all(there.map(|at| at.unwrap_or_else(Common::nothing))) {
            Common::Parts(parts) if !parts.is_empty() => parts,
            _ => continue,
        };
        let location = heads[0];
        let (Some(scope), Some(place)) = (
            print_c::scope_of(program, location),
            program.sources.place(offset),
        ) else {
            continue;
        };
        let printer = print_c::Printer::new(tree, program, scope);
        let mut texts: Vec<(String, ExprId)> = Vec::new();
        for part in parts {
            if let Some(text) = printer.print(&known.pool, part)
                && text.len() <= LONGEST
                && texts.iter().all(|(known, _)| *known != text)
            {
                texts.push((text, part));
            }
        }
        let calls = contexts.strings(program, location);
        let calls = calls.and_then(<[_]>::first).map_or(&[][..], Vec::as_slice);
        let texts = sift(program, &known.pool, texts, calls, &budget);
        if texts.is_empty() {
            continue;
        }
        let text: Vec<String> = texts
            .into_iter()
            .take(MAX_SHOWN)
            .map(|text| {
                if text.contains("||") || text.contains('?') {
                    format!("({text})")
                } else {
                    text
                }
            })
            .collect();
        let function = program.location(location).function;
        shown.push(Invariant {
            file: place.file.to_string(),
            line: place.line,
            column: place.column,
            function: program.function_name(function).to_string(),
            text: text.join(" && "),
            certified,
            by_jump,
        });
    }
    // As in the text, whoever makes the loop.
    shown.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    shown
}

/// Leaves out what follows from the rest, long statements first.
fn sift(
    program: &Program,
    pool: &ExprPool,
    mut texts: Vec<(String, ExprId)>,
    calls: &[EdgeId],
    budget: &Budget,
) -> Vec<String> {
    // Equalities say most; among equals short statements come first.
    let rank = |text: &str| (!text.contains(" == ") || text.contains("||"), text.len());
    texts.sort_by(|(a, _), (b, _)| (rank(a), a).cmp(&(rank(b), b)));
    if texts.len() <= MAX_SIFTED && texts.len() > 1 {
        let mut encoder = Encoder::new(program);
        let state = encoder.arbitrary("shown", calls);
        let terms: Vec<Option<Term>> = texts
            .iter()
            .map(|(_, part)| encoder.holds(&state, pool, *part).ok())
            .collect();
        let mut solver = budget.make_solver(0);
        let mut kept: Vec<bool> = vec![true; texts.len()];
        for number in (0..texts.len()).rev() {
            let Some(this) = terms[number] else { continue };
            let mut others: Vec<Term> = (0..texts.len())
                .filter(|&other| other != number && kept[other])
                .filter_map(|other| terms[other])
                .collect();
            others.push(encoder.pool.not(this));
            kept[number] = !solver.check(&mut encoder.pool, &others).is_unsat();
        }
        let mut kept = kept.into_iter();
        texts.retain(|_| kept.next() == Some(true));
    }
    texts.into_iter().map(|(text, _)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::expr::VarId;
    use facts::certificate::AnnotatedNode;
    use facts::invariants::{Invariant as Entry, InvariantMap};
    use portfolio::case::Case;
    use std::sync::Arc;

    /// One loop, and two calls that lead to it.
    const TEXT: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);
        void f(unsigned n) { while (__VERIFIER_nondet_int()) n = n * 3; if (n == 7) reach_error(); }
        int main(void) { f(0); f(__VERIFIER_nondet_int()); return 0; }";

    struct Place {
        case: Case,
        head: LocId,
        calls: [CallPattern; 2],
        pool: ExprPool,
        /// `n == 0`, `n <= 9`, and that no execution is there.
        zero: ExprId,
        small: ExprId,
        never: ExprId,
    }

    /// The calls that lead to `main`: the program's own start may be another function.
    fn calls_of_main(program: &Program) -> Vec<EdgeId> {
        let entries = program.functions.iter();
        let mut named = entries.filter(|function| program.names.get(function.name) == "main");
        let main = named.next().expect("there is a main").entry;
        let contexts = CallStrings::of(program);
        let strings = contexts.strings(program, main);
        strings.expect("main calls itself not")[0].clone()
    }

    impl Place {
        fn new(text: &str) -> Place {
            let case = Case::of_text(text).expect("a correct program");
            let program = &case.views.split;
            let number = program.vars.iter().position(|var| var.name == "n");
            let n = VarId(number.expect("there is an n") as u32);
            let head = (0..program.locations.len() as u32)
                .map(LocId)
                .find(|&at| program.location(at).kind == LocationKind::LoopHead)
                .expect("there is a loop");
            let function = program.location(head).function;
            let outer = calls_of_main(program);
            let mut calls = (0..program.edges.len() as u32)
                .map(EdgeId)
                .filter(|&edge| cfa::place::callee(program, edge) == Some(function));
            let mut next = || {
                let call = calls.next().expect("there are two");
                CallPattern::Exactly([&outer[..], &[call]].concat())
            };
            let calls = [next(), next()];
            let mut pool = program.pool.clone();
            let ty = program.var(n).ty;
            let variable = pool.variable(n, ty);
            let (nought, nine) = (pool.constant(0, ty), pool.constant(9, ty));
            let zero = pool.eq(variable, nought);
            let small = pool.le(variable, nine);
            let never = pool.bool_constant(false);
            Place {
                head,
                calls,
                zero,
                small,
                never,
                pool,
                case,
            }
        }

        fn both(&self) -> (ExprPool, ExprId) {
            let mut pool = self.pool.clone();
            let both = pool.and(self.zero, self.small);
            (pool, both)
        }

        /// What is known at the loop by a graph and by facts that say the same.
        fn known(&self, pool: &ExprPool, said: &[(&CallPattern, ExprId)]) -> (Common, Common) {
            let program = &self.case.views.split;
            let contexts = CallStrings::of(program);
            let nodes = said.iter().map(|&(calls, invariant)| AnnotatedNode {
                calls: calls.clone(),
                location: self.head,
                invariant,
            });
            let graph = AnnotatedGraph {
                pool: pool.clone(),
                nodes: nodes.collect(),
            };
            let of_graph = known_of_graph(program, &contexts, &graph);
            let entries = said.iter().map(|&(calls, holds)| Entry {
                calls: calls.clone(),
                location: self.head,
                holds,
            });
            let map = InvariantMap {
                by: "test".into(),
                pool: pool.clone(),
                entries: entries.collect(),
            };
            let facts = Facts {
                maps: vec![Arc::new(map)],
                ..Facts::default()
            };
            let of_facts = known_of_facts(program, &contexts, &facts);
            // The facts lie in a pool of their own.
            let of_facts = match &of_facts.at[&self.head] {
                Common::Everything => Common::Everything,
                Common::Parts(parts) => {
                    let mut own = pool.clone();
                    let parts = parts.iter().map(|&part| own.import(&of_facts.pool, part));
                    Common::Parts(parts.collect())
                }
            };
            (of_graph.at[&self.head].clone(), of_facts)
        }

        fn is(&self, said: &[(&CallPattern, ExprId)], wanted: &[ExprId]) {
            let (pool, _) = self.both();
            let (of_graph, of_facts) = self.known(&pool, said);
            let wanted = Common::Parts(wanted.to_vec());
            assert_eq!(of_graph, wanted, "{said:?}");
            assert_eq!(of_facts, wanted, "{said:?}");
        }
    }

    #[test]
    fn what_holds_behind_one_call_only_is_no_invariant() {
        let at = Place::new(TEXT);
        let [first, second] = &at.calls;
        let (_, both) = at.both();
        at.is(&[(first, at.zero)], &[]);
        at.is(&[(first, at.zero), (second, at.small)], &[]);
        at.is(&[(first, both), (second, at.small)], &[at.small]);
        at.is(&[(first, both), (second, both)], &[at.zero, at.small]);
        at.is(&[(&CallPattern::Any, both)], &[at.zero, at.small]);
    }

    #[test]
    fn a_call_by_which_no_execution_comes_does_not_count() {
        let at = Place::new(TEXT);
        let [first, second] = &at.calls;
        at.is(&[(first, at.zero), (second, at.never)], &[at.zero]);
        let (pool, _) = at.both();
        let never = at.known(&pool, &[(first, at.never), (second, at.never)]);
        assert_eq!(never, (Common::Everything, Common::Everything));
    }

    #[test]
    fn of_nodes_one_holds_and_of_entries_all() {
        let at = Place::new(TEXT);
        let [first, second] = &at.calls;
        let (pool, both) = at.both();
        let said = [
            (first, at.zero),
            (first, at.small),
            (first, at.never),
            (second, both),
        ];
        let (of_graph, _) = at.known(&pool, &said);
        assert_eq!(of_graph, Common::nothing());
        let (_, of_facts) = at.known(&pool, &[said[0], said[1], said[3]]);
        assert_eq!(of_facts, Common::Parts(vec![at.zero, at.small]));
    }

    #[test]
    fn where_there_is_no_end_of_calls_only_what_is_said_of_all_counts() {
        let text = TEXT.replace("if (n == 7)", "if (n == 8) f(n); if (n == 7)");
        let at = Place::new(&text);
        let [first, _] = &at.calls;
        at.is(&[(first, at.zero)], &[]);
        at.is(&[(&CallPattern::Any, at.small)], &[at.small]);
    }
}
