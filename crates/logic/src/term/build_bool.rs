//! Boolean constructors. Only negation, conjunction, equality and choice exist as operators; the
//! rest is expressed by them, which lets complements and equal formulas be seen by comparing
//! handles.

use super::{Op, Sort, Term, TermPool};

/// Conjunctions nested in a conjunction are merged up to this length; beyond it they stay one
/// conjunct, so that a chain `p(i+1) = p(i) ∧ c(i)` does not grow quadratically.
const MAX_FLAT: usize = 16;

impl TermPool {
    /// Negation.
    #[inline]
    pub fn not(&mut self, term: Term) -> Term {
        self.expect_bool(term);
        match self.op(term) {
            Op::Not => self.arg(term, 0),
            _ => self.raw(Op::Not, Sort::Bool, &[term]),
        }
    }

    /// The term without its outermost negation, and whether there was none.
    #[inline]
    pub fn strip_not(&self, term: Term) -> (Term, bool) {
        match self.op(term) {
            Op::Not => (self.arg(term, 0), false),
            _ => (term, true),
        }
    }

    /// Is one the negation of the other?
    #[inline]
    pub fn are_complements(&self, a: Term, b: Term) -> bool {
        (self.op(a) == Op::Not && self.arg(a, 0) == b)
            || (self.op(b) == Op::Not && self.arg(b, 0) == a)
    }

    /// Conjunction of two.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.expect_bool(a);
        self.expect_bool(b);
        if a == b || b == TermPool::TRUE {
            return a;
        }
        if a == TermPool::TRUE {
            return b;
        }
        if a == TermPool::FALSE || b == TermPool::FALSE || self.are_complements(a, b) {
            return TermPool::FALSE;
        }
        self.and_all([a, b])
    }

    /// Disjunction of two.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        let not_b = self.not(b);
        let both_false = self.and(not_a, not_b);
        self.not(both_false)
    }

    /// Disjunction of any number; falsity for none.
    pub fn or_all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let negated: Vec<Term> = terms.into_iter().map(|term| self.not(term)).collect();
        let all_false = self.and_all(negated);
        self.not(all_false)
    }

    /// Conjunction of any number; truth for none.
    pub fn and_all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let mut conjuncts = std::mem::take(&mut self.scratch);
        conjuncts.clear();
        conjuncts.extend(terms);
        let result = self.and_conjuncts(&mut conjuncts);
        self.scratch = conjuncts;
        result
    }

    fn and_conjuncts(&mut self, conjuncts: &mut Vec<Term>) -> Term {
        for &conjunct in conjuncts.iter() {
            self.expect_bool(conjunct);
        }
        self.flatten_and(conjuncts);
        loop {
            conjuncts.sort_unstable();
            conjuncts.dedup();
            if conjuncts.first() == Some(&TermPool::TRUE) {
                conjuncts.remove(0);
            }
            if conjuncts.first() == Some(&TermPool::FALSE) {
                return TermPool::FALSE;
            }
            // A negation is newer than what it negates, but not adjacent: search for each.
            for position in 0..conjuncts.len() {
                let term = conjuncts[position];
                if self.op(term) == Op::Not {
                    let inner = self.arg(term, 0);
                    if conjuncts.binary_search(&inner).is_ok() {
                        return TermPool::FALSE;
                    }
                }
            }
            if !self.absorb(conjuncts) {
                break;
            }
        }
        match conjuncts.as_slice() {
            [] => TermPool::TRUE,
            [single] => *single,
            _ => self.raw(Op::And, Sort::Bool, conjuncts),
        }
    }

    fn flatten_and(&self, conjuncts: &mut Vec<Term>) {
        let nested = |term: &Term| self.op(*term) == Op::And;
        let merged: usize = conjuncts
            .iter()
            .map(|term| {
                if nested(term) {
                    self.args(*term).len()
                } else {
                    1
                }
            })
            .sum();
        if merged > MAX_FLAT && merged > conjuncts.len() {
            // Merge only the short ones; what is implied by a long one is still dropped.
            let long: Vec<Term> = conjuncts.iter().copied().filter(nested).collect();
            conjuncts.retain(|term| {
                nested(term)
                    || !long
                        .iter()
                        .any(|and| self.args(*and).binary_search(term).is_ok())
            });
            return;
        }
        let mut position = 0;
        while position < conjuncts.len() {
            let term = conjuncts[position];
            if nested(&term) {
                conjuncts.swap_remove(position);
                conjuncts.extend_from_slice(self.args(term));
            } else {
                position += 1;
            }
        }
    }

    /// One round of `a ∧ ¬(a ∧ b) = a ∧ ¬b` and `a ∧ ¬(¬a ∧ b) = a`; `true` if something changed.
    fn absorb(&mut self, conjuncts: &mut Vec<Term>) -> bool {
        if conjuncts.len() > MAX_FLAT {
            return false;
        }
        for position in 0..conjuncts.len() {
            let term = conjuncts[position];
            if self.op(term) != Op::Not {
                continue;
            }
            let inner = self.arg(term, 0);
            if self.op(inner) != Op::And || self.args(inner).len() > MAX_FLAT {
                continue;
            }
            let members = self.args(inner);
            let refuted = members.iter().any(|&member| {
                conjuncts
                    .iter()
                    .any(|&other| self.are_complements(other, member))
            });
            if refuted {
                conjuncts.remove(position);
                return true;
            }
            if members
                .iter()
                .any(|member| conjuncts.binary_search(member).is_ok())
            {
                let rest: Vec<Term> = members
                    .iter()
                    .copied()
                    .filter(|member| conjuncts.binary_search(member).is_err())
                    .collect();
                let rest = match rest.as_slice() {
                    [] => TermPool::TRUE,
                    [single] => *single,
                    _ => self.raw(Op::And, Sort::Bool, &rest),
                };
                let negated = self.not(rest);
                conjuncts.remove(position);
                if self.op(negated) == Op::And {
                    conjuncts.extend_from_slice(self.args(negated));
                } else {
                    conjuncts.push(negated);
                }
                return true;
            }
        }
        false
    }

    /// Implication.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_b = self.not(b);
        let counterexample = self.and(a, not_b);
        self.not(counterexample)
    }

    /// Equivalence; the same as [`TermPool::eq`] on booleans.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        self.expect_bool(a);
        self.eq(a, b)
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let equal = self.iff(a, b);
        self.not(equal)
    }

    pub(super) fn eq_bool(&mut self, a: Term, b: Term) -> Term {
        let (a, positive_a) = self.strip_not(a);
        let (b, positive_b) = self.strip_not(b);
        let same_sign = positive_a == positive_b;
        let equal = if a == b {
            TermPool::TRUE
        } else if a == TermPool::TRUE {
            b
        } else if b == TermPool::TRUE {
            a
        } else {
            let (a, b) = (a.min(b), a.max(b));
            self.raw(Op::Eq, Sort::Bool, &[a, b])
        };
        if same_sign { equal } else { self.not(equal) }
    }

    /// Choice: `then` where `condition` holds, `otherwise` where not.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.expect_bool(condition);
        let sort = self.expect_same(then, otherwise);
        if then == otherwise || condition == TermPool::TRUE {
            return then;
        }
        if condition == TermPool::FALSE {
            return otherwise;
        }
        if self.op(condition) == Op::Not {
            let condition = self.arg(condition, 0);
            return self.ite(condition, otherwise, then);
        }
        let then = self.assume_in_branch(then, condition, true);
        let otherwise = self.assume_in_branch(otherwise, condition, false);
        if then == otherwise {
            return then;
        }
        match sort {
            Sort::Bool => self.ite_bool(condition, then, otherwise),
            _ => self.ite_value(condition, then, otherwise, sort),
        }
    }

    /// A branch that is itself a choice over the same condition is the matching branch of that
    /// choice.
    fn assume_in_branch(&self, branch: Term, condition: Term, holds: bool) -> Term {
        if self.op(branch) == Op::Ite && self.arg(branch, 0) == condition {
            return self.arg(branch, if holds { 1 } else { 2 });
        }
        branch
    }

    fn ite_bool(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let not_condition = self.not(condition);
        if then == TermPool::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == TermPool::FALSE || then == not_condition {
            return self.and(not_condition, otherwise);
        }
        if otherwise == TermPool::TRUE || otherwise == not_condition {
            return self.implies(condition, then);
        }
        if otherwise == TermPool::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        if self.are_complements(then, otherwise) {
            return self.eq_bool(condition, then);
        }
        self.raw(Op::Ite, Sort::Bool, &[condition, then, otherwise])
    }

    fn ite_value(&mut self, condition: Term, then: Term, otherwise: Term, sort: Sort) -> Term {
        // c ? x : (d ? x : y)  =  (c ∨ d) ? x : y, and its mirror images.
        if self.op(otherwise) == Op::Ite {
            let &[inner, x, y] = self.args(otherwise) else {
                unreachable!("choice has three arguments")
            };
            if x == then {
                let either = self.or(condition, inner);
                return self.ite(either, x, y);
            }
            if y == then {
                let not_condition = self.not(condition);
                let other = self.and(not_condition, inner);
                return self.ite(other, x, y);
            }
        }
        if self.op(then) == Op::Ite {
            let &[inner, x, y] = self.args(then) else {
                unreachable!("choice has three arguments")
            };
            if y == otherwise {
                let both = self.and(condition, inner);
                return self.ite(both, x, y);
            }
            if x == otherwise {
                let not_inner = self.not(inner);
                let both = self.and(condition, not_inner);
                return self.ite(both, y, x);
            }
        }
        if let Sort::Array { .. } = sort
            && let Some(term) = self.ite_of_stores(condition, then, otherwise)
        {
            return term;
        }
        self.raw(Op::Ite, sort, &[condition, then, otherwise])
    }

    /// If the term is a disjunction (a negated conjunction), its disjuncts.
    pub fn as_or(&mut self, term: Term) -> Option<Vec<Term>> {
        if self.op(term) != Op::Not || self.op(self.arg(term, 0)) != Op::And {
            return None;
        }
        let members = self.args(self.arg(term, 0)).to_vec();
        Some(members.into_iter().map(|member| self.not(member)).collect())
    }

    /// The conjuncts of a term, one level deep; the term itself if it is no conjunction.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.op(term) {
            Op::And => self.args(term).to_vec(),
            Op::True => Vec::new(),
            _ => vec![term],
        }
    }
}
