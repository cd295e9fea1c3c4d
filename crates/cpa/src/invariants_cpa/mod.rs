//! The Invariants CPA (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate Analysis with
//! Auxiliary Invariants*, 2016, section 2.3.6; Beyer2015: D. Beyer, M. Dangl, P. Wendler,
//! *Boosting k-induction with continuously-refined invariants*, CAV 2015): mappings from variables
//! to expressions over disjunctions of intervals, under a precision that is refined again and
//! again.
//!
//! | paper | here |
//! |---|---|
//! | abstract state `M : X → Expr` | [`absint::numeric::NumericState`] over [`ExpressionMap`] |
//! | precision `π = (Y, n, w)` | [`analysis::InvariantsPrecision`] |
//! | `Y`, the important variables | [`analysis::InvariantsPrecision::important`] |
//! | `n`, the nesting depth | [`analysis::InvariantsPrecision::depth`] |
//! | `w`, whether to widen | [`analysis::InvariantsPrecision::widening`] |
//! | `differ_π(e₁, e₂)` | [`analysis::differ`] |
//! | `merge(e₁, e₂, π)`: widen, union or `e₂` | the analysis's `merge` |
//! | algorithm 3 | [`refinement::run`], on [`absint::continuous`] |
//! | `CPAAlgorithm(D, …)` | [`crate::algorithm::CpaAlgorithm`] |
//! | `containsTargetState(reached)` | targets, or executions that were not followed |
//! | `Inv := Inv ∧ ⋁ reached` | the round's map, published: readers conjoin facts |
//! | `RefinePrec(π)` | [`refinement::Increase`], in the order that the options say |
//!
//! Deviations: a variable keeps its intervals beside its expression (see [`ExpressionMap`]). In
//! expressions a constant is one interval, not a disjunction of several, and there is no operator
//! that unites expressions: where states with different expressions for a variable are united, its
//! intervals are, and the expression is dropped unless it holds in both. An expression that is not
//! linear is published as it is; where it cannot be said, the map is checked before it is published
//! ([`absint::publication`]). Widening is done at loop heads, where every cycle passes, and rests
//! at thresholds; elsewhere states are united. A round has a limit of time, since without widening
//! it need not end; a round that does not end says nothing. The disjunction over a place's states
//! is published only if all states of the round are few: a map with gaps would not be inductive.
//!
//! [`ExpressionMap`]: domains::expression_map::ExpressionMap

pub mod analysis;
pub mod refinement;
#[cfg(test)]
mod tests;
