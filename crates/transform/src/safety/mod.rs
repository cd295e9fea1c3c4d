//! Memory safety as error locations: the program watches which objects live, and asks before each
//! access whether it stays inside one of them.
//!
//! What is asked is a *sufficient* condition for the access to be valid, in ghost variables that
//! are ordinary variables of the automaton, so that engines, domains and the checker of proofs see
//! nothing new (`docs/decisions/026-memory-safety.md`):
//!
//! - An access to a named object of the running function asks for its offset only.
//! - Any other access asks, for each object that the points-to analysis lets the pointer point to:
//!   does it live, and is the distance from its start at most its size less the bytes accessed?
//! - A variable that exists once has a ghost that says whether it lives. An allocation, and a local
//!   variable of a function that may be active several times, has *slots*: each holds the start and
//!   the size of one live object, and is empty (its start is null) when that is released. An
//!   allocation that finds no empty slot has no formula, and makes the verdict UNKNOWN.
//!
//! The points-to analysis is not trusted: an object that it leaves out makes a valid access an
//! error, never an invalid one valid. Where the ghosts know less than an execution does, the
//! violation is not confirmed: executions are those of the program without ghosts
//! ([`cfa::program::Watched`]).

mod accesses;
mod answers;
mod ends;
mod ghosts;
mod library;
#[cfg(test)]
mod tests;

use crate::regions::points_to::PointsTo;
use accesses::Checked;
use cfa::expr::{ExprId, VarId};
use cfa::op::{Halt, Op};
use cfa::program::{
    Edge, EdgeId, ErrorKind, Faults, FuncId, LocId, LocationKind, Program, Watched,
};
use ghosts::Ghosts;
use lowering::property::{Check, Property, Rewriter};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use syntax::span::Span;

/// The program with an error location wherever the property can be violated.
#[must_use]
pub fn instrument(program: &Program, property: &Property) -> Program {
    let program = lowering::property::instrument(program, property);
    if !property.is_about_memory() {
        return program;
    }
    let points_to = PointsTo::of(&program);
    let locations = program.locations.len();
    let edges = program.edges.len();
    let mut rewriter = Rewriter::new(program.clone());
    let ghosts = Ghosts::of(&mut rewriter);
    let mut watch = Watch {
        rewriter,
        points_to,
        ghosts,
        property,
        faults: Faults::default(),
        checked: FxHashMap::default(),
        own_expressions: program.pool.len(),
        kept_sizes: FxHashMap::default(),
    };
    for number in 0..edges {
        watch.behind(EdgeId(number as u32));
        watch.calls_nothing(EdgeId(number as u32));
    }
    for number in locations_in_order(&program, locations) {
        watch.before(&program, number);
    }
    watch.ends(&program);
    watch.begin();
    let Watch {
        rewriter, faults, ..
    } = watch;
    let mut result = rewriter.program;
    result.watched = Some(Arc::new(Watched { program, faults }));
    result
}

/// Locations with those before them first, as far as there is such an order.
fn locations_in_order(program: &Program, locations: usize) -> Vec<LocId> {
    let mut order = Vec::with_capacity(locations);
    let mut seen = vec![false; locations];
    for function in &program.functions {
        let mut open = std::collections::VecDeque::from([function.entry]);
        while let Some(at) = open.pop_front() {
            if std::mem::replace(&mut seen[at.0 as usize], true) {
                continue;
            }
            order.push(at);
            let outgoing = program.location(at).outgoing.iter();
            open.extend(outgoing.map(|&edge| program.edge(edge).target));
        }
    }
    let rest = (0..locations as u32).map(LocId);
    order.extend(rest.filter(|at| !seen[at.0 as usize]));
    order
}

fn goes_nowhere(what: &str) -> bool {
    let kinds = ["a call through", "a computed goto", "longjmp"];
    kinds.iter().any(|kind| what.starts_with(kind))
}

struct Watch<'a> {
    rewriter: Rewriter,
    points_to: PointsTo,
    ghosts: Ghosts,
    property: &'a Property,
    faults: Faults,
    /// What was asked on every way to a location since anything changed.
    checked: FxHashMap<LocId, Checked>,
    /// Expressions of the program itself: what it asks it asks for itself.
    own_expressions: usize,
    /// Where the size of an allocation is kept that would be overwritten.
    kept_sizes: FxHashMap<EdgeId, VarId>,
}

/// A place where the program is being extended.
#[derive(Clone, Copy)]
struct Point {
    at: LocId,
    function: FuncId,
    span: Span,
}

impl Watch<'_> {
    fn wants(&self, check: Check) -> bool {
        self.property.has(check)
    }

    fn location(&mut self, point: Point) -> Point {
        let Point { function, span, .. } = point;
        let at = self
            .rewriter
            .location(function, LocationKind::Ordinary, span);
        Point { at, ..point }
    }

    /// The operation, and the place behind it.
    fn then(&mut self, point: Point, op: Op) -> Point {
        let next = self.location(point);
        self.rewriter.edge(point.at, next.at, op, point.span);
        next
    }

    fn goes_to(&mut self, point: Point, target: LocId, op: Op) {
        self.rewriter.edge(point.at, target, op, point.span);
    }

    /// Both ways of a condition.
    fn branch(&mut self, point: Point, condition: ExprId) -> (Point, Point) {
        let not = self.rewriter.program.pool.not(condition);
        let yes = self.then(point, Op::Assume(condition));
        let no = self.then(point, Op::Assume(not));
        (yes, no)
    }

    fn error(&mut self, point: Point, kind: ErrorKind) -> LocId {
        self.rewriter.error(point.function, kind, point.span)
    }

    /// Reaching it makes the verdict UNKNOWN.
    fn not_followed(&mut self, point: Point, what: &str) {
        let end = self.location(point);
        let halt = Op::Halt(Halt::Unsupported(what.to_owned()));
        self.rewriter.edge(point.at, end.at, halt, point.span);
    }

    /// The same for what may violate a check that is not asked by formulas: that of an error
    /// location which they never come to.
    fn not_followed_there(&mut self, point: Point, what: &str, error: LocId) {
        let never = self.rewriter.program.pool.bool_constant(false);
        self.goes_to(point, error, Op::Assume(never));
        let edge = EdgeId(self.rewriter.program.edges.len() as u32);
        self.not_followed(point, what);
        self.faults
            .not_followed
            .entry(error)
            .or_default()
            .push(edge);
    }

    /// The same as a check of its own.
    fn unseen(&mut self, point: Point, what: &str) {
        let error = self.error(point, ErrorKind::InvalidAccess);
        self.not_followed_there(point, what, error);
    }

    /// Whether a call through a pointer to no function violates memory safety is not told, nor
    /// whether a jump to no place does: where one may happen there is no proof.
    fn calls_nothing(&mut self, edge: EdgeId) {
        let op = match self.rewriter.program.edge_op(edge) {
            Op::Halt(Halt::Undefined(what)) if goes_nowhere(what) => {
                Op::Halt(Halt::Unsupported(what.clone()))
            }
            _ => return,
        };
        let op = self.rewriter.op(op);
        self.rewriter.program.edges[edge.0 as usize].op = op;
        if self.wants(Check::Deref) {
            let &Edge { source, span, .. } = self.rewriter.program.edge(edge);
            let function = self.rewriter.program.location(source).function;
            let at = source;
            let point = Point { at, function, span };
            let error = self.error(point, ErrorKind::InvalidAccess);
            let never = self.rewriter.program.pool.bool_constant(false);
            self.goes_to(point, error, Op::Assume(never));
            self.faults
                .not_followed
                .entry(error)
                .or_default()
                .push(edge);
        }
    }

    /// Takes what leads on from a location; it is to lead on from the place that is given back to
    /// [`Watch::close`].
    fn open(&mut self, at: LocId, span: Span) -> (Point, Vec<EdgeId>) {
        let here = &mut self.rewriter.program.locations[at.0 as usize];
        let function = here.function;
        let outgoing = std::mem::take(&mut here.outgoing);
        (Point { at, function, span }, outgoing)
    }

    fn close(&mut self, point: Point, outgoing: Vec<EdgeId>) {
        for &edge in &outgoing {
            self.rewriter.program.edges[edge.0 as usize].source = point.at;
        }
        let here = &mut self.rewriter.program.locations[point.at.0 as usize];
        here.outgoing.extend(outgoing);
    }

    /// Gives an edge a new target; what lies between it and the old one is to be filled in.
    fn extend(&mut self, edge: EdgeId) -> (Point, LocId) {
        let &Edge {
            source,
            target,
            span,
            ..
        } = self.rewriter.program.edge(edge);
        let function = self.rewriter.program.location(source).function;
        let at = self
            .rewriter
            .location(function, LocationKind::Ordinary, span);
        self.rewriter.program.edges[edge.0 as usize].target = at;
        let locations = &mut self.rewriter.program.locations;
        locations[at.0 as usize].incoming.push(edge);
        let incoming = &mut locations[target.0 as usize].incoming;
        incoming.retain(|&other| other != edge);
        (Point { at, function, span }, target)
    }

    /// Ghosts have their first values before anything else happens.
    fn begin(&mut self) {
        let program = &self.rewriter.program;
        let start = program.function(program.entry).entry;
        let span = program.location(start).span;
        let (mut point, outgoing) = self.open(start, span);
        for var in self.ghosts.all() {
            let program = &mut self.rewriter.program;
            let zero = program.pool.zero(program.vars[var.0 as usize].ty);
            point = self.then(point, Op::Assign(var, zero));
        }
        self.close(point, outgoing);
    }
}
