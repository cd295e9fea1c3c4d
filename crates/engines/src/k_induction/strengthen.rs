//! Stronger candidates from counterexamples to induction.
//!
//! Where the step case fails, its model passes states that perhaps no execution comes to. Of each
//! such state a cube is made, of what the program itself says of its variables and then of their
//! values too. If no block leads into the cube from outside, given the known facts, literals are
//! left out while that stays so, and its negation is a fact.

use super::{NAME, Search};
use crate::candidates::Candidates;
use cfa::expr::{ExprId, VarId};
use cfa::place::{CallPattern, Place};
use cfa::program::Program;
use encoding::state::State;
use encoding::vocabulary::variables_of;
use facts::budget::Budget;
use facts::engine::Reason;
use facts::invariants::{Invariant, InvariantMap};
use induction::relative::{Relative, clause};
use induction::relevant::relevant_variables;
use logic::Value;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Facts beyond which this is not worth its time.
const MOST: usize = 200;

/// More places than this are not worth the time.
const MAX_PLACES: usize = 300;

/// What cubes are made of, and what shows that no execution is in them.
struct Excluder<'a> {
    relative: Relative<'a>,
    candidates: Candidates<'a>,
    /// For each place the variables that decide what happens after it, and what the program says of
    /// them.
    relevant: Vec<FxHashSet<VarId>>,
    vocabularies: Vec<Vec<ExprId>>,
}

impl<'a> Excluder<'a> {
    fn new(program: &'a Program, budget: &'a Budget) -> Result<Excluder<'a>, Reason> {
        let mut relative = Relative::new(program, budget, MAX_PLACES, u64::MAX)?;
        let mut candidates = Candidates::new(program);
        let relevant = relevant_variables(&mut relative.graph);
        let places = relative.graph.places().zip(&relevant);
        let vocabularies = places
            .map(|(id, relevant)| candidates.vocabulary(relative.graph.place(id), relevant))
            .collect();
        Ok(Excluder {
            relative,
            candidates,
            relevant,
            vocabularies,
        })
    }

    fn relevant(&self, place: &Place) -> FxHashSet<VarId> {
        let id = self.relative.graph.find(place);
        id.map_or_else(FxHashSet::default, |id| {
            self.relevant[id.0 as usize].clone()
        })
    }

    /// What might be said of the relevant variables of a place.
    fn statements(&mut self, place: &Place) -> Vec<ExprId> {
        let Some(id) = self.relative.graph.find(place) else {
            return Vec::new();
        };
        let relevant = &self.relevant[id.0 as usize];
        let mut statements = self.vocabularies[id.0 as usize].clone();
        let guessed = self.candidates.at(place);
        let pool = &self.candidates.pool;
        statements.extend(guessed.into_iter().filter(|&id| {
            let mut variables = variables_of(pool, id).into_iter();
            variables.all(|var| relevant.contains(&var))
        }));
        statements
    }

    /// A statement that excludes the cube and holds whenever an execution is at the place, given
    /// what was learned; from now on it is among that.
    fn excluded(&mut self, place: &Place, cube: Vec<ExprId>) -> Result<Option<ExprId>, Reason> {
        let Some(id) = self.relative.graph.find(place) else {
            return Ok(None);
        };
        let pool = &mut self.candidates.pool;
        let cube = self.relative.sayable(pool, id, cube);
        let excluded = self.relative.exclude(pool, id, cube)?;
        Ok(excluded.map(|cube| clause(pool, &cube)))
    }
}

pub(super) struct Strengthening<'a> {
    excluder: Option<Excluder<'a>>,
    learned: Vec<(Place, ExprId)>,
    /// How many of the known maps were taken into account.
    told: usize,
    /// Numbers of the maps that were made here.
    own: BTreeSet<usize>,
    unpublished: Option<Arc<InvariantMap>>,
}

impl<'a> Strengthening<'a> {
    fn new(program: &'a Program, budget: &'a Budget) -> Strengthening<'a> {
        Strengthening {
            // If there are too many places, nothing is learned.
            excluder: Excluder::new(program, budget).ok(),
            learned: Vec::new(),
            told: 0,
            own: BTreeSet::new(),
            unpublished: None,
        }
    }
}

/// A state of a model: cubes that contain it, those that contain more states first.
pub(super) struct Reached {
    place: Place,
    cubes: [Vec<ExprId>; 2],
}

impl Search<'_> {
    /// A state that the latest model of the step case passes, as cubes.
    pub(super) fn reached(&mut self, place: &Place, state: &State) -> Option<Reached> {
        let (program, budget) = (self.program, self.budget);
        let strengthening = self
            .strengthening
            .get_or_insert_with(|| Strengthening::new(program, budget));
        let excluder = strengthening.excluder.as_mut()?;
        let encoder = &mut self.blocks.unwinder.encoder;
        let mut general: Vec<ExprId> = Vec::new();
        for statement in excluder.statements(place) {
            let pool = &mut excluder.candidates.pool;
            let Ok(term) = encoder.holds(state, pool, statement) else {
                continue;
            };
            match self.step_solver.holds(&encoder.pool, term) {
                Some(true) => general.push(statement),
                Some(false) => general.push(pool.not(statement)),
                None => {}
            }
        }
        let mut special = general.clone();
        let mut relevant: Vec<VarId> = excluder.relevant(place).into_iter().collect();
        relevant.sort_unstable();
        for var in relevant {
            let term = state.value(program, &encoder.slots, &mut encoder.pool, var);
            let bits = match self.step_solver.value(&encoder.pool, term) {
                Some(Value::Bv(value)) => value.to_u128(),
                Some(Value::Bool(value)) => Some(u128::from(value)),
                _ => None,
            };
            if let Some(bits) = bits {
                let ty = program.var(var).ty;
                special.extend(excluder.candidates.bounds(var, ty, bits));
            }
        }
        Some(Reached {
            place: place.clone(),
            cubes: [general, special],
        })
    }

    /// Tries to exclude one of the states for ever; did it succeed?
    pub(super) fn strengthen(&mut self, states: Vec<Reached>) -> Result<bool, Reason> {
        let Some(strengthening) = &mut self.strengthening else {
            return Ok(false);
        };
        let Some(excluder) = &mut strengthening.excluder else {
            return Ok(false);
        };
        if strengthening.learned.len() >= MOST {
            return Ok(false);
        }
        for number in strengthening.told..self.known.maps().len() {
            if !strengthening.own.contains(&number) {
                excluder.relative.learn(&self.known.maps()[number]);
            }
        }
        strengthening.told = self.known.maps().len();
        for Reached { place, cubes } in states {
            for cube in cubes {
                // What cannot be decided is not learned.
                let Ok(excluded) = excluder.excluded(&place, cube) else {
                    self.check_time()?;
                    return Ok(false);
                };
                if let Some(clause) = excluded {
                    strengthening.learned.push((place, clause));
                    self.add_learned();
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// All that was learned, with the facts that it relies on, as one more map.
    fn add_learned(&mut self) {
        let Some(strengthening) = &mut self.strengthening else {
            return;
        };
        let Some(excluder) = &strengthening.excluder else {
            return;
        };
        let mut pool = excluder.candidates.pool.clone();
        let count = self.known.maps().len();
        let others: BTreeSet<usize> = (0..count)
            .filter(|number| !strengthening.own.contains(number))
            .collect();
        let mut entries = Vec::new();
        for id in excluder.relative.places() {
            let place = excluder.relative.graph.place(id);
            let of_place = strengthening.learned.iter();
            let of_place = of_place.filter(|(at, _)| at == place);
            let learned = of_place.map(|&(_, clause)| clause);
            let relied_on = self.known.statement(&mut pool, &others, place);
            for holds in relied_on.into_iter().chain(learned) {
                entries.push(Invariant {
                    calls: CallPattern::Exactly(place.calls.clone()),
                    location: place.location,
                    holds,
                });
            }
        }
        let map = Arc::new(InvariantMap {
            by: NAME.into(),
            pool,
            entries,
        });
        strengthening.own.insert(count);
        strengthening.unpublished = Some(map.clone());
        self.known.add(map);
        let learned = strengthening.learned.len() as u64;
        self.board
            .count(NAME, "facts from counterexamples", learned);
    }

    /// Tells the others what was learned since the last time.
    pub(super) fn publish_learned(&mut self) {
        let strengthening = self.strengthening.as_mut();
        if let Some(map) = strengthening.and_then(|learned| learned.unpublished.take()) {
            self.board.publish(InvariantMap::clone(&map));
        }
    }
}
