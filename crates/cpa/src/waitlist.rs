//! The order in which waiting states are chosen.

use crate::reached::NodeId;
use arith::random::xorshift;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Which waiting state is explored next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitlistOrder {
    /// Oldest first.
    Bfs,
    /// Latest first.
    Dfs,
    /// Deepest call stack first, then the weak topological order of the function: a join waits for
    /// all of its predecessors.
    #[default]
    ReversePostOrder,
    /// Deepest call stack first, then latest first.
    CallStack,
    /// Random, with this seed.
    Random(u64),
}

/// What is known of a waiting state's place.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    /// Calls that it is inside of.
    pub depth: u32,
    /// In the weak topological order of its function.
    pub position: u32,
}

/// Waiting states. Each is given out once for each time that it was put in, in the configured
/// order; equal ranks in the order of insertion.
pub struct Waitlist {
    order: WaitlistOrder,
    queue: VecDeque<NodeId>,
    heap: BinaryHeap<Reverse<(u64, u64, NodeId)>>,
    inserted: u64,
    random: u64,
}

impl Waitlist {
    pub fn new(order: WaitlistOrder) -> Waitlist {
        let seed = match order {
            WaitlistOrder::Random(seed) => seed,
            _ => 0,
        };
        Waitlist {
            order,
            queue: VecDeque::new(),
            heap: BinaryHeap::new(),
            inserted: 0,
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.heap.is_empty()
    }

    pub fn clear(&mut self) {
        self.queue.clear();
        self.heap.clear();
    }

    pub fn push(&mut self, node: NodeId, rank: Rank) {
        self.inserted += 1;
        let depth = u64::from(u32::MAX - rank.depth) << 32;
        let (first, second) = match self.order {
            WaitlistOrder::Bfs | WaitlistOrder::Dfs | WaitlistOrder::Random(_) => {
                self.queue.push_back(node);
                return;
            }
            WaitlistOrder::ReversePostOrder => (depth | u64::from(rank.position), self.inserted),
            WaitlistOrder::CallStack => (depth, u64::MAX - self.inserted),
        };
        self.heap.push(Reverse((first, second, node)));
    }

    pub fn pop(&mut self) -> Option<NodeId> {
        match self.order {
            WaitlistOrder::Bfs => self.queue.pop_front(),
            WaitlistOrder::Dfs => self.queue.pop_back(),
            WaitlistOrder::Random(_) => {
                // Reproducible, and good enough to choose with.
                let length = self.queue.len() as u64;
                let drawn = xorshift(&mut self.random) >> 33;
                let index = drawn.checked_rem(length)?;
                self.queue.swap_remove_back(index as usize)
            }
            WaitlistOrder::ReversePostOrder | WaitlistOrder::CallStack => {
                self.heap.pop().map(|Reverse((_, _, node))| node)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(order: WaitlistOrder) -> Vec<u32> {
        let mut list = Waitlist::new(order);
        for (number, (depth, position)) in [(0, 5), (1, 7), (1, 3), (0, 1)].into_iter().enumerate()
        {
            list.push(NodeId(number as u32), Rank { depth, position });
        }
        std::iter::from_fn(|| list.pop().map(|node| node.0)).collect()
    }

    #[test]
    fn orders() {
        assert_eq!(drawn(WaitlistOrder::Bfs), [0, 1, 2, 3]);
        assert_eq!(drawn(WaitlistOrder::Dfs), [3, 2, 1, 0]);
        assert_eq!(drawn(WaitlistOrder::ReversePostOrder), [2, 1, 3, 0]);
        assert_eq!(drawn(WaitlistOrder::CallStack), [2, 1, 3, 0]);
        let mut random = drawn(WaitlistOrder::Random(7));
        assert_eq!(random, drawn(WaitlistOrder::Random(7)));
        random.sort_unstable();
        assert_eq!(random, [0, 1, 2, 3]);
    }
}
