//! `sprintf` and its kin: text that is written to memory, piece by piece, by the models in
//! `format.c`.
//!
//! Exact for integers, characters and strings. The text of a float or an address, and of a format
//! that is no literal, may be any; that is noted as an assumption.

use super::IntrinsicCall;
use super::format::{Amount, Conversion, Piece, Size, pieces};
use crate::{Actual, FunctionLowering};
use cfa::expr::{ExprId, UnOp};
use cfa::op::Op;
use cfa::value::Ty;
use syntax::span::{Name, Span};
use syntax::typed::StringId;
use syntax::types::{Type, TypeId};

/// Which function, by where its arguments stand. The target is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextFunction {
    /// Where the size of the target is given.
    limit: Option<u8>,
    format: u8,
    /// The values come in a `va_list`.
    list: bool,
    /// The result counts only what was written (`scnprintf` of the kernel).
    clamped: bool,
}

/// Text of unknown length has at most so many characters.
const LONGEST: i128 = 131_072;

impl TextFunction {
    pub fn named(name: &str) -> Option<TextFunction> {
        let (limit, format) = match name {
            "sprintf" | "vsprintf" => (None, 1),
            "snprintf" | "vsnprintf" | "scnprintf" | "vscnprintf" => (Some(1), 2),
            "__sprintf_chk" | "__vsprintf_chk" => (None, 3),
            "__snprintf_chk" | "__vsnprintf_chk" => (Some(1), 4),
            _ => return None,
        };
        Some(TextFunction {
            limit,
            format,
            list: name.trim_start_matches('_').starts_with('v'),
            clamped: name.contains("scn"),
        })
    }

    /// Where the format stands among the arguments.
    pub fn format(self) -> usize {
        self.format.into()
    }
}

/// What is being written.
struct Writing {
    target: ExprId,
    limit: ExprId,
    at: ExprId,
    span: Span,
}

impl FunctionLowering<'_, '_> {
    /// Writes the text; the value is the number of characters. `literal` is the format, if it is
    /// one.
    pub(crate) fn write_text(
        &mut self,
        function: TextFunction,
        call: &IntrinsicCall,
        literal: Option<StringId>,
    ) -> Option<ExprId> {
        let span = call.span;
        let pointer = self.context.pointer;
        let target = self.argument_as(call, 0, pointer);
        let target = self.save_if_read(target, span);
        let limit = match function.limit {
            Some(at) => self.argument_as(call, at.into(), pointer),
            None => self.context.pool.integer(-1, pointer),
        };
        let limit = self.save_if_read(limit, span);
        let mut writing = Writing {
            target,
            limit,
            at: self.context.pool.zero(pointer),
            span,
        };
        let rest: Vec<Actual> = call
            .args
            .iter()
            .skip(function.format() + 1)
            .copied()
            .collect();
        match literal.and_then(|id| self.format_and_values(function, id, &rest, span)) {
            Some((id, pieces, values)) => {
                let mut values = values.into_iter();
                for piece in pieces {
                    match piece {
                        Piece::Text { start, length } => {
                            self.write_literal(&mut writing, id, start, length);
                        }
                        Piece::Conversion(conversion) => {
                            self.write_conversion(&mut writing, &conversion, &mut values, call)?;
                        }
                    }
                }
            }
            None => {
                for actual in &rest {
                    self.tell(actual.value, span);
                }
                self.write_anything(&mut writing, LONGEST, call);
            }
        }
        let Writing {
            target, limit, at, ..
        } = writing;
        let length = self.call_model("__concord_put_end", &[target, limit, at], span)?;
        let length = if function.clamped {
            let pool = &mut self.context.pool;
            let (zero, one) = (pool.zero(pointer), pool.integer(1, pointer));
            let last = pool.sub(limit, one);
            let fits = pool.lt(at, limit);
            let has_room = pool.truth(limit);
            let written = pool.ite(fits, at, last);
            let written = pool.ite(has_room, written, zero);
            pool.convert(written, Ty::I32)
        } else {
            length
        };
        Some(self.convert_to(length, call.ty))
    }

    /// How many characters `printf` writes.
    pub(super) fn text_length(
        &mut self,
        list: bool,
        name: Name,
        literal: Option<StringId>,
        rest: &[Actual],
        span: Span,
    ) -> Option<ExprId> {
        let nothing = Actual {
            value: self.context.pool.zero(self.context.pointer),
            ty: TypeId::LONG,
        };
        let function = TextFunction {
            limit: Some(1),
            format: 2,
            list,
            clamped: false,
        };
        let mut args = vec![nothing; 3];
        args.extend(rest);
        let call = IntrinsicCall {
            name,
            args,
            ty: TypeId::INT,
            dest: None,
            span,
        };
        self.write_text(function, &call, literal)
    }

    /// Any text of wide characters, as long as the size (which Windows' function does not have)
    /// allows.
    pub(super) fn write_wide_text(&mut self, call: &IntrinsicCall) -> Option<ExprId> {
        let span = call.span;
        let pointer = self.context.pointer;
        let target_type = call.args.first().map(|actual| actual.ty);
        let unit = target_type.and_then(|ty| match *self.context.types.shape(ty) {
            Type::Pointer(unit) => self.context.types.layout_of(unit),
            _ => None,
        });
        let limit = call
            .args
            .get(1)
            .filter(|actual| !matches!(self.context.types.shape(actual.ty), Type::Pointer(_)));
        let Some(unit) = unit else {
            self.unsupported("wide text without its type (`swprintf`)", span);
            return Some(self.nothing());
        };
        let most = match limit {
            Some(limit) => self.context.pool.convert(limit.value, pointer),
            None => self.context.pool.integer(LONGEST, pointer),
        };
        let target = self.argument_as(call, 0, pointer);
        let text = "`swprintf` writes any text".to_owned();
        self.context.assume(text, span);
        let size = self.context.pool.integer(unit.size.into(), pointer);
        let length = self.call_model("__concord_any_wide_text", &[target, most, size], span)?;
        Some(self.convert_to(length, call.ty))
    }

    /// The pieces of a literal format with their values, which nothing that is written can change
    /// any more.
    fn format_and_values(
        &mut self,
        function: TextFunction,
        id: StringId,
        rest: &[Actual],
        span: Span,
    ) -> Option<(StringId, Vec<Piece>, Vec<ExprId>)> {
        let format = self.context.literal(id);
        let types = super::format::conversions(&format, self.context.pointer)?;
        let values = if function.list {
            self.listed(&types, rest.first()?)
        } else {
            self.given(&types, rest)
        }?;
        let values = values
            .into_iter()
            .map(|value| self.save_if_read(value, span))
            .collect();
        Some((id, pieces(&format, false)?, values))
    }

    fn write_literal(&mut self, writing: &mut Writing, id: StringId, start: usize, length: usize) {
        let pointer = self.context.pointer;
        let object = self.context.string_object(id);
        let source = self.context.object_address(object);
        let source = self.context.pool.offset(source, start as i128);
        let count = self.context.pool.integer(length as i128, pointer);
        let pool = &mut self.context.pool;
        let known = |pool: &cfa::expr::ExprPool, value| pool.as_constant(value);
        let fits = match (known(pool, writing.at), known(pool, writing.limit)) {
            (Some(at), Some(limit)) => at + (length as u128) < limit,
            (None, Some(limit)) => limit == (1 << pointer.width()) - 1,
            _ => false,
        };
        if known(pool, writing.limit) == Some(0) {
            // Only counted.
            writing.at = pool.add(writing.at, count);
        } else if fits {
            let to = pool.add(writing.target, writing.at);
            writing.at = pool.add(writing.at, count);
            self.copy(to, source, length as u64, writing.span);
        } else {
            let args = [writing.target, writing.limit, writing.at, source, count];
            self.advance(writing, "__concord_put_bytes", &args);
        }
    }

    fn write_conversion(
        &mut self,
        writing: &mut Writing,
        conversion: &Conversion,
        values: &mut impl Iterator<Item = ExprId>,
        call: &IntrinsicCall,
    ) -> Option<()> {
        let mut amount = |lowering: &mut Self, amount, absent| match amount {
            Amount::None => Some(lowering.context.pool.integer(absent, Ty::I32)),
            Amount::Number(number) => {
                let number = i128::from(number);
                Some(lowering.context.pool.integer(number, Ty::I32))
            }
            Amount::Argument => values.next(),
        };
        let width = amount(self, conversion.width, 0)?;
        let precision = amount(self, conversion.precision, -1)?;
        let flags = self
            .context
            .pool
            .integer(i128::from(conversion.flags), Ty::I32);
        let start = [writing.target, writing.limit, writing.at];
        match conversion.letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                let value = values.next()?;
                let signed = matches!(conversion.letter, b'd' | b'i');
                let base = match conversion.letter {
                    b'o' => 8,
                    b'x' | b'X' => 16,
                    _ => 10,
                };
                let flags = match signed {
                    true => flags,
                    // Signs are for signed conversions only.
                    false => {
                        let unsigned = i128::from(conversion.flags & !6);
                        self.context.pool.integer(unsigned, Ty::I32)
                    }
                };
                let pool = &mut self.context.pool;
                let ty = match conversion.size {
                    Size::Char | Size::Short => {
                        let bits = conversion.bits(self.context.pointer);
                        Some(if signed {
                            Ty::signed(bits)
                        } else {
                            Ty::unsigned(bits)
                        })
                    }
                    _ => None,
                };
                let value = ty.map_or(value, |ty| pool.convert(value, ty));
                let wide = Ty::Int { width: 64, signed };
                let value = pool.convert(value, wide);
                let zero = pool.zero(wide);
                let negative = pool.lt(value, zero);
                let opposite = pool.sub(zero, value);
                let magnitude = pool.ite(negative, opposite, value);
                let magnitude = pool.convert(magnitude, Ty::U64);
                let negative = pool.convert(negative, Ty::I32);
                let base = pool.integer(base, Ty::U32);
                let [target, limit, at] = start;
                let args = [
                    target, limit, at, magnitude, negative, base, flags, width, precision,
                ];
                self.advance(writing, "__concord_put_number", &args);
            }
            b'c' if conversion.size == Size::Int => {
                let value = values.next()?;
                let [target, limit, at] = start;
                let args = [target, limit, at, value, flags, width];
                self.advance(writing, "__concord_put_char", &args);
            }
            b's' if conversion.size == Size::Int => {
                let value = values.next()?;
                let [target, limit, at] = start;
                let args = [target, limit, at, value, flags, width, precision];
                self.advance(writing, "__concord_put_text", &args);
            }
            letter => {
                if letter != b'm' {
                    let value = values.next()?;
                    self.tell(value, writing.span);
                }
                // The largest number has fewer digits before its point.
                let most = match (conversion.width, conversion.precision) {
                    (Amount::Argument, _) | (_, Amount::Argument) => LONGEST,
                    (Amount::Number(most), Amount::Number(digits)) => {
                        i128::from(most.max(0)) + i128::from(digits.max(0)) + 5000
                    }
                    (Amount::Number(most), _) | (_, Amount::Number(most)) => {
                        i128::from(most.max(0)) + 5000
                    }
                    _ => 5000,
                };
                self.write_anything(writing, most, call);
            }
        }
        Some(())
    }

    /// The text may tell the value: whoever reads it knows the address that the value may be.
    fn tell(&mut self, value: ExprId, span: Span) {
        let ty = self.context.pool.ty(value);
        if ty.is_int() {
            let bits = self.context.pool.unary(UnOp::BitNot, value);
            let told = self.temporary(ty, span);
            self.emit(Op::Assign(told, bits), span);
        }
    }

    fn write_anything(&mut self, writing: &mut Writing, most: i128, call: &IntrinsicCall) {
        let name = self.context.names.get(call.name);
        let text = format!(
            "`{name}` writes any text for a float, an address or an unknown format, and nothing else"
        );
        self.context.assume(text, call.span);
        let most = self.context.pool.integer(most, self.context.pointer);
        let args = [writing.target, writing.limit, writing.at, most];
        self.advance(writing, "__concord_put_any", &args);
    }

    fn advance(&mut self, writing: &mut Writing, model: &str, args: &[ExprId]) {
        if let Some(at) = self.call_model(model, args, writing.span) {
            writing.at = at;
        }
    }
}
