//! From paths to a typed program: the ways into this crate.

mod bodies;
mod read;
mod stack;

pub use read::read_sources;
pub use stack::on_large_stack;

use crate::ast::{Expr, TranslationUnit};
use crate::check::{self, Checked};
use crate::diagnostics::{self, Diagnostic};
use crate::lexer;
use crate::names::Names;
use crate::parser::{self, Limits};
use crate::preprocess::Settings;
use crate::preprocess::flags::Flags;
use crate::source::{Origin, Source, SourceMap};
use crate::span::Name;
use crate::typed::TypedProgram;
use crate::types::DataModel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The name of texts that are added to files, in messages.
pub const ADDED: &str = "<harness>";

/// How files are read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub data_model: DataModel,
    /// What the preprocessor is told about every file.
    pub flags: Flags,
    /// What it is told about some of the files before that.
    pub unit_flags: BTreeMap<PathBuf, Flags>,
    /// Functions whose definitions count as declarations.
    pub without_body: Vec<String>,
    /// Files in which they are definitions nevertheless.
    pub stubs: Vec<PathBuf>,
    /// Texts that are added at the ends of files, by the files' numbers: harnesses.
    pub additions: Vec<(usize, String)>,
    /// The compiler whose preprocessor is called; if absent, what `CC` names, and else `cc`.
    pub compiler: Option<String>,
    /// Texts that are linked with the files, such as models of library functions.
    pub extra: Vec<Source>,
}

impl Options {
    fn preprocessor(&self, path: &Path) -> Settings {
        let flags = match self.unit_flags.get(path) {
            Some(own) => own.then(&self.flags),
            None => self.flags.clone(),
        };
        Settings {
            data_model: self.data_model,
            flags,
            compiler: self.compiler.clone(),
        }
    }
}

/// The trees of all texts, one for each, those of [`Options::extra`] last.
#[derive(Debug)]
pub struct Parsed {
    pub units: Vec<TranslationUnit>,
    pub sources: SourceMap,
    pub names: Names,
}

/// A program whose every expression has its type, and what it was made of.
#[derive(Debug)]
pub struct FrontEnd {
    pub program: TypedProgram,
    pub sources: SourceMap,
    pub names: Names,
    pub warnings: Vec<Diagnostic>,
    /// How many of the sources, from the first on, are the files that were given.
    pub units: usize,
}

/// Why there is no program, with the texts that the diagnostics point into.
#[derive(Debug)]
pub struct Failure {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&diagnostics::render(&self.sources, &self.diagnostics))
    }
}

/// Reads, parses, checks and links the files and the extra texts.
pub fn front_end(paths: &[PathBuf], options: &Options) -> Result<FrontEnd, Failure> {
    on_large_stack(|| {
        let Parsed {
            units,
            sources,
            mut names,
        } = parse_files(paths, options)?;
        match check::check(units, &mut names, options.data_model) {
            Ok(Checked { program, warnings }) => Ok(FrontEnd {
                program,
                sources,
                names,
                warnings,
                units: paths.len(),
            }),
            Err(diagnostics) => Err(Failure {
                sources,
                diagnostics,
            }),
        }
    })
}

/// Reads and parses the files and the extra texts.
///
/// The trees may be as deep as [`Limits::LARGE_STACK`] allows: walk and drop them in
/// [`on_large_stack`].
pub fn parse_files(paths: &[PathBuf], options: &Options) -> Result<Parsed, Failure> {
    let mut sources = SourceMap::new();
    let mut names = Names::new();
    let texts = match read_sources(paths, options, &mut sources) {
        Ok(texts) => texts,
        Err(diagnostics) => {
            return Err(Failure {
                sources,
                diagnostics,
            });
        }
    };
    let mut units = Vec::new();
    let mut diagnostics = Vec::new();
    let mut removed = BTreeSet::new();
    for (number, (path, source)) in paths.iter().zip(texts).enumerate() {
        let name = source.name.clone();
        let source = match options.stubs.contains(path) {
            true => source,
            false => match bodies::remove(source, &options.without_body, &mut removed) {
                Ok(source) => source,
                Err(problem) => {
                    diagnostics.push(problem);
                    continue;
                }
            },
        };
        let source = with_additions(source, number, &options.additions);
        match parse(&mut sources, &mut names, source) {
            Ok(unit) if unit.items.is_empty() => {
                diagnostics.push(Diagnostic::input(format!("{name} declares nothing")));
            }
            Ok(unit) => units.push(unit),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    let missing = options
        .without_body
        .iter()
        .filter(|name| !removed.contains(*name));
    diagnostics.extend(missing.map(|name| {
        Diagnostic::input(format!(
            "no file defines the function '{name}', whose body is to be removed"
        ))
    }));
    for source in &options.extra {
        match parse(&mut sources, &mut names, source.clone()) {
            Ok(unit) => units.push(unit),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if diagnostics.is_empty() {
        Ok(Parsed {
            units,
            sources,
            names,
        })
    } else {
        on_large_stack(|| drop(units));
        Err(Failure {
            sources,
            diagnostics,
        })
    }
}

/// A file with the texts that are added at its end.
fn with_additions(mut source: Source, number: usize, additions: &[(usize, String)]) -> Source {
    for (_, text) in additions.iter().filter(|(file, _)| *file == number) {
        // They have places of their own.
        let text = format!("\n# 1 \"{ADDED}\"\n{text}");
        source.text.extend_from_slice(text.as_bytes());
    }
    source
}

/// Adds a text to the map and parses it; for the depth of the tree see [`parse_files`].
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

/// Adds a text to the map and parses it as one expression, in which `typedefs` are types; for the
/// depth of the tree see [`parse_files`].
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
    Diagnostic::input(format!(
        "{name}: the source files of one run may have four gigabytes in total"
    ))
}

#[cfg(test)]
mod tests;
