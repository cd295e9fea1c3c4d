//! A piece of C text with its type, and what C's conversions make of it.
//!
//! The mathematical value of an operand is that of the expression it stands for, read in the
//! expression's own type; its C type may be another one that holds the same number (a `char`
//! variable widened to `int` is still the variable). Which of two C types of one width it is
//! (`long` or `long long`) makes no difference for values, so types are widths and signs.

use arith::float::{self, FloatFormat};
use cfa::value::Ty;
use syntax::types::{DataModel, Type, TypeId, TypeTable};

/// The C type of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CType {
    Int {
        width: u16,
        signed: bool,
    },
    Float(FloatFormat),
    /// To this type.
    Pointer(TypeId),
}

pub(super) const INT: CType = CType::Int {
    width: 32,
    signed: true,
};

/// How tightly text binds; as in C's grammar, higher is tighter.
pub(super) mod level {
    pub const CONDITIONAL: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const BIT_OR: u8 = 6;
    pub const BIT_XOR: u8 = 7;
    pub const BIT_AND: u8 = 8;
    pub const EQUAL: u8 = 9;
    pub const ORDER: u8 = 10;
    pub const SHIFT: u8 = 11;
    pub const SUM: u8 = 12;
    pub const PRODUCT: u8 = 13;
    pub const PREFIX: u8 = 15;
    pub const POSTFIX: u8 = 16;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub text: String,
    pub level: u8,
    pub ty: CType,
    /// Of integer constants.
    pub constant: Option<i128>,
}

impl Operand {
    pub fn new(text: impl Into<String>, level: u8, ty: CType) -> Operand {
        Operand {
            text: text.into(),
            level,
            ty,
            constant: None,
        }
    }

    /// The text as an operand of something that binds as tightly as `level`.
    pub fn at(&self, level: u8) -> String {
        if self.level >= level {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

impl CType {
    /// The type of a scalar of the automaton, if C has it.
    pub fn of(ty: Ty) -> Option<CType> {
        match ty {
            Ty::Bool => Some(INT),
            Ty::Int { width, signed } => {
                matches!(width, 8 | 16 | 32 | 64 | 128).then_some(CType::Int { width, signed })
            }
            Ty::Float(format) => Some(CType::Float(format)),
        }
    }

    /// The type that a scalar was declared with.
    pub fn declared(types: &TypeTable, ty: TypeId) -> Option<CType> {
        match *types.shape(ty) {
            Type::Pointer(target) => Some(CType::Pointer(types.unqualified(target))),
            Type::Float(kind) => Some(CType::Float(kind.format())),
            Type::Int(_) | Type::Enum(_) => {
                let kind = types.int_kind(ty)?;
                Some(CType::Int {
                    width: kind.bits(types.model),
                    signed: kind.is_signed(),
                })
            }
            _ => None,
        }
    }

    /// As C promotes it.
    pub fn promoted(self) -> CType {
        match self {
            CType::Int { width, .. } if width < 32 => INT,
            other => other,
        }
    }

    /// The least and the largest value of an integer type.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            CType::Int { width, signed } => Some(range(width, signed)),
            _ => None,
        }
    }

    /// As C writes it.
    pub fn name(self, model: DataModel) -> Option<&'static str> {
        let long64 = model == DataModel::Lp64;
        Some(match self {
            CType::Int { width, signed } => match (width, signed) {
                (8, true) => "signed char",
                (8, false) => "unsigned char",
                (16, true) => "short",
                (16, false) => "unsigned short",
                (32, true) => "int",
                (32, false) => "unsigned int",
                (64, true) if long64 => "long",
                (64, false) if long64 => "unsigned long",
                (64, true) => "long long",
                (64, false) => "unsigned long long",
                (128, true) if long64 => "__int128",
                (128, false) if long64 => "unsigned __int128",
                _ => return None,
            },
            CType::Float(FloatFormat::Single) => "float",
            CType::Float(FloatFormat::Double) => "double",
            CType::Float(FloatFormat::X87) => "long double",
            CType::Float(FloatFormat::Quad) => "__float128",
            CType::Float(FloatFormat::Half) => "_Float16",
            CType::Pointer(_) => return None,
        })
    }
}

/// C11 6.3.1.8 for two integer types that are promoted already.
pub(super) fn common(a: CType, b: CType) -> Option<CType> {
    match (a.promoted(), b.promoted()) {
        (
            CType::Int {
                width: v,
                signed: s,
            },
            CType::Int {
                width: w,
                signed: t,
            },
        ) => Some(match v.cmp(&w) {
            std::cmp::Ordering::Greater => CType::Int {
                width: v,
                signed: s,
            },
            std::cmp::Ordering::Less => CType::Int {
                width: w,
                signed: t,
            },
            std::cmp::Ordering::Equal => CType::Int {
                width: v,
                signed: s && t,
            },
        }),
        _ => None,
    }
}

/// The values of an integer type (of unsigned 128-bit ones as far as we count).
pub(super) fn range(width: u16, signed: bool) -> (i128, i128) {
    match (width, signed) {
        (128, true) => (i128::MIN, i128::MAX),
        (127.., false) => (0, i128::MAX),
        (width, true) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        (width, false) => (0, (1 << width) - 1),
    }
}

/// A number written so that it has the type, which is as wide as `int` at least.
pub(super) fn typed_constant(value: i128, ty: CType, model: DataModel) -> Option<Operand> {
    let CType::Int { width, signed } = ty else {
        return None;
    };
    let suffix = match (width, signed, model) {
        (32, true, _) => "",
        (32, false, _) => "U",
        (64, true, DataModel::Lp64) => "L",
        (64, false, DataModel::Lp64) => "UL",
        (64, true, DataModel::Ilp32) => "LL",
        (64, false, DataModel::Ilp32) => "ULL",
        _ => return None,
    };
    let (low, high) = range(width, signed);
    if !(low..=high).contains(&value) {
        return None;
    }
    let (text, level) = if value == low && signed {
        // The digits alone would not fit the type.
        (format!("(-{high}{suffix} - 1)"), level::POSTFIX)
    } else if value < 0 {
        (format!("-{}{suffix}", -value), level::PREFIX)
    } else {
        (format!("{value}{suffix}"), level::POSTFIX)
    };
    Some(Operand {
        text,
        level,
        ty,
        constant: Some(value),
    })
}

/// A number in the least type that holds it: `int` wherever possible.
pub(super) fn constant(value: i128, signed: bool, model: DataModel) -> Option<Operand> {
    let fits = |width, signed| {
        let (low, high) = range(width, signed);
        (low..=high).contains(&value)
    };
    let (width, signed) = if fits(32, true) {
        (32, true)
    } else if !signed && fits(32, false) {
        (32, false)
    } else if fits(64, true) {
        (64, true)
    } else {
        (64, false)
    };
    typed_constant(value, CType::Int { width, signed }, model)
}

pub(super) fn float_constant(format: FloatFormat, bits: u128) -> Operand {
    let text = float::c_expression(format, bits);
    let level = if text.starts_with('-') {
        level::PREFIX
    } else {
        level::POSTFIX
    };
    Operand::new(text, level, CType::Float(format))
}

/// The operand converted by a cast, unless it has the type already.
pub(super) fn cast(operand: &Operand, to: CType, model: DataModel) -> Option<Operand> {
    if operand.ty == to {
        return Some(operand.clone());
    }
    if let (Some(value), CType::Int { width: 32.., .. }) = (operand.constant, to)
        && let Some(constant) = typed_constant(value, to, model)
    {
        return Some(constant);
    }
    let text = format!("({}){}", to.name(model)?, operand.at(level::PREFIX));
    Some(Operand::new(text, level::PREFIX, to))
}
