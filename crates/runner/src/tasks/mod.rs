//! Verification tasks: a program, a property, and, where somebody knows it, the verdict.
//!
//! They come from CSV lists, `.set` files, task definitions (`.yml`), directories, and single
//! programs; see [`load`]. What to run of them is a [`Selection`].

mod csv_list;
mod definition;
pub mod property;
mod select;
mod set_file;

pub use property::{Kind, Property, PropertyError};
pub use select::{Selection, SelectionError, Shard};

use crate::verdict::Expected;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DataModel {
    #[default]
    #[serde(rename = "ILP32")]
    Ilp32,
    #[serde(rename = "LP64")]
    Lp64,
}

impl DataModel {
    pub fn text(self) -> &'static str {
        match self {
            Self::Ilp32 => "ILP32",
            Self::Lp64 => "LP64",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Ilp32, Self::Lp64]
            .into_iter()
            .find(|model| model.text().eq_ignore_ascii_case(text.trim()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The program's path as its list states it: what tables show, and part of what a result is
    /// stored under.
    pub name: String,
    pub files: Vec<PathBuf>,
    pub kind: Kind,
    /// Where a property file says what is asked.
    pub property: Option<Property>,
    pub expected: Option<Expected>,
    pub data_model: DataModel,
    pub category: Option<String>,
    /// Further columns of a CSV list, e.g. what a paper reports for this program.
    pub columns: BTreeMap<String, String>,
}

#[derive(Debug)]
pub enum TaskError {
    Unreadable(PathBuf, std::io::Error),
    /// The list, the place in it, what is wrong.
    Malformed {
        list: PathBuf,
        place: String,
        problem: String,
    },
    Property(PropertyError),
}

impl fmt::Display for TaskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(out, "cannot read {}: {error}", path.display()),
            Self::Malformed {
                list,
                place,
                problem,
            } => write!(out, "{}: {place}: {problem}", list.display()),
            Self::Property(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for TaskError {}

impl From<PropertyError> for TaskError {
    fn from(error: PropertyError) -> Self {
        Self::Property(error)
    }
}

/// The tasks of all sources, in order; a task that several lists name is taken once, with the
/// columns of all.
///
/// `data_model` holds for programs whose source states none.
pub fn load(sources: &[PathBuf], data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut known: BTreeMap<(String, Kind), usize> = BTreeMap::new();
    for source in sources {
        for task in load_one(source, data_model)? {
            match known.get(&(task.name.clone(), task.kind)) {
                Some(&index) => {
                    let first = &mut tasks[index];
                    for (name, value) in task.columns {
                        first.columns.entry(name).or_insert(value);
                    }
                }
                None => {
                    known.insert((task.name.clone(), task.kind), tasks.len());
                    tasks.push(task);
                }
            }
        }
    }
    Ok(tasks)
}

fn load_one(source: &Path, data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let extension = source
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("");
    if source.is_dir() {
        return load_directory(source, data_model);
    }
    match extension {
        "csv" => csv_list::load(source, data_model),
        "set" => set_file::load(source, data_model),
        "yml" | "yaml" => definition::load(source, data_model),
        _ => program(source, data_model),
    }
}

/// Task definitions below the directory, and the programs that none of them names.
fn load_directory(directory: &Path, data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let mut files = Vec::new();
    let mut work = vec![directory.to_owned()];
    while let Some(directory) = work.pop() {
        let unreadable = |error| TaskError::Unreadable(directory.clone(), error);
        for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Links to directories are not followed: they may lead in circles.
            match entry.file_type().map_err(unreadable)? {
                kind if kind.is_dir() => work.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    files.sort();
    let has_extension = |file: &&PathBuf, wanted: &[&str]| {
        file.extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| wanted.contains(&extension))
    };
    let mut tasks = Vec::new();
    let mut defined = BTreeSet::new();
    for file in files
        .iter()
        .filter(|file| has_extension(file, &["yml", "yaml"]))
    {
        for task in definition::load_if_definition(file, data_model)? {
            defined.extend(task.files.iter().cloned());
            tasks.push(task);
        }
    }
    for file in files.iter().filter(|file| has_extension(file, &["c", "i"])) {
        if !defined.contains(file) {
            tasks.extend(program(file, data_model)?);
        }
    }
    tasks.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(tasks)
}

/// A program alone. What its name says about it is used; if it says nothing, unreachability is
/// asked.
fn program(file: &Path, data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    std::fs::metadata(file).map_err(|error| TaskError::Unreadable(file.into(), error))?;
    let mut verdicts: Vec<(Kind, Option<Expected>)> = stated_by_name(file)
        .into_iter()
        .map(|(kind, expected)| (kind, Some(expected)))
        .collect();
    if verdicts.is_empty() {
        verdicts.push((Kind::UnreachCall, None));
    }
    let tasks = verdicts.into_iter().map(|(kind, expected)| Task {
        name: file.display().to_string(),
        files: vec![file.to_owned()],
        kind,
        property: None,
        expected,
        data_model,
        category: category_of(file),
        columns: BTreeMap::new(),
    });
    Ok(tasks.collect())
}

fn stated_by_name(file: &Path) -> Vec<(Kind, Expected)> {
    property::verdicts_in_name(&file.file_name().unwrap_or_default().to_string_lossy())
}

/// Without a better one, the name of the directory.
fn category_of(file: &Path) -> Option<String> {
    Some(file.parent()?.file_name()?.to_string_lossy().into_owned())
}
