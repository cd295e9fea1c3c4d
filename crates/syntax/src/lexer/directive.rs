//! Lines that begin with `#`: line markers, pragmas, `#ident`.

use super::{Lexer, continues_name};
use crate::attribute_names::is_harmless_option;
use crate::lexer::literal;

/// "What follows is line `line` of `file`": `# 12 "file.c" 1` or `#line 12 "file.c"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineMarker {
    /// Offset in the text as read of the line behind the marker.
    pub offset: u32,
    pub line: u32,
    /// Absent if the file stays the one before.
    pub file: Option<String>,
}

/// From the token with this index on, `#pragma pack` limits the alignment of members to so many
/// bytes (none: no limit).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackChange {
    pub token: u32,
    pub limit: Option<u8>,
}

/// The state of `#pragma pack`, as gcc and Microsoft's compiler keep it.
#[derive(Debug, Default)]
pub(super) struct PackStack {
    current: Option<u8>,
    saved: Vec<(Option<Vec<u8>>, Option<u8>)>,
    pub(super) changes: Vec<PackChange>,
}

impl Lexer<'_> {
    /// At a `#` of the given length that begins a directive.
    pub(super) fn directive(&mut self, length: usize) {
        let start = self.at;
        let rest = &self.text[start..];
        let end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &self.text[start + length..end];
        self.at = end;
        let mut words = Words { rest: line };
        match words.word() {
            b"" => match words.number() {
                Some(number) => self.line_marker(number, words, end),
                None if words.is_empty() => {}
                None => self.error(start, end, "invalid preprocessing directive"),
            },
            b"line" => match words.number() {
                Some(number) => self.line_marker(number, words, end),
                None => self.error(start, end, "expected a line number after #line"),
            },
            b"pragma" => self.pragma(words, start, end),
            b"ident" | b"sccs" => {}
            other => {
                let name = String::from_utf8_lossy(other).into_owned();
                let message = format!("directive #{name} in a file that is not preprocessed");
                self.directive.get_or_insert(self.span(start, end));
                self.error(start, end, message);
            }
        }
    }

    fn line_marker(&mut self, line: u32, mut words: Words, end: usize) {
        let file = words.string();
        let offset = self.splices.start((end + 1).min(self.text.len()) as u32);
        self.markers.push(LineMarker { offset, line, file });
    }

    /// A pragma between two places of the text. gcc ignores those that it does not know, and so do
    /// we; of those that it knows, the ones that change what a program means are understood or an
    /// error.
    fn pragma(&mut self, mut words: Words, start: usize, end: usize) {
        let forbidden = match words.word() {
            b"pack" => {
                self.packs.pragma(words, self.tokens.len() as u32);
                false
            }
            b"weak" | b"redefine_extname" | b"ms_struct" => true,
            b"scalar_storage_order" => words.word() != b"little",
            b"STDC" => words.word() == b"FLOAT_CONST_DECIMAL64",
            b"GCC" => match words.word() {
                b"optimize" | b"target" => {
                    words.open();
                    let mut harmless = true;
                    while let Some(option) = words.string() {
                        harmless &= is_harmless_option(&option);
                        words.comma();
                    }
                    !harmless
                }
                _ => false,
            },
            _ => false,
        };
        if forbidden {
            self.error(start, end, "this pragma is not supported");
        }
    }

    /// `_Pragma("…")`, which began at `start`; its keyword is read.
    pub(super) fn pragma_operator(&mut self, start: usize) {
        let mut words = Words {
            rest: &self.text[self.at..],
        };
        let text = words.open().then(|| words.string()).flatten();
        match text {
            Some(text) if words.close() => {
                self.at = self.text.len() - words.rest.len();
                let words = Words {
                    rest: text.as_bytes(),
                };
                self.pragma(words, start, self.at);
            }
            _ => self.error(
                start,
                self.at,
                "_Pragma takes a parenthesised string literal",
            ),
        }
    }
}

impl PackStack {
    /// `pack()`, `pack(n)`, `pack(push)`, `pack(push, n)`, `pack(push, name, n)`, `pack(pop)`,
    /// `pack(pop, name)`, `pack(pop, n)`; anything else is ignored, as gcc does.
    fn pragma(&mut self, mut words: Words, token: u32) {
        if !words.open() {
            return;
        }
        if words.close() {
            return self.set(None, token);
        }
        if let Some(limit) = words.number() {
            return self.set_limit(limit, token);
        }
        let (mut name, mut limit) = (None, None);
        let action = words.word();
        while words.comma() {
            match words.number() {
                Some(number) => limit = Some(number),
                None => name = Some(words.word().to_vec()),
            }
        }
        match action {
            b"push" => self.saved.push((name, self.current)),
            b"pop" => {
                let at = match &name {
                    Some(_) => self.saved.iter().rposition(|(saved, _)| *saved == name),
                    None => self.saved.len().checked_sub(1),
                };
                if let Some(at) = at {
                    let before = self.saved[at].1;
                    self.saved.truncate(at);
                    self.set(before, token);
                }
            }
            _ => return,
        }
        if let Some(limit) = limit {
            self.set_limit(limit, token);
        }
    }

    fn set_limit(&mut self, limit: u32, token: u32) {
        match limit {
            0 => self.set(None, token),
            1 | 2 | 4 | 8 | 16 => self.set(Some(limit as u8), token),
            _ => {}
        }
    }

    fn set(&mut self, limit: Option<u8>, token: u32) {
        self.current = limit;
        self.changes.push(PackChange { token, limit });
    }
}

/// The words of a directive.
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    fn skip_blanks(&mut self) {
        while let [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn is_empty(&mut self) -> bool {
        self.skip_blanks();
        self.rest.is_empty()
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    /// A name, empty if there is none.
    fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        if self.rest.first().is_some_and(u8::is_ascii_digit) {
            return b"";
        }
        let length = self
            .rest
            .iter()
            .position(|&b| !continues_name(b))
            .unwrap_or(self.rest.len());
        self.take(length)
    }

    fn number(&mut self) -> Option<u32> {
        self.skip_blanks();
        let length = self
            .rest
            .iter()
            .position(|b| !b.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let number = std::str::from_utf8(&self.rest[..length])
            .ok()?
            .parse()
            .ok()?;
        self.take(length);
        Some(number)
    }

    fn string(&mut self) -> Option<String> {
        self.skip_blanks();
        if self.rest.first() != Some(&b'"') {
            return None;
        }
        let mut at = 1;
        loop {
            match self.rest.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                b'\n' => return None,
                _ => at += 1,
            }
        }
        let quoted = self.take(at + 1);
        Some(literal::unescape_path(&quoted[1..at]))
    }

    fn accept(&mut self, b: u8) -> bool {
        self.skip_blanks();
        let found = self.rest.first() == Some(&b);
        if found {
            self.take(1);
        }
        found
    }

    fn open(&mut self) -> bool {
        self.accept(b'(')
    }

    fn close(&mut self) -> bool {
        self.accept(b')')
    }

    fn comma(&mut self) -> bool {
        self.accept(b',')
    }
}
