//! Task definitions: a YAML file beside a program that says what is asked and what is right.

use super::property::{Kind, Property, PropertyError};
use super::{DataModel, Task, TaskError, category_of};
use crate::verdict::Expected;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Fields not named here (e.g. `required_files`) say nothing about what to run and are passed over,
/// as the format asks.
#[derive(Deserialize)]
struct Definition {
    format_version: serde_norway::Value,
    input_files: OneOrMany,
    #[serde(default)]
    properties: Vec<Entry>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct Entry {
    property_file: String,
    expected_verdict: Option<bool>,
    subproperty: Option<String>,
}

#[derive(Default, Deserialize)]
struct Options {
    data_model: Option<String>,
}

pub fn load(file: &Path, data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let text =
        std::fs::read_to_string(file).map_err(|error| TaskError::Unreadable(file.into(), error))?;
    let malformed = |place: &str, problem: String| TaskError::Malformed {
        list: file.into(),
        place: place.to_owned(),
        problem,
    };
    let definition: Definition = serde_norway::from_str(&text)
        .map_err(|error| malformed("task definition", error.to_string()))?;
    let version = match &definition.format_version {
        serde_norway::Value::String(version) => version.clone(),
        serde_norway::Value::Number(version) => version.to_string(),
        other => {
            return Err(malformed(
                "format_version",
                format!("{other:?} is not a version"),
            ));
        }
    };
    if !matches!(version.split('.').next(), Some("1" | "2")) {
        return Err(malformed(
            "format_version",
            format!("version {version} is not supported (supported: 1.x and 2.x)"),
        ));
    }
    let directory = file.parent().unwrap_or(Path::new(""));
    let files: Vec<_> = match definition.input_files {
        OneOrMany::One(name) => vec![directory.join(name)],
        OneOrMany::Many(names) => names.into_iter().map(|name| directory.join(name)).collect(),
    };
    if files.is_empty() {
        return Err(malformed(
            "input_files",
            "the task names no program".to_owned(),
        ));
    }
    let data_model = match definition.options.data_model {
        Some(text) => DataModel::parse(&text)
            .ok_or_else(|| malformed("data_model", format!("{text} is neither ILP32 nor LP64")))?,
        None => data_model,
    };
    let mut tasks = Vec::new();
    for entry in definition.properties {
        // Questions that are none of ours, such as those about test coverage, have no verdict.
        let Some(verdict) = entry.expected_verdict else {
            continue;
        };
        let property = match Property::read(&directory.join(&entry.property_file)) {
            Ok(property) => property,
            Err(PropertyError::Unknown { .. }) => continue,
            Err(PropertyError::Unreadable(path, error)) => {
                match kind_by_file_name(&entry.property_file) {
                    // Moved without its property file; its name still says what is asked.
                    Some(kind) => {
                        tasks.push(task(
                            file,
                            &files,
                            kind,
                            None,
                            verdict,
                            entry.subproperty,
                            data_model,
                        ));
                        continue;
                    }
                    None => return Err(PropertyError::Unreadable(path, error).into()),
                }
            }
            Err(error) => return Err(error.into()),
        };
        tasks.push(task(
            file,
            &files,
            property.kind,
            Some(property),
            verdict,
            entry.subproperty,
            data_model,
        ));
    }
    Ok(tasks)
}

/// In a directory other YAML files lie about (witnesses, configurations of build servers); those
/// are passed over.
pub fn load_if_definition(file: &Path, data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let text =
        std::fs::read_to_string(file).map_err(|error| TaskError::Unreadable(file.into(), error))?;
    match serde_norway::from_str::<serde_norway::Value>(&text) {
        Ok(value) if value.get("input_files").is_some() => load(file, data_model),
        _ => Ok(Vec::new()),
    }
}

fn kind_by_file_name(property_file: &str) -> Option<Kind> {
    Kind::named(Path::new(property_file).file_stem()?.to_str()?)
}

fn task(
    file: &Path,
    files: &[std::path::PathBuf],
    kind: Kind,
    property: Option<Property>,
    verdict: bool,
    part: Option<String>,
    data_model: DataModel,
) -> Task {
    Task {
        name: file.display().to_string(),
        files: files.to_vec(),
        kind,
        property,
        expected: Some(if verdict {
            Expected::True
        } else {
            Expected::False(part)
        }),
        data_model,
        category: category_of(file),
        columns: BTreeMap::new(),
    }
}
