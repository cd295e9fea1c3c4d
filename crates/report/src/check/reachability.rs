//! Abstract reachability graphs as drawings: a box for each abstract state, with what it says.

use super::drawing::{
    Block, BlockKind, Draft, Drawing, LONGEST_LABEL, LONGEST_LINE, Mark, arrange, shorten, wrapped,
};
use super::result::{ReachabilityShown, StateEdge, StateEdgeKind, StateShown};

/// The graph as a drawing; those on the path stay in the order of the path.
pub fn draw_reachability(graph: &ReachabilityShown) -> Option<Drawing> {
    let count = graph.nodes.len();
    // The start alone says nothing.
    if count < 2 {
        return None;
    }
    let edges: Vec<&StateEdge> = graph
        .edges
        .iter()
        .filter(|edge| (edge.from as usize) < count && (edge.to as usize) < count)
        .collect();
    let nodes = graph.nodes.iter().enumerate();
    let draft = Draft {
        blocks: nodes.map(|(index, node)| of_state(index, node)).collect(),
        arrows: edges
            .iter()
            .map(|edge| (edge.from as usize, edge.to as usize, label(edge)))
            .collect(),
    };
    let left_out = graph.states.saturating_sub(count);
    let mut drawing = arrange(
        format!("Abstract states ({})", graph.engine),
        draft,
        left_out,
    )?;
    for (arrow, edge) in drawing.arrows.iter_mut().zip(&edges) {
        arrow.is_dashed = edge.kind != StateEdgeKind::Successor;
    }
    let has_path = graph.nodes.iter().any(|node| node.on_path);
    let note = match left_out {
        0 => format!("all {count} abstract states are shown"),
        _ if has_path => format!(
            "{count} of {} abstract states are shown: the error path, and those that were made first",
            graph.states
        ),
        _ => format!(
            "{count} of {} abstract states are shown: those that were made first",
            graph.states
        ),
    };
    Some(Drawing {
        is_whole: true,
        is_reachability: true,
        note,
        ..drawing
    })
}

fn of_state(index: usize, node: &StateShown) -> Block {
    let kind = match node {
        _ if index == 0 => BlockKind::Entry,
        _ if node.target => BlockKind::Error,
        _ if node.loop_head => BlockKind::Loop,
        _ => BlockKind::Plain,
    };
    let name = match kind {
        BlockKind::Entry => "start".to_owned(),
        BlockKind::Error => "error".to_owned(),
        _ => node.function.clone(),
    };
    let mut title = name;
    if let Some(at) = node.at {
        title += &format!(" · line {}", at.line);
    }
    if node.calls.len() > 1 {
        title += &format!(" · via {}", node.calls.join(" → "));
    }
    let mut lines = vec![shorten(&title, LONGEST_LINE)];
    match node.text.as_str() {
        "" => {}
        // What is always true says nothing: a short word is easier to see than a constant.
        "1" | "true" => lines.push("anything".into()),
        text => lines.extend(wrapped(text)),
    }
    let marks = [
        (node.on_path, Mark::Path),
        (node.covered, Mark::Covered),
        (node.open, Mark::Open),
    ];
    Block {
        at: node.at,
        marks: marks
            .into_iter()
            .filter_map(|(is_so, mark)| is_so.then_some(mark))
            .collect(),
        ..Block::new(kind, lines, node.locations.clone())
    }
}

/// The first operation, and how many come behind it: more has no room.
fn label(edge: &StateEdge) -> String {
    let conditions = || edge.operations.iter().find(|text| text.starts_with('['));
    let first = match (edge.kind, conditions().or(edge.operations.first())) {
        (StateEdgeKind::Covering, None) => return "covered by".into(),
        (_, None) => return String::new(),
        (_, Some(first)) => first,
    };
    match edge.operations.len() {
        1 => shorten(first, LONGEST_LABEL),
        count => format!("{} … +{}", shorten(first, LONGEST_LABEL - 6), count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str) -> StateShown {
        StateShown {
            function: "main".into(),
            text: text.into(),
            ..StateShown::default()
        }
    }

    #[test]
    fn states_say_what_they_know_and_covering_is_dashed() {
        let operations = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let graph = ReachabilityShown {
            engine: "value".into(),
            states: 900,
            nodes: vec![
                state("1"),
                StateShown {
                    loop_head: true,
                    on_path: true,
                    ..state("x == 0 && y == 1")
                },
                StateShown {
                    covered: true,
                    ..state("x == 1")
                },
            ],
            edges: vec![
                StateEdge {
                    from: 0,
                    to: 1,
                    operations: operations(&["x = 0", "[y == 1]"]),
                    kind: StateEdgeKind::Successor,
                },
                StateEdge {
                    from: 2,
                    to: 1,
                    operations: Vec::new(),
                    kind: StateEdgeKind::Covering,
                },
                // Nobody knows this one.
                StateEdge {
                    from: 2,
                    to: 7,
                    operations: Vec::new(),
                    kind: StateEdgeKind::Merged,
                },
            ],
        };
        let drawing = draw_reachability(&graph).expect("a drawing");
        assert_eq!(drawing.blocks[0].lines, ["start", "anything"]);
        assert_eq!(drawing.blocks[1].lines, ["main", "x == 0", "y == 1"]);
        assert_eq!(drawing.blocks[1].marks, [Mark::Path]);
        assert_eq!(drawing.blocks[2].marks, [Mark::Covered]);
        let labels: Vec<(&str, bool)> = drawing
            .arrows
            .iter()
            .map(|arrow| {
                let label = arrow.label.as_ref().map_or("", |label| label.text.as_str());
                (label, arrow.is_dashed)
            })
            .collect();
        assert_eq!(labels, [("[y == 1] … +1", false), ("covered by", true)]);
        assert!(drawing.note.starts_with("3 of 900 abstract states"));
    }
}
