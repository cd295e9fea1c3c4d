//! What the check of an expression gives: a place, a value or a function; and how each becomes a
//! value.

use super::{Checker, Outcome};
use crate::constant;
use crate::span::Span;
use crate::typed::{Expr, ExprKind, FuncId, Place, PlaceKind};
use crate::types::{DataModel, RecordId, Type, TypeId};

/// A value; `bits` is the width of the bit-field that it was read from. gcc gives such a value a
/// type of just that width: it promotes to `int` if it is narrower, and otherwise is computed with
/// in this very width (`unsigned long long x : 40` overflows at 2^40).
#[derive(Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) bits: Option<u8>,
}

impl Value {
    pub(super) fn plain(expr: Expr) -> Value {
        Value { expr, bits: None }
    }
}

#[derive(Debug)]
pub(super) enum Operand {
    /// An lvalue, and its width if it is a bit-field.
    Place(Place, Option<u8>),
    Value(Value),
    /// A function designator.
    Function(FuncId, Span),
}

impl Operand {
    pub(super) fn is_bit_field(&self) -> bool {
        matches!(self, Operand::Place(_, Some(_)))
    }
}

impl From<Expr> for Operand {
    fn from(expr: Expr) -> Operand {
        Operand::Value(Value::plain(expr))
    }
}

impl Checker<'_> {
    /// The type of an operand before any conversion.
    pub(super) fn type_of_operand(&self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Place(place, _) => place.ty,
            Operand::Value(value) => value.expr.ty,
            Operand::Function(id, _) => self.program.functions[id.0 as usize].ty,
        }
    }

    /// C11 6.3.2.1: reads places, turns arrays and functions into addresses.
    pub(super) fn valued(&mut self, operand: Operand) -> Outcome<Value> {
        match operand {
            Operand::Value(value) => Ok(value),
            Operand::Function(id, span) => Ok(Value::plain(self.function_address(id, span))),
            Operand::Place(place, bits) => self.load(place, bits),
        }
    }

    pub(super) fn function_address(&mut self, id: FuncId, span: Span) -> Expr {
        if let Some(address) = self.nested_address(id, span) {
            return address;
        }
        let function = &mut self.program.functions[id.0 as usize];
        if self.unevaluated == 0 {
            function.address_taken = true;
        }
        let ty = function.ty;
        let ty = self.program.types.pointer_to(ty);
        Expr {
            kind: ExprKind::FunctionAddress(id),
            ty,
            span,
        }
    }

    fn load(&mut self, place: Place, bits: Option<u8>) -> Outcome<Value> {
        let span = place.span;
        let ty = self.types().unqualified(place.ty);
        match *self.types().get(ty) {
            Type::Array { element, .. } => {
                let pointer = self.program.types.pointer_to(element);
                Ok(Value::plain(self.address(place, pointer)))
            }
            Type::VaList if self.types().model == DataModel::Lp64 => {
                let pointer = self.program.types.pointer_to(TypeId::VA_LIST);
                Ok(Value::plain(self.address(place, pointer)))
            }
            // `*f` of a pointer to a function is the function, which is again its address.
            Type::Function(_) => match place.kind {
                PlaceKind::Deref(pointer) => Ok(Value::plain(*pointer)),
                _ => self.error(span, "invalid use of a function"),
            },
            Type::Void => match place.kind {
                PlaceKind::Deref(pointer) => {
                    let kind = ExprKind::Convert(pointer);
                    Ok(Value::plain(Expr { kind, ty, span }))
                }
                _ => self.error(span, "invalid use of void expression"),
            },
            Type::Record(id) => {
                self.check_record_use(id, span)?;
                // The value of a temporary is the expression that made it.
                let kind = match place.kind {
                    PlaceKind::Temporary(expr) => return Ok(Value::plain(*expr)),
                    _ => ExprKind::Load(Box::new(place)),
                };
                Ok(Value::plain(Expr { kind, ty, span }))
            }
            _ => {
                if self.static_initializers > 0
                    && let Some(known) = self.known_constant(&place)
                {
                    return Ok(known);
                }
                let kind = ExprKind::Load(Box::new(place));
                Ok(Value {
                    expr: Expr { kind, ty, span },
                    bits,
                })
            }
        }
    }

    /// A record must be complete and understood before its value means anything.
    pub(super) fn check_record_use(&mut self, id: RecordId, span: Span) -> Outcome<()> {
        let record = self.types().record(id);
        if record.layout.is_none() {
            let ty = self.program.types.intern(Type::Record(id));
            let message = format!("invalid use of incomplete type '{}'", self.show(ty));
            return self.error(span, message);
        }
        Ok(())
    }

    /// The address of a place, typed as given; the object behind it counts as address-taken.
    pub(super) fn address(&mut self, place: Place, ty: TypeId) -> Expr {
        let span = place.span;
        // `&*p` is `p`, and so is the first element of the array that `p` points to.
        if let PlaceKind::Deref(pointer) = place.kind {
            return self.convert(*pointer, ty);
        }
        if let Some(bits) = self.absolute_address(&place) {
            return Expr {
                kind: ExprKind::Int(bits),
                ty,
                span,
            };
        }
        self.mark_address_taken(&place);
        Expr {
            kind: ExprKind::AddressOf(Box::new(place)),
            ty,
            span,
        }
    }

    /// `&((struct s *)0)->member`, the old way to write `offsetof`, is a number.
    fn absolute_address(&self, place: &Place) -> Option<u128> {
        let mut place = place;
        let mut offset = 0u128;
        loop {
            match &place.kind {
                PlaceKind::Field { base, field } => {
                    offset += u128::from(constant::field_offset(self.types(), base.ty, *field)?);
                    place = base;
                }
                PlaceKind::Deref(pointer) => {
                    let ExprKind::Int(bits) = pointer.kind else {
                        return None;
                    };
                    let width = u32::from(self.types().model.pointer_bits());
                    return Some(arith::int::add(bits, offset, width));
                }
                _ => return None,
            }
        }
    }

    fn mark_address_taken(&mut self, place: &Place) {
        if self.unevaluated > 0 {
            return;
        }
        let mut place = place;
        loop {
            match &place.kind {
                PlaceKind::Field { base, .. } => place = base,
                PlaceKind::Var(var) | PlaceKind::CompoundLiteral { var, .. } => {
                    self.program.vars[var.0 as usize].address_taken = true;
                    return;
                }
                PlaceKind::Deref(_) | PlaceKind::String(_) | PlaceKind::Temporary(_) => return,
            }
        }
    }
}
