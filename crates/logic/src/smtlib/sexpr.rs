//! S-expressions, read without recursion into a flat table.

use super::SmtError;

/// One expression: an atom or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SExpr<'t> {
    /// A symbol, keyword, number or string, without its quotes.
    Atom(&'t str),
    /// Expressions by number, in [`SExprs`].
    List(Vec<u32>),
}

/// All expressions of a text.
#[derive(Debug, Default)]
pub struct SExprs<'t> {
    nodes: Vec<SExpr<'t>>,
    lines: Vec<u32>,
    /// The expressions at the top.
    pub top: Vec<u32>,
}

impl<'t> SExprs<'t> {
    /// Reads a whole text.
    pub fn read(text: &'t str) -> Result<SExprs<'t>, SmtError> {
        let mut result = SExprs::default();
        let mut open: Vec<(Vec<u32>, u32)> = Vec::new();
        let mut line = 1u32;
        let bytes = text.as_bytes();
        let mut position = 0;
        while position < bytes.len() {
            let byte = bytes[position];
            match byte {
                b'\n' => {
                    line += 1;
                    position += 1;
                }
                _ if byte.is_ascii_whitespace() => position += 1,
                b';' => {
                    while position < bytes.len() && bytes[position] != b'\n' {
                        position += 1;
                    }
                }
                b'(' => {
                    open.push((Vec::new(), line));
                    position += 1;
                }
                b')' => {
                    let Some((items, start)) = open.pop() else {
                        return Err(error(line, "closing parenthesis without an opening one"));
                    };
                    let node = result.push(SExpr::List(items), start);
                    result.attach(&mut open, node);
                    position += 1;
                }
                b'|' | b'"' => {
                    let Some(length) = text[position + 1..].find(byte as char) else {
                        return Err(error(line, "quoted text without an end"));
                    };
                    let content = &text[position + 1..position + 1 + length];
                    let node = result.push(SExpr::Atom(content), line);
                    result.attach(&mut open, node);
                    line += content.bytes().filter(|byte| *byte == b'\n').count() as u32;
                    position += length + 2;
                }
                _ => {
                    let start = position;
                    while position < bytes.len()
                        && !bytes[position].is_ascii_whitespace()
                        && !b"();|\"".contains(&bytes[position])
                    {
                        position += 1;
                    }
                    let node = result.push(SExpr::Atom(&text[start..position]), line);
                    result.attach(&mut open, node);
                }
            }
        }
        match open.last() {
            Some((_, start)) => Err(error(*start, "parenthesis is never closed")),
            None => Ok(result),
        }
    }

    fn push(&mut self, node: SExpr<'t>, line: u32) -> u32 {
        self.nodes.push(node);
        self.lines.push(line);
        (self.nodes.len() - 1) as u32
    }

    fn attach(&mut self, open: &mut [(Vec<u32>, u32)], node: u32) {
        match open.last_mut() {
            Some((items, _)) => items.push(node),
            None => self.top.push(node),
        }
    }

    /// An expression.
    pub fn node(&self, number: u32) -> &SExpr<'t> {
        &self.nodes[number as usize]
    }

    /// The items of a list; none for an atom.
    pub fn items(&self, number: u32) -> &[u32] {
        match self.node(number) {
            SExpr::List(items) => items,
            SExpr::Atom(_) => &[],
        }
    }

    /// The text of an atom.
    pub fn atom(&self, number: u32) -> Option<&'t str> {
        match self.node(number) {
            SExpr::Atom(text) => Some(text),
            SExpr::List(_) => None,
        }
    }

    /// An error at an expression.
    pub fn error(&self, number: u32, message: impl Into<String>) -> SmtError {
        SmtError {
            line: self.lines[number as usize] as usize,
            message: message.into(),
        }
    }
}

fn error(line: u32, message: &str) -> SmtError {
    SmtError {
        line: line as usize,
        message: message.into(),
    }
}
