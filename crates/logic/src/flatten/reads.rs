//! Reads of arrays as choices among what was written.
//!
//! A read of `a[i := v]` at `j` is `j == i ? v : a[j]`, and a read of a choice of arrays is a choice
//! of reads. Spelled out down to the variables and constants below, such a read is a circuit like
//! any other, and the propositional solver needs no lemma about it. That pays where few writes can
//! be meant: memory of bounded executions, and constant tables. Reads that could mean very many
//! writes stay unknown bits, and lemmas on demand decide them (`solver::arrays`).
//!
//! Law: `expand(r)` and `r` have the same value in every model. Each rule below is an instance of
//! the array axioms.

use crate::term::{Op, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Choices that one read is spelled out with at most.
const MAX_CHOICES: usize = 1_000;
/// Choices that all reads of a flattener are spelled out with at most: what is larger is better
/// left to lemmas, most of which nobody needs.
const MAX_ALL_CHOICES: usize = 60_000;
/// Writes at constant indices that make a table; fewer are compared one by one.
const MIN_TABLE: usize = 4;
/// Passing so many writes that a read cannot mean costs as much as one choice.
const WRITES_PER_CHOICE: usize = 16;

/// See the module's text.
#[derive(Default)]
pub(super) struct Reads {
    /// Are reads spelled out at all?
    is_on: bool,
    /// What an array holds at an index.
    known: FxHashMap<(Term, Term), Term>,
    /// Reads that mean too many writes.
    refused: FxHashSet<Term>,
    spent: usize,
}

/// What the topmost relevant write or choice of an array says of an index.
enum Step {
    /// This is the element.
    Element(Term),
    /// Nothing is known below: a read of this array variable.
    Below(Term),
    /// The element if the index is the first term, else that of the array.
    Write(Term, Term, Term),
    /// Elements by constant index; for other indices, that of the array.
    Table(BTreeMap<u128, Term>, Term),
    /// A choice of two arrays.
    Choice(Term, Term, Term),
}

impl Reads {
    pub fn new(is_on: bool) -> Reads {
        Reads {
            is_on,
            ..Reads::default()
        }
    }

    /// The read as a term without reads of writes, choices or constant arrays; `None` if it is a
    /// read of a variable, or would be too large.
    pub fn expand(&mut self, pool: &mut TermPool, read: Term) -> Option<Term> {
        let (array, index) = (pool.args(read)[0], pool.args(read)[1]);
        if !self.is_on || matches!(pool.op(array), Op::Var(_)) || self.refused.contains(&read) {
            return None;
        }
        let element = self.element(pool, array, index);
        if element.is_none() {
            self.refused.insert(read);
        }
        element
    }

    /// The element of an array at an index, from the variables upwards.
    fn element(&mut self, pool: &mut TermPool, array: Term, index: Term) -> Option<Term> {
        let mut choices = 0;
        let mut stack = vec![array];
        while let Some(&current) = stack.last() {
            if self.known.contains_key(&(current, index)) {
                stack.pop();
                continue;
            }
            let mut passed = 0;
            let step = step(pool, current, index, &mut passed);
            let below = |array: &Term| self.known.get(&(*array, index)).copied();
            let (element, cost) = match step {
                Step::Element(element) => (element, 0),
                Step::Below(variable) => (pool.select(variable, index), 0),
                Step::Write(written, element, inner) => {
                    let Some(rest) = below(&inner) else {
                        stack.push(inner);
                        continue;
                    };
                    let is_here = pool.eq(index, written);
                    (pool.ite(is_here, element, rest), 1)
                }
                Step::Table(entries, inner) => {
                    let Some(rest) = below(&inner) else {
                        stack.push(inner);
                        continue;
                    };
                    (table(pool, &entries, index, rest), entries.len())
                }
                Step::Choice(condition, then, otherwise) => {
                    let (Some(then), Some(otherwise)) = (below(&then), below(&otherwise)) else {
                        stack.extend([otherwise, then]);
                        continue;
                    };
                    (pool.ite(condition, then, otherwise), 1)
                }
            };
            choices += cost + passed / WRITES_PER_CHOICE;
            if choices > MAX_CHOICES || self.spent + choices > MAX_ALL_CHOICES {
                self.spent += choices;
                return None;
            }
            self.known.insert((current, index), element);
            stack.pop();
        }
        self.spent += choices;
        self.known.get(&(array, index)).copied()
    }
}

/// Looks through writes that surely are or are not meant; counts those that are not.
fn step(pool: &mut TermPool, array: Term, index: Term, passed: &mut usize) -> Step {
    let mut current = array;
    loop {
        match (pool.op(current), pool.args(current)) {
            (Op::Store, &[inner, written, element]) => {
                if written == index {
                    return Step::Element(element);
                }
                if !pool.surely_distinct(written, index) {
                    let (entries, below) = constant_writes(pool, current);
                    return if entries.len() >= MIN_TABLE {
                        Step::Table(entries, below)
                    } else {
                        Step::Write(written, element, inner)
                    };
                }
                *passed += 1;
                current = inner;
            }
            (Op::Ite, &[condition, then, otherwise]) => {
                return Step::Choice(condition, then, otherwise);
            }
            (Op::ConstArray, &[element]) => return Step::Element(element),
            _ => return Step::Below(current),
        }
    }
}

/// The writes at constant indices that follow one another from an array downwards, the newest for
/// each index, and the array below them.
fn constant_writes(pool: &TermPool, array: Term) -> (BTreeMap<u128, Term>, Term) {
    let mut entries = BTreeMap::new();
    let mut current = array;
    while let (Op::Store, &[inner, written, element]) = (pool.op(current), pool.args(current))
        && let Some(written) = pool.as_u128(written)
        && entries.len() <= MAX_CHOICES
    {
        entries.entry(written).or_insert(element);
        current = inner;
    }
    (entries, current)
}

/// `index` is one of the keys: a tree of choices by the bits in which the keys differ, guarded by
/// those that they have in common.
fn table(pool: &mut TermPool, entries: &BTreeMap<u128, Term>, index: Term, rest: Term) -> Term {
    let width = pool.width(index);
    let (ones, zeros) = entries
        .keys()
        .fold((u128::MAX, u128::MAX), |(ones, zeros), key| {
            (ones & key, zeros & !key)
        });
    let common: Vec<u32> = (0..width)
        .filter(|bit| (ones | zeros) >> bit & 1 == 1)
        .collect();
    let differing: Vec<u32> = (0..width)
        .filter(|bit| (ones | zeros) >> bit & 1 == 0)
        .collect();
    let keys: Vec<(u128, Term)> = entries
        .iter()
        .map(|(&key, &element)| (key, element))
        .collect();
    let chosen = choose(pool, &keys, &differing, index, rest);
    let mut guard = Vec::with_capacity(common.len());
    for bit in common {
        let expected = pool.bv(1, ones >> bit & 1);
        let found = pool.extract(index, bit, bit);
        guard.push(pool.eq(found, expected));
    }
    let guard = pool.and_all(guard);
    pool.ite(guard, chosen, rest)
}

/// The element of the key that the given bits of the index spell; `rest` if there is none.
fn choose(
    pool: &mut TermPool,
    keys: &[(u128, Term)],
    bits: &[u32],
    index: Term,
    rest: Term,
) -> Term {
    let Some((&bit, lower)) = bits.split_last() else {
        return keys.first().map_or(rest, |&(_, element)| element);
    };
    if keys.is_empty() {
        return rest;
    }
    // Above `bit` all keys agree, so that those without it come first.
    let split = keys.partition_point(|(key, _)| key >> bit & 1 == 0);
    let without = choose(pool, &keys[..split], lower, index, rest);
    let with = choose(pool, &keys[split..], lower, index, rest);
    let found = pool.extract(index, bit, bit);
    let one = pool.bv(1, 1);
    let is_set = pool.eq(found, one);
    pool.ite(is_set, with, without)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    fn byte_array(pool: &mut TermPool, name: &str) -> Term {
        let sort = Sort::Array {
            index: 8,
            element: 8,
        };
        pool.var(name, sort)
    }

    /// Every index gives the element that the array itself gives.
    fn assert_same(pool: &mut TermPool, array: Term, expanded_at: Term, index: Term) {
        for value in 0..256 {
            let constant = pool.bv(8, value);
            let map = [(index, constant)].into_iter().collect();
            let read = pool.select(array, index);
            let expected = pool.substitute(read, &map);
            let found = pool.substitute(expanded_at, &map);
            assert_eq!(expected, found, "at {value}");
        }
    }

    #[test]
    fn a_table_is_a_function_of_the_bits() {
        let mut pool = TermPool::new();
        let zero = pool.bv(8, 0);
        let mut array = pool.const_array(8, zero);
        for (key, element) in [(16, 7), (17, 9), (19, 1), (22, 200), (16, 8), (30, 3)] {
            let (key, element) = (pool.bv(8, key), pool.bv(8, element));
            array = pool.store(array, key, element);
        }
        let index = pool.var("i", Sort::BitVec(8));
        let read = pool.select(array, index);
        let expanded = Reads::new(true).expand(&mut pool, read).expect("small");
        let reads = pool.postorder(&[expanded]);
        assert!(reads.iter().all(|&term| pool.op(term) != Op::Select));
        assert_same(&mut pool, array, expanded, index);
    }

    #[test]
    fn writes_and_choices_become_choices_of_elements() {
        let mut pool = TermPool::new();
        let array = byte_array(&mut pool, "a");
        let (i, j) = (
            pool.var("i", Sort::BitVec(8)),
            pool.var("j", Sort::BitVec(8)),
        );
        let (v, w) = (
            pool.var("v", Sort::BitVec(8)),
            pool.var("w", Sort::BitVec(8)),
        );
        let c = pool.var("c", Sort::Bool);
        let one = pool.store(array, i, v);
        let three = pool.bv(8, 3);
        let other = pool.store(array, three, w);
        let joined = pool.ite(c, one, other);
        let read = pool.select(joined, j);
        let expanded = Reads::new(true).expand(&mut pool, read).expect("small");
        let (is_i, is_three) = (pool.eq(j, i), pool.eq(j, three));
        let below = pool.select(array, j);
        let then = pool.ite(is_i, v, below);
        let otherwise = pool.ite(is_three, w, below);
        assert_eq!(expanded, pool.ite(c, then, otherwise));
    }

    #[test]
    fn a_read_of_a_variable_stays() {
        let mut pool = TermPool::new();
        let array = byte_array(&mut pool, "a");
        let i = pool.var("i", Sort::BitVec(8));
        let read = pool.select(array, i);
        assert_eq!(Reads::new(true).expand(&mut pool, read), None);
    }

    #[test]
    fn too_many_choices_are_refused() {
        let mut pool = TermPool::new();
        let mut array = byte_array(&mut pool, "a");
        for number in 0..MAX_CHOICES + 2 {
            let index = pool.var(&format!("i{number}"), Sort::BitVec(8));
            let element = pool.bv(8, number as u128 & 0xff);
            array = pool.store(array, index, element);
        }
        let j = pool.var("j", Sort::BitVec(8));
        let read = pool.select(array, j);
        assert_eq!(Reads::new(true).expand(&mut pool, read), None);
    }
}
