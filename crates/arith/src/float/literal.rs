//! Floating literals of C, read and written.

use super::RoundingMode;
use super::exact::{self, Magnitude};
use super::layout::{Decoded, Layout};
use num_bigint::BigUint;
use std::fmt;

/// Why a text is not a floating literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseFloatError {
    /// There is no digit before the exponent.
    NoDigits,
    /// A hexadecimal literal without its binary exponent.
    NoBinaryExponent,
    /// The exponent has no digit.
    NoExponentDigits,
    /// The byte at this offset does not belong there.
    UnexpectedCharacter(usize),
}

impl fmt::Display for ParseFloatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseFloatError::NoDigits => write!(f, "a floating literal needs a digit"),
            ParseFloatError::NoBinaryExponent => {
                write!(f, "a hexadecimal floating literal needs an exponent")
            }
            ParseFloatError::NoExponentDigits => write!(f, "the exponent has no digits"),
            ParseFloatError::UnexpectedCharacter(offset) => {
                write!(
                    f,
                    "unexpected character at offset {offset} of a floating literal"
                )
            }
        }
    }
}

impl std::error::Error for ParseFloatError {}

/// A literal split into its parts; the value is `digits` · base^(`scale`) · (10 or 2)^`exponent`.
struct Scanned {
    negative: bool,
    hexadecimal: bool,
    digits: BigUint,
    /// Digits after the point, negated.
    scale: i64,
    exponent: i64,
}

/// Exponents beyond this decide the result whatever the digits are, as long as there are fewer
/// digits than this.
const EXPONENT_LIMIT: i64 = 1 << 40;

fn scan(text: &str) -> Result<Scanned, ParseFloatError> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let negative = bytes.first() == Some(&b'-');
    if matches!(bytes.first(), Some(b'-' | b'+')) {
        at += 1;
    }
    let hexadecimal = bytes.len() >= at + 2 && bytes[at] == b'0' && bytes[at + 1] | 32 == b'x';
    if hexadecimal {
        at += 2;
    }
    let radix = if hexadecimal { 16 } else { 10 };
    let mut digits = Vec::new();
    let mut scale = 0;
    let mut seen_point = false;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'.' && !seen_point {
            seen_point = true;
        } else if let Some(digit) = char::from(byte).to_digit(radix) {
            digits.push(digit as u8);
            scale -= i64::from(seen_point);
        } else {
            break;
        }
        at += 1;
    }
    if digits.is_empty() {
        return Err(ParseFloatError::NoDigits);
    }
    let digits =
        BigUint::from_radix_be(&digits, radix).expect("every digit is less than the radix");
    let mark = if hexadecimal { b'p' } else { b'e' };
    let mut exponent = 0i64;
    if bytes.get(at).is_some_and(|byte| byte | 32 == mark) {
        at += 1;
        let exponent_negative = bytes.get(at) == Some(&b'-');
        if matches!(bytes.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let first_digit = at;
        while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
            exponent = (exponent * 10 + i64::from(digit - b'0')).min(EXPONENT_LIMIT);
            at += 1;
        }
        if at == first_digit {
            return Err(ParseFloatError::NoExponentDigits);
        }
        if exponent_negative {
            exponent = -exponent;
        }
    } else if hexadecimal && at == bytes.len() {
        return Err(ParseFloatError::NoBinaryExponent);
    }
    if at < bytes.len() {
        return Err(ParseFloatError::UnexpectedCharacter(at));
    }
    Ok(Scanned {
        negative,
        hexadecimal,
        digits,
        scale,
        exponent,
    })
}

pub(super) fn parse(layout: Layout, rm: RoundingMode, text: &str) -> Result<u128, ParseFloatError> {
    let literal = scan(text)?;
    if exact::is_zero(&literal.digits) {
        return Ok(layout.zero(literal.negative));
    }
    let value = if literal.hexadecimal {
        Magnitude::exact(literal.digits, 4 * literal.scale + literal.exponent)
    } else {
        decimal_magnitude(layout, literal.digits, literal.scale + literal.exponent)
    };
    Ok(exact::round(layout, rm, literal.negative, &value))
}

/// `digits` · 10^`exponent`, with at least as many bits as rounding needs.
fn decimal_magnitude(layout: Layout, digits: BigUint, exponent: i64) -> Magnitude {
    let precision = i64::from(layout.significand_bits());
    // Powers of ten far outside the format would be huge numbers computed in vain: a digit string
    // of n bits has more than n/4 digits, and 10^k lies outside the exponent range for |k| beyond
    // this bound.
    let reach = layout.bias() + precision + 64;
    let bits = digits.bits() as i64;
    if exponent > reach || exponent < -(reach + bits) {
        let exponent = if exponent > 0 { 4 * reach } else { -4 * reach };
        return Magnitude {
            integer: BigUint::from(1u32) << (precision + 8) as u64,
            exponent,
            inexact: true,
        };
    }
    let power = BigUint::from(5u32).pow(exponent.unsigned_abs() as u32);
    if exponent >= 0 {
        return Magnitude::exact(digits * power, exponent);
    }
    let shift = (power.bits() as i64 - bits + precision + 8).max(0);
    let dividend = digits << shift as u64;
    let quotient = &dividend / &power;
    Magnitude {
        inexact: &quotient * &power != dividend,
        integer: quotient,
        exponent: exponent - shift,
    }
}

/// A finite number as a hexadecimal literal without suffix, exactly; `None` for infinities and NaN.
pub(super) fn hex_literal(layout: Layout, bits: u128) -> Option<String> {
    let Decoded::Finite(number) = layout.decode(bits) else {
        return None;
    };
    let sign = if number.negative { "-" } else { "" };
    if number.significand == 0 {
        return Some(format!("{sign}0x0p+0"));
    }
    // One bit before the point, the others left-aligned in whole hexadecimal digits.
    let fraction_bits = number.significand.ilog2();
    let fraction = number.significand ^ 1 << fraction_bits;
    let digits = fraction_bits.div_ceil(4);
    let text = if digits == 0 {
        String::new()
    } else {
        let aligned = fraction << (4 * digits - fraction_bits);
        format!("{aligned:0width$x}", width = digits as usize)
    };
    let text = text.trim_end_matches('0');
    let point = if text.is_empty() { "" } else { "." };
    let exponent = number.exponent + i64::from(fraction_bits);
    Some(format!("{sign}0x1{point}{text}p{exponent:+}"))
}
