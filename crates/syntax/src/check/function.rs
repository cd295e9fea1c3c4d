//! Definitions of functions.

use super::convert::Context;
use super::linkage::{Declared, Strength};
use super::scope::Binding;
use super::specifiers::Parameter;
use super::vla::Pending;
use super::{Checker, Outcome, Reported};
use crate::ast::{self, Derived, Params, Storage};
use crate::diagnostics::{Diagnostic, Kind};
use crate::span::{Name, Span};
use crate::typed::{
    Block, Body, Case, Expr, ExprKind, FuncId, Init, InitItem, InitValue, Label, LabelId, Place,
    PlaceKind, Stmt, StmtKind, StringId, VarId, VarKind,
};
use crate::types::{Type, TypeId};
use rustc_hash::FxHashMap;

/// The cases of a `switch` that is being checked.
#[derive(Debug)]
pub(super) struct Switch {
    /// The promoted type of its value.
    pub(super) ty: TypeId,
    pub(super) cases: Vec<Case>,
    pub(super) default: Option<LabelId>,
}

/// What is known about a label.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelState {
    pub(super) id: LabelId,
    pub(super) defined: bool,
    pub(super) used: bool,
}

/// The function that is being checked.
#[derive(Debug)]
pub(super) struct FunctionContext {
    pub(super) id: FuncId,
    pub(super) result: TypeId,
    pub(super) labels: Vec<Label>,
    /// Labels of the whole function by name.
    pub(super) label_names: FxHashMap<Name, LabelState>,
    /// `__label__` declarations of the open blocks, innermost last.
    pub(super) local_labels: Vec<(Name, LabelState)>,
    pub(super) address_labels: Vec<LabelId>,
    pub(super) switches: Vec<Switch>,
    /// Statements around that `break` and `continue` can mean.
    pub(super) breakable: u32,
    pub(super) continuable: u32,
    /// Variables of the open blocks, innermost last.
    pub(super) block_vars: Vec<Vec<VarId>>,
    /// What declarations and type names evaluate, and no statement does yet.
    pub(super) pending: Vec<Pending>,
    /// Outermost lengths of parameters: gcc evaluates them behind all others.
    pub(super) outermost: Vec<Expr>,
    /// The parameters declared so far.
    pub(super) params: Vec<VarId>,
    /// `__func__`, once it is mentioned.
    pub(super) name_string: Option<StringId>,
    /// Names that were complained about: as undeclared, or where their declaration failed.
    pub(super) undeclared: Vec<Name>,
}

impl FunctionContext {
    pub(super) fn new(id: FuncId) -> FunctionContext {
        FunctionContext {
            id,
            result: TypeId::VOID,
            labels: Vec::new(),
            label_names: FxHashMap::default(),
            local_labels: Vec::new(),
            address_labels: Vec::new(),
            switches: Vec::new(),
            breakable: 0,
            continuable: 0,
            block_vars: vec![Vec::new()],
            pending: Vec::new(),
            outermost: Vec::new(),
            params: Vec::new(),
            name_string: None,
            undeclared: Vec::new(),
        }
    }
}

/// Name, parameters, and the rest of the declarator.
type Head<'d> = (&'d ast::Ident, &'d Params, &'d [Derived]);

/// The type of a definition's parameter list and what the body sees of it.
pub(super) struct Signature {
    ty: TypeId,
    params: Vec<Parameter>,
    /// For K&R parameters: the type in which the argument arrives, if it differs.
    arriving: Vec<Option<TypeId>>,
}

impl Checker<'_> {
    /// The name, the parameters, and what the result is derived by.
    pub(super) fn head_of<'d>(&mut self, definition: &'d ast::FunctionDef) -> Outcome<Head<'d>> {
        let Some(ident) = &definition.declarator.name else {
            return self.error(definition.span, "function definition without a name");
        };
        let Some((Derived::Function(params), rest)) = definition.declarator.derived.split_first()
        else {
            let message = format!("'{}' is not declared as a function", self.text(ident.name));
            return self.error(ident.span, message);
        };
        Ok((ident, params, rest))
    }

    pub(super) fn function_definition(&mut self, definition: &ast::FunctionDef) -> Outcome<()> {
        let (ident, params, rest) = self.head_of(definition)?;
        let specs = &definition.specs;
        if specs.storage == Storage::Typedef {
            return self.error(definition.span, "function definition declared 'typedef'");
        }
        let base = self.base(specs, false)?;
        let attributes = self.declarator_attributes(&base, &definition.declarator, &[])?;
        let derived = &definition.declarator.derived;
        let result = self.retyped(base.ty, &attributes, derived, definition.declarator.span)?;
        let result = self.derive(result, rest, definition.declarator.span)?;

        let internal = specs.storage == Storage::Static;
        let declared_here = self.scopes.find_here(ident.name).is_some();
        let id = self.reserve_function(ident, internal, definition.declarator.span.hi)?;
        let before = self.diagnostics.len();
        self.function = Some(FunctionContext::new(id));
        self.scopes.enter(definition.span, false);
        let body = self
            .signature(id, result, params, (definition, declared_here))
            .and_then(|signature| self.define_function(id, ident, signature, definition));
        self.scopes.leave();
        self.function = None;

        self.settle_diagnostics(id, before);
        let function = &mut self.program.functions[id.0 as usize];
        function.noreturn |= specs.noreturn || attributes.noreturn;
        // An inline definition without `extern` is only a copy of an external one (C11 6.7.4), and
        // so is one with `gnu_inline` and `extern`.
        let inline_only = specs.inline
            && !internal
            && (attributes.gnu_inline == (specs.storage == Storage::Extern));
        self.note_function_attributes(id, &attributes, ident.span)?;
        let strength = if inline_only {
            Strength::Inline
        } else if self.is_weak_function(id) {
            Strength::Weak
        } else {
            Strength::Strong
        };
        let admitted = self.admit_body(id, strength, ident.span)?;
        let (vars, body) = body?;
        if admitted {
            let function = &mut self.program.functions[id.0 as usize];
            function.params = vars;
            function.body = Some(body);
            function.span = ident.span;
            self.note_definition(id);
        }
        Ok(())
    }

    /// Errors about constructs that are not supported wait until it is known whether the function
    /// is of use; but if there are others, all of them are told.
    fn settle_diagnostics(&mut self, id: FuncId, before: usize) {
        let found = &self.diagnostics[before..];
        if !found.is_empty() && found.iter().all(|d| matches!(d.kind, Kind::Unsupported(_))) {
            let found = self.diagnostics.split_off(before);
            self.postpone_unsupported(id, found);
        }
    }

    /// The function's number and binding, before its type is known: parameters may need it.
    fn reserve_function(
        &mut self,
        ident: &ast::Ident,
        internal: bool,
        end: u32,
    ) -> Outcome<FuncId> {
        match self.scopes.find_here(ident.name) {
            Some((Binding::Func(id), _)) => {
                let ty = self.program.functions[id.0 as usize].ty;
                self.declare_function(Declared {
                    name: ident.name,
                    ty,
                    internal,
                    span: ident.span,
                    end,
                })
            }
            _ => {
                // Any function type without a prototype fits what comes.
                let known = match self.function_symbol(ident.name) {
                    Some(id) if !internal => Some(self.program.functions[id.0 as usize].ty),
                    _ => None,
                };
                let placeholder = match known {
                    Some(ty) => ty,
                    None => self.unprototyped(TypeId::VOID),
                };
                self.declare_function(Declared {
                    name: ident.name,
                    ty: placeholder,
                    internal,
                    span: ident.span,
                    end,
                })
            }
        }
    }

    /// `result ()`.
    pub(super) fn unprototyped(&mut self, result: TypeId) -> TypeId {
        self.program
            .types
            .intern(Type::Function(crate::types::FunctionType {
                result,
                params: Vec::new(),
                variadic: false,
                prototyped: false,
            }))
    }

    pub(super) fn signature(
        &mut self,
        id: FuncId,
        result: TypeId,
        params: &Params,
        (definition, declared_here): (&ast::FunctionDef, bool),
    ) -> Outcome<Signature> {
        let span = definition.declarator.span;
        match params {
            Params::Prototype { params, variadic } => {
                let mut list = Vec::new();
                for param in self.real_params(params) {
                    let parameter = self.parameter(param)?;
                    self.declare_parameter(id, &parameter)?;
                    list.push(parameter);
                }
                let types = list
                    .iter()
                    .map(|p| self.types().unqualified(p.ty))
                    .collect::<Vec<_>>();
                let ty = self.function_type(result, (types, *variadic, true), span)?;
                let arriving = vec![None; list.len()];
                Ok(Signature {
                    ty,
                    params: list,
                    arriving,
                })
            }
            Params::Unspecified => {
                let ty = self.function_type(result, (Vec::new(), false, false), span)?;
                Ok(Signature {
                    ty,
                    params: Vec::new(),
                    arriving: Vec::new(),
                })
            }
            Params::Names(names) => self.old_style((id, declared_here), result, names, definition),
        }
    }

    /// A parameter becomes visible, also to the parameters after it.
    fn declare_parameter(&mut self, _id: FuncId, parameter: &Parameter) -> Outcome<()> {
        let name = parameter.name.unwrap_or(self.placeholder);
        if parameter.name.is_some()
            && let Some((_, earlier)) = self.scopes.find_here(name)
        {
            let message = format!("redefinition of parameter '{}'", self.text(name));
            let problem = Diagnostic::error(parameter.span, message)
                .with_note(earlier, "previous definition is here");
            return self.report(problem);
        }
        match *self.types().shape(parameter.ty) {
            Type::Record(record) => self.check_record_use(record, parameter.span)?,
            Type::Void => {
                let message = format!("parameter '{}' has incomplete type", self.text(name));
                return self.error(parameter.span, message);
            }
            _ => {}
        }
        let var = self.new_variable(name, parameter.ty, VarKind::Param, parameter.span);
        if let Some(context) = &mut self.function {
            context.params.push(var);
        }
        if parameter.name.is_some() {
            self.scopes
                .declare(name, Binding::Var(var), parameter.span, parameter.end);
        }
        Ok(())
    }

    /// `f(a, b) int a; char b; { … }`: without a prototype the arguments arrive promoted.
    fn old_style(
        &mut self,
        (id, declared_here): (FuncId, bool),
        result: TypeId,
        names: &[ast::Ident],
        definition: &ast::FunctionDef,
    ) -> Outcome<Signature> {
        let mut declared: Vec<Parameter> = Vec::new();
        for declaration in &definition.old_style_params {
            let base = self.base(&declaration.specs, declaration.declarators.is_empty())?;
            for declarator in &declaration.declarators {
                let Some(ident) = &declarator.declarator.name else {
                    return self.error(declarator.span, "parameter without a name");
                };
                if declarator.init.is_some() {
                    let message = format!("parameter '{}' is initialized", self.text(ident.name));
                    return self.error(declarator.span, message);
                }
                if !names.iter().any(|name| name.name == ident.name) {
                    let message = format!(
                        "declaration for parameter '{}' but no such parameter",
                        self.text(ident.name)
                    );
                    return self.error(declarator.span, message);
                }
                let ty = self.declarator_type(&base, &declarator.declarator, &[])?;
                declared.push(Parameter {
                    name: Some(ident.name),
                    ty: self.adjusted(ty),
                    span: ident.span,
                    end: declarator.declarator.span.hi,
                });
            }
        }
        let prototype = self
            .types()
            .function(self.program.functions[id.0 as usize].ty)
            .cloned();
        // One in another file does not: there the arguments are passed as it says, and here they
        // are received as if there were none.
        let prototype =
            prototype.filter(|f| declared_here && f.prototyped && f.params.len() == names.len());
        let mut params = Vec::with_capacity(names.len());
        let mut arriving = Vec::with_capacity(names.len());
        let mut types = Vec::with_capacity(names.len());
        for name in names {
            let found = declared.iter().find(|param| param.name == Some(name.name));
            let param = match found {
                Some(&param) => param,
                None => {
                    let message = format!("type of '{}' defaults to 'int'", self.text(name.name));
                    self.warn(name.span, message);
                    Parameter {
                        name: Some(name.name),
                        ty: TypeId::INT,
                        span: name.span,
                        end: name.span.hi,
                    }
                }
            };
            let own = self.types().unqualified(param.ty);
            let promoted = self.default_promoted(own);
            // A prototype in sight says how the arguments are passed.
            let passed = if prototype.is_some() { own } else { promoted };
            arriving.push((passed != own).then_some(passed));
            types.push(passed);
            params.push(param);
        }
        for param in &params {
            self.declare_parameter(id, param)?;
        }
        let span = definition.declarator.span;
        let ty = self.function_type(result, (types, false, false), span)?;
        Ok(Signature {
            ty,
            params,
            arriving,
        })
    }

    pub(super) fn define_function(
        &mut self,
        id: FuncId,
        ident: &ast::Ident,
        signature: Signature,
        definition: &ast::FunctionDef,
    ) -> Outcome<(Vec<VarId>, Body)> {
        self.settle_type(id, ident, signature.ty)?;
        let result = self
            .types()
            .function(signature.ty)
            .map_or(TypeId::VOID, |f| f.result);
        if let Some(record) = self.types().record_id(result) {
            self.check_record_use(record, ident.span)?;
        }
        let mut items = Vec::new();
        let mut vars = Vec::with_capacity(signature.params.len());
        if let Some(context) = &mut self.function {
            context.result = result;
            vars = std::mem::take(&mut context.params);
        }
        items.extend(self.take_pending(0, definition.declarator.span));
        items.extend(self.take_outermost());
        self.receive_promoted(&signature, &mut vars, &mut items);
        self.block_items(&definition.body, &mut items);
        self.release_trampolines(&mut items);
        let Some(context) = self.function.take() else {
            return Err(Reported);
        };
        let mut undefined: Vec<(Name, LabelState)> = context
            .label_names
            .iter()
            .filter(|(_, state)| !state.defined)
            .map(|(&name, &state)| (name, state))
            .collect();
        undefined.sort_by_key(|(_, state)| state.id);
        for (name, state) in undefined {
            let message = format!("label '{}' used but not defined", self.text(name));
            let span = context.labels[state.id.0 as usize].span;
            self.diagnostics.push(Diagnostic::error(span, message));
        }
        let vars_of_body = context.block_vars.into_iter().next().unwrap_or_default();
        let block = Block {
            vars: vars_of_body,
            items,
            span: definition.body.span,
        };
        let body = Body {
            block,
            labels: context.labels,
            address_labels: context.address_labels,
        };
        Ok((vars, body))
    }

    /// The function now has its type; earlier declarations must agree.
    fn settle_type(&mut self, id: FuncId, ident: &ast::Ident, ty: TypeId) -> Outcome<()> {
        let placeholder = self.unprototyped(TypeId::VOID);
        let function = &self.program.functions[id.0 as usize];
        if function.ty == placeholder && function.span == ident.span {
            self.program.functions[id.0 as usize].ty = ty;
            return Ok(());
        }
        self.merge_function(id, ty, ident.span)
    }

    /// The argument arrives in its promoted type and is converted once to the declared one.
    fn receive_promoted(
        &mut self,
        signature: &Signature,
        vars: &mut [VarId],
        items: &mut Vec<Stmt>,
    ) {
        for (index, arriving) in signature.arriving.iter().enumerate() {
            let Some(arriving) = *arriving else { continue };
            let own = vars[index];
            let (name, span) = {
                let var = &mut self.program.vars[own.0 as usize];
                var.kind = VarKind::Local;
                (var.name, var.span)
            };
            let param = self.new_variable(name, arriving, VarKind::Param, span);
            vars[index] = param;
            let place = Place {
                kind: PlaceKind::Var(param),
                ty: arriving,
                span,
            };
            let load = Expr {
                kind: ExprKind::Load(Box::new(place)),
                ty: arriving,
                span,
            };
            let ty = self.program.vars[own.0 as usize].ty;
            let value = InitValue::Expr(self.convert(load, ty));
            let init = Init {
                items: vec![InitItem {
                    offset: 0,
                    bits: None,
                    value,
                }],
                whole: true,
            };
            items.push(Stmt {
                kind: StmtKind::Declare {
                    var: own,
                    init: Some(init),
                },
                span,
            });
            if let Some(context) = &mut self.function {
                context.declare_in_block(own);
            }
        }
    }

    pub(super) fn return_statement(
        &mut self,
        value: Option<&ast::Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Outcome<()> {
        let result = self
            .function
            .as_ref()
            .map_or(TypeId::VOID, |context| context.result);
        let value = match value {
            None if result != TypeId::VOID => {
                self.warn(
                    span,
                    "'return' with no value, in function returning non-void",
                );
                None
            }
            None => None,
            Some(expr) if result == TypeId::VOID => {
                let value = self.value(expr)?.expr;
                if value.ty != TypeId::VOID {
                    self.warn(span, "'return' with a value, in function returning void");
                }
                // GNU: the expression is evaluated all the same.
                let value = self.convert(value, TypeId::VOID);
                out.push(Stmt {
                    kind: StmtKind::Expr(value),
                    span,
                });
                None
            }
            Some(expr) => {
                let value = self.value(expr)?;
                Some(self.assigned(value, result, Context::Return)?)
            }
        };
        out.push(Stmt {
            kind: StmtKind::Return(value),
            span,
        });
        Ok(())
    }
}
