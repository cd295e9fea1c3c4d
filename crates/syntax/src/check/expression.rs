//! Expressions: names, literals, places, casts and what is decided while checking.

use super::operand::{Operand, Value};
use super::scope::Binding;
use super::{Checker, Outcome};
use crate::ast::{self, ExprKind as Ast};
use crate::constant;
use crate::span::{Name, Span};
use crate::typed::{Expr, ExprKind, Place, PlaceKind, VarKind};
use crate::types::{RecordId, Type, TypeId};

impl Checker<'_> {
    /// The value of an expression: C11 6.3.2.1 applied to what it denotes.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Outcome<Value> {
        let operand = self.operand(expr)?;
        self.valued(operand)
    }

    /// What an expression denotes.
    pub(super) fn operand(&mut self, expr: &ast::Expr) -> Outcome<Operand> {
        self.deeper(expr.span, |checker| checker.operand_inner(expr))
    }

    // Every arm is a call, so that the frame of this function, which recursion repeats, stays
    // small.
    fn operand_inner(&mut self, expr: &ast::Expr) -> Outcome<Operand> {
        let span = expr.span;
        match &expr.kind {
            Ast::Name(name) => self.name(*name, span),
            Ast::Int {
                value,
                decimal,
                unsigned,
                longs,
            } => self.integer_literal((*value).into(), *decimal, *unsigned, *longs, span),
            Ast::Imaginary(real) => self.imaginary(real, span),
            Ast::Float { text, ty } => self.float_literal(text, *ty, span),
            Ast::Char { value, width } => Ok(self.character(*value, *width, span).into()),
            Ast::String { units, width } => Ok(self.string(units, *width, span)),
            Ast::Unary(op, inner) => self.unary(*op, inner, span),
            Ast::Binary(op, left, right) => self.binary_expression(*op, left, right, span),
            Ast::Assign(op, left, right) => self.assignment(*op, left, right, span),
            Ast::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then.as_deref(), otherwise, span)
            }
            Ast::Comma(left, right) => self.comma(left, right, span),
            Ast::Cast(name, inner) => self.cast(name, inner, span),
            Ast::CompoundLiteral(name, items) => self.compound_literal(name, items, span),
            Ast::Call(callee, args) => self.call(callee, args, span),
            Ast::Index(base, index) => self.index(base, index, span),
            Ast::Member { base, field, arrow } => self.member_access(base, field, *arrow, span),
            Ast::SizeofExpr(inner) => self.sizeof_expression(inner, span),
            Ast::SizeofType(name) => self.sizeof_type(name, span),
            Ast::AlignofExpr(inner) => self.alignof_expression(inner, span),
            Ast::AlignofType(name) => self.alignof_type(name, false, span),
            Ast::PreferredAlignofType(name) => self.alignof_type(name, true, span),
            Ast::StatementExpr(block) => self.statements(block, span),
            Ast::LabelAddress(label) => {
                if let Some(address) = self.outer_label_address(label, span) {
                    return Ok(address.into());
                }
                let id = self.label_with_address(label)?;
                let kind = ExprKind::LabelAddress(id);
                Ok(Expr {
                    kind,
                    ty: TypeId::VOID_POINTER,
                    span,
                }
                .into())
            }
            Ast::Generic { control, arms } => self.generic(control, arms, span),
            Ast::VaArg(list, name) => self.va_arg(list, name, span),
            Ast::Offsetof(name, path) => self.offsetof(name, path, span),
            Ast::ConvertVector(value, name) => self.convert_vector(value, name, span),
            Ast::TypesCompatible(left, right) => self.types_compatible(left, right, span),
            Ast::ChooseExpr(condition, then, otherwise) => {
                let chosen =
                    self.integer_constant(condition, "first argument to '__builtin_choose_expr'")?;
                self.operand(if chosen != 0 { then } else { otherwise })
            }
        }
    }

    pub(super) fn name(&mut self, name: Name, span: Span) -> Outcome<Operand> {
        match self.scopes.find(name) {
            Some(Binding::Var(id)) => {
                self.mention_variable(id);
                self.refuse_claim_about(id, span)?;
                if let Some(place) = self.captured(id, span) {
                    return Ok(Operand::Place(place, None));
                }
                let ty = self.program.vars[id.0 as usize].ty;
                Ok(Operand::Place(
                    Place {
                        kind: PlaceKind::Var(id),
                        ty,
                        span,
                    },
                    None,
                ))
            }
            Some(Binding::Func(id)) => {
                self.mention_function(id);
                Ok(Operand::Function(id, span))
            }
            Some(Binding::Enumerator(index)) => {
                let (ty, bits) = self.scopes.table.enumerators[index as usize];
                Ok(Expr {
                    kind: ExprKind::Int(bits),
                    ty,
                    span,
                }
                .into())
            }
            Some(Binding::Typedef(_)) => {
                let message = format!("expected expression before type name '{}'", self.text(name));
                self.error(span, message)
            }
            None => self.undeclared(name, span),
        }
    }

    #[inline(never)]
    fn undeclared(&mut self, name: Name, span: Span) -> Outcome<Operand> {
        if self.known.func.contains(&name) && self.function.is_some() {
            return Ok(self.function_name(span));
        }
        // A library function by its builtin name, mentioned without a call.
        if let Some(id) = self.library_builtin(name, span) {
            self.mention_function(id);
            return Ok(Operand::Function(id, span));
        }
        if let Some(context) = &mut self.function {
            if context.undeclared.contains(&name) {
                return Err(super::Reported);
            }
            context.undeclared.push(name);
        }
        let place = if self.function.is_some() {
            "undeclared (first use in this function)"
        } else {
            "undeclared here (not in a function)"
        };
        let message = format!("'{}' {place}", self.text(name));
        self.error(span, message)
    }

    #[inline(never)]
    fn comma(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Outcome<Operand> {
        let left = self.value(left)?.expr;
        let right = self.value(right)?;
        // A constant does nothing.
        if constant::leaf(&left).is_some() {
            return Ok(Operand::Value(right));
        }
        let ty = right.expr.ty;
        let kind = ExprKind::Comma(Box::new(left), Box::new(right.expr));
        Ok(Operand::Value(Value {
            expr: Expr { kind, ty, span },
            bits: right.bits,
        }))
    }

    #[inline(never)]
    fn statements(&mut self, block: &ast::Block, span: Span) -> Outcome<Operand> {
        if self.function.is_none() {
            return self.error(span, "braced-group within expression outside a function");
        }
        let block = self.statement_expression(block)?;
        let ty = self.block_type(&block);
        Ok(Expr {
            kind: ExprKind::Statements(Box::new(block)),
            ty,
            span,
        }
        .into())
    }

    #[inline(never)]
    fn cast(&mut self, name: &ast::TypeName, inner: &ast::Expr, span: Span) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let to = self.type_name(name)?;
        let to = self.types().unqualified(to);
        let value = self.value(inner)?;
        let expr = self.cast_value(value, to, span)?;
        Ok(self.after_pending(mark, expr).into())
    }

    fn cast_value(&mut self, value: Value, to: TypeId, span: Span) -> Outcome<Expr> {
        let from = value.expr.ty;
        if to != TypeId::VOID && self.has_complex(from, to) {
            return Ok(self.convert(value.expr, to));
        }
        if to != TypeId::VOID && self.has_vector(from, to) {
            return self.cast_vector(value.expr, to, span);
        }
        let types = self.types();
        match (types.get(to), types.get(from)) {
            (Type::Void, _) => {}
            (Type::Array { .. }, _) => return self.error(span, "cast specifies array type"),
            (Type::Function(_), _) => return self.error(span, "cast specifies function type"),
            (Type::Record(id), _) => {
                let id = *id;
                self.check_record_use(id, span)?;
                return self.cast_to_record(value, id, to, span);
            }
            (Type::Pointer(_), Type::Float(_)) => {
                return self.error(span, "cannot convert to a pointer type");
            }
            (Type::Float(_), Type::Pointer(_)) => {
                return self.error(
                    span,
                    "pointer value used where a floating-point was expected",
                );
            }
            // `(va_list)ap` on i386, where it is a pointer.
            (_, Type::VaList) | (Type::VaList, _) => {}
            _ => self.check_scalar(&value.expr, "used where a scalar is required")?,
        }
        let expr = self.convert(value.expr, to);
        Ok(Expr { span, ..expr })
    }

    /// GNU: a cast to a union makes a union of the value; a cast of a record to its own type is
    /// nothing.
    fn cast_to_record(
        &mut self,
        value: Value,
        record: RecordId,
        to: TypeId,
        span: Span,
    ) -> Outcome<Expr> {
        if self.compatible_unqualified(value.expr.ty, to) {
            return Ok(value.expr);
        }
        if self.types().record(record).kind == ast::RecordKind::Union
            && let Some(expr) = self.union_of(value, record, to)
        {
            return Ok(expr);
        }
        self.error(span, "conversion to non-scalar type requested")
    }

    #[inline(never)]
    fn compound_literal(
        &mut self,
        name: &ast::TypeName,
        items: &[ast::InitItem],
        span: Span,
    ) -> Outcome<Operand> {
        let mark = self.pending_mark();
        let ty = self.type_name(name)?;
        if self.has_variable_size(ty) {
            return self.error(span, "compound literal has variable size");
        }
        if !self.take_pending(mark, span).is_empty() {
            return self.unsupported(span, "a compound literal of variably modified type");
        }
        if self.resumed {
            return self.unsupported(span, "a compound literal in an expression about a program");
        }
        let is_static = self.function.is_none() || self.static_initializers > 0;
        let (init, ty) = self.list_initializer(ty, items, span, is_static)?;
        if self.types().size_of(ty).is_none() {
            return self.error(span, "compound literal has incomplete type");
        }
        let var = self.new_hidden(ty, span);
        if is_static {
            let variable = &mut self.program.vars[var.0 as usize];
            variable.init = Some(init);
            variable.kind = VarKind::Hidden;
            self.program.globals.push(var);
            return Ok(Operand::Place(
                Place {
                    kind: PlaceKind::Var(var),
                    ty,
                    span,
                },
                None,
            ));
        }
        let kind = PlaceKind::CompoundLiteral {
            var,
            init: Box::new(init),
        };
        Ok(Operand::Place(Place { kind, ty, span }, None))
    }
}
