//! Bounded disjunctions of intervals.
//!
//! The values of the Invariants CPA (D. Beyer, M. Dangl, P. Wendler, *Boosting k-induction with
//! continuously-refined invariants*, CAV 2015; Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016 section 2.3.6): a variable is in one of
//! several intervals, wrap-around splits an interval in two instead of losing it, and widening
//! leaves a single interval. At most [`IntervalSet::LIMIT`] intervals are kept; beyond that those
//! with the smallest gaps are united.

use std::fmt;

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, UnaryOperator, on_intervals};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Constraint, VarId};
use crate::machine::MachineInt;
use crate::thresholds::Thresholds;
use crate::value::{Comparison, Value, restrict_interval, restrict_interval_right};

/// A union of intervals: sorted, not empty, with at least one number between two neighbours.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IntervalSet {
    parts: Vec<Interval>,
}

impl IntervalSet {
    /// How many intervals are kept apart.
    pub const LIMIT: usize = 16;

    pub fn empty() -> Self {
        IntervalSet { parts: Vec::new() }
    }

    pub fn all() -> Self {
        IntervalSet {
            parts: vec![Interval::TOP],
        }
    }

    /// The union of intervals, or a little more if there are too many.
    pub fn new(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let mut set = Self::exact(intervals);
        set.unite_smallest_gaps();
        set
    }

    fn of(interval: Interval) -> Self {
        Self::new([interval])
    }

    /// The union of intervals, however many.
    fn exact(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let mut parts: Vec<Interval> = intervals.into_iter().filter(|i| !i.is_empty()).collect();
        parts.sort_unstable_by_key(|i| (i.raw_lower(), i.raw_upper()));
        parts.dedup_by(|next, kept| {
            let touches = next.raw_lower() <= kept.raw_upper().saturating_add(1);
            if touches {
                *kept = kept.hull(*next);
            }
            touches
        });
        IntervalSet { parts }
    }

    fn unite_smallest_gaps(&mut self) {
        let Some(surplus) = self.parts.len().checked_sub(Self::LIMIT).filter(|&n| n > 0) else {
            return;
        };
        let gap = |k: usize| {
            self.parts[k + 1]
                .raw_lower()
                .wrapping_sub(self.parts[k].raw_upper()) as u128
        };
        let mut gaps: Vec<usize> = (0..self.parts.len() - 1).collect();
        gaps.sort_by_key(|&k| gap(k));
        let mut closed = vec![false; self.parts.len()];
        for &k in &gaps[..surplus] {
            closed[k + 1] = true;
        }
        let mut united: Vec<Interval> = Vec::with_capacity(Self::LIMIT);
        for (part, closed) in self.parts.iter().zip(closed) {
            match united.last_mut() {
                Some(last) if closed => *last = last.hull(*part),
                _ => united.push(*part),
            }
        }
        self.parts = united;
    }

    pub fn intervals(&self) -> &[Interval] {
        &self.parts
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn contains(&self, value: i128) -> bool {
        self.parts.iter().any(|p| p.contains(value))
    }

    pub fn hull(&self) -> Interval {
        match (self.parts.first(), self.parts.last()) {
            (Some(first), Some(last)) => first.hull(*last),
            _ => Interval::EMPTY,
        }
    }

    pub fn as_constant(&self) -> Option<i128> {
        self.hull().as_constant()
    }

    /// Keeps the part of each interval that lies in `interval`; never more intervals than before.
    fn within(&self, interval: Interval) -> Self {
        Self::exact(self.parts.iter().map(|p| p.intersect(interval)))
    }

    fn without(&self, value: i128) -> Self {
        let without = Self::exact(self.parts.iter().flat_map(|&p| {
            [
                p.intersect(Interval::at_most(value.saturating_sub(1))),
                p.intersect(Interval::at_least(value.saturating_add(1))),
            ]
        }));
        // Uniting a gap could add other numbers.
        if without.parts.len() > Self::LIMIT {
            self.clone()
        } else {
            without
        }
    }

    fn each(&self, operation: impl Fn(Interval) -> Interval) -> Self {
        Self::new(self.parts.iter().map(|&p| operation(p)))
    }
}

/// The intervals of the wrapped values of one interval.
fn wrapped(interval: Interval, to: MachineInt) -> [Interval; 2] {
    if let Some(offset) = interval.wrap_offset(to) {
        return [interval.plus(Interval::constant(offset)), Interval::EMPTY];
    }
    let range = to.range();
    let parts = || {
        let shorter = interval.count()? < to.modulus()?;
        let lower = to.wrap_value(interval.lower()?)?;
        let upper = to.wrap_value(interval.upper()?)?;
        // Shorter than the type's range but not within one window: it crosses exactly one border.
        shorter.then(|| {
            [
                range.intersect(Interval::at_least(lower)),
                range.intersect(Interval::at_most(upper)),
            ]
        })
    };
    parts().unwrap_or([range, Interval::EMPTY])
}

impl Lattice for IntervalSet {
    fn bottom(&self) -> Self {
        IntervalSet::empty()
    }

    fn top(&self) -> Self {
        IntervalSet::all()
    }

    fn is_bottom(&self) -> bool {
        self.is_empty()
    }

    fn is_top(&self) -> bool {
        self.parts == [Interval::TOP]
    }

    fn leq(&self, other: &Self) -> bool {
        // Neighbours never touch, so an interval lies in the union exactly if it lies in one of
        // them.
        self.parts
            .iter()
            .all(|p| other.parts.iter().any(|q| p.is_subset_of(*q)))
    }

    fn join(&self, other: &Self) -> Self {
        Self::new(self.parts.iter().chain(&other.parts).copied())
    }

    fn meet(&self, other: &Self) -> Self {
        let both = Self::exact(
            self.parts
                .iter()
                .flat_map(|p| other.parts.iter().map(|q| p.intersect(*q))),
        );
        if both.parts.len() > Self::LIMIT {
            self.within(other.hull())
        } else {
            both
        }
    }

    fn widen(&self, newer: &Self) -> Self {
        self.widen_with(newer, &Thresholds::none())
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        if newer.leq(self) {
            return self.clone();
        }
        Self::of(self.hull().widen_with(&newer.hull(), thresholds))
    }

    /// Replaces infinite ends only, so it ends after two steps.
    fn narrow(&self, newer: &Self) -> Self {
        if newer.is_empty() {
            return newer.clone();
        }
        self.within(self.hull().narrow(&newer.hull()))
    }
}

impl Value for IntervalSet {
    fn any() -> Self {
        IntervalSet::all()
    }

    fn none() -> Self {
        IntervalSet::empty()
    }

    fn of_interval(interval: Interval) -> Self {
        Self::of(interval)
    }

    fn interval(&self) -> Interval {
        self.hull()
    }

    fn unary(operator: UnaryOperator, operand: &Self) -> Self {
        operand.each(|p| Interval::unary(operator, &p))
    }

    fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Self {
        Self::new(left.parts.iter().flat_map(|&p| {
            right
                .parts
                .iter()
                .map(move |&q| on_intervals(operator, p, q))
        }))
    }

    fn wrap(&self, to: MachineInt) -> Self {
        Self::new(self.parts.iter().flat_map(|&p| wrapped(p, to)))
    }

    fn restrict(&self, comparison: Comparison, right: &Self) -> Self {
        match comparison {
            Comparison::Equal => self.meet(right),
            Comparison::NotEqual => match right.as_constant() {
                Some(value) => self.without(value),
                None if right.is_empty() => IntervalSet::empty(),
                None => self.clone(),
            },
            _ => self.within(restrict_interval(Interval::TOP, comparison, right.hull())),
        }
    }

    fn restrict_right(&self, comparison: Comparison, left: &Self) -> Self {
        match comparison {
            Comparison::Equal | Comparison::NotEqual => self.restrict(comparison, left),
            _ => self.within(restrict_interval_right(
                Interval::TOP,
                comparison,
                left.hull(),
            )),
        }
    }

    fn restrict_congruence(&self, congruence: Congruence) -> Self {
        Self::exact(self.parts.iter().map(|&p| congruence.tighten(p)))
    }

    fn constraints(&self, variable: VarId) -> Vec<Constraint> {
        if self.parts.len() > 1 {
            return vec![Constraint::OneOf {
                variable,
                intervals: self.parts.clone(),
            }];
        }
        Constraint::of_interval(variable, self.hull())
    }
}

impl fmt::Debug for IntervalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.parts).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::laws;
    use crate::value::value_laws::check_value;

    fn sets() -> impl Strategy<Value = IntervalSet> {
        prop_oneof![
            8 => prop::collection::vec((-60i128..60, 0i128..6), 0..6).prop_map(|v| {
                IntervalSet::new(v.into_iter().map(|(lo, n)| Interval::finite(lo, lo + n)))
            }),
            1 => (-5i128..5, 6i128..9).prop_map(|(a, b)| {
                IntervalSet::new([Interval::at_most(a), Interval::at_least(b)])
            }),
            1 => Just(IntervalSet::all()),
        ]
    }

    fn with_member() -> impl Strategy<Value = (IntervalSet, i128)> {
        (sets(), -300i128..300, 0i128..3)
            .prop_map(|(set, x, n)| (set.join(&IntervalSet::of(Interval::finite(x, x + n))), x))
    }

    proptest! {
        #[test]
        fn lattice_laws(a in sets(), b in sets(), c in sets()) {
            laws::check_lattice(&a, &b, &c)?;
            laws::check_stabilises(&a, &[b.clone(), c.clone(), a.join(&b)], 4)?;
            laws::check_stabilises_with(&a, &[b, c], &Thresholds::new([-30, 0, 50]), 10)?;
        }

        #[test]
        fn operations_hold_all_results((a, x) in with_member(), (b, y) in with_member()) {
            check_value((&a, x), (&b, y), IntervalSet::contains_ref)?;
        }

        #[test]
        fn set_operations_are_exact_while_there_is_room(a in sets(), b in sets(), v in -70i128..70) {
            prop_assert_eq!(a.join(&b).contains(v), a.contains(v) || b.contains(v));
            prop_assert_eq!(a.meet(&b).contains(v), a.contains(v) && b.contains(v));
            prop_assert_eq!(a.without(3).contains(v), a.contains(v) && v != 3);
        }

        #[test]
        fn wrapping_is_exact(lo in -900i128..900, n in 0i128..300, signed: bool, v in -200i128..300) {
            let to = MachineInt::new(8, signed).expect("valid");
            let interval = Interval::finite(lo, lo + n);
            let expected = (lo..=lo + n).any(|x| to.wrap_value(x) == Some(v));
            prop_assert_eq!(IntervalSet::of(interval).wrap(to).contains(v), expected);
        }

        #[test]
        fn many_intervals_are_united_at_small_gaps(points in prop::collection::vec(-5000i128..5000, 1..60)) {
            let set = IntervalSet::new(points.iter().map(|&p| Interval::constant(p)));
            prop_assert!(set.intervals().len() <= IntervalSet::LIMIT);
            prop_assert!(points.iter().all(|&p| set.contains(p)));
            prop_assert!(set.intervals().windows(2).all(|w| w[0].raw_upper() + 1 < w[1].raw_lower()));
        }
    }

    impl IntervalSet {
        fn contains_ref(set: &IntervalSet, value: i128) -> bool {
            set.contains(value)
        }
    }
}
