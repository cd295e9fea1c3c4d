//! Values of expressions, and their effects in C's order.
//!
//! A value is an expression over the state where control is when it is returned. Whoever evaluates
//! several operands saves those that a later operand's effects would change
//! ([`FunctionLowering::operands`]).

use super::condition::Exit;
use super::context::{Home, Shape};
use super::effects::Effects;
use super::frame::FunctionLowering;
use super::place::{Target, Where};
use cfa::expr::{BinOp, ExprId, UnOp, VarId};
use cfa::op::Op;
use cfa::program::Branch;
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{BinaryOp, ElementSize, Expr, ExprKind, Place, PlaceKind, UnaryOp};
use syntax::types::TypeId;

impl<'t> FunctionLowering<'_, 't> {
    /// The value of a scalar expression; of a record its address; of void anything.
    pub fn value(&mut self, expr: &'t Expr) -> ExprId {
        let span = expr.span;
        let ty = self.context.value_ty(expr.ty);
        match &expr.kind {
            ExprKind::Int(bits) | ExprKind::Float(bits) => self.context.pool.constant(*bits, ty),
            ExprKind::Load(place) => {
                let target = self.place(place);
                self.load(target, span)
            }
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::FunctionAddress(id) => {
                let function = self.context.demand(*id);
                if let Some(guards) = &mut self.frame.guards
                    && !self.context.homes.function_objects.contains_key(&function)
                {
                    // The program does not take its address, and an expression about it cannot.
                    guards.failed = true;
                    return self.context.pool.zero(ty);
                }
                let object = self.context.function_object(function);
                self.context.object_address(object)
            }
            ExprKind::LabelAddress(label) => {
                let labels = self.frame.body.map_or(&[][..], |body| &body.address_labels);
                let position = labels.iter().position(|other| other == label);
                let number = position.map_or(0, |position| position as u128 + 1);
                self.context.pool.constant(number, ty)
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let a = self.value(a);
                self.context.pool.unary(UnOp::Neg, a)
            }
            ExprKind::Unary(UnaryOp::BitNot, a) => {
                let a = self.value(a);
                self.context.pool.unary(UnOp::BitNot, a)
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Compare(..) => {
                let truth = self.truth(expr);
                self.context.pool.convert(truth, ty)
            }
            ExprKind::Binary(op, a, b) => {
                let op = binary_op(*op);
                let [a, b] = self.symmetric_operands(a, b, op.is_commutative());
                self.computed(op, a, b)
            }
            ExprKind::And(_, right) | ExprKind::Or(_, right) if self.needs_no_branch(right) => {
                let truth = self.truth(expr);
                self.context.pool.convert(truth, ty)
            }
            ExprKind::Conditional(test, a, b) if self.is_selection(expr, a, b) => {
                let test = self.truth(test);
                let (a, b) = (self.value(a), self.value(b));
                let otherwise = self.context.pool.not(test);
                let (a, b) = (self.guarded(a, test), self.guarded(b, otherwise));
                self.context.pool.ite(test, a, b)
            }
            ExprKind::Elvis { value, otherwise }
                if self.needs_no_branch(otherwise)
                    && self.context.shape(expr.ty) == Shape::Scalar(ty) =>
            {
                let value = self.value(value);
                let test = self.context.pool.truth(value);
                let otherwise = self.value(otherwise);
                let absent = self.context.pool.not(test);
                let otherwise = self.guarded(otherwise, absent);
                self.context.pool.ite(test, value, otherwise)
            }
            ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Conditional(..)
            | ExprKind::Elvis { .. } => {
                if self.context.shape(expr.ty) == Shape::Void {
                    self.effect(expr);
                    return self.nothing();
                }
                let var = self.temporary(ty, span);
                self.value_into(var, expr);
                self.read(var)
            }
            ExprKind::PointerOffset {
                pointer,
                index,
                element,
                subtract,
            } => {
                let [pointer, index] = self.operands([pointer, index]);
                self.move_pointer(pointer, index, element, *subtract)
            }
            ExprKind::PointerDifference {
                left,
                right,
                element,
            } => {
                let [left, right] = self.operands([left, right]);
                let size = self.element_size(element);
                let pool = &mut self.context.pool;
                let distance = pool.sub(left, right);
                let (distance, size) = (pool.convert(distance, ty), pool.convert(size, ty));
                pool.binary(BinOp::Div, distance, size)
            }
            ExprKind::Convert(inner) => {
                self.context.note_conversion(inner, expr.ty);
                self.conversion(inner, expr.ty)
            }
            ExprKind::Assign(place, value) => self.assign(place, value, true, span),
            ExprKind::CompoundAssign {
                op,
                place,
                value,
                compute,
            } => self.compound_assign(*op, place, value, *compute, true, span),
            ExprKind::CompoundPointer {
                place,
                index,
                element,
                subtract,
            } => self.compound_pointer(place, index, element, *subtract, true, span),
            ExprKind::IncDec {
                place,
                decrement,
                postfix,
                element,
            } => self.step(place, *decrement, *postfix, element.as_ref(), true, span),
            ExprKind::Call { callee, args } => self
                .call(expr, callee, args, None, true)
                .unwrap_or_else(|| self.nothing()),
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr),
            ExprKind::Comma(left, right) => {
                self.effect(left);
                self.value(right)
            }
            ExprKind::Statements(block) => {
                self.block_value(block).unwrap_or_else(|| self.nothing())
            }
            ExprKind::VaArg(place) => self.next_argument(place, expr.ty, span),
            ExprKind::VlaSize { vla, element } => {
                let size = self.element_size(element);
                let var = self.context.typed.vlas[vla.0 as usize];
                let length = self.read_hidden(var);
                self.context.pool.mul(length, size)
            }
        }
    }

    /// The value of what has none.
    pub fn nothing(&mut self) -> ExprId {
        self.context.pool.zero(Ty::I32)
    }

    /// A conditional expression that needs no control flow.
    fn is_selection(&self, expr: &Expr, a: &Expr, b: &Expr) -> bool {
        matches!(self.context.shape(expr.ty), Shape::Scalar(_))
            && self.needs_no_branch(a)
            && self.needs_no_branch(b)
    }

    /// Evaluates the expression and assigns its value to the variable, as the last thing done. The
    /// types agree.
    pub fn value_into(&mut self, var: VarId, expr: &'t Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::And(_, right) | ExprKind::Or(_, right) if !self.is_total(right) => {
                let (yes, no, after) = (self.new_node(), self.new_node(), self.new_node());
                self.condition(expr, Exit::plain(yes), Exit::plain(no));
                let ty = self.context.vars[var.0 as usize].ty;
                for (node, value) in [(yes, 1), (no, 0)] {
                    self.enter(node);
                    let value = self.context.pool.constant(value, ty);
                    self.emit(Op::Assign(var, value), span);
                    self.go(after, span);
                }
                self.enter(after);
            }
            ExprKind::Conditional(test, a, b) if !self.is_selection(expr, a, b) => {
                self.one_of(test, [a, b], span, |lowering, branch| {
                    lowering.value_into(var, branch);
                });
            }
            ExprKind::Elvis { value, otherwise } if !self.is_total(otherwise) => {
                let value = self.value(value);
                let value = self.save(value, span);
                let test = self.context.pool.truth(value);
                let (yes, no, after) = (self.new_node(), self.new_node(), self.new_node());
                self.split(
                    test,
                    self.side(yes, span, true),
                    self.side(no, span, false),
                    span,
                );
                self.enter(yes);
                self.emit(Op::Assign(var, value), span);
                self.go(after, span);
                self.enter(no);
                if !self.is_dead() {
                    self.value_into(var, otherwise);
                }
                self.go(after, span);
                self.enter(after);
            }
            ExprKind::Call { callee, args } => {
                let value = self.call(expr, callee, args, Some(var), true);
                if let Some(value) = value
                    && value != self.read(var)
                {
                    self.emit(Op::Assign(var, value), span);
                }
            }
            ExprKind::Comma(left, right) => {
                self.effect(left);
                self.value_into(var, right);
            }
            // A conversion that changes no bit (of pointers above all).
            ExprKind::Convert(inner)
                if self.context.shape(inner.ty) == self.context.shape(expr.ty)
                    && !self.context.is_c_bool(expr.ty) =>
            {
                self.context.note_conversion(inner, expr.ty);
                self.value_into(var, inner);
            }
            _ => {
                let value = self.value(expr);
                self.emit(Op::Assign(var, value), span);
            }
        }
    }

    fn side(&self, target: super::graph::Node, statement: Span, taken: bool) -> Exit {
        Exit {
            target,
            branch: Some(Branch { statement, taken }),
        }
    }

    /// Evaluates the first branch where the test holds, and the second one where it does not.
    fn one_of(
        &mut self,
        test: &'t Expr,
        branches: [&'t Expr; 2],
        span: Span,
        mut evaluate: impl FnMut(&mut Self, &'t Expr),
    ) {
        let after = self.new_node();
        let (yes, no) = (self.new_node(), self.new_node());
        self.condition(test, self.side(yes, span, true), self.side(no, span, false));
        for (node, branch) in [yes, no].into_iter().zip(branches) {
            self.enter(node);
            if !self.is_dead() {
                evaluate(self, branch);
            }
            self.go(after, span);
        }
        self.enter(after);
    }

    /// Evaluates the expression for what it does.
    pub fn effect(&mut self, expr: &'t Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Assign(place, value) => {
                self.assign(place, value, false, span);
            }
            ExprKind::CompoundAssign {
                op,
                place,
                value,
                compute,
            } => {
                self.compound_assign(*op, place, value, *compute, false, span);
            }
            ExprKind::CompoundPointer {
                place,
                index,
                element,
                subtract,
            } => {
                self.compound_pointer(place, index, element, *subtract, false, span);
            }
            ExprKind::IncDec {
                place,
                decrement,
                postfix,
                element,
            } => {
                self.step(place, *decrement, *postfix, element.as_ref(), false, span);
            }
            ExprKind::Call { callee, args } => {
                let result = self.call(expr, callee, args, None, false);
                if let Some(result) = result {
                    self.evaluate(result, span);
                }
            }
            ExprKind::Comma(left, right) => {
                self.effect(left);
                self.effect(right);
            }
            // A float may be too large for another format.
            ExprKind::Convert(inner)
                if !matches!(self.context.shape(expr.ty), Shape::Scalar(Ty::Float(_))) =>
            {
                self.effect(inner);
            }
            ExprKind::Statements(block) => self.block(block),
            ExprKind::Load(_)
                if let Shape::Record { size, align } = self.context.shape(expr.ty) =>
            {
                let source = self.value(expr);
                let object = self.hidden_object("unused", size, align, Some(expr.ty), span);
                let target = self.context.object_address(object);
                self.copy(target, source, size, span);
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right)
                if !Effects::of(self.context, right).is_none() =>
            {
                let (further, after) = (self.new_node(), self.new_node());
                let (yes, no) = match expr.kind {
                    ExprKind::And(..) => (further, after),
                    _ => (after, further),
                };
                self.condition(left, self.side(yes, span, true), self.side(no, span, false));
                self.enter(further);
                if !self.is_dead() {
                    self.effect(right);
                }
                self.go(after, span);
                self.enter(after);
            }
            ExprKind::Conditional(test, a, b) if !self.is_selection(expr, a, b) => {
                self.one_of(test, [a, b], span, Self::effect);
            }
            _ => {
                let value = self.value(expr);
                self.evaluate(value, span);
            }
        }
    }

    /// A value that nobody takes: C evaluates it, and where that can go wrong, so do we.
    pub fn evaluate(&mut self, value: ExprId, span: Span) {
        if !self.context.pool.is_droppable(value) {
            let var = self.temporary(self.context.pool.ty(value), span);
            self.emit(Op::Assign(var, value), span);
        }
    }

    /// Values of operands evaluated in the given order, each as it was when its turn came.
    pub fn operands<const N: usize>(&mut self, exprs: [&'t Expr; N]) -> [ExprId; N] {
        let values = self.sequence(&exprs);
        std::array::from_fn(|index| values[index])
    }

    /// As [`FunctionLowering::operands`]; but where gcc may swap the operands, it reads a variable
    /// last.
    pub fn symmetric_operands(&mut self, a: &'t Expr, b: &'t Expr, may_swap: bool) -> [ExprId; 2] {
        if may_swap && self.is_variable(a) && !self.is_variable(b) {
            let [b, a] = self.operands([b, a]);
            return [a, b];
        }
        self.operands([a, b])
    }

    /// A variable's value, through conversions that keep its width.
    fn is_variable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load(place) => matches!(place.kind, PlaceKind::Var(_)),
            ExprKind::Convert(inner) => {
                let width = |ty| self.context.value_ty(ty).width();
                width(inner.ty) == width(expr.ty) && self.is_variable(inner)
            }
            _ => false,
        }
    }

    pub fn sequence(&mut self, exprs: &[&'t Expr]) -> Vec<ExprId> {
        // What the operands behind each one may change.
        let mut later: Vec<Effects> = Vec::with_capacity(exprs.len());
        let mut so_far = Effects::default();
        for expr in exprs.iter().skip(1).rev() {
            so_far.merge(&Effects::of(self.context, expr));
            later.push(so_far.clone());
        }
        later.reverse();
        let mut values = Vec::with_capacity(exprs.len());
        for (index, expr) in exprs.iter().enumerate() {
            let mut value = self.value(expr);
            if later
                .get(index)
                .is_some_and(|effects| effects.touch(self.context, value))
            {
                value = self.save(value, expr.span);
            }
            values.push(value);
        }
        values
    }

    fn conversion(&mut self, inner: &'t Expr, to: TypeId) -> ExprId {
        if self.context.is_c_bool(to) {
            let truth = self.truth(inner);
            return self.context.pool.convert(truth, Ty::U8);
        }
        match (self.context.shape(inner.ty), self.context.shape(to)) {
            (_, Shape::Void) => {
                self.effect(inner);
                self.nothing()
            }
            (Shape::Scalar(_), Shape::Scalar(ty)) => {
                if let Some(bits) = self.context.constant_as_integer(inner, to) {
                    return self.context.pool.constant(bits, ty);
                }
                // Truth values convert straight to the target, without passing through `int`.
                let is_truth = matches!(
                    inner.kind,
                    ExprKind::Compare(..) | ExprKind::Unary(UnaryOp::Not, _)
                );
                let value = if is_truth {
                    self.truth(inner)
                } else {
                    self.value(inner)
                };
                self.context.pool.convert(value, ty)
            }
            (Shape::Record { .. }, Shape::Record { .. }) => self.value(inner),
            // GNU's cast of a member's value to its union.
            (Shape::Scalar(_), Shape::Record { size, align }) => {
                let value = self.value(inner);
                let object = self.hidden_object("union_value", size, align, Some(to), inner.span);
                let address = self.context.object_address(object);
                self.store(address, value, inner.span);
                address
            }
            _ => {
                self.effect(inner);
                self.unsupported("a conversion between these types", inner.span);
                self.context.pool.zero(self.context.pointer)
            }
        }
    }

    /// C's conversion of a scalar value to a scalar type.
    pub fn convert_to(&mut self, value: ExprId, to: TypeId) -> ExprId {
        if self.context.is_c_bool(to) {
            let truth = self.context.pool.truth(value);
            return self.context.pool.convert(truth, Ty::U8);
        }
        let ty = self.context.value_ty(to);
        self.context.pool.convert(value, ty)
    }

    fn address_of(&mut self, place: &'t Place) -> ExprId {
        let target = self.place(place);
        match target.place {
            Where::Memory(address) => address,
            Where::Variable(_) => {
                // The checker marks what has its address taken, so this is a bug, not a program's
                // error.
                self.unsupported("the address of a variable without an address", place.span);
                self.context.pool.zero(self.context.pointer)
            }
        }
    }

    // Assignments.

    fn assign(&mut self, place: &'t Place, value: &'t Expr, wanted: bool, span: Span) -> ExprId {
        match self.context.shape(place.ty) {
            Shape::Scalar(_) => {}
            Shape::Record { size, .. } => {
                let target = self.record_target(place, value);
                let source = self.value(value);
                self.copy(target, source, size, span);
                return target;
            }
            Shape::Void => {
                self.effect(value);
                return self.nothing();
            }
        }
        let mut target = self.place(place);
        if let Where::Variable(var) = target.place {
            self.value_into(var, value);
            return self.read(var);
        }
        self.protect(&mut target, &Effects::of(self.context, value), place.span);
        let value = self.value(value);
        self.write(target, value, wanted, span)
    }

    fn record_target(&mut self, place: &'t Place, value: &'t Expr) -> ExprId {
        let mut target = self.place(place);
        self.protect(&mut target, &Effects::of(self.context, value), place.span);
        match target.place {
            Where::Memory(address) => address,
            Where::Variable(_) => self.context.pool.zero(self.context.pointer),
        }
    }

    /// Keeps the target's address as it is now, if the effects would change it.
    fn protect(&mut self, target: &mut Target, effects: &Effects, span: Span) {
        if let Where::Memory(address) = target.place
            && effects.touch(self.context, address)
        {
            target.place = Where::Memory(self.save(address, span));
        }
    }

    /// The right side first if it changes anything (as gcc does), then place, operation and write.
    fn compound_assign(
        &mut self,
        op: BinaryOp,
        place: &'t Place,
        value: &'t Expr,
        compute: TypeId,
        wanted: bool,
        span: Span,
    ) -> ExprId {
        let (target, value) = self.place_and_value(place, value);
        let old = self.load(target, span);
        let old = self.convert_to(old, compute);
        let mut value = value;
        let pool = &mut self.context.pool;
        if !matches!(op, BinaryOp::Shl | BinaryOp::Shr) && pool.ty(value) != pool.ty(old) {
            value = pool.convert(value, pool.ty(old));
        }
        let result = self.computed(binary_op(op), old, value);
        let result = self.convert_to(result, place.ty);
        self.write(target, result, wanted, span)
    }

    /// An operator of C on promoted operands. `MIN / -1` and `MIN % -1` are undefined; gcc's code
    /// traps, except where it negates because the divisor is written as -1, and where a function
    /// divides because the machine's words are shorter.
    fn computed(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let word = self.context.pointer.width();
        let pool = &mut self.context.pool;
        let ty = pool.ty(a);
        let is_division = matches!(op, BinOp::Div | BinOp::Rem) && ty.is_int() && ty.is_signed();
        if !is_division {
            let result = pool.binary(op, a, b);
            pool.mark_sum_of_integers(result);
            return result;
        }
        let (one, minus_one) = (pool.integer(1, ty), pool.integer(-1, ty));
        let is_minus_one = pool.eq(b, minus_one);
        let by_minus_one = match pool.as_bool(is_minus_one) {
            Some(is) => is,
            None if ty.width() == 64 && word < 64 => true,
            None => false,
        };
        if !by_minus_one {
            return pool.binary(op, a, b);
        }
        let negated = pool.unary(UnOp::Neg, a);
        let result = match op {
            BinOp::Div => negated,
            // Nothing remains; that the quotient overflows stays to be seen.
            _ => {
                let zero = pool.zero(ty);
                pool.binary(BinOp::And, negated, zero)
            }
        };
        let otherwise = pool.ite(is_minus_one, one, b);
        let otherwise = pool.binary(op, a, otherwise);
        pool.ite(is_minus_one, result, otherwise)
    }

    fn place_and_value(&mut self, place: &'t Place, value: &'t Expr) -> (Target, ExprId) {
        let mut result = self.value(value);
        let effects = Effects::of_place(self.context, place);
        if effects.touch(self.context, result) {
            result = self.save(result, value.span);
        }
        (self.place(place), result)
    }

    fn compound_pointer(
        &mut self,
        place: &'t Place,
        index: &'t Expr,
        element: &'t ElementSize,
        subtract: bool,
        wanted: bool,
        span: Span,
    ) -> ExprId {
        let (target, index) = self.place_and_value(place, index);
        let old = self.load(target, span);
        let new = self.move_pointer(old, index, element, subtract);
        self.write(target, new, wanted, span)
    }

    fn step(
        &mut self,
        place: &'t Place,
        decrement: bool,
        postfix: bool,
        element: Option<&'t ElementSize>,
        wanted: bool,
        span: Span,
    ) -> ExprId {
        let target = self.place(place);
        let mut old = self.load(target, span);
        if postfix && wanted {
            old = self.save(old, span);
        }
        let new = match element {
            Some(element) => {
                let one = self.context.pool.constant(1, self.context.pointer);
                self.move_pointer(old, one, element, decrement)
            }
            None => {
                let pool = &mut self.context.pool;
                let ty = pool.ty(old);
                // Integers narrower than `int` are promoted first.
                let compute = if ty.is_int() && ty.width() < 32 {
                    Ty::I32
                } else {
                    ty
                };
                let wide = pool.convert(old, compute);
                let one = pool.integer(1, Ty::I32);
                let one = pool.convert(one, compute);
                let op = if decrement { BinOp::Sub } else { BinOp::Add };
                let result = pool.binary(op, wide, one);
                pool.mark_sum_of_integers(result);
                self.convert_to(result, place.ty)
            }
        };
        if postfix {
            self.write(target, new, false, span);
            old
        } else {
            self.write(target, new, wanted, span)
        }
    }

    // Pointers.

    pub fn element_size(&mut self, element: &ElementSize) -> ExprId {
        let pointer = self.context.pointer;
        match element {
            ElementSize::Bytes(bytes) => self.context.pool.constant((*bytes).into(), pointer),
            ElementSize::Variable { vlas, bytes } => {
                let mut size = self.context.pool.constant((*bytes).into(), pointer);
                for vla in vlas {
                    let var = self.context.typed.vlas[vla.0 as usize];
                    let length = self.read_hidden(var);
                    size = self.context.pool.mul(length, size);
                }
                size
            }
        }
    }

    /// A hidden variable of type `size_t`.
    fn read_hidden(&mut self, var: syntax::typed::VarId) -> ExprId {
        match self.home(var) {
            Home::Variable(var) => self.read(var),
            Home::Object(object) => {
                let address = self.context.object_address(object);
                let (region, ty) = (cfa::memory::RegionId::WHOLE, self.context.pointer);
                self.context.pool.load(region, address, ty)
            }
            Home::Allocated { pointer, .. } => self.read(pointer),
        }
    }

    fn move_pointer(
        &mut self,
        pointer: ExprId,
        index: ExprId,
        element: &ElementSize,
        subtract: bool,
    ) -> ExprId {
        let size = self.element_size(element);
        let ty = self.context.pointer;
        let pool = &mut self.context.pool;
        let index = pool.convert(index, ty);
        if let (Some(index), Some(size)) = (pool.as_constant(index), pool.as_constant(size)) {
            let distance = arith::int::to_signed(index.wrapping_mul(size), u32::from(ty.width()));
            return pool.offset(pointer, if subtract { -distance } else { distance });
        }
        let distance = pool.mul(index, size);
        if subtract {
            pool.sub(pointer, distance)
        } else {
            pool.add(pointer, distance)
        }
    }
}

pub(crate) fn binary_op(op: BinaryOp) -> BinOp {
    match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::Rem => BinOp::Rem,
        BinaryOp::Shl => BinOp::Shl,
        BinaryOp::Shr => BinOp::Shr,
        BinaryOp::BitAnd => BinOp::And,
        BinaryOp::BitOr => BinOp::Or,
        BinaryOp::BitXor => BinOp::Xor,
    }
}
