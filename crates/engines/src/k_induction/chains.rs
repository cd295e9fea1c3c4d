//! The step case from one place: all executions from any state there, block by block, and what they
//! would violate.

use super::Search;
use super::strengthen::Reached;
use cfa::place::Place;
use cfa::program::LocId;
use encoding::blocks::Layer;
use encoding::path::Path;
use encoding::state::State;
use encoding::unwind::Arrival;
use facts::engine::Reason;
use facts::invariants::InvariantMap;
use induction::guide::UntilStopped;
use logic::{Answer, Term, TermPool};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What must not happen: in a block that begins at this loop head, …
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Goal {
    pub(super) head: Place,
    /// … a violation here; `None`: something that formulas cannot follow.
    error: Option<LocId>,
}

pub(super) enum Refuted {
    /// Yes, with the help of the maps of these numbers.
    By(BTreeSet<usize>),
    /// There is a model, which passes these states; where nobody asks for them, none.
    No(Vec<Reached>),
}

/// Layers of states, one block further each, that began together.
pub(super) struct Chain {
    layers: Vec<Passed>,
    /// The next one, which nobody has looked at yet.
    next: Layer,
    /// Paths to what must not happen, in the block from each layer.
    bad: Vec<BTreeMap<Goal, Vec<Path>>>,
    /// Where the first block ends.
    pub(super) leads_to: BTreeSet<Place>,
    /// Numbers of the maps because of which states were left out.
    used: BTreeSet<usize>,
}

/// A layer that was left.
struct Passed {
    states: Vec<(Place, State)>,
    said: Said,
}

/// What facts say of states: the part of a question that grows while others work.
#[derive(Default)]
struct Said {
    /// Terms with the number of a map that says so.
    terms: Vec<(Term, usize)>,
    known: FxHashSet<Term>,
    /// Maps that were looked at.
    maps: usize,
}

impl Chain {
    pub(super) fn new(next: Layer) -> Chain {
        Chain {
            layers: Vec::new(),
            next,
            bad: Vec::new(),
            leads_to: BTreeSet::new(),
            used: BTreeSet::new(),
        }
    }
}

impl Search<'_> {
    /// Follows the chain by one more block.
    pub(super) fn advance(&mut self, chain: &mut Chain) -> Result<(), Reason> {
        let passed = self.leave_out_impossible(chain)?;
        let mut bad: BTreeMap<Goal, Vec<Path>> = BTreeMap::new();
        let is_first = chain.bad.is_empty();
        for (place, state) in &passed.states {
            self.check_time()?;
            let layer = Layer::from([(place.clone(), state.clone())]);
            let advance = self
                .blocks
                .advance(&layer, &mut UntilStopped(&self.budget.stop));
            self.check_time()?;
            let errors = advance.errors.into_iter();
            let errors = errors.map(|error| (Some(error.location), error.path));
            let cuts = advance.cuts.into_iter().map(|cut| (None, cut.path));
            for (error, path) in errors.chain(cuts) {
                let head = place.clone();
                bad.entry(Goal { head, error }).or_default().push(path);
            }
            let arrivals = advance.next.into_iter();
            let arrivals = arrivals.map(|(place, state)| Arrival { place, state });
            self.blocks.gather(&mut chain.next, arrivals.collect());
        }
        for goal in bad.keys() {
            self.found_goal(goal);
        }
        for place in chain.next.keys() {
            self.found(place);
            if is_first {
                chain.leads_to.insert(place.clone());
            }
        }
        chain.bad.push(bad);
        chain.layers.push(passed);
        Ok(())
    }

    /// The next layer, without the states that nobody can be in.
    fn leave_out_impossible(&mut self, chain: &mut Chain) -> Result<Passed, Reason> {
        let mut passed = Passed {
            states: Vec::new(),
            said: Said::default(),
        };
        let is_anywhere = chain.layers.is_empty();
        let mut before = self.said_before(chain, chain.layers.len());
        for (place, state) in std::mem::take(&mut chain.next) {
            if !is_anywhere {
                self.check_time()?;
                let mut here = Said::default();
                self.add_facts(
                    &mut here,
                    std::slice::from_ref(&(place.clone(), state.clone())),
                );
                let length = before.len();
                before.append(&mut here.terms);
                let refuted = self.ask(&state.path, &before)?;
                before.truncate(length);
                if let Some(maps) = refuted {
                    chain.used.extend(maps);
                    continue;
                }
            }
            passed.states.push((place, state));
        }
        Ok(passed)
    }

    /// Shows that no execution from the chain's start comes to the goal with so many blocks.
    pub(super) fn refute_from(
        &mut self,
        chain: &mut Chain,
        goal: &Goal,
        depth: u32,
    ) -> Result<Refuted, Reason> {
        let depth = depth as usize;
        while chain.bad.len() <= depth {
            self.advance(chain)?;
        }
        let mut used = chain.used.clone();
        let Some(paths) = chain.bad[depth].get(goal).cloned() else {
            return Ok(Refuted::By(used));
        };
        let said = self.said_before(chain, depth + 1);
        for path in paths {
            match self.ask(&path, &said)? {
                Some(maps) => used.extend(maps),
                None => return Ok(Refuted::No(self.states_of_model(chain, depth + 1))),
            }
        }
        Ok(Refuted::By(used))
    }

    /// The states of the chain's first layers that the latest model of the step case passes.
    fn states_of_model(&mut self, chain: &Chain, layers: usize) -> Vec<Reached> {
        if !self.options.candidates_from_counterexamples {
            return Vec::new();
        }
        let states = chain.layers.iter().take(layers);
        let states = states.flat_map(|passed| &passed.states);
        let mut found = Vec::new();
        for (place, state) in states {
            let pool = &self.blocks.unwinder.encoder.pool;
            let mut conditions = state.path.conjuncts_after(0).into_iter();
            if conditions.all(|term| self.step_solver.holds(pool, term) == Some(true)) {
                found.extend(self.reached(place, state));
            }
        }
        found
    }

    /// The numbers of the maps that refute the path; `None` if it is not refuted.
    fn ask(
        &mut self,
        path: &Path,
        said: &[(Term, usize)],
    ) -> Result<Option<BTreeSet<usize>>, Reason> {
        let mut conditions = path.conjuncts_after(0);
        let pool = &mut self.blocks.unwinder.encoder.pool;
        // One condition for each map: a solver goes through its assumptions one by one at every
        // restart, and others may publish much.
        let mut by_map: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for &(term, map) in said {
            by_map.entry(map).or_default().push(term);
        }
        let said: Vec<(Term, usize)> = (by_map.into_iter())
            .map(|(map, terms)| (pool.and_all(terms), map))
            .collect();
        conditions.extend(said.iter().map(|&(term, _)| term));
        match self.step_solver.check(pool, &conditions) {
            Answer::Unknown(reason) => Err(Reason::of_solver(self.budget, &reason)),
            Answer::Sat => Ok(None),
            Answer::Unsat => {
                let core: FxHashSet<Term> = self.step_solver.core().iter().copied().collect();
                let needed = said.iter().filter(|(term, _)| core.contains(term));
                Ok(Some(needed.map(|&(_, map)| map).collect()))
            }
        }
    }

    /// What facts say of the first layers of the chain.
    fn said_before(&mut self, chain: &mut Chain, layers: usize) -> Vec<(Term, usize)> {
        let mut all = Vec::new();
        for passed in chain.layers.iter_mut().take(layers) {
            self.add_facts(&mut passed.said, &passed.states);
            all.extend_from_slice(&passed.said.terms);
        }
        all
    }

    /// Adds what maps that are not yet among them say of the states, for the executions that are
    /// there.
    fn add_facts(&mut self, said: &mut Said, states: &[(Place, State)]) {
        for number in said.maps..self.known.maps().len() {
            let map: Arc<InvariantMap> = self.known.maps()[number].clone();
            for (place, state) in states {
                for holds in map.at(&place.calls, place.location) {
                    // A fact that has no formula cannot help.
                    let encoder = self.blocks.encoder();
                    let Ok(term) = encoder.holds(state, &map.pool, holds) else {
                        continue;
                    };
                    let there = state.path.term(&mut encoder.pool);
                    let term = encoder.pool.implies(there, term);
                    if term != TermPool::TRUE && said.known.insert(term) {
                        said.terms.push((term, number));
                    }
                }
            }
        }
        said.maps = self.known.maps().len();
    }
}
