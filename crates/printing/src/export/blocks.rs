//! Large blocks for other eyes: cut points as nodes, guarded commands on the edges between them.

use super::chosen;
use super::dot::escape;
use super::json::to_value;
use super::text::operation_text;
use cfa::program::{FuncId, LocId, LocationKind, Program};
use serde_json::{Value, json};
use std::fmt::Write;
use transform::blocks::{Block, Command, CommandId, End, GuardedBlocks};

/// Longer labels make a drawing unreadable.
const LABEL: usize = 400;

/// The command in one line: `a; b` for one after the other, `{a [] b}` for a choice; cut off where
/// it gets too long.
pub fn command_text(
    program: &Program,
    blocks: &GuardedBlocks,
    command: CommandId,
    limit: usize,
) -> String {
    enum Piece {
        Command(CommandId),
        Text(&'static str),
    }
    let mut out = String::new();
    let mut work = vec![Piece::Command(command)];
    while let Some(piece) = work.pop() {
        if out.chars().count() > limit {
            out.push('…');
            break;
        }
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Command(id) => match blocks.command(id) {
                Command::Edge(edge) => match operation_text(program, program.edge_op(*edge)) {
                    text if text.is_empty() => out.push_str("skip"),
                    text => out.push_str(&text),
                },
                Command::Sequence(a, b) => {
                    work.extend([Piece::Command(*b), Piece::Text("; "), Piece::Command(*a)]);
                }
                Command::Choice(all) => {
                    work.push(Piece::Text("}"));
                    for (number, &one) in all.iter().enumerate().rev() {
                        work.push(Piece::Command(one));
                        work.push(Piece::Text(if number == 0 { "{" } else { " [] " }));
                    }
                }
            },
        }
    }
    out
}

/// All functions, or one, as a directed graph of cut points and blocks.
pub fn blocks_to_dot(
    program: &Program,
    blocks: &GuardedBlocks,
    function: Option<FuncId>,
) -> String {
    let mut out = String::from("digraph blocks {\n  node [fontname=\"monospace\"];\n");
    out += "  edge [fontname=\"monospace\"];\n";
    for id in chosen(program, function) {
        write_function(program, blocks, id, &mut out);
    }
    out += "}\n";
    out
}

fn write_function(program: &Program, blocks: &GuardedBlocks, id: FuncId, out: &mut String) {
    let is_here = |location: LocId| program.location(location).function == id;
    let name = escape(program.function_name(id));
    // Writing to a string does not fail.
    let _ = writeln!(out, "  subgraph cluster_{} {{\n    label=\"{name}\";", id.0);
    for &location in blocks
        .cut_points
        .iter()
        .filter(|&&location| is_here(location))
    {
        let shape = match program.location(location).kind {
            LocationKind::LoopHead => "diamond",
            _ if location == program.function(id).entry => "house",
            _ if location == program.function(id).exit => "invhouse",
            _ => "circle",
        };
        let _ = writeln!(out, "    l{0} [label=\"{0}\", shape={shape}];", location.0);
    }
    let here: Vec<&Block> = blocks
        .blocks
        .iter()
        .filter(|block| is_here(block.source))
        .collect();
    for (end, prefix, look) in [
        (End::Error, 'e', "label=\"error\", shape=octagon, color=red"),
        (
            End::Unsupported,
            'u',
            "label=\"unsupported\", shape=octagon",
        ),
    ] {
        if here.iter().any(|block| block.end == end) {
            let _ = writeln!(out, "    {prefix}{} [{look}];", id.0);
        }
    }
    for block in here {
        let end = match block.end {
            End::Location(location) => format!("l{}", location.0),
            End::Error => format!("e{}", id.0),
            End::Unsupported => format!("u{}", id.0),
        };
        let text = escape(&command_text(program, blocks, block.command, LABEL));
        let _ = writeln!(out, "    l{} -> {end} [label=\"{text}\"];", block.source.0);
    }
    out.push_str("  }\n");
}

/// The automaton as [`super::to_json`] writes it, with its cut points, commands and blocks.
pub fn blocks_to_json(
    program: &Program,
    blocks: &GuardedBlocks,
    function: Option<FuncId>,
) -> String {
    let functions = chosen(program, function);
    let is_here = |location: LocId| functions.contains(&program.location(location).function);
    let mut value = to_value(program, function);
    let points = blocks
        .cut_points
        .iter()
        .filter(|&&location| is_here(location));
    value["cut_points"] = points.map(|location| json!(location.0)).collect();
    let commands = (0..blocks.len() as u32).map(|number| {
        let mut value = match blocks.command(CommandId(number)) {
            Command::Edge(edge) => json!({"edge": edge.0}),
            Command::Sequence(a, b) => json!({"sequence": [a.0, b.0]}),
            Command::Choice(all) => {
                json!({"choice": all.iter().map(|one| one.0).collect::<Vec<_>>()})
            }
        };
        value["id"] = json!(number);
        value
    });
    value["commands"] = commands.collect();
    let here = blocks.blocks.iter().filter(|block| is_here(block.source));
    value["blocks"] = here
        .map(|block| {
            let end: Value = match block.end {
                End::Location(location) => json!(location.0),
                End::Error => json!("error"),
                End::Unsupported => json!("unsupported"),
            };
            let text = command_text(program, blocks, block.command, LABEL);
            json!({"source": block.source.0, "end": end, "command": block.command.0, "text": text})
        })
        .collect();
    // A value of strings, numbers and lists can always be written.
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::op::Op;
    use cfa::value::Ty;
    use syntax::types::DataModel;
    use testing::Hand;

    #[test]
    fn a_branch_is_a_choice() {
        let mut hand = Hand::new(DataModel::Lp64);
        let main = hand.function("main");
        let x = hand.var("x", Ty::I32, Some(main));
        let (one, two, read) = (hand.int(1), hand.int(2), hand.read(x));
        let entry = hand.entry(main);
        let at = hand.then(entry, Op::Assign(x, one));
        let (exit, error, middle) = (hand.exit(main), hand.error(main), hand.location(main));
        let (less, more) = (
            hand.program.pool.lt(read, two),
            hand.program.pool.lt(two, read),
        );
        hand.split(at, less, middle, exit);
        hand.split(middle, more, error, exit);
        let program = hand.finish();
        let blocks = GuardedBlocks::of(&program);
        let dot = blocks_to_dot(&program, &blocks, Some(main));
        assert!(
            dot.contains("[label=\"x = 1; {[2 <= x] [] [x < 2]; [x <= 2]}\"]"),
            "{dot}"
        );
        assert!(dot.contains("[label=\"x = 1; [x < 2]; [2 < x]\"]"), "{dot}");
        let json: Value =
            serde_json::from_str(&blocks_to_json(&program, &blocks, None)).expect("it is JSON");
        assert_eq!(json["blocks"].as_array().map(Vec::len), Some(2));
        assert_eq!(json["cut_points"].as_array().map(Vec::len), Some(2));
    }
}
