//! Floats in numeric states: expressions for the float octagon, and conversions between floats and
//! integers.
//!
//! Only C's `float` and `double` are followed; other formats may hold anything.

use super::NumericState;
use super::transfer::Transfer;
use super::translate::dimension;
use arith::float::FloatFormat as Format;
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::value::Ty;
use domains::float::expression::{FloatExpression, FloatOperator};
use domains::float::interval::FloatInterval;
use domains::float::octagon::FloatComparison;
use domains::float::rounding::FloatFormat;
use domains::interval::Interval;
use domains::linear::VarId as Dimension;
use domains::numeric::NumericDomain;

/// Deeper expressions may have any value.
const DEEPEST: u32 = 30;

fn format_of(ty: Ty) -> Option<FloatFormat> {
    match ty {
        Ty::Float(Format::Single) => Some(FloatFormat::Single),
        Ty::Float(Format::Double) => Some(FloatFormat::Double),
        _ => None,
    }
}

fn anything() -> FloatExpression {
    FloatExpression::any_of(FloatInterval::TOP, true)
}

/// Doubles around an integer; those of more than 53 bits lie between two.
fn double_below(value: i128) -> f64 {
    (value as f64).next_down()
}

fn double_above(value: i128) -> f64 {
    (value as f64).next_up()
}

const EXACT: i128 = 1 << 53;

fn as_floats(values: Interval) -> FloatInterval {
    let low = values.lower().map_or(f64::NEG_INFINITY, |lo| {
        if lo.abs() <= EXACT {
            lo as f64
        } else {
            double_below(lo)
        }
    });
    let high = values.upper().map_or(f64::INFINITY, |hi| {
        if hi.abs() <= EXACT {
            hi as f64
        } else {
            double_above(hi)
        }
    });
    FloatInterval::new(low, high)
}

impl Transfer<'_> {
    fn float_expression<D: NumericDomain>(
        &mut self,
        state: &NumericState<D>,
        id: ExprId,
        depth: u32,
    ) -> FloatExpression {
        let pool = &self.program.pool;
        let Some(format) = format_of(pool.ty(id)) else {
            return anything();
        };
        if depth == 0 {
            return anything();
        }
        match pool.node(id) {
            Node::Const(bits) => FloatExpression::constant(match format {
                FloatFormat::Single => f64::from(f32::from_bits(bits as u32)),
                FloatFormat::Double => f64::from_bits(bits as u64),
            }),
            Node::Var(var) => FloatExpression::variable(dimension(var)),
            Node::Unary(UnOp::Neg, a) => self.float_expression(state, a, depth - 1).negate(),
            Node::Unary(UnOp::Convert(_), a) if pool.ty(a).is_float() => {
                self.float_expression(state, a, depth - 1).convert(format)
            }
            Node::Unary(UnOp::Convert(_), a) => {
                let translated = self.translator.translate(pool, a, None);
                let mut integers = state.integers.clone();
                self.bound(&mut integers, &translated.variables);
                let values = translated.expression.linearise(&integers).interval;
                FloatExpression::any_of(as_floats(values), false).convert(format)
            }
            Node::Binary(op, a, b) => {
                let operator = match op {
                    BinOp::Add => FloatOperator::Add,
                    BinOp::Sub => FloatOperator::Subtract,
                    BinOp::Mul => FloatOperator::Multiply,
                    BinOp::Div => FloatOperator::Divide,
                    _ => return anything(),
                };
                let left = self.float_expression(state, a, depth - 1);
                let right = self.float_expression(state, b, depth - 1);
                FloatExpression::binary(operator, format, left, right)
            }
            _ => anything(),
        }
    }

    pub(super) fn assign_float<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        target: Dimension,
        value: ExprId,
    ) {
        if self.handle_floats {
            let expression = self.float_expression(state, value, DEEPEST);
            state.floats.assign(target, &expression);
        }
    }

    pub(super) fn copy_float<D: NumericDomain>(
        &self,
        state: &mut NumericState<D>,
        target: Dimension,
        source: Dimension,
    ) {
        if self.handle_floats {
            state
                .floats
                .assign(target, &FloatExpression::variable(source));
        }
    }

    pub(super) fn assume_float<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        op: BinOp,
        (a, b): (ExprId, ExprId),
        truth: bool,
    ) {
        if !self.handle_floats {
            return;
        }
        let comparison = match op {
            BinOp::Eq => FloatComparison::Equal,
            BinOp::Ne => FloatComparison::NotEqual,
            BinOp::Lt => FloatComparison::Less,
            _ => FloatComparison::AtMost,
        };
        let left = self.float_expression(state, a, DEEPEST);
        let right = self.float_expression(state, b, DEEPEST);
        state.floats.assume(&left, comparison, &right, truth);
    }

    /// What is known of a float converted to an integer of the given range: out of range the
    /// conversion gives a number that has nothing to do with the float.
    pub(super) fn truncated<D: NumericDomain>(
        &mut self,
        state: &NumericState<D>,
        source: ExprId,
        range: Interval,
    ) -> Interval {
        let expression = self.float_expression(state, source, DEEPEST);
        let (values, nan) = state.floats.evaluate(&expression);
        let (low, high) = (values.lower(), values.upper());
        let small = |value: f64| value.abs() < EXACT as f64;
        if nan || values.is_empty() || !small(low) || !small(high) {
            return range;
        }
        let truncated = Interval::finite(low.trunc() as i128, high.trunc() as i128);
        if truncated.is_subset_of(range) {
            truncated
        } else {
            range
        }
    }
}
