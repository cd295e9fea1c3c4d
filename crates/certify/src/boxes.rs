//! Annotations that say of single variables only between which constants they lie, checked without formulas.
//!
//! From each annotated box of values the program is run on ranges, path by path, until every path has ended or has come
//! to a place where a box of the annotation contains it. What goes beyond that (memory, floats, a path to an error, a box
//! that is not contained in one other) decides nothing here: formulas are asked then.

use crate::cases::NodeOfCase;
use crate::ranges::{NoRange, Range, Ranges};
use cfa::algebra::evaluate;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::op::{Halt, Op};
use cfa::place::{CallPattern, Place, callee};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use facts::budget::Budget;
use rustc_hash::FxHashMap;

/// Steps from one box; where there are more, ways do not meet often enough, and formulas join them better.
const MOST_STEPS: u64 = 200_000;
/// Activations at a time.
const MOST_CALLS: usize = 100;

/// What was followed.
pub(crate) struct Followed {
    pub places: usize,
    pub boxes: usize,
}

/// Where a path is, with the ranges of all variables (`None`: those of types without ranges).
#[derive(Clone)]
struct State {
    place: Place,
    ranges: Vec<Option<Range>>,
}

/// The boxes of a location.
struct Boxes<'a> {
    all: Vec<(&'a CallPattern, &'a [(VarId, Range)])>,
    /// Variables that have one value in each of them.
    fixed: Vec<VarId>,
    /// The boxes with given values of these.
    of_values: FxHashMap<Vec<i128>, Vec<usize>>,
}

impl<'a> Boxes<'a> {
    fn new(nodes: &'a [NodeOfCase<'_>]) -> Boxes<'a> {
        let all: Vec<_> = nodes
            .iter()
            .map(|node| (&node.node.calls, &node.case.0[..]))
            .collect();
        let single = |known: &[(VarId, Range)], var: VarId| {
            let at = known.binary_search_by_key(&var, |&(var, _)| var).ok()?;
            known[at].1.is_single().then_some(known[at].1.low)
        };
        let first = all.first().map_or(&[][..], |(_, known)| known);
        let fixed: Vec<VarId> = first
            .iter()
            .map(|&(var, _)| var)
            .filter(|&var| all.iter().all(|(_, known)| single(known, var).is_some()))
            .collect();
        let mut of_values: FxHashMap<Vec<i128>, Vec<usize>> = FxHashMap::default();
        for (number, (_, known)) in all.iter().enumerate() {
            let values = fixed.iter().filter_map(|&var| single(known, var));
            of_values.entry(values.collect()).or_default().push(number);
        }
        Boxes {
            all,
            fixed,
            of_values,
        }
    }

    fn contains(&self, state: &State) -> bool {
        let values: Option<Vec<i128>> = self
            .fixed
            .iter()
            .map(|var| {
                let range = state.ranges[var.0 as usize]?;
                range.is_single().then_some(range.low)
            })
            .collect();
        // A range that is not one value is in none of the boxes.
        let Some(candidates) = values.and_then(|values| self.of_values.get(&values)) else {
            return false;
        };
        candidates.iter().any(|&number| {
            let (calls, known) = self.all[number];
            calls.matches(&state.place.calls)
                && known.iter().all(|&(var, range)| {
                    state.ranges[var.0 as usize].is_some_and(|now| range.contains(now))
                })
        })
    }
}

/// Shows that the annotation is inductive and excludes every error; `None` if that is not decided here.
pub(crate) fn check(
    program: &Program,
    nodes: &FxHashMap<LocId, Vec<NodeOfCase<'_>>>,
    budget: &Budget,
) -> Option<Followed> {
    if !nodes.values().flatten().all(|node| node.is_box) {
        return None;
    }
    let boxes: FxHashMap<LocId, Boxes<'_>> = nodes
        .iter()
        .map(|(&location, nodes)| (location, Boxes::new(nodes)))
        .collect();
    let anything: Vec<Option<Range>> = program.vars.iter().map(|var| Range::all(var.ty)).collect();
    let mut run = Run {
        program,
        boxes: &boxes,
        budget,
        arrived: Vec::new(),
        open: Vec::new(),
    };
    let mut followed = Followed {
        places: 0,
        boxes: 0,
    };
    run.follow(State {
        place: Place::entry(program),
        ranges: anything.clone(),
    })?;
    let mut next = 0;
    while let Some(place) = run.arrived.get(next).cloned() {
        next += 1;
        followed.places += 1;
        for (calls, known) in &boxes.get(&place.location)?.all {
            if !calls.matches(&place.calls) {
                continue;
            }
            let mut ranges = anything.clone();
            for &(var, range) in *known {
                ranges[var.0 as usize] = Some(range);
            }
            followed.boxes += 1;
            let place = place.clone();
            run.follow(State { place, ranges })?;
        }
    }
    Some(followed)
}

struct Run<'a> {
    program: &'a Program,
    boxes: &'a FxHashMap<LocId, Boxes<'a>>,
    budget: &'a Budget,
    /// Annotated places that paths came to, in the order of the first.
    arrived: Vec<Place>,
    open: Vec<State>,
}

impl Run<'_> {
    /// Follows all paths from a state; `None` if one of them is not decided.
    fn follow(&mut self, start: State) -> Option<()> {
        self.leave(start)?;
        let mut steps = 0;
        while let Some(state) = self.open.pop() {
            steps += 1;
            if steps > MOST_STEPS || (steps.is_multiple_of(1024) && self.budget.is_exhausted()) {
                return None;
            }
            let location = state.place.location;
            if let Some(boxes) = self.boxes.get(&location)
                && boxes
                    .all
                    .iter()
                    .any(|(calls, _)| calls.matches(&state.place.calls))
            {
                if !boxes.contains(&state) {
                    return None;
                }
                if !self.arrived.contains(&state.place) {
                    self.arrived.push(state.place);
                }
                continue;
            }
            self.leave(state)?;
        }
        Some(())
    }

    fn leave(&mut self, mut state: State) -> Option<()> {
        let program = self.program;
        let location = state.place.location;
        if program.is_error(location) {
            return None;
        }
        let function = program.location(location).function;
        if location == program.function(function).exit {
            let Some(edge) = state.place.calls.pop() else {
                return Some(());
            };
            self.return_over(state, function, edge);
            return Some(());
        }
        let outgoing = &program.location(location).outgoing;
        for (number, &edge) in outgoing.iter().enumerate() {
            let last = number + 1 == outgoing.len();
            let next = if last {
                std::mem::replace(
                    &mut state,
                    State {
                        place: Place::entry(program),
                        ranges: Vec::new(),
                    },
                )
            } else {
                // Most branches are decided: look before a copy is made.
                if let Op::Assume(condition) = program.edge_op(edge)
                    && let Ok(Range { high: 0, .. }) = self.value(&state, *condition)
                {
                    continue;
                }
                state.clone()
            };
            self.step(next, edge)?;
        }
        Some(())
    }

    fn value(&self, state: &State, expr: ExprId) -> Result<Range, NoRange> {
        evaluate(&self.program.pool, expr, &mut Ranges(&state.ranges))
    }

    /// Follows an edge; `None` if what it does is not decided here.
    fn step(&mut self, mut state: State, edge: EdgeId) -> Option<()> {
        let program = self.program;
        match program.edge_op(edge) {
            Op::Skip | Op::Begin { .. } | Op::End(_) => {}
            Op::Assume(condition) => match self.value(&state, *condition) {
                Ok(Range { low: 1, .. }) => {}
                Ok(Range { high: 0, .. }) | Err(NoRange::Ends) => return Some(()),
                Ok(_) => {
                    if !self.narrow(&mut state, *condition) {
                        return Some(());
                    }
                }
                Err(NoRange::Beyond) => return None,
            },
            Op::Assign(var, value) => match self.value(&state, *value) {
                Ok(range) => state.ranges[var.0 as usize] = Some(range),
                Err(NoRange::Ends) => return Some(()),
                Err(NoRange::Beyond) => return None,
            },
            Op::Havoc(var, input) => {
                let ty = program.var(*var).ty;
                let is_bool = program.inputs[input.0 as usize].is_bool;
                state.ranges[var.0 as usize] = match Range::all(ty) {
                    Some(_) if is_bool => Range::all(cfa::value::Ty::Bool),
                    all => all,
                };
            }
            Op::Call { function, args, .. } => return self.call(state, edge, *function, args),
            Op::Print(print) => {
                let is_plain = |&arg: &ExprId| {
                    matches!(program.pool.node(arg), Node::Address(_))
                        || self.value(&state, arg).is_ok()
                };
                if !print.args.iter().all(is_plain) {
                    return None;
                }
                if let Some(result) = print.result {
                    state.ranges[result.0 as usize] = Range::all(program.var(result).ty);
                }
            }
            Op::Halt(Halt::Exit(_) | Halt::Abort) => return Some(()),
            _ => return None,
        }
        state.place.location = program.edge(edge).target;
        self.open.push(state);
        Some(())
    }

    fn call(
        &mut self,
        mut state: State,
        edge: EdgeId,
        function: FuncId,
        args: &[ExprId],
    ) -> Option<()> {
        let program = self.program;
        let calls = &state.place.calls;
        // The variables of a function exist once here.
        let is_active = function == program.entry
            || calls
                .iter()
                .any(|&call| callee(program, call) == Some(function));
        if is_active || calls.len() >= MOST_CALLS {
            return None;
        }
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            match self.value(&state, arg) {
                Ok(range) => values.push(range),
                Err(NoRange::Ends) => return Some(()),
                Err(NoRange::Beyond) => return None,
            }
        }
        let callee = program.function(function);
        self.forget_locals(&mut state, function);
        for (&param, value) in callee.params.iter().zip(values) {
            state.ranges[param.0 as usize] = Some(value);
        }
        state.place.calls.push(edge);
        state.place.location = callee.entry;
        self.open.push(state);
        Some(())
    }

    fn return_over(&mut self, mut state: State, function: FuncId, edge: EdgeId) {
        let program = self.program;
        if let Op::Call {
            result: Some(result),
            ..
        } = program.edge_op(edge)
        {
            let returned = program.function(function).result;
            state.ranges[result.0 as usize] = match returned {
                Some(var) => state.ranges[var.0 as usize],
                None => Range::all(program.var(*result).ty),
            };
        }
        state.place.location = program.edge(edge).target;
        self.open.push(state);
    }

    /// A new activation knows nothing of earlier ones.
    fn forget_locals(&self, state: &mut State, function: FuncId) {
        for (range, var) in state.ranges.iter_mut().zip(&self.program.vars) {
            if var.function == Some(function) {
                *range = Range::all(var.ty);
            }
        }
    }

    /// Restricts variables to what a condition that may hold says of them; `false` if it does not hold after all.
    fn narrow(&self, state: &mut State, condition: ExprId) -> bool {
        let pool = &self.program.pool;
        let mut open = vec![(condition, true)];
        while let Some((id, holds)) = open.pop() {
            match (pool.node(id), holds) {
                (Node::Unary(UnOp::Not, inner), _) => open.push((inner, !holds)),
                (Node::Binary(BinOp::BoolAnd, a, b), true)
                | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                    open.extend([(a, holds), (b, holds)])
                }
                _ => {
                    if !self.narrow_by_comparison(state, id, holds) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn narrow_by_comparison(&self, state: &mut State, comparison: ExprId, holds: bool) -> bool {
        let Node::Binary(op, a, b) = self.program.pool.node(comparison) else {
            return true;
        };
        let (Ok(left), Ok(right)) = (self.value(state, a), self.value(state, b)) else {
            return true;
        };
        match (op, holds) {
            (BinOp::Lt, true) => self.narrow_to_order(state, (a, left), (b, right), 1),
            (BinOp::Le, true) => self.narrow_to_order(state, (a, left), (b, right), 0),
            (BinOp::Lt, false) => self.narrow_to_order(state, (b, right), (a, left), 0),
            (BinOp::Le, false) => self.narrow_to_order(state, (b, right), (a, left), 1),
            (BinOp::Eq, true) | (BinOp::Ne, false) => {
                self.restrict(state, a, right) && self.restrict(state, b, left)
            }
            (BinOp::Eq, false) | (BinOp::Ne, true) => {
                self.exclude(state, (a, left), right) && self.exclude(state, (b, right), left)
            }
            _ => true,
        }
    }

    /// The first is less than the second by at least the difference.
    fn narrow_to_order(
        &self,
        state: &mut State,
        (small, less): (ExprId, Range),
        (large, more): (ExprId, Range),
        difference: i128,
    ) -> bool {
        let below = Range {
            low: less.low,
            high: more.high - difference,
        };
        let above = Range {
            low: less.low + difference,
            high: more.high,
        };
        self.restrict(state, small, below) && self.restrict(state, large, above)
    }

    /// The expression is not the other's only value.
    fn exclude(&self, state: &mut State, (id, range): (ExprId, Range), other: Range) -> bool {
        let mut rest = range;
        if other.is_single() {
            rest.low += i128::from(other.low == range.low);
            rest.high -= i128::from(other.low == range.high);
        }
        self.restrict(state, id, rest)
    }

    /// If the expression is a variable: it lies in the range, too; `false` if there is no such value.
    fn restrict(&self, state: &mut State, id: ExprId, to: Range) -> bool {
        let Node::Var(var) = self.program.pool.node(id) else {
            return true;
        };
        let known = &mut state.ranges[var.0 as usize];
        match known.and_then(|now| now.meet(to)) {
            Some(both) => {
                *known = Some(both);
                true
            }
            None => known.is_none(),
        }
    }
}
