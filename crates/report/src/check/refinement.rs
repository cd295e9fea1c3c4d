//! Refinements of trace abstraction as drawings: the data automaton that removed a trace, with
//! statements on its edges.

use super::drawing::{
    Block, BlockKind, Draft, Drawing, LONGEST_LABEL, LONGEST_LINE, Mark, arrange, shorten, wrapped,
};
use super::result::RefinementShown;

/// Steps of a trace that the note has.
const MAX_STEPS: usize = 12;

/// The automaton as a drawing; a state in which nothing is possible accepts.
pub fn draw_refinement(refinement: &RefinementShown) -> Option<Drawing> {
    let count = refinement.states.len();
    let edges = refinement.edges.iter();
    let edges = edges.filter(|edge| (edge.0 as usize) < count && (edge.1 as usize) < count);
    let draft = Draft {
        blocks: (refinement.states.iter().enumerate())
            .map(|(index, state)| of_state(index, state, refinement))
            .collect(),
        arrows: edges
            .map(|(from, to, label)| {
                let label = shorten(label, LONGEST_LABEL);
                (*from as usize, *to as usize, label)
            })
            .collect(),
    };
    let name = format!("Refinement {} ({})", refinement.number, refinement.origin);
    let drawing = arrange(name, draft, 0)?;
    Some(Drawing {
        is_whole: true,
        is_reachability: true,
        note: note(refinement),
        ..drawing
    })
}

fn of_state(index: usize, state: &str, refinement: &RefinementShown) -> Block {
    let (kind, title) = match state {
        _ if index == 0 => (BlockKind::Entry, "start"),
        "false" => (BlockKind::Exit, "impossible"),
        _ => (BlockKind::Plain, ""),
    };
    let mut lines: Vec<String> = Vec::new();
    if !title.is_empty() {
        lines.push(title.to_owned());
    }
    match state {
        "true" if index == 0 => {}
        "true" => lines.push("anything".into()),
        "false" => {}
        state => lines.extend(wrapped(state)),
    }
    let lines = lines.iter().map(|line| shorten(line, LONGEST_LINE));
    let mut block = Block::new(kind, lines.collect(), Vec::new());
    if refinement.steps.iter().any(|(_, holds)| holds == state) {
        block.marks.push(Mark::Path);
    }
    block
}

/// The trace, and why it is infeasible.
fn note(refinement: &RefinementShown) -> String {
    let mut text = match refinement.interpreted {
        true => format!(
            "abstract interpretation ({}) shows that no trace of this path program is possible; the trace: ",
            refinement.origin
        ),
        false => format!(
            "interpolants ({}) show that this trace is impossible: ",
            refinement.origin
        ),
    };
    let is_cut = refinement.steps.len() > MAX_STEPS;
    let left = refinement.steps.iter().take(match is_cut {
        true => MAX_STEPS - 3,
        false => MAX_STEPS,
    });
    let step = |(statement, holds): &(String, String)| {
        let statement = shorten(statement, LONGEST_LINE);
        format!("{statement} {{{}}}", shorten(holds, LONGEST_LINE))
    };
    let mut steps: Vec<String> = left.map(step).collect();
    if is_cut {
        steps.push(format!("… ({} statements)", refinement.steps.len()));
        let last = refinement.steps.iter().skip(refinement.steps.len() - 2);
        steps.extend(last.map(step));
    }
    text += &steps.join(" → ");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> RefinementShown {
        let text = |text: &str| text.to_owned();
        RefinementShown {
            engine: text("trace-abstraction"),
            number: 2,
            origin: text("interval"),
            interpreted: true,
            steps: vec![
                (text("x = 0"), text("x == 0")),
                (text("[x >= 100]"), text("false")),
            ],
            states: vec![text("true"), text("x == 0"), text("false")],
            edges: vec![
                (0, 1, text("x = 0")),
                (1, 2, text("[x >= 100]")),
                (1, 9, text("nowhere")),
            ],
        }
    }

    #[test]
    fn states_say_their_formulas_and_edges_their_statements() {
        let drawing = draw_refinement(&example()).expect("a drawing");
        assert_eq!(drawing.name, "Refinement 2 (interval)");
        assert_eq!(drawing.blocks[0].lines, ["start"]);
        assert_eq!(drawing.blocks[1].lines, ["x == 0"]);
        assert_eq!(drawing.blocks[2].lines, ["impossible"]);
        assert_eq!(drawing.blocks[1].marks, [Mark::Path]);
        let labels: Vec<&str> = (drawing.arrows.iter())
            .filter_map(|arrow| arrow.label.as_ref().map(|label| label.text.as_str()))
            .collect();
        assert_eq!(labels, ["x = 0", "[x >= 100]"]);
        assert!(drawing.note.contains("x = 0 {x == 0} → [x >= 100] {false}"));
        assert!(drawing.note.contains("abstract interpretation (interval)"));
    }

    #[test]
    fn long_traces_keep_their_ends() {
        let mut long = example();
        long.interpreted = false;
        long.steps = (0..100)
            .map(|number| (format!("s{number}"), "true".into()))
            .collect();
        let note = draw_refinement(&long).expect("a drawing").note;
        assert!(
            note.contains("s0 ") && note.contains("s99 ") && !note.contains("s50 "),
            "{note}"
        );
        assert!(
            note.contains("100 statements") && note.starts_with("interpolants"),
            "{note}"
        );
    }
}
