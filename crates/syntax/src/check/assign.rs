//! Assignment, compound assignment, increment.

use super::convert::Context;
use super::operand::{Operand, Value};
use super::operator::spelling;
use super::{Checker, Outcome};
use crate::ast;
use crate::span::Span;
use crate::typed::{BinaryOp, Expr, ExprKind, Place, PlaceKind};
use crate::types::{RecordId, Type, TypeId};

impl Checker<'_> {
    #[inline(never)]
    pub(super) fn assignment(
        &mut self,
        op: Option<ast::BinaryOp>,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        let (place, bits) = self.modifiable(left, "left operand of assignment")?;
        let value = self.value(right)?;
        let ty = self.types().unqualified(place.ty);
        let kind = match op.and_then(compound) {
            None => {
                let value = self.assigned(value, ty, Context::Assignment)?;
                ExprKind::Assign(Box::new(place), Box::new(value))
            }
            Some(op) if self.is_tuple(ty) || self.is_tuple(value.expr.ty) => {
                if bits.is_some() {
                    return self.unsupported(span, "a bit-field beside a complex number");
                }
                return Ok(self.tuple_compound(op, place, value, false, span)?.into());
            }
            Some(op) => self.compound(op, place, bits, value, span)?,
        };
        Ok(Operand::Value(Value {
            expr: Expr { kind, ty, span },
            bits,
        }))
    }

    fn is_tuple(&self, ty: TypeId) -> bool {
        self.types().tuple(ty).is_some()
    }

    /// `place op= value`.
    fn compound(
        &mut self,
        op: BinaryOp,
        place: Place,
        bits: Option<u8>,
        value: Value,
        span: Span,
    ) -> Outcome<ExprKind> {
        let types = self.types();
        let (lt, rt) = (types.unqualified(place.ty), value.expr.ty);
        if types.is_pointer(lt)
            && matches!(op, BinaryOp::Add | BinaryOp::Sub)
            && types.is_integer(rt)
        {
            let target = types.pointee(lt).unwrap_or(TypeId::VOID);
            let element = self.element_size(target, span)?;
            let index = Box::new(self.pointer_index(value));
            let subtract = op == BinaryOp::Sub;
            let place = Box::new(place);
            return Ok(ExprKind::CompoundPointer {
                place,
                index,
                element,
                subtract,
            });
        }
        let fits = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                types.is_arithmetic(lt) && types.is_arithmetic(rt)
            }
            _ => types.is_integer(lt) && types.is_integer(rt),
        };
        if !fits {
            for ty in [lt, rt] {
                if let Some(id) = self.types().record_id(ty) {
                    self.check_record_use(id, span)?;
                }
            }
            let message = format!(
                "invalid operands to binary {}= (have '{}' and '{}')",
                spelling(op),
                self.show(lt),
                self.show(rt)
            );
            return self.error(span, message);
        }
        // Only the type of the left operand counts here: a stand-in is converted in its place. The
        // width of a bit-field's type needs no care, since the result is cut to it when stored.
        let stand_in = Expr {
            kind: ExprKind::Load(Box::new(hollow(span))),
            ty: lt,
            span,
        };
        let stand_in = Value {
            expr: stand_in,
            bits,
        };
        let (compute, value) = match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                (self.promote(stand_in).expr.ty, self.promote(value).expr)
            }
            _ => {
                let (left, right, _) = self.usual_conversions(stand_in, value);
                (left.ty, right)
            }
        };
        let (place, value) = (Box::new(place), Box::new(value));
        Ok(ExprKind::CompoundAssign {
            op,
            place,
            value,
            compute,
        })
    }

    #[inline(never)]
    pub(super) fn increment(
        &mut self,
        inner: &ast::Expr,
        decrement: bool,
        postfix: bool,
        span: Span,
    ) -> Outcome<Operand> {
        let what = if decrement {
            "decrement operand"
        } else {
            "increment operand"
        };
        let (place, bits) = self.modifiable(inner, what)?;
        let ty = self.types().unqualified(place.ty);
        let element = match *self.types().get(ty) {
            Type::Pointer(target) => Some(self.element_size(target, span)?),
            _ if self.types().is_arithmetic(ty) => None,
            Type::Record(_) if self.is_tuple(ty) => {
                let op = match decrement {
                    true => BinaryOp::Sub,
                    false => BinaryOp::Add,
                };
                let one = Value::plain(self.int_value(1, TypeId::INT, span));
                return Ok(self.tuple_compound(op, place, one, postfix, span)?.into());
            }
            Type::Record(id) => {
                self.check_record_use(id, span)?;
                return self.error(span, format!("wrong type argument to {what}"));
            }
            _ => return self.error(span, format!("wrong type argument to {what}")),
        };
        let kind = ExprKind::IncDec {
            place: Box::new(place),
            decrement,
            postfix,
            element,
        };
        Ok(Operand::Value(Value {
            expr: Expr { kind, ty, span },
            bits,
        }))
    }

    /// An lvalue that may be changed (C11 6.3.2.1 paragraph 1).
    fn modifiable(&mut self, expr: &ast::Expr, what: &str) -> Outcome<(Place, Option<u8>)> {
        let (place, bits) = match self.operand(expr)? {
            Operand::Place(place, bits) if !is_temporary(&place) => (place, bits),
            _ => return self.error(expr.span, format!("lvalue required as {what}")),
        };
        let (is_const, _) = self.types().qualifiers(place.ty);
        match *self.types().shape(place.ty) {
            Type::Array { .. } => {
                return self.error(expr.span, "assignment to expression with array type");
            }
            Type::Function(_) => {
                return self.error(expr.span, format!("lvalue required as {what}"));
            }
            Type::Void => return self.error(expr.span, "invalid use of void expression"),
            Type::Record(id) => {
                self.check_record_use(id, expr.span)?;
                if !is_const && self.has_const_member(id) {
                    return self.error(expr.span, "assignment of read-only location");
                }
            }
            _ => {}
        }
        if is_const {
            let message = match &place.kind {
                PlaceKind::Var(id) => {
                    let name = self.program.vars[id.0 as usize].name;
                    format!("assignment of read-only variable '{}'", self.text(name))
                }
                PlaceKind::Field { .. } => "assignment of read-only member".to_owned(),
                _ => "assignment of read-only location".to_owned(),
            };
            return self.error(expr.span, message);
        }
        Ok((place, bits))
    }

    fn has_const_member(&self, id: RecordId) -> bool {
        let Some(layout) = &self.types().record(id).layout else {
            return false;
        };
        layout.fields.iter().any(|field| {
            let mut ty = field.ty;
            while let Type::Array { element, .. } = *self.types().shape(ty) {
                ty = element;
            }
            self.types().qualifiers(field.ty).0
                || self
                    .types()
                    .record_id(ty)
                    .is_some_and(|inner| self.has_const_member(inner))
        })
    }
}

fn is_temporary(place: &Place) -> bool {
    let mut place = place;
    loop {
        match &place.kind {
            PlaceKind::Field { base, .. } => place = base,
            PlaceKind::Temporary(_) => return true,
            _ => return false,
        }
    }
}

/// A place that is thrown away.
fn hollow(span: Span) -> Place {
    Place {
        kind: PlaceKind::String(crate::typed::StringId(0)),
        ty: TypeId::INT,
        span,
    }
}

fn compound(op: ast::BinaryOp) -> Option<BinaryOp> {
    super::operator::arithmetic(op)
}
