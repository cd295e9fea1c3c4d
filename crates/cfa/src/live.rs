//! Which local variables an execution may still read: the others hold nothing that matters.

use crate::expr::{ExprId, Node, VarId};
use crate::op::Op;
use crate::program::{FuncId, LocId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each location of a function the locals that may be read before they are written again.
#[derive(Debug, Default)]
pub struct Live {
    at: FxHashMap<LocId, FxHashSet<VarId>>,
}

impl Live {
    pub fn of(program: &Program, function: FuncId) -> Live {
        let mut live = Live::default();
        let info = program.function(function);
        if let Some(result) = info.result {
            live.at.entry(info.exit).or_default().insert(result);
        }
        let is_local = |var: VarId| program.var(var).function == Some(function);
        let mut queue: Vec<LocId> = (0..program.locations.len() as u32)
            .map(LocId)
            .filter(|&at| program.location(at).function == function)
            .collect();
        let mut reads_of: FxHashMap<ExprId, Vec<VarId>> = FxHashMap::default();
        while let Some(at) = queue.pop() {
            let mut now: FxHashSet<VarId> = live.at.get(&at).cloned().unwrap_or_default();
            let before = now.len();
            for &edge in &program.location(at).outgoing {
                let op = program.edge_op(edge);
                let written = written(op);
                if let Some(after) = live.at.get(&program.edge(edge).target) {
                    now.extend(after.iter().filter(|&&var| Some(var) != written));
                }
                for expr in op.expressions() {
                    let reads = reads_of
                        .entry(expr)
                        .or_insert_with(|| variables(program, expr));
                    now.extend(reads.iter().copied().filter(|&var| is_local(var)));
                }
            }
            if now.len() > before || !live.at.contains_key(&at) {
                live.at.insert(at, now);
                let incoming = &program.location(at).incoming;
                queue.extend(incoming.iter().map(|&edge| program.edge(edge).source));
            }
        }
        live
    }

    pub fn is_live(&self, at: LocId, var: VarId) -> bool {
        self.at.get(&at).is_some_and(|live| live.contains(&var))
    }
}

/// The variable that an operation assigns to.
pub fn written(op: &Op) -> Option<VarId> {
    match op {
        Op::Assign(var, _) | Op::Havoc(var, _) => Some(*var),
        Op::Allocate { target, .. } | Op::Reallocate { target, .. } => Some(*target),
        Op::Call { result, .. } => *result,
        Op::Print(print) => print.result,
        _ => None,
    }
}

/// The variables of an expression.
pub fn variables(program: &Program, root: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) || !program.pool.reads_variables(id) {
            continue;
        }
        let node = program.pool.node(id);
        if let Node::Var(var) = node {
            found.push(var);
        }
        stack.extend(node.children());
    }
    found.sort_unstable();
    found.dedup();
    found
}
