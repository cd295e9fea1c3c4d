//! Calls: direct ones, of variadic functions, with records. Those through pointers are in
//! [`super::indirect`].

use super::context::Shape;
use super::frame::FunctionLowering;
use super::graph::Action;
use super::indirect::{is_old_style, low_half};
use super::units::{Origin, Signature};
use crate::models::{self, Class, Intrinsic, IntrinsicCall};
use cfa::expr::{BinOp, ExprId, VarId};
use cfa::memory::RegionId;
use cfa::op::Op;
use cfa::program::FuncId;
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{self, Callee, Expr, Place};
use syntax::types::TypeId;

/// Bytes from one argument behind `...` to the next.
pub(crate) const SLOT_BYTES: u64 = 16;

/// An argument that has been evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actual {
    pub value: ExprId,
    pub ty: TypeId,
}

/// What a function makes of arguments of other types than its parameters.
#[derive(Clone, Copy)]
struct Expects {
    /// It finds only what was passed as the parameter's type.
    exactly: bool,
    /// It was defined without a prototype, for promoted arguments.
    promoted: bool,
}

/// Whether a number that is passed as one type arrives as another.
fn fits(given: Ty, taken: Ty, promoted: bool) -> bool {
    match (given.is_float(), taken.is_float()) {
        (true, true) => given == taken || promoted && given.width() > taken.width(),
        (false, false) => given.width() >= taken.width() || taken.width() <= 32,
        _ => false,
    }
}

impl<'t> FunctionLowering<'_, 't> {
    /// A call; the result goes to `dest` if there is one and its type fits. The value is returned
    /// if the function has one.
    pub fn call(
        &mut self,
        expr: &'t Expr,
        callee: &'t Callee,
        args: &'t [Expr],
        dest: Option<VarId>,
        wanted: bool,
    ) -> Option<ExprId> {
        match callee {
            Callee::Direct(id) => match self.context.function(*id).library {
                Some(library) => self.call_either(*id, library, expr, args, wanted),
                None => self.call_direct(*id, expr, args, dest, wanted),
            },
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

    fn call_direct(
        &mut self,
        id: typed::FuncId,
        expr: &'t Expr,
        args: &'t [Expr],
        dest: Option<VarId>,
        wanted: bool,
    ) -> Option<ExprId> {
        self.refuse_count(id, expr, args);
        if let Some(Intrinsic::Print(print)) = self.context.intrinsic(id) {
            let name = self.context.function(id).name;
            return self.print_call(print, name, args, expr, wanted);
        }
        let actuals = self.arguments(args);
        self.call_evaluated(id, expr, args, actuals, dest, wanted)
    }

    /// `%n` in a format writes to an argument.
    pub(super) fn refuse_count(&mut self, id: typed::FuncId, expr: &'t Expr, args: &'t [Expr]) {
        if self.context.writes_back(id, args) {
            let name = self.context.function(id).name;
            let name = self.context.names.get(name).to_owned();
            let what = format!("`%n` in the format of `{name}`");
            self.unsupported(&what, expr.span);
        }
    }

    /// A direct call whose arguments have been evaluated.
    pub(super) fn call_evaluated(
        &mut self,
        id: typed::FuncId,
        expr: &'t Expr,
        args: &'t [Expr],
        actuals: Vec<Actual>,
        dest: Option<VarId>,
        wanted: bool,
    ) -> Option<ExprId> {
        self.evaluate_quotient(id, &actuals, expr.span);
        let Some(intrinsic) = self.context.intrinsic(id) else {
            let watched = match self.context.has_model(id) {
                true => self.context.watched_model(id, args),
                false => None,
            };
            let watched = watched.and_then(|name| self.context.demand_model(name));
            let function = watched.unwrap_or_else(|| self.context.demand(id));
            self.note_assumption(function, expr.span);
            return self.call_function(function, &actuals, expr, dest, wanted);
        };
        // A model may do without an argument.
        for actual in &actuals {
            if self.context.pool.is_checked(actual.value) {
                self.evaluate(actual.value, expr.span);
            }
        }
        let format = match intrinsic {
            Intrinsic::Text(function) => args.get(function.format()),
            Intrinsic::Scan(function) => args.get(function.format()),
            _ => None,
        };
        let literal = format.and_then(models::literal);
        let call = IntrinsicCall {
            name: self.context.function(id).name,
            args: actuals,
            ty: expr.ty,
            dest,
            span: expr.span,
        };
        match intrinsic {
            Intrinsic::Text(function) => self.write_text(function, &call, literal),
            Intrinsic::Scan(function) => self.scan(function, &call, literal),
            _ => self.intrinsic(intrinsic, call),
        }
    }

    /// `div` and its kin divide for their caller, who answers for it.
    fn evaluate_quotient(&mut self, id: typed::FuncId, actuals: &[Actual], span: Span) {
        let name = self.context.names.get(self.context.function(id).name);
        let divides = matches!(name, "div" | "ldiv" | "lldiv" | "imaxdiv");
        let [dividend, divisor] = *actuals else {
            return;
        };
        if !divides || !self.context.has_model(id) {
            return;
        }
        let pool = &mut self.context.pool;
        let (dividend, divisor) = (dividend.value, divisor.value);
        if pool.ty(dividend) == pool.ty(divisor) && pool.ty(divisor).is_int() {
            let quotient = pool.binary(BinOp::Div, dividend, divisor);
            self.evaluate(quotient, span);
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
            let text = format!("`{name}` returns any value of its type");
            self.context.assume(text, span);
            return;
        }
        if !matches!(unit.origin, Origin::Stub { returns: true }) {
            return;
        }
        if let Some(entry) = self.context.library_unit(function) {
            let result = match entry.class {
                Class::Status => "returns 0 or -1",
                Class::Number => "returns -1 or any non-negative number",
                _ => "returns any value",
            };
            let written = match entry.writes.is_empty() {
                true => "changes nothing else",
                false => "writes any value to its output parameters",
            };
            let text = format!("`{name}` {result}, and {written}");
            self.context.assume(text, span);
            return;
        }
        let what = self.context.external_effect(unit.signature.result);
        let meant = match syntax::foreign::meant(name) {
            Some(meant) => format!(" (did you mean `{meant}`?)"),
            None => String::new(),
        };
        self.context.assume(
            format!("the function `{name}` has no body; it {what}{meant}"),
            span,
        );
    }

    /// Where a call leaves its result, if that is a record.
    pub(super) fn record_result(&mut self, shape: Shape, ty: TypeId, span: Span) -> Option<ExprId> {
        let Shape::Record { size, align } = shape else {
            return None;
        };
        let object = self.hidden_object("call_result", size, align, Some(ty), span);
        Some(self.context.object_address(object))
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
        let unit = self.context.unit(function);
        let signature = unit.signature.clone();
        // A model of a library function fits whatever declaration the program has for it.
        let expects = Expects {
            exactly: !unit.is_library_model,
            promoted: is_old_style(self.context, unit),
        };
        let mut args = Vec::new();
        let record = self.record_result(signature.result, signature.result_type, span);
        args.extend(record);
        self.pass(&signature, expects, actuals, &mut args, span);
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

    pub(super) fn result_variable(&mut self, ty: Ty, dest: Option<VarId>, span: Span) -> VarId {
        match dest {
            Some(var) if self.context.vars[var.0 as usize].ty == ty => var,
            _ => self.temporary(ty, span),
        }
    }

    /// The result as a value of the call's type.
    pub(super) fn result_value(
        &mut self,
        result: Option<VarId>,
        expr: &Expr,
        wanted: bool,
    ) -> Option<ExprId> {
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
        expects: Expects,
        actuals: &[Actual],
        args: &mut Vec<ExprId>,
        span: Span,
    ) {
        for (index, &(shape, ty)) in signature.params.iter().enumerate() {
            if let (Some(actual), Shape::Scalar(taken)) = (actuals.get(index), shape)
                && let Shape::Scalar(given) = self.context.shape(actual.ty)
                && expects.exactly
                && self.context.pointer.width() == 32
                && given.width().max(32) != taken.width().max(32)
                && !(expects.promoted && given.is_float() && taken.is_float())
            {
                // On the stack, what comes behind it lies elsewhere too.
                self.unsupported("an argument whose size differs from its parameter's", span);
            }
            let value = match actuals.get(index) {
                Some(actual) => self.pass_one(*actual, expects, shape, ty, span),
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
            // Passed to nobody who looks at it, but evaluated; what is not there may look.
            self.context.passed_on.push(actual.value);
            self.evaluate(actual.value, span);
        }
    }

    fn pass_one(
        &mut self,
        actual: Actual,
        expects: Expects,
        shape: Shape,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        match (self.context.shape(actual.ty), shape) {
            (Shape::Scalar(given), Shape::Scalar(taken))
                if expects.exactly && !fits(given, taken, expects.promoted) =>
            {
                // The function looks elsewhere, or at more than is passed.
                let rest = self.temporary(taken, span);
                self.emit_action(Action::Forget(rest), span);
                let rest = self.read(rest);
                match given.is_float() || taken.is_float() {
                    true => rest,
                    false => low_half(&mut self.context.pool, actual.value, rest, taken),
                }
            }
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
    pub(super) fn variable_arguments(&mut self, extra: &[Actual], span: Span) -> ExprId {
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
}
