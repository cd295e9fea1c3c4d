//! The order on abstract values, with the laws that every domain of this crate is tested against.

use crate::thresholds::Thresholds;

/// A lattice with widening and narrowing.
///
/// `γ(a)` is the set of concrete values (or states) that `a` stands for. The laws, tested for every
/// implementation:
///
/// 1. `leq` is a partial order up to `γ`: reflexive, transitive; `a.leq(b)` implies `γ(a) ⊆ γ(b)`.
/// 2. `bottom ⊑ a ⊑ top`; `is_bottom` holds exactly for elements known to have an empty `γ`.
/// 3. `a ⊑ a.join(b)` and `b ⊑ a.join(b)`, hence `γ(a) ∪ γ(b) ⊆ γ(a.join(b))`.
/// 4. `γ(a) ∩ γ(b) ⊆ γ(a.meet(b))`; where the domain is closed under intersection, also
///    `a.meet(b) ⊑ a`.
/// 5. `a.join(b) ⊑ a.widen(b)` (and `widen_with`), and any sequence `w₀ = a, wₙ₊₁ = wₙ.widen(bₙ)`
///    becomes stable.
/// 6. `γ(a) ∩ γ(b) ⊆ γ(a.narrow(b))`, `a.narrow(b) ⊑ a`, and any sequence of narrowings becomes
///    stable.
///
/// `bottom` and `top` take an element because some domains have a shape (a bit width) that the new
/// element shares.
pub trait Lattice: Clone + PartialEq {
    /// The least element of the same shape as `self`.
    fn bottom(&self) -> Self;
    /// The greatest element of the same shape as `self`.
    fn top(&self) -> Self;
    fn is_bottom(&self) -> bool;
    fn is_top(&self) -> bool;
    fn leq(&self, other: &Self) -> bool;
    fn join(&self, other: &Self) -> Self;
    fn meet(&self, other: &Self) -> Self;
    /// An upper bound of both that makes increasing sequences finite; `self` is the older value.
    fn widen(&self, newer: &Self) -> Self;
    /// Like [`Lattice::widen`], but an unstable bound goes to the next threshold before it goes to
    /// infinity.
    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        let _ = thresholds;
        self.widen(newer)
    }
    /// Improves `self` by `newer` finitely often; meant for `newer ⊑ self` after a widening.
    fn narrow(&self, newer: &Self) -> Self;
}
