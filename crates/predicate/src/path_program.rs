//! The path program of a path of blocks (Beyer2007: D. Beyer, T. Henzinger, R. Majumdar, A.
//! Rybalchenko: Path invariants, PLDI 2007).
//!
//! It is the program with the edges that executions can take on the path's blocks, as often and in
//! whatever order they can be passed. No program is made for it: the set of its edges is all that
//! its abstract interpretation needs ([`PathProgram::interpret`]), and what that finds is about the
//! places of the program itself.

use absint::invariants::{AbstractStates, InvariantOptions, Invariants, generate_states_on};
use cfa::op::Op;
use cfa::place::Place;
use cfa::program::{EdgeId, Program};
use facts::budget::Budget;
use facts::engine::Reason;
use induction::graph::{BlockId, Target};
use induction::solver_graph::SolverGraph;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// Places inside one block; larger blocks are not looked at.
const MAX_PLACES: usize = 20_000;
/// Activations of one function inside a block.
const RECURSION: usize = 4;

/// The part of the time left that one path program may take.
const FRACTION: f64 = 0.2;

/// A path program, and how it is interpreted.
pub struct PathProgram<'e> {
    edges: &'e FxHashSet<EdgeId>,
    options: InvariantOptions,
    /// For the interpretation and what is made of it.
    pub budget: Budget,
}

impl<'e> PathProgram<'e> {
    /// The part of the program that has these edges ([`edges_of`]). Its interpretation takes a part
    /// of the time that is left, and so much at most.
    pub fn new(
        edges: &'e FxHashSet<EdgeId>,
        options: &InvariantOptions,
        most: Duration,
        budget: &Budget,
    ) -> PathProgram<'e> {
        PathProgram {
            edges,
            // Invariants are wanted wherever blocks meet, and those need not be loop heads.
            options: InvariantOptions {
                everywhere: true,
                ..options.clone()
            },
            budget: part_of(budget, most),
        }
    }

    /// Interprets it abstractly: what holds at its places, and the states behind that.
    pub fn interpret<'a>(
        &'a self,
        program: &'a Program,
    ) -> Result<(Invariants, Box<dyn AbstractStates + 'a>), Reason> {
        generate_states_on(program, self.edges, &self.options, &self.budget)
    }
}

/// What one path program may take: a part of the time that is left, and so much at most.
pub fn part_of(budget: &Budget, most: Duration) -> Budget {
    let left = budget.left().map(|left| left.mul_f64(FRACTION));
    budget.within(left.map_or(most, |left| left.min(most)))
}

/// The edges that executions can take on the blocks; `None` if a block is too large.
pub fn edges_of(graph: &SolverGraph<'_>, blocks: &[BlockId]) -> Option<FxHashSet<EdgeId>> {
    let mut kept: FxHashSet<EdgeId> = FxHashSet::default();
    let distinct: FxHashSet<BlockId> = blocks.iter().copied().collect();
    for &block in &distinct {
        edges_of_block(graph, block, &mut kept)?;
    }
    Some(kept)
}

/// Adds the edges between a block's source and its target, calls included.
fn edges_of_block(
    graph: &SolverGraph<'_>,
    block: BlockId,
    kept: &mut FxHashSet<EdgeId>,
) -> Option<()> {
    let program = graph.program();
    let block = graph.block(block);
    let source = graph.place(block.source).clone();
    let mut numbers: FxHashMap<Place, usize> = FxHashMap::default();
    let mut places = vec![source];
    // Where places are come from; the first place may be the target too, and then has two numbers.
    let mut before: Vec<Vec<(usize, EdgeId)>> = vec![Vec::new()];
    let mut next = 0;
    while next < places.len() {
        let place = places[next].clone();
        let number = next;
        next += 1;
        if number > 0 && graph.is_cut(place.location) {
            continue;
        }
        for (edge, target) in steps(graph, &place) {
            let known = *numbers.entry(target.clone()).or_insert_with(|| {
                places.push(target);
                before.push(Vec::new());
                places.len() - 1
            });
            before[known].push((number, edge));
        }
        if places.len() > MAX_PLACES {
            return None;
        }
    }
    let is_target = |place: &Place| match &block.target {
        Target::Place(id) => place == graph.place(*id),
        Target::Error(location) => place.location == *location,
        Target::Beyond(_) => true,
    };
    let mut work: Vec<usize> = (1..places.len())
        .filter(|&number| is_target(&places[number]))
        .collect();
    let mut seen: FxHashSet<usize> = work.iter().copied().collect();
    while let Some(number) = work.pop() {
        for &(earlier, edge) in &before[number] {
            kept.insert(edge);
            // A return is a step from the callee's exit, but the edge is that of the call.
            kept.extend(&places[earlier].calls);
            if seen.insert(earlier) {
                work.push(earlier);
            }
        }
    }
    debug_assert!(program.edges.len() >= kept.len());
    Some(())
}

/// Where executions can go from a place with one edge.
fn steps(graph: &SolverGraph<'_>, place: &Place) -> Vec<(EdgeId, Place)> {
    let program = graph.program();
    let function = program.location(place.location).function;
    let mut found = Vec::new();
    if place.location == program.function(function).exit {
        if let Some((&call, below)) = place.calls.split_last() {
            let target = Place {
                calls: below.to_vec(),
                location: program.edge(call).target,
            };
            found.push((call, target));
        }
        return found;
    }
    for &edge in &program.location(place.location).outgoing {
        let target = match program.edge_op(edge) {
            Op::Halt(_) => continue,
            Op::Call { function, .. } => {
                let open = place.calls.iter();
                let open =
                    open.filter(|&&call| cfa::place::callee(program, call) == Some(*function));
                if open.count() >= RECURSION {
                    continue;
                }
                let mut calls = place.calls.clone();
                calls.push(edge);
                Place {
                    calls,
                    location: program.function(*function).entry,
                }
            }
            _ => Place {
                calls: place.calls.clone(),
                location: program.edge(edge).target,
            },
        };
        found.push((edge, target));
    }
    found
}
