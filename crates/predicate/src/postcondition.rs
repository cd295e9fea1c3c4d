//! Strongest postconditions along an infeasible path, as far as expressions can say them.
//!
//! A path under the conditions of its unsatisfiable core is executed symbolically: every value is a
//! function of the inputs. At a cut only what the rest of the path depends on is looked at (live
//! variables). Inputs are quantified: one that a variable holds is replaced by that variable, and
//! what speaks of another one is left out. So the formulas may say less than the strongest
//! postcondition; whether they still refute the path is for the caller to find out.

use super::analysis::Analysis;
use super::options::PredicateKind;
use super::trace::Trace;
use cfa::expr::ExprId;
use logic::{Op, Term, TermPool};
use rustc_hash::FxHashMap;

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
            let mut known: Vec<Term> = Vec::new();
            for (leaf, value) in equations {
                let value = pool.substitute(value, &names);
                known.push(pool.eq(leaf, value));
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
