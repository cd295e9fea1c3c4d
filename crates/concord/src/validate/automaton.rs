//! Violation witnesses in GraphML: an automaton whose states are the nodes of the graph.
//!
//! What cannot be found in the program, or cannot be read there, describes no execution of it: such
//! a witness is refused. But tools cut programs into steps in their own ways: what is one step for
//! them may be several or none here, and the other way round. So edges may be passed by one step
//! one after the other, and what is no step here is passed where the next one begins.

use super::violation::{Followed, Passing, Where, add, assumed_input, note, returning};
use cfa::op::Op;
use cfa::program::FuncId;
use lowering::monitor::Moment;
use lowering::property::Property;
use rustc_hash::FxHashMap;
use syntax::span::Span;
use witness::literal::result_bounds;
use witness::placing::{Places, Steps, conjunction, is_error_function, lines_exist};
use witness::{Control, Edge, Graph};

/// The automaton of a graph.
pub fn of_graph(
    places: &mut Places,
    graph: &Graph,
    property: &Property,
) -> Result<Followed, String> {
    let mut followed = Followed::new();
    followed.initial = graph.entry as u32;
    followed.in_order = true;
    let mut targets = Vec::new();
    for edge in in_order(graph) {
        let names = |node: usize| graph.nodes[node].name.as_str();
        let refused = |why: String| {
            let (from, to) = (names(edge.source), names(edge.target));
            format!("the edge from '{from}' to '{to}' of the witness: {why}")
        };
        let (from, to) = (edge.source as u32, edge.target as u32);
        let target = &graph.nodes[edge.target];
        lines_exist(places, edge).map_err(refused)?;
        let is_vague = (target.is_violation || target.is_sink) && !says_what(edge);
        let passes = passings(
            places,
            &mut followed,
            edge,
            property,
            is_vague,
            target.is_sink,
        )
        .map_err(refused)?;
        // What is said of staying must make sense, and changes nothing.
        if from == to {
            continue;
        }
        if target.is_violation {
            followed.accepting.push(to);
            // The step that violates may be the one that this edge stands for; then it has nothing
            // else to say.
            if edge.assumption.is_none() {
                followed.accepting.push(from);
            }
            targets.push(lines_of_target(places, edge, property));
        }
        add(&mut followed, from, (!target.is_sink).then_some(to), passes);
    }
    followed.uncertain |= followed.has_chains();
    followed.accepting.sort_unstable();
    followed.accepting.dedup();
    // Where one of them says nothing, the violation may be anywhere.
    let targets: Option<Vec<Vec<Span>>> = targets.into_iter().collect();
    followed.target = match targets {
        Some(lines) => Where::OnLines(lines.concat()),
        None => Where::Anywhere,
    };
    Ok(followed)
}

/// The edges in the order in which executions come to them, as far as there is one. But of edges
/// that all stand for the same side of one branch the last comes first: a step is one of them, not
/// several.
fn in_order(graph: &Graph) -> Vec<&Edge> {
    let mut rank = vec![usize::MAX; graph.nodes.len()];
    let mut order = vec![graph.entry];
    rank[graph.entry] = 0;
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        at += 1;
        for edge in graph.edges.iter().filter(|edge| edge.source == node) {
            if rank[edge.target] == usize::MAX {
                rank[edge.target] = order.len();
                order.push(edge.target);
            }
        }
    }
    let mut edges: Vec<&Edge> = graph.edges.iter().collect();
    edges.sort_by_key(|edge| rank[edge.source]);
    let side = |edge: &Edge| {
        let is_true = edge.control.map(|control| control == Control::True);
        is_true.map(|is_true| (edge.lines, edge.offsets, is_true))
    };
    let mut first = FxHashMap::default();
    for (place, edge) in edges.iter().enumerate() {
        if let Some(side) = side(edge) {
            first.entry(side).or_insert(place);
        }
    }
    let mut placed: Vec<(usize, i64, &Edge)> = Vec::new();
    for (place, edge) in edges.into_iter().enumerate() {
        match side(edge).and_then(|side| first.get(&side)) {
            Some(&group) => placed.push((group, -(place as i64), edge)),
            None => placed.push((place, 0, edge)),
        }
    }
    placed.sort_by_key(|&(place, within, _)| (place, within));
    placed.into_iter().map(|(_, _, edge)| edge).collect()
}

/// Does the edge say which kind of step it stands for?
fn says_what(step: &Edge) -> bool {
    step.control.is_some() || step.enter_function.is_some() || step.return_from.is_some()
}

/// Where the edge says that the violation is: its lines. Anywhere, if they are those of the error
/// function itself, or if the edge names values and nothing on its lines violates the property.
fn lines_of_target(places: &Places, step: &Edge, property: &Property) -> Option<Vec<Span>> {
    let (first, last) = step.lines?;
    let spans: Vec<Span> = (first..=last)
        .flat_map(|line| places.lines(step.file.as_deref(), line))
        .collect();
    let program = &places.program;
    let in_error_function = (0..program.functions.len() as u32).map(FuncId).any(|id| {
        let body = places.extent(id).unwrap_or(program.function(id).span);
        is_error_function(program.function_name(id), property)
            && spans
                .iter()
                .any(|line| line.lo <= body.hi && body.lo <= line.hi)
    });
    let only_values = step.assumption.is_some() && !Steps::may_violate(places, step, property);
    (!in_error_function && !only_values).then_some(spans)
}

/// Where and when executions pass an edge. An assumption that no step can be asked for is an error.
/// An edge that leaves executions out is also passed where its assumption has no value.
fn passings(
    places: &mut Places,
    followed: &mut Followed,
    step: &Edge,
    property: &Property,
    is_vague: bool,
    is_left_out: bool,
) -> Result<Vec<Passing>, String> {
    let mut steps = Steps::of(places, step, property, is_vague)?;
    if step.enters_loop && !steps.enter_loop(places, step) {
        let line = step.lines.map_or(0, |(first, _)| first);
        let why = format!("line {line} is said to enter a loop, but no loop begins at or after it");
        note(followed, Some(why));
    }
    if let Some(why) = steps.unknown {
        let line = step.lines.map_or(0, |(first, _)| first);
        note(followed, Some(format!("line {line}: {why}")));
    }
    followed.uncertain |= steps.is_uncertain;
    let mut passes = Vec::new();
    let mut problem: Option<String> = None;
    let (about_result, others) = conjunction(step.assumption.as_deref());
    for (moment, call) in &steps.moments {
        let mut pass = Passing {
            moment: *moment,
            condition: None,
            value: None,
        };
        if let Some(text) = &about_result {
            match result(places, step, *call, text) {
                Ok(found) => pass = found,
                Err(why) => {
                    problem = Some(why);
                    continue;
                }
            }
        }
        if let Some(text) = &others {
            let claim = match *moment {
                Moment::At(location) => places.before(text, location),
                Moment::After(edge) => places.after(text, edge),
            };
            match claim {
                Ok(claim) => {
                    if let Some(what) = claim.unclear {
                        note(followed, Some(format!("'{text}' {what}")));
                    }
                    pass.value = pass
                        .value
                        .or_else(|| assumed_input(places, claim.condition));
                    let condition = match is_left_out {
                        true => claim.true_or_without_value(&mut places.pool),
                        false => claim.condition,
                    };
                    pass.condition = Some(match pass.condition {
                        Some(before) => places.pool.and(before, condition),
                        None => condition,
                    });
                }
                // It may be right, and nothing depends on it.
                Err(why) if why.contains(lowering::NEVER_USED) => note(followed, Some(why)),
                Err(why) => {
                    problem = Some(why);
                    continue;
                }
            }
        }
        passes.push(pass);
    }
    match problem {
        Some(why) if passes.is_empty() => Err(format!("the assumption cannot be used: {why}")),
        None if passes.is_empty() && (about_result.is_some() || others.is_some()) => {
            Err("no step of the program matches its assumption".into())
        }
        _ => Ok(passes),
    }
}

/// The return of a call whose result is as the text says.
fn result(
    places: &mut Places,
    step: &Edge,
    call: Option<cfa::program::EdgeId>,
    text: &str,
) -> Result<Passing, String> {
    let call =
        call.filter(|&id| matches!(places.program.edge_op(id), Op::Havoc(..) | Op::Call { .. }));
    let Some(call) = call else {
        return Err(format!("'{text}' is given where no function returns"));
    };
    if let Some(wanted) = &step.result_function
        && Steps::callee(places, call) != Some(wanted)
    {
        return Err(format!("'{text}' is not about a result of '{wanted}'"));
    }
    let pass = match result_bounds(text) {
        Some(bounds) => returning(places, call, &bounds),
        None => Err("it does not compare \\result with constants".into()),
    };
    pass.map_err(|why| format!("'{text}': {why}"))
}
