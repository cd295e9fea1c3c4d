//! Configurable program analysis with dynamic precision adjustment (CPA+), as Stieglmaier2014 (T.
//! Stieglmaier, *Octagon-Based Software Verification with CPAchecker*, 2014, section 2.2.1) and
//! Beyer2008 (D. Beyer, T. Henzinger, G. Théoduloz, *Program Analysis with Dynamic Precision
//! Adjustment*, 2008) define it.
//!
//! | paper | here |
//! |---|---|
//! | abstract state `e ∈ E` | [`Cpa::State`] |
//! | precision `π ∈ Π` | [`Cpa::Precision`] |
//! | `e ⊑ e'` | [`Cpa::leq`] |
//! | transfer relation `e ⇝ᵍ (e', π)` | [`Cpa::successors`]; `g` is a [`Step`] |
//! | `merge(e, e', π)` | [`Cpa::merge`]; [`Merge`] names the usual operators |
//! | `stop(e, R, π)` | [`Cpa::stop`]; [`Stop`] names the usual operators |
//! | `prec(e, π, R)` | [`Cpa::adjust`] |
//! | `isTargetState(e)` | [`Cpa::is_target`] |
//! | `↓` (strengthen), `⪯` (compare) | [`crate::composite::Combine`] |
//!
//! Deviations: edges carry the places that they join, so that an analysis need not be composed with
//! those of locations and call stacks to know where it is; merge and stop are asked only about
//! states at one place, since the reached set is partitioned by places.

use crate::reached::NodeId;
use absint::place::{CallPlace, Step};
use serde::{Deserialize, Serialize};

/// Merge operators. `e` is the new state, `e'` the one in the reached set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// Keep states apart: `merge(e, e') = e'`.
    #[default]
    Sep,
    /// Join states: `merge(e, e') = e ⊔ e'`.
    Join,
    /// Widen states: `merge(e, e') = e' ∇ (e ⊔ e')`.
    Widening,
}

/// Termination checks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// One state of the reached set covers the new one.
    #[default]
    Sep,
    /// The join of the reached states covers the new one.
    Join,
}

/// A configurable program analysis.
///
/// Laws; `⟦e⟧` is the set of concrete states that `e` stands for:
/// 1. `leq(e, e')` implies `⟦e⟧ ⊆ ⟦e'⟧`.
/// 2. For every concrete state of `⟦e⟧`, what a step leads to from it lies in `⟦e'⟧` for some
///    successor `e'`, under every precision.
/// 3. `merge(e, e')`, if it gives a state at all, gives one above `e'`.
/// 4. If `stop(e, R)` says yes, `⟦e⟧` lies in the union of the `⟦r⟧`, `r ∈ R`.
/// 5. `adjust` gives a state whose concrete states contain all that are reachable in `e`; none only
///    if there are none.
pub trait Cpa {
    type State: Clone;
    /// Cheap to clone: every state of the reached set has one.
    type Precision: Clone;

    /// At the entry of the program.
    fn initial(&mut self) -> (Self::State, Self::Precision);

    /// Appends the abstract successors over a step.
    fn successors(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        step: &Step,
        successors: &mut Vec<Self::State>,
    );

    /// Adjusts a state that a step has led to, and its precision; `None` if the state turns out to
    /// be empty.
    fn adjust(
        &mut self,
        state: Self::State,
        precision: Self::Precision,
        step: &Step,
    ) -> Option<(Self::State, Self::Precision)> {
        let _ = step;
        Some((state, precision))
    }

    /// Can two states at the place be merged at all? A quick "no" spares the search for partners.
    fn may_merge(&self, place: CallPlace) -> bool {
        let _ = place;
        false
    }

    /// The reached state `old` with the information of `new`; `None` if it stays as it is.
    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        precision: &Self::Precision,
        place: CallPlace,
    ) -> Option<Self::State> {
        let _ = (new, old, precision, place);
        None
    }

    /// `small ⊑ large`.
    fn leq(&mut self, small: &Self::State, large: &Self::State) -> bool;

    /// A number that two states at one place share only if they are equal: finds the most common
    /// cover without a search.
    fn identity(&mut self, state: &Self::State) -> Option<u64> {
        let _ = state;
        None
    }

    /// Is the state covered by the reached ones? The answer names one of those that cover it.
    /// Default: `stop^sep`.
    fn stop<'a>(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        reached: &mut dyn Iterator<Item = (NodeId, &'a Self::State)>,
    ) -> Option<NodeId>
    where
        Self::State: 'a,
    {
        let _ = precision;
        for (node, other) in reached {
            if self.leq(state, other) {
                return Some(node);
            }
        }
        None
    }

    fn is_target(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
}

/// States that know where they are.
pub trait Placed {
    fn place(&self) -> CallPlace;
}
