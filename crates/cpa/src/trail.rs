//! Where states are stored, and the ways between stored states.
//!
//! A state on a stretch of the program without joins can be covered only if the one at the start of
//! the stretch is, or nearly so: storing it costs memory and comparisons for nothing. With
//! [`Storage::AtJoins`] the algorithm stores states only where ways meet, at loop heads and at
//! error locations, and follows everything between in one go. What lies between two stored states
//! is a *trail*: the automaton says which steps there are, the trail which of them was taken where
//! there was a choice.

use absint::place::{Automaton, CallPlace, Step};
use cfa::order::Order;
use cfa::program::{FuncId, LocId, Program};
use serde::{Deserialize, Serialize};

/// Which states the reached set keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// Those after every edge, as in the papers.
    #[default]
    Everywhere,
    /// Those at joins, loop heads and error locations.
    AtJoins,
}

/// The locations whose states are stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Empty if all are.
    at: Vec<bool>,
}

impl Stored {
    pub fn new(program: &Program, storage: Storage) -> Stored {
        if storage == Storage::Everywhere {
            return Stored { at: Vec::new() };
        }
        let locations = program.locations.iter().enumerate();
        let mut at: Vec<bool> = locations
            .map(|(number, location)| {
                location.incoming.len() > 1 || program.is_error(LocId(number as u32))
            })
            .collect();
        for function in 0..program.functions.len() as u32 {
            for found in Order::of(program, FuncId(function)).loops {
                at[found.head.0 as usize] = true;
            }
        }
        Stored { at }
    }

    pub fn contains(&self, location: LocId) -> bool {
        self.at.is_empty() || self.at[location.0 as usize]
    }
}

/// A trail, by the position where its choices begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrailId(u32);

impl TrailId {
    /// Of links that nobody follows, and of trails without choices.
    pub const NONE: TrailId = TrailId(u32::MAX);
}

/// One choice among several steps, on top of earlier ones.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The number of the earlier choice, if there is one.
    pub before: Option<u32>,
    pub chosen: u32,
    pub among: u32,
}

fn bits_for(among: u32) -> u32 {
    u32::BITS - among.saturating_sub(1).leading_zeros()
}

/// The choices of all trails, as bits; a trail begins with a byte.
#[derive(Clone, Debug, Default)]
pub struct Trails {
    bytes: Vec<u8>,
}

impl Trails {
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Keeps the choices up to the given one.
    pub fn keep(&mut self, choices: &[Choice], last: Option<u32>) -> TrailId {
        let mut current = last;
        let mut chain = Vec::new();
        while let Some(choice) = current.and_then(|number| choices.get(number as usize)) {
            chain.push(*choice);
            current = choice.before;
        }
        if chain.is_empty() {
            return TrailId::NONE;
        }
        // Beyond four thousand million bytes the memory limit has long ended the run.
        let start = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX - 1);
        let mut used = 0;
        for choice in chain.into_iter().rev() {
            for bit in 0..bits_for(choice.among) {
                if used % 8 == 0 {
                    self.bytes.push(0);
                }
                if let Some(last) = self.bytes.last_mut() {
                    *last |= ((choice.chosen >> bit & 1) as u8) << (used % 8);
                }
                used += 1;
            }
        }
        TrailId(start)
    }

    /// The steps of a trail from a stored place to the next one.
    pub fn follow(
        &self,
        trail: TrailId,
        from: CallPlace,
        automaton: &mut Automaton<'_>,
        stored: &Stored,
    ) -> Vec<Step> {
        let mut position = trail.0 as usize * 8;
        let mut place = from;
        let mut way = Vec::new();
        let (mut steps, mut beyond) = (Vec::new(), Vec::new());
        loop {
            steps.clear();
            automaton.steps(place, &mut steps, &mut beyond);
            beyond.clear();
            let mut chosen = 0usize;
            if steps.len() > 1 {
                for bit in 0..bits_for(steps.len() as u32) {
                    let byte = self.bytes.get(position / 8).copied().unwrap_or(0);
                    chosen |= usize::from(byte >> (position % 8) & 1) << bit;
                    position += 1;
                }
            }
            let Some(&step) = steps.get(chosen) else {
                debug_assert!(false, "a trail leads along steps of the automaton");
                return way;
            };
            way.push(step);
            place = step.target;
            if stored.contains(place.location) {
                return way;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing;

    #[test]
    fn trails_lead_to_where_they_led() {
        let program = testing::program(
            "int g;
             void set(int v) { if (v > 3) g = v; else g = 3; }
             int main(void) {
                 int a = __VERIFIER_nondet_int();
                 switch (a) { case 1: set(5); break; case 7: g = 2; break; default: g = a; if (a > 9) return 1; }
                 while (g > 0) { g--; if (g == 77) reach_error(); }
                 return 0;
             }",
        );
        let stored = Stored::new(&program, Storage::AtJoins);
        let mut automaton = Automaton::new(&program, 3);
        let entry = automaton.entry();
        // All ways from the entry to stored places, each kept and followed again.
        let (mut trails, mut choices) = (Trails::default(), Vec::new());
        let mut pending: Vec<(CallPlace, Option<u32>, Vec<Step>)> = vec![(entry, None, Vec::new())];
        let mut ways = Vec::new();
        while let Some((place, last, way)) = pending.pop() {
            let (mut steps, mut beyond) = (Vec::new(), Vec::new());
            automaton.steps(place, &mut steps, &mut beyond);
            for (chosen, &step) in steps.iter().enumerate() {
                let mut last = last;
                if steps.len() > 1 {
                    choices.push(Choice {
                        before: last,
                        chosen: chosen as u32,
                        among: steps.len() as u32,
                    });
                    last = Some(choices.len() as u32 - 1);
                }
                let mut way = way.clone();
                way.push(step);
                if stored.contains(step.target.location) {
                    ways.push((trails.keep(&choices, last), way));
                } else {
                    pending.push((step.target, last, way));
                }
            }
        }
        assert!(ways.len() > 3);
        for (trail, way) in ways {
            assert_eq!(trails.follow(trail, entry, &mut automaton, &stored), way);
        }
    }
}
