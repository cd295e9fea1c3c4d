//! CSV lists: the columns `file`, `property`, `expected`, `data_model`, `category`, and any others,
//! which are kept.

use super::property::{Kind, Property, PropertyError};
use super::{DataModel, Task, TaskError, stated_by_name};
use crate::verdict::Expected;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub fn load(list: &Path, default_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let text =
        std::fs::read_to_string(list).map_err(|error| TaskError::Unreadable(list.into(), error))?;
    let malformed = |place: String, problem: String| TaskError::Malformed {
        list: list.into(),
        place,
        problem,
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(str::to_owned).collect(),
        Err(error) => return Err(malformed("header".to_owned(), error.to_string())),
    };
    if !header.iter().any(|name| name == "file") {
        return Err(malformed(
            "header".to_owned(),
            "the list has no column `file`".to_owned(),
        ));
    }
    let mut tasks = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| malformed("record".to_owned(), error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |problem: String| malformed(format!("line {line}"), problem);
        let mut columns: BTreeMap<String, String> = header
            .iter()
            .zip(record.iter())
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), value.to_owned()))
            .collect();
        let name = columns
            .remove("file")
            .ok_or_else(|| wrong("the row names no file".to_owned()))?;
        let file = find(list, &name).ok_or_else(|| wrong(format!("{name} does not exist")))?;
        let data_model = match columns.remove("data_model") {
            Some(text) => DataModel::parse(&text)
                .ok_or_else(|| wrong(format!("{text} is neither ILP32 nor LP64")))?,
            None => default_model,
        };
        let asked = columns
            .remove("property")
            .unwrap_or_else(|| Kind::UnreachCall.name().to_owned());
        let (kind, property) =
            property(list, &file, &asked).map_err(|problem| wrong(problem.to_string()))?;
        let expected = match columns.remove("expected") {
            // Some lists say so where nobody knows.
            Some(text) if text == "unknown" => None,
            Some(text) => Some(Expected::try_from(text).map_err(&wrong)?),
            None => stated_by_name(&file)
                .into_iter()
                .find(|(of, _)| *of == kind)
                .map(|(_, expected)| expected),
        };
        let category = columns.remove("category");
        tasks.push(Task {
            name,
            files: vec![file],
            kind,
            property,
            expected,
            data_model,
            category,
            columns,
        });
    }
    Ok(tasks)
}

/// Names are relative to the list or to a directory above it (lists often lie in a directory of
/// their own), or to where we are.
fn find(list: &Path, name: &str) -> Option<PathBuf> {
    let above = list
        .ancestors()
        .skip(1)
        .map(|directory| directory.join(name));
    above
        .chain([PathBuf::from(name)])
        .find(|path| path.is_file())
}

/// The column holds a property file or the name of a property. By name, the file is searched where
/// benchmark sets keep it: in `properties` beside or above the program.
fn property(
    list: &Path,
    program: &Path,
    asked: &str,
) -> Result<(Kind, Option<Property>), PropertyError> {
    if asked.ends_with(".prp") {
        let file = find(list, asked).unwrap_or_else(|| PathBuf::from(asked));
        let property = Property::read(&file)?;
        return Ok((property.kind, Some(property)));
    }
    let Some(kind) = Kind::named(asked) else {
        return Err(PropertyError::Unknown {
            file: list.into(),
            line: 0,
            text: asked.to_owned(),
        });
    };
    let file_name = format!("{asked}.prp");
    let places = program
        .ancestors()
        .skip(1)
        .take(3)
        .map(|directory| directory.join("properties").join(&file_name));
    match places.into_iter().find(|file| file.is_file()) {
        Some(file) => Ok((kind, Some(Property::read(&file)?))),
        None => Ok((kind, None)),
    }
}
