//! Array constructors: reads see through writes to places that surely are or are not the one read.

use super::{Op, Sort, Term, TermPool};

/// How many writes a read looks through before giving up: chains may be thousands long.
const MAX_READ_THROUGH: usize = 256;
/// How many writes a write may reorder; each one passed is built anew.
const MAX_WRITE_THROUGH: usize = 32;

impl TermPool {
    fn expect_array(&self, array: Term) -> (u32, u32) {
        match self.sort(array) {
            Sort::Array { index, element } => (index, element),
            other => panic!("array operand expected, got {other}"),
        }
    }

    /// The array that holds `element` at every index.
    pub fn const_array(&mut self, index_width: u32, element: Term) -> Term {
        let width = self.expect_bv(element);
        let sort = Sort::Array {
            index: index_width,
            element: width,
        };
        self.raw(Op::ConstArray, sort, &[element])
    }

    /// The element at an index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let (index_width, element_width) = self.expect_array(array);
        assert!(
            self.expect_bv(index) == index_width,
            "index of the array's width expected"
        );
        let mut current = array;
        for _ in 0..MAX_READ_THROUGH {
            match self.op(current) {
                Op::Store => {
                    let &[inner, written, element] = self.args(current) else {
                        unreachable!("a write has three arguments")
                    };
                    if written == index {
                        return element;
                    }
                    if !self.surely_distinct(written, index) {
                        break;
                    }
                    current = inner;
                }
                Op::ConstArray => return self.arg(current, 0),
                _ => break,
            }
        }
        self.raw(Op::Select, Sort::BitVec(element_width), &[current, index])
    }

    /// The array with one element changed.
    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        let (index_width, element_width) = self.expect_array(array);
        assert!(
            self.expect_bv(index) == index_width && self.expect_bv(element) == element_width,
            "index and element of the array's widths expected"
        );
        // Writing what is there already.
        if self.op(element) == Op::Select
            && self.arg(element, 0) == array
            && self.arg(element, 1) == index
        {
            return array;
        }
        if self.op(array) == Op::ConstArray && self.arg(array, 0) == element {
            return array;
        }
        let sort = self.sort(array);
        // A write over a write to the same place forgets the older one; writes to surely distinct
        // places are kept sorted by index, so that the order of independent writes does not matter.
        let mut skipped: Vec<(Term, Term)> = Vec::new();
        let mut current = array;
        let mut found = false;
        while skipped.len() < MAX_WRITE_THROUGH && self.op(current) == Op::Store {
            let &[inner, written, old] = self.args(current) else {
                unreachable!("a write has three arguments")
            };
            if written == index {
                current = inner;
                found = true;
                break;
            }
            if !self.surely_distinct(written, index) {
                break;
            }
            skipped.push((written, old));
            current = inner;
        }
        if !found {
            // No older write to this place: only sink below newer indices.
            let mut rest = array;
            let mut above: Vec<(Term, Term)> = Vec::new();
            for &(written, old) in &skipped {
                if written <= index {
                    break;
                }
                above.push((written, old));
                rest = self.arg(rest, 0);
            }
            skipped = above;
            current = rest;
        }
        let mut result = self.raw(Op::Store, sort, &[current, index, element]);
        for &(written, old) in skipped.iter().rev() {
            result = self.raw(Op::Store, sort, &[result, written, old]);
        }
        result
    }

    /// `c ? a[i:=v] : a` becomes `a[i := c ? v : a[i]]`: one array instead of two.
    pub(super) fn ite_of_stores(
        &mut self,
        condition: Term,
        then: Term,
        otherwise: Term,
    ) -> Option<Term> {
        let parts = |pool: &TermPool, term: Term| match pool.op(term) {
            Op::Store => Some((pool.arg(term, 0), pool.arg(term, 1), pool.arg(term, 2))),
            _ => None,
        };
        match (parts(self, then), parts(self, otherwise)) {
            (Some((a, i, v)), Some((b, j, w))) if a == b && i == j => {
                let element = self.ite(condition, v, w);
                Some(self.store(a, i, element))
            }
            (Some((a, i, v)), _) if a == otherwise => {
                let old = self.select(a, i);
                let element = self.ite(condition, v, old);
                Some(self.store(a, i, element))
            }
            (_, Some((b, j, w))) if b == then => {
                let old = self.select(b, j);
                let element = self.ite(condition, old, w);
                Some(self.store(b, j, element))
            }
            _ => None,
        }
    }
}
