//! Assertions that only define a variable.
//!
//! An equation between a variable that no assertion has mentioned and a term without it constrains
//! nothing else: the variable is a name for the term. Encodings consist mostly of such equations
//! (the value of a variable after an assignment), and most questions need few of them.

use crate::term::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables with a meaning, and what assertions have mentioned.
#[derive(Default)]
pub(super) struct Definitions {
    meanings: FxHashMap<Term, Term>,
    /// Subterms of assertions and of meanings. A later definition cannot be of these, so
    /// definitions have no cycles.
    mentioned: FxHashSet<Term>,
}

impl Definitions {
    /// The meaning of a variable.
    pub fn meaning(&self, variable: Term) -> Option<Term> {
        self.meanings.get(&variable).copied()
    }

    /// Notes what an assertion is about.
    pub fn mention(&mut self, pool: &TermPool, term: Term) {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if self.mentioned.insert(term) {
                work.extend_from_slice(pool.args(term));
            }
        }
    }

    /// If the assertion can be taken as a definition, the variable and its meaning, which is
    /// mentioned from now on.
    pub fn find(&mut self, pool: &mut TermPool, assertion: Term) -> Option<(Term, Term)> {
        let (equation, positive) = pool.strip_not(assertion);
        if pool.op(equation) != Op::Eq {
            return None;
        }
        let (a, b) = (pool.args(equation)[0], pool.args(equation)[1]);
        let sort = pool.sort(a);
        if (!positive && sort != Sort::Bool) || matches!(sort, Sort::Float { .. }) {
            return None;
        }
        // The newer side first: assignments make new variables.
        for (variable, meaning) in [(b, a), (a, b)] {
            if !matches!(pool.op(variable), Op::Var(_))
                || self.mentioned.contains(&variable)
                || self.meanings.contains_key(&variable)
            {
                continue;
            }
            self.mention(pool, meaning);
            if !self.mentioned.contains(&variable) {
                let meaning = if positive { meaning } else { pool.not(meaning) };
                return Some((variable, meaning));
            }
        }
        None
    }

    /// Records a definition.
    pub fn insert(&mut self, variable: Term, meaning: Term) {
        self.meanings.insert(variable, meaning);
    }
}
