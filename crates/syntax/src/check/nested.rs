//! GNU's nested functions.
//!
//! A nested function becomes a function like any other. It reaches a variable of the function around
//! it through a hidden pointer with static storage, the *way* to the variable. Whoever calls it from
//! the body of the function that declares the variable lets the way lead there, and puts back what it
//! was when the call returns, so that recursion finds its own variables.
//!
//! A jump to a label of a function around it is a return that says where it goes: behind each call
//! control either goes there or returns again.
//!
//! A pointer to a nested function that uses such variables is a pointer to a *trampoline*, which sets
//! the ways and calls the function. The ways that it sets are those of the activation that took the
//! address. gcc makes a trampoline for each activation; here there is one for all, so that taking the
//! address in a second activation while the first one lives ends in "unsupported".

use super::function::FunctionContext;
use super::linkage::Strength;
use super::operand::Operand;
use super::scope::Binding;
use super::tuple::{read, sequence};
use super::{Checker, Outcome};
use crate::ast::{self, Storage};
use crate::span::Span;
use crate::typed::{
    Block, Body, Callee, CompareOp, Expr, ExprKind, FuncId, Init, InitItem, InitValue, LabelId,
    Place, PlaceKind, Stmt, StmtKind, VarId, VarKind,
};
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// The function whose call says that two activations need a trampoline at once.
const TWO_ACTIVATIONS: &str = "__concord_two_activations";

/// The type of what tells activations apart.
const MARK: TypeId = TypeId::ULONG_LONG;

/// What is known of the nested functions of a program.
#[derive(Debug, Default)]
pub(super) struct NestedFunctions {
    functions: FxHashMap<FuncId, Nested>,
    /// For each variable that a nested function uses, the way to it.
    ways: FxHashMap<VarId, VarId>,
    /// A variable of each function whose value tells its activations apart.
    marks: FxHashMap<FuncId, VarId>,
    /// How many such values there have been.
    activations: Option<VarId>,
    /// For each function that nested ones jump to, the number of the label that is jumped to, plus
    /// one; zero if nobody is on the way.
    pub(super) landings: FxHashMap<FuncId, VarId>,
}

#[derive(Debug)]
struct Nested {
    /// The function around it.
    parent: FuncId,
    /// The variables of functions around it that it uses, itself or through those that it calls.
    uses: Vec<VarId>,
    /// Labels of functions around it that it may jump to, itself or through those that it calls.
    jumps: Vec<(FuncId, LabelId)>,
    /// Its body has been checked.
    complete: bool,
    trampoline: Option<Trampoline>,
}

#[derive(Clone, Debug)]
struct Trampoline {
    function: FuncId,
    /// Holds the mark of the activation that the address was taken in; zero if there is none.
    owner: VarId,
    /// What the ways to the variables are set to.
    targets: Vec<(VarId, VarId)>,
}

impl Checker<'_> {
    pub(super) fn nested_function(&mut self, definition: &ast::FunctionDef) -> Outcome<()> {
        let (ident, params, rest) = self.head_of(definition)?;
        let specs = &definition.specs;
        if !matches!(specs.storage, Storage::None | Storage::Auto) {
            return self.error(
                definition.span,
                "invalid storage class of a nested function",
            );
        }
        if let Some((_, earlier)) = self.scopes.find_here(ident.name) {
            return self.redeclared(ident.name, ident.span, earlier);
        }
        let base = self.base(specs, false)?;
        let attributes = self.declarator_attributes(&base, &definition.declarator, &[])?;
        self.supported(&attributes)?;
        let derived = &definition.declarator.derived;
        let result = self.retyped(base.ty, &attributes, derived, definition.declarator.span)?;
        let result = self.derive(result, rest, definition.declarator.span)?;
        let Some(outer) = self.function.take() else {
            return self.error(definition.span, "a nested function outside of a function");
        };
        let parent = outer.id;
        self.program.functions[parent.0 as usize].encloses = true;
        let placeholder = self.unprototyped(TypeId::VOID);
        let id = self.new_function(ident.name, placeholder, true, ident.span);
        let end = definition.declarator.span.hi;
        self.scopes
            .declare(ident.name, Binding::Func(id), ident.span, end);
        let nested = Nested {
            parent,
            uses: Vec::new(),
            jumps: Vec::new(),
            complete: false,
            trampoline: None,
        };
        self.nested.functions.insert(id, nested);
        self.enclosing.push(outer);
        self.function = Some(FunctionContext::new(id));
        self.scopes.enter(definition.span, false);
        let body = self
            .signature(id, result, params, (definition, false))
            .and_then(|signature| self.define_function(id, ident, signature, definition));
        self.scopes.leave();
        self.function = self.enclosing.pop();
        if let Some(nested) = self.nested.functions.get_mut(&id) {
            nested.complete = true;
        }
        let (vars, body) = body?;
        self.admit_body(id, Strength::Strong, ident.span)?;
        let function = &mut self.program.functions[id.0 as usize];
        function.noreturn |= specs.noreturn || attributes.noreturn;
        function.params = vars;
        function.body = Some(body);
        self.note_definition(id);
        Ok(())
    }

    /// A variable of a function around this one, as this one reaches it.
    pub(super) fn captured(&mut self, var: VarId, span: Span) -> Option<Place> {
        if self.unevaluated > 0 || !self.is_outer(var) {
            return None;
        }
        self.note_use(var);
        let way = self.way_to(var);
        let ty = self.program.vars[var.0 as usize].ty;
        Some(Place {
            kind: PlaceKind::Deref(Box::new(self.read_variable(way, span))),
            ty,
            span,
        })
    }

    /// Whether a variable lives in an activation of a function around this one.
    pub(super) fn is_outer(&self, var: VarId) -> bool {
        let var = &self.program.vars[var.0 as usize];
        let is_local = matches!(var.kind, VarKind::Local | VarKind::Param | VarKind::Hidden);
        is_local
            && var.function.is_some_and(|owner| {
                let mut outer = self.enclosing.iter();
                outer.any(|context| context.id == owner)
            })
    }

    /// This function, and those between it and the variable's own, use the variable.
    fn note_use(&mut self, var: VarId) {
        let owner = self.program.vars[var.0 as usize].function;
        let inner = self.function.iter().chain(self.enclosing.iter().rev());
        let inner: Vec<FuncId> = inner
            .map(|context| context.id)
            .take_while(|&id| Some(id) != owner)
            .collect();
        for id in inner {
            if let Some(nested) = self.nested.functions.get_mut(&id)
                && !nested.uses.contains(&var)
            {
                nested.uses.push(var);
            }
        }
    }

    fn way_to(&mut self, var: VarId) -> VarId {
        if let Some(&way) = self.nested.ways.get(&var) {
            return way;
        }
        let ty = self.program.vars[var.0 as usize].ty;
        let way = self.static_pointer(var, ty);
        self.nested.ways.insert(var, way);
        way
    }

    /// A hidden pointer to objects of the type, null at first; it is about the variable.
    fn static_pointer(&mut self, about: VarId, ty: TypeId) -> VarId {
        let (name, span) = {
            let about = &self.program.vars[about.0 as usize];
            (about.name, about.span)
        };
        let pointer = self.program.types.pointer_to(ty);
        let var = self.new_variable(name, pointer, VarKind::StaticLocal, span);
        self.program.globals.push(var);
        var
    }

    fn variable_place(&self, var: VarId, span: Span) -> Place {
        let ty = self.program.vars[var.0 as usize].ty;
        Place {
            kind: PlaceKind::Var(var),
            ty,
            span,
        }
    }

    pub(super) fn read_variable(&self, var: VarId, span: Span) -> Expr {
        read(self.variable_place(var, span))
    }

    pub(super) fn assign_variable(&self, var: VarId, value: Expr, span: Span) -> Expr {
        let place = self.variable_place(var, span);
        let ty = place.ty;
        Expr {
            kind: ExprKind::Assign(Box::new(place), Box::new(value)),
            ty,
            span,
        }
    }

    /// Where the way to a variable leads from here: to this function's own, or where it leads
    /// already.
    fn target(&mut self, var: VarId, span: Span) -> Expr {
        let way = self.way_to(var);
        if self.is_outer(var) {
            self.note_use(var);
            return self.read_variable(way, span);
        }
        let place = self.variable_place(var, span);
        let pointer = self.program.types.pointer_to(place.ty);
        self.address(place, pointer)
    }

    /// The call of a function, with the ways to this function's variables if it is a nested one.
    fn with_ways(&mut self, callee: FuncId, call: Expr) -> Expr {
        let Some(nested) = self.nested.functions.get(&callee) else {
            return call;
        };
        let mut own = Vec::new();
        for var in nested.uses.clone() {
            match self.is_outer(var) {
                true => self.note_use(var),
                false => own.push(var),
            }
        }
        let span = call.span;
        let settings = own.into_iter().map(|var| {
            let target = self.target(var, span);
            (self.way_to(var), target)
        });
        let settings = settings.collect();
        self.bracketed(call, settings)
    }

    /// Gives pointers their targets, evaluates, and puts back what the pointers were.
    fn bracketed(&mut self, call: Expr, settings: Vec<(VarId, Expr)>) -> Expr {
        if settings.is_empty() {
            return call;
        }
        let span = call.span;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (way, target) in settings {
            let old = self.read_variable(way, span);
            let (kept, old) = self.kept(old);
            before.push(kept);
            before.push(self.assign_variable(way, target, span));
            after.push(self.assign_variable(way, read(old), span));
        }
        if call.ty == TypeId::VOID {
            before.push(call);
            before.extend(after);
            return sequence(before, nothing(span));
        }
        let (kept, result) = self.kept(call);
        before.push(kept);
        before.extend(after);
        sequence(before, read(result))
    }

    /// The address of a nested function, as far as that is more than the address of a function.
    pub(super) fn nested_address(&mut self, id: FuncId, span: Span) -> Option<Expr> {
        let nested = self.nested.functions.get(&id)?;
        if self.unevaluated > 0 {
            return None;
        }
        if !nested.complete {
            let reported: Outcome<Expr> =
                self.unsupported(span, "the address of a nested function inside itself");
            return reported.ok();
        }
        if !nested.jumps.is_empty() {
            let reported: Outcome<Expr> = self.unsupported(
                span,
                "the address of a nested function that jumps out of it",
            );
            return reported.ok();
        }
        if nested.uses.is_empty() {
            return None;
        }
        let parent = nested.parent;
        let trampoline = match &nested.trampoline {
            Some(trampoline) => trampoline.clone(),
            None => self.make_trampoline(id, span).ok()?,
        };
        let mark = self.mark_of(parent);
        let mark = match self.captured(mark, span) {
            Some(place) => read(place),
            None => self.read_variable(mark, span),
        };
        let mut before = vec![self.refuse_another(&trampoline, mark.clone(), span)];
        before.push(self.assign_variable(trampoline.owner, mark, span));
        for &(var, holder) in &trampoline.targets {
            let target = self.target(var, span);
            before.push(self.assign_variable(holder, target, span));
        }
        self.mention_function(trampoline.function);
        let function = &mut self.program.functions[trampoline.function.0 as usize];
        function.address_taken = true;
        let ty = function.ty;
        let address = Expr {
            kind: ExprKind::FunctionAddress(trampoline.function),
            ty: self.program.types.pointer_to(ty),
            span,
        };
        Some(sequence(before, address))
    }

    /// Ends in "unsupported" if the trampoline belongs to another activation.
    fn refuse_another(&mut self, trampoline: &Trampoline, mark: Expr, span: Span) -> Expr {
        let owner = self.read_variable(trampoline.owner, span);
        let none = self.zero(owner.ty, span);
        let differs = |other: Expr| {
            let kind = ExprKind::Compare(CompareOp::Ne, Box::new(owner.clone()), Box::new(other));
            Box::new(Expr {
                kind,
                ty: TypeId::INT,
                span,
            })
        };
        let condition = Expr {
            kind: ExprKind::And(differs(none), differs(mark)),
            ty: TypeId::INT,
            span,
        };
        let name = self.names.intern(TWO_ACTIVATIONS);
        let ty = self.unprototyped(TypeId::VOID);
        let refusal = self.function_by_name(name, ty, span);
        self.mention_function(refusal);
        let call = Expr {
            kind: ExprKind::Call {
                callee: Callee::Direct(refusal),
                args: Vec::new(),
            },
            ty: TypeId::VOID,
            span,
        };
        let kind =
            ExprKind::Conditional(Box::new(condition), Box::new(call), Box::new(nothing(span)));
        Expr {
            kind,
            ty: TypeId::VOID,
            span,
        }
    }

    /// The variable whose value stands for an activation of a function, which is being checked.
    fn mark_of(&mut self, function: FuncId) -> VarId {
        if let Some(&mark) = self.nested.marks.get(&function) {
            return mark;
        }
        let span = self.program.functions[function.0 as usize].span;
        let mark = self.new_variable(self.placeholder, MARK, VarKind::Hidden, span);
        self.program.vars[mark.0 as usize].function = Some(function);
        let contexts = self.function.iter_mut().chain(self.enclosing.iter_mut());
        for context in contexts {
            if context.id == function
                && let Some(vars) = context.block_vars.first_mut()
            {
                vars.push(mark);
            }
        }
        self.nested.marks.insert(function, mark);
        mark
    }

    /// A hidden number with static storage, zero at first.
    fn static_number(&mut self, span: Span) -> VarId {
        let kind = VarKind::StaticLocal;
        let var = self.new_variable(self.placeholder, MARK, kind, span);
        self.program.globals.push(var);
        var
    }

    /// The statement that gives an activation its mark.
    fn declare_mark(&mut self, mark: VarId, span: Span) -> Stmt {
        let count = match self.nested.activations {
            Some(count) => count,
            None => self.static_number(span),
        };
        self.nested.activations = Some(count);
        let next = Expr {
            kind: ExprKind::IncDec {
                place: Box::new(self.variable_place(count, span)),
                decrement: false,
                postfix: false,
                element: None,
            },
            ty: MARK,
            span,
        };
        let init = Init {
            items: vec![InitItem {
                offset: 0,
                bits: None,
                value: InitValue::Expr(next),
            }],
            whole: true,
        };
        let kind = StmtKind::Declare {
            var: mark,
            init: Some(init),
        };
        statement(kind, span)
    }

    /// The function that pointers to a nested function point to.
    fn make_trampoline(&mut self, id: FuncId, span: Span) -> Outcome<Trampoline> {
        let (name, ty) = {
            let function = &self.program.functions[id.0 as usize];
            (function.name, function.ty)
        };
        let signature = self.types().function(ty).cloned();
        let Some(signature) = signature.filter(|it| !it.variadic) else {
            return self.unsupported(span, "the address of a variadic nested function");
        };
        let (parent, uses) = match self.nested.functions.get(&id) {
            Some(nested) => (nested.parent, nested.uses.clone()),
            None => return self.error(span, "not a nested function"),
        };
        self.mark_of(parent);
        let owner = self.static_number(span);
        let targets = uses.into_iter().map(|var| {
            let ty = self.program.vars[var.0 as usize].ty;
            (var, self.static_pointer(var, ty))
        });
        let targets: Vec<(VarId, VarId)> = targets.collect();
        let function = self.new_function(name, ty, true, span);
        let outer = self.function.replace(FunctionContext::new(function));
        let mut params = Vec::new();
        for &param in &self.program.functions[id.0 as usize].params.clone() {
            let (name, ty) = {
                let param = &self.program.vars[param.0 as usize];
                (param.name, param.ty)
            };
            params.push(self.new_variable(name, ty, VarKind::Param, span));
        }
        let args = params.iter().map(|&param| {
            let place = self.variable_place(param, span);
            Expr {
                ty: self.types().unqualified(place.ty),
                ..read(place)
            }
        });
        let call = Expr {
            kind: ExprKind::Call {
                callee: Callee::Direct(id),
                args: args.collect(),
            },
            ty: signature.result,
            span,
        };
        let settings = targets.iter().map(|&(var, holder)| {
            let target = self.read_variable(holder, span);
            (self.way_to(var), target)
        });
        let settings = settings.collect();
        let call = self.bracketed(call, settings);
        self.mention_function(id);
        let items = match signature.result == TypeId::VOID {
            true => vec![statement(StmtKind::Expr(call), span)],
            false => vec![statement(StmtKind::Return(Some(call)), span)],
        };
        let context = std::mem::replace(&mut self.function, outer);
        let vars = context.and_then(|context| context.block_vars.into_iter().next());
        let body = Body {
            block: Block {
                vars: vars.unwrap_or_default(),
                items,
                span,
            },
            labels: Vec::new(),
            address_labels: Vec::new(),
        };
        self.admit_body(function, Strength::Strong, span)?;
        let made = &mut self.program.functions[function.0 as usize];
        made.params = params;
        made.body = Some(body);
        self.note_definition(function);
        let trampoline = Trampoline {
            function,
            owner,
            targets,
        };
        if let Some(nested) = self.nested.functions.get_mut(&id) {
            nested.trampoline = Some(trampoline.clone());
        }
        Ok(trampoline)
    }

    /// Where the function that is being checked ends, the trampolines of its nested functions belong
    /// to nobody. A way out that is missed here only makes more calls unsupported.
    pub(super) fn release_trampolines(&mut self, items: &mut Vec<Stmt>) {
        let Some(id) = self.function.as_ref().map(|context| context.id) else {
            return;
        };
        let Some(&mark) = self.nested.marks.get(&id) else {
            return;
        };
        let children = self.nested.functions.values();
        let mut owners: Vec<VarId> = children
            .filter(|nested| nested.parent == id)
            .filter_map(|nested| nested.trampoline.as_ref().map(|it| it.owner))
            .collect();
        owners.sort();
        let span = self.program.functions[id.0 as usize].span;
        let mut releases = Vec::new();
        for owner in owners {
            let (own, owner_value) = (
                self.read_variable(mark, span),
                self.read_variable(owner, span),
            );
            let none = self.zero(MARK, span);
            let kind = ExprKind::Compare(CompareOp::Eq, Box::new(owner_value), Box::new(own));
            let condition = Expr {
                kind,
                ty: TypeId::INT,
                span,
            };
            let release = self.assign_variable(owner, none, span);
            let then = Box::new(statement(StmtKind::Expr(release), span));
            let kind = StmtKind::If {
                condition,
                then,
                otherwise: None,
            };
            releases.push(statement(kind, span));
        }
        for item in items.iter_mut() {
            self.release_before_returns(item, &releases);
        }
        items.extend(releases);
        let declared = self.declare_mark(mark, span);
        items.insert(0, declared);
    }

    fn release_before_returns(&mut self, stmt: &mut Stmt, releases: &[Stmt]) {
        match &mut stmt.kind {
            StmtKind::Block(block) => {
                for item in &mut block.items {
                    self.release_before_returns(item, releases);
                }
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.release_before_returns(then, releases);
                if let Some(otherwise) = otherwise {
                    self.release_before_returns(otherwise, releases);
                }
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Switch { body, .. } => self.release_before_returns(body, releases),
            StmtKind::Return(value) => {
                let span = stmt.span;
                let mut items = Vec::new();
                let value = value.take().map(|value| {
                    let (kept, place) = self.kept(value);
                    items.push(statement(StmtKind::Expr(kept), span));
                    read(place)
                });
                items.extend(releases.iter().cloned());
                items.push(statement(StmtKind::Return(value), span));
                stmt.kind = StmtKind::Block(Block {
                    vars: Vec::new(),
                    items,
                    span,
                });
            }
            _ => {}
        }
    }

    /// The length of a variable-length array lies in a variable of the function that declares it.
    pub(super) fn check_own_length(&mut self, vla: crate::typed::VlaId, span: Span) -> Outcome<()> {
        let var = self.program.vlas[vla.0 as usize];
        match self.is_outer(var) {
            true => self.unsupported(
                span,
                "the length of an array of the function around a nested one",
            ),
            false => Ok(()),
        }
    }

    /// Variables of a function with nested ones are not what their names say everywhere inside it.
    pub(super) fn refuse_claim_about(&mut self, var: VarId, span: Span) -> Outcome<()> {
        let function = self.program.vars[var.0 as usize].function;
        let encloses = function.is_some_and(|id| self.program.functions[id.0 as usize].encloses);
        match self.resumed && encloses {
            true => self.unsupported(span, "a variable of a function with nested functions here"),
            false => Ok(()),
        }
    }

    /// This function, and those between it and the one with the label, may jump there.
    pub(super) fn note_jump(&mut self, target: FuncId, label: LabelId) {
        let inner = self.function.iter().chain(self.enclosing.iter().rev());
        let inner: Vec<FuncId> = inner
            .map(|context| context.id)
            .take_while(|&id| id != target)
            .collect();
        for id in inner {
            if let Some(nested) = self.nested.functions.get_mut(&id)
                && !nested.jumps.contains(&(target, label))
            {
                nested.jumps.push((target, label));
            }
        }
    }

    /// Where a call of a nested function may jump to. Of one whose body is still being checked only
    /// the functions are known, all of which are around the caller too.
    pub(super) fn jumps_of(&self, callee: FuncId) -> Vec<(FuncId, Option<LabelId>)> {
        let Some(nested) = self.nested.functions.get(&callee) else {
            return Vec::new();
        };
        if nested.complete {
            let known = nested.jumps.iter();
            return known.map(|&(id, label)| (id, Some(label))).collect();
        }
        let outer = self.enclosing.iter();
        outer
            .take_while(|context| context.id != callee)
            .filter(|context| !context.local_labels.is_empty())
            .map(|context| (context.id, None))
            .collect()
    }

    /// The call of a function, with what a nested one needs before and behind it.
    pub(super) fn call_of(&mut self, id: FuncId, call: Operand) -> Outcome<Operand> {
        if !self.nested.functions.contains_key(&id) || self.unevaluated > 0 {
            return Ok(call);
        }
        let call = self.valued(call)?.expr;
        let call = self.with_ways(id, call);
        Ok(self.with_landings(id, call).into())
    }
}

pub(super) fn statement(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

/// `(void)0`.
fn nothing(span: Span) -> Expr {
    let zero = Expr {
        kind: ExprKind::Int(0),
        ty: TypeId::INT,
        span,
    };
    Expr {
        kind: ExprKind::Convert(Box::new(zero)),
        ty: TypeId::VOID,
        span,
    }
}
