//! Arithmetic, bitwise and shift constructors of bit-vectors.

use super::{BvValue, Op, Sort, Term, TermPool};

/// Nested bitwise operators of one kind are merged up to this length.
const MAX_FLAT: usize = 8;

impl TermPool {
    /// Sum.
    pub fn bv_add(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if self.is_zero(a) {
            return b;
        }
        if self.is_zero(b) {
            return a;
        }
        let one = BvValue::one(width);
        self.linear_combination(a, b, &one)
    }

    /// Difference.
    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if a == b {
            return self.bv(width, 0);
        }
        if self.is_zero(b) {
            return a;
        }
        let minus_one = BvValue::ones(width);
        self.linear_combination(a, b, &minus_one)
    }

    /// Negation.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        let width = self.expect_bv(a);
        let zero = self.bv(width, 0);
        self.bv_sub(zero, a)
    }

    /// Product.
    pub fn bv_mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let (a, b) = if self.is_const(b) { (b, a) } else { (a, b) };
        if let Some(factor) = self.as_bv_const(a).cloned() {
            if factor.is_zero() {
                return a;
            }
            if factor.is_one() {
                return b;
            }
            let zero = self.bv(width, 0);
            return self.linear_combination(zero, b, &factor);
        }
        // Constant factors inside come out, so that (2x)y and 2(xy) are one term.
        let (factor_a, base_a) = self.split_factor(a);
        let (factor_b, base_b) = self.split_factor(b);
        let factor = factor_a.mul(&factor_b);
        if !factor.is_one() {
            let product = self.bv_mul(base_a, base_b);
            let factor = self.bv_value(factor);
            return self.bv_mul(factor, product);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.raw(Op::BvMul, Sort::BitVec(width), &[a, b])
    }

    fn split_factor(&self, term: Term) -> (BvValue, Term) {
        if self.op(term) == Op::BvMul
            && let Some(value) = self.as_bv_const(self.arg(term, 0))
        {
            return (value.clone(), self.arg(term, 1));
        }
        (BvValue::one(self.width(term)), term)
    }

    #[inline]
    pub(super) fn is_zero(&self, term: Term) -> bool {
        self.as_bv_const(term).is_some_and(BvValue::is_zero)
    }

    /// Both operands, if they are constants.
    fn constants(&self, a: Term, b: Term) -> Option<(&BvValue, &BvValue)> {
        Some((self.as_bv_const(a)?, self.as_bv_const(b)?))
    }

    /// Unsigned quotient; all ones for a zero divisor.
    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if let Some((x, y)) = self.constants(a, b) {
            let value = x.udiv(y);
            return self.bv_value(value);
        }
        if let Some(divisor) = self.as_bv_const(b) {
            if divisor.is_zero() {
                return self.bv_value(BvValue::ones(width));
            }
            if divisor.is_one() {
                return a;
            }
            if let Some(shift) = divisor.log2_exact() {
                return self.lshr_const(a, shift);
            }
        }
        if self.surely_below(a, b) {
            return self.bv(width, 0);
        }
        self.raw(Op::BvUdiv, Sort::BitVec(width), &[a, b])
    }

    /// Unsigned remainder; the dividend for a zero divisor.
    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if let Some((x, y)) = self.constants(a, b) {
            let value = x.urem(y);
            return self.bv_value(value);
        }
        if let Some(divisor) = self.as_bv_const(b) {
            if divisor.is_zero() {
                return a;
            }
            if let Some(shift) = divisor.log2_exact() {
                if shift == 0 {
                    return self.bv(width, 0);
                }
                let low = self.extract(a, shift - 1, 0);
                return self.zero_extend(low, width - shift);
            }
        }
        // x mod x is zero, also for zero.
        if a == b {
            return self.bv(width, 0);
        }
        if self.surely_below(a, b) {
            return a;
        }
        self.raw(Op::BvUrem, Sort::BitVec(width), &[a, b])
    }

    /// Is `a` below `b` (unsigned) under every model, as far as known bits tell?
    fn surely_below(&self, a: Term, b: Term) -> bool {
        let width = self.width(a);
        width <= 128 && self.known_bits(a).max(width) < self.known_bits(b).min()
    }

    fn surely_not_negative(&self, term: Term) -> bool {
        let width = self.width(term);
        width <= 128 && self.known_bits(term).zeros >> (width - 1) & 1 == 1
    }

    /// Signed quotient, truncated.
    pub fn bv_sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if let Some((x, y)) = self.constants(a, b) {
            let value = x.sdiv(y);
            return self.bv_value(value);
        }
        if let Some(divisor) = self.as_bv_const(b) {
            if divisor.is_one() && width > 1 {
                return a;
            }
            if divisor.is_ones() && width > 1 {
                return self.bv_neg(a);
            }
        }
        if self.surely_not_negative(a) && self.surely_not_negative(b) {
            return self.bv_udiv(a, b);
        }
        self.raw(Op::BvSdiv, Sort::BitVec(width), &[a, b])
    }

    /// Signed remainder with the sign of the dividend.
    pub fn bv_srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        if let Some((x, y)) = self.constants(a, b) {
            let value = x.srem(y);
            return self.bv_value(value);
        }
        if let Some(divisor) = self.as_bv_const(b)
            && (divisor.is_one() || divisor.is_ones())
        {
            return self.bv(width, 0);
        }
        if a == b {
            return self.bv(width, 0);
        }
        if self.surely_not_negative(a) && self.surely_not_negative(b) {
            return self.bv_urem(a, b);
        }
        self.raw(Op::BvSrem, Sort::BitVec(width), &[a, b])
    }

    /// Bitwise complement.
    pub fn bv_not(&mut self, a: Term) -> Term {
        let width = self.expect_bv(a);
        if let Some(value) = self.as_bv_const(a) {
            let value = value.not();
            return self.bv_value(value);
        }
        match self.op(a) {
            Op::BvNot => self.arg(a, 0),
            Op::Ite if self.is_const_choice(a) => {
                let &[condition, then, otherwise] = self.args(a) else {
                    unreachable!("choice has three arguments")
                };
                let then = self.bv_not(then);
                let otherwise = self.bv_not(otherwise);
                self.ite(condition, then, otherwise)
            }
            // ~(k + s) = (-1 - k) - s
            Op::BvAdd => {
                let mut sum = self.linear_sum(a);
                let minus_one = BvValue::ones(width);
                sum.constant = sum.constant.not();
                for monomial in &mut sum.monomials {
                    monomial.1 = monomial.1.mul(&minus_one);
                }
                self.linear_term(&sum)
            }
            Op::BvMul
                if self
                    .as_bv_const(self.arg(a, 0))
                    .is_some_and(BvValue::is_ones) =>
            {
                // ~(-x) = x - 1
                let base = self.arg(a, 1);
                let minus_one = self.bv_value(BvValue::ones(width));
                self.bv_add(base, minus_one)
            }
            _ => self.raw(Op::BvNot, Sort::BitVec(width), &[a]),
        }
    }

    /// Bitwise conjunction.
    pub fn bv_and(&mut self, a: Term, b: Term) -> Term {
        self.expect_same_bv(a, b);
        self.bitwise(Op::BvAnd, a, b)
    }

    /// Bitwise disjunction.
    pub fn bv_or(&mut self, a: Term, b: Term) -> Term {
        self.expect_same_bv(a, b);
        self.bitwise(Op::BvOr, a, b)
    }

    /// Bitwise exclusive disjunction.
    pub fn bv_xor(&mut self, a: Term, b: Term) -> Term {
        self.expect_same_bv(a, b);
        self.bitwise(Op::BvXor, a, b)
    }

    fn bitwise(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let mut operands: Vec<Term> = Vec::with_capacity(4);
        let length = |pool: &TermPool, term| {
            if pool.op(term) == op {
                pool.args(term).len()
            } else {
                1
            }
        };
        let merge = length(self, a) + length(self, b) <= MAX_FLAT;
        let mut constant = match op {
            Op::BvAnd => BvValue::ones(width),
            _ => BvValue::zero(width),
        };
        for term in [a, b] {
            let parts = if merge && self.op(term) == op {
                self.args(term)
            } else {
                std::slice::from_ref(&term)
            };
            for &part in parts {
                match self.as_bv_const(part) {
                    Some(value) => {
                        constant = match op {
                            Op::BvAnd => constant.and(value),
                            Op::BvOr => constant.or(value),
                            _ => constant.xor(value),
                        }
                    }
                    // Complements under an exclusive disjunction come out as a constant.
                    None if op == Op::BvXor && self.op(part) == Op::BvNot => {
                        constant = constant.not();
                        operands.push(self.arg(part, 0));
                    }
                    None => operands.push(part),
                }
            }
        }
        operands.sort_unstable();
        if op == Op::BvXor {
            let mut position = 0;
            while position + 1 < operands.len() {
                if operands[position] == operands[position + 1] {
                    operands.drain(position..position + 2);
                } else {
                    position += 1;
                }
            }
        } else {
            operands.dedup();
            let complement = operands.iter().any(|&operand| {
                self.op(operand) == Op::BvNot
                    && operands.binary_search(&self.arg(operand, 0)).is_ok()
            });
            if complement {
                let value = match op {
                    Op::BvAnd => BvValue::zero(width),
                    _ => BvValue::ones(width),
                };
                return self.bv_value(value);
            }
        }
        let neutral = match op {
            Op::BvAnd => constant.is_ones(),
            _ => constant.is_zero(),
        };
        let absorbing = match op {
            Op::BvAnd => constant.is_zero(),
            Op::BvOr => constant.is_ones(),
            _ => false,
        };
        if operands.is_empty() || absorbing {
            return self.bv_value(constant);
        }
        if neutral && operands.len() == 1 {
            return operands[0];
        }
        if op == Op::BvXor && constant.is_ones() {
            let rest = self.raw_bitwise(op, &operands, width);
            return self.bv_not(rest);
        }
        if !neutral && operands.len() == 1 {
            return self.bitwise_with_constant(op, constant, operands[0]);
        }
        if op == Op::BvOr
            && neutral
            && operands.len() == 2
            && let Some(term) = self.or_of_disjoint(operands[0], operands[1])
        {
            return term;
        }
        if !neutral {
            let constant = self.bv_value(constant);
            operands.insert(0, constant);
        }
        self.raw_bitwise(op, &operands, width)
    }

    fn raw_bitwise(&mut self, op: Op, operands: &[Term], width: u32) -> Term {
        match operands {
            [single] => *single,
            _ => self.raw(op, Sort::BitVec(width), operands),
        }
    }

    /// A constant cuts the other operand into runs of bits that are taken, complemented, or
    /// constant.
    fn bitwise_with_constant(&mut self, op: Op, constant: BvValue, operand: Term) -> Term {
        let width = constant.width();
        if self.is_const_choice(operand) {
            let &[condition, then, otherwise] = self.args(operand) else {
                unreachable!("choice has three arguments")
            };
            let constant = self.bv_value(constant);
            let then = self.bitwise(op, constant, then);
            let otherwise = self.bitwise(op, constant, otherwise);
            return self.ite(condition, then, otherwise);
        }
        let runs = count_runs(&constant);
        // Masks with few runs, as C programs write them, become slices; scattered ones stay
        // operators.
        if runs <= 3 && op != Op::BvXor {
            let mut parts = Vec::new();
            let mut high = width;
            while high > 0 {
                let bit = constant.bit(high - 1);
                let mut low = high - 1;
                while low > 0 && constant.bit(low - 1) == bit {
                    low -= 1;
                }
                let keeps = bit == (op == Op::BvAnd);
                parts.push(if keeps {
                    self.extract(operand, high - 1, low)
                } else if bit {
                    self.bv_value(BvValue::ones(high - low))
                } else {
                    self.bv(high - low, 0)
                });
                high = low;
            }
            return self.concat_all(&parts);
        }
        let constant = self.bv_value(constant);
        self.raw(op, Sort::BitVec(width), &[constant, operand])
    }

    /// A disjunction of terms with no common bits is a concatenation, if few runs of bits change
    /// hands.
    fn or_of_disjoint(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        if width > 128 {
            return None;
        }
        let all = super::mask(width);
        let zeros_a = self.known_bits(a).zeros;
        let zeros_b = self.known_bits(b).zeros;
        if zeros_a | zeros_b != all {
            return None;
        }
        // Take from `a` where `b` is known to be zero, from `b` elsewhere.
        let from_a = BvValue::new(width, zeros_b);
        if count_runs(&from_a) > 4 {
            return None;
        }
        let mut parts = Vec::new();
        let mut high = width;
        while high > 0 {
            let bit = from_a.bit(high - 1);
            let mut low = high - 1;
            while low > 0 && from_a.bit(low - 1) == bit {
                low -= 1;
            }
            parts.push(self.extract(if bit { a } else { b }, high - 1, low));
            high = low;
        }
        Some(self.concat_all(&parts))
    }

    /// Left shift; zero from the width on.
    pub fn bv_shl(&mut self, a: Term, amount: Term) -> Term {
        let width = self.expect_same_bv(a, amount);
        if let Some(amount) = self.as_bv_const(amount) {
            let amount = amount.small_number().unwrap_or(u128::MAX);
            if amount >= u128::from(width) {
                return self.bv(width, 0);
            }
            let factor = BvValue::one(width).shl_by(amount as u32);
            let factor = self.bv_value(factor);
            return self.bv_mul(factor, a);
        }
        if self.is_zero(a) {
            return a;
        }
        self.raw(Op::BvShl, Sort::BitVec(width), &[a, amount])
    }

    /// Logical right shift; zero from the width on.
    pub fn bv_lshr(&mut self, a: Term, amount: Term) -> Term {
        let width = self.expect_same_bv(a, amount);
        if let Some(amount) = self.as_bv_const(amount) {
            let amount = amount.small_number().unwrap_or(u128::MAX);
            if amount >= u128::from(width) {
                return self.bv(width, 0);
            }
            return self.lshr_const(a, amount as u32);
        }
        if self.is_zero(a) {
            return a;
        }
        self.raw(Op::BvLshr, Sort::BitVec(width), &[a, amount])
    }

    fn lshr_const(&mut self, a: Term, amount: u32) -> Term {
        let width = self.width(a);
        if amount == 0 {
            return a;
        }
        let kept = self.extract(a, width - 1, amount);
        self.zero_extend(kept, amount)
    }

    /// Arithmetic right shift; copies of the sign from the width on.
    pub fn bv_ashr(&mut self, a: Term, amount: Term) -> Term {
        let width = self.expect_same_bv(a, amount);
        if let Some(amount) = self.as_bv_const(amount) {
            let amount = amount.small_number().unwrap_or(u128::MAX);
            let amount = amount.min(u128::from(width - 1)) as u32;
            let kept = self.extract(a, width - 1, amount);
            return self.sign_extend(kept, amount);
        }
        if self.surely_not_negative(a) {
            return self.bv_lshr(a, amount);
        }
        self.raw(Op::BvAshr, Sort::BitVec(width), &[a, amount])
    }
}

/// Number of maximal runs of equal bits.
fn count_runs(value: &BvValue) -> u32 {
    (1..value.width())
        .filter(|&position| value.bit(position) != value.bit(position - 1))
        .count() as u32
        + 1
}
