//! What of somebody's candidates holds: the largest subset that is inductive by itself (C. Flanagan, K. R. M. Leino: Houdini,
//! an annotation assistant for ESC/Java, FME 2001).
//!
//! | Houdini | here |
//! |---|---|
//! | candidate annotations | the conjuncts of a [`CandidateMap`] |
//! | refute one and remove it | a model of a block removes all candidates that are false in it at once |
//!
//! Deviations: candidates lie at any location, not only at the beginning and end of procedures, and blocks lead from one of
//! these places or a loop head to the next; a candidate that cannot be said in a formula, or that the solver cannot decide, is
//! removed.
//!
//! What is left is meant to be checked by `certify` before it is called a fact.

use crate::watch::Watch;
use cfa::place::Place;
use cfa::program::{EdgeId, LocId, Program};
use encoding::blocks::Blocks;
use encoding::state::State;
use encoding::unwind::CutReason;
use facts::budget::{Budget, SolverBudget};
use facts::engine::Reason;
use facts::invariants::{CandidateMap, Invariant, InvariantMap};
use logic::{Answer, Solver, Term, TermPool};
use std::collections::{BTreeMap, BTreeSet};

/// More places than this are not worth the time.
const MOST_PLACES: usize = 400;

/// The candidates that hold together, or why that is not known; `None` if nothing is left.
///
/// They must speak of what the program has, with the right types.
pub fn inductive_part(
    program: &Program,
    candidates: &CandidateMap,
    budget: &Budget,
) -> Result<Option<InvariantMap>, Reason> {
    let CandidateMap(given) = candidates;
    let parts = given.conjuncts();
    let mut sieve = Sieve {
        blocks: Blocks::new(program),
        given,
        is_left: vec![true; parts.len()],
        parts,
        solver: budget.make_solver(0),
        budget,
        sources: Vec::new(),
    };
    sieve.explore(program)?;
    sieve.fixpoint()?;
    let is_left = sieve.is_left.iter();
    let entries = sieve.parts.iter().zip(is_left);
    let entries: Vec<Invariant> = entries
        .filter(|(_, is_left)| **is_left)
        .map(|(part, _)| part.clone())
        .collect();
    Ok((!entries.is_empty()).then(|| InvariantMap {
        by: given.by.clone(),
        pool: given.pool.clone(),
        entries,
    }))
}

/// A statement by its number, in some state.
type Said = Vec<(usize, Term)>;

/// Where blocks begin: the start of the program, or a place with candidates or a loop head.
struct Source {
    assumed: Said,
    arrivals: Vec<Arrival>,
}

/// An end of a block.
struct Arrival {
    /// How executions come there from the source.
    path: Term,
    claimed: Said,
}

struct Sieve<'a> {
    blocks: Blocks<'a>,
    given: &'a InvariantMap,
    /// The conjuncts of the candidates.
    parts: Vec<Invariant>,
    is_left: Vec<bool>,
    solver: Box<dyn Solver>,
    budget: &'a Budget,
    sources: Vec<Source>,
}

impl Sieve<'_> {
    fn check_time(&self) -> Result<(), Reason> {
        match self.budget.is_exhausted() {
            true => Err(Reason::out_of_time()),
            false => Ok(()),
        }
    }

    /// The candidates for a place in a state that an execution is there in.
    fn said(&mut self, place: &Place, state: &State) -> Said {
        let mut said = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            if part.location != place.location || !part.calls.matches(&place.calls) {
                continue;
            }
            let encoder = self.blocks.encoder();
            match encoder.holds(state, &self.given.pool, part.holds) {
                Ok(term) => said.push((number, term)),
                Err(_) => self.is_left[number] = false,
            }
        }
        said
    }

    fn arrival(&mut self, place: &Place, state: &State) -> Arrival {
        Arrival {
            claimed: self.said(place, state),
            path: state.path.term(&mut self.blocks.encoder().pool),
        }
    }

    /// Finds the places and the blocks between them.
    fn explore(&mut self, program: &Program) -> Result<(), Reason> {
        let locations = (0..program.locations.len() as u32).map(LocId);
        let heads = locations.filter(|&at| self.blocks.is_head(at));
        let heads: BTreeSet<LocId> = heads.collect();
        let parts = self.parts.clone();
        let stops = |calls: &[EdgeId], location: LocId| {
            let mut parts = parts.iter();
            heads.contains(&location)
                || parts.any(|part| part.location == location && part.calls.matches(calls))
        };
        let mut waiting: BTreeMap<Place, Option<State>> = BTreeMap::new();
        for (place, state) in self.blocks.start() {
            // What is said of the start has to hold there like anywhere else.
            let first = self.arrival(&place, &state);
            self.sources.push(Source {
                assumed: Vec::new(),
                arrivals: vec![first],
            });
            waiting.insert(place, Some(state));
        }
        let mut seen: BTreeSet<Place> = BTreeSet::new();
        while let Some((place, state)) = waiting.pop_first() {
            self.check_time()?;
            if self.sources.len() > MOST_PLACES {
                return Err("too many places".into());
            }
            let (assumed, state) = match state {
                Some(start) => (Vec::new(), start),
                None => {
                    let mut anywhere = self.blocks.anywhere(&place);
                    let (_, state) = anywhere.pop_first().expect("a layer of one state");
                    (self.said(&place, &state), state)
                }
            };
            let block = (self.blocks).block(&place, state, &stops, &mut Watch(self.budget));
            let mut cuts = block.cuts.iter();
            if cuts.any(|cut| cut.reason == CutReason::Stopped) {
                return Err(Reason::out_of_time());
            }
            let mut arrivals = Vec::new();
            for arrival in block.arrivals {
                arrivals.push(self.arrival(&arrival.place, &arrival.state));
                if seen.insert(arrival.place.clone()) {
                    waiting.insert(arrival.place, None);
                }
            }
            self.sources.push(Source { assumed, arrivals });
        }
        Ok(())
    }

    /// Removes candidates until those that are left follow from each other.
    fn fixpoint(&mut self) -> Result<(), Reason> {
        let mut sources = std::mem::take(&mut self.sources);
        let mut waiting: BTreeSet<usize> = (0..sources.len()).collect();
        while let Some(number) = waiting.pop_first() {
            let source = &mut sources[number];
            let mut removed: BTreeSet<usize> = BTreeSet::new();
            for arrival in &source.arrivals {
                self.sieve(&source.assumed, arrival, &mut removed)?;
            }
            // Whoever relied on what is gone is looked at again.
            let relies = |source: &Source| {
                let mut assumed = source.assumed.iter();
                assumed.any(|(part, _)| removed.contains(part))
            };
            waiting.extend((0..sources.len()).filter(|&other| relies(&sources[other])));
        }
        Ok(())
    }

    /// Removes the candidates for the end of a block that do not follow from those for its beginning.
    fn sieve(
        &mut self,
        assumed: &Said,
        arrival: &Arrival,
        removed: &mut BTreeSet<usize>,
    ) -> Result<(), Reason> {
        loop {
            self.check_time()?;
            let is_left = &self.is_left;
            let left = |said: &Said| -> Said {
                let said = said.iter().copied();
                said.filter(|&(number, _)| is_left[number]).collect()
            };
            let (assumed, claimed) = (left(assumed), left(&arrival.claimed));
            let pool = &mut self.blocks.encoder().pool;
            let known = pool.and_all(assumed.iter().map(|&(_, term)| term));
            let all = pool.and_all(claimed.iter().map(|&(_, term)| term));
            let fails = pool.not(all);
            if fails == TermPool::FALSE {
                return Ok(());
            }
            let refuted: Vec<usize> = match self.solver.check(pool, &[arrival.path, known, fails]) {
                Answer::Unsat => return Ok(()),
                Answer::Sat => {
                    let solver = &mut self.solver;
                    let claimed = claimed.iter();
                    let is_false = |&&(_, term): &&(usize, Term)| {
                        // What the model leaves open is not shown to be false.
                        !solver.holds(pool, term).unwrap_or(true)
                    };
                    let refuted = claimed.filter(is_false);
                    refuted.map(|&(number, _)| number).collect()
                }
                Answer::Unknown(_) => {
                    self.check_time()?;
                    claimed.iter().map(|&(number, _)| number).collect()
                }
            };
            if refuted.is_empty() {
                return Err("a model without a reason".into());
            }
            for number in refuted {
                self.is_left[number] = false;
                removed.insert(number);
            }
        }
    }
}
