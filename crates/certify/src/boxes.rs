//! Annotations that say of variables only between which constants they lie and how far two are
//! apart, checked without formulas.
//!
//! From each annotated box of values the program is run on ranges and names of unknown values, path
//! by path, until every path has ended or has come to a place where a box of the annotation
//! contains it. Where ways meet, what cannot matter any more is forgotten, and a state that was
//! followed before is not followed again. What goes beyond that (memory, floats, a path to an
//! error, a box that is not contained in one other) decides nothing here: formulas are asked then.

mod state;

use self::state::{State, fresh};
use crate::cases::NodeOfCase;
use crate::names::{Relation, Value};
use crate::ranges::{NoRange, Range};
use cfa::comparisons::Comparisons;
use cfa::expr::{ExprId, Node, VarId};
use cfa::live::Live;
use cfa::op::{Halt, Op};
use cfa::order::loop_heads;
use cfa::place::{CallPattern, Place, callee};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use cfa::value::Ty;
use facts::budget::Budget;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;

/// Steps from one box; where there are more, ways do not meet often enough, and formulas join them
/// better.
const MAX_STEPS: u64 = 1_000_000;
/// How deep conditions are looked into.
const DEPTH: u32 = 40;
/// Activations at a time.
const MAX_CALLS: usize = 100;

/// What was followed.
pub(crate) struct Followed {
    pub places: usize,
    pub boxes: usize,
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

/// Shows that the annotation is inductive and excludes every error; `None` if that is not decided
/// here.
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
        globals: program.globals(),
        locals: program.locals(),
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
        while let Some(mut state) = self.open.pop() {
            steps += 1;
            if steps > MAX_STEPS || (steps.is_multiple_of(1024) && self.budget.is_exhausted()) {
                return None;
            }
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

    /// Forgets what cannot matter any more: local variables that are not read before they are
    /// written, and of variables that are only compared with constants which of the values between
    /// two such constants they have. (To know less is always right here.) Was the state followed
    /// before?
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
                if matches!(state.range(program, *condition), Ok(Range { high: 0, .. })));
            if !is_excluded {
                self.step(state.clone(), edge)?;
            }
        }
        self.step(state, last)
    }

    /// Follows an edge; `None` if what it does is not decided here.
    fn step(&mut self, mut state: State, edge: EdgeId) -> Option<()> {
        let program = self.program;
        match program.edge_op(edge) {
            Op::Skip | Op::Begin { .. } | Op::End(_) => {}
            Op::Assume(condition) => match state.range(program, *condition) {
                Ok(Range { low: 1, .. }) => {}
                Ok(Range { high: 0, .. }) | Err(NoRange::Ends) => return Some(()),
                Ok(_) => {
                    if !state.narrow(program, *condition, true, DEPTH) {
                        return Some(());
                    }
                }
                Err(NoRange::Beyond) => return None,
            },
            Op::Assign(var, value) => match state.value(program, *value) {
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
                        || state.value(program, arg).is_ok()
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
        if is_active || calls.len() >= MAX_CALLS {
            return None;
        }
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            match state.value(program, arg) {
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
}
