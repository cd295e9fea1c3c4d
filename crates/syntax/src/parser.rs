//! Tokens to the syntax tree of [`crate::ast`]: recursive descent over C11 and the GNU dialect.
//!
//! C's grammar needs one thing beyond tokens, namely which names are types; [`scope`] tracks it.
//! The rest of the meaning is the checker's.
//!
//! Errors do not stop the parser: it skips to the end of the statement or declaration and goes on,
//! so that one run reports several. Nesting is limited (see [`Limits`]): the parser and everything
//! that walks the tree recursively run on a large stack ([`crate::driver::on_large_stack`]), and
//! the limits keep them within it.

mod asm;
mod attribute;
mod cursor;
mod declaration;
mod declarator;
mod expression;
mod initializer;
mod primary;
pub(crate) mod quantifier;
mod scope;
mod specifiers;
mod statement;
mod tags;

use crate::ast::{Expr, TranslationUnit};
use crate::diagnostics::Diagnostic;
use crate::lexer::{Lexed, TokenKind};
use crate::names::Names;
use crate::span::Name;
use cursor::{Fault, Parse};
use scope::Scopes;
use std::cell::OnceCell;

/// How far nesting may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Levels of recursion of the parser itself.
    pub depth: u32,
    /// Levels of the tree; a chain `a + b + c + …` is one level of recursion but deep as a tree.
    pub height: u32,
}

impl Limits {
    /// What the stack of [`crate::driver::on_large_stack`] bears, for the parser as well as for a
    /// checker that uses up to six kilobytes for a level of the tree.
    pub const LARGE_STACK: Limits = Limits {
        depth: 50_000,
        height: 150_000,
    };
}

struct Parser<'a> {
    lexed: &'a Lexed<'a>,
    names: &'a mut Names,
    scopes: Scopes,
    /// The tags of the records whose members are being read, with the depth of their scope.
    open_tags: Vec<(Name, usize)>,
    /// The index of the token at hand.
    at: usize,
    errors: Vec<Diagnostic>,
    /// Set when parsing goes no further: the cursor stands at the end of the text and errors that
    /// follow from that are not reported.
    stopped: bool,
    limits: Limits,
    depth: u32,
    /// The height of the highest tree built since it was last set to zero.
    height: u32,
    /// How many quantifiers are being read.
    quantifiers: u8,
    /// Where parentheses close, for looking past attributes; made when it is first needed.
    closing: OnceCell<Vec<u32>>,
}

impl<'a> Parser<'a> {
    fn new(lexed: &'a Lexed<'a>, names: &'a mut Names, limits: Limits) -> Parser<'a> {
        let mut parser = Parser {
            lexed,
            names,
            scopes: Scopes::default(),
            open_tags: Vec::new(),
            at: 0,
            errors: Vec::new(),
            stopped: false,
            limits,
            depth: 0,
            height: 0,
            quantifiers: 0,
            closing: OnceCell::new(),
        };
        let types = quantifier::TYPES.into_iter();
        for name in types
            .filter_map(|name| parser.names.find(name))
            .collect::<Vec<_>>()
        {
            parser.scopes.declare(name, true);
        }
        parser
    }
}

/// Parses a whole text. Errors of the lexer are reported in its place if there are any.
pub fn translation_unit(
    lexed: &mut Lexed,
    names: &mut Names,
    limits: Limits,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let lexer_errors = std::mem::take(&mut lexed.errors);
    if !lexer_errors.is_empty() {
        return Err(lexer_errors);
    }
    let mut parser = Parser::new(lexed, names, limits);
    let unit = parser.translation_unit();
    if parser.errors.is_empty() {
        Ok(unit)
    } else {
        Err(parser.errors)
    }
}

/// Parses a text that is one expression, in which `typedefs` name types.
pub fn expression(
    lexed: &mut Lexed,
    names: &mut Names,
    typedefs: &[Name],
    limits: Limits,
) -> Result<Expr, Vec<Diagnostic>> {
    let lexer_errors = std::mem::take(&mut lexed.errors);
    if !lexer_errors.is_empty() {
        return Err(lexer_errors);
    }
    let mut parser = Parser::new(lexed, names, limits);
    for &name in typedefs {
        parser.scopes.declare(name, true);
    }
    let result = parser.whole_expression();
    match result {
        Ok(expr) if parser.errors.is_empty() => Ok(expr),
        _ => Err(parser.errors),
    }
}

impl Parser<'_> {
    fn whole_expression(&mut self) -> Parse<Expr> {
        let expr = self.expression()?;
        if self.peek() != TokenKind::Eof {
            return Err(self.unexpected("the end of the expression"));
        }
        Ok(expr)
    }
}

#[cfg(test)]
mod tests;
