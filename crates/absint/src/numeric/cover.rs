//! `stop^join`: is a state covered by several reached ones together?
//!
//! The papers' `e ⊑ ⊔ R` is sound only if the join of states stands for no more than their union
//! (law 4 of `cpa::formalism::Cpa`), which that of octagons does not: between `x ≤ 4` and `x ≥ 6`
//! it holds `x = 5`. So the join is that of the powerset: the state is cut along the constraints of
//! one reached state into what lies inside and pieces outside, and each piece must be covered by
//! the others.

use super::NumericState;
use domains::expression::{BinaryOperator, Expression};
use domains::linear::{Constraint, VarId};
use domains::numeric::{Condition, NumericDomain};
use domains::value::Comparison;

/// Reached states that are looked at together.
const MAX_STATES: usize = 6;
/// Pieces that one question may make.
const MAX_PIECES: u32 = 200;

fn sum(terms: &[(VarId, i128)], constant: i128) -> Expression {
    terms.iter().fold(
        Expression::constant(constant),
        |sum, &(variable, coefficient)| {
            let product = Expression::binary(
                BinaryOperator::Multiply,
                Expression::constant(coefficient),
                Expression::variable(variable),
            );
            Expression::binary(BinaryOperator::Add, sum, product)
        },
    )
}

/// The condition and the ways in which it can fail; `None` if it cannot be said by comparisons.
fn cut(constraint: &Constraint) -> Option<(Condition, Vec<Condition>)> {
    let zero = || Expression::constant(0);
    match constraint {
        Constraint::AtMostZero { terms, constant } => {
            let holds = Condition::new(sum(terms, *constant), Comparison::AtMost, zero());
            let fails = Condition::new(zero(), Comparison::Less, sum(terms, *constant));
            Some((holds, vec![fails]))
        }
        Constraint::Zero { terms, constant } => {
            let form = || sum(terms, *constant);
            let holds = Condition::new(form(), Comparison::Equal, zero());
            let fails = vec![
                Condition::new(form(), Comparison::Less, zero()),
                Condition::new(zero(), Comparison::Less, form()),
            ];
            Some((holds, fails))
        }
        _ => None,
    }
}

/// Does every concrete state of `state` lie in one of the others?
pub fn is_covered<D: NumericDomain>(state: &NumericState<D>, others: &[&NumericState<D>]) -> bool {
    let mut pieces = MAX_PIECES;
    let count = others.len().min(MAX_STATES);
    covered(state, &others[..count], &mut pieces)
}

/// The recursion is as deep as there are states to look at, which is little.
fn covered<D: NumericDomain>(
    state: &NumericState<D>,
    others: &[&NumericState<D>],
    pieces: &mut u32,
) -> bool {
    if state.is_bottom() || others.iter().any(|other| state.leq(other)) {
        return true;
    }
    let Some((first, rest)) = others.split_first() else {
        return false;
    };
    // The rest alone may do, where the first one cannot be cut along.
    let mut inside = state.clone();
    for constraint in first.integers.constraints() {
        let Some((holds, fails)) = cut(&constraint) else {
            return covered(state, rest, pieces);
        };
        for fails in fails {
            let mut piece = inside.clone();
            piece.integers.assume(&fails);
            if piece.is_bottom() {
                continue;
            }
            if *pieces == 0 {
                return false;
            }
            *pieces -= 1;
            if !covered(&piece, rest, pieces) {
                return false;
            }
        }
        inside.integers.assume(&holds);
    }
    inside.leq(first) || covered(&inside, rest, pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domains::interval::Interval;
    use domains::octagon::Octagon;

    const X: VarId = VarId(0);
    const Y: VarId = VarId(1);

    fn boxed(x: (i128, i128), y: (i128, i128)) -> NumericState<Octagon> {
        let mut state = NumericState::new(Octagon::top());
        state
            .integers
            .assume_interval(X, Interval::finite(x.0, x.1));
        state
            .integers
            .assume_interval(Y, Interval::finite(y.0, y.1));
        state
    }

    #[test]
    fn neighbours_cover_together_and_gaps_do_not() {
        let (low, high, apart) = (
            boxed((0, 4), (0, 9)),
            boxed((5, 9), (0, 9)),
            boxed((6, 9), (0, 9)),
        );
        let across = boxed((2, 7), (1, 3));
        assert!(!across.leq(&low) && !across.leq(&high));
        assert!(is_covered(&across, &[&low, &high]));
        // Their join holds `x = 5`, they do not.
        assert!(across.leq(&low.join(&apart)));
        assert!(!is_covered(&across, &[&low, &apart]));
    }

    #[test]
    fn small_boxes_against_points() {
        let parts = [
            boxed((0, 3), (0, 3)),
            boxed((2, 5), (2, 6)),
            boxed((0, 6), (4, 6)),
            boxed((4, 6), (0, 2)),
        ];
        let others: Vec<&NumericState<Octagon>> = parts.iter().collect();
        let inside = |x: i128, y: i128| {
            parts.iter().any(|part| {
                let mut point = part.clone();
                point.integers.assume_interval(X, Interval::constant(x));
                point.integers.assume_interval(Y, Interval::constant(y));
                !point.is_bottom()
            })
        };
        for (x0, y0) in (0..7).flat_map(|x| (0..7).map(move |y| (x, y))) {
            for (x1, y1) in (x0..7).flat_map(|x| (y0..7).map(move |y| (x, y))) {
                let all = (x0..=x1).all(|x| (y0..=y1).all(|y| inside(x, y)));
                assert_eq!(
                    is_covered(&boxed((x0, x1), (y0, y1)), &others),
                    all,
                    "{x0}..{x1} × {y0}..{y1}"
                );
            }
        }
    }
}
