//! Refinement: from a path that the analysis takes for possible to a precision that excludes it.

use absint::place::Step;
use facts::budget::Budget;
use serde::{Deserialize, Serialize};

/// What is done with the reached set when the precision grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// All of it.
    Eager,
    /// The states from the first one on that the new precision changes.
    #[default]
    Lazy,
    /// All of it, and only after the whole state space was explored.
    Global,
}

/// A path to a target.
#[derive(Clone, Copy, Debug)]
pub struct Alarm<'a> {
    pub path: &'a [Step],
    /// How often the precision was refined before.
    pub refinements: u64,
    /// No execution was found on the path, although the analysis could not refute it.
    pub is_rejected: bool,
}

/// Another precision.
#[derive(Clone, Debug)]
pub struct Refinement<P> {
    pub precision: P,
    /// The number of the step from which on the abstraction changes; `None` if all of it may.
    pub cut: Option<usize>,
}

/// `Refine(σ)`: finds precisions that exclude spurious counterexamples.
///
/// Laws, if there is an answer:
/// - Its precision is at least as fine as the given one.
/// - Of an alarm that was not rejected: the analysis does not take the path, if it is started anew
///   under that precision.
/// - Of one that was rejected: the precision is finer, and tells the path from others to the same
///   place.
pub trait Refiner<P> {
    /// A precision against the alarm; `None` if the analysis cannot refute it whatever it tracks.
    fn refine(
        &mut self,
        alarm: &Alarm<'_>,
        precision: &P,
        budget: &Budget,
    ) -> Option<Refinement<P>>;
}

/// Whoever has a precision that nothing refines.
pub struct NoRefiner;

impl<P> Refiner<P> for NoRefiner {
    fn refine(&mut self, _: &Alarm<'_>, _: &P, _: &Budget) -> Option<Refinement<P>> {
        None
    }
}
