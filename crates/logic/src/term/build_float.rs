//! Float constructors: constants are computed by `arith`, a few identities are used, the rest is
//! kept.
//!
//! A float constant is [`Op::FpFromBits`] of a bit-vector constant.

use super::eval::apply;
use super::{BvValue, Op, RoundingMode, Sort, Term, TermPool, Value};
use arith::float::Layout;

/// The layout of a float sort. Formats that do not fit into 128 bits are refused by the
/// constructors.
pub(crate) fn layout(sort: Sort) -> Option<Layout> {
    match sort {
        Sort::Float {
            exponent,
            significand,
        } => Layout::ieee(exponent, significand),
        _ => None,
    }
}

impl TermPool {
    fn expect_float(&self, term: Term) -> Sort {
        let sort = self.sort(term);
        assert!(
            matches!(sort, Sort::Float { .. }),
            "float operand expected, got {sort}"
        );
        sort
    }

    /// The bits of a float constant.
    pub fn as_float_bits(&self, term: Term) -> Option<u128> {
        match self.op(term) {
            Op::FpFromBits => self.as_u128(self.arg(term, 0)),
            _ => None,
        }
    }

    /// The value of a boolean, bit-vector or float constant.
    fn constant_value(&self, term: Term) -> Option<Value> {
        if let Some(value) = self.as_bool(term) {
            return Some(Value::Bool(value));
        }
        match self.op(term) {
            Op::BvConst(_) => self.as_bv_const(term).cloned().map(Value::Bv),
            Op::FpFromBits => self.constant_value(self.arg(term, 0)),
            _ => None,
        }
    }

    /// Builds a float operator, computing it if all operands are constants.
    fn float_op(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let values: Option<Vec<Value>> = args.iter().map(|&arg| self.constant_value(arg)).collect();
        if let Some(values) = values {
            let sorts: Vec<Sort> = args.iter().map(|&arg| self.sort(arg)).collect();
            let value = apply(op, sort, &sorts, &values);
            return self.value_of_sort(&value, sort);
        }
        self.raw(op, sort, args)
    }

    fn same_floats(&mut self, op: Op, args: &[Term]) -> Term {
        let sort = self.expect_float(args[0]);
        for &arg in args {
            self.expect_same(args[0], arg);
        }
        self.float_op(op, sort, args)
    }

    fn float_test(&mut self, op: Op, args: &[Term]) -> Term {
        self.expect_float(args[0]);
        for &arg in args {
            self.expect_same(args[0], arg);
        }
        self.float_op(op, Sort::Bool, args)
    }

    /// The float of a sort with the given IEEE bits (sign, exponent, fraction).
    pub fn fp_from_bits(&mut self, sort: Sort, bits: Term) -> Term {
        let layout = layout(sort).expect("a float sort of at most 128 bits");
        let width = self.expect_bv(bits);
        assert!(sort.width() == Some(width), "bits of the float's width");
        if let Some(value) = self.as_u128(bits)
            && arith::float::is_nan(layout, value)
        {
            let nan = self.bv(width, layout.nan());
            return self.raw(Op::FpFromBits, sort, &[nan]);
        }
        if self.op(bits) == Op::FpToBits && self.sort(self.arg(bits, 0)) == sort {
            return self.arg(bits, 0);
        }
        self.raw(Op::FpFromBits, sort, &[bits])
    }

    /// A float constant by its IEEE bits.
    pub fn fp_const(&mut self, sort: Sort, bits: u128) -> Term {
        let width = sort.width().expect("a float sort");
        let bits = self.bv(width, bits);
        self.fp_from_bits(sort, bits)
    }

    /// The IEEE bits of a float; every NaN gives the canonical one.
    pub fn fp_to_bits(&mut self, a: Term) -> Term {
        let sort = self.expect_float(a);
        let width = sort.width().expect("a float sort");
        self.float_op(Op::FpToBits, Sort::BitVec(width), &[a])
    }

    /// Sum.
    pub fn fp_add(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        self.same_floats(Op::FpAdd(rm), &[a, b])
    }

    /// Difference.
    pub fn fp_sub(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        self.same_floats(Op::FpSub(rm), &[a, b])
    }

    /// Product.
    pub fn fp_mul(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        self.same_floats(Op::FpMul(rm), &[a, b])
    }

    /// Quotient.
    pub fn fp_div(&mut self, rm: RoundingMode, a: Term, b: Term) -> Term {
        self.same_floats(Op::FpDiv(rm), &[a, b])
    }

    /// `a · b + c`, rounded once.
    pub fn fp_fma(&mut self, rm: RoundingMode, a: Term, b: Term, c: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        self.same_floats(Op::FpFma(rm), &[a, b, c])
    }

    /// Square root.
    pub fn fp_sqrt(&mut self, rm: RoundingMode, a: Term) -> Term {
        self.same_floats(Op::FpSqrt(rm), &[a])
    }

    /// Rounded to an integral float.
    pub fn fp_round_to_integral(&mut self, rm: RoundingMode, a: Term) -> Term {
        self.same_floats(Op::FpRoundToIntegral(rm), &[a])
    }

    /// IEEE remainder (the quotient is rounded to nearest even; C's `remainder`, not `fmod`).
    pub fn fp_rem(&mut self, a: Term, b: Term) -> Term {
        self.same_floats(Op::FpRem, &[a, b])
    }

    /// Smaller of two, ignoring a NaN; of two zeros the first.
    pub fn fp_min(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        self.same_floats(Op::FpMin, &[a, b])
    }

    /// Larger of two, ignoring a NaN; of two zeros the first.
    pub fn fp_max(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        self.same_floats(Op::FpMax, &[a, b])
    }

    /// Sign cleared.
    pub fn fp_abs(&mut self, a: Term) -> Term {
        match self.op(a) {
            Op::FpAbs => a,
            Op::FpNeg => {
                let inner = self.arg(a, 0);
                self.fp_abs(inner)
            }
            _ => self.same_floats(Op::FpAbs, &[a]),
        }
    }

    /// Sign flipped.
    pub fn fp_neg(&mut self, a: Term) -> Term {
        match self.op(a) {
            Op::FpNeg => self.arg(a, 0),
            _ => self.same_floats(Op::FpNeg, &[a]),
        }
    }

    /// IEEE equality, C's `==`.
    pub fn fp_eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            let nan = self.fp_is_nan(a);
            return self.not(nan);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.float_test(Op::FpEq, &[a, b])
    }

    /// IEEE less-than.
    pub fn fp_lt(&mut self, a: Term, b: Term) -> Term {
        self.expect_same(a, b);
        if a == b {
            return TermPool::FALSE;
        }
        self.float_test(Op::FpLt, &[a, b])
    }

    /// IEEE less-or-equal.
    pub fn fp_le(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            let nan = self.fp_is_nan(a);
            return self.not(nan);
        }
        self.float_test(Op::FpLe, &[a, b])
    }

    /// Is it NaN?
    pub fn fp_is_nan(&mut self, a: Term) -> Term {
        let mut a = a;
        while matches!(self.op(a), Op::FpNeg | Op::FpAbs | Op::FpToFp(_)) {
            a = self.arg(a, 0);
        }
        match self.op(a) {
            Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => TermPool::FALSE,
            _ => self.float_test(Op::FpIsNan, &[a]),
        }
    }

    /// Is it an infinity?
    pub fn fp_is_infinite(&mut self, a: Term) -> Term {
        self.float_test(Op::FpIsInfinite, &[a])
    }

    /// Is it a zero?
    pub fn fp_is_zero(&mut self, a: Term) -> Term {
        self.float_test(Op::FpIsZero, &[a])
    }

    /// Is it a normal number?
    pub fn fp_is_normal(&mut self, a: Term) -> Term {
        self.float_test(Op::FpIsNormal, &[a])
    }

    /// Is it a subnormal number?
    pub fn fp_is_subnormal(&mut self, a: Term) -> Term {
        self.float_test(Op::FpIsSubnormal, &[a])
    }

    /// Does it have the sign bit, and is it not NaN?
    pub fn fp_is_negative(&mut self, a: Term) -> Term {
        self.float_test(Op::FpIsNegative, &[a])
    }

    /// Does it lack the sign bit, and is it not NaN?
    pub fn fp_is_positive(&mut self, a: Term) -> Term {
        self.float_test(Op::FpIsPositive, &[a])
    }

    /// Conversion to another float format.
    pub fn fp_to_fp(&mut self, rm: RoundingMode, sort: Sort, a: Term) -> Term {
        let from = self.expect_float(a);
        layout(sort).expect("a float sort of at most 128 bits");
        if from == sort {
            return a;
        }
        self.float_op(Op::FpToFp(rm), sort, &[a])
    }

    /// Conversion from a signed integer of at most 128 bits.
    pub fn fp_from_signed(&mut self, rm: RoundingMode, sort: Sort, a: Term) -> Term {
        layout(sort).expect("a float sort of at most 128 bits");
        assert!(self.expect_bv(a) <= 128, "integers of at most 128 bits");
        self.float_op(Op::FpFromSigned(rm), sort, &[a])
    }

    /// Conversion from an unsigned integer of at most 128 bits.
    pub fn fp_from_unsigned(&mut self, rm: RoundingMode, sort: Sort, a: Term) -> Term {
        layout(sort).expect("a float sort of at most 128 bits");
        assert!(self.expect_bv(a) <= 128, "integers of at most 128 bits");
        self.float_op(Op::FpFromUnsigned(rm), sort, &[a])
    }

    /// Conversion to a signed integer of at most 128 bits; NaN and what is out of range give the
    /// smallest integer.
    pub fn fp_to_signed(&mut self, rm: RoundingMode, width: u32, a: Term) -> Term {
        self.expect_float(a);
        assert!((1..=128).contains(&width), "integers of 1 to 128 bits");
        self.float_op(Op::FpToSigned(rm), Sort::BitVec(width), &[a])
    }

    /// Conversion to an unsigned integer of at most 128 bits; NaN and what is out of range give all
    /// ones.
    pub fn fp_to_unsigned(&mut self, rm: RoundingMode, width: u32, a: Term) -> Term {
        self.expect_float(a);
        assert!((1..=128).contains(&width), "integers of 1 to 128 bits");
        self.float_op(Op::FpToUnsigned(rm), Sort::BitVec(width), &[a])
    }

    /// The canonical NaN of a sort.
    pub fn fp_nan(&mut self, sort: Sort) -> Term {
        let bits = layout(sort).expect("a float sort").nan();
        self.fp_const(sort, bits)
    }
}

/// The value of a float with the given bits: every NaN is the canonical one.
pub fn canonical_float(sort: Sort, bits: BvValue) -> Value {
    match (layout(sort), bits.to_u128()) {
        (Some(layout), Some(pattern)) if arith::float::is_nan(layout, pattern) => {
            Value::Bv(BvValue::new(bits.width(), layout.nan()))
        }
        _ => Value::Bv(bits),
    }
}

/// The value of a float operator on values.
pub(super) fn apply_float(op: Op, sort: Sort, sorts: &[Sort], values: &[Value]) -> Value {
    use arith::float;
    let format = sorts
        .iter()
        .find_map(|&sort| layout(sort))
        .or_else(|| layout(sort))
        .expect("a float operator has a float operand or result");
    let bits = |position: usize| {
        values[position]
            .as_bv()
            .and_then(BvValue::to_u128)
            .expect("floats and the integers they convert with have at most 128 bits")
    };
    let canonical = |layout: Layout, bits: u128| {
        if float::is_nan(layout, bits) {
            layout.nan()
        } else {
            bits
        }
    };
    let width = sort.width().unwrap_or(0);
    let result = match op {
        Op::FpFromBits => canonical(layout(sort).expect("a float sort"), bits(0)),
        Op::FpToBits => canonical(format, bits(0)),
        Op::FpAdd(rm) => float::add(format, rm, bits(0), bits(1)),
        Op::FpSub(rm) => float::sub(format, rm, bits(0), bits(1)),
        Op::FpMul(rm) => float::mul(format, rm, bits(0), bits(1)),
        Op::FpDiv(rm) => float::div(format, rm, bits(0), bits(1)),
        Op::FpFma(rm) => float::fma(format, rm, bits(0), bits(1), bits(2)),
        Op::FpSqrt(rm) => float::sqrt(format, rm, bits(0)),
        Op::FpRoundToIntegral(rm) => float::round_to_integral(format, rm, bits(0)),
        Op::FpRem => float::remainder(format, bits(0), bits(1)),
        Op::FpMin => float::fmin(format, bits(0), bits(1)),
        Op::FpMax => float::fmax(format, bits(0), bits(1)),
        Op::FpAbs => canonical(format, float::abs(format, bits(0))),
        Op::FpNeg => canonical(format, float::neg(format, bits(0))),
        Op::FpToFp(rm) => float::convert(format, layout(sort).expect("a float sort"), rm, bits(0)),
        Op::FpFromSigned(rm) | Op::FpFromUnsigned(rm) => {
            let from = sorts[0].width().unwrap_or(1);
            let signed = matches!(op, Op::FpFromSigned(_));
            float::from_int(
                layout(sort).expect("a float sort"),
                rm,
                bits(0),
                from,
                signed,
            )
        }
        Op::FpToSigned(rm) => {
            float::to_int(format, bits(0), rm, width, true).unwrap_or(1u128 << (width - 1))
        }
        Op::FpToUnsigned(rm) => {
            float::to_int(format, bits(0), rm, width, false).unwrap_or(u128::MAX)
        }
        _ => {
            let nan = float::is_nan(format, bits(0));
            let truth = match op {
                Op::FpEq => float::equal(format, bits(0), bits(1)),
                Op::FpLt => float::less(format, bits(0), bits(1)),
                Op::FpLe => float::less_or_equal(format, bits(0), bits(1)),
                Op::FpIsNan => nan,
                Op::FpIsInfinite => float::is_inf(format, bits(0)),
                Op::FpIsZero => float::is_zero(format, bits(0)),
                Op::FpIsNormal => float::is_normal(format, bits(0)),
                Op::FpIsSubnormal => float::is_subnormal(format, bits(0)),
                Op::FpIsNegative => !nan && float::sign_bit(format, bits(0)),
                Op::FpIsPositive => !nan && !float::sign_bit(format, bits(0)),
                other => unreachable!("{other:?} is no float operator"),
            };
            return Value::Bool(truth);
        }
    };
    Value::Bv(BvValue::new(width, result))
}
