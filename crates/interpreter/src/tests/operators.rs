//! Every operator, by an instruction of its own or not, has the value that [`cfa::concrete`] gives
//! it.

use super::super::*;
use super::run_on;
use arith::float::{FloatFormat, RoundingMode};
use arith::int;
use cfa::concrete;
use cfa::expr::{BinOp, ExprId, UnOp, VarId};
use cfa::op::{Halt, Op};
use cfa::program::EdgeId;
use cfa::value::Ty;
use proptest::prelude::*;
use syntax::types::DataModel;
use testing::Hand;

/// A program that computes an expression of two variables, after both got their values as inputs,
/// and stores all bits of the result where a watcher can see them.
pub(super) fn computing(
    left: Ty,
    right: Ty,
    make: impl Fn(&mut Hand, ExprId, ExprId) -> ExprId,
) -> (Program, VarId) {
    let mut hand = Hand::new(DataModel::Lp64);
    let main = hand.function("main");
    let (a, b) = (
        hand.var("a", left, Some(main)),
        hand.var("b", right, Some(main)),
    );
    let (first, second) = (hand.input(), hand.input());
    let at = hand.entry(main);
    let at = hand.then(at, Op::Havoc(a, first));
    let at = hand.then(at, Op::Havoc(b, second));
    let (left, right) = (hand.read(a), hand.read(b));
    let value = make(&mut hand, left, right);
    let ty = hand.program.pool.ty(value);
    let result = hand.var("result", ty, Some(main));
    let exit = hand.exit(main);
    hand.edge(at, Op::Assign(result, value), exit);
    (hand.finish(), result)
}

struct Watch(VarId, Option<u128>);

impl Observer for Watch {
    fn edge(&mut self, _: EdgeId, change: Change, _: &View<'_>) {
        if let Change::Variable(var, value) = change
            && var == self.0
        {
            self.1 = Some(value);
        }
    }
}

/// What the program computes from the two values.
pub(super) fn computed(
    program: &Program,
    result: VarId,
    a: u128,
    b: u128,
) -> Result<u128, Outcome> {
    let inputs = [(InputId(0), Ty::Bool, a), (InputId(1), Ty::Bool, b)];
    let mut watch = Watch(result, None);
    let run = Interpreter::new(program).run_with(
        &Options::default(),
        &mut RecordedInputs::new(&inputs),
        &mut std::io::sink(),
        &mut std::io::sink(),
        Some(&mut watch),
    );
    match watch.1 {
        Some(value) if run.outcome == Outcome::Finished(0) => Ok(value),
        _ => Err(run.outcome),
    }
}

fn integer_types() -> Vec<Ty> {
    let widths = [8, 16, 24, 32, 33, 64, 65, 128];
    widths
        .iter()
        .flat_map(|&width| [Ty::signed(width), Ty::unsigned(width)])
        .collect()
}

fn interesting() -> impl Strategy<Value = u128> {
    prop_oneof![
        any::<u128>(),
        (0u32..128, -2i128..3)
            .prop_map(|(shift, near)| (1u128 << shift).wrapping_add(near as u128)),
        (-9i128..10).prop_map(|small| small as u128),
        any::<u64>().prop_map(u128::from),
    ]
}

fn float_operators() -> Vec<BinOp> {
    [
        &BinOp::OF_FLOATS[..],
        &[BinOp::FMin, BinOp::FMax, BinOp::CopySign],
    ]
    .concat()
}

/// Every operator on every type, by its own instruction or not, gives what `concrete` gives; also
/// when a branch decides on it.
fn check_binary(op: BinOp, ty: Ty, count: Ty, a: u128, b: u128) -> Result<(), TestCaseError> {
    let a = int::truncate(a, ty.width().into());
    let b = int::truncate(b, count.width().into());
    let expected = concrete::binary(op, ty, count, a, b).map_err(Outcome::from);
    let result_ty = op.result(ty);
    let (program, result) = computing(ty, count, |hand, x, y| {
        hand.program
            .pool
            .intern(cfa::expr::Node::Binary(op, x, y), result_ty)
    });
    prop_assert_eq!(computed(&program, result, a, b), expected.clone());
    if result_ty == Ty::Bool {
        let mut hand = Hand::new(DataModel::Lp64);
        let main = hand.function("main");
        let (x, y) = (
            hand.var("a", ty, Some(main)),
            hand.var("b", count, Some(main)),
        );
        let (first, second) = (hand.input(), hand.input());
        let at = hand.entry(main);
        let at = hand.then(at, Op::Havoc(x, first));
        let at = hand.then(at, Op::Havoc(y, second));
        let (x, y) = (hand.read(x), hand.read(y));
        let pool = &mut hand.program.pool;
        let condition = pool.intern(cfa::expr::Node::Binary(op, x, y), Ty::Bool);
        let (yes, no) = (hand.location(main), hand.location(main));
        hand.split(at, condition, yes, no);
        for (location, status) in [(yes, 1), (no, 0)] {
            let status = hand.int(status);
            let exit = hand.exit(main);
            hand.edge(location, Op::Halt(Halt::Exit(status)), exit);
        }
        let program = hand.finish();
        let inputs = [(InputId(0), ty, a), (InputId(1), count, b)];
        let run = run_on(&program, &mut RecordedInputs::new(&inputs));
        let status = expected.unwrap_or_default() as i32;
        prop_assert_eq!(run.outcome, Outcome::Finished(status));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn integer_operators_agree_with_their_meaning(
        op in proptest::sample::select(BinOp::OF_INTEGERS.to_vec()),
        ty in proptest::sample::select(integer_types()),
        other in proptest::sample::select(integer_types()),
        a in interesting(),
        b in interesting(),
    ) {
        let count = if matches!(op, BinOp::Shl | BinOp::Shr) { other } else { ty };
        check_binary(op, ty, count, a, b)?;
    }

    #[test]
    fn float_operators_agree_with_their_meaning(
        op in proptest::sample::select(float_operators()),
        format in proptest::sample::select(FloatFormat::ALL.to_vec()),
        a in interesting(),
        b in interesting(),
        near in any::<bool>(),
    ) {
        let b = if near { a ^ (b & 7) } else { b };
        check_binary(op, Ty::Float(format), Ty::Float(format), a, b)?;
    }

    #[test]
    fn unary_operators_agree_with_their_meaning(
        which in 0usize..8,
        ty in proptest::sample::select(integer_types()),
        to in proptest::sample::select(integer_types()),
        format in proptest::sample::select(FloatFormat::ALL.to_vec()),
        a in interesting(),
    ) {
        let (op, from) = match which {
            0 => (UnOp::Neg, ty),
            1 => (UnOp::BitNot, ty),
            2..=4 => (UnOp::Convert(to), ty),
            5 => (UnOp::Convert(Ty::Float(format)), ty),
            6 => (UnOp::Convert(to), Ty::Float(format)),
            _ => (UnOp::Round(RoundingMode::TowardZero), Ty::Float(format)),
        };
        let a = int::truncate(a, from.width().into());
        let expected = concrete::unary(op, from, a).map_err(Outcome::from);
        let (program, result) = computing(from, Ty::I32, |hand, x, _| {
            hand.program.pool.intern(cfa::expr::Node::Unary(op, x), op.result(from))
        });
        prop_assert_eq!(computed(&program, result, a, 0), expected);
    }

    #[test]
    fn choices_agree_with_their_meaning(
        ty in proptest::sample::select(integer_types()),
        a in interesting(),
        b in interesting(),
        swap in any::<bool>(),
    ) {
        let (a, b) = (int::truncate(a, ty.width().into()), int::truncate(b, ty.width().into()));
        let (program, result) = computing(ty, ty, |hand, x, y| {
            let pool = &mut hand.program.pool;
            let condition = pool.lt(x, y);
            let (x, y) = if swap { (y, x) } else { (x, y) };
            pool.intern(cfa::expr::Node::Ite(condition, x, y), ty)
        });
        let less = concrete::binary(BinOp::Lt, ty, ty, a, b).expect("comparison has a value");
        let (x, y) = if swap { (b, a) } else { (a, b) };
        prop_assert_eq!(computed(&program, result, a, b), Ok(concrete::ite(less, x, y)));
    }
}
