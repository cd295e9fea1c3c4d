//! Abstract states for the report: what an analysis knew, in the words of the program that the user
//! gave.

use super::program_report::Files;
use super::proof::statement;
use cfa::expr::ExprId;
use cfa::place::callee;
use cfa::program::LocationKind;
use control::clock;
use facts::engine::View;
use facts::reachability::{
    AbstractEdge, AbstractState, DESCRIPTION, EdgeKind, LONGEST_DESCRIPTION, ReachabilityGraph,
};
use portfolio::case::Case;
use report::check::{ReachabilityShown, StateEdge, StateEdgeKind, StateShown};
use syntax::span::Span;

/// Characters of a state's text and of an operation, and operations of an edge.
const LONGEST_TEXT: usize = 600;
const LONGEST_OPERATION: usize = 120;
const MAX_OPERATIONS: usize = 12;

/// The graph of an analysis that saw the program of [`View::Prepared`].
pub fn shown(case: &Case, files: &Files, graph: &ReachabilityGraph) -> ReachabilityShown {
    let begin = clock::now();
    let states = graph.states.iter();
    ReachabilityShown {
        engine: graph.by.clone(),
        states: graph.total,
        nodes: states
            .map(|state| {
                clock::tick(DESCRIPTION);
                let holds = state
                    .holds
                    .filter(|_| clock::since(begin) < LONGEST_DESCRIPTION);
                of_state(case, files, graph, state, holds)
            })
            .collect(),
        edges: graph.edges.iter().map(of_edge).collect(),
    }
}

fn of_state(
    case: &Case,
    files: &Files,
    graph: &ReachabilityGraph,
    state: &AbstractState,
    holds: Option<ExprId>,
) -> StateShown {
    let program = case.views.program(View::Prepared);
    let location = program.location(state.location);
    // Splitting memory leaves locations as they are, so what passes were given is what the report
    // shows.
    let before: Vec<u32> = match case.views.prepared() {
        Some(prepared) => {
            let before = prepared.locations_before(state.location);
            before.iter().map(|location| location.0).collect()
        }
        None => vec![state.location.0],
    };
    let spans = before
        .iter()
        .filter_map(|&number| case.views.split.locations.get(number as usize))
        .map(|location| location.span);
    let text = holds.map_or(String::new(), |holds| {
        statement(program, &graph.pool, holds)
    });
    StateShown {
        function: program.function_name(location.function).to_owned(),
        calls: state
            .calls
            .iter()
            .filter_map(|&call| callee(program, call))
            .map(|function| program.function_name(function).to_owned())
            .collect(),
        at: std::iter::once(location.span)
            .chain(spans)
            .filter(|span| *span != Span::NONE)
            .find_map(|span| files.line(program, span)),
        locations: before,
        text: shortened(text, LONGEST_TEXT),
        loop_head: location.kind == LocationKind::LoopHead,
        target: program.is_error(state.location),
        covered: state.is_covered,
        open: state.is_open,
        on_path: state.is_on_path,
    }
}

fn of_edge(edge: &AbstractEdge) -> StateEdge {
    let operations = edge.operations.iter();
    let mut operations: Vec<String> = operations
        .filter(|text| !text.is_empty())
        .take(MAX_OPERATIONS)
        .map(|text| shortened(text.clone(), LONGEST_OPERATION))
        .collect();
    if edge.operations.len() > MAX_OPERATIONS {
        operations.push("…".into());
    }
    StateEdge {
        from: edge.from,
        to: edge.to,
        operations,
        kind: match edge.kind {
            EdgeKind::Successor => StateEdgeKind::Successor,
            EdgeKind::Merged => StateEdgeKind::Merged,
            EdgeKind::Covering => StateEdgeKind::Covering,
        },
    }
}

fn shortened(mut text: String, longest: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(longest) {
        text.truncate(end);
        text.push('…');
    }
    text
}
