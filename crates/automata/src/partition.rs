//! The coarsest partition of states that transitions respect.
//!
//! J. Hopcroft: An n log n Algorithm for Minimizing States in a Finite Automaton, 1971; for partial
//! transition functions after A. Valmari, P. Lehtinen: Efficient Minimization of DFAs with Partial
//! Transition Functions, STACS 2008; for relations after P. Kanellakis, S. Smolka: CCS Expressions,
//! Finite State Processes, and Three Problems of Equivalence, 1983.
//!
//! | there | here |
//! |---|---|
//! | partition, blocks | [`Blocks`]: each block is a range of one vector |
//! | splitter `B`, cuts blocks along `δ⁻¹(B, a)` | a block in [`Work`], all letters at once |
//! | "the smaller half" of a cut block | deterministic automata only |
//!
//! The smaller half is enough if the preimage of a block is the disjoint union of the preimages of
//! its halves. In a relation it is not disjoint, and both halves become splitters.
//!
//! Every block begins as a splitter, which also separates states that have a transition with a
//! letter from those that have none.

use crate::alphabet::Letter;
use crate::nfa::{Nfa, State};

/// Number the classes of the coarsest partition that does not mix accepting states with others, and
/// in which equivalent states have transitions with the same letters to the same classes. Classes
/// are numbered in the order of their first states.
pub(crate) fn coarsest(nfa: &Nfa) -> Vec<State> {
    let reversed = nfa.reversed();
    let is_deterministic = nfa.is_deterministic();
    let mut blocks = Blocks::new(nfa.len());
    for state in nfa.states().filter(|&state| nfa.accepts_at(state)) {
        blocks.mark(state);
    }
    blocks.split();
    let mut work = Work::default();
    (0..blocks.ranges.len()).for_each(|block| work.add(block));
    while let Some(splitter) = work.take() {
        let mut before: Vec<(Letter, State)> = (blocks.members(splitter).iter())
            .flat_map(|&state| reversed.edges(state))
            .copied()
            .collect();
        before.sort_unstable();
        before.dedup();
        for sources in before.chunk_by(|one, other| one.0 == other.0) {
            for &(_, source) in sources {
                blocks.mark(source);
            }
            for (old, new) in blocks.split() {
                if !is_deterministic || work.has(old) {
                    work.add(old);
                    work.add(new);
                } else if blocks.members(old).len() < blocks.members(new).len() {
                    work.add(old);
                } else {
                    work.add(new);
                }
            }
        }
    }
    blocks.classes()
}

/// The splitters that wait.
#[derive(Default)]
struct Work {
    list: Vec<usize>,
    is_waiting: Vec<bool>,
}

impl Work {
    fn has(&self, block: usize) -> bool {
        self.is_waiting.get(block) == Some(&true)
    }

    fn add(&mut self, block: usize) {
        if self.is_waiting.len() <= block {
            self.is_waiting.resize(block + 1, false);
        }
        if !std::mem::replace(&mut self.is_waiting[block], true) {
            self.list.push(block);
        }
    }

    fn take(&mut self) -> Option<usize> {
        let block = self.list.pop()?;
        self.is_waiting[block] = false;
        Some(block)
    }
}

/// A partition whose blocks can be cut along marked states, in time linear in those.
struct Blocks {
    /// All states, those of one block side by side, its marked ones first.
    order: Vec<State>,
    /// Where each state stands in `order`.
    position: Vec<usize>,
    block: Vec<usize>,
    /// For each block, where it begins, where its unmarked states begin, and where it ends.
    ranges: Vec<[usize; 3]>,
    /// The blocks with marked states.
    touched: Vec<usize>,
}

impl Blocks {
    /// Put all states into one block.
    fn new(count: usize) -> Blocks {
        Blocks {
            order: (0..count as u32).map(State).collect(),
            position: (0..count).collect(),
            block: vec![0; count],
            ranges: vec![[0, 0, count]],
            touched: Vec::new(),
        }
    }

    fn members(&self, block: usize) -> &[State] {
        let [begin, _, end] = self.ranges[block];
        &self.order[begin..end]
    }

    fn mark(&mut self, state: State) {
        let block = self.block[state.index()];
        let [begin, unmarked, _] = self.ranges[block];
        let position = self.position[state.index()];
        if position < unmarked {
            return;
        }
        if begin == unmarked {
            self.touched.push(block);
        }
        let other = self.order[unmarked];
        self.order.swap(position, unmarked);
        self.position[other.index()] = position;
        self.position[state.index()] = unmarked;
        self.ranges[block][1] += 1;
    }

    /// Cut each block with both marked and unmarked states, and remove the marks. Return the cut
    /// blocks, which keep their unmarked states, with the new blocks of the marked ones.
    fn split(&mut self) -> Vec<(usize, usize)> {
        let mut cut = Vec::new();
        for old in std::mem::take(&mut self.touched) {
            let [begin, unmarked, end] = self.ranges[old];
            self.ranges[old] = [begin, begin, end];
            if unmarked < end {
                let new = self.ranges.len();
                self.ranges[old] = [unmarked, unmarked, end];
                self.ranges.push([begin, begin, unmarked]);
                for state in &self.order[begin..unmarked] {
                    self.block[state.index()] = new;
                }
                cut.push((old, new));
            }
        }
        cut
    }

    /// Number the blocks in the order of their first states.
    fn classes(&self) -> Vec<State> {
        let mut numbers = vec![None; self.ranges.len()];
        let mut count = 0;
        (self.block.iter())
            .map(|&block| {
                *numbers[block].get_or_insert_with(|| {
                    count += 1;
                    State(count - 1)
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Cut all blocks by what their states show, round by round, until nothing changes.
    fn by_rounds(nfa: &Nfa) -> Vec<State> {
        let mut classes: Vec<State> = (nfa.states())
            .map(|state| State(nfa.accepts_at(state).into()))
            .collect();
        loop {
            let mut numbers = BTreeMap::new();
            let next: Vec<State> = (nfa.states())
                .map(|state| {
                    let shown: BTreeSet<(Letter, State)> = (nfa.edges(state).iter())
                        .map(|&(letter, target)| (letter, classes[target.index()]))
                        .collect();
                    let count = numbers.len() as u32;
                    let class = numbers.entry((classes[state.index()], shown));
                    State(*class.or_insert(count))
                })
                .collect();
            if next == classes {
                return classes;
            }
            classes = next;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Few letters and sparse edges: cuts come one after the other.
        #[test]
        fn the_partition_is_stable_and_the_coarsest(
            edges in prop::collection::vec((0..12u32, 0..2u32, 0..12u32), 0..30),
            accepting in prop::collection::vec(0..12u32, 1..3),
            is_deterministic in any::<bool>(),
        ) {
            let mut builder = Nfa::builder();
            builder.states(12);
            let mut has_edge = BTreeSet::new();
            for (source, letter, target) in edges {
                if has_edge.insert((source, letter)) || !is_deterministic {
                    builder.edge(State(source), Letter(letter), State(target));
                }
            }
            for state in accepting {
                builder.accepting(State(state));
            }
            let nfa = builder.build();
            prop_assert_eq!(coarsest(&nfa), by_rounds(&nfa));
        }
    }
}
