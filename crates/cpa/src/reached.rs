//! The reached set, partitioned by places, and the abstract reachability graph over it.
//!
//! A node has links from the nodes that it was reached from: the one that created it, those whose
//! successors were merged into it, and those whose successors it covers. Numbers of nodes grow
//! along the links that created them.

use crate::formalism::Placed;
use crate::trail::{Stored, TrailId, Trails};
use absint::place::{Automaton, CallPlace, Step, StepKind};
use cfa::program::EdgeId;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// Why a node has a parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkKind {
    /// The node was made as the parent's successor.
    Created,
    /// The parent's successor was merged into the node.
    Merged,
    /// The node covers the parent's successor.
    Covered,
}

#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub parent: NodeId,
    pub edge: EdgeId,
    pub step: StepKind,
    pub kind: LinkKind,
    /// The link of the same node that was made before this one.
    next: u32,
    /// Which way was taken from the parent, for the link that created the node; see
    /// [`crate::trail`].
    pub(crate) trail: TrailId,
}

const NO_LINK: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub struct Node<S, P> {
    pub state: S,
    pub precision: P,
    last_link: u32,
    /// Its successors are still to be computed.
    pub(crate) waiting: bool,
}

pub struct ReachedSet<S, P> {
    nodes: Vec<Node<S, P>>,
    links: Vec<Link>,
    partitions: FxHashMap<CallPlace, u32>,
    members: Vec<Vec<NodeId>>,
    identities: FxHashMap<(CallPlace, u64), NodeId>,
    pub(crate) trails: Trails,
}

impl<S, P> Default for ReachedSet<S, P> {
    fn default() -> Self {
        ReachedSet {
            nodes: Vec::new(),
            links: Vec::new(),
            partitions: FxHashMap::default(),
            members: Vec::new(),
            identities: FxHashMap::default(),
            trails: Trails::default(),
        }
    }
}

impl<S: Placed + Clone, P: Clone> ReachedSet<S, P> {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, id: NodeId) -> &Node<S, P> {
        &self.nodes[id.0 as usize]
    }

    pub fn state(&self, id: NodeId) -> &S {
        &self.node(id).state
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<S, P> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Bytes that the set itself uses, without what states refer to.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node<S, P>>() + size_of::<NodeId>())
            + self.links.len() * size_of::<Link>()
            + self.identities.len() * (size_of::<((CallPlace, u64), NodeId)>() + 1)
            + self.trails.bytes()
    }

    pub(crate) fn add(&mut self, state: S, precision: P, identity: Option<u64>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let place = state.place();
        self.nodes.push(Node {
            state,
            precision,
            last_link: NO_LINK,
            waiting: true,
        });
        let members = &mut self.members;
        let partition = *self.partitions.entry(place).or_insert_with(|| {
            members.push(Vec::new());
            members.len() as u32 - 1
        });
        self.members[partition as usize].push(id);
        if let Some(identity) = identity {
            self.identities.insert((place, identity), id);
        }
        id
    }

    pub(crate) fn replace(&mut self, id: NodeId, state: S, precision: P, identity: Option<u64>) {
        if let Some(identity) = identity {
            self.identities.insert((state.place(), identity), id);
        }
        let node = &mut self.nodes[id.0 as usize];
        node.state = state;
        node.precision = precision;
    }

    pub(crate) fn set_waiting(&mut self, id: NodeId, waiting: bool) {
        self.nodes[id.0 as usize].waiting = waiting;
    }

    /// A state at the place with the same identity. (It may have been replaced by a larger one
    /// since.)
    pub(crate) fn same(&self, place: CallPlace, identity: u64) -> Option<NodeId> {
        self.identities.get(&(place, identity)).copied()
    }

    /// The nodes at a place, in the order in which they were made.
    pub fn at(&self, place: CallPlace) -> &[NodeId] {
        match self.partitions.get(&place) {
            Some(&partition) => &self.members[partition as usize],
            None => &[],
        }
    }

    /// The places with nodes, sorted.
    pub fn places(&self) -> Vec<CallPlace> {
        let mut places: Vec<CallPlace> = self.partitions.keys().copied().collect();
        places.sort_unstable();
        places
    }

    /// Links a node to one that it was reached from; `step` is the first step on the way.
    pub(crate) fn link(
        &mut self,
        child: NodeId,
        parent: NodeId,
        step: &Step,
        kind: LinkKind,
        trail: TrailId,
    ) {
        let node = &mut self.nodes[child.0 as usize];
        // A node that is expanded again says nothing new.
        if kind != LinkKind::Created && node.last_link != NO_LINK {
            let last = self.links[node.last_link as usize];
            if last.parent == parent && last.edge == step.edge {
                return;
            }
        }
        let next = node.last_link;
        node.last_link = self.links.len() as u32;
        self.links.push(Link {
            parent,
            edge: step.edge,
            step: step.kind,
            kind,
            next,
            trail,
        });
    }

    /// The links of a node, the latest first.
    pub fn links(&self, id: NodeId) -> impl Iterator<Item = Link> + '_ {
        let mut next = self.node(id).last_link;
        std::iter::from_fn(move || {
            let link = *self.links.get(next as usize)?;
            next = link.next;
            Some(link)
        })
    }

    /// The link that created the node; none for the first one.
    pub fn creation(&self, id: NodeId) -> Option<Link> {
        self.links(id).find(|link| link.kind == LinkKind::Created)
    }

    /// The way on which a node was reached first: each step with the last node before it.
    pub fn path(
        &self,
        node: NodeId,
        automaton: &mut Automaton<'_>,
        stored: &Stored,
    ) -> Vec<(NodeId, Step)> {
        let mut links = Vec::new();
        let mut current = node;
        while let Some(link) = self.creation(current) {
            links.push(link);
            current = link.parent;
        }
        let mut path = Vec::new();
        for link in links.into_iter().rev() {
            let place = self.state(link.parent).place();
            let steps = self.trails.follow(link.trail, place, automaton, stored);
            path.extend(steps.into_iter().map(|step| (link.parent, step)));
        }
        path
    }

    /// Removes a node with all that were created from it. Nodes whose successors the removed ones
    /// covered or were merged from become waiting again, so that nothing is lost. Returns where the
    /// other nodes are now.
    pub(crate) fn remove_subtrees(&mut self, roots: &[NodeId]) -> FxHashMap<NodeId, NodeId> {
        let mut removed = vec![false; self.nodes.len()];
        for root in roots {
            removed[root.0 as usize] = true;
        }
        for id in self.ids() {
            if let Some(link) = self.creation(id) {
                removed[id.0 as usize] |= removed[link.parent.0 as usize];
            }
        }
        for id in self.ids() {
            if !removed[id.0 as usize] {
                continue;
            }
            let parents: Vec<NodeId> = self.links(id).map(|link| link.parent).collect();
            for parent in parents {
                if !removed[parent.0 as usize] {
                    self.set_waiting(parent, true);
                }
            }
        }
        self.keep_only(&removed)
    }

    fn keep_only(&mut self, removed: &[bool]) -> FxHashMap<NodeId, NodeId> {
        let mut moved = FxHashMap::default();
        for (index, _) in removed.iter().enumerate().filter(|(_, gone)| !**gone) {
            moved.insert(NodeId(index as u32), NodeId(moved.len() as u32));
        }
        let old_nodes = std::mem::take(&mut self.nodes);
        let old_links = std::mem::take(&mut self.links);
        let old_identities = std::mem::take(&mut self.identities);
        self.partitions.clear();
        self.members.clear();
        for (index, node) in old_nodes.into_iter().enumerate() {
            if removed[index] {
                continue;
            }
            let new = self.add(node.state, node.precision, None);
            self.set_waiting(new, node.waiting);
            let mut links = Vec::new();
            let mut next = node.last_link;
            while let Some(link) = old_links.get(next as usize) {
                links.push(*link);
                next = link.next;
            }
            for link in links.into_iter().rev() {
                if let Some(&parent) = moved.get(&link.parent) {
                    let next = self.nodes[new.0 as usize].last_link;
                    self.nodes[new.0 as usize].last_link = self.links.len() as u32;
                    self.links.push(Link {
                        parent,
                        next,
                        ..link
                    });
                }
            }
        }
        self.identities = old_identities
            .into_iter()
            .filter_map(|(key, node)| Some((key, *moved.get(&node)?)))
            .collect();
        moved
    }
}
