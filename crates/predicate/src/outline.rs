//! The abstract reachability tree for the report: as much of it as can be looked at.

use super::analysis::Analysis;
use super::proof;
use super::tree::NodeId;
use control::clock;
use facts::reachability::{
    AbstractEdge, AbstractState, DESCRIPTION, EdgeKind, LONGEST_DESCRIPTION, ReachabilityGraph,
    worth_showing,
};
use std::collections::BTreeMap;

impl Analysis<'_> {
    /// Shows the tree as it is to whoever wants to see it.
    pub(super) fn show_tree(&self) {
        if self.board.wants_graphs() && !self.tree.is_empty() {
            self.board.graph(self.outline());
        }
    }

    fn outline(&self) -> ReachabilityGraph {
        let tree = &self.tree;
        let path: Vec<u32> = match self.violation {
            Some((last, _)) => tree.path(last).0.iter().map(|node| node.0).collect(),
            None => Vec::new(),
        };
        let kept = worth_showing(tree.present().map(|(id, _)| id.0), &path);
        let index: BTreeMap<u32, u32> = kept.iter().copied().zip(0..).collect();
        let begin = clock::now();
        let mut pool = self.predicates.exprs.clone();
        let (mut states, mut edges) = (Vec::new(), Vec::new());
        for (&number, &at) in &index {
            clock::tick(DESCRIPTION);
            let (id, node) = (NodeId(number), tree.node(NodeId(number)));
            let place = self.graph.place(node.place);
            let holds = (clock::since(begin) < LONGEST_DESCRIPTION).then(|| {
                proof::expression(&self.abstractions, &self.predicates, &mut pool, node.psi)
            });
            states.push(AbstractState {
                location: place.location,
                calls: place.calls.clone(),
                holds,
                is_covered: node.covered_by.is_some(),
                is_open: tree.is_waiting(id),
                is_on_path: path.binary_search(&number).is_ok(),
            });
            let parent = node.parent.map(|(parent, _)| (parent, EdgeKind::Successor));
            if let Some((parent, kind)) = parent
                && let Some(&from) = index.get(&parent.0)
            {
                edges.push(edge(from, at, kind));
            }
            if let Some(by) = node.covered_by
                && let Some(&to) = index.get(&by.0)
            {
                edges.push(edge(at, to, EdgeKind::Covering));
            }
        }
        let mut total = tree.present().count();
        if let Some((last, location)) = self.violation
            && let Some(&from) = index.get(&last.0)
        {
            edges.push(edge(from, states.len() as u32, EdgeKind::Successor));
            total += 1;
            // Blocks that lead to an error have no abstract state at their end.
            states.push(AbstractState {
                location,
                calls: Vec::new(),
                holds: None,
                is_covered: false,
                is_open: false,
                is_on_path: true,
            });
        }
        ReachabilityGraph {
            by: self.name.to_owned(),
            total,
            pool,
            states,
            edges,
        }
    }
}

fn edge(from: u32, to: u32, kind: EdgeKind) -> AbstractEdge {
    AbstractEdge {
        from,
        to,
        operations: Vec::new(),
        kind,
    }
}
