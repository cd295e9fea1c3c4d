//! A path through the graph of blocks as formulas.

use induction::graph::{BlockId, PlaceId};
use induction::solver_graph::SolverGraph;
use logic::{Op, Term, TermPool};
use rustc_hash::FxHashMap;

/// Blocks from the start of the program on, each beginning where the one before ends, and what of
/// the state between them matters: only what a later condition depends on is part of the formulas
/// (path-aware slicing).
#[derive(Clone, Debug)]
pub struct Trace {
    pub blocks: Vec<BlockId>,
    /// For each block the conjuncts of its condition that are looked at: all of them, or those that
    /// a slice keeps.
    pub conditions: Vec<Vec<Term>>,
    /// For each block: the leaves at its beginning that the rest of the path depends on.
    pub needed: Vec<Vec<Term>>,
    /// For each block: the values at its end of what the next block needs.
    pub ends: Vec<Vec<(Term, Term)>>,
}

/// The path's conditions over inputs alone.
pub struct Composed {
    /// For each block its conjuncts.
    pub conditions: Vec<Vec<Term>>,
    /// For each block: what its leaves and inputs are in terms of all inputs of the path.
    pub substitutions: Vec<FxHashMap<Term, Term>>,
}

impl Trace {
    /// `with_inputs`: also what the conditions depend on under which inputs are taken.
    pub fn new(graph: &mut SolverGraph<'_>, blocks: Vec<BlockId>, with_inputs: bool) -> Trace {
        let conditions = blocks
            .iter()
            .map(|&block| graph.block(block).path.clone())
            .collect();
        Trace::with_conditions(graph, blocks, conditions, with_inputs)
    }

    /// The path under a part of its conditions; `conditions[k]` are conjuncts of block `k`.
    pub fn sliced(
        graph: &mut SolverGraph<'_>,
        blocks: Vec<BlockId>,
        conditions: Vec<Vec<Term>>,
    ) -> Trace {
        Trace::with_conditions(graph, blocks, conditions, false)
    }

    fn with_conditions(
        graph: &mut SolverGraph<'_>,
        blocks: Vec<BlockId>,
        conditions: Vec<Vec<Term>>,
        with_inputs: bool,
    ) -> Trace {
        let count = blocks.len();
        let mut needed: Vec<Vec<Term>> = vec![Vec::new(); count];
        let mut ends: Vec<Vec<(Term, Term)>> = vec![Vec::new(); count];
        for step in (0..count).rev() {
            let block = graph.block(blocks[step]);
            let mut terms = conditions[step].clone();
            if with_inputs {
                for input in block.inputs.iter() {
                    terms.extend(input.path.conjuncts_after(0));
                }
            }
            if step + 1 < count {
                for leaf in needed[step + 1].clone() {
                    let value = graph.value_at_end(blocks[step], leaf);
                    ends[step].push((leaf, value));
                    terms.push(value);
                }
            }
            needed[step] = graph.leaves_of(&terms);
        }
        Trace {
            blocks,
            conditions,
            needed,
            ends,
        }
    }

    /// The place at which a block of the path begins.
    pub fn place(&self, graph: &SolverGraph<'_>, step: usize) -> PlaceId {
        graph.block(self.blocks[step]).source
    }

    /// A copy of a block's own variables (inputs and the like) for a step.
    fn rename_local(pool: &mut TermPool, variable: Term, step: usize) -> Term {
        let Op::Var(symbol) = pool.op(variable) else {
            return variable;
        };
        if step == 0 {
            return variable;
        }
        let sort = pool.sort(variable);
        pool.indexed_var(symbol, step as u32, sort)
    }

    fn locals_of(&self, graph: &mut SolverGraph<'_>, step: usize, more: &[Term]) -> Vec<Term> {
        let mut terms = self.conditions[step].clone();
        terms.extend(self.ends[step].iter().map(|&(_, value)| value));
        terms.extend(more);
        let mut variables = graph.pool().free_vars_of(&terms);
        variables.retain(|&variable| graph.leaf(variable).is_none());
        variables
    }

    /// The whole path over inputs.
    pub fn compose(&self, graph: &mut SolverGraph<'_>, with_inputs: bool) -> Composed {
        let mut conditions = Vec::new();
        let mut substitutions: Vec<FxHashMap<Term, Term>> = Vec::new();
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        for (step, &id) in self.blocks.iter().enumerate() {
            let mut memo = std::mem::take(&mut values);
            let mut more = Vec::new();
            if with_inputs {
                for input in graph.block(id).inputs.iter() {
                    more.extend(input.path.conjuncts_after(0));
                    more.push(input.value);
                }
            }
            for local in self.locals_of(graph, step, &more) {
                let renamed = Trace::rename_local(graph.pool(), local, step);
                memo.insert(local, renamed);
            }
            let path = self.conditions[step].clone();
            let pool = graph.pool();
            let composed = path
                .into_iter()
                .map(|term| pool.substitute_memo(term, &mut memo))
                .collect();
            conditions.push(composed);
            for &(leaf, value) in &self.ends[step] {
                let value = pool.substitute_memo(value, &mut memo);
                values.insert(leaf, value);
            }
            substitutions.push(memo);
        }
        Composed {
            conditions,
            substitutions,
        }
    }

    /// The name of a leaf at the beginning of a step.
    pub fn at(pool: &mut TermPool, leaf: Term, step: usize) -> Term {
        let Op::Var(symbol) = pool.op(leaf) else {
            return leaf;
        };
        let sort = pool.sort(leaf);
        pool.indexed_var(symbol, step as u32, sort)
    }

    /// What a term over leaves becomes at the beginning of a step.
    pub fn term_at(graph: &mut SolverGraph<'_>, term: Term, step: usize) -> Term {
        let leaves = graph.leaves_of(&[term]);
        let pool = graph.pool();
        let map: FxHashMap<Term, Term> = leaves
            .into_iter()
            .map(|leaf| (leaf, Trace::at(pool, leaf, step)))
            .collect();
        pool.substitute(term, &map)
    }

    /// The blocks as formulas over the values between them: `path ∧ ⋀ x' = value of x`.
    pub fn relations(&self, graph: &mut SolverGraph<'_>) -> Vec<Vec<Term>> {
        let mut result = Vec::new();
        for step in 0..self.blocks.len() {
            let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
            for local in self.locals_of(graph, step, &[]) {
                let renamed = Trace::rename_local(graph.pool(), local, step);
                memo.insert(local, renamed);
            }
            for &leaf in &self.needed[step] {
                let named = Trace::at(graph.pool(), leaf, step);
                memo.insert(leaf, named);
            }
            let path = self.conditions[step].clone();
            let pool = graph.pool();
            let mut conjuncts: Vec<Term> = path
                .into_iter()
                .map(|term| pool.substitute_memo(term, &mut memo))
                .collect();
            for &(leaf, value) in &self.ends[step] {
                let value = pool.substitute_memo(value, &mut memo);
                let next = Trace::at(pool, leaf, step + 1);
                conjuncts.push(pool.eq(next, value));
            }
            result.push(conjuncts);
        }
        result
    }
}
