//! Clauses for others: what stayed blocked up to the last frame may hold for ever.
//!
//! A clause that was moved to the frame behind the last one is inductive relative to frames that
//! are not, so it is a candidate and no fact; whoever checks candidates publishes those that are
//! inductive on their own.

use super::graph::ERROR;
use super::{NAME, Search};
use cfa::expr::ExprPool;
use cfa::place::CallPattern;
use facts::invariants::{CandidateMap, Invariant, InvariantMap};
use logic::Cube;

/// Clauses that are proposed after one run of the inner loop.
const MAX_PROPOSALS: usize = 64;

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
        if !entries.is_empty() {
            let by = NAME.into();
            let map = InvariantMap { by, pool, entries };
            self.board.propose(CandidateMap(map));
        }
    }
}
