//! From paths to trees: the ways into this crate.

mod stack;

pub use stack::on_large_stack;

use crate::ast::{Expr, TranslationUnit};
use crate::diagnostics::{Diagnostic, Kind};
use crate::lexer;
use crate::names::Names;
use crate::parser::{self, Limits};
use crate::source::{Origin, Source, SourceMap};
use crate::span::{Name, Span};

/// Adds a text to the map and parses it.
///
/// The tree may be as deep as [`Limits::LARGE_STACK`] allows: walk and drop it in [`on_large_stack`].
pub fn parse(
    map: &mut SourceMap,
    names: &mut Names,
    source: Source,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let name = source.name.clone();
    let Some(id) = map.add(source) else {
        return Err(vec![too_large(&name)]);
    };
    let bytes = map.shared_bytes(id);
    let mut lexed = lexer::lex(&bytes, map.base(id), names);
    map.set_markers(id, std::mem::take(&mut lexed.markers));
    on_large_stack(|| parser::translation_unit(&mut lexed, names, Limits::LARGE_STACK))
}

/// Adds a text to the map and parses it as one expression, in which `typedefs` are types.
pub fn parse_expression(
    text: &str,
    names: &mut Names,
    map: &mut SourceMap,
    typedefs: &[Name],
) -> Result<Expr, Vec<Diagnostic>> {
    let name = "<expression>".to_owned();
    let source = Source {
        name: name.clone(),
        text: text.into(),
        origin: Origin::Given,
    };
    let Some(id) = map.add(source) else {
        return Err(vec![too_large(&name)]);
    };
    let mut lexed = lexer::lex(text.as_bytes(), map.base(id), names);
    on_large_stack(|| parser::expression(&mut lexed, names, typedefs, Limits::LARGE_STACK))
}

fn too_large(name: &str) -> Diagnostic {
    let message = format!("{name}: the texts of one run may have four gigabytes in all");
    Diagnostic::new(Kind::Input, Span::NONE, message)
}
