//! States that answered a question before, and answer others without one.
//!
//! Nearly all questions of the new generalisation are about literals that the refutation of the
//! cube used, and nearly all of these are needed: some state of the frame leads into the cube
//! without the literal. Such a state often shows the same of other cubes, and at other indices. So
//! the latest ones are kept for each edge and tried first. A state counts only if all that is asked
//! evaluates to true in it, whatever the solver said; so it never makes a cube inductive, and a
//! literal that it keeps could not have gone. Not in the thesis.

use super::Search;
use super::graph::START;
use logic::{Cube, Evaluator, Model, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// States that are kept for each edge; those that were used least recently go.
const MAX_STATES: usize = 24;
/// Variables that a state gives values to; more are not worth reading off.
const MAX_VARIABLES: usize = 400;

/// A state before an edge, with the inputs on its way.
struct Met {
    model: Model,
    /// Literals that were evaluated in it.
    values: FxHashMap<Term, bool>,
}

impl Met {
    fn is_true(&mut self, pool: &TermPool, literal: Term) -> bool {
        let model = &self.model;
        *self
            .values
            .entry(literal)
            .or_insert_with(|| Evaluator::new(model).is_true(pool, literal))
    }

    fn is_in(&mut self, pool: &TermPool, cube: &Cube) -> bool {
        let mut literals = cube.literals().iter();
        literals.all(|&literal| self.is_true(pool, literal))
    }
}

/// The states that were met, and what they are made of.
#[derive(Default)]
pub(super) struct States {
    /// For each link, the latest first.
    of_link: FxHashMap<usize, VecDeque<Met>>,
    /// For each node: the variables that conditions on edges from there speak of.
    variables: FxHashMap<usize, (Vec<Term>, FxHashSet<Term>)>,
    /// Terms whose variables are among them.
    noted: FxHashSet<(usize, Term)>,
}

impl States {
    fn note(&mut self, pool: &TermPool, node: usize, terms: &[Term]) {
        for &term in terms {
            if !self.noted.insert((node, term)) {
                continue;
            }
            let (list, known) = self.variables.entry(node).or_default();
            for variable in pool.free_vars_of(&[term]) {
                if known.insert(variable) {
                    list.push(variable);
                }
            }
        }
    }
}

impl Search<'_> {
    /// Is there a state, met before, in the frame of the edge's source and outside of the cube where
    /// that is assumed, from which one of the partial commands with these preconditions leads into
    /// the cube?
    pub(super) fn is_entered(
        &mut self,
        link: usize,
        open: &[(usize, Cube)],
        cube: &Cube,
        level: u32,
    ) -> bool {
        let (source, target) = (self.links[link].source, self.links[link].target);
        let before = self.before(link, level);
        let Some(states) = self.states.of_link.get_mut(&link) else {
            return false;
        };
        let (pool, facts) = (&self.encoder.pool, &self.facts[source]);
        let frames = &self.frames[source];
        let found = states.iter_mut().position(|met| {
            open.iter()
                .any(|(_, precondition)| met.is_in(pool, precondition))
                && (source != target || !met.is_in(pool, cube))
                && facts.iter().all(|&fact| met.is_true(pool, fact))
                && (source == START || frames.at(before).all(|one| !met.is_in(pool, one)))
        });
        let Some(position) = found else {
            return false;
        };
        if let Some(met) = states.remove(position) {
            states.push_front(met);
        }
        true
    }

    /// Keeps the latest state of the source's solver, from which one of the partial commands with
    /// these preconditions leads into a cube.
    pub(super) fn remember_state(&mut self, link: usize, open: &[(usize, Cube)]) {
        if !self.options.models {
            return;
        }
        let source = self.links[link].source;
        for (_, precondition) in open {
            self.states
                .note(&self.encoder.pool, source, precondition.literals());
        }
        let variables = self.states.variables.get(&source);
        let variables = variables.map_or(&[][..], |(list, _)| list);
        if variables.len() > MAX_VARIABLES {
            return;
        }
        let Some(solver) = &mut self.solvers[source] else {
            return;
        };
        if let Some(model) = solver.model(&self.encoder.pool, variables) {
            let states = self.states.of_link.entry(link).or_default();
            states.truncate(MAX_STATES - 1);
            states.push_front(Met {
                model,
                values: FxHashMap::default(),
            });
        }
    }
}
