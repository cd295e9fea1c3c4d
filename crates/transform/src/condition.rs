//! Conditions of conditional model checking as programs (Beyer2012: D. Beyer, T. A. Henzinger,
//! M. E. Keremoglu, P. Wendler, *Conditional Model Checking: A Technique to Pass Information between
//! Verifiers*, 2012; Beyer2018: D. Beyer, M.-C. Jakobs, T. Lemberger, H. Wehrheim, *Reducer-Based
//! Construction of Conditional Verifiers*, 2018).
//!
//! | paper | here |
//! |---|---|
//! | condition, assumption automaton | [`Condition`]: an automaton that reads the edges that an execution takes |
//! | `__TRUE`, accepting state | [`State::Done`]: somebody claims that nothing is violated from here on |
//! | `__FALSE` | [`State::Open`]: nothing is claimed from here on |
//! | assumption of a transition | [`Move::guard`] |
//! | residual program, reducer | [`residual`] |
//! | (none) | [`claimed`]: the executions that the condition leaves out |
//!
//! Deviations: the product of program and automaton is a ghost variable that holds the automaton's
//! state, and not a copy of the program for each state; where the automaton has one state only,
//! there is no ghost.
//!
//! Why the parts are worth the whole: the automaton is deterministic, watches, and changes nothing of
//! an execution. So an execution that comes to an error location does so with the automaton in
//! `Done`, and is one of [`claimed`], or in another state, and is one of [`residual`]. `Done` and `Open` are never left, so each
//! part may end executions that belong to the other one.

use cfa::expr::{ExprId, VarId};
use cfa::op::Op;
use cfa::program::{EdgeId, LocId, Location, LocationKind, Program, Variable, VariableKind};
use cfa::value::Ty;
use lowering::property::Rewriter;
use std::collections::{BTreeMap, BTreeSet};
use syntax::span::Span;

/// A state of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// Claimed to be safe from here on. Never left.
    Done,
    /// Nothing is claimed from here on. Never left.
    Open,
    /// One of its own.
    At(u32),
}

/// What the automaton does when an execution takes an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// The number of one of its own states.
    pub from: u32,
    pub edge: EdgeId,
    /// Taken only if this holds, in the program's pool: behind the edge, or before it if it calls a
    /// function. If no guard of the moves from a state by an edge holds, the automaton is in
    /// [`State::Open`] then.
    pub guard: Option<ExprId>,
    pub to: State,
    /// The part of the claim that a move to [`State::Done`] belongs to.
    pub part: u32,
}

/// An automaton over the edges of a program. An edge without a move leaves the state as it is; of
/// several moves from a state by an edge the first whose guard holds counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub initial: State,
    pub moves: Vec<Move>,
}

impl Condition {
    /// The numbers of the parts of its claim.
    pub fn parts(&self) -> Vec<u32> {
        let done = self.moves.iter().filter(|it| it.to == State::Done);
        let mut parts: Vec<u32> = done.map(|it| it.part).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The condition that claims one part only. An execution that the whole condition leaves out is
    /// left out by one of its parts: that of the first move to [`State::Done`] that it takes.
    #[must_use]
    pub fn only(&self, part: u32) -> Condition {
        let kept = |it: &&Move| it.to != State::Done || it.part == part;
        let condition = Condition {
            initial: self.initial,
            moves: self.moves.iter().filter(kept).copied().collect(),
        };
        condition
            .collapsed()
            .unwrap_or_else(|| condition.without_dead_ends())
    }

    /// The same with `Open` in the place of states that no move leads on from.
    fn without_dead_ends(&self) -> Condition {
        let from: BTreeSet<u32> = self.moves.iter().map(|it| it.from).collect();
        let living = |to: State| match to {
            State::At(number) if !from.contains(&number) => State::Open,
            other => other,
        };
        let moves = self.moves.iter().map(|it| Move {
            to: living(it.to),
            ..*it
        });
        Condition {
            initial: living(self.initial),
            moves: moves.collect(),
        }
    }

    /// The same with one state of its own, if it does not matter in which it is: all edges that
    /// lead to `Done` from one of them do so from all.
    fn collapsed(&self) -> Option<Condition> {
        let mut states: Vec<u32> = self.moves.iter().map(|it| it.from).collect();
        if let State::At(initial) = self.initial {
            states.push(initial);
        }
        states.extend(self.moves.iter().filter_map(|it| match it.to {
            State::At(to) => Some(to),
            _ => None,
        }));
        states.sort_unstable();
        states.dedup();
        let is_simple = |it: &Move| it.guard.is_none() && it.to != State::Open;
        if states.len() < 2 || !self.moves.iter().all(is_simple) {
            return None;
        }
        let done = |state: u32| -> Vec<(EdgeId, u32)> {
            let here = self.moves.iter().filter(|it| it.from == state);
            let mut edges: Vec<(EdgeId, u32)> = here
                .filter(|it| it.to == State::Done)
                .map(|it| (it.edge, it.part))
                .collect();
            edges.sort_unstable();
            edges
        };
        let first = done(states[0]);
        let State::At(_) = self.initial else {
            return None;
        };
        if states.iter().any(|&state| done(state) != first) {
            return None;
        }
        let moves = first.into_iter().map(|(edge, part)| Move {
            from: 0,
            edge,
            guard: None,
            to: State::Done,
            part,
        });
        Some(Condition {
            initial: State::At(0),
            moves: moves.collect(),
        })
    }

    /// Why there is no program for it; nothing if there is one.
    fn problem(&self, program: &Program) -> Option<String> {
        if program.watched.is_some() {
            return Some("conditions are not supported for properties of memory".into());
        }
        let is_wrong = |it: &Move| {
            let is_there = (it.edge.0 as usize) < program.edges.len();
            let guard = it.guard;
            !is_there || guard.is_some_and(|guard| program.pool.can_fail(guard))
        };
        let wrong = self.moves.iter().any(is_wrong);
        wrong.then(|| "an assumption of the condition may have no value".into())
    }
}

/// The program whose violations are those that the condition leaves out.
pub fn claimed(program: &Program, condition: &Condition) -> Result<Program, String> {
    part(program, condition, Side::Claimed)
}

/// The program whose violations are those that the condition does not leave out.
pub fn residual(program: &Program, condition: &Condition) -> Result<Program, String> {
    part(program, condition, Side::Residual)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Claimed,
    Residual,
}

/// The name of the ghost, which no C identifier has.
pub const GHOST: &str = "condition$state";

fn part(program: &Program, condition: &Condition, side: Side) -> Result<Program, String> {
    if let Some(problem) = condition.problem(program) {
        return Err(problem);
    }
    let mut by_edge: BTreeMap<EdgeId, Vec<Move>> = BTreeMap::new();
    for it in &condition.moves {
        by_edge.entry(it.edge).or_default().push(*it);
    }
    let mut rewriter = Rewriter::new(program.clone());
    let is_of_one_state = |it: &Move| {
        it.guard.is_none() && it.to == State::Done && State::At(it.from) == condition.initial
    };
    let needs_no_ghost = side == Side::Residual && condition.moves.iter().all(is_of_one_state);
    if needs_no_ghost {
        for &edge in by_edge.keys() {
            end_at(&mut rewriter, edge);
        }
        if condition.initial == State::Done {
            end_at_start(&mut rewriter);
        }
        return Ok(rewriter.program);
    }
    let ghost = VarId(rewriter.program.vars.len() as u32);
    rewriter.program.vars.push(Variable {
        name: GHOST.into(),
        ty: GHOST_TY,
        c_type: None,
        function: None,
        kind: VariableKind::Temporary,
        span: Span::NONE,
    });
    let errors: Vec<LocId> = program.errors.iter().map(|(error, _)| *error).collect();
    let too_late = match side {
        Side::Claimed => too_late(program, condition),
        Side::Residual => Vec::new(),
    };
    let mut product = Product {
        rewriter,
        ghost,
        side,
    };
    for (&edge, moves) in &by_edge {
        product.watch(edge, moves);
    }
    for edge in too_late {
        product.only_if_done_behind(edge);
    }
    if side == Side::Claimed {
        for error in errors {
            product.only_if_done(error);
        }
    }
    product.begin(condition.initial);
    Ok(product.rewriter.program)
}

const GHOST_TY: Ty = Ty::unsigned(32);

fn number(state: State) -> u128 {
    match state {
        State::Done => 0,
        State::Open => 1,
        State::At(number) => u128::from(number) + 2,
    }
}

struct Product {
    rewriter: Rewriter,
    ghost: VarId,
    side: Side,
}

impl Product {
    fn constant(&mut self, state: State) -> ExprId {
        let pool = &mut self.rewriter.program.pool;
        pool.constant(number(state), GHOST_TY)
    }

    fn is_in(&mut self, state: State) -> ExprId {
        let wanted = self.constant(state);
        let pool = &mut self.rewriter.program.pool;
        let ghost = pool.variable(self.ghost, GHOST_TY);
        pool.eq(ghost, wanted)
    }

    /// The state behind an edge with these moves.
    fn next(&mut self, moves: &[Move]) -> ExprId {
        let mut from: Vec<u32> = moves.iter().map(|it| it.from).collect();
        from.sort_unstable();
        from.dedup();
        let mut next = self.rewriter.program.pool.variable(self.ghost, GHOST_TY);
        for state in from {
            let mut to = self.constant(State::Open);
            for it in moves.iter().rev().filter(|it| it.from == state) {
                let target = self.constant(it.to);
                to = match it.guard {
                    None => target,
                    Some(guard) => self.rewriter.program.pool.ite(guard, target, to),
                };
            }
            let here = self.is_in(State::At(state));
            next = self.rewriter.program.pool.ite(here, to, next);
        }
        next
    }

    /// The ghost follows an execution over the edge. Executions that belong to the other part end.
    fn watch(&mut self, edge: EdgeId, moves: &[Move]) {
        let next = self.next(moves);
        let is_call = matches!(self.rewriter.program.edge_op(edge), Op::Call { .. });
        let (at, target) = match is_call {
            true => before(&mut self.rewriter, edge),
            false => behind(&mut self.rewriter, edge),
        };
        let leaves = match self.side {
            Side::Claimed => State::Open,
            Side::Residual => State::Done,
        };
        let may_leave = moves
            .iter()
            .any(|it| it.to == leaves || it.guard.is_some() && leaves == State::Open);
        let assign = Op::Assign(self.ghost, next);
        if !may_leave {
            self.rewriter.edge(at, target, assign, Span::NONE);
            return;
        }
        let middle = new_location(&mut self.rewriter, at);
        self.rewriter.edge(at, middle, assign, Span::NONE);
        let left = self.is_in(leaves);
        let stays = self.rewriter.program.pool.not(left);
        self.rewriter
            .edge(middle, target, Op::Assume(stays), Span::NONE);
    }

    /// An error location is reached in `Done` only.
    fn only_if_done(&mut self, error: LocId) {
        let location = self.rewriter.program.location(error);
        for edge in location.incoming.clone() {
            self.only_if_done_behind(edge);
        }
    }

    /// Executions go on behind an edge in `Done` only.
    fn only_if_done_behind(&mut self, edge: EdgeId) {
        let done = self.is_in(State::Done);
        let (at, target) = behind(&mut self.rewriter, edge);
        self.rewriter.edge(at, target, Op::Assume(done), Span::NONE);
    }

    fn begin(&mut self, initial: State) {
        let value = self.constant(initial);
        let start = open_start(&mut self.rewriter);
        let assign = Op::Assign(self.ghost, value);
        self.rewriter.edge(start.0, start.1, assign, Span::NONE);
        let is_elsewhere = match self.side {
            Side::Claimed => initial == State::Open,
            Side::Residual => initial == State::Done,
        };
        if is_elsewhere {
            end_at_start(&mut self.rewriter);
        }
    }
}

/// Edges behind which no way leads to a move to `Done` any more: an execution that is not there yet
/// never will be. (Ways are those of the graph, and a function may return to wherever it is
/// called.) Edges that have a move themselves, and calls, are none of them.
fn too_late(program: &Program, condition: &Condition) -> Vec<EdgeId> {
    let done = condition.moves.iter().filter(|it| it.to == State::Done);
    let mut in_time = vec![false; program.locations.len()];
    let mut open: Vec<LocId> = done.map(|it| program.edge(it.edge).source).collect();
    let mut callers: BTreeMap<LocId, Vec<LocId>> = BTreeMap::new();
    for edge in &program.edges {
        if let Op::Call { function, .. } = program.op(edge.op) {
            let entry = program.function(*function).entry;
            callers.entry(entry).or_default().push(edge.source);
        }
    }
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut in_time[at.0 as usize], true) {
            continue;
        }
        open.extend(callers.get(&at).into_iter().flatten());
        for &edge in &program.location(at).incoming {
            open.push(program.edge(edge).source);
            if let Op::Call { function, .. } = program.edge_op(edge) {
                open.push(program.function(*function).exit);
            }
        }
    }
    let moved: BTreeSet<EdgeId> = condition.moves.iter().map(|it| it.edge).collect();
    let ids = (0..program.edges.len() as u32).map(EdgeId);
    ids.filter(|id| {
        let edge = program.edge(*id);
        let is_call = matches!(program.op(edge.op), Op::Call { .. });
        let passes = in_time[edge.source.0 as usize] && !in_time[edge.target.0 as usize];
        passes && !is_call && !moved.contains(id)
    })
    .collect()
}

fn new_location(rewriter: &mut Rewriter, beside: LocId) -> LocId {
    let function = rewriter.program.location(beside).function;
    rewriter.location(function, LocationKind::Ordinary, Span::NONE)
}

/// Moves an edge from the list of one location to that of another.
fn hand_over(
    rewriter: &mut Rewriter,
    edge: EdgeId,
    (from, to): (LocId, LocId),
    list: impl Fn(&mut Location) -> &mut Vec<EdgeId>,
) {
    let locations = &mut rewriter.program.locations;
    list(&mut locations[to.0 as usize]).push(edge);
    list(&mut locations[from.0 as usize]).retain(|&other| other != edge);
}

/// Gives an edge a new target: that, and the old one.
fn behind(rewriter: &mut Rewriter, edge: EdgeId) -> (LocId, LocId) {
    let target = rewriter.program.edge(edge).target;
    let at = new_location(rewriter, rewriter.program.edge(edge).source);
    rewriter.program.edges[edge.0 as usize].target = at;
    hand_over(rewriter, edge, (target, at), |place| &mut place.incoming);
    (at, target)
}

/// Gives an edge a new source: the old one, and that.
fn before(rewriter: &mut Rewriter, edge: EdgeId) -> (LocId, LocId) {
    let source = rewriter.program.edge(edge).source;
    let at = new_location(rewriter, source);
    rewriter.program.edges[edge.0 as usize].source = at;
    hand_over(rewriter, edge, (source, at), |place| &mut place.outgoing);
    (source, at)
}

/// Executions end at an edge: before it if it calls, behind it otherwise.
fn end_at(rewriter: &mut Rewriter, edge: EdgeId) {
    let is_call = matches!(rewriter.program.edge_op(edge), Op::Call { .. });
    let (at, target) = match is_call {
        true => before(rewriter, edge),
        false => behind(rewriter, edge),
    };
    let never = rewriter.program.pool.bool_constant(false);
    rewriter.edge(at, target, Op::Assume(never), Span::NONE);
}

/// Room before all that the program does: from there, and to there.
fn open_start(rewriter: &mut Rewriter) -> (LocId, LocId) {
    let program = &rewriter.program;
    let start = program.function(program.entry).entry;
    let next = new_location(rewriter, start);
    let outgoing = std::mem::take(&mut rewriter.program.locations[start.0 as usize].outgoing);
    for &edge in &outgoing {
        rewriter.program.edges[edge.0 as usize].source = next;
    }
    rewriter.program.locations[next.0 as usize].outgoing = outgoing;
    (start, next)
}

fn end_at_start(rewriter: &mut Rewriter) {
    let (from, to) = open_start(rewriter);
    let never = rewriter.program.pool.bool_constant(false);
    rewriter.edge(from, to, Op::Assume(never), Span::NONE);
}
