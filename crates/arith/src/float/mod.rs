//! IEEE 754 binary floats, and the x87 extended format, on bit patterns.
//!
//! Every operation takes the format first: one of the five of [`FloatFormat`], or any [`Layout`]. A
//! result that is not a number is always the canonical NaN of [`nan`], so results do not depend on
//! payloads; only [`neg`], [`abs`] and [`copysign`] work on the sign bit alone and keep a NaN's
//! other bits, as the machine does.
//!
//! Binary32 and binary64 in the default rounding mode are computed by the host's own unit;
//! everything else exactly and then rounded once (`exact`).

mod exact;
mod integer;
mod layout;
mod literal;
mod printf;
#[cfg(test)]
mod tests;

pub use integer::conversion_width;
pub use layout::{Decoded, Finite, FloatFormat, Layout};
pub use literal::ParseFloatError;
pub use printf::{Conversion, FormatSpec};

use crate::int;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The rounding directions of IEEE 754.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum RoundingMode {
    /// To the nearest number, from the middle to the one with an even significand: C's default.
    #[default]
    NearestEven,
    /// To the nearest number, from the middle away from zero.
    NearestAway,
    /// Upwards.
    TowardPositive,
    /// Downwards.
    TowardNegative,
    /// Truncation.
    TowardZero,
}

impl RoundingMode {
    /// All five.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];
}

/// The operands as the host's floats, if the host computes the layout in the given rounding mode.
enum Native<const N: usize> {
    Single([f32; N]),
    Double([f64; N]),
    No,
}

fn native<const N: usize>(layout: Layout, rm: RoundingMode, operands: [u128; N]) -> Native<N> {
    if rm != RoundingMode::NearestEven {
        Native::No
    } else if layout == Layout::SINGLE {
        Native::Single(operands.map(|bits| f32::from_bits(bits as u32)))
    } else if layout == Layout::DOUBLE {
        Native::Double(operands.map(|bits| f64::from_bits(bits as u64)))
    } else {
        Native::No
    }
}

/// The bits of a result of the host, whose choice of a NaN is not reproducible.
fn single(value: f32) -> u128 {
    if value.is_nan() {
        Layout::SINGLE.nan()
    } else {
        u128::from(value.to_bits())
    }
}

fn double(value: f64) -> u128 {
    if value.is_nan() {
        Layout::DOUBLE.nan()
    } else {
        u128::from(value.to_bits())
    }
}

/// a + b
pub fn add(format: impl Into<Layout>, rm: RoundingMode, a: u128, b: u128) -> u128 {
    let layout = format.into();
    match native(layout, rm, [a, b]) {
        Native::Single([a, b]) => single(a + b),
        Native::Double([a, b]) => double(a + b),
        Native::No => exact::add(layout, rm, a, b),
    }
}

/// a - b
pub fn sub(format: impl Into<Layout>, rm: RoundingMode, a: u128, b: u128) -> u128 {
    let layout = format.into();
    match native(layout, rm, [a, b]) {
        Native::Single([a, b]) => single(a - b),
        Native::Double([a, b]) => double(a - b),
        Native::No => exact::add(layout, rm, a, neg(layout, b)),
    }
}

/// a · b
pub fn mul(format: impl Into<Layout>, rm: RoundingMode, a: u128, b: u128) -> u128 {
    let layout = format.into();
    match native(layout, rm, [a, b]) {
        Native::Single([a, b]) => single(a * b),
        Native::Double([a, b]) => double(a * b),
        Native::No => exact::mul(layout, rm, a, b),
    }
}

/// a / b
pub fn div(format: impl Into<Layout>, rm: RoundingMode, a: u128, b: u128) -> u128 {
    let layout = format.into();
    match native(layout, rm, [a, b]) {
        Native::Single([a, b]) => single(a / b),
        Native::Double([a, b]) => double(a / b),
        Native::No => exact::div(layout, rm, a, b),
    }
}

/// a · b + c, rounded once.
pub fn fma(format: impl Into<Layout>, rm: RoundingMode, a: u128, b: u128, c: u128) -> u128 {
    // Not the host's: where the processor has no instruction for it, some C libraries round twice.
    exact::fma(format.into(), rm, a, b, c)
}

/// The square root.
pub fn sqrt(format: impl Into<Layout>, rm: RoundingMode, a: u128) -> u128 {
    let layout = format.into();
    match native(layout, rm, [a]) {
        Native::Single([a]) => single(a.sqrt()),
        Native::Double([a]) => double(a.sqrt()),
        Native::No => exact::sqrt(layout, rm, a),
    }
}

/// C's `fmod`: the remainder of the truncated quotient, with the sign of `a`; always exact.
pub fn fmod(format: impl Into<Layout>, a: u128, b: u128) -> u128 {
    let layout = format.into();
    match native(layout, RoundingMode::NearestEven, [a, b]) {
        Native::Single([a, b]) => single(a % b),
        Native::Double([a, b]) => double(a % b),
        Native::No => exact::rem(layout, exact::Quotient::Truncated, a, b),
    }
}

/// IEEE `remainder` (SMT-LIB's `fp.rem`): the remainder of the quotient rounded to the nearest
/// even; always exact.
pub fn remainder(format: impl Into<Layout>, a: u128, b: u128) -> u128 {
    exact::rem(format.into(), exact::Quotient::NearestEven, a, b)
}

/// The sign bit flipped, also that of a NaN.
pub fn neg(format: impl Into<Layout>, a: u128) -> u128 {
    a ^ format.into().zero(true)
}

/// The sign bit cleared, also that of a NaN.
pub fn abs(format: impl Into<Layout>, a: u128) -> u128 {
    a & !format.into().zero(true)
}

/// `magnitude` with the sign bit of `sign`.
pub fn copysign(format: impl Into<Layout>, magnitude: u128, sign: u128) -> u128 {
    let sign_bit = format.into().zero(true);
    magnitude & !sign_bit | sign & sign_bit
}

/// C's `fmin`: a NaN operand is ignored unless both are NaN. Of two equal operands it gives the
/// first, which matters for zeros of different sign: C leaves that open, and for `float` and
/// `double` glibc does the same.
pub fn fmin(format: impl Into<Layout>, a: u128, b: u128) -> u128 {
    choose(format.into(), a, b, Ordering::Less)
}

/// C's `fmax`; see [`fmin`].
pub fn fmax(format: impl Into<Layout>, a: u128, b: u128) -> u128 {
    choose(format.into(), a, b, Ordering::Greater)
}

fn choose(layout: Layout, a: u128, b: u128, first_if: Ordering) -> u128 {
    match exact::compare(layout, a, b) {
        Some(order) if order == first_if || order == Ordering::Equal => a,
        Some(_) => b,
        None => match (is_nan(layout, a), is_nan(layout, b)) {
            (true, true) => layout.nan(),
            (true, false) => b,
            _ => a,
        },
    }
}

/// The order of two numbers, the two zeros being equal; `None` if one of them is NaN.
pub fn compare(format: impl Into<Layout>, a: u128, b: u128) -> Option<Ordering> {
    let layout = format.into();
    match native(layout, RoundingMode::NearestEven, [a, b]) {
        Native::Single([a, b]) => a.partial_cmp(&b),
        Native::Double([a, b]) => a.partial_cmp(&b),
        Native::No => exact::compare(layout, a, b),
    }
}

/// C's `==`.
pub fn equal(format: impl Into<Layout>, a: u128, b: u128) -> bool {
    compare(format, a, b) == Some(Ordering::Equal)
}

/// C's `<`.
pub fn less(format: impl Into<Layout>, a: u128, b: u128) -> bool {
    compare(format, a, b) == Some(Ordering::Less)
}

/// C's `<=`.
pub fn less_or_equal(format: impl Into<Layout>, a: u128, b: u128) -> bool {
    matches!(
        compare(format, a, b),
        Some(Ordering::Less | Ordering::Equal)
    )
}

/// Rounded to an integer in the same format: `floor` (toward negative), `ceil` (toward positive),
/// `trunc` (toward zero), `rint` (nearest even), `round` (nearest away).
pub fn round_to_integral(format: impl Into<Layout>, rm: RoundingMode, a: u128) -> u128 {
    let layout = format.into();
    // All five exist natively, whatever the host's own mode is.
    match native(layout, RoundingMode::NearestEven, [a]) {
        Native::Single([a]) => single(match rm {
            RoundingMode::NearestEven => a.round_ties_even(),
            RoundingMode::NearestAway => a.round(),
            RoundingMode::TowardPositive => a.ceil(),
            RoundingMode::TowardNegative => a.floor(),
            RoundingMode::TowardZero => a.trunc(),
        }),
        Native::Double([a]) => double(match rm {
            RoundingMode::NearestEven => a.round_ties_even(),
            RoundingMode::NearestAway => a.round(),
            RoundingMode::TowardPositive => a.ceil(),
            RoundingMode::TowardNegative => a.floor(),
            RoundingMode::TowardZero => a.trunc(),
        }),
        Native::No => exact::round_to_integral(layout, rm, a),
    }
}

/// The number of format `from` in format `to`.
pub fn convert(from: impl Into<Layout>, to: impl Into<Layout>, rm: RoundingMode, a: u128) -> u128 {
    let (from, to) = (from.into(), to.into());
    match native(from, rm, [a]) {
        Native::Single([a]) if to == Layout::DOUBLE => double(f64::from(a)),
        Native::Double([a]) if to == Layout::SINGLE => single(a as f32),
        _ => exact::convert(from, to, rm, a),
    }
}

/// The integer `bits` of the given width and signedness as a float.
pub fn from_int(
    format: impl Into<Layout>,
    rm: RoundingMode,
    bits: u128,
    width: u32,
    signed: bool,
) -> u128 {
    let layout = format.into();
    match native(layout, rm, []) {
        Native::Single([]) if signed => single(int::to_signed(bits, width) as f32),
        Native::Single([]) => single(int::truncate(bits, width) as f32),
        Native::Double([]) if signed => double(int::to_signed(bits, width) as f64),
        Native::Double([]) => double(int::truncate(bits, width) as f64),
        Native::No => integer::from_int(layout, rm, bits, width, signed),
    }
}

/// The number rounded to an integer of the given width and signedness; `None` for NaN and numbers
/// out of range.
pub fn to_int(
    format: impl Into<Layout>,
    bits: u128,
    rm: RoundingMode,
    width: u32,
    signed: bool,
) -> Option<u128> {
    integer::to_int(format.into(), bits, rm, width, signed)
}

/// C's truncating conversion to an integer, with the result that gcc's code on x86-64 gives for NaN
/// and numbers out of range.
///
/// Code for the 32-bit target, which computes in the x87 unit, gives the same results except for
/// integers of 8 and 16 bits, where it gives what [`FloatFormat::X87`] gives here.
pub fn to_int_x86(format: impl Into<Layout>, bits: u128, width: u32, signed: bool) -> u128 {
    let layout = format.into();
    // Well inside the range of every conversion of 32 bits or more there is nothing to decide.
    const SAFE: f64 = 2147483000.0;
    if width >= 32 {
        let value = match native(layout, RoundingMode::NearestEven, [bits]) {
            Native::Single([value]) => f64::from(value),
            Native::Double([value]) => value,
            Native::No => f64::NAN,
        };
        if value.abs() < SAFE && (signed || value >= 0.0) {
            return int::from_signed(i128::from(value as i64), width);
        }
    }
    integer::to_int_x86(layout, bits, width, signed)
}

/// Whether the pattern is not a number.
pub fn is_nan(format: impl Into<Layout>, bits: u128) -> bool {
    format.into().decode(bits) == Decoded::Nan
}

/// Whether the pattern is an infinity.
pub fn is_inf(format: impl Into<Layout>, bits: u128) -> bool {
    matches!(format.into().decode(bits), Decoded::Infinite { .. })
}

/// Whether the pattern is a zero of either sign.
pub fn is_zero(format: impl Into<Layout>, bits: u128) -> bool {
    matches!(
        format.into().decode(bits),
        Decoded::Finite(Finite { significand: 0, .. })
    )
}

/// Whether the pattern is a number smaller than every normal one, but not zero.
pub fn is_subnormal(format: impl Into<Layout>, bits: u128) -> bool {
    let layout = format.into();
    match layout.decode(bits) {
        Decoded::Finite(x) => {
            x.significand != 0 && x.significand >> (layout.significand_bits() - 1) == 0
        }
        _ => false,
    }
}

/// Whether the pattern is a normal number.
pub fn is_normal(format: impl Into<Layout>, bits: u128) -> bool {
    let layout = format.into();
    match layout.decode(bits) {
        Decoded::Finite(x) => x.significand >> (layout.significand_bits() - 1) != 0,
        _ => false,
    }
}

/// Whether the sign bit is set, also that of a NaN.
pub fn sign_bit(format: impl Into<Layout>, bits: u128) -> bool {
    format.into().sign_bit(bits)
}

/// Zero.
pub fn zero(format: impl Into<Layout>, negative: bool) -> u128 {
    format.into().zero(negative)
}

/// The smallest positive number.
pub fn min_positive(format: impl Into<Layout>) -> u128 {
    format.into().min_positive()
}

/// The largest finite number.
pub fn max_finite(format: impl Into<Layout>, negative: bool) -> u128 {
    format.into().max_finite(negative)
}

/// Infinity.
pub fn infinity(format: impl Into<Layout>, negative: bool) -> u128 {
    format.into().infinity(negative)
}

/// The canonical NaN.
pub fn nan(format: impl Into<Layout>) -> u128 {
    format.into().nan()
}

/// The value of a C floating literal without its suffix, decimal or hexadecimal, optionally with a
/// sign; rounded to the nearest even.
pub fn parse(format: impl Into<Layout>, text: &str) -> Result<u128, ParseFloatError> {
    literal::parse(format.into(), RoundingMode::NearestEven, text)
}

/// A finite number as a hexadecimal C literal without suffix, exactly; `None` for infinities and
/// NaN, which C cannot spell as literals.
pub fn hex_literal(format: impl Into<Layout>, bits: u128) -> Option<String> {
    literal::hex_literal(format.into(), bits)
}

/// The number as a C expression of exactly its type and value: a literal with the format's suffix,
/// or for infinities and NaN a call of gcc's builtin function.
pub fn c_expression(format: FloatFormat, bits: u128) -> String {
    let (literal_suffix, builtin_suffix) = match format {
        FloatFormat::Half => ("f16", "f16"),
        FloatFormat::Single => ("f", "f"),
        FloatFormat::Double => ("", ""),
        FloatFormat::X87 => ("L", "l"),
        FloatFormat::Quad => ("Q", "f128"),
    };
    if let Some(literal) = hex_literal(format, bits) {
        return literal + literal_suffix;
    }
    let sign = if sign_bit(format, bits) { "-" } else { "" };
    if is_nan(format, bits) {
        format!("{sign}__builtin_nan{builtin_suffix}(\"\")")
    } else {
        format!("{sign}__builtin_inf{builtin_suffix}()")
    }
}

/// The number as `printf` prints it. (A `float` argument is promoted: convert it to
/// [`FloatFormat::Double`] first.)
pub fn format(format: impl Into<Layout>, bits: u128, spec: &FormatSpec) -> String {
    printf::format(format.into(), bits, spec)
}
