//! Certificates for a program from those for the program that passes prepared from it.

use crate::certificate::{
    AnnotatedGraph, AnnotatedNode, Certificate, InputValue, KInduction, Rest,
};
use crate::invariants::{Facts, Invariant, InvariantMap};
use cfa::order::{Order, loop_heads};
use cfa::passes::{Prepared, Statement};
use cfa::place::{CallPattern, call_strings};
use cfa::program::{FuncId, LocId, Program};
use rustc_hash::FxHashSet;
use std::sync::Arc;
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
        Certificate::KInduction(claim) if claim.rest == Rest::Nothing => {
            Certificate::KInduction(KInduction {
                depth: depth_before(given, &prepared.program, claim.depth),
                support: AnnotatedGraph {
                    pool: given.pool.clone(),
                    nodes: Vec::new(),
                },
                rest: Rest::Nothing,
            })
        }
        Certificate::KInduction(claim) => Certificate::KInduction(KInduction {
            depth: claim.depth,
            rest: claim.rest,
            support: carry_graph(prepared, &with_all_heads(&prepared.program, &claim.support)),
        }),
        // Prophecies are of places and expressions that the given program has otherwise.
        Certificate::CompleteUnrolling(_)
        | Certificate::DeterministicRun { .. }
        | Certificate::Prophecy(_) => return None,
    })
}

/// How many loop heads executions of the given program pass on their way to an error, if those of the prepared one pass
/// so many. Loops that passes removed lead to none, but one that was merged with another may count apart; whether so
/// much is enough, the checker finds out.
fn depth_before(given: &Program, prepared: &Program, depth: u32) -> u32 {
    let removed = loop_heads(given).len() > loop_heads(prepared).len();
    match removed {
        true => depth.saturating_mul(8).saturating_add(32),
        false => depth,
    }
}

/// What was proved of the prepared program, as statements about the given one.
pub fn carry_facts(prepared: &Prepared, facts: &Facts) -> Facts {
    let maps = facts.maps.iter().map(|map| {
        let nodes = map.entries.iter().map(|entry| AnnotatedNode {
            calls: entry.calls.clone(),
            location: entry.location,
            invariant: entry.holds,
        });
        let graph = AnnotatedGraph {
            pool: map.pool.clone(),
            nodes: nodes.collect(),
        };
        let AnnotatedGraph { pool, nodes } = carry_graph(prepared, &graph);
        let entries = nodes.into_iter().map(|node| Invariant {
            calls: node.calls,
            location: node.location,
            holds: node.invariant,
        });
        Arc::new(InvariantMap {
            by: map.by.clone(),
            pool,
            entries: entries.collect(),
        })
    });
    Facts {
        maps: maps.collect(),
        times: facts.times.clone(),
    }
}

fn carry_graph(prepared: &Prepared, graph: &AnnotatedGraph) -> AnnotatedGraph {
    let contexts = call_strings(&prepared.program);
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
