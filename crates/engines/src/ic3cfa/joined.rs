//! The partial commands of an edge as one: as a state that choices decide about, and as conditions
//! of which the model chooses one.

use super::Search;
use super::graph::ERROR;
use logic::{Cube, Sort, Term, TermPool};

/// Stands for all partial commands of a link as one.
pub(super) const JOINED: usize = usize::MAX;
/// Stands for those partial commands of a link that are chosen.
pub(super) const CHOSEN: usize = usize::MAX - 1;

impl Search<'_> {
    /// Conditions under which one of the partial commands leads into the cube; and for each of its
    /// literals the condition that is about it.
    #[allow(clippy::type_complexity)]
    pub(super) fn question_together(
        &mut self,
        link: usize,
        open: &[(usize, Cube)],
        cube: &Cube,
    ) -> (Vec<Term>, Vec<(Term, Term)>) {
        let mut some = TermPool::FALSE;
        for &(partial, _) in open {
            let chosen = self.chosen(link, partial);
            some = self.encoder.pool.or(some, chosen);
        }
        let mut question = vec![some, self.assumes_of_chosen(link)];
        let mut images = Vec::with_capacity(cube.len());
        for &literal in cube.literals() {
            let image = self.image(link, CHOSEN, literal);
            images.push((literal, image[0]));
            question.push(image[0]);
        }
        (question, images)
    }

    /// Holds where the partial command is the one that is passed.
    pub(super) fn chosen(&mut self, link: usize, partial: usize) -> Term {
        let name = format!("chosen!{link}!{partial}");
        self.encoder.pool.var(&name, Sort::Bool)
    }

    /// That what the chosen partial commands assume holds.
    fn assumes_of_chosen(&mut self, link: usize) -> Term {
        if let Some(known) = self.links[link].assumes_of_chosen {
            return known;
        }
        let mut all = TermPool::TRUE;
        for partial in 0..self.links[link].partials.len() {
            let chosen = self.chosen(link, partial);
            let assumes = self.links[link].partials[partial].assumes.clone();
            let pool = &mut self.encoder.pool;
            let assumes = assumes.term(pool);
            let assumed = pool.implies(chosen, assumes);
            all = pool.and(all, assumed);
        }
        self.links[link].assumes_of_chosen = Some(all);
        all
    }

    /// Does the latest model of the source choose the partial command?
    pub(super) fn is_chosen(&mut self, link: usize, partial: usize) -> bool {
        let chosen = self.chosen(link, partial);
        let source = self.links[link].source;
        let pool = &self.encoder.pool;
        let mut solver = self.solvers[source].iter_mut();
        solver.any(|solver| solver.holds(pool, chosen) == Some(true))
    }

    /// The partial commands of a link as one state: which one is passed, choices decide.
    pub(super) fn join_partials(&mut self, link: usize) {
        if self.links[link].joined.is_some() {
            return;
        }
        let count = self.links[link].partials.len();
        let mut none_before = TermPool::TRUE;
        let mut joined = None;
        for partial in 0..count {
            let pool = &mut self.encoder.pool;
            let this = match partial + 1 == count {
                true => TermPool::TRUE,
                false => pool.var(&format!("choice!{link}!{partial}"), Sort::Bool),
            };
            let chosen = pool.and(none_before, this);
            let other = pool.not(this);
            none_before = pool.and(none_before, other);
            let mut state = self.links[link].partials[partial].after.clone();
            if self.links[link].target == ERROR {
                // Errors are one place for all call strings; only whether it is reached matters.
                let path = state.path;
                state = self.start_state(self.links[link].source);
                state.path = path;
            }
            let Some(state) = self.encoder.assume(state, chosen) else {
                continue;
            };
            joined = Some(match joined {
                None => state,
                Some(joined) => self.encoder.join(&joined, &state),
            });
        }
        self.links[link].joined = joined;
    }
}
