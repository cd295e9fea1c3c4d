//! Frames: for each place and index the cubes that are blocked there.
//!
//! Delta encoding: an entry with level `n` is in `F(i,l)` for all `i ≤ n`, so each cube is kept
//! once and `F(i,l)` implies `F(i+1,l)` by construction. `F(i,l) = F(i+1,l)` exactly if no entry
//! has level `i`.

use logic::{Cube, Op, Term, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

struct Entry {
    cube: Cube,
    level: u32,
    /// The entry that blocks more, and at no lower level.
    replaced: Option<u32>,
}

/// All frames of one place.
#[derive(Default)]
pub(super) struct Frames {
    entries: Vec<Entry>,
    /// Those that are not replaced.
    active: Vec<u32>,
    /// Literals of entries, by the terms that they compare.
    comparisons: FxHashMap<Term, Vec<Term>>,
}

/// The entries of a frame at one moment (definition 5.6.1's `F`), in order.
pub(super) type Snapshot = Rc<[u32]>;

impl Frames {
    fn entry(&self, number: u32) -> &Entry {
        &self.entries[number as usize]
    }

    /// Blocks a cube up to a level; `false` if it is blocked already.
    pub(super) fn add(&mut self, cube: &Cube, level: u32) -> bool {
        if self.blocks(cube, level) {
            return false;
        }
        let same = self
            .active
            .iter()
            .copied()
            .find(|&at| self.entry(at).cube == *cube);
        let number = match same {
            Some(number) => {
                self.entries[number as usize].level = level;
                number
            }
            None => {
                self.entries.push(Entry {
                    cube: cube.clone(),
                    level,
                    replaced: None,
                });
                self.active.push(self.entries.len() as u32 - 1);
                self.entries.len() as u32 - 1
            }
        };
        let entries = &mut self.entries;
        self.active.retain(|&at| {
            let entry = &mut entries[at as usize];
            let is_weaker = at != number && entry.level <= level && cube.subsumes(&entry.cube);
            if is_weaker {
                entry.replaced = Some(number);
            }
            !is_weaker
        });
        true
    }

    /// Notes the comparisons of a cube, so that [`Frames::comparisons`] finds them.
    pub(super) fn note_comparisons(&mut self, pool: &TermPool, cube: &Cube) {
        for &literal in cube.literals() {
            let atom = pool.strip_not(literal).0;
            if !matches!(pool.op(atom), Op::Eq | Op::Ult | Op::Slt) {
                continue;
            }
            let terms = pool.args(atom).iter().copied();
            for term in terms.filter(|&term| pool.as_u128(term).is_none()) {
                let known = self.comparisons.entry(term).or_default();
                if !known.contains(&literal) {
                    known.push(literal);
                }
            }
        }
    }

    /// Literals of blocked cubes that compare the term with something.
    pub(super) fn comparisons(&self, term: Term) -> &[Term] {
        self.comparisons.get(&term).map_or(&[], Vec::as_slice)
    }

    /// Is the cube, or a part of it, blocked at the level?
    pub(super) fn blocks(&self, cube: &Cube, level: u32) -> bool {
        self.at(level).any(|known| known.subsumes(cube))
    }

    /// The blocked cubes of the frame.
    pub(super) fn at(&self, level: u32) -> impl Iterator<Item = &Cube> {
        let entries = self.active.iter().map(|&number| self.entry(number));
        entries
            .filter(move |entry| entry.level >= level)
            .map(|entry| &entry.cube)
    }

    /// All blocked cubes, each with the last index of which it is blocked, the greatest first.
    pub(super) fn all(&self) -> Vec<(u32, &Cube)> {
        let entries = self.active.iter().map(|&number| self.entry(number));
        let mut all: Vec<(u32, &Cube)> = entries.map(|entry| (entry.level, &entry.cube)).collect();
        all.sort_by_key(|&(level, _)| std::cmp::Reverse(level));
        all
    }

    /// The cubes of the frame that the next one does not have.
    pub(super) fn delta(&self, level: u32) -> Vec<Cube> {
        let entries = self.active.iter().map(|&number| self.entry(number));
        let here = entries.filter(|entry| entry.level == level);
        here.map(|entry| entry.cube.clone()).collect()
    }

    /// Are there as many as this level, and the next the same?
    pub(super) fn is_fixed_at(&self, level: u32) -> bool {
        self.active
            .iter()
            .all(|&number| self.entry(number).level != level)
    }

    pub(super) fn len(&self) -> usize {
        self.active.len()
    }

    pub(super) fn snapshot(&self, level: u32) -> Snapshot {
        let mut numbers: Vec<u32> = self.active.clone();
        numbers.retain(|&number| self.entry(number).level >= level);
        numbers.sort_unstable();
        numbers.into()
    }

    /// Does the frame block all that the snapshot did (`F(i,l) ⊑ F`)?
    pub(super) fn is_as_strong(&self, level: u32, snapshot: &Snapshot) -> bool {
        snapshot.iter().all(|&number| {
            let mut entry = self.entry(number);
            while let Some(next) = entry.replaced {
                entry = self.entry(next);
            }
            entry.level >= level
        })
    }

    /// Did the snapshot block all that the frame does (`F ⊑ F(i,l)`)?
    pub(super) fn is_as_weak(&self, level: u32, snapshot: &Snapshot) -> bool {
        let mut here = self
            .active
            .iter()
            .filter(|&&number| self.entry(number).level >= level);
        here.all(|number| snapshot.binary_search(number).is_ok())
    }
}
