//! Loop invariants for people: what a proof says at the loops of the source text, as C.

use super::message::Invariant;
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use cfa::lower::Tree;
use cfa::place::CallPattern;
use cfa::print_c;
use cfa::program::{EdgeId, LocId, Program};
use encoding::step::Encoder;
use facts::budget::Budget;
use facts::certificate::{AnnotatedGraph, Certificate};
use facts::invariants::Facts;
use logic::Term;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::time::Duration;

/// More statements than this are not sifted, and longer ones not shown.
const MOST_SIFTED: usize = 80;
const LONGEST: usize = 160;
const MOST_SHOWN: usize = 12;

/// Statements that hold at a location, whatever the calls; each with the pool that it lies in.
type Statements<'a> = BTreeMap<LocId, Vec<(&'a ExprPool, ExprId)>>;

/// The invariants of a proof.
pub fn of_certificate(tree: &Tree, program: &Program, certificate: &Certificate) -> Vec<Invariant> {
    let graph: &AnnotatedGraph = match certificate {
        Certificate::Graph(graph) => graph,
        Certificate::KInduction(induction) => &induction.support,
        _ => return Vec::new(),
    };
    let mut at: BTreeMap<LocId, Vec<ExprId>> = BTreeMap::new();
    for node in &graph.nodes {
        at.entry(node.location).or_default().push(node.invariant);
    }
    let mut statements = Statements::new();
    for (location, nodes) in at {
        let common = common_conjuncts(&graph.pool, &nodes);
        statements.insert(
            location,
            common.into_iter().map(|part| (&graph.pool, part)).collect(),
        );
    }
    let calls = graph.nodes.iter().map(|node| (node.location, &node.calls));
    show(tree, program, &statements, &calls.collect())
}

/// The invariants that were published before the time was up.
pub fn of_facts(tree: &Tree, program: &Program, facts: &Facts) -> Vec<Invariant> {
    let mut statements = Statements::new();
    let mut calls = BTreeMap::new();
    for map in &facts.maps {
        let mut at: BTreeMap<LocId, Vec<ExprId>> = BTreeMap::new();
        for entry in &map.entries {
            at.entry(entry.location).or_default().push(entry.holds);
            calls.insert(entry.location, &entry.calls);
        }
        for (location, entries) in at {
            let common = common_conjuncts(&map.pool, &entries);
            let known = statements.entry(location).or_default();
            known.extend(common.into_iter().map(|part| (&map.pool, part)));
        }
    }
    show(tree, program, &statements, &calls)
}

/// What all of the statements say.
fn common_conjuncts(pool: &ExprPool, statements: &[ExprId]) -> Vec<ExprId> {
    let mut lists = statements
        .iter()
        .map(|&statement| conjuncts(pool, statement));
    let Some(first) = lists.next() else {
        return Vec::new();
    };
    lists.fold(first, |common, list| {
        let list: FxHashSet<ExprId> = list.into_iter().collect();
        common
            .into_iter()
            .filter(|part| list.contains(part))
            .collect()
    })
}

fn conjuncts(pool: &ExprPool, root: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match pool.node(id) {
            Node::Binary(BinOp::BoolAnd, a, b) => stack.extend([b, a]),
            Node::Const(_) => {}
            _ => found.push(id),
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|part| seen.insert(*part));
    found
}

fn show(
    tree: &Tree,
    program: &Program,
    statements: &Statements<'_>,
    calls: &BTreeMap<LocId, &CallPattern>,
) -> Vec<Invariant> {
    let budget = Budget::new(Some(Duration::from_millis(400)), None);
    let mut shown = Vec::new();
    for (&location, parts) in statements {
        let function = program.location(location).function;
        if program.function(function).is_library_model {
            continue;
        }
        let (Some(scope), Some(place)) = (
            print_c::scope_of(program, location),
            program.sources.place(program.location(location).span.lo),
        ) else {
            continue;
        };
        let printer = tree.printer(program, scope);
        let mut texts: Vec<(String, (&ExprPool, ExprId))> = Vec::new();
        for &(pool, part) in parts {
            if let Some(text) = printer.print(pool, part)
                && text.len() <= LONGEST
                && texts.iter().all(|(known, _)| *known != text)
            {
                texts.push((text, (pool, part)));
            }
        }
        let calls = match calls.get(&location) {
            Some(CallPattern::Exactly(calls)) => calls.clone(),
            _ => Vec::new(),
        };
        let texts = sift(program, texts, &calls, &budget);
        if texts.is_empty() {
            continue;
        }
        let text: Vec<String> = texts
            .into_iter()
            .take(MOST_SHOWN)
            .map(|text| {
                if text.contains("||") || text.contains('?') {
                    format!("({text})")
                } else {
                    text
                }
            })
            .collect();
        shown.push(Invariant {
            file: place.file.to_string(),
            line: place.line,
            column: place.column,
            function: program.function_name(function).to_string(),
            text: text.join(" && "),
        });
    }
    shown
}

/// Leaves out what follows from the rest, long statements first.
fn sift(
    program: &Program,
    mut texts: Vec<(String, (&ExprPool, ExprId))>,
    calls: &[EdgeId],
    budget: &Budget,
) -> Vec<String> {
    // Equalities say most; among equals short statements come first.
    let rank = |text: &str| (!text.contains(" == ") || text.contains("||"), text.len());
    texts.sort_by(|(a, _), (b, _)| (rank(a), a).cmp(&(rank(b), b)));
    if texts.len() <= MOST_SIFTED && texts.len() > 1 {
        let mut encoder = Encoder::new(program);
        let state = encoder.arbitrary("shown", calls);
        let terms: Vec<Option<Term>> = texts
            .iter()
            .map(|(_, (pool, part))| encoder.holds(&state, pool, *part).ok())
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
