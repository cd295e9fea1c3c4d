//! C text to a typed tree: lexer, parser, types, layout, conversions, diagnostics.
//!
//! No analysis lives here, and no input or output beyond reading the texts that are given and
//! calling the C preprocessor.

pub mod ast;
mod attribute_names;
pub mod check;
pub mod complex;
pub mod constant;
pub mod diagnostics;
pub mod driver;
pub mod foreign;
pub mod harness;
pub mod layout;
pub mod lexer;
pub mod names;
pub mod parser;
pub mod preprocess;
pub mod source;
pub mod span;
pub mod type_name;
pub mod typed;
pub mod types;
