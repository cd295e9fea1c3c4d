//! Declarations at file scope and inside functions.

use super::linkage::{Declared, Definition};
use super::operand::Value;
use super::scope::Binding;
use super::specifiers::Base;
use super::{Checker, Outcome};
use crate::ast::{self, Declaration, InitDeclarator, Storage, TypeSpec};
use crate::diagnostics::Diagnostic;
use crate::span::{Name, Span};
use crate::typed::{Init, InitItem, InitValue, Stmt, StmtKind, VarId, VarKind};
use crate::types::{Type, TypeId};

/// One declarator with its type worked out.
struct Item<'a> {
    name: Name,
    span: Span,
    end: u32,
    ty: TypeId,
    attributes: super::attributes::Attributes,
    align: Option<u64>,
    init: Option<&'a ast::Initializer>,
    /// Of `__auto_type`: the initial value, already checked.
    auto: Option<Value>,
    /// `asm("label")`: the name that the linker sees.
    label: Option<&'a [u8]>,
}

impl Item<'_> {
    fn declared(&self, internal: bool) -> Declared {
        Declared {
            name: self.name,
            ty: self.ty,
            internal,
            span: self.span,
            end: self.end,
        }
    }
}

impl Checker<'_> {
    pub(super) fn static_assert(&mut self, assertion: &ast::StaticAssert) -> Outcome<()> {
        let value =
            self.integer_constant(&assertion.condition, "expression in static assertion")?;
        if value != 0 {
            return Ok(());
        }
        let message = match &assertion.message {
            Some(text) => {
                format!(
                    "static assertion failed: \"{}\"",
                    String::from_utf8_lossy(text)
                )
            }
            None => "static assertion failed".to_owned(),
        };
        self.error(assertion.span, message)
    }

    /// Assembly outside of functions may define anything. Only what describes symbols is let
    /// through.
    pub(super) fn file_asm(&mut self, asm: &ast::FileAsm) -> Outcome<()> {
        let describes = |line: &[u8]| {
            let line = line.trim_ascii();
            let word = line.split(|b| b.is_ascii_whitespace()).next();
            let directives: [&[u8]; 8] = [
                b".file", b".global", b".globl", b".hidden", b".ident", b".size", b".symver",
                b".type",
            ];
            line.is_empty() || line[0] == b'#' || word.is_some_and(|it| directives.contains(&it))
        };
        let mut lines = asm.template.split(|&b| b == b'\n' || b == b';');
        match lines.all(describes) {
            true => Ok(()),
            false => self.unsupported(asm.span, "assembly outside of functions"),
        }
    }

    pub(super) fn file_declaration(&mut self, declaration: &Declaration) -> Outcome<()> {
        self.each_declarator(declaration, |checker, item, _| {
            item.and_then(|item| checker.file_item(item, &declaration.specs))
        })
    }

    /// Hands every declared item to `check`; the first error of all.
    fn each_declarator<'d>(
        &mut self,
        declaration: &'d Declaration,
        mut check: impl FnMut(&mut Self, Outcome<Item<'d>>, &'d InitDeclarator) -> Outcome<()>,
    ) -> Outcome<()> {
        let Some(base) = self.declaration_base(declaration)? else {
            return Ok(());
        };
        let mut result = Ok(());
        for declarator in &declaration.declarators {
            let item = self.item(&base, &declaration.specs, declarator);
            result = result.and(check(self, item, declarator));
        }
        result
    }

    /// What the specifiers say; nothing if no name is declared.
    fn declaration_base(&mut self, declaration: &Declaration) -> Outcome<Option<Base>> {
        if matches!(declaration.specs.ty, TypeSpec::Auto) {
            // The type is that of the initialiser of each declarator.
            return Ok(Some(Base {
                ty: TypeId::INT,
                attributes: Default::default(),
                alignas: None,
            }));
        }
        let lone = declaration.declarators.is_empty();
        let base = self.base(&declaration.specs, lone)?;
        if lone {
            self.supported_on_type(&base.attributes)?;
            let declares = match &declaration.specs.ty {
                TypeSpec::Record(record) => record.tag.is_some(),
                TypeSpec::Enum(_) => true,
                _ => false,
            };
            if !declares {
                self.warn(declaration.span, "declaration does not declare anything");
            }
            return Ok(None);
        }
        Ok(Some(base))
    }

    fn item<'a>(
        &mut self,
        base: &Base,
        specs: &ast::DeclSpecs,
        declarator: &'a InitDeclarator,
    ) -> Outcome<Item<'a>> {
        let Some(ident) = &declarator.declarator.name else {
            return self.error(declarator.span, "declaration without a name");
        };
        let mut base = *base;
        let mut auto = None;
        if matches!(specs.ty, TypeSpec::Auto) {
            let Some(ast::Initializer::Expr(expr)) = &declarator.init else {
                return self.error(
                    declarator.span,
                    "'__auto_type' requires an initialized data declaration",
                );
            };
            let value = self.value(expr)?;
            self.check_plain_type(&value)?;
            base.ty = value.expr.ty;
            let quals = specs.quals;
            base.ty = self
                .program
                .types
                .qualified(base.ty, quals.is_const, quals.is_volatile);
            auto = Some(value);
        }
        let attributes = self.declarator_attributes(&base, &declarator.declarator, &[])?;
        let derived = &declarator.declarator.derived;
        let ty = self.retyped(base.ty, &attributes, derived, declarator.span)?;
        let ty = self.derive(ty, derived, declarator.declarator.span)?;
        Ok(Item {
            name: ident.name,
            span: ident.span,
            end: declarator.declarator.span.hi,
            ty,
            attributes,
            align: base.alignas.max(attributes.aligned),
            init: declarator.init.as_ref(),
            auto,
            label: declarator.asm_label.as_deref(),
        })
    }

    fn file_item(&mut self, item: Item<'_>, specs: &ast::DeclSpecs) -> Outcome<()> {
        if specs.storage == Storage::Typedef {
            return self.declare_typedef(&item);
        }
        let internal = specs.storage == Storage::Static;
        if let Type::Function(_) = self.types().shape(item.ty) {
            return self.declare_function_item(&item, specs, internal);
        }
        let definition = match (item.init.is_some(), specs.storage) {
            (true, _) => Definition::Full,
            (false, Storage::Extern) => Definition::None,
            (false, _) => Definition::Tentative,
        };
        if definition != Definition::None {
            self.check_object_type(&item)?;
        }
        if self.alias_variable(&item) {
            return Ok(());
        }
        let declared = item.declared(internal);
        let id = self.declare_global(declared, definition)?;
        self.set_properties(id, &item, specs);
        self.set_linkage_of_variable(id, &item, specs);
        self.initialize_static(id, item)
    }

    /// Makes the name another one of the variable that its attribute `alias` names, if nothing else
    /// is said about either.
    fn alias_variable(&mut self, item: &Item<'_>) -> bool {
        let Some(alias) = item.attributes.alias else {
            return false;
        };
        let Some(Binding::Var(target)) = self.scopes.find(alias.name) else {
            return false;
        };
        let var = &self.program.vars[target.0 as usize];
        let plain = var.kind == VarKind::Global
            && !var.thread_local
            && item.label.is_none()
            && item.init.is_none()
            && !item.attributes.weak
            && item.attributes.problem.is_none()
            && self.types().qualifiers(var.ty) == self.types().qualifiers(item.ty)
            && self.compatible(var.ty, item.ty);
        plain && self.name_variable_again(item.name, target, item.span, item.end)
    }

    /// What attributes and a label say about a variable with linkage: it cannot be used then.
    fn set_linkage_of_variable(&mut self, id: VarId, item: &Item<'_>, specs: &ast::DeclSpecs) {
        if item.attributes.weak {
            self.mark_weak_variable(id);
        }
        let problem = match (item.attributes.problem, item.attributes.alias) {
            (Some(problem), _) => Some(self.attribute_problem(problem)),
            (None, Some(alias)) => Some(Diagnostic::unsupported(
                alias.span,
                "an alias of a variable",
            )),
            (None, None) => match item.label {
                Some(_) if specs.storage == Storage::Register => {
                    Some(Diagnostic::unsupported(item.span, "a register variable"))
                }
                Some(label) if label != self.text(item.name).as_bytes() => Some(
                    Diagnostic::unsupported(item.span, "a variable with another name in assembly"),
                ),
                _ => None,
            },
        };
        if let Some(problem) = problem {
            self.forbid_variable(id, problem);
        }
    }

    fn declare_function_item(
        &mut self,
        item: &Item<'_>,
        specs: &ast::DeclSpecs,
        internal: bool,
    ) -> Outcome<()> {
        if item.init.is_some() {
            let message = format!(
                "function '{}' is initialized like a variable",
                self.text(item.name)
            );
            return self.error(item.span, message);
        }
        let declared = item.declared(internal);
        let id = match item
            .label
            .and_then(|it| self.symbol(item.name, it, item.span))
        {
            Some(symbol) => self.declare_renamed(declared, symbol)?,
            None => self.declare_function(declared)?,
        };
        if specs.noreturn || item.attributes.noreturn {
            self.program.functions[id.0 as usize].noreturn = true;
        }
        if item.attributes.returns_nonnull {
            self.program.functions[id.0 as usize].returns_nonnull = true;
        }
        self.note_function_attributes(id, &item.attributes, item.span)
    }

    fn declare_typedef(&mut self, item: &Item<'_>) -> Outcome<()> {
        if item.init.is_some() {
            let message = format!("typedef '{}' is initialized", self.text(item.name));
            return self.error(item.span, message);
        }
        self.supported(&item.attributes)?;
        if item.attributes.transparent_union
            && let Some(id) = self.types().record_id(item.ty)
        {
            self.program.types.records[id.0 as usize].transparent_union = true;
        }
        let ty = match item.attributes.aligned {
            Some(align) => self.program.types.intern(Type::Aligned {
                base: item.ty,
                align,
            }),
            None => item.ty,
        };
        if let Some((binding, earlier)) = self.scopes.find_here(item.name) {
            return match binding {
                Binding::Typedef(old) if self.compatible(old, ty) => Ok(()),
                Binding::Typedef(old) => {
                    let message = format!(
                        "conflicting types for '{}'; have '{}'",
                        self.text(item.name),
                        self.show(ty)
                    );
                    let note = format!("previous declaration has type '{}'", self.show(old));
                    let problem = Diagnostic::error(item.span, message).with_note(earlier, note);
                    self.report(problem)
                }
                _ => {
                    let message = format!(
                        "'{}' redeclared as different kind of symbol",
                        self.text(item.name)
                    );
                    let problem = Diagnostic::error(item.span, message)
                        .with_note(earlier, "previous declaration is here");
                    self.report(problem)
                }
            };
        }
        self.scopes
            .declare(item.name, Binding::Typedef(ty), item.span, item.end);
        Ok(())
    }

    /// An object can have this type.
    fn check_object_type(&mut self, item: &Item<'_>) -> Outcome<()> {
        match *self.types().shape(item.ty) {
            Type::Void => {
                let message = format!("variable '{}' declared void", self.text(item.name));
                self.error(item.span, message)
            }
            _ => Ok(()),
        }
    }

    fn set_properties(&mut self, id: VarId, item: &Item<'_>, specs: &ast::DeclSpecs) {
        let natural = self
            .types()
            .layout_of(item.ty)
            .map_or(1, |layout| layout.align);
        let var = &mut self.program.vars[id.0 as usize];
        var.thread_local |= specs.thread_local;
        if let Some(align) = item.align
            && align > natural
        {
            var.align = var.align.max(Some(align));
        }
    }

    fn initialize_static(&mut self, id: VarId, item: Item<'_>) -> Outcome<()> {
        let ty = self.program.vars[id.0 as usize].ty;
        let (init, ty) = match (item.auto, item.init) {
            (Some(value), _) => (whole(value), ty),
            (None, Some(init)) => self.initializer(ty, init, true, item.name)?,
            (None, None) => return Ok(()),
        };
        let extra_bytes = self.bytes_behind(ty, &init);
        let var = &mut self.program.vars[id.0 as usize];
        var.ty = ty;
        var.init = Some(init);
        var.extra_bytes = extra_bytes;
        self.check_complete(ty, item.name, item.span)
    }

    /// How far an initialiser reaches behind the end of a record with a flexible array member
    /// (GNU).
    fn bytes_behind(&self, ty: TypeId, init: &Init) -> u64 {
        let (Some(size), Some(_)) = (self.types().size_of(ty), self.types().record_id(ty)) else {
            return 0;
        };
        let end = init.items.iter().map(|item| {
            let length = match (&item.value, item.bits) {
                (_, Some(bits)) => u64::from(bits.container_bytes),
                (InitValue::String { length, .. }, None) => *length,
                (InitValue::Expr(expr), None) => self.types().size_of(expr.ty).unwrap_or(0),
            };
            item.offset.saturating_add(length)
        });
        end.max().unwrap_or(0).saturating_sub(size)
    }

    /// An object needs a size, which may be known only when the program runs.
    fn check_complete(&mut self, ty: TypeId, name: Name, span: Span) -> Outcome<()> {
        if self.types().size_of(ty).is_some() || self.has_variable_size(ty) {
            return Ok(());
        }
        let message = match self.types().shape(ty) {
            Type::Array { .. } => format!("array size missing in '{}'", self.text(name)),
            _ => format!("storage size of '{}' isn't known", self.text(name)),
        };
        self.error(span, message)
    }

    /// A declaration inside a function; the statements that it executes are added to `out`.
    pub(super) fn local_declaration(
        &mut self,
        declaration: &Declaration,
        out: &mut Vec<Stmt>,
    ) -> Outcome<()> {
        let mark = self.pending_mark();
        self.each_declarator(declaration, |checker, item, declarator| {
            let one = item.and_then(|item| {
                out.extend(checker.take_pending(mark, declaration.span));
                checker.local_item(item, &declaration.specs, declarator.span, out)
            });
            // What follows should not complain about the name as well.
            if let (Err(_), Some(ident), Some(context)) =
                (&one, &declarator.declarator.name, &mut checker.function)
            {
                context.undeclared.push(ident.name);
            }
            one
        })
    }

    fn local_item(
        &mut self,
        item: Item<'_>,
        specs: &ast::DeclSpecs,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Outcome<()> {
        if specs.storage == Storage::Typedef {
            return self.declare_typedef(&item);
        }
        if let Type::Function(_) = self.types().shape(item.ty) {
            if specs.storage == Storage::Auto {
                let what = "a declaration of a nested function before its definition";
                return self.unsupported(item.span, what);
            }
            return self.declare_function_item(&item, specs, false);
        }
        if specs.storage == Storage::Extern {
            if item.init.is_some() {
                let message = format!(
                    "'{}' has both 'extern' and initializer",
                    self.text(item.name)
                );
                return self.error(item.span, message);
            }
            let id = self.declare_global(item.declared(false), Definition::None)?;
            self.set_properties(id, &item, specs);
            self.set_linkage_of_variable(id, &item, specs);
            return Ok(());
        }
        self.check_object_type(&item)?;
        self.supported(&item.attributes)?;
        if let Some(alias) = item.attributes.alias {
            return self.unsupported(alias.span, "an alias of a local variable");
        }
        if item.label.is_some() {
            // Calls and assembly may change the register behind the variable's back.
            return self.unsupported(item.span, "a local variable with a register or label");
        }
        if let Some(cleanup) = item.attributes.cleanup {
            return self.unsupported(cleanup.span, "the attribute 'cleanup'");
        }
        if let Some((_, earlier)) = self.scopes.find_here(item.name) {
            return self.redeclared(item.name, item.span, earlier);
        }
        let is_static = specs.storage == Storage::Static;
        let kind = if is_static {
            VarKind::StaticLocal
        } else {
            VarKind::Local
        };
        let id = self.new_variable(item.name, item.ty, kind, item.span);
        self.scopes
            .declare(item.name, Binding::Var(id), item.span, item.end);
        self.set_properties(id, &item, specs);
        if is_static {
            self.program.globals.push(id);
            if self.has_variable_size(item.ty) {
                return self.error(item.span, "storage size isn't constant");
            }
            let (name, place, ty) = (item.name, item.span, item.ty);
            if item.init.is_none() {
                return self.check_complete(ty, name, place);
            }
            return self.initialize_static(id, item);
        }
        if let Some(context) = &mut self.function {
            context.declare_in_block(id);
        }
        let init = match (item.auto, item.init) {
            (Some(value), _) => Some(whole(value)),
            (None, None) => None,
            (None, Some(init)) => {
                if self.has_variable_size(item.ty) && !is_empty_list(init) {
                    return self.error(item.span, "variable-sized object may not be initialized");
                }
                let (init, ty) = self.initializer(item.ty, init, false, item.name)?;
                self.program.vars[id.0 as usize].ty = ty;
                Some(init)
            }
        };
        let ty = self.program.vars[id.0 as usize].ty;
        self.check_complete(ty, item.name, item.span)?;
        out.push(Stmt {
            kind: StmtKind::Declare { var: id, init },
            span,
        });
        Ok(())
    }
}

fn is_empty_list(init: &ast::Initializer) -> bool {
    matches!(init, ast::Initializer::List(items, _) if items.is_empty())
}

fn whole(value: Value) -> Init {
    let value = InitValue::Expr(value.expr);
    Init {
        items: vec![InitItem {
            offset: 0,
            bits: None,
            value,
        }],
        whole: true,
    }
}
