//! Equality and order.

use super::linear::LinearSum;
use super::value::mask;
use super::{BvValue, Op, Sort, Term, TermPool};

impl TermPool {
    /// Equality of two terms of one sort. On floats this is sameness (NaN equals NaN, the zeros
    /// differ); for C's `==` see [`TermPool::fp_eq`].
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let sort = self.expect_same(a, b);
        if a == b {
            return TermPool::TRUE;
        }
        match sort {
            Sort::Bool => self.eq_bool(a, b),
            Sort::BitVec(_) => {
                if self.is_const(a) && self.is_const(b) {
                    return TermPool::FALSE;
                }
                if !self.enter() {
                    return self.raw_eq(a, b);
                }
                let result = self.eq_bv(a, b);
                self.leave();
                result
            }
            Sort::Array { .. } | Sort::Float { .. } => {
                let (a, b) = (a.min(b), a.max(b));
                self.raw(Op::Eq, Sort::Bool, &[a, b])
            }
        }
    }

    /// Negated equality.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// All pairwise different.
    pub fn distinct(&mut self, terms: &[Term]) -> Term {
        let mut pairs = Vec::new();
        for (position, &a) in terms.iter().enumerate() {
            for &b in &terms[position + 1..] {
                pairs.push(self.ne(a, b));
            }
        }
        self.and_all(pairs)
    }

    fn eq_bv(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = if self.is_const(a) { (b, a) } else { (a, b) };
        let known_a = self.known_bits(a);
        let known_b = self.known_bits(b);
        if known_a.ones & known_b.zeros != 0 || known_a.zeros & known_b.ones != 0 {
            return TermPool::FALSE;
        }
        if let Some(value) = self.as_bv_const(b).cloned() {
            if self.is_const(a) {
                return TermPool::FALSE;
            }
            return self.eq_const(a, &value);
        }
        if let Some(term) = self.eq_choices(a, b) {
            return term;
        }
        match (self.op(a), self.op(b)) {
            (Op::BvNot, Op::BvNot) => {
                let (a, b) = (self.arg(a, 0), self.arg(b, 0));
                return self.eq(a, b);
            }
            (Op::SignExtend, Op::SignExtend)
                if self.sort(self.arg(a, 0)) == self.sort(self.arg(b, 0)) =>
            {
                let (a, b) = (self.arg(a, 0), self.arg(b, 0));
                return self.eq(a, b);
            }
            (Op::Concat, Op::Concat) => {
                if let Some(term) = self.eq_concats(a, b) {
                    return term;
                }
            }
            (Op::BvAdd | Op::BvMul, _) | (_, Op::BvAdd | Op::BvMul) => {
                if let Some(term) = self.eq_sums(a, b) {
                    return term;
                }
            }
            _ => {}
        }
        self.raw_eq(a, b)
    }

    fn raw_eq(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        self.raw(Op::Eq, Sort::Bool, &[a, b])
    }

    /// `a == value` where `a` is no constant and known bits do not refute it.
    fn eq_const(&mut self, a: Term, value: &BvValue) -> Term {
        let width = value.width();
        match self.op(a) {
            Op::BvNot => {
                let a = self.arg(a, 0);
                let value = self.bv_value(value.not());
                self.eq(a, value)
            }
            Op::BvAdd | Op::BvMul if self.is_const(self.arg(a, 0)) || self.op(a) == Op::BvAdd => {
                let mut sum = self.linear_sum(a);
                let value = value.sub(&sum.constant);
                sum.constant = BvValue::zero(width);
                if let [(base, coefficient)] = sum.monomials.as_slice() {
                    if let Some(inverse) = odd_inverse(coefficient) {
                        let base = *base;
                        let value = self.bv_value(value.mul(&inverse));
                        return self.eq(base, value);
                    }
                    // Even coefficient: 2^k·c·x = v needs k zeros in v, and says nothing of x's top
                    // k bits.
                    let shift = coefficient.trailing_zeros();
                    if value.trailing_zeros() < shift {
                        return TermPool::FALSE;
                    }
                    let base = self.extract(*base, width - 1 - shift, 0);
                    let odd = coefficient.extract(width - 1, shift);
                    let target = value.extract(width - 1, shift);
                    let inverse = odd_inverse(&odd).expect("odd after shifting");
                    let target = self.bv_value(target.mul(&inverse));
                    return self.eq(base, target);
                }
                let base = self.linear_term(&sum);
                let value = self.bv_value(value);
                self.raw_eq(base, value)
            }
            Op::Concat => {
                let parts = self.args(a).to_vec();
                let mut high = width;
                let mut equalities = Vec::with_capacity(parts.len());
                for part in parts {
                    let low = high - self.width(part);
                    let slice = self.bv_value(value.extract(high - 1, low));
                    equalities.push(self.eq(part, slice));
                    high = low;
                }
                self.and_all(equalities)
            }
            Op::SignExtend => {
                let inner = self.arg(a, 0);
                let inner_width = self.width(inner);
                let low = value.extract(inner_width - 1, 0);
                if low.sign_extend(width - inner_width) != *value {
                    return TermPool::FALSE;
                }
                let low = self.bv_value(low);
                self.eq(inner, low)
            }
            Op::Ite => {
                let &[condition, then, otherwise] = self.args(a) else {
                    unreachable!("choice has three arguments")
                };
                let constant = self.bv_value(value.clone());
                // Only where a branch is decided does the equality get simpler.
                if self.is_const(then) || self.is_const(otherwise) {
                    let then = self.eq(then, constant);
                    let otherwise = self.eq(otherwise, constant);
                    return self.ite(condition, then, otherwise);
                }
                self.raw_eq(a, constant)
            }
            Op::BvXor => {
                let constant = self.bv_value(value.clone());
                if let Some(inner) = self.as_bv_const(self.arg(a, 0)).cloned() {
                    let rest = self.args(a)[1..].to_vec();
                    let mut term = rest[0];
                    for &part in &rest[1..] {
                        term = self.bv_xor(term, part);
                    }
                    let target = self.bv_value(value.xor(&inner));
                    return self.eq(term, target);
                }
                if value.is_zero() && self.args(a).len() == 2 {
                    let (x, y) = (self.arg(a, 0), self.arg(a, 1));
                    return self.eq(x, y);
                }
                self.raw_eq(a, constant)
            }
            Op::BvOr if value.is_zero() => {
                let parts = self.args(a).to_vec();
                let constant = self.bv_value(value.clone());
                let equalities: Vec<Term> = parts
                    .into_iter()
                    .map(|part| self.eq(part, constant))
                    .collect();
                self.and_all(equalities)
            }
            Op::BvAnd if value.is_ones() => {
                let parts = self.args(a).to_vec();
                let constant = self.bv_value(value.clone());
                let equalities: Vec<Term> = parts
                    .into_iter()
                    .map(|part| self.eq(part, constant))
                    .collect();
                self.and_all(equalities)
            }
            _ => {
                let constant = self.bv_value(value.clone());
                self.raw_eq(a, constant)
            }
        }
    }

    /// A choice equal to one of its own branches, or two choices over one condition.
    fn eq_choices(&mut self, a: Term, b: Term) -> Option<Term> {
        for (choice, other) in [(a, b), (b, a)] {
            if self.op(choice) != Op::Ite {
                continue;
            }
            let &[condition, then, otherwise] = self.args(choice) else {
                unreachable!("choice has three arguments")
            };
            if then == other {
                let equal = self.eq(otherwise, other);
                return Some(self.or(condition, equal));
            }
            if otherwise == other {
                let equal = self.eq(then, other);
                let not_condition = self.not(condition);
                return Some(self.or(not_condition, equal));
            }
        }
        if self.op(a) == Op::Ite && self.op(b) == Op::Ite && self.arg(a, 0) == self.arg(b, 0) {
            let condition = self.arg(a, 0);
            let (then_a, then_b) = (self.arg(a, 1), self.arg(b, 1));
            let (else_a, else_b) = (self.arg(a, 2), self.arg(b, 2));
            let then = self.eq(then_a, then_b);
            let otherwise = self.eq(else_a, else_b);
            return Some(self.ite(condition, then, otherwise));
        }
        None
    }

    /// Part by part, where the parts have the same widths from the top or from the bottom.
    fn eq_concats(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let (first_a, first_b) = (self.arg(a, 0), self.arg(b, 0));
        let cut = if self.sort(first_a) == self.sort(first_b) {
            width - self.width(first_a)
        } else {
            let last_a = *self.args(a).last().expect("parts");
            let last_b = *self.args(b).last().expect("parts");
            if self.sort(last_a) == self.sort(last_b) {
                self.width(last_a)
            } else if self.is_zero(first_a) && self.is_zero(first_b) {
                width - self.width(first_a).min(self.width(first_b))
            } else {
                return None;
            }
        };
        let high_a = self.extract(a, width - 1, cut);
        let high_b = self.extract(b, width - 1, cut);
        let low_a = self.extract(a, cut - 1, 0);
        let low_b = self.extract(b, cut - 1, 0);
        let high = self.eq(high_a, high_b);
        let low = self.eq(low_a, low_b);
        Some(self.and(high, low))
    }

    /// Cancels what both sums have in common and gathers constants on one side.
    fn eq_sums(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let sum_a = self.linear_sum(a);
        let sum_b = self.linear_sum(b);
        if sum_a.monomials.len() + sum_b.monomials.len() > 8 {
            return None;
        }
        let mut difference = sum_a;
        difference.add_scaled(&sum_b, &BvValue::ones(width));
        let zero = BvValue::zero(width);
        if difference.monomials.is_empty() {
            return Some(self.bool(difference.constant.is_zero()));
        }
        // Solved for the newest base that stands alone, if there is one: then a = b and b = a,
        // written any way round, are one term, and the value of a new variable is an equation for
        // it.
        let alone =
            |(_, coefficient): &(Term, BvValue)| coefficient.is_one() || coefficient.is_ones();
        if let Some(position) = difference.monomials.iter().rposition(alone) {
            let (base, coefficient) = difference.monomials.remove(position);
            let mut rest = difference;
            if coefficient.is_one() {
                let mut negated = LinearSum {
                    constant: zero,
                    monomials: Vec::new(),
                };
                negated.add_scaled(&rest, &BvValue::ones(width));
                rest = negated;
            }
            if rest.monomials.is_empty() {
                return Some(self.eq_const_settled(base, &rest.constant));
            }
            let rest = self.linear_term(&rest);
            return Some(self.raw_eq(base, rest));
        }
        let mut left = LinearSum {
            constant: zero.clone(),
            monomials: Vec::new(),
        };
        let mut right = LinearSum {
            constant: difference.constant.neg(),
            monomials: Vec::new(),
        };
        for (base, coefficient) in difference.monomials {
            if coefficient.is_negative() {
                right.monomials.push((base, coefficient.neg()));
            } else {
                left.monomials.push((base, coefficient));
            }
        }
        if right.monomials.is_empty() {
            let value = right.constant;
            let left = self.linear_term(&left);
            if self.is_const(left) {
                return None;
            }
            return Some(self.eq_const_settled(left, &value));
        }
        if left.monomials.is_empty() {
            // Only the smallest number, its own negation, can leave the left side empty.
            return None;
        }
        let left = self.linear_term(&left);
        let right = self.linear_term(&right);
        if left == right {
            return Some(TermPool::TRUE);
        }
        Some(self.raw_eq(left, right))
    }

    /// Like [`TermPool::eq`] with a constant, for sums that must not come back here.
    fn eq_const_settled(&mut self, term: Term, value: &BvValue) -> Term {
        let constant = self.bv_value(value.clone());
        let known_a = self.known_bits(term);
        let known_b = self.known_bits(constant);
        if known_a.ones & known_b.zeros != 0 || known_a.zeros & known_b.ones != 0 {
            return TermPool::FALSE;
        }
        self.eq_const(term, value)
    }

    /// Unsigned less-than.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if a == b {
            return TermPool::FALSE;
        }
        if let (Some(x), Some(y)) = (self.as_bv_const(a), self.as_bv_const(b)) {
            return self.bool(x.ult(y));
        }
        if width <= 128 {
            let (known_a, known_b) = (self.known_bits(a), self.known_bits(b));
            if known_a.max(width) < known_b.min() {
                return TermPool::TRUE;
            }
            if known_a.min() >= known_b.max(width) {
                return TermPool::FALSE;
            }
        }
        if !self.enter() {
            return self.raw(Op::Ult, Sort::Bool, &[a, b]);
        }
        let result = self.ult_rules(a, b, width);
        self.leave();
        result
    }

    fn ult_rules(&mut self, a: Term, b: Term, width: u32) -> Term {
        if let Some(value) = self.as_bv_const(b).cloned() {
            if value.is_zero() {
                return TermPool::FALSE;
            }
            if value.is_one() {
                let zero = self.bv(width, 0);
                return self.eq(a, zero);
            }
            if value.is_ones() {
                return self.ne(a, b);
            }
            if let Some(term) = self.ult_const(a, &value) {
                return term;
            }
        }
        if let Some(value) = self.as_bv_const(a).cloned() {
            if value.is_ones() {
                return TermPool::FALSE;
            }
            // k < b is the negation of b < k + 1: one direction only, so that complements meet.
            let next = self.bv_value(value.add(&BvValue::one(width)));
            let below = self.ult(b, next);
            return self.not(below);
        }
        // Equal top parts (mostly zeros) do not matter.
        if self.op(a) == Op::Concat && self.op(b) == Op::Concat {
            let (top_a, top_b) = (self.arg(a, 0), self.arg(b, 0));
            if top_a == top_b {
                let rest = width - self.width(top_a);
                let a = self.extract(a, rest - 1, 0);
                let b = self.extract(b, rest - 1, 0);
                return self.ult(a, b);
            }
            if self.is_zero(top_a) && self.is_zero(top_b) {
                let rest = width - self.width(top_a).min(self.width(top_b));
                let a = self.extract(a, rest - 1, 0);
                let b = self.extract(b, rest - 1, 0);
                return self.ult(a, b);
            }
        }
        self.less_by_operators(Op::Ult, a, b)
    }

    /// `a < b` in one of the two orders, where both are made by the same operator.
    fn less_by_operators(&mut self, order: Op, a: Term, b: Term) -> Term {
        if self.op(a) == self.op(b) && matches!(self.op(a), Op::SignExtend | Op::BvNot) {
            let (inner_a, inner_b) = (self.arg(a, 0), self.arg(b, 0));
            if self.op(a) == Op::BvNot {
                return self.less(order, inner_b, inner_a);
            }
            if self.sort(inner_a) == self.sort(inner_b) {
                return self.less(order, inner_a, inner_b);
            }
        }
        self.raw(order, Sort::Bool, &[a, b])
    }

    fn less(&mut self, order: Op, a: Term, b: Term) -> Term {
        match order {
            Op::Slt => self.slt(a, b),
            _ => self.ult(a, b),
        }
    }

    fn not_less(&mut self, order: Op, a: Term, b: Term) -> Term {
        let less = self.less(order, a, b);
        self.not(less)
    }

    /// `a < value` where `a` is a choice with a constant among its two values.
    fn choice_less(&mut self, order: Op, a: Term, value: &BvValue) -> Option<Term> {
        let &[condition, then, otherwise] = self.args(a) else {
            return None;
        };
        if self.op(a) != Op::Ite || !(self.is_const(then) || self.is_const(otherwise)) {
            return None;
        }
        let bound = self.bv_value(value.clone());
        let then = self.less(order, then, bound);
        let otherwise = self.less(order, otherwise, bound);
        Some(self.ite(condition, then, otherwise))
    }

    /// `a < value` for a value that is neither 0, 1 nor all ones.
    fn ult_const(&mut self, a: Term, value: &BvValue) -> Option<Term> {
        let width = value.width();
        if let Some(term) = self.choice_less(Op::Ult, a, value) {
            return Some(term);
        }
        match self.op(a) {
            Op::Concat => {
                let top = self.arg(a, 0);
                let rest = width - self.width(top);
                let rest_value = value.extract(rest - 1, 0);
                let top_value = value.extract(width - 1, rest);
                if let Some(top) = self.as_bv_const(top) {
                    // Known bits did not decide, so the top parts are equal or the value's is
                    // larger.
                    if *top != top_value {
                        return Some(self.bool(top.ult(&top_value)));
                    }
                    let low = self.extract(a, rest - 1, 0);
                    let bound = self.bv_value(rest_value);
                    return Some(self.ult(low, bound));
                }
                if rest_value.is_zero() {
                    let bound = self.bv_value(top_value);
                    return Some(self.ult(top, bound));
                }
                None
            }
            // Below a power of two: the bits from there on are zero.
            _ => {
                let shift = value.log2_exact()?;
                let top = self.extract(a, width - 1, shift);
                let zero = self.bv(width - shift, 0);
                match self.op(top) {
                    Op::Extract { .. } => None,
                    _ => Some(self.eq(top, zero)),
                }
            }
        }
    }

    /// Signed less-than.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if a == b {
            return TermPool::FALSE;
        }
        if let (Some(x), Some(y)) = (self.as_bv_const(a), self.as_bv_const(b)) {
            return self.bool(x.slt(y));
        }
        if width == 1 {
            return self.ult(b, a);
        }
        if width <= 128 {
            let (sign_a, sign_b) = (self.known_sign(a), self.known_sign(b));
            match (sign_a, sign_b) {
                (Some(true), Some(false)) => return TermPool::TRUE,
                (Some(false), Some(true)) => return TermPool::FALSE,
                (Some(_), Some(_)) => return self.ult(a, b),
                _ => {}
            }
            let (min_a, max_a) = self.signed_range(a);
            let (min_b, max_b) = self.signed_range(b);
            if max_a < min_b {
                return TermPool::TRUE;
            }
            if min_a >= max_b {
                return TermPool::FALSE;
            }
        }
        if !self.enter() {
            return self.raw(Op::Slt, Sort::Bool, &[a, b]);
        }
        let result = self.slt_rules(a, b, width);
        self.leave();
        result
    }

    fn slt_rules(&mut self, a: Term, b: Term, width: u32) -> Term {
        if let Some(value) = self.as_bv_const(b).cloned() {
            if value == BvValue::min_signed(width) {
                return TermPool::FALSE;
            }
            let lowest = BvValue::min_signed(width);
            if value.sub(&BvValue::one(width)) == lowest {
                let lowest = self.bv_value(lowest);
                return self.eq(a, lowest);
            }
            if let Some(term) = self.slt_const(a, &value) {
                return term;
            }
        }
        if let Some(value) = self.as_bv_const(a).cloned() {
            if value == BvValue::min_signed(width).not() {
                return TermPool::FALSE;
            }
            let next = self.bv_value(value.add(&BvValue::one(width)));
            let below = self.slt(b, next);
            return self.not(below);
        }
        self.less_by_operators(Op::Slt, a, b)
    }

    fn slt_const(&mut self, a: Term, value: &BvValue) -> Option<Term> {
        let width = value.width();
        match self.op(a) {
            Op::SignExtend => {
                // The range was not decisive, so the value lies within the narrow range or just
                // above it.
                let inner = self.arg(a, 0);
                let inner_width = self.width(inner);
                let low = value.extract(inner_width - 1, 0);
                if low.sign_extend(width - inner_width) != *value {
                    return Some(self.bool(!value.is_negative()));
                }
                let bound = self.bv_value(low);
                Some(self.slt(inner, bound))
            }
            Op::Ite => self.choice_less(Op::Slt, a, value),
            _ => None,
        }
    }

    fn known_sign(&self, term: Term) -> Option<bool> {
        let width = self.width(term);
        let known = self.known_bits(term);
        let sign = 1u128 << (width - 1);
        if known.ones & sign != 0 {
            Some(true)
        } else if known.zeros & sign != 0 {
            Some(false)
        } else {
            None
        }
    }

    /// Signed bounds from known bits and extension, offset so that they compare as unsigned
    /// numbers.
    fn signed_range(&self, term: Term) -> (u128, u128) {
        let width = self.width(term);
        let sign = 1u128 << (width - 1);
        let known = self.known_bits(term);
        if self.op(term) == Op::SignExtend {
            let inner = self.width(self.arg(term, 0));
            let half = 1u128 << (inner - 1);
            return (sign - half, sign + (half - 1));
        }
        // The smallest has the sign bit set if it may be, the largest has it clear if it may be.
        let min = known.ones | (sign & !known.zeros);
        let max = (!known.zeros & mask(width)) & !(sign & !known.ones);
        (min ^ sign, max ^ sign)
    }

    /// Unsigned less-or-equal.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        self.not_less(Op::Ult, b, a)
    }

    /// Unsigned greater-than.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.ult(b, a)
    }

    /// Unsigned greater-or-equal.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.not_less(Op::Ult, a, b)
    }

    /// Signed less-or-equal.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        self.not_less(Op::Slt, b, a)
    }

    /// Signed greater-than.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.slt(b, a)
    }

    /// Signed greater-or-equal.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.not_less(Op::Slt, a, b)
    }
}

/// The inverse modulo `2^width` of an odd number, by Newton's iteration.
fn odd_inverse(value: &BvValue) -> Option<BvValue> {
    if !value.bit(0) {
        return None;
    }
    let two = BvValue::new(value.width(), 2);
    let mut inverse = value.clone();
    // Correct for three bits at first, doubled in each round.
    let mut correct = 3;
    while correct < value.width() {
        inverse = inverse.mul(&two.sub(&value.mul(&inverse)));
        correct *= 2;
    }
    Some(inverse)
}
