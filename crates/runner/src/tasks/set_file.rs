//! `.set` files: one pattern per line, of task definitions or, before 2019, of programs. The data
//! model of the latter stands in a `.cfg` file of the same name (`Architecture: 32 bit`).

use super::{DataModel, Task, TaskError, load_one};
use std::collections::BTreeSet;
use std::path::Path;

pub fn load(file: &Path, data_model: DataModel) -> Result<Vec<Task>, TaskError> {
    let text =
        std::fs::read_to_string(file).map_err(|error| TaskError::Unreadable(file.into(), error))?;
    let data_model = architecture(&file.with_extension("cfg")).unwrap_or(data_model);
    let category = file
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let directory = file.parent().unwrap_or(Path::new(""));
    let mut tasks = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let pattern = line.trim();
        if pattern.is_empty() || pattern.starts_with('#') {
            continue;
        }
        let malformed = |problem: String| TaskError::Malformed {
            list: file.into(),
            place: format!("line {}", index + 1),
            problem,
        };
        let escaped = glob::Pattern::escape(&directory.to_string_lossy());
        let full = Path::new(&escaped).join(pattern);
        let matches =
            glob::glob(&full.to_string_lossy()).map_err(|error| malformed(error.to_string()))?;
        let before = seen.len();
        for path in matches {
            let path = path.map_err(|error| malformed(error.to_string()))?;
            if seen.insert(path.clone()) {
                for mut task in load_one(&path, data_model)? {
                    task.category.clone_from(&category);
                    tasks.push(task);
                }
            }
        }
        // A name (as opposed to a pattern) that leads nowhere is a slip that would silently make a
        // set smaller.
        if seen.len() == before && !pattern.contains(['*', '?', '[']) && !full.exists() {
            return Err(malformed(format!("{pattern} does not exist")));
        }
    }
    Ok(tasks)
}

fn architecture(file: &Path) -> Option<DataModel> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Architecture:"))?;
    match line.trim() {
        "32 bit" => Some(DataModel::Ilp32),
        "64 bit" => Some(DataModel::Lp64),
        _ => None,
    }
}
