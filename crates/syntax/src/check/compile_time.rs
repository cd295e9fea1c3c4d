//! Builtins whose answer depends on what the compiler knows. The answers are those of gcc without
//! optimisation; where it takes folding to know them, the builtin is not supported.

use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast;
use crate::constant;
use crate::span::Span;
use crate::typed::{ElementSize, Expr, ExprKind, Place, PlaceKind};
use crate::types::Type;

impl Checker<'_> {
    /// `__builtin_constant_p(e)`: constants are constant, what is read or called is not.
    pub(super) fn constant_p(&mut self, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        let arg = self.argument(args, 0, span)?;
        let known = match self.unevaluated(|checker| checker.operand(arg))? {
            Operand::Value(value) => {
                if constant::evaluate(self.types(), &value.expr).is_some() {
                    true
                } else if is_simple(&value.expr) {
                    false
                } else {
                    // gcc knows that `x * 0` is.
                    return self.unsupported(span, "'__builtin_constant_p' of this expression");
                }
            }
            Operand::Place(place, _) => matches!(place.kind, PlaceKind::String(_)),
            Operand::Function(..) => false,
        };
        let int = crate::types::TypeId::INT;
        Ok(self.int_value(i128::from(known), int, span).into())
    }

    /// The arguments from an index on have no effects, so that they need not be evaluated.
    pub(super) fn only_constants(&mut self, args: &[ast::Expr], from: usize) -> Outcome<()> {
        for arg in args.iter().skip(from) {
            let value = self.unevaluated(|checker| checker.value(arg))?.expr;
            let loads = matches!(&value.kind, ExprKind::Load(place) if matches!(place.kind, PlaceKind::Var(_)));
            if !loads && constant::evaluate(self.types(), &value).is_none() {
                return self
                    .unsupported(arg.span, "a builtin with an argument that is not constant");
            }
        }
        Ok(())
    }

    /// `__builtin_object_size(p, kind)`: what is left of the object whose address is written there.
    /// Of any other pointer nothing is known: the largest size, or none if a minimum is asked for.
    pub(super) fn object_size(&mut self, args: &[ast::Expr], span: Span) -> Outcome<Operand> {
        let kind = self.argument(args, 1, span)?;
        let kind = self.integer_constant(kind, "second argument")?;
        let pointer = self.argument(args, 0, span)?;
        let pointer = self.unevaluated(|checker| checker.value(pointer))?.expr;
        let nothing = if kind & 2 == 0 { -1 } else { 0 };
        let value = match self.written_address(&pointer) {
            None => nothing,
            // Of a part of an object, the closest surrounding one counts for the other kinds.
            Some(address) if kind & 1 == 0 || address.whole => {
                i128::from(address.size.saturating_sub(address.offset))
            }
            Some(_) => {
                return self.unsupported(span, "'__builtin_object_size' of a part of an object");
            }
        };
        let size = self.types().size_type();
        Ok(self.int_value(value, size, span).into())
    }

    /// The object and offset of an address that the expression spells out.
    fn written_address(&self, expr: &Expr) -> Option<Written> {
        match &expr.kind {
            ExprKind::Convert(inner) if matches!(self.types().get(inner.ty), Type::Pointer(_)) => {
                self.written_address(inner)
            }
            ExprKind::AddressOf(place) => self.written_place(place),
            ExprKind::PointerOffset {
                pointer,
                index,
                element: ElementSize::Bytes(size),
                subtract: false,
            } => {
                let base = self.written_address(pointer)?;
                let ExprKind::Int(index) = index.kind else {
                    return None;
                };
                let step = u64::try_from(index).ok()?.checked_mul(*size)?;
                Some(Written {
                    offset: base.offset.checked_add(step)?,
                    whole: base.whole && step == 0,
                    ..base
                })
            }
            _ => None,
        }
    }

    fn written_place(&self, place: &Place) -> Option<Written> {
        let whole = |size: u64| Written {
            size,
            offset: 0,
            whole: true,
        };
        match &place.kind {
            PlaceKind::Var(id) => {
                let var = &self.program.vars[id.0 as usize];
                Some(whole(
                    self.types().size_of(var.ty)?.checked_add(var.extra_bytes)?,
                ))
            }
            PlaceKind::String(id) => {
                Some(whole(self.program.strings[id.0 as usize].bytes.len() as u64))
            }
            PlaceKind::Field { base, field } => {
                let outer = self.written_place(base)?;
                let record = self.types().record_id(base.ty)?;
                let layout = self.types().record(record).layout.as_ref()?;
                let offset = layout.fields.get(*field as usize)?.offset;
                Some(Written {
                    offset: outer.offset.checked_add(offset)?,
                    whole: false,
                    ..outer
                })
            }
            PlaceKind::Deref(pointer) => self.written_address(pointer),
            PlaceKind::CompoundLiteral { .. } | PlaceKind::Temporary(_) => None,
        }
    }
}

/// An address within an object that is named.
#[derive(Clone, Copy)]
struct Written {
    /// Of the object.
    size: u64,
    offset: u64,
    /// Nothing but the object itself is named.
    whole: bool,
}

/// Reads or calls something, perhaps converted: no folding makes a constant of it.
fn is_simple(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Convert(inner) => is_simple(inner),
        ExprKind::Load(_) | ExprKind::Call { .. } | ExprKind::AddressOf(_) => true,
        ExprKind::Assign(..) | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => true,
        _ => false,
    }
}
