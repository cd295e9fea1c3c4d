//! Exact ends of bitwise operations on intervals.
//!
//! H. S. Warren, *Hacker's Delight*, section 4-3, gives the extreme values of `x | y` and `x ^ y`
//! for unsigned ranges. Here numbers are signed and of unbounded width: each operand is cut at
//! zero, and within one sign the order of two's-complement numbers is the unsigned order of their
//! 128-bit patterns. With an unbounded operand the ends follow from the signs and from the bounded
//! operand.

use crate::interval::Interval;

#[derive(Clone, Copy)]
enum Operation {
    And,
    Or,
    Xor,
}

pub(crate) fn and(a: Interval, b: Interval) -> Interval {
    combine(a, b, Operation::And)
}

pub(crate) fn or(a: Interval, b: Interval) -> Interval {
    combine(a, b, Operation::Or)
}

pub(crate) fn xor(a: Interval, b: Interval) -> Interval {
    combine(a, b, Operation::Xor)
}

/// The parts of an interval below zero and from zero on.
fn signs(a: Interval) -> [Interval; 2] {
    [
        a.intersect(Interval::at_most(-1)),
        a.intersect(Interval::at_least(0)),
    ]
}

fn combine(a: Interval, b: Interval, operation: Operation) -> Interval {
    let mut result = Interval::EMPTY;
    for x in signs(a) {
        for y in signs(b) {
            if !x.is_empty() && !y.is_empty() {
                result = result.hull(combine_signs(x, y, operation));
            }
        }
    }
    result
}

/// Operands that do not cross zero.
fn combine_signs(x: Interval, y: Interval, operation: Operation) -> Interval {
    if x.is_bounded() && y.is_bounded() {
        let ends = |i: Interval| (i.raw_lower() as u128, i.raw_upper() as u128);
        let ((a, b), (c, d)) = (ends(x), ends(y));
        let (lo, hi) = match operation {
            Operation::And => (!max_or(!b, !a, !d, !c), !min_or(!b, !a, !d, !c)),
            Operation::Or => (min_or(a, b, c, d), max_or(a, b, c, d)),
            Operation::Xor => (min_xor(a, b, c, d), max_xor(a, b, c, d)),
        };
        return Interval::finite(lo as i128, hi as i128);
    }
    let x_negative = x.raw_upper() < 0;
    let y_negative = y.raw_upper() < 0;
    match operation {
        // A result is negative exactly if both are; it is at most either operand that is not
        // negative, and if both are negative at most the smaller one.
        Operation::And => {
            let hi = match (x_negative, y_negative) {
                (true, true) | (false, false) => x.raw_upper().min(y.raw_upper()),
                (true, false) => y.raw_upper(),
                (false, true) => x.raw_upper(),
            };
            let lo = if x_negative && y_negative {
                None
            } else {
                Some(0)
            };
            Interval::new(lo, None).intersect(Interval::at_most(hi))
        }
        // Dual: `x | y = !(!x & !y)`.
        Operation::Or => combine_signs(x.bit_not(), y.bit_not(), Operation::And).bit_not(),
        Operation::Xor => {
            if x_negative == y_negative {
                Interval::at_least(0)
            } else {
                Interval::at_most(-1)
            }
        }
    }
}

/// The highest bit that is set in some end; the searches below find nothing to change above it.
fn first_bit(ends: [u128; 4]) -> u128 {
    match ends.into_iter().fold(0, |any, end| any | end) {
        0 => 0,
        any => 1 << (127 - any.leading_zeros()),
    }
}

fn min_or(a: u128, b: u128, c: u128, d: u128) -> u128 {
    let (a, c) = raised(a, b, c, d, true);
    a | c
}

fn max_or(a: u128, b: u128, c: u128, d: u128) -> u128 {
    let (b, d) = lowered(a, b, c, d, true);
    b | d
}

fn min_xor(a: u128, b: u128, c: u128, d: u128) -> u128 {
    let (a, c) = raised(a, b, c, d, false);
    a ^ c
}

fn max_xor(a: u128, b: u128, c: u128, d: u128) -> u128 {
    let (b, d) = lowered(a, b, c, d, false);
    b ^ d
}

/// The lower ends of `[a, b]` and `[c, d]`, raised where a bit is then set in both; at the highest
/// such bit only if that is enough.
fn raised(mut a: u128, b: u128, mut c: u128, d: u128, only_once: bool) -> (u128, u128) {
    let mut bit = first_bit([a, b, c, d]);
    while bit != 0 {
        let before = (a, c);
        if !a & c & bit != 0 {
            let candidate = (a | bit) & bit.wrapping_neg();
            if candidate <= b {
                a = candidate;
            }
        } else if a & !c & bit != 0 {
            let candidate = (c | bit) & bit.wrapping_neg();
            if candidate <= d {
                c = candidate;
            }
        }
        if only_once && (a, c) != before {
            break;
        }
        bit >>= 1;
    }
    (a, c)
}

/// The upper ends of `[a, b]` and `[c, d]`: where both have a bit, one of them does without it and
/// sets all lower ones; at the highest such bit only if that is enough.
fn lowered(a: u128, mut b: u128, c: u128, mut d: u128, only_once: bool) -> (u128, u128) {
    let mut bit = first_bit([a, b, c, d]);
    while bit != 0 {
        if b & d & bit != 0 {
            let candidates = [(b - bit) | (bit - 1), (d - bit) | (bit - 1)];
            if candidates[0] >= a {
                b = candidates[0];
            } else if candidates[1] >= c {
                d = candidates[1];
            }
            if only_once && b & d & bit == 0 {
                break;
            }
        }
        bit >>= 1;
    }
    (b, d)
}
