//! Extraction, concatenation and extension.
//!
//! A concatenation is one flat list of parts; zero extension is a concatenation with a zero on top.
//! Extraction moves inwards as far as it pays, so that bytes taken out of a word built of bytes are
//! those bytes again.

use super::{BvValue, Op, Sort, Term, TermPool};

impl TermPool {
    /// Bits `high` down to `low`, both included.
    pub fn extract(&mut self, term: Term, high: u32, low: u32) -> Term {
        let width = self.expect_bv(term);
        assert!(
            low <= high && high < width,
            "extraction of bits {high} to {low} of {width}"
        );
        let mut term = term;
        let (mut high, mut low) = (high, low);
        // Follow chains of slicing operators without recursion.
        loop {
            let width = self.width(term);
            if low == 0 && high + 1 == width {
                return term;
            }
            match self.op(term) {
                Op::Extract { low: inner_low, .. } => {
                    term = self.arg(term, 0);
                    high += inner_low;
                    low += inner_low;
                }
                Op::Concat => match self.part_containing(term, high, low) {
                    Some((part, offset)) => {
                        term = part;
                        high -= offset;
                        low -= offset;
                    }
                    None => return self.extract_concat(term, high, low),
                },
                Op::SignExtend => {
                    let inner = self.arg(term, 0);
                    let inner_width = self.width(inner);
                    if high < inner_width {
                        term = inner;
                    } else if low < inner_width {
                        let kept = self.extract(inner, inner_width - 1, low);
                        return self.sign_extend(kept, high + 1 - inner_width);
                    } else {
                        let sign = self.extract(inner, inner_width - 1, inner_width - 1);
                        return self.sign_extend(sign, high - low);
                    }
                }
                _ => break,
            }
        }
        if !self.enter() {
            let sort = Sort::BitVec(high - low + 1);
            return self.raw(Op::Extract { high, low }, sort, &[term]);
        }
        let result = self.extract_operator(term, high, low);
        self.leave();
        result
    }

    fn extract_operator(&mut self, term: Term, high: u32, low: u32) -> Term {
        let width = high - low + 1;
        let sort = Sort::BitVec(width);
        if let Some(value) = self.as_bv_const(term) {
            let value = value.extract(high, low);
            return self.bv_value(value);
        }
        if let Some(value) = self.known_slice(term, high, low) {
            return self.bv(width, value);
        }
        match self.op(term) {
            Op::Ite => {
                let &[condition, then, otherwise] = self.args(term) else {
                    unreachable!("choice has three arguments")
                };
                if self.is_const(then) || self.is_const(otherwise) {
                    let then = self.extract(then, high, low);
                    let otherwise = self.extract(otherwise, high, low);
                    return self.ite(condition, then, otherwise);
                }
            }
            Op::BvMul if self.is_const(self.arg(term, 0)) => {
                let factor = self.as_bv_const(self.arg(term, 0)).expect("a constant");
                if let Some(shift) = factor.log2_exact() {
                    let base = self.arg(term, 1);
                    if low >= shift {
                        return self.extract(base, high - shift, low - shift);
                    }
                    // high >= shift, because otherwise the bits are known zeros
                    let kept = self.extract(base, high - shift, 0);
                    let zeros = self.bv(shift - low, 0);
                    return self.concat(kept, zeros);
                }
                if low == 0 {
                    let (factor, base) = (self.arg(term, 0), self.arg(term, 1));
                    let factor = self.extract(factor, high, 0);
                    let base = self.extract(base, high, 0);
                    return self.bv_mul(factor, base);
                }
            }
            // Low bits of a sum depend on low bits only.
            Op::BvAdd
                if low == 0
                    && self
                        .args(term)
                        .iter()
                        .all(|&arg| self.slices_well(arg, high)) =>
            {
                let args = self.args(term).to_vec();
                let mut sum = self.bv(width, 0);
                for arg in args {
                    let arg = self.extract(arg, high, 0);
                    sum = self.bv_add(sum, arg);
                }
                return sum;
            }
            op @ (Op::BvAnd | Op::BvOr | Op::BvXor)
                if self.args(term).len() == 2 && self.is_const(self.arg(term, 0)) =>
            {
                let (constant, other) = (self.arg(term, 0), self.arg(term, 1));
                let constant = self.extract(constant, high, low);
                let other = self.extract(other, high, low);
                return match op {
                    Op::BvAnd => self.bv_and(constant, other),
                    Op::BvOr => self.bv_or(constant, other),
                    _ => self.bv_xor(constant, other),
                };
            }
            Op::BvNot => {
                let inner = self.arg(term, 0);
                let inner = self.extract(inner, high, low);
                return self.bv_not(inner);
            }
            _ => {}
        }
        self.raw(Op::Extract { high, low }, sort, &[term])
    }

    /// The value of a slice all of whose bits are known.
    fn known_slice(&self, term: Term, high: u32, low: u32) -> Option<u128> {
        if self.width(term) > 128 {
            return None;
        }
        let known = self.known_bits(term);
        let wanted = super::mask(high - low + 1) << low;
        ((known.zeros | known.ones) & wanted == wanted).then(|| (known.ones & wanted) >> low)
    }

    /// Does taking the bits below `high` make the term simpler?
    fn slices_well(&self, term: Term, high: u32) -> bool {
        match self.op(term) {
            Op::BvConst(_) => true,
            Op::Extract { .. } => true,
            Op::Concat => {
                let last = *self.args(term).last().expect("parts");
                self.width(last) > high
            }
            Op::SignExtend => self.width(self.arg(term, 0)) > high,
            Op::BvMul => {
                self.is_const(self.arg(term, 0)) && self.slices_well(self.arg(term, 1), high)
            }
            _ => false,
        }
    }

    /// The part of a concatenation that holds all of the bits, with the offset of that part.
    fn part_containing(&self, term: Term, high: u32, low: u32) -> Option<(Term, u32)> {
        let mut offset = 0;
        for &part in self.args(term).iter().rev() {
            let end = offset + self.width(part);
            if low < end {
                return (high < end).then_some((part, offset));
            }
            offset = end;
        }
        None
    }

    fn extract_concat(&mut self, term: Term, high: u32, low: u32) -> Term {
        let parts = self.args(term).to_vec();
        let mut offset = 0;
        let mut taken = Vec::new();
        for &part in parts.iter().rev() {
            let end = offset + self.width(part);
            if low < end && high >= offset {
                let part_high = high.min(end - 1) - offset;
                let part_low = low.max(offset) - offset;
                taken.push(self.extract(part, part_high, part_low));
            }
            offset = end;
        }
        taken.reverse();
        self.concat_all(&taken)
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.concat_all(&[high, low])
    }

    /// Several parts, the most significant first.
    pub fn concat_all(&mut self, parts: &[Term]) -> Term {
        assert!(!parts.is_empty(), "concatenation of nothing");
        let mut flat: Vec<Term> = Vec::with_capacity(parts.len());
        for &part in parts {
            self.expect_bv(part);
            if self.op(part) == Op::Concat {
                for position in 0..self.args(part).len() {
                    let inner = self.arg(part, position);
                    self.push_part(&mut flat, inner);
                }
            } else {
                self.push_part(&mut flat, part);
            }
        }
        if let [single] = flat.as_slice() {
            return *single;
        }
        let width: u32 = flat.iter().map(|&part| self.width(part)).sum();
        // A choice between constants next to constants is a choice between longer constants.
        if let Some(position) = flat.iter().position(|&part| !self.is_const(part))
            && flat[position + 1..].iter().all(|&part| self.is_const(part))
            && self.is_const_choice(flat[position])
        {
            let &[condition, then, otherwise] = self.args(flat[position]) else {
                unreachable!("choice has three arguments")
            };
            let mut parts = flat.clone();
            parts[position] = then;
            let then = self.concat_all(&parts);
            parts[position] = otherwise;
            let otherwise = self.concat_all(&parts);
            return self.ite(condition, then, otherwise);
        }
        self.raw(Op::Concat, Sort::BitVec(width), &flat)
    }

    /// Is the term a choice between two constants?
    pub(super) fn is_const_choice(&self, term: Term) -> bool {
        self.op(term) == Op::Ite
            && self.is_const(self.arg(term, 1))
            && self.is_const(self.arg(term, 2))
    }

    /// Appends a part below the last one, merging constants and adjacent slices of one term.
    fn push_part(&mut self, flat: &mut Vec<Term>, part: Term) {
        if let Some(&above) = flat.last() {
            let merged = match (self.op(above), self.op(part)) {
                (Op::BvConst(_), Op::BvConst(_)) => {
                    let high = self.as_bv_const(above).expect("a constant");
                    let low = self.as_bv_const(part).expect("a constant");
                    let value = high.concat(low);
                    Some(self.bv_value(value))
                }
                (
                    Op::Extract {
                        high,
                        low: above_low,
                    },
                    Op::Extract {
                        high: part_high,
                        low,
                    },
                ) if above_low == part_high + 1 && self.arg(above, 0) == self.arg(part, 0) => {
                    let base = self.arg(part, 0);
                    Some(self.extract(base, high, low))
                }
                _ => None,
            };
            if let Some(merged) = merged {
                flat.pop();
                self.push_part(flat, merged);
                return;
            }
        }
        flat.push(part);
    }

    /// `by` more zero bits on top.
    pub fn zero_extend(&mut self, term: Term, by: u32) -> Term {
        if by == 0 {
            self.expect_bv(term);
            return term;
        }
        let zeros = self.bv(by, 0);
        self.concat(zeros, term)
    }

    /// `by` more copies of the sign bit on top.
    pub fn sign_extend(&mut self, term: Term, by: u32) -> Term {
        let width = self.expect_bv(term);
        if by == 0 {
            return term;
        }
        if let Some(value) = self.as_bv_const(term) {
            let value = value.sign_extend(by);
            return self.bv_value(value);
        }
        if width <= 128 {
            let known = self.known_bits(term);
            let sign = 1u128 << (width - 1);
            if known.zeros & sign != 0 {
                return self.zero_extend(term, by);
            }
            if known.ones & sign != 0 {
                let ones = self.bv_value(BvValue::ones(by));
                return self.concat(ones, term);
            }
        }
        match self.op(term) {
            Op::SignExtend => {
                let inner = self.arg(term, 0);
                self.raw(Op::SignExtend, Sort::BitVec(width + by), &[inner])
            }
            Op::Ite if self.is_const_choice(term) => {
                let &[condition, then, otherwise] = self.args(term) else {
                    unreachable!("choice has three arguments")
                };
                let then = self.sign_extend(then, by);
                let otherwise = self.sign_extend(otherwise, by);
                self.ite(condition, then, otherwise)
            }
            _ => self.raw(Op::SignExtend, Sort::BitVec(width + by), &[term]),
        }
    }

    /// The term in another width: cut, or extended with zeros or the sign.
    pub fn resize(&mut self, term: Term, width: u32, signed: bool) -> Term {
        let old = self.expect_bv(term);
        if width < old {
            self.extract(term, width - 1, 0)
        } else if signed {
            self.sign_extend(term, width - old)
        } else {
            self.zero_extend(term, width - old)
        }
    }
}
