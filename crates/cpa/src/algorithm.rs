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

use crate::formalism::{Cpa, Placed};
use crate::reached::{Link, LinkKind, NodeId, ReachedSet};
use crate::trail::{Choice, Storage, Stored, TrailId};
use crate::waitlist::{Rank, Waitlist, WaitlistOrder};
use absint::place::{Automaton, Beyond, Place, Step};
use control::clock;
use facts::budget::Budget;
use std::time::Duration;

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

/// States that are followed but not stored, on their way from a stored one.
struct Walk<S, P> {
    pending: Vec<Underway<S, P>>,
    choices: Vec<Choice>,
}

struct Underway<S, P> {
    state: S,
    precision: P,
    /// The first step of the way.
    first: Step,
    last_choice: Option<u32>,
}

/// Between two looks at the clock.
const STEPS_BETWEEN_CHECKS: u64 = 256;
/// What a step takes, where time is counted.
const STEP: Duration = Duration::from_micros(3);

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

    fn rank(&mut self, place: Place) -> Rank {
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

    fn wait(&mut self, exploration: &mut ExplorationOf<C>, node: NodeId) {
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

    fn exhausted(&self, exploration: &ExplorationOf<C>, budget: &Budget) -> Option<Ended> {
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

    /// The successors of one node, up to where they are stored; targets are put on the list.
    /// `false` if the time is over: then some successors are missing.
    fn expand(
        &mut self,
        exploration: &mut ExplorationOf<C>,
        node: NodeId,
        budget: &Budget,
    ) -> bool {
        let mut walk = std::mem::replace(
            &mut self.walk,
            Walk {
                pending: Vec::new(),
                choices: Vec::new(),
            },
        );
        let parent = exploration.reached.node(node);
        let (state, precision) = (parent.state.clone(), parent.precision.clone());
        self.follow(exploration, node, (&state, &precision), None, &mut walk);
        let mut followed = 0u64;
        let mut in_time = true;
        while let Some(underway) = walk.pending.pop() {
            followed += 1;
            if followed.is_multiple_of(STEPS_BETWEEN_CHECKS) && budget.is_exhausted() {
                walk.pending.clear();
                in_time = false;
                break;
            }
            let Underway {
                state,
                precision,
                first,
                last_choice,
            } = underway;
            let before = Some((first, last_choice));
            self.follow(exploration, node, (&state, &precision), before, &mut walk);
        }
        walk.choices.clear();
        self.walk = walk;
        in_time
    }

    /// All steps from one state: what comes to a place that is stored is added, the rest goes on.
    fn follow(
        &mut self,
        exploration: &mut ExplorationOf<C>,
        node: NodeId,
        (state, precision): (&C::State, &C::Precision),
        before: Option<(Step, Option<u32>)>,
        walk: &mut Walk<C::State, C::Precision>,
    ) {
        let mut steps = std::mem::take(&mut self.steps);
        let mut successors = std::mem::take(&mut self.successors);
        let known_beyond = exploration.beyond.len();
        self.automaton
            .steps(state.place(), &mut steps, &mut exploration.beyond);
        dedup_beyond(&mut exploration.beyond, known_beyond);
        let among = steps.len() as u32;
        // The last step goes on first, the others wait: the order of arrivals is that of the edges.
        let first_pending = walk.pending.len();
        for (chosen, step) in steps.drain(..).enumerate() {
            clock::tick(STEP);
            self.cpa
                .successors(state, precision, &step, &mut successors);
            if successors.is_empty() {
                continue;
            }
            let (first, mut last_choice) = before.unwrap_or((step, None));
            if among > 1 {
                walk.choices.push(Choice {
                    before: last_choice,
                    chosen: chosen as u32,
                    among,
                });
                last_choice = Some(walk.choices.len() as u32 - 1);
            }
            for state in successors.drain(..) {
                exploration.statistics.successors += 1;
                let Some((state, precision)) = self.cpa.adjust(state, precision.clone(), &step)
                else {
                    continue;
                };
                if self.stored.contains(step.target.location) {
                    let trail = (&walk.choices[..], last_choice);
                    let found = self.add(exploration, node, (&first, trail), state, precision);
                    exploration.targets.extend(found);
                } else {
                    walk.pending.push(Underway {
                        state,
                        precision,
                        first,
                        last_choice,
                    });
                }
            }
        }
        walk.pending[first_pending..].reverse();
        self.steps = steps;
        self.successors = successors;
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
        place: Place,
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

/// Keeps one of each.
fn dedup_beyond(beyond: &mut Vec<Beyond>, before: usize) {
    let mut index = before;
    while index < beyond.len() {
        if beyond[..index].contains(&beyond[index]) {
            beyond.swap_remove(index);
        } else {
            index += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composite::{places, whole};
    use crate::loop_bound::LoopBoundCpa;
    use cfa::program::Program;
    use testing;

    const PROGRAM: &str = "
        int g;
        void count(void) { g++; }
        int main(void) {
            int n = __VERIFIER_nondet_int();
            while (n > 0) { count(); n--; }
            if (g > 3) { reach_error(); }
            return 0;
        }";

    fn explore<C: Cpa>(program: &Program, inner: C, options: AlgorithmOptions) -> (Ended, usize, C)
    where
        C::State: std::fmt::Debug,
    {
        let automaton = Automaton::new(program, 3);
        let mut algorithm = CpaAlgorithm::new(automaton, whole(program, inner), options);
        let mut exploration = algorithm.start();
        let ended = algorithm.run(&mut exploration, &Budget::unlimited());
        (ended, exploration.reached.len(), algorithm.cpa.second)
    }

    #[test]
    fn locations_alone_reach_every_place_once() {
        let program = testing::program(PROGRAM);
        let options = AlgorithmOptions {
            collect_targets: true,
            ..AlgorithmOptions::default()
        };
        let (ended, reached, _) = explore(&program, places(&program), options.clone());
        assert_eq!(ended, Ended::Complete);
        let orders = [
            WaitlistOrder::Bfs,
            WaitlistOrder::Dfs,
            WaitlistOrder::CallStack,
            WaitlistOrder::Random(3),
        ];
        for order in orders {
            let options = AlgorithmOptions {
                order,
                ..options.clone()
            };
            let again = explore(&program, places(&program), options);
            assert_eq!((again.0, again.1), (Ended::Complete, reached), "{order:?}");
        }
    }

    #[test]
    fn bounded_loops_are_cut_and_say_so() {
        let program = testing::program(PROGRAM);
        let options = AlgorithmOptions {
            collect_targets: true,
            ..AlgorithmOptions::default()
        };
        let mut sizes = Vec::new();
        for bound in [0, 1, 2] {
            let bounded = LoopBoundCpa::new(&program, bound);
            let (ended, reached, inner) = explore(&program, bounded, options.clone());
            assert_eq!(ended, Ended::Complete);
            assert!(inner.was_exceeded());
            sizes.push(reached);
        }
        assert_eq!(sizes[2] - sizes[1], sizes[1] - sizes[0]);
    }

    #[test]
    fn a_removed_subtree_is_explored_again() {
        let program = testing::program(PROGRAM);
        let automaton = Automaton::new(&program, 3);
        let options = AlgorithmOptions::default();
        let mut algorithm =
            CpaAlgorithm::new(automaton, whole(&program, places(&program)), options);
        let mut exploration = algorithm.start();
        let Ended::Target(target) = algorithm.run(&mut exploration, &Budget::unlimited()) else {
            panic!("the error location is reached");
        };
        let path = algorithm.path(&exploration, target);
        let (first, last) = (path[0].1, path[path.len() - 1].1);
        assert_eq!(first.source, algorithm.automaton.entry());
        assert!(program.is_error(last.target.location));
        for pair in path.windows(2) {
            assert_eq!(pair[0].1.target, pair[1].1.source);
        }
        let (before, middle) = (exploration.reached.len(), path[path.len() / 2].0);
        algorithm.remove_subtrees(&mut exploration, &[middle]);
        assert!(exploration.reached.len() < before);
        let again = algorithm.run(&mut exploration, &Budget::unlimited());
        assert!(matches!(again, Ended::Target(_)));
        assert_eq!(exploration.reached.len(), before);
    }

    #[test]
    fn the_graph_can_be_exported() {
        let program = testing::program(PROGRAM);
        let automaton = Automaton::new(&program, 3);
        let options = AlgorithmOptions::default();
        let mut algorithm =
            CpaAlgorithm::new(automaton, whole(&program, places(&program)), options);
        let mut exploration = algorithm.start();
        algorithm.run(&mut exploration, &Budget::unlimited());
        let dot = crate::export::to_dot(&program, &exploration.reached, &|_| "state".into());
        assert!(dot.contains("color=red") && dot.contains("style=solid"));
        let stacks = &algorithm.automaton.stacks;
        let json =
            crate::export::to_json(&program, stacks, &exploration.reached, &|_| String::new());
        let nodes = json["nodes"].as_array().map(Vec::len);
        assert_eq!(nodes, Some(exploration.reached.len()));
    }
}
