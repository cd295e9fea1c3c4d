//! Certificates for a program from those for the program that passes prepared from it.

use crate::certificate::{AnnotatedGraph, AnnotatedNode, Certificate, InputValue, KInduction};
use cfa::op::Op;
use cfa::order::Order;
use cfa::passes::{Prepared, Statement};
use cfa::place::CallPattern;
use cfa::program::{EdgeId, FuncId, LocId, Program};
use rustc_hash::FxHashSet;
use std::time::Instant;

/// The certificate's claim about the given program. `None` if the certificate is about the prepared program alone:
/// bounds, for the given program may have loops that lead to no error and have no bound.
pub fn carry_back(
    given: &Program,
    prepared: &Prepared,
    certificate: &Certificate,
    deadline: Option<Instant>,
) -> Option<Certificate> {
    Some(match certificate {
        Certificate::Inputs(values) => {
            let values = values
                .iter()
                .map(|value| (value.input, value.ty, value.bits));
            let values: Vec<_> = values.collect();
            let run = prepared.inputs_before(given, &values, deadline);
            let inputs = run.inputs.iter();
            let inputs = inputs.map(|&(input, ty, bits)| InputValue { input, ty, bits });
            Certificate::Inputs(inputs.collect())
        }
        Certificate::Graph(graph) => Certificate::Graph(carry_graph(prepared, graph)),
        Certificate::KInduction(claim) => Certificate::KInduction(KInduction {
            depth: claim.depth,
            support: carry_graph(prepared, &with_all_heads(&prepared.program, &claim.support)),
        }),
        Certificate::CompleteUnrolling(_) | Certificate::DeterministicRun { .. } => return None,
    })
}

fn carry_graph(prepared: &Prepared, graph: &AnnotatedGraph) -> AnnotatedGraph {
    let contexts = contexts(&prepared.program);
    let nodes = graph.nodes.iter().flat_map(|node| {
        let function = prepared.program.location(node.location).function;
        let calls = match (&node.calls, &contexts) {
            // What callers knew can be said only of a call that is known.
            (CallPattern::Any, Some(contexts)) => {
                let strings = contexts[function.0 as usize].iter().cloned();
                strings.map(CallPattern::Exactly).collect()
            }
            (calls, _) => vec![calls.clone()],
        };
        calls.into_iter().map(|calls| Statement {
            calls,
            location: node.location,
            holds: node.invariant,
        })
    });
    let nodes: Vec<Statement> = nodes.collect();
    let (pool, statements) = prepared.statements_before(&graph.pool, &nodes);
    let nodes = statements.into_iter().map(|statement| AnnotatedNode {
        calls: statement.calls,
        location: statement.location,
        invariant: statement.holds,
    });
    AnnotatedGraph {
        pool,
        nodes: nodes.collect(),
    }
}

/// Call strings of a whole program beyond which they are not told apart.
const MOST_CONTEXTS: usize = 2_000;

/// For each function all call strings that lead to it; `None` if there is no end of them, or too many.
fn contexts(program: &Program) -> Option<Vec<Vec<Vec<EdgeId>>>> {
    let mut calls: Vec<Vec<(EdgeId, FuncId)>> = vec![Vec::new(); program.functions.len()];
    for (edge, number) in program.edges.iter().zip(0..) {
        if let Op::Call { function, .. } = program.op(edge.op) {
            let caller = program.location(edge.source).function;
            calls[caller.0 as usize].push((EdgeId(number), *function));
        }
    }
    let mut found = vec![Vec::new(); program.functions.len()];
    let mut count = 0;
    let mut work = vec![(program.entry, Vec::new())];
    while let Some((function, string)) = work.pop() {
        count += 1;
        // A string that is longer than there are functions goes round.
        if count > MOST_CONTEXTS || string.len() > program.functions.len() {
            return None;
        }
        for &(edge, callee) in &calls[function.0 as usize] {
            work.push((callee, [&string[..], &[edge]].concat()));
        }
        found[function.0 as usize].push(string);
    }
    Some(found)
}

/// What passes knew is said at all loop heads; so there must be something that they can be added to.
fn with_all_heads(program: &Program, graph: &AnnotatedGraph) -> AnnotatedGraph {
    let mut graph = graph.clone();
    let has: FxHashSet<LocId> = graph.nodes.iter().map(|node| node.location).collect();
    let invariant = graph.pool.bool_constant(true);
    for number in 0..program.functions.len() as u32 {
        let heads = Order::of(program, FuncId(number))
            .loops
            .into_iter()
            .map(|one| one.head);
        for location in heads.filter(|head| !has.contains(head)) {
            graph.nodes.push(AnnotatedNode {
                calls: CallPattern::Any,
                location,
                invariant,
            });
        }
    }
    graph
}
