//! Frames of one place: the cubes that are blocked there, and up to which level.
//!
//! Bradley2011: A. R. Bradley: SAT-based model checking without unrolling, VMCAI 2011, with the
//! delta encoding of Een2011: N. Eén, A. Mishchenko, R. Brayton: Efficient implementation of
//! property directed reachability, FMCAD 2011.
//!
//! | there | here |
//! |---|---|
//! | F_i | [`Frames::at`]: all cubes whose level is `i` or more |
//! | the clauses of F_i that F_{i+1} lacks | [`Frames::delta`] |
//!
//! Laws: F_i blocks all that F_{i+1} blocks, by construction. No blocked cube is subsumed by
//! another of the same level or a higher one. `F_i = F_{i+1}` exactly if no cube has level `i`.

use logic::{Cube, Term};
use std::hash::Hash;

/// The frames of one place, all levels together.
#[derive(Clone, Debug)]
pub struct Frames<L = Term> {
    entries: Vec<(Cube<L>, u32)>,
}

impl<L> Default for Frames<L> {
    fn default() -> Self {
        Frames {
            entries: Vec::new(),
        }
    }
}

impl<L: Copy + Ord + Hash> Frames<L> {
    /// Blocks a cube up to a level; `false` if it is blocked there already.
    pub fn add(&mut self, cube: &Cube<L>, level: u32) -> bool {
        if self.blocks(cube, level) {
            return false;
        }
        self.entries
            .retain(|(known, at)| *at > level || !cube.subsumes(known));
        self.entries.push((cube.clone(), level));
        true
    }

    /// Is the cube, or a part of it, blocked at the level?
    pub fn blocks(&self, cube: &Cube<L>, level: u32) -> bool {
        self.at(level).any(|known| known.subsumes(cube))
    }

    /// The blocked cubes of a level.
    pub fn at(&self, level: u32) -> impl Iterator<Item = &Cube<L>> {
        let entries = self.entries.iter();
        let entries = entries.filter(move |(_, at)| *at >= level);
        entries.map(|(cube, _)| cube)
    }

    /// The cubes of a level that the next one does not have.
    pub fn delta(&self, level: u32) -> Vec<Cube<L>> {
        let entries = self.entries.iter();
        let entries = entries.filter(|(_, at)| *at == level);
        entries.map(|(cube, _)| cube.clone()).collect()
    }

    /// Is the next level the same?
    pub fn is_fixed_at(&self, level: u32) -> bool {
        self.entries.iter().all(|(_, at)| *at != level)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Compared with a list of everything that was ever blocked.
    #[test]
    fn frames_block_what_was_blocked_and_nothing_twice() {
        let mut random = Random(5);
        for _ in 0..50 {
            let mut frames: Frames<u8> = Frames::default();
            let mut all: Vec<(Cube<u8>, u32)> = Vec::new();
            for _ in 0..30 {
                let count = 1 + random.below(4);
                let cube: Cube<u8> = (0..count).map(|_| random.below(6) as u8).collect();
                let level = random.below(5) as u32;
                let is_blocked = |cube: &Cube<u8>, level: u32| {
                    let mut all = all.iter();
                    all.any(|(known, at)| *at >= level && known.subsumes(cube))
                };
                assert_eq!(frames.blocks(&cube, level), is_blocked(&cube, level));
                assert_eq!(frames.add(&cube, level), !is_blocked(&cube, level));
                all.push((cube, level));
                for level in 0..6 {
                    let next: Vec<_> = frames.at(level + 1).cloned().collect();
                    assert!(next.iter().all(|cube| frames.blocks(cube, level)));
                    assert_eq!(frames.is_fixed_at(level), frames.delta(level).is_empty());
                    let here = frames.at(level).count();
                    assert_eq!(here, frames.delta(level).len() + next.len());
                }
                let least: Vec<_> = frames.at(0).cloned().collect();
                for cube in &least {
                    let mut others = least.iter().filter(|other| *other != cube);
                    let mut level = 0;
                    while frames.at(level + 1).any(|known| known == cube) {
                        level += 1;
                    }
                    assert!(!others.any(|other| {
                        other.subsumes(cube) && frames.at(level).any(|known| known == other)
                    }));
                }
            }
        }
    }
}
