//! Arrays whose length is known only when the program runs.
//!
//! Such a type refers to a hidden variable that holds its number of elements. The variable is set where
//! the declaration (or the type name in an expression) is reached; until the statement for that is
//! written, the lengths wait in [`FunctionContext::pending`]. In a declaration that is no definition the
//! length of a parameter's array means nothing, and the array stays incomplete, which is compatible with
//! every length.

use super::function::FunctionContext;
use super::specifiers::Parameter;
use super::{Checker, Outcome};
use crate::ast;
use crate::constant::{self, Constant};
use crate::span::Span;
use crate::typed::{Block, ElementSize, Expr, ExprKind, Stmt, StmtKind, VarKind, VlaId};
use crate::types::{ArrayLen, Type, TypeId};

impl Checker<'_> {
    pub(super) fn array_length(
        &mut self,
        expr: &ast::Expr,
        element: TypeId,
        span: Span,
    ) -> Outcome<ArrayLen> {
        let value = self.value(expr)?.expr;
        if !self.types().is_integer(value.ty) {
            return self.error(expr.span, "size of array has non-integer type");
        }
        if let Some(Constant::Int(bits)) = constant::evaluate(self.types(), &value) {
            let length = constant::int_value(self.types(), value.ty, bits);
            if length < 0 {
                return self.error(expr.span, "size of array is negative");
            }
            let size = self.types().size_of(element).unwrap_or(1);
            let limit = match self.types().model {
                crate::types::DataModel::Ilp32 => i32::MAX as u64,
                crate::types::DataModel::Lp64 => i64::MAX as u64,
            };
            return match u64::try_from(length).ok().and_then(|n| n.checked_mul(size)) {
                Some(bytes) if bytes <= limit => Ok(ArrayLen::Fixed(length as u64)),
                _ => self.error(span, "size of array is too large"),
            };
        }
        if self.in_prototype > 0 {
            return Ok(ArrayLen::Incomplete);
        }
        if self.function.is_none() {
            return self.error(span, "variably modified type at file scope");
        }
        let size_type = self.types().size_type();
        let length = self.convert(value, size_type);
        let var = self.new_variable(self.placeholder, size_type, VarKind::Hidden, span);
        let vla = VlaId(self.program.vlas.len() as u32);
        self.program.vlas.push(var);
        if let Some(context) = &mut self.function {
            context.declare_in_block(var);
            context.pending.push((vla, length));
        }
        Ok(ArrayLen::Variable(vla))
    }

    /// The outermost length of an array parameter has no meaning, but must be right.
    pub(super) fn parameter_length(&mut self, expr: &ast::Expr) -> Outcome<()> {
        let value = self.unevaluated(|checker| checker.value(expr))?.expr;
        if !self.types().is_integer(value.ty) {
            return self.error(expr.span, "size of array has non-integer type");
        }
        Ok(())
    }

    pub(super) fn enter_prototype(&mut self) {
        self.in_prototype += 1;
    }

    pub(super) fn leave_prototype(&mut self) {
        self.in_prototype -= 1;
    }

    /// Later parameters may mention earlier ones in the lengths of their arrays.
    pub(super) fn declare_prototype_parameter(&mut self, parameter: &Parameter) {
        if let Some(name) = parameter.name {
            let var = self.new_variable(name, parameter.ty, VarKind::Hidden, parameter.span);
            self.scopes.declare(
                name,
                super::scope::Binding::Var(var),
                parameter.span,
                parameter.end,
            );
        }
    }

    /// How many lengths wait; those that come later belong to what is checked next.
    pub(super) fn pending_mark(&self) -> usize {
        self.function
            .as_ref()
            .map_or(0, |context| context.pending.len())
    }

    /// The statements that fix the lengths found since the mark.
    pub(super) fn take_pending(&mut self, mark: usize, span: Span) -> Vec<Stmt> {
        match &mut self.function {
            Some(context) if context.pending.len() > mark => context
                .pending
                .drain(mark..)
                .map(|(vla, length)| Stmt {
                    kind: StmtKind::FixVla { vla, length },
                    span,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The value of an expression whose type names fixed lengths: they are fixed first.
    pub(super) fn after_pending(&mut self, mark: usize, expr: Expr) -> Expr {
        if self.pending_mark() <= mark {
            return expr;
        }
        let (ty, span) = (expr.ty, expr.span);
        let mut items = self.take_pending(mark, span);
        items.push(Stmt {
            kind: StmtKind::Expr(expr),
            span,
        });
        let block = Block {
            vars: Vec::new(),
            items,
            span,
        };
        Expr {
            kind: ExprKind::Statements(Box::new(block)),
            ty,
            span,
        }
    }

    /// The size of what a pointer to the type steps over. GNU: void and functions count one byte.
    pub(super) fn element_size(&mut self, ty: TypeId, span: Span) -> Outcome<ElementSize> {
        match *self.types().shape(ty) {
            Type::Void | Type::Function(_) => return Ok(ElementSize::Bytes(1)),
            _ => {}
        }
        if let Some(size) = self.types().size_of(ty) {
            return Ok(ElementSize::Bytes(size));
        }
        let mut vlas = Vec::new();
        let mut count = 1u64;
        let mut inner = ty;
        while let Type::Array { element, len } = *self.types().shape(inner) {
            match len {
                ArrayLen::Fixed(n) => count = count.saturating_mul(n),
                ArrayLen::Variable(vla) => vlas.push(vla),
                ArrayLen::Incomplete => break,
            }
            inner = element;
        }
        match self.types().size_of(inner) {
            Some(size) if !vlas.is_empty() => Ok(ElementSize::Variable {
                vlas,
                bytes: size.saturating_mul(count),
            }),
            _ => {
                let message = format!("invalid use of incomplete type '{}'", self.show(ty));
                self.error(span, message)
            }
        }
    }

    /// Whether the size of the type depends on a variable.
    pub(super) fn has_variable_size(&self, ty: TypeId) -> bool {
        let mut ty = ty;
        while let Type::Array { element, len } = *self.types().shape(ty) {
            if let ArrayLen::Variable(_) = len {
                return true;
            }
            ty = element;
        }
        false
    }
}

impl FunctionContext {
    /// The variable lives as long as the innermost open block.
    pub(super) fn declare_in_block(&mut self, var: crate::typed::VarId) {
        if let Some(vars) = self.block_vars.last_mut() {
            vars.push(var);
        }
    }
}
