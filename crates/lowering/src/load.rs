//! From files to a program in one step.

use super::{LowerOptions, Tree, lower, lower_keeping_tree};
use crate::models;
use cfa::program::{Assumption, Program};
use std::path::PathBuf;
use syntax::check;
use syntax::diagnostics::Diagnostic;
use syntax::driver::{self, Failure, Options, Parsed};
use syntax::names::Names;
use syntax::source::{Origin, Source, SourceMap};

/// A program that is ready to be analysed.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
}

/// Reads, preprocesses, parses, checks, links and lowers the files, together with the library
/// models.
pub fn load_program(
    paths: &[PathBuf],
    front: &Options,
    options: &LowerOptions,
) -> Result<Loaded, Failure> {
    let mut front = front.clone();
    front.extra.push(prelude());
    let parsed = driver::parse_files(paths, &front)?;
    finish(parsed, &front, options)
}

/// As [`load_program`]; the tree is kept for expressions that are given as text later.
pub fn load_with_tree(
    paths: &[PathBuf],
    front: &Options,
    options: &LowerOptions,
) -> Result<(Loaded, Tree), Failure> {
    let mut front = front.clone();
    front.extra.push(prelude());
    let Parsed {
        units,
        sources,
        mut names,
    } = driver::parse_files(paths, &front)?;
    match check::check(units, &mut names, front.data_model) {
        Ok(checked) => {
            let (mut program, tree) = lower_keeping_tree(checked.program, sources, names, options)?;
            program.warnings = told(&program, checked.warnings);
            Ok((Loaded { program }, tree))
        }
        Err(diagnostics) => Err(Failure {
            sources,
            diagnostics,
        }),
    }
}

/// As [`load_program`] for one text that needs no preprocessor.
pub fn load_text(
    name: &str,
    text: &str,
    front: &Options,
    options: &LowerOptions,
) -> Result<Loaded, Failure> {
    let (mut sources, mut names) = (SourceMap::new(), Names::new());
    let source = Source {
        name: name.to_owned(),
        text: text.into(),
        origin: Origin::Given,
    };
    let mut units = Vec::new();
    for source in [source, prelude()] {
        match driver::parse(&mut sources, &mut names, source) {
            Ok(unit) => units.push(unit),
            Err(diagnostics) => {
                return Err(Failure {
                    sources,
                    diagnostics,
                });
            }
        }
    }
    finish(
        Parsed {
            units,
            sources,
            names,
        },
        front,
        options,
    )
}

fn finish(parsed: Parsed, front: &Options, options: &LowerOptions) -> Result<Loaded, Failure> {
    let Parsed {
        units,
        sources,
        mut names,
    } = parsed;
    match check::check(units, &mut names, front.data_model) {
        Ok(checked) => {
            let mut program = lower(checked.program, sources, names, options)?;
            program.warnings = told(&program, checked.warnings);
            Ok(Loaded { program })
        }
        Err(diagnostics) => Err(Failure {
            sources,
            diagnostics,
        }),
    }
}

/// The warnings about the user's own text.
fn told(program: &Program, warnings: Vec<Diagnostic>) -> Vec<Assumption> {
    let notes = warnings.into_iter().map(|warning| Assumption {
        text: warning.message,
        span: warning.span,
    });
    let is_own = |note: &Assumption| {
        !program
            .describe(note.span)
            .starts_with(models::PRELUDE_NAME)
    };
    notes.filter(is_own).collect()
}

fn prelude() -> Source {
    Source {
        name: models::PRELUDE_NAME.to_owned(),
        text: models::PRELUDE.as_str().into(),
        origin: Origin::Given,
    }
}
