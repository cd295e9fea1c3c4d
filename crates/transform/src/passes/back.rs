//! From the parts of a pass's result to the parts of the program that it was given.

use cfa::expr::VarId;
use cfa::place::callee;
use cfa::program::{EdgeId, LocId, Program};
use std::collections::BTreeMap;

/// A part of the path that an edge of the result stands for. Calls and returns are written flat:
/// behind a call's edge come those of the callee, behind them that which leaves the call's target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Edge(EdgeId),
    /// A piece without loops that cannot matter; only the inputs say which way it takes.
    Untold,
}

/// Laws:
/// - The edges of a path of the result, one after the other, make a path of the given program.
/// - `after` is associative, and `identity` is its unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Back {
    /// For every location of the result: what it stands for, in the same function. None: the pass
    /// made it up. Several: they were merged.
    pub locations: Vec<Vec<LocId>>,
    /// For every edge of the result: the path that it stands for. Empty for what only the result
    /// has.
    pub edges: Vec<Vec<Step>>,
    /// For every call edge of the result: the call of the given program.
    pub calls: BTreeMap<EdgeId, EdgeId>,
    /// For every variable of the result: what it is in the given program, unless the pass made it
    /// up.
    pub vars: Vec<Option<VarId>>,
    /// Variables that the result does not have any more.
    pub removed: Vec<VarId>,
}

impl Back {
    /// The map of a program to itself.
    pub fn identity(program: &Program) -> Back {
        let numbers = |count: usize| 0..count as u32;
        let edges = numbers(program.edges.len()).map(EdgeId);
        Back {
            locations: numbers(program.locations.len())
                .map(|number| vec![LocId(number)])
                .collect(),
            edges: edges.clone().map(|edge| vec![Step::Edge(edge)]).collect(),
            calls: edges
                .filter(|&edge| callee(program, edge).is_some())
                .map(|edge| (edge, edge))
                .collect(),
            vars: numbers(program.vars.len())
                .map(|number| Some(VarId(number)))
                .collect(),
            removed: Vec::new(),
        }
    }

    /// The calls of the given program that a call string of the result stands for.
    pub fn call_string(&self, calls: &[EdgeId]) -> Vec<EdgeId> {
        let calls = calls.iter().filter_map(|call| self.calls.get(call));
        calls.copied().collect()
    }

    /// The path of the given program that a path of the result stands for.
    pub fn path(&self, edges: &[EdgeId]) -> Vec<Step> {
        let edges = edges.iter();
        edges
            .flat_map(|edge| self.edges[edge.0 as usize].iter().copied())
            .collect()
    }

    fn var(&self, var: VarId) -> Option<VarId> {
        self.vars[var.0 as usize]
    }

    fn step(&self, step: Step) -> &[Step] {
        match step {
            Step::Edge(edge) => &self.edges[edge.0 as usize],
            Step::Untold => &[Step::Untold],
        }
    }

    /// The map through two passes: `self` is that of the second, `first` that of the pass before
    /// it.
    #[must_use]
    pub fn after(&self, first: &Back) -> Back {
        let locations = self.locations.iter().map(|locations| {
            let before = locations.iter();
            let before = before.flat_map(|location| &first.locations[location.0 as usize]);
            let mut before: Vec<LocId> = before.copied().collect();
            before.sort_unstable();
            before.dedup();
            before
        });
        let edges = self.edges.iter().map(|steps| {
            let before = steps.iter().flat_map(|&step| first.step(step));
            before.copied().collect()
        });
        let calls = self.calls.iter();
        let calls = calls.filter_map(|(&edge, call)| Some((edge, *first.calls.get(call)?)));
        let vars = self.vars.iter();
        let vars = vars.map(|var| var.and_then(|var| first.var(var)));
        let mut removed = first.removed.clone();
        removed.extend(self.removed.iter().filter_map(|&var| first.var(var)));
        removed.sort_unstable();
        removed.dedup();
        Back {
            locations: locations.collect(),
            edges: edges.collect(),
            calls: calls.collect(),
            vars: vars.collect(),
            removed,
        }
    }
}
