//! `concord watch`: checks a program again whenever one of its files changes.
//!
//! Files are looked at a few times a second. That needs nothing of the system, works on every file
//! system, and a check takes longer.

use crate::cli::CheckArgs;
use crate::exit;
use crate::project;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, SystemTime};

const PAUSE: Duration = Duration::from_millis(250);

/// What tells one version of a file from another.
type Stamp = (Option<SystemTime>, u64);

/// Runs until it is interrupted.
pub fn watch(args: &CheckArgs, words: &[OsString]) -> ExitCode {
    if let Err(text) = crate::load::task(args) {
        return exit::bad_input(text);
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            return exit::bad_input(format!("cannot find Concord's own executable: {error}"));
        }
    };
    let mut seen = stamps(args);
    loop {
        if std::io::stdout().is_terminal() {
            println!("\x1b[2J\x1b[3J\x1b[H");
        }
        let child = Command::new(&program).arg("check").args(words).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return exit::bad_input(format!("cannot start a check: {error}")),
        };
        seen = until_changed(args, seen, &mut child);
        // Whoever guards the processes of a check ends those of one that is gone.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Waits for a change, and says once that it does when the check is done.
fn until_changed(
    args: &CheckArgs,
    mut seen: BTreeMap<PathBuf, Stamp>,
    child: &mut Child,
) -> BTreeMap<PathBuf, Stamp> {
    let mut runs = true;
    loop {
        if runs && matches!(child.try_wait(), Ok(Some(_))) {
            runs = false;
            println!("\n[watching {} files]\n", seen.len());
        }
        std::thread::sleep(PAUSE);
        let now = stamps(args);
        if now != seen {
            // Editors write in several steps: wait until nothing changes any more.
            seen = now;
            loop {
                std::thread::sleep(PAUSE / 2);
                let now = stamps(args);
                if now == seen {
                    return seen;
                }
                seen = now;
            }
        }
    }
}

/// The files of the program as they are now: those that are named, and the headers beside them and
/// in the folders that are searched.
fn stamps(args: &CheckArgs) -> BTreeMap<PathBuf, Stamp> {
    let inputs = project::inputs(&args.input).unwrap_or_default();
    let task = crate::load::task(args).map_or_else(|_| Vec::new(), |task| task.files);
    let mut files: Vec<PathBuf> = inputs.files.into_iter().chain(task).collect();
    files.extend(args.input.include_file.iter().cloned());
    files.extend(args.input.compile_commands.iter().cloned());
    files.extend(args.spec.iter().chain(&args.config).cloned());
    let beside = files.iter().map(|file| folder_of(file));
    let mut folders: Vec<PathBuf> = beside.chain(args.input.include.iter().cloned()).collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        files.extend(headers(&folder));
    }
    let stamped = files.into_iter().map(|file| {
        let stamp = match std::fs::metadata(&file) {
            Ok(about) => (about.modified().ok(), about.len()),
            Err(_) => (None, 0),
        };
        (file, stamp)
    });
    stamped.collect()
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn headers(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "h"))
        .collect()
}
