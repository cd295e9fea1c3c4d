//! What analyses over the numeric domains are made of: states, transfer, and what the states say as
//! program expressions.
//!
//! | concern | module |
//! |---|---|
//! | program expressions for the domains | [`translate`] |
//! | the effect of steps | [`transfer`], [`condition`], [`floats`] |
//! | domains by name | [`choice`], [`limited`] |
//! | variables of callers apart; covering by several states | [`frames`], [`cover`] |
//! | knowledge as program expressions | [`express`], `define` |
//! | addresses as numbers | [`placed`] |

pub mod choice;
pub mod classes;
mod condition;
pub mod cover;
pub mod dead;
mod define;
pub mod express;
mod floats;
pub mod frames;
pub mod limited;
pub mod placed;
pub mod transfer;
pub mod translate;

use domains::float::octagon::FloatOctagon;
use domains::lattice::Lattice;
use domains::numeric::NumericDomain;
use domains::thresholds::Thresholds;

/// What is known about the integer variables and, if floats are handled, about the float variables.
#[derive(Clone, PartialEq, Debug)]
pub struct NumericState<D> {
    pub integers: D,
    pub floats: FloatOctagon,
}

impl<D: NumericDomain> NumericState<D> {
    pub fn new(top: D) -> NumericState<D> {
        NumericState {
            integers: top,
            floats: FloatOctagon::top(),
        }
    }

    pub fn is_bottom(&self) -> bool {
        self.integers.is_bottom() || self.floats.is_bottom()
    }

    pub fn leq(&self, other: &Self) -> bool {
        self.integers.leq(&other.integers) && self.floats.leq(&other.floats)
    }

    /// A join with an empty state is the other one; where a part is empty, so is the whole.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        NumericState {
            integers: self.integers.join(&other.integers),
            floats: self.floats.join(&other.floats),
        }
    }

    #[must_use]
    pub fn widen(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        if self.is_bottom() {
            return newer.clone();
        }
        if newer.is_bottom() {
            return self.clone();
        }
        NumericState {
            integers: self.integers.widen_with(&newer.integers, thresholds),
            floats: self.floats.widen_with(&newer.floats, thresholds),
        }
    }

    #[must_use]
    pub fn narrow(&self, newer: &Self) -> Self {
        NumericState {
            integers: self.integers.narrow(&newer.integers),
            floats: self.floats.narrow(&newer.floats),
        }
    }
}
