//! Clauses for others: what stayed blocked up to the last frame may hold for ever.
//!
//! A clause that was moved to the frame behind the last one is inductive relative to frames that
//! are not, so it is a candidate and no fact. With the option `publication` those that are inductive
//! on their own are looked for at once and published; what is left is proposed to whoever checks
//! candidates. When the search ends without an answer, its literals are handed on as a precision
//! for an analysis that abstracts with predicates (section 7.2, third proposal).

use super::graph::ERROR;
use super::{NAME, Search};
use crate::sieve;
use cfa::expr::ExprPool;
use cfa::place::CallPattern;
use cfa::program::LocId;
use facts::invariants::{CandidateMap, Invariant, InvariantMap};
use facts::precision::PrecisionMap;
use logic::{Cube, Term};
use rustc_hash::FxHashSet;

/// Clauses that are proposed after one run of the inner loop.
const MAX_PROPOSALS: usize = 64;
/// Predicates that are handed on.
const MAX_PREDICATES: usize = 100;

impl Search<'_> {
    /// Proposes the clauses of the newest frame that were not proposed before.
    pub(super) fn propose(&mut self) {
        let mut pool = ExprPool::default();
        let mut entries = Vec::new();
        for node in ERROR + 1..self.nodes.len() {
            let Some(place) = self.nodes[node].place.clone() else {
                continue;
            };
            let cubes: Vec<Cube> = self.frames[node].at(self.level + 1).cloned().collect();
            for cube in cubes {
                let is_full = entries.len() == MAX_PROPOSALS;
                if is_full || !self.proposed.insert((node, cube.clone())) {
                    continue;
                }
                let inside = self.say_cube(node, &cube);
                let inside = pool.import(&self.exprs, inside);
                entries.push(Invariant {
                    calls: CallPattern::Exactly(place.calls.clone()),
                    location: place.location,
                    holds: pool.not(inside),
                });
            }
        }
        if entries.is_empty() {
            return;
        }
        let by = NAME.into();
        let candidates = CandidateMap(InvariantMap { by, pool, entries });
        if self.options.publication {
            let published = sieve::inductive_part(self.program, &candidates, self.budget);
            if let Ok(Some(map)) = published {
                self.statistics.published += map.entries.len() as u64;
                self.board.publish(map);
            }
        }
        self.board.propose(candidates);
    }

    /// Hands on what the clauses of loop heads compare.
    pub(super) fn hand_precision_on(&mut self) {
        let mut pool = ExprPool::default();
        let mut predicates = Vec::new();
        let mut seen: FxHashSet<(LocId, Term)> = FxHashSet::default();
        for node in ERROR + 1..self.nodes.len() {
            let Some(place) = self.nodes[node].place.clone() else {
                continue;
            };
            if !self.heads.contains(&place) {
                continue;
            }
            let cubes: Vec<Cube> = self.frames[node].at(1).cloned().collect();
            for &literal in cubes.iter().flat_map(Cube::literals) {
                let atom = self.encoder.pool.strip_not(literal).0;
                if predicates.len() == MAX_PREDICATES || !seen.insert((place.location, atom)) {
                    continue;
                }
                if let Some(said) = self.say(node, atom) {
                    predicates.push((place.location, pool.import(&self.exprs, said)));
                }
            }
        }
        if !predicates.is_empty() {
            let by = NAME.into();
            self.board.publish_precision(PrecisionMap {
                by,
                pool,
                predicates,
            });
        }
    }
}
