//! The abstract reachability tree: abstract states at the places where blocks end.

use induction::graph::{BlockId, PlaceId};
use logic::bdd::Bdd;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

#[derive(Clone, Debug)]
pub struct Node {
    pub place: PlaceId,
    /// The abstraction formula.
    pub psi: Bdd,
    /// Where the node comes from, and over which block.
    pub parent: Option<(NodeId, BlockId)>,
    pub children: Vec<(BlockId, NodeId)>,
    /// The blocks whose ends the children cover.
    pub expanded: Vec<BlockId>,
    pub covered_by: Option<NodeId>,
    pub depth: u32,
    /// How many predicates the abstraction was made of.
    pub predicates: usize,
    is_removed: bool,
}

/// Laws: the waitlist holds every node that is neither removed, covered nor expanded; a covered
/// node has no children; a node that covers is neither removed nor covered. A block may have
/// several children, whose abstractions together cover its end.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// By depth, then age: short paths first.
    waiting: BTreeSet<(u32, NodeId)>,
    at: FxHashMap<PlaceId, Vec<NodeId>>,
}

impl Tree {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes that were not removed, in the order in which they were made.
    pub fn present(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| !node.is_removed)
            .map(|(number, node)| (NodeId(number as u32), node))
    }

    pub fn is_waiting(&self, id: NodeId) -> bool {
        self.waiting.contains(&(self.node(id).depth, id))
    }

    /// The nodes that are neither removed nor covered.
    pub fn proper(&self) -> impl Iterator<Item = &Node> {
        self.nodes
            .iter()
            .filter(|node| !node.is_removed && node.covered_by.is_none())
    }

    pub fn add(
        &mut self,
        place: PlaceId,
        psi: Bdd,
        predicates: usize,
        parent: Option<(NodeId, BlockId)>,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let depth = parent.map_or(0, |(parent, _)| self.node(parent).depth + 1);
        self.nodes.push(Node {
            place,
            psi,
            parent,
            children: Vec::new(),
            expanded: Vec::new(),
            covered_by: None,
            depth,
            predicates,
            is_removed: false,
        });
        if let Some((parent, block)) = parent {
            self.nodes[parent.0 as usize].children.push((block, id));
        }
        self.at.entry(place).or_default().push(id);
        self.waiting.insert((depth, id));
        id
    }

    /// The children of the node cover all that the block leads to.
    pub fn set_expanded(&mut self, id: NodeId, block: BlockId) {
        self.nodes[id.0 as usize].expanded.push(block);
    }

    pub fn take_waiting(&mut self) -> Option<NodeId> {
        self.waiting.pop_first().map(|(_, id)| id)
    }

    pub fn wait(&mut self, id: NodeId) {
        let node = self.node(id);
        if !node.is_removed && node.covered_by.is_none() {
            let depth = node.depth;
            self.waiting.insert((depth, id));
        }
    }

    /// Nodes of the same place that could cover the node.
    pub fn could_cover(&self, id: NodeId) -> Vec<NodeId> {
        let node = self.node(id);
        let mut list = Vec::new();
        for &other in self.at.get(&node.place).into_iter().flatten() {
            let candidate = self.node(other);
            // Older ones only: so no two nodes wait for one another.
            if other < id && !candidate.is_removed && candidate.covered_by.is_none() {
                list.push(other);
            }
        }
        list
    }

    pub fn cover(&mut self, id: NodeId, by: NodeId) {
        let depth = self.node(id).depth;
        self.nodes[id.0 as usize].covered_by = Some(by);
        self.waiting.remove(&(depth, id));
    }

    /// From the root to the node, the root's block first.
    pub fn path(&self, id: NodeId) -> (Vec<NodeId>, Vec<BlockId>) {
        let (mut nodes, mut blocks) = (vec![id], Vec::new());
        let mut current = id;
        while let Some((parent, block)) = self.node(current).parent {
            nodes.push(parent);
            blocks.push(block);
            current = parent;
        }
        nodes.reverse();
        blocks.reverse();
        (nodes, blocks)
    }

    /// Removes a node with all that comes after it. Its parent waits again, and so does what
    /// removed nodes covered.
    pub fn remove(&mut self, id: NodeId) {
        let mut work = vec![id];
        let mut removed: BTreeSet<NodeId> = BTreeSet::new();
        while let Some(id) = work.pop() {
            let node = &mut self.nodes[id.0 as usize];
            node.is_removed = true;
            let (depth, place) = (node.depth, node.place);
            work.extend(
                std::mem::take(&mut node.children)
                    .into_iter()
                    .map(|(_, child)| child),
            );
            self.waiting.remove(&(depth, id));
            if let Some(list) = self.at.get_mut(&place) {
                list.retain(|&other| other != id);
            }
            removed.insert(id);
        }
        for number in 0..self.nodes.len() {
            let other = NodeId(number as u32);
            if let Some(by) = self.node(other).covered_by
                && removed.contains(&by)
                && !self.node(other).is_removed
            {
                self.nodes[number].covered_by = None;
                self.wait(other);
            }
        }
        if let Some((parent, block)) = self.node(id).parent {
            let node = &mut self.nodes[parent.0 as usize];
            node.children.retain(|&(_, child)| child != id);
            node.expanded.retain(|&expanded| expanded != block);
            self.wait(parent);
        }
    }

    /// Removes everything after the root (global refinement).
    pub fn restart(&mut self) {
        let Some(root) = self.nodes.first() else {
            return;
        };
        for (_, child) in root.children.clone() {
            self.remove(child);
        }
    }
}
