//! Proof obligations `(c, i, l)`: the cube is to be blocked at the index and the place.

use logic::Cube;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct Obligation {
    pub(super) node: usize,
    /// Of places with the same index, predecessors have the smaller one.
    pub(super) rank: u32,
    pub(super) level: u32,
    pub(super) cube: Cube,
    /// The obligation that this one is a predecessor of, with the partial command that leads there.
    pub(super) next: Option<Next>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Next {
    pub(super) obligation: usize,
    pub(super) link: usize,
    pub(super) partial: usize,
}

/// All obligations of one run of the inner loop; those that wait come out with the smallest index
/// first, then the smallest rank, and among those of one rank in the order in which they came.
#[derive(Default)]
pub(super) struct Obligations {
    all: Vec<Obligation>,
    waiting: BinaryHeap<Reverse<(u32, u32, u64, usize)>>,
    count: u64,
}

impl Obligations {
    pub(super) fn push(&mut self, obligation: Obligation) {
        self.all.push(obligation);
        self.wait(self.all.len() - 1);
    }

    /// To be looked at again.
    pub(super) fn wait(&mut self, number: usize) {
        self.count += 1;
        let (level, rank) = (self.all[number].level, self.all[number].rank);
        self.waiting
            .push(Reverse((level, rank, self.count, number)));
    }

    /// To be blocked at the next index as well.
    pub(super) fn raise(&mut self, number: usize) {
        self.all[number].level += 1;
        self.wait(number);
    }

    pub(super) fn pop(&mut self) -> Option<usize> {
        self.waiting.pop().map(|Reverse((_, _, _, number))| number)
    }

    pub(super) fn get(&self, number: usize) -> &Obligation {
        &self.all[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_index_comes_first() {
        let mut obligations = Obligations::default();
        for (level, rank, node) in [(3, 0, 0), (1, 1, 1), (2, 2, 2), (1, 1, 3), (1, 0, 4)] {
            obligations.push(Obligation {
                node,
                rank,
                level,
                cube: Cube::empty(),
                next: None,
            });
        }
        let order = std::iter::from_fn(|| obligations.pop()).collect::<Vec<_>>();
        assert_eq!(order, [4, 1, 3, 2, 0]);
    }
}
