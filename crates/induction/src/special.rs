//! Special cases of blocks: from states in which formulas have known values.
//!
//! Where a variable controls the program, one value of it leaves of a block that is the whole body
//! of a loop only one case. So the values are put into the block's formulas before anything is
//! asked about them, and most of it folds away.
//!
//! Laws: a special case is the general block with `term = value` for each pair of its [`Point`]
//! among its conjuncts. It has a number of its own, but is none of the graph's edges: neither
//! [`BlockGraph::outgoing`] nor [`BlockGraph::incoming`] has it.

use crate::graph::{Block, BlockGraph, BlockId};
use logic::{Term, TermPool};
use rustc_hash::FxHashMap;

/// Values that formulas at the beginning of a block are known to have, ascending.
pub type Point = Vec<(Term, Term)>;

/// What a block is a special case of.
pub(crate) struct General {
    pub(crate) block: BlockId,
    /// What becomes of the general block's formulas.
    pub(crate) memo: FxHashMap<Term, Term>,
}

impl BlockGraph<'_> {
    /// The part of the block that begins where the formulas have these values.
    pub fn specialised(&mut self, id: BlockId, point: Point) -> BlockId {
        if point.is_empty() || self.is_special(id) {
            return id;
        }
        let key = (id, point);
        if let Some(&known) = self.special.get(&key) {
            return known;
        }
        let mut memo: FxHashMap<Term, Term> = key.1.iter().copied().collect();
        let pool = &mut self.unwinder.encoder.pool;
        let general = &self.blocks[id.0 as usize];
        let mut path: Vec<Term> = Vec::new();
        for &conjunct in &general.path {
            let conjunct = pool.substitute_memo(conjunct, &mut memo);
            if conjunct != TermPool::TRUE {
                path.push(conjunct);
            }
        }
        path.extend(key.1.iter().map(|&(term, value)| pool.eq(term, value)));
        let block = Block {
            source: general.source,
            target: general.target.clone(),
            path,
            state: None,
            inputs: general.inputs.clone(),
            general: Some(General { block: id, memo }),
        };
        let number = BlockId(self.blocks.len() as u32);
        self.blocks.push(block);
        self.special.insert(key, number);
        number
    }

    pub fn is_special(&self, id: BlockId) -> bool {
        self.block(id).general.is_some()
    }

    /// The block without the values that it is specialised for.
    pub fn general(&self, id: BlockId) -> BlockId {
        let general = self.block(id).general.as_ref();
        general.map_or(id, |general| general.block)
    }

    /// The blocks met so far that are no special cases of others.
    pub fn general_blocks(&self) -> Vec<BlockId> {
        let all = (0..self.block_count() as u32).map(BlockId);
        all.filter(|&id| !self.is_special(id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{PlaceId, Target};
    use crate::testing::{load, var};
    use control::StopToken;
    use logic::{SolverChoice, SolverOptions};

    /// The special case and the general block with the values assumed say the same of the end.
    #[test]
    fn a_special_case_is_the_general_block_with_its_values() {
        let program = load(
            "int main(void) { int s = n(); int x = 0;
            while (n()) { if (s == 1) { x = x + 2; s = 2; } else { x = x - 1; s = n(); } }
            return x; }",
        );
        let mut graph = BlockGraph::between_loop_heads(&program);
        let stop = StopToken::new();
        graph.explore(10, &stop).expect("it is small");
        let head = PlaceId(1);
        let state = graph.start(head);
        let encoder = graph.encoder();
        let s = state.value(
            &program,
            &encoder.slots,
            &mut encoder.pool,
            var(&program, "s"),
        );
        let x = state.value(
            &program,
            &encoder.slots,
            &mut encoder.pool,
            var(&program, "x"),
        );
        let edges = graph.outgoing(head, &stop);
        let to_itself = |&&id: &&BlockId| graph.block(id).target == Target::Place(head);
        let general = *edges.iter().find(to_itself).expect("the loop");
        for value in [1, 5] {
            let width = graph.pool().width(s);
            let value = graph.pool().bv(width, value);
            let special = graph.specialised(general, vec![(s, value)]);
            assert!(special != general && graph.general(special) == general);
            assert_eq!(graph.specialised(general, vec![(s, value)]), special);
            assert_eq!(graph.specialised(special, vec![(x, value)]), special);
            assert!(!graph.outgoing(head, &stop).contains(&special));
            let [path, narrow] = [general, special].map(|id| graph.path(id));
            let ends = [general, special].map(|id| graph.value_at_end(id, x));
            let pool = graph.pool();
            let is_value = pool.eq(s, value);
            let path = pool.and_all([path, is_value]);
            let [out, back] = [(path, narrow), (narrow, path)].map(|(one, other)| {
                let other = pool.not(other);
                pool.and_all([one, other])
            });
            let same = pool.eq(ends[0], ends[1]);
            let other_end = pool.not(same);
            let other_end = pool.and_all([path, other_end]);
            for impossible in [out, back, other_end] {
                let mut solver = SolverChoice::Native.make(SolverOptions::default());
                assert!(solver.check(pool, &[impossible]).is_unsat());
            }
        }
        assert!(graph.general_blocks().len() + 2 == graph.block_count());
    }
}
