//! The steps from one stored state to the next ones: what lies between them is followed, not
//! stored.

use super::{CpaAlgorithm, ExplorationOf, STEPS_BETWEEN_CHECKS};
use crate::formalism::{Cpa, Placed};
use crate::reached::NodeId;
use crate::trail::Choice;
use absint::place::{Beyond, Step};
use control::clock;
use facts::budget::Budget;
use std::time::Duration;

/// States that are followed but not stored, on their way from a stored one.
pub(super) struct Walk<S, P> {
    pub(super) pending: Vec<Underway<S, P>>,
    pub(super) choices: Vec<Choice>,
}

pub(super) struct Underway<S, P> {
    state: S,
    precision: P,
    /// The first step of the way.
    first: Step,
    last_choice: Option<u32>,
}

/// What a step takes, where time is counted.
const STEP: Duration = Duration::from_micros(3);

impl<C: Cpa> CpaAlgorithm<'_, C>
where
    C::State: Placed,
{
    /// The successors of one node, up to where they are stored; targets are put on the list.
    /// `false` if the time is over: then some successors are missing.
    pub(super) fn expand(
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
