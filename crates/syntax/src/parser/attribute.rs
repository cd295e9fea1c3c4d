//! `__attribute__((…))`, in all the places where gcc takes it.

use super::{Parse, Parser};
use crate::ast::{Attribute, AttributeArg, Expr, ExprKind};
use crate::lexer::{Token, TokenKind as K};
use crate::span::Span;

impl Parser<'_> {
    /// True at `__attribute__` or `[[`.
    #[inline]
    pub(super) fn at_attributes(&self) -> bool {
        self.attributes_at(0)
    }

    fn attributes_at(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            K::Attribute => true,
            K::LBracket => self.peek_at(ahead + 1) == K::LBracket,
            _ => false,
        }
    }

    /// Reads any number of attribute lists.
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parse<()> {
        while self.at_attributes() {
            if self.peek() == K::LBracket {
                self.standard_attributes(into)?;
                continue;
            }
            self.bump();
            let outer = self.expect(K::LParen, "after '__attribute__'")?;
            let inner = self.expect(K::LParen, "after '__attribute__('")?;
            loop {
                while self.accept(K::Comma) {}
                if self.peek() == K::RParen {
                    break;
                }
                let attribute = self.attribute()?;
                into.push(attribute);
                if self.peek() != K::Comma && self.peek() != K::RParen {
                    return Err(self.unexpected("',' or ')' after an attribute"));
                }
            }
            self.expect_closing(K::RParen, inner)?;
            self.expect_closing(K::RParen, outer)?;
        }
        Ok(())
    }

    /// `[[name, gnu::name(arguments)]]`. Those of gcc mean what they mean elsewhere; those of other
    /// compilers keep their prefix, so that nobody takes them for gcc's.
    fn standard_attributes(&mut self, into: &mut Vec<Attribute>) -> Parse<()> {
        let outer = self.bump();
        let inner = self.bump();
        loop {
            while self.accept(K::Comma) {}
            if self.peek() == K::RBracket {
                break;
            }
            let lo = self.here();
            let prefixed = self.peek_at(1) == K::Colon && self.peek_at(2) == K::Colon;
            let mut prefix = None;
            if prefixed {
                let token = self.bump();
                self.bump();
                self.bump();
                let text = self.names.get(token.name);
                if !matches!(text, "gnu" | "__gnu__") {
                    prefix = Some(text.to_owned());
                }
            }
            let mut attribute = self.attribute()?;
            if let Some(prefix) = prefix {
                let name = format!("{prefix}::{}", self.names.get(attribute.name));
                attribute.name = self.names.intern(&name);
            }
            attribute.span = self.since(lo);
            into.push(attribute);
            if self.peek() != K::Comma && self.peek() != K::RBracket {
                return Err(self.unexpected("',' or ']]' after an attribute"));
            }
        }
        self.expect_closing(K::RBracket, inner)?;
        self.expect_closing(K::RBracket, outer)?;
        Ok(())
    }

    /// One `name` or `name(arguments)`; keywords such as `const` are names here.
    fn attribute(&mut self) -> Parse<Attribute> {
        let lo = self.here();
        if !self.at_word() {
            return Err(self.unexpected("the name of an attribute"));
        }
        let token = self.bump();
        let text = self.names.get(token.name);
        let name = match text
            .strip_prefix("__")
            .and_then(|text| text.strip_suffix("__"))
        {
            Some(plain) if !plain.is_empty() => {
                let plain = plain.to_owned();
                self.names.intern(&plain)
            }
            _ => token.name,
        };
        let mut args = Vec::new();
        if self.peek() == K::LParen {
            let open = self.bump();
            if self.peek() != K::RParen {
                loop {
                    let arg = self.nested(Parser::attribute_argument)?;
                    args.push(arg);
                    if !self.accept(K::Comma) {
                        break;
                    }
                }
            }
            self.expect_closing(K::RParen, open)?;
        }
        Ok(Attribute {
            name,
            args,
            span: self.since(lo),
        })
    }

    fn attribute_argument(&mut self) -> Parse<AttributeArg> {
        let ends = matches!(self.peek_at(1), K::Comma | K::RParen);
        if self.peek() == K::Ident && ends && !self.at_type_name() {
            let token = self.bump();
            return Ok(AttributeArg::Ident(self.ident_of(token)));
        }
        if self.at_type() {
            return Ok(AttributeArg::Type(self.type_name()?));
        }
        // `access(read_only, 1)` names its mode by an identifier, others by a keyword.
        if self.peek() != K::Ident && self.at_word() && ends {
            let token = self.bump();
            return Ok(AttributeArg::Ident(self.ident_of(token)));
        }
        Ok(AttributeArg::Expr(self.assignment()?))
    }

    /// True at an identifier or keyword.
    fn at_word(&self) -> bool {
        let token = self.token();
        token.kind == K::Ident || (token.kind as u8) >= (K::Auto as u8)
    }

    /// The token that follows any attributes that begin `ahead` tokens from here, without reading
    /// them.
    pub(super) fn token_past_attributes(&self, ahead: usize) -> Token {
        let tokens = &self.lexed.tokens;
        let last = tokens.len() - 1;
        let mut at = (self.at + ahead).min(last);
        loop {
            if tokens[at].kind == K::LBracket && tokens[(at + 1).min(last)].kind == K::LBracket {
                at = behind_brackets(tokens, at);
                continue;
            }
            if tokens[at].kind != K::Attribute {
                break;
            }
            at += 1;
            if tokens[at].kind == K::LParen {
                let closing = self.closing.get_or_init(|| closing_parentheses(tokens));
                at = closing[at] as usize;
            }
        }
        tokens[at]
    }

    /// `#pragma pack(n)` in force at the token at hand, as an attribute that no source can spell.
    pub(super) fn pack_in_force(&mut self, span: Span) -> Option<Attribute> {
        let changes = &self.lexed.packs;
        let before = changes.partition_point(|change| change.token as usize <= self.at);
        let limit = changes[..before].last()?.limit?;
        let kind = ExprKind::Int {
            value: u128::from(limit).into(),
            decimal: true,
            unsigned: false,
            longs: 0,
        };
        let args = vec![AttributeArg::Expr(Expr { kind, span })];
        Some(Attribute {
            name: self.names.intern("pragma pack"),
            args,
            span,
        })
    }
}

/// The index behind the bracket that closes the one at `at`; the last token if there is none.
fn behind_brackets(tokens: &[Token], at: usize) -> usize {
    let last = tokens.len() - 1;
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            K::LBracket => depth += 1,
            K::RBracket => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (index + 1).min(last);
                }
            }
            K::Semi | K::LBrace => break,
            _ => {}
        }
    }
    last
}

/// For every opening parenthesis, the index behind its closing one; the last token if there is
/// none.
fn closing_parentheses(tokens: &[Token]) -> Vec<u32> {
    let last = tokens.len() - 1;
    let mut closing = vec![last as u32; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            K::LParen => open.push(index),
            K::RParen => {
                if let Some(start) = open.pop() {
                    closing[start] = (index + 1).min(last) as u32;
                }
            }
            _ => {}
        }
    }
    closing
}
