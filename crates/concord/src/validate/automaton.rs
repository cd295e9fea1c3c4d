//! Violation witnesses in GraphML: an automaton whose states are the nodes of the graph.
//!
//! What cannot be found in the program, or cannot be read there, describes no execution of it: such a witness is
//! refused.

use super::places::Places;
use super::violation::{Followed, Passing, Where, add, assumed_input, returning};
use cfa::op::{InputKind, Op};
use cfa::program::{EdgeId, FuncId};
use lowering::monitor::Moment;
use lowering::property::Property;
use syntax::span::Span;
use witness::literal::result_bounds;
use witness::{Control, Edge, Graph};

/// The automaton of a graph.
pub fn of_graph(
    places: &mut Places,
    graph: &Graph,
    property: &Property,
) -> Result<Followed, String> {
    let mut followed = Followed::new();
    followed.initial = graph.entry as u32;
    let mut targets = Vec::new();
    for edge in &graph.edges {
        let names = |node: usize| graph.nodes[node].name.as_str();
        let refused = |why: String| {
            let (from, to) = (names(edge.source), names(edge.target));
            format!("the edge from '{from}' to '{to}' of the witness: {why}")
        };
        let (from, to) = (edge.source as u32, edge.target as u32);
        let target = &graph.nodes[edge.target];
        lines_exist(places, edge).map_err(refused)?;
        let passes = passings(places, edge, property).map_err(refused)?;
        // What is said of staying must make sense, and changes nothing.
        if from == to {
            continue;
        }
        if target.is_violation {
            followed.accepting.push(to);
            // The step that violates may be the one that this edge stands for; then it has nothing else to say.
            if edge.assumption.is_none() {
                followed.accepting.push(from);
            }
            targets.push(lines_of_target(places, edge, property));
        }
        let is_vague = target.is_violation || target.is_sink;
        if passes.is_empty() && (!is_vague || says_what(edge)) {
            return Err(refused("no step of the program matches it".into()));
        }
        add(&mut followed, from, (!target.is_sink).then_some(to), passes);
    }
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

/// Does the edge say which kind of step it stands for?
fn says_what(step: &Edge) -> bool {
    step.control.is_some() || step.enter_function.is_some() || step.return_from.is_some()
}

/// The file of a step, if the program has it, and the text on the lines.
fn lines_exist(places: &Places, step: &Edge) -> Result<(), String> {
    let Some((first, last)) = step.lines else {
        return Ok(());
    };
    for line in [first, last] {
        if places.lines(step.file.as_deref(), line).is_empty() {
            return Err(format!("there is no line {line} in the program"));
        }
    }
    Ok(())
}

/// Where the edge says that the violation is: its lines, or anywhere if they are those of the error function itself.
fn lines_of_target(places: &Places, step: &Edge, property: &Property) -> Option<Vec<Span>> {
    let (first, last) = step.lines?;
    let spans: Vec<Span> = (first..=last)
        .flat_map(|line| places.lines(step.file.as_deref(), line))
        .collect();
    let program = &places.program;
    let in_error_function = (0..program.functions.len() as u32).map(FuncId).any(|id| {
        let body = program.function(id).span;
        is_error_function(program.function_name(id), property)
            && spans
                .iter()
                .any(|line| line.lo <= body.hi && body.lo <= line.hi)
    });
    (!in_error_function).then_some(spans)
}

fn is_error_function(name: &str, property: &Property) -> bool {
    match property {
        Property::ErrorCall(names) => names.iter().any(|wanted| wanted == name),
        Property::NoOverflow => false,
    }
}

/// The function that a step calls; also one without a body, whose result is an input.
fn callee(places: &Places, id: EdgeId) -> Option<&str> {
    let program = &places.program;
    match program.edge_op(id) {
        Op::Call { function, .. } => Some(program.function_name(*function)),
        Op::Havoc(_, input) => match program.inputs.get(input.0 as usize)?.kind {
            InputKind::Nondet(name) | InputKind::External(name) | InputKind::Library(name) => {
                Some(program.names.get(name))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The steps of the program that an edge may stand for.
fn matching(places: &Places, step: &Edge) -> Vec<EdgeId> {
    let named = [&step.enter_function, &step.return_from];
    let is_in_scope = |id: EdgeId| {
        let source = places.program.edge(id).source;
        let function = places.program.location(source).function;
        let scope = step.scope.as_deref().filter(|_| step.assumption.is_some());
        scope.is_none_or(|scope| places.program.function_name(function) == scope)
    };
    places
        .edges()
        .filter(|(id, edge)| {
            let on_line = match step.lines {
                Some(lines) => places.is_in_lines(edge.span, step.file.as_deref(), lines),
                None => true,
            };
            let control = match step.control {
                None => true,
                Some(control) => {
                    let taken = control == Control::True;
                    edge.branch.is_some_and(|branch| branch.taken == taken)
                }
            };
            let mut named = named.iter().filter_map(|name| name.as_deref());
            let calls = named.all(|name| callee(places, *id) == Some(name));
            on_line && control && calls && is_in_scope(*id)
        })
        .map(|(id, _)| id)
        .collect()
}

/// The conjuncts of an assumption as one expression; none if it says nothing.
fn conjunction(text: &str) -> Option<String> {
    let parts = text.split(';').map(str::trim);
    let parts: Vec<String> = parts
        .filter(|part| !part.is_empty())
        .map(|part| format!("({part})"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" && "))
}

/// Where and when executions pass an edge. An assumption that no step can be asked for is an error.
fn passings(places: &mut Places, step: &Edge, property: &Property) -> Result<Vec<Passing>, String> {
    let mut passes = Vec::new();
    let mut problem: Option<String> = None;
    let text = step.assumption.as_deref().and_then(conjunction);
    for id in matching(places, step) {
        let callee = callee(places, id).map(str::to_owned);
        let is_call = matches!(places.program.edge_op(id), Op::Call { .. });
        let violates = callee
            .as_deref()
            .is_some_and(|name| is_call && is_error_function(name, property));
        // An execution that violates the property never comes behind the step.
        let moment = if violates || step.enter_function.is_some() && is_call {
            Moment::At(places.program.edge(id).source)
        } else {
            Moment::After(id)
        };
        let Some(text) = &text else {
            passes.push(Passing {
                moment,
                condition: None,
                value: None,
            });
            continue;
        };
        if text.contains("\\result") {
            if !matches!(places.program.edge_op(id), Op::Havoc(..) | Op::Call { .. }) {
                problem.get_or_insert(format!("'{text}' stands where no function returns"));
                continue;
            }
            if let Some(wanted) = &step.result_function
                && callee.as_ref() != Some(wanted)
            {
                problem.get_or_insert(format!("'{text}' is not about a result of '{wanted}'"));
                continue;
            }
            let pass = match result_bounds(text) {
                Some(bounds) => returning(places, id, &bounds),
                None => Err("it does not compare \\result with constants".into()),
            };
            match pass {
                Ok(pass) => passes.push(pass),
                Err(why) => problem = Some(format!("'{text}': {why}")),
            }
            continue;
        }
        let condition = match moment {
            Moment::At(location) => places.before(text, location),
            Moment::After(edge) => places.after(text, edge),
        };
        match condition {
            Ok(condition) => passes.push(Passing {
                moment,
                condition: Some(condition),
                value: assumed_input(places, condition),
            }),
            Err(why) => problem = Some(why),
        }
    }
    match problem {
        Some(why) if passes.is_empty() => Err(format!("the assumption is none: {why}")),
        None if passes.is_empty() && text.is_some() => {
            Err("there is no step that its assumption could be about".into())
        }
        _ => Ok(passes),
    }
}
