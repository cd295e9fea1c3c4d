//! Weakest existential preconditions (definition 5.2.2) of partial commands, and their inverse
//! (section 5.5).
//!
//! | thesis | here |
//! |---|---|
//! | `wep(cmd, true)` | [`Partial::assumes`](super::command::Partial::assumes) |
//! | `wep(cmd, p)` for a literal | [`Search::image`] and the assumes (lemma 5.4.1: by literal) |
//! | `wep(cmd, c)`, one cube (lemma 5.2.6) | [`Search::precondition`] |
//! | `wep⁻¹(cmd, ĉ)` for `ĉ ⊆ wep(cmd, c)` | [`Search::inverse`]: literals whose images `ĉ` needs |

use super::Search;
use super::implied::Pinned;
use super::inputs::eliminate;
use cfa::expr::ExprId;
use induction::saying::{ActivationMeaning, Kind};
use logic::{Cube, Term, TermPool};
use std::rc::Rc;

/// What must hold before a partial command so that the cube holds behind it.
pub(super) enum Precondition {
    Cube(Cube),
    /// Nothing does: these literals of the cube contradict what the command assumes or one another.
    Never(Cube),
}

impl Search<'_> {
    /// The literal as an expression about states at the node.
    pub(super) fn say(&mut self, node: usize, literal: Term) -> Option<ExprId> {
        let number = self.activation_of[node]?;
        if let Some(&known) = self.sayings.get(&(number, literal)) {
            return known;
        }
        let meaning = ActivationMeaning {
            activation: &self.activations[number],
            encoder: &self.encoder,
        };
        let said = meaning.say(&mut self.exprs, literal);
        self.sayings.insert((number, literal), said);
        said
    }

    /// What a literal behind the partial command says before it, as conjuncts.
    pub(super) fn image(&mut self, link: usize, partial: usize, literal: Term) -> Rc<[Term]> {
        if let Some(known) = self.images.get(&(link, partial, literal)) {
            return known.clone();
        }
        if partial == super::joined::CHOSEN {
            let mut all = TermPool::TRUE;
            for partial in 0..self.links[link].partials.len() {
                let image = self.image(link, partial, literal);
                let chosen = self.chosen(link, partial);
                let pool = &mut self.encoder.pool;
                let image = pool.and_all(image.iter().copied());
                let one = pool.implies(chosen, image);
                all = pool.and(all, one);
            }
            let image: Rc<[Term]> = Rc::from([all]);
            self.images.insert((link, partial, literal), image.clone());
            return image;
        }
        let said = self.say(self.links[link].target, literal);
        let after = match partial {
            super::joined::JOINED => self.links[link].joined.as_ref(),
            _ => Some(&self.links[link].partials[partial].after),
        };
        let term = match (said, after) {
            (Some(said), Some(after)) => self.encoder.holds(after, &self.exprs, said).ok(),
            _ => None,
        };
        // Cubes hold only what can be said, and what can be said has a formula.
        let term = term.unwrap_or(TermPool::TRUE);
        let image: Rc<[Term]> = match term {
            TermPool::FALSE => Rc::from([term]),
            term => super::command::conjuncts(&self.encoder.pool, [term])
                .literals()
                .into(),
        };
        self.images.insert((link, partial, literal), image.clone());
        image
    }

    pub(super) fn precondition(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
    ) -> Precondition {
        let mut all: Vec<Term> = self.links[link].partials[partial]
            .assumes
            .literals()
            .to_vec();
        for &literal in cube.literals() {
            let image = self.image(link, partial, literal);
            if image[..] == [TermPool::FALSE] {
                return Precondition::Never(Cube::from_iter([literal]));
            }
            all.extend(&image[..]);
        }
        let all = Cube::from_iter(all);
        let pool = &self.encoder.pool;
        let contradiction = all.literals().iter().copied().find(|&literal| {
            let (inner, positive) = pool.strip_not(literal);
            !positive && all.contains(inner)
        });
        if contradiction.is_none()
            && self.options.implied_literals
            && let Some(both) = Pinned::contradiction(&self.encoder.pool, &all)
        {
            return Precondition::Never(self.inverse(link, partial, cube, &both));
        }
        match contradiction {
            None => Precondition::Cube(all),
            Some(literal) => {
                let inner = self.encoder.pool.strip_not(literal).0;
                let both = Cube::from_iter([literal, inner]);
                Precondition::Never(self.inverse(link, partial, cube, &both))
            }
        }
    }

    /// Literals of the cube whose precondition has all of `part`, which the cube's has.
    pub(super) fn inverse(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
        part: &Cube,
    ) -> Cube {
        let assumes = self.links[link].partials[partial].assumes.clone();
        let mut missing: Vec<Term> = part.literals().to_vec();
        missing.retain(|&literal| !assumes.contains(literal));
        let mut needed = Vec::new();
        for &literal in cube.literals() {
            if missing.is_empty() {
                break;
            }
            let image = self.image(link, partial, literal);
            let before = missing.len();
            missing.retain(|other| !image.contains(other));
            if missing.len() < before {
                needed.push(literal);
            }
        }
        needed.into_iter().collect()
    }

    /// States of the source that the latest model of its solver is one of, and from which the
    /// partial command leads into the cube that this is the precondition of. What cannot be said is
    /// left out: then from some of them it may not.
    pub(super) fn predecessor_cube(&mut self, source: usize, precondition: &Cube) -> Cube {
        let Some(number) = self.activation_of[source] else {
            return Cube::empty();
        };
        let (program, activation) = (self.program, &self.activations[number]);
        let mut is_input = |pool: &TermPool, variable: Term| {
            activation.kind(program, pool, variable) == Kind::Input
        };
        let solver = &mut self.solvers[source];
        let mut value = |pool: &TermPool, variable: Term| {
            solver
                .as_mut()
                .and_then(|solver| solver.value(pool, variable))
        };
        let literals = precondition.literals().to_vec();
        let literals = eliminate(&mut self.encoder.pool, literals, &mut is_input, &mut value);
        let said = literals
            .into_iter()
            .filter(|&literal| self.say(source, literal).is_some());
        let cube: Cube = said.collect();
        match self.options.implied_literals {
            true => Pinned::without_implied(&self.encoder.pool, &cube),
            false => cube,
        }
    }
}
