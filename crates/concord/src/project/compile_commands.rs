//! Compilation databases (`compile_commands.json`), as CMake, Meson and Bear write them.

use super::shown;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use syntax::preprocess::flags::{Compilation, read_command, split_words};

#[derive(Deserialize)]
pub struct Entry {
    directory: PathBuf,
    file: PathBuf,
    /// The command as one text, or as its words.
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Entry {
    pub fn new(directory: PathBuf, file: PathBuf, arguments: Vec<String>) -> Entry {
        Entry {
            directory,
            file,
            command: None,
            arguments: Some(arguments),
        }
    }
}

/// How files are compiled.
pub struct CompileCommands {
    /// The name of the file that says so.
    pub database: PathBuf,
    /// Each with the whole path of its file.
    pub entries: Vec<(PathBuf, Entry)>,
}

impl CompileCommands {
    pub fn read(database: &Path) -> Result<CompileCommands, String> {
        let name = database.display();
        let text = std::fs::read_to_string(database)
            .map_err(|error| format!("cannot read {name}: {error}"))?;
        let entries: Vec<Entry> = serde_json::from_str(&text)
            .map_err(|error| format!("{name} is not a compilation database: {error}"))?;
        // A relative directory is meant from where the database lies.
        let base = database.parent().unwrap_or(Path::new("."));
        let entries = entries.into_iter().map(|mut entry| {
            entry.directory = base.join(&entry.directory);
            (same(&entry.directory.join(&entry.file)), entry)
        });
        Ok(CompileCommands {
            database: database.to_owned(),
            entries: entries.collect(),
        })
    }

    /// All C files, each once, in the order of the database.
    pub fn c_files(&self) -> Result<Vec<PathBuf>, String> {
        let mut files: Vec<PathBuf> = Vec::new();
        for (path, _) in &self.entries {
            let is_c = path.extension().is_some_and(|ending| ending == "c");
            let path = shown(path);
            if is_c && !files.contains(&path) {
                files.push(path);
            }
        }
        match files.is_empty() {
            true => Err(format!("{} names no C file", self.database.display())),
            false => Ok(files),
        }
    }

    /// How a file is compiled; none if the database does not know it.
    pub fn of(&self, path: &Path) -> Result<Option<Compilation>, String> {
        let wanted = same(path);
        let mut found: Option<Compilation> = None;
        for (_, entry) in self.entries.iter().filter(|(path, _)| *path == wanted) {
            let compilation = self.compilation(entry).map_err(|problem| {
                format!(
                    "{}, {}: {problem}",
                    self.database.display(),
                    entry.file.display()
                )
            })?;
            match &found {
                Some(known) if *known != compilation => {
                    return Err(format!(
                        "{}: {} is compiled in several ways; leave one of them, or give the \
                         file's options on the command line",
                        self.database.display(),
                        entry.file.display()
                    ));
                }
                _ => found = Some(compilation),
            }
        }
        Ok(found)
    }

    fn compilation(&self, entry: &Entry) -> Result<Compilation, String> {
        let words = match (&entry.arguments, &entry.command) {
            (Some(words), _) => words.clone(),
            (None, Some(text)) => split_words(text)?,
            (None, None) => return Err("it has neither a command nor arguments".into()),
        };
        // The first word is the compiler; a wrapper before it is one, too.
        let is_wrapper = |word: &String| {
            let name = Path::new(word).file_name().unwrap_or_default();
            name == "ccache" || name == "distcc" || name == "sccache"
        };
        let first = words.iter().take_while(|word| is_wrapper(word)).count();
        let words = words.get(first + 1..).unwrap_or_default();
        let read = read_command(words, &entry.directory)?;
        Ok(Compilation {
            files: Vec::new(),
            ..read
        })
    }
}

/// Two paths to one file are the same path.
pub fn same(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
