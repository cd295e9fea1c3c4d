//! Expressions that ask about types: `sizeof`, `_Alignof`, `_Generic`, `offsetof`.

use super::operand::{Operand, Value};
use super::vla::Asked;
use super::{Checker, Outcome};
use crate::ast::{self, Designator};
use crate::span::Span;
use crate::typed::{ElementSize, Expr, ExprKind, Place, PlaceKind};
use crate::types::{ArrayLen, Type, TypeId};

impl Checker<'_> {
    #[inline(never)]
    pub(super) fn sizeof_expression(&mut self, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let operand = self.unevaluated(|checker| checker.operand(inner))?;
        if operand.is_bit_field() {
            return self.error(span, "'sizeof' applied to a bit-field");
        }
        if let Operand::Value(Value {
            bits: Some(bits), ..
        }) = operand
        {
            // The value of a bit-field has a type of its width, as large as the machine's that
            // holds it.
            let size = u64::from(bits).div_ceil(8).next_power_of_two();
            let size_type = self.types().size_type();
            return Ok(self.int_value(size.into(), size_type, span).into());
        }
        let ty = self.type_asked_for(inner, &operand, mark, Asked::Size)?;
        let size = self.size_value(ty, span)?;
        Ok(self.after_pending(mark, size).into())
    }

    /// The value has a type that C can name: that of a bit-field has the width of the bit-field.
    pub(super) fn check_plain_type(&mut self, value: &Value) -> Outcome<()> {
        let width = self.types().int_bits(value.expr.ty).map(|(width, _)| width);
        match value.bits {
            Some(bits) if width != Some(u32::from(bits)) => {
                self.unsupported(value.expr.span, "the type of a bit-field's value")
            }
            _ => Ok(()),
        }
    }

    #[inline(never)]
    pub(super) fn sizeof_type(&mut self, name: &ast::TypeName, span: Span) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let ty = self.type_name(name)?;
        if !self.has_variable_size(ty) {
            self.forget_pending(mark);
        }
        let size = self.size_value(ty, span)?;
        Ok(self.after_pending(mark, size).into())
    }

    pub(super) fn size_value(&mut self, ty: TypeId, span: Span) -> Outcome<Expr> {
        let size_type = self.types().size_type();
        match *self.types().shape(ty) {
            // GNU.
            Type::Void | Type::Function(_) => return Ok(self.int_value(1, size_type, span)),
            _ => {}
        }
        if let Some(size) = self.types().size_of(ty) {
            return Ok(self.int_value(i128::from(size), size_type, span));
        }
        if let Type::Array {
            element,
            len: ArrayLen::Variable(vla),
        } = *self.types().shape(ty)
        {
            self.check_own_length(vla, span)?;
            let element = self.element_size(element, span)?;
            return Ok(Expr {
                kind: ExprKind::VlaSize { vla, element },
                ty: size_type,
                span,
            });
        }
        if self.has_variable_size(ty)
            && let Type::Array {
                element,
                len: ArrayLen::Fixed(count),
            } = *self.types().shape(ty)
        {
            let one = self.size_value(element, span)?;
            let count = self.int_value(i128::from(count), size_type, span);
            return Ok(self.binary(crate::typed::BinaryOp::Mul, one, count, size_type, span));
        }
        let message = format!(
            "invalid application of 'sizeof' to incomplete type '{}'",
            self.show(ty)
        );
        self.error(span, message)
    }

    #[inline(never)]
    pub(super) fn alignof_expression(&mut self, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let operand = self.unevaluated(|checker| checker.operand(inner))?;
        self.forget_pending(mark);
        if operand.is_bit_field() {
            return self.error(span, "'_Alignof' applied to a bit-field");
        }
        let ty = self.type_of_operand(&operand);
        if matches!(self.types().shape(ty), Type::Function(_)) {
            return self.unsupported(span, "the alignment of a function");
        }
        let own = match &operand {
            Operand::Place(
                Place {
                    kind: PlaceKind::Var(id),
                    ..
                },
                _,
            ) => self.program.vars[id.0 as usize].align,
            _ => None,
        };
        let member = match &operand {
            Operand::Place(
                Place {
                    kind: PlaceKind::Field { base, field },
                    ..
                },
                _,
            ) => Some((base.ty, *field as usize)),
            _ => None,
        };
        let is_member = member.is_some();
        if let Some((record, field)) = member {
            let layout = self
                .types()
                .record_id(record)
                .map(|id| self.types().record(id));
            let layout = layout.and_then(|record| record.layout.as_ref());
            let field = layout.and_then(|layout| layout.fields.get(field));
            if field.is_none_or(|field| field.attributed) {
                return self.unsupported(span, "the alignment of a member with an attribute");
            }
        }
        let align = match own {
            Some(align) => align,
            None if is_member => self.align_of(ty, span)?,
            None => self.preferred_align_of(ty, span)?,
        };
        let size_type = self.types().size_type();
        Ok(self.int_value(i128::from(align), size_type, span).into())
    }

    #[inline(never)]
    pub(super) fn alignof_type(
        &mut self,
        name: &ast::TypeName,
        preferred: bool,
        span: Span,
    ) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let ty = self.type_name(name)?;
        self.forget_pending(mark);
        let align = match preferred {
            true => self.preferred_align_of(ty, span)?,
            false => self.align_of(ty, span)?,
        };
        let size_type = self.types().size_type();
        Ok(self.int_value(i128::from(align), size_type, span).into())
    }

    /// What gcc aligns variables of the type to, if nothing else is said.
    fn preferred_align_of(&mut self, ty: TypeId, span: Span) -> Outcome<u64> {
        let least = self.align_of(ty, span)?;
        let mut inner = ty;
        while let Type::Array { element, .. } = *self.types().shape(inner) {
            inner = element;
        }
        let preferred = self.types().layout_of(inner).map(|layout| layout.align);
        Ok(preferred.unwrap_or(least))
    }

    pub(super) fn align_of(&mut self, ty: TypeId, span: Span) -> Outcome<u64> {
        let mut inner = ty;
        // The alignment of an array is that of its elements, whatever its length.
        while let Type::Array { element, .. } = *self.types().shape(inner) {
            inner = element;
        }
        match *self.types().shape(inner) {
            Type::Void | Type::Function(_) => return Ok(1),
            _ => {}
        }
        match self.types().align_of(inner) {
            Some(align) => Ok(align),
            None => {
                let message = format!(
                    "invalid application of '_Alignof' to incomplete type '{}'",
                    self.show(ty)
                );
                self.error(span, message)
            }
        }
    }

    #[inline(never)]
    pub(super) fn generic(
        &mut self,
        control: &ast::Expr,
        arms: &[(Option<ast::TypeName>, ast::Expr)],
        span: Span,
    ) -> Outcome<Operand> {
        let control = self.unevaluated(|checker| checker.value(control))?;
        self.check_plain_type(&control)?;
        let control = control.expr.ty;
        let mut chosen = None;
        let mut default = None;
        for (name, expr) in arms {
            match name {
                None => default = Some(expr),
                Some(name) => {
                    let ty = self.type_name(name)?;
                    if chosen.is_none() && self.compatible(control, ty) {
                        chosen = Some(expr);
                    }
                }
            }
        }
        match chosen.or(default) {
            Some(expr) => self.operand(expr),
            None => {
                let shown = self.show(control);
                let message = format!(
                    "'_Generic' selector of type '{shown}' is not compatible with any association"
                );
                self.error(span, message)
            }
        }
    }

    #[inline(never)]
    pub(super) fn types_compatible(
        &mut self,
        left: &ast::TypeName,
        right: &ast::TypeName,
        span: Span,
    ) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let left = self.unevaluated(|checker| checker.type_name(left))?;
        let right = self.unevaluated(|checker| checker.type_name(right))?;
        self.forget_pending(mark);
        let same = self.compatible_unqualified(left, right);
        Ok(self.int_value(i128::from(same), TypeId::INT, span).into())
    }

    /// The offset of a member; an index that is no constant makes it a sum.
    #[inline(never)]
    pub(super) fn offsetof(
        &mut self,
        name: &ast::TypeName,
        path: &[Designator],
        span: Span,
    ) -> Outcome<Operand> {
        let mut ty = self.type_name(name)?;
        let size_type = self.types().size_type();
        let mut offset = 0u64;
        let mut variable: Option<Expr> = None;
        for step in path {
            match step {
                Designator::Field(field) => {
                    let Some(record) = self.types().record_id(ty) else {
                        let message = format!(
                            "request for member '{}' in something not a structure or union",
                            self.text(field.name)
                        );
                        return self.error(field.span, message);
                    };
                    self.check_record_use(record, span)?;
                    let mut indices = Vec::new();
                    if !self.find_member(record, field.name, &mut indices) {
                        let message = format!(
                            "'{}' has no member named '{}'",
                            self.show(ty),
                            self.text(field.name)
                        );
                        return self.error(field.span, message);
                    }
                    for index in indices {
                        let found = self
                            .types()
                            .record_id(ty)
                            .and_then(|id| self.types().record(id).layout.as_ref())
                            .and_then(|layout| layout.fields.get(index as usize));
                        let Some(field) = found else { break };
                        if field.bits.is_some() {
                            return self.error(
                                span,
                                "attempt to take address of bit-field structure member",
                            );
                        }
                        offset += field.offset;
                        ty = field.ty;
                    }
                }
                Designator::Index(index) => {
                    let Type::Array { element, .. } = *self.types().shape(ty) else {
                        return self.error(span, "subscripted value in 'offsetof' is not an array");
                    };
                    let ElementSize::Bytes(size) = self.element_size(element, span)? else {
                        return self.unsupported(span, "'offsetof' in an array of variable size");
                    };
                    let index = self.value(index)?;
                    if !self.types().is_integer(index.expr.ty) {
                        return self.error(index.expr.span, "array subscript is not an integer");
                    }
                    let index = self.convert(index.expr, size_type);
                    let size = self.int_value(i128::from(size), size_type, span);
                    let step =
                        self.binary(crate::typed::BinaryOp::Mul, index, size, size_type, span);
                    match (step.kind, variable.take()) {
                        (ExprKind::Int(bits), before) => {
                            offset = offset.wrapping_add(bits as u64);
                            variable = before;
                        }
                        (kind, before) => {
                            let step = Expr {
                                kind,
                                ty: size_type,
                                span,
                            };
                            variable = Some(match before {
                                None => step,
                                Some(before) => self.binary(
                                    crate::typed::BinaryOp::Add,
                                    before,
                                    step,
                                    size_type,
                                    span,
                                ),
                            });
                        }
                    }
                    ty = element;
                }
                Designator::Range(..) => {
                    return self.error(span, "a range is not a member designator");
                }
            }
        }
        let constant = self.int_value(i128::from(offset), size_type, span);
        Ok(match variable {
            None => constant,
            Some(sum) => self.binary(crate::typed::BinaryOp::Add, sum, constant, size_type, span),
        }
        .into())
    }
}
