//! Bits of a term that have one value under every model, found once when the term is built.
//!
//! Only for widths up to 128: wider terms are rare, and knowing nothing about them is sound.

use super::value::mask;
use super::{Op, Sort, Term, TermPool};

/// Bits known to be zero and bits known to be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownBits {
    /// Mask of bits that are zero under every model.
    pub zeros: u128,
    /// Mask of bits that are one under every model.
    pub ones: u128,
}

impl KnownBits {
    /// Nothing is known.
    pub const NOTHING: KnownBits = KnownBits { zeros: 0, ones: 0 };

    fn exactly(value: u128, width: u32) -> KnownBits {
        KnownBits {
            zeros: !value & mask(width),
            ones: value & mask(width),
        }
    }

    fn meet(self, other: KnownBits) -> KnownBits {
        KnownBits {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// The smallest unsigned number that fits.
    pub fn min(self) -> u128 {
        self.ones
    }

    /// The largest unsigned number that fits.
    pub fn max(self, width: u32) -> u128 {
        !self.zeros & mask(width)
    }

    /// Known trailing zeros.
    fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }
}

/// Known bits of a sum, by ripple carry over known digits.
fn known_sum(a: KnownBits, b: KnownBits, width: u32) -> KnownBits {
    // The smallest and largest sums agree on the carries that are certain (see the known-bits
    // addition of compilers): a bit is known where both operands' bits and the carry into it are
    // known.
    let max_a = !a.zeros;
    let max_b = !b.zeros;
    let sum_max = max_a.wrapping_add(max_b);
    let sum_min = a.ones.wrapping_add(b.ones);
    let carry_zero = !(sum_max ^ a.zeros ^ b.zeros);
    let carry_one = sum_min ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (carry_zero | carry_one) & mask(width);
    KnownBits {
        zeros: !sum_max & known,
        ones: sum_min & known,
    }
}

impl TermPool {
    /// What is known about the bits of a bit-vector term.
    #[inline]
    pub fn known_bits(&self, term: Term) -> KnownBits {
        self.known_table[self.known[term.index()] as usize]
    }

    pub(super) fn derive_known_bits(&self, term: Term) -> KnownBits {
        let Sort::BitVec(width) = self.sort(term) else {
            return KnownBits::NOTHING;
        };
        if width > 128 {
            return KnownBits::NOTHING;
        }
        let args = self.args(term);
        let of = |position: usize| self.known_bits(args[position]);
        match self.op(term) {
            Op::BvConst(_) => {
                KnownBits::exactly(self.as_u128(term).expect("width at most 128"), width)
            }
            Op::Ite => of(1).meet(of(2)),
            Op::BvNot => KnownBits {
                zeros: of(0).ones,
                ones: of(0).zeros,
            },
            Op::BvAnd => args.iter().map(|&arg| self.known_bits(arg)).fold(
                KnownBits::exactly(u128::MAX, width),
                |a, b| KnownBits {
                    zeros: a.zeros | b.zeros,
                    ones: a.ones & b.ones,
                },
            ),
            Op::BvOr => args.iter().map(|&arg| self.known_bits(arg)).fold(
                KnownBits::exactly(0, width),
                |a, b| KnownBits {
                    zeros: a.zeros & b.zeros,
                    ones: a.ones | b.ones,
                },
            ),
            Op::BvXor => args.iter().map(|&arg| self.known_bits(arg)).fold(
                KnownBits::exactly(0, width),
                |a, b| KnownBits {
                    zeros: (a.zeros & b.zeros) | (a.ones & b.ones),
                    ones: (a.zeros & b.ones) | (a.ones & b.zeros),
                },
            ),
            Op::BvAdd => args
                .iter()
                .map(|&arg| self.known_bits(arg))
                .fold(KnownBits::exactly(0, width), |a, b| known_sum(a, b, width)),
            Op::BvMul => {
                let zeros = (of(0).trailing_zeros() + of(1).trailing_zeros()).min(width);
                let product = of(0).max(width).checked_mul(of(1).max(width));
                let high = match product {
                    Some(max) if max <= mask(width) => {
                        !mask(128 - max.leading_zeros()) & mask(width)
                    }
                    _ => 0,
                };
                KnownBits {
                    zeros: mask(zeros) & mask(width) | high,
                    ones: 0,
                }
            }
            Op::BvUrem => {
                // At most the dividend; and below the divisor if that is not zero.
                let mut max = of(0).max(width);
                if of(1).min() > 0 {
                    max = max.min(of(1).max(width) - 1);
                }
                KnownBits {
                    zeros: !mask(128 - max.leading_zeros()) & mask(width),
                    ones: 0,
                }
            }
            Op::BvUdiv if of(1).min() > 0 => {
                let max = of(0).max(width) / of(1).min();
                KnownBits {
                    zeros: !mask(128 - max.leading_zeros()) & mask(width),
                    ones: 0,
                }
            }
            Op::BvLshr => {
                let max = of(0).max(width);
                KnownBits {
                    zeros: !mask(128 - max.leading_zeros()) & mask(width),
                    ones: 0,
                }
            }
            Op::BvShl => KnownBits {
                zeros: mask(of(0).trailing_zeros().min(width)),
                ones: 0,
            },
            Op::Extract { low, .. } if self.width(args[0]) <= 128 => {
                let known = of(0);
                KnownBits {
                    zeros: known.zeros >> low & mask(width),
                    ones: known.ones >> low & mask(width),
                }
            }
            Op::Concat => {
                let mut known = KnownBits::NOTHING;
                for &arg in args {
                    let part = self.known_bits(arg);
                    let part_width = self.width(arg);
                    known = KnownBits {
                        zeros: known.zeros << part_width | part.zeros,
                        ones: known.ones << part_width | part.ones,
                    };
                }
                known
            }
            Op::SignExtend => {
                let inner = self.width(args[0]);
                let known = of(0);
                let top = mask(width) & !mask(inner);
                let sign = 1u128 << (inner - 1);
                KnownBits {
                    zeros: known.zeros | if known.zeros & sign != 0 { top } else { 0 },
                    ones: known.ones | if known.ones & sign != 0 { top } else { 0 },
                }
            }
            _ => KnownBits::NOTHING,
        }
    }
}
