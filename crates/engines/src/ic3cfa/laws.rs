//! The laws of generalisation, which tests and debug builds check on every call: what a syntactic
//! check says is what the solver says, and what comes out of it blocks what went in.

use super::Search;
use super::wep::Precondition;
use facts::engine::Reason;
use logic::{Cube, Term};

/// Release builds do without, except in the tests of this crate.
const IS_CHECKED: bool = cfg!(any(test, debug_assertions));

impl Search<'_> {
    /// In tests: what a syntactic check says is what the solver says.
    pub(super) fn check_law(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
        level: u32,
        section: &str,
    ) -> Result<(), Reason> {
        let source = self.links[link].source;
        let before = self.before(link, level);
        if !IS_CHECKED || self.is_bottom(source, before) {
            return Ok(());
        }
        let Precondition::Cube(precondition) = self.precondition(link, partial, cube) else {
            return Ok(());
        };
        let negation = self.negation(link, cube);
        let question = precondition.literals().iter().copied().chain(negation);
        let question: Vec<Term> = question.collect();
        let answer = self.ask_uncounted(source, before, &question)?;
        assert!(
            answer.is_unsat(),
            "section {section} is wrong about {cube:?}"
        );
        Ok(())
    }

    /// In tests: every state of the cube is one of its generalisation.
    pub(super) fn check_covers(
        &mut self,
        node: usize,
        general: &Cube,
        cube: &Cube,
    ) -> Result<(), Reason> {
        if !IS_CHECKED || general.is_subset(cube) {
            return Ok(());
        }
        let outside = general.negation(&mut self.encoder.pool);
        let question = cube.literals().iter().copied().chain([outside]);
        let question: Vec<Term> = question.collect();
        let answer = self.answer(node, &question)?;
        assert!(answer.is_unsat(), "{general:?} does not block {cube:?}");
        Ok(())
    }

    /// In tests: from each state of the cube some partial command leads into what is behind.
    pub(super) fn check_lifted(
        &mut self,
        link: usize,
        lifted: &Cube,
        behind: &Cube,
    ) -> Result<(), Reason> {
        if !IS_CHECKED {
            return Ok(());
        }
        let mut question = lifted.literals().to_vec();
        for partial in 0..self.links[link].partials.len() {
            if let Precondition::Cube(precondition) = self.precondition(link, partial, behind) {
                question.push(precondition.negation(&mut self.encoder.pool));
            }
        }
        let answer = self.answer(self.links[link].source, &question)?;
        assert!(
            answer.is_unsat(),
            "{lifted:?} does not lead into {behind:?}"
        );
        Ok(())
    }

    /// In tests: one of the partial commands with these preconditions leads into the cube.
    pub(super) fn check_entered(
        &mut self,
        link: usize,
        open: &[(usize, Cube)],
        cube: &Cube,
        level: u32,
    ) -> Result<(), Reason> {
        if !IS_CHECKED {
            return Ok(());
        }
        let source = self.links[link].source;
        let negation = self.negation(link, cube);
        for (_, precondition) in open {
            let question = precondition.literals().iter().copied().chain(negation);
            let question: Vec<Term> = question.collect();
            if !self
                .ask_uncounted(source, self.before(link, level), &question)?
                .is_unsat()
            {
                return Ok(());
            }
        }
        panic!("a state that was met is wrong about {cube:?}");
    }

    /// In tests: the cube is inductive relative to the edge.
    pub(super) fn check_inductive(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
        section: &str,
    ) -> Result<(), Reason> {
        if IS_CHECKED {
            for partial in 0..self.links[link].partials.len() {
                self.check_law(link, partial, cube, level, section)?;
            }
        }
        Ok(())
    }
}
