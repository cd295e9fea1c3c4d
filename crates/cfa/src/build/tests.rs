use super::*;
use crate::algebra::evaluate;
use crate::concrete::{Concrete, State, Undefined};
use arith::float::FloatFormat;
use proptest::prelude::*;

const TYPES: [Ty; 10] = [
    Ty::unsigned(1),
    Ty::signed(5),
    Ty::U8,
    Ty::signed(8),
    Ty::signed(16),
    Ty::U32,
    Ty::I32,
    Ty::U64,
    Ty::I64,
    Ty::Float(FloatFormat::Double),
];

/// What the next expression is made of; operands are the last ones made.
#[derive(Clone, Debug)]
enum Step {
    Const(u64, usize),
    Var(usize),
    Unary(usize),
    Convert(usize),
    Binary(usize),
    Compare(usize),
    Truth,
    Connect(bool),
    Ite,
    Load(usize),
    Offset(i16),
    Repeat,
}

fn step() -> impl Strategy<Value = Step> {
    let small = prop_oneof![Just(0u64), Just(1), Just(u64::MAX), 2u64..9, any::<u64>()];
    prop_oneof![
        3 => (small, 0..TYPES.len()).prop_map(|(bits, ty)| Step::Const(bits, ty)),
        3 => (0..TYPES.len()).prop_map(Step::Var),
        2 => (0..8usize).prop_map(Step::Unary),
        3 => (0..TYPES.len()).prop_map(Step::Convert),
        4 => (0..13usize).prop_map(Step::Binary),
        3 => (0..6usize).prop_map(Step::Compare),
        1 => Just(Step::Truth),
        2 => any::<bool>().prop_map(Step::Connect),
        2 => Just(Step::Ite),
        1 => (0..TYPES.len()).prop_map(Step::Load),
        1 => any::<i16>().prop_map(Step::Offset),
        1 => Just(Step::Repeat),
    ]
}

/// The same expression twice: simplified, and as it was written.
type Pair = (ExprId, ExprId);

struct Maker {
    pool: ExprPool,
    stack: Vec<Pair>,
}

impl Maker {
    fn pop(&mut self) -> Pair {
        match self.stack.pop() {
            Some(pair) => pair,
            None => {
                let zero = self.pool.zero(Ty::I32);
                (zero, zero)
            }
        }
    }

    fn plain(&mut self, node: Node, ty: Ty) -> ExprId {
        self.pool.intern(node, ty)
    }

    fn unary(&mut self, op: UnOp, (a, b): Pair) -> Pair {
        let ty = self.pool.ty(b);
        let simplified = self.pool.unary(op, a);
        (simplified, self.plain(Node::Unary(op, b), op.result(ty)))
    }

    fn binary(&mut self, op: BinOp, x: Pair, y: Pair) -> Pair {
        let ty = self.pool.ty(x.1);
        let simplified = self.pool.binary(op, x.0, y.0);
        (
            simplified,
            self.plain(Node::Binary(op, x.1, y.1), op.result(ty)),
        )
    }

    fn as_type(&mut self, pair: Pair, ty: Ty) -> Pair {
        match (self.pool.ty(pair.1), ty) {
            (from, to) if from == to => pair,
            (_, Ty::Bool) => self.truth(pair),
            _ => self.unary(UnOp::Convert(ty), pair),
        }
    }

    fn truth(&mut self, (a, b): Pair) -> Pair {
        let ty = self.pool.ty(b);
        if ty == Ty::Bool {
            return (a, b);
        }
        let zero = self.pool.zero(ty);
        (
            self.pool.truth(a),
            self.plain(Node::Binary(BinOp::Ne, b, zero), Ty::Bool),
        )
    }

    /// No truth value: arithmetic needs a number.
    fn number(&mut self, pair: Pair) -> Pair {
        match self.pool.ty(pair.1) {
            Ty::Bool => self.as_type(pair, Ty::I32),
            _ => pair,
        }
    }

    fn run(&mut self, step: &Step) {
        let pair = match *step {
            Step::Const(bits, ty) => {
                let constant = self.pool.constant(bits.into(), TYPES[ty]);
                (constant, constant)
            }
            Step::Var(ty) => {
                let var = self.pool.variable(VarId(ty as u32), TYPES[ty]);
                (var, var)
            }
            Step::Unary(which) => {
                let a = self.pop();
                let a = self.number(a);
                let is_float = self.pool.ty(a.1).is_float();
                let op = match (which, is_float) {
                    (0 | 1, _) => UnOp::Neg,
                    (2 | 3, false) => UnOp::BitNot,
                    (4, false) => UnOp::Clz,
                    (5, false) => UnOp::Popcount,
                    (_, false) => UnOp::Ctz,
                    (2 | 3, true) => UnOp::Abs,
                    (4, true) => UnOp::IsNan,
                    (5, true) => UnOp::SignBit,
                    (_, true) => UnOp::Sqrt,
                };
                self.unary(op, a)
            }
            Step::Convert(ty) => {
                let a = self.pop();
                self.as_type(a, TYPES[ty])
            }
            Step::Binary(which) => {
                let (b, a) = (self.pop(), self.pop());
                let a = self.number(a);
                let ty = self.pool.ty(a.1);
                let float = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::FMin];
                let op = if ty.is_float() {
                    float[which % 5]
                } else {
                    let integers = BinOp::OF_INTEGERS.into_iter();
                    let mut computing = integers.filter(|op| !op.is_comparison());
                    computing.nth(which).expect("there are thirteen")
                };
                let b = self.number(b);
                let b = match op {
                    BinOp::Shl | BinOp::Shr if self.pool.ty(b.1).is_int() => b,
                    _ => self.as_type(b, ty),
                };
                self.binary(op, a, b)
            }
            Step::Compare(which) => {
                let (b, a) = (self.pop(), self.pop());
                let ty = self.pool.ty(a.1);
                let b = self.as_type(b, ty);
                match (which, ty) {
                    (0 | 1, _) | (_, Ty::Bool) => {
                        self.binary(if which % 2 == 0 { BinOp::Eq } else { BinOp::Ne }, a, b)
                    }
                    (2 | 3, _) => self.binary(BinOp::Lt, a, b),
                    _ => self.binary(BinOp::Le, a, b),
                }
            }
            Step::Truth => {
                let a = self.pop();
                let a = self.truth(a);
                self.unary(UnOp::Not, a)
            }
            Step::Connect(is_and) => {
                let (b, a) = (self.pop(), self.pop());
                let (a, b) = (self.truth(a), self.truth(b));
                self.binary(
                    if is_and {
                        BinOp::BoolAnd
                    } else {
                        BinOp::BoolOr
                    },
                    a,
                    b,
                )
            }
            Step::Ite => {
                let (c, b, a) = (self.pop(), self.pop(), self.pop());
                let c = self.truth(c);
                let ty = self.pool.ty(a.1);
                let b = self.as_type(b, ty);
                let simplified = self.pool.ite(c.0, a.0, b.0);
                (simplified, self.plain(Node::Ite(c.1, a.1, b.1), ty))
            }
            Step::Load(ty) => {
                let a = self.pop();
                let a = self.number(a);
                let a = self.as_type(a, Ty::U64);
                let region = RegionId::WHOLE;
                let simplified = self.pool.load(region, a.0, TYPES[ty]);
                (
                    simplified,
                    self.plain(
                        Node::Load {
                            region,
                            address: a.1,
                        },
                        TYPES[ty],
                    ),
                )
            }
            Step::Offset(bytes) => {
                let a = self.pop();
                let a = self.number(a);
                let a = self.as_type(a, Ty::U64);
                let distance = self.pool.integer(bytes.into(), Ty::U64);
                let simplified = self.pool.offset(a.0, bytes.into());
                (
                    simplified,
                    self.plain(Node::Binary(BinOp::Add, a.1, distance), Ty::U64),
                )
            }
            Step::Repeat => {
                let a = self.pop();
                self.stack.push(a);
                a
            }
        };
        self.stack.push(pair);
    }
}

struct Values([u64; TYPES.len()]);

impl State for Values {
    type Error = Undefined;

    fn variable(&mut self, var: VarId, ty: Ty) -> Result<u128, Undefined> {
        Ok(int::truncate(
            self.0[var.0 as usize].into(),
            ty.width().into(),
        ))
    }

    fn address(&mut self, _: ObjectId) -> Result<u128, Undefined> {
        Ok(4096)
    }

    fn load(&mut self, address: u128, ty: Ty) -> Result<u128, Undefined> {
        // Some addresses are bad.
        match address % 3 {
            0 => Err(Undefined::IllTyped),
            _ => Ok(int::truncate(
                address.wrapping_mul(0x9e37_79b9),
                ty.width().into(),
            )),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn simplified_expressions_mean_what_was_written(
        steps in prop::collection::vec(step(), 1..40),
        values in prop::array::uniform10(prop_oneof![Just(0u64), Just(1), Just(u64::MAX), any::<u64>()]),
    ) {
        let mut maker = Maker { pool: ExprPool::default(), stack: Vec::new() };
        for step in &steps {
            maker.run(step);
        }
        for &(simplified, plain) in &maker.stack {
            prop_assert_eq!(maker.pool.ty(simplified), maker.pool.ty(plain));
            let mut state = Values(values);
            let expected = evaluate(&maker.pool, plain, &mut Concrete(&mut state));
            let found = evaluate(&maker.pool, simplified, &mut Concrete(&mut state));
            prop_assert_eq!(found.ok(), expected.ok());
        }
    }
}

fn variable(pool: &mut ExprPool, ty: Ty) -> ExprId {
    pool.variable(VarId(0), ty)
}

#[test]
fn truth_values_pass_through_integers() {
    let mut pool = ExprPool::default();
    let x = variable(&mut pool, Ty::I32);
    let five = pool.integer(5, Ty::I32);
    let less = pool.lt(x, five);
    let as_int = pool.convert(less, Ty::I32);
    assert_eq!(pool.truth(as_int), less);
    let zero = pool.zero(Ty::I32);
    let not_less = pool.eq(as_int, zero);
    assert_eq!(not_less, pool.le(five, x));
    assert_eq!(pool.not(not_less), less);
}

#[test]
fn addresses_have_one_constant() {
    let mut pool = ExprPool::default();
    let base = pool.address(ObjectId(3), Ty::U64);
    let there = pool.offset(base, 12);
    let there = pool.offset(there, -4);
    assert_eq!(there, pool.offset(base, 8));
    assert_eq!(pool.offset(there, -8), base);
}

#[test]
fn nothing_that_can_fail_is_dropped() {
    let mut pool = ExprPool::default();
    let (x, zero) = (variable(&mut pool, Ty::I32), pool.zero(Ty::I32));
    let quotient = pool.binary(BinOp::Div, x, x);
    let product = pool.mul(quotient, zero);
    assert!(pool.can_fail(product));
    let no = pool.bool_constant(false);
    let test = pool.truth(quotient);
    let both = pool.and(test, no);
    assert!(pool.can_fail(both));
    // Nor what the overflow property looks at.
    let one = pool.integer(1, Ty::I32);
    let sum = pool.add(x, one);
    let product = pool.mul(sum, zero);
    assert!(pool.has_signed_arithmetic(product));
    let max = pool.integer(i32::MAX.into(), Ty::I32);
    let overflow = pool.add(max, one);
    assert_eq!(pool.as_constant(overflow), None);
}

/// Properties look at shifts and floats too.
#[test]
fn nothing_that_a_property_looks_at_is_dropped() {
    let mut pool = ExprPool::default();
    let (count, one) = (variable(&mut pool, Ty::I32), pool.constant(1, Ty::U32));
    let zero = pool.zero(Ty::U32);
    for shifted in [one, zero] {
        let shift = pool.binary(BinOp::Shr, shifted, count);
        assert!(pool.is_checked(shift));
        let masked = pool.binary(BinOp::And, shift, zero);
        assert!(pool.is_checked(masked));
    }
    for (far, is_checked) in [(31, false), (32, true), (-1, true)] {
        let far = pool.integer(far, Ty::I32);
        let shift = pool.binary(BinOp::Shl, one, far);
        assert_eq!(pool.as_constant(shift).is_none(), is_checked);
        assert_eq!(pool.is_checked(shift), is_checked);
    }
    let double = Ty::Float(FloatFormat::Double);
    let large = pool.constant(1e300_f64.to_bits().into(), double);
    let product = pool.mul(large, large);
    assert!(pool.is_checked(product));
    let narrow = pool.convert(large, Ty::Float(FloatFormat::Single));
    assert!(pool.is_checked(narrow));
    let none = pool.zero(double);
    let quotient = pool.binary(BinOp::Div, large, none);
    assert!(pool.as_constant(quotient).is_some());
}
