//! Calls through pointers: a choice over the functions whose address the program holds, and over
//! what is outside of it.
//!
//! The choice waits until all functions are known. What the pointer may be:
//! - a function of the program, which is called as gcc's code calls it ([`super::abi`]), or not
//!   supported where nobody says what it gets;
//! - an address in memory outside the program: a call of a function that is not there;
//! - anything else: null, a number, an object. That ends the execution.

use super::abi::{self, Source};
use super::call::Actual;
use super::context::{Context, Shape};
use super::frame::FunctionLowering;
use super::graph::{Action, Graph, Node};
use super::units::{Origin, Unit};
use cfa::expr::{BinOp, ExprId, Node as ExprNode, VarId};
use cfa::memory::ObjectId;
use cfa::op::{Halt, Op};
use cfa::outside;
use cfa::program::FuncId;
use cfa::value::Ty;
use syntax::constant::{self, Constant};
use syntax::span::Span;
use syntax::typed::{Expr, ExprKind};
use syntax::types::{Type, TypeId};

/// A call through a pointer that waits for the functions it may reach.
#[derive(Clone, Debug)]
pub(crate) struct IndirectCall {
    pointer: ExprId,
    /// All that is passed, with the types in which it is.
    args: Vec<(ExprId, (Shape, TypeId))>,
    /// How many of them the pointer's type declares; all of them without a prototype.
    declared: usize,
    /// Where the arguments behind `...` lie.
    variable_arguments: Option<ExprId>,
    result: Option<VarId>,
    result_shape: (Shape, TypeId),
    record_result: Option<ExprId>,
    /// What stands for a function outside the program.
    outside: FuncId,
}

impl FunctionLowering<'_, '_> {
    pub(super) fn call_pointer(
        &mut self,
        pointer: ExprId,
        pointer_ty: TypeId,
        actuals: &[Actual],
        expr: &Expr,
        dest: Option<VarId>,
        wanted: bool,
    ) -> Option<ExprId> {
        let span = expr.span;
        let Some(ty) = self.context.function_type(pointer_ty) else {
            self.unsupported("a call of something other than a function", span);
            return None;
        };
        let result_shape = self.context.shape(ty.result);
        let record_result = self.record_result(result_shape, ty.result, span);
        let declared = if ty.variadic {
            ty.params.len().min(actuals.len())
        } else {
            actuals.len()
        };
        let args: Vec<(ExprId, (Shape, TypeId))> = actuals
            .iter()
            .map(|actual| (actual.value, (self.context.shape(actual.ty), actual.ty)))
            .collect();
        let variable_arguments = ty
            .variadic
            .then(|| self.variable_arguments(&actuals[declared..], span));
        let result = match result_shape {
            Shape::Scalar(ty) if wanted => Some(self.result_variable(ty, dest, span)),
            _ => None,
        };
        let types = args.iter().map(|&(_, (_, ty))| ty).collect();
        let outside = self.context.demand_outside(ty.result, types);
        let call = IndirectCall {
            pointer,
            args,
            declared,
            variable_arguments,
            result,
            result_shape: (result_shape, ty.result),
            record_result,
            outside,
        };
        self.emit_action(Action::Indirect(Box::new(call)), span);
        record_result.or_else(|| self.result_value(result, expr, wanted))
    }
}

impl Context<'_> {
    /// A float constant that is converted to an integer type: the compiler has done it.
    pub(super) fn constant_as_integer(&self, inner: &Expr, to: TypeId) -> Option<u128> {
        let ExprKind::Float(bits) = inner.kind else {
            return None;
        };
        match constant::convert(self.types, inner.ty, to, Constant::Float(bits))? {
            Constant::Int(bits) => Some(bits),
            Constant::Float(_) => None,
        }
    }

    /// A pointer to a function becomes something else, through which the function may be called as
    /// what it is not.
    pub(super) fn note_conversion(&mut self, inner: &Expr, to: TypeId) {
        let Type::Pointer(from) = *self.types.shape(inner.ty) else {
            return;
        };
        let same = |to: TypeId| self.types.unqualified(to) == self.types.unqualified(from);
        let is_same = matches!(*self.types.shape(to), Type::Pointer(to) if same(to));
        if is_same || !matches!(self.types.shape(from), Type::Function(_)) {
            return;
        }
        if let ExprKind::FunctionAddress(id) = inner.kind {
            let function = self.demand(id);
            self.converted_functions.insert(function);
        } else {
            self.converted_types.insert(self.types.unqualified(from));
        }
    }

    /// Whether the function may be called through a pointer of another type, as far as conversions
    /// tell.
    fn is_converted(&self, function: FuncId) -> bool {
        let ty = self.unit(function).c_type;
        self.converted_functions.contains(&function)
            || ty.is_some_and(|ty| self.converted_types.contains(&self.types.unqualified(ty)))
    }
}

/// Replaces each call through a pointer by a choice over the functions that it may reach.
pub(crate) fn resolve_indirect_calls(context: &mut Context, function: FuncId) {
    let Some(mut graph) = context.units[function.0 as usize].graph.take() else {
        return;
    };
    if graph
        .edges
        .iter()
        .any(|edge| matches!(edge.action, Action::Indirect(_)))
    {
        let taken = context.address_taken();
        for edge in std::mem::take(&mut graph.edges) {
            match edge.action {
                Action::Indirect(ref call) => {
                    let mut choice = Choice {
                        context,
                        graph: &mut graph,
                        caller: function,
                        call,
                        span: edge.span,
                    };
                    choice.make(edge.source, edge.target, &taken);
                }
                _ => graph.edges.push(edge),
            }
        }
    }
    context.units[function.0 as usize].graph = Some(graph);
}

struct Choice<'a, 't> {
    context: &'a mut Context<'t>,
    graph: &'a mut Graph,
    caller: FuncId,
    call: &'a IndirectCall,
    span: Span,
}

/// How a function is called.
struct Plan {
    params: Vec<Source>,
    result: Source,
}

impl Choice<'_, '_> {
    fn connect(&mut self, source: Node, target: Node, action: Action) {
        self.graph.connect(source, target, action, self.span);
    }

    /// One operation further.
    fn step(&mut self, source: Node, action: Action) -> Node {
        let next = self.graph.new_node();
        self.connect(source, next, action);
        next
    }

    fn make(&mut self, source: Node, target: Node, taken: &[(FuncId, ObjectId)]) {
        let mut no_match = self.context.pool.bool_constant(true);
        let known = match self.context.pool.node(self.call.pointer) {
            ExprNode::Address(object) => Some(object),
            _ => None,
        };
        let mut unclear = Vec::new();
        for &(function, object) in taken {
            if known.is_some_and(|known| known != object) {
                continue;
            }
            let address = self.context.object_address(object);
            let matches = self.context.pool.eq(self.call.pointer, address);
            let differs = self.context.pool.not(matches);
            no_match = self.context.pool.and(no_match, differs);
            if self.context.pool.as_bool(matches) == Some(false) {
                continue;
            }
            match self.plan(function, known.is_some()) {
                Some(plan) => {
                    let start = self.step(source, Action::Op(Op::Assume(matches)));
                    self.call(function, &plan, start, target);
                }
                None => unclear.push((function, matches)),
            }
        }
        self.refuse(source, &unclear);
        if self.context.pool.as_bool(no_match) == Some(false) {
            return;
        }
        let model = self.context.types.model;
        let is_outside = outside::holds(&mut self.context.pool, self.call.pointer, model);
        let called = self.context.pool.and(no_match, is_outside);
        if self.context.pool.as_bool(called) != Some(false) {
            let start = self.step(source, Action::Op(Op::Assume(called)));
            self.call_outside(start, target);
        }
        let is_inside = self.context.pool.not(is_outside);
        let wild = self.context.pool.and(no_match, is_inside);
        if self.context.pool.as_bool(wild) != Some(false) {
            let start = self.step(source, Action::Op(Op::Assume(wild)));
            let halt =
                Halt::Undefined("a call through a pointer that points to no function".to_owned());
            self.step(start, Action::Op(Op::Halt(halt)));
        }
    }

    /// How the function gets its arguments and returns its result; `None` where nobody says it, or
    /// where nothing hints at a call through another type.
    fn plan(&self, function: FuncId, is_certain: bool) -> Option<Plan> {
        let (call, context) = (self.call, &*self.context);
        let unit = context.unit(function);
        let signature = &unit.signature;
        if signature.variadic && call.variable_arguments.is_none() {
            return None;
        }
        let passed = match signature.variadic {
            true => call.declared,
            false => call.args.len(),
        };
        if signature.variadic && signature.params.len() != passed {
            return None;
        }
        let args: Vec<(Shape, TypeId)> = call.args[..passed].iter().map(|arg| arg.1).collect();
        let result_given = (signature.result, signature.result_type);
        let params = match signature.takes_anything {
            true => Vec::new(),
            false => {
                let old = is_old_style(context, unit);
                abi::parameters(context, &args, &signature.params, signature.result, old)?
            }
        };
        let result = abi::result(context, call.result_shape, result_given)?;
        let is_plain = signature.takes_anything
            || params.len() == passed
                && params
                    .iter()
                    .enumerate()
                    .all(|(index, &source)| source == Source::Value(index));
        let has_result = result == Source::Value(0) || call.result.is_none();
        let fits =
            is_plain && has_result && signature.variadic == call.variable_arguments.is_some();
        (fits || is_certain || context.is_converted(function)).then_some(Plan { params, result })
    }

    fn call(&mut self, function: FuncId, plan: &Plan, start: Node, target: Node) {
        let unit = self.context.unit(function);
        let returns = !matches!(unit.origin, Origin::Stub { returns: false });
        let signature = unit.signature.clone();
        let mut at = start;
        let mut args: Vec<ExprId> = self.call.record_result.into_iter().collect();
        for (&source, &(shape, _)) in plan.params.iter().zip(&signature.params) {
            let value = match shape {
                Shape::Scalar(ty) => {
                    let given = match source {
                        Source::Value(index) | Source::LowHalf(index) => {
                            Some(self.call.args[index].0)
                        }
                        Source::Nothing => None,
                    };
                    self.received(given, source, ty, &mut at)
                }
                _ => match source {
                    Source::Value(index) => self.call.args[index].0,
                    _ => self.context.pool.zero(self.context.pointer),
                },
            };
            args.push(value);
        }
        if signature.variadic {
            args.extend(self.call.variable_arguments);
        }
        let callee_ty = match signature.result {
            Shape::Scalar(ty) => Some(ty),
            _ => None,
        };
        let op = |result| {
            Action::Op(Op::Call {
                function,
                args,
                result,
            })
        };
        let Some(var) = self.call.result else {
            // A result that the caller ignores.
            let end = if returns {
                target
            } else {
                self.graph.new_node()
            };
            self.connect(at, end, op(None));
            return;
        };
        let ty = self.context.vars[var.0 as usize].ty;
        if !returns {
            self.step(at, op(None));
        } else if callee_ty == Some(ty) && plan.result == Source::Value(0) {
            self.connect(at, target, op(Some(var)));
        } else {
            let taken = callee_ty.map(|ty| self.context.temporary(self.caller, ty, self.span));
            let mut after = self.step(at, op(taken));
            let given = taken.map(|taken| {
                let ty = self.context.vars[taken.0 as usize].ty;
                self.context.pool.variable(taken, ty)
            });
            let value = self.received(given, plan.result, ty, &mut after);
            self.connect(after, target, Action::Op(Op::Assign(var, value)));
        }
    }

    /// What arrives of a value that is passed.
    fn received(&mut self, given: Option<ExprId>, how: Source, ty: Ty, at: &mut Node) -> ExprId {
        let (given, how) = match given {
            Some(given) => (given, how),
            None => (self.context.pool.zero(ty), Source::Nothing),
        };
        if let Source::Value(_) = how {
            return self.context.pool.convert(given, ty);
        }
        let rest = self.context.temporary(self.caller, ty, self.span);
        *at = self.step(*at, Action::Forget(rest));
        let rest = self.context.pool.variable(rest, ty);
        match how {
            Source::LowHalf(_) => low_half(&mut self.context.pool, given, rest, ty),
            _ => rest,
        }
    }

    /// Functions that the pointer may be, and of which nobody says what they get.
    fn refuse(&mut self, source: Node, unclear: &[(FuncId, ExprId)]) {
        let Some(&(first, _)) = unclear.first() else {
            return;
        };
        let mut any = self.context.pool.bool_constant(false);
        for &(_, matches) in unclear {
            any = self.context.pool.or(any, matches);
        }
        let name = self.context.names.get(self.context.unit(first).name);
        let others = match unclear.len() {
            1 => "",
            _ => " and others",
        };
        let text = format!(
            "a call through a pointer whose type differs from the function's (`{name}`{others})"
        );
        let start = self.step(source, Action::Op(Op::Assume(any)));
        self.step(start, Action::Op(Op::Halt(Halt::Unsupported(text))));
    }

    fn call_outside(&mut self, start: Node, target: Node) {
        let call = self.call;
        let mut args: Vec<ExprId> = call.record_result.into_iter().collect();
        args.extend(call.args.iter().map(|&(value, _)| value));
        if self.context.has_pointers_from_outside {
            let what = self.context.external_effect(call.result_shape.0);
            let text = format!("a function that a pointer from outside points to {what}");
            self.context.assume(text, self.span);
        }
        let op = Op::Call {
            function: call.outside,
            args,
            result: call.result,
        };
        self.connect(start, target, Action::Op(op));
    }
}

/// The low half of the value, the rest of another.
pub(super) fn low_half(
    pool: &mut cfa::expr::ExprPool,
    value: ExprId,
    rest: ExprId,
    ty: Ty,
) -> ExprId {
    let wide = Ty::unsigned(ty.width());
    let rest = pool.convert(rest, wide);
    let high = pool.constant(!0u128 << 32 & (!0 >> (128 - u32::from(wide.width()))), wide);
    let rest = pool.binary(BinOp::And, rest, high);
    let low = pool.convert(value, Ty::U32);
    let low = pool.convert(low, wide);
    let both = pool.binary(BinOp::Or, rest, low);
    pool.convert(both, ty)
}

/// Defined without a prototype: arguments come promoted.
pub(super) fn is_old_style(context: &Context, unit: &Unit) -> bool {
    let ty = unit.c_type.and_then(|ty| context.function_type(ty));
    ty.is_some_and(|ty| !ty.prototyped)
}
