//! Statements about locations, carried back through passes.
//!
//! What is inductive for the result of a pass need not be so for the given program: a pass that put
//! a constant in place of a variable relied on the variable's value. So each pass tells its
//! [`Facts`], and whoever carries statements back adds them where they hold. Where the result has
//! no place any more, either no execution comes there or none that does comes to an error; the one
//! is said by "false", the other by "true". That is needed of loop heads only: elsewhere it follows
//! along the paths from them.

use super::Passed;
use super::graph;
use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::order::Order;
use cfa::place::{CallPattern, Invariant, call_strings};
use cfa::program::{EdgeId, FuncId, LocId, Program};
use cfa::value::Ty;
use rustc_hash::FxHashMap;

/// What a pass knew about the given program and relied on.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub pool: ExprPool,
    /// Whenever an execution is at the location, the variable has the value.
    pub values: Vec<(LocId, VarId, ExprId)>,
    /// As `values`, of the caller's variables as long as the call has not returned.
    pub during_calls: Vec<(EdgeId, VarId, ExprId)>,
    /// As `values`, at every location outside the entry function.
    pub everywhere: Vec<(VarId, ExprId)>,
}

/// One pass of several, as far as statements need it.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    back: super::Back,
    facts: Facts,
    /// Per location of the given program: several edges meet there, or a function begins.
    is_join: Vec<bool>,
    is_head: Vec<bool>,
    in_entry_function: Vec<bool>,
    types: Vec<Ty>,
    /// Whose activations have a variable of the given program that the result has once for all.
    shared: FxHashMap<VarId, FuncId>,
    /// The functions of the given program's locations, and of its calls.
    functions: Vec<FuncId>,
    callers: FxHashMap<EdgeId, FuncId>,
    /// Loop heads that the result has no more.
    gone: Vec<Gone>,
}

#[derive(Clone, Debug)]
struct Gone {
    head: LocId,
    /// The calls with which executions come there; none if they do not come there at all.
    reached_by: Vec<CallPattern>,
}

impl Stage {
    pub fn of(given: &Program, passed: &Passed) -> Stage {
        let mut is_join: Vec<bool> = given
            .locations
            .iter()
            .map(|location| location.incoming.len() > 1)
            .collect();
        for function in &given.functions {
            is_join[function.entry.0 as usize] = true;
        }
        let mut is_head = vec![false; given.locations.len()];
        for number in 0..given.functions.len() as u32 {
            for one in Order::of(given, FuncId(number)).loops {
                is_head[one.head.0 as usize] = true;
            }
        }
        let gone = gone(given, passed, &is_head);
        let vars = passed.program.vars.iter().zip(&passed.back.vars);
        let shared = vars.filter_map(|(var, &before)| {
            let owner = given.var(before?).function?;
            var.function.is_none().then_some((before?, owner))
        });
        let functions = given.locations.iter().map(|location| location.function);
        let functions: Vec<FuncId> = functions.collect();
        let calls = passed.back.calls.values();
        let callers = calls.map(|&call| {
            let source = given.edge(call).source;
            (call, functions[source.0 as usize])
        });
        Stage {
            shared: shared.collect(),
            callers: callers.collect(),
            functions,
            back: passed.back.clone(),
            facts: passed.facts.clone(),
            is_join,
            is_head,
            in_entry_function: given
                .locations
                .iter()
                .map(|location| location.function == given.entry)
                .collect(),
            types: given.vars.iter().map(|var| var.ty).collect(),
            gone,
        }
    }

    /// Statements about the given program from those about the result, in a pool of their own.
    pub fn before(&self, pool: &ExprPool, statements: &[Invariant]) -> (ExprPool, Vec<Invariant>) {
        let mut new = ExprPool::default();
        let mut known = Known {
            stage: self,
            at: FxHashMap::default(),
            during: FxHashMap::default(),
            copies: FxHashMap::default(),
        };
        let mut found = Vec::new();
        let mut copies = FxHashMap::default();
        for statement in statements {
            let calls = match &statement.calls {
                CallPattern::Any => CallPattern::Any,
                CallPattern::Exactly(calls) => CallPattern::Exactly(self.back.call_string(calls)),
            };
            let mut holds = new.bool_constant(true);
            for part in self.parts(pool, statement, &calls) {
                let part = copy_expr(pool, &mut new, part, &mut copies, |var| {
                    *self.back.vars.get(var.0 as usize)?
                });
                // What speaks of things that only the result has says nothing here.
                let part = part.unwrap_or_else(|| new.bool_constant(true));
                holds = new.and(holds, part);
            }
            let during = known.during_all(&mut new, &calls);
            // A loop has one statement, at its head; without a loop any join will do.
            let locations = &self.back.locations[statement.location.0 as usize];
            let has_head = locations.iter().any(|at| self.is_head[at.0 as usize]);
            let keeps = match has_head {
                true => &self.is_head,
                false => &self.is_join,
            };
            for &location in locations.iter().filter(|at| keeps[at.0 as usize]) {
                let here = known.at(&mut new, location);
                let holds = new.and(holds, during);
                let holds = new.and(holds, here);
                found.push(Invariant {
                    calls: calls.clone(),
                    location,
                    holds,
                });
            }
        }
        for gone in &self.gone {
            for calls in &gone.reached_by {
                let during = known.during_all(&mut new, calls);
                let here = known.at(&mut new, gone.head);
                found.push(Invariant {
                    calls: calls.clone(),
                    location: gone.head,
                    holds: new.and(during, here),
                });
            }
            if gone.reached_by.is_empty() {
                found.push(Invariant {
                    calls: CallPattern::Any,
                    location: gone.head,
                    holds: new.bool_constant(false),
                });
            }
        }
        (new, found)
    }

    /// The conjuncts of a statement that speak of nothing but what has a value in the given program:
    /// the result keeps the values of variables whose functions are not active any more.
    fn parts(&self, pool: &ExprPool, statement: &Invariant, calls: &CallPattern) -> Vec<ExprId> {
        let (CallPattern::Exactly(calls), false) = (calls, self.shared.is_empty()) else {
            return vec![statement.holds];
        };
        let locations = self.back.locations[statement.location.0 as usize].iter();
        let here = locations.map(|at| self.functions[at.0 as usize]);
        let above = calls
            .iter()
            .filter_map(|call| self.callers.get(call).copied());
        let active: Vec<FuncId> = here.chain(above).collect();
        let is_gone = |var: VarId| {
            let before = self.back.vars.get(var.0 as usize).copied().flatten();
            let owner = before.and_then(|var| self.shared.get(&var));
            owner.is_some_and(|owner| !active.contains(owner))
        };
        let mut parts = Vec::new();
        let mut open = vec![statement.holds];
        while let Some(part) = open.pop() {
            match pool.node(part) {
                Node::Binary(BinOp::BoolAnd, a, b) => open.extend([b, a]),
                _ if super::substitute::variables(pool, [part])
                    .into_iter()
                    .any(is_gone) => {}
                _ => parts.push(part),
            }
        }
        parts
    }
}

/// The loop heads of the given program that a pass left out.
fn gone(given: &Program, passed: &Passed, is_head: &[bool]) -> Vec<Gone> {
    let mut stays = vec![false; given.locations.len()];
    for location in passed.back.locations.iter().flatten() {
        stays[location.0 as usize] = true;
    }
    let heads = (0..given.locations.len()).filter(|&number| is_head[number] && !stays[number]);
    let heads: Vec<usize> = heads.collect();
    if heads.is_empty() {
        return Vec::new();
    }
    let (reached, leads) = (graph::reached(given), graph::leads_to_error(given));
    let strings = call_strings(given);
    // What is reached and leads to an error was merged with its neighbours.
    let heads = heads
        .into_iter()
        .filter(|&number| !(reached[number] && leads[number]));
    let gone = heads.map(|number| {
        let function = given.locations[number].function.0 as usize;
        let reached_by = match &strings {
            _ if !reached[number] => Vec::new(),
            // What callers knew can be said only of a call that is known.
            Some(strings) => {
                let strings = strings[function].iter().cloned();
                strings.map(CallPattern::Exactly).collect()
            }
            None => vec![CallPattern::Any],
        };
        Gone {
            head: LocId(number as u32),
            reached_by,
        }
    });
    gone.collect()
}

/// The facts at each location as one expression, made when it is asked for.
struct Known<'s> {
    stage: &'s Stage,
    at: FxHashMap<LocId, ExprId>,
    during: FxHashMap<EdgeId, ExprId>,
    copies: FxHashMap<ExprId, Option<ExprId>>,
}

impl Known<'_> {
    /// What holds at a location.
    fn at(&mut self, new: &mut ExprPool, location: LocId) -> ExprId {
        if let Some(&known) = self.at.get(&location) {
            return known;
        }
        let facts = &self.stage.facts;
        let is_outside = !self.stage.in_entry_function[location.0 as usize];
        let everywhere = facts.everywhere.iter().filter(|_| is_outside).copied();
        let all = of_key(&facts.values, location).chain(everywhere);
        let all = self.all(new, all);
        self.at.insert(location, all);
        all
    }

    /// What holds as long as none of the calls has returned.
    fn during_all(&mut self, new: &mut ExprPool, calls: &CallPattern) -> ExprId {
        let open: &[EdgeId] = match calls {
            CallPattern::Any => &[],
            CallPattern::Exactly(calls) => calls,
        };
        let nothing = new.bool_constant(true);
        open.iter().fold(nothing, |all, &call| {
            let one = self.during(new, call);
            new.and(all, one)
        })
    }

    /// What holds as long as a call has not returned.
    fn during(&mut self, new: &mut ExprPool, call: EdgeId) -> ExprId {
        if let Some(&known) = self.during.get(&call) {
            return known;
        }
        let all = self.all(new, of_key(&self.stage.facts.during_calls, call));
        self.during.insert(call, all);
        all
    }

    fn all(&mut self, new: &mut ExprPool, facts: impl Iterator<Item = (VarId, ExprId)>) -> ExprId {
        let mut all = new.bool_constant(true);
        for (var, value) in facts {
            let pool = &self.stage.facts.pool;
            let Some(value) = copy_expr(pool, new, value, &mut self.copies, Some) else {
                continue;
            };
            let ty = self.stage.types[var.0 as usize];
            let variable = new.variable(var, ty);
            let equal = same_value(new, variable, value, ty);
            all = new.and(all, equal);
        }
        all
    }
}

/// The entries of a sorted list that begin with the key.
fn of_key<K: Ord + Copy>(
    list: &[(K, VarId, ExprId)],
    key: K,
) -> impl Iterator<Item = (VarId, ExprId)> {
    let first = list.partition_point(|&(other, _, _)| other < key);
    let here = list[first..]
        .iter()
        .take_while(move |&&(other, _, _)| other == key);
    here.map(|&(_, var, value)| (var, value))
}

/// Equality of values, not of numbers: zeros of both signs differ, and a NaN is itself.
fn same_value(pool: &mut ExprPool, a: ExprId, b: ExprId, ty: Ty) -> ExprId {
    match ty {
        Ty::Bool => {
            let both = pool.and(a, b);
            let (not_a, not_b) = (pool.not(a), pool.not(b));
            let neither = pool.and(not_a, not_b);
            pool.or(both, neither)
        }
        Ty::Float(_) => {
            let bits = Ty::unsigned(ty.width());
            let (a, b) = (
                pool.unary(cfa::expr::UnOp::Reinterpret(bits), a),
                pool.unary(cfa::expr::UnOp::Reinterpret(bits), b),
            );
            pool.eq(a, b)
        }
        Ty::Int { .. } => pool.eq(a, b),
    }
}

/// An expression of one pool in another, its variables renamed; `None` if one has no name there.
pub fn copy_expr(
    from: &ExprPool,
    to: &mut ExprPool,
    root: ExprId,
    copies: &mut FxHashMap<ExprId, Option<ExprId>>,
    mut rename: impl FnMut(VarId) -> Option<VarId>,
) -> Option<ExprId> {
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        if copies.contains_key(&id) {
            stack.pop();
            continue;
        }
        let node = from.node(id);
        let before = stack.len();
        stack.extend(node.children().filter(|part| !copies.contains_key(part)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let new = match node {
            Node::Var(var) => rename(var).map(Node::Var),
            _ if node.children().all(|part| copies[&part].is_some()) => {
                Some(super::substitute::with_parts(node, |part| {
                    copies[&part].unwrap_or(part)
                }))
            }
            _ => None,
        };
        let new = new.map(|node| to.intern(node, from.ty(id)));
        copies.insert(id, new);
    }
    copies[&root]
}
