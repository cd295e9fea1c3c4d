//! Helpers as data.
//!
//! ```toml
//! name = "Ultimate Automizer"
//! short = ["UA"]
//! executable = "Ultimate.py"
//! command = ["{executable}", "--spec", "{property}", "--file", "{program}"]
//! adapter = "witness"
//! invariants = "{folder}/witness.graphml"
//! ```
//!
//! In the command and in `invariants`, `{executable}` is the program that was found, `{program}`
//! the file that the mapper wrote (`{programs}`, alone, all of them), `{property}` the property
//! file, `{folder}` the helper's own folder, `{witness}` a file in it, `{original}` the user's file,
//! `{seconds}` the helper's time, and `{data-model}` what `data-model` says. Without `invariants`
//! the adapter reads what the helper prints.

use super::adapter::Adapter;
use super::mapper::Mapper;
use runner::suggestion::{suggestion, with_suggestion};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use syntax::types::DataModel;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Description {
    /// What the tool is called.
    pub name: String,
    /// What combinations call it.
    pub short: Vec<String>,
    /// One line for the list.
    pub summary: String,
    /// Looked for as the shell does; `concord` is the running program itself.
    pub executable: String,
    pub command: Vec<String>,
    #[serde(default)]
    pub data_model: Option<Models>,
    #[serde(default)]
    pub mapper: Mapper,
    pub adapter: Adapter,
    /// The file that holds the invariants; what is printed if there is none.
    pub invariants: Option<String>,
    /// For tests: the negation of every statement is handed over.
    #[serde(default)]
    pub negate: bool,
    /// The file that holds LLVM's module with debug information, for the adapter `llvm`.
    pub module: Option<String>,
}

/// An argument for each data model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    #[serde(rename = "ILP32")]
    pub ilp32: String,
    #[serde(rename = "LP64")]
    pub lp64: String,
}

impl Models {
    pub fn of(&self, model: DataModel) -> &str {
        match model {
            DataModel::Ilp32 => &self.ilp32,
            DataModel::Lp64 => &self.lp64,
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/helpers.rs"));

/// The name of ourselves among executables.
const OURSELVES: &str = "concord";

/// The helpers that come along, by the names of their files.
pub fn all() -> Result<Vec<(&'static str, Description)>, String> {
    let read = HELPERS
        .iter()
        .map(|&(name, text)| Ok((name, read(name, text)?)));
    read.collect()
}

/// A helper by one of its names, in any case, or by a file of the user's (`NAME.toml`).
pub fn named(name: &str) -> Result<Description, String> {
    if name.ends_with(".toml") {
        let text = std::fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))?;
        return read(name, &text);
    }
    let all = all()?;
    let is_it = |known: &str| known.eq_ignore_ascii_case(name);
    let found = all
        .iter()
        .find(|(file, helper)| is_it(file) || helper.short.iter().any(|short| is_it(short)));
    match found {
        Some((_, helper)) => Ok(helper.clone()),
        None => {
            let names = all.iter().flat_map(|(file, helper)| {
                let short = helper.short.iter().map(String::as_str);
                short.chain([*file])
            });
            let hint = nearest(name, names);
            Err(format!(
                "there is no helper '{name}'{hint} (`concord helpers` lists all)"
            ))
        }
    }
}

/// The nearest name, whatever the case.
fn nearest<'text>(wrong: &str, known: impl Iterator<Item = &'text str>) -> String {
    let known: Vec<(String, &str)> = known
        .map(|name| (name.to_ascii_lowercase(), name))
        .collect();
    let hint = suggestion(
        &wrong.to_ascii_lowercase(),
        known.iter().map(|(lower, _)| lower.as_str()),
    );
    let mut known = known.iter();
    let meant = known.find(|(lower, _)| hint.contains(&format!("`{lower}`")));
    meant.map_or(hint.clone(), |(lower, name)| {
        hint.replace(&format!("`{lower}`"), &format!("`{name}`"))
    })
}

fn read(name: &str, text: &str) -> Result<Description, String> {
    toml::from_str(text)
        .map_err(|error| format!("helper {name}: {}", with_suggestion(&error.to_string())))
}

impl Description {
    /// Where its program is, if it is installed.
    pub fn installed(&self) -> Option<PathBuf> {
        if self.executable == OURSELVES {
            return Some(PathBuf::from("/proc/self/exe"));
        }
        let program = Path::new(&self.executable);
        if program.components().count() > 1 {
            return is_executable(program).then(|| program.to_owned());
        }
        let path = std::env::var_os("PATH")?;
        let folders = std::env::split_paths(&path);
        let mut programs = folders.map(|folder| folder.join(program));
        programs.find(|program| is_executable(program))
    }

    /// The name that the report calls it by: the first of its short ones.
    pub fn short_name(&self) -> &str {
        self.short.first().unwrap_or(&self.name)
    }
}

fn is_executable(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let about = std::fs::metadata(program);
    about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_helper_can_be_read_and_has_names_of_its_own() {
        let all = all().unwrap();
        let mut names: Vec<String> = Vec::new();
        for (file, helper) in &all {
            assert!(!helper.summary.is_empty() && !helper.command.is_empty());
            let own = helper.short.iter().map(String::as_str).chain([*file]);
            let mut own: Vec<String> = own.map(str::to_ascii_lowercase).collect();
            own.dedup();
            for name in own {
                assert!(!names.contains(&name), "{name}");
                for name in [name.clone(), name.to_ascii_uppercase()] {
                    assert_eq!(named(&name).unwrap().name, helper.name);
                }
                names.push(name);
            }
        }
        for name in ["SH", "UA", "VA", "CPA", "ESBMC", "CBMC", "EVA", "text"] {
            assert!(names.contains(&name.to_ascii_lowercase()), "{name}");
        }
    }

    #[test]
    fn a_misspelt_name_gets_the_nearest() {
        let error = named("evaa").unwrap_err();
        assert!(error.contains("did you mean `EVA`"), "{error}");
    }

    #[test]
    fn what_is_not_there_is_not_installed() {
        let mut helper = named("text").unwrap();
        assert!(helper.installed().is_some());
        helper.executable = "no-such-program-anywhere".into();
        assert!(helper.installed().is_none());
        helper.executable = "/etc/passwd".into();
        assert!(helper.installed().is_none());
    }
}
