//! From the parts of a pass's result to the parts of the program that it was given.

use cfa::expr::VarId;
use cfa::op::Op;
use cfa::program::{EdgeId, LocId, Program};
use std::collections::BTreeMap;

/// A place in the given program: a location, and the call edges by which its function was entered
/// from the function that the result's location belongs to (outermost first; none if that is the
/// same function).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    pub calls: Vec<EdgeId>,
    pub location: LocId,
}

/// A variable of the given program, in the activation that the calls lead to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarPoint {
    pub calls: Vec<EdgeId>,
    pub var: VarId,
}

/// A part of the path that an edge of the result stands for. Calls and returns are written flat:
/// behind a call's edge come those of the callee, behind them that which leaves the call's target.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Edge(EdgeId),
    /// One of these, all of the same meaning: that which leaves the place where the path is.
    OneOf(Vec<EdgeId>),
    /// A piece without loops that cannot matter; only the inputs say which way it takes.
    Untold,
}

/// Laws:
/// - The edges of a path of the result, one after the other, make a path of the given program.
/// - `after` is associative, and `identity` is its unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Back {
    /// For every location of the result: what it stands for. None: the pass made it up. Several:
    /// they were merged.
    pub locations: Vec<Vec<Point>>,
    /// For every edge of the result: the path that it stands for. Empty for what only the result
    /// has.
    pub edges: Vec<Vec<Step>>,
    /// For every call edge of the result: the calls of the given program that are open behind it.
    pub calls: BTreeMap<EdgeId, Vec<EdgeId>>,
    /// For every variable of the result: what it is in the given program, unless the pass made it
    /// up.
    pub vars: Vec<Option<VarPoint>>,
    /// Variables that the result does not have any more.
    pub removed: Vec<VarPoint>,
}

impl Back {
    /// The map of a program to itself.
    pub fn identity(program: &Program) -> Back {
        let numbers = |count: usize| 0..count as u32;
        let at = |number| Point {
            calls: Vec::new(),
            location: LocId(number),
        };
        let is = |number| VarPoint {
            calls: Vec::new(),
            var: VarId(number),
        };
        let edges = numbers(program.edges.len()).map(EdgeId);
        Back {
            locations: numbers(program.locations.len())
                .map(|number| vec![at(number)])
                .collect(),
            edges: edges.clone().map(|edge| vec![Step::Edge(edge)]).collect(),
            calls: edges
                .filter(|&edge| matches!(program.edge_op(edge), Op::Call { .. }))
                .map(|edge| (edge, vec![edge]))
                .collect(),
            vars: numbers(program.vars.len())
                .map(|number| Some(is(number)))
                .collect(),
            removed: Vec::new(),
        }
    }

    /// The calls of the given program that a call string of the result stands for.
    pub fn call_string(&self, calls: &[EdgeId]) -> Vec<EdgeId> {
        let calls = calls.iter().filter_map(|call| self.calls.get(call));
        calls.flatten().copied().collect()
    }

    /// Where the given program is when the result is at a location, called by a call string.
    pub fn points(&self, calls: &[EdgeId], location: LocId) -> Vec<Point> {
        let outer = self.call_string(calls);
        let points = self.locations[location.0 as usize].iter();
        points
            .map(|point| Point {
                calls: [&outer, &point.calls[..]].concat(),
                location: point.location,
            })
            .collect()
    }

    /// The path of the given program that a path of the result stands for.
    pub fn path(&self, edges: &[EdgeId]) -> Vec<Step> {
        let edges = edges.iter();
        edges
            .flat_map(|edge| self.edges[edge.0 as usize].iter().cloned())
            .collect()
    }

    fn var(&self, point: &VarPoint) -> Option<VarPoint> {
        let before = self.vars[point.var.0 as usize].as_ref()?;
        Some(VarPoint {
            calls: [self.call_string(&point.calls), before.calls.clone()].concat(),
            var: before.var,
        })
    }

    fn step(&self, step: &Step) -> Vec<Step> {
        match step {
            Step::Edge(edge) => self.edges[edge.0 as usize].clone(),
            Step::Untold => vec![Step::Untold],
            Step::OneOf(edges) => {
                let paths: Vec<&Vec<Step>> = edges
                    .iter()
                    .map(|edge| &self.edges[edge.0 as usize])
                    .collect();
                if paths.windows(2).all(|pair| pair[0] == pair[1]) {
                    return paths.first().map_or(Vec::new(), |path| (*path).clone());
                }
                let mut all = Vec::new();
                for path in paths {
                    match &path[..] {
                        [Step::Edge(edge)] => all.push(*edge),
                        [Step::OneOf(edges)] => all.extend(edges),
                        _ => return vec![Step::Untold],
                    }
                }
                all.sort_unstable();
                all.dedup();
                vec![Step::OneOf(all)]
            }
        }
    }

    /// The map through two passes: `self` is that of the second, `first` that of the pass before
    /// it.
    #[must_use]
    pub fn after(&self, first: &Back) -> Back {
        let locations = self.locations.iter().map(|points| {
            let mut before: Vec<Point> = points
                .iter()
                .flat_map(|point| first.points(&point.calls, point.location))
                .collect();
            before.sort_unstable();
            before.dedup();
            before
        });
        let edges = self.edges.iter();
        let edges = edges.map(|steps| steps.iter().flat_map(|step| first.step(step)).collect());
        let calls = self.calls.iter();
        let calls = calls.map(|(&edge, calls)| (edge, first.call_string(calls)));
        let vars = self.vars.iter();
        let vars = vars.map(|point| point.as_ref().and_then(|point| first.var(point)));
        let mut removed = first.removed.clone();
        removed.extend(self.removed.iter().filter_map(|point| first.var(point)));
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
