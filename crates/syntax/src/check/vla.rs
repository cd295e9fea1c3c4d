//! Arrays whose length is known only when the program runs.
//!
//! Such a type refers to a hidden variable that holds its number of elements. The variable is set
//! where the declaration (or the type name in an expression) is reached; until the statement for
//! that is written, the lengths wait in [`FunctionContext::pending`]. In a declaration that is no
//! definition the length of a parameter's array means nothing, and the array stays incomplete,
//! which is compatible with every length.

use super::function::FunctionContext;
use super::operand::Operand;
use super::specifiers::Parameter;
use super::{Checker, Outcome};
use crate::ast;
use crate::constant::{self, Constant};
use crate::span::Span;
use crate::typed::{
    Block, ElementSize, Expr, ExprKind, Part, PlaceKind, Stmt, StmtKind, VarKind, VlaId,
};
use crate::types::{ArrayLen, Type, TypeId};

/// What a declaration or a type name evaluates.
#[derive(Debug)]
pub(super) enum Pending {
    /// The length of an array.
    Length(VlaId, Expr),
    /// The operand of a `sizeof` or `typeof`, whose value nobody needs.
    Effect(Expr),
}

/// Who wants to know about a type.
#[derive(Clone, Copy)]
pub(super) enum Asked {
    Size,
    Type,
}

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
            context.pending.push(Pending::Length(vla, length));
        }
        Ok(ArrayLen::Variable(vla))
    }

    /// The outermost length of an array parameter has no meaning, but must be right, and what it
    /// does is done.
    pub(super) fn parameter_length(&mut self, expr: &ast::Expr) -> Outcome<()> {
        let value = self.unevaluated(|checker| checker.value(expr))?.expr;
        if !self.types().is_integer(value.ty) {
            return self.error(expr.span, "size of array has non-integer type");
        }
        if !is_quiet(&value) && self.is_executed() {
            let value = self.value(expr)?.expr;
            if let Some(context) = &mut self.function {
                context.outermost.push(value);
            }
        }
        Ok(())
    }

    /// Whether what is checked here is executed where it stands.
    fn is_executed(&self) -> bool {
        self.unevaluated == 0 && self.in_prototype == 0 && self.function.is_some()
    }

    /// The type of an operand of `sizeof` or `typeof` that was looked at since the mark.
    /// C11 6.5.3.4: an operand whose type is a variable-length array is evaluated; gcc's `typeof`
    /// evaluates those of all variably modified types.
    pub(super) fn type_asked_for(
        &mut self,
        inner: &ast::Expr,
        operand: &Operand,
        mark: usize,
        asked: Asked,
    ) -> Outcome<TypeId> {
        let ty = self.type_of_operand(operand);
        let depends = match asked {
            Asked::Size => self.has_variable_size(ty),
            Asked::Type => self.is_variably_modified(ty),
        };
        let is_quiet = match operand {
            Operand::Place(place, _) => is_quiet_part(Part::Place(place)),
            Operand::Value(value) => is_quiet(&value.expr),
            Operand::Function(..) => true,
        };
        if !depends {
            self.forget_pending(mark);
        }
        if !depends || is_quiet || !self.is_executed() {
            return Ok(ty);
        }
        // A second look, now at something that is executed.
        self.forget_pending(mark);
        let operand = self.operand(inner)?;
        let ty = self.type_of_operand(&operand);
        let effect = match operand {
            Operand::Place(place, _) => {
                let pointer = self.program.types.pointer_to(ty);
                self.address(place, pointer)
            }
            Operand::Value(value) => value.expr,
            Operand::Function(..) => return Ok(ty),
        };
        if let Some(context) = &mut self.function {
            context.pending.push(Pending::Effect(effect));
        }
        Ok(ty)
    }

    /// Nothing that was found since the mark is evaluated.
    pub(super) fn forget_pending(&mut self, mark: usize) {
        if let Some(context) = &mut self.function {
            context.pending.truncate(mark);
        }
    }

    /// The statements that evaluate the outermost lengths of parameters.
    pub(super) fn take_outermost(&mut self) -> Vec<Stmt> {
        let lengths = match &mut self.function {
            Some(context) => std::mem::take(&mut context.outermost),
            None => Vec::new(),
        };
        lengths.into_iter().map(effect_statement).collect()
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
                .map(|pending| match pending {
                    Pending::Length(vla, length) => Stmt {
                        kind: StmtKind::FixVla { vla, length },
                        span,
                    },
                    Pending::Effect(expr) => effect_statement(expr),
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
                ArrayLen::Variable(vla) => {
                    self.check_own_length(vla, span)?;
                    vlas.push(vla);
                }
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

    /// Whether a variable-length array is part of the type.
    fn is_variably_modified(&self, ty: TypeId) -> bool {
        match *self.types().shape(ty) {
            Type::Pointer(inner) => self.is_variably_modified(inner),
            Type::Array { element, len } => {
                matches!(len, ArrayLen::Variable(_)) || self.is_variably_modified(element)
            }
            Type::Function(ref function) => self.is_variably_modified(function.result),
            _ => false,
        }
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

fn effect_statement(expr: Expr) -> Stmt {
    let span = expr.span;
    Stmt {
        kind: StmtKind::Expr(expr),
        span,
    }
}

/// Whether it makes no difference that the expression is evaluated. In doubt it does.
fn is_quiet(expr: &Expr) -> bool {
    expr.kind.is_computation() && expr.parts().all(is_quiet_part)
}

fn is_quiet_part(part: Part<'_>) -> bool {
    match part {
        Part::Expr(expr) => is_quiet(expr),
        Part::Place(place) => match &place.kind {
            PlaceKind::Var(_) | PlaceKind::String(_) => true,
            PlaceKind::Deref(pointer) => is_quiet(pointer),
            PlaceKind::Field { base, .. } => is_quiet_part(Part::Place(base)),
            _ => false,
        },
        Part::Stmt(_) | Part::Block(_) => false,
    }
}
