//! From the ways between two places to one command: locations are taken out one after the other,
//! the way in put before the way out (sequence rule), and ways between the same two places become
//! one (choice rule).
//!
//! A location with one way in and one way out costs nothing. If there is none left, the ways are
//! not series-parallel; then the location goes whose neighbours' commands, which must be used
//! several times, are the smallest, so that what is shared stays small.

use super::{Command, CommandId, GuardedBlocks, Ways};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The command whose words are the ways.
pub(super) fn reduce(blocks: &mut GuardedBlocks, ways: &Ways) -> CommandId {
    let end = ways.locations.len();
    let mut graph = Graph {
        blocks,
        between: FxHashMap::default(),
        into: vec![BTreeSet::new(); end + 1],
        out: vec![BTreeSet::new(); end + 1],
        queue: BTreeSet::new(),
        costs: vec![0; end + 1],
    };
    for &(source, target, edge) in &ways.edges {
        let command = graph.blocks.intern(Command::Edge(edge));
        graph.add(source, target, command);
    }
    for node in 1..end {
        graph.costs[node] = graph.cost(node);
        graph.queue.insert((graph.costs[node], node));
    }
    while let Some((_, node)) = graph.queue.pop_first() {
        graph.take_out(node);
    }
    graph.way(0, end)
}

struct Graph<'b> {
    blocks: &'b mut GuardedBlocks,
    /// The commands from one place to another; several are a choice.
    between: FxHashMap<(usize, usize), Vec<CommandId>>,
    into: Vec<BTreeSet<usize>>,
    out: Vec<BTreeSet<usize>>,
    /// The places that are left, the cheapest first.
    queue: BTreeSet<(u64, usize)>,
    costs: Vec<u64>,
}

impl Graph<'_> {
    fn add(&mut self, source: usize, target: usize, command: CommandId) {
        self.out[source].insert(target);
        self.into[target].insert(source);
        self.between
            .entry((source, target))
            .or_default()
            .push(command);
    }

    fn way(&mut self, source: usize, target: usize) -> CommandId {
        let all = self
            .between
            .get(&(source, target))
            .map_or(&[][..], Vec::as_slice);
        self.blocks.choice(all)
    }

    fn size(&self, source: usize, target: usize) -> u64 {
        let all = self.between.get(&(source, target)).into_iter().flatten();
        all.fold(0, |sum, &one| sum.saturating_add(self.blocks.size(one)))
    }

    /// How much is used once more when the node goes.
    fn cost(&self, node: usize) -> u64 {
        let entering = self.into[node].iter().fold(0, |sum: u64, &from| {
            sum.saturating_add(self.size(from, node))
        });
        let leaving = self.out[node]
            .iter()
            .fold(0, |sum: u64, &to| sum.saturating_add(self.size(node, to)));
        let (ins, outs) = (self.into[node].len() as u64, self.out[node].len() as u64);
        let more_in = entering.saturating_mul(outs.saturating_sub(1));
        more_in.saturating_add(leaving.saturating_mul(ins.saturating_sub(1)))
    }

    fn take_out(&mut self, node: usize) {
        let (into, out) = (
            std::mem::take(&mut self.into[node]),
            std::mem::take(&mut self.out[node]),
        );
        for &from in &into {
            let first = self.way(from, node);
            self.out[from].remove(&node);
            for &to in &out {
                let second = self.way(node, to);
                let command = self.blocks.sequence(first, second);
                self.add(from, to, command);
            }
            self.between.remove(&(from, node));
        }
        for &to in &out {
            self.into[to].remove(&node);
            self.between.remove(&(node, to));
        }
        let end = self.into.len() - 1;
        for &neighbour in into.iter().chain(&out) {
            if neighbour == 0 || neighbour == end {
                continue;
            }
            self.queue.remove(&(self.costs[neighbour], neighbour));
            self.costs[neighbour] = self.cost(neighbour);
            self.queue.insert((self.costs[neighbour], neighbour));
        }
    }
}
