//! Jumps out of GNU's nested functions, to labels that a function around them declares with
//! `__label__`. See [`super::nested`].

use super::Checker;
use super::nested::statement;
use super::tuple::{read, sequence};
use crate::ast;
use crate::span::{Name, Span};
use crate::typed::{
    Block, CompareOp, Expr, ExprKind, FuncId, LabelId, Stmt, StmtKind, VarId, VarKind,
};
use crate::types::TypeId;

impl Checker<'_> {
    /// The label of a function around this one that the name means here, and that function.
    fn outer_label(&mut self, label: &ast::Ident) -> Option<(FuncId, LabelId)> {
        let own = self.function.as_ref()?;
        let is_meant = |name: Name| name == label.name;
        if own.local_labels.iter().any(|(name, _)| is_meant(*name))
            || own.label_names.contains_key(&label.name)
        {
            return None;
        }
        for context in self.enclosing.iter_mut().rev() {
            let mut labels = context.local_labels.iter_mut().rev();
            if let Some((_, state)) = labels.find(|(name, _)| is_meant(*name)) {
                state.used = true;
                return Some((context.id, state.id));
            }
        }
        None
    }

    /// `goto` of a label of a function around this one; false if it is another label.
    pub(super) fn jump_out(&mut self, label: &ast::Ident, out: &mut Vec<Stmt>) -> bool {
        let Some((target, id)) = self.outer_label(label) else {
            return false;
        };
        self.note_jump(target, id);
        let span = label.span;
        let landing = self.landing(target);
        let number = self.int_value(i128::from(id.0) + 1, TypeId::INT, span);
        let set = self.assign_variable(landing, number, span);
        out.push(statement(StmtKind::Expr(set), span));
        out.push(statement(StmtKind::Return(None), span));
        true
    }

    /// `&&label` of a label of a function around this one: its number there.
    pub(super) fn outer_label_address(&mut self, label: &ast::Ident, span: Span) -> Option<Expr> {
        let (target, id) = self.outer_label(label)?;
        let mut contexts = self.enclosing.iter_mut();
        let context = contexts.find(|context| context.id == target)?;
        if !context.address_labels.contains(&id) {
            context.address_labels.push(id);
        }
        let index = context.address_labels.iter().position(|&it| it == id)?;
        Some(Expr {
            kind: ExprKind::Int(index as u128 + 1),
            ty: TypeId::VOID_POINTER,
            span,
        })
    }

    /// The variable that says which label of the function is jumped to.
    fn landing(&mut self, function: FuncId) -> VarId {
        if let Some(&landing) = self.nested.landings.get(&function) {
            return landing;
        }
        let span = self.program.functions[function.0 as usize].span;
        let kind = VarKind::StaticLocal;
        let landing = self.new_variable(self.placeholder, TypeId::INT, kind, span);
        self.program.globals.push(landing);
        self.nested.landings.insert(function, landing);
        landing
    }

    /// The call of a nested function, and what happens behind it if it has jumped out.
    pub(super) fn with_landings(&mut self, callee: FuncId, call: Expr) -> Expr {
        let Some(own) = self.function.as_ref().map(|context| context.id) else {
            return call;
        };
        let span = call.span;
        let mut items = Vec::new();
        for (target, label) in self.jumps_of(callee) {
            items.push(match label {
                Some(label) if target == own => self.land(target, label, span),
                Some(label) => {
                    self.note_jump(target, label);
                    self.fly_on(target, span)
                }
                None => self.fly_on(target, span),
            });
        }
        if items.is_empty() {
            return call;
        }
        items.push(statement(StmtKind::Empty, span));
        let landed = Expr {
            kind: ExprKind::Statements(Box::new(block(items, span))),
            ty: TypeId::VOID,
            span,
        };
        if call.ty == TypeId::VOID {
            return sequence(vec![call], landed);
        }
        let (kept, result) = self.kept(call);
        sequence(vec![kept, landed], read(result))
    }

    /// Goes to the label of this function if that is where the jump goes.
    fn land(&mut self, target: FuncId, label: LabelId, span: Span) -> Stmt {
        let landing = self.landing(target);
        let number = self.int_value(i128::from(label.0) + 1, TypeId::INT, span);
        let zero = self.int_value(0, TypeId::INT, span);
        let clear = self.assign_variable(landing, zero, span);
        let items = vec![
            statement(StmtKind::Expr(clear), span),
            statement(StmtKind::Goto(label), span),
        ];
        let then = StmtKind::Block(block(items, span));
        self.if_landing(landing, CompareOp::Eq, number, then, span)
    }

    /// Returns again if the jump goes further out.
    fn fly_on(&mut self, target: FuncId, span: Span) -> Stmt {
        let landing = self.landing(target);
        let zero = self.int_value(0, TypeId::INT, span);
        self.if_landing(landing, CompareOp::Ne, zero, StmtKind::Return(None), span)
    }

    fn if_landing(
        &mut self,
        landing: VarId,
        op: CompareOp,
        number: Expr,
        then: StmtKind,
        span: Span,
    ) -> Stmt {
        let value = self.read_variable(landing, span);
        let condition = Expr {
            kind: ExprKind::Compare(op, Box::new(value), Box::new(number)),
            ty: TypeId::INT,
            span,
        };
        let kind = StmtKind::If {
            condition,
            then: Box::new(statement(then, span)),
            otherwise: None,
        };
        statement(kind, span)
    }
}

fn block(items: Vec<Stmt>, span: Span) -> Block {
    Block {
        vars: Vec::new(),
        items,
        span,
    }
}
