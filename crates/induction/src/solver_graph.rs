//! The graph of adjustable blocks with an incremental solver for each block.
//!
//! | Stieglmaier2016, section 2.3.5 | here |
//! |---|---|
//! | `blk` | [`BlockOperator`] |
//! | block formula, path formula φ at the end of a block | [`crate::graph::Block`] |
//!
//! Deviation: see [`crate::cuts`]. The path formula at the end of a block does not depend on the
//! abstraction at its beginning, so a block's solver holds it once and for all.

use crate::cuts::{BlockOperator, cuts};
use crate::graph::{BlockGraph, BlockId, PlaceId};
use crate::solving::Solving;
use cfa::program::{EdgeId, LocId, Program};
use control::StopToken;
use encoding::unwind::Limits;
use logic::{Solver, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Solvers of special cases that are kept at the same time.
const MAX_SPECIAL_SOLVERS: usize = 200;

/// How far a block is followed.
const LIMITS: Limits = Limits {
    iterations: 1,
    recursion: encoding::blocks::RECURSION,
    steps: u64::MAX,
};

/// A [`BlockGraph`] that is asked about its blocks.
pub struct SolverGraph<'p> {
    graph: BlockGraph<'p>,
    cuts: Rc<FxHashSet<LocId>>,
    pub stop: StopToken,
    pub solving: Solving,
    /// Each holds the path of its block.
    solvers: FxHashMap<BlockId, Box<dyn Solver>>,
    /// How many of them are of special cases.
    special_solvers: usize,
}

impl<'p> Deref for SolverGraph<'p> {
    type Target = BlockGraph<'p>;

    fn deref(&self) -> &BlockGraph<'p> {
        &self.graph
    }
}

impl<'p> DerefMut for SolverGraph<'p> {
    fn deref_mut(&mut self) -> &mut BlockGraph<'p> {
        &mut self.graph
    }
}

impl<'p> SolverGraph<'p> {
    pub fn new(
        program: &'p Program,
        operator: BlockOperator,
        stop: StopToken,
        solving: Solving,
    ) -> SolverGraph<'p> {
        let cuts = Rc::new(cuts(program, operator));
        let ends = Rc::clone(&cuts);
        let is_cut = move |_: &[EdgeId], location: LocId| ends.contains(&location);
        SolverGraph {
            graph: BlockGraph::new(program, LIMITS, is_cut),
            cuts,
            stop,
            solving,
            solvers: FxHashMap::default(),
            special_solvers: 0,
        }
    }

    pub fn is_cut(&self, location: LocId) -> bool {
        self.cuts.contains(&location)
    }

    /// The blocks that begin at the place. Those that end the execution come first.
    pub fn outgoing(&mut self, id: PlaceId) -> Rc<[BlockId]> {
        self.graph.outgoing(id, &self.stop)
    }

    /// A solver that holds the block's path, and the terms.
    pub fn solver(&mut self, id: BlockId) -> (&mut dyn Solver, &mut TermPool) {
        self.limit_solvers(id);
        let encoder = &mut self.graph.unwinder.encoder;
        let block = &self.graph.blocks[id.0 as usize];
        let solver = self.solvers.entry(id).or_insert_with(|| {
            let mut solver = self.solving.solver(&self.stop);
            for &term in &block.path {
                solver.assert(&mut encoder.pool, term);
            }
            solver
        });
        solver.set_stop(self.stop.clone());
        (solver.as_mut(), &mut encoder.pool)
    }

    /// Solvers take memory, and those of special cases are quickly made again.
    fn limit_solvers(&mut self, needed: BlockId) {
        if !self.graph.is_special(needed) || self.solvers.contains_key(&needed) {
            return;
        }
        if self.special_solvers == MAX_SPECIAL_SOLVERS {
            let graph = &self.graph;
            self.solvers.retain(|&id, _| !graph.is_special(id));
            self.special_solvers = 0;
        }
        self.special_solvers += 1;
    }
}
