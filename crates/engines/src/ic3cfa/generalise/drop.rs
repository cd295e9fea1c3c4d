//! Section 4.3: literals are dropped while the cube stays inductive, one by one or by halves.
//!
//! `genBinary` is after A. Bradley, Z. Manna, Checking safety by inductive generalization of
//! counterexamples to induction, FMCAD 2007: its recursive calls must be those of `genBinary`
//! itself, and the right half is searched with what is left of the left one.

use crate::ic3cfa::Search;
use facts::engine::Reason;
use logic::{Cube, Term};

/// Cubes with at least so many literals are halved.
const HALVED: usize = 4;

impl Search<'_> {
    /// A part of the cube that is inductive relative to the edge together with the support, as the
    /// cube is.
    pub(in crate::ic3cfa) fn drop_literals(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
        support: &Cube,
    ) -> Result<Cube, Reason> {
        if cube.len() >= HALVED {
            return self.by_halves(link, cube.literals(), level, support);
        }
        // `genMic` (algorithm 4.3.2).
        let mut left = cube.union(support);
        for &literal in cube.literals() {
            if support.contains(literal) {
                continue;
            }
            let fewer = left.without(literal);
            if self.inductive_or_repaired(link, &fewer, level)? {
                left = fewer;
            }
        }
        Ok(left)
    }

    /// `genBinary` (algorithm 4.3.3).
    fn by_halves(
        &mut self,
        link: usize,
        literals: &[Term],
        level: u32,
        support: &Cube,
    ) -> Result<Cube, Reason> {
        let with = |part: &[Term]| support.union(&part.iter().copied().collect());
        if literals.len() <= 1 {
            // With nothing else to keep, the last literal may still go.
            let is_alone = support.is_empty() && literals.len() == 1;
            let goes = is_alone && self.inductive(link, support, level)?.is_some();
            return Ok(if goes {
                support.clone()
            } else {
                with(literals)
            });
        }
        let (left, right) = literals.split_at(literals.len() / 2);
        if self.inductive(link, &with(left), level)?.is_some() {
            return self.by_halves(link, left, level, support);
        }
        if self.inductive(link, &with(right), level)?.is_some() {
            return self.by_halves(link, right, level, support);
        }
        let kept_left = self.by_halves(link, left, level, &with(right))?;
        let kept_left = kept_left.filtered(|literal| left.contains(&literal));
        let support_right = support.union(&kept_left);
        self.by_halves(link, right, level, &support_right)
    }

    /// Is the cube inductive relative to the edge, if need be after counterexamples to that were
    /// blocked?
    fn inductive_or_repaired(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<bool, Reason> {
        if self.inductive(link, cube, level)?.is_some() {
            return Ok(true);
        }
        match self.options.section_5_11_counterexamples {
            true => self.repair(link, cube, level),
            false => Ok(false),
        }
    }
}
