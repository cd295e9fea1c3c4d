//! What `concord cc` writes down, and what it says about a program.
//!
//! The file has one JSON object in each line: a compilation of one file, or a link. Lines are only
//! ever added, so that the parts of a parallel build do not disturb each other; a later line about
//! the same output counts.

use super::compile_commands::{CompileCommands, Entry, same};
use super::shown;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the file lies in the project's folder.
const PLACE: &str = ".concord/build.jsonl";

/// What marks the folder of a project.
const MARKS: [&str; 3] = [".concord", super::settings::FILE_NAME, ".git"];

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    Compile {
        directory: PathBuf,
        file: PathBuf,
        /// The object file, or the program if the file was compiled and linked at once.
        output: PathBuf,
        arguments: Vec<String>,
    },
    Link {
        output: PathBuf,
        /// C files, object files, and the members of archives by their names.
        inputs: Vec<Input>,
    },
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    File(PathBuf),
    /// A member of an archive: the name of an object file without its folder.
    Member(String),
}

/// The record of the working folder, or of the next one above.
pub fn found() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut files = here.ancestors().map(|folder| folder.join(PLACE));
    files.find(|file| file.is_file()).map(|file| shown(&file))
}

/// Where a compilation in the working folder is recorded.
fn place() -> std::io::Result<PathBuf> {
    if let Some(file) = std::env::var_os("CONCORD_RECORD") {
        return Ok(file.into());
    }
    let here = std::env::current_dir()?;
    let is_project = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let folder = here.ancestors().find(is_project).unwrap_or(&here);
    Ok(folder.join(PLACE))
}

/// Adds lines to the record of the working folder.
pub fn add(lines: &[Line]) -> std::io::Result<()> {
    let file = place()?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?;
    // One call: lines of other processes come before or behind.
    file.write_all(text.as_bytes())
}

/// A recorded build.
pub struct Record {
    file: PathBuf,
    lines: Vec<Line>,
}

impl Record {
    pub fn read(file: &Path) -> Result<Record, String> {
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {name}: {error}"))?;
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = serde_json::from_str(line).map_err(|error| {
                format!(
                    "{name}:{}: error: not what `concord cc` writes ({error}); delete the file \
                     and build again",
                    number + 1
                )
            })?;
            lines.push(line);
        }
        Ok(Record {
            file: file.to_owned(),
            lines: latest(lines),
        })
    }

    /// The C files of a program and how they were compiled; of the only program, if no name is
    /// given.
    pub fn program(&self, wanted: Option<&str>) -> Result<Vec<PathBuf>, String> {
        let mut files: Vec<PathBuf> = Vec::new();
        for (file, _) in self.compilations(wanted)?.entries {
            let file = shown(&file);
            if !files.contains(&file) {
                files.push(file);
            }
        }
        match files.is_empty() {
            true => Err(format!("{} names no C file", self.file.display())),
            false => Ok(files),
        }
    }

    /// How the files of a program were compiled, or all files if nothing was linked.
    pub fn compilations(&self, wanted: Option<&str>) -> Result<CompileCommands, String> {
        let links = self.lines.iter().filter_map(|line| match line {
            Line::Link { output, inputs } => Some((output, inputs)),
            Line::Compile { .. } => None,
        });
        let links: Vec<_> = links.collect();
        let is_wanted = |output: &Path| {
            wanted.is_none_or(|wanted| {
                output == same(Path::new(wanted)) || output.file_name() == Some(wanted.as_ref())
            })
        };
        let chosen: Vec<_> = links.iter().filter(|link| is_wanted(link.0)).collect();
        let names = || {
            let names = links.iter().map(|link| shown(link.0).display().to_string());
            names.collect::<Vec<_>>().join(", ")
        };
        let mut found: Vec<&Line> = Vec::new();
        match (&chosen[..], wanted) {
            ([], None) => found.extend(&self.lines),
            ([], Some(wanted)) => {
                return Err(format!(
                    "{}: no program `{wanted}` was linked; there are: {}",
                    self.file.display(),
                    names()
                ));
            }
            ([(output, inputs)], _) => {
                for input in *inputs {
                    found.extend(self.source(input, output)?);
                }
            }
            _ => {
                return Err(format!(
                    "{}: several programs were linked: {}; choose one with --program",
                    self.file.display(),
                    names()
                ));
            }
        }
        let entries = found.into_iter().filter_map(|line| match line {
            Line::Compile {
                directory,
                file,
                arguments,
                ..
            } => {
                let entry = Entry::new(directory.clone(), file.clone(), arguments.clone());
                Some((same(file), entry))
            }
            Line::Link { .. } => None,
        });
        Ok(CompileCommands {
            database: self.file.clone(),
            entries: entries.collect(),
        })
    }

    /// The compilation that an input of the linker comes from; none if it was not seen.
    fn source(&self, input: &Input, program: &Path) -> Result<Option<&Line>, String> {
        let mut found: Option<(&Line, &Path)> = None;
        for line in &self.lines {
            let Line::Compile { file, output, .. } = line else {
                continue;
            };
            let is_it = match input {
                Input::File(path) => output == path || file == path && output == program,
                Input::Member(name) => output.file_name() == Some(name.as_ref()),
            };
            match (is_it, found) {
                (false, _) => {}
                (true, Some((_, other))) if other != file => {
                    return Err(format!(
                        "{}: a member of an archive may be {} or {}: name the C files",
                        self.file.display(),
                        shown(other).display(),
                        shown(file).display()
                    ));
                }
                (true, _) => found = Some((line, file)),
            }
        }
        Ok(found.map(|(line, _)| line))
    }
}

/// The last line about each output, without files that are gone: those of configuration scripts.
fn latest(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::new();
    for line in lines.into_iter().rev() {
        let is_known = kept.iter().any(|other| match (&line, other) {
            (
                Line::Compile { file, output, .. },
                Line::Compile {
                    file: f, output: o, ..
                },
            ) => output == o && file == f,
            (Line::Link { output, .. }, Line::Link { output: o, .. }) => output == o,
            _ => false,
        });
        let exists = match &line {
            Line::Compile { file, .. } => file.exists(),
            Line::Link { output, .. } => output.exists(),
        };
        if !is_known && exists {
            kept.push(line);
        }
    }
    kept.reverse();
    kept
}
