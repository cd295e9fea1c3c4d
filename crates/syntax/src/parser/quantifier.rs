//! CBMC's quantifiers and its implication, `__CPROVER_forall { T i; low <= i && i < high ==> claim }`
//! and `__CPROVER_exists { T i; low <= i && i < high && claim }`, as loops over the values that
//! they speak of:
//!
//! ```c
//! ({ T i; if (sizeof i < 4 || high > INT_MAX) too_many(); for (i = low; guard && claim; ++i); !guard; })
//! ```
//!
//! Nobody follows an execution behind `too_many`: the variable might begin anew, and the loop would
//! not end.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::TokenKind as K;
use crate::span::{Name, Span};

/// Each quantifier is read several times, and so are those inside of it.
const MAX_NESTED: u8 = 3;

/// What reaching the end of the values that are tried is called; the checker knows the name.
pub(crate) const TOO_MANY: &str = "__CPROVER_quantifier_over_too_many_values";

/// The type names that CBMC predefines.
pub(crate) const TYPES: [&str; 3] = ["__CPROVER_size_t", "__CPROVER_ssize_t", "__CPROVER_bool"];

impl Parser<'_> {
    /// Whether `==>` stands here: no operand begins with `>`.
    pub(super) fn at_implication(&self) -> bool {
        self.peek() == K::EqEq && self.peek_at(1) == K::Gt
    }

    /// What follows a premise: `==>` binds less tightly than `||`, and to the right.
    pub(super) fn implication(&mut self, premise: Expr) -> Parse<Expr> {
        if !self.at_implication() {
            return Ok(premise);
        }
        self.bump();
        self.bump();
        let conclusion = self.nested(Parser::constant)?;
        self.raise()?;
        let span = premise.span.to(conclusion.span);
        Ok(binary(BinaryOp::Or, not(premise), conclusion, span))
    }

    pub(super) fn quantifier(&mut self) -> Parse<ExprKind> {
        if self.quantifiers >= MAX_NESTED {
            let span = self.here_span();
            return Err(self.unsupported(span, "a quantifier inside of so many others"));
        }
        self.quantifiers += 1;
        self.scopes.open();
        let kind = self.nested(Parser::quantified);
        self.scopes.close();
        self.quantifiers -= 1;
        kind
    }

    fn quantified(&mut self) -> Parse<ExprKind> {
        let is_forall = self.peek() == K::Forall;
        let lo = self.here();
        self.bump();
        let open = self.expect(K::LBrace, "after a quantifier")?;
        let declaration = self.declaration()?;
        let named = self.lexed.tokens[self.at.saturating_sub(2)];
        if declaration.declarators.len() != 1 || named.kind != K::Ident {
            let message = "a quantifier is about one variable";
            return Err(self.error(declaration.span, message));
        }
        let variable = named.name;
        let claim_at = self.at;
        let (guard, claim) = self.claim(is_forall)?;
        // Trees are not copied: the text is read again.
        self.at = claim_at;
        let (result, _) = self.claim(is_forall)?;
        self.at = claim_at;
        let (bounds, _) = self.claim(is_forall)?;
        self.expect_closing(K::RBrace, open)?;
        let span = self.since(lo);
        let (low, high) = bounds_of(bounds, variable);
        let Some(high) = high else {
            return Err(self.unsupported(span, "a quantifier without an upper bound"));
        };
        let too_many = self.names.intern(TOO_MANY);
        Ok(loop_over(Quantified {
            is_forall,
            variable,
            declaration,
            low,
            high,
            guard,
            claim,
            result,
            too_many,
            span,
        }))
    }

    /// The values that a quantifier speaks of, and what it says of them.
    fn claim(&mut self, is_forall: bool) -> Parse<(Expr, Expr)> {
        let lo = self.here();
        let claim = self.constant()?;
        let span = self.since(lo);
        match (is_forall, claim.kind) {
            (true, ExprKind::Binary(BinaryOp::Or, premise, claim)) => match premise.kind {
                ExprKind::Unary(UnaryOp::Not, guard) => Ok((*guard, *claim)),
                _ => Err(self.unsupported(span, "a quantifier without bounds")),
            },
            (false, ExprKind::Binary(BinaryOp::And, guard, claim)) => Ok((*guard, *claim)),
            _ => Err(self.unsupported(span, "a quantifier without bounds")),
        }
    }
}

struct Quantified {
    is_forall: bool,
    variable: Name,
    declaration: Declaration,
    low: Option<Expr>,
    high: Expr,
    guard: Expr,
    claim: Expr,
    result: Expr,
    too_many: Name,
    span: Span,
}

fn loop_over(quantified: Quantified) -> ExprKind {
    let Quantified {
        is_forall, span, ..
    } = quantified;
    let variable = || boxed(ExprKind::Name(quantified.variable), span);
    let number = |value: u128| {
        let number = ExprKind::Int {
            value: value.into(),
            decimal: true,
            unsigned: false,
            longs: 0,
        };
        Expr { kind: number, span }
    };
    let stop_if = |condition: Expr| {
        let callee = boxed(ExprKind::Name(quantified.too_many), span);
        let call = Expr {
            kind: ExprKind::Call(callee, Vec::new()),
            span,
        };
        let then = Box::new(statement(StmtKind::Expr(call), span));
        let kind = StmtKind::If {
            condition,
            then,
            otherwise: None,
        };
        statement(kind, span)
    };
    let compared = |op, right| binary(op, *variable(), right, span);
    let mut items = vec![BlockItem::Declaration(Box::new(quantified.declaration))];
    let set = |value| {
        let kind = ExprKind::Assign(None, variable(), Box::new(value));
        Expr { kind, span }
    };
    if quantified.low.is_none() {
        // The values of an unsigned type begin at zero; below the zero of a signed one there are
        // others.
        let minus_one = ExprKind::Unary(UnaryOp::Minus, Box::new(number(1)));
        let minus_one = Expr {
            kind: minus_one,
            span,
        };
        let below = statement(StmtKind::Expr(set(minus_one)), span);
        items.push(BlockItem::Statement(below));
        items.push(BlockItem::Statement(stop_if(compared(
            BinaryOp::Lt,
            number(0),
        ))));
    }
    let size = Expr {
        kind: ExprKind::SizeofExpr(variable()),
        span,
    };
    let is_small = binary(BinaryOp::Lt, size, number(4), span);
    let is_large = binary(BinaryOp::Ge, quantified.high, number(0x7fff_ffff), span);
    let bounded = stop_if(binary(BinaryOp::Or, is_small, is_large, span));
    items.push(BlockItem::Statement(bounded));
    let goes_on = match is_forall {
        true => quantified.claim,
        false => not(quantified.claim),
    };
    let step = Expr {
        kind: ExprKind::Unary(UnaryOp::PreInc, variable()),
        span,
    };
    let start = quantified.low.unwrap_or_else(|| number(0));
    let kind = StmtKind::For {
        init: Some(Box::new(ForInit::Expr(set(start)))),
        condition: Some(Box::new(binary(
            BinaryOp::And,
            quantified.guard,
            goes_on,
            span,
        ))),
        step: Some(Box::new(step)),
        body: Box::new(statement(StmtKind::Empty, span)),
    };
    items.push(BlockItem::Statement(statement(kind, span)));
    let result = match is_forall {
        true => not(quantified.result),
        false => not(not(quantified.result)),
    };
    let result = statement(StmtKind::Expr(result), span);
    items.push(BlockItem::Statement(result));
    ExprKind::StatementExpr(Box::new(Block { items, span }))
}

/// The lower and the upper bound among the conditions.
fn bounds_of(guard: Expr, variable: Name) -> (Option<Expr>, Option<Expr>) {
    let is_variable = |expr: &Expr| matches!(expr.kind, ExprKind::Name(name) if name == variable);
    let (mut low, mut high) = (None, None);
    let mut open = vec![guard];
    while let Some(Expr { kind, span }) = open.pop() {
        match kind {
            ExprKind::Binary(BinaryOp::And, a, b) => open.extend([*b, *a]),
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Ge if is_variable(&a) => low = low.or(Some(*b)),
                BinaryOp::Le if is_variable(&b) => low = low.or(Some(*a)),
                BinaryOp::Gt if is_variable(&a) => low = low.or(Some(behind(*b, span))),
                BinaryOp::Lt if is_variable(&b) => low = low.or(Some(behind(*a, span))),
                BinaryOp::Lt | BinaryOp::Le if is_variable(&a) => high = high.or(Some(*b)),
                BinaryOp::Gt | BinaryOp::Ge if is_variable(&b) => high = high.or(Some(*a)),
                _ => {}
            },
            _ => {}
        }
    }
    (low, high)
}

fn behind(expr: Expr, span: Span) -> Expr {
    let one = ExprKind::Int {
        value: 1.into(),
        decimal: true,
        unsigned: false,
        longs: 0,
    };
    binary(BinaryOp::Add, expr, Expr { kind: one, span }, span)
}

fn boxed(kind: ExprKind, span: Span) -> Box<Expr> {
    Box::new(Expr { kind, span })
}

fn not(expr: Expr) -> Expr {
    let span = expr.span;
    let kind = ExprKind::Unary(UnaryOp::Not, Box::new(expr));
    Expr { kind, span }
}

fn binary(op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
    let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
    Expr { kind, span }
}

fn statement(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}
