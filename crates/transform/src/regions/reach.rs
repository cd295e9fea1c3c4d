//! How far a pointer may have been moved in all, so that nobody overlooks that it may have gone
//! round the address space.
//!
//! What is moved by multiples of 12 lies at multiples of 12 from where it began, as long as no sum
//! wraps around. Modulo 2^w it lies at multiples of 4 only: `a += c` with `5 * c = 4` (modulo 2^w)
//! arrives at the next cell of an array after five steps.

/// So many moves by a constant in a row no execution makes: at a nanosecond each they take a month.
const MAX_MOVES_BITS: u8 = 51;

/// The distances so far lie below 2 to this power, either way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Reach(u8);

impl Reach {
    /// It was not moved.
    pub const NONE: Reach = Reach(0);
    /// It may have gone round the address space.
    pub const ROUND: Reach = Reach(u8::MAX);

    /// The value of one or the other.
    #[must_use]
    pub fn or(self, other: Reach) -> Reach {
        self.max(other)
    }

    /// Odd factors of distances no longer count.
    #[must_use]
    pub fn goes_round(self) -> bool {
        self == Reach::ROUND
    }

    /// After one more move (by a constant, or by something unknown) of less than 2 to the power of
    /// `bits`. The same move may come again and again: the reach grows in few steps.
    #[must_use]
    pub fn moved(self, bits: u8, is_constant: bool, pointer_bits: u16) -> Reach {
        let limit = u8::try_from(pointer_bits - 1).unwrap_or(u8::MAX);
        let often = bits.saturating_add(MAX_MOVES_BITS);
        let far = match bits {
            0 => self.0,
            _ if is_constant && often < limit => self.0.max(often),
            _ if self.0 < bits => bits.saturating_add(1),
            _ => self.0.saturating_add(8),
        };
        if far > limit {
            Reach::ROUND
        } else {
            Reach(far)
        }
    }
}

/// So many bits hold the distance.
#[must_use]
pub fn bits_of(distance: i64) -> u8 {
    (u64::BITS - distance.unsigned_abs().leading_zeros()) as u8
}

/// The largest power of two that divides the stride: what is left of it modulo 2^w.
#[must_use]
pub fn power_of_two(stride: i64) -> i64 {
    stride & stride.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: usize, bits: u8, is_constant: bool, pointer_bits: u16) -> Reach {
        (0..moves).fold(Reach::NONE, |reach, _| {
            reach.moved(bits, is_constant, pointer_bits)
        })
    }

    #[test]
    fn small_steps_never_go_round_a_large_address_space() {
        assert!(!after(1000, bits_of(12), true, 64).goes_round());
        assert!(after(1000, bits_of(12), true, 32).goes_round());
        assert!(!after(1, bits_of(12), true, 32).goes_round());
    }

    #[test]
    fn large_steps_do() {
        assert!(after(2, bits_of(i64::MAX / 5), true, 64).goes_round());
        assert!(!after(1, 36, false, 64).goes_round());
        assert!(after(10, 36, false, 64).goes_round());
    }

    #[test]
    fn what_is_left_of_a_stride() {
        assert_eq!([0, 1, 12, -24].map(power_of_two), [0, 1, 4, 8]);
    }
}
