//! What of the declared is of use, and what the ends of a unit and of the program decide: aliases,
//! definitions that are missing, the order of constructors, constructs without support.

use super::attributes::Attributes;
use super::linkage::{Definition, Strength, Symbol};
use super::scope::Binding;
use super::{Checker, Outcome};
use crate::diagnostics::Diagnostic;
use crate::span::Span;
use crate::typed::{FuncId, VarId, VarKind};
use crate::types::{ArrayLen, Type};

impl Checker<'_> {
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
        self.resolve_exported();
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
