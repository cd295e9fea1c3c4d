//! Functions and global variables: one thing may be declared many times, in one unit and in
//! several, and must be defined at most once (C11 6.2.2, 6.9).

use super::attributes::{Attributes, Spanned};
use super::scope::Binding;
use super::{Checker, Outcome};
use crate::diagnostics::Diagnostic;
use crate::span::{Name, Span};
use crate::typed::{FuncId, Function, VarId, VarKind};
use crate::types::{ArrayLen, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
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
struct VarState {
    internal: bool,
    definition: Definition,
    used: bool,
    unit: u32,
    weak: bool,
    /// Why the variable cannot be used.
    problem: Option<Diagnostic>,
}

#[derive(Clone, Default, Debug)]
struct FunctionState {
    strength: Strength,
    unit: u32,
    /// Functions that the body mentions.
    mentions: Vec<FuncId>,
    /// Mentioned by the initialiser of a global.
    mentioned_by_data: bool,
    /// Constructs in the body, and attributes, that are not supported: an error only if the
    /// function is of use.
    unsupported: Vec<Diagnostic>,
    /// Declared `weak` somewhere: where, and in which unit last.
    weak: Option<(Span, u32)>,
    alias: Option<Spanned>,
    /// Given another symbol after it was declared: where, and in which unit.
    relabelled: Option<(Span, u32)>,
    /// The unit that mentions it, and whether another one does so too.
    mentioned_in: Option<u32>,
    mentioned_in_several: bool,
    /// A name that compilers know, with a label.
    labelled_builtin: bool,
    /// Declared only by a label that names it.
    labelled: bool,
    /// Another name, with another type, of a function that must not have a body then.
    retyped: Option<(FuncId, Span)>,
    /// Priorities of `constructor` and `destructor`, in the unit at hand.
    constructor: Option<u16>,
    destructor: Option<u16>,
    /// Both, in the unit of the definition, where they count.
    runs: [Option<u16>; 2],
    /// When the body was found.
    order: u32,
}

#[derive(Default, Debug)]
pub(super) struct Linkage {
    /// Everything with external linkage.
    symbols: FxHashMap<Name, Symbol>,
    /// By variable and by function.
    vars: Vec<VarState>,
    functions: Vec<FunctionState>,
    /// How many bodies were found.
    definitions: u32,
    /// Labels that are taken for versions of a library function, which the program must not define
    /// then.
    versions: Vec<(Name, Span)>,
    /// Of the unit at hand: names of builtins with a label, and builtins that it mentions as such.
    labelled_builtins: FxHashMap<Name, FuncId>,
    builtins: FxHashSet<Name>,
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
                self.merge_function(id, ty, span)?;
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
    fn is_only_label(&mut self, id: FuncId, ty: TypeId) -> bool {
        let state = &self.linkage.functions[id.0 as usize];
        let only = state.labelled && state.strength == Strength::None;
        only && !self.compatible(self.program.functions[id.0 as usize].ty, ty)
    }

    /// Makes one function another name, with another type, of a function that must not have a body
    /// then.
    fn redirect(&mut self, from: FuncId, to: FuncId, span: Span) {
        self.program.functions[from.0 as usize].alias = Some(to);
        let state = &mut self.linkage.functions[from.0 as usize];
        state.mentions.push(to);
        state.retyped = Some((to, span));
    }

    fn different_kind<T>(&mut self, name: Name, span: Span, earlier: Span) -> Outcome<T> {
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
                        self.merge_variable(id, ty, span)?;
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

    /// The variable is mentioned by code or data that counts.
    #[inline]
    pub(super) fn mention_variable(&mut self, id: VarId) {
        if self.unevaluated == 0 {
            let state = &mut self.linkage.vars[id.0 as usize];
            state.used = true;
            if let Some(problem) = &state.problem {
                self.diagnostics.push(problem.clone());
            }
        }
    }

    pub(super) fn mention_function(&mut self, id: FuncId) {
        if self.unevaluated > 0 {
            return;
        }
        let state = &mut self.linkage.functions[id.0 as usize];
        let first = *state.mentioned_in.get_or_insert(self.unit);
        state.mentioned_in_several |= first != self.unit;
        match &self.function {
            Some(context) => {
                let mentions = &mut self.linkage.functions[context.id.0 as usize].mentions;
                if mentions.last() != Some(&id) {
                    mentions.push(id);
                }
            }
            None => self.linkage.functions[id.0 as usize].mentioned_by_data = true,
        }
    }

    /// Keeps errors about unsupported constructs of a body until it is known whether it is of use.
    pub(super) fn postpone_unsupported(&mut self, id: FuncId, found: Vec<Diagnostic>) {
        self.linkage.functions[id.0 as usize]
            .unsupported
            .extend(found);
    }

    /// What a declaration of a function says about all of it.
    pub(super) fn note_function_attributes(
        &mut self,
        id: FuncId,
        attributes: &Attributes,
        span: Span,
    ) -> Outcome<()> {
        let problem = attributes.problem.map(|it| self.attribute_problem(it));
        let state = &mut self.linkage.functions[id.0 as usize];
        state.unsupported.extend(problem);
        if attributes.weak {
            state.weak = Some((span, self.unit));
        }
        state.alias = attributes.alias.or(state.alias);
        state.constructor = attributes.constructor.or(state.constructor);
        state.destructor = attributes.destructor.or(state.destructor);
        match attributes.cleanup {
            Some(cleanup) => self.unsupported(cleanup.span, "'cleanup' of a function"),
            None => Ok(()),
        }
    }

    /// Whether a definition in this unit is a weak one: what others say about theirs does not
    /// matter.
    pub(super) fn is_weak_function(&self, id: FuncId) -> bool {
        let weak = self.linkage.functions[id.0 as usize].weak;
        weak.is_some_and(|(_, unit)| unit == self.unit)
    }

    pub(super) fn note_definition(&mut self, id: FuncId) {
        self.linkage.definitions += 1;
        self.linkage.functions[id.0 as usize].order = self.linkage.definitions;
    }

    pub(super) fn mark_weak_variable(&mut self, id: VarId) {
        self.linkage.vars[id.0 as usize].weak = true;
    }

    /// Whoever uses the variable gets this error.
    pub(super) fn forbid_variable(&mut self, id: VarId, problem: Diagnostic) {
        let state = &mut self.linkage.vars[id.0 as usize];
        if state.used {
            self.diagnostics.push(problem.clone());
        }
        state.problem.get_or_insert(problem);
    }

    /// The symbol that `asm("label")` behind a function's name means, if it is another one. The
    /// library gives its own functions such labels for other versions of the same thing; those keep
    /// their name.
    pub(super) fn symbol(&mut self, name: Name, label: &[u8], span: Span) -> Option<Name> {
        let label = String::from_utf8_lossy(label);
        let symbol = self.names.intern(&label);
        if same_function(self.text(name), &label) {
            if symbol != name {
                self.linkage.versions.push((symbol, span));
            }
            return None;
        }
        Some(symbol)
    }

    /// `int name() asm("symbol");`: the name stands for the function that the linker knows as
    /// `symbol`.
    pub(super) fn declare_renamed(&mut self, declared: Declared, symbol: Name) -> Outcome<FuncId> {
        let Declared {
            name,
            ty,
            internal,
            span,
            end,
        } = declared;
        let known = match self.scopes.find_here(name) {
            Some((Binding::Func(id), _)) => Some(id),
            Some((_, earlier)) => return self.different_kind(name, span, earlier),
            None => None,
        };
        // A function of the unit itself, also a static one, or one of any other unit.
        let target = match (self.scopes.find(symbol), self.linkage.symbols.get(&symbol)) {
            (Some(Binding::Func(id)), _) => Some(id),
            (_, Some(&Symbol::Func(id))) => Some(id),
            (_, Some(&Symbol::Var(_))) => return self.unsupported(span, "a label of a variable"),
            (_, None) => None,
        };
        let id = match target {
            Some(id) if self.compatible(self.program.functions[id.0 as usize].ty, ty) => {
                self.merge_function(id, ty, span)?;
                id
            }
            Some(id) => {
                // Seen with another type under this name, which only a function of the library may
                // be.
                let own = self.new_function(name, ty, true, span);
                self.redirect(own, id, span);
                own
            }
            None => {
                let id = self.new_function(symbol, ty, internal, span);
                self.linkage.functions[id.0 as usize].labelled = true;
                id
            }
        };
        if let Some(known) = known {
            // Declared without the label before: from now on it is another name of the function.
            if known != id {
                self.merge_function(known, ty, span)?;
                self.program.functions[known.0 as usize].alias = Some(id);
                if self.is_replaceable(name, ty) {
                    self.refuse_late_label(name, span)?;
                    self.linkage.labelled(name, known, id);
                }
                let state = &mut self.linkage.functions[known.0 as usize];
                state.mentions.push(id);
                state.relabelled = Some((span, self.unit));
            }
            return Ok(known);
        }
        let id = match self.is_replaceable(name, ty) {
            true => self.label_builtin(name, id, ty, span)?,
            false => id,
        };
        self.scopes.declare(name, Binding::Func(id), span, end);
        Ok(id)
    }

    /// Aliases of this unit are resolved while its names are visible.
    fn resolve_aliases(&mut self) {
        for index in 0..self.linkage.functions.len() {
            let state = &mut self.linkage.functions[index];
            let Some(alias) = state.alias.take() else {
                continue;
            };
            let target = match self.scopes.find(alias.name) {
                Some(Binding::Func(id)) if id.0 as usize != index => {
                    let defined = self.linkage.functions[id.0 as usize].strength != Strength::None;
                    let ty = self.program.functions[id.0 as usize].ty;
                    let same = self.compatible(ty, self.program.functions[index].ty);
                    (defined && same).then_some(id)
                }
                _ => None,
            };
            match target {
                Some(id) => {
                    self.program.functions[index].alias = Some(id);
                    self.linkage.functions[index].mentions.push(id);
                }
                None => {
                    let problem = Diagnostic::unsupported(alias.span, "this alias");
                    self.linkage.functions[index].unsupported.push(problem);
                }
            }
        }
    }

    /// Tentative definitions of this unit are complete now.
    pub(super) fn end_unit(&mut self) {
        self.resolve_aliases();
        self.linkage.labelled_builtins.clear();
        self.linkage.builtins.clear();
        for state in &mut self.linkage.functions {
            let noted = [state.constructor.take(), state.destructor.take()];
            if state.strength != Strength::None && state.unit == self.unit {
                state.runs = noted;
            }
        }
        for index in 0..self.program.globals.len() {
            let id = self.program.globals[index];
            let state = &self.linkage.vars[id.0 as usize];
            if state.unit != self.unit || state.definition != Definition::Tentative {
                continue;
            }
            let var = &self.program.vars[id.0 as usize];
            let (ty, span, name) = (var.ty, var.span, var.name);
            if self.types().size_of(ty).is_some() {
                continue;
            }
            match *self.types().shape(ty) {
                Type::Array {
                    element,
                    len: ArrayLen::Incomplete,
                } => {
                    self.warn(span, "array assumed to have one element");
                    let ty = self.program.types.array_of(element, ArrayLen::Fixed(1));
                    self.program.vars[id.0 as usize].ty = ty;
                }
                _ => {
                    let message = format!("storage size of '{}' isn't known", self.text(name));
                    self.diagnostics.push(Diagnostic::error(span, message));
                }
            }
        }
    }

    /// What is declared and defined nowhere comes from outside.
    pub(super) fn end_program(&mut self) {
        for index in 0..self.program.vars.len() {
            let state = &self.linkage.vars[index];
            let var = &mut self.program.vars[index];
            if var.kind == VarKind::Global && state.definition == Definition::None {
                var.external = true;
                if !state.used {
                    continue;
                }
                self.program.globals.push(VarId(index as u32));
                let text = self.names.get(var.name);
                let section = text.starts_with("__start_") || text.starts_with("__stop_");
                var.defined_elsewhere = section || state.weak;
            }
        }
        for (symbol, span) in std::mem::take(&mut self.linkage.versions) {
            let defined = match self.linkage.symbols.get(&symbol) {
                Some(&Symbol::Func(id)) => {
                    self.linkage.functions[id.0 as usize].strength != Strength::None
                }
                other => other.is_some(),
            };
            if defined {
                let problem = Diagnostic::unsupported(span, "a label that the program defines");
                self.diagnostics.push(problem);
            }
        }
        self.order_constructors();
        self.add_library_functions();
        self.report_reachable_unsupported();
    }

    /// Constructors run by priority, then in the order of their definition; destructors the other
    /// way round.
    fn order_constructors(&mut self) {
        let functions = &self.program.functions;
        for state in &mut self.linkage.functions {
            if let Some((id, span)) = state.retyped
                && functions[id.0 as usize].body.is_some()
            {
                let construct = "a label of a function with another type";
                state
                    .unsupported
                    .push(Diagnostic::unsupported(span, construct));
            }
        }
        let mut lists = [Vec::new(), Vec::new()];
        for (index, state) in self.linkage.functions.iter_mut().enumerate() {
            let function = &mut self.program.functions[index];
            // A definition wins over a weak alias of the same name.
            if function.body.is_some() {
                function.alias = None;
            }
            if let Some((span, unit)) = state.relabelled {
                // The name means something else in other units.
                let elsewhere = state.mentioned_in.is_some_and(|other| other != unit);
                if function.body.is_some() || elsewhere || state.mentioned_in_several {
                    let construct = "an asm label for a function declared without it";
                    state
                        .unsupported
                        .push(Diagnostic::unsupported(span, construct));
                }
            }
            let weak_alone = state.weak.filter(|_| state.strength == Strength::None);
            if let (Some((span, _)), None) = (weak_alone, function.alias) {
                let construct = "a weak function that is not defined";
                state
                    .unsupported
                    .push(Diagnostic::unsupported(span, construct));
            }
            if state.strength == Strength::None {
                continue;
            }
            for (list, priority) in lists.iter_mut().zip(state.runs) {
                let Some(priority) = priority else { continue };
                if !function.params.is_empty() {
                    let construct = "a constructor or destructor with parameters";
                    let problem = Diagnostic::unsupported(function.span, construct);
                    state.unsupported.push(problem);
                }
                state.mentioned_by_data = true;
                list.push((priority, state.order, FuncId(index as u32)));
            }
        }
        let [constructors, destructors] = lists.map(|mut list| {
            list.sort_unstable();
            list.into_iter().map(|(_, _, id)| id).collect::<Vec<_>>()
        });
        self.program.constructors = constructors;
        self.program.destructors = destructors.into_iter().rev().collect();
    }

    /// A construct that is not supported matters only in a function that something may call:
    /// headers are full of others.
    fn report_reachable_unsupported(&mut self) {
        let states = &mut self.linkage.functions;
        if states.iter().all(|state| state.unsupported.is_empty()) {
            return;
        }
        let mut reached = vec![false; states.len()];
        let mut work: Vec<usize> = (0..states.len())
            .filter(|&index| {
                let exported = !self.program.functions[index].is_static
                    && states[index].strength == Strength::Strong;
                exported || states[index].mentioned_by_data
            })
            .collect();
        while let Some(index) = work.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                work.extend(states[index].mentions.iter().map(|id| id.0 as usize));
            }
        }
        for (index, state) in states.iter_mut().enumerate() {
            if state.unsupported.is_empty() {
                continue;
            }
            if reached[index] {
                self.diagnostics.append(&mut state.unsupported);
            } else {
                let function = &mut self.program.functions[index];
                function.body = None;
                function.params = Vec::new();
            }
        }
    }
}

/// Whether a label of the C library means the function that it is given to: a version with 64-bit
/// offsets or times, one of a newer standard, one that checks sizes.
fn same_function(name: &str, label: &str) -> bool {
    if name == label {
        return true;
    }
    let plain = label.strip_prefix("__").unwrap_or(label);
    let prefixes = ["isoc99_", "isoc23_", "xpg_", "nldbl_"];
    let newer = prefixes
        .iter()
        .find_map(|prefix| plain.strip_prefix(prefix));
    let others = ["64", "_chk", "_time64"].map(|suffix| plain.strip_suffix(suffix));
    newer
        .into_iter()
        .chain(others.into_iter().flatten())
        .any(|plain| plain == name)
}
