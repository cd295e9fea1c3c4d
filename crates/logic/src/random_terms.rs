//! Random terms with independently computed values, for tests.
//!
//! Each step builds one term through the simplifying constructors and computes, from the operands'
//! values alone, what it must evaluate to under each of a few random models. A wrong rewrite rule
//! shows as a difference.

use crate::term::{ArrayValue, BvValue, Model, RoundingMode, Sort, Term, TermPool, Value};
use arith::random::xorshift;

/// A small reproducible generator (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        xorshift(&mut self.0)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 16) % bound as u64) as usize
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// One of the terms or its negation.
    pub fn literal(&mut self, pool: &mut TermPool, booleans: &[Term]) -> Term {
        let term = self.pick(booleans);
        match self.chance(2) {
            true => pool.not(term),
            false => term,
        }
    }

    pub fn u128(&mut self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }

    /// Often a corner case.
    pub fn bits(&mut self, width: u32) -> BvValue {
        match self.below(8) {
            0 => BvValue::zero(width),
            1 => BvValue::one(width),
            2 => BvValue::ones(width),
            3 => BvValue::min_signed(width),
            4 => BvValue::min_signed(width).not(),
            5 => BvValue::new(width, u128::from(self.next() % 16)),
            6 => BvValue::one(width).shl_by(self.below(width as usize) as u32),
            _ => {
                let mut value = BvValue::new(width, self.u128());
                if width > 128 {
                    value = value.shl_by(70).xor(&BvValue::new(width, self.u128()));
                }
                value
            }
        }
    }
}

/// What kinds of terms are made.
#[derive(Clone)]
pub struct Shape {
    pub widths: Vec<u32>,
    pub floats: Vec<Sort>,
    pub arrays: bool,
    /// Constant arrays hold values only, not arbitrary elements.
    pub plain_constant_arrays: bool,
    /// Multiplication, division and variable shifts: expensive for solvers.
    pub hard_operators: bool,
    pub models: usize,
    pub steps: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            widths: vec![1, 3, 4, 8, 16, 32],
            floats: Vec::new(),
            arrays: true,
            plain_constant_arrays: false,
            hard_operators: true,
            models: 4,
            steps: 60,
        }
    }
}

/// A term and its value under each model.
#[derive(Clone)]
pub struct Entry {
    pub term: Term,
    pub values: Vec<Value>,
}

pub struct RandomTerms {
    pub pool: TermPool,
    pub models: Vec<Model>,
    pub entries: Vec<Entry>,
    shape: Shape,
}

impl RandomTerms {
    /// Builds `shape.steps` random terms over a few variables of each sort.
    pub fn generate(random: &mut Random, shape: Shape) -> RandomTerms {
        let mut terms = RandomTerms {
            pool: TermPool::new(),
            models: vec![Model::new(); shape.models],
            entries: Vec::new(),
            shape,
        };
        terms.add_variables(random);
        for _ in 0..terms.shape.steps {
            terms.step(random);
        }
        terms
    }

    fn variable(&mut self, name: String, sort: Sort, values: Vec<Value>) {
        let term = self.pool.var(&name, sort);
        for (model, value) in self.models.iter_mut().zip(&values) {
            model.set(term, value.clone());
        }
        self.entries.push(Entry { term, values });
    }

    fn add_variables(&mut self, random: &mut Random) {
        let count = self.shape.models;
        for name in ["p", "q"] {
            let values = (0..count).map(|_| Value::Bool(random.chance(2))).collect();
            self.variable(name.into(), Sort::Bool, values);
        }
        for width in self.shape.widths.clone() {
            for name in ["x", "y"] {
                let values = (0..count).map(|_| Value::Bv(random.bits(width))).collect();
                self.variable(format!("{name}{width}"), Sort::BitVec(width), values);
            }
        }
        for sort in self.shape.floats.clone() {
            let width = sort.width().expect("a float sort");
            for name in ["f", "g"] {
                let values = (0..count)
                    .map(|_| Value::Bv(random_float(random, sort)))
                    .collect();
                self.variable(format!("{name}{width}"), sort, values);
            }
        }
        if self.shape.arrays {
            let index = self.shape.widths[self.shape.widths.len() / 2];
            let element = self.shape.widths[self.shape.widths.len() / 2];
            for name in ["a", "b"] {
                let values = (0..count)
                    .map(|_| {
                        let mut array = ArrayValue::constant(index, random.bits(element));
                        for _ in 0..3 {
                            array.store(random.bits(index), random.bits(element));
                        }
                        Value::Array(array)
                    })
                    .collect();
                self.variable(name.into(), Sort::Array { index, element }, values);
            }
        }
    }

    fn of_sort(&self, random: &mut Random, sort: Sort) -> Entry {
        let matching: Vec<&Entry> = self
            .entries
            .iter()
            .filter(|entry| self.pool.sort(entry.term) == sort)
            .collect();
        // Recent terms more often, so that terms become deep.
        let position = if random.chance(2) {
            let window = matching.len().min(6);
            matching.len() - 1 - random.below(window)
        } else {
            random.below(matching.len())
        };
        matching[position].clone()
    }

    /// A bit-vector of a width: an existing one, or a constant.
    fn bv(&mut self, random: &mut Random, width: u32) -> Entry {
        let exists = self
            .entries
            .iter()
            .any(|entry| self.pool.sort(entry.term) == Sort::BitVec(width));
        if !exists || random.chance(4) {
            let value = random.bits(width);
            let term = self.pool.bv_value(value.clone());
            return Entry {
                term,
                values: vec![Value::Bv(value); self.shape.models],
            };
        }
        self.of_sort(random, Sort::BitVec(width))
    }

    fn record(&mut self, term: Term, values: Vec<Value>) {
        self.entries.push(Entry { term, values });
    }

    /// Does every recorded term evaluate to what was computed for it?
    pub fn first_difference(&self) -> Option<String> {
        for (number, model) in self.models.iter().enumerate() {
            let mut evaluator = crate::term::Evaluator::new(model);
            for (step, entry) in self.entries.iter().enumerate() {
                let actual = evaluator.value(&self.pool, entry.term);
                let expected = &entry.values[number];
                let same = match (&actual, expected) {
                    (Value::Array(a), Value::Array(b)) => a.same_function(b),
                    (a, b) => a == b,
                };
                if !same {
                    return Some(format!(
                        "step {step}: {:?} evaluates to {actual:?}, expected {expected:?}",
                        self.pool.op(entry.term)
                    ));
                }
            }
        }
        None
    }

    fn step(&mut self, random: &mut Random) {
        let kinds =
            3 + usize::from(self.shape.arrays) + 2 * usize::from(!self.shape.floats.is_empty());
        match random.below(kinds) {
            0 => self.bool_step(random),
            1 => self.bv_step(random),
            2 => self.compare_step(random),
            3 if self.shape.arrays => self.array_step(random),
            _ => self.float_step(random),
        }
    }

    fn bool_step(&mut self, random: &mut Random) {
        let a = self.of_sort(random, Sort::Bool);
        let b = self.of_sort(random, Sort::Bool);
        let c = self.of_sort(random, Sort::Bool);
        let (x, y, z) = (a.term, b.term, c.term);
        let pool = &mut self.pool;
        let (term, f): (Term, fn(bool, bool, bool) -> bool) = match random.below(8) {
            0 => (pool.not(x), |x, _, _| !x),
            1 => (pool.and(x, y), |x, y, _| x && y),
            2 => (pool.or(x, y), |x, y, _| x || y),
            3 => (pool.implies(x, y), |x, y, _| !x || y),
            4 => (pool.xor(x, y), |x, y, _| x ^ y),
            5 => (pool.ite(x, y, z), |x, y, z| if x { y } else { z }),
            6 => (pool.and_all([x, y, z]), |x, y, z| x && y && z),
            _ => (pool.or_all([x, y, z]), |x, y, z| x || y || z),
        };
        let truth = |entry: &Entry, i: usize| entry.values[i].as_bool().expect("a boolean");
        let values = (0..self.shape.models)
            .map(|i| Value::Bool(f(truth(&a, i), truth(&b, i), truth(&c, i))))
            .collect();
        self.record(term, values);
    }

    fn bv_step(&mut self, random: &mut Random) {
        let width = random.pick(&self.shape.widths);
        let a = self.bv(random, width);
        let b = self.bv(random, width);
        let (x, y) = (a.term, b.term);
        let map = |f: &dyn Fn(&BvValue, &BvValue) -> BvValue| -> Vec<Value> {
            (0..a.values.len())
                .map(|i| {
                    Value::Bv(f(
                        a.values[i].as_bv().expect("bits"),
                        b.values[i].as_bv().expect("bits"),
                    ))
                })
                .collect()
        };
        let kinds = if self.shape.hard_operators { 29 } else { 18 };
        let pool = &mut self.pool;
        let (term, values) = match random.below(kinds) {
            0 => (pool.bv_add(x, y), map(&|x, y| x.add(y))),
            1 => (pool.bv_sub(x, y), map(&|x, y| x.sub(y))),
            2 => (pool.bv_neg(x), map(&|x, _| x.neg())),
            3 => (pool.bv_not(x), map(&|x, _| x.not())),
            4 => (pool.bv_and(x, y), map(&|x, y| x.and(y))),
            5 => (pool.bv_or(x, y), map(&|x, y| x.or(y))),
            6 => (pool.bv_xor(x, y), map(&|x, y| x.xor(y))),
            7 => {
                let high = random.below(width as usize) as u32;
                let low = random.below(high as usize + 1) as u32;
                (
                    pool.extract(x, high, low),
                    map(&|x, _| x.extract(high, low)),
                )
            }
            8 => (pool.concat(x, y), map(&|x, y| x.concat(y))),
            9 => {
                let by = random.below(20) as u32;
                (pool.zero_extend(x, by), map(&|x, _| x.zero_extend(by)))
            }
            10 => {
                let by = random.below(20) as u32;
                (pool.sign_extend(x, by), map(&|x, _| x.sign_extend(by)))
            }
            11 => {
                let c = self.of_sort(random, Sort::Bool);
                let term = self.pool.ite(c.term, x, y);
                let values = (0..self.shape.models)
                    .map(|i| {
                        if c.values[i] == Value::Bool(true) {
                            a.values[i].clone()
                        } else {
                            b.values[i].clone()
                        }
                    })
                    .collect();
                (term, values)
            }
            12 => {
                let amount = random.bits(width);
                let shift = pool.bv_value(amount.clone());
                (pool.bv_shl(x, shift), map(&|x, _| x.shl(&amount)))
            }
            13 => {
                let amount = random.bits(width);
                let shift = pool.bv_value(amount.clone());
                (pool.bv_lshr(x, shift), map(&|x, _| x.lshr(&amount)))
            }
            14 => {
                let amount = random.bits(width);
                let shift = pool.bv_value(amount.clone());
                (pool.bv_ashr(x, shift), map(&|x, _| x.ashr(&amount)))
            }
            15 => {
                let factor = random.bits(width);
                let constant = pool.bv_value(factor.clone());
                (pool.bv_mul(x, constant), map(&|x, _| x.mul(&factor)))
            }
            16 => (
                pool.bv_umin(x, y),
                map(&|x, y| if x.ult(y) { x.clone() } else { y.clone() }),
            ),
            17 => (
                pool.bv_smax(x, y),
                map(&|x, y| if x.slt(y) { y.clone() } else { x.clone() }),
            ),
            18 => (pool.bv_mul(x, y), map(&|x, y| x.mul(y))),
            19 => (pool.bv_udiv(x, y), map(&|x, y| x.udiv(y))),
            20 => (pool.bv_urem(x, y), map(&|x, y| x.urem(y))),
            21 => (pool.bv_sdiv(x, y), map(&|x, y| x.sdiv(y))),
            22 => (pool.bv_srem(x, y), map(&|x, y| x.srem(y))),
            23 => (pool.bv_smod(x, y), map(&|x, y| x.smod(y))),
            24 => (pool.bv_shl(x, y), map(&|x, y| x.shl(y))),
            25 => (pool.bv_lshr(x, y), map(&|x, y| x.lshr(y))),
            26 => (pool.bv_ashr(x, y), map(&|x, y| x.ashr(y))),
            27 => (pool.bv_rotate_left(x, y), map(&|x, y| rotate_left(x, y))),
            _ => (
                pool.bv_rotate_right(x, y),
                map(&|x, y| {
                    let width = BvValue::new(40.max(x.width()), u128::from(x.width()));
                    let amount = y.zero_extend(width.width() - x.width()).urem(&width);
                    rotate_left(x, &width.sub(&amount))
                }),
            ),
        };
        self.record(term, values);
    }

    fn compare_step(&mut self, random: &mut Random) {
        let width = random.pick(&self.shape.widths);
        let a = self.bv(random, width);
        let b = self.bv(random, width);
        let (x, y) = (a.term, b.term);
        let pool = &mut self.pool;
        let wide = |f: &dyn Fn(i128, i128) -> Option<i128>, x: &BvValue, y: &BvValue| {
            let (x, y) = (x.to_i128().expect("small"), y.to_i128().expect("small"));
            match f(x, y) {
                Some(result) => BvValue::from_signed(width, result).to_i128() != Some(result),
                None => true,
            }
        };
        type Test<'a> = Box<dyn Fn(&BvValue, &BvValue) -> bool + 'a>;
        let kinds = if width <= 64 { 16 } else { 10 };
        let (term, f): (Term, Test) = match random.below(kinds) {
            0 => (pool.eq(x, y), Box::new(|x, y| x == y)),
            1 => (pool.ne(x, y), Box::new(|x, y| x != y)),
            2 => (pool.ult(x, y), Box::new(|x, y| x.ult(y))),
            3 => (pool.ule(x, y), Box::new(|x, y| !y.ult(x))),
            4 => (pool.ugt(x, y), Box::new(|x, y| y.ult(x))),
            5 => (pool.slt(x, y), Box::new(|x, y| x.slt(y))),
            6 => (pool.sle(x, y), Box::new(|x, y| !y.slt(x))),
            7 => (pool.sge(x, y), Box::new(|x, y| !x.slt(y))),
            8 => (pool.usub_overflow(x, y), Box::new(|x, y| x.ult(y))),
            9 => (
                pool.uadd_overflow(x, y),
                Box::new(|x, y| x.zero_extend(1).add(&y.zero_extend(1)).is_negative()),
            ),
            10 => (
                pool.sadd_overflow(x, y),
                Box::new(move |x, y| wide(&|x, y| x.checked_add(y), x, y)),
            ),
            11 => (
                pool.ssub_overflow(x, y),
                Box::new(move |x, y| wide(&|x, y| x.checked_sub(y), x, y)),
            ),
            12 if self.shape.hard_operators => (
                pool.smul_overflow(x, y),
                Box::new(move |x, y| wide(&|x, y| x.checked_mul(y), x, y)),
            ),
            13 if self.shape.hard_operators => (
                pool.umul_overflow(x, y),
                Box::new(|x, y| {
                    let w = x.width();
                    let product = x.zero_extend(w).mul(&y.zero_extend(w));
                    !product.extract(2 * w - 1, w).is_zero()
                }),
            ),
            14 => (
                pool.sdiv_overflow(x, y),
                Box::new(|x, y| *x == BvValue::min_signed(x.width()) && y.is_ones()),
            ),
            _ => (
                pool.neg_overflow(x),
                Box::new(|x, _| *x == BvValue::min_signed(x.width())),
            ),
        };
        let values = (0..self.shape.models)
            .map(|i| {
                Value::Bool(f(
                    a.values[i].as_bv().expect("bits"),
                    b.values[i].as_bv().expect("bits"),
                ))
            })
            .collect();
        drop(f);
        self.record(term, values);
    }

    fn array_step(&mut self, random: &mut Random) {
        let sort = self
            .entries
            .iter()
            .map(|entry| self.pool.sort(entry.term))
            .find(|sort| matches!(sort, Sort::Array { .. }))
            .expect("an array variable");
        let Sort::Array { index, element } = sort else {
            unreachable!("an array sort")
        };
        let a = self.of_sort(random, sort);
        let b = self.of_sort(random, sort);
        let i = self.bv(random, index);
        let mut e = self.bv(random, element);
        let array = |entry: &Entry, n: usize| entry.values[n].as_array().expect("array").clone();
        let bits = |entry: &Entry, n: usize| entry.values[n].as_bv().expect("bits").clone();
        let models = self.shape.models;
        let kind = random.below(7);
        if kind == 5 && self.shape.plain_constant_arrays {
            let value = random.bits(element);
            e = Entry {
                term: self.pool.bv_value(value.clone()),
                values: vec![Value::Bv(value); models],
            };
        }
        let (term, values): (Term, Vec<Value>) = match kind {
            0 | 1 => (
                self.pool.store(a.term, i.term, e.term),
                (0..models)
                    .map(|n| {
                        let mut value = array(&a, n);
                        value.store(bits(&i, n), bits(&e, n));
                        Value::Array(value)
                    })
                    .collect(),
            ),
            2 | 3 => (
                self.pool.select(a.term, i.term),
                (0..models)
                    .map(|n| Value::Bv(array(&a, n).select(&bits(&i, n)).clone()))
                    .collect(),
            ),
            4 => (
                self.pool.eq(a.term, b.term),
                (0..models)
                    .map(|n| Value::Bool(array(&a, n).same_function(&array(&b, n))))
                    .collect(),
            ),
            5 => (
                self.pool.const_array(index, e.term),
                (0..models)
                    .map(|n| Value::Array(ArrayValue::constant(index, bits(&e, n))))
                    .collect(),
            ),
            _ => {
                let c = self.of_sort(random, Sort::Bool);
                (
                    self.pool.ite(c.term, a.term, b.term),
                    (0..models)
                        .map(|n| {
                            if c.values[n] == Value::Bool(true) {
                                a.values[n].clone()
                            } else {
                                b.values[n].clone()
                            }
                        })
                        .collect(),
                )
            }
        };
        self.record(term, values);
    }

    fn float_step(&mut self, random: &mut Random) {
        let sort = random.pick(&self.shape.floats);
        let layout = crate::term::float_layout(sort).expect("a float sort");
        let a = self.of_sort(random, sort);
        let b = self.of_sort(random, sort);
        let c = self.of_sort(random, sort);
        let rm = random.pick(&RoundingMode::ALL);
        let width = sort.width().expect("a float sort");
        let bits = |entry: &Entry, n: usize| {
            entry.values[n]
                .as_bv()
                .and_then(BvValue::to_u128)
                .expect("small")
        };
        let (x, y, z) = (a.term, b.term, c.term);
        use arith::float;
        let models = self.shape.models;
        let float_values = |f: &dyn Fn(u128, u128, u128) -> u128| -> Vec<Value> {
            (0..models)
                .map(|n| {
                    let result = f(bits(&a, n), bits(&b, n), bits(&c, n));
                    let result = if float::is_nan(layout, result) {
                        layout.nan()
                    } else {
                        result
                    };
                    Value::Bv(BvValue::new(width, result))
                })
                .collect()
        };
        let tests = |f: &dyn Fn(u128, u128) -> bool| -> Vec<Value> {
            (0..models)
                .map(|n| Value::Bool(f(bits(&a, n), bits(&b, n))))
                .collect()
        };
        let hard = self.shape.hard_operators;
        let int_width = 8;
        let pool = &mut self.pool;
        let (term, values) = match random.below(if hard { 24 } else { 18 }) {
            0 => (
                pool.fp_add(rm, x, y),
                float_values(&|x, y, _| float::add(layout, rm, x, y)),
            ),
            1 => (
                pool.fp_sub(rm, x, y),
                float_values(&|x, y, _| float::sub(layout, rm, x, y)),
            ),
            2 => (
                pool.fp_neg(x),
                float_values(&|x, _, _| float::neg(layout, x)),
            ),
            3 => (
                pool.fp_abs(x),
                float_values(&|x, _, _| float::abs(layout, x)),
            ),
            4 => (
                pool.fp_min(x, y),
                float_values(&|x, y, _| float::fmin(layout, x, y)),
            ),
            5 => (
                pool.fp_max(x, y),
                float_values(&|x, y, _| float::fmax(layout, x, y)),
            ),
            6 => (pool.fp_eq(x, y), tests(&|x, y| float::equal(layout, x, y))),
            7 => (pool.fp_lt(x, y), tests(&|x, y| float::less(layout, x, y))),
            8 => (
                pool.fp_le(x, y),
                tests(&|x, y| float::less_or_equal(layout, x, y)),
            ),
            9 => (pool.fp_is_nan(x), tests(&|x, _| float::is_nan(layout, x))),
            10 => (
                pool.fp_is_infinite(x),
                tests(&|x, _| float::is_inf(layout, x)),
            ),
            11 => (pool.fp_is_zero(x), tests(&|x, _| float::is_zero(layout, x))),
            12 => (
                pool.fp_is_subnormal(x),
                tests(&|x, _| float::is_subnormal(layout, x)),
            ),
            13 => (
                pool.fp_is_normal(x),
                tests(&|x, _| float::is_normal(layout, x)),
            ),
            14 => (
                pool.fp_is_negative(x),
                tests(&|x, _| !float::is_nan(layout, x) && float::sign_bit(layout, x)),
            ),
            15 => (
                pool.fp_round_to_integral(rm, x),
                float_values(&|x, _, _| float::round_to_integral(layout, rm, x)),
            ),
            16 => {
                let i = self.bv(random, int_width);
                let signed = random.chance(2);
                let term = if signed {
                    self.pool.fp_from_signed(rm, sort, i.term)
                } else {
                    self.pool.fp_from_unsigned(rm, sort, i.term)
                };
                let values = (0..models)
                    .map(|n| {
                        let result = float::from_int(layout, rm, bits(&i, n), int_width, signed);
                        Value::Bv(BvValue::new(width, result))
                    })
                    .collect();
                (term, values)
            }
            17 => {
                let signed = random.chance(2);
                let term = if signed {
                    pool.fp_to_signed(rm, int_width, x)
                } else {
                    pool.fp_to_unsigned(rm, int_width, x)
                };
                let values = (0..models)
                    .map(|n| {
                        let out_of_range = if signed { 128 } else { 255 };
                        let result = float::to_int(layout, bits(&a, n), rm, int_width, signed)
                            .unwrap_or(out_of_range);
                        Value::Bv(BvValue::new(int_width, result))
                    })
                    .collect();
                (term, values)
            }
            18 => (
                pool.fp_mul(rm, x, y),
                float_values(&|x, y, _| float::mul(layout, rm, x, y)),
            ),
            19 => (
                pool.fp_div(rm, x, y),
                float_values(&|x, y, _| float::div(layout, rm, x, y)),
            ),
            20 => (
                pool.fp_fma(rm, x, y, z),
                float_values(&|x, y, z| float::fma(layout, rm, x, y, z)),
            ),
            21 => (
                pool.fp_sqrt(rm, x),
                float_values(&|x, _, _| float::sqrt(layout, rm, x)),
            ),
            22 => (
                pool.fp_rem(x, y),
                float_values(&|x, y, _| float::remainder(layout, x, y)),
            ),
            _ => {
                let target = random.pick(&self.shape.floats);
                let to = crate::term::float_layout(target).expect("a float sort");
                let values = (0..models)
                    .map(|n| {
                        let result = float::convert(layout, to, rm, bits(&a, n));
                        Value::Bv(BvValue::new(to.width(), result))
                    })
                    .collect();
                (self.pool.fp_to_fp(rm, target, x), values)
            }
        };
        self.record(term, values);
    }
}

fn rotate_left(value: &BvValue, amount: &BvValue) -> BvValue {
    let width = value.width();
    let wide = 40.max(width.max(amount.width()));
    let modulus = BvValue::new(wide, u128::from(width));
    let amount = amount.zero_extend(wide - amount.width()).urem(&modulus);
    let mut result = value.clone();
    for _ in 0..amount.small_number().expect("below the width") {
        let top = BvValue::new(width, u128::from(result.is_negative()));
        result = result.shl_by(1).or(&top);
    }
    result
}

/// A float in canonical form, often a special one.
pub fn random_float(random: &mut Random, sort: Sort) -> BvValue {
    let layout = crate::term::float_layout(sort).expect("a float sort");
    let width = layout.width();
    let bits = match random.below(8) {
        0 => layout.nan(),
        1 => layout.infinity(random.chance(2)),
        2 => layout.zero(random.chance(2)),
        3 => layout.min_positive(),
        4 => layout.max_finite(random.chance(2)),
        5 => {
            let integer = u128::from(random.next() % 32);
            arith::float::from_int(layout, RoundingMode::NearestEven, integer, 64, true)
        }
        _ => random.u128() & crate::term::mask(width),
    };
    let bits = if arith::float::is_nan(layout, bits) {
        layout.nan()
    } else {
        bits
    };
    BvValue::new(width, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shape: Shape, rounds: u64) {
        for seed in 0..rounds {
            let mut random = Random::new(seed + 1);
            let terms = RandomTerms::generate(&mut random, shape.clone());
            if let Some(difference) = terms.first_difference() {
                panic!("seed {seed}: {difference}");
            }
        }
    }

    #[test]
    fn simplified_terms_keep_their_values() {
        check(Shape::default(), 3000);
    }

    #[test]
    fn narrow_terms_keep_their_values() {
        let shape = Shape {
            widths: vec![1, 2, 3],
            ..Shape::default()
        };
        check(shape, 3000);
    }

    #[test]
    fn wide_terms_keep_their_values() {
        let shape = Shape {
            widths: vec![64, 100, 128, 130, 200],
            steps: 40,
            ..Shape::default()
        };
        check(shape, 600);
    }

    #[test]
    fn float_terms_keep_their_values() {
        let shape = Shape {
            widths: vec![8],
            floats: vec![
                Sort::FLOAT32,
                Sort::FLOAT64,
                Sort::FLOAT80,
                Sort::FLOAT128,
                Sort::Float {
                    exponent: 3,
                    significand: 4,
                },
            ],
            ..Shape::default()
        };
        check(shape, 400);
    }
}
