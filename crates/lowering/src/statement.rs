//! Statements: control flow, declarations, scopes.

use super::condition::Exit;
use super::context::{Home, Shape};
use super::effects::contains_label;
use super::frame::FunctionLowering;
use super::graph::{Action, Node};
use cfa::expr::ExprId;
use cfa::op::{Contents, Halt, InputKind, Op};
use cfa::program::{Branch, LocationKind};
use cfa::value::Ty;
use syntax::span::Span;
use syntax::typed::{self, AsmBegin, AsmStmt, Block, Case, Expr, LabelId, Stmt, StmtKind};
use syntax::types::{ArrayLen, Type, TypeId};

impl<'t> FunctionLowering<'_, 't> {
    pub fn block(&mut self, block: &'t Block) {
        self.open_block(block);
        for statement in &block.items {
            self.statement(statement);
        }
        self.close_scope(end_of(block.span));
    }

    /// The value of a statement expression: that of its last statement, if it is an expression.
    pub fn block_value(&mut self, block: &'t Block) -> Option<ExprId> {
        self.open_block(block);
        let mut value = None;
        for (index, statement) in block.items.iter().enumerate() {
            match &statement.kind {
                StmtKind::Expr(expr) if index + 1 == block.items.len() => {
                    self.mark_statement(statement.span);
                    value = match self.context.shape(expr.ty) {
                        Shape::Void => {
                            self.effect(expr);
                            None
                        }
                        Shape::Scalar(_) => {
                            let value = self.value(expr);
                            Some(self.save(value, expr.span))
                        }
                        Shape::Record { size, align } => {
                            // The block's own objects end with it, so the value moves out first.
                            let source = self.value(expr);
                            let object = self.hidden_object(
                                "block_value",
                                size,
                                align,
                                Some(expr.ty),
                                expr.span,
                            );
                            let target = self.context.object_address(object);
                            self.copy(target, source, size, expr.span);
                            Some(target)
                        }
                    };
                }
                _ => self.statement(statement),
            }
        }
        self.close_scope(end_of(block.span));
        value
    }

    fn open_block(&mut self, block: &'t Block) {
        self.open_scope();
        for &var in &block.vars {
            if !self.context.is_static(var) && self.context.known_home(var).is_none() {
                self.declare_local(var, false);
            }
        }
    }

    /// The location where control is now begins a statement.
    fn mark_statement(&mut self, span: Span) {
        if let Some(node) = self.frame.current {
            let info = &mut self.frame.graph.nodes[node as usize];
            if info.span.is_none() {
                info.span = span;
            }
        }
    }

    pub fn statement(&mut self, statement: &'t Stmt) {
        if self.is_dead() && !contains_label(statement) {
            return;
        }
        let span = statement.span;
        if !matches!(statement.kind, StmtKind::Block(_) | StmtKind::Label(_)) {
            self.mark_statement(span);
        }
        match &statement.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Declare { var, init } => self.declaration(*var, init.as_ref(), span),
            StmtKind::FixVla { vla, length } => {
                let length = self.value(length);
                let length = self.context.pool.convert(length, self.context.pointer);
                let var = self.context.typed.vlas[vla.0 as usize];
                self.write_hidden(var, length, span);
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.conditional_statement(condition, then, otherwise.as_deref(), span);
            }
            StmtKind::While { condition, body } => self.while_loop(condition, body, span),
            StmtKind::DoWhile { body, condition } => self.do_loop(body, condition, span),
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                self.for_loop(init, condition.as_deref(), step.as_deref(), body, span);
            }
            StmtKind::Switch {
                value,
                body,
                cases,
                default,
            } => {
                self.switch(value, body, cases, *default, span);
            }
            StmtKind::Label(label) => self.place_label(*label, span),
            StmtKind::Goto(label) => self.jump_to_label(*label, span),
            StmtKind::ComputedGoto(target) => self.computed_goto(target, span),
            StmtKind::Break => match self.frame.breaks.last() {
                Some(&target) => self.jump_out(target, span),
                None => self.halt(misplaced("break"), span),
            },
            StmtKind::Continue => match self.frame.continues.last() {
                Some(&target) => self.jump_out(target, span),
                None => self.halt(misplaced("continue"), span),
            },
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            StmtKind::Asm(asm) => self.assembly(asm, span),
        }
    }

    fn declaration(&mut self, var: typed::VarId, init: Option<&'t typed::Init>, span: Span) {
        let variable = self.context.variable(var);
        match self.home(var) {
            Home::Variable(id) => match init {
                Some(init) => self.initialise_variable(id, variable.ty, init, span),
                None => self.emit_action(Action::Forget(id), span),
            },
            // The object is fresh: its scope was entered.
            Home::Object(object) => {
                if let Some(init) = init {
                    let address = self.context.object_address(object);
                    self.initialise_object(address, variable.ty, init, false, span);
                }
            }
            Home::Allocated { pointer, object } => {
                self.array_declared(object);
                let size = self.size_of(variable.ty);
                let size = self.within(size, super::builtin::MAX_ON_STACK, span);
                let contents = Contents::Arbitrary;
                self.emit(
                    Op::Allocate {
                        target: pointer,
                        object,
                        size,
                        contents,
                    },
                    span,
                );
            }
        }
    }

    fn write_hidden(&mut self, var: typed::VarId, value: ExprId, span: Span) {
        match self.home(var) {
            Home::Variable(id) => self.emit(Op::Assign(id, value), span),
            Home::Object(object) => {
                let address = self.context.object_address(object);
                self.store(address, value, span);
            }
            Home::Allocated { .. } => {}
        }
    }

    /// The size of a type in bytes, where need be computed from the lengths of variable-length
    /// arrays.
    pub fn size_of(&mut self, ty: TypeId) -> ExprId {
        let mut vlas = Vec::new();
        let mut bytes: u64 = 1;
        let mut ty = ty;
        loop {
            match *self.context.types.shape(ty) {
                Type::Array {
                    element,
                    len: ArrayLen::Variable(vla),
                } => {
                    vlas.push(vla);
                    ty = element;
                }
                Type::Array {
                    element,
                    len: ArrayLen::Fixed(count),
                } => {
                    bytes = bytes.wrapping_mul(count);
                    ty = element;
                }
                _ => break,
            }
        }
        bytes = bytes.wrapping_mul(self.context.types.size_of(ty).unwrap_or(1));
        self.element_size(&typed::ElementSize::Variable { vlas, bytes })
    }

    fn conditional_statement(
        &mut self,
        condition: &'t Expr,
        then: &'t Stmt,
        otherwise: Option<&'t Stmt>,
        span: Span,
    ) {
        let (yes, after) = (self.new_node(), self.new_node());
        let no = if otherwise.is_some() {
            self.new_node()
        } else {
            after
        };
        self.branch(condition, yes, no, span);
        self.enter(yes);
        self.statement(then);
        self.go(after, span);
        if let Some(otherwise) = otherwise {
            self.enter(no);
            self.statement(otherwise);
            self.go(after, span);
        }
        self.enter(after);
    }

    /// Both sides of a branching statement.
    fn branch(&mut self, condition: &'t Expr, yes: Node, no: Node, statement: Span) {
        let exit = |target, taken| Exit {
            target,
            branch: Some(Branch { statement, taken }),
        };
        self.condition(condition, exit(yes, true), exit(no, false));
    }

    /// Two ways on the value of a truth value that no source text branches on.
    pub fn branch_on(&mut self, truth: ExprId, yes: Node, no: Node, span: Span) {
        self.split(truth, Exit::plain(yes), Exit::plain(no), span);
    }

    /// The node where a loop begins. It is alive even if control only comes in by jumps to inside.
    fn loop_head(&mut self, span: Span) -> Node {
        let head = self.new_node();
        self.go(head, span);
        let info = &mut self.frame.graph.nodes[head as usize];
        info.kind = LocationKind::LoopHead;
        info.span = span;
        self.frame.current = Some(head);
        head
    }

    /// A loop statement without a way back is none.
    fn settle_loop_head(&mut self, head: Node, arrivals_before: u32) {
        if self.arrivals(head) == arrivals_before {
            self.frame.graph.nodes[head as usize].kind = LocationKind::Ordinary;
        }
    }

    fn while_loop(&mut self, condition: &'t Expr, body: &'t Stmt, span: Span) {
        let head = self.loop_head(span);
        let before = self.arrivals(head);
        let (inside, after) = (self.new_node(), self.new_node());
        self.branch(condition, inside, after, span);
        self.enter(inside);
        self.loop_body(body, after, head);
        self.go(head, span);
        self.settle_loop_head(head, before);
        self.enter(after);
    }

    fn loop_body(&mut self, body: &'t Stmt, after: Node, again: Node) {
        self.frame.breaks.push(self.jump_target(after));
        self.frame.continues.push(self.jump_target(again));
        self.statement(body);
        self.frame.continues.pop();
        self.frame.breaks.pop();
    }

    fn do_loop(&mut self, body: &'t Stmt, condition: &'t Expr, span: Span) {
        let head = self.loop_head(span);
        let before = self.arrivals(head);
        let (test, after) = (self.new_node(), self.new_node());
        self.loop_body(body, after, test);
        self.go(test, span);
        self.enter(test);
        self.branch(condition, head, after, span);
        self.settle_loop_head(head, before);
        self.enter(after);
    }

    fn for_loop(
        &mut self,
        init: &'t [Stmt],
        condition: Option<&'t Expr>,
        step: Option<&'t Expr>,
        body: &'t Stmt,
        span: Span,
    ) {
        for statement in init {
            self.statement(statement);
        }
        let head = self.loop_head(span);
        let before = self.arrivals(head);
        let (inside, again, after) = (self.new_node(), self.new_node(), self.new_node());
        match condition {
            Some(condition) => self.branch(condition, inside, after, span),
            None => self.go(inside, span),
        }
        self.enter(inside);
        self.loop_body(body, after, again);
        self.go(again, span);
        self.enter(again);
        if let Some(step) = step {
            self.mark_statement(step.span);
            self.effect(step);
        }
        self.go(head, span);
        self.settle_loop_head(head, before);
        self.enter(after);
    }

    /// A chain of comparisons, each case's edge under the span of its `case`; default takes what is
    /// left.
    fn switch(
        &mut self,
        value: &'t Expr,
        body: &'t Stmt,
        cases: &'t [Case],
        default: Option<LabelId>,
        span: Span,
    ) {
        let after = self.new_node();
        let value = self.value(value);
        if cases.is_empty() {
            self.evaluate(value, span);
        }
        for case in cases {
            let matches = self.matches_case(value, case);
            let (hit, miss) = (self.new_node(), self.new_node());
            let exit = |target, taken| Exit {
                target,
                branch: Some(Branch {
                    statement: case.span,
                    taken,
                }),
            };
            self.split(matches, exit(hit, true), exit(miss, false), case.span);
            self.enter(hit);
            self.jump_to_label(case.label, case.span);
            self.enter(miss);
        }
        match default {
            Some(label) => self.jump_to_label(label, span),
            None => self.go(after, span),
        }
        self.frame.breaks.push(self.jump_target(after));
        self.statement(body);
        self.frame.breaks.pop();
        self.go(after, span);
        self.enter(after);
    }

    fn matches_case(&mut self, value: ExprId, case: &Case) -> ExprId {
        let pool = &mut self.context.pool;
        let ty = pool.ty(value);
        let low = pool.constant(case.low, ty);
        if case.low == case.high {
            return pool.eq(value, low);
        }
        let high = pool.constant(case.high, ty);
        let (above, below) = (pool.le(low, value), pool.le(value, high));
        pool.and(above, below)
    }

    /// `goto *e`: a choice over the labels whose address is taken.
    fn computed_goto(&mut self, target: &'t Expr, span: Span) {
        let target = self.value(target);
        let labels = self.frame.body.map_or(&[][..], |body| &body.address_labels);
        for (index, &label) in labels.iter().enumerate() {
            let pool = &mut self.context.pool;
            let number = pool.constant(index as u128 + 1, pool.ty(target));
            let matches = pool.eq(target, number);
            let (hit, miss) = (self.new_node(), self.new_node());
            self.split(matches, Exit::plain(hit), Exit::plain(miss), span);
            self.enter(hit);
            self.jump_to_label(label, span);
            self.enter(miss);
        }
        self.halt(
            Halt::Undefined("a computed goto to something other than a label".to_owned()),
            span,
        );
    }

    fn return_statement(&mut self, value: Option<&'t Expr>, span: Span) {
        let unit = self.context.unit(self.frame.function);
        let (result, shape) = (unit.result, unit.signature.result);
        match (value, shape) {
            (Some(value), Shape::Scalar(ty)) => {
                if let Some(result) = result {
                    if self.context.shape(value.ty) == shape {
                        self.value_into(result, value);
                    } else {
                        let value = self.value(value);
                        let value = self.context.pool.convert(value, ty);
                        self.emit(Op::Assign(result, value), span);
                    }
                }
            }
            (Some(value), Shape::Record { size, .. }) => {
                let source = self.value(value);
                if let Some(target) = self.context.unit(self.frame.function).record_result() {
                    let target = self.read(target);
                    self.copy(target, source, size, span);
                }
            }
            (Some(value), Shape::Void) => self.effect(value),
            (None, _) => self.forget_result(span),
        }
        self.jump_to_return(span);
    }

    /// The function returns without saying what: the result is arbitrary (of `main`: zero).
    pub fn forget_result(&mut self, span: Span) {
        let unit = self.context.unit(self.frame.function);
        let Some(result) = unit.result else { return };
        let is_main = self.context.names.get(unit.name) == "main";
        let ty = self.context.vars[result.0 as usize].ty;
        if is_main {
            let zero = self.context.pool.zero(ty);
            self.emit(Op::Assign(result, zero), span);
        } else {
            self.emit_action(Action::Forget(result), span);
        }
    }

    fn assembly(&mut self, asm: &'t AsmStmt, span: Span) {
        if asm.has_labels {
            return self.unsupported("inline assembly with labels", span);
        }
        if asm.template.iter().all(|byte| b" \t\n;".contains(byte)) {
            return self.assembly_without_instructions(asm, span);
        }
        // Without a clobber of memory the compiler relies on it that nothing but the outputs
        // changes. A clobber is mostly there as a barrier, or because an instruction reads a
        // device; memory of the program is reached by a pointer.
        let changes_memory = asm.takes_pointer && asm.clobbers_memory;
        if changes_memory && !self.context.options.havoc_asm {
            return self.unsupported("inline assembly that changes memory behind a pointer", span);
        }
        for input in &asm.inputs {
            self.effect(input);
        }
        for output in &asm.outputs {
            let target = self.place(output);
            let Shape::Scalar(ty) = self.context.shape(output.ty) else {
                return self.unsupported("inline assembly with a record as output", span);
            };
            let var = self.temporary(ty, span);
            let is_bool = self.context.is_c_bool(output.ty);
            self.havoc(var, InputKind::Assembly, is_bool, span);
            let value = self.read(var);
            self.write(target, value, false, span);
        }
        if asm.outputs.is_empty() && may_not_come_back(&asm.template) {
            // A proof holds either way; a violation behind it counts as one that needs its outputs.
            let var = self.temporary(Ty::U8, span);
            self.havoc(var, InputKind::Assembly, false, span);
        }
        if !self.is_dead() {
            let text = match (asm.outputs.is_empty(), asm.clobbers_memory) {
                (true, false) => "inline assembly without outputs does nothing",
                (true, true) => "inline assembly without outputs changes no memory",
                (false, _) => "inline assembly changes only its outputs, which get any value",
            };
            self.context.assumptions.push(cfa::program::Assumption {
                text: text.to_owned(),
                span,
            });
        }
    }
}

/// Inline assembly whose template is empty: it only keeps the compiler from knowing a value.
impl<'t> FunctionLowering<'_, 't> {
    fn assembly_without_instructions(&mut self, asm: &'t AsmStmt, span: Span) {
        let mut inputs = vec![None; asm.inputs.len()];
        for (number, input) in asm.inputs.iter().enumerate() {
            if asm.begins_with.contains(&AsmBegin::Input(number))
                && matches!(self.context.shape(input.ty), Shape::Scalar(_))
            {
                let value = self.value(input);
                inputs[number] = Some(self.save(value, span));
            } else {
                self.effect(input);
            }
        }
        let mut results = Vec::with_capacity(asm.outputs.len());
        for (output, begin) in asm.outputs.iter().zip(&asm.begins_with) {
            if *begin == AsmBegin::Itself {
                self.place(output);
                continue;
            }
            let Shape::Scalar(ty) = self.context.shape(output.ty) else {
                return self.unsupported("inline assembly with a record as output", span);
            };
            let kept = match *begin {
                AsmBegin::Itself | AsmBegin::Anything => None,
                // What a wider register holds beyond its input is open.
                AsmBegin::Input(input) => inputs[input].and_then(|value| {
                    let pool = &mut self.context.pool;
                    let from = pool.ty(value);
                    let is_low_part = from.is_int() && ty.is_int() && from.width() > ty.width();
                    (from == ty || is_low_part).then(|| pool.convert(value, ty))
                }),
            };
            let value = kept.unwrap_or_else(|| {
                let var = self.temporary(ty, span);
                let is_bool = self.context.is_c_bool(output.ty);
                self.havoc(var, InputKind::Assembly, is_bool, span);
                self.read(var)
            });
            results.push((output, value));
        }
        for (output, value) in results {
            let target = self.place(output);
            self.write(target, value, false, span);
        }
    }
}

/// Whether an instruction in the assembly jumps, traps or asks the system for something.
fn may_not_come_back(template: &[u8]) -> bool {
    let mut words = template.split(|byte| !byte.is_ascii_alphanumeric());
    words.any(|word| {
        let word = word.to_ascii_lowercase();
        match word.as_slice() {
            b"ud0" | b"ud1" | b"ud2" | b"hlt" | b"int" | b"int1" | b"int3" | b"into" => true,
            b"syscall" | b"sysenter" | b"sysret" | b"sysexit" => true,
            b"call" | b"callq" | b"calll" | b"ret" | b"retq" | b"retl" | b"iret" | b"iretq" => true,
            [b'l', b'o', b'o', b'p', rest @ ..] => rest.len() <= 2,
            [b'j', rest @ ..] => (1..=4).contains(&rest.len()),
            _ => false,
        }
    })
}

fn misplaced(what: &str) -> Halt {
    Halt::Undefined(format!("{what} outside of a loop"))
}

fn end_of(span: Span) -> Span {
    if span.is_none() {
        span
    } else {
        Span::new(span.hi.saturating_sub(1), span.hi)
    }
}
