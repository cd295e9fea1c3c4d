//! Ways to a part of an object: subscripts, dereferences, members.

use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast;
use crate::span::{Name, Span};
use crate::typed::{Expr, ExprKind, Place, PlaceKind};
use crate::types::{RecordId, Type, TypeId};

impl Checker<'_> {
    /// `a[i]` is `*(a + i)`.
    #[inline(never)]
    pub(super) fn index(
        &mut self,
        base: &ast::Expr,
        index: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.operand(base)?;
        if self.types().is_vector(self.type_of_operand(&left)) {
            return self.vector_element(left, index, span);
        }
        let left = self.valued(left)?;
        let right = self.value(index)?;
        let (pointer, index) = if self.types().is_pointer(left.expr.ty) {
            (left, right)
        } else {
            (right, left)
        };
        let Some(element) = self.types().pointee(pointer.expr.ty) else {
            return self.error(span, "subscripted value is neither array nor pointer");
        };
        if !self.types().is_integer(index.expr.ty) {
            return self.error(index.expr.span, "array subscript is not an integer");
        }
        if let Type::Function(_) = self.types().shape(element) {
            return self.error(span, "subscripted value is pointer to function");
        }
        let pointer = self.pointer_offset(pointer.expr, index, false, span)?;
        self.dereference(pointer, span)
    }

    /// What a pointer points to, as a place or as a function.
    pub(super) fn dereference(&mut self, pointer: Expr, span: Span) -> Outcome<Operand> {
        let Some(ty) = self.types().pointee(pointer.ty) else {
            let message = format!(
                "invalid type argument of unary '*' (have '{}')",
                self.show(pointer.ty)
            );
            return self.error(span, message);
        };
        if let ExprKind::FunctionAddress(id) = pointer.kind {
            return Ok(Operand::Function(id, span));
        }
        // `*&x` is `x`, if the types agree: a conversion in between would show.
        if let ExprKind::AddressOf(place) = pointer.kind {
            let place = *place;
            if place.ty == ty {
                return Ok(Operand::Place(Place { span, ..place }, None));
            }
            let kind = ExprKind::AddressOf(Box::new(place));
            let pointer = Expr {
                kind,
                ty: pointer.ty,
                span: pointer.span,
            };
            return Ok(Operand::Place(
                Place {
                    kind: PlaceKind::Deref(Box::new(pointer)),
                    ty,
                    span,
                },
                None,
            ));
        }
        Ok(Operand::Place(
            Place {
                kind: PlaceKind::Deref(Box::new(pointer)),
                ty,
                span,
            },
            None,
        ))
    }

    #[inline(never)]
    pub(super) fn member_access(
        &mut self,
        base: &ast::Expr,
        field: &ast::Ident,
        arrow: bool,
        span: Span,
    ) -> Outcome<Operand> {
        let place = if arrow {
            let pointer = self.value(base)?.expr;
            match self.dereference(pointer, base.span)? {
                Operand::Place(place, _) => place,
                _ => return self.error(base.span, "request for member in something not a record"),
            }
        } else {
            match self.operand(base)? {
                Operand::Place(place, _) => place,
                Operand::Value(value) => {
                    let (ty, span) = (value.expr.ty, value.expr.span);
                    Place {
                        kind: PlaceKind::Temporary(Box::new(value.expr)),
                        ty,
                        span,
                    }
                }
                Operand::Function(..) => {
                    return self.error(base.span, "request for member in a function");
                }
            }
        };
        let Some(record) = self.types().record_id(place.ty) else {
            let message = format!(
                "request for member '{}' in something not a structure or union",
                self.text(field.name)
            );
            return self.error(field.span, message);
        };
        self.check_record_use(record, base.span)?;
        if let Some(index) = self.direct_member(record, field.name) {
            let (place, bits) = self.field_place(place, index, span);
            return Ok(Operand::Place(place, bits));
        }
        let mut path = Vec::new();
        if !self.find_member(record, field.name, &mut path) {
            let message = format!(
                "'{}' has no member named '{}'",
                self.show(place.ty),
                self.text(field.name)
            );
            return self.error(field.span, message);
        }
        let mut place = place;
        let mut bits = None;
        for index in path {
            (place, bits) = self.field_place(place, index, span);
        }
        Ok(Operand::Place(place, bits))
    }

    /// The index of a member that the record itself declares.
    pub(super) fn direct_member(&self, record: RecordId, name: Name) -> Option<u32> {
        let layout = self.types().record(record).layout.as_ref()?;
        let index = layout
            .fields
            .iter()
            .position(|field| field.name == Some(name))?;
        Some(index as u32)
    }

    /// The indices of the members that lead to a name, through anonymous records.
    pub(super) fn find_member(&self, record: RecordId, name: Name, path: &mut Vec<u32>) -> bool {
        let Some(layout) = &self.types().record(record).layout else {
            return false;
        };
        if let Some(index) = self.direct_member(record, name) {
            path.push(index);
            return true;
        }
        for (index, field) in layout.fields.iter().enumerate() {
            if field.name.is_none()
                && field.bits.is_none()
                && let Some(inner) = self.types().record_id(field.ty)
            {
                path.push(index as u32);
                if self.find_member(inner, name, path) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// A member of a record place; it inherits the qualifiers.
    pub(super) fn field_place(
        &mut self,
        base: Place,
        index: u32,
        span: Span,
    ) -> (Place, Option<u8>) {
        let field = self
            .types()
            .record_id(base.ty)
            .and_then(|id| self.types().record(id).layout.as_ref())
            .and_then(|layout| layout.fields.get(index as usize));
        let (ty, bits) = match field {
            Some(field) => (field.ty, field.bits.map(|bits| bits.width)),
            None => (TypeId::INT, None),
        };
        let (is_const, is_volatile) = self.types().qualifiers(base.ty);
        let ty = self.program.types.qualified(ty, is_const, is_volatile);
        let kind = PlaceKind::Field {
            base: Box::new(base),
            field: index,
        };
        (Place { kind, ty, span }, bits)
    }
}
