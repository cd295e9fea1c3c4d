//! Operators that exist only as constructors, expressed by the others.

use super::{BvValue, Term, TermPool};

impl TermPool {
    /// Signed remainder with the sign of the divisor.
    pub fn bv_smod(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let remainder = self.bv_srem(a, b);
        let zero = self.bv(width, 0);
        // The truncated remainder, moved by the divisor where its sign is the wrong one.
        let exact = self.eq(remainder, zero);
        let negative_remainder = self.slt(remainder, zero);
        let negative_divisor = self.slt(b, zero);
        let same_sign = self.iff(negative_remainder, negative_divisor);
        let keep = self.or(exact, same_sign);
        let moved = self.bv_add(remainder, b);
        self.ite(keep, remainder, moved)
    }

    /// Rotation to the left by any amount.
    pub fn bv_rotate_left(&mut self, a: Term, amount: Term) -> Term {
        let width = self.expect_same_bv(a, amount);
        if let Some(amount) = self.as_bv_const(amount) {
            let modulus = BvValue::new(width.max(32), u128::from(width));
            let amount = amount.zero_extend(width.max(32) - width).urem(&modulus);
            let amount = amount.small_number().expect("below the width") as u32;
            return self.rotate_left_by(a, amount);
        }
        // A width of 1 has nothing to rotate; otherwise the width itself may not fit into the
        // amount's bits only for width 1, since w < 2^w from 1 on.
        if width == 1 {
            return a;
        }
        let modulus = self.bv(width, u128::from(width));
        let left = self.bv_urem(amount, modulus);
        let right = self.bv_sub(modulus, left);
        let high = self.bv_shl(a, left);
        let low = self.bv_lshr(a, right);
        self.bv_or(high, low)
    }

    /// Rotation to the right by any amount.
    pub fn bv_rotate_right(&mut self, a: Term, amount: Term) -> Term {
        let width = self.expect_same_bv(a, amount);
        if let Some(amount) = self.as_bv_const(amount) {
            let modulus = BvValue::new(width.max(32), u128::from(width));
            let amount = amount.zero_extend(width.max(32) - width).urem(&modulus);
            let amount = amount.small_number().expect("below the width") as u32;
            return self.rotate_left_by(a, width - amount);
        }
        if width == 1 {
            return a;
        }
        let modulus = self.bv(width, u128::from(width));
        let right = self.bv_urem(amount, modulus);
        let left = self.bv_sub(modulus, right);
        let high = self.bv_shl(a, left);
        let low = self.bv_lshr(a, right);
        self.bv_or(high, low)
    }

    /// Rotation to the left by a number, modulo the width.
    pub fn rotate_left_by(&mut self, a: Term, amount: u32) -> Term {
        let width = self.expect_bv(a);
        let amount = amount % width;
        if amount == 0 {
            return a;
        }
        let top = self.extract(a, width - amount - 1, 0);
        let bottom = self.extract(a, width - 1, width - amount);
        self.concat(top, bottom)
    }

    /// One bit: are the operands equal?
    pub fn bv_comp(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.bool_to_bv(equal, 1)
    }

    /// One for true, zero for false.
    pub fn bool_to_bv(&mut self, condition: Term, width: u32) -> Term {
        let one = self.bv(width, 1);
        let zero = self.bv(width, 0);
        self.ite(condition, one, zero)
    }

    /// Is the bit-vector different from zero?
    pub fn bv_to_bool(&mut self, a: Term) -> Term {
        let width = self.expect_bv(a);
        let zero = self.bv(width, 0);
        self.ne(a, zero)
    }

    /// One bit as a boolean.
    pub fn bit(&mut self, a: Term, position: u32) -> Term {
        let bit = self.extract(a, position, position);
        self.bv_to_bool(bit)
    }

    /// Smaller of two unsigned numbers.
    pub fn bv_umin(&mut self, a: Term, b: Term) -> Term {
        let less = self.ult(a, b);
        self.ite(less, a, b)
    }

    /// Larger of two unsigned numbers.
    pub fn bv_umax(&mut self, a: Term, b: Term) -> Term {
        let less = self.ult(a, b);
        self.ite(less, b, a)
    }

    /// Smaller of two signed numbers.
    pub fn bv_smin(&mut self, a: Term, b: Term) -> Term {
        let less = self.slt(a, b);
        self.ite(less, a, b)
    }

    /// Larger of two signed numbers.
    pub fn bv_smax(&mut self, a: Term, b: Term) -> Term {
        let less = self.slt(a, b);
        self.ite(less, b, a)
    }

    /// Distance from zero, the smallest number being its own.
    pub fn bv_abs(&mut self, a: Term) -> Term {
        let width = self.expect_bv(a);
        let zero = self.bv(width, 0);
        let negative = self.slt(a, zero);
        let negated = self.bv_neg(a);
        self.ite(negative, negated, a)
    }

    /// Does the unsigned sum exceed the width?
    pub fn uadd_overflow(&mut self, a: Term, b: Term) -> Term {
        self.expect_same_bv(a, b);
        let sum = self.bv_add(a, b);
        self.ult(sum, a)
    }

    /// Does the signed sum leave the width?
    pub fn sadd_overflow(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let wide_a = self.sign_extend(a, 1);
        let wide_b = self.sign_extend(b, 1);
        let sum = self.bv_add(wide_a, wide_b);
        self.does_not_fit(sum, width)
    }

    /// Does the unsigned difference fall below zero?
    pub fn usub_overflow(&mut self, a: Term, b: Term) -> Term {
        self.expect_same_bv(a, b);
        self.ult(a, b)
    }

    /// Does the signed difference leave the width?
    pub fn ssub_overflow(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let wide_a = self.sign_extend(a, 1);
        let wide_b = self.sign_extend(b, 1);
        let difference = self.bv_sub(wide_a, wide_b);
        self.does_not_fit(difference, width)
    }

    /// Does the unsigned product exceed the width?
    pub fn umul_overflow(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let wide_a = self.zero_extend(a, width);
        let wide_b = self.zero_extend(b, width);
        let product = self.bv_mul(wide_a, wide_b);
        let high = self.extract(product, 2 * width - 1, width);
        self.bv_to_bool(high)
    }

    /// Does the signed product leave the width?
    pub fn smul_overflow(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let wide_a = self.sign_extend(a, width);
        let wide_b = self.sign_extend(b, width);
        let product = self.bv_mul(wide_a, wide_b);
        self.does_not_fit(product, width)
    }

    /// Does the signed negation leave the width? Only that of the smallest number does.
    pub fn neg_overflow(&mut self, a: Term) -> Term {
        let width = self.expect_bv(a);
        let lowest = self.bv_value(BvValue::min_signed(width));
        self.eq(a, lowest)
    }

    /// Does the signed quotient leave the width? Only the smallest number by minus one does.
    pub fn sdiv_overflow(&mut self, a: Term, b: Term) -> Term {
        let width = self.expect_same_bv(a, b);
        let minus_one = self.bv_value(BvValue::ones(width));
        let lowest = self.neg_overflow(a);
        let by_minus_one = self.eq(b, minus_one);
        self.and(lowest, by_minus_one)
    }

    /// Is a signed number outside the range of `width` bits, i.e. is a top bit not a copy of the
    /// sign?
    fn does_not_fit(&mut self, wide: Term, width: u32) -> Term {
        let full = self.width(wide);
        let low = self.extract(wide, width - 1, 0);
        let again = self.sign_extend(low, full - width);
        self.ne(wide, again)
    }
}
