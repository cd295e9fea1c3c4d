//! Induction relative to what is known: does a block lead into a cube from outside of it, and which of its literals decide
//! that?

use super::{Cube, MOST_DROPS, OWN, START, Search};
use cfa::expr::ExprId;
use facts::engine::Reason;
use logic::Term;
use rustc_hash::{FxHashMap, FxHashSet};

impl Search<'_> {
    /// The conditions under which a block leads into a cube from states of the level before; `None` if there are no
    /// such states.
    pub(super) fn into(
        &mut self,
        (from, arrival): (usize, usize),
        (site, cube): (usize, &Cube),
        level: u32,
    ) -> Option<(Vec<Term>, FxHashMap<Term, ExprId>)> {
        if from != START && level <= 1 {
            return None;
        }
        let path = &self.sites[from].to[arrival].1.path;
        // As one condition: a solver goes through its assumptions one by one at every restart.
        let mut conditions = vec![path.term(&mut self.blocks.unwinder.encoder.pool)];
        if from != START {
            conditions.extend(self.frame(level - 1));
        }
        if from == site {
            // Relative to the cube itself being blocked.
            let mut inside = Vec::new();
            for &literal in cube {
                inside.extend(self.literal((site, OWN), literal));
            }
            let pool = &mut self.blocks.unwinder.encoder.pool;
            let inside = pool.and_all(inside);
            conditions.push(pool.not(inside));
        }
        let mut of_term = FxHashMap::default();
        for &literal in cube {
            // What cannot be said there is left out: then more states count as inside.
            if let Some(term) = self.literal((from, arrival), literal) {
                conditions.push(term);
                of_term.entry(term).or_insert(literal);
            }
        }
        Some((conditions, of_term))
    }

    /// If no block leads into the cube: the literals that are enough for that.
    pub(super) fn is_unreachable(
        &mut self,
        site: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Option<FxHashSet<ExprId>>, Reason> {
        let mut needed = FxHashSet::default();
        for (from, arrival) in self.sites[site].from.clone() {
            let Some((conditions, of_term)) = self.into((from, arrival), (site, cube), level)
            else {
                continue;
            };
            if !self.ask(from, &conditions)?.is_unsat() {
                return Ok(None);
            }
            let core = self.sites[from].solver.core();
            needed.extend(core.iter().filter_map(|term| of_term.get(term).copied()));
        }
        Ok(Some(needed))
    }

    /// A cube with fewer literals, and so more states, that is unreachable as well.
    pub(super) fn generalise(
        &mut self,
        site: usize,
        cube: Cube,
        level: u32,
    ) -> Result<Cube, Reason> {
        let mut cube = cube;
        // The cores of the blocks together.
        if let Some(needed) = self.is_unreachable(site, &cube, level)? {
            let smaller: Cube = cube
                .iter()
                .copied()
                .filter(|literal| needed.contains(literal))
                .collect();
            // Relative induction needs the smaller cube itself.
            if smaller.len() < cube.len() && self.is_unreachable(site, &smaller, level)?.is_some() {
                cube = smaller;
            }
        }
        let mut tried = 0;
        let mut position = 0;
        while position < cube.len() && tried < MOST_DROPS {
            tried += 1;
            let mut smaller = cube.clone();
            smaller.remove(position);
            match self.is_unreachable(site, &smaller, level)? {
                Some(needed) => {
                    let reduced: Cube = smaller
                        .iter()
                        .copied()
                        .filter(|literal| needed.contains(literal))
                        .collect();
                    let further = reduced.len() < smaller.len()
                        && self.is_unreachable(site, &reduced, level)?.is_some();
                    cube = if further { reduced } else { smaller };
                }
                None => position += 1,
            }
        }
        Ok(cube)
    }
}
