//! From a description and a task to a command line.

use super::description::Tool;
use crate::tasks::{Kind, Task};
use process::{CommandLine, Limits};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

pub(super) const PLACEHOLDERS: [&str; 15] = [
    "executable",
    "tool-directory",
    "file",
    "files",
    "property-file",
    "property",
    "error-function",
    "data-model",
    "time-limit",
    "wall-limit",
    "memory-limit",
    "witness",
    "analysis",
    "analysis-options",
    "directory",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    Always(String),
    /// Left out when a placeholder in it has no value.
    WhenKnown(Vec<String>),
}

/// Where one run takes place.
#[derive(Clone, Debug)]
pub struct RunPlace {
    /// Its working directory unless the description names another; absolute.
    pub directory: PathBuf,
    /// Where a property file is written for a task that has none.
    pub property_file: PathBuf,
    pub witness: PathBuf,
}

#[derive(Debug)]
pub enum CommandError {
    NotFound(String),
    NoAnalysis(String),
    /// An argument that is always there has a placeholder without a value for this task.
    Unknown {
        placeholder: String,
    },
    Property {
        tool: String,
        kind: Kind,
    },
    File(PathBuf, std::io::Error),
}

impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(executable) => {
                write!(out, "{executable} is not installed (not found in PATH)")
            }
            Self::NoAnalysis(problem) => out.write_str(problem),
            Self::Unknown { placeholder } => {
                write!(out, "`{{{placeholder}}}` has no value for this task")
            }
            Self::Property { tool, kind } => write!(out, "{tool} does not check {kind}"),
            Self::File(path, error) => write!(out, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CommandError {}

/// The first placeholder, with the text before and after it.
fn split_at_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|position| from + position) {
        let (before, rest) = (&text[..open], &text[open + 1..]);
        // Other braces are those of a shell script or an expression.
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_lowercase() || letter == '-')
        };
        if let Some((name, after)) = rest.split_once('}')
            && is_name(name)
            && !before.ends_with('$')
        {
            return Some((before, name, after));
        }
        from = open + 1;
    }
    None
}

pub(super) fn placeholders_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, name, after) = split_at_placeholder(rest)?;
        rest = after;
        Some(name)
    })
}

impl Tool {
    /// Where the executable is: as given when it contains a slash, otherwise the first in PATH.
    pub fn locate(&self) -> Result<PathBuf, CommandError> {
        let not_found = || CommandError::NotFound(self.executable.clone());
        let path = Path::new(&self.executable);
        let absolute = |path: &Path| {
            std::path::absolute(path).map_err(|error| CommandError::File(path.into(), error))
        };
        if self.executable.contains('/') {
            return if path.exists() {
                absolute(path)
            } else {
                Err(not_found())
            };
        }
        let search = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&search)
            .map(|directory| directory.join(path))
            .find(|path| path.is_file());
        absolute(&found.ok_or_else(not_found)?)
    }

    /// The command that runs `analysis` on `task`; writes the property file if the command needs
    /// one and the task has none.
    pub fn command(
        &self,
        task: &Task,
        analysis: &str,
        limits: &Limits,
        place: &RunPlace,
    ) -> Result<CommandLine, CommandError> {
        self.check_analysis(analysis)
            .map_err(CommandError::NoAnalysis)?;
        if self
            .properties
            .as_ref()
            .is_some_and(|kinds| !kinds.contains(&task.kind))
        {
            return Err(CommandError::Property {
                tool: self.name.clone(),
                kind: task.kind,
            });
        }
        let values = Values {
            tool: self,
            executable: self.locate()?,
            task,
            analysis,
            limits,
            place,
        };
        let mut words = Vec::new();
        for argument in &self.command {
            match argument {
                Argument::Always(text) => match values.expand(text)? {
                    Expansion::Words(more) => words.extend(more),
                    Expansion::Unknown(placeholder) => {
                        return Err(CommandError::Unknown { placeholder });
                    }
                },
                Argument::WhenKnown(group) => words.extend(values.expand_group(group)?),
            }
        }
        let mut words = words.into_iter();
        let Some(program) = words.next() else {
            return Err(CommandError::Unknown {
                placeholder: "executable".to_owned(),
            });
        };
        let single = |text: &str| match values.expand(text)? {
            Expansion::Words(words) => Ok(words.into_iter().next().unwrap_or_default()),
            Expansion::Unknown(placeholder) => Err(CommandError::Unknown { placeholder }),
        };
        let directory = match &self.directory {
            Some(text) => PathBuf::from(single(text)?),
            None => place.directory.clone(),
        };
        let mut command = CommandLine::new(program)
            .arguments(words)
            .directory(directory);
        for (name, value) in &self.environment {
            command = command.variable(name, single(value)?);
        }
        Ok(command)
    }

    /// The witness of a run, if it left one.
    pub fn witness_of(&self, place: &RunPlace) -> Option<PathBuf> {
        let named = self.witness.as_ref().map(|file| place.directory.join(file));
        [Some(place.witness.clone()), named]
            .into_iter()
            .flatten()
            .find(|file| file.is_file())
    }
}

struct Values<'run> {
    tool: &'run Tool,
    executable: PathBuf,
    task: &'run Task,
    analysis: &'run str,
    limits: &'run Limits,
    place: &'run RunPlace,
}

enum Expansion {
    Words(Vec<OsString>),
    Unknown(String),
}

impl Values<'_> {
    fn expand_group(&self, group: &[String]) -> Result<Vec<OsString>, CommandError> {
        let mut words = Vec::new();
        for text in group {
            match self.expand(text)? {
                Expansion::Words(more) => words.extend(more),
                Expansion::Unknown(_) => return Ok(Vec::new()),
            }
        }
        Ok(words)
    }

    fn expand(&self, text: &str) -> Result<Expansion, CommandError> {
        // Two placeholders stand for any number of words, and so only alone.
        match text {
            "{files}" => {
                let files = self
                    .task
                    .files
                    .iter()
                    .map(|file| absolute(file))
                    .collect::<Result<_, _>>()?;
                return Ok(Expansion::Words(files));
            }
            "{analysis-options}" => {
                let options = self
                    .tool
                    .analyses
                    .get(self.analysis)
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                let mut words = Vec::new();
                for option in options {
                    match self.expand(option)? {
                        Expansion::Words(more) => words.extend(more),
                        unknown => return Ok(unknown),
                    }
                }
                return Ok(Expansion::Words(words));
            }
            _ => {}
        }
        let mut word = OsString::new();
        let mut rest = text;
        while let Some((before, name, after)) = split_at_placeholder(rest) {
            word.push(before);
            match self.value(name)? {
                Some(value) => word.push(value),
                None => return Ok(Expansion::Unknown(name.to_owned())),
            }
            rest = after;
        }
        word.push(rest);
        Ok(Expansion::Words(vec![word]))
    }

    fn value(&self, name: &str) -> Result<Option<OsString>, CommandError> {
        let seconds = |limit: Option<std::time::Duration>| {
            // Rounded up: a limit of 0 would mean none to some.
            limit.map(|limit| limit.as_secs_f64().ceil().to_string().into())
        };
        Ok(match name {
            "executable" => Some(self.executable.clone().into()),
            "tool-directory" => self
                .executable
                .parent()
                .map(|path| path.as_os_str().to_owned()),
            "file" => self
                .task
                .files
                .first()
                .map(|file| absolute(file))
                .transpose()?,
            "property" => Some(self.task.kind.name().into()),
            "property-file" => Some(self.property_file()?),
            "error-function" => {
                (self.task.kind == Kind::UnreachCall).then(|| self.error_function().into())
            }
            "data-model" => self
                .tool
                .data_model
                .get(self.task.data_model.text())
                .map(Into::into),
            "time-limit" => seconds(self.limits.cpu),
            "wall-limit" => seconds(self.limits.wall),
            "memory-limit" => self
                .limits
                .memory
                .map(|bytes| (bytes / 1_000_000).to_string().into()),
            "witness" => Some(self.place.witness.clone().into()),
            "analysis" => Some(self.analysis.into()),
            "directory" => Some(self.place.directory.clone().into()),
            _ => None,
        })
    }

    fn property_file(&self) -> Result<OsString, CommandError> {
        if let Some(file) = self
            .task
            .property
            .as_ref()
            .and_then(|property| property.file.as_ref())
        {
            return absolute(file);
        }
        let file = &self.place.property_file;
        std::fs::write(file, self.task.kind.text(&self.error_function()))
            .map_err(|error| CommandError::File(file.clone(), error))?;
        Ok(file.clone().into())
    }

    /// Lists without property files only say `unreach-call`. Until 2020 that meant
    /// `__VERIFIER_error`, then `reach_error`; which of the two it is, the program itself tells.
    fn error_function(&self) -> String {
        if let Some(function) = self
            .task
            .property
            .as_ref()
            .and_then(|property| property.function.clone())
        {
            return function;
        }
        let mentions = |name: &[u8]| {
            (self.task.files.iter())
                .filter_map(|file| std::fs::read(file).ok())
                .any(|text| text.windows(name.len()).any(|part| part == name))
        };
        if mentions(b"reach_error") {
            "reach_error".to_owned()
        } else {
            "__VERIFIER_error".to_owned()
        }
    }
}

/// The command runs in a directory of its own, so all paths are absolute.
fn absolute(file: &Path) -> Result<OsString, CommandError> {
    std::path::absolute(file)
        .map(Into::into)
        .map_err(|error| CommandError::File(file.into(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_scripts_are_not_placeholders() {
        let names: Vec<&str> =
            placeholders_of("a {file} ${x} {1,2} { y } {} {data-model} {open").collect();
        assert_eq!(names, ["file", "data-model"]);
    }
}
