mod declarations;
mod dump;
mod expressions;
mod limits;
mod recovery;
mod statements;

use crate::diagnostics::{self, Diagnostic};
use crate::driver;
use crate::names::Names;
use crate::source::{Origin, Source, SourceMap};
use dump::Dump;

fn source(text: &str) -> Source {
    Source {
        name: "t.c".into(),
        text: text.into(),
        origin: Origin::Given,
    }
}

/// The items of a text, in the form of [`Dump`].
fn items(text: &str) -> Vec<String> {
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    match driver::parse(&mut map, &mut names, source(text)) {
        Ok(unit) => unit
            .items
            .iter()
            .map(|item| Dump(&names).item(item))
            .collect(),
        Err(errors) => panic!("{}", diagnostics::render(&map, &errors)),
    }
}

/// The last item of a text.
fn last(text: &str) -> String {
    items(text).pop().unwrap()
}

/// The statement that is the body of a function, in which `T` is a type.
fn body(text: &str) -> String {
    let all = last(&format!("typedef int T; f() {{ {text} }}"));
    let start = all.find('{').unwrap();
    all[start + 1..all.len() - 2].to_owned()
}

/// An expression, in which `T` is a type.
fn expr(text: &str) -> String {
    let text = body(&format!("{text};"));
    text.strip_suffix(';').unwrap().to_owned()
}

fn errors(text: &str) -> Vec<Diagnostic> {
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    driver::parse(&mut map, &mut names, source(text))
        .err()
        .unwrap_or_default()
}

/// Messages with line and column, several to a line.
fn complaints(text: &str) -> Vec<String> {
    let (mut map, mut names) = (SourceMap::new(), Names::new());
    let errors = driver::parse(&mut map, &mut names, source(text))
        .err()
        .unwrap_or_default();
    let show = |error: &Diagnostic| {
        let place = map.place(error.span.lo).unwrap();
        format!("{}:{}: {}", place.line, place.column, error.message)
    };
    errors.iter().map(show).collect()
}
