//! Which declarations need an arbitrary value: those whose variable may be read before it is
//! written.
//!
//! A backward analysis of live variables over the function's automaton. A variable that is live
//! where its declaration is passed gets an input there; one that is live where the function begins
//! (its declaration was jumped over) gets one at the beginning.

use super::context::Context;
use super::effects::variables_of;
use super::graph::{Action, ENTRY, EXIT, Graph, GraphEdge};
use cfa::expr::{ExprPool, VarId};
use cfa::op::{InputKind, Op};
use cfa::program::{FuncId, VariableKind};
use rustc_hash::FxHashMap;
use syntax::span::Span;

/// Turns the graph's [`Action::Forget`] into inputs where they are needed.
pub(crate) fn settle(context: &mut Context, function: FuncId) {
    let Some(mut graph) = context.units[function.0 as usize].graph.take() else {
        return;
    };
    let accesses: Vec<Access> = graph
        .edges
        .iter()
        .map(|edge| Access::of(&context.pool, edge))
        .collect();
    let candidates = candidates(context, &graph, &accesses);
    if !candidates.is_empty() {
        let live = Liveness::new(context, &graph, function, &candidates, &accesses);
        let mut needed: Vec<(usize, VarId)> = Vec::new();
        for (index, edge) in graph.edges.iter().enumerate() {
            if let Action::Forget(var) = edge.action
                && live.is_live(edge.target, candidates[&var])
            {
                needed.push((index, var));
            }
        }
        for (index, var) in needed {
            let span = graph.edges[index].span;
            graph.edges[index].action = Action::Op(arbitrary(context, var, span));
        }
        let mut at_entry: Vec<VarId> = candidates
            .iter()
            .filter(|&(_, &number)| live.is_live(ENTRY, number))
            .map(|(&var, _)| var)
            .collect();
        at_entry.sort_unstable();
        insert_at_entry(context, &mut graph, &at_entry);
    }
    for edge in &mut graph.edges {
        if matches!(edge.action, Action::Forget(_)) {
            edge.action = Action::Op(Op::Skip);
        }
    }
    context.units[function.0 as usize].graph = Some(graph);
}

fn arbitrary(context: &mut Context, var: VarId, span: Span) -> Op {
    let variable = &context.vars[var.0 as usize];
    let is_bool = variable.c_type.is_some_and(|ty| context.is_c_bool(ty));
    let name = match variable.kind {
        VariableKind::Result => "the value returned by a function without `return`".to_owned(),
        VariableKind::Temporary => "an argument that was not passed".to_owned(),
        _ => variable.name.clone(),
    };
    let input = context.new_input(InputKind::Uninitialised(name), is_bool, span);
    Op::Havoc(var, input)
}

fn insert_at_entry(context: &mut Context, graph: &mut Graph, vars: &[VarId]) {
    for &var in vars {
        let next = graph.new_node();
        for edge in &mut graph.edges {
            if edge.source == ENTRY {
                edge.source = next;
            }
        }
        let span = context.vars[var.0 as usize].span;
        let action = Action::Op(arbitrary(context, var, span));
        graph.connect(ENTRY, next, action, span);
    }
}

/// The variables that may be uninitialised, numbered: those forgotten somewhere, and all locals
/// that are read (a jump may pass over the declaration that gives them a value).
fn candidates(context: &Context, graph: &Graph, accesses: &[Access]) -> FxHashMap<VarId, u32> {
    let mut numbers = FxHashMap::default();
    let mut add = |var: VarId| {
        let next = numbers.len() as u32;
        numbers.entry(var).or_insert(next);
    };
    for (edge, access) in graph.edges.iter().zip(accesses) {
        if let Action::Forget(var) = edge.action {
            add(var);
        }
        for &var in &access.read {
            if context.vars[var.0 as usize].kind == VariableKind::Local {
                add(var);
            }
        }
    }
    numbers
}

/// Live candidates at each node.
struct Liveness {
    words: usize,
    bits: Vec<u64>,
}

impl Liveness {
    fn new(
        context: &Context,
        graph: &Graph,
        function: FuncId,
        candidates: &FxHashMap<VarId, u32>,
        accesses: &[Access],
    ) -> Liveness {
        let words = candidates.len().div_ceil(64);
        let mut live = Liveness {
            words,
            bits: vec![0; words * graph.nodes.len()],
        };
        if let Some(&number) = context
            .unit(function)
            .result
            .and_then(|var| candidates.get(&var))
        {
            live.bits[EXIT as usize * words + number as usize / 64] |= 1 << (number % 64);
        }
        let transfers: Vec<Transfer> = accesses
            .iter()
            .map(|access| Transfer::of(access, candidates))
            .collect();
        let mut incoming: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
        for (index, edge) in graph.edges.iter().enumerate() {
            incoming[edge.target as usize].push(index as u32);
        }
        // Every edge once; then again those into nodes that changed.
        let mut work: Vec<u32> = (0..graph.edges.len() as u32).collect();
        let mut queued = vec![true; graph.edges.len()];
        while let Some(index) = work.pop() {
            queued[index as usize] = false;
            let edge = &graph.edges[index as usize];
            if live.propagate(edge, &transfers[index as usize]) {
                for &other in &incoming[edge.source as usize] {
                    if !std::mem::replace(&mut queued[other as usize], true) {
                        work.push(other);
                    }
                }
            }
        }
        live
    }

    /// Adds what is live before the edge to its source; whether that was new.
    fn propagate(&mut self, edge: &GraphEdge, transfer: &Transfer) -> bool {
        let (source, target) = (
            edge.source as usize * self.words,
            edge.target as usize * self.words,
        );
        let mut changed = false;
        for word in 0..self.words {
            let mut bits = self.bits[target + word];
            if let Some(number) = transfer.written
                && number as usize / 64 == word
            {
                bits &= !(1 << (number % 64));
            }
            for number in &transfer.read {
                if *number as usize / 64 == word {
                    bits |= 1 << (number % 64);
                }
            }
            changed |= bits & !self.bits[source + word] != 0;
            self.bits[source + word] |= bits;
        }
        changed
    }

    fn is_live(&self, node: u32, number: u32) -> bool {
        self.bits[node as usize * self.words + number as usize / 64] & 1 << (number % 64) != 0
    }
}

/// The variables that an edge reads and then writes.
struct Access {
    read: Vec<VarId>,
    written: Option<VarId>,
}

impl Access {
    fn of(pool: &ExprPool, edge: &GraphEdge) -> Access {
        let (exprs, written) = match &edge.action {
            Action::Forget(var) => (Vec::new(), Some(*var)),
            Action::Indirect(_) => (Vec::new(), None),
            Action::Op(op) => (op.expressions(), op.written_variable()),
        };
        let mut read: Vec<VarId> = exprs
            .iter()
            .flat_map(|&expr| variables_of(pool, expr))
            .collect();
        read.sort_unstable();
        read.dedup();
        Access { read, written }
    }
}

/// An access in the numbers of the candidates.
struct Transfer {
    read: Vec<u32>,
    written: Option<u32>,
}

impl Transfer {
    fn of(access: &Access, candidates: &FxHashMap<VarId, u32>) -> Transfer {
        let number = |var: &VarId| candidates.get(var).copied();
        Transfer {
            read: access.read.iter().filter_map(number).collect(),
            written: access.written.as_ref().and_then(number),
        }
    }
}
