//! What analyses keep for later versions of a program (`--reuse DIR`).
//!
//! A file of the directory is one analysis' text for one program: `main.c.trace-abstraction.kept`.
//! Nothing in it is believed, so a file for another version of the program does no harm.

use crate::cli::CheckArgs;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

const ENDING: &str = ".kept";

/// The name of the program: that of its first file.
fn program_name(args: &CheckArgs) -> String {
    let first = args.input.files.first().and_then(|file| file.file_name());
    first.map_or_else(|| "program".into(), |name| name.to_string_lossy().into())
}

/// The texts of earlier versions, by the name of the analysis. A directory that is not there has
/// none.
pub fn read(dir: &Path, args: &CheckArgs) -> Result<BTreeMap<String, Arc<str>>, String> {
    let mut found = BTreeMap::new();
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(format!("{}: {error}", dir.display())),
    };
    let beginning = format!("{}.", program_name(args));
    for entry in entries {
        let path = entry
            .map_err(|error| format!("{}: {error}", dir.display()))?
            .path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let engine = name.strip_prefix(&beginning);
        if let Some(engine) = engine.and_then(|rest| rest.strip_suffix(ENDING)) {
            let bytes =
                std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let text = String::from_utf8_lossy(&bytes);
            found.insert(engine.to_owned(), Arc::from(&*text));
        }
    }
    Ok(found)
}

/// Writes the texts for later versions; those of analyses that kept nothing stay as they are.
pub fn write(dir: &Path, args: &CheckArgs, kept: &BTreeMap<String, String>) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for (engine, text) in kept {
        let file = dir.join(format!("{}.{engine}{ENDING}", program_name(args)));
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}
