//! Every operator against its concrete meaning, on all operands of tiny formats and on chosen and
//! random ones of the real formats: the term over float variables and its translation must have the
//! same value.

use super::*;
use crate::{Evaluator, Model, RoundingMode, Value};
use arith::int;
use arith::random::Random;

const RNE: RoundingMode = RoundingMode::NearestEven;

/// xorshift64*: the same numbers in every run.
/// Random floats.
trait Patterns {
    /// A pattern in which special values, short and long significands and exponents around a common
    /// one are likely.
    fn pattern(&mut self, format: Format, centre: u128) -> u128;
    fn operands(&mut self, format: Format) -> [u128; 3];
}

impl Patterns for Random {
    fn pattern(&mut self, format: Format, centre: u128) -> u128 {
        let stored = format.precision - 1;
        let field_mask = int::mask(format.exponent);
        let spread = 3 * u64::from(format.precision);
        let field = match self.below(8) {
            0 => self.wide(),
            1 => u128::from(self.below(3)),
            2 => field_mask.wrapping_sub(u128::from(self.below(3))),
            3 => centre,
            _ => centre
                .wrapping_add(u128::from(self.below(spread)))
                .wrapping_sub(u128::from(spread / 2)),
        } & field_mask;
        let significand = match self.below(5) {
            0 => u128::from(self.below(4)),
            1 => u128::from(self.below(4)).wrapping_neg(),
            2 => 1 << self.below(u64::from(stored)) | 1 << self.below(u64::from(stored)),
            3 => u128::MAX << self.below(u64::from(stored)) ^ 1 << self.below(u64::from(stored)),
            _ => self.wide(),
        } & int::mask(stored);
        u128::from(self.below(2)) << (format.width() - 1) | field << stored | significand
    }

    fn operands(&mut self, format: Format) -> [u128; 3] {
        let centre = match self.below(3) {
            0 => u128::from(self.number()) & int::mask(format.exponent),
            1 => format.layout().bias() as u128,
            _ => self.below(u64::from(2 * format.precision)).into(),
        };
        [0; 3].map(|_: u8| self.pattern(format, centre))
    }
}

/// A term over the float variables x, y and z, and its translation over their patterns.
struct Pair {
    pool: TermPool,
    sort: Sort,
    original: Term,
    lowered: Term,
}

type Build = dyn Fn(&mut TermPool, [Term; 3]) -> Term;

impl Pair {
    fn new(sort: Sort, build: &Build) -> Pair {
        let mut pool = TermPool::new();
        let variables = ["x", "y", "z"].map(|name| pool.var(name, sort));
        let original = build(&mut pool, variables);
        let lowered = lower_float(&mut pool, original).expect("a supported operator");
        for term in pool.postorder(&[lowered]) {
            assert!(!pool.op(term).is_float() && Format::of(pool.sort(term)).is_none());
        }
        Pair {
            pool,
            sort,
            original,
            lowered,
        }
    }

    fn check(&mut self, operands: [u128; 3]) {
        let width = self.sort.width().expect("a float sort");
        let mut model = Model::new();
        let layout = Format::of(self.sort).expect("a float sort").layout();
        for (name, operand) in ["x", "y", "z"].into_iter().zip(operands) {
            let variable = self.pool.var(name, self.sort);
            let canonical = if arith::float::is_nan(layout, operand) {
                layout.nan()
            } else {
                operand
            };
            model.set(variable, Value::Bv(BvValue::new(width, canonical)));
            let pattern =
                FloatLowering::pattern_of(&mut self.pool, variable).expect("a float variable");
            model.set(pattern, Value::Bv(BvValue::new(width, operand)));
        }
        let mut evaluator = Evaluator::new(&model);
        let expected = evaluator.value(&self.pool, self.original);
        let found = evaluator.value(&self.pool, self.lowered);
        assert_eq!(
            found,
            expected,
            "{:?} of {:x?} in {}",
            self.pool.op(self.original),
            operands,
            self.sort
        );
    }
}

fn check_random(sort: Sort, cases: usize, build: &Build) {
    let format = Format::of(sort).expect("a float sort");
    let mut pair = Pair::new(sort, build);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..cases {
        pair.check(random.operands(format));
    }
}

fn check_all_pairs(sort: Sort, build: &Build) {
    let mut pair = Pair::new(sort, build);
    let count = 1u128 << sort.width().expect("a float sort");
    for a in 0..count {
        for b in 0..count {
            pair.check([a, b, 0]);
        }
    }
}

fn check_all(sort: Sort, build: &Build) {
    let mut pair = Pair::new(sort, build);
    for a in 0..1u128 << sort.width().expect("a float sort") {
        pair.check([a, 0, 0]);
    }
}

const fn float(exponent: u32, significand: u32) -> Sort {
    Sort::Float {
        exponent,
        significand,
    }
}

const HALF: Sort = float(5, 11);
/// Formats with an unusual relation of exponent and precision: everything at the edges happens in
/// them.
const TINY: [Sort; 3] = [float(2, 3), float(3, 3), float(2, 2)];
/// Formats small enough for all patterns, not for all pairs.
const SMALL: [Sort; 4] = [HALF, float(3, 10), float(7, 4), float(2, 8)];
const REAL: [Sort; 5] = [
    HALF,
    Sort::FLOAT32,
    Sort::FLOAT64,
    Sort::FLOAT80,
    Sort::FLOAT128,
];

/// One binary operator in all its rounding modes.
fn check_rounded(cases: usize, build: fn(&mut TermPool, RoundingMode, [Term; 3]) -> Term) {
    for rm in RoundingMode::ALL {
        for sort in TINY {
            check_all_pairs(sort, &move |pool, args| build(pool, rm, args));
        }
        for sort in REAL {
            check_random(sort, cases, &move |pool, args| build(pool, rm, args));
        }
    }
}

#[test]
fn sums() {
    check_rounded(400, |pool, rm, [x, y, _]| pool.fp_add(rm, x, y));
}

#[test]
fn differences() {
    check_rounded(200, |pool, rm, [x, y, _]| pool.fp_sub(rm, x, y));
}

#[test]
fn products() {
    check_rounded(400, |pool, rm, [x, y, _]| pool.fp_mul(rm, x, y));
}

#[test]
fn quotients() {
    check_rounded(200, |pool, rm, [x, y, _]| pool.fp_div(rm, x, y));
}

#[test]
fn fused_products_and_sums() {
    let build = |pool: &mut TermPool, rm, [x, y, z]: [Term; 3]| pool.fp_fma(rm, x, y, z);
    for rm in RoundingMode::ALL {
        for sort in REAL {
            check_random(sort, 300, &move |pool, args| build(pool, rm, args));
        }
        // All triples of the smallest format.
        let sort = TINY[2];
        let mut pair = Pair::new(sort, &move |pool, args| build(pool, rm, args));
        for code in 0..1u128 << 12 {
            pair.check([code & 15, code >> 4 & 15, code >> 8]);
        }
        check_random(TINY[1], 1000, &move |pool, args| build(pool, rm, args));
    }
}

#[test]
fn square_roots() {
    for rm in RoundingMode::ALL {
        for sort in TINY.into_iter().chain(SMALL) {
            check_random(sort, 500, &move |pool, [x, _, _]| pool.fp_sqrt(rm, x));
        }
        for sort in REAL {
            check_random(sort, 200, &move |pool, [x, _, _]| pool.fp_sqrt(rm, x));
        }
    }
    for sort in TINY.into_iter().chain([float(3, 10), float(7, 4)]) {
        check_all(sort, &|pool, [x, _, _]| pool.fp_sqrt(RNE, x));
    }
}

#[test]
fn remainders() {
    for sort in TINY {
        check_all_pairs(sort, &|pool, [x, y, _]| pool.fp_rem(x, y));
        check_all_pairs(sort, &|pool, [x, y, _]| pool.fp_fmod(x, y));
    }
    check_random(HALF, 3000, &|pool, [x, y, _]| pool.fp_rem(x, y));
    check_random(Sort::FLOAT32, 1000, &|pool, [x, y, _]| pool.fp_rem(x, y));
    check_random(Sort::FLOAT64, 60, &|pool, [x, y, _]| pool.fp_rem(x, y));
}

#[test]
fn a_remainder_with_a_huge_circuit_is_refused() {
    let mut pool = TermPool::new();
    let [x, y] = ["x", "y"].map(|name| pool.var(name, Sort::FLOAT128));
    let remainder = pool.fp_rem(x, y);
    let refused = Unsupported {
        operator: Op::FpRem,
        sort: Sort::FLOAT128,
    };
    assert_eq!(lower_float(&mut pool, remainder), Err(refused));
}

#[test]
fn truncated_remainders_are_those_of_c() {
    let sort = Sort::FLOAT32;
    let mut pool = TermPool::new();
    let mut random = Random(3);
    for _ in 0..3000 {
        let [a, b, _] = random.operands(Format::of(sort).expect("a float sort"));
        let (x, y) = (pool.fp_const(sort, a), pool.fp_const(sort, b));
        let found = pool.fp_fmod(x, y);
        let expected = arith::float::fmod(arith::float::FloatFormat::Single, a, b);
        assert_eq!(pool.as_float_bits(found), Some(expected), "{a:x} {b:x}");
    }
}

#[test]
fn integral_floats() {
    for rm in RoundingMode::ALL {
        for sort in TINY
            .into_iter()
            .chain([float(3, 10), float(7, 4), float(2, 8)])
        {
            check_all(sort, &move |pool, [x, _, _]| {
                pool.fp_round_to_integral(rm, x)
            });
        }
        for sort in REAL {
            check_random(sort, 1000, &move |pool, [x, _, _]| {
                pool.fp_round_to_integral(rm, x)
            });
        }
    }
}

#[test]
fn conversions_between_formats() {
    for rm in RoundingMode::ALL {
        for from in TINY.into_iter().chain(REAL) {
            for to in TINY.into_iter().chain(REAL).filter(|to| *to != from) {
                check_random(from, 80, &move |pool, [x, _, _]| pool.fp_to_fp(rm, to, x));
            }
        }
        for to in [float(3, 3), float(4, 8), float(6, 3)] {
            check_all(float(3, 10), &move |pool, [x, _, _]| {
                pool.fp_to_fp(rm, to, x)
            });
        }
    }
}

#[test]
fn conversions_to_integers() {
    for rm in RoundingMode::ALL {
        for width in [1, 2, 7, 8, 31, 32, 64, 128] {
            for sort in REAL {
                check_random(sort, 80, &move |pool, [x, _, _]| {
                    pool.fp_to_signed(rm, width, x)
                });
                check_random(sort, 80, &move |pool, [x, _, _]| {
                    pool.fp_to_unsigned(rm, width, x)
                });
            }
        }
        for width in [1, 3, 5, 20] {
            for sort in TINY.into_iter().chain([float(4, 7)]) {
                check_all(sort, &move |pool, [x, _, _]| {
                    pool.fp_to_signed(rm, width, x)
                });
                check_all(sort, &move |pool, [x, _, _]| {
                    pool.fp_to_unsigned(rm, width, x)
                });
            }
        }
    }
}

#[test]
fn conversions_from_integers() {
    let mut random = Random(11);
    for rm in RoundingMode::ALL {
        for width in [1, 2, 7, 8, 32, 64, 128] {
            for sort in TINY.into_iter().chain(REAL) {
                for signed in [true, false] {
                    let mut pool = TermPool::new();
                    let n = pool.var("n", Sort::BitVec(width));
                    let original = if signed {
                        pool.fp_from_signed(rm, sort, n)
                    } else {
                        pool.fp_from_unsigned(rm, sort, n)
                    };
                    let lowered = lower_float(&mut pool, original).expect("supported");
                    for _ in 0..40 {
                        let bits = (random.wide() as i128 >> random.below(128)) as u128;
                        let mut model = Model::new();
                        model.set(n, Value::Bv(BvValue::new(width, bits)));
                        let mut evaluator = Evaluator::new(&model);
                        let expected = evaluator.value(&pool, original);
                        let found = evaluator.value(&pool, lowered);
                        assert_eq!(found, expected, "{rm:?} {bits:x} of {width} bits to {sort}");
                    }
                }
            }
        }
    }
}

#[test]
fn comparisons_and_classes() {
    let binary: [&Build; 6] = [
        &|pool, [x, y, _]| pool.fp_eq(x, y),
        &|pool, [x, y, _]| pool.fp_lt(x, y),
        &|pool, [x, y, _]| pool.fp_le(x, y),
        &|pool, [x, y, _]| pool.fp_min(x, y),
        &|pool, [x, y, _]| pool.fp_max(x, y),
        &|pool, [x, y, _]| pool.eq(x, y),
    ];
    for build in binary {
        for sort in TINY {
            check_all_pairs(sort, build);
        }
        for sort in REAL {
            check_random(sort, 2000, build);
        }
    }
    let unary: [&Build; 9] = [
        &|pool, [x, _, _]| pool.fp_is_nan(x),
        &|pool, [x, _, _]| pool.fp_is_infinite(x),
        &|pool, [x, _, _]| pool.fp_is_zero(x),
        &|pool, [x, _, _]| pool.fp_is_normal(x),
        &|pool, [x, _, _]| pool.fp_is_subnormal(x),
        &|pool, [x, _, _]| pool.fp_is_negative(x),
        &|pool, [x, _, _]| pool.fp_is_positive(x),
        &|pool, [x, _, _]| pool.fp_neg(x),
        &|pool, [x, _, _]| pool.fp_abs(x),
    ];
    for build in unary {
        for sort in TINY {
            check_all(sort, build);
        }
        for sort in REAL {
            check_random(sort, 2000, build);
        }
    }
}

#[test]
fn choices_between_floats() {
    check_random(Sort::FLOAT32, 1000, &|pool, [x, y, z]| {
        let less = pool.fp_lt(x, y);
        let chosen = pool.ite(less, y, z);
        let sum = pool.fp_add(RNE, chosen, x);
        pool.eq(sum, z)
    });
    check_random(Sort::FLOAT64, 1000, &|pool, [x, y, _]| {
        pool.fp_copy_sign(x, y)
    });
}

#[test]
fn extended_patterns() {
    let layout = arith::float::FloatFormat::X87.layout();
    let ieee = Format::of(Sort::FLOAT80).expect("a float sort").layout();
    let mut pool = TermPool::new();
    let bits = pool.var("bits", Sort::BitVec(80));
    let number = pool.fp_from_x87_bits(bits);
    let pattern = pool.fp_to_bits(number);
    let back = pool.fp_to_x87_bits(number);
    let mut lowering = FloatLowering::new();
    let pattern = lowering.lower(&mut pool, pattern).expect("supported");
    let back = lowering.lower(&mut pool, back).expect("supported");
    let mut random = Random(17);
    for case in 0..3000 {
        let field = match case % 4 {
            0 => 0,
            1 => 0x7fff,
            2 => u128::from(random.below(3)),
            _ => u128::from(random.number() & 0x7fff),
        };
        let significand = match random.below(3) {
            0 => u128::from(random.below(2)) << 63 | u128::from(random.below(2)),
            _ => u128::from(random.number()),
        };
        let value = u128::from(random.below(2)) << 79 | field << 64 | significand;
        let mut model = Model::new();
        model.set(bits, Value::Bv(BvValue::new(80, value)));
        let mut evaluator = Evaluator::new(&model);
        let expected = arith::float::convert(layout, ieee, RNE, value);
        assert_eq!(
            evaluator.value(&pool, pattern),
            Value::Bv(BvValue::new(79, expected)),
            "{value:x}"
        );
        let expected = arith::float::convert(layout, layout, RNE, value);
        assert_eq!(
            evaluator.value(&pool, back),
            Value::Bv(BvValue::new(80, expected)),
            "{value:x}"
        );
    }
}
