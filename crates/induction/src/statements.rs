//! Expressions as formulas about the states at both ends of blocks, each made once.
//!
//! Laws: all expressions come from one pool, which only grows; all blocks come from one graph. A
//! statement without a formula is `None`, at every time it is asked for.

use crate::graph::{BlockGraph, BlockId, PlaceId};
use cfa::expr::{ExprId, ExprPool};
use logic::Term;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct Statements {
    at_start: FxHashMap<(PlaceId, ExprId), Option<Term>>,
    at_end: FxHashMap<(BlockId, ExprId), Option<Term>>,
}

impl Statements {
    /// The statement about the state in which blocks from the place begin.
    pub fn at_start(
        &mut self,
        graph: &mut BlockGraph<'_>,
        pool: &ExprPool,
        place: PlaceId,
        statement: ExprId,
    ) -> Option<Term> {
        if let Some(&known) = self.at_start.get(&(place, statement)) {
            return known;
        }
        let state = graph.start(place);
        let term = graph.encoder().holds(&state, pool, statement).ok();
        self.at_start.insert((place, statement), term);
        term
    }

    /// The statement about the state in which the block ends; `None` also where executions end in
    /// the block.
    pub fn at_end(
        &mut self,
        graph: &mut BlockGraph<'_>,
        pool: &ExprPool,
        block: BlockId,
        statement: ExprId,
    ) -> Option<Term> {
        if let Some(&known) = self.at_end.get(&(block, statement)) {
            return known;
        }
        let term = graph.at_end(block, |encoder, state| {
            encoder.holds(state, pool, statement).ok()
        });
        self.at_end.insert((block, statement), term);
        term
    }
}
