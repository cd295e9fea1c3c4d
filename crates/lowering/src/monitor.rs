//! Programs that watch themselves: claims that are asserted at locations, and an automaton that
//! runs along with the program and decides which of its violations count.
//!
//! As with [`crate::property`], locations and edges keep their numbers, and what is new comes
//! behind them.

use crate::property::Rewriter;
use crate::undefined;
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::op::Op;
use cfa::program::{EdgeId, ErrorKind, LocId, LocationKind, Program, Variable, VariableKind};
use cfa::value::Ty;
use syntax::span::Span;

/// The program with an error location behind each claim: an execution reaches it exactly if it
/// comes to the claim's location when the claim is false or has no value ([`undefined`]). The
/// expressions do not read through pointers ([`undefined::reads_through_pointer`]): evaluating them
/// ends no execution. They lie in the program's pool. The error locations come back in the order of
/// the claims.
pub fn assert_at(program: Program, claims: &[(LocId, ExprId)]) -> (Program, Vec<LocId>) {
    let mut rewriter = Rewriter::new(program);
    let mut errors = Vec::new();
    for &(location, claim) in claims {
        let (behind, span) = split(&mut rewriter, location);
        let function = rewriter.program.location(location).function;
        let error = rewriter.error(function, ErrorKind::ErrorCall, span);
        let here = undefined::guard(&mut rewriter, location, error, claim, span);
        let fails = rewriter.program.pool.not(claim);
        rewriter.edge(here, error, Op::Assume(fails), span);
        rewriter.edge(here, behind, Op::Assume(claim), span);
        errors.push(error);
    }
    (rewriter.program, errors)
}

/// A location of its own behind each edge, in the order of the edges: a place that no other edge
/// leads to.
pub fn behind_edges(program: Program, edges: &[EdgeId]) -> (Program, Vec<LocId>) {
    let mut rewriter = Rewriter::new(program);
    let mut locations = Vec::new();
    for &edge in edges {
        let (between, target, span) = extend(&mut rewriter, edge);
        rewriter.edge(between, target, Op::Skip, span);
        locations.push(between);
    }
    (rewriter.program, locations)
}

/// Moves what leads on from a location behind a new one, to which nothing leads yet.
fn split(rewriter: &mut Rewriter, location: LocId) -> (LocId, Span) {
    let here = &mut rewriter.program.locations[location.0 as usize];
    let (function, span) = (here.function, here.span);
    let outgoing = std::mem::take(&mut here.outgoing);
    let behind = rewriter.location(function, LocationKind::Ordinary, span);
    for &edge in &outgoing {
        rewriter.program.edges[edge.0 as usize].source = behind;
    }
    rewriter.program.locations[behind.0 as usize].outgoing = outgoing;
    (behind, span)
}

/// Gives an edge a new target; what lies between it and the old one is to be filled in.
fn extend(rewriter: &mut Rewriter, edge: EdgeId) -> (LocId, LocId, Span) {
    let &cfa::program::Edge {
        source,
        target,
        span,
        ..
    } = rewriter.program.edge(edge);
    let function = rewriter.program.location(source).function;
    let between = rewriter.location(function, LocationKind::Ordinary, span);
    rewriter.program.edges[edge.0 as usize].target = between;
    rewriter.program.locations[between.0 as usize]
        .incoming
        .push(edge);
    rewriter.program.locations[target.0 as usize]
        .incoming
        .retain(|&other| other != edge);
    (between, target, span)
}

/// When the automaton looks at the execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    /// Whenever control is there.
    At(LocId),
    /// Whenever the edge was passed; of a call, when it has returned.
    After(EdgeId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    pub from: u32,
    /// `None`: the execution is of no interest any more and ends.
    pub to: Option<u32>,
    /// Truth-valued, in the program's pool; always true if absent.
    pub condition: Option<ExprId>,
}

/// At each moment the first transition from the current state whose condition is true is taken;
/// without one the state stays.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    pub initial: u32,
    /// Transitions of one moment are taken one after the other, in their order: what others tell
    /// apart may be one step here.
    pub in_order: bool,
    pub moments: Vec<(Moment, Vec<Transition>)>,
}

/// The state in which executions are of no interest.
const SINK: u32 = u32::MAX;

/// The program together with the automaton. An error location counts only in the states that
/// `accepts` names for it. Comes with the variable that holds the automaton's state.
pub fn product(
    program: Program,
    automaton: &Automaton,
    accepts: &dyn Fn(&Program, LocId) -> Vec<u32>,
) -> (Program, VarId) {
    let mut rewriter = Rewriter::new(program);
    let state = VarId(rewriter.program.vars.len() as u32);
    rewriter.program.vars.push(Variable {
        name: "witness state".into(),
        ty: Ty::U32,
        c_type: None,
        function: None,
        kind: VariableKind::Temporary,
        span: Span::NONE,
    });
    let errors: Vec<LocId> = rewriter
        .program
        .errors
        .iter()
        .map(|error| error.0)
        .collect();
    for error in errors {
        let accepting = accepts(&rewriter.program, error);
        for edge in rewriter.program.location(error).incoming.clone() {
            let (between, target, span) = extend(&mut rewriter, edge);
            let pool = &mut rewriter.program.pool;
            let counts = is_one_of(pool, state, &accepting);
            rewriter.edge(between, target, Op::Assume(counts), span);
        }
    }
    for (moment, transitions) in &automaton.moments {
        let transitions: Vec<Transition> = transitions
            .iter()
            .map(|transition| with_value(&mut rewriter.program, *transition))
            .collect();
        let (from, to, span) = match *moment {
            Moment::At(location) => {
                let (behind, span) = split(&mut rewriter, location);
                (location, behind, span)
            }
            Moment::After(edge) => extend(&mut rewriter, edge),
        };
        let watched = Watched {
            state,
            transitions: &transitions,
            span,
        };
        if automaton.in_order {
            let function = rewriter.program.location(from).function;
            let mut here = from;
            for (index, transition) in transitions.iter().enumerate() {
                let next = match index + 1 == transitions.len() {
                    true => to,
                    false => rewriter.location(function, LocationKind::Ordinary, span),
                };
                let one = Watched {
                    transitions: std::slice::from_ref(transition),
                    ..watched
                };
                watch(&mut rewriter, one, (here, next));
                here = next;
            }
        } else {
            watch(&mut rewriter, watched, (from, to));
        }
    }
    // Last, so that no moment at the first location comes before it.
    let start = rewriter.program.function(rewriter.program.entry).entry;
    let (behind, span) = split(&mut rewriter, start);
    let initial = rewriter
        .program
        .pool
        .constant(automaton.initial.into(), Ty::U32);
    rewriter.edge(start, behind, Op::Assign(state, initial), span);
    (rewriter.program, state)
}

/// The transition, for executions in which its condition has a value: where it has none, no
/// execution goes on by it, and one that was to be left behind is.
fn with_value(program: &mut Program, transition: Transition) -> Transition {
    let Some(mut condition) = transition.condition else {
        return transition;
    };
    for lacking in undefined::conditions(program, condition).into_iter().rev() {
        let pool = &mut program.pool;
        condition = match transition.to {
            Some(_) => {
                let has_value = pool.not(lacking);
                pool.and(has_value, condition)
            }
            None => pool.or(lacking, condition),
        };
    }
    Transition {
        condition: Some(condition),
        ..transition
    }
}

fn is_one_of(pool: &mut ExprPool, state: VarId, states: &[u32]) -> ExprId {
    let state = pool.variable(state, Ty::U32);
    let mut any = pool.bool_constant(false);
    for &one in states {
        let one = pool.constant(one.into(), Ty::U32);
        let is = pool.eq(state, one);
        any = pool.or(any, is);
    }
    any
}

/// What the monitor does on the way between two locations.
#[derive(Clone, Copy)]
struct Watched<'a> {
    state: VarId,
    transitions: &'a [Transition],
    span: Span,
}

fn watch(rewriter: &mut Rewriter, watched: Watched, (from, to): (LocId, LocId)) {
    let (state, transitions, span) = (watched.state, watched.transitions, watched.span);
    // A condition is only evaluated in the state that asks for it: elsewhere it may fail to have a
    // value.
    let pool = &mut rewriter.program.pool;
    let can_fail =
        |pool: &ExprPool, it: &Transition| it.condition.is_some_and(|c| pool.can_fail(c));
    let delicate: Vec<u32> = transitions
        .iter()
        .filter(|it| can_fail(pool, it))
        .map(|it| it.from)
        .collect();
    if delicate.is_empty() {
        return step(rewriter, watched, (from, to));
    }
    let harmless: Vec<Transition> = transitions
        .iter()
        .filter(|it| !delicate.contains(&it.from))
        .copied()
        .collect();
    let among = is_one_of(pool, state, &delicate);
    let elsewhere = pool.not(among);
    let function = rewriter.program.location(from).function;
    for (condition, transitions) in [(among, transitions), (elsewhere, harmless.as_slice())] {
        let here = rewriter.location(function, LocationKind::Ordinary, span);
        rewriter.edge(from, here, Op::Assume(condition), span);
        let part = Watched {
            transitions,
            ..watched
        };
        step(rewriter, part, (here, to));
    }
}

/// An assignment of the next state, and an end for executions that are of no interest any more.
fn step(rewriter: &mut Rewriter, watched: Watched, (from, to): (LocId, LocId)) {
    let (state, transitions, span) = (watched.state, watched.transitions, watched.span);
    let pool = &mut rewriter.program.pool;
    let now = pool.variable(state, Ty::U32);
    let mut next = now;
    for transition in transitions.iter().rev() {
        let source = pool.constant(transition.from.into(), Ty::U32);
        let mut taken = pool.eq(now, source);
        if let Some(condition) = transition.condition {
            taken = pool.and(taken, condition);
        }
        let target = pool.constant(transition.to.unwrap_or(SINK).into(), Ty::U32);
        next = pool.ite(taken, target, next);
    }
    if transitions.iter().all(|transition| transition.to.is_some()) {
        rewriter.edge(from, to, Op::Assign(state, next), span);
        return;
    }
    let sink = pool.constant(SINK.into(), Ty::U32);
    let goes_on = pool.ne(now, sink);
    let function = rewriter.program.location(from).function;
    let between = rewriter.location(function, LocationKind::Ordinary, span);
    rewriter.edge(from, between, Op::Assign(state, next), span);
    rewriter.edge(between, to, Op::Assume(goes_on), span);
}
