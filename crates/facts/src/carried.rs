//! Certificates for a program from those for the program that passes prepared from it.

use crate::certificate::{
    AnnotatedGraph, AnnotatedNode, Certificate, InputValue, KInduction, Rest,
};
use crate::invariants::{Facts, Invariant, InvariantMap};
use cfa::order::{Order, loop_heads};
use cfa::place::{CallPattern, call_strings};
use cfa::program::{FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::Instant;
use transform::passes::Prepared;

/// The certificate's claim about the given program. `None` if the certificate is about the prepared
/// program alone: bounds, for the given program may have loops that lead to no error and have no
/// bound.
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
        // Prophecies and contracts are of places, variables and expressions that the given program
        // has otherwise.
        Certificate::CompleteUnrolling(_)
        | Certificate::DeterministicRun { .. }
        | Certificate::NoWay
        | Certificate::Prophecy(_)
        | Certificate::Contracts(_) => return None,
    })
}

/// How many loop heads executions of the given program pass on their way to an error, if those of
/// the prepared one pass so many. Loops that passes removed lead to none, but one that was merged
/// with another may count apart; whether so much is enough, the checker finds out.
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
        let graph = with_all_heads(&prepared.program, &graph);
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
        calls.into_iter().map(|calls| Invariant {
            calls,
            location: node.location,
            holds: node.invariant,
        })
    });
    let nodes: Vec<Invariant> = nodes.collect();
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

/// What passes knew is said at all loop heads, by whatever calls executions come there; so there
/// must be something that it can be added to.
fn with_all_heads(program: &Program, graph: &AnnotatedGraph) -> AnnotatedGraph {
    let mut graph = graph.clone();
    let contexts = call_strings(program);
    let mut said: FxHashMap<LocId, FxHashSet<CallPattern>> = FxHashMap::default();
    for node in &graph.nodes {
        let calls = said.entry(node.location).or_default();
        calls.insert(node.calls.clone());
    }
    let nothing = FxHashSet::default();
    let invariant = graph.pool.bool_constant(true);
    for number in 0..program.functions.len() as u32 {
        let function = FuncId(number);
        for one in Order::of(program, function).loops {
            let said = said.get(&one.head).unwrap_or(&nothing);
            let wanted: Vec<CallPattern> = match &contexts {
                _ if said.contains(&CallPattern::Any) => Vec::new(),
                Some(contexts) => {
                    let strings = contexts[number as usize].iter().cloned();
                    let strings = strings.map(CallPattern::Exactly);
                    strings.filter(|calls| !said.contains(calls)).collect()
                }
                // Beside statements about single calls one about all would take them back.
                None if said.is_empty() => vec![CallPattern::Any],
                None => Vec::new(),
            };
            graph
                .nodes
                .extend(wanted.into_iter().map(|calls| AnnotatedNode {
                    calls,
                    location: one.head,
                    invariant,
                }));
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_that_leads_to_a_loop_has_its_node() {
        let text = "int __VERIFIER_nondet_int(void); void reach_error(void);
            void f(int n) { while (__VERIFIER_nondet_int()) n++; if (n == 7) reach_error(); }
            int main(void) { f(0); f(__VERIFIER_nondet_int());
            while (__VERIFIER_nondet_int()) { } return 0; }";
        let front = syntax::driver::Options::default();
        let options = lowering::LowerOptions::default();
        let program = match lowering::load_text("test.c", text, &front, &options) {
            Ok(loaded) => loaded.program,
            Err(failure) => panic!("{failure}"),
        };
        let nothing = AnnotatedGraph {
            pool: program.pool.clone(),
            nodes: Vec::new(),
        };
        let mut all = with_all_heads(&program, &nothing);
        assert_eq!(all.nodes.len(), 3, "{:?}", all.nodes);
        let exact = |node: &AnnotatedNode| matches!(node.calls, CallPattern::Exactly(_));
        assert!(all.nodes.iter().all(exact));
        // One that is there stays as it is, and the others come to it.
        let never = all.pool.bool_constant(false);
        let inside = |node: &AnnotatedNode| {
            let function = program.location(node.location).function;
            program.function_name(function) == "f"
        };
        all.nodes.retain(inside);
        assert_eq!(all.nodes.len(), 2);
        all.nodes.truncate(1);
        all.nodes[0].invariant = never;
        let filled = with_all_heads(&program, &all);
        assert_eq!(filled.nodes.len(), 3, "{:?}", filled.nodes);
        let kept = filled.nodes.iter().filter(|node| node.invariant == never);
        assert_eq!(kept.count(), 1);
        // Who speaks of all calls is not contradicted.
        all.nodes[0].calls = CallPattern::Any;
        assert_eq!(with_all_heads(&program, &all).nodes.len(), 2);
    }
}
