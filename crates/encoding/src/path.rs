//! Path conditions: conjunctions that grow at the end and share their beginnings.

use logic::{Term, TermPool};
use std::rc::Rc;

/// A conjunction of terms. Two paths that meet again share the part before their fork, so that what
/// must be remembered after the meeting is only a disjunction of what they added.
#[derive(Clone, Debug, Default)]
pub struct Path(Option<Rc<Conjunct>>);

#[derive(Debug)]
struct Conjunct {
    term: Term,
    before: Path,
    length: u32,
}

impl Drop for Conjunct {
    /// Iterative: a path may have a million conjuncts.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(rc) = next {
            match Rc::try_unwrap(rc) {
                Ok(mut conjunct) => next = conjunct.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

impl Path {
    pub fn length(&self) -> u32 {
        self.0.as_ref().map_or(0, |conjunct| conjunct.length)
    }

    /// Are the two the same object (not merely equivalent)?
    pub fn is_same(&self, other: &Path) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The path under one more condition; `None` if that is false, already or by the condition
    /// itself.
    #[must_use]
    pub fn and(&self, pool: &mut TermPool, term: Term) -> Option<Path> {
        match pool.as_bool(term) {
            Some(true) => return Some(self.clone()),
            Some(false) => return None,
            None => {}
        }
        // Conditions repeat within few steps (a loop's condition after a check of the same), rarely
        // later.
        let mut recent = self;
        for _ in 0..16 {
            let Some(conjunct) = &recent.0 else { break };
            if conjunct.term == term {
                return Some(self.clone());
            }
            if pool.are_complements(conjunct.term, term) {
                return None;
            }
            recent = &conjunct.before;
        }
        let length = self.length() + 1;
        Some(Path(Some(Rc::new(Conjunct {
            term,
            before: self.clone(),
            length,
        }))))
    }

    /// The whole conjunction.
    pub fn term(&self, pool: &mut TermPool) -> Term {
        pool.and_all(self.conjuncts_after(0))
    }

    /// The conjuncts from the given length on, from the last to the first.
    pub fn conjuncts_after(&self, length: u32) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut current = self;
        while let Some(conjunct) = &current.0 {
            if conjunct.length <= length {
                break;
            }
            terms.push(conjunct.term);
            current = &conjunct.before;
        }
        terms
    }

    fn ancestor(&self, length: u32) -> Path {
        let mut current = self.clone();
        while current.length() > length {
            current = current.0.as_ref().expect("longer than zero").before.clone();
        }
        current
    }

    /// The longest common beginning.
    pub fn common(&self, other: &Path) -> Path {
        let length = self.length().min(other.length());
        let (mut a, mut b) = (self.ancestor(length), other.ancestor(length));
        while !a.is_same(&b) {
            let shorter = a.length() - 1;
            a = a.ancestor(shorter);
            b = b.ancestor(shorter);
        }
        a
    }

    /// The path that holds where either does, and a condition that tells them apart: true where
    /// `self` holds. The caller has made sure that the two never hold at once.
    pub fn join(&self, other: &Path, pool: &mut TermPool) -> (Path, Term) {
        let common = self.common(other);
        let left = pool.and_all(self.conjuncts_after(common.length()));
        let right = pool.and_all(other.conjuncts_after(common.length()));
        let either = pool.or(left, right);
        let joined = common.and(pool, either).unwrap_or(common);
        (joined, left)
    }
}
