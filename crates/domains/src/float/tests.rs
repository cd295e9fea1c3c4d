//! Float octagons against concrete IEEE executions.

use proptest::prelude::*;

use super::expression::{FloatExpression, FloatNode, FloatOperator};
use super::interval::FloatInterval;
use super::octagon::{FloatComparison, FloatConstraint, FloatOctagon};
use super::rounding::{FloatFormat, add_down};
use crate::lattice::Lattice;
use crate::laws;
use crate::linear::VarId;
use crate::octagon::Literal;
use crate::thresholds::Thresholds;

const VARIABLES: u32 = 3;
const X: VarId = VarId(0);
const Y: VarId = VarId(1);

fn to_format(format: FloatFormat, value: f64) -> f64 {
    match format {
        FloatFormat::Single => f64::from(value as f32),
        FloatFormat::Double => value,
    }
}

/// The machine's result. A single-precision operation on singles is the double one, rounded (twice
/// rounding is harmless for these operators and formats).
fn value_of(expression: &FloatExpression, point: &[f64]) -> f64 {
    let mut values: Vec<f64> = Vec::new();
    for node in expression.nodes() {
        let at = |index: u32| values[index as usize];
        let value = match *node {
            FloatNode::Any { values, .. } => values.as_constant().expect("constants only"),
            FloatNode::Variable(v) => point[v.0 as usize],
            FloatNode::Negate(a) => -at(a),
            FloatNode::Convert(format, a) => to_format(format, at(a)),
            FloatNode::Binary(operator, format, a, b) => {
                let result = match operator {
                    FloatOperator::Add => at(a) + at(b),
                    FloatOperator::Subtract => at(a) - at(b),
                    FloatOperator::Multiply => at(a) * at(b),
                    FloatOperator::Divide => at(a) / at(b),
                };
                to_format(format, result)
            }
        };
        values.push(value);
    }
    values.pop().expect("not empty")
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -100.0..100.0f64,
        3 => (-8i32..8).prop_map(f64::from),
        1 => prop::sample::select(vec![0.0, -0.0, 1e308, -1e308, 1e-320, f64::MAX, 0.1, 3e38]),
    ]
}

fn expressions() -> impl Strategy<Value = FloatExpression> {
    let leaf = prop_oneof![
        numbers().prop_map(FloatExpression::constant),
        (0..VARIABLES).prop_map(|v| FloatExpression::variable(VarId(v))),
        (0..VARIABLES).prop_map(|v| FloatExpression::variable(VarId(v))),
    ];
    let format = prop::sample::select(vec![
        FloatFormat::Single,
        FloatFormat::Double,
        FloatFormat::Double,
    ]);
    let operator = prop::sample::select(vec![
        FloatOperator::Add,
        FloatOperator::Subtract,
        FloatOperator::Add,
        FloatOperator::Subtract,
        FloatOperator::Multiply,
        FloatOperator::Divide,
    ]);
    leaf.prop_recursive(3, 8, 2, move |inner| {
        prop_oneof![
            5 => (operator.clone(), format.clone(), inner.clone(), inner.clone())
                .prop_map(|(o, f, a, b)| FloatExpression::binary(o, f, a, b)),
            1 => inner.clone().prop_map(FloatExpression::negate),
            1 => (format.clone(), inner).prop_map(|(f, a)| a.convert(f)),
        ]
    })
}

#[derive(Clone, Debug)]
enum Step {
    Assign(VarId, FloatExpression),
    Assume(FloatExpression, FloatComparison, FloatExpression),
    Forget(VarId, f64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    use FloatComparison::*;
    let comparison = prop::sample::select(vec![Less, AtMost, Equal, NotEqual]);
    let variable = (0..VARIABLES).prop_map(VarId);
    let any_float = prop_oneof![
        numbers(),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
    ];
    let step = prop_oneof![
        4 => (variable.clone(), expressions()).prop_map(|(v, e)| Step::Assign(v, e)),
        4 => (expressions(), comparison, expressions()).prop_map(|(a, c, b)| Step::Assume(a, c, b)),
        2 => (variable, any_float).prop_map(|(v, x)| Step::Forget(v, x)),
    ];
    prop::collection::vec(step, 0..10)
}

fn truth(comparison: FloatComparison, a: f64, b: f64) -> bool {
    match comparison {
        FloatComparison::Less => a < b,
        FloatComparison::AtMost => a <= b,
        FloatComparison::Equal => a == b,
        FloatComparison::NotEqual => a != b,
    }
}

fn literal_value(point: &[f64], literal: Literal) -> f64 {
    let value = point[literal.variable.0 as usize];
    if literal.negative { -value } else { value }
}

fn check_member(octagon: &FloatOctagon, point: &[f64]) -> Result<(), TestCaseError> {
    prop_assert!(!octagon.is_bottom(), "lost {:?}", point);
    for (v, &x) in point.iter().enumerate() {
        let v = VarId(v as u32);
        if x.is_nan() {
            prop_assert!(octagon.may_be_nan(v), "{:?} is NaN, {:?}", v, octagon);
        } else {
            prop_assert!(
                octagon.interval(v).contains(x),
                "{:?} = {} in {:?}",
                v,
                x,
                octagon
            );
        }
    }
    for constraint in octagon.constraints() {
        let holds = match &constraint {
            FloatConstraint::False => false,
            FloatConstraint::NotNan(v) => !point[v.0 as usize].is_nan(),
            FloatConstraint::AtMost { literals, bound } => {
                let values: Vec<f64> = literals.iter().map(|&l| literal_value(point, l)).collect();
                match values.as_slice() {
                    v if v.iter().any(|x| x.is_nan()) => true,
                    [a] => a <= bound,
                    // Opposite infinities have reals behind them in any order.
                    [a, b] if a.is_infinite() && b.is_infinite() => a != b || *a < 0.0,
                    [a, b] if a.is_finite() && b.is_finite() => add_down(*a, *b) <= *bound,
                    [a, b] => a + b < 0.0,
                    _ => false,
                }
            }
        };
        prop_assert!(holds, "{:?} at {:?}", constraint, point);
    }
    Ok(())
}

fn follow(
    point: &[f64],
    slack: f64,
    steps: &[Step],
) -> Result<(FloatOctagon, Vec<f64>), TestCaseError> {
    let mut octagon = FloatOctagon::top();
    let mut point = point.to_vec();
    for (v, &x) in point.iter().enumerate() {
        let around = FloatInterval::new(x - slack, x + slack);
        octagon.assign(VarId(v as u32), &FloatExpression::any_of(around, false));
    }
    check_member(&octagon, &point)?;
    for step in steps {
        match step {
            Step::Assign(v, e) => {
                octagon.assign(*v, e);
                point[v.0 as usize] = value_of(e, &point);
            }
            Step::Assume(a, comparison, b) => {
                let holds = truth(*comparison, value_of(a, &point), value_of(b, &point));
                octagon.assume(a, *comparison, b, holds);
            }
            Step::Forget(v, value) => {
                octagon.forget(*v);
                point[v.0 as usize] = *value;
            }
        }
        check_member(&octagon, &point)?;
    }
    Ok((octagon, point))
}

fn points() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(numbers(), VARIABLES as usize)
}

fn slacks() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), Just(1e-9), Just(1e3)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn executions_stay_members(p in points(), slack in slacks(), s in steps()) {
        follow(&p, slack, &s)?;
    }

    #[test]
    fn lattice_operations_keep_members(p in points(), q in points(), slack in slacks(), s in steps(), t in steps()) {
        let ((a, p), (b, q)) = (follow(&p, slack, &s)?, follow(&q, slack, &t)?);
        let join = a.join(&b);
        prop_assert!(a.leq(&join) && b.leq(&join));
        prop_assert!(a.leq(&a) && join.leq(&a.top()) && a.bottom().leq(&a));
        for (member, of) in [(&p, &a), (&q, &b)] {
            check_member(&join, member)?;
            check_member(&a.widen(&b), member)?;
            check_member(&a.widen_with(&b, &Thresholds::new([-10, 0, 10])), member)?;
            check_member(&of.meet(&join), member)?;
            check_member(&join.narrow(of), member)?;
        }
        let renamed = a.rename(|v| VarId((v.0 + 1) % VARIABLES));
        check_member(&renamed, &[p[2], p[0], p[1]])?;
        let mut retained = a.clone();
        retained.retain(|v| v != X);
        check_member(&retained, &[f64::NAN, p[1], p[2]])?;
        laws::check_stabilises(&a, &[b, join], 4 * (2 * VARIABLES * VARIABLES) as usize)?;
    }
}

fn constant(value: f64) -> FloatExpression {
    FloatExpression::constant(value)
}

fn plus(v: VarId, value: f64) -> FloatExpression {
    FloatExpression::binary(
        FloatOperator::Add,
        FloatFormat::Double,
        FloatExpression::variable(v),
        constant(value),
    )
}

#[test]
fn an_unknown_float_is_bounded_by_tests() {
    let mut octagon = FloatOctagon::top();
    let x = FloatExpression::variable(X);
    assert!(octagon.may_be_nan(X));
    octagon.assume(&x, FloatComparison::AtMost, &constant(10.0), true);
    assert!(!octagon.may_be_nan(X));
    octagon.assume(&constant(0.0), FloatComparison::Less, &x, true);
    assert_eq!(
        octagon.interval(X),
        FloatInterval::new(f64::from_bits(1), 10.0)
    );
}

#[test]
fn a_false_comparison_says_nothing_of_nan() {
    let mut octagon = FloatOctagon::top();
    let x = FloatExpression::variable(X);
    octagon.assume(&x, FloatComparison::Less, &constant(0.0), false);
    assert!(octagon.may_be_nan(X));
    assert_eq!(octagon.interval(X), FloatInterval::TOP);
    let mut number = FloatOctagon::top();
    number.assume(&x, FloatComparison::NotEqual, &x, false);
    assert!(!number.may_be_nan(X));
    number.assume(&x, FloatComparison::Less, &constant(0.0), false);
    assert_eq!(number.interval(X).lower(), 0.0);
}

#[test]
fn relations_survive_with_their_rounding_error() {
    let mut octagon = FloatOctagon::top();
    octagon.assign(
        X,
        &FloatExpression::any_of(FloatInterval::new(0.0, 100.0), false),
    );
    octagon.assign(Y, &plus(X, 0.1));
    let (x, y) = (Literal::positive(X), Literal::positive(Y));
    let bound = octagon.difference_bound(x, y);
    assert!((0.1..0.1 + 1e-12).contains(&bound), "{bound}");
    octagon.assume(
        &FloatExpression::variable(Y),
        FloatComparison::AtMost,
        &constant(5.0),
        true,
    );
    assert!(octagon.interval(X).upper() <= 4.9 + 1e-12);
}

/// Infinity equals infinity, whatever is known about a difference of finite numbers.
#[test]
fn infinities_pass_comparisons() {
    let mut octagon = FloatOctagon::top();
    let (x, y) = (FloatExpression::variable(X), FloatExpression::variable(Y));
    octagon.assume(&x, FloatComparison::Less, &y, true);
    octagon.assume(&y, FloatComparison::AtMost, &x, true);
    assert!(!octagon.is_bottom());
    let mut infinite = FloatOctagon::top();
    infinite.assign(X, &constant(f64::INFINITY));
    infinite.assign(Y, &plus(X, 1.0));
    infinite.assume(&x, FloatComparison::Equal, &y, true);
    assert!(!infinite.is_bottom());
    assert!(!infinite.may_be_nan(Y));
    // The same where a widening has kept `y - x >= 1` and lost the bounds that made it true.
    let start = |upper: f64| {
        let mut octagon = FloatOctagon::top();
        octagon.assign(
            X,
            &FloatExpression::any_of(FloatInterval::new(0.0, upper), false),
        );
        octagon.assign(Y, &plus(X, 2.0));
        octagon
    };
    let mut widened = start(10.0).widen_with(&start(11.0), &Thresholds::new([-1]));
    assert!(widened.interval(X).may_be_infinite());
    assert_eq!(
        widened.difference_bound(Literal::positive(Y), Literal::positive(X)),
        -1.0
    );
    let finite = widened.clone();
    widened.assume(&y, FloatComparison::AtMost, &x, true);
    assert!(!widened.is_bottom());
    let mut strict = finite;
    strict.assume(&y, FloatComparison::Less, &x, true);
    assert!(strict.is_bottom());
    // Infinity minus infinity is not a number.
    infinite.assign(
        Y,
        &FloatExpression::binary(FloatOperator::Subtract, FloatFormat::Double, x.clone(), x),
    );
    assert!(infinite.may_be_nan(Y));
}

/// In IEEE arithmetic a sum of growing terms stops growing: `x + 1 > x` is not valid for unbounded
/// `x`.
#[test]
fn large_numbers_absorb_small_ones() {
    let mut octagon = FloatOctagon::top();
    octagon.assign(
        X,
        &FloatExpression::any_of(FloatInterval::new(0.0, 1e20), false),
    );
    octagon.assign(Y, &plus(X, 1.0));
    octagon.assume(
        &FloatExpression::variable(Y),
        FloatComparison::AtMost,
        &FloatExpression::variable(X),
        true,
    );
    assert!(!octagon.is_bottom());
}
