//! The program as the report shows it: the text of its files and the automata of its functions.

use super::message::SourceLine;
use cfa::program::{LocId, LocationKind as Kind, Program};
use printing::export::operation_text;
use report::check::{
    EdgeShown, FunctionShown, LocationKind, LocationShown, ProgramShown, SourceFile,
};
use rustc_hash::FxHashMap;
use std::path::Path;
use syntax::source::Origin;
use syntax::span::Span;

/// Operations are cut to this many characters.
const LONGEST_TEXT: usize = 160;
/// Larger files are not shown.
const LARGEST_FILE: u64 = 4 << 20;

/// The files that code of the program stands in, numbered in the order in which the program names
/// them.
#[derive(Default)]
pub struct Files {
    names: Vec<String>,
    index: FxHashMap<String, u32>,
}

impl Files {
    pub fn of(program: &Program) -> Files {
        let mut files = Files::default();
        let functions = program.functions.iter();
        for function in functions.filter(|function| !function.is_library_model) {
            files.add(program, function.span);
        }
        for location in &program.locations {
            if !program.function(location.function).is_library_model {
                files.add(program, location.span);
            }
        }
        files
    }

    fn add(&mut self, program: &Program, span: Span) {
        if span.is_none() {
            return;
        }
        if let Some(place) = program.sources.place(span.lo)
            && !self.index.contains_key(place.file)
        {
            let number = self.names.len() as u32;
            self.names.push(place.file.to_owned());
            self.index.insert(place.file.to_owned(), number);
        }
    }

    /// The line of a place, if it is in one of the files.
    pub fn line(&self, program: &Program, span: Span) -> Option<SourceLine> {
        if span.is_none() {
            return None;
        }
        let place = program.sources.place(span.lo)?;
        let file = *self.index.get(place.file)?;
        Some(SourceLine {
            file,
            line: place.line,
        })
    }

    /// The text of a file: as it was given, or as it lies on the disk if the preprocessor read it.
    fn text(program: &Program, name: &str) -> String {
        let sources = &program.sources;
        let given = sources.sources().find(|&source| {
            sources.name(source) == name && sources.origin(source) == Origin::Given
        });
        if let Some(source) = given {
            return String::from_utf8_lossy(sources.bytes(source)).into_owned();
        }
        let beside = sources.sources().filter_map(|source| {
            let folder = Path::new(sources.name(source)).parent()?;
            Some(folder.join(name))
        });
        std::iter::once(name.into())
            .chain(beside)
            .filter(|path| {
                std::fs::metadata(path)
                    .is_ok_and(|data| data.is_file() && data.len() <= LARGEST_FILE)
            })
            .find_map(|path| std::fs::read(path).ok())
            .map_or(String::new(), |bytes| {
                String::from_utf8_lossy(&bytes).into_owned()
            })
    }
}

/// Everything about the program that the report shows; models of the library are left out.
pub fn program(program: &Program, files: &Files) -> ProgramShown {
    let mut functions: Vec<FunctionShown> = program
        .functions
        .iter()
        .map(|function| FunctionShown {
            name: program.names.get(function.name).to_owned(),
            at: files.line(program, function.span),
            entry: function.entry.0,
            exit: function.exit.0,
            locations: Vec::new(),
            edges: Vec::new(),
        })
        .collect();
    for (number, location) in program.locations.iter().enumerate() {
        if program.function(location.function).is_library_model {
            continue;
        }
        let shown = &mut functions[location.function.0 as usize];
        shown.locations.push(LocationShown {
            number: number as u32,
            kind: match location.kind {
                Kind::Ordinary => LocationKind::Ordinary,
                Kind::LoopHead => LocationKind::LoopHead,
                Kind::Error => LocationKind::Error,
            },
            at: files.line(program, location.span),
        });
    }
    for edge in &program.edges {
        let function = program.location(edge.source).function;
        if program.function(function).is_library_model {
            continue;
        }
        let mut text = operation_text(program, program.op(edge.op));
        if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
            text.truncate(end);
            text.push('…');
        }
        functions[function.0 as usize].edges.push(EdgeShown {
            source: edge.source.0,
            target: edge.target.0,
            text,
            at: files.line(program, edge.span),
        });
    }
    let is_shown = |id: u32| {
        !program
            .function(program.location(LocId(id)).function)
            .is_library_model
    };
    functions.retain(|function| is_shown(function.entry));
    ProgramShown {
        files: files
            .names
            .iter()
            .map(|name| SourceFile {
                name: name.clone(),
                text: Files::text(program, name),
            })
            .collect(),
        functions,
    }
}
