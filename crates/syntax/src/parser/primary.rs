//! Names, literals, parentheses, and builtins with a syntax of their own (C11 6.5.1).

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{TokenKind as K, literal};
use crate::span::Span;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let lo = self.here();
        let kind = match self.peek() {
            K::Ident if self.at_type_name() => {
                return Err(self.unexpected("an expression, not a type"));
            }
            K::Ident => ExprKind::Name(self.bump().name),
            K::Number => self.number()?,
            K::Char => self.character()?,
            K::Str => {
                let (units, width) = self.string()?;
                ExprKind::String { units, width }
            }
            K::LParen => return self.parenthesised(),
            K::Generic => self.generic()?,
            K::VaArg => {
                self.bump();
                let open = self.expect(K::LParen, "after '__builtin_va_arg'")?;
                let list = Box::new(self.assignment()?);
                self.expect(K::Comma, "between the arguments of '__builtin_va_arg'")?;
                let name = Box::new(self.type_name()?);
                self.expect_closing(K::RParen, open)?;
                ExprKind::VaArg(list, name)
            }
            K::ConvertVector => {
                self.bump();
                let open = self.expect(K::LParen, "after '__builtin_convertvector'")?;
                let value = Box::new(self.assignment()?);
                self.expect(
                    K::Comma,
                    "between the arguments of '__builtin_convertvector'",
                )?;
                let name = Box::new(self.type_name()?);
                self.expect_closing(K::RParen, open)?;
                ExprKind::ConvertVector(value, name)
            }
            K::Offsetof => self.offsetof()?,
            K::Forall | K::Exists => self.quantifier()?,
            K::TypesCompatible => {
                self.bump();
                let open = self.expect(K::LParen, "after '__builtin_types_compatible_p'")?;
                let first = Box::new(self.type_name()?);
                self.expect(
                    K::Comma,
                    "between the arguments of '__builtin_types_compatible_p'",
                )?;
                let second = Box::new(self.type_name()?);
                self.expect_closing(K::RParen, open)?;
                ExprKind::TypesCompatible(first, second)
            }
            K::ChooseExpr => {
                self.bump();
                let open = self.expect(K::LParen, "after '__builtin_choose_expr'")?;
                let condition = Box::new(self.assignment()?);
                self.expect(K::Comma, "between the arguments of '__builtin_choose_expr'")?;
                let then = Box::new(self.assignment()?);
                self.expect(K::Comma, "between the arguments of '__builtin_choose_expr'")?;
                let otherwise = Box::new(self.assignment()?);
                self.expect_closing(K::RParen, open)?;
                ExprKind::ChooseExpr(condition, then, otherwise)
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr {
            kind,
            span: self.since(lo),
        })
    }

    /// An expression or a block in parentheses; the parentheses belong to its place.
    fn parenthesised(&mut self) -> Parse<Expr> {
        let lo = self.here();
        let open = self.bump();
        let kind = if self.peek() == K::LBrace {
            ExprKind::StatementExpr(Box::new(self.nested(Parser::block)?))
        } else {
            self.expression()?.kind
        };
        self.expect_closing(K::RParen, open)?;
        Ok(Expr {
            kind,
            span: self.since(lo),
        })
    }

    fn number(&mut self) -> Parse<ExprKind> {
        let token = self.bump();
        let number = literal::number(self.lexed.bytes(token));
        let span = self.lexed.span(token);
        let number = number.map_err(|error| self.literal_error(span, error))?;
        Ok(number_kind(number, span))
    }

    fn character(&mut self) -> Parse<ExprKind> {
        let token = self.bump();
        let (width, inside) = literal::split_prefix(self.lexed.bytes(token));
        let value = literal::char_value(inside, width)
            .map_err(|error| self.literal_error(self.lexed.span(token), error))?;
        Ok(ExprKind::Char { value, width })
    }

    /// Adjacent string literals, joined: the one prefix among them holds for all.
    fn string(&mut self) -> Parse<(Vec<u32>, CharWidth)> {
        let first = self.at;
        let mut width = CharWidth::Plain;
        while self.peek() == K::Str {
            let token = self.bump();
            let (own, _) = literal::split_prefix(self.lexed.bytes(token));
            if own != CharWidth::Plain && width != CharWidth::Plain && own != width {
                let span = self.span_of_tokens(first);
                return Err(self.error(span, "string literals with different prefixes are joined"));
            }
            if own != CharWidth::Plain {
                width = own;
            }
        }
        let mut units = Vec::new();
        for index in first..self.at {
            let token = self.lexed.tokens[index];
            let (_, inside) = literal::split_prefix(self.lexed.bytes(token));
            literal::string_units(inside, width, &mut units)
                .map_err(|error| self.literal_error(self.lexed.span(token), error))?;
        }
        Ok((units, width))
    }

    /// A string for the compiler, not for the program.
    pub(super) fn byte_string(&mut self, what: &str) -> Parse<Vec<u8>> {
        if self.peek() != K::Str {
            return Err(self.unexpected(&format!("a string literal as {what}")));
        }
        let mut bytes = Vec::new();
        while self.peek() == K::Str {
            let token = self.bump();
            let (_, inside) = literal::split_prefix(self.lexed.bytes(token));
            let piece = literal::string_bytes(inside)
                .map_err(|error| self.literal_error(self.lexed.span(token), error))?;
            bytes.extend(piece);
        }
        Ok(bytes)
    }

    /// `_Generic(control, type: value, default: value)`.
    fn generic(&mut self) -> Parse<ExprKind> {
        self.bump();
        let open = self.expect(K::LParen, "after '_Generic'")?;
        let control = Box::new(self.assignment()?);
        let mut arms = Vec::new();
        while self.accept(K::Comma) {
            let name = match self.accept(K::Default) {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(K::Colon, "after a type in '_Generic'")?;
            let value = self.assignment()?;
            arms.push((name, value));
        }
        self.expect_closing(K::RParen, open)?;
        Ok(ExprKind::Generic { control, arms })
    }

    /// `__builtin_offsetof(type, member.path[3])`.
    fn offsetof(&mut self) -> Parse<ExprKind> {
        self.bump();
        let open = self.expect(K::LParen, "after '__builtin_offsetof'")?;
        let name = Box::new(self.type_name()?);
        self.expect(K::Comma, "between the arguments of '__builtin_offsetof'")?;
        let field = self.ident("as the member of '__builtin_offsetof'")?;
        let mut path = vec![Designator::Field(field)];
        self.designators(&mut path)?;
        // `array->member` is `array[0].member`.
        while self.peek() == K::Arrow {
            let arrow = self.bump();
            let span = self.lexed.span(arrow);
            let kind = ExprKind::Int {
                value: 0.into(),
                decimal: true,
                unsigned: false,
                longs: 0,
            };
            path.push(Designator::Index(Expr { kind, span }));
            let field = self.ident("after '->'")?;
            path.push(Designator::Field(field));
            self.designators(&mut path)?;
        }
        self.expect_closing(K::RParen, open)?;
        Ok(ExprKind::Offsetof(name, path))
    }
}

fn number_kind(number: literal::Number, span: Span) -> ExprKind {
    match number {
        literal::Number::Int {
            value,
            decimal,
            unsigned,
            longs,
        } => ExprKind::Int {
            value: value.into(),
            decimal,
            unsigned,
            longs,
        },
        literal::Number::Float { text, ty } => ExprKind::Float { text, ty },
        literal::Number::Imaginary(real) => {
            let kind = number_kind(*real, span);
            ExprKind::Imaginary(Box::new(Expr { kind, span }))
        }
    }
}
