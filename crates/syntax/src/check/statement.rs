//! Statements, labels and jumps.

use super::function::{LabelState, Switch};
use super::operand::Operand;
use super::{Checker, Outcome};
use crate::ast::{self, BlockItem, ForInit};
use crate::constant::{self, Constant};
use crate::diagnostics::Diagnostic;
use crate::span::{Name, Span};
use crate::typed::{AsmBegin, AsmStmt, Block, Case, Label, LabelId, Stmt, StmtKind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// A compound statement with a scope of its own.
    pub(super) fn block(&mut self, block: &ast::Block) -> Block {
        self.open_block(block.span, false);
        let mut items = Vec::with_capacity(block.items.len());
        self.block_items(block, &mut items);
        self.close_block(items, block.span)
    }

    pub(super) fn open_block(&mut self, span: Span, is_loop: bool) {
        self.scopes.enter(span, is_loop);
        if let Some(context) = &mut self.function {
            context.block_vars.push(Vec::new());
        }
    }

    pub(super) fn close_block(&mut self, items: Vec<Stmt>, span: Span) -> Block {
        self.scopes.leave();
        let vars = match &mut self.function {
            Some(context) => context.block_vars.pop().unwrap_or_default(),
            None => Vec::new(),
        };
        Block { vars, items, span }
    }

    /// The items of a block in the scope that is open.
    pub(super) fn block_items(&mut self, block: &ast::Block, out: &mut Vec<Stmt>) {
        let local_labels = self
            .function
            .as_ref()
            .map_or(0, |context| context.local_labels.len());
        for item in &block.items {
            // Whoever fails has said so; the next item may still be checked.
            let _: Outcome<()> = match item {
                BlockItem::Declaration(declaration) => self.local_declaration(declaration, out),
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::Statement(statement) => self.statement(statement, out),
                BlockItem::NestedFunction(function) => self.nested_function(function),
            };
        }
        self.end_local_labels(local_labels);
    }

    /// A statement where C has room for one only.
    fn single(&mut self, statement: &ast::Stmt) -> Outcome<Box<Stmt>> {
        let mut items = Vec::with_capacity(1);
        let result = self.statement(statement, &mut items);
        result?;
        let span = statement.span;
        Ok(Box::new(match items.len() {
            1 => items.swap_remove(0),
            0 => Stmt {
                kind: StmtKind::Empty,
                span,
            },
            _ => Stmt {
                kind: StmtKind::Block(Block {
                    vars: Vec::new(),
                    items,
                    span,
                }),
                span,
            },
        }))
    }

    /// Adds what a statement becomes to `out`: labels are statements of their own.
    fn statement(&mut self, statement: &ast::Stmt, out: &mut Vec<Stmt>) -> Outcome<()> {
        self.deeper(statement.span, |checker| {
            checker.statement_inner(statement, out)
        })
    }

    fn statement_inner(&mut self, statement: &ast::Stmt, out: &mut Vec<Stmt>) -> Outcome<()> {
        let span = statement.span;
        let kind = match &statement.kind {
            ast::StmtKind::Empty => StmtKind::Empty,
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.value(expr)?.expr),
            ast::StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            ast::StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                return self.if_chain(condition, then, otherwise.as_deref(), span, out);
            }
            ast::StmtKind::While { condition, body } => {
                let condition = self.condition_of(condition);
                let body = self.loop_body(body);
                StmtKind::While {
                    condition: condition?,
                    body: body?,
                }
            }
            ast::StmtKind::DoWhile { body, condition } => {
                let body = self.loop_body(body);
                StmtKind::DoWhile {
                    body: body?,
                    condition: self.condition_of(condition)?,
                }
            }
            ast::StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                return self.for_statement(
                    init.as_deref(),
                    condition.as_deref(),
                    step.as_deref(),
                    body,
                    span,
                    out,
                );
            }
            ast::StmtKind::Switch { value, body } => self.switch(value, body)?,
            ast::StmtKind::Case { low, high, body } => {
                let result = self.case(low, high.as_deref(), span, out);
                return result.and(self.statement(body, out));
            }
            ast::StmtKind::Default(body) => {
                let result = self.default(span, out);
                return result.and(self.statement(body, out));
            }
            ast::StmtKind::Label { label, body } => {
                let result = self.define_label(label, out);
                return result.and(self.statement(body, out));
            }
            ast::StmtKind::Goto(label) => {
                if self.jump_out(label, out) {
                    return Ok(());
                }
                StmtKind::Goto(self.label(label)?)
            }
            ast::StmtKind::ComputedGoto(expr) => {
                let value = self.value(expr)?.expr;
                if !self.types().is_pointer(value.ty) {
                    return self.error(expr.span, "computed goto must be pointer type");
                }
                StmtKind::ComputedGoto(self.convert(value, TypeId::VOID_POINTER))
            }
            ast::StmtKind::Break => {
                if self
                    .function
                    .as_ref()
                    .is_none_or(|context| context.breakable == 0)
                {
                    return self.error(span, "break statement not within loop or switch");
                }
                StmtKind::Break
            }
            ast::StmtKind::Continue => {
                if self
                    .function
                    .as_ref()
                    .is_none_or(|context| context.continuable == 0)
                {
                    return self.error(span, "continue statement not within a loop");
                }
                StmtKind::Continue
            }
            ast::StmtKind::Return(value) => {
                return self.return_statement(value.as_ref(), span, out);
            }
            ast::StmtKind::LocalLabels(labels) => {
                for label in labels {
                    self.declare_local_label(label);
                }
                return Ok(());
            }
            ast::StmtKind::Asm(asm) => StmtKind::Asm(Box::new(self.asm(asm)?)),
        };
        out.push(Stmt { kind, span });
        Ok(())
    }

    /// `if … else if … else`: the chain is followed without recursion, generated code has long
    /// ones.
    fn if_chain(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Stmt,
        otherwise: Option<&ast::Stmt>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Outcome<()> {
        let mut arms = Vec::new();
        let (mut condition, mut then, mut otherwise, mut span) = (condition, then, otherwise, span);
        let mut result = Ok(());
        let last = loop {
            let tested = self.condition_of(condition);
            let taken = self.single(then);
            match (tested, taken) {
                (Ok(tested), Ok(taken)) => arms.push((tested, taken, span)),
                _ => result = Err(super::Reported),
            }
            match otherwise {
                None => break None,
                Some(ast::Stmt {
                    kind:
                        ast::StmtKind::If {
                            condition: c,
                            then: t,
                            otherwise: o,
                        },
                    span: s,
                }) => {
                    (condition, then, otherwise, span) = (c, t, o.as_deref(), *s);
                }
                Some(statement) => break Some(self.single(statement)?),
            }
        };
        result?;
        let mut chain = last;
        while let Some((condition, then, span)) = arms.pop() {
            let kind = StmtKind::If {
                condition,
                then,
                otherwise: chain,
            };
            chain = Some(Box::new(Stmt { kind, span }));
        }
        out.extend(chain.map(|first| *first));
        Ok(())
    }

    fn condition_of(&mut self, expr: &ast::Expr) -> Outcome<crate::typed::Expr> {
        let value = self.value(expr)?;
        self.condition(value)
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Outcome<Box<Stmt>> {
        if let Some(context) = &mut self.function {
            context.breakable += 1;
            context.continuable += 1;
        }
        let result = self.single(body);
        if let Some(context) = &mut self.function {
            context.breakable -= 1;
            context.continuable -= 1;
        }
        result
    }

    fn for_statement(
        &mut self,
        init: Option<&ForInit>,
        condition: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Outcome<()> {
        let declares = matches!(init, Some(ForInit::Declaration(_)));
        if declares {
            self.open_block(span, true);
        }
        let mut first = Vec::new();
        let started = match init {
            None => Ok(()),
            Some(ForInit::Declaration(declaration)) => {
                self.local_declaration(declaration, &mut first)
            }
            Some(ForInit::Expr(expr)) => self.value(expr).map(|value| {
                first.push(Stmt {
                    kind: StmtKind::Expr(value.expr),
                    span: expr.span,
                });
            }),
        };
        let condition = condition
            .map(|expr| self.condition_of(expr).map(Box::new))
            .transpose();
        let step = step
            .map(|expr| self.value(expr).map(|value| Box::new(value.expr)))
            .transpose();
        let body = self.loop_body(body);
        let statement = started.and_then(|()| {
            let kind = StmtKind::For {
                init: first,
                condition: condition?,
                step: step?,
                body: body?,
            };
            Ok(Stmt { kind, span })
        });
        if declares {
            let items = statement.into_iter().collect::<Vec<_>>();
            let failed = items.is_empty();
            let block = self.close_block(items, span);
            if failed {
                return Err(super::Reported);
            }
            out.push(Stmt {
                kind: StmtKind::Block(block),
                span,
            });
        } else {
            out.push(statement?);
        }
        Ok(())
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt) -> Outcome<StmtKind> {
        let checked = self.value(value).and_then(|found| {
            if self.types().is_integer(found.expr.ty) {
                Ok(self.promote(found).expr)
            } else {
                self.error(value.span, "switch quantity not an integer")
            }
        });
        // Even if the value is wrong, the body can be checked.
        let ty = checked.as_ref().map_or(TypeId::LONG_LONG, |value| value.ty);
        if let Some(context) = &mut self.function {
            context.switches.push(Switch {
                ty,
                cases: Vec::new(),
                default: None,
            });
            context.breakable += 1;
        }
        let body = self.single(body);
        let switch = match &mut self.function {
            Some(context) => {
                context.breakable -= 1;
                context.switches.pop()
            }
            None => None,
        };
        let Some(Switch { cases, default, .. }) = switch else {
            return self.error(value.span, "switch statement not within a function");
        };
        self.check_duplicate_cases(&cases, ty);
        Ok(StmtKind::Switch {
            value: Box::new(checked?),
            body: body?,
            cases,
            default,
        })
    }

    fn check_duplicate_cases(&mut self, cases: &[Case], ty: TypeId) {
        let number = |bits: u128| constant::int_value(self.types(), ty, bits);
        let mut ranges: Vec<(i128, i128, Span)> = cases
            .iter()
            .map(|case| (number(case.low), number(case.high), case.span))
            .collect();
        ranges.sort_unstable_by_key(|&(low, _, span)| (low, span));
        let mut problems = Vec::new();
        for pair in ranges.windows(2) {
            if pair[1].0 <= pair[0].1 {
                problems.push(
                    Diagnostic::error(pair[1].2, "duplicate case value")
                        .with_note(pair[0].2, "previously used here"),
                );
            }
        }
        self.diagnostics.append(&mut problems);
    }

    fn case(
        &mut self,
        low: &ast::Expr,
        high: Option<&ast::Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Outcome<()> {
        let Some(ty) = self
            .function
            .as_ref()
            .and_then(|context| context.switches.last())
            .map(|s| s.ty)
        else {
            return self.error(span, "case label not within a switch statement");
        };
        let low = self.case_value(low, ty)?;
        let high = match high {
            Some(high) => self.case_value(high, ty)?,
            None => low,
        };
        let label = self.new_label(self.known.case, span);
        out.push(Stmt {
            kind: StmtKind::Label(label),
            span,
        });
        let number = |bits: u128| constant::int_value(self.types(), ty, bits);
        if number(low) > number(high) {
            self.warn(span, "empty range specified");
            return Ok(());
        }
        if let Some(switch) = self.function.as_mut().and_then(|c| c.switches.last_mut()) {
            switch.cases.push(Case {
                low,
                high,
                label,
                span,
            });
        }
        Ok(())
    }

    fn case_value(&mut self, expr: &ast::Expr, ty: TypeId) -> Outcome<u128> {
        let value = self.value(expr)?.expr;
        if self.types().is_integer(value.ty)
            && let Some(found) = constant::evaluate(self.types(), &value)
            && let Some(Constant::Int(bits)) = constant::convert(self.types(), value.ty, ty, found)
        {
            return Ok(bits);
        }
        self.error(
            expr.span,
            "case label does not reduce to an integer constant",
        )
    }

    fn default(&mut self, span: Span, out: &mut Vec<Stmt>) -> Outcome<()> {
        let label = self.new_label(self.known.default, span);
        out.push(Stmt {
            kind: StmtKind::Label(label),
            span,
        });
        match self
            .function
            .as_mut()
            .and_then(|context| context.switches.last_mut())
        {
            None => self.error(span, "'default' label not within a switch statement"),
            Some(switch) => match switch.default {
                Some(_) => self.error(span, "multiple default labels in one switch"),
                None => {
                    switch.default = Some(label);
                    Ok(())
                }
            },
        }
    }

    fn new_label(&mut self, name: Name, span: Span) -> LabelId {
        match &mut self.function {
            Some(context) => {
                let id = LabelId(context.labels.len() as u32);
                context.labels.push(Label { name, span });
                id
            }
            None => LabelId(0),
        }
    }

    fn declare_local_label(&mut self, label: &ast::Ident) {
        let id = self.new_label(label.name, label.span);
        if let Some(context) = &mut self.function {
            context.local_labels.push((
                label.name,
                LabelState {
                    id,
                    defined: false,
                    used: false,
                },
            ));
        }
    }

    fn end_local_labels(&mut self, length: usize) {
        let Some(context) = &mut self.function else {
            return;
        };
        for (name, state) in context.local_labels.split_off(length) {
            if state.used && !state.defined {
                let span = context.labels[state.id.0 as usize].span;
                let message = format!("label '{}' used but not defined", self.names.get(name));
                self.diagnostics.push(Diagnostic::error(span, message));
            }
        }
    }

    /// The label that a name means here; it may be defined later.
    fn label_state(&mut self, label: &ast::Ident) -> Outcome<&mut LabelState> {
        let fresh = match &self.function {
            None => return self.error(label.span, "label not within a function"),
            Some(context) => {
                !context
                    .local_labels
                    .iter()
                    .any(|(name, _)| *name == label.name)
                    && !context.label_names.contains_key(&label.name)
            }
        };
        let id = if fresh {
            self.new_label(label.name, label.span)
        } else {
            LabelId(0)
        };
        let Some(context) = &mut self.function else {
            return Err(super::Reported);
        };
        if let Some((_, state)) = context
            .local_labels
            .iter_mut()
            .rev()
            .find(|(name, _)| *name == label.name)
        {
            return Ok(state);
        }
        Ok(context.label_names.entry(label.name).or_insert(LabelState {
            id,
            defined: false,
            used: false,
        }))
    }

    fn label(&mut self, label: &ast::Ident) -> Outcome<LabelId> {
        let state = self.label_state(label)?;
        state.used = true;
        Ok(state.id)
    }

    fn define_label(&mut self, label: &ast::Ident, out: &mut Vec<Stmt>) -> Outcome<()> {
        let state = self.label_state(label)?;
        let id = state.id;
        let twice = std::mem::replace(&mut state.defined, true);
        if twice {
            let message = format!("duplicate label '{}'", self.text(label.name));
            return self.error(label.span, message);
        }
        if let Some(context) = &mut self.function {
            context.labels[id.0 as usize].span = label.span;
        }
        out.push(Stmt {
            kind: StmtKind::Label(id),
            span: label.span,
        });
        Ok(())
    }

    /// `&&label`: the label can be the target of any computed goto.
    pub(super) fn label_with_address(&mut self, label: &ast::Ident) -> Outcome<LabelId> {
        let id = self.label(label)?;
        if let Some(context) = &mut self.function
            && !context.address_labels.contains(&id)
        {
            context.address_labels.push(id);
        }
        Ok(id)
    }

    fn asm(&mut self, asm: &ast::AsmStmt) -> Outcome<AsmStmt> {
        let mut takes_pointer = false;
        let mut outputs = Vec::with_capacity(asm.outputs.len());
        for output in &asm.outputs {
            match self.operand(&output.value)? {
                Operand::Place(place, _) => {
                    let is_read = output.constraint.contains(&b'+');
                    takes_pointer |= is_read && self.is_pointer_in_register(output, place.ty);
                    outputs.push(place);
                }
                _ => return self.error(output.value.span, "lvalue required in 'asm' statement"),
            }
        }
        let mut inputs = Vec::with_capacity(asm.inputs.len());
        for input in &asm.inputs {
            let value = self.value(&input.value)?.expr;
            takes_pointer |= self.is_pointer_in_register(input, value.ty);
            inputs.push(value);
        }
        for label in &asm.labels {
            self.label(label)?;
        }
        let begins_with = (0..outputs.len())
            .map(|output| self.asm_begin(asm, output))
            .collect();
        Ok(AsmStmt {
            template: asm.template.clone(),
            outputs,
            begins_with,
            inputs,
            clobbers_memory: asm.clobbers.iter().any(|clobber| clobber == b"memory"),
            takes_pointer,
            has_labels: !asm.labels.is_empty(),
        })
    }

    fn asm_begin(&self, asm: &ast::AsmStmt, output: usize) -> AsmBegin {
        let operand = &asm.outputs[output];
        // What can only lie in memory is its place, which holds what it held before.
        let in_memory = operand.constraint.strip_prefix(b"=") == Some(b"m");
        if operand.constraint.contains(&b'+') || in_memory {
            return AsmBegin::Itself;
        }
        let is_tied = |input: &ast::AsmOperand| {
            let constraint = input.constraint.strip_prefix(b"%");
            let constraint = constraint.unwrap_or(&input.constraint);
            let by_name = operand.name.as_ref().is_some_and(|name| {
                let name = self.names.get(name.name).as_bytes();
                constraint
                    .strip_prefix(b"[")
                    .and_then(|rest| rest.strip_suffix(b"]"))
                    == Some(name)
            });
            by_name || constraint == output.to_string().as_bytes()
        };
        let mut inputs = asm.inputs.iter();
        inputs
            .position(is_tied)
            .map_or(AsmBegin::Anything, AsmBegin::Input)
    }

    /// Of an operand that can only lie in memory the assembly gets the place, not the value; a
    /// constant is part of it.
    fn is_pointer_in_register(&self, operand: &ast::AsmOperand, ty: TypeId) -> bool {
        let marks = b"=+&%, \t";
        let mut kinds = operand
            .constraint
            .iter()
            .filter(|kind| !marks.contains(kind));
        let is_known = kinds.all(|kind| b"moVQ<>ins".contains(kind));
        !is_known && matches!(self.types().shape(ty), Type::Pointer(_))
    }

    /// GNU `({ … })`: the value is that of the last expression.
    pub(super) fn statement_expression(&mut self, block: &ast::Block) -> Outcome<Block> {
        let before = self.diagnostics.len();
        let block = self.block(block);
        // Errors inside have been told; but then the value is not to be trusted.
        if self.diagnostics.len() > before {
            return Err(super::Reported);
        }
        Ok(block)
    }

    /// The type of the value of a statement expression.
    pub(super) fn block_type(&self, block: &Block) -> TypeId {
        match block.items.last() {
            Some(Stmt {
                kind: StmtKind::Expr(expr),
                ..
            }) => expr.ty,
            _ => TypeId::VOID,
        }
    }
}
