//! The types of values in the automaton: what remains of C's types once every conversion is
//! explicit.

use arith::float::FloatFormat;
use serde::{Deserialize, Serialize};

/// Pointers are unsigned integers of the platform's width; `_Bool` in memory is an unsigned 8-bit
/// integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Ty {
    /// A truth value, the type of conditions; it never lies in memory.
    Bool,
    /// Two's complement; `width` from 1 to 128.
    Int {
        width: u16,
        signed: bool,
    },
    Float(FloatFormat),
}

impl Ty {
    pub const I32: Ty = Ty::Int {
        width: 32,
        signed: true,
    };
    pub const U32: Ty = Ty::Int {
        width: 32,
        signed: false,
    };
    pub const I64: Ty = Ty::Int {
        width: 64,
        signed: true,
    };
    pub const U64: Ty = Ty::Int {
        width: 64,
        signed: false,
    };
    pub const U8: Ty = Ty::Int {
        width: 8,
        signed: false,
    };

    pub const fn unsigned(width: u16) -> Ty {
        Ty::Int {
            width,
            signed: false,
        }
    }

    pub const fn signed(width: u16) -> Ty {
        Ty::Int {
            width,
            signed: true,
        }
    }

    /// Bits of a value of this type.
    pub fn width(self) -> u16 {
        match self {
            Ty::Bool => 1,
            Ty::Int { width, .. } => width,
            Ty::Float(format) => format.width() as u16,
        }
    }

    /// Bytes that an access of this type touches in memory (80-bit floats touch ten).
    pub fn bytes(self) -> u64 {
        u64::from(self.width()).div_ceil(8)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Ty::Int { signed: true, .. })
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::Float(_))
    }

    pub fn is_int(self) -> bool {
        matches!(self, Ty::Int { .. })
    }

    /// The number that bits of this type stand for; `None` for floats, and beyond `i128`.
    pub fn number(self, bits: u128) -> Option<i128> {
        match self {
            Ty::Bool => Some(i128::from(bits != 0)),
            Ty::Int {
                width,
                signed: true,
            } => Some(arith::int::to_signed(bits, u32::from(width))),
            Ty::Int { .. } => i128::try_from(bits).ok(),
            Ty::Float(_) => None,
        }
    }
}
