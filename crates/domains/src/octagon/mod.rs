//! The octagon abstract domain: conjunctions of constraints `±x ±y <= c` over integers.
//!
//! A. Miné, *The octagon abstract domain*, HOSC 19 (2006), as used in the thesis on octagon-based
//! verification, section 2.5. Bounds are exact for 64-bit variables and saturate to `+∞`, never
//! wrapping ([`integer_matrix`]); the closure is tight and, after one new constraint, quadratic
//! ([`closure`]); only the lower half of the matrix is stored ([`half_matrix`]); related variables
//! form blocks, and copies share them until they are changed (`shape`).
//!
//! | phase | file |
//! |---|---|
//! | numbers in cells | [`bound`] |
//! | one matrix | [`half_matrix`], [`closure`], [`matrix`], [`integer_matrix`] |
//! | blocks of related variables | `shape`, `bulk`, `alignment`, `lattice`, `decomposed` |
//! | assignments and tests | `transfer` |
//! | what is known, as constraints | `constraints` |

mod alignment;
pub mod bound;
mod bulk;
pub mod closure;
mod constraints;
pub(crate) mod decomposed;
pub mod half_matrix;
pub mod integer_matrix;
mod lattice;
pub mod matrix;
pub(crate) mod shape;
#[cfg(test)]
mod tests;
mod transfer;

use std::hash::Hasher;

use std::fmt;

use decomposed::{Decomposed, UNLIMITED};
use integer_matrix::IntegerMatrix;
pub use shape::Literal;

use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::thresholds::Thresholds;

/// An octagon over integer variables. Variables need no declaration: one that was never mentioned
/// is unbounded.
///
/// Always closed and decomposed as finely as possible, so equality is equality of sets of points.
/// Cloning is cheap.
#[derive(Clone, PartialEq)]
pub struct Octagon {
    octagon: Decomposed<IntegerMatrix>,
}

impl Octagon {
    pub fn top() -> Self {
        Octagon {
            octagon: Decomposed::top(),
        }
    }

    pub fn bottom() -> Self {
        Octagon {
            octagon: Decomposed::bottom(),
        }
    }

    /// Adds `to - from <= bound` (a constraint on one variable if the literals are opposite:
    /// `to = -from`, and the bound is then one of `2·to`).
    pub fn add_difference(&mut self, from: Literal, to: Literal, bound: i128) {
        self.octagon.add_constraint(from, to, bound::Wide(bound));
    }

    /// The octagon of many constraints at once, each as in [`Octagon::add_difference`]: one closure
    /// for each block instead of one for each constraint.
    pub fn of_differences(differences: impl IntoIterator<Item = (Literal, Literal, i128)>) -> Self {
        let differences = differences
            .into_iter()
            .map(|(from, to, b)| (from, to, bound::Wide(b)));
        Octagon {
            octagon: Decomposed::of_differences(differences.collect()),
        }
    }

    /// Feeds the bounds of unrelated variables and which others are related to a hasher; matrices
    /// of equal octagons may differ in how their numbers are stored.
    pub fn fingerprint(&self, hasher: &mut dyn Hasher) {
        self.octagon.fingerprint(hasher);
    }

    /// Removes all knowledge about a variable.
    pub fn forget(&mut self, variable: VarId) {
        self.octagon.forget(variable);
    }

    /// Keeps only knowledge about the chosen variables.
    pub fn retain(&mut self, keep: impl Fn(VarId) -> bool) {
        self.octagon.update(|s| {
            s.retain(keep);
            Ok(())
        });
    }

    /// The same octagon over other variables; `rename` must not map two of its variables to one.
    pub fn rename(&self, rename: impl Fn(VarId) -> VarId) -> Self {
        Octagon {
            octagon: self.octagon.rename(rename),
        }
    }

    /// The variables that are bounded or related to another, sorted.
    pub fn variables(&self) -> Vec<VarId> {
        let shape = self.octagon.shape();
        shape.map_or_else(Vec::new, |s| {
            s.places().into_iter().map(|(v, _)| v).collect()
        })
    }

    /// The blocks of related variables, each with at least two.
    pub fn blocks(&self) -> Vec<&[VarId]> {
        let shape = self.octagon.shape();
        shape.map_or_else(Vec::new, |s| {
            s.blocks.iter().map(|b| &*b.variables).collect()
        })
    }

    /// An upper bound that costs less than [`Lattice::join`] where much has changed: if the bounds
    /// of more than `limit` variables differ in opposite directions, those variables are not
    /// related to one another, unless they were related before. (The least upper bound relates them
    /// all: of two states that differ in the constants of 500 variables it is a block of 500.)
    pub fn join_limited(&self, other: &Self, limit: usize) -> Self {
        Octagon {
            octagon: self.octagon.join(&other.octagon, limit),
        }
    }

    /// [`Lattice::widen_with`] with the limit of [`Octagon::join_limited`].
    pub fn widen_limited(&self, newer: &Self, thresholds: &Thresholds, limit: usize) -> Self {
        Octagon {
            octagon: self.octagon.widen(&newer.octagon, thresholds, limit),
        }
    }

    /// Constraints that together say what the octagon says, without those that follow from others.
    pub fn constraints(&self) -> Vec<Constraint> {
        constraints::of_octagon(&self.octagon)
    }
}

impl Lattice for Octagon {
    fn bottom(&self) -> Self {
        Octagon::bottom()
    }

    fn top(&self) -> Self {
        Octagon::top()
    }

    fn is_bottom(&self) -> bool {
        self.octagon.is_bottom()
    }

    fn is_top(&self) -> bool {
        self.octagon.is_top()
    }

    fn leq(&self, other: &Self) -> bool {
        self.octagon.leq(&other.octagon)
    }

    fn join(&self, other: &Self) -> Self {
        Octagon {
            octagon: self.octagon.join(&other.octagon, UNLIMITED),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        Octagon {
            octagon: self.octagon.meet(&other.octagon),
        }
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        Octagon {
            octagon: self.octagon.widen(&newer.octagon, thresholds, UNLIMITED),
        }
    }

    fn narrow(&self, newer: &Self) -> Self {
        Octagon {
            octagon: self.octagon.narrow(&newer.octagon),
        }
    }
}

impl fmt::Debug for Octagon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.constraints()).finish()
    }
}
