//! Sums of variables that stay within a few values while the variables themselves run far.
//!
//! `2 * n - i` is 0 or 1 where every second step counts: no equation between the two holds, but
//! this does. Executions show which sums are candidates.

use super::samples::Sample;
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::program::Program;
use cfa::value::Ty;

/// Coefficients of two variables. (A sum of two that both grow is not narrow.)
const PAIRS: [[i128; 2]; 5] = [[1, -1], [2, -1], [-1, 2], [2, 1], [1, 2]];
const TRIPLES: [[i128; 3]; 3] = [[1, 1, -1], [1, -1, 1], [-1, 1, 1]];
/// A sum has at most so many values.
const WIDEST: i128 = 4;
/// A variable has at least so many.
const SPREAD: i128 = 8;
/// Variables that are combined.
const MAX_VARIABLES: usize = 7;

/// Bounds of sums that are narrow in all sampled states at the location.
pub fn narrow(
    program: &Program,
    exprs: &mut ExprPool,
    samples: &[Sample],
    variables: &[VarId],
) -> Vec<ExprId> {
    let value = |sample: &Sample, var: VarId| program.var(var).ty.number(*sample.get(&var)?);
    let range = |terms: &[(VarId, i128)]| -> Option<(i128, i128)> {
        let mut range: Option<(i128, i128)> = None;
        for sample in samples {
            let mut sum = 0;
            for &(var, factor) in terms {
                sum += factor * value(sample, var)?;
            }
            let (low, high) = range.unwrap_or((sum, sum));
            range = Some((low.min(sum), high.max(sum)));
        }
        range
    };
    let runs_far = |var: VarId| range(&[(var, 1)]).is_some_and(|(low, high)| high - low >= SPREAD);
    let is_small = |var: VarId| matches!(program.var(var).ty, Ty::Int { width, .. } if width <= 32);
    let chosen: Vec<VarId> = variables
        .iter()
        .copied()
        .filter(|&var| is_small(var) && runs_far(var))
        .take(MAX_VARIABLES)
        .collect();
    let mut sums: Vec<Vec<(VarId, i128)>> = Vec::new();
    for (number, &first) in chosen.iter().enumerate() {
        for (other, &second) in chosen.iter().enumerate().skip(number + 1) {
            sums.extend(PAIRS.map(|[a, b]| vec![(first, a), (second, b)]));
            for &third in &chosen[other + 1..] {
                sums.extend(TRIPLES.map(|[a, b, c]| vec![(first, a), (second, b), (third, c)]));
            }
        }
    }
    let mut found = Vec::new();
    for sum in sums {
        // What has one value only is an equation, and those are found otherwise.
        if let Some((low, high)) = range(&sum)
            && (1..WIDEST).contains(&(high - low))
        {
            found.extend(bounds(program, exprs, &sum, low, high));
        }
    }
    found
}

/// The two bounds, computed so that nothing overflows.
fn bounds(
    program: &Program,
    exprs: &mut ExprPool,
    sum: &[(VarId, i128)],
    low: i128,
    high: i128,
) -> [ExprId; 2] {
    let ty = Ty::signed(64);
    let mut total: Option<ExprId> = None;
    for &(var, factor) in sum {
        let value = exprs.variable(var, program.var(var).ty);
        let mut value = exprs.convert(value, ty);
        if factor != 1 {
            let factor = exprs.constant(factor as u128, ty);
            value = exprs.mul(value, factor);
        }
        total = Some(match total {
            Some(total) => exprs.add(total, value),
            None => value,
        });
    }
    let total = total.unwrap_or_else(|| exprs.zero(ty));
    let (low, high) = (
        exprs.constant(low as u128, ty),
        exprs.constant(high as u128, ty),
    );
    [exprs.le(low, total), exprs.le(total, high)]
}
