//! Section 5.10: a semantic generalisation, by an interpolant between the cube and what the edge
//! leads to.
//!
//! | thesis | here |
//! |---|---|
//! | `A`: `c'` | the cube, about the state behind the edge |
//! | `B`: `F(i-1,l) ∧ (¬c ∧) T_e` | frame and path before, renamed; new values of the variables |
//!
//! The refutation is one of bits, so the interpolant speaks of bits of variables: `y % 2 == 0` is
//! one.

use crate::ic3cfa::Search;
use crate::ic3cfa::command::conjuncts;
use crate::ic3cfa::graph::START;
use encoding::back::Leaf;
use facts::engine::Reason;
use induction::saying::Kind;
use logic::interpolate::{Interpolator, Labelling, ProofInterpolator};
use logic::{Cube, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

/// Larger interpolants are no generalisation that anybody can use.
const MAX_TERMS: usize = 60;
/// Cubes with more literals are general enough as they are, or hopeless.
const MAX_LITERALS: usize = 3;
/// Frames with more clauses make the refutation, and with it the interpolant, about something else.
const MAX_CLAUSES: usize = 24;

impl Search<'_> {
    /// A cube that the given one implies and that is inductive relative to the edge, unless that is
    /// a loop: then the negation before it was that of the given one. `None` if there is no other.
    pub(super) fn interpolated(
        &mut self,
        link: usize,
        cube: &Cube,
        level: u32,
    ) -> Result<Option<Cube>, Reason> {
        let target = self.links[link].target;
        let is_small = !cube.is_empty() && cube.len() <= MAX_LITERALS;
        if !is_small || !self.compares_what_is_computed(target, cube) {
            return Ok(None);
        }
        let Some(behind) = self.values_behind(link, cube) else {
            return Ok(None);
        };
        let mut before = self.frame_before(link, cube, level);
        if before.len() > MAX_CLAUSES {
            return Ok(None);
        }
        before.push(behind.0);
        let pool = &mut self.encoder.pool;
        let mut memo = FxHashMap::default();
        for variable in pool.free_vars_of(&before) {
            if let Some(renamed) = renamed(pool, variable) {
                memo.insert(variable, renamed);
            }
        }
        let mut step = Vec::new();
        for term in before {
            step.push(pool.substitute_memo(term, &mut memo));
        }
        // The variables of the cube are those behind the edge.
        for (leaf, value) in behind.1 {
            let value = pool.substitute_memo(value, &mut memo);
            step.push(pool.eq(leaf, value));
        }
        let blocks = [cube.term(pool), pool.and_all(step)];
        let mut interpolator = ProofInterpolator {
            labelling: Labelling::InverseMcMillan,
        };
        self.statistics.asked();
        let Ok(found) = interpolator.interpolate(pool, &blocks, &self.budget.stop) else {
            return Ok(None);
        };
        let interpolant = found.first().copied().unwrap_or(TermPool::TRUE);
        if pool.dag_size(interpolant) > MAX_TERMS {
            return Ok(None);
        }
        let general = conjuncts(pool, [interpolant]);
        let is_said = general
            .literals()
            .iter()
            .all(|&literal| self.say(target, literal).is_some());
        Ok((is_said && general != *cube).then_some(general))
    }

    /// Only cubes that say exactly what a variable is have much to gain, and only where the
    /// program computes with it: of a variable that is set to constants alone, literals say all
    /// that there is to say.
    fn compares_what_is_computed(&mut self, node: usize, cube: &Cube) -> bool {
        let pool = &self.encoder.pool;
        let equalities = cube.filtered(|literal| pool.op(literal) == logic::Op::Eq);
        let leaves = pool.free_vars_of(equalities.literals());
        leaves.into_iter().any(|leaf| self.is_computed(node, leaf))
    }

    /// Does some command give the variable a value that is neither a constant nor that of a
    /// variable?
    fn is_computed(&mut self, node: usize, leaf: Term) -> bool {
        if let Some(&known) = self.computed.get(&leaf) {
            return known;
        }
        let Some(number) = self.activation_of[node] else {
            return false;
        };
        let program = self.program;
        let kind = self.activations[number].kind(program, &self.encoder.pool, leaf);
        let Kind::State(Leaf::Var(var)) = kind else {
            return false;
        };
        let mut is_computed = false;
        for link in &self.links {
            if self.activation_of[link.target] != Some(number) {
                continue;
            }
            for partial in &link.partials {
                let pool = &mut self.encoder.pool;
                let value = partial.after.value(program, &self.encoder.slots, pool, var);
                let is_simple = pool.as_var(value).is_some() || pool.as_u128(value).is_some();
                is_computed |= !is_simple;
            }
        }
        self.computed.insert(leaf, is_computed);
        is_computed
    }

    /// What is assumed before the edge.
    fn frame_before(&mut self, link: usize, cube: &Cube, level: u32) -> Vec<Term> {
        let source = self.links[link].source;
        if source == START {
            return Vec::new();
        }
        let mut terms = self.facts[source].clone();
        let before = self.before(link, level);
        let blocked: Vec<Cube> = self.frames[source].at(before).cloned().collect();
        for known in blocked {
            terms.push(known.negation(&mut self.encoder.pool));
        }
        if source == self.links[link].target {
            terms.push(cube.negation(&mut self.encoder.pool));
        }
        terms
    }

    /// The path of the edge, and for each variable of the cube its value behind it; `None` where
    /// that has no equality.
    #[allow(clippy::type_complexity)]
    fn values_behind(&mut self, link: usize, cube: &Cube) -> Option<(Term, Vec<(Term, Term)>)> {
        self.join_partials(link);
        let target = self.links[link].target;
        let leaves = self.encoder.pool.free_vars_of(cube.literals());
        let number = self.activation_of[target]?;
        let joined = self.links[link].joined.as_ref()?;
        let mut values = Vec::new();
        for leaf in leaves {
            let (program, pool) = (self.program, &mut self.encoder.pool);
            let kind = self.activations[number].kind(program, pool, leaf);
            let Kind::State(Leaf::Var(var)) = kind else {
                return None;
            };
            if !matches!(pool.sort(leaf), Sort::Bool | Sort::BitVec(_)) {
                return None;
            }
            let value = joined.value(program, &self.encoder.slots, pool, var);
            values.push((leaf, value));
        }
        let path = joined.path.term(&mut self.encoder.pool);
        Some((path, values))
    }
}

/// The variable that stands for the same before the edge.
fn renamed(pool: &mut TermPool, variable: Term) -> Option<Term> {
    let symbol = pool.as_var(variable)?;
    let name = format!("before!{}", pool.symbol_name(symbol));
    let sort = pool.sort(variable);
    Some(pool.var(&name, sort))
}
