//! The automaton in Graphviz's language: one cluster for each function.

use super::chosen;
use super::text::operation_text;
use cfa::program::{FuncId, LocId, LocationKind, Program};
use std::fmt::Write;

/// Longer labels make a drawing unreadable.
const LABEL: usize = 120;

/// All functions, or one, as a directed graph.
pub fn to_dot(program: &Program, function: Option<FuncId>) -> String {
    let mut out = String::from("digraph program {\n  node [fontname=\"monospace\"];\n");
    out += "  edge [fontname=\"monospace\"];\n";
    for function in chosen(program, function) {
        write_function(program, function, &mut out);
    }
    out += "}\n";
    out
}

fn write_function(program: &Program, id: FuncId, out: &mut String) {
    let function = program.function(id);
    let name = escape(program.function_name(id));
    // Writing to a string does not fail.
    let _ = writeln!(out, "  subgraph cluster_{} {{\n    label=\"{name}\";", id.0);
    for (index, location) in program.locations.iter().enumerate() {
        if location.function != id {
            continue;
        }
        let loc = LocId(index as u32);
        let shape = match location.kind {
            LocationKind::Error => "shape=octagon, color=red",
            LocationKind::LoopHead => "shape=diamond",
            LocationKind::Ordinary if loc == function.entry => "shape=house",
            LocationKind::Ordinary if loc == function.exit => "shape=invhouse",
            LocationKind::Ordinary => "shape=circle",
        };
        let place = escape(&program.describe(location.span));
        let _ = writeln!(
            out,
            "    l{index} [label=\"{index}\", {shape}, tooltip=\"{place}\"];"
        );
    }
    for edge in &program.edges {
        if program.location(edge.source).function != id {
            continue;
        }
        let text = operation_text(program, program.op(edge.op));
        let short: String = text.chars().take(LABEL).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        let _ = writeln!(
            out,
            "    l{} -> l{} [label=\"{}{more}\"];",
            edge.source.0,
            edge.target.0,
            escape(&short)
        );
    }
    out.push_str("  }\n");
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::op::Op;
    use cfa::value::Ty;
    use syntax::types::DataModel;
    use testing::Hand;

    #[test]
    fn every_location_and_edge_is_drawn() {
        let mut hand = Hand::new(DataModel::Lp64);
        let main = hand.function("main");
        let x = hand.var("x", Ty::I32, Some(main));
        let (one, read) = (hand.int(-1), hand.read(x));
        let entry = hand.entry(main);
        let at = hand.then(entry, Op::Assign(x, one));
        let negative = hand.program.pool.lt(read, one);
        let (error, exit) = (hand.error(main), hand.exit(main));
        hand.split(at, negative, error, exit);
        let program = hand.finish();
        let dot = to_dot(&program, Some(main));
        assert!(dot.contains("label=\"main\""));
        assert!(dot.contains("l0 -> l2 [label=\"x = -1\"]"));
        assert!(dot.contains("[label=\"[x < -1]\"]"), "{dot}");
        assert!(dot.contains("shape=octagon"));
        assert_eq!(dot.matches(" -> ").count(), 3);
    }
}
