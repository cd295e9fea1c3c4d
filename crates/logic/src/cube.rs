//! Cubes: conjunctions of literals as ordered sets.

use crate::term::{Term, TermPool};
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A set of literals, meant as their conjunction. Ordered, without repetition. Literals are terms,
/// or whatever stands for statements elsewhere.
///
/// Laws: a subset of a cube is implied by it (fewer literals hold in more states); so a cube
/// *subsumes* another, blocks all that it blocks, exactly if its literals are a subset of the
/// other's.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube<L = Term> {
    literals: Box<[L]>,
    /// One bit per literal, by hash: a set with a bit that the other lacks is no subset of it.
    signature: u64,
}

impl<L: fmt::Debug> fmt::Debug for Cube<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.literals.iter()).finish()
    }
}

impl<L: Copy + Ord + Hash> FromIterator<L> for Cube<L> {
    fn from_iter<I: IntoIterator<Item = L>>(literals: I) -> Cube<L> {
        let mut literals: Vec<L> = literals.into_iter().collect();
        literals.sort_unstable();
        literals.dedup();
        Cube::from_sorted(literals)
    }
}

impl<L: Copy + Ord + Hash> Cube<L> {
    /// The cube without literals, which holds everywhere.
    pub fn empty() -> Cube<L> {
        Cube::from_sorted(Vec::new())
    }

    fn from_sorted(literals: Vec<L>) -> Cube<L> {
        let signature = literals.iter().fold(0, |bits, literal| {
            let mut hasher = FxHasher::default();
            literal.hash(&mut hasher);
            bits | 1u64 << (hasher.finish() >> 58)
        });
        Cube {
            literals: literals.into_boxed_slice(),
            signature,
        }
    }

    /// The literals in order.
    pub fn literals(&self) -> &[L] {
        &self.literals
    }

    /// Number of literals.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Is there no literal?
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    /// Is the literal one of the cube's?
    pub fn contains(&self, literal: L) -> bool {
        self.literals.binary_search(&literal).is_ok()
    }

    /// Are all literals among the other's?
    pub fn is_subset(&self, other: &Cube<L>) -> bool {
        if self.signature & !other.signature != 0 || self.len() > other.len() {
            return false;
        }
        let mut rest = other.literals.iter();
        self.literals
            .iter()
            .all(|literal| rest.any(|candidate| candidate == literal))
    }

    /// Does blocking this cube block the other one, too?
    pub fn subsumes(&self, other: &Cube<L>) -> bool {
        self.is_subset(other)
    }

    /// The literals of both.
    pub fn intersection(&self, other: &Cube<L>) -> Cube<L> {
        let common = self
            .literals
            .iter()
            .copied()
            .filter(|&literal| other.contains(literal));
        Cube::from_sorted(common.collect())
    }

    /// The literals of either.
    pub fn union(&self, other: &Cube<L>) -> Cube<L> {
        self.literals
            .iter()
            .chain(other.literals.iter())
            .copied()
            .collect()
    }

    /// Without one literal.
    pub fn without(&self, literal: L) -> Cube<L> {
        let rest = self
            .literals
            .iter()
            .copied()
            .filter(|&other| other != literal);
        Cube::from_sorted(rest.collect())
    }

    /// Only the literals that a condition keeps.
    pub fn filtered(&self, mut keep: impl FnMut(L) -> bool) -> Cube<L> {
        Cube::from_sorted(
            self.literals
                .iter()
                .copied()
                .filter(|&literal| keep(literal))
                .collect(),
        )
    }
}

impl Cube {
    /// Does the cube contain a literal and its negation (or falsity)?
    pub fn is_contradictory(&self, pool: &TermPool) -> bool {
        self.literals.iter().any(|&literal| {
            let (inner, positive) = pool.strip_not(literal);
            literal == TermPool::FALSE || (!positive && self.contains(inner))
        })
    }

    /// The conjunction.
    pub fn term(&self, pool: &mut TermPool) -> Term {
        pool.and_all(self.literals.iter().copied())
    }

    /// The clause that blocks the cube.
    pub fn negation(&self, pool: &mut TermPool) -> Term {
        let term = self.term(pool);
        pool.not(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn cube(pool: &mut TermPool, numbers: &[u8]) -> Cube {
        numbers
            .iter()
            .map(|number| pool.var(&format!("p{number}"), Sort::Bool))
            .collect()
    }

    proptest! {
        #[test]
        fn cubes_are_sets(a in vec(0u8..12, 0..8), b in vec(0u8..12, 0..8)) {
            let mut pool = TermPool::new();
            let (left, right) = (cube(&mut pool, &a), cube(&mut pool, &b));
            let set_a: BTreeSet<u8> = a.iter().copied().collect();
            let set_b: BTreeSet<u8> = b.iter().copied().collect();
            prop_assert_eq!(left.is_subset(&right), set_a.is_subset(&set_b));
            prop_assert_eq!(left == right, set_a == set_b);
            let common: Vec<u8> = set_a.intersection(&set_b).copied().collect();
            prop_assert_eq!(left.intersection(&right), cube(&mut pool, &common));
            let either: Vec<u8> = set_a.union(&set_b).copied().collect();
            prop_assert_eq!(left.union(&right), cube(&mut pool, &either));
            prop_assert!(left.intersection(&right).subsumes(&left));
        }
    }

    #[test]
    fn contradictions_are_seen() {
        let mut pool = TermPool::new();
        let p = pool.var("p", Sort::Bool);
        let not_p = pool.not(p);
        assert!(Cube::from_iter([p, not_p]).is_contradictory(&pool));
        assert!(!Cube::from_iter([not_p]).is_contradictory(&pool));
        assert_eq!(Cube::from_iter([p, not_p]).term(&mut pool), TermPool::FALSE);
    }
}
