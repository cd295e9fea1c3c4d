//! Fixed-width two's-complement integers on bit patterns.
//!
//! Every function takes operands whose bits above the width are zero and returns a pattern with the
//! same property; operands with stray high bits are truncated first, so a caller cannot get a
//! pattern out of range. A width outside 1..=128 is treated as the nearest bound.

/// All bits of a value of width `w` set.
#[inline]
pub fn mask(w: u32) -> u128 {
    if w >= 128 {
        u128::MAX
    } else {
        (1u128 << w.max(1)) - 1
    }
}

/// The low `w` bits of `v`.
#[inline]
pub fn truncate(v: u128, w: u32) -> u128 {
    v & mask(w)
}

/// The pattern `v` of width `w` read as a signed number.
#[inline]
pub fn to_signed(v: u128, w: u32) -> i128 {
    let unused = 128 - w.clamp(1, 128);
    ((v << unused) as i128) >> unused
}

/// Another name of [`to_signed`]: the sign bit copied into all bits above the width.
#[inline]
pub fn sign_extend(v: u128, w: u32) -> i128 {
    to_signed(v, w)
}

/// The pattern of width `to` with the same signed (or unsigned) value as `v` of width `from`,
/// modulo 2^`to`.
#[inline]
pub fn resize(v: u128, from: u32, signed: bool, to: u32) -> u128 {
    let wide = if signed {
        to_signed(v, from) as u128
    } else {
        truncate(v, from)
    };
    truncate(wide, to)
}

/// The pattern of a signed number, modulo 2^w.
#[inline]
pub fn from_signed(v: i128, w: u32) -> u128 {
    truncate(v as u128, w)
}

/// The smallest signed value of width `w`, as a pattern: only the sign bit is set.
#[inline]
pub fn signed_min(w: u32) -> u128 {
    1u128 << (w.clamp(1, 128) - 1)
}

/// The largest signed value of width `w`, as a pattern.
#[inline]
pub fn signed_max(w: u32) -> u128 {
    mask(w) ^ signed_min(w)
}

/// Whether the sign bit is set.
#[inline]
pub fn is_negative(v: u128, w: u32) -> bool {
    v & signed_min(w) != 0
}

/// Addition modulo 2^w.
#[inline]
pub fn add(a: u128, b: u128, w: u32) -> u128 {
    truncate(a.wrapping_add(b), w)
}

/// Subtraction modulo 2^w.
#[inline]
pub fn sub(a: u128, b: u128, w: u32) -> u128 {
    truncate(a.wrapping_sub(b), w)
}

/// Multiplication modulo 2^w.
#[inline]
pub fn mul(a: u128, b: u128, w: u32) -> u128 {
    truncate(a.wrapping_mul(b), w)
}

/// Two's-complement negation modulo 2^w.
#[inline]
pub fn neg(a: u128, w: u32) -> u128 {
    truncate(a.wrapping_neg(), w)
}

/// Bitwise complement.
#[inline]
pub fn not(a: u128, w: u32) -> u128 {
    truncate(!a, w)
}

/// Bitwise conjunction.
#[inline]
pub fn and(a: u128, b: u128, w: u32) -> u128 {
    truncate(a & b, w)
}

/// Bitwise disjunction.
#[inline]
pub fn or(a: u128, b: u128, w: u32) -> u128 {
    truncate(a | b, w)
}

/// Bitwise exclusive disjunction.
#[inline]
pub fn xor(a: u128, b: u128, w: u32) -> u128 {
    truncate(a ^ b, w)
}

/// Unsigned quotient; `None` if the divisor is zero.
#[inline]
pub fn udiv(a: u128, b: u128, w: u32) -> Option<u128> {
    truncate(a, w).checked_div(truncate(b, w))
}

/// Unsigned remainder; `None` if the divisor is zero.
#[inline]
pub fn urem(a: u128, b: u128, w: u32) -> Option<u128> {
    truncate(a, w).checked_rem(truncate(b, w))
}

/// Signed quotient, rounded towards zero; the smallest value divided by -1 wraps to itself; `None`
/// if the divisor is zero.
#[inline]
pub fn sdiv(a: u128, b: u128, w: u32) -> Option<u128> {
    let divisor = to_signed(b, w);
    (divisor != 0).then(|| from_signed(to_signed(a, w).wrapping_div(divisor), w))
}

/// Signed remainder with the sign of the dividend; `None` if the divisor is zero.
#[inline]
pub fn srem(a: u128, b: u128, w: u32) -> Option<u128> {
    let divisor = to_signed(b, w);
    (divisor != 0).then(|| from_signed(to_signed(a, w).wrapping_rem(divisor), w))
}

/// SMT-LIB `bvshl`: a count of the width or more gives zero.
#[inline]
pub fn shl(a: u128, count: u128, w: u32) -> u128 {
    if count >= u128::from(w) {
        0
    } else {
        truncate(a << count, w)
    }
}

/// SMT-LIB `bvlshr`: a count of the width or more gives zero.
#[inline]
pub fn lshr(a: u128, count: u128, w: u32) -> u128 {
    if count >= u128::from(w) {
        0
    } else {
        truncate(a, w) >> count
    }
}

/// SMT-LIB `bvashr`: a count of the width or more gives the sign in every bit.
#[inline]
pub fn ashr(a: u128, count: u128, w: u32) -> u128 {
    let count = count.min(u128::from(w.clamp(1, 128) - 1));
    from_signed(to_signed(a, w) >> count, w)
}

/// The count that an x86 shift of a value of width `w` really uses.
///
/// The processor looks at five bits of the count, or at six for 64-bit operands; the sequence that
/// compilers emit for 128-bit operands looks at seven. A negative count is covered, because only
/// low bits matter.
#[inline]
pub fn x86_shift_count(count: u128, w: u32) -> u128 {
    match w {
        0..=32 => count & 31,
        33..=64 => count & 63,
        _ => count & 127,
    }
}

/// C's `<<` as x86 executes it: like [`shl`] after [`x86_shift_count`].
#[inline]
pub fn shl_x86(a: u128, count: u128, w: u32) -> u128 {
    shl(a, x86_shift_count(count, w), w)
}

/// C's `>>` on an unsigned operand as x86 executes it: like [`lshr`] after [`x86_shift_count`].
#[inline]
pub fn lshr_x86(a: u128, count: u128, w: u32) -> u128 {
    lshr(a, x86_shift_count(count, w), w)
}

/// C's `>>` on a signed operand as x86 executes it: like [`ashr`] after [`x86_shift_count`].
#[inline]
pub fn ashr_x86(a: u128, count: u128, w: u32) -> u128 {
    ashr(a, x86_shift_count(count, w), w)
}

/// Unsigned `<`.
#[inline]
pub fn ult(a: u128, b: u128, w: u32) -> bool {
    truncate(a, w) < truncate(b, w)
}

/// Unsigned `<=`.
#[inline]
pub fn ule(a: u128, b: u128, w: u32) -> bool {
    truncate(a, w) <= truncate(b, w)
}

/// Signed `<`.
#[inline]
pub fn slt(a: u128, b: u128, w: u32) -> bool {
    to_signed(a, w) < to_signed(b, w)
}

/// Signed `<=`.
#[inline]
pub fn sle(a: u128, b: u128, w: u32) -> bool {
    to_signed(a, w) <= to_signed(b, w)
}

/// Equality of the low `w` bits.
#[inline]
pub fn equal(a: u128, b: u128, w: u32) -> bool {
    truncate(a ^ b, w) == 0
}

/// Whether the unsigned sum does not fit.
#[inline]
pub fn uadd_overflows(a: u128, b: u128, w: u32) -> bool {
    match truncate(a, w).checked_add(truncate(b, w)) {
        Some(sum) => sum > mask(w),
        None => true,
    }
}

/// Whether the unsigned difference is negative.
#[inline]
pub fn usub_overflows(a: u128, b: u128, w: u32) -> bool {
    ult(a, b, w)
}

/// Whether the unsigned product does not fit.
#[inline]
pub fn umul_overflows(a: u128, b: u128, w: u32) -> bool {
    match truncate(a, w).checked_mul(truncate(b, w)) {
        Some(product) => product > mask(w),
        None => true,
    }
}

/// Whether the signed sum does not fit.
#[inline]
pub fn sadd_overflows(a: u128, b: u128, w: u32) -> bool {
    !fits_signed(to_signed(a, w).checked_add(to_signed(b, w)), w)
}

/// Whether the signed difference does not fit.
#[inline]
pub fn ssub_overflows(a: u128, b: u128, w: u32) -> bool {
    !fits_signed(to_signed(a, w).checked_sub(to_signed(b, w)), w)
}

/// Whether the signed product does not fit.
#[inline]
pub fn smul_overflows(a: u128, b: u128, w: u32) -> bool {
    !fits_signed(to_signed(a, w).checked_mul(to_signed(b, w)), w)
}

/// Whether the signed quotient does not fit: only the smallest value divided by -1.
#[inline]
pub fn sdiv_overflows(a: u128, b: u128, w: u32) -> bool {
    truncate(a, w) == signed_min(w) && truncate(b, w) == mask(w)
}

/// Whether the signed negation does not fit: only that of the smallest value.
#[inline]
pub fn neg_overflows(a: u128, w: u32) -> bool {
    truncate(a, w) == signed_min(w)
}

fn fits_signed(exact: Option<i128>, w: u32) -> bool {
    exact.is_some_and(|value| to_signed(value as u128, w) == value)
}

/// Rotation to the left; the count is taken modulo the width.
#[inline]
pub fn rotate_left(a: u128, count: u128, w: u32) -> u128 {
    let count = count % u128::from(w.clamp(1, 128));
    let a = truncate(a, w);
    if count == 0 {
        a
    } else {
        shl(a, count, w) | lshr(a, u128::from(w) - count, w)
    }
}

/// Rotation to the right; the count is taken modulo the width.
#[inline]
pub fn rotate_right(a: u128, count: u128, w: u32) -> u128 {
    let width = u128::from(w.clamp(1, 128));
    rotate_left(a, width - count % width, w)
}

/// Number of leading zero bits; the width itself for zero.
#[inline]
pub fn clz(a: u128, w: u32) -> u32 {
    truncate(a, w).leading_zeros() - (128 - w.clamp(1, 128))
}

/// Number of trailing zero bits; the width itself for zero.
#[inline]
pub fn ctz(a: u128, w: u32) -> u32 {
    truncate(a, w).trailing_zeros().min(w)
}

/// Number of set bits.
#[inline]
pub fn popcount(a: u128, w: u32) -> u32 {
    truncate(a, w).count_ones()
}

/// One if the number of set bits is odd, else zero.
#[inline]
pub fn parity(a: u128, w: u32) -> u32 {
    popcount(a, w) & 1
}

/// One more than the index of the lowest set bit; zero for zero.
#[inline]
pub fn ffs(a: u128, w: u32) -> u32 {
    match truncate(a, w) {
        0 => 0,
        bits => bits.trailing_zeros() + 1,
    }
}

/// Number of redundant sign bits (the bits after the sign bit that equal it).
#[inline]
pub fn clrsb(a: u128, w: u32) -> u32 {
    let magnitude = if is_negative(a, w) { not(a, w) } else { a };
    clz(magnitude, w) - 1
}

/// The bytes in reverse order; a width that is not a whole number of bytes has no such order, and
/// its value is returned unchanged.
#[inline]
pub fn bswap(a: u128, w: u32) -> u128 {
    let a = truncate(a, w);
    if !w.is_multiple_of(8) || w == 0 || w > 128 {
        a
    } else {
        a.swap_bytes() >> (128 - w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Patterns near the bounds are as likely as arbitrary ones.
    fn pattern() -> impl Strategy<Value = u128> {
        prop_oneof![
            any::<u128>(),
            (0u128..4),
            (0u128..4).prop_map(u128::wrapping_neg),
            (0u32..128, -2i128..3).prop_map(|(bit, off)| (1u128 << bit).wrapping_add(off as u128)),
        ]
    }

    macro_rules! against_native {
        ($name:ident, $unsigned:ty, $signed:ty) => {
            proptest! {
                #[test]
                fn $name(a in pattern(), b in pattern()) {
                    const W: u32 = <$unsigned>::BITS;
                    let (ua, ub) = (a as $unsigned, b as $unsigned);
                    let (sa, sb) = (ua as $signed, ub as $signed);
                    let (a, b) = (ua as u128, ub as u128);
                    let of = |v: $signed| v as $unsigned as u128;
                    prop_assert_eq!(add(a, b, W), ua.wrapping_add(ub) as u128);
                    prop_assert_eq!(sub(a, b, W), ua.wrapping_sub(ub) as u128);
                    prop_assert_eq!(mul(a, b, W), ua.wrapping_mul(ub) as u128);
                    prop_assert_eq!(neg(a, W), ua.wrapping_neg() as u128);
                    prop_assert_eq!(not(a, W), !ua as u128);
                    prop_assert_eq!(and(a, b, W), (ua & ub) as u128);
                    prop_assert_eq!(or(a, b, W), (ua | ub) as u128);
                    prop_assert_eq!(xor(a, b, W), (ua ^ ub) as u128);
                    prop_assert_eq!(udiv(a, b, W), ua.checked_div(ub).map(|v| v as u128));
                    prop_assert_eq!(urem(a, b, W), ua.checked_rem(ub).map(|v| v as u128));
                    if sb == 0 {
                        prop_assert_eq!(sdiv(a, b, W), None);
                        prop_assert_eq!(srem(a, b, W), None);
                    } else {
                        prop_assert_eq!(sdiv(a, b, W), Some(of(sa.wrapping_div(sb))));
                        prop_assert_eq!(srem(a, b, W), Some(of(sa.wrapping_rem(sb))));
                        prop_assert_eq!(sdiv_overflows(a, b, W), sa.checked_div(sb).is_none());
                    }
                    prop_assert_eq!(neg_overflows(a, W), sa.checked_neg().is_none());
                    prop_assert_eq!(to_signed(a, W), sa as i128);
                    prop_assert_eq!(ult(a, b, W), ua < ub);
                    prop_assert_eq!(ule(a, b, W), ua <= ub);
                    prop_assert_eq!(slt(a, b, W), sa < sb);
                    prop_assert_eq!(sle(a, b, W), sa <= sb);
                    prop_assert_eq!(equal(a, b, W), ua == ub);
                    prop_assert_eq!(uadd_overflows(a, b, W), ua.overflowing_add(ub).1);
                    prop_assert_eq!(usub_overflows(a, b, W), ua.overflowing_sub(ub).1);
                    prop_assert_eq!(umul_overflows(a, b, W), ua.overflowing_mul(ub).1);
                    prop_assert_eq!(sadd_overflows(a, b, W), sa.overflowing_add(sb).1);
                    prop_assert_eq!(ssub_overflows(a, b, W), sa.overflowing_sub(sb).1);
                    prop_assert_eq!(smul_overflows(a, b, W), sa.overflowing_mul(sb).1);
                    prop_assert_eq!(clz(a, W), ua.leading_zeros());
                    prop_assert_eq!(ctz(a, W), ua.trailing_zeros());
                    prop_assert_eq!(popcount(a, W), ua.count_ones());
                    prop_assert_eq!(parity(a, W), ua.count_ones() % 2);
                    prop_assert_eq!(bswap(a, W), ua.swap_bytes() as u128);
                    let count = (b % 256) as u32;
                    prop_assert_eq!(rotate_left(a, u128::from(count), W), ua.rotate_left(count % W) as u128);
                    prop_assert_eq!(rotate_right(a, u128::from(count), W), ua.rotate_right(count % W) as u128);
                    let wide = u128::from(count);
                    prop_assert_eq!(shl(a, wide, W), ua.checked_shl(count).unwrap_or(0) as u128);
                    prop_assert_eq!(lshr(a, wide, W), ua.checked_shr(count).unwrap_or(0) as u128);
                    prop_assert_eq!(ashr(a, wide, W), of(sa.checked_shr(count).unwrap_or(sa >> (W - 1))));
                    if W >= 32 {
                        prop_assert_eq!(shl_x86(a, b, W), ua.wrapping_shl(b as u32) as u128);
                        prop_assert_eq!(lshr_x86(a, b, W), ua.wrapping_shr(b as u32) as u128);
                        prop_assert_eq!(ashr_x86(a, b, W), of(sa.wrapping_shr(b as u32)));
                    }
                    if ua == 0 {
                        prop_assert_eq!(ffs(a, W), 0);
                    } else {
                        prop_assert_eq!(ffs(a, W), ua.trailing_zeros() + 1);
                    }
                    let sign_copies = if sa < 0 { ua.leading_ones() } else { ua.leading_zeros() };
                    prop_assert_eq!(clrsb(a, W), sign_copies - 1);
                }
            }
        };
    }

    against_native!(width_8_agrees_with_native, u8, i8);
    against_native!(width_16_agrees_with_native, u16, i16);
    against_native!(width_32_agrees_with_native, u32, i32);
    against_native!(width_64_agrees_with_native, u64, i64);
    against_native!(width_128_agrees_with_native, u128, i128);

    /// An odd width has no native type; the unbounded meaning is small enough to compute in `i128`.
    #[test]
    fn all_pairs_of_width_five() {
        const W: u32 = 5;
        let wrap = |v: i128| v.rem_euclid(32) as u128;
        for a in 0u128..32 {
            for b in 0u128..32 {
                let (sa, sb) = (to_signed(a, W), to_signed(b, W));
                assert_eq!(sa, if a >= 16 { a as i128 - 32 } else { a as i128 });
                assert_eq!(add(a, b, W), wrap(sa + sb));
                assert_eq!(sub(a, b, W), wrap(sa - sb));
                assert_eq!(mul(a, b, W), wrap(sa * sb));
                assert_eq!(sadd_overflows(a, b, W), !(-16..16).contains(&(sa + sb)));
                assert_eq!(ssub_overflows(a, b, W), !(-16..16).contains(&(sa - sb)));
                assert_eq!(smul_overflows(a, b, W), !(-16..16).contains(&(sa * sb)));
                assert_eq!(uadd_overflows(a, b, W), a + b > 31);
                assert_eq!(umul_overflows(a, b, W), a * b > 31);
                if b != 0 {
                    assert_eq!(sdiv(a, b, W), Some(wrap(sa / sb)));
                    assert_eq!(srem(a, b, W), Some(wrap(sa % sb)));
                }
                assert_eq!(shl(a, b, W), if b < 5 { wrap((a << b) as i128) } else { 0 });
                assert_eq!(ashr(a, b, W), wrap(sa >> b));
                assert_eq!(lshr(a, b, W), a >> b);
                assert_eq!(
                    rotate_left(a, b, W),
                    wrap(((a << (b % 5)) | (a >> (5 - b % 5))) as i128)
                );
                assert_eq!(rotate_right(rotate_left(a, b, W), b, W), a);
            }
            assert_eq!(resize(a, W, true, 9), to_signed(a, W) as u128 & 0x1ff);
            assert_eq!(resize(a, W, false, 9), a);
            assert_eq!(resize(a, W, true, 3), a & 7);
            assert_eq!(
                clz(a, W),
                (0..5).rev().take_while(|bit| a >> bit & 1 == 0).count() as u32
            );
            assert_eq!(
                ctz(a, W),
                (0..5).take_while(|bit| a >> bit & 1 == 0).count() as u32
            );
        }
    }

    #[test]
    fn bounds() {
        for w in 1..=128 {
            assert_eq!(mask(w).count_ones(), w);
            assert_eq!(
                to_signed(signed_max(w), w) + to_signed(signed_min(w), w),
                -1
            );
            assert!(is_negative(signed_min(w), w) && !is_negative(signed_max(w), w));
        }
    }
}
