//! Circuits for arithmetic. Vectors hold the least significant bit first.

use super::Gates;
use crate::sat::Lit;
use crate::term::{BvValue, Op, Term, TermPool};

/// Sum and carry out.
fn add_with_carry(gates: &mut Gates, a: &[Lit], b: &[Lit], carry_in: Lit) -> (Vec<Lit>, Lit) {
    let mut carry = carry_in;
    let mut sum = Vec::with_capacity(a.len());
    for (position, (&x, &y)) in a.iter().zip(b).enumerate() {
        sum.push(gates.xor3(x, y, carry));
        // The last carry is wanted only by those who ask for it.
        if position + 1 < a.len() {
            carry = gates.majority(x, y, carry);
        }
    }
    (sum, carry)
}

fn add(gates: &mut Gates, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    add_with_carry(gates, a, b, carry).0
}

fn negated(bits: &[Lit]) -> Vec<Lit> {
    bits.iter().map(|&bit| !bit).collect()
}

fn constant_bits(value: &BvValue) -> Vec<Lit> {
    (0..value.width())
        .map(|position| Lit::from(value.bit(position)))
        .collect()
}

/// The operand of a negation, and whether there was one.
pub(super) fn without_minus(pool: &TermPool, term: Term) -> (Term, bool) {
    if pool.op(term) == Op::BvMul
        && let [factor, operand] = *pool.args(term)
        && pool.as_bv_const(factor).is_some_and(BvValue::is_ones)
    {
        return (operand, true);
    }
    (term, false)
}

/// A sum of monomials. Subtracted operands are complemented; the ones still missing go into
/// carries.
pub(super) fn sum<'a>(
    gates: &mut Gates,
    pool: &TermPool,
    term: Term,
    bits_of: impl Fn(Term) -> &'a [Lit],
) -> Vec<Lit> {
    let width = pool.width(term);
    let mut constant = BvValue::zero(width);
    let mut operands: Vec<Vec<Lit>> = Vec::new();
    for &arg in pool.args(term) {
        if let Some(value) = pool.as_bv_const(arg) {
            constant = constant.add(value);
            continue;
        }
        match without_minus(pool, arg) {
            (operand, true) => {
                operands.push(negated(bits_of(operand)));
                constant = constant.add(&BvValue::one(width));
            }
            (operand, false) => operands.push(bits_of(operand).to_vec()),
        }
    }
    let carries = operands.len() - 1;
    let in_carries = constant
        .small_number()
        .filter(|&number| number <= carries as u128)
        .map(|number| number as usize);
    let (mut carries_left, as_operand) = match in_carries {
        Some(number) => (number, None),
        None => (0, Some(constant_bits(&constant))),
    };
    let mut operands = operands.into_iter();
    let mut result = operands.next().expect("a sum has operands");
    // The constant comes last: sums that share their first operands then share their first adders.
    for operand in operands.chain(as_operand) {
        let carry = Lit::from(carries_left > 0);
        carries_left = carries_left.saturating_sub(1);
        result = add(gates, &result, &operand, carry);
    }
    result
}

/// Product with a constant: additions and subtractions of shifted operands, few of them
/// (non-adjacent form).
pub(super) fn multiply_const(gates: &mut Gates, factor: &BvValue, operand: &[Lit]) -> Vec<Lit> {
    let width = operand.len();
    let mut result: Option<Vec<Lit>> = None;
    let mut rest = factor.clone();
    let mut position = 0;
    while position < width && !rest.is_zero() {
        if rest.bit(0) {
            let subtract = rest.width() > 1 && rest.bit(1);
            let one = BvValue::one(rest.width());
            let shifted: Vec<Lit> = std::iter::repeat_n(Lit::FALSE, position)
                .chain(operand.iter().copied())
                .take(width)
                .collect();
            result = Some(match (result, subtract) {
                (None, false) => shifted,
                (None, true) => {
                    let zero = vec![Lit::FALSE; width];
                    add(gates, &zero, &negated(&shifted), Lit::TRUE)
                }
                (Some(sum), false) => add(gates, &sum, &shifted, Lit::FALSE),
                (Some(sum), true) => add(gates, &sum, &negated(&shifted), Lit::TRUE),
            });
            rest = if subtract {
                rest.add(&one)
            } else {
                rest.sub(&one)
            };
        }
        if rest.width() == 1 {
            break;
        }
        rest = rest.extract(rest.width() - 1, 1);
        position += 1;
    }
    result.unwrap_or_else(|| vec![Lit::FALSE; width])
}

/// Product of two variables: one row of an array multiplier per bit.
pub(super) fn multiply(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let width = a.len();
    let constants = |bits: &[Lit]| bits.iter().filter(|bit| **bit == Lit::FALSE).count();
    // Rows are made by the operand with more zeros: each zero bit saves a row.
    let (rows, columns) = if constants(a) >= constants(b) {
        (a, b)
    } else {
        (b, a)
    };
    let mut result = vec![Lit::FALSE; width];
    for (position, &row) in rows.iter().enumerate() {
        if row == Lit::FALSE {
            continue;
        }
        let partial: Vec<Lit> = columns[..width - position]
            .iter()
            .map(|&column| gates.and(row, column))
            .collect();
        let sum = add(gates, &result[position..], &partial, Lit::FALSE);
        result.truncate(position);
        result.extend(sum);
    }
    result
}

/// Quotient and remainder by restoring division; for a zero divisor the circuit gives all ones and
/// the dividend, as SMT-LIB wants.
pub(super) fn divide(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = a.len();
    let mut remainder = vec![Lit::FALSE; width];
    let mut quotient = vec![Lit::FALSE; width];
    let not_b = negated(b);
    for position in (0..width).rev() {
        // The remainder doubled plus the next bit needs one bit more than the divisor.
        let overflow = remainder[width - 1];
        remainder.rotate_right(1);
        remainder[0] = a[position];
        let fits = {
            let less = unsigned_less(gates, &remainder, b);
            gates.or(overflow, !less)
        };
        quotient[position] = fits;
        let difference = add(gates, &remainder, &not_b, Lit::TRUE);
        for (bit, &other) in remainder.iter_mut().zip(&difference) {
            *bit = gates.mux(fits, other, *bit);
        }
    }
    (quotient, remainder)
}

/// Unsigned less-than: no carry out of `a + ~b + 1`. The carries are those of the subtraction, if
/// that exists too.
pub(super) fn unsigned_less(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let mut carry = Lit::TRUE;
    for (&x, &y) in a.iter().zip(b) {
        carry = gates.majority(x, !y, carry);
    }
    !carry
}

/// Signed less-than: unsigned less-than with the sign bits exchanged.
pub(super) fn signed_less(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let last = a.len() - 1;
    let mut carry = Lit::TRUE;
    for position in 0..last {
        carry = gates.majority(a[position], !b[position], carry);
    }
    !gates.majority(b[last], !a[last], carry)
}

/// Left shift by a variable amount.
pub(super) fn shift_left(gates: &mut Gates, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
    let reversed: Vec<Lit> = a.iter().rev().copied().collect();
    let mut result = shift_right(gates, &reversed, amount, Lit::FALSE);
    result.reverse();
    result
}

/// Right shift by a variable amount, filling with a literal.
pub(super) fn shift_right(gates: &mut Gates, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
    let width = a.len();
    let mut result = a.to_vec();
    let mut too_far = Vec::new();
    for (stage, &select) in amount.iter().enumerate() {
        let distance = if stage < 32 {
            1usize << stage
        } else {
            usize::MAX
        };
        if distance >= width {
            too_far.push(!select);
            continue;
        }
        result = (0..width)
            .map(|position| {
                let moved = position
                    .checked_add(distance)
                    .and_then(|source| result.get(source).copied())
                    .unwrap_or(fill);
                gates.mux(select, moved, result[position])
            })
            .collect();
    }
    let within = gates.and_all(too_far);
    for bit in &mut result {
        *bit = gates.mux(within, *bit, fill);
    }
    result
}
