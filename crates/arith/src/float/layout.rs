//! How a floating-point number lies in its bit pattern.

use super::RoundingMode;
use crate::int;
use serde::{Deserialize, Serialize};

/// The five formats that C programs on x86 meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatFormat {
    /// IEEE binary16, C's `_Float16`.
    Half,
    /// IEEE binary32, C's `float`.
    Single,
    /// IEEE binary64, C's `double`.
    Double,
    /// The 80-bit extended format of the x87 unit with its explicit integer bit, C's `long double`
    /// on x86.
    X87,
    /// IEEE binary128, C's `__float128`.
    Quad,
}

impl FloatFormat {
    /// All formats, smallest first.
    pub const ALL: [FloatFormat; 5] = [
        FloatFormat::Half,
        FloatFormat::Single,
        FloatFormat::Double,
        FloatFormat::X87,
        FloatFormat::Quad,
    ];

    /// The layout of the format.
    pub const fn layout(self) -> Layout {
        match self {
            FloatFormat::Half => Layout::HALF,
            FloatFormat::Single => Layout::SINGLE,
            FloatFormat::Double => Layout::DOUBLE,
            FloatFormat::X87 => Layout::X87,
            FloatFormat::Quad => Layout::QUAD,
        }
    }

    /// Width of the bit pattern: 16, 32, 64, 80 or 128.
    pub const fn width(self) -> u32 {
        self.layout().width()
    }

    /// Width of the exponent field.
    pub const fn exponent_bits(self) -> u32 {
        self.layout().exponent_bits()
    }

    /// Precision: the number of significant bits, including the integer bit whether it is stored or
    /// not.
    pub const fn significand_bits(self) -> u32 {
        self.layout().significand_bits()
    }
}

/// Where sign, exponent and significand lie in a pattern. Besides the five named formats this
/// describes any IEEE-like format, because formulas may have floats of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    exponent_bits: u32,
    significand_bits: u32,
    explicit_integer_bit: bool,
}

impl From<FloatFormat> for Layout {
    fn from(format: FloatFormat) -> Layout {
        format.layout()
    }
}

/// What a pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// Not a number, including the x87 patterns that the unit rejects as invalid operands.
    Nan,
    /// An infinity.
    Infinite {
        /// Whether the sign bit is set.
        negative: bool,
    },
    /// Zero, a subnormal or a normal number.
    Finite(Finite),
}

/// The number ±`significand` · 2^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finite {
    /// Whether the sign bit is set.
    pub negative: bool,
    /// The exponent of the significand's lowest bit.
    pub exponent: i64,
    /// The significand as an integer, with the integer bit; zero for zeros.
    pub significand: u128,
}

impl Layout {
    /// IEEE binary16.
    pub const HALF: Layout = Layout::implicit(5, 11);
    /// IEEE binary32.
    pub const SINGLE: Layout = Layout::implicit(8, 24);
    /// IEEE binary64.
    pub const DOUBLE: Layout = Layout::implicit(11, 53);
    /// x87 extended.
    pub const X87: Layout = Layout {
        exponent_bits: 15,
        significand_bits: 64,
        explicit_integer_bit: true,
    };
    /// IEEE binary128.
    pub const QUAD: Layout = Layout::implicit(15, 113);

    const fn implicit(exponent_bits: u32, significand_bits: u32) -> Layout {
        Layout {
            exponent_bits,
            significand_bits,
            explicit_integer_bit: false,
        }
    }

    /// The IEEE interchange layout with the given field widths (the significand counts its hidden
    /// bit), as in SMT-LIB's `(_ FloatingPoint eb sb)`. `None` if a pattern would not fit into 128
    /// bits, or the exponent field has fewer than 2 or more than 24 bits, or the significand fewer
    /// than 2.
    pub const fn ieee(exponent_bits: u32, significand_bits: u32) -> Option<Layout> {
        if exponent_bits < 2
            || exponent_bits > 24
            || significand_bits < 2
            || significand_bits > 126
            || exponent_bits + significand_bits > 128
        {
            None
        } else {
            Some(Layout::implicit(exponent_bits, significand_bits))
        }
    }

    /// Width of the whole pattern.
    pub const fn width(self) -> u32 {
        self.exponent_bits + self.stored_significand_bits() + 1
    }

    /// Width of the exponent field.
    pub const fn exponent_bits(self) -> u32 {
        self.exponent_bits
    }

    /// Precision, including the integer bit whether it is stored or not.
    pub const fn significand_bits(self) -> u32 {
        self.significand_bits
    }

    /// Whether the integer bit is stored.
    pub const fn has_explicit_integer_bit(self) -> bool {
        self.explicit_integer_bit
    }

    /// Width of the significand field in the pattern.
    pub const fn stored_significand_bits(self) -> u32 {
        if self.explicit_integer_bit {
            self.significand_bits
        } else {
            self.significand_bits - 1
        }
    }

    /// The number that is subtracted from the exponent field; also the largest exponent.
    pub const fn bias(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the lowest bit of the smallest subnormal.
    pub const fn lowest_exponent(self) -> i64 {
        1 - self.bias() - (self.significand_bits as i64 - 1)
    }

    fn exponent_field_mask(self) -> u128 {
        int::mask(self.exponent_bits)
    }

    fn integer_bit(self) -> u128 {
        1 << (self.significand_bits - 1)
    }

    fn pack(self, negative: bool, exponent_field: u128, significand: u128) -> u128 {
        let stored = significand & int::mask(self.stored_significand_bits());
        let sign = u128::from(negative) << (self.width() - 1);
        sign | exponent_field << self.stored_significand_bits() | stored
    }

    /// The sign bit of a pattern.
    pub fn sign_bit(self, bits: u128) -> bool {
        bits >> (self.width() - 1) & 1 == 1
    }

    /// What a pattern stands for.
    ///
    /// The x87 patterns with a nonzero exponent field and a clear integer bit (unnormals,
    /// pseudo-infinities, pseudo-NaNs) are invalid operands on every processor since the 80387 and
    /// count as NaN; a pseudo-denormal is the number it spells.
    pub fn decode(self, bits: u128) -> Decoded {
        let negative = self.sign_bit(bits);
        let field = bits >> self.stored_significand_bits() & self.exponent_field_mask();
        let stored = bits & int::mask(self.stored_significand_bits());
        let integer_bit_missing =
            self.explicit_integer_bit && field != 0 && stored & self.integer_bit() == 0;
        if integer_bit_missing {
            return Decoded::Nan;
        }
        if field == self.exponent_field_mask() {
            return if stored & (self.integer_bit() - 1) == 0 {
                Decoded::Infinite { negative }
            } else {
                Decoded::Nan
            };
        }
        let significand = if field != 0 {
            stored | self.integer_bit()
        } else {
            stored
        };
        Decoded::Finite(Finite {
            negative,
            exponent: (field.max(1) as i64) - 1 + self.lowest_exponent(),
            significand,
        })
    }

    /// The pattern of a number whose significand has at most the layout's precision and, unless the
    /// exponent is the lowest one, has the integer bit set. This is what rounding produces.
    pub(super) fn encode_rounded(self, number: Finite) -> u128 {
        let field = if number.significand & self.integer_bit() == 0 {
            0
        } else {
            (number.exponent - self.lowest_exponent() + 1) as u128
        };
        self.pack(number.negative, field, number.significand)
    }

    /// Zero.
    pub fn zero(self, negative: bool) -> u128 {
        self.pack(negative, 0, 0)
    }

    /// Infinity.
    pub fn infinity(self, negative: bool) -> u128 {
        self.pack(negative, self.exponent_field_mask(), self.integer_bit())
    }

    /// The one NaN that operations return: quiet, sign bit set, no payload; x86 makes this one for
    /// invalid operations.
    pub fn nan(self) -> u128 {
        self.pack(
            true,
            self.exponent_field_mask(),
            self.integer_bit() | self.integer_bit() >> 1,
        )
    }

    /// The largest finite number.
    pub fn max_finite(self, negative: bool) -> u128 {
        let significand = int::mask(self.significand_bits);
        self.pack(negative, self.exponent_field_mask() - 1, significand)
    }

    /// The smallest positive number, a subnormal.
    pub fn min_positive(self) -> u128 {
        self.pack(false, 0, 1)
    }

    /// The smallest positive normal number.
    pub fn min_positive_normal(self) -> u128 {
        self.pack(false, 1, self.integer_bit())
    }

    /// What a number too large for the layout becomes.
    pub(super) fn overflow(self, rm: RoundingMode, negative: bool) -> u128 {
        let to_infinity = match rm {
            RoundingMode::NearestEven | RoundingMode::NearestAway => true,
            RoundingMode::TowardPositive => !negative,
            RoundingMode::TowardNegative => negative,
            RoundingMode::TowardZero => false,
        };
        if to_infinity {
            self.infinity(negative)
        } else {
            self.max_finite(negative)
        }
    }
}
