//! Conversions between floats and integers.

use super::RoundingMode;
use super::exact::{self, Magnitude};
use super::layout::{Decoded, Finite, Layout};
use crate::int;
use num_bigint::BigUint;

pub(super) fn from_int(
    layout: Layout,
    rm: RoundingMode,
    bits: u128,
    width: u32,
    signed: bool,
) -> u128 {
    let bits = int::truncate(bits, width);
    let negative = signed && int::is_negative(bits, width);
    let magnitude = if negative {
        int::neg(bits, width)
    } else {
        bits
    };
    let value = Magnitude::exact(BigUint::from(magnitude), 0);
    exact::round(layout, rm, negative, &value)
}

/// The number rounded to an integer, if that fits.
pub(super) fn to_int(
    layout: Layout,
    bits: u128,
    rm: RoundingMode,
    width: u32,
    signed: bool,
) -> Option<u128> {
    let Decoded::Finite(number) = layout.decode(bits) else {
        return None;
    };
    let magnitude = integer_magnitude(number, rm)?;
    let limit = match (signed, number.negative) {
        (true, true) => int::signed_min(width),
        (true, false) => int::signed_max(width),
        (false, true) => 0,
        (false, false) => int::mask(width),
    };
    if magnitude > limit {
        None
    } else if number.negative {
        Some(int::neg(magnitude, width))
    } else {
        Some(magnitude)
    }
}

/// The magnitude of the number rounded to an integer; `None` if it needs more than 128 bits.
fn integer_magnitude(number: Finite, rm: RoundingMode) -> Option<u128> {
    if number.significand == 0 {
        return Some(0);
    }
    if number.exponent >= 128 {
        return None;
    }
    let value = Magnitude::exact(BigUint::from(number.significand), number.exponent);
    u128::try_from(exact::round_at(rm, number.negative, &value, 0)).ok()
}

/// The truncating conversion of C, with the result that code compiled by gcc for x86-64 really
/// gives when the number is out of range, which C leaves undefined.
///
/// What the compiler does depends on the format, because different units or library routines
/// convert.
pub(super) fn to_int_x86(layout: Layout, bits: u128, width: u32, signed: bool) -> u128 {
    if width > 64 {
        return to_int_128(layout, bits, width, signed);
    }
    if layout == Layout::QUAD {
        return to_int_saturating(layout, bits, width, signed);
    }
    let instruction_width = conversion_width(layout == Layout::X87, width, signed);
    if width > 32 && !signed {
        int::truncate(to_u64_in_two_branches(layout, bits), width)
    } else {
        int::truncate(convert_instruction(layout, bits, instruction_width), width)
    }
}

/// The width of the instruction that converts a float to an integer of up to 64 bits, which always
/// gives a signed one.
pub fn conversion_width(is_x87: bool, width: u32, signed: bool) -> u32 {
    match (width, signed) {
        (0..=8, _) | (9..=16, true) if is_x87 => 16,
        (0..=16, _) | (17..=32, true) => 32,
        _ => 64,
    }
}

/// `cvttsd2si`, `fistp` and their like: out of range gives the "integer indefinite", which is the
/// smallest value.
fn convert_instruction(layout: Layout, bits: u128, width: u32) -> u128 {
    to_int(layout, bits, RoundingMode::TowardZero, width, true).unwrap_or(int::signed_min(width))
}

/// There is no instruction for `unsigned long`: numbers from 2^63 on are converted after
/// subtracting 2^63, and the sign bit is flipped back. Negative numbers and NaN take the direct
/// branch.
fn to_u64_in_two_branches(layout: Layout, bits: u128) -> u128 {
    let two_63 = from_int(layout, RoundingMode::NearestEven, 1 << 63, 64, false);
    let reaches_two_63 = matches!(
        exact::compare(layout, bits, two_63),
        Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal)
    );
    if reaches_two_63 {
        let reduced = exact::add(
            layout,
            RoundingMode::NearestEven,
            bits,
            negated(layout, two_63),
        );
        convert_instruction(layout, reduced, 64) ^ 1 << 63
    } else {
        convert_instruction(layout, bits, 64)
    }
}

fn negated(layout: Layout, bits: u128) -> u128 {
    bits ^ layout.zero(true)
}

/// The library's routines for binary128 (and those for 128-bit integers from binary16) saturate;
/// they convert to at least 32 bits, of which narrower types take the low part.
fn to_int_saturating(layout: Layout, bits: u128, width: u32, signed: bool) -> u128 {
    let routine_width = match width {
        0..=32 => 32,
        33..=64 => 64,
        _ => 128,
    };
    let result = to_int(
        layout,
        bits,
        RoundingMode::TowardZero,
        routine_width,
        signed,
    );
    let negative = layout.sign_bit(bits);
    int::truncate(
        result.unwrap_or(match (signed, negative) {
            (true, true) => int::signed_min(routine_width),
            (true, false) => int::signed_max(routine_width),
            (false, true) => 0,
            (false, false) => int::mask(routine_width),
        }),
        width,
    )
}

fn to_int_128(layout: Layout, bits: u128, width: u32, signed: bool) -> u128 {
    if layout != Layout::SINGLE && layout != Layout::DOUBLE && layout != Layout::X87 {
        return to_int_saturating(layout, bits, width, signed);
    }
    if let Some(result) = to_int(layout, bits, RoundingMode::TowardZero, 128, signed) {
        return int::truncate(result, width);
    }
    // The signed routine converts the magnitude with the unsigned one; the number's own sign bit
    // does not matter, only whether it is less than zero, so a NaN is converted as it is.
    let is_less_than_zero =
        exact::compare(layout, bits, layout.zero(false)) == Some(std::cmp::Ordering::Less);
    let result = if signed && is_less_than_zero {
        int::neg(to_u128_in_two_words(layout, negated(layout, bits)), 128)
    } else {
        to_u128_in_two_words(layout, bits)
    };
    int::truncate(result, width)
}

/// libgcc's way to an unsigned 128-bit integer: the upper word is the quotient by 2^64, the lower
/// word what is left, each converted as an `unsigned long`.
fn to_u128_in_two_words(layout: Layout, bits: u128) -> u128 {
    const RM: RoundingMode = RoundingMode::NearestEven;
    // A float is widened first, so that the subtraction below is exact.
    let (layout, bits) = if layout == Layout::SINGLE {
        (
            Layout::DOUBLE,
            exact::convert(Layout::SINGLE, Layout::DOUBLE, RM, bits),
        )
    } else {
        (layout, bits)
    };
    let is_x87 = layout == Layout::X87;
    let is_less_than_zero =
        exact::compare(layout, bits, layout.zero(false)) == Some(std::cmp::Ordering::Less);
    if is_x87 && is_less_than_zero {
        return 0;
    }
    let two_64 = from_int(layout, RM, 1 << 64, 128, false);
    let high = to_u64_in_two_branches(layout, exact::div(layout, RM, bits, two_64));
    let high_as_float = from_int(layout, RM, high << 64, 128, false);
    let rest = exact::add(layout, RM, bits, negated(layout, high_as_float));
    let rest_is_negative =
        exact::compare(layout, rest, layout.zero(false)) == Some(std::cmp::Ordering::Less);
    if is_x87 {
        // The routine for the extended format adds or subtracts the rest's magnitude.
        if rest_is_negative {
            let low = to_u64_in_two_branches(layout, negated(layout, rest));
            int::sub(high << 64, low, 128)
        } else {
            int::add(high << 64, to_u64_in_two_branches(layout, rest), 128)
        }
    } else {
        high << 64 | to_u64_in_two_branches(layout, rest)
    }
}
