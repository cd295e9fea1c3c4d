//! Annotations that say of variables only between which constants they lie and how far two are apart, checked without
//! formulas.
//!
//! From each annotated box of values the program is run on ranges and names of unknown values, path by path, until every path has ended or has come
//! to a place where a box of the annotation contains it. Where ways meet, what cannot matter any more is forgotten, and a
//! state that was followed before is not followed again. What goes beyond that (memory, floats, a path to an error, a box
//! that is not contained in one other) decides nothing here: formulas are asked then.

use crate::cases::NodeOfCase;
use crate::names::{Name, Relation, Value, Values};
use crate::ranges::{NoRange, Range};
use cfa::algebra::evaluate;
use cfa::comparisons::Comparisons;
use cfa::expr::{BinOp, ExprId, Node, UnOp, VarId};
use cfa::live::Live;
use cfa::op::{Halt, Op};
use cfa::order::Order;
use cfa::place::{CallPattern, Place, callee};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use cfa::value::Ty;
use facts::budget::Budget;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

/// Steps from one box; where there are more, ways do not meet often enough, and formulas join them better.
const MOST_STEPS: u64 = 1_000_000;
/// How deep conditions are looked into.
const DEPTH: u32 = 40;
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
    /// The names of their values; empty if nothing is said about two variables anywhere.
    names: Vec<Option<Name>>,
    /// The next name that no value has.
    next_symbol: u32,
    /// The path has come to a loop that the annotation leaves out: it may be followed to its end, but the check does not
    /// find out by itself what the loop does.
    is_in_left_out_loop: bool,
}

impl State {
    /// Gives a variable a value that is not known.
    fn forget(&mut self, program: &Program, var: VarId) {
        let ty = program.var(var).ty;
        self.ranges[var.0 as usize] = Range::all(ty);
        if let Some(name) = self.names.get_mut(var.0 as usize) {
            *name = fresh(&mut self.next_symbol, ty);
        }
    }

    fn set(&mut self, program: &Program, var: VarId, value: Value) {
        self.ranges[var.0 as usize] = Some(value.range);
        if let Some(name) = self.names.get_mut(var.0 as usize) {
            let bits = u32::from(program.var(var).ty.width());
            *name = match value.name.filter(|name| name.bits == bits) {
                // A known value needs no name.
                _ if value.range.is_single() => None,
                None => fresh(&mut self.next_symbol, program.var(var).ty),
                name => name,
            };
        }
    }

    /// Gives the values of two variables the same name, as far apart as the relation says.
    fn relate(&mut self, relation: &Relation) {
        let (left, right) = (relation.left.0 as usize, relation.right.0 as usize);
        let (Some(old), Some(new)) = (self.names[left], self.names[right]) else {
            return;
        };
        // old.symbol + old.offset ≡ new.symbol + new.offset + offset
        let shift = new
            .offset
            .wrapping_add(relation.offset)
            .wrapping_sub(old.offset);
        for name in self.names.iter_mut().flatten() {
            if name.symbol == old.symbol && old.symbol != new.symbol {
                name.symbol = new.symbol;
                name.offset = name.offset.wrapping_add(shift);
            }
        }
    }

    /// Everything that is known, in one order: variables with their bounds, then variables whose distance to the first one
    /// with the same unknown value is known, with that and the distance.
    fn facts(&self, program: &Program) -> Box<[u64]> {
        let mut facts = Vec::with_capacity(3 * self.ranges.len());
        for (number, (range, info)) in self.ranges.iter().zip(&program.vars).enumerate() {
            if *range != Range::all(info.ty)
                && let Some(range) = *range
            {
                // Values of one type are told apart by 64 bits.
                facts.extend([number as u64, range.low as u64, range.high as u64]);
            }
        }
        facts.push(u64::MAX);
        let mut first: FxHashMap<u32, (VarId, Name)> = FxHashMap::default();
        for (number, name) in self.names.iter().enumerate() {
            let var = VarId(number as u32);
            if let Some(name) = *name {
                let &mut (root, of_root) = first.entry(name.symbol).or_insert((var, name));
                if root != var
                    && let Some((apart, _)) = name.minus(of_root)
                {
                    facts.extend([number as u64, root.0.into(), apart]);
                }
            }
        }
        facts.into()
    }

    fn satisfies(&self, relation: &Relation) -> bool {
        let (left, right) = (relation.left.0 as usize, relation.right.0 as usize);
        relation.holds(self.names[left], self.names[right])
            || self.ranges[left]
                .zip(self.ranges[right])
                .is_some_and(|(left, right)| relation.holds_between(left, right))
    }
}

/// A name that nothing else has; only integers have one.
fn fresh(next: &mut u32, ty: Ty) -> Option<Name> {
    *next += 1;
    ty.is_int().then_some(Name {
        symbol: *next,
        offset: 0,
        bits: u32::from(ty.width()),
    })
}

/// What a node says.
#[derive(Clone, Copy)]
struct Said<'a> {
    calls: &'a CallPattern,
    known: &'a [(VarId, Range)],
    relations: &'a [Relation],
}

/// The boxes of a location.
struct Boxes<'a> {
    all: Vec<Said<'a>>,
    /// Variables that have one value in each of them.
    fixed: Vec<VarId>,
    /// The boxes with given values of these.
    of_values: FxHashMap<Vec<i128>, Vec<usize>>,
}

impl<'a> Boxes<'a> {
    fn new(nodes: &'a [NodeOfCase<'_>]) -> Boxes<'a> {
        let all: Vec<_> = nodes
            .iter()
            .map(|node| Said {
                calls: &node.node.calls,
                known: &node.case.0,
                relations: &node.relations,
            })
            .collect();
        let single = |known: &[(VarId, Range)], var: VarId| {
            let at = known.binary_search_by_key(&var, |&(var, _)| var).ok()?;
            known[at].1.is_single().then_some(known[at].1.low)
        };
        let first = all.first().map_or(&[][..], |said: &Said<'_>| said.known);
        let fixed: Vec<VarId> = first
            .iter()
            .map(|&(var, _)| var)
            .filter(|&var| all.iter().all(|said| single(said.known, var).is_some()))
            .collect();
        let mut of_values: FxHashMap<Vec<i128>, Vec<usize>> = FxHashMap::default();
        for (number, said) in all.iter().enumerate() {
            let values = fixed.iter().filter_map(|&var| single(said.known, var));
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
            let said = self.all[number];
            said.calls.matches(&state.place.calls)
                && said.known.iter().all(|&(var, range)| {
                    state.ranges[var.0 as usize].is_some_and(|now| range.contains(now))
                })
                && (said.relations.iter()).all(|relation| state.satisfies(relation))
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
    let mut anything = State {
        place: Place::entry(program),
        ranges: program.vars.iter().map(|var| Range::all(var.ty)).collect(),
        names: Vec::new(),
        next_symbol: 0,
        is_in_left_out_loop: false,
    };
    let mut all = nodes.values().flatten();
    if all.any(|node| !node.relations.is_empty()) {
        let types = program.vars.iter().map(|var| var.ty);
        anything.names = types
            .map(|ty| fresh(&mut anything.next_symbol, ty))
            .collect();
    }
    let mut globals = Vec::new();
    let mut locals = vec![Vec::new(); program.functions.len()];
    for (number, var) in program.vars.iter().enumerate() {
        let of_scope = match var.function {
            Some(function) => &mut locals[function.0 as usize],
            None => &mut globals,
        };
        of_scope.push(VarId(number as u32));
    }
    // What boxes tell apart must not be forgotten.
    let mut comparisons = Comparisons::of(program);
    for &(var, range) in nodes.values().flatten().flat_map(|node| &node.case.0) {
        comparisons.begin_class(var, range.low);
        comparisons.begin_class(var, range.high + 1);
    }
    let mut run = Run {
        program,
        boxes: &boxes,
        budget,
        arrived: Vec::new(),
        open: Vec::new(),
        heads: loop_heads(program),
        globals,
        locals,
        comparisons,
        live: FxHashMap::default(),
        met: FxHashMap::default(),
    };
    let mut followed = Followed {
        places: 0,
        boxes: 0,
    };
    run.follow(anything.clone())?;
    let mut next = 0;
    while let Some(place) = run.arrived.get(next).cloned() {
        next += 1;
        followed.places += 1;
        for said in &boxes.get(&place.location)?.all {
            if !said.calls.matches(&place.calls) {
                continue;
            }
            let mut start = anything.clone();
            start.place = place.clone();
            for &(var, range) in said.known {
                start.ranges[var.0 as usize] = Some(range);
            }
            for relation in said.relations {
                start.relate(relation);
            }
            followed.boxes += 1;
            run.follow(start)?;
        }
    }
    Some(followed)
}

fn loop_heads(program: &Program) -> FxHashSet<LocId> {
    let functions = 0..program.functions.len() as u32;
    let loops = functions.flat_map(|number| Order::of(program, FuncId(number)).loops);
    loops.map(|found| found.head).collect()
}

struct Run<'a> {
    program: &'a Program,
    boxes: &'a FxHashMap<LocId, Boxes<'a>>,
    budget: &'a Budget,
    /// Annotated places that paths came to, in the order of the first.
    arrived: Vec<Place>,
    open: Vec<State>,
    heads: FxHashSet<LocId>,
    globals: Vec<VarId>,
    /// For each function.
    locals: Vec<Vec<VarId>>,
    comparisons: Comparisons,
    live: FxHashMap<FuncId, Live>,
    /// States that were followed from where ways meet.
    met: FxHashMap<Place, Met>,
}

/// States, by the hashes of what they know (which is long, and hashed only once).
type Met = FxHashMap<u64, Vec<Box<[u64]>>>;

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
            let mut state = state;
            let location = state.place.location;
            if let Some(boxes) = self.boxes.get(&location)
                && boxes
                    .all
                    .iter()
                    .any(|said| said.calls.matches(&state.place.calls))
            {
                if !boxes.contains(&state) {
                    return None;
                }
                if !self.arrived.contains(&state.place) {
                    self.arrived.push(state.place);
                }
                continue;
            }
            state.is_in_left_out_loop |= self.heads.contains(&location);
            if !state.is_in_left_out_loop
                && self.program.location(location).incoming.len() > 1
                && self.was_met(&mut state)
            {
                continue;
            }
            self.leave(state)?;
        }
        Some(())
    }

    /// Forgets what cannot matter any more: local variables that are not read before they are written, and of variables
    /// that are only compared with constants which of the values between two such constants they have. (To know less is
    /// always right here.) Was the state followed before?
    fn was_met(&mut self, state: &mut State) -> bool {
        let program = self.program;
        let location = state.place.location;
        let function = program.location(location).function;
        let live = self
            .live
            .entry(function)
            .or_insert_with(|| Live::of(program, function));
        let locals = &self.locals[function.0 as usize];
        for &var in locals.iter().filter(|&&var| !live.is_live(location, var)) {
            state.forget(program, var);
        }
        for &var in self.globals.iter().chain(locals) {
            let (number, ty) = (var.0 as usize, program.var(var).ty);
            if let (Some(range), Some(all)) = (state.ranges[number], Range::all(ty))
                && self.comparisons.is_only_compared(var)
            {
                let (low, high) = (Some(range.low), Some(range.high));
                let (low, high) = self.comparisons.classes_around(var, low, high);
                let around = Range {
                    low: low.unwrap_or(all.low),
                    high: high.unwrap_or(all.high),
                };
                state.ranges[number] = around.meet(all);
            }
        }
        let facts = state.facts(program);
        if !self.met.contains_key(&state.place) {
            self.met.insert(state.place.clone(), Met::default());
        }
        let hash = FxBuildHasher.hash_one(&facts);
        let Some(met) = self.met.get_mut(&state.place) else {
            return false;
        };
        let alike = met.entry(hash).or_default();
        let was_met = alike.contains(&facts);
        if !was_met {
            alike.push(facts);
        }
        was_met
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
        let Some((&last, others)) = program.location(location).outgoing.split_last() else {
            return Some(());
        };
        for &edge in others {
            // Most branches are decided: look before a copy is made.
            let is_excluded = matches!(program.edge_op(edge), Op::Assume(condition)
                if matches!(self.range(&state, *condition), Ok(Range { high: 0, .. })));
            if !is_excluded {
                self.step(state.clone(), edge)?;
            }
        }
        self.step(state, last)
    }

    fn value(&self, state: &State, expr: ExprId) -> Result<Value, NoRange> {
        let mut values = Values {
            ranges: &state.ranges,
            names: &state.names,
        };
        evaluate(&self.program.pool, expr, &mut values)
    }

    fn range(&self, state: &State, expr: ExprId) -> Result<Range, NoRange> {
        self.value(state, expr).map(|value| value.range)
    }

    /// Follows an edge; `None` if what it does is not decided here.
    fn step(&mut self, mut state: State, edge: EdgeId) -> Option<()> {
        let program = self.program;
        match program.edge_op(edge) {
            Op::Skip | Op::Begin { .. } | Op::End(_) => {}
            Op::Assume(condition) => match self.range(&state, *condition) {
                Ok(Range { low: 1, .. }) => {}
                Ok(Range { high: 0, .. }) | Err(NoRange::Ends) => return Some(()),
                Ok(_) => {
                    if !self.narrow(&mut state, *condition, true, DEPTH) {
                        return Some(());
                    }
                }
                Err(NoRange::Beyond) => return None,
            },
            Op::Assign(var, value) => match self.value(&state, *value) {
                Ok(value) => state.set(program, *var, value),
                Err(NoRange::Ends) => return Some(()),
                Err(NoRange::Beyond) => return None,
            },
            Op::Havoc(var, input) => {
                state.forget(program, *var);
                let range = &mut state.ranges[var.0 as usize];
                if range.is_some() && program.inputs[input.0 as usize].is_bool {
                    *range = Range::all(Ty::Bool);
                }
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
                    state.forget(program, result);
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
                Ok(value) => values.push(value),
                Err(NoRange::Ends) => return Some(()),
                Err(NoRange::Beyond) => return None,
            }
        }
        let callee = program.function(function);
        self.forget_locals(&mut state, function);
        for (&param, value) in callee.params.iter().zip(values) {
            state.set(program, param, value);
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
            match returned.and_then(|var| Some((var, state.ranges[var.0 as usize]?))) {
                Some((var, range)) => {
                    let name = state.names.get(var.0 as usize).copied().flatten();
                    state.set(program, *result, Value { range, name });
                }
                None => state.forget(program, *result),
            }
        }
        self.forget_locals(&mut state, function);
        state.place.location = program.edge(edge).target;
        self.open.push(state);
    }

    /// A new activation knows nothing of earlier ones, and nothing is left of one that has ended.
    fn forget_locals(&self, state: &mut State, function: FuncId) {
        for &var in &self.locals[function.0 as usize] {
            state.forget(self.program, var);
        }
    }

    /// Restricts variables to what a condition that may hold says of them; `false` if it does not hold after all.
    fn narrow(&self, state: &mut State, condition: ExprId, holds: bool, depth: u32) -> bool {
        let pool = &self.program.pool;
        match (pool.node(condition), holds) {
            _ if depth == 0 => true,
            (Node::Unary(UnOp::Not, inner), _) => self.narrow(state, inner, !holds, depth - 1),
            (Node::Binary(BinOp::BoolAnd, a, b), true)
            | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                self.narrow(state, a, holds, depth - 1) && self.narrow(state, b, holds, depth - 1)
            }
            (Node::Binary(BinOp::BoolAnd, a, b), false)
            | (Node::Binary(BinOp::BoolOr, a, b), true) => {
                let mut other = state.clone();
                match (
                    self.narrow(state, a, holds, depth - 1),
                    self.narrow(&mut other, b, holds, depth - 1),
                ) {
                    (true, true) => {
                        for (range, other) in state.ranges.iter_mut().zip(other.ranges) {
                            *range = range.zip(other).map(|(range, other)| range.hull(other));
                        }
                        true
                    }
                    (true, false) => true,
                    (false, may_hold) => {
                        *state = other;
                        may_hold
                    }
                }
            }
            _ => self.narrow_by_comparison(state, condition, holds),
        }
    }

    fn narrow_by_comparison(&self, state: &mut State, comparison: ExprId, holds: bool) -> bool {
        let Node::Binary(op, a, b) = self.program.pool.node(comparison) else {
            return true;
        };
        let (Ok(left), Ok(right)) = (self.range(state, a), self.range(state, b)) else {
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
