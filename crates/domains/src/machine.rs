//! Machine integers: a width and a signedness, and what wrap-around does to a mathematical integer.

use crate::interval::Interval;

/// The shape of a two's-complement machine integer of 1 to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MachineInt {
    width: u8,
    signed: bool,
}

impl MachineInt {
    /// `None` unless `1 <= width <= 128`.
    pub const fn new(width: u32, signed: bool) -> Option<Self> {
        if width == 0 || width > 128 {
            return None;
        }
        Some(MachineInt {
            width: width as u8,
            signed,
        })
    }

    pub const fn width(self) -> u32 {
        self.width as u32
    }

    pub const fn is_signed(self) -> bool {
        self.signed
    }

    /// `2^width`, where an `i128` can hold it.
    pub const fn modulus(self) -> Option<i128> {
        if self.width <= 126 {
            Some(1i128 << self.width)
        } else {
            None
        }
    }

    /// All values of the type. An end that lies outside the finite bounds of [`Interval`] (128-bit
    /// types) is infinite.
    pub const fn range(self) -> Interval {
        match (self.signed, self.width) {
            (true, 128) => Interval::TOP,
            (true, w) => Interval::finite(-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1),
            (false, 127 | 128) => Interval::at_least(0),
            (false, w) => Interval::finite(0, (1i128 << w) - 1),
        }
    }

    /// The value of this type that is congruent to `value` modulo `2^width`, where both fit an
    /// `i128`.
    pub fn wrap_value(self, value: i128) -> Option<i128> {
        if self.range().contains(value) {
            return Some(value);
        }
        let modulus = self.modulus()?;
        let residue = value.rem_euclid(modulus);
        Some(if self.signed && residue >= modulus / 2 {
            residue - modulus
        } else {
            residue
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_wrap_like_c_casts() {
        let i8_ = MachineInt::new(8, true).expect("8 bits");
        let u64_ = MachineInt::new(64, false).expect("64 bits");
        for v in -1000i128..1000 {
            assert_eq!(i8_.wrap_value(v), Some(i128::from(v as i8)));
            assert_eq!(u64_.wrap_value(v), Some(i128::from(v as u64)));
        }
        assert!(MachineInt::new(0, false).is_none());
        assert!(MachineInt::new(129, false).is_none());
    }
}
