//! Stronger candidates from counterexamples to induction.
//!
//! Where the step case fails, its model passes states that perhaps no execution comes to. Of each such state a cube is
//! made, of what the program itself says of its variables and then of their values too. If no block leads into the
//! cube from outside, given the known facts, literals are left out while that stays so, and its negation is a fact.

use super::{NAME, Search};
use crate::pdr::Relative;
use cfa::expr::ExprId;
use cfa::place::{CallPattern, Place};
use cfa::program::Program;
use encoding::state::State;
use facts::budget::Budget;
use facts::engine::Reason;
use facts::invariants::{Invariant, InvariantMap};
use logic::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Facts beyond which this is not worth its time.
const MOST: usize = 200;

pub(super) struct Strengthening<'a> {
    relative: Option<Relative<'a>>,
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
            relative: Relative::new(program, budget).ok(),
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
        let relative = strengthening.relative.as_mut()?;
        let encoder = &mut self.blocks.unwinder.encoder;
        let mut general: Vec<ExprId> = Vec::new();
        for statement in relative.statements(place) {
            let Ok(term) = encoder.holds(state, relative.pool(), statement) else {
                continue;
            };
            match self.step_solver.holds(&encoder.pool, term) {
                Some(true) => general.push(statement),
                Some(false) => general.push(relative.negation(statement)),
                None => {}
            }
        }
        let mut special = general.clone();
        for var in relative.relevant(place) {
            let term = state.value(program, &encoder.slots, &mut encoder.pool, var);
            let bits = match self.step_solver.value(&encoder.pool, term) {
                Some(Value::Bv(value)) => value.to_u128(),
                Some(Value::Bool(value)) => Some(u128::from(value)),
                _ => None,
            };
            special.extend(bits.into_iter().flat_map(|bits| relative.bounds(var, bits)));
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
        let Some(relative) = &mut strengthening.relative else {
            return Ok(false);
        };
        if strengthening.learned.len() >= MOST {
            return Ok(false);
        }
        for number in strengthening.told..self.known.maps().len() {
            if !strengthening.own.contains(&number) {
                relative.learn(&self.known.maps()[number]);
            }
        }
        strengthening.told = self.known.maps().len();
        for Reached { place, cubes } in states {
            for cube in cubes {
                // What cannot be decided is not learned.
                let Ok(excluded) = relative.excluded(&place, cube) else {
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
        let Some(relative) = &strengthening.relative else {
            return;
        };
        let mut pool = relative.pool().clone();
        let count = self.known.maps().len();
        let others: BTreeSet<usize> = (0..count)
            .filter(|number| !strengthening.own.contains(number))
            .collect();
        let mut entries = Vec::new();
        for place in relative.places() {
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
