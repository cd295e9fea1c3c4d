//! `getopt` and its kin: what they find is any option, and where it stands is anywhere.

use super::IntrinsicCall;
use crate::{FunctionLowering, Home};
use cfa::expr::ExprId;
use cfa::op::InputKind;
use cfa::value::Ty;

impl FunctionLowering<'_, '_> {
    /// Any result; the variables that `getopt` sets have any value.
    pub(super) fn read_options(&mut self, call: &IntrinsicCall) -> ExprId {
        let span = call.span;
        let name = self.context.names.get(call.name);
        let text = format!(
            "`{name}` finds any option, stores through none of their flags and leaves the order of the arguments"
        );
        self.context.assume(text, span);
        let kind = InputKind::Library(call.name);
        for name in ["optarg", "optind", "optopt"] {
            let Some(id) = self.context.external_variable(name) else {
                continue;
            };
            match self.home(id) {
                Home::Variable(var) => self.havoc(var, kind.clone(), false, span),
                Home::Object(object) => {
                    let ty = self.context.value_ty(self.context.variable(id).ty);
                    let value = self.temporary(ty, span);
                    self.havoc(value, kind.clone(), false, span);
                    let value = self.read(value);
                    let address = self.context.object_address(object);
                    self.store(address, value, span);
                }
                Home::Allocated { .. } => {}
            }
        }
        self.store_long_index(call, &kind);
        let result = self.temporary(self.context.value_ty(call.ty), span);
        self.havoc(result, kind, false, span);
        self.read(result)
    }

    /// The fifth argument of `getopt_long`, if it is not null, gets the number of any option.
    fn store_long_index(&mut self, call: &IntrinsicCall, kind: &InputKind) {
        if call.args.len() < 5 {
            return;
        }
        let span = call.span;
        let target = self.argument_as(call, 4, self.context.pointer);
        let (there, after) = (self.new_node(), self.new_node());
        let is_there = self.context.pool.truth(target);
        self.branch_on(is_there, there, after, span);
        self.enter(there);
        if !self.is_dead() {
            let index = self.temporary(Ty::I32, span);
            self.havoc(index, kind.clone(), false, span);
            let index = self.read(index);
            self.store(target, index, span);
            self.go(after, span);
        }
        self.enter(after);
    }
}
