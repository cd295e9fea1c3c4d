//! Literals: which type a number has, what a string is in memory.

use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast::{BasicType, CharWidth};
use crate::span::Span;
use crate::typed::{Expr, ExprKind, Place, PlaceKind, StringId, StringLiteral};
use crate::types::{ArrayLen, DataModel, FloatKind, IntKind, TypeId};
use arith::float;

fn string_place(string: StringId, ty: TypeId, span: Span) -> Operand {
    let kind = PlaceKind::String(string);
    Operand::Place(Place { kind, ty, span }, None)
}

impl Checker<'_> {
    /// `__func__`: a constant array of characters.
    pub(super) fn function_name(&mut self, span: Span) -> Operand {
        let known = self
            .function
            .as_ref()
            .and_then(|context| context.name_string);
        let string = match known {
            Some(string) => string,
            None => {
                let id = self.function.as_ref().map(|context| context.id);
                let name = id.map(|id| self.program.functions[id.0 as usize].name);
                let mut bytes = name.map_or_else(Vec::new, |n| self.text(n).as_bytes().to_vec());
                bytes.push(0);
                let string = self.new_string(bytes, 1, span);
                if let Some(context) = &mut self.function {
                    context.name_string = Some(string);
                }
                string
            }
        };
        let length = self.program.strings[string.0 as usize].bytes.len() as u64;
        let element = self.program.types.qualified(TypeId::CHAR, true, false);
        let ty = self
            .program
            .types
            .array_of(element, ArrayLen::Fixed(length));
        string_place(string, ty, span)
    }

    pub(super) fn new_string(&mut self, bytes: Vec<u8>, unit_bytes: u8, span: Span) -> StringId {
        let id = StringId(self.program.strings.len() as u32);
        self.program.strings.push(StringLiteral {
            bytes,
            unit_bytes,
            span,
        });
        id
    }

    /// C11 6.4.4.1: the first type of a list in which the value fits.
    pub(super) fn integer_literal(
        &mut self,
        value: u128,
        decimal: bool,
        unsigned: bool,
        longs: u8,
        span: Span,
    ) -> Outcome<Operand> {
        let model = self.types().model;
        let ladder = [
            IntKind::Int,
            IntKind::Long,
            IntKind::LongLong,
            IntKind::Int128,
        ];
        for kind in ladder.into_iter().skip(usize::from(longs.min(2))) {
            if kind == IntKind::Int128 && model == DataModel::Ilp32 {
                break;
            }
            let bits = u32::from(kind.bits(model));
            if !unsigned && value <= arith::int::signed_max(bits) {
                return Ok(Expr {
                    kind: ExprKind::Int(value),
                    ty: kind.ty(),
                    span,
                }
                .into());
            }
            if (unsigned || !decimal) && value <= arith::int::mask(bits) {
                let ty = kind.to_unsigned().ty();
                return Ok(Expr {
                    kind: ExprKind::Int(value),
                    ty,
                    span,
                }
                .into());
            }
        }
        // gcc: a decimal constant beyond the largest signed type is unsigned.
        if value <= u128::from(u64::MAX) {
            self.warn(span, "integer constant is so large that it is unsigned");
            let ty = TypeId::ULONG_LONG;
            return Ok(Expr {
                kind: ExprKind::Int(value),
                ty,
                span,
            }
            .into());
        }
        self.error(span, "integer constant is too large for its type")
    }

    pub(super) fn float_literal(
        &mut self,
        text: &str,
        ty: BasicType,
        span: Span,
    ) -> Outcome<Operand> {
        let kind = match ty {
            BasicType::Float16 => FloatKind::Float16,
            BasicType::Float => FloatKind::Float,
            BasicType::LongDouble => FloatKind::LongDouble,
            BasicType::Float128 => FloatKind::Float128,
            _ => FloatKind::Double,
        };
        match float::parse(kind.format(), text) {
            Ok(bits) => Ok(Expr {
                kind: ExprKind::Float(bits),
                ty: kind.ty(),
                span,
            }
            .into()),
            Err(_) => self.error(span, format!("invalid floating constant '{text}'")),
        }
    }

    pub(super) fn character(&mut self, value: u32, width: CharWidth, span: Span) -> Expr {
        let ty = match width {
            CharWidth::Plain => TypeId::INT,
            CharWidth::Utf8 => TypeId::UCHAR,
            CharWidth::Wide => self.types().wchar_type(),
            CharWidth::U16 => TypeId::USHORT,
            CharWidth::U32 => TypeId::UINT,
        };
        // The value of a wide character is that of its code unit, also where the type is signed.
        let bits = self.types().int_bits(ty).map_or(32, |(bits, _)| bits);
        Expr {
            kind: ExprKind::Int(arith::int::truncate(u128::from(value), bits)),
            ty,
            span,
        }
    }

    pub(super) fn string(&mut self, units: &[u32], width: CharWidth, span: Span) -> Operand {
        let element = self.unit_type(width);
        let unit_bytes = match width {
            CharWidth::Plain | CharWidth::Utf8 => 1u8,
            CharWidth::U16 => 2,
            CharWidth::Wide | CharWidth::U32 => 4,
        };
        let mut bytes = Vec::with_capacity((units.len() + 1) * usize::from(unit_bytes));
        for &unit in units.iter().chain(&[0]) {
            bytes.extend_from_slice(&unit.to_le_bytes()[..usize::from(unit_bytes)]);
        }
        let string = self.new_string(bytes, unit_bytes, span);
        let len = ArrayLen::Fixed(units.len() as u64 + 1);
        let ty = self.program.types.array_of(element, len);
        string_place(string, ty, span)
    }

    /// The type of the elements of a string literal.
    pub(super) fn unit_type(&self, width: CharWidth) -> TypeId {
        match width {
            CharWidth::Plain | CharWidth::Utf8 => TypeId::CHAR,
            CharWidth::Wide => self.types().wchar_type(),
            CharWidth::U16 => TypeId::USHORT,
            CharWidth::U32 => TypeId::UINT,
        }
    }
}
