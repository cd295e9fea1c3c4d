//! Sections 5.6 and 5.7: earlier generalisations, as results and as lower bounds.
//!
//! | thesis | here |
//! |---|---|
//! | `(c, e, F, g) ∈ GC_i` (definition 5.6.1) | [`Context`], kept for each edge |
//! | theorem 5.6.2 | [`Contexts::find`] with [`ContextForm::SameCube`] |
//! | theorem 5.6.3 | [`Contexts::find`] with [`ContextForm::AnySuperset`] |
//! | theorem 5.7.1 | [`Contexts::minimal`] |
//!
//! The frame is a snapshot of the entries of the source's frames. An entry that was replaced since
//! by one that blocks more counts as that one: the theorem needs only that the frame blocks no
//! less.

use crate::ic3cfa::frames::{Frames, Snapshot};
use crate::ic3cfa::options::ContextForm;
use logic::Cube;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Contexts of one edge; those that were used least recently go.
const MAX_CONTEXTS: usize = 256;

struct Context {
    cube: Cube,
    frame: Snapshot,
    general: Cube,
}

#[derive(Default)]
pub(in crate::ic3cfa) struct Contexts {
    /// For each link, the latest first.
    of_link: FxHashMap<usize, VecDeque<Context>>,
}

impl Contexts {
    pub(super) fn add(&mut self, link: usize, cube: &Cube, frame: Snapshot, general: &Cube) {
        let contexts = self.of_link.entry(link).or_default();
        contexts.retain(|context| context.cube != *cube || context.frame != frame);
        contexts.truncate(MAX_CONTEXTS - 1);
        contexts.push_front(Context {
            cube: cube.clone(),
            frame,
            general: general.clone(),
        });
    }

    /// A generalisation of the cube relative to the edge, whose source has these frames: of
    /// several, one that adds the fewest literals to what earlier edges need.
    pub(super) fn find(
        &mut self,
        (link, form): (usize, ContextForm),
        cube: &Cube,
        previous: &Cube,
        (frames, level): (&Frames, u32),
    ) -> Option<Cube> {
        let contexts = self.of_link.get_mut(&link)?;
        let fitting = contexts.iter().enumerate().filter(|(_, context)| {
            let fits = match form {
                ContextForm::None => false,
                ContextForm::SameCube => context.cube == *cube,
                ContextForm::AnySuperset => context.general.is_subset(cube),
            };
            fits && frames.is_as_strong(level, &context.frame)
        });
        let (position, _) = fitting.min_by_key(|(_, context)| added(&context.general, previous))?;
        let context = contexts.remove(position)?;
        let general = context.general.clone();
        contexts.push_front(context);
        Some(general)
    }

    /// Literals that every generalisation of the cube has, as long as the earlier ones were
    /// minimal.
    pub(super) fn minimal(
        &self,
        link: usize,
        cube: &Cube,
        (frames, level): (&Frames, u32),
    ) -> Cube {
        let contexts = self.of_link.get(&link).into_iter().flatten();
        let fitting = contexts
            .filter(|context| context.cube == *cube && frames.is_as_weak(level, &context.frame));
        // Of a semantic generalisation only what the cube has itself is a bound.
        let bounds = fitting.map(|context| context.general.intersection(cube));
        bounds.fold(Cube::empty(), |all, bound| all.union(&bound))
    }
}

/// How many literals a cube has beyond another.
pub(super) fn added(cube: &Cube, beyond: &Cube) -> usize {
    let literals = cube.literals().iter();
    literals
        .filter(|&&literal| !beyond.contains(literal))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Sort, TermPool};

    fn cube(pool: &mut TermPool, names: &[&str]) -> Cube {
        names
            .iter()
            .map(|name| pool.var(name, Sort::Bool))
            .collect()
    }

    /// Example 5.6.4.
    #[test]
    fn the_new_context_covers_similar_cubes() {
        let mut pool = TermPool::new();
        let [c1, c2] = ["c1", "c2"].map(|name| cube(&mut pool, &[name]));
        let c = cube(&mut pool, &["p1", "p2"]);
        let similar = cube(&mut pool, &["p1", "p3"]);
        let p1 = cube(&mut pool, &["p1"]);
        let mut frames = Frames::default();
        frames.add(&c1, 1);
        let mut contexts = Contexts::default();
        contexts.add(7, &c, frames.snapshot(1), &p1);
        frames.add(&c2, 1);
        let (same, any) = (ContextForm::SameCube, ContextForm::AnySuperset);
        let none = Cube::empty();
        assert_eq!(
            contexts.find((7, same), &c, &none, (&frames, 1)),
            Some(p1.clone())
        );
        assert_eq!(
            contexts.find((7, any), &c, &none, (&frames, 1)),
            Some(p1.clone())
        );
        assert_eq!(
            contexts.find((7, same), &similar, &none, (&frames, 1)),
            None
        );
        assert_eq!(
            contexts.find((7, any), &similar, &none, (&frames, 1)),
            Some(p1)
        );
        // Another edge, and a frame that does not block c1.
        assert_eq!(contexts.find((8, any), &c, &none, (&frames, 1)), None);
        assert_eq!(contexts.find((7, any), &c, &none, (&frames, 2)), None);
    }

    /// Example 5.7.2.
    #[test]
    fn what_was_needed_under_a_stronger_frame_is_needed() {
        let mut pool = TermPool::new();
        let [c1, c2] = ["c1", "c2"].map(|name| cube(&mut pool, &[name]));
        let c = cube(&mut pool, &["p1", "p2", "p3", "p4", "p5"]);
        let needed = cube(&mut pool, &["p1", "p2"]);
        let mut frames = Frames::default();
        frames.add(&c1, 2);
        frames.add(&c2, 1);
        let mut contexts = Contexts::default();
        contexts.add(0, &c, frames.snapshot(1), &needed);
        // At index 2 only c1 is blocked.
        assert_eq!(contexts.minimal(0, &c, (&frames, 2)), needed);
        let c3 = cube(&mut pool, &["c3"]);
        frames.add(&c3, 2);
        assert_eq!(contexts.minimal(0, &c, (&frames, 2)), Cube::empty());
    }

    #[test]
    fn a_replaced_clause_counts_as_the_stronger_one() {
        let mut pool = TermPool::new();
        let (weak, strong) = (cube(&mut pool, &["a", "b"]), cube(&mut pool, &["a"]));
        let c = cube(&mut pool, &["p"]);
        let mut frames = Frames::default();
        frames.add(&weak, 1);
        let mut contexts = Contexts::default();
        contexts.add(0, &c, frames.snapshot(1), &c);
        frames.add(&strong, 1);
        assert_eq!(frames.len(), 1);
        let found = contexts.find((0, ContextForm::SameCube), &c, &Cube::empty(), (&frames, 1));
        assert_eq!(found, Some(c));
    }
}
