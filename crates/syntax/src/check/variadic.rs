//! Lists of arguments: `va_start`, `va_arg`, `va_copy`, `va_end`.

use super::builtin::builtin;
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast;
use crate::span::Span;
use crate::typed::{Builtin, Expr, ExprKind, Place, PlaceKind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// The list that a `va_list` expression means, as a place.
    pub(super) fn va_list_place(&mut self, expr: &ast::Expr) -> Outcome<Place> {
        let operand = self.operand(expr)?;
        if let Operand::Place(place, _) = operand {
            if *self.types().shape(place.ty) == Type::VaList {
                return Ok(place);
            }
            return self.va_list_behind(Operand::Place(place, None), expr.span);
        }
        self.va_list_behind(operand, expr.span)
    }

    /// A parameter of type `va_list` is a pointer to the list on x86-64.
    pub(super) fn va_list_behind(&mut self, operand: Operand, span: Span) -> Outcome<Place> {
        let value = self.valued(operand)?.expr;
        let target = self.types().pointee(value.ty);
        if let Some(ty) = target
            && *self.types().shape(ty) == Type::VaList
        {
            return Ok(Place {
                kind: PlaceKind::Deref(Box::new(value)),
                ty,
                span,
            });
        }
        self.error(span, "argument is not of type 'va_list'")
    }

    pub(super) fn va_list_address(&mut self, expr: &ast::Expr) -> Outcome<Expr> {
        let place = self.va_list_place(expr)?;
        let ty = self.program.types.pointer_to(TypeId::VA_LIST);
        Ok(self.address(place, ty))
    }

    pub(super) fn va_builtin(
        &mut self,
        rest: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let list = self.argument(args, 0, span)?;
        let first = self.va_list_address(list)?;
        match rest {
            "va_start" | "stdarg_start" => {
                // The second argument only names the last parameter.
                if let Some(last) = args.get(1) {
                    self.unevaluated(|checker| checker.value(last))?;
                }
                Ok(builtin(Builtin::VaStart, vec![first], TypeId::VOID, span))
            }
            "va_end" => Ok(builtin(Builtin::VaEnd, vec![first], TypeId::VOID, span)),
            "va_copy" => {
                let source = self.argument(args, 1, span)?;
                let source = self.va_list_address(source)?;
                Ok(builtin(
                    Builtin::VaCopy,
                    vec![first, source],
                    TypeId::VOID,
                    span,
                ))
            }
            _ => self.unsupported(span, format!("'__builtin_{rest}'")),
        }
    }

    #[inline(never)]
    pub(super) fn va_arg(
        &mut self,
        list: &ast::Expr,
        name: &ast::TypeName,
        span: Span,
    ) -> Outcome<Operand> {
        let place = self.va_list_place(list)?;
        let ty = self.type_name(name)?;
        let ty = self.types().unqualified(ty);
        if self.types().size_of(ty).is_none() {
            return self.error(span, "second argument to 'va_arg' is of incomplete type");
        }
        match *self.types().get(ty) {
            Type::Record(id) => self.check_record_use(id, span)?,
            Type::Array { .. } => return self.unsupported(span, "'va_arg' of an array"),
            _ => {}
        }
        let promoted = self.default_promoted(ty);
        if promoted != ty {
            let message = format!(
                "'{}' is promoted to '{}' when passed through '...'",
                self.show(ty),
                self.show(promoted)
            );
            self.warn(span, message);
        }
        Ok(Expr {
            kind: ExprKind::VaArg(Box::new(place)),
            ty,
            span,
        }
        .into())
    }
}
