//! Conversion between float formats.

use super::format::{Format, Parts};
use super::round::{Exact, round};
use super::words::{add_constant, append_zeros};
use crate::{RoundingMode, Term, TermPool};

/// A packed float of one format in another.
pub(super) fn convert(
    pool: &mut TermPool,
    from: Format,
    to: Format,
    rm: RoundingMode,
    a: Term,
) -> Term {
    let parts = Parts::of(pool, from, a);
    let offset = from.least_exponent() - to.least_exponent();
    let width = from.exponent.max(to.exponent) + 2;
    let scale = pool.resize(parts.scale, width, false);
    let missing = (to.precision + 2).saturating_sub(from.precision);
    let exact = Exact {
        sign: parts.sign,
        position: add_constant(pool, scale, offset),
        significand: append_zeros(pool, parts.significand, missing),
        // A subnormal number is only shifted if the target goes further down.
        leading_zeros: if offset > 0 { from.precision - 1 } else { 0 },
        may_underflow: offset < 0,
    };
    let finite = round(pool, to, rm, &exact);
    let infinity = to.infinity(pool, parts.sign);
    let nan = to.nan(pool);
    let result = pool.ite(parts.infinite, infinity, finite);
    pool.ite(parts.nan, nan, result)
}
