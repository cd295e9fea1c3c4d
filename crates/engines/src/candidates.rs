//! Guesses at invariants of loop heads: simple statements over the variables that matter there.
//!
//! Shapes: comparisons of a variable with constants that the program compares it with or assigns to
//! it (and their neighbours), membership in the set of these constants, comparisons of two
//! variables of one type, parity, the program's own conditions, and that a cell still holds the
//! constant that the program stores there (the end of a text). Whether they hold is for others to
//! find out.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::live::{Live, variables};
use cfa::memory::RegionId;
use cfa::op::Op;
use cfa::place::Place;
use cfa::program::{Binding, EdgeId, FuncId, Program};
use cfa::value::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// More than this at one place cost more than they bring.
const MOST: usize = 500;
/// Variables that pairs are made of.
const MAX_PAIRED: usize = 14;
/// Values of one variable, and of all together, that pairs are made of; and the pairs.
const MAX_VALUES: usize = 24;
const MAX_PAIRED_VALUES: usize = 40;
const MAX_PAIRS: usize = 800;
/// Cells that a constant is stored in.
const MAX_STORED: usize = 20;
/// Statements besides bounds that cubes are made of.
const MAX_STATEMENTS: usize = 120;
/// Constants for one variable.
const MAX_CONSTANTS: usize = 12;

pub struct Candidates<'p> {
    program: &'p Program,
    /// The program's own pool, extended by the candidates.
    pub pool: ExprPool,
    /// Constants that the program connects with a variable.
    constants: BTreeMap<VarId, BTreeSet<u128>>,
    /// How often a variable decides something.
    weight: FxHashMap<VarId, u32>,
    /// Variables that are assigned to somewhere other than by constants only at their beginning.
    changing: FxHashSet<VarId>,
    conditions: Vec<(ExprId, Vec<VarId>)>,
    /// Where constants are stored: region, address and constant, and the variables of the address.
    stored: Vec<(RegionId, ExprId, ExprId, Vec<VarId>)>,
    live: FxHashMap<FuncId, Live>,
}

/// Variables that get the values of others.
type Copies = Vec<(VarId, VarId)>;

impl<'p> Candidates<'p> {
    pub fn new(program: &'p Program) -> Candidates<'p> {
        let mut candidates = Candidates {
            program,
            pool: program.pool.clone(),
            constants: BTreeMap::new(),
            weight: FxHashMap::default(),
            changing: FxHashSet::default(),
            conditions: Vec::new(),
            stored: Vec::new(),
            live: FxHashMap::default(),
        };
        candidates.look_at_operations();
        candidates
    }

    fn look_at_operations(&mut self) {
        let program = self.program;
        let mut copies = Copies::new();
        let mut seen = FxHashSet::default();
        let mut seen_conditions = FxHashSet::default();
        for number in 0..program.edges.len() as u32 {
            let op = program.edge_op(EdgeId(number));
            if let Some(var) = cfa::live::written(op) {
                self.changing.insert(var);
            }
            let copy = |this: &mut Self, copies: &mut Copies, target: VarId, value: ExprId| match (
                program.pool.node(value),
                variable_in(&program.pool, value),
            ) {
                (Node::Const(bits), _) => {
                    this.constants.entry(target).or_default().insert(bits);
                }
                (_, Some(source)) => copies.push((target, source)),
                _ => {}
            };
            match op {
                Op::Assign(target, value) => copy(self, &mut copies, *target, *value),
                Op::Call { .. } => {
                    for (var, binding) in program.bindings(op) {
                        match binding {
                            Binding::Argument(arg) => {
                                self.changing.insert(var);
                                copy(self, &mut copies, var, arg);
                            }
                            Binding::Result(from) => copies.push((var, from)),
                        }
                    }
                }
                Op::Store {
                    region,
                    address,
                    value,
                } => self.look_at_store(*region, *address, *value),
                _ => {}
            }
            for expr in op.expressions() {
                self.look_at_expression(expr, &mut seen);
            }
            if let Op::Assume(condition) = op
                && seen_conditions.insert(*condition)
                && !program.pool.can_fail(*condition)
            {
                let vars = variables(program, *condition);
                for &var in &vars {
                    *self.weight.entry(var).or_default() += 1;
                }
                self.conditions.push((*condition, vars));
            }
        }
        // Constants travel with copies.
        for _ in 0..3 {
            for &(target, source) in &copies {
                let same = program.var(target).ty == program.var(source).ty;
                if let (true, Some(found)) = (same, self.constants.get(&source).cloned()) {
                    self.constants.entry(target).or_default().extend(found);
                }
                if let (true, Some(found)) = (same, self.constants.get(&target).cloned()) {
                    self.constants.entry(source).or_default().extend(found);
                }
            }
        }
    }

    fn look_at_store(&mut self, region: RegionId, address: ExprId, value: ExprId) {
        if self.pool.as_constant(value).is_none() || self.pool.can_fail(address) {
            return;
        }
        let vars = variables(self.program, address);
        if vars.is_empty() || self.stored.len() >= MAX_STORED {
            return;
        }
        self.stored.push((region, address, value, vars));
    }

    /// Notes constants that variables are compared with.
    fn look_at_expression(&mut self, root: ExprId, seen: &mut FxHashSet<ExprId>) {
        let pool = &self.program.pool;
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = pool.node(id);
            stack.extend(node.children());
            let Node::Binary(op, a, b) = node else {
                continue;
            };
            if !op.is_comparison() {
                continue;
            }
            for (side, other) in [(a, b), (b, a)] {
                let (Some(var), Node::Const(bits)) = (variable_in(pool, side), pool.node(other))
                else {
                    continue;
                };
                let ty = self.program.var(var).ty;
                if ty.is_int() && ty.width() <= pool.ty(other).width() {
                    let width = u32::from(ty.width());
                    let mask = if width >= 128 {
                        u128::MAX
                    } else {
                        (1 << width) - 1
                    };
                    self.constants.entry(var).or_default().insert(bits & mask);
                }
            }
        }
    }

    /// Variables that may matter at a place, the most important first.
    fn variables_at(&mut self, place: &Place) -> Vec<VarId> {
        let program = self.program;
        let mut locations = vec![place.location];
        let mut functions: FxHashMap<FuncId, usize> = FxHashMap::default();
        // Of the functions below, what is live after the call.
        for &call in place.calls.iter().rev() {
            locations.push(program.edge(call).target);
        }
        for (depth, &at) in locations.iter().enumerate() {
            let function = program.location(at).function;
            // Of a recursive function only the innermost activation can be spoken of.
            functions.entry(function).or_insert(depth);
            self.live
                .entry(function)
                .or_insert_with(|| Live::of(program, function));
        }
        let mut found: Vec<VarId> = Vec::new();
        for (number, var) in program.vars.iter().enumerate() {
            let id = VarId(number as u32);
            if !var.ty.is_int() || var.ty.width() > 64 || !self.changing.contains(&id) {
                continue;
            }
            let matters = match var.function {
                None => self.weight.contains_key(&id) || self.constants.contains_key(&id),
                Some(function) => functions
                    .get(&function)
                    .is_some_and(|&depth| self.live[&function].is_live(locations[depth], id)),
            };
            if matters {
                found.push(id);
            }
        }
        let weight = &self.weight;
        found.sort_by_key(|var| {
            let is_global = program.var(*var).function.is_none();
            let weight = weight.get(var).copied().unwrap_or(0);
            (u32::MAX - weight, is_global, var.0)
        });
        found
    }

    /// The guesses for a place.
    pub fn at(&mut self, place: &Place) -> Vec<ExprId> {
        let vars = self.variables_at(place);
        let mut found: Vec<ExprId> = Vec::new();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut push = |pool: &ExprPool, expr: ExprId| {
            if pool.as_bool(expr).is_none() && seen.insert(expr) {
                found.push(expr);
            }
        };
        for &var in &vars {
            for expr in self.about_one(var) {
                push(&self.pool, expr);
            }
        }
        let visible: FxHashSet<VarId> = vars.iter().copied().collect();
        for (region, address, value, used) in &self.stored {
            if used.iter().all(|var| visible.contains(var)) {
                let cell = self.pool.load(*region, *address, self.pool.ty(*value));
                let holds = self.pool.eq(cell, *value);
                push(&self.pool, holds);
            }
        }
        for (condition, used) in self.conditions.clone() {
            if !used.is_empty() && used.len() > 1 && used.iter().all(|var| visible.contains(var)) {
                push(&self.pool, condition);
                let negated = self.pool.not(condition);
                push(&self.pool, negated);
            }
        }
        let paired: Vec<VarId> = vars.iter().copied().take(MAX_PAIRED).collect();
        for (number, &a) in paired.iter().enumerate() {
            for &b in &paired[number + 1..] {
                for expr in self.about_two(a, b) {
                    push(&self.pool, expr);
                }
            }
        }
        found.truncate(MOST);
        found
    }

    /// Clauses of two statements: two values that are never taken together, and what holds where a
    /// variable with few values has one of them. `kept` are the single statements that were not
    /// refuted.
    pub fn pairs(&mut self, atoms: &[ExprId], kept: &[Vec<ExprId>]) -> Vec<Vec<ExprId>> {
        let known: FxHashSet<ExprId> = kept
            .iter()
            .filter(|clause| clause.len() == 1)
            .map(|clause| clause[0])
            .collect();
        // Values that variables may have: `v != c` was refuted, `v == c` too.
        let mut values: Vec<(VarId, ExprId)> = Vec::new();
        let mut open: Vec<(VarId, ExprId)> = Vec::new();
        for &atom in atoms {
            if known.contains(&atom) {
                continue;
            }
            let Node::Binary(op, a, b) = self.pool.node(atom) else {
                continue;
            };
            let var = [a, b]
                .into_iter()
                .find_map(|side| match self.pool.node(side) {
                    Node::Var(var) => Some(var),
                    _ => None,
                });
            let constant = [a, b]
                .into_iter()
                .any(|side| matches!(self.pool.node(side), Node::Const(_)));
            let (Some(var), true) = (var, constant) else {
                continue;
            };
            match op {
                BinOp::Ne => values.push((var, atom)),
                BinOp::Le | BinOp::Lt | BinOp::Eq => open.push((var, atom)),
                _ => {}
            }
        }
        let mut few: FxHashMap<VarId, usize> = FxHashMap::default();
        for (var, _) in &values {
            *few.entry(*var).or_default() += 1;
        }
        values.retain(|(var, _)| few[var] <= MAX_VALUES);
        values.truncate(MAX_PAIRED_VALUES);
        let mut found = Vec::new();
        for (number, &(v, a)) in values.iter().enumerate() {
            for &(w, b) in &values[number + 1..] {
                if v != w {
                    found.push(vec![a, b]);
                }
            }
        }
        for &(v, a) in &values {
            for &(w, b) in &open {
                if v != w && found.len() < MAX_PAIRS {
                    found.push(vec![a, b]);
                }
            }
        }
        found.truncate(MAX_PAIRS);
        found
    }

    /// Comparisons of the given variables that the program makes or might make: of pairs, and its
    /// own conditions.
    pub fn vocabulary(&mut self, place: &Place, relevant: &FxHashSet<VarId>) -> Vec<ExprId> {
        let vars: Vec<VarId> = self
            .variables_at(place)
            .into_iter()
            .filter(|var| relevant.contains(var))
            .take(MAX_PAIRED)
            .collect();
        let mut found: Vec<ExprId> = Vec::new();
        for (condition, used) in self.conditions.clone() {
            if used.len() > 1 && used.iter().all(|var| relevant.contains(var)) {
                found.push(condition);
            }
        }
        for (number, &a) in vars.iter().enumerate() {
            for &b in &vars[number + 1..] {
                let (ta, tb) = (self.program.var(a).ty, self.program.var(b).ty);
                if ta == tb {
                    let (x, y) = (self.pool.variable(a, ta), self.pool.variable(b, tb));
                    found.push(self.pool.le(x, y));
                    found.push(self.pool.le(y, x));
                }
            }
        }
        for &var in &vars {
            let ty = self.program.var(var).ty;
            if ty.width() >= 8 {
                let x = self.pool.variable(var, ty);
                let one = self.pool.integer(1, ty);
                let bit = self.pool.binary(BinOp::And, x, one);
                let zero = self.pool.zero(ty);
                found.push(self.pool.eq(bit, zero));
            }
        }
        found.retain(|&statement| self.pool.as_bool(statement).is_none());
        found.truncate(MAX_STATEMENTS);
        found
    }

    /// That a variable has a value, in two statements where it has an order.
    pub fn bounds(&mut self, var: VarId, ty: Ty, bits: u128) -> Vec<ExprId> {
        let x = self.pool.variable(var, ty);
        if ty == Ty::Bool {
            return vec![if bits == 0 { self.pool.not(x) } else { x }];
        }
        let constant = self.pool.constant(bits, ty);
        if !ty.is_int() {
            let width = Ty::unsigned(ty.width());
            let x = self.pool.unary(UnOp::Reinterpret(width), x);
            let constant = self.pool.constant(bits, width);
            return vec![self.pool.eq(x, constant)];
        }
        // Of a variable that names a state, a value says more than a bound.
        let states = self.constants.get(&var);
        if states.is_some_and(|states| states.len() > 2 && states.contains(&bits)) {
            return vec![self.pool.eq(x, constant)];
        }
        let mut found = vec![self.pool.le(x, constant), self.pool.ge(x, constant)];
        found.retain(|&statement| self.pool.as_bool(statement).is_none());
        found
    }

    fn about_one(&mut self, var: VarId) -> Vec<ExprId> {
        let ty = self.program.var(var).ty;
        let x = self.pool.variable(var, ty);
        let mut constants: Vec<u128> = self
            .constants
            .get(&var)
            .map(|set| set.iter().copied().collect())
            .unwrap_or_default();
        let all = constants.clone();
        constants.truncate(MAX_CONSTANTS);
        if !constants.contains(&0) {
            constants.push(0);
        }
        let mut found = Vec::new();
        if all.len() > 1 && all.len() <= 24 {
            let mut any = self.pool.bool_constant(false);
            for &bits in &all {
                let c = self.pool.constant(bits, ty);
                let equal = self.pool.eq(x, c);
                any = self.pool.or(any, equal);
            }
            found.push(any);
        }
        for &bits in &constants {
            let c = self.pool.constant(bits, ty);
            found.push(self.pool.eq(x, c));
            found.push(self.pool.ne(x, c));
            found.push(self.pool.le(x, c));
            found.push(self.pool.ge(x, c));
            let one = self.pool.integer(1, ty);
            let next = self.pool.add(c, one);
            found.push(self.pool.le(x, next));
            let before = self.pool.sub(c, one);
            found.push(self.pool.ge(x, before));
        }
        if ty.width() >= 8 {
            let one = self.pool.integer(1, ty);
            let bit = self.pool.binary(BinOp::And, x, one);
            let zero = self.pool.zero(ty);
            found.push(self.pool.eq(bit, zero));
            found.push(self.pool.ne(bit, zero));
        }
        found
    }

    fn about_two(&mut self, a: VarId, b: VarId) -> Vec<ExprId> {
        let (ta, tb) = (self.program.var(a).ty, self.program.var(b).ty);
        if ta.width() != tb.width() {
            return Vec::new();
        }
        let (x, y) = (self.pool.variable(a, ta), self.pool.variable(b, tb));
        let y = if ta == tb {
            y
        } else {
            self.pool.convert(y, ta)
        };
        let mut found = vec![
            self.pool.eq(x, y),
            self.pool.le(x, y),
            self.pool.ge(x, y),
            self.pool.ne(x, y),
        ];
        // A difference of one, where one of the two runs ahead.
        let one = self.pool.integer(1, ta);
        for (low, high) in [(x, y), (y, x)] {
            let next = self.pool.add(low, one);
            found.push(self.pool.eq(high, next));
            let twice = self.pool.add(low, low);
            found.push(self.pool.eq(high, twice));
        }
        found
    }
}

/// The variable that an expression is, but for conversions that keep its bits.
fn variable_in(pool: &ExprPool, mut id: ExprId) -> Option<VarId> {
    loop {
        match pool.node(id) {
            Node::Var(var) => return Some(var),
            Node::Unary(UnOp::Convert(ty), a)
                if pool.ty(a).is_int() && ty.is_int() && ty.width() >= pool.ty(a).width() =>
            {
                id = a;
            }
            _ => return None,
        }
    }
}
