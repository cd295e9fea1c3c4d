//! From a project to the files of a program: what build systems say about them, and functions one
//! by one.

pub mod arguments;
pub mod cc;
mod compile_commands;
pub mod each_function;
pub mod harness;
mod record;
pub mod settings;

use crate::cli::{InputArgs, Model};
use compile_commands::CompileCommands;
use record::Record;
use settings::Settings;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use syntax::preprocess::flags::{Flag, Flags, check_standard};
use syntax::types::DataModel;

/// The files of a program, and how each of them is read.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Stubs are among them.
    pub files: Vec<PathBuf>,
    pub data_model: Option<DataModel>,
    pub flags: Flags,
    /// What a compilation database says of single files.
    pub unit_flags: BTreeMap<PathBuf, Flags>,
    /// Functions whose definitions count as declarations, except in stubs.
    pub without_body: Vec<String>,
    pub stubs: Vec<PathBuf>,
}

const NO_FILES: &str = "no files: name the C files of the program, write them into concord.toml \
                        (files = [\"src/*.c\"]), or build the program with `make CC=\"concord cc\"` \
                        first";

/// Says that the settings are in the words already.
const APPLIED: &str = "settings-applied";

/// Commands that read a program.
const COMMANDS: [&str; 6] = ["check", "watch", "invariants", "run", "cfa", "harness"];

/// The words of the command line with what the project's settings say, and what `concord cc` has
/// recorded if nothing else names files. Words that have been through here stay as they are.
pub fn with_settings(words: &[OsString]) -> Result<(Vec<OsString>, Option<Settings>), String> {
    let command = words.get(1).and_then(|word| word.to_str());
    if !command.is_some_and(|command| COMMANDS.contains(&command)) {
        return Ok((words.to_vec(), None));
    }
    let given = settings::Given::new(words)?;
    if given.is_given(APPLIED) {
        return Ok((words.to_vec(), None));
    }
    let settings = match given.path("project") {
        Some(file) if file == Path::new("none") => None,
        Some(file) => Some(Settings::read(&file)?),
        None => Settings::found()?,
    };
    let mut found = match &settings {
        Some(settings) => settings.applied(words)?,
        None => words.to_vec(),
    };
    let given = settings::Given::new(&found)?;
    if given.names_no_files()
        && !given.is_given("record")
        && let Some(record) = record::found()
    {
        found.insert(2, "--record".into());
        found.insert(3, record.into());
    }
    found.insert(2, format!("--{APPLIED}").into());
    Ok((found, settings))
}

/// Reads what the arguments name.
pub fn inputs(args: &InputArgs) -> Result<Inputs, String> {
    let mut inputs = Inputs {
        files: args.files.clone(),
        data_model: args.data_model.map(Model::data_model),
        flags: flags(args)?,
        without_body: args.remove_body.clone(),
        ..Inputs::default()
    };
    let mut database = None;
    if let Some(file) = &args.compile_commands {
        let read = CompileCommands::read(file)?;
        if inputs.files.is_empty() {
            inputs.files = read.c_files()?;
        }
        database = Some(read);
    }
    if let Some(file) = &args.record {
        let record = Record::read(file)?;
        if inputs.files.is_empty() {
            inputs.files = record.program(args.program.as_deref())?;
        }
        database = Some(record.compilations(args.program.as_deref())?);
    }
    if inputs.files.is_empty() {
        return Err(NO_FILES.into());
    }
    if let Some(database) = database {
        for path in &inputs.files {
            let Some(compilation) = database.of(path)? else {
                continue;
            };
            if let Some(model) = compilation.data_model {
                let known = *inputs.data_model.get_or_insert(model);
                if known != model {
                    return Err(format!(
                        "{}: it is compiled for {}, and other files or the option --data-model \
                         say otherwise",
                        path.display(),
                        if model == DataModel::Ilp32 {
                            "32 bits"
                        } else {
                            "64 bits"
                        },
                    ));
                }
            }
            inputs.unit_flags.insert(path.clone(), compilation.flags);
        }
    }
    for text in &args.replace {
        let Some((function, file)) = text.split_once('=') else {
            return Err(format!("--replace takes FUNCTION=FILE, not '{text}'"));
        };
        let file = PathBuf::from(file);
        inputs.without_body.push(function.to_owned());
        if !inputs.stubs.contains(&file) {
            inputs.stubs.push(file.clone());
        }
        if !inputs.files.contains(&file) {
            inputs.files.push(file);
        }
    }
    Ok(inputs)
}

fn flags(args: &InputArgs) -> Result<Flags, String> {
    if let Some(standard) = &args.std {
        check_standard(standard)?;
    }
    let defines = args.define.iter().cloned().map(Flag::Define);
    let undefines = args.undefine.iter().cloned().map(Flag::Undefine);
    let folders = args.include.iter().cloned().map(Flag::Include);
    let system = args.isystem.iter().cloned().map(Flag::SystemInclude);
    let before = args.include_file.iter().cloned().map(Flag::File);
    let list = defines.chain(undefines).chain(folders);
    Ok(Flags {
        list: list.chain(system).chain(before).collect(),
        standard: args.std.clone(),
    })
}

/// The path as it is shortest to read: from the working folder, if it lies there.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    let short = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    short.unwrap_or_else(|| path.to_path_buf())
}
