//! Strongest postconditions along an infeasible path, as far as expressions can say them.
//!
//! A path under the conditions of its unsatisfiable core is executed symbolically: every value is a
//! function of the inputs. At a cut only what the rest of the path depends on is looked at (live
//! variables). Inputs are quantified: one that a variable determines is replaced by what it is in
//! terms of that variable, and what speaks of another one is left out. Of memory it is said what
//! its cells hold that were written or tested. So the formulas may say less than the strongest
//! postcondition; whether they still refute the path is for the caller to find out.

use super::analysis::Analysis;
use super::options::PredicateKind;
use super::trace::Trace;
use cfa::expr::ExprId;
use logic::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Cells of one region of memory that are spoken of at one cut.
const MAX_CELLS: usize = 64;

impl Analysis<'_> {
    /// What holds at each cut: (number of the block that begins there, formulas).
    pub(super) fn postconditions(
        &mut self,
        trace: &Trace,
        core: &[Vec<Term>],
    ) -> Vec<(usize, Vec<ExprId>)> {
        let sliced = Trace::sliced(&mut self.graph, trace.blocks.clone(), core.to_vec());
        let composed = sliced.compose(&mut self.graph, false);
        let mut result = Vec::new();
        let mut conditions: Vec<Term> = Vec::new();
        for step in 1..sliced.blocks.len() {
            conditions.extend(&composed.conditions[step - 1]);
            let values = &composed.substitutions[step];
            let mut names: FxHashMap<Term, Term> = FxHashMap::default();
            let (mut equations, pool): (Vec<(Term, Term)>, _) = (Vec::new(), self.graph.pool());
            for &leaf in &sliced.needed[step] {
                let Some(&value) = values.get(&leaf) else {
                    continue;
                };
                match pool.op(value) {
                    Op::Var(_) if !names.contains_key(&value) => {
                        names.insert(value, leaf);
                    }
                    _ => equations.push((leaf, value)),
                }
            }
            let mut is_new = true;
            while std::mem::take(&mut is_new) {
                for &(leaf, value) in &equations {
                    if let Some((input, said)) = solved(pool, leaf, value, &names) {
                        is_new = true;
                        names.insert(input, said);
                    }
                }
            }
            let (memory, values): (Vec<_>, Vec<_>) = (equations.into_iter())
                .partition(|&(leaf, _)| matches!(pool.sort(leaf), Sort::Array { .. }));
            for &(leaf, value) in &memory {
                name_untouched(pool, (leaf, value), &conditions, &mut names);
            }
            let mut known: Vec<Term> = Vec::new();
            for (leaf, value) in values {
                let value = pool.substitute(value, &names);
                known.push(pool.eq(leaf, value));
            }
            for (leaf, value) in memory {
                for index in written(pool, value) {
                    let held = pool.select(value, index);
                    let held = pool.substitute(held, &names);
                    let index = pool.substitute(index, &names);
                    let cell = pool.select(leaf, index);
                    known.push(pool.eq(cell, held));
                }
            }
            for &condition in &conditions {
                known.push(pool.substitute(condition, &names));
            }
            result.push((step, self.said_at(&sliced, step, &known)));
        }
        result
    }

    /// Those of the terms that speak of the state alone, as expressions.
    fn said_at(&mut self, trace: &Trace, step: usize, terms: &[Term]) -> Vec<ExprId> {
        let place = trace.place(&self.graph, step);
        let mut said: Vec<ExprId> = Vec::new();
        for &term in terms {
            let variables = self.graph.pool().free_vars_of(&[term]);
            let is_state = variables.iter().all(|&var| self.graph.leaf(var).is_some());
            if term == TermPool::TRUE || !is_state {
                continue;
            }
            let meaning = self.graph.meaning(place);
            if let Some(expr) = meaning.say(&mut self.predicates.exprs, term)
                && !said.contains(&expr)
            {
                said.push(expr);
            }
        }
        if self.options.predicates == PredicateKind::Atoms {
            return said;
        }
        let exprs = &mut self.predicates.exprs;
        let all = said.into_iter().reduce(|one, other| exprs.and(one, other));
        vec![all.unwrap_or_else(|| exprs.bool_constant(true))]
    }
}

/// An input that has no name yet, where the leaf's value determines it, in terms of the leaf.
fn solved(
    pool: &mut TermPool,
    leaf: Term,
    value: Term,
    names: &FxHashMap<Term, Term>,
) -> Option<(Term, Term)> {
    let is_open = |pool: &TermPool, term: Term| {
        matches!(pool.op(term), Op::Var(_)) && !names.contains_key(&term)
    };
    let args = pool.args(value).to_vec();
    match pool.op(value) {
        // The sum of one input and what is known.
        Op::BvAdd => {
            let input = args.iter().copied().find(|&arg| is_open(pool, arg))?;
            let others: Vec<Term> = args.into_iter().filter(|&arg| arg != input).collect();
            let variables = pool.free_vars_of(&others);
            if variables.iter().any(|var| !names.contains_key(var)) {
                return None;
            }
            let mut said = leaf;
            for other in others {
                let other = pool.substitute(other, names);
                said = pool.bv_sub(said, other);
            }
            Some((input, said))
        }
        // An input that was made wider.
        Op::SignExtend | Op::Concat => {
            let input = *args.last()?;
            let (open, width) = (is_open(pool, input), pool.width(input));
            open.then(|| (input, pool.extract(leaf, width - 1, 0)))
        }
        _ => None,
    }
}

/// The indices that an array was written at, on all ways that it was made.
fn written(pool: &TermPool, array: Term) -> Vec<Term> {
    let (mut found, mut seen, mut work) = (Vec::new(), FxHashSet::default(), vec![array]);
    while let Some(array) = work.pop() {
        if !seen.insert(array) || found.len() >= MAX_CELLS {
            continue;
        }
        let args = pool.args(array);
        match pool.op(array) {
            Op::Store => {
                if !found.contains(&args[1]) {
                    found.push(args[1]);
                }
                work.push(args[0]);
            }
            Op::Ite => work.extend(&args[1..]),
            _ => {}
        }
    }
    found
}

/// Conditions on cells of the memory that there was at first speak of the memory that there is,
/// where nothing was written since.
fn name_untouched(
    pool: &mut TermPool,
    (leaf, value): (Term, Term),
    conditions: &[Term],
    names: &mut FxHashMap<Term, Term>,
) {
    let reads = pool.postorder(conditions);
    let reads = reads.into_iter();
    let reads: Vec<Term> = reads.filter(|&term| pool.op(term) == Op::Select).collect();
    for read in reads.into_iter().take(MAX_CELLS) {
        let (array, index) = (pool.args(read)[0], pool.args(read)[1]);
        let is_at_first = matches!(pool.op(array), Op::Var(_)) && !names.contains_key(&array);
        let is_of_sort = pool.sort(array) == pool.sort(value);
        if is_at_first && is_of_sort && pool.select(value, index) == read {
            let index = pool.substitute(index, names);
            let cell = pool.select(leaf, index);
            names.insert(read, cell);
        }
    }
}
