//! Conditions: what a state knows after a test.

use super::NumericState;
use super::transfer::Transfer;
use super::translate::{dimension, limits};
use cfa::expr::{BinOp, ExprId, Node, UnOp};
use cfa::value::Ty;
use domains::expression::Expression;
use domains::numeric::{Condition, NumericDomain};
use domains::value::Comparison;

impl Transfer<'_> {
    /// Restricts the state to executions in which the condition has the given truth value.
    /// Conjunctions are taken apart; disjunctions are cases that are joined, `depth` deep.
    pub fn assume<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        condition: ExprId,
        truth: bool,
        depth: u32,
    ) {
        let pool = &self.program.pool;
        let mut conjuncts = vec![(condition, truth)];
        let mut next = 0;
        // Conjuncts in order; disjunctions at the end, when most is known.
        let mut disjunctions = Vec::new();
        while let Some(&(id, truth)) = conjuncts.get(next) {
            next += 1;
            if state.is_bottom() {
                return;
            }
            match (pool.node(id), truth) {
                (Node::Unary(UnOp::Not, a), _) => conjuncts.push((a, !truth)),
                (Node::Binary(BinOp::BoolAnd, a, b), true)
                | (Node::Binary(BinOp::BoolOr, a, b), false) => {
                    conjuncts.push((a, truth));
                    conjuncts.push((b, truth));
                }
                (Node::Binary(BinOp::BoolOr, a, b), true)
                | (Node::Binary(BinOp::BoolAnd, a, b), false) => {
                    disjunctions.push([vec![(a, truth)], vec![(a, !truth), (b, truth)]]);
                }
                (Node::Ite(c, a, b), _) => {
                    disjunctions.push([vec![(c, true), (a, truth)], vec![(c, false), (b, truth)]]);
                }
                (Node::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b), _) if pool.ty(a) == Ty::Bool => {
                    let equal = (op == BinOp::Eq) == truth;
                    disjunctions.push([vec![(a, true), (b, equal)], vec![(a, false), (b, !equal)]]);
                }
                _ => self.assume_atom(state, id, truth, depth),
            }
        }
        for cases in disjunctions {
            if depth == 0 || state.is_bottom() {
                return;
            }
            let mut joined: Option<NumericState<D>> = None;
            for case in cases {
                let mut under = state.clone();
                for (condition, truth) in case {
                    self.assume(&mut under, condition, truth, depth - 1);
                }
                if !under.is_bottom() {
                    joined = Some(match joined {
                        None => under,
                        Some(others) => others.join(&under),
                    });
                }
            }
            match joined {
                Some(joined) => *state = joined,
                None => {
                    state.integers = state.integers.bottom();
                    return;
                }
            }
        }
    }

    fn assume_atom<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        id: ExprId,
        truth: bool,
        depth: u32,
    ) {
        let pool = &self.program.pool;
        match pool.node(id) {
            Node::Binary(op, a, b) if op.is_comparison() => {
                if pool.ty(a).is_float() {
                    self.assume_float(state, op, (a, b), truth);
                    return;
                }
                // `(int) condition == 0` and the like.
                for (side, other) in [(a, b), (b, a)] {
                    if let (Node::Unary(UnOp::Convert(_), inner), Node::Const(bits)) =
                        (pool.node(side), pool.node(other))
                        && pool.ty(inner) == Ty::Bool
                        && let Some(value @ (0 | 1)) = pool.ty(other).number(bits)
                        && matches!(op, BinOp::Eq | BinOp::Ne)
                    {
                        let expected = ((op == BinOp::Eq) == truth) == (value == 1);
                        // Deeper than its own operands an expression cannot nest.
                        self.assume(state, inner, expected, depth);
                        return;
                    }
                }
                self.compare(state, (op, a, b), truth, depth);
            }
            Node::Binary(BinOp::AddOverflows | BinOp::SubOverflows | BinOp::MulOverflows, a, _)
                if limits(pool.ty(a)).is_some() =>
            {
                self.assume_overflow(state, id, truth, depth)
            }
            _ => {
                // Any other truth value: it is 1 or 0 as it should be.
                self.by_cases(state, id, depth, &mut |transfer, state, chosen| {
                    let pool = &transfer.program.pool;
                    let translated = transfer.translator.translate(pool, id, chosen);
                    transfer.bound(&mut state.integers, &translated.variables);
                    let expected = Expression::constant(i128::from(truth));
                    let value = translated.expression.clone();
                    let condition = Condition::new(value, Comparison::Equal, expected);
                    state.integers.assume(&condition);
                });
            }
        }
    }

    /// The exact result of an operation lies within its type, or on one of the two sides of it.
    fn assume_overflow<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        id: ExprId,
        truth: bool,
        depth: u32,
    ) {
        self.by_cases(state, id, depth, &mut |transfer, state, chosen| {
            let pool = &transfer.program.pool;
            let translated = transfer.translator.translate(pool, id, chosen);
            let operand = pool.node(id).children().next();
            let limits = operand.and_then(|operand| limits(pool.ty(operand)));
            let (Some(exact), Some((least, greatest))) = (translated.exact_result(), limits) else {
                return;
            };
            transfer.bound(&mut state.integers, &translated.variables);
            let least = Expression::constant(least);
            let greatest = Expression::constant(greatest);
            let below = Condition::new(exact.clone(), Comparison::Less, least);
            let above = Condition::new(greatest, Comparison::Less, exact);
            if !truth {
                state.integers.assume(&below.negated());
                state.integers.assume(&above.negated());
                return;
            }
            let mut other = state.clone();
            state.integers.assume(&below);
            other.integers.assume(&above);
            if state.is_bottom() {
                *state = other;
            } else if !other.is_bottom() {
                *state = state.join(&other);
            }
        });
    }

    fn compare<D: NumericDomain>(
        &mut self,
        state: &mut NumericState<D>,
        (op, a, b): (BinOp, ExprId, ExprId),
        truth: bool,
        depth: u32,
    ) {
        let comparison = match op {
            BinOp::Eq => Comparison::Equal,
            BinOp::Ne => Comparison::NotEqual,
            BinOp::Lt => Comparison::Less,
            _ => Comparison::AtMost,
        };
        // Choices on one side at a time: the other is translated for each case.
        self.by_cases(state, a, depth, &mut |transfer, state, left_choice| {
            let inner = depth.saturating_sub(1);
            transfer.by_cases(state, b, inner, &mut |transfer, state, right_choice| {
                let pool = &transfer.program.pool;
                let left = transfer.translator.translate(pool, a, left_choice);
                let right = transfer.translator.translate(pool, b, right_choice);
                transfer.bound(&mut state.integers, &left.variables);
                transfer.bound(&mut state.integers, &right.variables);
                let condition = Condition::new(
                    left.expression.clone(),
                    comparison,
                    right.expression.clone(),
                );
                let condition = if truth {
                    condition
                } else {
                    condition.negated()
                };
                state.integers.assume(&condition);
            });
        });
    }

    /// The interval of a variable under the state, within its type.
    pub fn interval_of<D: NumericDomain>(
        &self,
        state: &NumericState<D>,
        var: cfa::expr::VarId,
    ) -> domains::interval::Interval {
        state
            .integers
            .interval(dimension(var))
            .intersect(self.range_of(var))
    }
}

#[cfg(test)]
mod tests {
    use crate::invariants::{InvariantOptions, generate};
    use crate::numeric::choice::Domain;
    use facts::budget::Budget;

    #[test]
    fn a_sum_within_bounds_does_not_overflow() {
        for (bound, is_proof) in [(7, true), (i32::MAX, true)] {
            for (operation, is_proof) in [
                ("__builtin_sadd_overflow(i, 1, &r)", is_proof),
                ("__builtin_smul_overflow(i & 7, 9, &r)", true),
                ("__builtin_ssub_overflow(0, i, &r)", true),
                ("__builtin_sadd_overflow(i, 2147483647, &r)", false),
            ] {
                let text = format!(
                    "int main(void) {{ int r; for (int i = 0; i < {bound}; i++) if ({operation}) reach_error(); return 0; }}"
                );
                let program = testing::program(&text);
                for domain in [Domain::IntervalSet, Domain::Scalar, Domain::OctagonScalar] {
                    let options = InvariantOptions {
                        domain,
                        ..InvariantOptions::default()
                    };
                    let found = generate(&program, &options, &Budget::unlimited());
                    let found = found.expect("there is time");
                    assert_eq!(found.is_proof, is_proof, "{domain:?} {text}");
                    assert_eq!(found.reached.is_empty(), is_proof);
                }
            }
        }
    }
}
