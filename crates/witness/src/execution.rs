//! From an execution that violates the property to the waypoints that lead others along it.

use crate::literal;
use crate::model::{Segment, SourcePlace, Waypoint, WaypointKind};
use cfa::op::{InputKind, Op};
use cfa::program::{EdgeId, Program};
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{Change, Observer, View};
use syntax::span::Span;

/// Waypoints beyond this many are left out: nobody reads them, and the target alone is a witness
/// too.
const MAX_WAYPOINTS: usize = 20_000;

/// Replays the execution: for each value from a function a waypoint that fixes it, and the target
/// at the end. None if the replay does not end in a violation.
pub fn segments(program: &Program, values: &[InputValue], budget: &Budget) -> Option<Vec<Segment>> {
    let mut tracker = Tracker {
        program,
        segments: Vec::new(),
    };
    let run = certify::replay(program, values, budget, Some(&mut tracker));
    if !matches!(run.outcome, interpreter::Outcome::Error(_)) {
        return None;
    }
    let span = run
        .place
        .edge
        .map_or(program.location(run.place.location).span, |edge| {
            program.edge(edge).span
        });
    let function = program.location(run.place.location).function;
    let target = Waypoint {
        kind: WaypointKind::Target,
        place: place(program, span, Some(program.function_name(function)))?,
        callee: None,
    };
    let mut segments = tracker.segments;
    segments.push(Segment {
        avoid: Vec::new(),
        follow: target,
    });
    Some(segments)
}

/// The place where a span begins.
pub fn place(program: &Program, span: Span, function: Option<&str>) -> Option<SourcePlace> {
    place_of_offset(program, span, span.lo, function)
}

fn place_of_offset(
    program: &Program,
    span: Span,
    at: u32,
    function: Option<&str>,
) -> Option<SourcePlace> {
    if span.is_none() {
        return None;
    }
    let found = program.sources.place(at)?;
    Some(SourcePlace {
        file: found.file.to_string(),
        line: found.line,
        column: Some(found.column),
        function: function.map(str::to_string),
    })
}

/// The place of the closing parenthesis of a call.
pub fn end_of_call(program: &Program, span: Span, function: Option<&str>) -> Option<SourcePlace> {
    place_of_offset(program, span, span.hi.checked_sub(1)?, function)
}

struct Tracker<'a> {
    program: &'a Program,
    segments: Vec<Segment>,
}

impl Observer for Tracker<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        let (Op::Havoc(_, input), Change::Variable(var, bits)) =
            (self.program.edge_op(edge), change)
        else {
            return;
        };
        let Some(input) = self.program.inputs.get(input.0 as usize) else {
            return;
        };
        let (InputKind::Nondet(callee) | InputKind::External(callee)) = input.kind else {
            return;
        };
        if self.segments.len() >= MAX_WAYPOINTS {
            return;
        }
        let function = self.program.function_name(view.function());
        let place = end_of_call(self.program, input.span, Some(function));
        let value = literal::constant(self.program.var(var).ty, bits);
        let (Some(place), Some(value)) = (place, value) else {
            return;
        };
        self.segments.push(Segment {
            avoid: Vec::new(),
            follow: Waypoint {
                kind: WaypointKind::FunctionReturn(format!("\\result == {value}")),
                place,
                callee: Some(self.program.names.get(callee).to_owned()),
            },
        });
    }
}
