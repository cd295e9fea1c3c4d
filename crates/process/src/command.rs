//! A command as the system takes it.

use crate::CommandLine;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder for a command's temporary files, gone with the value. A command that makes none does
/// not need it, so there is no harm where it cannot be made.
pub(crate) fn scratch_folder() -> Option<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("concord-run-").tempdir().ok()
}

/// Everything but its output, which goes where ours does until somebody says otherwise.
pub(crate) fn prepared(order: &CommandLine, scratch: Option<&TempDir>) -> io::Result<Command> {
    let mut command = Command::new(&order.program);
    command.args(&order.arguments);
    if order.clean_environment {
        command.env_clear();
    } else if let Some(folder) = scratch.map(TempDir::path) {
        command.env("TMPDIR", folder);
    }
    for (name, value) in &order.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(directory) = &order.directory {
        command.current_dir(directory);
    }
    command.stdin(input(order.input.as_deref())?);
    Ok(command)
}

fn input(file: Option<&Path>) -> io::Result<Stdio> {
    Ok(match file {
        Some(file) => Stdio::from(File::open(file)?),
        None => Stdio::null(),
    })
}
