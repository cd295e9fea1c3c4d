//! Octagons as lists of constraints, without redundant ones.
//!
//! K. G. Larsen, F. Larsson, P. Pettersson, W. Yi, *Efficient verification of real-time systems:
//! compact data structure and state-space reduction*, RTSS 1997: literals whose difference is fixed
//! are joined in classes; between the classes' leaders there is no cycle of length zero, so every
//! edge that some two-step way equals can be left out at once. Bounds of single variables always
//! stay, so what strengthening implies can be left out, too.

use super::bound::{Bound, Wide};
use super::decomposed::Decomposed;
use super::integer_matrix::IntegerMatrix;
use super::matrix::Matrix;
use super::shape::{Block, Single};
use crate::linear::{Constraint, VarId};

pub(super) fn of_octagon(octagon: &Decomposed<IntegerMatrix>) -> Vec<Constraint> {
    let Some(shape) = octagon.shape() else {
        return vec![Constraint::False];
    };
    let mut constraints = Vec::new();
    for single in &shape.singles {
        single_constraints(single, &mut constraints);
    }
    for block in &shape.blocks {
        block_constraints(block, &mut constraints);
    }
    constraints
}

fn single_constraints(single: &Single<Wide>, constraints: &mut Vec<Constraint>) {
    let end = |bound: Wide| bound.is_finite().then(|| bound.0.div_euclid(2));
    let interval = crate::interval::Interval::new(end(single.lower).map(|b| -b), end(single.upper));
    constraints.extend(Constraint::of_interval(single.variable, interval));
}

fn block_constraints(block: &Block<IntegerMatrix>, constraints: &mut Vec<Constraint>) {
    let matrix = &block.matrix;
    let variables = &block.variables;
    for (position, &variable) in variables.iter().enumerate() {
        let (upper, lower) = (matrix.unary(2 * position), matrix.unary(2 * position + 1));
        single_constraints(
            &Single {
                variable,
                upper,
                lower,
            },
            constraints,
        );
    }
    let literals = 2 * variables.len();
    // A literal's leader is the first one at a fixed distance.
    let fixed = |i: usize, j: usize| {
        let (there, back) = (matrix.get(i, j), matrix.get(j, i));
        there.is_finite() && back.is_finite() && there.plus(back) == Wide::ZERO
    };
    let leader: Vec<usize> = (0..literals)
        .map(|i| (0..i).find(|&j| fixed(i, j)).unwrap_or(i))
        .collect();
    for (i, &j) in leader.iter().enumerate() {
        // The opposite literals say the same.
        if j != i && i % 2 == 0 && i / 2 != j / 2 {
            let (terms, constant) = difference(variables, j, i, matrix.get(j, i).0);
            constraints.push(Constraint::Zero { terms, constant });
        }
    }
    let leaders: Vec<usize> = (0..literals).filter(|&i| leader[i] == i).collect();
    for &i in &leaders {
        for &j in &leaders {
            // Of a cell and its mirror, the one with the smaller column.
            if j / 2 >= i / 2 || is_implied(matrix, &leaders, i, j) {
                continue;
            }
            let (terms, constant) = difference(variables, i, j, matrix.get(i, j).0);
            constraints.push(Constraint::AtMostZero { terms, constant });
        }
    }
}

/// Whether the bound of `j - i` is infinite or follows from other bounds.
fn is_implied(matrix: &IntegerMatrix, leaders: &[usize], i: usize, j: usize) -> bool {
    let bound = matrix.get(i, j);
    let own = matrix.unary(i ^ 1).half().plus(matrix.unary(j).half());
    !bound.is_finite()
        || own <= bound
        || leaders
            .iter()
            .any(|&k| k != i && k != j && matrix.get(i, k).plus(matrix.get(k, j)) <= bound)
}

/// `literal j - literal i - bound` as terms and constant.
fn difference(variables: &[VarId], i: usize, j: usize, bound: i128) -> (Vec<(VarId, i128)>, i128) {
    let sign = |literal: usize| if literal.is_multiple_of(2) { 1 } else { -1 };
    let mut terms = vec![(variables[j / 2], sign(j)), (variables[i / 2], -sign(i))];
    terms.sort_unstable_by_key(|&(v, _)| v);
    (terms, bound.saturating_neg())
}
