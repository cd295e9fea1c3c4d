//! `__builtin_add_overflow` and its kin: the exact result of an operation, and whether a type can
//! hold it.

use super::builtin::{Form, builtin};
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast;
use crate::span::Span;
use crate::typed::{Builtin, Expr, Place, PlaceKind};
use crate::types::{IntKind, Type, TypeId};

impl Checker<'_> {
    pub(super) fn overflow(
        &mut self,
        op: Builtin,
        ty: Option<TypeId>,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let mut left = self.integer_operand(args, 0, span)?;
        let mut right = self.integer_operand(args, 1, span)?;
        let target = self.argument(args, 2, span)?;
        let pointer = self.value(target)?;
        let pointer = match ty {
            // The typed variants have a prototype.
            Some(ty) => {
                left = self.convert(left, ty);
                right = self.convert(right, ty);
                let wanted = self.program.types.pointer_to(ty);
                self.assigned(pointer, wanted, super::convert::Context::Argument(3, None))?
            }
            None => pointer.expr,
        };
        let pointee = self.types().pointee(pointer.ty);
        let stored = pointee.is_some_and(|ty| match *self.types().shape(ty) {
            Type::Int(kind) => kind != IntKind::Bool && !self.types().qualifiers(ty).0,
            _ => false,
        });
        let (true, Some(pointee)) = (stored, pointee) else {
            return self.error(
                target.span,
                "argument 3 does not have pointer to integral type",
            );
        };
        self.check_exact(&left, &right, pointee, span)?;
        Ok(builtin(op, vec![left, right, pointer], TypeId::BOOL, span))
    }

    /// `__builtin_add_overflow_p(a, b, c)`: whether the sum fits the type of `c`.
    pub(super) fn overflow_predicate(
        &mut self,
        rest: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.integer_operand(args, 0, span)?;
        let right = self.integer_operand(args, 1, span)?;
        let sample = self.argument(args, 2, span)?;
        let sample = self.unevaluated(|checker| checker.value(sample))?;
        let ty = sample.expr.ty;
        // The width of a bit-field would count.
        if sample.bits.is_some() || !matches!(self.types().get(ty), Type::Int(_)) {
            return self.unsupported(span, format!("'__builtin_{rest}' of this type"));
        }
        self.check_exact(&left, &right, ty, span)?;
        let pointer = self.hidden_place(ty, span);
        let op = match rest {
            "add_overflow_p" => Builtin::AddOverflow,
            "sub_overflow_p" => Builtin::SubOverflow,
            _ => Builtin::MulOverflow,
        };
        Ok(builtin(op, vec![left, right, pointer], TypeId::BOOL, span))
    }

    /// CBMC's `__CPROVER_overflow_plus(a, b)`: whether the sum leaves the common type of both.
    pub(super) fn overflow_in_common_type(
        &mut self,
        op: Builtin,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.argument(args, 0, span)?;
        let right = self.argument(args, 1, span)?;
        let (left, right) = (self.value(left)?, self.value(right)?);
        for value in [&left, &right] {
            if !self.types().is_integer(value.expr.ty) {
                return self.error(value.expr.span, "argument does not have integral type");
            }
        }
        let (left, right, bits) = self.usual_conversions(left, right);
        let ty = left.ty;
        if bits.is_some() {
            return self.unsupported(span, "overflow in the type of a bit-field");
        }
        self.check_exact(&left, &right, ty, span)?;
        let pointer = self.hidden_place(ty, span);
        Ok(builtin(op, vec![left, right, pointer], TypeId::BOOL, span))
    }

    /// The address of a variable that nobody reads.
    fn hidden_place(&mut self, ty: TypeId, span: Span) -> Expr {
        let var = self.new_hidden(ty, span);
        let pointer = self.program.types.pointer_to(ty);
        let place = Place {
            kind: PlaceKind::Var(var),
            ty,
            span,
        };
        self.address(place, pointer)
    }

    /// 128 bits hold every result of smaller operands; with larger ones, the operation must be one
    /// of its result's type.
    fn check_exact(&mut self, a: &Expr, b: &Expr, result: TypeId, span: Span) -> Outcome<()> {
        let bits = |ty| self.types().int_bits(ty);
        let small = |ty| bits(ty).is_some_and(|(width, _)| width <= 64);
        let same = bits(a.ty) == bits(result) && bits(b.ty) == bits(result);
        match same || small(a.ty) && small(b.ty) {
            true => Ok(()),
            false => self.unsupported(span, "overflow of mixed 128-bit operands"),
        }
    }

    fn integer_operand(&mut self, args: &[ast::Expr], index: usize, span: Span) -> Outcome<Expr> {
        let value = self.integer_argument(args, index, span)?;
        if !self.types().is_integer(value.ty) {
            return self.error(value.span, "argument does not have integral type");
        }
        Ok(value)
    }
}

/// `add_overflow`, `sadd_overflow`, `uaddll_overflow`, ….
pub(super) fn overflow_form(rest: &str) -> Option<Form> {
    let family = rest.strip_suffix("_overflow")?;
    let op = |name: &str| match name {
        "add" => Some(Builtin::AddOverflow),
        "sub" => Some(Builtin::SubOverflow),
        "mul" => Some(Builtin::MulOverflow),
        _ => None,
    };
    if let Some(op) = op(family) {
        return Some(Form::Overflow(op, None));
    }
    let (signed, rest) = match family.split_at_checked(1)? {
        ("s", rest) => (true, rest),
        ("u", rest) => (false, rest),
        _ => return None,
    };
    let (name, kind) = match rest.strip_suffix("ll") {
        // `mull` is `mul` with one `l`, `mulll` with two.
        Some(name) if op(name).is_some() => (name, IntKind::LongLong),
        _ => match rest.strip_suffix('l') {
            Some(name) if op(name).is_some() => (name, IntKind::Long),
            _ => (rest, IntKind::Int),
        },
    };
    let kind = if signed { kind } else { kind.to_unsigned() };
    Some(Form::Overflow(op(name)?, Some(kind.ty())))
}
