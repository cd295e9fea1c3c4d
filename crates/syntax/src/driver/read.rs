//! Reading the files that are given.

use super::Options;
use crate::diagnostics::Diagnostic;
use crate::preprocess;
use crate::source::{Source, SourceMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A text larger than this is not read: nobody writes such a program, and a device has no end.
const MAX_BYTES: u64 = 1 << 30;

/// Reads the files, through the preprocessor where they need it. What is wrong is said about every
/// file; the map takes in the texts that the messages point into.
pub fn read_sources(
    paths: &[PathBuf],
    options: &Options,
    map: &mut SourceMap,
) -> Result<Vec<Source>, Vec<Diagnostic>> {
    if paths.is_empty() {
        return Err(vec![Diagnostic::input("no input file is given")]);
    }
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        let source = read_text(path)
            .map_err(|message| vec![Diagnostic::input(message)])
            .and_then(|text| preprocess::preprocess(path, text, &options.preprocessor(path), map));
        match source {
            Ok(source) => sources.push(source),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        Ok(sources)
    } else {
        Err(errors)
    }
}

/// The bytes of a file that may be a C text.
fn read_text(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.display();
    let cannot = |error: std::io::Error| {
        let reason = error.to_string();
        // "No such file or directory (os error 2)": the number helps nobody.
        let reason = reason.split(" (os error").next().unwrap_or(&reason);
        format!("cannot read {name}: {reason}")
    };
    let file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(format!(
            "cannot read {name}: it is a directory, not a C file"
        ));
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(cannot)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(format!(
            "{name} is too large: Concord reads at most one gigabyte"
        ));
    }
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return Err(format!("{name} is encoded in UTF-16; convert it to UTF-8"));
    }
    if let Some(offset) = memchr::memchr(0, &text) {
        return Err(format!(
            "{name} is not a C source file: it has a zero byte at offset {offset}"
        ));
    }
    if text.trim_ascii().is_empty() {
        return Err(format!("{name} is empty"));
    }
    Ok(text)
}
