//! Correctly rounded arithmetic for every layout.
//!
//! Each operation computes its exact result as ±n · 2^e with an unbounded n (division and square
//! root: enough bits of it, and whether anything was cut off), and [`round`] is the only place
//! where a result becomes inexact. There is no alignment by guard bits to get wrong, and all
//! formats and rounding modes share the code. Hardware does the common cases elsewhere; here
//! clarity counts more than speed.

use super::RoundingMode;
use super::layout::{Decoded, Finite, Layout};
use num_bigint::BigUint;
use std::cmp::Ordering;

/// A nonnegative real number n · 2^e, or if `inexact` one strictly between n · 2^e and (n + 1) ·
/// 2^e.
pub(super) struct Magnitude {
    pub(super) integer: BigUint,
    pub(super) exponent: i64,
    pub(super) inexact: bool,
}

impl Magnitude {
    pub(super) fn exact(integer: BigUint, exponent: i64) -> Magnitude {
        Magnitude {
            integer,
            exponent,
            inexact: false,
        }
    }
}

pub(super) fn is_zero(n: &BigUint) -> bool {
    n.bits() == 0
}

/// The magnitude divided by 2^(`lowest` - exponent) and rounded to an integer, which is exact if
/// there is nothing to cut.
pub(super) fn round_at(
    rm: RoundingMode,
    negative: bool,
    value: &Magnitude,
    lowest: i64,
) -> BigUint {
    let cut = lowest - value.exponent;
    if cut <= 0 {
        return &value.integer << cut.unsigned_abs();
    }
    let cut = cut.unsigned_abs();
    let kept = &value.integer >> cut;
    let half = value.integer.bit(cut - 1);
    // The bits below the half bit are zero exactly if the lowest set bit is not among them.
    let below_half = value.inexact
        || value
            .integer
            .trailing_zeros()
            .is_some_and(|lowest_set| lowest_set < cut - 1);
    let increment = match rm {
        RoundingMode::NearestEven => half && (below_half || kept.bit(0)),
        RoundingMode::NearestAway => half,
        RoundingMode::TowardPositive => !negative && (half || below_half),
        RoundingMode::TowardNegative => negative && (half || below_half),
        RoundingMode::TowardZero => false,
    };
    if increment { kept + 1u32 } else { kept }
}

/// The number of the layout that the rounding mode picks for ±`value`.
///
/// An inexact value must have at least two bits more than the layout's precision, so that what was
/// cut off lies below the half bit.
pub(super) fn round(layout: Layout, rm: RoundingMode, negative: bool, value: &Magnitude) -> u128 {
    let bits = value.integer.bits() as i64;
    if bits == 0 {
        return layout.zero(negative);
    }
    let precision = i64::from(layout.significand_bits());
    let lowest = (value.exponent + bits - precision).max(layout.lowest_exponent());
    let largest = layout.bias() + 1 - precision;
    if lowest > largest {
        return layout.overflow(rm, negative);
    }
    let mut significand = round_at(rm, negative, value, lowest);
    let mut exponent = lowest;
    if significand.bits() as i64 > precision {
        significand >>= 1u32;
        exponent += 1;
        if exponent > largest {
            return layout.overflow(rm, negative);
        }
    }
    let significand = u128::try_from(significand)
        .expect("a significand of at most the precision, which is at most 126 bits");
    layout.encode_rounded(Finite {
        negative,
        exponent,
        significand,
    })
}

/// The sign of an exact zero that is the sum of two numbers of opposite sign.
fn zero_sum_is_negative(rm: RoundingMode) -> bool {
    rm == RoundingMode::TowardNegative
}

/// ±n · 2^e with an unbounded n.
struct Signed {
    negative: bool,
    integer: BigUint,
    exponent: i64,
}

impl Signed {
    fn of(number: Finite) -> Signed {
        Signed {
            negative: number.negative,
            integer: BigUint::from(number.significand),
            exponent: number.exponent,
        }
    }
}

/// Both integers at the smaller of the two exponents.
fn align(a: &BigUint, a_exponent: i64, b: &BigUint, b_exponent: i64) -> (BigUint, BigUint, i64) {
    let exponent = a_exponent.min(b_exponent);
    let a = a << (a_exponent - exponent).unsigned_abs();
    let b = b << (b_exponent - exponent).unsigned_abs();
    (a, b, exponent)
}

fn round_sum(layout: Layout, rm: RoundingMode, a: &Signed, b: &Signed) -> u128 {
    // Zeros first: besides the sign rule, they would be aligned over the whole exponent range for
    // nothing.
    match (is_zero(&a.integer), is_zero(&b.integer)) {
        (true, true) => {
            let negative = if a.negative == b.negative {
                a.negative
            } else {
                zero_sum_is_negative(rm)
            };
            return layout.zero(negative);
        }
        (true, false) => return round_signed(layout, rm, b),
        (false, true) => return round_signed(layout, rm, a),
        (false, false) => {}
    }
    let (x, y, exponent) = align(&a.integer, a.exponent, &b.integer, b.exponent);
    let (negative, integer) = if a.negative == b.negative {
        (a.negative, x + y)
    } else {
        match x.cmp(&y) {
            Ordering::Greater => (a.negative, x - y),
            Ordering::Less => (b.negative, y - x),
            Ordering::Equal => return layout.zero(zero_sum_is_negative(rm)),
        }
    };
    round(layout, rm, negative, &Magnitude::exact(integer, exponent))
}

fn round_signed(layout: Layout, rm: RoundingMode, value: &Signed) -> u128 {
    let magnitude = Magnitude::exact(value.integer.clone(), value.exponent);
    round(layout, rm, value.negative, &magnitude)
}

pub(super) fn add(layout: Layout, rm: RoundingMode, a: u128, b: u128) -> u128 {
    use Decoded::{Finite as F, Infinite, Nan};
    match (layout.decode(a), layout.decode(b)) {
        (Nan, _) | (_, Nan) => layout.nan(),
        (Infinite { negative: x }, Infinite { negative: y }) if x != y => layout.nan(),
        (Infinite { negative }, _) | (_, Infinite { negative }) => layout.infinity(negative),
        (F(x), F(y)) => round_sum(layout, rm, &Signed::of(x), &Signed::of(y)),
    }
}

pub(super) fn mul(layout: Layout, rm: RoundingMode, a: u128, b: u128) -> u128 {
    use Decoded::{Finite as F, Infinite, Nan};
    let negative = layout.sign_bit(a) != layout.sign_bit(b);
    match (layout.decode(a), layout.decode(b)) {
        (Nan, _) | (_, Nan) => layout.nan(),
        (Infinite { .. }, F(x)) | (F(x), Infinite { .. }) if x.significand == 0 => layout.nan(),
        (Infinite { .. }, _) | (_, Infinite { .. }) => layout.infinity(negative),
        (F(x), F(y)) => {
            let product = BigUint::from(x.significand) * y.significand;
            let exponent = x.exponent + y.exponent;
            round(layout, rm, negative, &Magnitude::exact(product, exponent))
        }
    }
}

pub(super) fn div(layout: Layout, rm: RoundingMode, a: u128, b: u128) -> u128 {
    use Decoded::{Finite as F, Infinite, Nan};
    let negative = layout.sign_bit(a) != layout.sign_bit(b);
    match (layout.decode(a), layout.decode(b)) {
        (Nan, _) | (_, Nan) | (Infinite { .. }, Infinite { .. }) => layout.nan(),
        (Infinite { .. }, F(_)) => layout.infinity(negative),
        (F(_), Infinite { .. }) => layout.zero(negative),
        (F(x), F(y)) => match (x.significand, y.significand) {
            (0, 0) => layout.nan(),
            (_, 0) => layout.infinity(negative),
            (dividend, divisor) => {
                // The dividend gets so many bits that the quotient has two more than the precision.
                let wanted = u64::from(layout.significand_bits()) + 3;
                let dividend = BigUint::from(dividend);
                let divisor = BigUint::from(divisor);
                let shift = (wanted + divisor.bits()).saturating_sub(dividend.bits());
                let dividend = dividend << shift;
                let quotient = &dividend / &divisor;
                let value = Magnitude {
                    inexact: &quotient * &divisor != dividend,
                    integer: quotient,
                    exponent: x.exponent - y.exponent - shift as i64,
                };
                round(layout, rm, negative, &value)
            }
        },
    }
}

pub(super) fn fma(layout: Layout, rm: RoundingMode, a: u128, b: u128, c: u128) -> u128 {
    use Decoded::{Finite as F, Infinite, Nan};
    let product_negative = layout.sign_bit(a) != layout.sign_bit(b);
    match (layout.decode(a), layout.decode(b), layout.decode(c)) {
        (Nan, _, _) | (_, Nan, _) | (_, _, Nan) => layout.nan(),
        (Infinite { .. }, F(x), _) | (F(x), Infinite { .. }, _) if x.significand == 0 => {
            layout.nan()
        }
        (Infinite { .. }, _, Infinite { negative })
        | (_, Infinite { .. }, Infinite { negative })
            if negative != product_negative =>
        {
            layout.nan()
        }
        (Infinite { .. }, _, _) | (_, Infinite { .. }, _) => layout.infinity(product_negative),
        (_, _, Infinite { negative }) => layout.infinity(negative),
        (F(x), F(y), F(z)) => {
            let product = Signed {
                negative: product_negative,
                integer: BigUint::from(x.significand) * y.significand,
                exponent: x.exponent + y.exponent,
            };
            round_sum(layout, rm, &product, &Signed::of(z))
        }
    }
}

pub(super) fn sqrt(layout: Layout, rm: RoundingMode, a: u128) -> u128 {
    match layout.decode(a) {
        Decoded::Nan => layout.nan(),
        Decoded::Finite(x) if x.significand == 0 => layout.zero(x.negative),
        Decoded::Finite(Finite { negative: true, .. }) | Decoded::Infinite { negative: true } => {
            layout.nan()
        }
        Decoded::Infinite { negative: false } => layout.infinity(false),
        Decoded::Finite(x) => {
            let radicand = BigUint::from(x.significand);
            let wanted = 2 * (u64::from(layout.significand_bits()) + 3);
            let mut shift = wanted.saturating_sub(radicand.bits());
            // The root of 2^e is a power of two only for an even e.
            if (x.exponent - shift as i64) % 2 != 0 {
                shift += 1;
            }
            let radicand = radicand << shift;
            let root = radicand.sqrt();
            let value = Magnitude {
                inexact: &root * &root != radicand,
                integer: root,
                exponent: (x.exponent - shift as i64) / 2,
            };
            round(layout, rm, false, &value)
        }
    }
}

/// How the quotient of a remainder operation is rounded to an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotient {
    /// C's `fmod`.
    Truncated,
    /// IEEE `remainder`.
    NearestEven,
}

pub(super) fn rem(layout: Layout, quotient: Quotient, a: u128, b: u128) -> u128 {
    use Decoded::{Finite as F, Infinite, Nan};
    match (layout.decode(a), layout.decode(b)) {
        (Nan, _) | (_, Nan) | (Infinite { .. }, _) => layout.nan(),
        (F(_), F(y)) if y.significand == 0 => layout.nan(),
        (F(x), Infinite { .. }) => reencode(layout, x),
        (F(x), F(_)) if x.significand == 0 => layout.zero(x.negative),
        (F(x), F(y)) => {
            let (dividend, divisor, exponent) = align(
                &BigUint::from(x.significand),
                x.exponent,
                &BigUint::from(y.significand),
                y.exponent,
            );
            let whole = &dividend / &divisor;
            let rest = dividend - &whole * &divisor;
            let round_up = quotient == Quotient::NearestEven
                && match (&rest << 1u32).cmp(&divisor) {
                    Ordering::Greater => true,
                    Ordering::Equal => whole.bit(0),
                    Ordering::Less => false,
                };
            let (negative, rest) = if round_up {
                (!x.negative, divisor - rest)
            } else {
                (x.negative, rest)
            };
            if is_zero(&rest) {
                return layout.zero(x.negative);
            }
            // The remainder is representable, so the rounding mode does not matter.
            let value = Magnitude::exact(rest, exponent);
            round(layout, RoundingMode::NearestEven, negative, &value)
        }
    }
}

/// The canonical pattern of a number of this layout.
fn reencode(layout: Layout, number: Finite) -> u128 {
    let value = Magnitude::exact(BigUint::from(number.significand), number.exponent);
    round(layout, RoundingMode::NearestEven, number.negative, &value)
}

pub(super) fn round_to_integral(layout: Layout, rm: RoundingMode, a: u128) -> u128 {
    match layout.decode(a) {
        Decoded::Nan => layout.nan(),
        Decoded::Infinite { negative } => layout.infinity(negative),
        Decoded::Finite(x) if x.exponent >= 0 => reencode(layout, x),
        Decoded::Finite(x) => {
            let value = Magnitude::exact(BigUint::from(x.significand), x.exponent);
            let integer = round_at(rm, x.negative, &value, 0);
            // The integer needs no more bits than the number had, so this only encodes.
            round(layout, rm, x.negative, &Magnitude::exact(integer, 0))
        }
    }
}

pub(super) fn convert(from: Layout, to: Layout, rm: RoundingMode, a: u128) -> u128 {
    match from.decode(a) {
        Decoded::Nan => to.nan(),
        Decoded::Infinite { negative } => to.infinity(negative),
        Decoded::Finite(x) => {
            let value = Magnitude::exact(BigUint::from(x.significand), x.exponent);
            round(to, rm, x.negative, &value)
        }
    }
}

/// The order of two numbers, zeros being equal; `None` if one of them is NaN.
pub(super) fn compare(layout: Layout, a: u128, b: u128) -> Option<Ordering> {
    // Within one layout a larger exponent means a larger magnitude, because only the lowest one has
    // short significands.
    let key = |bits| match layout.decode(bits) {
        Decoded::Nan => None,
        Decoded::Infinite { negative } => Some((negative, (i64::MAX, u128::MAX))),
        Decoded::Finite(Finite { significand: 0, .. }) => Some((false, (i64::MIN, 0))),
        Decoded::Finite(x) => Some((x.negative, (x.exponent, x.significand))),
    };
    let ((a_negative, a), (b_negative, b)) = (key(a)?, key(b)?);
    Some(match (a_negative, b_negative) {
        (false, false) => a.cmp(&b),
        (true, true) => b.cmp(&a),
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
    })
}
