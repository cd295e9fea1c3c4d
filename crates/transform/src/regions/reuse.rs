//! Where an address may belong to its second object.
//!
//! Behind the release of an object and the allocation of another one, a pointer to the first may
//! equal one to the second. Only the order of operations counts here, over all calls and returns:
//! that of releases, then allocations, then the place in question.

use super::points_to::PointsTo;
use super::shape::NodeId;
use cfa::op::Op;
use cfa::program::{LocId, Program};
use rustc_hash::FxHashMap;

/// Answers for pairs of nodes whose pointers are compared.
pub(super) struct ReusedNodes<'a> {
    program: &'a Program,
    /// By node: where objects in it end and begin.
    ends: FxHashMap<NodeId, Vec<LocId>>,
    begins: FxHashMap<NodeId, Vec<(LocId, LocId)>>,
    /// By function: where its callers go on.
    returns: Vec<Vec<LocId>>,
    /// The places behind a reuse, for pairs asked about.
    known: FxHashMap<(NodeId, NodeId), Vec<bool>>,
}

impl<'a> ReusedNodes<'a> {
    pub fn of(program: &'a Program, points_to: &mut PointsTo) -> ReusedNodes<'a> {
        let mut reused = ReusedNodes {
            program,
            ends: FxHashMap::default(),
            begins: FxHashMap::default(),
            returns: vec![Vec::new(); program.functions.len()],
            known: FxHashMap::default(),
        };
        for edge in &program.edges {
            let (ended, begun) = match program.op(edge.op) {
                Op::Release(address) => (Some(points_to.address(*address)), None),
                Op::Reallocate {
                    address, object, ..
                } => (
                    Some(points_to.address(*address)),
                    Some(points_to.object(*object)),
                ),
                Op::End(object) => (Some(points_to.object(*object)), None),
                Op::Begin { object, .. } | Op::Allocate { object, .. } => {
                    (None, Some(points_to.object(*object)))
                }
                Op::Call { function, .. } => {
                    reused.returns[function.0 as usize].push(edge.target);
                    continue;
                }
                _ => continue,
            };
            if let Some(pointer) = ended {
                let node = points_to.shapes.find(pointer).node;
                reused.ends.entry(node).or_default().push(edge.target);
            }
            if let Some(pointer) = begun {
                let node = points_to.shapes.find(pointer).node;
                // `realloc` releases before it allocates.
                let is_behind = matches!(program.op(edge.op), Op::Reallocate { .. });
                let before = if is_behind { edge.target } else { edge.source };
                let place = (before, edge.target);
                reused.begins.entry(node).or_default().push(place);
            }
        }
        reused
    }

    /// Whether a pointer into one node may here have outlived its object and equal a live one of
    /// the other.
    pub fn at(&mut self, location: LocId, p: NodeId, q: NodeId) -> bool {
        let key = (p.min(q), p.max(q));
        if !self.known.contains_key(&key) {
            let nodes: &[NodeId] = if p == q { &[p] } else { &[p, q] };
            let behind = self.behind_reuse(nodes);
            self.known.insert(key, behind);
        }
        let behind = &self.known[&key];
        // No list: nowhere.
        behind.get(location.0 as usize).copied().unwrap_or(false)
    }

    fn behind_reuse(&self, nodes: &[NodeId]) -> Vec<bool> {
        let list = |map: &FxHashMap<NodeId, Vec<LocId>>| -> Vec<LocId> {
            nodes
                .iter()
                .filter_map(|node| map.get(node))
                .flatten()
                .copied()
                .collect()
        };
        let ends = list(&self.ends);
        let begins: Vec<_> = nodes
            .iter()
            .filter_map(|node| self.begins.get(node))
            .flatten()
            .collect();
        if ends.is_empty() || begins.is_empty() {
            return Vec::new();
        }
        let behind_end = self.reached(ends);
        let again = begins
            .iter()
            .filter(|(source, _)| behind_end[source.0 as usize]);
        let again: Vec<LocId> = again.map(|&&(_, target)| target).collect();
        if again.is_empty() {
            return Vec::new();
        }
        self.reached(again)
    }

    fn reached(&self, from: Vec<LocId>) -> Vec<bool> {
        let program = self.program;
        let mut reached = vec![false; program.locations.len()];
        let mut work = from;
        while let Some(location) = work.pop() {
            if std::mem::replace(&mut reached[location.0 as usize], true) {
                continue;
            }
            let here = program.location(location);
            if program.function(here.function).exit == location {
                work.extend(&self.returns[here.function.0 as usize]);
            }
            for &edge in &here.outgoing {
                let edge = program.edge(edge);
                match program.op(edge.op) {
                    Op::Halt(_) => {}
                    Op::Call { function, .. } => {
                        // What the callee does comes before the place behind the call, so that a
                        // walk through the callee finds that place as well, unless the callee never
                        // returns.
                        work.push(program.function(*function).entry);
                    }
                    _ => work.push(edge.target),
                }
            }
        }
        reached
    }
}
