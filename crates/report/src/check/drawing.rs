//! Automata as drawings: straight stretches of code become one box, and what is too large to be
//! looked at is cut.

use super::layout::{Arc, CHARACTER, LINE, Size, layout};
use super::result::{FunctionShown, LocationKind, ProofShown, SourceLine};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Boxes in one drawing.
const MAX_BLOCKS: usize = 160;
/// Lines in one box, and characters in one line.
const MAX_LINES: usize = 10;
pub const LONGEST_LINE: usize = 56;
pub const LONGEST_LABEL: usize = 36;

#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    pub name: String,
    pub width: i32,
    pub height: i32,
    pub blocks: Vec<Block>,
    pub arrows: Vec<Arrow>,
    /// Boxes that are not drawn.
    pub left_out: usize,
    /// Of the whole program rather than of one function: it stays in sight whatever function a step
    /// is in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_whole: bool,
    /// Its boxes are abstract states, which know themselves whether they are on the path.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_reachability: bool,
    /// What a reader should know about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    Plain,
    Entry,
    Exit,
    Loop,
    Error,
}

#[derive(Clone, Debug, Serialize)]
pub struct Block {
    pub x: i32,
    pub y: i32,
    pub w: i32,
    pub h: i32,
    pub kind: BlockKind,
    pub lines: Vec<String>,
    /// Numbers of the locations in it.
    pub locations: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// What there is to say about an abstract state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    Path,
    Covered,
    Open,
}

impl Block {
    /// A box that has no place yet.
    pub fn new(kind: BlockKind, lines: Vec<String>, locations: Vec<u32>) -> Block {
        Block {
            x: 0,
            y: 0,
            w: 0,
            h: 0,
            kind,
            lines,
            locations,
            at: None,
            marks: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Arrow {
    /// Indices of blocks.
    pub from: usize,
    pub to: usize,
    pub points: Vec<(i32, i32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_dashed: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Label {
    pub x: i32,
    pub y: i32,
    pub text: String,
}

/// A graph that is not laid out yet.
pub struct Draft {
    pub blocks: Vec<Block>,
    /// Source, target, text.
    pub arrows: Vec<(usize, usize, String)>,
}

/// The function as a drawing; `path` are the locations that matter most when it has to be cut.
pub fn draw(function: &FunctionShown, path: &BTreeSet<u32>) -> Option<Drawing> {
    let mut draft = blocks(function);
    let left_out = cut(&mut draft, path);
    let note = match left_out {
        0 => String::new(),
        count => format!("{count} boxes far from the entry and the path are left out"),
    };
    let drawing = arrange(function.name.clone(), draft, left_out)?;
    Some(Drawing { note, ..drawing })
}

/// The proof as a drawing.
pub fn draw_proof(proof: &ProofShown) -> Option<Drawing> {
    let blocks = proof.nodes.iter().enumerate().map(|(index, node)| {
        let mut title = node.function.clone();
        if let Some(at) = node.at {
            title += &format!(" · line {}", at.line);
        }
        if !node.calls.is_empty() {
            title += &format!(" · via {}", node.calls.join(" → "));
        }
        let lines = if index == 0 {
            vec![node.text.clone()]
        } else {
            let mut lines = vec![shorten(&title, LONGEST_LINE)];
            lines.extend(wrapped(&node.text));
            lines
        };
        let kind = if index == 0 {
            BlockKind::Entry
        } else {
            BlockKind::Loop
        };
        Block {
            at: node.at,
            ..Block::new(kind, lines, vec![node.location])
        }
    });
    let count = proof.nodes.len();
    let is_known = |index: &u32| (*index as usize) < count;
    let edges = proof
        .edges
        .iter()
        .filter(|(from, to)| is_known(from) && is_known(to));
    let mut draft = Draft {
        blocks: blocks.collect(),
        arrows: edges
            .map(|&(from, to)| (from as usize, to as usize, String::new()))
            .collect(),
    };
    let left_out = cut(&mut draft, &BTreeSet::new());
    let left_out = left_out + proof.left_out;
    let note = match left_out {
        0 => String::new(),
        1 => "1 place of the proof is left out".to_owned(),
        count => format!("{count} places of the proof are left out"),
    };
    let drawing = arrange("Proof".to_owned(), draft, left_out)?;
    Some(Drawing {
        is_whole: true,
        note,
        ..drawing
    })
}

/// A conjunction with a line for each of its parts, as far as there is room.
pub fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .split(" && ")
        .map(|part| shorten(part, LONGEST_LINE))
        .collect();
    if lines.len() > MAX_LINES {
        let more = lines.len() - (MAX_LINES - 1);
        lines.truncate(MAX_LINES - 1);
        lines.push(format!("… {more} more"));
    }
    lines
}

/// Lays the boxes out.
pub fn arrange(name: String, mut draft: Draft, left_out: usize) -> Option<Drawing> {
    let sizes: Vec<Size> = draft
        .blocks
        .iter()
        .map(|block| size(&block.lines, 10.0))
        .collect();
    let arcs: Vec<Arc> = draft
        .arrows
        .iter()
        .map(|(source, target, text)| Arc {
            source: *source,
            target: *target,
            label: (!text.is_empty()).then(|| size(std::slice::from_ref(text), 0.0)),
        })
        .collect();
    let drawn = layout(&sizes, &arcs)?;
    for ((block, &(x, y)), size) in draft.blocks.iter_mut().zip(&drawn.boxes).zip(&sizes) {
        (block.x, block.y) = (
            (x - size.width / 2.0).round() as i32,
            (y - size.height / 2.0).round() as i32,
        );
        (block.w, block.h) = (size.width.round() as i32, size.height.round() as i32);
    }
    let arrows = draft.arrows.into_iter().zip(drawn.arcs);
    Some(Drawing {
        name,
        width: drawn.width.ceil() as i32,
        height: drawn.height.ceil() as i32,
        blocks: draft.blocks,
        arrows: arrows
            .map(|((from, to, text), route)| Arrow {
                from,
                to,
                points: route
                    .points
                    .iter()
                    .map(|&(x, y)| (x.round() as i32, y.round() as i32))
                    .collect(),
                label: route.label.map(|(x, y)| Label {
                    x: x.round() as i32,
                    y: y.round() as i32,
                    text,
                }),
                is_dashed: false,
            })
            .collect(),
        left_out,
        is_whole: false,
        is_reachability: false,
        note: String::new(),
    })
}

fn size(lines: &[String], padding: f64) -> Size {
    let longest = lines.iter().map(|line| line.chars().count()).max();
    Size {
        width: (longest.unwrap_or(0) as f64 * CHARACTER + 2.0 * padding).max(24.0),
        height: lines.len().max(1) as f64 * LINE + padding,
    }
}

pub fn shorten(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// One box for each stretch of locations that is entered at its beginning only and left at its end
/// only.
fn blocks(function: &FunctionShown) -> Draft {
    let index: BTreeMap<u32, usize> = function
        .locations
        .iter()
        .enumerate()
        .map(|(index, location)| (location.number, index))
        .collect();
    let count = function.locations.len();
    let (mut outgoing, mut incoming) = (vec![Vec::new(); count], vec![0usize; count]);
    for (number, edge) in function.edges.iter().enumerate() {
        if let (Some(&source), Some(&target)) = (index.get(&edge.source), index.get(&edge.target)) {
            outgoing[source].push((number, target));
            incoming[target] += 1;
        }
    }
    let mut begins = vec![false; count];
    for (at, location) in function.locations.iter().enumerate() {
        begins[at] |= incoming[at] != 1
            || location.kind != LocationKind::Ordinary
            || location.number == function.entry
            || location.number == function.exit;
        if outgoing[at].len() != 1 {
            outgoing[at].iter().for_each(|&(_, to)| begins[to] = true);
        }
    }
    let mut block_of = vec![usize::MAX; count];
    let (mut drafts, mut ends) = (Vec::new(), Vec::new());
    for start in (0..count).filter(|&at| begins[at]) {
        // What nothing leads to is generated and says nothing.
        let is_isolated = incoming[start] == 0
            && outgoing[start].is_empty()
            && function.locations[start].number != function.entry;
        if is_isolated {
            continue;
        }
        let (mut at, mut lines, mut locations) = (start, Vec::new(), Vec::new());
        let mut place = function.locations[start].at;
        loop {
            block_of[at] = drafts.len();
            locations.push(function.locations[at].number);
            let [(edge, next)] = outgoing[at][..] else {
                break;
            };
            let edge = &function.edges[edge];
            place = place.or(edge.at);
            if !edge.text.is_empty() {
                lines.push(shorten(&edge.text, LONGEST_LINE));
            }
            if begins[next] {
                break;
            }
            at = next;
        }
        let location = &function.locations[start];
        let kind = match location.kind {
            LocationKind::LoopHead => BlockKind::Loop,
            LocationKind::Error => BlockKind::Error,
            LocationKind::Ordinary if location.number == function.entry => BlockKind::Entry,
            LocationKind::Ordinary if location.number == function.exit => BlockKind::Exit,
            LocationKind::Ordinary => BlockKind::Plain,
        };
        if lines.len() > MAX_LINES {
            let more = lines.len() - (MAX_LINES - 1);
            lines.truncate(MAX_LINES - 1);
            lines.push(format!("… {more} more"));
        }
        let name = match kind {
            BlockKind::Error => Some("error".to_owned()),
            BlockKind::Entry => Some(format!("{}()", function.name)),
            BlockKind::Exit => Some("return".to_owned()),
            BlockKind::Loop => Some("loop".to_owned()),
            BlockKind::Plain => None,
        };
        let line = place.map(|place| format!("line {}", place.line));
        let title = match (name, line) {
            (Some(name), Some(line)) => format!("{name} · {line}"),
            (Some(name), None) => name,
            (None, Some(line)) => line,
            (None, None) => "·".to_owned(),
        };
        lines.insert(0, title);
        drafts.push(Block {
            at: place,
            ..Block::new(kind, lines, locations)
        });
        ends.push(at);
    }
    let mut arrows = Vec::new();
    for (from, &end) in ends.iter().enumerate() {
        for &(edge, to) in &outgoing[end] {
            if block_of[to] == usize::MAX {
                continue;
            }
            let text = if outgoing[end].len() > 1 {
                shorten(&function.edges[edge].text, LONGEST_LABEL)
            } else {
                String::new()
            };
            arrows.push((from, block_of[to], text));
        }
    }
    Draft {
        blocks: drafts,
        arrows,
    }
}

/// Leaves the boxes on the path and those nearest to the first one; says how many went.
fn cut(draft: &mut Draft, path: &BTreeSet<u32>) -> usize {
    let count = draft.blocks.len();
    if count <= MAX_BLOCKS {
        return 0;
    }
    let mut next = vec![Vec::new(); count];
    for &(from, to, _) in &draft.arrows {
        next[from].push(to);
    }
    let on_path = (0..count).filter(|&block| {
        let locations = &draft.blocks[block].locations;
        locations.iter().any(|location| path.contains(location))
    });
    let mut kept: BTreeSet<usize> = on_path.take(MAX_BLOCKS * 3 / 4).collect();
    let entry = draft
        .blocks
        .iter()
        .position(|block| block.kind == BlockKind::Entry);
    let mut seen = vec![false; count];
    let mut queue: VecDeque<usize> = entry.into_iter().collect();
    while let Some(block) = queue.pop_front() {
        if kept.len() >= MAX_BLOCKS {
            break;
        }
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        kept.insert(block);
        queue.extend(&next[block]);
    }
    let renumbered: BTreeMap<usize, usize> = kept
        .iter()
        .enumerate()
        .map(|(new, &old)| (old, new))
        .collect();
    let mut old = 0;
    draft.blocks.retain(|_| {
        old += 1;
        kept.contains(&(old - 1))
    });
    let arrows = std::mem::take(&mut draft.arrows);
    draft.arrows = arrows
        .into_iter()
        .filter_map(|(from, to, text)| Some((*renumbered.get(&from)?, *renumbered.get(&to)?, text)))
        .collect();
    count - kept.len()
}

#[cfg(test)]
mod tests {
    use super::super::result::{EdgeShown, LocationShown};
    use super::*;

    fn function(edges: &[(u32, u32, &str)], loop_head: u32) -> FunctionShown {
        let numbers: BTreeSet<u32> = edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
        FunctionShown {
            name: "f".into(),
            at: None,
            entry: 0,
            exit: 99,
            locations: numbers
                .into_iter()
                .map(|number| LocationShown {
                    number,
                    kind: if number == loop_head {
                        LocationKind::LoopHead
                    } else {
                        LocationKind::Ordinary
                    },
                    at: None,
                })
                .collect(),
            edges: edges
                .iter()
                .map(|&(source, target, text)| EdgeShown {
                    source,
                    target,
                    text: text.into(),
                    at: None,
                })
                .collect(),
        }
    }

    #[test]
    fn straight_code_is_one_box_and_a_branch_labels_its_arrows() {
        let function = function(
            &[
                (0, 1, "x = 1"),
                (1, 2, "y = 2"),
                (2, 3, "[x < 9]"),
                (2, 99, "[!(x < 9)]"),
                (3, 2, "x = x + 1"),
            ],
            2,
        );
        let drawing = draw(&function, &BTreeSet::new()).expect("a drawing");
        let lines: Vec<Vec<&str>> = drawing
            .blocks
            .iter()
            .map(|block| block.lines.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(
            lines,
            [
                vec!["f()", "x = 1", "y = 2"],
                vec!["loop"],
                vec!["·", "x = x + 1"],
                vec!["return"]
            ]
        );
        let labels: Vec<&str> = drawing
            .arrows
            .iter()
            .filter_map(|arrow| arrow.label.as_ref())
            .map(|label| label.text.as_str())
            .collect();
        assert_eq!(labels, ["[x < 9]", "[!(x < 9)]"]);
    }

    #[test]
    fn a_huge_function_is_cut_around_its_path() {
        let edges: Vec<(u32, u32, String)> = (0..3000)
            .flat_map(|i| {
                [
                    (i, i + 1, format!("[a == {i}]")),
                    (i, i + 2, "[b]".to_owned()),
                ]
            })
            .collect();
        let edges: Vec<(u32, u32, &str)> = edges
            .iter()
            .map(|(source, target, text)| (*source, *target, text.as_str()))
            .collect();
        let path = BTreeSet::from([2990]);
        let drawing = draw(&function(&edges, u32::MAX), &path).expect("a drawing");
        assert_eq!(drawing.blocks.len(), MAX_BLOCKS);
        assert!(drawing.left_out > 2000);
        assert!(
            drawing
                .blocks
                .iter()
                .any(|block| block.locations.contains(&2990))
        );
    }
}
