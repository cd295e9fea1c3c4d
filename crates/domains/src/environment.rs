//! Variables with independent abstract values: the pointwise lifting of any [`Value`].

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::congruence::Congruence;
use crate::expression::{BinaryOperator, Expression, Node};
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::{Bounds, Constraint, VarId};
use crate::numeric::{Condition, NumericDomain};
use crate::thresholds::Thresholds;
use crate::value::Value;

/// A map from variables to values, shared between copies. A variable that is not in it has any
/// value.
#[derive(Clone, PartialEq)]
pub struct Environment<V> {
    /// Sorted, without values that are top or bottom; `None` if there is no state at all.
    values: Option<Arc<Vec<(VarId, V)>>>,
}

impl<V: Value> Environment<V> {
    pub fn new() -> Self {
        Environment {
            values: Some(Arc::new(Vec::new())),
        }
    }

    fn of(values: Vec<(VarId, V)>) -> Self {
        if values.iter().any(|(_, v)| v.is_bottom()) {
            return Environment { values: None };
        }
        Environment {
            values: Some(Arc::new(values)),
        }
    }

    fn entries(&self) -> &[(VarId, V)] {
        self.values.as_ref().map_or(&[], |v| v.as_slice())
    }

    pub fn get(&self, variable: VarId) -> V {
        if self.values.is_none() {
            return V::none();
        }
        let entries = self.entries();
        match entries.binary_search_by_key(&variable, |&(v, _)| v) {
            Ok(position) => entries[position].1.clone(),
            Err(_) => V::any(),
        }
    }

    pub fn set(&mut self, variable: VarId, value: V) {
        if value.is_bottom() {
            self.values = None;
        }
        let Some(values) = &mut self.values else {
            return;
        };
        match values.binary_search_by_key(&variable, |&(v, _)| v) {
            Ok(position) if value.is_top() => {
                Arc::make_mut(values).remove(position);
            }
            Ok(position) if values[position].1 == value => {}
            Ok(position) => Arc::make_mut(values)[position].1 = value,
            Err(_) if value.is_top() => {}
            Err(position) => Arc::make_mut(values).insert(position, (variable, value)),
        }
    }

    /// Restricts a variable further.
    fn refine(&mut self, variable: VarId, value: &V) {
        let refined = self.get(variable).meet(value);
        self.set(variable, refined);
    }

    /// The values of all nodes of an expression.
    fn node_values(&self, expression: &Expression) -> Vec<V> {
        let mut values: Vec<V> = Vec::with_capacity(expression.nodes().len());
        for node in expression.nodes() {
            let operand = |index: u32| &values[index as usize];
            let value = match *node {
                Node::Constant(interval) => V::of_interval(interval),
                Node::Variable(v) => self.get(v),
                Node::Unary(operator, a) => V::unary(operator, operand(a)),
                Node::Binary(operator, a, b) => V::binary(operator, operand(a), operand(b)),
                Node::Wrap(to, a) => operand(a).wrap(to),
            };
            values.push(value);
        }
        values
    }

    pub fn value_of(&self, expression: &Expression) -> V {
        self.node_values(expression).pop().unwrap_or_else(V::any)
    }

    /// Restricts the variables of an expression to those for which its value can be a member of
    /// `result`, by inverting its operations from the root down (F. Benhamou et al., *Revising hull
    /// and box consistency*, ICLP 1999).
    fn restrict_expression(&mut self, expression: &Expression, mut values: Vec<V>, result: &V) {
        let nodes = expression.nodes();
        let Some(root) = values.last_mut() else {
            return;
        };
        *root = root.meet(result);
        for position in (0..nodes.len()).rev() {
            let target = values[position].clone();
            if target.is_bottom() {
                self.values = None;
                return;
            }
            let operand = |index: u32| &values[index as usize];
            let mut refined: [Option<(u32, V)>; 2] = [None, None];
            match nodes[position] {
                Node::Constant(_) => {}
                Node::Variable(v) => self.refine(v, &target),
                Node::Unary(operator, a) => refined[0] = Some((a, V::unary(operator, &target))),
                Node::Binary(operator, a, b) => {
                    let (left, right) = invert(operator, &target, operand(a), operand(b));
                    refined = [left.map(|l| (a, l)), right.map(|r| (b, r))];
                }
                Node::Wrap(to, a) => {
                    if let Some(offset) = operand(a).interval().wrap_offset(to) {
                        let offset = V::of_interval(Interval::constant(offset));
                        let before = V::binary(BinaryOperator::Subtract, &target, &offset);
                        refined[0] = Some((a, before));
                    }
                }
            }
            for (index, value) in refined.into_iter().flatten() {
                let operand = &mut values[index as usize];
                *operand = operand.meet(&value);
            }
        }
    }

    /// Values of the variables that occur in both, combined.
    fn zip_common(&self, other: &Self, combine: impl Fn(&V, &V) -> V) -> Self {
        let (Some(a), Some(b)) = (&self.values, &other.values) else {
            return if self.values.is_none() {
                other.clone()
            } else {
                self.clone()
            };
        };
        if Arc::ptr_eq(a, b) {
            return self.clone();
        }
        let mut result = Vec::with_capacity(a.len().min(b.len()));
        let mut rest = b.as_slice();
        for (variable, value) in a.iter() {
            rest = &rest[rest.partition_point(|(v, _)| v < variable)..];
            if let Some((found, other)) = rest.first()
                && found == variable
            {
                let combined = if value == other {
                    value.clone()
                } else {
                    combine(value, other)
                };
                if !combined.is_top() {
                    result.push((*variable, combined));
                }
            }
        }
        Self::of(result)
    }

    /// Values of the variables that occur in either, combined; a variable not in one of them has
    /// any value there.
    fn zip_all(&self, other: &Self, combine: impl Fn(&V, &V) -> V) -> Self {
        let (Some(a), Some(b)) = (&self.values, &other.values) else {
            return Environment { values: None };
        };
        let mut result = Vec::with_capacity(a.len().max(b.len()));
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let left = a
                .get(i)
                .filter(|(v, _)| b.get(j).is_none_or(|(w, _)| v <= w));
            let right = b
                .get(j)
                .filter(|(w, _)| a.get(i).is_none_or(|(v, _)| w <= v));
            let Some(variable) = left.or(right).map(|&(v, _)| v) else {
                break;
            };
            let value = |entry: Option<&(VarId, V)>| entry.map_or_else(V::any, |(_, v)| v.clone());
            let combined = combine(&value(left), &value(right));
            if !combined.is_top() {
                result.push((variable, combined));
            }
            i += usize::from(left.is_some());
            j += usize::from(right.is_some());
        }
        Self::of(result)
    }
}

/// Values of the operands for which the operator can give a member of `target`.
fn invert<V: Value>(
    operator: BinaryOperator,
    target: &V,
    left: &V,
    right: &V,
) -> (Option<V>, Option<V>) {
    use BinaryOperator::*;
    match operator {
        Add => (
            Some(V::binary(Subtract, target, right)),
            Some(V::binary(Subtract, target, left)),
        ),
        Subtract => (
            Some(V::binary(Add, target, right)),
            Some(V::binary(Subtract, left, target)),
        ),
        BitXor => (
            Some(V::binary(BitXor, target, right)),
            Some(V::binary(BitXor, target, left)),
        ),
        Multiply => {
            // `x·c = t` gives `x = t / c` exactly.
            let by = |factor: &V| match factor.interval().as_constant() {
                Some(c) if c != 0 => Some(V::binary(Divide, target, factor)),
                _ => None,
            };
            (by(right), by(left))
        }
        _ => (None, None),
    }
}

impl<V: Value> Default for Environment<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Value> Lattice for Environment<V> {
    fn bottom(&self) -> Self {
        Environment { values: None }
    }

    fn top(&self) -> Self {
        Self::new()
    }

    fn is_bottom(&self) -> bool {
        self.values.is_none()
    }

    fn is_top(&self) -> bool {
        self.values.as_ref().is_some_and(|v| v.is_empty())
    }

    fn leq(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (&self.values, &other.values) else {
            return self.values.is_none();
        };
        if Arc::ptr_eq(a, b) {
            return true;
        }
        let mut rest = a.as_slice();
        b.iter().all(|(variable, value)| {
            rest = &rest[rest.partition_point(|(v, _)| v < variable)..];
            matches!(rest.first(), Some((v, own)) if v == variable && own.leq(value))
        })
    }

    fn join(&self, other: &Self) -> Self {
        self.zip_common(other, V::join)
    }

    fn meet(&self, other: &Self) -> Self {
        self.zip_all(other, V::meet)
    }

    fn widen(&self, newer: &Self) -> Self {
        self.zip_common(newer, V::widen)
    }

    fn widen_with(&self, newer: &Self, thresholds: &Thresholds) -> Self {
        self.zip_common(newer, |a, b| a.widen_with(b, thresholds))
    }

    fn narrow(&self, newer: &Self) -> Self {
        self.zip_all(newer, V::narrow)
    }
}

impl<V: Value> Bounds for Environment<V> {
    fn interval(&self, variable: VarId) -> Interval {
        self.get(variable).interval()
    }
}

impl<V: Value> NumericDomain for Environment<V> {
    fn assign(&mut self, variable: VarId, value: &Expression) {
        let value = self.value_of(value);
        self.set(variable, value);
    }

    fn assume(&mut self, condition: &Condition) {
        let left_values = self.node_values(&condition.left);
        let right_values = self.node_values(&condition.right);
        let (Some(left), Some(right)) = (left_values.last(), right_values.last()) else {
            return;
        };
        let left_result = left.restrict(condition.comparison, right);
        let right_result = right.restrict_right(condition.comparison, left);
        self.restrict_expression(&condition.left, left_values, &left_result);
        self.restrict_expression(&condition.right, right_values, &right_result);
    }

    fn forget(&mut self, variable: VarId) {
        self.set(variable, V::any());
    }

    fn retain(&mut self, keep: &dyn Fn(VarId) -> bool) {
        if let Some(values) = &mut self.values
            && values.iter().any(|&(v, _)| !keep(v))
        {
            Arc::make_mut(values).retain(|&(v, _)| keep(v));
        }
    }

    fn rename(&mut self, rename: &dyn Fn(VarId) -> VarId) {
        if let Some(values) = &mut self.values {
            let values = Arc::make_mut(values);
            for entry in values.iter_mut() {
                entry.0 = rename(entry.0);
            }
            values.sort_unstable_by_key(|&(v, _)| v);
        }
    }

    fn assume_interval(&mut self, variable: VarId, interval: Interval) {
        self.refine(variable, &V::of_interval(interval));
    }

    fn congruence(&self, variable: VarId) -> Congruence {
        self.get(variable).congruence()
    }

    fn congruence_of(&self, expression: &Expression) -> Congruence {
        self.value_of(expression).congruence()
    }

    fn assume_congruence(&mut self, variable: VarId, congruence: Congruence) {
        let refined = self.get(variable).restrict_congruence(congruence);
        self.set(variable, refined);
    }

    fn constraints(&self) -> Vec<Constraint> {
        match &self.values {
            None => vec![Constraint::False],
            Some(values) => values
                .iter()
                .flat_map(|(v, value)| value.constraints(*v))
                .collect(),
        }
    }

    fn fingerprint(&self, mut hasher: &mut dyn Hasher) {
        self.values.hash(&mut hasher);
    }
}

impl<V: Value> fmt::Debug for Environment<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.values {
            None => f.write_str("⊥"),
            Some(values) => f
                .debug_map()
                .entries(values.iter().map(|(v, x)| (v, x)))
                .finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::constant::Constant;
    use crate::interval_set::IntervalSet;
    use crate::numeric::domain_laws::{check_domain, points, steps};
    use crate::scalar::Scalar;
    use crate::value::Comparison;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn all_environments_follow_programs(p in points(), q in points(), slack in 0i128..4, s in steps(), t in steps()) {
            check_domain(&Environment::<Interval>::new(), (&p, &q), slack, (&s, &t))?;
            check_domain(&Environment::<IntervalSet>::new(), (&p, &q), slack, (&s, &t))?;
            check_domain(&Environment::<Congruence>::new(), (&p, &q), slack, (&s, &t))?;
            check_domain(&Environment::<Constant>::new(), (&p, &q), slack, (&s, &t))?;
            check_domain(&Environment::<Scalar>::new(), (&p, &q), slack, (&s, &t))?;
        }
    }

    #[test]
    fn conditions_reach_the_variables_inside() {
        let (x, y) = (VarId(0), VarId(1));
        let mut env = Environment::<Interval>::new();
        env.assume_interval(x, Interval::finite(0, 100));
        env.assume_interval(y, Interval::finite(0, 10));
        // x - 2*y >= 90
        let twice = Expression::binary(
            BinaryOperator::Multiply,
            Expression::constant(2),
            Expression::variable(y),
        );
        let difference =
            Expression::binary(BinaryOperator::Subtract, Expression::variable(x), twice);
        env.assume(&Condition::new(
            Expression::constant(90),
            Comparison::AtMost,
            difference,
        ));
        assert_eq!(env.interval(x), Interval::finite(90, 100));
        assert_eq!(env.interval(y), Interval::finite(0, 5));
    }
}
