//! `__VERIFIER_*`.

use super::IntrinsicCall;
use crate::{FunctionLowering, Shape};
use cfa::expr::ExprId;
use cfa::op::{InputKind, Op};
use syntax::typed::Question;
use syntax::types::Type;

impl FunctionLowering<'_, '_> {
    /// Any value of the declared type; `_Bool` and `__VERIFIER_nondet_bool` give 0 or 1.
    pub(super) fn nondet(&mut self, call: IntrinsicCall) -> Option<ExprId> {
        let ty = self.context.value_ty(call.ty);
        let name = self.context.names.get(call.name);
        let is_bool = matches!(name, "__VERIFIER_nondet_bool" | "__VERIFIER_nondet__Bool")
            || self.context.is_c_bool(call.ty);
        if matches!(self.context.types.shape(call.ty), Type::Pointer(_)) {
            let text =
                format!("a pointer from `{name}` is null or points to no object of the program");
            self.context.assume(text, call.span);
        }
        self.context.comes_from_outside(call.ty);
        if let Shape::Record { .. } = self.context.shape(call.ty) {
            self.unsupported("an arbitrary record", call.span);
            return Some(self.context.pool.zero(self.context.pointer));
        }
        let var = match call.dest {
            Some(var) if self.context.vars[var.0 as usize].ty == ty => var,
            _ => self.temporary(ty, call.span),
        };
        self.havoc(var, InputKind::Nondet(call.name), is_bool, call.span);
        Some(self.read(var))
    }

    /// Any value: that equal arguments give equal ones is left out, so no violation counts that
    /// needs it.
    pub(super) fn uninterpreted(&mut self, call: &IntrinsicCall) -> Option<ExprId> {
        if let Shape::Record { .. } = self.context.shape(call.ty) {
            self.unsupported("an arbitrary record", call.span);
            return Some(self.context.pool.zero(self.context.pointer));
        }
        self.context.comes_from_outside(call.ty);
        let ty = self.context.value_ty(call.ty);
        let var = self.temporary(ty, call.span);
        let kind = InputKind::Asked {
            question: Question::Open,
            operands: Vec::new(),
        };
        let is_bool = self.context.is_c_bool(call.ty);
        self.havoc(var, kind, is_bool, call.span);
        Some(self.read(var))
    }

    pub(super) fn assume(&mut self, call: &IntrinsicCall) {
        if let Some(actual) = call.args.first() {
            let truth = self.context.pool.truth(actual.value);
            self.emit(Op::Assume(truth), call.span);
        }
    }

    /// Without a definition it is an assertion: if it fails, `reach_error` is called.
    pub(super) fn verifier_assert(&mut self, call: &IntrinsicCall) {
        let Some(actual) = call.args.first() else {
            return;
        };
        let truth = self.context.pool.truth(actual.value);
        let (holds, fails) = (self.new_node(), self.new_node());
        self.branch_on(truth, holds, fails, call.span);
        self.enter(fails);
        let function = self.context.demand_error_function("reach_error");
        let op = Op::Call {
            function,
            args: Vec::new(),
            result: None,
        };
        if !self.is_dead() {
            let stop = self.stop_node();
            self.op_to(op, stop, call.span);
        }
        self.enter(holds);
    }
}
