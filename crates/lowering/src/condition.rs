//! Truth values and branching.
//!
//! A condition whose parts cannot fail is one `Bool` expression and one pair of edges; only where
//! the right side of `&&`, `||` or `?:` may fail or change something does it become control flow of
//! its own.

use super::effects::keeps_truth;
use super::frame::FunctionLowering;
use super::graph::{Action, Node};
use cfa::expr::ExprId;
use cfa::op::Op;
use cfa::outside;
use cfa::program::Branch;
use syntax::span::Span;
use syntax::typed::{CompareOp, Expr, ExprKind, UnaryOp};

/// One way out of a condition: the edge that decides it carries the branch.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    pub target: Node,
    pub branch: Option<Branch>,
}

impl Exit {
    pub fn plain(target: Node) -> Exit {
        Exit {
            target,
            branch: None,
        }
    }
}

impl<'t> FunctionLowering<'_, 't> {
    /// Goes one of two ways, as the expression is true or false. Control is then nowhere.
    pub fn condition(&mut self, expr: &'t Expr, yes: Exit, no: Exit) {
        if self.is_dead() {
            return;
        }
        if self.is_one_test(expr) {
            let truth = self.truth(expr);
            return self.split(truth, yes, no, expr.span);
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.condition(inner, no, yes),
            ExprKind::Convert(inner) => self.condition(inner, yes, no),
            ExprKind::And(left, right) => {
                let middle = self.new_node();
                self.condition(left, Exit::plain(middle), no);
                self.enter(middle);
                self.condition(right, yes, no);
            }
            ExprKind::Or(left, right) => {
                let middle = self.new_node();
                self.condition(left, yes, Exit::plain(middle));
                self.enter(middle);
                self.condition(right, yes, no);
            }
            ExprKind::Conditional(test, left, right) => {
                let (first, second) = (self.new_node(), self.new_node());
                let exit = |target, taken| Exit {
                    target,
                    branch: Some(Branch {
                        statement: expr.span,
                        taken,
                    }),
                };
                self.condition(test, exit(first, true), exit(second, false));
                self.enter(first);
                self.condition(left, yes, no);
                self.enter(second);
                self.condition(right, yes, no);
            }
            ExprKind::Comma(left, right) => {
                self.effect(left);
                self.condition(right, yes, no);
            }
            _ => {
                let truth = self.truth(expr);
                self.split(truth, yes, no, expr.span);
            }
        }
        self.frame.current = None;
    }

    /// Two edges from here, one for each truth value; one edge if it is known.
    pub fn split(&mut self, truth: ExprId, yes: Exit, no: Exit, span: Span) {
        let Some(source) = self.frame.current.take() else {
            return;
        };
        match self.context.pool.as_bool(truth) {
            Some(value) => {
                let exit = if value { yes } else { no };
                self.edge_from(source, Action::Op(Op::Skip), exit.target, span, exit.branch);
            }
            None => {
                let negation = self.context.pool.not(truth);
                let assume = |condition| Action::Op(Op::Assume(condition));
                self.edge_from(source, assume(truth), yes.target, span, yes.branch);
                self.edge_from(source, assume(negation), no.target, span, no.branch);
            }
        }
    }

    /// Whether the expression's truth needs no control flow of its own.
    fn is_one_test(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.is_one_test(inner),
            ExprKind::Convert(inner) if keeps_truth(self.context, inner.ty, expr.ty) => {
                self.is_one_test(inner)
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.is_total(right) && self.is_one_test(left)
            }
            ExprKind::Conditional(test, left, right) => {
                self.is_total(left) && self.is_total(right) && self.is_one_test(test)
            }
            ExprKind::Comma(..) => false,
            _ => true,
        }
    }

    /// The truth of a scalar expression, as a `Bool`.
    pub fn truth(&mut self, expr: &'t Expr) -> ExprId {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.truth(inner);
                self.context.pool.not(inner)
            }
            ExprKind::Compare(op, left, right) => {
                let [left, right] = self.symmetric_operands(left, right, true);
                let model = self.context.types.model;
                let pool = &mut self.context.pool;
                let comparison = match op {
                    CompareOp::Eq => pool.eq(left, right),
                    CompareOp::Ne => pool.ne(left, right),
                    CompareOp::Lt => pool.lt(left, right),
                    CompareOp::Le => pool.le(left, right),
                    CompareOp::Gt => pool.gt(left, right),
                    CompareOp::Ge => pool.ge(left, right),
                };
                outside::unlike_question(pool, comparison, model)
            }
            ExprKind::And(left, right) if self.needs_no_branch(right) => {
                let (left, right) = (self.truth(left), self.truth(right));
                let right = self.guarded(right, left);
                self.context.pool.and(left, right)
            }
            ExprKind::Or(left, right) if self.needs_no_branch(right) => {
                let (left, right) = (self.truth(left), self.truth(right));
                let otherwise = self.context.pool.not(left);
                let right = self.guarded(right, otherwise);
                self.context.pool.or(left, right)
            }
            ExprKind::Convert(inner) if keeps_truth(self.context, inner.ty, expr.ty) => {
                self.truth(inner)
            }
            _ => {
                let value = self.value(expr);
                self.context.pool.truth(value)
            }
        }
    }
}
