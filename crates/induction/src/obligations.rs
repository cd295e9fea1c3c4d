//! Proof obligations that wait, the lowest level first.
//!
//! Een2011: N. Eén, A. Mishchenko, R. Brayton: Efficient implementation of property directed
//! reachability, FMCAD 2011: what leads to a violation within the fewest steps from the start is
//! looked at first.
//!
//! Law: [`Obligations::pop`] gives one of the lowest level; among those, the newest or the oldest
//! as [`Ties`] says.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Which of several obligations of one level comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// As in a depth-first search.
    Newest,
    /// As in a breadth-first search.
    Oldest,
}

struct Waiting<T> {
    key: (Reverse<u32>, i64),
    item: T,
}

impl<T> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Waiting<T> {}

impl<T> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Waiting<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

pub struct Obligations<T> {
    ties: Ties,
    waiting: BinaryHeap<Waiting<T>>,
    count: i64,
}

impl<T> Obligations<T> {
    pub fn new(ties: Ties) -> Obligations<T> {
        Obligations {
            ties,
            waiting: BinaryHeap::new(),
            count: 0,
        }
    }

    pub fn push(&mut self, level: u32, item: T) {
        self.count += 1;
        let order = match self.ties {
            Ties::Newest => self.count,
            Ties::Oldest => -self.count,
        };
        let key = (Reverse(level), order);
        self.waiting.push(Waiting { key, item });
    }

    /// The next one, with its level.
    pub fn pop(&mut self) -> Option<(u32, T)> {
        let Waiting { key, item } = self.waiting.pop()?;
        Some((key.0.0, item))
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_level_comes_first() {
        let given = [(3, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        for (ties, expected) in [(Ties::Newest, "dbca"), (Ties::Oldest, "bdca")] {
            let mut obligations = Obligations::new(ties);
            for (level, item) in given {
                obligations.push(level, item);
            }
            let popped = std::iter::from_fn(|| obligations.pop());
            let order: String = popped.map(|(_, item)| item).collect();
            assert_eq!(order, expected);
        }
    }
}
