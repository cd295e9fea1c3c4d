//! The data of the algorithm: how an exploration begins, how paths are read off it, and how a part
//! of it is taken back.

use super::{CpaAlgorithm, Ended, Exploration, ExplorationOf, Statistics};
use crate::formalism::{Cpa, Placed};
use crate::reached::{Link, LinkKind, NodeId, ReachedSet};
use crate::waitlist::{Rank, Waitlist, WaitlistOrder};
use absint::place::{CallPlace, Step};
use facts::budget::Budget;

impl<C: Cpa> CpaAlgorithm<'_, C>
where
    C::State: Placed,
{
    /// `R₀ = W₀ = {(e₀, π₀)}`.
    pub fn start(&mut self) -> ExplorationOf<C> {
        let (state, precision) = self.cpa.initial();
        self.start_with(state, precision)
    }

    pub fn start_with(&mut self, state: C::State, precision: C::Precision) -> ExplorationOf<C> {
        let mut exploration = Exploration {
            reached: ReachedSet::default(),
            waitlist: Waitlist::new(self.options.order),
            targets: Vec::new(),
            beyond: Vec::new(),
            statistics: Statistics::default(),
        };
        let place = state.place();
        let identity = self.cpa.identity(&state);
        let node = exploration.reached.add(state, precision, identity);
        let rank = self.rank(place);
        exploration.waitlist.push(node, rank);
        exploration
    }

    pub(super) fn rank(&mut self, place: CallPlace) -> Rank {
        if !matches!(
            self.options.order,
            WaitlistOrder::ReversePostOrder | WaitlistOrder::CallStack
        ) {
            return Rank {
                depth: 0,
                position: 0,
            };
        }
        let function = self.automaton.program.location(place.location).function;
        let position = self.automaton.order(function).position(place.location);
        Rank {
            depth: self.automaton.stacks.depth(place.stack),
            position: position.unwrap_or(u32::MAX),
        }
    }

    pub(super) fn wait(&mut self, exploration: &mut ExplorationOf<C>, node: NodeId) {
        exploration.reached.set_waiting(node, true);
        let rank = self.rank(exploration.reached.state(node).place());
        exploration.waitlist.push(node, rank);
    }

    /// The way on which a node was reached first: each step with the last node before it.
    pub fn path(&mut self, exploration: &ExplorationOf<C>, node: NodeId) -> Vec<(NodeId, Step)> {
        let reached = &exploration.reached;
        reached.path(node, &mut self.automaton, &self.stored)
    }

    /// The steps from a link's parent to the node that the link created; of other links only the
    /// first step is known.
    pub(crate) fn steps_over(
        &mut self,
        exploration: &ExplorationOf<C>,
        link: &Link,
    ) -> Option<Vec<Step>> {
        let reached = &exploration.reached;
        let parent = reached.state(link.parent).place();
        (link.kind == LinkKind::Created).then(|| {
            let (automaton, stored) = (&mut self.automaton, &self.stored);
            reached.trails.follow(link.trail, parent, automaton, stored)
        })
    }

    /// Removes the nodes with all that followed from them; their parents wait again. Returns where
    /// the other nodes are.
    pub fn remove_subtrees(
        &mut self,
        exploration: &mut ExplorationOf<C>,
        roots: &[NodeId],
    ) -> rustc_hash::FxHashMap<NodeId, NodeId> {
        let moved = exploration.reached.remove_subtrees(roots);
        exploration.waitlist.clear();
        let targets = std::mem::take(&mut exploration.targets);
        exploration.targets = targets
            .iter()
            .filter_map(|node| moved.get(node).copied())
            .collect();
        for node in exploration.reached.ids() {
            if exploration.reached.node(node).waiting {
                self.wait(exploration, node);
            }
        }
        moved
    }

    /// Gives all remaining nodes other precisions.
    pub fn change_precisions(
        &mut self,
        exploration: &mut ExplorationOf<C>,
        mut change: impl FnMut(&C::State, &C::Precision) -> C::Precision,
    ) {
        for node in exploration.reached.ids() {
            let old = exploration.reached.node(node);
            let precision = change(&old.state, &old.precision);
            let state = old.state.clone();
            exploration.reached.replace(node, state, precision, None);
        }
    }

    /// Why the exploration must end now, if it must.
    pub(super) fn exhausted(
        &self,
        exploration: &ExplorationOf<C>,
        budget: &Budget,
    ) -> Option<Ended> {
        let reached = &exploration.reached;
        let used = reached.bytes() + (self.memory_of)(&self.cpa, reached.len());
        if budget.is_exhausted() {
            Some(Ended::OutOfTime)
        } else if budget.memory.is_some_and(|limit| used as u64 > limit) {
            Some(Ended::OutOfMemory)
        } else {
            None
        }
    }
}
