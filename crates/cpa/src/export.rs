//! The abstract reachability graph for other eyes: as a graph that Graphviz draws, and as JSON.

use crate::formalism::Placed;
use crate::reached::{LinkKind, NodeId, ReachedSet};
use absint::place::{CallStacks, StepKind};
use cfa::program::{EdgeId, Program};
use printing::export::operation_text;
use serde_json::{Value, json};
use std::fmt::Write;

/// Describes a state beyond its place.
pub type Describe<'a, S> = &'a dyn Fn(&S) -> String;

/// What a step over an edge does, close to C.
pub(crate) fn step_text(program: &Program, edge: EdgeId, kind: StepKind) -> String {
    match kind {
        StepKind::Return => "return".into(),
        _ => operation_text(program, program.edge_op(edge)),
    }
}

fn edge_label(program: &Program, link: &crate::reached::Link) -> String {
    step_text(program, link.edge, link.step)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

pub fn to_dot<S: Placed + Clone, P: Clone>(
    program: &Program,
    reached: &ReachedSet<S, P>,
    describe: Describe<'_, S>,
) -> String {
    let mut text = String::from("digraph arg {\n  node [shape=box, fontname=monospace];\n");
    for node in reached.ids() {
        let state = reached.state(node);
        let location = state.place().location;
        let function = program.function_name(program.location(location).function);
        let label = format!(
            "{} @ {function} L{}\n{}",
            node.0,
            location.0,
            describe(state)
        );
        let colour = if program.is_error(location) {
            ", color=red"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  n{} [label=\"{}\"{colour}];",
            node.0,
            escaped(&label)
        );
        for link in reached.links(node) {
            let style = match link.kind {
                LinkKind::Created => "solid",
                LinkKind::Merged => "dashed",
                LinkKind::Covered => "dotted",
            };
            let label = escaped(&edge_label(program, &link));
            let _ = writeln!(
                text,
                "  n{} -> n{} [label=\"{label}\", style={style}];",
                link.parent.0, node.0
            );
        }
    }
    text.push_str("}\n");
    text
}

pub fn to_json<S: Placed + Clone, P: Clone>(
    program: &Program,
    stacks: &CallStacks,
    reached: &ReachedSet<S, P>,
    describe: Describe<'_, S>,
) -> Value {
    let node = |id: NodeId| {
        let state = reached.state(id);
        let place = state.place();
        let calls = stacks.call_string(place.stack);
        let links: Vec<Value> = reached
            .links(id)
            .map(|link| {
                let kind = match link.kind {
                    LinkKind::Created => "created",
                    LinkKind::Merged => "merged",
                    LinkKind::Covered => "covered",
                };
                json!({"parent": link.parent.0, "edge": link.edge.0, "kind": kind,
                       "operation": edge_label(program, &link)})
            })
            .collect();
        json!({
            "id": id.0,
            "location": place.location.0,
            "function": program.function_name(program.location(place.location).function),
            "calls": calls.iter().map(|call| call.0).collect::<Vec<_>>(),
            "state": describe(state),
            "error": program.is_error(place.location),
            "links": links,
        })
    };
    json!({"nodes": reached.ids().map(node).collect::<Vec<_>>()})
}
