//! Functions and global variables: one thing may be declared many times, in one unit and in
//! several, and must be defined at most once (C11 6.2.2, 6.9).

use super::attributes::Spanned;
use super::compatible::Pointees;
use super::scope::Binding;
use super::{Checker, Outcome};
use crate::diagnostics::{Diagnostic, Severity};
use crate::foreign::UNINTERPRETED;
use crate::span::{Name, Span};
use crate::typed::{FuncId, Function, VarId, VarKind};
use crate::types::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Var(VarId),
    Func(FuncId),
}

/// How much of a definition a variable has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) enum Definition {
    #[default]
    None,
    /// `int x;` at file scope: zero unless defined elsewhere.
    Tentative,
    Full,
}

/// Which body wins if there are several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) enum Strength {
    #[default]
    None,
    /// An inline definition, which gives way to an external one.
    Inline,
    Weak,
    Strong,
}

#[derive(Clone, Default, Debug)]
pub(super) struct VarState {
    pub(super) internal: bool,
    pub(super) definition: Definition,
    pub(super) used: bool,
    pub(super) unit: u32,
    pub(super) weak: bool,
    /// Why the variable cannot be used.
    pub(super) problem: Option<Diagnostic>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct FunctionState {
    pub(super) strength: Strength,
    pub(super) unit: u32,
    /// Functions that the body mentions.
    pub(super) mentions: Vec<FuncId>,
    /// Mentioned by the initialiser of a global.
    pub(super) mentioned_by_data: bool,
    /// Constructs in the body, and attributes, that are not supported: an error only if the
    /// function is of use.
    pub(super) unsupported: Vec<Diagnostic>,
    /// Declared `weak` somewhere: where, and in which unit last.
    pub(super) weak: Option<(Span, u32)>,
    pub(super) alias: Option<Spanned>,
    /// Given another symbol after it was declared: where, and in which unit.
    pub(super) relabelled: Option<(Span, u32)>,
    /// The unit that mentions it, and whether another one does so too.
    pub(super) mentioned_in: Option<u32>,
    pub(super) mentioned_in_several: bool,
    /// A name that compilers know, with a label.
    pub(super) labelled_builtin: bool,
    /// Declared only by a label that names it.
    pub(super) labelled: bool,
    /// Another name, with another type, of a function that must not have a body then.
    pub(super) retyped: Option<(FuncId, Span)>,
    /// Priorities of `constructor` and `destructor`, in the unit at hand.
    pub(super) constructor: Option<u16>,
    pub(super) destructor: Option<u16>,
    /// Both, in the unit of the definition, where they count.
    pub(super) runs: [Option<u16>; 2],
    /// When the body was found.
    pub(super) order: u32,
}

#[derive(Default, Debug)]
pub(super) struct Linkage {
    /// Everything with external linkage.
    pub(super) symbols: FxHashMap<Name, Symbol>,
    /// By variable and by function.
    pub(super) vars: Vec<VarState>,
    pub(super) functions: Vec<FunctionState>,
    /// How many bodies were found.
    pub(super) definitions: u32,
    /// Labels that are taken for versions of a library function, which the program must not define
    /// then.
    pub(super) versions: Vec<(Name, Span)>,
    /// Of the unit at hand: names of builtins with a label, and builtins that it mentions as such.
    pub(super) labelled_builtins: FxHashMap<Name, FuncId>,
    pub(super) builtins: FxHashSet<Name>,
}

impl Linkage {
    pub(super) fn new_variable(&mut self) {
        self.vars.push(VarState::default());
    }

    /// The function that a builtin means in the unit at hand, if a label says so.
    pub(super) fn mention_builtin(&mut self, name: Name) -> Option<FuncId> {
        self.builtins.insert(name);
        self.labelled_builtins.get(&name).copied()
    }

    pub(super) fn is_called_as_builtin(&self, name: Name) -> bool {
        self.builtins.contains(&name)
    }

    /// A label gives a name that compilers know to another function.
    pub(super) fn labelled(&mut self, name: Name, own: FuncId, target: FuncId) {
        let state = &mut self.functions[own.0 as usize];
        state.labelled_builtin = true;
        state.mentions.push(target);
        self.labelled_builtins.insert(name, own);
    }

    pub(super) fn is_labelled_builtin(&self, id: FuncId) -> bool {
        self.functions[id.0 as usize].labelled_builtin
    }

    /// For a program that is already linked.
    pub(super) fn resume(&mut self, vars: usize, functions: usize) {
        self.vars.resize(vars, VarState::default());
        self.functions.resize(functions, FunctionState::default());
    }
}

/// A declaration of something that can have linkage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) name: Name,
    pub(super) ty: TypeId,
    /// Declared `static` at file scope.
    pub(super) internal: bool,
    pub(super) span: Span,
    /// Offset behind the declarator.
    pub(super) end: u32,
}

impl Checker<'_> {
    pub(super) fn declare_function(&mut self, declared: Declared) -> Outcome<FuncId> {
        let Declared {
            name,
            ty,
            internal,
            span,
            end,
        } = declared;
        if let Some((binding, earlier)) = self.scopes.find_here(name) {
            let Binding::Func(id) = binding else {
                return self.different_kind(name, span, earlier);
            };
            let function = &self.program.functions[id.0 as usize];
            if internal && !function.is_static {
                let message = format!(
                    "static declaration of '{}' follows non-static declaration",
                    self.text(name)
                );
                let problem = Diagnostic::error(span, message)
                    .with_note(earlier, "previous declaration is here");
                return self.report(problem);
            }
            self.merge_function(id, ty, span)?;
            return Ok(id);
        }
        // A declaration inside a function means the one that is visible, if that has linkage.
        let visible = match self.scopes.find(name) {
            Some(Binding::Func(id)) => Some(id),
            _ => None,
        };
        let symbol = match self.linkage.symbols.get(&name) {
            Some(&symbol) if !internal => Some(symbol),
            _ => None,
        };
        let id = match (visible, symbol) {
            (None, Some(Symbol::Func(labelled))) if self.is_only_label(labelled, ty) => {
                let id = self.new_function(name, ty, internal, span);
                self.redirect(labelled, id, span);
                id
            }
            (Some(id), _) | (None, Some(Symbol::Func(id))) => {
                let is_of_another_unit = visible.is_none();
                if !(is_of_another_unit && self.link_function(id, ty, span)) {
                    self.merge_function(id, ty, span)?;
                }
                self.linkage.functions[id.0 as usize].labelled = false;
                id
            }
            (None, Some(Symbol::Var(var))) => {
                let earlier = self.program.vars[var.0 as usize].span;
                return self.different_kind(name, span, earlier);
            }
            (None, None) => self.new_function(name, ty, internal, span),
        };
        self.scopes.declare(name, Binding::Func(id), span, end);
        Ok(id)
    }

    /// Known only because a label named it, with another type than it is now declared with.
    pub(super) fn is_only_label(&mut self, id: FuncId, ty: TypeId) -> bool {
        let state = &self.linkage.functions[id.0 as usize];
        let only = state.labelled && state.strength == Strength::None;
        only && !self.compatible(self.program.functions[id.0 as usize].ty, ty)
    }

    /// Makes one function another name, with another type, of a function that must not have a body
    /// then.
    pub(super) fn redirect(&mut self, from: FuncId, to: FuncId, span: Span) {
        self.program.functions[from.0 as usize].alias = Some(to);
        let state = &mut self.linkage.functions[from.0 as usize];
        state.mentions.push(to);
        state.retyped = Some((to, span));
    }

    pub(super) fn different_kind<T>(
        &mut self,
        name: Name,
        span: Span,
        earlier: Span,
    ) -> Outcome<T> {
        let message = format!(
            "'{}' redeclared as different kind of symbol",
            self.text(name)
        );
        let problem =
            Diagnostic::error(span, message).with_note(earlier, "previous declaration is here");
        self.report(problem)
    }

    pub(super) fn new_function(
        &mut self,
        name: Name,
        ty: TypeId,
        internal: bool,
        span: Span,
    ) -> FuncId {
        let id = FuncId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            name,
            ty,
            params: Vec::new(),
            body: None,
            noreturn: false,
            returns_nonnull: false,
            is_static: internal,
            address_taken: false,
            implicit: false,
            alias: None,
            library: None,
            encloses: false,
            span,
        });
        self.linkage.functions.push(FunctionState::default());
        if !internal {
            self.linkage.symbols.insert(name, Symbol::Func(id));
        }
        id
    }

    /// The function with external linkage of this name.
    pub(super) fn function_symbol(&self, name: Name) -> Option<FuncId> {
        match self.linkage.symbols.get(&name) {
            Some(&Symbol::Func(id)) => Some(id),
            _ => None,
        }
    }

    /// A function that a call declares by being there, with external linkage.
    pub(super) fn function_by_name(&mut self, name: Name, ty: TypeId, span: Span) -> FuncId {
        match self.linkage.symbols.get(&name) {
            Some(&Symbol::Func(id)) => id,
            _ => self.new_function(name, ty, false, span),
        }
    }

    pub(super) fn merge_function(&mut self, id: FuncId, ty: TypeId, span: Span) -> Outcome<()> {
        let function = &self.program.functions[id.0 as usize];
        let (old, implicit, earlier, name) =
            (function.ty, function.implicit, function.span, function.name);
        if self.compatible(old, ty) {
            let merged = self.composite(old, ty);
            let function = &mut self.program.functions[id.0 as usize];
            function.ty = merged;
            function.implicit = false;
            return Ok(());
        }
        let message = format!("conflicting types for '{}'", self.text(name));
        if implicit {
            self.warn(span, message);
            let function = &mut self.program.functions[id.0 as usize];
            function.ty = ty;
            function.implicit = false;
            return Ok(());
        }
        let result = |ty| self.types().function(ty).map(|function| function.result);
        if self.text(name).starts_with(UNINTERPRETED) && result(old) == result(ty) {
            // CBMC does not mind, and nothing depends on the arguments.
            let merged = result(old).map_or(old, |result| self.unprototyped(result));
            self.program.functions[id.0 as usize].ty = merged;
            return Ok(());
        }
        let note = format!("previous declaration has type '{}'", self.show(old));
        let message = format!("{message}; have '{}'", self.show(ty));
        let problem = Diagnostic::error(span, message).with_note(earlier, note);
        self.report(problem)
    }

    /// Whether a body of this strength is the one to keep; two strong ones are an error.
    pub(super) fn admit_body(
        &mut self,
        id: FuncId,
        strength: Strength,
        span: Span,
    ) -> Outcome<bool> {
        let state = &mut self.linkage.functions[id.0 as usize];
        if state.strength == Strength::Strong && strength == Strength::Strong {
            let same_unit = state.unit == self.unit;
            let function = &self.program.functions[id.0 as usize];
            let (name, earlier) = (self.text(function.name), function.span);
            let what = if same_unit {
                "redefinition"
            } else {
                "multiple definition"
            };
            let message = format!("{what} of '{name}'");
            let problem =
                Diagnostic::error(span, message).with_note(earlier, "previous definition is here");
            return self.report(problem);
        }
        let better = strength > state.strength;
        if better {
            state.strength = strength;
            state.unit = self.unit;
        }
        Ok(better)
    }

    pub(super) fn declare_global(
        &mut self,
        declared: Declared,
        definition: Definition,
    ) -> Outcome<VarId> {
        let Declared {
            name,
            ty,
            internal,
            span,
            end,
        } = declared;
        let here = self.scopes.find_here(name);
        let id = match here {
            Some((Binding::Var(id), earlier)) => {
                if !matches!(self.program.vars[id.0 as usize].kind, VarKind::Global) {
                    return self.redeclared(name, span, earlier);
                }
                let was_internal = self.linkage.vars[id.0 as usize].internal;
                // `extern` after `static` keeps the linkage; a plain definition does not.
                if internal != was_internal && (internal || definition != Definition::None) {
                    let (new, old) = if internal {
                        ("static", "non-static")
                    } else {
                        ("non-static", "static")
                    };
                    let name = self.text(name);
                    let message =
                        format!("{new} declaration of '{name}' follows {old} declaration");
                    let problem = Diagnostic::error(span, message)
                        .with_note(earlier, "previous declaration is here");
                    return self.report(problem);
                }
                self.merge_variable(id, ty, span)?;
                id
            }
            Some((_, earlier)) => return self.different_kind(name, span, earlier),
            None => {
                let visible = match self.scopes.find(name) {
                    Some(Binding::Var(id))
                        if self.program.vars[id.0 as usize].kind == VarKind::Global =>
                    {
                        Some(id)
                    }
                    _ => None,
                };
                let symbol = match self.linkage.symbols.get(&name) {
                    Some(&symbol) if !internal => Some(symbol),
                    _ => None,
                };
                let id = match (visible, symbol) {
                    (Some(id), _) | (None, Some(Symbol::Var(id))) => {
                        let is_of_another_unit = visible.is_none();
                        if !(is_of_another_unit && self.link_variable(id, ty, span)) {
                            self.merge_variable(id, ty, span)?;
                        }
                        id
                    }
                    (None, Some(Symbol::Func(function))) => {
                        let earlier = self.program.functions[function.0 as usize].span;
                        return self.different_kind(name, span, earlier);
                    }
                    (None, None) => {
                        let id = self.new_variable(name, ty, VarKind::Global, span);
                        self.linkage.vars[id.0 as usize].internal = internal;
                        self.program.vars[id.0 as usize].has_linkage = !internal;
                        if !internal {
                            self.linkage.symbols.insert(name, Symbol::Var(id));
                        }
                        id
                    }
                };
                self.scopes.declare(name, Binding::Var(id), span, end);
                id
            }
        };
        self.define_global(id, definition, span)?;
        Ok(id)
    }

    /// Gives a variable another name with linkage; false if that name is taken.
    pub(super) fn name_variable_again(
        &mut self,
        name: Name,
        target: VarId,
        span: Span,
        end: u32,
    ) -> bool {
        if self.scopes.find_here(name).is_some() || self.linkage.symbols.contains_key(&name) {
            return false;
        }
        self.linkage.symbols.insert(name, Symbol::Var(target));
        self.program.vars[target.0 as usize].has_linkage = true;
        self.scopes.declare(name, Binding::Var(target), span, end);
        true
    }

    fn define_global(&mut self, id: VarId, definition: Definition, span: Span) -> Outcome<()> {
        let state = &mut self.linkage.vars[id.0 as usize];
        if state.definition == Definition::Full && definition == Definition::Full {
            let same_unit = state.unit == self.unit;
            let var = &self.program.vars[id.0 as usize];
            let what = if same_unit {
                "redefinition"
            } else {
                "multiple definition"
            };
            let message = format!("{what} of '{}'", self.text(var.name));
            let problem =
                Diagnostic::error(span, message).with_note(var.span, "previous definition is here");
            return self.report(problem);
        }
        if definition > state.definition {
            if state.definition == Definition::None {
                self.program.globals.push(id);
            }
            state.definition = definition;
            state.unit = self.unit;
            // The definition is the declaration to point at.
            self.program.vars[id.0 as usize].span = span;
        }
        Ok(())
    }

    pub(super) fn redeclared<T>(&mut self, name: Name, span: Span, earlier: Span) -> Outcome<T> {
        let message = format!("redeclaration of '{}'", self.text(name));
        let problem =
            Diagnostic::error(span, message).with_note(earlier, "previous declaration is here");
        self.report(problem)
    }

    /// Takes the declaration of another unit although it differs, if both mean the same memory: in
    /// qualifiers. Linkers do not compare types, so this is a warning.
    fn link_variable(&mut self, id: VarId, ty: TypeId, span: Span) -> bool {
        let var = &self.program.vars[id.0 as usize];
        let (old, earlier, name) = (var.ty, var.span, var.name);
        if self.compatible(old, ty) || !self.links(old, ty, Pointees::Alike) {
            return false;
        }
        self.warn_of_units(name, (ty, span), (old, earlier));
        // The definition says what the object is.
        if self.linkage.vars[id.0 as usize].definition != Definition::Full {
            self.program.vars[id.0 as usize].ty = ty;
        }
        true
    }

    /// The same for functions, whose parameters may also point to something else: each unit reads
    /// the pointers that it is given as it declares them.
    fn link_function(&mut self, id: FuncId, ty: TypeId, span: Span) -> bool {
        let function = &self.program.functions[id.0 as usize];
        let (old, earlier, name) = (function.ty, function.span, function.name);
        if function.implicit || self.compatible(old, ty) || !self.functions_link(old, ty) {
            return false;
        }
        self.warn_of_units(name, (ty, span), (old, earlier));
        self.program.functions[id.0 as usize].ty = ty;
        true
    }

    fn warn_of_units(&mut self, name: Name, here: (TypeId, Span), earlier: (TypeId, Span)) {
        let message = format!(
            "files declare '{}' with different types; here '{}'",
            self.text(name),
            self.show(here.0)
        );
        let note = format!("previous declaration has type '{}'", self.show(earlier.0));
        let mut warning = Diagnostic::error(here.1, message).with_note(earlier.1, note);
        warning.severity = Severity::Warning;
        self.warnings.push(warning);
    }

    fn merge_variable(&mut self, id: VarId, ty: TypeId, span: Span) -> Outcome<()> {
        let var = &self.program.vars[id.0 as usize];
        let (old, earlier, name) = (var.ty, var.span, var.name);
        if self.compatible(old, ty) {
            self.program.vars[id.0 as usize].ty = self.composite(old, ty);
            return Ok(());
        }
        let message = format!(
            "conflicting types for '{}'; have '{}'",
            self.text(name),
            self.show(ty)
        );
        let note = format!("previous declaration has type '{}'", self.show(old));
        let problem = Diagnostic::error(span, message).with_note(earlier, note);
        self.report(problem)
    }
}
