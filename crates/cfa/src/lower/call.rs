//! Calls: direct, through pointers, of variadic functions, with records.

use super::context::{Context, Shape};
use super::frame::FunctionLowering;
use super::graph::{Action, Graph, GraphEdge};
use super::units::{Origin, Signature, Unit};
use crate::expr::{ExprId, Node, VarId};
use crate::memory::RegionId;
use crate::models::{self, Intrinsic, IntrinsicCall};
use crate::op::{Halt, Op};
use crate::program::FuncId;
use crate::value::Ty;
use syntax::span::Span;
use syntax::typed::{Callee, Expr, Place};
use syntax::types::TypeId;

/// Bytes from one argument behind `...` to the next.
pub(crate) const SLOT_BYTES: u64 = 16;

/// An argument that has been evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actual {
    pub value: ExprId,
    pub ty: TypeId,
}

/// A call through a pointer that waits for the functions it may reach.
#[derive(Clone, Debug)]
pub(crate) struct IndirectCall {
    pointer: ExprId,
    /// What the pointer's type says is passed; without a prototype, all that is passed.
    args: Vec<(ExprId, Shape)>,
    /// Where the arguments behind `...` lie.
    variable_arguments: Option<ExprId>,
    result: Option<VarId>,
    result_shape: Shape,
    record_result: Option<ExprId>,
}

impl<'t> FunctionLowering<'_, 't> {
    /// A call; the result goes to `dest` if there is one and its type fits. The value is returned if the
    /// function has one.
    pub fn call(
        &mut self,
        expr: &'t Expr,
        callee: &'t Callee,
        args: &'t [Expr],
        dest: Option<VarId>,
        wanted: bool,
    ) -> Option<ExprId> {
        match callee {
            Callee::Direct(id) => {
                if let Some(intrinsic) = self.context.intrinsic(*id) {
                    if let Intrinsic::Print(print) = intrinsic {
                        return self.print_call(print, args, expr, wanted);
                    }
                    let name = self.context.function(*id).name;
                    let format = match intrinsic {
                        Intrinsic::Text(function) => args.get(function.format()),
                        Intrinsic::Scan(function) => args.get(function.format()),
                        _ => None,
                    };
                    let literal = format.and_then(models::literal);
                    let args = self.arguments(args);
                    let call = IntrinsicCall {
                        name,
                        args,
                        ty: expr.ty,
                        dest,
                        span: expr.span,
                    };
                    return match intrinsic {
                        Intrinsic::Text(function) => self.write_text(function, &call, literal),
                        Intrinsic::Scan(function) => self.scan(function, &call, literal),
                        _ => self.intrinsic(intrinsic, call),
                    };
                }
                let function = self.context.demand(*id);
                self.note_assumption(function, expr.span);
                let args = self.arguments(args);
                self.call_function(function, &args, expr, dest, wanted)
            }
            Callee::Pointer(pointer) => {
                let exprs: Vec<&'t Expr> = std::iter::once(&**pointer)
                    .chain(args.iter().rev())
                    .collect();
                let mut values = self.sequence(&exprs);
                let target = values.remove(0);
                values.reverse();
                let args: Vec<Actual> = values
                    .into_iter()
                    .zip(args)
                    .map(|(value, arg)| Actual { value, ty: arg.ty })
                    .collect();
                self.call_pointer(target, pointer.ty, &args, expr, dest, wanted)
            }
        }
    }

    /// Arguments are evaluated from right to left, as gcc does.
    pub fn arguments(&mut self, args: &'t [Expr]) -> Vec<Actual> {
        let reversed: Vec<&'t Expr> = args.iter().rev().collect();
        let mut values = self.sequence(&reversed);
        values.reverse();
        values
            .into_iter()
            .zip(args)
            .map(|(value, arg)| Actual { value, ty: arg.ty })
            .collect()
    }

    /// A function without a body is assumed to do nothing but return.
    fn note_assumption(&mut self, function: FuncId, span: Span) {
        let unit = self.context.unit(function);
        let name = self.context.names.get(unit.name);
        if self.is_dead() {
            return;
        }
        if unit.is_library_model && models::is_a_guess(name) {
            let text = format!("the result of `{name}` may be any that its type allows");
            self.context.assume(text, span);
            return;
        }
        if !matches!(unit.origin, Origin::Stub { returns: true }) {
            return;
        }
        if models::outputs(name).is_some() {
            let text = format!("`{name}` gives any result, and changes nothing else");
            self.context.assume(text, span);
            return;
        }
        let what = match (unit.signature.result, self.context.options.external_writes) {
            (Shape::Void, false) => "changes nothing",
            (Shape::Void, true) => "changes nothing but what its pointer arguments point to",
            (_, false) => "returns any value and changes nothing",
            (_, true) => "returns any value and changes only what its pointer arguments point to",
        };
        self.context.assume(
            format!("the function `{name}`, which has no body, {what}"),
            span,
        );
    }

    fn call_function(
        &mut self,
        function: FuncId,
        actuals: &[Actual],
        expr: &Expr,
        dest: Option<VarId>,
        wanted: bool,
    ) -> Option<ExprId> {
        let span = expr.span;
        let signature = self.context.unit(function).signature.clone();
        let mut args = Vec::new();
        let mut record = None;
        if let Shape::Record { size, align } = signature.result {
            let object = self.hidden_object(
                "call_result",
                size,
                align,
                Some(signature.result_type),
                span,
            );
            let address = self.context.object_address(object);
            args.push(address);
            record = Some(address);
        }
        self.pass(&signature, actuals, &mut args, span);
        let result_ty = match signature.result {
            Shape::Scalar(ty) if wanted => Some(ty),
            _ => None,
        };
        let result = result_ty.map(|ty| self.result_variable(ty, dest, span));
        let returns = !matches!(
            self.context.unit(function).origin,
            Origin::Stub { returns: false }
        );
        let op = Op::Call {
            function,
            args,
            result,
        };
        if returns {
            self.emit(op, span);
        } else {
            let stop = self.stop_node();
            self.edge(Action::Op(op), stop, span, None);
        }
        if let Some(address) = record {
            return Some(address);
        }
        self.result_value(result, expr, wanted)
    }

    fn result_variable(&mut self, ty: Ty, dest: Option<VarId>, span: Span) -> VarId {
        match dest {
            Some(var) if self.context.vars[var.0 as usize].ty == ty => var,
            _ => self.temporary(ty, span),
        }
    }

    /// The result as a value of the call's type.
    fn result_value(&mut self, result: Option<VarId>, expr: &Expr, wanted: bool) -> Option<ExprId> {
        match (result, self.context.shape(expr.ty)) {
            (Some(result), Shape::Scalar(ty)) => {
                let value = self.read(result);
                Some(self.context.pool.convert(value, ty))
            }
            // Declared to return a value where it is called, but defined without one.
            (None, Shape::Scalar(ty)) if wanted => {
                let var = self.temporary(ty, expr.span);
                self.emit_action(Action::Forget(var), expr.span);
                Some(self.read(var))
            }
            _ => None,
        }
    }

    /// Adapts the arguments to what the function expects.
    fn pass(
        &mut self,
        signature: &Signature,
        actuals: &[Actual],
        args: &mut Vec<ExprId>,
        span: Span,
    ) {
        for (index, &(shape, ty)) in signature.params.iter().enumerate() {
            let value = match actuals.get(index) {
                Some(actual) => self.pass_one(*actual, shape, ty, span),
                // Too few arguments: the parameter is whatever lies there.
                None => {
                    let ty = self.context.value_ty(ty);
                    let var = self.temporary(ty, span);
                    self.emit_action(Action::Forget(var), span);
                    self.read(var)
                }
            };
            args.push(value);
        }
        let extra = actuals.get(signature.params.len()..).unwrap_or(&[]);
        if signature.variadic {
            let list = self.variable_arguments(extra, span);
            args.push(list);
            return;
        }
        for actual in extra {
            // Passed to nobody, but evaluated.
            if self.context.pool.can_fail(actual.value) {
                let var = self.temporary(self.context.pool.ty(actual.value), span);
                self.emit(Op::Assign(var, actual.value), span);
            }
        }
    }

    fn pass_one(&mut self, actual: Actual, shape: Shape, ty: TypeId, span: Span) -> ExprId {
        match (self.context.shape(actual.ty), shape) {
            (Shape::Scalar(_), Shape::Scalar(_)) => self.convert_to(actual.value, ty),
            // A member's value for a transparent union.
            (Shape::Scalar(_), Shape::Record { size, align }) => {
                let object = self.hidden_object("union_value", size, align, Some(ty), span);
                let address = self.context.object_address(object);
                self.store(address, actual.value, span);
                address
            }
            (Shape::Record { .. }, Shape::Record { .. }) => actual.value,
            (_, shape) => {
                let ty = match shape {
                    Shape::Scalar(ty) => ty,
                    _ => self.context.pointer,
                };
                let var = self.temporary(ty, span);
                self.emit_action(Action::Forget(var), span);
                self.read(var)
            }
        }
    }

    /// Writes arguments behind `...` to their slots; the address of the first one.
    fn variable_arguments(&mut self, extra: &[Actual], span: Span) -> ExprId {
        let slots = |size: u64| size.div_ceil(SLOT_BYTES).max(1);
        let total: u64 = extra
            .iter()
            .map(|actual| match self.context.shape(actual.ty) {
                Shape::Record { size, .. } => slots(size),
                _ => 1,
            })
            .sum();
        if total == 0 {
            return self.context.pool.zero(self.context.pointer);
        }
        let size = total * SLOT_BYTES;
        let object = self.hidden_object("variable_arguments", size, SLOT_BYTES, None, span);
        let base = self.context.object_address(object);
        let mut slot = 0;
        for actual in extra {
            let address = self.context.pool.offset(base, (slot * SLOT_BYTES).into());
            match self.context.shape(actual.ty) {
                Shape::Record { size, .. } => {
                    self.copy(address, actual.value, size, span);
                    slot += slots(size);
                }
                _ => {
                    self.store(address, actual.value, span);
                    slot += 1;
                }
            }
        }
        base
    }

    /// The cursor of a `va_list` lies in its first bytes.
    pub fn argument_cursor(&mut self, list: ExprId) -> ExprId {
        let pointer = self.context.pointer;
        self.context.pool.load(RegionId::WHOLE, list, pointer)
    }

    /// `va_arg`.
    pub fn next_argument(&mut self, list: &'t Place, ty: TypeId, span: Span) -> ExprId {
        let target = self.place(list);
        let list = match target.place {
            super::place::Where::Memory(address) => address,
            super::place::Where::Variable(var) => self.read(var),
        };
        let cursor = self.argument_cursor(list);
        let cursor = self.save(cursor, span);
        let (value, size) = match self.context.shape(ty) {
            Shape::Scalar(ty) => {
                let value = self.context.pool.load(RegionId::WHOLE, cursor, ty);
                (self.save(value, span), 1)
            }
            Shape::Record { size, .. } => (cursor, size),
            Shape::Void => (self.nothing(), 1),
        };
        let slots = size.div_ceil(SLOT_BYTES).max(1);
        let next = self
            .context
            .pool
            .offset(cursor, (slots * SLOT_BYTES).into());
        self.store(list, next, span);
        value
    }

    fn call_pointer(
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
            self.unsupported("a call of something that is no function", span);
            return None;
        };
        let result_shape = self.context.shape(ty.result);
        let mut record_result = None;
        if let Shape::Record { size, align } = result_shape {
            let object = self.hidden_object("call_result", size, align, Some(ty.result), span);
            record_result = Some(self.context.object_address(object));
        }
        let declared = if ty.variadic {
            ty.params.len().min(actuals.len())
        } else {
            actuals.len()
        };
        let args = actuals[..declared]
            .iter()
            .map(|actual| (actual.value, self.context.shape(actual.ty)))
            .collect();
        let variable_arguments = ty
            .variadic
            .then(|| self.variable_arguments(&actuals[declared..], span));
        let result = match result_shape {
            Shape::Scalar(ty) if wanted => Some(self.result_variable(ty, dest, span)),
            _ => None,
        };
        let call = IndirectCall {
            pointer,
            args,
            variable_arguments,
            result,
            result_shape,
            record_result,
        };
        self.emit_action(Action::Indirect(Box::new(call)), span);
        record_result.or_else(|| self.result_value(result, expr, wanted))
    }
}

/// Replaces each call through a pointer by a choice over the functions that fit it.
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
                    choose(context, &mut graph, function, &edge, call, &taken);
                }
                _ => graph.edges.push(edge),
            }
        }
    }
    context.units[function.0 as usize].graph = Some(graph);
}

fn choose(
    context: &mut Context,
    graph: &mut Graph,
    caller: FuncId,
    edge: &GraphEdge,
    call: &IndirectCall,
    taken: &[(FuncId, crate::memory::ObjectId)],
) {
    let span = edge.span;
    let mut no_match = context.pool.bool_constant(true);
    let connect = |graph: &mut Graph, source, target, op| {
        graph.edges.push(GraphEdge {
            source,
            target,
            action: Action::Op(op),
            span,
            branch: None,
        });
    };
    let known = match context.pool.node(call.pointer) {
        Node::Address(object) => Some(object),
        _ => None,
    };
    for &(function, object) in taken {
        if known.is_some_and(|known| known != object) || !fits(call, context.unit(function)) {
            continue;
        }
        let address = context.object_address(object);
        let matches = context.pool.eq(call.pointer, address);
        let differs = context.pool.not(matches);
        no_match = context.pool.and(no_match, differs);
        if context.pool.as_bool(matches) == Some(false) {
            continue;
        }
        let start = graph.new_node();
        connect(graph, edge.source, start, Op::Assume(matches));
        let unit = context.unit(function);
        let (signature, returns) = (
            unit.signature.clone(),
            !matches!(unit.origin, Origin::Stub { returns: false }),
        );
        let mut args: Vec<ExprId> = call.record_result.into_iter().collect();
        for (&(value, _), &(shape, _)) in call.args.iter().zip(&signature.params) {
            args.push(match shape {
                Shape::Scalar(ty) => context.pool.convert(value, ty),
                _ => value,
            });
        }
        args.extend(call.variable_arguments);
        let callee_ty = match signature.result {
            Shape::Scalar(ty) => Some(ty),
            _ => None,
        };
        let (result, conversion) = match (call.result, callee_ty) {
            (Some(var), Some(ty)) if context.vars[var.0 as usize].ty != ty => {
                let temporary = context.temporary(caller, ty, span);
                let value = context.pool.variable(temporary, ty);
                let value = context.pool.convert(value, context.vars[var.0 as usize].ty);
                (Some(temporary), Some(Op::Assign(var, value)))
            }
            (result, Some(_)) => (result, None),
            (_, None) => (None, None),
        };
        let op = Op::Call {
            function,
            args,
            result,
        };
        match conversion {
            _ if !returns => {
                let stop = graph.new_node();
                connect(graph, start, stop, op);
            }
            Some(conversion) => {
                let middle = graph.new_node();
                connect(graph, start, middle, op);
                connect(graph, middle, edge.target, conversion);
            }
            None => connect(graph, start, edge.target, op),
        }
    }
    if context.pool.as_bool(no_match) == Some(false) {
        return;
    }
    let (wild, stop) = (graph.new_node(), graph.new_node());
    connect(graph, edge.source, wild, Op::Assume(no_match));
    let halt = Halt::Undefined("a call through a pointer to no function of its type".to_owned());
    connect(graph, wild, stop, Op::Halt(halt));
}

/// Whether the function, called in this way, gets its arguments and returns its result as gcc's code would.
fn fits(call: &IndirectCall, unit: &Unit) -> bool {
    let signature = &unit.signature;
    let class = |ty: Ty| {
        if ty.is_float() {
            0
        } else {
            u16::from(ty.width() > 32) + 1
        }
    };
    let like = |a: Shape, b: Shape| match (a, b) {
        (Shape::Scalar(a), Shape::Scalar(b)) => {
            class(a) == class(b) && (a.width() == b.width() || !a.is_float() && class(a) == 1)
        }
        (Shape::Record { size: a, .. }, Shape::Record { size: b, .. }) => a == b,
        (Shape::Void, Shape::Void) => true,
        _ => false,
    };
    let result_fits = match (call.result_shape, signature.result) {
        // A result that the caller ignores.
        (Shape::Void, Shape::Scalar(_)) => true,
        (Shape::Scalar(_), Shape::Void) => call.result.is_none(),
        (a, b) => like(a, b),
    };
    result_fits
        && (signature.takes_anything || signature.params.len() == call.args.len())
        && signature.variadic == call.variable_arguments.is_some()
        && signature
            .params
            .iter()
            .zip(&call.args)
            .all(|(&(a, _), &(_, b))| like(a, b))
}
