//! Expressions by precedence (C11 6.5.2 to 6.5.17).

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::TokenKind as K;
use crate::span::Span;

/// How tightly a binary operator binds; zero for other tokens.
#[inline]
fn binary_operator(kind: K) -> Option<(u8, BinaryOp)> {
    use BinaryOp as B;
    Some(match kind {
        K::PipePipe => (1, B::Or),
        K::AmpAmp => (2, B::And),
        K::Pipe => (3, B::BitOr),
        K::Caret => (4, B::BitXor),
        K::Amp => (5, B::BitAnd),
        K::EqEq => (6, B::Eq),
        K::Ne => (6, B::Ne),
        K::Lt => (7, B::Lt),
        K::Gt => (7, B::Gt),
        K::Le => (7, B::Le),
        K::Ge => (7, B::Ge),
        K::Shl => (8, B::Shl),
        K::Shr => (8, B::Shr),
        K::Plus => (9, B::Add),
        K::Minus => (9, B::Sub),
        K::Star => (10, B::Mul),
        K::Slash => (10, B::Div),
        K::Percent => (10, B::Rem),
        _ => return None,
    })
}

#[inline]
fn assignment_operator(kind: K) -> Option<Option<BinaryOp>> {
    use BinaryOp as B;
    Some(match kind {
        K::Assign => None,
        K::StarAssign => Some(B::Mul),
        K::SlashAssign => Some(B::Div),
        K::PercentAssign => Some(B::Rem),
        K::PlusAssign => Some(B::Add),
        K::MinusAssign => Some(B::Sub),
        K::ShlAssign => Some(B::Shl),
        K::ShrAssign => Some(B::Shr),
        K::AmpAssign => Some(B::BitAnd),
        K::CaretAssign => Some(B::BitXor),
        K::PipeAssign => Some(B::BitOr),
        _ => return None,
    })
}

#[inline]
fn prefix_operator(kind: K) -> Option<UnaryOp> {
    Some(match kind {
        K::Amp => UnaryOp::AddressOf,
        K::Star => UnaryOp::Deref,
        K::Plus => UnaryOp::Plus,
        K::Minus => UnaryOp::Minus,
        K::Tilde => UnaryOp::BitNot,
        K::Bang => UnaryOp::Not,
        K::PlusPlus => UnaryOp::PreInc,
        K::MinusMinus => UnaryOp::PreDec,
        K::Real => UnaryOp::Real,
        K::Imag => UnaryOp::Imag,
        _ => return None,
    })
}

impl Parser<'_> {
    /// A full expression, with commas.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let outer = std::mem::take(&mut self.height);
        let lo = self.here();
        let mut left = self.assignment()?;
        while self.accept(K::Comma) {
            let right = self.assignment()?;
            self.raise()?;
            let kind = ExprKind::Comma(Box::new(left), Box::new(right));
            left = Expr {
                kind,
                span: self.since(lo),
            };
        }
        self.height = self.height.max(outer);
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let lo = parser.here();
            let left = parser.conditional()?;
            let Some(op) = assignment_operator(parser.peek()) else {
                return Ok(left);
            };
            parser.bump();
            let right = parser.assignment()?;
            let kind = ExprKind::Assign(op, Box::new(left), Box::new(right));
            Ok(Expr {
                kind,
                span: parser.since(lo),
            })
        })
    }

    /// An expression where C wants a constant one: without comma and assignment.
    pub(super) fn constant(&mut self) -> Parse<Expr> {
        self.nested(Parser::conditional)
    }

    fn conditional(&mut self) -> Parse<Expr> {
        let lo = self.here();
        let condition = self.binary(1)?;
        if !self.accept(K::Question) {
            return self.implication(condition);
        }
        let then = match self.peek() {
            K::Colon => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.expect(K::Colon, "in a conditional expression")?;
        let otherwise = Box::new(self.nested(Parser::conditional)?);
        let kind = ExprKind::Conditional(Box::new(condition), then, otherwise);
        Ok(Expr {
            kind,
            span: self.since(lo),
        })
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let lo = self.here();
        let mut left = self.cast()?;
        while let Some((level, op)) = binary_operator(self.peek())
            && level >= least
            && !self.at_implication()
        {
            self.bump();
            let left_height = std::mem::take(&mut self.height);
            let right = self.binary(level + 1)?;
            self.height = self.height.max(left_height);
            self.raise()?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr {
                kind,
                span: self.since(lo),
            };
        }
        Ok(left)
    }

    /// A cast, a prefix operator, or what binds more tightly.
    fn cast(&mut self) -> Parse<Expr> {
        match self.peek() {
            // The usual ends of the chain first.
            K::Ident | K::Number | K::Str | K::Char => self.postfix(),
            K::LParen if self.type_follows() => {
                let lo = self.here();
                let name = Box::new(self.parenthesised_type()?);
                if self.peek() == K::LBrace {
                    return self.compound_literal(lo, name);
                }
                let operand = Box::new(self.nested(Parser::cast)?);
                Ok(Expr {
                    kind: ExprKind::Cast(name, operand),
                    span: self.since(lo),
                })
            }
            K::LParen => self.postfix(),
            K::Sizeof => self.size_or_alignment(),
            K::Alignof | K::PreferredAlignof => self.size_or_alignment(),
            K::Extension => {
                self.bump();
                self.nested(Parser::cast)
            }
            K::AmpAmp => {
                let lo = self.here();
                self.bump();
                let label = self.ident("after '&&'")?;
                Ok(Expr {
                    kind: ExprKind::LabelAddress(label),
                    span: self.since(lo),
                })
            }
            kind => {
                let Some(op) = prefix_operator(kind) else {
                    return self.postfix();
                };
                let lo = self.here();
                self.bump();
                let operand = Box::new(self.nested(Parser::cast)?);
                Ok(Expr {
                    kind: ExprKind::Unary(op, operand),
                    span: self.since(lo),
                })
            }
        }
    }

    /// At `(`: is a type name in these parentheses?
    #[inline]
    fn type_follows(&self) -> bool {
        let token = self.lexed.tokens[self.at + 1];
        match token.kind {
            K::Ident => self.scopes.is_type(token.name),
            K::Attribute => true,
            K::Extension => {
                let mut ahead = 2;
                while self.peek_at(ahead) == K::Extension {
                    ahead += 1;
                }
                super::specifiers::is_specifier(self.peek_at(ahead))
            }
            kind => super::specifiers::is_specifier(kind),
        }
    }

    fn compound_literal(&mut self, lo: u32, name: Box<TypeName>) -> Parse<Expr> {
        let items = self.initializer_list()?;
        let kind = ExprKind::CompoundLiteral(name, items);
        let literal = Expr {
            kind,
            span: self.since(lo),
        };
        self.postfix_of(lo, literal)
    }

    /// `sizeof` or `_Alignof`, of a type or of an expression.
    fn size_or_alignment(&mut self) -> Parse<Expr> {
        let lo = self.here();
        let operator = self.bump().kind;
        let operand = if self.peek() == K::LParen && self.type_follows() {
            let inner = self.here();
            let name = Box::new(self.parenthesised_type()?);
            if self.peek() != K::LBrace {
                let kind = match operator {
                    K::Sizeof => ExprKind::SizeofType(name),
                    K::Alignof => ExprKind::AlignofType(name),
                    _ => ExprKind::PreferredAlignofType(name),
                };
                return Ok(Expr {
                    kind,
                    span: self.since(lo),
                });
            }
            Box::new(self.compound_literal(inner, name)?)
        } else {
            Box::new(self.nested(Parser::cast)?)
        };
        // Of expressions both spellings ask the same.
        let kind = match operator {
            K::Sizeof => ExprKind::SizeofExpr(operand),
            _ => ExprKind::AlignofExpr(operand),
        };
        Ok(Expr {
            kind,
            span: self.since(lo),
        })
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let lo = self.here();
        let base = self.primary()?;
        self.postfix_of(lo, base)
    }

    /// Everything that may stand behind an expression.
    fn postfix_of(&mut self, lo: u32, mut base: Expr) -> Parse<Expr> {
        loop {
            let kind = match self.peek() {
                K::LBracket => {
                    let open = self.bump();
                    let index = Box::new(self.expression()?);
                    self.expect_closing(K::RBracket, open)?;
                    ExprKind::Index(Box::new(base), index)
                }
                K::LParen => {
                    let open = self.bump();
                    let arguments = self.arguments()?;
                    self.expect_closing(K::RParen, open)?;
                    ExprKind::Call(Box::new(base), arguments)
                }
                kind @ (K::Dot | K::Arrow) => {
                    self.bump();
                    let context = if kind == K::Dot {
                        "after '.'"
                    } else {
                        "after '->'"
                    };
                    let field = self.ident(context)?;
                    ExprKind::Member {
                        base: Box::new(base),
                        field,
                        arrow: kind == K::Arrow,
                    }
                }
                K::PlusPlus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostInc, Box::new(base))
                }
                K::MinusMinus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostDec, Box::new(base))
                }
                _ => return Ok(base),
            };
            self.raise()?;
            base = Expr {
                kind,
                span: self.since(lo),
            };
        }
    }

    /// The arguments of a call, up to the closing parenthesis.
    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.peek() == K::RParen {
            return Ok(arguments);
        }
        loop {
            let argument = self.assignment()?;
            arguments.push(argument);
            if !self.accept(K::Comma) {
                return Ok(arguments);
            }
        }
    }

    /// The place of a literal made of the tokens from index `first` on.
    pub(super) fn span_of_tokens(&self, first: usize) -> Span {
        self.since(self.lexed.start(self.lexed.tokens[first].lo))
    }
}
