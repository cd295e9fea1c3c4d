//! Moving over the tokens, saying what is wrong, and keeping within the limits.

use super::Parser;
use crate::ast::Ident;
use crate::diagnostics::{Diagnostic, Kind};
use crate::lexer::literal::LiteralError;
use crate::lexer::{Token, TokenKind};
use crate::span::{Name, Span};

/// Parsing failed here and the diagnostic is recorded; somebody further out goes on behind it.
#[derive(Debug)]
pub(super) struct Fault;

pub(super) type Parse<T> = Result<T, Fault>;

/// So many errors are reported in one run.
const MAX_ERRORS: usize = 20;

impl Parser<'_> {
    #[inline]
    pub(super) fn token(&self) -> Token {
        self.lexed.tokens[self.at]
    }

    #[inline]
    pub(super) fn peek(&self) -> TokenKind {
        self.lexed.tokens[self.at].kind
    }

    #[inline]
    pub(super) fn peek_at(&self, ahead: usize) -> TokenKind {
        self.lexed
            .tokens
            .get(self.at + ahead)
            .map_or(TokenKind::Eof, |token| token.kind)
    }

    /// Goes on to the next token; the last one, the end of the text, is never left.
    #[inline]
    pub(super) fn bump(&mut self) -> Token {
        let token = self.lexed.tokens[self.at];
        if token.kind != TokenKind::Eof {
            self.at += 1;
        }
        token
    }

    #[inline]
    pub(super) fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// The start of the token at hand.
    #[inline]
    pub(super) fn here(&self) -> u32 {
        self.lexed.start(self.token().lo)
    }

    /// The place of the token at hand.
    pub(super) fn here_span(&self) -> Span {
        self.lexed.span(self.token())
    }

    /// From `lo` to the end of the token read last.
    #[inline]
    pub(super) fn since(&self, lo: u32) -> Span {
        Span::new(lo, self.last_end().max(lo))
    }

    #[inline]
    fn last_end(&self) -> u32 {
        match self.at.checked_sub(1) {
            Some(before) => self.lexed.end(self.lexed.tokens[before].hi),
            None => self.here(),
        }
    }

    /// Reads a token that must be there. `context` says behind or in what it was expected.
    #[inline]
    pub(super) fn expect(&mut self, kind: TokenKind, context: &str) -> Parse<Token> {
        if self.peek() == kind {
            return Ok(self.bump());
        }
        Err(self.missing(kind, context))
    }

    #[cold]
    fn missing(&mut self, kind: TokenKind, context: &str) -> Fault {
        let message = format!(
            "expected {} {context}, found {}",
            kind.spelling(),
            self.describe_here()
        );
        // What is missing is missing behind the last token, which may be lines above this one.
        let end = self.last_end();
        let span = match kind {
            TokenKind::Semi | TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                Span::new(end, end)
            }
            _ => self.here_span(),
        };
        self.error(span, message)
    }

    /// As [`Parser::expect`] for a closing bracket, with a note on the one that it closes.
    pub(super) fn expect_closing(&mut self, kind: TokenKind, open: Token) -> Parse<()> {
        if self.accept(kind) {
            return Ok(());
        }
        let span = self.lexed.span(open);
        let opening = match kind {
            TokenKind::RParen => "'('",
            TokenKind::RBracket => "'['",
            _ => "'{'",
        };
        let count = self.errors.len();
        let fault = self.missing(kind, "here");
        if self.errors.len() > count
            && let Some(error) = self.errors.last_mut()
        {
            error.notes.push((span, format!("to match this {opening}")));
        }
        Err(fault)
    }

    pub(super) fn ident(&mut self, context: &str) -> Parse<Ident> {
        let token = self.expect(TokenKind::Ident, context)?;
        Ok(self.ident_of(token))
    }

    pub(super) fn ident_of(&self, token: Token) -> Ident {
        Ident {
            name: token.name,
            span: self.lexed.span(token),
        }
    }

    /// True if the token at hand is an identifier that names a type.
    #[inline]
    pub(super) fn at_type_name(&self) -> bool {
        let token = self.token();
        token.kind == TokenKind::Ident && self.scopes.is_type(token.name)
    }

    pub(super) fn name_text(&self, name: Name) -> &str {
        self.names.get(name)
    }

    fn describe_here(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::Eof => "the end of the file".into(),
            TokenKind::Str => "a string literal".into(),
            _ => {
                let text = String::from_utf8_lossy(self.lexed.bytes(token));
                format!("'{text}'")
            }
        }
    }

    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found {}", self.describe_here());
        self.error(self.here_span(), message)
    }

    #[cold]
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) -> Fault {
        self.report(Diagnostic::new(Kind::Syntax, span, message))
    }

    #[cold]
    pub(super) fn unsupported(&mut self, span: Span, construct: &str) -> Fault {
        self.report(Diagnostic::unsupported(span, construct))
    }

    #[cold]
    pub(super) fn literal_error(&mut self, span: Span, error: LiteralError) -> Fault {
        match error {
            LiteralError::Wrong(message) => self.error(span, message),
            LiteralError::Unsupported(construct) => self.unsupported(span, construct),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Fault {
        if !self.stopped {
            self.errors.push(diagnostic);
            if self.errors.len() >= MAX_ERRORS {
                self.stop();
            }
        }
        Fault
    }

    /// Parses no further.
    fn stop(&mut self) {
        self.stopped = true;
        self.at = self.lexed.tokens.len() - 1;
    }

    /// Runs a part of the parser that may contain itself, one level deeper.
    #[inline]
    pub(super) fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= self.limits.depth {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = part(self);
        self.depth -= 1;
        self.height += 1;
        let checked = self.check_height();
        self.height = self.height.max(outer);
        checked?;
        result
    }

    /// Counts one more node above what was built since `height` was last set to zero.
    #[inline]
    pub(super) fn raise(&mut self) -> Parse<()> {
        self.height += 1;
        self.check_height()
    }

    #[inline]
    fn check_height(&mut self) -> Parse<()> {
        if self.height > self.limits.height {
            return Err(self.too_deep());
        }
        Ok(())
    }

    #[cold]
    fn too_deep(&mut self) -> Fault {
        let span = self.here_span();
        let message = format!(
            "nested too deeply: Concord reads at most {} levels, or {} operators in a row",
            self.limits.depth, self.limits.height
        );
        let fault = self.error(span, message);
        self.stop();
        fault
    }

    /// After an error: skips to behind the next `;`, or to a `}` that closes a block opened before.
    /// Blocks on the way are skipped whole.
    pub(super) fn skip_to_end_of_item(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                TokenKind::Eof => return,
                TokenKind::Semi if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::RBrace if open == 0 => return,
                TokenKind::RBrace => {
                    open -= 1;
                    self.bump();
                    if open == 0 {
                        self.accept(TokenKind::Semi);
                        return;
                    }
                }
                TokenKind::LBrace => {
                    open += 1;
                    self.bump();
                }
                _ => {
                    self.bump();
                }
            }
        }
    }
}
