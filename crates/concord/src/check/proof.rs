//! A proof as a graph for the report: the places that the certificate speaks about, what holds
//! there, and which of them executions come to next.

use super::program_report::Files;
use cfa::expr::{BinOp, ExprId, ExprPool, Node};
use cfa::place::{CallPattern, Place, callee};
use cfa::program::{EdgeId, LocId, Program};
use facts::certificate::{AnnotatedGraph, AnnotatedNode, Certificate};
use printing::export::expression_text_in;
use report::check::{ProofNode, ProofShown};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Nodes that are shown, and places that are looked at between one and the next.
const MAX_NODES: usize = 200;
const MAX_PLACES: usize = 4000;
/// Parts of a conjunction that are shown.
const MAX_PARTS: usize = 12;

/// The proof's graph; none for a certificate that annotates nothing.
pub fn shown(program: &Program, files: &Files, certificate: &Certificate) -> Option<ProofShown> {
    let graph = match certificate {
        Certificate::Graph(graph) => graph,
        Certificate::KInduction(induction) => &induction.support,
        _ => return None,
    };
    if graph.nodes.is_empty() {
        return None;
    }
    let nodes = &graph.nodes[..graph.nodes.len().min(MAX_NODES)];
    let start = ProofNode {
        location: program.function(program.entry).entry.0,
        function: program.function_name(program.entry).to_owned(),
        calls: Vec::new(),
        at: None,
        text: "start".into(),
    };
    let mut shown = vec![start];
    shown.extend(
        nodes
            .iter()
            .map(|node| of_node(program, files, graph, node)),
    );
    let mut by_location: FxHashMap<LocId, Vec<(u32, &CallPattern)>> = FxHashMap::default();
    for (index, node) in nodes.iter().enumerate() {
        let here = by_location.entry(node.location).or_default();
        here.push((index as u32, &node.calls));
    }
    let mut edges = Vec::new();
    let entry = Place::entry(program);
    let begin = Walker::new(program, entry.calls, true, entry.location);
    edges.extend(begin.next(&by_location).into_iter().map(|to| (0, to + 1)));
    for (from, node) in nodes.iter().enumerate() {
        let (calls, is_exact) = match &node.calls {
            CallPattern::Any => (Vec::new(), false),
            CallPattern::Exactly(calls) => (calls.clone(), true),
        };
        let walker = Walker::new(program, calls, is_exact, node.location);
        let next = walker.next(&by_location);
        edges.extend(next.into_iter().map(|to| (from as u32 + 1, to + 1)));
    }
    Some(ProofShown {
        left_out: graph.nodes.len() - nodes.len(),
        nodes: shown,
        edges,
    })
}

fn of_node(
    program: &Program,
    files: &Files,
    graph: &AnnotatedGraph,
    node: &AnnotatedNode,
) -> ProofNode {
    let location = program.location(node.location);
    let calls = match &node.calls {
        CallPattern::Any => &[][..],
        CallPattern::Exactly(calls) => calls,
    };
    ProofNode {
        location: node.location.0,
        function: program.function_name(location.function).to_owned(),
        calls: calls
            .iter()
            .filter_map(|&call| callee(program, call))
            .map(|function| program.function_name(function).to_owned())
            .collect(),
        at: files.line(program, location.span),
        text: statement(program, &graph.pool, node.invariant),
    }
}

/// A statement as text: the parts of a conjunction, the shortest first, because they say most to a
/// reader.
pub fn statement(program: &Program, pool: &ExprPool, root: ExprId) -> String {
    let (mut parts, mut open, mut seen) = (Vec::new(), vec![root], FxHashSet::default());
    while let Some(id) = open.pop() {
        if seen.len() > MAX_PLACES || !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Binary(BinOp::BoolAnd, a, b) => open.extend([b, a]),
            _ => parts.push(expression_text_in(program, pool, id)),
        }
    }
    parts.sort_by_key(String::len);
    let count = parts.len();
    parts.truncate(MAX_PARTS);
    let mut text: Vec<String> = parts
        .into_iter()
        .map(|part| match part.contains(" || ") || part.contains(" ? ") {
            true if count > 1 => format!("({part})"),
            _ => part,
        })
        .collect();
    if count > MAX_PARTS {
        text.push(format!("… {} more", count - MAX_PARTS));
    }
    text.join(" && ")
}

/// Goes from a place along all edges until it meets annotated places.
struct Walker<'a> {
    program: &'a Program,
    start: (Vec<EdgeId>, bool, LocId),
}

impl<'a> Walker<'a> {
    /// `is_exact`: the calls are all that are open, not only the innermost ones.
    fn new(program: &'a Program, calls: Vec<EdgeId>, is_exact: bool, location: LocId) -> Self {
        Walker {
            program,
            start: (calls, is_exact, location),
        }
    }

    /// Indices of the nodes that it meets first.
    fn next(self, nodes: &FxHashMap<LocId, Vec<(u32, &CallPattern)>>) -> BTreeSet<u32> {
        let mut met = BTreeSet::new();
        let mut seen = FxHashSet::default();
        let mut open = self.after(&self.start);
        while let Some(place) = open.pop() {
            if seen.len() > MAX_PLACES || !seen.insert(place.clone()) {
                continue;
            }
            let (calls, is_exact, location) = &place;
            let here = nodes.get(location).into_iter().flatten();
            let covering = here.filter(|(_, pattern)| match pattern {
                CallPattern::Any => true,
                CallPattern::Exactly(these) if *is_exact => these == calls,
                CallPattern::Exactly(these) => these.ends_with(calls),
            });
            let mut is_covered = false;
            for &(index, _) in covering {
                met.insert(index);
                is_covered = true;
            }
            if !is_covered {
                open.extend(self.after(&place));
            }
        }
        met
    }

    fn after(
        &self,
        (calls, is_exact, location): &(Vec<EdgeId>, bool, LocId),
    ) -> Vec<(Vec<EdgeId>, bool, LocId)> {
        let program = self.program;
        let here = program.location(*location);
        let mut next = Vec::new();
        for &edge in &here.outgoing {
            match callee(program, edge) {
                Some(function) => {
                    let mut deeper = calls.clone();
                    deeper.push(edge);
                    next.push((deeper, *is_exact, program.function(function).entry));
                }
                None => next.push((calls.clone(), *is_exact, program.edge(edge).target)),
            }
        }
        if *location == program.function(here.function).exit {
            match calls.split_last() {
                Some((&call, below)) => {
                    next.push((below.to_vec(), *is_exact, program.edge(call).target));
                }
                None if *is_exact => {}
                // Whoever called: all calls of the function come into question.
                None => {
                    for number in 0..program.edges.len() as u32 {
                        if callee(program, EdgeId(number)) == Some(here.function) {
                            let target = program.edge(EdgeId(number)).target;
                            next.push((Vec::new(), false, target));
                        }
                    }
                }
            }
        }
        next
    }
}
