//! Propagates constants and small expressions: what a variable is known to be stands in its place.
//!
//! Forward over each function, with what is known about variables at each location (sparse where
//! control does not join); conditions that are false block the way, equalities that were passed
//! count. Where memory is watched, a function begins with what all its callers know of its parameters
//! and of the variables that several functions use ([`Callers`]). Globals that the entry function writes once and before
//! all else are known everywhere.

use super::callers::Callers;
use super::substitute::{Substitution, map_op, variables};
use super::{Draft, Facts, Pass, Passed, copy_expr};
use cfa::expr::{BinOp, ExprId, ExprPool, Node, UnOp, VarId};
use cfa::op::Op;
use cfa::order::Order;
use cfa::owners::Owners;
use cfa::program::{EdgeId, FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub struct Constants;

/// Nodes of an expression that is put in place of a variable, counted as a tree.
const MAX_NODES: usize = 8;

impl Pass for Constants {
    fn name(&self) -> &'static str {
        "constants"
    }

    fn apply(&self, program: &Program) -> Option<Passed> {
        let mut draft = Draft::of(program);
        let owners = Owners::of(program);
        let fixed = written_once(program, &owners);
        let callers = Callers::of(program, &owners);
        let (mut changes, mut calls, mut known) = (Vec::new(), Vec::new(), Vec::new());
        let mut replaced = FxHashSet::default();
        let mut told: FxHashMap<FuncId, Known> = FxHashMap::default();
        for &function in &callers.order {
            let mut analysis = Analysis {
                program,
                function,
                owners: &owners,
                callers: &callers,
                fixed: &fixed,
                pool: &mut draft.pool,
                order: Order::of(program, function),
                joins: FxHashMap::default(),
                replaced: &mut replaced,
                calls: Vec::new(),
                told: &mut told,
            };
            analysis.run(&mut changes);
            known.extend(analysis.known());
            calls.append(&mut analysis.calls);
        }
        if changes.is_empty() {
            return None;
        }
        // Nothing was relied on but what stands for a variable somewhere.
        known.retain(|(_, var, _)| replaced.contains(var));
        calls.retain(|(_, var, _)| replaced.contains(var));
        let fixed = fixed.into_iter().filter(|(var, _)| replaced.contains(var));
        let facts = facts(&draft.pool, known, calls, fixed.collect());
        for (edge, op) in changes {
            draft.set_op(edge, op);
        }
        draft.share_what_several_use();
        let passed = draft.finish();
        Some(Passed { facts, ..passed })
    }
}

fn facts(
    pool: &ExprPool,
    mut known: Vec<(LocId, VarId, ExprId)>,
    mut calls: Vec<(EdgeId, VarId, ExprId)>,
    mut fixed: Vec<(VarId, ExprId)>,
) -> Facts {
    known.sort_unstable();
    calls.sort_unstable();
    fixed.sort_unstable();
    let mut facts = Facts::default();
    let mut copies = FxHashMap::default();
    let mut copy = |value| copy_expr(pool, &mut facts.pool, value, &mut copies, Some);
    for (location, var, value) in known {
        facts
            .values
            .extend(copy(value).map(|value| (location, var, value)));
    }
    for (call, var, value) in calls {
        facts
            .during_calls
            .extend(copy(value).map(|value| (call, var, value)));
    }
    for (var, value) in fixed {
        facts
            .everywhere
            .extend(copy(value).map(|value| (var, value)));
    }
    facts
}

/// Variables that have one constant value whenever a function other than the entry function runs.
fn written_once(program: &Program, owners: &Owners) -> FxHashMap<VarId, ExprId> {
    let mut writes = vec![0u32; program.vars.len()];
    for edge in &program.edges {
        if let Some(var) = program.op(edge.op).written_variable() {
            writes[var.0 as usize] += 1;
        }
    }
    for function in &program.functions {
        // Calls write the one, returns read the other; neither is a constant.
        for var in function.params.iter().chain(&function.result) {
            writes[var.0 as usize] += 2;
        }
    }
    let mut fixed = FxHashMap::default();
    let mut seen = BTreeSet::new();
    let mut location = program.function(program.entry).entry;
    loop {
        if !seen.insert(location) {
            // A loop at the very beginning: nothing comes before all else.
            return FxHashMap::default();
        }
        let [edge] = program.location(location).outgoing[..] else {
            return fixed;
        };
        match program.edge_op(edge) {
            Op::Call { .. } => return fixed,
            Op::Assign(var, value)
                if writes[var.0 as usize] == 1
                    && owners.vars[var.0 as usize].is_none()
                    && program.pool.as_constant(*value).is_some() =>
            {
                fixed.insert(*var, *value);
            }
            _ => {}
        }
        location = program.edge(edge).target;
    }
}

/// What variables are known to be at a location.
#[derive(Clone, Default)]
struct Known {
    values: FxHashMap<VarId, ExprId>,
    /// Whose values mention a variable (some may not any more).
    mentions: FxHashMap<VarId, Vec<VarId>>,
}

impl Known {
    fn forget(&mut self, pool: &ExprPool, var: VarId) {
        self.values.remove(&var);
        for other in self.mentions.remove(&var).unwrap_or_default() {
            let value = self.values.get(&other);
            if value.is_some_and(|&value| variables(pool, [value]).contains(&var)) {
                self.values.remove(&other);
            }
        }
    }

    fn learn(&mut self, pool: &ExprPool, var: VarId, value: ExprId) {
        let parts = variables(pool, [value]);
        if parts.contains(&var) {
            return;
        }
        for part in parts {
            self.mentions.entry(part).or_default().push(var);
        }
        self.values.insert(var, value);
    }

    /// Keeps what both know; whether that is less.
    fn join(&mut self, other: &Known) -> bool {
        let before = self.values.len();
        self.values
            .retain(|var, value| other.values.get(var) == Some(value));
        self.values.len() < before
    }
}

struct Analysis<'a> {
    program: &'a Program,
    function: FuncId,
    owners: &'a Owners,
    fixed: &'a FxHashMap<VarId, ExprId>,
    pool: &'a mut ExprPool,
    order: Order,
    callers: &'a Callers<'a>,
    /// What is known where control joins.
    joins: FxHashMap<LocId, Known>,
    /// Variables for which something was put in place.
    replaced: &'a mut FxHashSet<VarId>,
    /// What is known while a call is open.
    calls: Vec<(EdgeId, VarId, ExprId)>,
    /// What all calls of a function that were looked at tell it.
    told: &'a mut FxHashMap<FuncId, Known>,
}

impl Analysis<'_> {
    fn run(&mut self, changes: &mut Vec<(EdgeId, Op)>) {
        let entry = self.program.function(self.function).entry;
        let told = self.told.remove(&self.function).unwrap_or_default();
        self.joins.insert(entry, told);
        let mut work = BTreeSet::from([(0, entry)]);
        while let Some((_, location)) = work.pop_first() {
            for (target, known) in self.segment(location, None) {
                let changed = match self.joins.get_mut(&target) {
                    Some(old) => old.join(&known),
                    None => {
                        self.joins.insert(target, known);
                        true
                    }
                };
                if changed {
                    work.insert((self.order.position(target).unwrap_or(u32::MAX), target));
                }
            }
        }
        let mut joins: Vec<LocId> = self.joins.keys().copied().collect();
        joins.sort_unstable();
        for location in joins {
            self.segment(location, Some(changes));
        }
    }

    /// What holds where control joins.
    fn known(&self) -> Vec<(LocId, VarId, ExprId)> {
        let joins = self.joins.iter();
        let all = joins.flat_map(|(&at, known)| {
            let values = known.values.iter();
            values.map(move |(&var, &value)| (at, var, value))
        });
        all.collect()
    }

    /// Where several edges enter, or none does.
    fn is_join(&self, location: LocId) -> bool {
        self.program.location(location).incoming.len() != 1
            || self.program.function(self.function).entry == location
    }

    /// From a join to all next joins: what is known there. Notes the changed operations if asked
    /// to.
    fn segment(
        &mut self,
        start: LocId,
        mut changes: Option<&mut Vec<(EdgeId, Op)>>,
    ) -> Vec<(LocId, Known)> {
        let mut ends = Vec::new();
        let mut work = vec![(start, self.joins[&start].clone())];
        while let Some((location, mut here)) = work.pop() {
            let outgoing = &self.program.location(location).outgoing;
            for &id in outgoing {
                let mut known = if Some(&id) == outgoing.last() {
                    std::mem::take(&mut here)
                } else {
                    here.clone()
                };
                let old = self.program.edge_op(id);
                let new = self.rewrite(old, &known);
                if changes.is_some() {
                    self.tell(&new, &known);
                }
                let passes = self.pass(&new, &mut known);
                if changes.is_some() && matches!(new, Op::Call { .. }) {
                    let values = known.values.iter();
                    self.calls
                        .extend(values.map(|(&var, &value)| (id, var, value)));
                }
                if new != *old
                    && let Some(changes) = &mut changes
                {
                    changes.push((id, new));
                }
                let target = self.program.edge(id).target;
                if !passes {
                    continue;
                }
                if self.is_join(target) {
                    ends.push((target, known));
                } else {
                    work.push((target, known));
                }
            }
        }
        ends
    }

    /// A function knows what all its callers do.
    fn tell(&mut self, op: &Op, known: &Known) {
        let &Op::Call {
            function, ref args, ..
        } = op
        else {
            return;
        };
        let way = (self.function, function);
        let values = self.callers.told(self.pool, way, args, known.values.iter());
        let mut here = Known::default();
        for (var, value) in values {
            here.learn(self.pool, var, value);
        }
        match self.told.get_mut(&function) {
            Some(told) => _ = told.join(&here),
            None => _ = self.told.insert(function, here),
        }
    }

    fn rewrite(&mut self, op: &Op, known: &Known) -> Op {
        let mut substitution = Substitution::default();
        let is_start = self.function == self.program.entry;
        let (pool, fixed, replaced) = (&mut *self.pool, self.fixed, &mut self.replaced);
        let new = map_op(
            op,
            |expr| {
                substitution.apply(pool, expr, |_, node| match node {
                    Node::Var(var) => {
                        let fixed = fixed.get(&var).filter(|_| !is_start);
                        let value = known.values.get(&var).or(fixed).copied();
                        replaced.extend(value.map(|_| var));
                        value
                    }
                    _ => None,
                })
            },
            |var| var,
        );
        match new {
            Op::Assign(var, value) if self.pool.node(value) == Node::Var(var) => Op::Skip,
            Op::Assume(condition) if self.pool.as_bool(condition) == Some(true) => Op::Skip,
            new => new,
        }
    }

    /// What is known behind the operation; false if it does not let any execution pass.
    fn pass(&mut self, op: &Op, known: &mut Known) -> bool {
        match op {
            Op::Halt(_) => return false,
            Op::Assume(condition) => {
                if self.pool.as_bool(*condition) == Some(false) {
                    return false;
                }
                self.learn_from(*condition, known);
            }
            Op::Assign(var, value) => {
                known.forget(self.pool, *var);
                if self.may_stand_for_variable(*value) {
                    known.learn(self.pool, *var, *value);
                }
            }
            Op::Call {
                function, result, ..
            } => {
                let may_change = |var: &VarId| {
                    self.owners.vars[var.0 as usize] != Some(self.function)
                        && self.callers.may_write(*function, *var)
                };
                let all = known.values.keys().chain(known.mentions.keys());
                let written: Vec<VarId> = all.copied().filter(may_change).collect();
                for var in written {
                    known.forget(self.pool, var);
                }
                if let Some(var) = result {
                    known.forget(self.pool, *var);
                }
            }
            _ => {
                if let Some(var) = op.written_variable() {
                    known.forget(self.pool, var);
                }
            }
        }
        true
    }

    fn may_stand_for_variable(&self, value: ExprId) -> bool {
        if self.pool.can_fail(value) {
            return false;
        }
        let mut work = vec![value];
        let mut count = 0;
        while let Some(id) = work.pop() {
            count += 1;
            if count > MAX_NODES {
                return false;
            }
            work.extend(self.pool.node(id).children());
        }
        true
    }

    /// Equalities that a condition states. (Not of floats: zeros of both signs are equal.)
    fn learn_from(&mut self, condition: ExprId, known: &mut Known) {
        let mut work = vec![condition];
        while let Some(id) = work.pop() {
            match self.pool.node(id) {
                Node::Binary(BinOp::BoolAnd, a, b) => work.extend([a, b]),
                Node::Binary(BinOp::Eq, a, b) => {
                    if let (Node::Var(var), Some(_)) = (self.pool.node(a), self.pool.as_constant(b))
                        && self.pool.ty(a).is_int()
                    {
                        known.forget(self.pool, var);
                        known.learn(self.pool, var, b);
                    }
                }
                Node::Var(var) => {
                    let value = self.pool.bool_constant(true);
                    known.forget(self.pool, var);
                    known.learn(self.pool, var, value);
                }
                Node::Unary(UnOp::Not, a) => {
                    if let Node::Var(var) = self.pool.node(a) {
                        let value = self.pool.bool_constant(false);
                        known.forget(self.pool, var);
                        known.learn(self.pool, var, value);
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, lowered};
    use super::super::{Keep, Pipeline, Settings};
    use super::*;

    /// The program as one that watches its memory.
    fn watching(text: &str) -> Program {
        let mut program = lowered(text);
        let ints = program.vars.iter().zip(0..);
        let ints = ints.filter(|(var, _)| var.ty == cfa::value::Ty::signed(32));
        let two: Vec<VarId> = ints.map(|(_, number)| VarId(number)).take(2).collect();
        let [a, b] = [0, 1].map(|at| program.pool.variable(two[at], cfa::value::Ty::signed(32)));
        let distance = program.pool.sub(a, b);
        program.pool.mark_object_offset(distance);
        assert!(program.pool.has_object_offsets());
        program
    }

    #[test]
    fn what_constants_decide_is_decided() {
        for body in [
            "int x = 3; int y = x * 2; if (y != 6) reach_error();",
            "int n = __VERIFIER_nondet_int(); int a = n; int b = a; if (a != b) reach_error();",
            "int n = __VERIFIER_nondet_int(); if (n == 4) { if (n > 5) reach_error(); }",
            "int k = 1; for (int i = 0; i < 10; i++) { if (k != 1) reach_error(); k = 1; }",
            "if (limit != 12) reach_error(); other(); if (limit < 1) reach_error();",
            "int k = 7; other(); if (k != 7) reach_error();",
            "int n = __VERIFIER_nondet_int(); kept = n; same(n);",
            "int n = __VERIFIER_nondet_int(); while (n < 9) { n++; kept = n; same(n); }",
            "int n = __VERIFIER_nondet_int(); kept = n; same(n); same(n);",
        ] {
            let text = format!(
                "int __VERIFIER_nondet_int(void); void reach_error(void); int limit = 12; int count, kept;\n\
                 void inner(int y) {{ while (__VERIFIER_nondet_int()) if (y != kept) reach_error(); }}\n\
                 void same(int x) {{ while (__VERIFIER_nondet_int()) if (x != kept) reach_error(); inner(x); }}\n\
                 void other(void) {{ count++; }} int main(void) {{ {body} return 0; }}"
            );
            let settings = Settings::default();
            let pipeline = Pipeline::named(&["constants", "unreachable"], &settings);
            let result = pipeline.expect("the names are right").run(&watching(&text));
            assert!(result.program.errors.is_empty(), "{body}");
        }
    }

    #[test]
    fn what_may_change_is_not_taken_for_constant() {
        for body in [
            "int k = 1; while (n-- > 0) k = k + 1; if (k == 3) reach_error();",
            "int a = n; n = n + 1; if (a != n) reach_error();",
            "other(); int c = count; other(); if (c != count) reach_error();",
            "int k = 1; if (n > 3) k = 2; if (k == 2) reach_error();",
            "two(7); two(n);",
            "count = n; moves(count);",
            "count = n; int a = n; calls(a);",
            "down(n);",
            "while (n < 9) { n++; two(n); }",
        ] {
            let text = format!(
                "int __VERIFIER_nondet_int(void); void reach_error(void); int count;\n\
                 void other(void) {{ count++; }}\n\
                 void two(int x) {{ int i; for (i = 0; i < 3; i++) if (x != 7) reach_error(); }}\n\
                 void moves(int x) {{ while (__VERIFIER_nondet_int() & 1) count++; if (x != count) reach_error(); }}\n\
                 void calls(int x) {{ other(); if (x != count) reach_error(); }}\n\
                 int down(int x) {{ if (x <= 0) return 0; int y = x; int r = down(x - 1); if (y + r != x) reach_error(); return 1; }}\n\
                 int main(void) {{ int n = __VERIFIER_nondet_int() & 7; {body} return 0; }}"
            );
            check(&Constants, Keep::Behaviour, &text);
            let program = watching(&text);
            let result = Constants
                .apply(&program)
                .map_or(program, |passed| passed.program);
            assert!(!result.errors.is_empty());
        }
    }
}
