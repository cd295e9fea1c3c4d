//! Unary, binary and conditional operators.

use super::operand::{Operand, Value};
use super::{Checker, Outcome};
use crate::ast;
use crate::constant;
use crate::span::Span;
use crate::typed::{BinaryOp, CompareOp, ElementSize, Expr, ExprKind, PlaceKind, UnaryOp};
use crate::types::{Type, TypeId};

/// The arithmetic operators, as the typed tree names them.
pub(super) fn arithmetic(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        _ => return None,
    })
}

fn comparison(op: ast::BinaryOp) -> Option<CompareOp> {
    Some(match op {
        ast::BinaryOp::Lt => CompareOp::Lt,
        ast::BinaryOp::Gt => CompareOp::Gt,
        ast::BinaryOp::Le => CompareOp::Le,
        ast::BinaryOp::Ge => CompareOp::Ge,
        ast::BinaryOp::Eq => CompareOp::Eq,
        ast::BinaryOp::Ne => CompareOp::Ne,
        _ => return None,
    })
}

pub(super) fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
    }
}

impl Checker<'_> {
    #[inline(never)]
    pub(super) fn unary(
        &mut self,
        op: ast::UnaryOp,
        inner: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        match op {
            ast::UnaryOp::AddressOf => self.address_of(inner, span),
            ast::UnaryOp::Deref => {
                let pointer = self.value(inner)?.expr;
                self.dereference(pointer, span)
            }
            ast::UnaryOp::PreInc => self.increment(inner, false, false, span),
            ast::UnaryOp::PreDec => self.increment(inner, true, false, span),
            ast::UnaryOp::PostInc => self.increment(inner, false, true, span),
            ast::UnaryOp::PostDec => self.increment(inner, true, true, span),
            ast::UnaryOp::Not => {
                let mut value = self.value(inner)?.expr;
                if self.types().complex_part(value.ty).is_some() {
                    value = self.complex_condition(value)?;
                }
                self.check_scalar(&value, "used as operand of unary '!'")?;
                Ok(self
                    .unary_expr(UnaryOp::Not, value, TypeId::INT, span)
                    .into())
            }
            ast::UnaryOp::Plus | ast::UnaryOp::Minus | ast::UnaryOp::BitNot => {
                let value = self.value(inner)?;
                if self.types().tuple(value.expr.ty).is_some() {
                    return self.tuple_unary(op, value.expr, span);
                }
                let integral = op == ast::UnaryOp::BitNot;
                let fits = if integral {
                    self.types().is_integer(value.expr.ty)
                } else {
                    self.types().is_arithmetic(value.expr.ty)
                };
                if !fits {
                    return self.wrong_unary(op, &value.expr, span);
                }
                let value = self.promote(value);
                let bits = value.bits;
                let op = match op {
                    ast::UnaryOp::Minus => UnaryOp::Neg,
                    ast::UnaryOp::BitNot => UnaryOp::BitNot,
                    _ => return Ok(Operand::Value(value)),
                };
                let ty = value.expr.ty;
                let expr = self.unary_expr(op, value.expr, ty, span);
                Ok(Operand::Value(self.wrapped(expr, bits)))
            }
            ast::UnaryOp::Real => self.complex_part_of(inner, 0, span),
            ast::UnaryOp::Imag => self.complex_part_of(inner, 1, span),
        }
    }

    /// `+`, `-` and `~` of a complex number or vector.
    fn tuple_unary(&mut self, op: ast::UnaryOp, value: Expr, span: Span) -> Outcome<Operand> {
        let op = match op {
            ast::UnaryOp::Minus => UnaryOp::Neg,
            ast::UnaryOp::BitNot => UnaryOp::BitNot,
            _ => return Ok(value.into()),
        };
        match self.types().is_vector(value.ty) {
            true => Ok(self.vector_unary(op, value, span)?.into()),
            false => Ok(self.complex_unary(op, value, span).into()),
        }
    }

    fn wrong_unary<T>(&mut self, op: ast::UnaryOp, expr: &Expr, span: Span) -> Outcome<T> {
        if let Some(id) = self.types().record_id(expr.ty) {
            self.check_record_use(id, span)?;
        }
        let text = match op {
            ast::UnaryOp::Plus => "wrong type argument to unary plus",
            ast::UnaryOp::Minus => "wrong type argument to unary minus",
            _ => "wrong type argument to bit-complement",
        };
        self.error(span, text)
    }

    /// A unary operator on a converted operand; folded if that is a constant.
    pub(super) fn unary_expr(
        &mut self,
        op: UnaryOp,
        operand: Expr,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        if let Some(value) = constant::leaf(&operand)
            && let Some(folded) = constant::fold_unary(self.types(), op, operand.ty, value)
        {
            return Expr {
                kind: folded.into_kind(),
                ty,
                span,
            };
        }
        Expr {
            kind: ExprKind::Unary(op, Box::new(operand)),
            ty,
            span,
        }
    }

    fn address_of(&mut self, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        match self.operand(inner)? {
            Operand::Function(id, _) => Ok(self.function_address(id, span).into()),
            Operand::Place(_, Some(_)) => self.error(span, "cannot take address of bit-field"),
            Operand::Place(place, None) => {
                if let PlaceKind::Temporary(_) = place.kind {
                    return self.error(span, "lvalue required as unary '&' operand");
                }
                let ty = self.program.types.pointer_to(place.ty);
                let expr = self.address(place, ty);
                Ok(Expr { span, ..expr }.into())
            }
            Operand::Value(_) => self.error(span, "lvalue required as unary '&' operand"),
        }
    }

    #[inline(never)]
    pub(super) fn binary_expression(
        &mut self,
        op: ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        if matches!(op, ast::BinaryOp::And | ast::BinaryOp::Or) {
            return self.logical(op, left, right, span);
        }
        let left = self.value(left)?;
        let right = self.value(right)?;
        if let Some(op) = comparison(op) {
            return Ok(self.compare(op, (left, right), span)?.into());
        }
        match arithmetic(op) {
            Some(op) => Ok(Operand::Value(self.arithmetic(op, (left, right), span)?)),
            None => self.error(span, "not an arithmetic operator"),
        }
    }

    /// `&&` and `||`; an operand that decides alone makes the other one disappear.
    fn logical(
        &mut self,
        op: ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        let left = self.value(left)?;
        let left = self.condition(left)?;
        let right = self.value(right)?;
        let right = self.condition(right)?;
        let is_or = op == ast::BinaryOp::Or;
        let decided = match (&left.kind, &right.kind) {
            (&ExprKind::Int(a), _) if (a != 0) == is_or => Some(is_or),
            (&ExprKind::Int(_), &ExprKind::Int(b)) => Some(b != 0),
            _ => None,
        };
        if let Some(value) = decided {
            return Ok(self.int_value(i128::from(value), TypeId::INT, span).into());
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = if is_or {
            ExprKind::Or(left, right)
        } else {
            ExprKind::And(left, right)
        };
        Ok(Expr {
            kind,
            ty: TypeId::INT,
            span,
        }
        .into())
    }

    pub(super) fn wrong_operands<T>(
        &mut self,
        op: &str,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Outcome<T> {
        for expr in [left, right] {
            if expr.ty == TypeId::VOID {
                return self.error(expr.span, "void value not ignored as it ought to be");
            }
            if let Some(id) = self.types().record_id(expr.ty) {
                self.check_record_use(id, expr.span)?;
            }
        }
        let message = format!(
            "invalid operands to binary {op} (have '{}' and '{}')",
            self.show(left.ty),
            self.show(right.ty)
        );
        self.error(span, message)
    }

    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        (left, right): (Value, Value),
        span: Span,
    ) -> Outcome<Value> {
        let (lt, rt) = (left.expr.ty, right.expr.ty);
        if self.has_complex(lt, rt) {
            return self.complex_arithmetic(op, (left, right), span);
        }
        if self.has_vector(lt, rt) {
            return self.vector_arithmetic(op, (left, right), span);
        }
        let types = self.types();
        match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let pointers = (types.is_pointer(lt), types.is_pointer(rt));
                match (op, pointers) {
                    (_, (true, false)) if types.is_integer(rt) => {
                        let subtract = op == BinaryOp::Sub;
                        let sum = self.pointer_offset(left.expr, right, subtract, span)?;
                        return Ok(Value::plain(sum));
                    }
                    (BinaryOp::Add, (false, true)) if types.is_integer(lt) => {
                        let sum = self.pointer_offset(right.expr, left, false, span)?;
                        return Ok(Value::plain(sum));
                    }
                    (BinaryOp::Sub, (true, true)) => {
                        return self.pointer_difference(left.expr, right.expr, span);
                    }
                    _ => {}
                }
                if !types.is_arithmetic(lt) || !types.is_arithmetic(rt) {
                    return self.wrong_operands(spelling(op), &left.expr, &right.expr, span);
                }
            }
            BinaryOp::Mul | BinaryOp::Div => {
                if !types.is_arithmetic(lt) || !types.is_arithmetic(rt) {
                    return self.wrong_operands(spelling(op), &left.expr, &right.expr, span);
                }
            }
            _ => {
                if !types.is_integer(lt) || !types.is_integer(rt) {
                    return self.wrong_operands(spelling(op), &left.expr, &right.expr, span);
                }
            }
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let (left, right) = (self.promote(left), self.promote(right));
            let ty = left.expr.ty;
            let expr = self.binary(op, left.expr, right.expr, ty, span);
            // A right shift stays within the width.
            let bits = left.bits;
            return Ok(match op {
                BinaryOp::Shl => self.wrapped(expr, bits),
                _ => Value { expr, bits },
            });
        }
        let (left, right, bits) = self.usual_conversions(left, right);
        let ty = left.ty;
        let expr = self.binary(op, left, right, ty, span);
        Ok(match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.wrapped(expr, bits),
            _ => Value { expr, bits },
        })
    }

    /// `pointer + index`, with the index as wide as a pointer.
    pub(super) fn pointer_offset(
        &mut self,
        pointer: Expr,
        index: Value,
        subtract: bool,
        span: Span,
    ) -> Outcome<Expr> {
        let target = self.types().pointee(pointer.ty).unwrap_or(TypeId::VOID);
        let element = self.element_size(target, span)?;
        let index = self.pointer_index(index);
        let ty = pointer.ty;
        // A number as a pointer stays a number.
        if let (&ExprKind::Int(start), &ExprKind::Int(count), ElementSize::Bytes(size)) =
            (&pointer.kind, &index.kind, &element)
        {
            let width = u32::from(self.types().model.pointer_bits());
            let bytes = arith::int::mul(count, u128::from(*size), width);
            let bits = if subtract {
                arith::int::sub(start, bytes, width)
            } else {
                arith::int::add(start, bytes, width)
            };
            return Ok(Expr {
                kind: ExprKind::Int(bits),
                ty,
                span,
            });
        }
        let (pointer, index) = (Box::new(pointer), Box::new(index));
        let kind = ExprKind::PointerOffset {
            pointer,
            index,
            element,
            subtract,
        };
        Ok(Expr { kind, ty, span })
    }

    /// An index as `ptrdiff_t`, or as `size_t` if its type is unsigned.
    pub(super) fn pointer_index(&mut self, index: Value) -> Expr {
        let index = self.promote(index).expr;
        let signed = self
            .types()
            .int_bits(index.ty)
            .is_none_or(|(_, signed)| signed);
        let to = if signed {
            self.types().ptrdiff_type()
        } else {
            self.types().size_type()
        };
        self.convert(index, to)
    }

    fn pointer_difference(&mut self, left: Expr, right: Expr, span: Span) -> Outcome<Value> {
        let types = self.types();
        let target = types.pointee(left.ty).unwrap_or(TypeId::VOID);
        let other = types.pointee(right.ty).unwrap_or(TypeId::VOID);
        if !self.pointees_compatible(target, other) {
            let message = format!(
                "invalid operands to binary - (have '{}' and '{}')",
                self.show(left.ty),
                self.show(right.ty)
            );
            return self.error(span, message);
        }
        let element = self.element_size(target, span)?;
        if element == ElementSize::Bytes(0) {
            return self.error(span, "arithmetic on pointer to an empty aggregate");
        }
        let right = self.convert(right, left.ty);
        let ty = self.types().ptrdiff_type();
        if let (&ExprKind::Int(a), &ExprKind::Int(b), ElementSize::Bytes(size)) =
            (&left.kind, &right.kind, &element)
        {
            let width = u32::from(self.types().model.pointer_bits());
            let bytes = arith::int::to_signed(arith::int::sub(a, b, width), width);
            let value = self.int_value(bytes / i128::from(*size), ty, span);
            return Ok(Value::plain(value));
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = ExprKind::PointerDifference {
            left,
            right,
            element,
        };
        Ok(Value::plain(Expr { kind, ty, span }))
    }

    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        (left, right): (Value, Value),
        span: Span,
    ) -> Outcome<Expr> {
        let (lt, rt) = (left.expr.ty, right.expr.ty);
        if self.has_complex(lt, rt) {
            return self.compare_complex(op, (left, right), span);
        }
        if self.has_vector(lt, rt) {
            return self.compare_vectors(op, (left, right), span);
        }
        let types = self.types();
        let (left, right) = match (types.is_pointer(lt), types.is_pointer(rt)) {
            (false, false) if types.is_arithmetic(lt) && types.is_arithmetic(rt) => {
                let (left, right, _) = self.usual_conversions(left, right);
                (left, right)
            }
            (true, true) => self.comparable_pointers(left.expr, right.expr, span),
            (true, false) if types.is_integer(rt) => {
                self.warn_mixed_comparison(&right.expr, span);
                let right = self.convert(right.expr, lt);
                (left.expr, right)
            }
            (false, true) if types.is_integer(lt) => {
                self.warn_mixed_comparison(&left.expr, span);
                (self.convert(left.expr, rt), right.expr)
            }
            _ => {
                let text = match op {
                    CompareOp::Eq => "==",
                    CompareOp::Ne => "!=",
                    CompareOp::Lt => "<",
                    CompareOp::Le => "<=",
                    CompareOp::Gt => ">",
                    CompareOp::Ge => ">=",
                };
                return self.wrong_operands(text, &left.expr, &right.expr, span);
            }
        };
        if let (Some(a), Some(b)) = (constant::leaf(&left), constant::leaf(&right))
            && let Some(truth) = constant::compare(self.types(), op, left.ty, a, b)
        {
            return Ok(self.int_value(i128::from(truth), TypeId::INT, span));
        }
        let kind = ExprKind::Compare(op, Box::new(left), Box::new(right));
        Ok(Expr {
            kind,
            ty: TypeId::INT,
            span,
        })
    }

    fn warn_mixed_comparison(&mut self, integer: &Expr, span: Span) {
        if !self.is_null_constant(integer) {
            self.warn(span, "comparison between pointer and integer");
        }
    }

    fn comparable_pointers(&mut self, left: Expr, right: Expr, span: Span) -> (Expr, Expr) {
        if left.ty == right.ty {
            return (left, right);
        }
        let types = self.types();
        let a = types.pointee(left.ty).unwrap_or(TypeId::VOID);
        let b = types.pointee(right.ty).unwrap_or(TypeId::VOID);
        let fits = types.is_void(a)
            || types.is_void(b)
            || self.pointees_compatible(a, b)
            || self.is_null_constant(&left)
            || self.is_null_constant(&right);
        if !fits {
            self.warn(span, "comparison of distinct pointer types lacks a cast");
        }
        let to = if self.is_null_constant(&left) {
            right.ty
        } else {
            left.ty
        };
        (self.convert(left, to), self.convert(right, to))
    }

    #[inline(never)]
    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: Option<&ast::Expr>,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Outcome<Operand> {
        let tested = self.value(condition)?;
        let Some(then) = then else {
            return self.elvis(tested, otherwise, span);
        };
        let condition = self.condition(tested)?;
        let then = self.value(then)?;
        let otherwise = self.value(otherwise)?;
        let (then, otherwise, bits) = self.balance(then, otherwise, span)?;
        // The branch that is never taken disappears.
        let expr = match condition.kind {
            ExprKind::Int(0) => Expr { span, ..otherwise },
            ExprKind::Int(_) => Expr { span, ..then },
            _ => {
                let ty = then.ty;
                let (then, otherwise) = (Box::new(then), Box::new(otherwise));
                let kind = ExprKind::Conditional(Box::new(condition), then, otherwise);
                Expr { kind, ty, span }
            }
        };
        Ok(Operand::Value(Value { expr, bits }))
    }

    fn elvis(&mut self, tested: Value, otherwise: &ast::Expr, span: Span) -> Outcome<Operand> {
        self.check_scalar(&tested.expr, "used where a scalar is required")?;
        let otherwise = self.value(otherwise)?;
        let (value, otherwise, bits) = self.balance(tested, otherwise, span)?;
        if let Some(known) = constant::leaf(&value)
            && let Some(truth) = constant::truth(self.types(), value.ty, known)
        {
            let expr = if truth { value } else { otherwise };
            return Ok(Operand::Value(Value { expr, bits }));
        }
        let ty = value.ty;
        let (value, otherwise) = (Box::new(value), Box::new(otherwise));
        let expr = Expr {
            kind: ExprKind::Elvis { value, otherwise },
            ty,
            span,
        };
        Ok(Operand::Value(Value { expr, bits }))
    }

    /// Gives both branches of a conditional their common type (C11 6.5.15).
    fn balance(&mut self, a: Value, b: Value, span: Span) -> Outcome<(Expr, Expr, Option<u8>)> {
        let (at, bt) = (a.expr.ty, b.expr.ty);
        let types = self.types();
        if types.is_arithmetic(at) && types.is_arithmetic(bt) {
            return Ok(self.usual_conversions(a, b));
        }
        if at == bt {
            return Ok((a.expr, b.expr, None));
        }
        if self.has_complex(at, bt) {
            let ty = self.common_complex(at, bt);
            let (a, b) = (self.convert(a.expr, ty), self.convert(b.expr, ty));
            return Ok((a, b, None));
        }
        let types = self.types();
        let (a, b) = (a.expr, b.expr);
        match (types.get(at).clone(), types.get(bt).clone()) {
            (Type::Void, _) | (_, Type::Void) => {
                let (a, b) = (self.convert(a, TypeId::VOID), self.convert(b, TypeId::VOID));
                Ok((a, b, None))
            }
            (Type::Record(_), Type::Record(_)) if self.compatible(at, bt) => {
                let b = self.convert(b, at);
                Ok((a, b, None))
            }
            (Type::Pointer(x), Type::Pointer(y)) => {
                let ty = self.common_pointer(&a, &b, x, y, span);
                Ok((self.convert(a, ty), self.convert(b, ty), None))
            }
            (Type::Pointer(_), Type::Int(_) | Type::Enum(_)) => {
                let b = self.integer_beside_pointer(b, at, span);
                Ok((a, b, None))
            }
            (Type::Int(_) | Type::Enum(_), Type::Pointer(_)) => {
                let a = self.integer_beside_pointer(a, bt, span);
                Ok((a, b, None))
            }
            _ => self.error(span, "type mismatch in conditional expression"),
        }
    }

    /// An integer of a conditional whose other operand is a pointer: usually null.
    fn integer_beside_pointer(&mut self, integer: Expr, pointer: TypeId, span: Span) -> Expr {
        if !self.is_null_constant(&integer) {
            let message = "pointer/integer type mismatch in conditional expression";
            self.warn(span, message);
        }
        self.convert(integer, pointer)
    }

    /// The pointer type of a conditional: to the composite type with the qualifiers of both.
    fn common_pointer(&mut self, a: &Expr, b: &Expr, x: TypeId, y: TypeId, span: Span) -> TypeId {
        if self.is_null_constant(a) {
            return b.ty;
        }
        if self.is_null_constant(b) {
            return a.ty;
        }
        let types = self.types();
        let ((xc, xv), (yc, yv)) = (types.qualifiers(x), types.qualifiers(y));
        let target = if types.is_void(x) || types.is_void(y) {
            TypeId::VOID
        } else if self.pointees_compatible(x, y) {
            let types = self.types();
            let (x, y) = (types.unqualified(x), types.unqualified(y));
            self.composite(x, y)
        } else {
            self.warn(span, "pointer type mismatch in conditional expression");
            TypeId::VOID
        };
        let target = self.program.types.qualified(target, xc || yc, xv || yv);
        self.program.types.pointer_to(target)
    }
}
