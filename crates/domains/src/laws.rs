//! Executable forms of the laws on [`Lattice`], for the property tests of every domain.

use proptest::prelude::*;

use crate::lattice::Lattice;
use crate::thresholds::Thresholds;

/// Small values for so many variables.
pub(crate) fn points(variables: usize) -> impl Strategy<Value = Vec<i128>> {
    prop::collection::vec(-8i128..8, variables)
}

/// Laws 1 to 6 as far as they speak of the order alone.
pub(crate) fn check_lattice<L: Lattice + std::fmt::Debug>(
    a: &L,
    b: &L,
    c: &L,
) -> Result<(), TestCaseError> {
    let (bottom, top) = (a.bottom(), a.top());
    prop_assert!(bottom.is_bottom());
    prop_assert!(top.is_top());
    prop_assert!(a.leq(a), "not reflexive: {:?}", a);
    prop_assert!(bottom.leq(a) && a.leq(&top));
    prop_assert_eq!(a.is_bottom(), a.leq(&bottom));
    prop_assert_eq!(a.is_top(), top.leq(a));
    if a.leq(b) && b.leq(c) {
        prop_assert!(a.leq(c), "not transitive");
    }
    let join = a.join(b);
    prop_assert!(a.leq(&join), "{:?} not below join {:?}", a, join);
    prop_assert!(b.leq(&join), "{:?} not below join {:?}", b, join);
    prop_assert!(a.join(a).leq(a) && a.leq(&a.join(a)), "join not idempotent");
    prop_assert!(
        a.join(&bottom).leq(a) && bottom.join(a).leq(a),
        "bottom not neutral for join"
    );
    let widened = a.widen(b);
    prop_assert!(
        join.leq(&widened),
        "join {:?} not below widening {:?}",
        join,
        widened
    );
    let rests = a.widen_with(b, &Thresholds::new([-7, -1, 0, 1, 10, 100]));
    prop_assert!(
        join.leq(&rests),
        "join {:?} not below widening with thresholds {:?}",
        join,
        rests
    );
    let meet = a.meet(b);
    prop_assert!(
        a.meet(&top).leq(a) && top.meet(a).leq(a),
        "top not neutral for meet"
    );
    if c.leq(a) && c.leq(b) {
        prop_assert!(c.leq(&meet), "meet {:?} loses {:?}", meet, c);
    }
    let narrowed = a.narrow(b);
    prop_assert!(narrowed.leq(a), "narrowing {:?} grew to {:?}", a, narrowed);
    if c.leq(a) && c.leq(b) {
        prop_assert!(
            c.leq(&narrowed),
            "narrowing {:?} by {:?} loses {:?}: {:?}",
            a,
            b,
            c,
            narrowed
        );
    }
    Ok(())
}

/// The meet is the greatest lower bound; for domains closed under intersection.
pub(crate) fn check_meet_is_lower<L: Lattice + std::fmt::Debug>(
    a: &L,
    b: &L,
) -> Result<(), TestCaseError> {
    let meet = a.meet(b);
    prop_assert!(
        meet.leq(a) && meet.leq(b),
        "meet {:?} not below {:?} and {:?}",
        meet,
        a,
        b
    );
    Ok(())
}

/// The join is the least upper bound among the samples.
pub(crate) fn check_join_is_least<L: Lattice + std::fmt::Debug>(
    a: &L,
    b: &L,
    c: &L,
) -> Result<(), TestCaseError> {
    if a.leq(c) && b.leq(c) {
        prop_assert!(a.join(b).leq(c), "join {:?} not below {:?}", a.join(b), c);
    }
    Ok(())
}

/// Law 5 for one sequence: fed again and again with the same values, a widening changes at most
/// `limit` times.
pub(crate) fn check_stabilises<L: Lattice + std::fmt::Debug>(
    start: &L,
    values: &[L],
    limit: usize,
) -> Result<(), TestCaseError> {
    check_stabilises_with(start, values, &Thresholds::none(), limit)
}

pub(crate) fn check_stabilises_with<L: Lattice + std::fmt::Debug>(
    start: &L,
    values: &[L],
    thresholds: &Thresholds,
    limit: usize,
) -> Result<(), TestCaseError> {
    let mut current = start.clone();
    let mut changes = 0;
    for _ in 0..=limit {
        let before = changes;
        for value in values {
            let next = current.widen_with(value, thresholds);
            if !next.leq(&current) {
                changes += 1;
            }
            current = next;
        }
        if changes == before {
            break;
        }
    }
    prop_assert!(changes <= limit, "widening changed {} times", changes);
    let mut changes = 0;
    for value in values {
        let next = current.narrow(value);
        if !current.leq(&next) {
            changes += 1;
        }
        current = next;
    }
    prop_assert!(changes <= limit, "narrowing changed {} times", changes);
    Ok(())
}
