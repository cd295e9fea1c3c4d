//! The abstract reachability graph for the report: as much of it as can be looked at.

use crate::algorithm::{CpaAlgorithm, ExplorationOf};
use crate::composite::Whole;
use crate::export::step_text;
use crate::formalism::Placed;
use crate::proof::Expressible;
use crate::reached::{Link, LinkKind, NodeId};
use absint::numeric::express::Writer;
use control::clock;
use facts::reachability::{
    AbstractEdge, AbstractState, DESCRIPTION, EdgeKind, LONGEST_DESCRIPTION, ReachabilityGraph,
    worth_showing,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The states that were reached; `violation` is the one at the error that was found.
pub fn graph<C: Expressible>(
    by: &str,
    algorithm: &mut CpaAlgorithm<'_, Whole<'_, C>>,
    exploration: &ExplorationOf<Whole<'_, C>>,
    violation: Option<NodeId>,
) -> ReachabilityGraph {
    let reached = &exploration.reached;
    let mut path: Vec<u32> = Vec::new();
    let mut current = violation;
    while let Some(node) = current {
        path.push(node.0);
        current = reached.creation(node).map(|link| link.parent);
    }
    path.reverse();
    let kept = worth_showing(0..reached.len() as u32, &path);
    let index: BTreeMap<u32, u32> = kept.iter().copied().zip(0..).collect();
    let program = algorithm.automaton.program;
    let mut writer = Writer::new(program);
    let begin = clock::now();
    let (mut states, mut edges) = (Vec::new(), Vec::new());
    for &number in &kept {
        clock::tick(DESCRIPTION);
        let node = reached.node(NodeId(number));
        let place = node.state.place();
        states.push(AbstractState {
            location: place.location,
            calls: algorithm.automaton.stacks.call_string(place.stack),
            holds: (clock::since(begin) < LONGEST_DESCRIPTION)
                .then(|| algorithm.cpa.second.express(&node.state.1, &mut writer)),
            is_covered: false,
            is_open: node.waiting && violation != Some(NodeId(number)),
            is_on_path: path.binary_search(&number).is_ok(),
        });
        let mut seen = FxHashSet::default();
        let links: Vec<Link> = reached.links(NodeId(number)).collect();
        for link in links.into_iter().rev() {
            let (Some(&from), to) = (index.get(&link.parent.0), index[&number]) else {
                continue;
            };
            if !seen.insert((from, link.kind == LinkKind::Created)) {
                continue;
            }
            let operations = match algorithm.steps_over(exploration, &link) {
                Some(steps) => steps
                    .iter()
                    .map(|step| step_text(program, step.edge, step.kind))
                    .collect(),
                None => vec![step_text(program, link.edge, link.step)],
            };
            edges.push(AbstractEdge {
                from,
                to,
                operations,
                kind: match link.kind {
                    LinkKind::Created => EdgeKind::Successor,
                    LinkKind::Merged => EdgeKind::Merged,
                    LinkKind::Covered => EdgeKind::Covering,
                },
            });
        }
    }
    ReachabilityGraph {
        by: by.to_owned(),
        total: reached.len(),
        pool: writer.pool,
        states,
        edges,
    }
}
