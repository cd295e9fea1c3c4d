//! Predecessors without the branches that make no difference.
//!
//! A command that decides something on its way that a cube does not speak of has one partial
//! command for each outcome, and as many predecessors of the cube, which differ in the conditions
//! of these branches alone. A dozen of such branches in a row are thousands of cubes, each of which
//! has to be blocked. But the preconditions of all partial commands are one disjunction,
//! `wep(cmd, c)` (theorem 5.2.7), and a literal whose negation stands in another of its cubes, which
//! has nothing else that is not here as well, can go: the disjunction stays what it is
//! (self-subsuming resolution), as it does where a cube becomes a part of itself that stands there,
//! too. So the predecessor that is blocked has more states, from all of which the command leads into
//! the cube, if by different partial commands. Not in the thesis.

use super::Search;
use super::wep::Precondition;
use logic::{Cube, Term, TermPool};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Disjunctions of more cubes are left as they are.
const MAX_CUBES: usize = 256;

impl Search<'_> {
    /// The precondition without what makes no difference; `lifted` are those of all partial commands
    /// once somebody asked.
    pub(super) fn lift(
        &mut self,
        link: usize,
        partial: usize,
        cube: &Cube,
        precondition: Cube,
        lifted: &mut Option<FxHashMap<usize, Cube>>,
    ) -> Cube {
        if !self.options.lifting {
            return precondition;
        }
        if lifted.is_none() {
            *lifted = Some(self.lifted_preconditions(link, cube));
        }
        let known = lifted.as_ref().and_then(|all| all.get(&partial));
        known.cloned().unwrap_or(precondition)
    }

    /// The preconditions of the partial commands, each without what makes no difference.
    pub(super) fn lifted_preconditions(
        &mut self,
        link: usize,
        cube: &Cube,
    ) -> FxHashMap<usize, Cube> {
        let mut numbers = Vec::new();
        let mut cubes = Vec::new();
        for partial in 0..self.links[link].partials.len() {
            // What ends in something without a formula is not mixed up with errors.
            if self.links[link].partials[partial].beyond.is_some() {
                continue;
            }
            if let Precondition::Cube(precondition) = self.precondition(link, partial, cube) {
                numbers.push(partial);
                cubes.push(precondition);
            }
        }
        let merged = merge(&self.encoder.pool, &cubes);
        numbers.into_iter().zip(merged).collect()
    }
}

/// The cubes of a disjunction with fewer literals, so that it says the same.
fn merge(pool: &TermPool, cubes: &[Cube]) -> Vec<Cube> {
    if cubes.len() < 2 || cubes.len() > MAX_CUBES {
        return cubes.to_vec();
    }
    let mut rows = Rows::of(pool, cubes);
    while rows.pass() {}
    let kept = cubes.iter().zip(&rows.bits);
    let kept = kept.map(|(cube, bits)| {
        cube.filtered(|literal| rows.numbers.get(&literal).is_none_or(|&at| has(bits, at)))
    });
    kept.collect()
}

fn has(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

/// Cubes as sets of bits; literals that all of them have are left out.
struct Rows {
    numbers: FxHashMap<Term, usize>,
    /// For each literal, the number of its negation, if some cube has that.
    negation: Vec<Option<usize>>,
    bits: Vec<Vec<u64>>,
}

impl Rows {
    fn of(pool: &TermPool, cubes: &[Cube]) -> Rows {
        let common = cubes[1..]
            .iter()
            .fold(cubes[0].clone(), |all, cube| all.intersection(cube));
        let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
        let mut literals: Vec<Term> = Vec::new();
        for &literal in cubes.iter().flat_map(Cube::literals) {
            if !common.contains(literal) && !numbers.contains_key(&literal) {
                numbers.insert(literal, literals.len());
                literals.push(literal);
            }
        }
        // Conditions that are met late have late terms: they go first, while those that they depend on
        // are still there.
        literals.sort_by_key(|&literal| Reverse(pool.strip_not(literal).0));
        for (number, &literal) in literals.iter().enumerate() {
            numbers.insert(literal, number);
        }
        let signed: FxHashMap<(Term, bool), usize> = literals
            .iter()
            .enumerate()
            .map(|(number, &literal)| (pool.strip_not(literal), number))
            .collect();
        let negation = literals.iter().map(|&literal| {
            let (atom, positive) = pool.strip_not(literal);
            signed.get(&(atom, !positive)).copied()
        });
        let negation = negation.collect();
        let words = literals.len().div_ceil(64);
        let bits = cubes.iter().map(|cube| {
            let mut bits = vec![0u64; words];
            for literal in cube.literals() {
                if let Some(&at) = numbers.get(literal) {
                    bits[at / 64] |= 1 << (at % 64);
                }
            }
            bits
        });
        let bits = bits.collect();
        Rows {
            numbers,
            negation,
            bits,
        }
    }

    /// Drops what can go; `false` if nothing could.
    fn pass(&mut self) -> bool {
        let mut is_changed = false;
        for row in 0..self.bits.len() {
            let this = &self.bits[row];
            let weaker = self
                .bits
                .iter()
                .find(|other| *other != this && is_part(other, this));
            if let Some(weaker) = weaker.cloned() {
                self.bits[row] = weaker;
                is_changed = true;
            }
            for at in 0..self.negation.len() {
                let Some(negation) = self.negation[at] else {
                    continue;
                };
                if !has(&self.bits[row], at) {
                    continue;
                }
                let this = &self.bits[row];
                let goes = self.bits.iter().any(|other| {
                    has(other, negation) && !has(other, at) && is_only_beyond(other, this, negation)
                });
                if goes {
                    self.bits[row][at / 64] &= !(1 << (at % 64));
                    is_changed = true;
                }
            }
        }
        is_changed
    }
}

fn is_part(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).all(|(row, other)| row & !other == 0)
}

/// Is this the only bit that `row` has and `other` has not?
fn is_only_beyond(row: &[u64], other: &[u64], at: usize) -> bool {
    row.iter()
        .zip(other)
        .enumerate()
        .all(|(word, (row, other))| {
            let allowed = if word == at / 64 { 1 << (at % 64) } else { 0 };
            row & !other == allowed
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Model, Sort, Value};
    use proptest::prelude::*;

    fn cubes(pool: &mut TermPool, all: &[Vec<(u8, bool)>]) -> Vec<Cube> {
        let mut cube = |literals: &Vec<(u8, bool)>| {
            let mut terms = Vec::new();
            for &(number, positive) in literals {
                let atom = pool.var(&format!("p{}", number % 4), Sort::Bool);
                terms.push(if positive { atom } else { pool.not(atom) });
            }
            Cube::from_iter(terms)
        };
        all.iter().map(&mut cube).collect()
    }

    proptest! {
        /// The disjunction says the same, and each of its cubes no less than before.
        #[test]
        fn merged_cubes_have_the_same_states(
            all in proptest::collection::vec(
                proptest::collection::vec((0u8..4, any::<bool>()), 0..4), 1..8)
        ) {
            let mut pool = TermPool::new();
            let before = cubes(&mut pool, &all);
            let after = merge(&pool, &before);
            prop_assert!(before.iter().zip(&after).all(|(before, after)| after.is_subset(before)));
            let atoms = [0, 1, 2, 3].map(|number| pool.var(&format!("p{number}"), Sort::Bool));
            for bits in 0..16 {
                let mut model = Model::new();
                for (number, &atom) in atoms.iter().enumerate() {
                    model.set(atom, Value::Bool(bits >> number & 1 == 1));
                }
                let hold = |cubes: &[Cube]| cubes.iter().any(|cube| {
                    let mut literals = cube.literals().iter();
                    literals.all(|&literal| pool.eval(literal, &model).as_bool() == Some(true))
                });
                prop_assert_eq!(hold(&before), hold(&after));
            }
        }
    }

    /// Two ways around an effect, and the effect: what is behind all of them does not depend on it.
    #[test]
    fn branches_without_a_difference_go() {
        let mut pool = TermPool::new();
        let (waits, wakes, runs) = ((0, true), (1, true), (2, true));
        let all = [
            vec![waits, wakes],
            vec![waits, (1, false), runs],
            vec![(0, false), runs],
        ];
        let all = cubes(&mut pool, &all);
        let merged = merge(&pool, &all);
        let runs = cubes(&mut pool, &[vec![runs]]).remove(0);
        assert_eq!(merged[1..], [runs.clone(), runs]);
    }
}
