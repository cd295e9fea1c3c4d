//! Float formats, and the parts of a packed float.

use super::words::nonzero;
use crate::{Sort, Term, TermPool};
use arith::float::Layout;

/// An IEEE format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    /// Width of the exponent field.
    pub exponent: u32,
    /// Precision: width of the significand with its hidden bit.
    pub precision: u32,
    layout: Layout,
}

impl Format {
    /// The format of a sort; `None` for other sorts than floats and for formats beyond 128 bits.
    pub fn of(sort: Sort) -> Option<Format> {
        match sort {
            Sort::Float {
                exponent,
                significand,
            } => Some(Format {
                exponent,
                precision: significand,
                layout: Layout::ieee(exponent, significand)?,
            }),
            _ => None,
        }
    }

    /// Width of the pattern.
    pub fn width(self) -> u32 {
        self.exponent + self.precision
    }

    /// The layout that `arith` computes with.
    pub fn layout(self) -> Layout {
        self.layout
    }

    /// The exponent of the smallest normal number, in which subnormal numbers are written, too.
    /// Never positive.
    pub fn least_exponent(self) -> i64 {
        1 - self.layout.bias()
    }

    /// The pattern of the canonical NaN.
    pub fn nan(self, pool: &mut TermPool) -> Term {
        pool.bv(self.width(), self.layout.nan())
    }

    /// A pattern without its sign bit.
    fn magnitude_constant(self, pool: &mut TermPool, pattern: u128) -> Term {
        pool.bv(self.width() - 1, pattern)
    }

    /// Infinity without its sign bit; all larger magnitudes are NaN.
    pub fn infinite_magnitude(self, pool: &mut TermPool) -> Term {
        self.magnitude_constant(pool, self.layout.infinity(false))
    }

    /// The largest finite number without its sign bit.
    pub fn largest_magnitude(self, pool: &mut TermPool) -> Term {
        self.magnitude_constant(pool, self.layout.max_finite(false))
    }

    /// The number 2^`power`, for a power near zero, without its sign bit.
    pub fn power_of_two_magnitude(self, pool: &mut TermPool, power: i32) -> Term {
        let text = format!("0x1p{power}");
        let pattern = arith::float::parse(self.layout, &text).expect("a well-formed literal");
        self.magnitude_constant(pool, pattern)
    }

    /// Puts a sign in front of a magnitude.
    pub fn with_sign(self, pool: &mut TermPool, sign: Term, magnitude: Term) -> Term {
        let sign = pool.bool_to_bv(sign, 1);
        pool.concat(sign, magnitude)
    }

    /// A signed infinity.
    pub fn infinity(self, pool: &mut TermPool, sign: Term) -> Term {
        let magnitude = self.infinite_magnitude(pool);
        self.with_sign(pool, sign, magnitude)
    }

    /// A signed zero.
    pub fn zero(self, pool: &mut TermPool, sign: Term) -> Term {
        let magnitude = pool.bv(self.width() - 1, 0);
        self.with_sign(pool, sign, magnitude)
    }

    /// The pattern with the canonical NaN in place of every NaN.
    pub fn canonical(self, pool: &mut TermPool, pattern: Term) -> Term {
        let parts = Parts::of(pool, self, pattern);
        let nan = self.nan(pool);
        pool.ite(parts.nan, nan, pattern)
    }
}

/// A packed float taken apart. For a finite float the value is `significand` · 2^(`scale` + e -
/// precision + 1), where e is the least exponent: a subnormal number has the scale 0, as the
/// smallest normal numbers have, and lacks the hidden bit.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// The sign bit.
    pub sign: Term,
    /// Everything but the sign bit; the order of magnitudes is the order of these numbers.
    pub magnitude: Term,
    /// Is it NaN?
    pub nan: Term,
    /// Is it an infinity?
    pub infinite: Term,
    /// Is it a zero?
    pub zero: Term,
    /// The exponent above the least one; as wide as the field.
    pub scale: Term,
    /// The significand with its hidden bit.
    pub significand: Term,
}

impl Parts {
    pub fn of(pool: &mut TermPool, format: Format, pattern: Term) -> Parts {
        let width = format.width();
        let fraction_width = format.precision - 1;
        let sign = pool.bit(pattern, width - 1);
        let magnitude = pool.extract(pattern, width - 2, 0);
        let infinity = format.infinite_magnitude(pool);
        let nan = pool.ult(infinity, magnitude);
        let infinite = pool.eq(magnitude, infinity);
        let some_bit = nonzero(pool, magnitude);
        let zero = pool.not(some_bit);
        let field = pool.extract(pattern, width - 2, fraction_width);
        let fraction = pool.extract(pattern, fraction_width - 1, 0);
        let normal = nonzero(pool, field);
        let hidden = pool.bool_to_bv(normal, 1);
        let significand = pool.concat(hidden, fraction);
        let hidden_wide = pool.bool_to_bv(normal, format.exponent);
        let scale = pool.bv_sub(field, hidden_wide);
        Parts {
            sign,
            magnitude,
            nan,
            infinite,
            zero,
            scale,
            significand,
        }
    }

    /// The significand shifted until its top bit is set, and the scale that then belongs to it: a
    /// signed number of [`normal_scale_width`] bits. For zeros the scale means nothing.
    pub fn normalised(self, pool: &mut TermPool, format: Format) -> (Term, Term) {
        let (significand, places) = super::words::normalise(pool, self.significand);
        let width = normal_scale_width(format);
        let scale = pool.resize(self.scale, width, false);
        let places = pool.resize(places, width, false);
        let scale = pool.bv_sub(scale, places);
        (significand, scale)
    }
}

/// Width in which the scale of a normalised significand is a signed number, with room for the sum
/// of two of them and the least exponent.
pub(super) fn normal_scale_width(format: Format) -> u32 {
    format
        .exponent
        .max(super::words::bit_length(u64::from(format.precision)))
        + 4
}
