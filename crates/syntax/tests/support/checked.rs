//! A preprocessed text as a typed program.

use syntax::driver::parse;
use syntax::names::Names;
use syntax::source::{Origin, Source, SourceMap};
use syntax::typed::TypedProgram;
use syntax::types::DataModel;

/// C's integer types.
#[allow(
    dead_code,
    reason = "not every test that includes this file draws types"
)]
pub const INTEGERS: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

/// # Panics
/// If the text is not correct.
pub fn checked(name: &str, text: impl Into<Vec<u8>>, model: DataModel) -> (TypedProgram, Names) {
    let mut map = SourceMap::new();
    let mut names = Names::new();
    let source = Source {
        name: name.to_owned(),
        text: text.into(),
        origin: Origin::Given,
    };
    let unit = parse(&mut map, &mut names, source).expect("the text is right");
    let checked = syntax::check::check(vec![unit], &mut names, model).unwrap_or_else(|problems| {
        panic!("{}", syntax::diagnostics::render(&map, &problems));
    });
    (checked.program, names)
}
