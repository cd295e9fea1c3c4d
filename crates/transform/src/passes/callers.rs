//! What functions are told: which functions call which, what a call may change, and which values
//! mean the same in the function that is called.
//!
//! A variable of a caller keeps its value as long as the call is open, if the caller cannot be
//! active twice. So what a caller knows of a parameter or of a variable that several functions use
//! is known in the function that it calls.

use cfa::expr::{BinOp, ExprId, ExprPool, Node, VarId};
use cfa::op::Op;
use cfa::owners::Owners;
use cfa::place::call_strings;
use cfa::program::{FuncId, Program, VariableKind};
use rustc_hash::FxHashSet;

pub(super) struct Callers<'a> {
    program: &'a Program,
    owners: &'a Owners,
    /// Callers before those that they call. What calls itself has no place in such an order and
    /// comes behind.
    pub order: Vec<FuncId>,
    /// Nobody tells them anything.
    untold: Vec<bool>,
    writes: Vec<FxHashSet<VarId>>,
    reads: Vec<FxHashSet<VarId>>,
}

impl<'a> Callers<'a> {
    pub fn of(program: &'a Program, owners: &'a Owners) -> Callers<'a> {
        let count = program.functions.len();
        let mut calls: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); count];
        let mut writes = vec![FxHashSet::default(); count];
        let mut reads = vec![FxHashSet::default(); count];
        let mut seen = FxHashSet::default();
        for edge in &program.edges {
            let function = program.location(edge.source).function.0 as usize;
            let op = program.op(edge.op);
            if let Op::Call { function: to, .. } = op {
                calls[function].insert(to.0);
                writes[function].extend(program.function(*to).params.iter().copied());
            }
            writes[function].extend(op.written_variable());
            let mut open: Vec<ExprId> = op.expressions();
            while let Some(id) = open.pop() {
                if !program.pool.reads_variables(id) || !seen.insert((function, id)) {
                    continue;
                }
                match program.pool.node(id) {
                    Node::Var(var) => _ = reads[function].insert(var),
                    node => open.extend(node.children()),
                }
            }
        }
        let (order, is_recursive) = ordered(&calls);
        // Whom others call is complete before they are.
        for _ in 0..count {
            let mut changed = false;
            for function in order.iter().rev().map(|function| function.0 as usize) {
                for &callee in &calls[function] {
                    changed |= include(&mut writes, function, callee as usize);
                    changed |= include(&mut reads, function, callee as usize);
                }
            }
            if !changed {
                break;
            }
        }
        // Where memory is watched, sizes and starts of objects are passed on from call to call.
        // Elsewhere parameters stay: automata that are kept for later versions go by their names.
        let is_watched = program.pool.has_object_offsets();
        // Without call strings nothing can be said of a caller's variables while it waits.
        let untold = match is_watched && call_strings(program).is_some() {
            true => is_recursive,
            false => vec![true; count],
        };
        Callers {
            program,
            owners,
            order,
            untold,
            writes,
            reads,
        }
    }

    /// Whether a call of the function may write the variable.
    pub fn may_write(&self, function: FuncId, var: VarId) -> bool {
        self.writes[function.0 as usize].contains(&var)
    }

    /// What a function is told when it is called: of its parameters, and of what others have too.
    pub fn told<'k>(
        &self,
        pool: &ExprPool,
        (caller, callee): (FuncId, FuncId),
        args: &[ExprId],
        known: impl Iterator<Item = (&'k VarId, &'k ExprId)>,
    ) -> Vec<(VarId, ExprId)> {
        if self.untold[caller.0 as usize] || self.untold[callee.0 as usize] {
            return Vec::new();
        }
        let params = &self.program.function(callee).params;
        let reads = &self.reads[callee.0 as usize];
        let is_param = |var: &VarId| params.contains(var);
        let shared = known
            .map(|(&var, &value)| (var, value))
            .filter(|(var, _)| self.owners.vars[var.0 as usize].is_none() && !is_param(var));
        let passed = params.iter().copied().zip(args.iter().copied());
        let passed = passed.filter(|&(param, value)| {
            pool.ty(value) == self.program.var(param).ty && is_simple(pool, value)
        });
        let all = shared.chain(passed).filter(|(var, _)| reads.contains(var));
        all.filter(|&(_, value)| self.means_the_same(pool, callee, params, value))
            .collect()
    }

    /// Whether an expression of a caller has its value in the function that is called too.
    fn means_the_same(
        &self,
        pool: &ExprPool,
        callee: FuncId,
        params: &[VarId],
        value: ExprId,
    ) -> bool {
        let vars = super::substitute::variables(pool, [value]);
        vars.iter().all(|&var| {
            let is_named = !matches!(
                self.program.var(var).kind,
                VariableKind::Param | VariableKind::Result
            );
            let owner = self.owners.vars[var.0 as usize];
            let is_above =
                owner.is_none_or(|owner| owner != callee && !self.untold[owner.0 as usize]);
            is_named && is_above && !params.contains(&var)
        })
    }
}

fn include(sets: &mut [FxHashSet<VarId>], into: usize, from: usize) -> bool {
    if into == from {
        return false;
    }
    let more: Vec<VarId> = sets[from].difference(&sets[into]).copied().collect();
    let is_more = !more.is_empty();
    sets[into].extend(more);
    is_more
}

/// A constant, a variable, or one moved by a constant: more would stand in the way of analyses that
/// count.
fn is_simple(pool: &ExprPool, value: ExprId) -> bool {
    match pool.node(value) {
        Node::Const(_) | Node::Var(_) | Node::Address(_) => true,
        Node::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            matches!(pool.node(a), Node::Var(_)) && pool.as_constant(b).is_some()
        }
        _ => false,
    }
}

/// Functions with callers first, and which of them may be active twice at a time.
fn ordered(calls: &[FxHashSet<u32>]) -> (Vec<FuncId>, Vec<bool>) {
    let mut callers = vec![0usize; calls.len()];
    for callee in calls.iter().flatten() {
        callers[*callee as usize] += 1;
    }
    let mut open: Vec<usize> = (0..calls.len())
        .rev()
        .filter(|&f| callers[f] == 0)
        .collect();
    let mut order = Vec::new();
    let mut is_placed = vec![false; calls.len()];
    while let Some(function) = open.pop() {
        is_placed[function] = true;
        order.push(FuncId(function as u32));
        let mut callees: Vec<u32> = calls[function].iter().copied().collect();
        callees.sort_unstable();
        for callee in callees {
            callers[callee as usize] -= 1;
            if callers[callee as usize] == 0 {
                open.push(callee as usize);
            }
        }
    }
    // What is left calls itself, or is called by something that does.
    let rest = (0..calls.len()).filter(|&function| !is_placed[function]);
    order.extend(rest.map(|function| FuncId(function as u32)));
    let is_recursive = is_placed.iter().map(|placed| !placed).collect();
    (order, is_recursive)
}
