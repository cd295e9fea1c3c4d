//! Integer expressions over numbered variables, and their linearisation.
//!
//! T. Stieglmaier, *Octagon-Based Software Verification with CPAchecker* (2014), section 4.1.1
//! ("Coefficient Creation"): the domain takes assignments `v ← Σ coeffᵢ·vᵢ + coeff_N`; in a product
//! of two non-constant operands one is replaced by its value (`x * y` becomes `valueOf(x) * y`).
//! Differences: values are those of the abstract state at hand, the operand with fewer values is
//! replaced, and a division stays linear only where it is exact. Wrap-around to a machine type
//! keeps the linear form where one constant offset brings all its values into the type's range.
//!
//! An expression is a flat list of nodes, children first, so every walk is a loop and depth costs
//! no stack.

use crate::interval::Interval;
use crate::linear::{Bounds, LinearForm, VarId};
use crate::machine::MachineInt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    Negate,
    /// `-x - 1`.
    BitNot,
}

/// Operators on unbounded integers. Comparisons give 0 or 1. A division by zero or a shift by a
/// negative amount has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    /// Rounds towards zero.
    Divide,
    /// Has the sign of the dividend.
    Remainder,
    ShiftLeft,
    /// Rounds towards minus infinity.
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Less,
    AtMost,
    Equal,
    NotEqual,
}

/// A node refers to others by their position, which is always smaller than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Any value of the interval.
    Constant(Interval),
    Variable(VarId),
    Unary(UnaryOperator, u32),
    Binary(BinaryOperator, u32, u32),
    /// The value of the type that is congruent modulo `2^width`.
    Wrap(MachineInt, u32),
}

/// An integer expression; its value is that of the last node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    nodes: Vec<Node>,
}

impl Expression {
    pub fn any_of(values: Interval) -> Self {
        Expression {
            nodes: vec![Node::Constant(values)],
        }
    }

    pub fn constant(value: i128) -> Self {
        Self::any_of(Interval::constant(value))
    }

    pub fn variable(variable: VarId) -> Self {
        Expression {
            nodes: vec![Node::Variable(variable)],
        }
    }

    /// The expression with these nodes, which may share parts; `None` unless there is one and each
    /// refers only to nodes before it.
    pub fn from_nodes(nodes: Vec<Node>) -> Option<Self> {
        let in_order = nodes.iter().enumerate().all(|(position, node)| {
            let before = |index: u32| (index as usize) < position;
            match *node {
                Node::Constant(_) | Node::Variable(_) => true,
                Node::Unary(_, a) | Node::Wrap(_, a) => before(a),
                Node::Binary(_, a, b) => before(a) && before(b),
            }
        });
        (in_order && !nodes.is_empty()).then_some(Expression { nodes })
    }

    pub fn unary(operator: UnaryOperator, mut operand: Self) -> Self {
        let root = operand.root();
        operand.nodes.push(Node::Unary(operator, root));
        operand
    }

    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        // The smaller list is moved behind the larger one, so that building a deep expression takes
        // linear time.
        let (left_root, right_root, mut nodes);
        if left.nodes.len() >= right.nodes.len() {
            left_root = left.root();
            nodes = left.nodes;
            right_root = append(&mut nodes, &right.nodes);
        } else {
            right_root = right.root();
            nodes = right.nodes;
            left_root = append(&mut nodes, &left.nodes);
        }
        nodes.push(Node::Binary(operator, left_root, right_root));
        Expression { nodes }
    }

    pub fn wrap(to: MachineInt, mut operand: Self) -> Self {
        let root = operand.root();
        operand.nodes.push(Node::Wrap(to, root));
        operand
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn root(&self) -> u32 {
        (self.nodes.len() - 1) as u32
    }

    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.nodes.iter().filter_map(|n| match n {
            Node::Variable(v) => Some(*v),
            _ => None,
        })
    }

    pub fn mentions(&self, variable: VarId) -> bool {
        self.variables().any(|v| v == variable)
    }

    /// How deep operators nest; wrapping to a type is part of the operator before it.
    pub fn depth(&self) -> u32 {
        let mut depths: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |index: u32| depths[index as usize];
            depths.push(match *node {
                Node::Constant(_) | Node::Variable(_) => 0,
                Node::Unary(_, a) => of(a) + 1,
                Node::Binary(_, a, b) => of(a).max(of(b)) + 1,
                Node::Wrap(_, a) => of(a),
            });
        }
        depths.pop().unwrap_or(0)
    }

    /// The expression with another one in place of a variable.
    #[must_use]
    pub fn substitute(&self, variable: VarId, by: &Expression) -> Expression {
        let mut nodes = by.nodes.clone();
        let inserted = by.root();
        let mut moved: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |index: u32| moved[index as usize];
            let node = match *node {
                Node::Variable(v) if v == variable => {
                    moved.push(inserted);
                    continue;
                }
                Node::Unary(operator, a) => Node::Unary(operator, at(a)),
                Node::Binary(operator, a, b) => Node::Binary(operator, at(a), at(b)),
                Node::Wrap(to, a) => Node::Wrap(to, at(a)),
                leaf => leaf,
            };
            nodes.push(node);
            moved.push(nodes.len() as u32 - 1);
        }
        if moved.last() == Some(&inserted) {
            return by.clone();
        }
        Expression { nodes }
    }

    #[must_use]
    pub fn map_variables(&self, rename: impl Fn(VarId) -> VarId) -> Expression {
        let nodes = self.nodes.iter().map(|&node| match node {
            Node::Variable(v) => Node::Variable(rename(v)),
            other => other,
        });
        Expression {
            nodes: nodes.collect(),
        }
    }

    /// The value for given variables; `None` if there is none, more than one, or one beyond `i128`.
    pub fn value(&self, variable: impl Fn(VarId) -> i128) -> Option<i128> {
        let mut values: Vec<i128> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = |index: u32| values[index as usize];
            let result = match *node {
                Node::Constant(interval) => interval.as_constant()?,
                Node::Variable(v) => variable(v),
                Node::Unary(UnaryOperator::Negate, a) => value(a).checked_neg()?,
                Node::Unary(UnaryOperator::BitNot, a) => !value(a),
                Node::Binary(operator, a, b) => concrete(operator, value(a), value(b))?,
                Node::Wrap(to, a) => to.wrap_value(value(a))?,
            };
            values.push(result);
        }
        values.pop()
    }

    /// The expression without wrap-around that adds the same constant in all states of `bounds`:
    /// that constant (often zero) stands in its place.
    pub fn without_idle_wraps(&self, bounds: &impl Bounds) -> Expression {
        if !self.nodes.iter().any(|n| matches!(n, Node::Wrap(..))) {
            return self.clone();
        }
        let values = self.linearise_nodes(bounds);
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        let mut moved: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |index: u32| moved[index as usize];
            let replacement = match *node {
                Node::Unary(operator, a) => Node::Unary(operator, at(a)),
                Node::Binary(operator, a, b) => Node::Binary(operator, at(a), at(b)),
                Node::Wrap(to, a) => match values[a as usize].interval.wrap_offset(to) {
                    Some(0) => {
                        moved.push(at(a));
                        continue;
                    }
                    Some(offset) => {
                        nodes.push(Node::Constant(Interval::constant(offset)));
                        Node::Binary(BinaryOperator::Add, at(a), nodes.len() as u32 - 1)
                    }
                    None => Node::Wrap(to, at(a)),
                },
                leaf => leaf,
            };
            nodes.push(replacement);
            moved.push(nodes.len() as u32 - 1);
        }
        // The value is that of the last node, which a removed wrap at the root may not be.
        if let Some(&root) = moved.last() {
            nodes.truncate(root as usize + 1);
        }
        Expression { nodes }
    }

    /// A linear form and an interval, each of which holds every value of the expression in the
    /// states of `bounds`.
    pub fn linearise(&self, bounds: &impl Bounds) -> Linearised {
        self.linearise_nodes(bounds)
            .pop()
            .unwrap_or_else(|| Linearised::of_interval(Interval::TOP))
    }

    /// For each node an interval that holds its values in the states of `bounds`.
    pub fn intervals(&self, bounds: &impl Bounds) -> Vec<Interval> {
        let nodes = self.linearise_nodes(bounds).into_iter();
        nodes.map(|node| node.interval).collect()
    }

    /// Only sums and differences in which nothing that has several values occurs twice: its linear
    /// form says all of it.
    pub fn is_plain_sum(&self) -> bool {
        let mut uses = vec![0u32; self.nodes.len()];
        for node in &self.nodes {
            match *node {
                Node::Constant(_) | Node::Variable(_) => {}
                Node::Unary(UnaryOperator::Negate, a) => uses[a as usize] += 1,
                Node::Binary(BinaryOperator::Add | BinaryOperator::Subtract, a, b) => {
                    uses[a as usize] += 1;
                    uses[b as usize] += 1;
                }
                Node::Unary(..) | Node::Binary(..) | Node::Wrap(..) => return false,
            }
        }
        uses.iter().all(|&uses| uses <= 1)
    }

    /// [`Expression::linearise`] for each node.
    fn linearise_nodes(&self, bounds: &impl Bounds) -> Vec<Linearised> {
        let mut done: Vec<Linearised> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let operand = |index: u32| &done[index as usize];
            let result = match *node {
                Node::Constant(values) => Linearised::of_interval(values),
                Node::Variable(v) => Linearised {
                    form: LinearForm::variable(v),
                    interval: bounds.interval(v),
                },
                Node::Unary(operator, a) => linearise_unary(operator, operand(a)),
                Node::Binary(operator, a, b) => linearise_binary(operator, operand(a), operand(b)),
                Node::Wrap(to, a) => linearise_wrap(to, operand(a)),
            };
            done.push(result.refined(bounds));
        }
        done
    }
}

fn append(nodes: &mut Vec<Node>, more: &[Node]) -> u32 {
    let offset = nodes.len() as u32;
    nodes.extend(more.iter().map(|&node| match node {
        Node::Unary(operator, a) => Node::Unary(operator, a + offset),
        Node::Binary(operator, a, b) => Node::Binary(operator, a + offset, b + offset),
        Node::Wrap(to, a) => Node::Wrap(to, a + offset),
        leaf => leaf,
    }));
    nodes.len() as u32 - 1
}

/// The operator on numbers; `None` where it has no result or the result is beyond `i128`.
pub fn concrete(operator: BinaryOperator, a: i128, b: i128) -> Option<i128> {
    use BinaryOperator::*;
    Some(match operator {
        Add => a.checked_add(b)?,
        Subtract => a.checked_sub(b)?,
        Multiply => a.checked_mul(b)?,
        Divide => a.checked_div(b)?,
        Remainder => a.checked_rem(b)?,
        ShiftLeft => {
            let amount = u32::try_from(b).ok()?;
            if a == 0 {
                0
            } else {
                a.checked_mul(1i128.checked_shl(amount).filter(|&p| p > 0)?)?
            }
        }
        ShiftRight => a >> u32::try_from(b.min(127)).ok()?,
        BitAnd => a & b,
        BitOr => a | b,
        BitXor => a ^ b,
        Less => i128::from(a < b),
        AtMost => i128::from(a <= b),
        Equal => i128::from(a == b),
        NotEqual => i128::from(a != b),
    })
}

/// The operator on intervals.
pub fn on_intervals(operator: BinaryOperator, a: Interval, b: Interval) -> Interval {
    use BinaryOperator::*;
    let boolean = |truth: Option<bool>| {
        if a.is_empty() || b.is_empty() {
            return Interval::EMPTY;
        }
        truth.map_or(Interval::BOOLEAN, |t| Interval::constant(i128::from(t)))
    };
    match operator {
        Add => a.plus(b),
        Subtract => a.minus(b),
        Multiply => a.times(b),
        Divide => a.divide(b),
        Remainder => a.remainder(b),
        ShiftLeft => a.shift_left(b),
        ShiftRight => a.shift_right(b),
        BitAnd => a.bit_and(b),
        BitOr => a.bit_or(b),
        BitXor => a.bit_xor(b),
        Less => boolean(a.always_less(b)),
        AtMost => boolean(b.always_less(a).map(|t| !t)),
        Equal => boolean(a.always_equal(b)),
        NotEqual => boolean(a.always_equal(b).map(|t| !t)),
    }
}

/// Two views of the same set of values: a linear form over the variables and an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linearised {
    pub form: LinearForm,
    pub interval: Interval,
}

impl Linearised {
    fn of_interval(interval: Interval) -> Self {
        Linearised {
            form: LinearForm::constant(interval),
            interval,
        }
    }

    /// Both views sharpened by each other.
    fn refined(self, bounds: &impl Bounds) -> Self {
        let interval = self.interval.intersect(bounds.evaluate(&self.form));
        if self.form.terms().is_empty() || interval.as_constant().is_some() || interval.is_empty() {
            return Linearised::of_interval(interval);
        }
        Linearised {
            form: self.form,
            interval,
        }
    }
}

fn linearise_unary(operator: UnaryOperator, a: &Linearised) -> Linearised {
    let negated = a.form.negate();
    match operator {
        UnaryOperator::Negate => Linearised {
            form: negated,
            interval: a.interval.negate(),
        },
        UnaryOperator::BitNot => Linearised {
            form: negated.add_constant(Interval::constant(-1)),
            interval: a.interval.bit_not(),
        },
    }
}

fn linearise_binary(operator: BinaryOperator, a: &Linearised, b: &Linearised) -> Linearised {
    let interval = on_intervals(operator, a.interval, b.interval);
    let form = match operator {
        BinaryOperator::Add => Some(a.form.add(&b.form)),
        BinaryOperator::Subtract => Some(a.form.subtract(&b.form)),
        BinaryOperator::Multiply => Some(multiply(a, b)),
        BinaryOperator::Divide => b
            .interval
            .as_constant()
            .and_then(|divisor| a.form.divide_exactly(divisor)),
        // A dividend that is smaller than every divisor is its own remainder.
        BinaryOperator::Remainder if interval == a.interval => b
            .interval
            .as_constant()
            .filter(|&d| d != 0 && a.interval.divide(Interval::constant(d)) == Interval::ZERO)
            .map(|_| a.form.clone()),
        BinaryOperator::ShiftLeft => b
            .interval
            .as_constant()
            .filter(|&amount| (0..=120).contains(&amount))
            .map(|amount| a.form.scale(Interval::constant(1 << amount))),
        _ => None,
    };
    Linearised {
        form: form.unwrap_or_else(|| LinearForm::constant(interval)),
        interval,
    }
}

/// Replaces the operand with fewer values by its value.
fn multiply(a: &Linearised, b: &Linearised) -> LinearForm {
    let size = |l: &Linearised| l.interval.count().unwrap_or(i128::MAX);
    if size(a) <= size(b) {
        b.form.scale(a.interval)
    } else {
        a.form.scale(b.interval)
    }
}

fn linearise_wrap(to: MachineInt, a: &Linearised) -> Linearised {
    match a.interval.wrap_offset(to) {
        Some(0) => a.clone(),
        Some(offset) => {
            let offset = Interval::constant(offset);
            Linearised {
                form: a.form.add_constant(offset),
                interval: a.interval.plus(offset),
            }
        }
        None => Linearised::of_interval(a.interval.wrap(to)),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Expressions over the variables `0..variables`.
    pub(crate) fn expressions(variables: u32) -> impl Strategy<Value = Expression> {
        use BinaryOperator::*;
        let leaf = prop_oneof![
            (-20i128..20).prop_map(Expression::constant),
            (0..variables).prop_map(|v| Expression::variable(VarId(v))),
            (0..variables).prop_map(|v| Expression::variable(VarId(v))),
        ];
        let operators = prop::sample::select(vec![
            Add, Subtract, Multiply, Divide, Remainder, ShiftLeft, ShiftRight, BitAnd, BitOr,
            BitXor, Less, AtMost, Equal, NotEqual,
        ]);
        leaf.prop_recursive(4, 12, 2, move |inner| {
            prop_oneof![
                6 => (operators.clone(), inner.clone(), inner.clone())
                    .prop_map(|(o, a, b)| Expression::binary(o, a, b)),
                1 => inner.clone().prop_map(|a| Expression::unary(UnaryOperator::Negate, a)),
                1 => inner.clone().prop_map(|a| Expression::unary(UnaryOperator::BitNot, a)),
                2 => (prop::sample::select(vec![3u32, 5, 8]), any::<bool>(), inner).prop_map(
                    |(width, signed, a)| {
                        Expression::wrap(MachineInt::new(width, signed).expect("small"), a)
                    }
                ),
            ]
        })
    }

    struct Fixed(Vec<Interval>);

    impl Bounds for Fixed {
        fn interval(&self, variable: VarId) -> Interval {
            self.0[variable.0 as usize]
        }
    }

    proptest! {
        #[test]
        fn linearisation_holds_every_value(
            e in expressions(3),
            values in prop::collection::vec(-30i128..30, 3),
            slack in prop::collection::vec((0i128..5, 0i128..5), 3),
        ) {
            let bounds = Fixed(
                values.iter().zip(&slack).map(|(v, (l, h))| Interval::finite(v - l, v + h)).collect(),
            );
            let point = |v: VarId| values[v.0 as usize];
            if let Some(value) = e.value(point) {
                let linearised = e.linearise(&bounds);
                prop_assert!(linearised.interval.contains(value));
                let at_point = linearised.form.evaluate(|v| Interval::constant(point(v)));
                prop_assert!(at_point.contains(value), "{:?} at the point: {} not in {}", linearised.form, value, at_point);
            }
        }
    }

    proptest! {
        #[test]
        fn idle_wraps_do_not_matter(
            e in expressions(2),
            values in prop::collection::vec(-30i128..30, 2),
            slack in 0i128..5,
        ) {
            let bounds = Fixed(values.iter().map(|v| Interval::finite(v - slack, v + slack)).collect());
            let point = |v: VarId| values[v.0 as usize];
            if let Some(value) = e.value(point) {
                prop_assert_eq!(e.without_idle_wraps(&bounds).value(point), Some(value));
            }
        }
    }

    #[test]
    fn a_product_keeps_the_operand_with_more_values() {
        let bounds = Fixed(vec![Interval::finite(1, 4), Interval::finite(0, 100)]);
        let product = Expression::binary(
            BinaryOperator::Multiply,
            Expression::variable(VarId(0)),
            Expression::variable(VarId(1)),
        );
        let expected = LinearForm::variable(VarId(1)).scale(Interval::finite(1, 4));
        assert_eq!(product.linearise(&bounds).form, expected);
    }

    #[test]
    fn wrap_around_within_one_window_stays_linear() {
        let u8_ = MachineInt::new(8, false).expect("8 bits");
        let bounds = Fixed(vec![Interval::finite(250, 255)]);
        let sum = Expression::binary(
            BinaryOperator::Add,
            Expression::variable(VarId(0)),
            Expression::constant(6),
        );
        let wrapped = Expression::wrap(u8_, sum).linearise(&bounds);
        assert_eq!(wrapped.form, LinearForm::exact([(VarId(0), 1)], 6 - 256));
        assert_eq!(wrapped.interval, Interval::finite(0, 5));
    }

    #[test]
    fn depth_costs_no_stack() {
        let mut deep = Expression::variable(VarId(0));
        for _ in 0..200_000 {
            deep = Expression::binary(BinaryOperator::Add, Expression::constant(1), deep);
        }
        assert_eq!(deep.value(|_| 5), Some(200_005));
        let bounds = Fixed(vec![Interval::constant(5)]);
        assert_eq!(
            deep.linearise(&bounds).interval,
            Interval::constant(200_005)
        );
    }
}
