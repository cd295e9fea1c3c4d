//! `printf`'s `%f`, `%e`, `%g` and `%a`, as glibc prints them.

use super::RoundingMode;
use super::exact::{self, Magnitude};
use super::layout::{Decoded, Finite, Layout};
use num_bigint::BigUint;

/// Which of the conversions is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `%f`
    Fixed,
    /// `%e`
    Exponent,
    /// `%g`
    General,
    /// `%a`
    Hexadecimal,
}

/// A conversion specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatSpec {
    /// The conversion.
    pub conversion: Conversion,
    /// `%F`, `%E`, `%G`, `%A` instead of the lower-case letters.
    pub uppercase: bool,
    /// Flag `-`.
    pub left_align: bool,
    /// Flag `+`.
    pub plus: bool,
    /// Flag space.
    pub space: bool,
    /// Flag `#`.
    pub alternate: bool,
    /// Flag `0`.
    pub zero_pad: bool,
    /// Minimum field width.
    pub width: usize,
    /// Precision, if given.
    pub precision: Option<usize>,
}

impl FormatSpec {
    /// The conversion without any flags.
    pub fn plain(conversion: Conversion) -> FormatSpec {
        FormatSpec {
            conversion,
            uppercase: false,
            left_align: false,
            plus: false,
            space: false,
            alternate: false,
            zero_pad: false,
            width: 0,
            precision: None,
        }
    }
}

pub(super) fn format(layout: Layout, bits: u128, spec: &FormatSpec) -> String {
    let sign = if layout.sign_bit(bits) {
        "-"
    } else if spec.plus {
        "+"
    } else if spec.space {
        " "
    } else {
        ""
    };
    let (prefix, body, zero_pad) = match layout.decode(bits) {
        Decoded::Nan => ("", "nan".to_owned(), false),
        Decoded::Infinite { .. } => ("", "inf".to_owned(), false),
        Decoded::Finite(number) => match spec.conversion {
            Conversion::Hexadecimal => ("0x", hexadecimal(layout, number, spec), spec.zero_pad),
            _ => ("", decimal(number, spec), spec.zero_pad),
        },
    };
    let missing = spec
        .width
        .saturating_sub(sign.len() + prefix.len() + body.len());
    let text = if spec.left_align {
        format!("{sign}{prefix}{body}{}", " ".repeat(missing))
    } else if zero_pad {
        format!("{sign}{prefix}{}{body}", "0".repeat(missing))
    } else {
        format!("{}{sign}{prefix}{body}", " ".repeat(missing))
    };
    if spec.uppercase {
        text.to_ascii_uppercase()
    } else {
        text
    }
}

/// The exact decimal expansion 0.d₁d₂d₃… · 10^`point`: `digits` without leading zeros, empty for
/// zero.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn of(number: Finite) -> Decimal {
        if number.significand == 0 {
            return Decimal {
                digits: Vec::new(),
                point: 1,
            };
        }
        let significand = BigUint::from(number.significand);
        let (integer, scale) = if number.exponent >= 0 {
            (significand << number.exponent.unsigned_abs(), 0)
        } else {
            // n / 2^k = n · 5^k / 10^k
            let power = BigUint::from(5u32).pow(number.exponent.unsigned_abs() as u32);
            (significand * power, number.exponent)
        };
        let digits = integer.to_radix_be(10);
        let point = digits.len() as i64 + scale;
        Decimal { digits, point }
    }

    /// Rounded to the nearest with `count` digits (ties to even); a negative count leaves nothing.
    fn rounded(mut self, count: i64) -> Decimal {
        if count < 0 {
            self.digits.clear();
            return self;
        }
        let count = count as usize;
        if count >= self.digits.len() {
            return self;
        }
        let rest = self.digits.split_off(count);
        let above_half = rest[0] > 5 || rest[0] == 5 && rest[1..].iter().any(|digit| *digit != 0);
        let tie = rest[0] == 5 && !above_half;
        let last_is_odd = self.digits.last().is_some_and(|digit| digit % 2 == 1);
        if above_half || tie && last_is_odd {
            let mut at = count;
            loop {
                if at == 0 {
                    self.digits.insert(0, 1);
                    self.point += 1;
                    break;
                }
                at -= 1;
                if self.digits[at] == 9 {
                    self.digits[at] = 0;
                } else {
                    self.digits[at] += 1;
                    break;
                }
            }
        }
        self
    }

    fn digit(&self, index: i64) -> char {
        let digit = usize::try_from(index)
            .ok()
            .and_then(|index| self.digits.get(index));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }
}

fn decimal(number: Finite, spec: &FormatSpec) -> String {
    let precision = spec.precision.unwrap_or(6);
    let exact = Decimal::of(number);
    match spec.conversion {
        Conversion::Exponent => scientific(
            &round_significant(exact, precision),
            precision,
            spec.alternate,
        ),
        Conversion::General => general(exact, precision.max(1), spec.alternate),
        Conversion::Fixed | Conversion::Hexadecimal => {
            let count = exact.point.saturating_add_unsigned(precision as u64);
            fixed(&exact.rounded(count), precision, spec.alternate)
        }
    }
}

/// Rounded to one digit before the point and `precision` after it.
fn round_significant(exact: Decimal, precision: usize) -> Decimal {
    exact.rounded(1i64.saturating_add_unsigned(precision as u64))
}

fn fixed(value: &Decimal, precision: usize, alternate: bool) -> String {
    let mut text = String::new();
    for index in 0..value.point {
        text.push(value.digit(index));
    }
    if text.is_empty() {
        text.push('0');
    }
    if precision > 0 || alternate {
        text.push('.');
    }
    for index in 0..precision as i64 {
        text.push(value.digit(value.point + index));
    }
    text
}

fn scientific(value: &Decimal, precision: usize, alternate: bool) -> String {
    let exponent = if value.digits.is_empty() {
        0
    } else {
        value.point - 1
    };
    let mut text = String::new();
    text.push(value.digit(0));
    if precision > 0 || alternate {
        text.push('.');
    }
    for index in 0..precision as i64 {
        text.push(value.digit(1 + index));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text + &format!("e{sign}{:02}", exponent.unsigned_abs())
}

fn general(exact: Decimal, precision: usize, alternate: bool) -> String {
    let value = round_significant(exact, precision - 1);
    let exponent = if value.digits.is_empty() {
        0
    } else {
        value.point - 1
    };
    let in_fixed_range =
        exponent >= -4 && u64::try_from(exponent).map_or(true, |e| e < precision as u64);
    // Without the flag, trailing zeros are not printed; then only as many digits as there are
    // count.
    let shown = if alternate {
        precision as i64
    } else {
        let zeros = value
            .digits
            .iter()
            .rev()
            .take_while(|digit| **digit == 0)
            .count();
        ((value.digits.len() - zeros) as i64).clamp(1, precision as i64)
    };
    if in_fixed_range {
        fixed(&value, (shown - 1 - exponent).max(0) as usize, alternate)
    } else {
        scientific(&value, (shown - 1).max(0) as usize, alternate)
    }
}

/// Without the prefix `0x`.
fn hexadecimal(layout: Layout, number: Finite, spec: &FormatSpec) -> String {
    // The leading digit holds the integer bit alone, but of the extended format the top four bits.
    let leading_bits = if layout.has_explicit_integer_bit() {
        4
    } else {
        1
    };
    let fraction_bits = layout.significand_bits() - leading_bits;
    let digits = fraction_bits.div_ceil(4);
    let padding = 4 * digits - fraction_bits;
    let exponent = if number.significand == 0 {
        0
    } else {
        number.exponent + i64::from(fraction_bits)
    };
    let significand = BigUint::from(number.significand) << padding;
    let (shown, significand) = match spec.precision {
        Some(precision) if precision < digits as usize => {
            let value = Magnitude::exact(significand, 0);
            let cut = 4 * (i64::from(digits) - precision as i64);
            let kept = exact::round_at(RoundingMode::NearestEven, false, &value, cut);
            (precision, kept)
        }
        _ => (digits as usize, significand),
    };
    // A leading digit that was rounded up from 15 moves the point.
    let carried = significand.bits() > 4 * (shown as u64 + 1);
    let (significand, exponent) = if carried {
        (significand >> 4u32, exponent + 4)
    } else {
        (significand, exponent)
    };
    let text = significand.to_str_radix(16);
    let text = format!(
        "{}{text}",
        "0".repeat((shown + 1).saturating_sub(text.len()))
    );
    let (leading, fraction) = text.split_at(text.len() - shown);
    let fraction = match spec.precision {
        Some(precision) => format!("{fraction}{}", "0".repeat(precision - shown)),
        None => fraction.trim_end_matches('0').to_owned(),
    };
    let point = if fraction.is_empty() && !spec.alternate {
        ""
    } else {
        "."
    };
    format!("{leading}{point}{fraction}p{exponent:+}")
}
