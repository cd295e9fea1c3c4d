//! The program as a helper wants it, with lines and columns as they were.
//!
//! What the property is about is renamed by the preprocessor, in lines before the text that the
//! text's own numbers do not count (`#line`). What is inserted is on the line where it stands.

use super::ranges;
use super::task::Task;
use cfa::program::FuncId;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use witness::placing::Places;

/// How the program is rewritten.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mapper {
    /// The function that is called in the place of one that violates the property, as
    /// `__VERIFIER_error`.
    pub error_call: Option<String>,
    /// Lines before the text.
    pub prologue: Vec<String>,
    /// What is inserted.
    pub insert: Option<Insert>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Insert {
    /// At the head of each loop a call of `Frama_C_show_each_…` with the variables there.
    ShowEach,
}

/// The program as it was written for a helper.
pub struct Mapped {
    /// Its files, in the helper's folder.
    pub files: Vec<PathBuf>,
    /// What was asked of variables at loops, if something was.
    pub asked: Vec<ranges::Asked>,
}

impl Mapper {
    /// Writes the files of the task into a folder.
    pub fn write(&self, task: &Task, places: &mut Places, folder: &Path) -> Result<Mapped, String> {
        let asked = match self.insert {
            Some(Insert::ShowEach) => ranges::questions(places),
            None => Vec::new(),
        };
        let mut files = Vec::new();
        for file in &task.files {
            let problem = |error: std::io::Error| format!("{}: {error}", file.display());
            let text = std::fs::read(file).map_err(problem)?;
            let name = file.file_name().ok_or("a file without a name")?;
            let name = Path::new(name);
            let shown = name.display().to_string();
            let text = ranges::with_questions(&text, &shown, &asked);
            let mut whole = self.head(task, places, &shown);
            whole.extend(text);
            let target = folder.join(name);
            std::fs::write(&target, whole).map_err(problem)?;
            files.push(target);
        }
        Ok(Mapped { files, asked })
    }

    /// What stands before the text of a file; nothing if nothing has to.
    fn head(&self, task: &Task, places: &Places, name: &str) -> Vec<u8> {
        let mut lines = self.prologue.clone();
        if let Some(call) = &self.error_call {
            // A function that the program defines says itself what it does.
            let calls = task.property.error_functions().iter();
            let calls = calls.filter(|name| *name != call && !is_defined(places, name));
            lines.extend(calls.map(|name| format!("#define {name} {call}")));
        }
        if lines.is_empty() {
            return Vec::new();
        }
        lines.push(format!("#line 1 \"{name}\""));
        let mut text = lines.join("\n");
        text.push('\n');
        text.into_bytes()
    }
}

/// Has the program a body of the function?
fn is_defined(places: &Places, name: &str) -> bool {
    let mut functions = (0..places.program.functions.len() as u32).map(FuncId);
    functions.any(|id| places.program.function_name(id) == name && places.extent(id).is_some())
}
