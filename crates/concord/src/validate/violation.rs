//! Witnesses of a violation: the program runs along with the witness's automaton, and only
//! violations that the automaton accepts count.
//!
//! Executions that take the values which the witness names are tried first; then the analyses
//! search.

use super::{Task, judged};
use crate::check::message::{Judgement, Report, Validation, Verdict};
use cfa::expr::{BinOp, ExprId, Node, VarId};
use cfa::op::{Input, InputId, Op};
use cfa::program::{EdgeId, LocId, Program};
use cfa::value::Ty;
use facts::certificate::{Certificate, InputValue};
use interpreter::{
    Change, InputSource, Interpreter, Observer, Options, Outcome, RandomInputs, View,
};
use lowering::monitor::{Automaton, Moment, Transition};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use syntax::span::Span;
use witness::literal::{Comparison, ResultBound, result_bounds};
use witness::placing::{Places, Target};
use witness::{Segment, Waypoint, WaypointKind};

/// Where a violation counts.
pub enum Where {
    Anywhere,
    OnLines(Vec<Span>),
    At(Target),
}

/// The witness in terms of the automaton of the program.
pub struct Followed {
    moments: BTreeMap<Moment, Vec<Transition>>,
    pub(super) initial: u32,
    /// States in which a violation counts, wherever it is.
    pub(super) accepting: Vec<u32>,
    /// Where the violation is to be.
    pub(super) target: Where,
    /// Something of the witness could not be followed: it may describe fewer executions than we
    /// take it to, and then nothing is confirmed.
    left_out: Option<String>,
    /// Transitions of one moment are taken one after the other ([`Automaton::in_order`]).
    pub(super) in_order: bool,
    /// Its author may have meant other moments: that no execution follows it says nothing.
    pub(super) uncertain: bool,
    /// Values that inputs should have in a state.
    values: FxHashMap<(u32, InputId), u128>,
}

impl Followed {
    pub(super) fn new() -> Followed {
        Followed {
            moments: BTreeMap::new(),
            initial: 0,
            accepting: Vec::new(),
            target: Where::Anywhere,
            left_out: None,
            in_order: false,
            uncertain: false,
            values: FxHashMap::default(),
        }
    }

    /// Could one step pass several edges one after the other?
    pub(super) fn has_chains(&self) -> bool {
        self.moments.values().any(|list| {
            let mut reached = FxHashSet::default();
            list.iter().any(|it| {
                let goes_on = reached.contains(&it.from);
                reached.extend(it.to);
                goes_on
            })
        })
    }

    fn add(&mut self, moment: Moment, transition: Transition) {
        self.moments.entry(moment).or_default().push(transition);
    }
}

/// A way of coming from one state to another.
pub(super) struct Passing {
    pub moment: Moment,
    pub condition: Option<ExprId>,
    /// The value that the input at the moment should have.
    pub value: Option<(InputId, u128)>,
}

/// The automaton of a sequence: state `n` has passed `n` segments. What cannot be found in the
/// program, or cannot be read there, describes no execution of it: such a witness is refused.
pub fn of_sequence(places: &mut Places, segments: &[Segment]) -> Result<Followed, String> {
    let mut followed = Followed::new();
    for (number, segment) in segments.iter().enumerate() {
        let state = number as u32;
        let refused = |why: String| format!("segment {} of the witness: {why}", number + 1);
        let avoid = avoided(places, &mut followed, segment).map_err(refused)?;
        add(&mut followed, state, None, avoid);
        if segment.follow.kind == WaypointKind::Target {
            let target = places.target(&segment.follow.place).map_err(refused)?;
            followed.target = Where::At(target);
            followed.accepting.push(state);
            return Ok(followed);
        }
        let passes = passings(places, &mut followed, &segment.follow, false).map_err(refused)?;
        add(&mut followed, state, Some(state + 1), passes);
    }
    Err("the witness has no target".into())
}

pub(super) fn note(followed: &mut Followed, left_out: Option<String>) {
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
        all.extend(passings(places, followed, waypoint, true)?);
    }
    Ok(all)
}

pub(super) fn add(followed: &mut Followed, from: u32, to: Option<u32>, passes: Vec<Passing>) {
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

/// Where and when executions pass a waypoint; an error if none could. One that is to be avoided is
/// also passed where its constraint has no value.
fn passings(
    places: &mut Places,
    followed: &mut Followed,
    waypoint: &Waypoint,
    is_avoided: bool,
) -> Result<Vec<Passing>, String> {
    let place = &waypoint.place;
    places.spot(place)?;
    let mut passes = Vec::new();
    match &waypoint.kind {
        WaypointKind::Target => {}
        WaypointKind::Assumption(text) => {
            let mut problem = None;
            for location in places.statements(place)? {
                // Several statements on a line may know different names; one of them is meant.
                match places.before(text, location) {
                    Ok(claim) => {
                        if let Some(what) = claim.unclear {
                            note(followed, Some(format!("'{text}' {what}")));
                        }
                        let condition = match is_avoided {
                            true => claim.true_or_without_value(&mut places.pool),
                            false => claim.condition,
                        };
                        passes.push(Passing {
                            moment: Moment::At(location),
                            condition: Some(condition),
                            value: assumed_input(places, claim.condition),
                        });
                    }
                    Err(why) => problem = Some(why),
                }
            }
            if let (Some(why), true) = (problem, passes.is_empty()) {
                return Err(format!(
                    "the assumption in line {} cannot be used: {why}",
                    place.line
                ));
            }
        }
        WaypointKind::Branching(value) => {
            let taken = match value.trim() {
                "true" => true,
                "false" => false,
                other if other == "default" || witness::literal::is_integer(other) => {
                    places.statements(place)?;
                    let why = format!("the branch '{other}' of a switch is not followed");
                    note(followed, Some(why));
                    return Ok(vec![]);
                }
                other => return Err(format!("'{other}' in line {} is not a branch", place.line)),
            };
            let edges = places.branches(place, taken)?;
            if edges.is_empty() {
                return Err(format!("there is no branch in line {}", place.line));
            }
            passes.extend(edges.into_iter().map(|edge| Passing {
                moment: Moment::After(edge),
                condition: None,
                value: None,
            }));
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
            let bounds = result_bounds(text).ok_or_else(|| {
                let line = place.line;
                format!("'{text}' in line {line} does not compare \\result with constants")
            })?;
            let mut problem = None;
            for edge in places.calls(place)? {
                match returning(places, edge, &bounds) {
                    Ok(pass) => passes.push(pass),
                    Err(why) => problem = Some(why),
                }
            }
            if let (Some(why), true) = (problem, passes.is_empty()) {
                return Err(format!("'{text}' in line {}: {why}", place.line));
            }
        }
    }
    Ok(passes)
}

/// The return of a call whose result is within the bounds.
pub(super) fn returning(
    places: &mut Places,
    edge: EdgeId,
    bounds: &[ResultBound],
) -> Result<Passing, String> {
    let (result, input) = match places.program.edge_op(edge) {
        Op::Call { result, .. } => (*result, None),
        Op::Havoc(var, input) => (Some(*var), Some(*input)),
        _ => (None, None),
    };
    let mut condition = None;
    let mut value = None;
    for bound in bounds {
        let var = result.ok_or("the call has no result that the program uses")?;
        let ty = places.program.var(var).ty;
        let bits = bound.number.bits(ty);
        let bits = bits.ok_or("the result has no such value in its type")?;
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
    Ok(Passing {
        moment: Moment::After(edge),
        condition,
        value,
    })
}

/// If the condition fixes a variable that takes an input: the input and its value.
pub(super) fn assumed_input(places: &Places, condition: ExprId) -> Option<(InputId, u128)> {
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

pub fn validate(
    task: &Task<'_>,
    places: Places,
    followed: Followed,
    report: &mut Report,
) -> Result<Validation, String> {
    let plain = transform::safety::instrument(&places.into_program(), &task.property);
    let is_target = |program: &Program, error: LocId| {
        let mut edges = program.location(error).incoming.iter();
        match &followed.target {
            Where::Anywhere => true,
            Where::OnLines(lines) => edges
                .map(|&edge| program.edge(edge).span.lo)
                .any(|at| lines.iter().any(|line| line.lo <= at && at <= line.hi)),
            Where::At(target) => edges.any(|&edge| target.means(program, edge)),
        }
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
        in_order: followed.in_order,
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
    let (original, state) = lowering::monitor::product(plain.clone(), &automaton, &accepts);
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
            match (&followed.left_out, run.outcome) {
                (None, Outcome::Error(_)) => judged(
                    Judgement::Confirmed,
                    "an execution along the witness violates the property when it is replayed",
                ),
                (Some(why), Outcome::Error(_)) => judged(
                    Judgement::Unknown,
                    format!(
                        "an execution violates the property, but not all of the witness was followed: {why}"
                    ),
                ),
                _ => judged(
                    Judgement::Unknown,
                    "the execution that was found cannot be replayed; please report this",
                ),
            }
        }
        (Verdict::True, _) => {
            // It was proved of the program with the automaton, not of the program.
            report.verdict = Verdict::Unknown;
            match &followed.left_out {
                None if followed.uncertain => judged(
                    Judgement::Unknown,
                    "no execution along the witness violates the property, but its steps do not match the program",
                ),
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
