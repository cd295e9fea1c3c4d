//! The program automaton: its words are the traces to an error location.

use crate::statements::{self, Statement};
use automata::{Alphabet, Letter, Nfa, State};
use facts::budget::Budget;
use facts::engine::Reason;
use induction::graph::{BlockId, ROOT, Target};
use induction::solver_graph::SolverGraph;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Places; programs that have more are given up.
const MAX_PLACES: usize = 20_000;

pub struct ProgramAutomaton {
    /// States are places by their numbers, and behind them one that accepts.
    pub nfa: Nfa,
    statements: Alphabet<Statement>,
    /// For each letter the first block that it stands for.
    blocks: Vec<BlockId>,
    /// For each block its letter and where it ends.
    ways: FxHashMap<BlockId, (Letter, State)>,
    /// For each place the blocks from there.
    outgoing: Vec<Vec<BlockId>>,
    /// Those that lie on a loop.
    in_loops: FxHashSet<BlockId>,
}

impl ProgramAutomaton {
    /// Explores the whole graph.
    pub fn of(graph: &mut SolverGraph<'_>, budget: &Budget) -> Result<ProgramAutomaton, Reason> {
        graph.explore(MAX_PLACES, &budget.stop)?;
        let outgoing: Vec<Vec<BlockId>> = (graph.places())
            .map(|place| graph.outgoing(place).to_vec())
            .collect();
        let end = State(outgoing.len() as u32);
        let compare = statements::are_compared(graph.program(), graph.block_count());
        let mut builder = Nfa::builder();
        builder.initial(State(ROOT.0)).accepting(end);
        let mut statements = Alphabet::default();
        let (mut blocks, mut ways) = (Vec::new(), FxHashMap::default());
        for (source, here) in outgoing.iter().enumerate() {
            for &block in here {
                if budget.is_exhausted() {
                    return Err(Reason::out_of_time());
                }
                let letter = statements.intern(statements::statement(graph, block, compare));
                if letter.0 as usize == blocks.len() {
                    blocks.push(block);
                }
                let target = match graph.block(block).target {
                    Target::Place(place) => State(place.0),
                    Target::Error(_) | Target::Beyond(_) => end,
                };
                ways.insert(block, (letter, target));
                builder.edge(State(source as u32), letter, target);
            }
        }
        let in_loops = blocks_in_loops(&outgoing, &ways);
        Ok(ProgramAutomaton {
            nfa: builder.build(),
            statements,
            blocks,
            ways,
            outgoing,
            in_loops,
        })
    }

    pub fn letters(&self) -> impl Iterator<Item = Letter> + use<> {
        self.statements.letters()
    }

    pub fn letter(&self, block: BlockId) -> Letter {
        self.ways[&block].0
    }

    /// All blocks, each with its letter; in a fixed order.
    pub fn blocks(&self) -> impl Iterator<Item = (BlockId, Letter)> + '_ {
        let all = self.outgoing.iter().flatten();
        all.map(|&block| (block, self.letter(block)))
    }

    /// The path program of a path: between the places that the path passes, all blocks with a
    /// letter of it.
    pub fn path_program(&self, path: &[BlockId]) -> BTreeSet<BlockId> {
        let letters: FxHashSet<Letter> = path.iter().map(|&block| self.letter(block)).collect();
        let mut places: FxHashSet<State> = FxHashSet::from_iter([State(ROOT.0)]);
        places.extend(path.iter().map(|block| self.ways[block].1));
        let mut blocks = BTreeSet::new();
        for &State(place) in &places {
            for &block in self.outgoing.get(place as usize).into_iter().flatten() {
                let (letter, target) = self.ways[&block];
                if letters.contains(&letter) && places.contains(&target) {
                    blocks.insert(block);
                }
            }
        }
        blocks
    }

    /// A block that does what the letter says.
    pub fn block(&self, letter: Letter) -> BlockId {
        self.blocks[letter.0 as usize]
    }

    /// Does the block lie on a loop of the program?
    pub fn is_in_loop(&self, block: BlockId) -> bool {
        self.in_loops.contains(&block)
    }

    /// A path that the word is the trace of; `None` if the program has no such trace.
    pub fn path(&self, word: &[Letter]) -> Option<Vec<BlockId>> {
        // For each position the places there, each with the block that it was come to by.
        let mut layers: Vec<FxHashMap<State, Option<(State, BlockId)>>> = Vec::new();
        layers.push(FxHashMap::from_iter([(State(ROOT.0), None)]));
        for &letter in word {
            let mut next = FxHashMap::default();
            let mut here: Vec<State> = layers.last()?.keys().copied().collect();
            here.sort_unstable();
            for state in here {
                for &block in self.outgoing.get(state.0 as usize).into_iter().flatten() {
                    let (other, target) = self.ways[&block];
                    if other == letter {
                        next.entry(target).or_insert(Some((state, block)));
                    }
                }
            }
            layers.push(next);
        }
        let mut state = State(self.outgoing.len() as u32);
        let mut path = Vec::new();
        for layer in layers.iter().skip(1).rev() {
            let (before, block) = (*layer.get(&state)?)?;
            path.push(block);
            state = before;
        }
        path.reverse();
        Some(path)
    }
}

/// Blocks whose target leads back to their source: those inside of a strongly connected component
/// (R. Tarjan, 1972).
fn blocks_in_loops(
    outgoing: &[Vec<BlockId>],
    ways: &FxHashMap<BlockId, (Letter, State)>,
) -> FxHashSet<BlockId> {
    let target = |block: &BlockId| ways[block].1.0 as usize;
    let count = outgoing.len();
    let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
    let mut component = vec![usize::MAX; count];
    let (mut next, mut components) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    for root in 0..count {
        if index[root] != usize::MAX {
            continue;
        }
        // A place and how many of its blocks were followed.
        let mut work = vec![(root, 0)];
        while let Some(&mut (place, ref mut followed)) = work.last_mut() {
            if *followed == 0 {
                index[place] = next;
                low[place] = next;
                next += 1;
                open.push(place);
            }
            if let Some(block) = outgoing[place].get(*followed) {
                *followed += 1;
                let to = target(block);
                if to < count && index[to] == usize::MAX {
                    work.push((to, 0));
                } else if to < count && component[to] == usize::MAX {
                    low[place] = low[place].min(index[to]);
                }
                continue;
            }
            work.pop();
            if let Some(&(before, _)) = work.last() {
                low[before] = low[before].min(low[place]);
            }
            if low[place] == index[place] {
                while let Some(member) = open.pop() {
                    component[member] = components;
                    if member == place {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    let mut found = FxHashSet::default();
    for (source, blocks) in outgoing.iter().enumerate() {
        for block in blocks {
            if component.get(target(block)) == Some(&component[source]) {
                found.insert(*block);
            }
        }
    }
    found
}
