//! Float operations that are expressed by others, and the x87 extended format.

use crate::{RoundingMode, Sort, Term, TermPool};

impl TermPool {
    /// C's `fmod`, by the definition in annex F of the C standard: from the IEEE remainder,
    /// exactly.
    pub fn fp_fmod(&mut self, a: Term, b: Term) -> Term {
        let dividend = self.fp_abs(a);
        let divisor = self.fp_abs(b);
        let nearest = self.fp_rem(dividend, divisor);
        let negative = self.fp_is_negative(nearest);
        let raised = self.fp_add(RoundingMode::NearestEven, nearest, divisor);
        let magnitude = self.ite(negative, raised, nearest);
        self.fp_copy_sign(magnitude, a)
    }

    /// The first operand with the sign of the second. NaN has no sign here, and counts as positive.
    pub fn fp_copy_sign(&mut self, magnitude: Term, sign: Term) -> Term {
        let positive = self.fp_abs(magnitude);
        let negative = self.fp_neg(positive);
        let is_negative = self.fp_is_negative(sign);
        self.ite(is_negative, negative, positive)
    }

    /// The number that an 80-bit pattern of the x87 unit stands for. Patterns that the unit rejects
    /// (a nonzero exponent field without the integer bit) are NaN; a pseudo-denormal pattern is the
    /// number it spells.
    pub fn fp_from_x87_bits(&mut self, bits: Term) -> Term {
        let sign = self.extract(bits, 79, 79);
        let field = self.extract(bits, 78, 64);
        let integer_bit = self.bit(bits, 63);
        let fraction = self.extract(bits, 62, 0);
        let field_nonzero = self.bv_to_bool(field);
        // With the integer bit, a zero field means the same exponent as a field of one.
        let one = self.bv(15, 1);
        let field_with_bit = self.ite(field_nonzero, field, one);
        let proper_field = self.ite(integer_bit, field_with_bit, field);
        let pattern = self.concat_all(&[sign, proper_field, fraction]);
        let number = self.fp_from_bits(Sort::FLOAT80, pattern);
        let lacks_bit = self.not(integer_bit);
        let rejected = self.and(field_nonzero, lacks_bit);
        let nan = self.fp_nan(Sort::FLOAT80);
        self.ite(rejected, nan, number)
    }

    /// The 80-bit pattern of the x87 unit for a number of its format; every NaN gives the canonical
    /// one.
    pub fn fp_to_x87_bits(&mut self, a: Term) -> Term {
        let pattern = self.fp_to_bits(a);
        let top = self.extract(pattern, 78, 63);
        let field = self.extract(pattern, 77, 63);
        let fraction = self.extract(pattern, 62, 0);
        let normal = self.bv_to_bool(field);
        let integer_bit = self.bool_to_bv(normal, 1);
        self.concat_all(&[top, integer_bit, fraction])
    }
}
