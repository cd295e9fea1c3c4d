//! From a project to the files of a program: what build systems say about them, and functions one
//! by one.

pub mod arguments;
mod compile_commands;
pub mod each_function;

use crate::cli::{InputArgs, Model};
use compile_commands::CompileCommands;
use std::collections::BTreeMap;
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

/// Reads what the arguments name.
pub fn inputs(args: &InputArgs) -> Result<Inputs, String> {
    let mut inputs = Inputs {
        files: args.files.clone(),
        data_model: args.data_model.map(Model::data_model),
        flags: flags(args)?,
        without_body: args.remove_body.clone(),
        ..Inputs::default()
    };
    if let Some(file) = &args.compile_commands {
        let database = CompileCommands::read(file)?;
        if inputs.files.is_empty() {
            inputs.files = database.c_files()?;
        }
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
