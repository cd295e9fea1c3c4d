//! Guesses about the cell at a foretold index: if it lies in what a loop has dealt with, it has the
//! property.
//!
//! A guess is a clause `¬guard ∨ … ∨ body`.
//! - Bodies: comparisons that the program makes with what it loads, and that a cell has the value
//!   that is stored, with the foretold index in place of the access's own.
//! - Guards: the foretold index lies before or behind a counter of a loop (a variable that arrays
//!   are accessed with), and satisfies conditions that the program has about counters, again with
//!   it in the counter's place.
//! - With exceptions (a second try): a flag, which is only ever given constants, has one of them.

use super::access::{indices, indices_of_loads, loads, without_offset};
use crate::houdini::{Clause, Guesses};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::live::variables;
use cfa::op::Op;
use cfa::order::Order;
use cfa::place::{Place, callee};
use cfa::program::{FuncId, Program};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use transform::passes::{replace_expression, replace_variable};

/// Limits on what is combined.
const MAX_BODIES: usize = 24;
const MAX_CELLS: usize = 10;
const MAX_BOUNDS: usize = 8;
const MAX_COUNTERS: usize = 6;
const MAX_CLAUSES: usize = 3_000;
const MAX_FLAGS: usize = 3;

pub struct Templates<'p> {
    program: &'p Program,
    /// The foretold indices.
    foretold: Vec<(VarId, Ty)>,
    /// Variables that arrays are accessed with, the most used first.
    counters: Vec<VarId>,
    /// For each foretold index: those that stand where it does.
    counters_of: Vec<FxHashSet<VarId>>,
    /// Statements about cells at foretold indices.
    bodies: Vec<ExprId>,
    /// For each foretold index.
    bounds: Vec<Bounds>,
    /// Objects that pointers may point to the beginning of.
    pointers: BTreeMap<VarId, Vec<ExprId>>,
    orders: FxHashMap<FuncId, Order>,
    /// That flags have one of their values, if guesses are to have exceptions.
    exceptions: Vec<ExprId>,
    /// The program's pool with bodies and bounds.
    made: ExprPool,
}

/// What is said of a foretold index at loops' bounds.
#[derive(Clone, Debug, Default)]
struct Bounds {
    all: Vec<ExprId>,
    /// So many of them, the first, are what loops that go on ask of their counters.
    inside: usize,
}

impl<'p> Templates<'p> {
    pub fn new(program: &'p Program, foretold: &[VarId]) -> Templates<'p> {
        let mut templates = Templates {
            program,
            foretold: foretold
                .iter()
                .map(|&var| (var, program.var(var).ty))
                .collect(),
            counters: Vec::new(),
            counters_of: vec![FxHashSet::default(); foretold.len()],
            bodies: Vec::new(),
            bounds: vec![Bounds::default(); foretold.len()],
            pointers: BTreeMap::new(),
            exceptions: Vec::new(),
            orders: FxHashMap::default(),
            made: program.pool.clone(),
        };
        templates.find_counters();
        templates.find_bodies();
        templates.find_bounds();
        templates.find_pointers();
        templates
    }

    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// Guesses from now on that what holds of cells holds unless a flag has one of its values. Has
    /// the program any?
    pub fn add_exceptions(&mut self) -> bool {
        let mut values: BTreeMap<VarId, Option<Vec<ExprId>>> = BTreeMap::new();
        for op in self.ops() {
            let params = match op {
                Op::Call { function, .. } => &self.program.function(*function).params[..],
                _ => &[],
            };
            for var in params.iter().copied().chain(op.written_variable()) {
                let known = values.entry(var).or_insert_with(|| Some(Vec::new()));
                match (op, &mut *known) {
                    (Op::Assign(_, value), Some(list))
                        if self.program.pool.as_constant(*value).is_some() =>
                    {
                        if !list.contains(value) {
                            list.push(*value);
                        }
                    }
                    _ => *known = None,
                }
            }
        }
        let asked = comparisons(&self.program.pool, self.ops().flat_map(Op::expressions));
        let asked: FxHashSet<VarId> = asked
            .into_iter()
            .flat_map(|comparison| variables(self.program, comparison))
            .collect();
        let flags = values.into_iter().filter_map(|(var, values)| {
            let values = values.filter(|values| (2..4).contains(&values.len()))?;
            let ty = self.program.var(var).ty;
            (ty.is_int() && asked.contains(&var)).then_some((var, ty, values))
        });
        for (var, ty, values) in flags.take(MAX_FLAGS).collect::<Vec<_>>() {
            let flag = self.made.variable(var, ty);
            for value in values {
                let equation = self.made.eq(flag, value);
                self.exceptions.push(equation);
            }
        }
        !self.exceptions.is_empty()
    }

    fn ops(&self) -> impl Iterator<Item = &'p Op> + use<'p> {
        let program = self.program;
        program.edges.iter().map(|edge| program.op(edge.op))
    }

    /// The addresses that are accessed, each once.
    fn addresses(&self) -> Vec<ExprId> {
        let pool = &self.program.pool;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for op in self.ops() {
            let loaded = op
                .expressions()
                .into_iter()
                .flat_map(|expr| loads(pool, expr));
            let loaded = loaded.filter_map(|load| match pool.node(load) {
                Node::Load { address, .. } => Some(address),
                _ => None,
            });
            let stored = match op {
                Op::Store { address, .. } => Some(*address),
                _ => None,
            };
            found.extend(loaded.chain(stored).filter(|&address| seen.insert(address)));
        }
        found
    }

    fn find_counters(&mut self) {
        let mut count: BTreeMap<VarId, u32> = BTreeMap::new();
        for address in self.addresses() {
            let indices = indices(self.program, &self.program.pool, address);
            for binding in self.bindings(&indices) {
                for (index, number) in binding {
                    self.counters_of[number].extend(variables(self.program, index));
                }
            }
            for index in indices {
                for var in variables(self.program, index) {
                    *count.entry(var).or_default() += 1;
                }
            }
        }
        for &(var, _) in &self.foretold {
            count.remove(&var);
        }
        let mut counters: Vec<(VarId, u32)> = count.into_iter().collect();
        counters.sort_by_key(|&(var, count)| (u32::MAX - count, var));
        self.counters = counters.into_iter().map(|(var, _)| var).collect();
    }

    /// The ways to put foretold indices in the place of an access's own: of several each gets its
    /// own.
    fn bindings(&self, indices: &[ExprId]) -> Vec<Vec<(ExprId, usize)>> {
        let numbers = 0..self.foretold.len();
        match indices {
            [] => Vec::new(),
            [index] => numbers.map(|number| vec![(*index, number)]).collect(),
            several => {
                // In the order of the sites, which found them in the same order.
                let binding = several.iter().copied().zip(numbers);
                vec![binding.collect()]
            }
        }
    }

    fn bind(&mut self, mut expr: ExprId, binding: &[(ExprId, usize)]) -> ExprId {
        // An index that is a part of another one is replaced after it.
        let mut binding = binding.to_vec();
        binding.sort_unstable_by_key(|&(index, _)| std::cmp::Reverse(index));
        for &(index, number) in &binding {
            let (var, ty) = self.foretold[number];
            let foretold = self.made.variable(var, ty);
            let foretold = self.made.convert(foretold, self.made.ty(index));
            expr = replace_expression(&mut self.made, expr, index, foretold);
            // Where `i + 1` is foretold, `i` is one less.
            if let (Node::Binary(op, bare, offset), [_]) = (self.made.node(index), &binding[..])
                && without_offset(&self.made, index) == bare
            {
                let other = match op {
                    BinOp::Add => self.made.sub(foretold, offset),
                    _ => self.made.add(foretold, offset),
                };
                expr = replace_expression(&mut self.made, expr, bare, other);
            }
        }
        expr
    }

    /// Variables that are assigned once, a value that is loaded.
    fn definitions(&self) -> FxHashMap<VarId, ExprId> {
        let mut written: FxHashMap<VarId, u32> = FxHashMap::default();
        let mut values = FxHashMap::default();
        for op in self.ops() {
            if let Some(var) = op.written_variable() {
                *written.entry(var).or_default() += 1;
            }
            match op {
                Op::Assign(var, value) => {
                    values.insert(*var, *value);
                }
                Op::Call { function, args, .. } => {
                    let params = &self.program.function(*function).params;
                    for (&param, &arg) in params.iter().zip(args) {
                        *written.entry(param).or_default() += 1;
                        values.insert(param, arg);
                    }
                }
                _ => {}
            }
        }
        values.retain(|var, value| written[var] == 1 && self.program.pool.reads_memory(*value));
        values
    }

    fn add_body(&mut self, body: ExprId) {
        let mentions = |expr: ExprId| {
            let mut seen = FxHashSet::default();
            let mut stack = vec![expr];
            while let Some(id) = stack.pop() {
                if !seen.insert(id) {
                    continue;
                }
                match self.made.node(id) {
                    Node::Var(var) if self.foretold.iter().any(|(known, _)| *known == var) => {
                        return true;
                    }
                    node => stack.extend(node.children()),
                }
            }
            false
        };
        if self.bodies.len() < MAX_BODIES
            && self.made.as_bool(body).is_none()
            && self.made.reads_memory(body)
            && !self.bodies.contains(&body)
            && mentions(body)
        {
            self.bodies.push(body);
        }
    }

    fn find_bodies(&mut self) {
        let definitions = self.definitions();
        let compared = comparisons(&self.program.pool, self.ops().flat_map(Op::expressions));
        for comparison in compared {
            if self.bodies.len() >= MAX_BODIES {
                break;
            }
            let mut expr = comparison;
            for var in variables(self.program, comparison) {
                if let Some(&value) = definitions.get(&var) {
                    expr = replace_variable(&mut self.made, expr, var, value);
                }
            }
            let indices = indices_of_loads(self.program, &self.made, expr);
            for binding in self.bindings(&indices) {
                let body = self.bind(expr, &binding);
                self.add_body(body);
                let other = self.made.not(body);
                self.add_body(other);
            }
        }
        let mut cells: Vec<ExprId> = Vec::new();
        let mut constants: Vec<(ExprId, ExprId)> = Vec::new();
        for op in self.ops() {
            let Op::Store {
                region,
                address,
                value,
            } = *op
            else {
                continue;
            };
            let ty = self.program.pool.ty(value);
            if ty == Ty::Bool {
                continue;
            }
            let mut stored = value;
            if let Node::Var(var) = self.made.node(value)
                && let Some(&defined) = definitions.get(&var)
            {
                stored = defined;
            }
            let indices = indices(self.program, &self.made, address);
            for binding in self.bindings(&indices) {
                let place = self.bind(address, &binding);
                let value = self.bind(stored, &binding);
                let cell = self.made.load(region, place, ty);
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
                if ty.is_float() {
                    continue;
                }
                let body = self.made.eq(cell, value);
                self.add_body(body);
                if let Node::Const(_) = self.made.node(value) {
                    constants.push((cell, value));
                }
            }
        }
        for (cell, value) in constants {
            for body in [self.made.le(cell, value), self.made.ge(cell, value)] {
                self.add_body(body);
            }
        }
        cells.truncate(MAX_CELLS);
        for (number, &a) in cells.iter().enumerate() {
            for &b in &cells[number + 1..] {
                if self.made.ty(a) == self.made.ty(b) && self.made.ty(a).is_int() {
                    let equal = self.made.eq(a, b);
                    self.add_body(equal);
                }
            }
        }
    }

    /// The conditions under which loops go on, and all conditions.
    fn conditions(&mut self) -> (Vec<ExprId>, Vec<ExprId>) {
        let program = self.program;
        let (mut entering, mut all) = (Vec::new(), Vec::new());
        for edge in &program.edges {
            let Op::Assume(condition) = *program.op(edge.op) else {
                continue;
            };
            if program.pool.can_fail(condition) {
                continue;
            }
            all.push(condition);
            let order = self.order(program.location(edge.source).function);
            if let Some(this) = order.loop_of_head(edge.source)
                && order.nest(edge.target).contains(&this)
            {
                entering.push(condition);
            }
        }
        (entering, all)
    }

    fn order(&mut self, function: FuncId) -> &Order {
        let program = self.program;
        self.orders
            .entry(function)
            .or_insert_with(|| Order::of(program, function))
    }

    /// What the program asks of counters, asked of foretold indices; and that they are no less than
    /// zero.
    fn find_bounds(&mut self) {
        let (entering, all) = self.conditions();
        let entering = comparisons(&self.program.pool, entering);
        let all = comparisons(&self.program.pool, all);
        for (number, (var, ty)) in self.foretold.clone().into_iter().enumerate() {
            let foretold = self.made.variable(var, ty);
            let zero = self.made.zero(ty);
            let mut bounds = vec![self.made.le(zero, foretold)];
            bounds.extend(self.asked_of(number, &entering));
            let inside = bounds.len();
            for bound in self.asked_of(number, &all) {
                bounds.extend([bound, self.made.not(bound)]);
            }
            let mut seen = FxHashSet::default();
            let mut found = Bounds::default();
            for (position, bound) in bounds.into_iter().enumerate() {
                if self.made.as_bool(bound).is_none() && seen.insert(bound) {
                    found.inside += usize::from(position < inside);
                    found.all.push(bound);
                }
            }
            found.all.truncate(MAX_BOUNDS);
            found.inside = found.inside.min(MAX_BOUNDS);
            self.bounds[number] = found;
        }
    }

    /// Comparisons with a foretold index in place of each counter that stands where it does.
    fn asked_of(&mut self, number: usize, comparisons: &[ExprId]) -> Vec<ExprId> {
        let (var, ty) = self.foretold[number];
        let foretold = self.made.variable(var, ty);
        let mut found = Vec::new();
        for &comparison in comparisons {
            for counter in variables(self.program, comparison) {
                if self.counters_of[number].contains(&counter) {
                    let value = self.made.convert(foretold, self.program.var(counter).ty);
                    found.push(replace_variable(&mut self.made, comparison, counter, value));
                }
            }
        }
        found
    }

    /// Which objects' beginnings variables may hold, by copies.
    fn find_pointers(&mut self) {
        let ty = self.program.pointer_ty();
        let mut copies: Vec<(VarId, ExprId)> = Vec::new();
        for op in self.ops() {
            match op {
                Op::Assign(var, value) => copies.push((*var, *value)),
                Op::Call { function, args, .. } => {
                    let params = &self.program.function(*function).params;
                    copies.extend(params.iter().copied().zip(args.iter().copied()));
                }
                Op::Allocate { target, object, .. } => {
                    let address = self.made.address(*object, ty);
                    copies.push((*target, address));
                }
                _ => {}
            }
        }
        for _ in 0..4 {
            for &(var, value) in &copies {
                if self.program.var(var).ty != ty {
                    continue;
                }
                let addresses = match self.made.node(value) {
                    Node::Address(_) => vec![value],
                    Node::Var(from) => self.pointers.get(&from).cloned().unwrap_or_default(),
                    _ => continue,
                };
                let known = self.pointers.entry(var).or_default();
                for address in addresses {
                    if !known.contains(&address) {
                        known.push(address);
                    }
                }
            }
        }
    }

    /// Which functions are active at a place.
    fn active(&self, place: &Place) -> FxHashSet<FuncId> {
        let program = self.program;
        let mut active = FxHashSet::from_iter([program.entry]);
        active.extend(place.calls.iter().filter_map(|&call| callee(program, call)));
        active
    }

    fn is_visible(&self, active: &FxHashSet<FuncId>, pool: &ExprPool, expr: ExprId) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![expr];
        while let Some(id) = stack.pop() {
            if !pool.reads_variables(id) || !seen.insert(id) {
                continue;
            }
            match pool.node(id) {
                Node::Var(var) => {
                    let owner = self.program.var(var).function;
                    if owner.is_some_and(|owner| !active.contains(&owner)) {
                        return false;
                    }
                }
                node => stack.extend(node.children()),
            }
        }
        true
    }

    /// The counters that change in the loops around a place: what these have dealt with is told by
    /// them.
    fn counters_at(&mut self, place: &Place) -> Vec<VarId> {
        let program = self.program;
        let mut written: FxHashSet<VarId> = FxHashSet::default();
        let callers = place.calls.iter().map(|&call| program.edge(call).source);
        for location in callers.chain([place.location]) {
            let order = self.order(program.location(location).function);
            let Some(&outermost) = order.nest(location).first() else {
                continue;
            };
            let inside = order.line.iter().copied();
            let inside = inside.filter(|&at| order.nest(at).first() == Some(&outermost));
            let edges = inside.flat_map(|at| program.location(at).outgoing.iter());
            written.extend(edges.filter_map(|&edge| program.edge_op(edge).written_variable()));
        }
        let counters = self.counters.iter().copied();
        // What is global may change in calls.
        let counters =
            counters.filter(|var| written.contains(var) || program.var(*var).function.is_none());
        counters.take(MAX_COUNTERS).collect()
    }

    /// Sets of statements, each the negation of a guard's parts.
    fn guards(
        &self,
        pool: &mut ExprPool,
        counters: &[VarId],
        active: &FxHashSet<FuncId>,
    ) -> Vec<Clause> {
        let mut negated_bounds: Vec<Vec<ExprId>> = Vec::new();
        let mut outside_any: Clause = Vec::new();
        let mut relations: Vec<Vec<ExprId>> = Vec::new();
        let mut unequal: Vec<Vec<ExprId>> = Vec::new();
        for (number, &(var, ty)) in self.foretold.iter().enumerate() {
            let bounds = &self.bounds[number];
            let (mut negated, mut inside) = (Vec::new(), Vec::new());
            for (position, &bound) in bounds.all.iter().enumerate() {
                if self.is_visible(active, &self.made, bound) {
                    let bound = pool.not(bound);
                    negated.push(bound);
                    if position < bounds.inside {
                        inside.push(bound);
                    }
                }
            }
            negated_bounds.push(negated);
            outside_any.extend(inside);
            let foretold = pool.variable(var, ty);
            let (mut related, mut apart) = (Vec::new(), Vec::new());
            for &counter in counters {
                if !self.counters_of[number].contains(&counter) {
                    continue;
                }
                let counter_ty = self.program.var(counter).ty;
                let counter = pool.variable(counter, counter_ty);
                // In the wider of the two types; of types of one width in both, for a counter may
                // end below zero.
                let mut pairs = Vec::new();
                if counter_ty.width() <= ty.width() {
                    pairs.push((foretold, pool.convert(counter, ty)));
                }
                if counter_ty.width() >= ty.width() && counter_ty != ty {
                    pairs.push((pool.convert(foretold, counter_ty), counter));
                }
                for (foretold, counter) in pairs {
                    related.push(pool.le(counter, foretold));
                    related.push(pool.lt(counter, foretold));
                    related.push(pool.le(foretold, counter));
                    related.push(pool.lt(foretold, counter));
                    apart.push(pool.ne(foretold, counter));
                }
            }
            relations.push(related);
            unequal.push(apart);
        }
        let mut found: Vec<Clause> = vec![Vec::new()];
        for number in 0..self.foretold.len() {
            let (bounds, related) = (&negated_bounds[number], &relations[number]);
            for (position, &bound) in bounds.iter().enumerate() {
                found.push(vec![bound]);
                let others = bounds[position + 1..].iter();
                found.extend(others.map(|&other| vec![bound, other]));
            }
            for &relation in related.iter().chain(&unequal[number]) {
                found.push(vec![relation]);
                found.extend(bounds.iter().map(|&bound| vec![relation, bound]));
            }
        }
        if self.foretold.len() == 2 {
            // Inside all loops, and before a counter in the order in which nested loops go.
            found.push(outside_any.clone());
            for &relation in relations.iter().flatten() {
                found.push([&outside_any[..], &[relation]].concat());
            }
            for (outer, inner) in [(0, 1), (1, 0)] {
                for &apart in &unequal[outer] {
                    let nested = relations[inner].iter();
                    found.extend(
                        nested.map(|&relation| [&outside_any[..], &[apart, relation]].concat()),
                    );
                }
            }
        }
        found
    }
}

impl Guesses for Templates<'_> {
    fn pool(&self) -> &ExprPool {
        &self.made
    }

    fn at(&mut self, pool: &mut ExprPool, place: &Place) -> Vec<Clause> {
        let active = self.active(place);
        let mut found: Vec<Clause> = Vec::new();
        for (&var, addresses) in &self.pointers {
            let owner = self.program.var(var).function;
            if owner.is_none_or(|owner| active.contains(&owner)) {
                let ty = self.program.var(var).ty;
                let pointer = pool.variable(var, ty);
                found.extend(
                    addresses
                        .iter()
                        .take(2)
                        .map(|&at| vec![pool.eq(pointer, at)]),
                );
            }
        }
        let counters = self.counters_at(place);
        let guards = self.guards(pool, &counters, &active);
        let bodies: Vec<ExprId> = self
            .bodies
            .iter()
            .copied()
            .filter(|&body| self.is_visible(&active, &self.made, body))
            .collect();
        for guard in &guards {
            for &body in &bodies {
                let mut clause = guard.clone();
                clause.push(body);
                found.push(clause);
            }
        }
        let exceptions = self.exceptions.iter().copied();
        let exceptions =
            exceptions.filter(|&exception| self.is_visible(&active, &self.made, exception));
        let without = found.clone();
        for exception in exceptions {
            found.push(vec![exception]);
            found.extend(
                without
                    .iter()
                    .map(|clause| [&clause[..], &[exception]].concat()),
            );
        }
        found.truncate(MAX_CLAUSES);
        found
    }
}

/// The comparisons in expressions, each once.
fn comparisons(pool: &ExprPool, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for root in roots {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = pool.node(id);
            if let Node::Binary(op, ..) = node
                && op.is_comparison()
            {
                found.push(id);
            }
            stack.extend(node.children());
        }
    }
    found
}
