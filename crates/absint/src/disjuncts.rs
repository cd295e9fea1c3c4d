//! Several abstract states for one place: what holds there is one of them.
//!
//! M. Greitschus, D. Dietsch, A. Podelski: Refining Trace Abstraction using Abstract
//! Interpretation, section 2: states that meet are merged, or a bounded number of them is kept
//! apart. A bound of one is the analysis that merges all.

use crate::numeric::NumericState;
use domains::numeric::NumericDomain;
use domains::thresholds::Thresholds;

/// Laws: never empty; no state is within another one; at most as many as the bound that joins and
/// widenings are given.
#[derive(Clone, PartialEq, Debug)]
pub struct Disjuncts<D>(Vec<NumericState<D>>);

impl<D: NumericDomain> Disjuncts<D> {
    pub fn one(state: NumericState<D>) -> Disjuncts<D> {
        Disjuncts(vec![state])
    }

    pub fn states(&self) -> &[NumericState<D>] {
        &self.0
    }

    /// What becomes of each; none if nothing is left.
    pub fn map(
        &self,
        most: usize,
        mut f: impl FnMut(&NumericState<D>) -> Option<NumericState<D>>,
    ) -> Option<Disjuncts<D>> {
        let mut after: Option<Disjuncts<D>> = None;
        for state in self.0.iter().filter_map(&mut f) {
            match &mut after {
                Some(others) => others.add(state, most),
                None => after = Some(Disjuncts::one(state)),
            }
        }
        after
    }

    /// Is each state within one of the other's?
    pub fn leq(&self, other: &Self) -> bool {
        let covered = |state: &NumericState<D>| other.0.iter().any(|large| state.leq(large));
        self.0.iter().all(covered)
    }

    #[must_use]
    pub fn join(&self, other: &Self, most: usize) -> Self {
        let mut joined = self.clone();
        for state in &other.0 {
            joined.add(state.clone(), most);
        }
        joined
    }

    fn add(&mut self, new: NumericState<D>, most: usize) {
        if self.0.iter().any(|old| new.leq(old)) {
            return;
        }
        self.0.retain(|old| !old.leq(&new));
        self.0.push(new);
        // The latest two are most likely to be of the same way.
        while self.0.len() > most.max(1)
            && let Some(last) = self.0.pop()
            && let Some(before) = self.0.pop()
        {
            let joined = before.join(&last);
            self.0.retain(|old| !old.leq(&joined));
            self.0.push(joined);
        }
    }

    /// Every state that is new makes one of the old ones wider, and no state is added: an ascending
    /// sequence ends, because that of each of its states does.
    #[must_use]
    pub fn widen(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        let mut wider = self.clone();
        for new in &newer.0 {
            if !wider.0.iter().any(|old| new.leq(old))
                && let Some(last) = wider.0.last_mut()
            {
                let joined = last.join(new);
                *last = last.widen(&joined, thresholds);
            }
        }
        wider
    }

    /// Narrows where the states of both are each other's; what was split or merged since stays as
    /// it was.
    #[must_use]
    pub fn narrow(&self, newer: &Self) -> Option<Self> {
        if let ([old], [new]) = (&self.0[..], &newer.0[..]) {
            let narrowed = old.narrow(new);
            return (!narrowed.is_bottom()).then(|| Disjuncts::one(narrowed));
        }
        let pairs = self.0.iter().zip(&newer.0);
        if self.0.len() != newer.0.len() || !pairs.clone().all(|(old, new)| new.leq(old)) {
            return Some(self.clone());
        }
        let narrowed: Vec<NumericState<D>> = pairs
            .map(|(old, new)| old.narrow(new))
            .filter(|state| !state.is_bottom())
            .collect();
        (!narrowed.is_empty()).then_some(Disjuncts(narrowed))
    }
}
