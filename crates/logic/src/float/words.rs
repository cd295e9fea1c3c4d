//! Small circuits on bit-vectors that the float operations share.

use crate::{Term, TermPool};

/// Number of bits that a number needs.
pub(super) fn bit_length(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// `term` with `count` zeros below it.
pub(super) fn append_zeros(pool: &mut TermPool, term: Term, count: u32) -> Term {
    if count == 0 {
        return term;
    }
    let zeros = pool.bv(count, 0);
    pool.concat(term, zeros)
}

/// Is any bit set?
pub(super) fn nonzero(pool: &mut TermPool, term: Term) -> Term {
    pool.bv_to_bool(term)
}

/// The condition as one bit.
pub(super) fn as_bit(pool: &mut TermPool, condition: Term) -> Term {
    pool.bool_to_bv(condition, 1)
}

/// The low bits of a term, none of them if there are fewer than one: is one of them set?
pub(super) fn any_of_low_bits(pool: &mut TermPool, term: Term, count: u32) -> Term {
    if count == 0 {
        return TermPool::FALSE;
    }
    let low = pool.extract(term, count - 1, 0);
    nonzero(pool, low)
}

/// The term plus a constant, modulo its width.
pub(super) fn add_constant(pool: &mut TermPool, term: Term, constant: i64) -> Term {
    let width = pool.width(term);
    let constant = pool.bv_signed(width, i128::from(constant));
    pool.bv_add(term, constant)
}

/// The term shifted left by `amount` constant places, within its width.
fn shift_left_constant(pool: &mut TermPool, term: Term, amount: u32) -> Term {
    let width = pool.width(term);
    let kept = pool.extract(term, width - amount - 1, 0);
    append_zeros(pool, kept, amount)
}

/// Logical right shift in which the lowest bit remembers whether a one was shifted out.
///
/// In stages, so that a stage looks only at the bits that it drops; a shift followed by a
/// comparison with the shift back would cost a second shifter.
pub(super) fn shift_right_sticky(pool: &mut TermPool, term: Term, amount: Term) -> Term {
    let width = pool.width(term);
    let amount_width = pool.width(amount);
    let stages = bit_length(u64::from(width - 1)).min(amount_width);
    let mut shifted = term;
    let mut lost = TermPool::FALSE;
    for stage in 0..stages {
        let places = 1 << stage;
        let here = pool.bit(amount, stage);
        let (next, dropped) = if places < width {
            let kept = pool.extract(shifted, width - 1, places);
            let next = pool.zero_extend(kept, places);
            (next, any_of_low_bits(pool, shifted, places))
        } else {
            (pool.bv(width, 0), nonzero(pool, shifted))
        };
        let dropped_here = pool.and(here, dropped);
        lost = pool.or(lost, dropped_here);
        shifted = pool.ite(here, next, shifted);
    }
    if amount_width > stages {
        let high = pool.extract(amount, amount_width - 1, stages);
        let everything = nonzero(pool, high);
        let any = nonzero(pool, term);
        let all_lost = pool.and(everything, any);
        lost = pool.or(lost, all_lost);
        let zero = pool.bv(width, 0);
        shifted = pool.ite(everything, zero, shifted);
    }
    let lost = as_bit(pool, lost);
    let lost = pool.zero_extend(lost, width - 1);
    pool.bv_or(shifted, lost)
}

/// Shifts left until the top bit is set, but by no more than `limit` (an unsigned number) and no
/// more than `most` places. Returns the shifted term and what is left of the limit.
pub(super) fn normalise_within(
    pool: &mut TermPool,
    term: Term,
    limit: Term,
    most: u32,
) -> (Term, Term) {
    let width = pool.width(term);
    let limit_width = pool.width(limit);
    let most = most.min(width - 1);
    let (mut shifted, mut left) = (term, limit);
    for stage in (0..bit_length(u64::from(most))).rev() {
        let places = 1 << stage;
        if stage >= limit_width {
            continue;
        }
        let high = pool.extract(left, limit_width - 1, stage);
        let allowed = nonzero(pool, high);
        let top = pool.extract(shifted, width - 1, width - places);
        let top_set = nonzero(pool, top);
        let top_clear = pool.not(top_set);
        let here = pool.and(allowed, top_clear);
        let next = shift_left_constant(pool, shifted, places);
        shifted = pool.ite(here, next, shifted);
        let less = add_constant(pool, high, -1);
        let high = pool.ite(here, less, high);
        left = if stage == 0 {
            high
        } else {
            let low = pool.extract(left, stage - 1, 0);
            pool.concat(high, low)
        };
    }
    (shifted, left)
}

/// Shifts left until the top bit is set. Returns the shifted term and the number of places, as wide
/// as it needs to be; for zero the number means nothing.
pub(super) fn normalise(pool: &mut TermPool, term: Term) -> (Term, Term) {
    let width = pool.width(term);
    let stages = bit_length(u64::from(width - 1));
    let mut shifted = term;
    let mut places_bits = Vec::new();
    for stage in (0..stages).rev() {
        let places = 1 << stage;
        let top = pool.extract(shifted, width - 1, width - places);
        let top_set = nonzero(pool, top);
        let here = pool.not(top_set);
        let next = shift_left_constant(pool, shifted, places);
        shifted = pool.ite(here, next, shifted);
        places_bits.push(as_bit(pool, here));
    }
    let places = if places_bits.is_empty() {
        pool.bv(1, 0)
    } else {
        pool.concat_all(&places_bits)
    };
    (shifted, places)
}

/// `a - b` if `subtract`, else `a + b`, with one adder: the carry into the lowest bit comes from
/// one more bit below.
pub(super) fn add_or_subtract(pool: &mut TermPool, subtract: Term, a: Term, b: Term) -> Term {
    let width = pool.width(a);
    let complement = pool.bv_not(b);
    let b = pool.ite(subtract, complement, b);
    let one = pool.bv(1, 1);
    let carry = as_bit(pool, subtract);
    let a = pool.concat(a, one);
    let b = pool.concat(b, carry);
    let sum = pool.bv_add(a, b);
    pool.extract(sum, width, 1)
}

/// One step of a restoring division: `remainder` is less than twice the `divisor`, both of one
/// width of which the top bit is a spare. Returns the digit and the new remainder, which is less
/// than the divisor.
pub(super) fn division_step(pool: &mut TermPool, remainder: Term, divisor: Term) -> (Term, Term) {
    let width = pool.width(remainder);
    let difference = pool.bv_sub(remainder, divisor);
    let borrow = pool.bit(difference, width - 1);
    let digit = pool.not(borrow);
    let next = pool.ite(borrow, remainder, difference);
    (digit, next)
}
