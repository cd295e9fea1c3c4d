//! Text to tokens: C11 with GNU spellings, as it stands behind the preprocessor.
//!
//! Comments are skipped too, since a file without directives is read as it is. Lines with `#` are
//! line markers (collected for [`crate::source::SourceMap`]), pragmas (only `pack` has a meaning)
//! or `#ident`; any other directive is an error here and a reason to call the preprocessor in
//! [`crate::preprocess`].

mod directive;
pub mod literal;
mod splice;
mod token;

pub use directive::{LineMarker, PackChange};
pub use splice::Splices;
pub use token::{KEYWORDS, Token, TokenKind};

use crate::diagnostics::{Diagnostic, Kind};
use crate::names::Names;
use crate::span::{Name, Span};
use std::borrow::Cow;

/// The tokens of a text, the last of which is [`TokenKind::Eof`].
#[derive(Debug)]
pub struct Lexed<'a> {
    pub tokens: Vec<Token>,
    /// What the offsets in the tokens refer to.
    pub text: Cow<'a, [u8]>,
    pub splices: Splices,
    /// Where the text begins in the space of all texts.
    pub base: u32,
    pub markers: Vec<LineMarker>,
    pub packs: Vec<PackChange>,
    /// The first directive that only the preprocessor can follow; it is among the errors.
    pub directive: Option<Span>,
    pub errors: Vec<Diagnostic>,
}

impl Lexed<'_> {
    #[inline]
    pub fn span(&self, token: Token) -> Span {
        Span::new(self.start(token.lo), self.end(token.hi))
    }

    #[inline]
    pub fn start(&self, lo: u32) -> u32 {
        self.base + self.splices.start(lo)
    }

    #[inline]
    pub fn end(&self, hi: u32) -> u32 {
        self.base + self.splices.end(hi)
    }

    pub fn bytes(&self, token: Token) -> &[u8] {
        &self.text[token.lo as usize..token.hi as usize]
    }
}

/// Reads the whole text; errors are collected, and what follows them is still read where that makes
/// sense.
pub fn lex<'a>(text: &'a [u8], base: u32, names: &mut Names) -> Lexed<'a> {
    let (text, splices) = splice::splice(text);
    let mut lexer = Lexer {
        at: 0,
        base,
        splices: &splices,
        names,
        tokens: Vec::with_capacity(text.len() / 4 + 16),
        markers: Vec::new(),
        packs: directive::PackStack::default(),
        directive: None,
        errors: Vec::new(),
        text: &text,
    };
    lexer.run();
    let Lexer {
        tokens,
        markers,
        packs,
        directive,
        errors,
        ..
    } = lexer;
    let packs = packs.changes;
    Lexed {
        tokens,
        text,
        splices,
        base,
        markers,
        packs,
        directive,
        errors,
    }
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    base: u32,
    splices: &'a Splices,
    names: &'a mut Names,
    tokens: Vec<Token>,
    markers: Vec<LineMarker>,
    packs: directive::PackStack,
    directive: Option<Span>,
    errors: Vec<Diagnostic>,
}

/// Broken bytes come in heaps: after this many errors the rest of the text is not looked at.
const MAX_ERRORS: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    Digit,
    Punct,
    Quote,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = match b as u8 {
            b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'"' | b'\'' => Class::Quote,
            b'!' | b'%'..=b'&' | b'('..=b'/' | b':'..=b'?' | b'[' | b']' | b'^' | b'{'..=b'~' => {
                Class::Punct
            }
            _ => Class::Other,
        };
        b += 1;
    }
    table
};

#[inline]
fn continues_name(b: u8) -> bool {
    matches!(CLASSES[b as usize], Class::Letter | Class::Digit)
}

impl Lexer<'_> {
    fn run(&mut self) {
        if self.text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        while self.at < self.text.len() && self.errors.len() < MAX_ERRORS {
            let b = self.text[self.at];
            match CLASSES[b as usize] {
                Class::Space => self.space(),
                Class::Letter => self.name(),
                Class::Digit => self.number(),
                Class::Punct => self.punctuator(b),
                Class::Quote => self.quoted(self.at),
                Class::Other => self.other(b),
            }
        }
        let end = self.text.len() as u32;
        self.tokens.push(Token {
            lo: end,
            hi: end,
            name: Name(0),
            kind: TokenKind::Eof,
        });
    }

    /// Blanks come in rows: lines are indented.
    #[inline]
    fn space(&mut self) {
        let rest = &self.text[self.at..];
        let is_space = |b: &u8| CLASSES[*b as usize] == Class::Space;
        self.at += rest.iter().position(|b| !is_space(b)).unwrap_or(rest.len());
    }

    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn push(&mut self, kind: TokenKind, lo: usize, name: Name) {
        self.tokens.push(Token {
            lo: lo as u32,
            hi: self.at as u32,
            name,
            kind,
        });
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        let lo = self.base + self.splices.start(lo as u32);
        let hi = self.base + self.splices.end(hi as u32);
        Span::new(lo, hi.max(lo))
    }

    fn error(&mut self, lo: usize, hi: usize, message: impl Into<String>) {
        self.errors
            .push(Diagnostic::new(Kind::Syntax, self.span(lo, hi), message));
    }

    /// An error after which the rest of the text makes no sense.
    fn fatal(&mut self, lo: usize, hi: usize, message: impl Into<String>) {
        self.error(lo, hi, message);
        self.at = self.text.len();
    }

    #[inline]
    fn name(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.iter().position(|&b| !continues_name(b));
        let at = start + length.unwrap_or(rest.len());
        let next = self.text.get(at).copied().unwrap_or(0);
        if next >= 0x80 || next == b'\\' {
            return self.extended_name();
        }
        let text = &self.text[start..at];
        if matches!(next, b'"' | b'\'') && matches!(text, b"L" | b"u" | b"U" | b"u8") {
            self.at = at;
            return self.quoted(start);
        }
        self.at = at;
        let name = self
            .names
            .intern_bytes(text)
            .expect("letters and digits are ASCII");
        match TokenKind::of_name(name) {
            TokenKind::Pragma => self.pragma_operator(start),
            kind => self.push(kind, start, name),
        }
    }

    /// A name with characters beyond ASCII, written as such or as `\u00e9`.
    #[cold]
    fn extended_name(&mut self) {
        let start = self.at;
        let mut name = String::new();
        loop {
            match self.peek(0) {
                b if self.at < self.text.len() && continues_name(b) => {
                    name.push(b as char);
                    self.at += 1;
                }
                b'\\' if matches!(self.peek(1), b'u' | b'U') => {
                    let Some((c, length)) = literal::universal_name(&self.text[self.at..]) else {
                        let at = self.at;
                        self.at += 2;
                        return self.error(at, at + 2, "incomplete universal character name");
                    };
                    name.push(c);
                    self.at += length;
                }
                0x80.. => match first_char(&self.text[self.at..]) {
                    Some(c) if c.is_alphanumeric() || (!name.is_empty() && is_mark(c)) => {
                        name.push(c);
                        self.at += c.len_utf8();
                    }
                    Some(_) => break,
                    None => return self.invalid_utf8(),
                },
                _ => break,
            }
        }
        if name.is_empty() {
            return self.stray();
        }
        let name = self.names.intern(&name);
        self.push(TokenKind::of_name(name), start, name);
    }

    #[cold]
    fn other(&mut self, b: u8) {
        match b {
            b'#' => self.hash(1),
            b'\\' if matches!(self.peek(1), b'u' | b'U') => self.extended_name(),
            0x80.. => self.extended_name(),
            _ => self.stray(),
        }
    }

    #[cold]
    fn stray(&mut self) {
        let start = self.at;
        let message = match first_char(&self.text[start..]) {
            Some(c) if c.is_control() => format!("stray byte 0x{:02x} in program", c as u32),
            Some(c) => format!("stray '{c}' in program"),
            None => return self.invalid_utf8(),
        };
        self.at += first_char(&self.text[start..]).map_or(1, char::len_utf8);
        self.error(start, self.at, message);
    }

    fn invalid_utf8(&mut self) {
        let b = self.peek(0);
        let message = format!("the file is not UTF-8: byte 0x{b:02x} outside a string or comment");
        self.fatal(self.at, self.at + 1, message);
    }

    #[inline]
    fn number(&mut self) {
        let start = self.at;
        let mut at = start + 1;
        while let Some(&b) = self.text.get(at) {
            match b {
                b'e' | b'E' | b'p' | b'P' if matches!(self.text.get(at + 1), Some(b'+' | b'-')) => {
                    at += 2;
                }
                b'.' => at += 1,
                _ if continues_name(b) => at += 1,
                _ => break,
            }
        }
        self.at = at;
        self.push(TokenKind::Number, start, Name(0));
    }

    /// A string or character literal whose opening quote is at hand; its prefix began at `start`.
    fn quoted(&mut self, start: usize) {
        let quote = self.peek(0);
        let mut at = self.at + 1;
        loop {
            match self.text.get(at) {
                Some(&b) if b == quote => break,
                Some(b'\\') if at + 1 < self.text.len() => at += 2,
                Some(b'\n') | None | Some(b'\\') => {
                    let what = if quote == b'"' { "string" } else { "character" };
                    self.at = at;
                    let end = at.min(self.text.len());
                    let message = format!(
                        "{what} literal is not terminated: expected {} before the end of the line",
                        quote as char
                    );
                    return self.error(start, end, message);
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        let kind = if quote == b'"' {
            TokenKind::Str
        } else {
            TokenKind::Char
        };
        self.push(kind, start, Name(0));
    }

    /// True if only blanks stand between the beginning of the line (or of the text) and here.
    fn first_on_line(&self) -> bool {
        let from = self.tokens.last().map_or(0, |token| token.hi as usize);
        from == 0 || self.text[from..self.at].contains(&b'\n')
    }

    /// At a `#` (or `%:`) of the given length.
    #[cold]
    fn hash(&mut self, length: usize) {
        if self.first_on_line() {
            self.directive(length);
        } else {
            let at = self.at;
            self.at += length;
            self.error(at, at + length, "stray '#' in program");
        }
    }

    fn line_comment(&mut self) {
        let rest = &self.text[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut at = start + 2;
        loop {
            match memchr::memchr(b'*', &self.text[at..]) {
                Some(star) if self.text.get(at + star + 1) == Some(&b'/') => {
                    self.at = at + star + 2;
                    return;
                }
                Some(star) => at += star + 1,
                None => return self.fatal(start, start + 2, "comment is not terminated"),
            }
        }
    }

    #[inline]
    fn punctuator(&mut self, b: u8) {
        use TokenKind as K;
        let start = self.at;
        let second = self.peek(1);
        let (kind, length) = match (b, second) {
            (b'(', _) => (K::LParen, 1),
            (b')', _) => (K::RParen, 1),
            (b';', _) => (K::Semi, 1),
            (b',', _) => (K::Comma, 1),
            (b'{', _) => (K::LBrace, 1),
            (b'}', _) => (K::RBrace, 1),
            (b'[', _) => (K::LBracket, 1),
            (b']', _) => (K::RBracket, 1),
            (b'=', b'=') => (K::EqEq, 2),
            (b'=', _) => (K::Assign, 1),
            (b'*', b'=') => (K::StarAssign, 2),
            (b'*', _) => (K::Star, 1),
            (b'-', b'>') => (K::Arrow, 2),
            (b'-', b'-') => (K::MinusMinus, 2),
            (b'-', b'=') => (K::MinusAssign, 2),
            (b'-', _) => (K::Minus, 1),
            (b'+', b'+') => (K::PlusPlus, 2),
            (b'+', b'=') => (K::PlusAssign, 2),
            (b'+', _) => (K::Plus, 1),
            (b'&', b'&') => (K::AmpAmp, 2),
            (b'&', b'=') => (K::AmpAssign, 2),
            (b'&', _) => (K::Amp, 1),
            (b'|', b'|') => (K::PipePipe, 2),
            (b'|', b'=') => (K::PipeAssign, 2),
            (b'|', _) => (K::Pipe, 1),
            (b'!', b'=') => (K::Ne, 2),
            (b'!', _) => (K::Bang, 1),
            (b'.', b'0'..=b'9') => return self.number(),
            (b'.', b'.') if self.peek(2) == b'.' => (K::Ellipsis, 3),
            (b'.', _) => (K::Dot, 1),
            (b'/', b'*') => return self.block_comment(),
            (b'/', b'/') => return self.line_comment(),
            (b'/', b'=') => (K::SlashAssign, 2),
            (b'/', _) => (K::Slash, 1),
            (b'<', b'<') if self.peek(2) == b'=' => (K::ShlAssign, 3),
            (b'<', b'<') => (K::Shl, 2),
            (b'<', b'=') => (K::Le, 2),
            (b'<', b':') => (K::LBracket, 2),
            (b'<', b'%') => (K::LBrace, 2),
            (b'<', _) => (K::Lt, 1),
            (b'>', b'>') if self.peek(2) == b'=' => (K::ShrAssign, 3),
            (b'>', b'>') => (K::Shr, 2),
            (b'>', b'=') => (K::Ge, 2),
            (b'>', _) => (K::Gt, 1),
            (b':', b'>') => (K::RBracket, 2),
            (b':', _) => (K::Colon, 1),
            (b'%', b'=') => (K::PercentAssign, 2),
            (b'%', b'>') => (K::RBrace, 2),
            (b'%', b':') => return self.hash(2),
            (b'%', _) => (K::Percent, 1),
            (b'^', b'=') => (K::CaretAssign, 2),
            (b'^', _) => (K::Caret, 1),
            (b'~', _) => (K::Tilde, 1),
            (b'?', _) => (K::Question, 1),
            _ => return self.stray(),
        };
        self.at = start + length;
        self.push(kind, start, Name(0));
    }
}

/// The first character, if the bytes begin with one.
fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?,
    };
    valid.chars().next()
}

/// Combining marks, which continue a name without beginning one.
fn is_mark(c: char) -> bool {
    matches!(c as u32, 0x300..=0x36f | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f)
}

#[cfg(test)]
mod tests;
