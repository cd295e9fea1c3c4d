//! Float expressions and their linearisation over the reals.
//!
//! A. Miné, *Relational abstract domains for the detection of floating-point run-time errors*, ESOP
//! 2004: an IEEE operation is the real operation plus an error of at most a part of the result (the
//! format's relative error) plus a constant (the absolute one). Here the whole error is a constant,
//! from the interval of the result, since octagons see only constants; where the result has no
//! bound, neither has the error, and no relation is kept.

use super::interval::FloatInterval;
use super::rounding::{FloatFormat, add_up, multiply_up};
use crate::linear::{VarId, combine_terms};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// A node refers to others by their position, which is always smaller than its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloatNode {
    /// Any number of the interval (for instance a converted integer), and perhaps NaN.
    Any {
        values: FloatInterval,
        nan: bool,
    },
    Variable(VarId),
    Negate(u32),
    /// The real result, rounded to the format.
    Binary(FloatOperator, FloatFormat, u32, u32),
    /// The value rounded to the format.
    Convert(FloatFormat, u32),
}

/// A float expression: a list of nodes, children first; its value is that of the last node.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatExpression {
    nodes: Vec<FloatNode>,
}

impl FloatExpression {
    pub fn constant(value: f64) -> Self {
        let any = FloatNode::Any {
            values: FloatInterval::constant(value),
            nan: value.is_nan(),
        };
        FloatExpression { nodes: vec![any] }
    }

    pub fn any_of(values: FloatInterval, nan: bool) -> Self {
        FloatExpression {
            nodes: vec![FloatNode::Any { values, nan }],
        }
    }

    pub fn variable(variable: VarId) -> Self {
        FloatExpression {
            nodes: vec![FloatNode::Variable(variable)],
        }
    }

    pub fn negate(mut self) -> Self {
        let root = self.root();
        self.nodes.push(FloatNode::Negate(root));
        self
    }

    pub fn convert(mut self, format: FloatFormat) -> Self {
        let root = self.root();
        self.nodes.push(FloatNode::Convert(format, root));
        self
    }

    pub fn binary(operator: FloatOperator, format: FloatFormat, left: Self, right: Self) -> Self {
        // The smaller list is moved behind the larger one, so that building a deep expression takes
        // linear time.
        let swap = left.nodes.len() < right.nodes.len();
        let (mut nodes, more) = if swap {
            (right.nodes, left.nodes)
        } else {
            (left.nodes, right.nodes)
        };
        let first = nodes.len() as u32 - 1;
        let offset = nodes.len() as u32;
        nodes.extend(more.into_iter().map(|node| match node {
            FloatNode::Negate(a) => FloatNode::Negate(a + offset),
            FloatNode::Binary(o, f, a, b) => FloatNode::Binary(o, f, a + offset, b + offset),
            FloatNode::Convert(f, a) => FloatNode::Convert(f, a + offset),
            leaf => leaf,
        }));
        let second = nodes.len() as u32 - 1;
        let (left, right) = if swap {
            (second, first)
        } else {
            (first, second)
        };
        nodes.push(FloatNode::Binary(operator, format, left, right));
        FloatExpression { nodes }
    }

    pub fn nodes(&self) -> &[FloatNode] {
        &self.nodes
    }

    fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.nodes.iter().filter_map(|n| match n {
            FloatNode::Variable(v) => Some(*v),
            _ => None,
        })
    }
}

/// `constant + Σ coefficient·variable` over the reals.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatForm {
    /// Sorted by variable.
    pub(crate) terms: Vec<(VarId, FloatInterval)>,
    pub(crate) constant: FloatInterval,
}

impl FloatForm {
    pub(crate) fn of_interval(constant: FloatInterval) -> Self {
        FloatForm {
            terms: Vec::new(),
            constant,
        }
    }

    pub(crate) fn variable(variable: VarId) -> Self {
        FloatForm {
            terms: vec![(variable, FloatInterval::ONE)],
            constant: FloatInterval::ZERO,
        }
    }

    pub(crate) fn negate(&self) -> Self {
        FloatForm {
            terms: self.terms.iter().map(|&(v, c)| (v, c.negate())).collect(),
            constant: self.constant.negate(),
        }
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut terms: Vec<(VarId, FloatInterval)> =
            self.terms.iter().chain(&other.terms).copied().collect();
        combine_terms(&mut terms, FloatInterval::plus);
        terms.retain(|&(_, c)| c != FloatInterval::ZERO);
        FloatForm {
            terms,
            constant: self.constant.plus(other.constant),
        }
    }

    pub(crate) fn subtract(&self, other: &Self) -> Self {
        self.add(&other.negate())
    }

    fn scale(&self, factor: FloatInterval) -> Self {
        FloatForm {
            terms: self
                .terms
                .iter()
                .map(|&(v, c)| (v, c.times(factor)))
                .collect(),
            constant: self.constant.times(factor),
        }
    }
}

/// What an abstract state knows about float variables.
pub(crate) trait FloatBounds {
    fn interval(&self, variable: VarId) -> FloatInterval;
    fn may_be_nan(&self, variable: VarId) -> bool;
    /// An interval that holds every value of the form.
    fn evaluate(&self, form: &FloatForm) -> FloatInterval;
}

/// The values of an expression: a form over the reals and an interval for those that are not NaN.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FloatValue {
    pub form: FloatForm,
    pub interval: FloatInterval,
    pub nan: bool,
}

impl FloatValue {
    fn refined(self, bounds: &impl FloatBounds) -> Self {
        let interval = self.interval.intersect(bounds.evaluate(&self.form));
        FloatValue { interval, ..self }
    }
}

impl FloatExpression {
    pub(crate) fn linearise(&self, bounds: &impl FloatBounds) -> FloatValue {
        let mut done: Vec<FloatValue> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |index: u32| &done[index as usize];
            let value = match *node {
                FloatNode::Any { values, nan } => FloatValue {
                    form: FloatForm::of_interval(values),
                    interval: values,
                    nan,
                },
                FloatNode::Variable(v) => FloatValue {
                    form: FloatForm::variable(v),
                    interval: bounds.interval(v),
                    nan: bounds.may_be_nan(v),
                },
                FloatNode::Negate(a) => FloatValue {
                    form: at(a).form.negate(),
                    interval: at(a).interval.negate(),
                    nan: at(a).nan,
                },
                FloatNode::Convert(format, a) => rounded(at(a).clone(), format),
                FloatNode::Binary(operator, format, a, b) => {
                    rounded(real_result(operator, at(a), at(b)), format)
                }
            };
            done.push(value.refined(bounds));
        }
        done.pop().unwrap_or(FloatValue {
            form: FloatForm::of_interval(FloatInterval::TOP),
            interval: FloatInterval::TOP,
            nan: true,
        })
    }
}

/// The operation without rounding.
fn real_result(operator: FloatOperator, a: &FloatValue, b: &FloatValue) -> FloatValue {
    let (x, y) = (a.interval, b.interval);
    let opposite_infinities = |x: FloatInterval, y: FloatInterval| {
        (x.upper() == f64::INFINITY && y.lower() == f64::NEG_INFINITY)
            || (x.lower() == f64::NEG_INFINITY && y.upper() == f64::INFINITY)
    };
    let (form, interval, invalid) = match operator {
        FloatOperator::Add => (a.form.add(&b.form), x.plus(y), opposite_infinities(x, y)),
        FloatOperator::Subtract => (
            a.form.subtract(&b.form),
            x.minus(y),
            opposite_infinities(x, y.negate()),
        ),
        FloatOperator::Multiply => {
            let zero_times_infinity = (x.contains(0.0) && y.may_be_infinite())
                || (y.contains(0.0) && x.may_be_infinite());
            // The factor with the smaller interval is replaced by its value.
            let width = |i: FloatInterval| i.upper() - i.lower();
            let form = if width(x) <= width(y) {
                b.form.scale(x)
            } else {
                a.form.scale(y)
            };
            (form, x.times(y), zero_times_infinity)
        }
        FloatOperator::Divide => {
            let quotient = x.divided_by(y);
            let invalid = (x.contains(0.0) && y.contains(0.0))
                || (x.may_be_infinite() && y.may_be_infinite());
            (FloatForm::of_interval(quotient), quotient, invalid)
        }
    };
    FloatValue {
        form,
        interval,
        nan: a.nan || b.nan || invalid,
    }
}

/// Rounding to a format adds an error to the form and moves the interval's ends outwards. Where it
/// may overflow, the result is infinite although the real one is not, so nothing of the form is
/// kept.
fn rounded(value: FloatValue, format: FloatFormat) -> FloatValue {
    let interval = value.interval.rounded(format);
    if interval.may_be_infinite() {
        return FloatValue {
            form: FloatForm::of_interval(interval),
            interval,
            nan: value.nan,
        };
    }
    let error = add_up(
        multiply_up(format.relative_error(), value.interval.magnitude()),
        format.absolute_error(),
    );
    let error = FloatForm::of_interval(FloatInterval::around_zero(error));
    FloatValue {
        form: value.form.add(&error),
        interval,
        nan: value.nan,
    }
}
