//! Conversions: promotions, the usual arithmetic conversions, assignment.

use super::operand::Value;
use super::{Checker, Outcome};
use crate::constant::{self, Constant};
use crate::span::{Name, Span};
use crate::typed::{
    BinaryOp, CompareOp, Expr, ExprKind, Init, InitItem, InitValue, Place, PlaceKind,
};
use crate::types::{DataModel, IntKind, RecordId, Type, TypeId};
use arith::int;

/// Where a value is converted as if by assignment; the messages differ.
#[derive(Clone, Copy, Debug)]
pub(super) enum Context {
    Assignment,
    Initialization,
    Return,
    /// Number of the argument from one, and the function if it is named.
    Argument(usize, Option<Name>),
}

impl Checker<'_> {
    /// The value converted to a scalar type or to void; folded if it is a constant.
    pub(super) fn convert(&mut self, expr: Expr, to: TypeId) -> Expr {
        let types = &self.program.types;
        let to = types.unqualified(to);
        if expr.ty == to {
            return expr;
        }
        if to != TypeId::VOID && self.has_complex(expr.ty, to) {
            return self.convert_complex(expr, to);
        }
        let types = &self.program.types;
        if let Some(value) = constant::leaf(&expr)
            && let Some(folded) = constant::fold_convert(types, expr.ty, to, value)
        {
            return Expr {
                kind: folded.into_kind(),
                ty: to,
                span: expr.span,
            };
        }
        // A record of another unit that looks the same is the same record under another name.
        if types.record_id(to).is_some() {
            return Expr { ty: to, ..expr };
        }
        let span = expr.span;
        Expr {
            kind: ExprKind::Convert(Box::new(expr)),
            ty: to,
            span,
        }
    }

    /// C11 6.3.1.1: what integers narrower than `int` are computed in.
    pub(super) fn promoted_kind(kind: IntKind) -> IntKind {
        if kind.rank() < IntKind::Int.rank() {
            IntKind::Int
        } else {
            kind
        }
    }

    /// The integer promotions; floats stay as they are. Bit-fields as gcc: see [`Value`].
    pub(super) fn promote(&mut self, value: Value) -> Value {
        let Some(kind) = self.types().int_kind(value.expr.ty) else {
            return Value::plain(value.expr);
        };
        let Some(bits) = value.bits else {
            return Value::plain(self.convert(value.expr, Self::promoted_kind(kind).ty()));
        };
        let standard = match bits {
            0..32 => Some(IntKind::Int),
            32 => Some(IntKind::Int),
            64 if self.types().model == DataModel::Lp64 => Some(IntKind::Long),
            64 => Some(IntKind::LongLong),
            _ => None,
        };
        match standard {
            Some(standard) => {
                let unsigned = bits >= 32 && !kind.is_signed();
                let to = if unsigned {
                    standard.to_unsigned()
                } else {
                    standard
                };
                Value::plain(self.convert(value.expr, to.ty()))
            }
            None => Value {
                expr: self.convert(value.expr, kind.ty()),
                bits: Some(bits),
            },
        }
    }

    /// The type that an argument has when no prototype says more (C11 6.5.2.2 paragraph 6).
    pub(super) fn default_promoted(&self, ty: TypeId) -> TypeId {
        let ty = self.types().unqualified(ty);
        match self.types().get(ty) {
            Type::Float(crate::types::FloatKind::Float) => TypeId::DOUBLE,
            _ => match self.types().int_kind(ty) {
                Some(kind) if kind.rank() < IntKind::Int.rank() => TypeId::INT,
                _ => ty,
            },
        }
    }

    /// C11 6.3.1.8. The result is the common type of both, and its width if that is no standard
    /// one.
    pub(super) fn usual_conversions(&mut self, a: Value, b: Value) -> (Expr, Expr, Option<u8>) {
        let types = self.types();
        let (fa, fb) = (types.float_kind(a.expr.ty), types.float_kind(b.expr.ty));
        if fa.is_some() || fb.is_some() {
            let common = fa.max(fb).map_or(TypeId::DOUBLE, |kind| kind.ty());
            return (
                self.convert(a.expr, common),
                self.convert(b.expr, common),
                None,
            );
        }
        let (a, b) = (self.promote(a), self.promote(b));
        let (common, bits) = self.common_integer(&a, &b);
        (
            self.convert(a.expr, common),
            self.convert(b.expr, common),
            bits,
        )
    }

    /// The common type of two promoted integers: the wider one, then the one of higher rank,
    /// unsigned if one of them is.
    pub(super) fn common_integer(&self, a: &Value, b: &Value) -> (TypeId, Option<u8>) {
        if a.expr.ty == b.expr.ty && a.bits == b.bits {
            return (a.expr.ty, a.bits);
        }
        let types = self.types();
        let kind = |value: &Value| types.int_kind(value.expr.ty).unwrap_or(IntKind::Int);
        let width = |value: &Value| value.bits.map_or(kind(value).bits(types.model), u16::from);
        if width(a) > width(b) {
            return (a.expr.ty, a.bits);
        }
        if width(b) > width(a) {
            return (b.expr.ty, b.bits);
        }
        let (ka, kb) = (kind(a), kind(b));
        let common = if ka.rank() >= kb.rank() { ka } else { kb };
        let common = if ka.is_signed() && kb.is_signed() {
            common
        } else {
            common.to_unsigned()
        };
        (common.ty(), a.bits)
    }

    /// Wraps a result to the width of a bit-field's type; see [`Value`].
    pub(super) fn wrapped(&mut self, expr: Expr, bits: Option<u8>) -> Value {
        let Some(bits) = bits else {
            return Value::plain(expr);
        };
        let Some((width, signed)) = self.types().int_bits(expr.ty) else {
            return Value::plain(expr);
        };
        let (ty, span) = (expr.ty, expr.span);
        let wrapped = if signed {
            let count = u128::from(width) - u128::from(bits);
            let count = || Expr {
                kind: ExprKind::Int(count),
                ty: TypeId::INT,
                span,
            };
            let up = self.binary(BinaryOp::Shl, expr, count(), ty, span);
            self.binary(BinaryOp::Shr, up, count(), ty, span)
        } else {
            let mask = Expr {
                kind: ExprKind::Int(int::mask(u32::from(bits))),
                ty,
                span,
            };
            self.binary(BinaryOp::BitAnd, expr, mask, ty, span)
        };
        Value {
            expr: wrapped,
            bits: Some(bits),
        }
    }

    /// An operator whose operands have been converted; folded if both are constants.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        if let (Some(a), Some(b)) = (constant::leaf(&left), constant::leaf(&right))
            && let Some(folded) = constant::fold_binary(self.types(), op, ty, a, b, right.ty)
        {
            return Expr {
                kind: folded.into_kind(),
                ty,
                span,
            };
        }
        Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty,
            span,
        }
    }

    /// A scalar as a condition: an `int`, true if not zero.
    pub(super) fn condition(&mut self, value: Value) -> Outcome<Expr> {
        let expr = value.expr;
        if expr.ty == TypeId::INT {
            return Ok(expr);
        }
        if self.types().complex_part(expr.ty).is_some() {
            return self.complex_condition(expr);
        }
        self.check_scalar(&expr, "used where a scalar is required")?;
        if let Some(value) = constant::leaf(&expr)
            && let Some(truth) = constant::truth(self.types(), expr.ty, value)
        {
            return Ok(self.int_value(i128::from(truth), TypeId::INT, expr.span));
        }
        let span = expr.span;
        let zero = self.zero(expr.ty, span);
        let kind = ExprKind::Compare(CompareOp::Ne, Box::new(expr), Box::new(zero));
        Ok(Expr {
            kind,
            ty: TypeId::INT,
            span,
        })
    }

    pub(super) fn check_scalar(&mut self, expr: &Expr, what: &str) -> Outcome<()> {
        if self.types().is_scalar(expr.ty) {
            return Ok(());
        }
        let message = match self.types().get(expr.ty) {
            Type::Void => "void value not ignored as it ought to be".to_owned(),
            _ => format!("'{}' value {what}", self.show(expr.ty)),
        };
        self.error(expr.span, message)
    }

    pub(super) fn int_value(&self, value: i128, ty: TypeId, span: Span) -> Expr {
        let bits = self.types().int_bits(ty).map_or(128, |(bits, _)| bits);
        Expr {
            kind: ExprKind::Int(int::from_signed(value, bits)),
            ty,
            span,
        }
    }

    pub(super) fn zero(&self, ty: TypeId, span: Span) -> Expr {
        let kind = match self.types().float_kind(ty) {
            Some(kind) => ExprKind::Float(arith::float::zero(kind.format(), false)),
            None => ExprKind::Int(0),
        };
        Expr { kind, ty, span }
    }

    /// C11 6.3.2.3 paragraph 3.
    pub(super) fn is_null_constant(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Int(0))
            && (self.types().is_integer(expr.ty) || expr.ty == TypeId::VOID_POINTER)
    }

    /// The value converted as if by assignment (C11 6.5.16.1).
    pub(super) fn assigned(&mut self, value: Value, to: TypeId, context: Context) -> Outcome<Expr> {
        let expr = value.expr;
        let to = self.types().unqualified(to);
        if expr.ty == to {
            return match self.types().get(to) {
                Type::Void => self.error(expr.span, "void value not ignored as it ought to be"),
                _ => Ok(expr),
            };
        }
        if self.has_complex(expr.ty, to) {
            return Ok(self.convert(expr, to));
        }
        let types = self.types();
        let (from_shape, to_shape) = (types.shape(expr.ty).clone(), types.get(to).clone());
        match (from_shape, to_shape) {
            (Type::Void, _) => self.error(expr.span, "void value not ignored as it ought to be"),
            (
                Type::Int(_) | Type::Enum(_) | Type::Float(_),
                Type::Int(_) | Type::Enum(_) | Type::Float(_),
            ) => Ok(self.convert(expr, to)),
            (Type::Pointer(from), Type::Pointer(target)) => {
                self.check_pointers(&expr, from, target, to, context);
                Ok(self.convert(expr, to))
            }
            (Type::Int(IntKind::Bool), Type::Pointer(_)) => self.incompatible(&expr, to, context),
            (Type::Int(_) | Type::Enum(_), Type::Pointer(_)) => {
                if !self.is_null_constant(&expr) {
                    let what = self.describe(context);
                    let message = format!("{what} makes pointer from integer without a cast");
                    self.warn(expr.span, message);
                }
                Ok(self.convert(expr, to))
            }
            (Type::Pointer(_), Type::Int(IntKind::Bool)) => Ok(self.convert(expr, to)),
            (Type::Pointer(_), Type::Int(_)) => {
                let what = self.describe(context);
                let message = format!("{what} makes integer from pointer without a cast");
                self.warn(expr.span, message);
                Ok(self.convert(expr, to))
            }
            (Type::Record(_), Type::Record(_)) if self.compatible(expr.ty, to) => {
                Ok(self.convert(expr, to))
            }
            (_, Type::Record(union)) if self.types().record(union).transparent_union => {
                self.transparent_union_of(expr, to, context)
            }
            _ => self.incompatible(&expr, to, context),
        }
    }

    fn incompatible<T>(&mut self, expr: &Expr, to: TypeId, context: Context) -> Outcome<T> {
        for ty in [expr.ty, to] {
            if let Some(id) = self.types().record_id(ty) {
                self.check_record_use(id, expr.span)?;
            }
        }
        let (from, to) = (self.show(expr.ty), self.show(to));
        let message = match context {
            Context::Argument(number, Some(name)) => format!(
                "incompatible type for argument {number} of '{}': expected '{to}' but argument is \
                 of type '{from}'",
                self.text(name)
            ),
            Context::Argument(number, None) => format!(
                "incompatible type for argument {number}: expected '{to}' but argument is of type \
                 '{from}'"
            ),
            Context::Return => {
                format!("incompatible types when returning type '{from}' but '{to}' was expected")
            }
            Context::Initialization => {
                format!("incompatible types when initializing type '{to}' using type '{from}'")
            }
            Context::Assignment => {
                format!("incompatible types when assigning to type '{to}' from type '{from}'")
            }
        };
        self.error(expr.span, message)
    }

    fn describe(&self, context: Context) -> String {
        match context {
            Context::Assignment => "assignment".to_owned(),
            Context::Initialization => "initialization".to_owned(),
            Context::Return => "return".to_owned(),
            Context::Argument(number, Some(name)) => {
                format!("passing argument {number} of '{}'", self.text(name))
            }
            Context::Argument(number, None) => format!("passing argument {number}"),
        }
    }

    /// Pointers convert to each other; unless one is `void *` they should point to the same type.
    fn check_pointers(
        &mut self,
        expr: &Expr,
        from: TypeId,
        target: TypeId,
        to: TypeId,
        context: Context,
    ) {
        let types = self.types();
        let (lost_const, lost_volatile) = {
            let ((fc, fv), (tc, tv)) = (types.qualifiers(from), types.qualifiers(target));
            (fc && !tc, fv && !tv)
        };
        let any = types.is_void(from) || types.is_void(target) || self.is_null_constant(expr);
        if any || self.pointees_compatible(from, target) {
            if lost_const || lost_volatile {
                let what = self.describe(context);
                let qualifier = if lost_const { "const" } else { "volatile" };
                let message =
                    format!("{what} discards '{qualifier}' qualifier from pointer target type");
                self.warn(expr.span, message);
            }
            return;
        }
        let what = self.describe(context);
        let (from, to) = (self.show(expr.ty), self.show(to));
        self.warn(
            expr.span,
            format!("{what} from incompatible pointer type: '{to}' from '{from}'"),
        );
    }

    /// Compatible but for qualifiers; integers of the same width count as the same, as for gcc
    /// without `-Wpointer-sign`.
    pub(super) fn pointees_compatible(&self, a: TypeId, b: TypeId) -> bool {
        if self.compatible_unqualified(a, b) {
            return true;
        }
        let types = self.types();
        match (types.int_kind(a), types.int_kind(b)) {
            (Some(a), Some(b)) => a.to_unsigned() == b.to_unsigned(),
            _ => false,
        }
    }

    /// GNU `transparent_union`: an argument of the type of any member fits.
    fn transparent_union_of(&mut self, expr: Expr, to: TypeId, context: Context) -> Outcome<Expr> {
        let Some(layout) = self
            .types()
            .record_id(to)
            .and_then(|id| self.types().record(id).layout.as_ref())
        else {
            return self.incompatible(&expr, to, context);
        };
        let members: Vec<(TypeId, u64)> = layout
            .fields
            .iter()
            .map(|field| (field.ty, field.offset))
            .collect();
        let exact = members
            .iter()
            .find(|&&(ty, _)| self.compatible_unqualified(ty, expr.ty));
        let fitting = exact.or_else(|| {
            members.iter().find(|&&(ty, _)| {
                match (self.types().shape(ty), self.types().shape(expr.ty)) {
                    (&Type::Pointer(a), &Type::Pointer(b)) => {
                        self.types().is_void(a)
                            || self.types().is_void(b)
                            || self.pointees_compatible(a, b)
                    }
                    (Type::Pointer(_), _) => self.is_null_constant(&expr),
                    _ => false,
                }
            })
        });
        let Some(&(member, offset)) = fitting else {
            return self.incompatible(&expr, to, context);
        };
        Ok(self.union_with(expr, member, offset, to))
    }

    /// A union that holds the value in the first member of its type.
    pub(super) fn union_of(&mut self, value: Value, record: RecordId, to: TypeId) -> Option<Expr> {
        let layout = self.types().record(record).layout.as_ref()?;
        let members: Vec<(TypeId, u64)> = layout
            .fields
            .iter()
            .map(|field| (field.ty, field.offset))
            .collect();
        let &(member, offset) = members
            .iter()
            .find(|&&(ty, _)| self.compatible_unqualified(ty, value.expr.ty))?;
        Some(self.union_with(value.expr, member, offset, to))
    }

    /// The value of a union whose member of the given type and offset holds the expression.
    pub(super) fn union_with(
        &mut self,
        expr: Expr,
        member: TypeId,
        offset: u64,
        to: TypeId,
    ) -> Expr {
        let span = expr.span;
        let value = InitValue::Expr(self.convert(expr, member));
        let var = self.new_hidden(to, span);
        let init = Init {
            items: vec![InitItem {
                offset,
                bits: None,
                value,
            }],
            whole: false,
        };
        let literal = PlaceKind::CompoundLiteral {
            var,
            init: Box::new(init),
        };
        let place = Place {
            kind: literal,
            ty: to,
            span,
        };
        Expr {
            kind: ExprKind::Load(Box::new(place)),
            ty: to,
            span,
        }
    }

    /// The value of an expression that must be an integer constant.
    pub(super) fn integer_constant(
        &mut self,
        expr: &crate::ast::Expr,
        what: &str,
    ) -> Outcome<i128> {
        let value = self.value(expr)?.expr;
        if !self.types().is_integer(value.ty) {
            return self.error(expr.span, format!("{what} is not an integer constant"));
        }
        match constant::evaluate(self.types(), &value) {
            Some(Constant::Int(bits)) => Ok(constant::int_value(self.types(), value.ty, bits)),
            _ => self.error(
                expr.span,
                format!("{what} is not an integer constant expression"),
            ),
        }
    }
}
