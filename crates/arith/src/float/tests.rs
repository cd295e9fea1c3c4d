//! Operations against other implementations: the host's unit and a port of LLVM's soft floats.

use super::*;
use proptest::prelude::*;
use rustc_apfloat::ieee;
use rustc_apfloat::{Float, FloatConvert, Round};

/// Patterns of a layout in which special ones are as likely as arbitrary ones, and exponents near
/// one another, near the bounds and near that of one are likely.
pub(super) fn pattern(layout: Layout) -> impl Strategy<Value = u128> {
    let width = layout.width();
    let stored = layout.stored_significand_bits();
    let one_field = layout.bias() as u128;
    let field_mask = int::mask(layout.exponent_bits());
    let field = prop_oneof![
        2 => any::<u128>(),
        2 => 0u128..3,
        2 => (0u128..3).prop_map(move |d| field_mask.wrapping_sub(d)),
        4 => (0u128..260).prop_map(move |d| one_field.wrapping_add(d).wrapping_sub(130)),
    ];
    let significand = prop_oneof![
        any::<u128>(),
        (0u128..4),
        (0u128..4).prop_map(u128::wrapping_neg),
        (0u32..128, 0u32..128).prop_map(|(i, j)| 1u128 << i | 1u128 << j),
        (0u32..128, 0u32..128).prop_map(|(i, j)| (u128::MAX << i) ^ 1u128 << j),
        (0u32..128).prop_map(|i| u128::MAX >> i),
    ];
    (any::<bool>(), field, significand, 0u32..16).prop_map(
        move |(sign, field, significand, odd)| {
            let mut significand = significand & int::mask(stored);
            let field = field & field_mask;
            // Mostly proper extended patterns, sometimes the ones that no operation makes.
            if layout.has_explicit_integer_bit() && odd != 0 {
                significand &= int::mask(stored - 1);
                significand |= u128::from(field != 0) << (stored - 1);
            }
            u128::from(sign) << (width - 1) | field << stored | significand
        },
    )
}

fn canonical(layout: Layout, bits: u128) -> u128 {
    if is_nan(layout, bits) {
        layout.nan()
    } else {
        bits
    }
}

const RNE: RoundingMode = RoundingMode::NearestEven;

macro_rules! against_host {
    ($name:ident, $layout:expr, $float:ty, $bits:ty, $of:expr) => {
        mod $name {
            use super::*;
            const L: Layout = $layout;
            proptest! {
                #![proptest_config(ProptestConfig::with_cases(8000))]
                #[test]
                fn exact_agrees_with_the_host(a in pattern(L), b in pattern(L), c in pattern(L)) {
                    let of: fn($float) -> u128 = $of;
                    let x = <$float>::from_bits(a as $bits);
                    let y = <$float>::from_bits(b as $bits);
                    let z = <$float>::from_bits(c as $bits);
                    prop_assert_eq!(exact::add(L, RNE, a, b), of(x + y));
                    prop_assert_eq!(exact::add(L, RNE, a, neg(L, b)), of(x - y));
                    prop_assert_eq!(exact::mul(L, RNE, a, b), of(x * y));
                    prop_assert_eq!(exact::div(L, RNE, a, b), of(x / y));
                    prop_assert_eq!(exact::fma(L, RNE, a, b, c), of(x.mul_add(y, z)));
                    prop_assert_eq!(exact::sqrt(L, RNE, a), of(x.sqrt()));
                    prop_assert_eq!(exact::rem(L, exact::Quotient::Truncated, a, b), of(x % y));
                    prop_assert_eq!(exact::compare(L, a, b), x.partial_cmp(&y));
                    prop_assert_eq!(equal(L, a, b), x == y);
                    prop_assert_eq!(less(L, a, b), x < y);
                    prop_assert_eq!(less_or_equal(L, a, b), x <= y);
                    prop_assert_eq!(canonical(L, neg(L, a)), of(-x));
                    prop_assert_eq!(canonical(L, abs(L, a)), of(x.abs()));
                    prop_assert_eq!(canonical(L, copysign(L, a, b)), of(x.copysign(y)));
                    for rm in RoundingMode::ALL {
                        prop_assert_eq!(exact::round_to_integral(L, rm, a), round_to_integral(L, rm, a));
                    }
                    prop_assert_eq!(is_nan(L, a), x.is_nan());
                    prop_assert_eq!(is_inf(L, a), x.is_infinite());
                    prop_assert_eq!(is_zero(L, a), x == 0.0);
                    prop_assert_eq!(is_normal(L, a), x.is_normal());
                    prop_assert_eq!(is_subnormal(L, a), x.is_subnormal());
                    prop_assert_eq!(sign_bit(L, a), x.is_sign_negative());
                }

                #[test]
                fn integers_agree_with_the_host(bits in any::<u128>(), shift in 0u32..128, a in pattern(L)) {
                    let of: fn($float) -> u128 = $of;
                    let bits = bits >> shift;
                    prop_assert_eq!(integer::from_int(L, RNE, bits, 128, false), of(bits as $float));
                    prop_assert_eq!(integer::from_int(L, RNE, bits, 128, true), of(bits as i128 as $float));
                    prop_assert_eq!(integer::from_int(L, RNE, bits, 64, true), of(bits as i64 as $float));
                    prop_assert_eq!(integer::from_int(L, RNE, bits, 32, false), of(bits as u32 as $float));
                    let x = <$float>::from_bits(a as $bits);
                    // The host saturates, so equality there and back means the number fits.
                    if let Some(result) = to_int(L, a, RoundingMode::TowardZero, 32, true) {
                        prop_assert_eq!(int::to_signed(result, 32), i128::from(x as i32));
                    } else {
                        prop_assert!(x.is_nan() || x.trunc() > i32::MAX as $float || x.trunc() < i32::MIN as $float || x as i32 == i32::MAX);
                    }
                    if let Some(result) = to_int(L, a, RoundingMode::TowardZero, 64, false) {
                        prop_assert_eq!(result, u128::from(x as u64));
                    } else {
                        prop_assert!(x.is_nan() || x <= -1.0 || x as u64 == u64::MAX);
                    }
                }

                #[test]
                fn text_agrees_with_the_host(a in pattern(L)) {
                    let of: fn($float) -> u128 = $of;
                    let x = <$float>::from_bits(a as $bits);
                    if x.is_finite() {
                        prop_assert_eq!(parse(L, &format!("{x:e}")), Ok(a));
                        prop_assert_eq!(parse(L, &format!("{x}")), Ok(a));
                        prop_assert_eq!(parse(L, &hex_literal(L, a).expect("finite")), Ok(a));
                        let short = format!("{x:.3e}");
                        prop_assert_eq!(parse(L, &short), Ok(of(short.parse().expect("a number"))));
                    }
                }
            }
        }
    };
}

against_host!(host_single, Layout::SINGLE, f32, u32, single);
against_host!(host_double, Layout::DOUBLE, f64, u64, double);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]
    #[test]
    fn conversions_agree_with_the_host(a in pattern(Layout::SINGLE), b in pattern(Layout::DOUBLE)) {
        let x = f32::from_bits(a as u32);
        let y = f64::from_bits(b as u64);
        prop_assert_eq!(exact::convert(Layout::SINGLE, Layout::DOUBLE, RNE, a), double(f64::from(x)));
        prop_assert_eq!(exact::convert(Layout::DOUBLE, Layout::SINGLE, RNE, b), single(y as f32));
    }
}

fn llvm_mode(rm: RoundingMode) -> Round {
    match rm {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::TowardPositive => Round::TowardPositive,
        RoundingMode::TowardNegative => Round::TowardNegative,
        RoundingMode::TowardZero => Round::TowardZero,
    }
}

macro_rules! against_llvm {
    ($name:ident, $layout:expr, $float:ty) => {
        mod $name {
            use super::*;
            const L: Layout = $layout;
            fn of(value: $float) -> u128 {
                canonical(L, value.to_bits())
            }
            fn to<T>(rm: Round, value: $float) -> u128
            where
                T: Float,
                $float: FloatConvert<T>,
            {
                let mut loses = false;
                FloatConvert::<T>::convert_r(value, rm, &mut loses).value.to_bits()
            }
            proptest! {
                #![proptest_config(ProptestConfig::with_cases(3000))]
                #[test]
                fn all_modes_agree(a in pattern(L), b in pattern(L), c in pattern(L), mode in 0usize..5) {
                    let rm = RoundingMode::ALL[mode];
                    let round = llvm_mode(rm);
                    let [x, y, z] = [a, b, c].map(<$float>::from_bits);
                    // Patterns that no operation makes mean something else to LLVM.
                    if L == Layout::X87 && [a, b, c].iter().any(|bits| improper_x87(*bits)) {
                        return Ok(());
                    }
                    prop_assert_eq!(exact::add(L, rm, a, b), of(x.add_r(y, round).value));
                    prop_assert_eq!(exact::add(L, rm, a, neg(L, b)), of(x.sub_r(y, round).value));
                    prop_assert_eq!(exact::mul(L, rm, a, b), of(x.mul_r(y, round).value));
                    prop_assert_eq!(exact::div(L, rm, a, b), of(x.div_r(y, round).value));
                    prop_assert_eq!(exact::fma(L, rm, a, b, c), of(x.mul_add_r(y, z, round).value));
                    prop_assert_eq!(exact::round_to_integral(L, rm, a), of(x.round_to_integral(round).value));
                    prop_assert_eq!(exact::compare(L, a, b), x.partial_cmp(&y));
                    let half = exact::convert(L, Layout::HALF, rm, a);
                    prop_assert_eq!(half, canonical(Layout::HALF, to::<ieee::Half>(round, x)));
                    let single = exact::convert(L, Layout::SINGLE, rm, a);
                    prop_assert_eq!(single, canonical(Layout::SINGLE, to::<ieee::Single>(round, x)));
                    let double = exact::convert(L, Layout::DOUBLE, rm, a);
                    prop_assert_eq!(double, canonical(Layout::DOUBLE, to::<ieee::Double>(round, x)));
                    let x87 = exact::convert(L, Layout::X87, rm, a);
                    prop_assert_eq!(x87, canonical(Layout::X87, to::<ieee::X87DoubleExtended>(round, x)));
                    let quad = exact::convert(L, Layout::QUAD, rm, a);
                    prop_assert_eq!(quad, canonical(Layout::QUAD, to::<ieee::Quad>(round, x)));
                    for width in [2usize, 7, 8, 16, 32, 33, 64, 128] {
                        let mut is_exact = false;
                        let signed = x.to_i128_r(width, round, &mut is_exact);
                        let expected = (!signed.status.contains(rustc_apfloat::Status::INVALID_OP))
                            .then(|| int::from_signed(signed.value, width as u32));
                        prop_assert_eq!(to_int(L, a, rm, width as u32, true), expected);
                        let unsigned = x.to_u128_r(width, round, &mut is_exact);
                        let expected = (!unsigned.status.contains(rustc_apfloat::Status::INVALID_OP))
                            .then_some(unsigned.value);
                        prop_assert_eq!(to_int(L, a, rm, width as u32, false), expected);
                    }
                    prop_assert_eq!(from_int(L, rm, c, 128, false), of(<$float>::from_u128_r(c, round).value));
                    prop_assert_eq!(from_int(L, rm, c, 128, true), of(<$float>::from_i128_r(c as i128, round).value));
                }
            }
        }
    };
}

/// Patterns that mean no number or that have a second, usual spelling.
fn improper_x87(bits: u128) -> bool {
    let field = bits >> 64 & 0x7fff;
    let integer_bit = bits >> 63 & 1;
    (field == 0) == (integer_bit == 1)
}

against_llvm!(llvm_half, Layout::HALF, ieee::Half);
against_llvm!(llvm_single, Layout::SINGLE, ieee::Single);
against_llvm!(llvm_double, Layout::DOUBLE, ieee::Double);
against_llvm!(llvm_x87, Layout::X87, ieee::X87DoubleExtended);
against_llvm!(llvm_quad, Layout::QUAD, ieee::Quad);
