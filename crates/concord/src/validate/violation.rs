//! Witnesses of a violation: the program runs along with the witness's automaton, and only violations that the
//! automaton accepts count.
//!
//! Executions that take the values which the witness names are tried first; then the analyses search.

use super::{Task, judged, places::Places};
use crate::check::message::{Judgement, Report, Validation, Verdict};
use cfa::expr::{BinOp, ExprId, Node, VarId};
use cfa::interpreter::{
    Change, InputSource, Interpreter, Observer, Options, Outcome, RandomInputs, View,
};
use cfa::monitor::{Automaton, Moment, Transition};
use cfa::op::{Input, InputId, Op};
use cfa::program::{EdgeId, LocId, Program};
use cfa::value::Ty;
use facts::certificate::{Certificate, InputValue};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use syntax::span::Span;
use witness::literal::{Comparison, ResultBound, result_bounds};
use witness::{Control, Graph, Segment, Waypoint, WaypointKind};

/// The witness in terms of the automaton of the program.
pub struct Followed {
    moments: BTreeMap<Moment, Vec<Transition>>,
    initial: u32,
    /// States in which a violation counts, wherever it is.
    accepting: Vec<u32>,
    /// Where the violation is to be: lines of the text; anywhere if absent.
    target: Option<Vec<Span>>,
    /// Something of the witness could not be followed: it may describe fewer executions than we take it to.
    left_out: Option<String>,
    /// Values that inputs should have in a state.
    values: FxHashMap<(u32, InputId), u128>,
}

impl Followed {
    fn new() -> Followed {
        Followed {
            moments: BTreeMap::new(),
            initial: 0,
            accepting: Vec::new(),
            target: None,
            left_out: None,
            values: FxHashMap::default(),
        }
    }

    fn add(&mut self, moment: Moment, transition: Transition) {
        self.moments.entry(moment).or_default().push(transition);
    }
}

/// A way of coming from one state to another.
struct Passing {
    moment: Moment,
    condition: Option<ExprId>,
    /// The value that the input at the moment should have.
    value: Option<(InputId, u128)>,
}

/// The automaton of a sequence: state `n` has passed `n` segments.
pub fn of_sequence(places: &mut Places, segments: &[Segment]) -> Result<Followed, String> {
    let mut followed = Followed::new();
    let mut state = 0;
    for segment in segments {
        if segment.follow.kind == WaypointKind::Target {
            let spot = places.spot(&segment.follow.place)?;
            followed.target = Some(spot.lines().to_vec());
            let passes: Vec<Passing> = avoided(places, &mut followed, segment)?;
            add(&mut followed, state, None, passes);
            break;
        }
        // What cannot be found is passed over; then more executions are followed than the witness describes.
        let passes = match passings(places, &segment.follow) {
            Ok((passes, left_out)) => {
                note(&mut followed, left_out);
                passes
            }
            Err(why) => {
                places.spot(&segment.follow.place)?;
                note(&mut followed, Some(why));
                continue;
            }
        };
        let avoid = avoided(places, &mut followed, segment)?;
        add(&mut followed, state, None, avoid);
        add(&mut followed, state, Some(state + 1), passes);
        state += 1;
    }
    followed.accepting.push(state);
    Ok(followed)
}

fn note(followed: &mut Followed, left_out: Option<String>) {
    if followed.left_out.is_none() {
        followed.left_out = left_out;
    }
}

fn avoided(
    places: &mut Places,
    followed: &mut Followed,
    segment: &Segment,
) -> Result<Vec<Passing>, String> {
    let mut all = Vec::new();
    for waypoint in &segment.avoid {
        places.spot(&waypoint.place)?;
        match passings(places, waypoint) {
            Ok((passes, None)) => all.extend(passes),
            // To avoid more than is asked for would lose executions.
            Ok((_, Some(why))) | Err(why) => note(followed, Some(why)),
        }
    }
    Ok(all)
}

fn add(followed: &mut Followed, from: u32, to: Option<u32>, passes: Vec<Passing>) {
    for pass in passes {
        if let (Some((input, value)), Some(_)) = (pass.value, to) {
            followed.values.insert((from, input), value);
        }
        let condition = pass.condition;
        followed.add(
            pass.moment,
            Transition {
                from,
                to,
                condition,
            },
        );
    }
}

/// Where and when executions pass a waypoint. The text says what of the waypoint is not honoured.
fn passings(
    places: &mut Places,
    waypoint: &Waypoint,
) -> Result<(Vec<Passing>, Option<String>), String> {
    let place = &waypoint.place;
    let mut left_out = None;
    let mut passes = Vec::new();
    match &waypoint.kind {
        WaypointKind::Target => {}
        WaypointKind::Assumption(text) => {
            for location in places.statements(place)? {
                let condition = match places.before(text, location) {
                    Ok(condition) => Some(condition),
                    Err(why) => {
                        left_out = Some(why);
                        None
                    }
                };
                passes.push(Passing {
                    moment: Moment::At(location),
                    condition,
                    value: condition.and_then(|it| assumed_input(places, it)),
                });
            }
        }
        WaypointKind::Branching(value) => {
            let taken = match value.trim() {
                "true" => true,
                "false" => false,
                other => return Err(format!("the branch '{other}' of a switch is not followed")),
            };
            let edges = places.branches(place, taken)?;
            if edges.is_empty() {
                return Err(format!("there is no branch in line {}", place.line));
            }
            for edge in edges {
                passes.push(Passing {
                    moment: Moment::After(edge),
                    condition: None,
                    value: None,
                });
            }
        }
        WaypointKind::FunctionEnter => {
            for edge in places.calls(place)? {
                passes.push(Passing {
                    moment: Moment::At(places.program.edge(edge).source),
                    condition: None,
                    value: None,
                });
            }
        }
        WaypointKind::FunctionReturn(text) => {
            let bounds = result_bounds(text);
            if bounds.is_none() {
                left_out = Some(format!("the constraint '{text}' is not honoured"));
            }
            for edge in places.calls(place)? {
                passes.push(returning(places, edge, bounds.as_deref().unwrap_or(&[])));
            }
        }
    }
    Ok((passes, left_out))
}

/// The return of a call whose result is within the bounds.
fn returning(places: &mut Places, edge: EdgeId, bounds: &[ResultBound]) -> Passing {
    let (result, input) = match places.program.edge_op(edge) {
        Op::Call { result, .. } => (*result, None),
        Op::Havoc(var, input) => (Some(*var), Some(*input)),
        _ => (None, None),
    };
    let mut condition = None;
    let mut value = None;
    if let Some(var) = result {
        let ty = places.program.var(var).ty;
        for bound in bounds {
            let Some(bits) = bound.number.bits(ty) else {
                continue;
            };
            if bound.comparison == Comparison::Eq {
                value = input.map(|input| (input, bits));
            }
            let pool = &mut places.pool;
            let (a, b) = (pool.variable(var, ty), pool.constant(bits, ty));
            let holds = match bound.comparison {
                Comparison::Eq => pool.eq(a, b),
                Comparison::Ne => pool.ne(a, b),
                Comparison::Lt => pool.lt(a, b),
                Comparison::Le => pool.le(a, b),
                Comparison::Gt => pool.gt(a, b),
                Comparison::Ge => pool.ge(a, b),
            };
            condition = Some(match condition {
                Some(before) => pool.and(before, holds),
                None => holds,
            });
        }
    }
    Passing {
        moment: Moment::After(edge),
        condition,
        value,
    }
}

/// If the condition fixes a variable that takes an input: the input and its value.
fn assumed_input(places: &Places, condition: ExprId) -> Option<(InputId, u128)> {
    let mut parts = vec![condition];
    while let Some(part) = parts.pop() {
        match places.pool.node(part) {
            Node::Binary(BinOp::BoolAnd, a, b) => parts.extend([a, b]),
            Node::Binary(BinOp::Eq, a, b) => {
                for (var, constant) in [(a, b), (b, a)] {
                    let (Node::Var(var), Some(bits)) =
                        (places.pool.node(var), places.pool.as_constant(constant))
                    else {
                        continue;
                    };
                    if let Some(input) = input_of(places, var) {
                        return Some((input, bits));
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// The input that a variable takes its value from, directly or through one assignment.
fn input_of(places: &Places, var: VarId) -> Option<InputId> {
    let havoc = |wanted: VarId| {
        places
            .edges()
            .find_map(|(id, _)| match places.program.edge_op(id) {
                Op::Havoc(var, input) if *var == wanted => Some(*input),
                _ => None,
            })
    };
    havoc(var).or_else(|| {
        places
            .edges()
            .find_map(|(id, _)| match places.program.edge_op(id) {
                Op::Assign(target, value) if *target == var => {
                    match places.program.pool.node(*value) {
                        Node::Var(source) => havoc(source),
                        _ => None,
                    }
                }
                _ => None,
            })
    })
}

/// The automaton of a graph: states are its nodes.
pub fn of_graph(places: &mut Places, graph: &Graph) -> Result<Followed, String> {
    let mut followed = Followed::new();
    followed.initial = graph.entry as u32;
    for edge in &graph.edges {
        let (from, to) = (edge.source as u32, edge.target as u32);
        let target = &graph.nodes[edge.target];
        if target.is_violation {
            // The step that violates may be the one that this edge stands for.
            followed.accepting.extend([from, to]);
        }
        if from == to {
            continue;
        }
        let to = (!target.is_sink).then_some(to);
        let passes = graph_passings(places, &mut followed, edge);
        if passes.is_empty() && !target.is_violation {
            if to.is_some() {
                return Err(match edge.lines {
                    Some((line, _)) => format!("no step of the program matches line {line}"),
                    None => "an edge of the witness matches no step of the program".into(),
                });
            }
            note(
                &mut followed,
                Some("an edge into the sink is not honoured".into()),
            );
        }
        add(&mut followed, from, to, passes);
    }
    followed.accepting.sort_unstable();
    followed.accepting.dedup();
    Ok(followed)
}

fn graph_passings(
    places: &mut Places,
    followed: &mut Followed,
    step: &witness::Edge,
) -> Vec<Passing> {
    let name = |places: &Places, id: EdgeId| match places.program.edge_op(id) {
        Op::Call { function, .. } => Some(places.program.function_name(*function).to_string()),
        _ => None,
    };
    let matching: Vec<EdgeId> = places
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
            let function = step.enter_function.as_ref().or(step.return_from.as_ref());
            let is_havoc = matches!(places.program.edge_op(*id), Op::Havoc(..));
            let calls = match function {
                // Functions without a body are no calls here; their lines are enough.
                Some(function) => {
                    name(places, *id).as_ref() == Some(function) || is_havoc && step.lines.is_some()
                }
                None => true,
            };
            on_line && control && calls
        })
        .map(|(id, _)| id)
        .collect();
    let mut passes = Vec::new();
    let text = step.assumption.as_deref().map(|text| {
        let parts = text
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        parts
            .map(|part| format!("({part})"))
            .collect::<Vec<_>>()
            .join(" && ")
    });
    for id in matching {
        if step.enter_function.is_some() && name(places, id).is_some() {
            passes.push(Passing {
                moment: Moment::At(places.program.edge(id).source),
                condition: None,
                value: None,
            });
            continue;
        }
        let Some(text) = text.as_deref().filter(|text| !text.is_empty()) else {
            passes.push(Passing {
                moment: Moment::After(id),
                condition: None,
                value: None,
            });
            continue;
        };
        if text.contains("\\result") {
            let is_return = matches!(places.program.edge_op(id), Op::Havoc(..) | Op::Call { .. });
            if !is_return {
                continue;
            }
            match result_bounds(text) {
                Some(bounds) => passes.push(returning(places, id, &bounds)),
                None => {
                    note(
                        followed,
                        Some(format!("the assumption '{text}' is not honoured")),
                    );
                    passes.push(returning(places, id, &[]));
                }
            }
            continue;
        }
        let condition = match places.after(text, id) {
            Ok(condition) => Some(condition),
            Err(why) => {
                note(followed, Some(why));
                None
            }
        };
        passes.push(Passing {
            moment: Moment::After(id),
            condition,
            value: condition.and_then(|it| assumed_input(places, it)),
        });
    }
    passes
}

pub fn validate(
    task: &Task<'_>,
    places: Places,
    followed: Followed,
    report: &mut Report,
) -> Result<Validation, String> {
    let plain = cfa::property::instrument(&places.into_program(), &task.property);
    let is_target = |program: &Program, error: LocId| {
        followed.target.as_ref().is_none_or(|lines| {
            let edges = program.location(error).incoming.iter();
            edges
                .map(|&edge| program.edge(edge).span.lo)
                .any(|at| lines.iter().any(|line| line.lo <= at && at <= line.hi))
        })
    };
    if !plain
        .errors
        .iter()
        .any(|&(error, _)| is_target(&plain, error))
    {
        return Ok(judged(
            Judgement::Refuted,
            "nothing at the witness's target can violate the property",
        ));
    }
    let automaton = Automaton {
        initial: followed.initial,
        moments: followed
            .moments
            .iter()
            .map(|(moment, list)| (*moment, list.clone()))
            .collect(),
    };
    let accepts = |program: &Program, error: LocId| {
        if is_target(program, error) {
            followed.accepting.clone()
        } else {
            Vec::new()
        }
    };
    let (original, state) = cfa::monitor::product(plain.clone(), &automaton, &accepts);
    let directed = Directed {
        program: &original,
        state,
        followed: &followed,
    };
    let at_hand = directed.search(task).into_iter().collect();
    let (_, certificate) = task.decide(task.case(original, true)?, at_hand, report)?;
    report.harness = None;
    Ok(match (report.verdict, certificate) {
        (Verdict::False, Some(Certificate::Inputs(values))) => {
            // Without the automaton the same inputs must do the same.
            let run = certify::replay(&plain, &values, &task.budget, None);
            if matches!(run.outcome, Outcome::Error(_)) {
                judged(
                    Judgement::Confirmed,
                    "an execution along the witness violates the property when it is replayed",
                )
            } else {
                judged(
                    Judgement::Unknown,
                    "the execution that was found cannot be replayed; please report this",
                )
            }
        }
        (Verdict::True, _) => {
            // It was proved of the program with the automaton, not of the program.
            report.verdict = Verdict::Unknown;
            match &followed.left_out {
                None => judged(
                    Judgement::Refuted,
                    "no execution along the witness violates the property",
                ),
                Some(why) => judged(
                    Judgement::Unknown,
                    format!(
                        "no such execution was found, but not all of the witness was followed: {why}"
                    ),
                ),
            }
        }
        _ => judged(
            Judgement::Unknown,
            report.reason.clone().unwrap_or_default(),
        ),
    })
}

/// Executions that take the values which the witness names.
struct Directed<'a> {
    program: &'a Program,
    state: VarId,
    followed: &'a Followed,
}

/// Executions with the witness's values and, for inputs that it does not name, zeros or others.
const ATTEMPTS: u64 = 50;
const PATIENCE: Duration = Duration::from_secs(5);

impl Directed<'_> {
    fn search(&self, task: &Task<'_>) -> Option<Certificate> {
        let mut interpreter = Interpreter::new(self.program);
        let deadline = Instant::now() + PATIENCE.min(task.args.timeout / 4);
        for attempt in 0..ATTEMPTS {
            let state = Rc::new(Cell::new(self.followed.initial));
            let mut source = Named {
                state: Rc::clone(&state),
                values: &self.followed.values,
                numbers: &self.program.inputs,
                others: (attempt > 0).then(|| RandomInputs::new(attempt, self.program)),
            };
            let mut observer = StateObserver {
                var: self.state,
                state,
            };
            let options = Options {
                deadline: Some(deadline),
                ..Options::default()
            };
            let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
            let run = interpreter.run_with(&options, &mut source, out, err, Some(&mut observer));
            if let Outcome::Error(_) = run.outcome {
                let inputs = run.inputs.iter();
                let inputs = inputs.map(|&(input, ty, bits)| InputValue { input, ty, bits });
                return Some(Certificate::Inputs(inputs.collect()));
            }
            if Instant::now() >= deadline {
                break;
            }
        }
        None
    }
}

struct StateObserver {
    var: VarId,
    state: Rc<Cell<u32>>,
}

impl Observer for StateObserver {
    fn edge(&mut self, _: EdgeId, change: Change, _: &View<'_>) {
        if let Change::Variable(var, bits) = change
            && var == self.var
        {
            self.state.set(bits as u32);
        }
    }
}

struct Named<'a> {
    state: Rc<Cell<u32>>,
    values: &'a FxHashMap<(u32, InputId), u128>,
    numbers: &'a [Input],
    others: Option<RandomInputs>,
}

impl InputSource for Named<'_> {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        // The source is told what is asked for, not under which number.
        let number = self
            .numbers
            .iter()
            .position(|known| known.span == input.span && known.kind == input.kind);
        let named =
            number.and_then(|number| self.values.get(&(self.state.get(), InputId(number as u32))));
        match (named, &mut self.others) {
            (Some(&bits), _) => Some(bits),
            (None, Some(others)) => others.next(input, ty),
            (None, None) => Some(0),
        }
    }
}
