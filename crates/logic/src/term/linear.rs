//! Sums in a normal form: a constant plus terms with coefficients.
//!
//! Nested sums are merged only while the result stays short. Merging without limit would spell out
//! each element of a long chain `s(i+1) = s(i) + a(i)` in full, which is quadratic in its length
//! and hides the shared prefixes.

use super::{BvValue, Op, Term, TermPool};

/// How many terms with coefficients a merged sum may have.
const MAX_MONOMIALS: usize = 4;

/// `constant + Σ coefficient · base`, bases distinct and sorted, coefficients not zero.
#[derive(Clone, Debug)]
pub(super) struct LinearSum {
    pub constant: BvValue,
    pub monomials: Vec<(Term, BvValue)>,
}

impl LinearSum {
    fn zero(width: u32) -> LinearSum {
        LinearSum {
            constant: BvValue::zero(width),
            monomials: Vec::new(),
        }
    }

    fn add_monomial(&mut self, base: Term, coefficient: &BvValue) {
        match self.monomials.binary_search_by_key(&base, |entry| entry.0) {
            Ok(position) => {
                let sum = self.monomials[position].1.add(coefficient);
                if sum.is_zero() {
                    self.monomials.remove(position);
                } else {
                    self.monomials[position].1 = sum;
                }
            }
            Err(_) if coefficient.is_zero() => {}
            Err(position) => self.monomials.insert(position, (base, coefficient.clone())),
        }
    }

    pub fn add_scaled(&mut self, other: &LinearSum, factor: &BvValue) {
        self.constant = self.constant.add(&other.constant.mul(factor));
        for (base, coefficient) in &other.monomials {
            self.add_monomial(*base, &coefficient.mul(factor));
        }
    }
}

impl TermPool {
    /// One summand as coefficient and base; a complement is `-x - 1`.
    fn add_summand(&self, sum: &mut LinearSum, term: Term, factor: &BvValue) {
        match self.op(term) {
            Op::BvConst(_) => {
                let value = self.as_bv_const(term).expect("a constant");
                sum.constant = sum.constant.add(&value.mul(factor));
            }
            Op::BvMul if self.is_const(self.arg(term, 0)) => {
                let value = self.as_bv_const(self.arg(term, 0)).expect("a constant");
                sum.add_monomial(self.arg(term, 1), &value.mul(factor));
            }
            Op::BvNot => {
                sum.constant = sum.constant.sub(factor);
                sum.add_monomial(self.arg(term, 0), &factor.neg());
            }
            _ => sum.add_monomial(term, factor),
        }
    }

    /// The term read as a sum, one level deep.
    pub(super) fn linear_sum(&self, term: Term) -> LinearSum {
        let width = self.width(term);
        let mut sum = LinearSum::zero(width);
        let one = BvValue::one(width);
        if self.op(term) == Op::BvAdd {
            for &arg in self.args(term) {
                self.add_summand(&mut sum, arg, &one);
            }
        } else {
            self.add_summand(&mut sum, term, &one);
        }
        sum
    }

    /// The term of a sum.
    pub(super) fn linear_term(&mut self, sum: &LinearSum) -> Term {
        let width = sum.constant.width();
        if sum.monomials.is_empty() {
            return self.bv_value(sum.constant.clone());
        }
        if let [(base, coefficient)] = sum.monomials.as_slice()
            && coefficient.is_ones()
            && sum.constant.is_ones()
        {
            // -x - 1 has a shorter name.
            return self.bv_not(*base);
        }
        let mut args = Vec::with_capacity(sum.monomials.len() + 1);
        if !sum.constant.is_zero() {
            args.push(self.bv_value(sum.constant.clone()));
        }
        for (base, coefficient) in &sum.monomials {
            let term = if coefficient.is_one() {
                *base
            } else {
                let factor = self.bv_value(coefficient.clone());
                self.raw(Op::BvMul, super::Sort::BitVec(width), &[factor, *base])
            };
            args.push(term);
        }
        if let [single] = args.as_slice() {
            return *single;
        }
        self.raw(Op::BvAdd, super::Sort::BitVec(width), &args)
    }

    /// `a + factor · b` in normal form.
    pub(super) fn linear_combination(&mut self, a: Term, b: Term, factor: &BvValue) -> Term {
        let mut left = self.linear_sum(a);
        let right = self.linear_sum(b);
        let cost = left.monomials.len() + right.monomials.len();
        if cost > MAX_MONOMIALS {
            let mut merged = left.clone();
            merged.add_scaled(&right, factor);
            if merged.monomials.len() <= MAX_MONOMIALS {
                return self.linear_term(&merged);
            }
            // Too long: the longer operands stay names for their sums; only constants come out.
            let width = self.width(a);
            let mut sum = LinearSum::zero(width);
            let one = BvValue::one(width);
            for (term, linear, factor) in [(a, &left, &one), (b, &right, factor)] {
                if linear.monomials.len() <= 1 {
                    sum.add_scaled(linear, factor);
                } else if linear.constant.is_zero() {
                    sum.add_monomial(term, factor);
                } else {
                    let mut rest = linear.clone();
                    rest.constant = BvValue::zero(width);
                    let rest = self.linear_term(&rest);
                    sum.constant = sum.constant.add(&linear.constant.mul(factor));
                    sum.add_monomial(rest, factor);
                }
            }
            return self.linear_term(&sum);
        }
        left.add_scaled(&right, factor);
        self.linear_term(&left)
    }

    /// Base and constant offset: `x + 5` is `(x, 5)`.
    pub(super) fn split_offset(&mut self, term: Term) -> (Option<Term>, BvValue) {
        if let Some(value) = self.as_bv_const(term) {
            return (None, value.clone());
        }
        if self.op(term) == Op::BvAdd
            && let Some(value) = self.as_bv_const(self.arg(term, 0)).cloned()
        {
            let mut sum = self.linear_sum(term);
            sum.constant = BvValue::zero(value.width());
            let base = self.linear_term(&sum);
            return (Some(base), value);
        }
        (Some(term), BvValue::zero(self.width(term)))
    }

    /// Do the terms differ under every model? Sound, not complete.
    pub(crate) fn surely_distinct(&mut self, a: Term, b: Term) -> bool {
        if a == b {
            return false;
        }
        if self.is_const(a) && self.is_const(b) {
            return true;
        }
        let (base_a, offset_a) = self.split_offset(a);
        let (base_b, offset_b) = self.split_offset(b);
        if base_a == base_b && offset_a != offset_b {
            return true;
        }
        let known_a = self.known_bits(a);
        let known_b = self.known_bits(b);
        known_a.ones & known_b.zeros != 0 || known_a.zeros & known_b.ones != 0
    }
}
