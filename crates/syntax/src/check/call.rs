//! Calls.

use super::convert::Context;
use super::operand::{Operand, Value};
use super::{Checker, Outcome};
use crate::ast;
use crate::foreign::{self, Foreign};
use crate::span::{Name, Span};
use crate::typed::{Callee, Expr, ExprKind, FuncId};
use crate::types::{FunctionType, Type, TypeId};

impl Checker<'_> {
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        if let ast::ExprKind::Name(name) = callee.kind
            && self.scopes.find(name).is_none()
        {
            if let Some(result) = self.builtin_call(name, args, span) {
                return result;
            }
            if self.resumed && self.function_symbol(name).is_none() {
                let message = format!("'{}' undeclared at this place", self.text(name));
                return self.error(callee.span, message);
            }
            let id = self.declare_implicitly(name, callee.span);
            self.mention_function(id);
            return self.call_function(id, args, span);
        }
        match self.operand(callee)? {
            Operand::Function(id, _) => self.call_function(id, args, span),
            operand => {
                let pointer = self.valued(operand)?.expr;
                let function = self
                    .types()
                    .pointee(pointer.ty)
                    .and_then(|target| self.types().function(target))
                    .cloned();
                let Some(function) = function else {
                    let message = match &callee.kind {
                        ast::ExprKind::Name(name) => format!(
                            "called object '{}' is not a function or function pointer",
                            self.text(*name)
                        ),
                        _ => "called object is not a function or function pointer".to_owned(),
                    };
                    return self.error(callee.span, message);
                };
                let args = self.arguments(&function, None, args, span)?;
                let callee = Callee::Pointer(Box::new(pointer));
                self.result(callee, &function, args, span)
            }
        }
    }

    /// C90: a call of a name that is not declared declares `int name()`; gcc knows the library
    /// better.
    fn declare_implicitly(&mut self, name: Name, span: Span) -> FuncId {
        if let Some(id) = self.function_symbol(name) {
            // Declared in another unit or another block.
            return id;
        }
        let text = self.text(name);
        let mut message = format!("implicit declaration of function '{text}'");
        if let Some(meant) = self.meant(text) {
            message += &format!("; did you mean '{meant}'?");
        }
        // What CBMC predefines needs no declaration.
        let is_predefined = text.starts_with("__CPROVER_")
            && foreign::meaning(text).is_some_and(|it| it != Foreign::Unsupported);
        if !is_predefined {
            self.warn(span, message);
        }
        let ty = match self.library_type(name) {
            Some(ty) => ty,
            None => self.unprototyped(TypeId::INT),
        };
        let id = self.function_by_name(name, ty, span);
        self.program.functions[id.0 as usize].implicit = true;
        id
    }

    /// What a name that nobody declared was meant to be.
    fn meant(&self, text: &str) -> Option<String> {
        if foreign::meaning(text).is_some_and(|it| it != Foreign::Unsupported)
            || super::library::is_known(text)
        {
            return foreign::meant(text);
        }
        if let Some(meant) = foreign::meant(text) {
            return Some(meant);
        }
        let functions = self.program.functions.iter();
        let mut declared = functions
            .map(|function| self.names.get(function.name))
            .filter(|known| known.len() > 3 && !known.starts_with("__concord_"));
        let similar = |known: &&str| foreign::one_edit_apart(known, text);
        declared
            .find(similar)
            .or_else(|| super::library::known_names().find(similar))
            .map(str::to_owned)
    }

    pub(super) fn call_function(
        &mut self,
        id: FuncId,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Operand> {
        let function = &self.program.functions[id.0 as usize];
        let (ty, name) = (function.ty, function.name);
        let Some(function) = self.types().function(ty).cloned() else {
            return self.error(span, "called object is not a function");
        };
        let args = self.arguments(&function, Some(name), args, span)?;
        let call = self.result(Callee::Direct(id), &function, args, span)?;
        self.call_of(id, call)
    }

    fn result(
        &mut self,
        callee: Callee,
        function: &FunctionType,
        args: Vec<Expr>,
        span: Span,
    ) -> Outcome<Operand> {
        let ty = self.types().unqualified(function.result);
        if let Type::Record(id) = *self.types().get(ty) {
            self.check_record_use(id, span)?;
        }
        Ok(Expr {
            kind: ExprKind::Call { callee, args },
            ty,
            span,
        }
        .into())
    }

    /// Arguments as the function wants them (C11 6.5.2.2).
    fn arguments(
        &mut self,
        function: &FunctionType,
        name: Option<Name>,
        args: &[ast::Expr],
        span: Span,
    ) -> Outcome<Vec<Expr>> {
        if function.prototyped {
            let (given, wanted) = (args.len(), function.params.len());
            let problem = if given < wanted {
                Some("few")
            } else if given > wanted && !function.variadic {
                Some("many")
            } else {
                None
            };
            if let Some(problem) = problem {
                let shown = match name {
                    Some(name) => format!("function '{}'", self.text(name)),
                    None => "function".to_owned(),
                };
                let message =
                    format!("too {problem} arguments to {shown}; expected {wanted}, have {given}");
                return self.error(span, message);
            }
        }
        let mut converted = Vec::with_capacity(args.len());
        let mut failed = None;
        for (index, arg) in args.iter().enumerate() {
            let value = self.value(arg).and_then(|value| {
                match function.params.get(index).filter(|_| function.prototyped) {
                    Some(&param) => self.assigned(value, param, Context::Argument(index + 1, name)),
                    None => self.default_argument(value),
                }
            });
            match value {
                Ok(value) => converted.push(value),
                Err(reported) => failed = Some(reported),
            }
        }
        match failed {
            Some(reported) => Err(reported),
            None => Ok(converted),
        }
    }

    /// An argument that no parameter describes.
    pub(super) fn default_argument(&mut self, value: Value) -> Outcome<Expr> {
        let ty = value.expr.ty;
        match self.types().get(ty) {
            Type::Void => self.error(value.expr.span, "invalid use of void expression"),
            Type::Record(id) => {
                let id = *id;
                self.check_record_use(id, value.expr.span)?;
                Ok(value.expr)
            }
            _ => {
                let value = if value.bits.is_some() {
                    self.promote(value)
                } else {
                    value
                };
                let to = self.default_promoted(value.expr.ty);
                Ok(self.convert(value.expr, to))
            }
        }
    }
}
