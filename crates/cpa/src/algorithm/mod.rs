//! The reachability algorithm: algorithm 1 of Stieglmaier2014: T. Stieglmaier, *Octagon-Based
//! Software Verification with CPAchecker*, 2014 (section 2.2.2), `CPA+(D, R₀, W₀)`.
//!
//! | paper | here |
//! |---|---|
//! | `reached`, `waitlist` | [`Exploration`] |
//! | `choose (e, π) from waitlist` | [`crate::waitlist`] |
//! | return at a target state | [`Ended::Target`] |
//! | return with an empty waitlist | [`Ended::Complete`] |
//!
//! Deviations: states are combined only with those at the same place. All successors of a state are
//! handled before a target among them is returned, so that going on loses nothing;
//! [`Exploration::targets`] lists those not dealt with yet. A merged state keeps its node. Targets
//! can be collected instead of returned at once ([`AlgorithmOptions::collect_targets`]), for
//! refinement that is delayed until the state space is explored (Stieglmaier2016: T.
//! Stieglmaier, *Augmenting Predicate Analysis with Auxiliary Invariants*, 2016, section 2.3.4).
//! What the analysis does not follow is listed in [`Exploration::beyond`]: with such entries a
//! complete exploration is no proof. States between joins need not be stored
//! ([`AlgorithmOptions::storage`]); statistics count them all the same.

mod exploration;
#[cfg(test)]
mod tests;
mod walk;

use crate::formalism::{Cpa, Placed};
use crate::reached::{LinkKind, NodeId, ReachedSet};
use crate::trail::{Choice, Storage, Stored, TrailId};
use crate::waitlist::{Waitlist, WaitlistOrder};
use absint::place::{Automaton, Beyond, CallPlace, Step};
use facts::budget::Budget;
use walk::Walk;

#[derive(Clone, Debug, Default)]
pub struct AlgorithmOptions {
    pub order: WaitlistOrder,
    /// Go on after a target was found.
    pub collect_targets: bool,
    /// Compare a new state with so many of the latest states of its place only; zero for all.
    /// (Covering is never needed for soundness.)
    pub cover_candidates: usize,
    pub storage: Storage,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every reachable state is covered.
    Complete,
    /// A target state was reached; it is the given node.
    Target(NodeId),
    /// The budget is exhausted.
    OutOfTime,
    /// The budget's memory is used up.
    OutOfMemory,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// States made by the transfer relation.
    pub successors: u64,
    /// States made by merging.
    pub merged: u64,
    /// Successors that were covered.
    pub covered: u64,
    /// States whose successors were computed.
    pub expanded: u64,
}

/// A reached set with its waitlist.
pub struct Exploration<S, P> {
    pub reached: ReachedSet<S, P>,
    waitlist: Waitlist,
    /// Target states that were reached; whoever deals with one takes it off the list.
    pub targets: Vec<NodeId>,
    pub beyond: Vec<Beyond>,
    pub statistics: Statistics,
}

pub type ExplorationOf<C> = Exploration<<C as Cpa>::State, <C as Cpa>::Precision>;

pub struct CpaAlgorithm<'p, C: Cpa> {
    pub automaton: Automaton<'p>,
    pub cpa: C,
    pub options: AlgorithmOptions,
    stored: Stored,
    steps: Vec<Step>,
    successors: Vec<C::State>,
    walk: Walk<C::State, C::Precision>,
    /// Bytes that the analysis uses besides the reached set, which has the given number of states;
    /// asked now and then.
    pub memory_of: fn(&C, usize) -> usize,
}

/// Between two looks at the clock.
const STEPS_BETWEEN_CHECKS: u64 = 256;
impl<'p, C: Cpa> CpaAlgorithm<'p, C>
where
    C::State: Placed,
{
    pub fn new(automaton: Automaton<'p>, cpa: C, options: AlgorithmOptions) -> CpaAlgorithm<'p, C> {
        let stored = Stored::new(automaton.program, options.storage);
        CpaAlgorithm {
            automaton,
            cpa,
            options,
            stored,
            steps: Vec::new(),
            successors: Vec::new(),
            walk: Walk {
                pending: Vec::new(),
                choices: Vec::new(),
            },
            memory_of: |_, _| 0,
        }
    }

    /// Explores until nothing waits, a target is reached, or the budget is exhausted.
    pub fn run(&mut self, exploration: &mut ExplorationOf<C>, budget: &Budget) -> Ended {
        let mut since_check = STEPS_BETWEEN_CHECKS;
        while let Some(node) = exploration.waitlist.pop() {
            if !exploration.reached.node(node).waiting {
                continue;
            }
            if since_check >= STEPS_BETWEEN_CHECKS || exploration.reached.len() < 64 {
                since_check = 0;
                if let Some(ended) = self.exhausted(exploration, budget) {
                    self.wait(exploration, node);
                    return ended;
                }
            }
            exploration.reached.set_waiting(node, false);
            exploration.statistics.expanded += 1;
            let before = exploration.targets.len();
            let followed = exploration.statistics.successors;
            if !self.expand(exploration, node, budget) {
                self.wait(exploration, node);
                return Ended::OutOfTime;
            }
            since_check += 1 + (exploration.statistics.successors - followed) / 8;
            if !self.options.collect_targets
                && let Some(&target) = exploration.targets.get(before)
            {
                return Ended::Target(target);
            }
        }
        Ended::Complete
    }

    /// Merges and adds one successor; gives it back if it is a target.
    fn add(
        &mut self,
        exploration: &mut ExplorationOf<C>,
        parent: NodeId,
        (step, (choices, last_choice)): (&Step, (&[Choice], Option<u32>)),
        state: C::State,
        precision: C::Precision,
    ) -> Option<NodeId> {
        let place = state.place();
        if self.cpa.is_target(&state) {
            let target = exploration.reached.add(state, precision, None);
            let reached = &mut exploration.reached;
            reached.set_waiting(target, false);
            let trail = reached.trails.keep(choices, last_choice);
            reached.link(target, parent, step, LinkKind::Created, trail);
            return Some(target);
        }
        if self.cpa.may_merge(place) {
            for index in 0..exploration.reached.at(place).len() {
                let other = exploration.reached.at(place)[index];
                let old = &exploration.reached.node(other).state;
                let Some(merged) = self.cpa.merge(&state, old, &precision, place) else {
                    continue;
                };
                exploration.statistics.merged += 1;
                let identity = self.cpa.identity(&merged);
                exploration
                    .reached
                    .replace(other, merged, precision.clone(), identity);
                let (kind, trail) = (LinkKind::Merged, TrailId::NONE);
                exploration.reached.link(other, parent, step, kind, trail);
                self.wait(exploration, other);
            }
        }
        let identity = self.cpa.identity(&state);
        if let Some(cover) = self.cover(exploration, &state, &precision, place, identity) {
            exploration.statistics.covered += 1;
            let (kind, trail) = (LinkKind::Covered, TrailId::NONE);
            exploration.reached.link(cover, parent, step, kind, trail);
            return None;
        }
        let reached = &mut exploration.reached;
        let node = reached.add(state, precision, identity);
        let trail = reached.trails.keep(choices, last_choice);
        reached.link(node, parent, step, LinkKind::Created, trail);
        let rank = self.rank(place);
        exploration.waitlist.push(node, rank);
        None
    }

    fn cover(
        &mut self,
        exploration: &ExplorationOf<C>,
        state: &C::State,
        precision: &C::Precision,
        place: CallPlace,
        identity: Option<u64>,
    ) -> Option<NodeId> {
        let reached = &exploration.reached;
        if let Some(same) = identity.and_then(|identity| reached.same(place, identity)) {
            return Some(same);
        }
        let members = reached.at(place);
        let candidates = match self.options.cover_candidates {
            0 => members,
            limit => &members[members.len().saturating_sub(limit)..],
        };
        // The latest states are the likeliest covers.
        let mut states = candidates
            .iter()
            .rev()
            .map(|&node| (node, &reached.node(node).state));
        self.cpa.stop(state, precision, &mut states)
    }
}
