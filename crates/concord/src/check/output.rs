//! The files of `--output`.

use super::message::Report;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file so that it is there as a whole or not at all.
pub fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(name);
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

/// Writes the result in all its forms into the directory, which is made if it is not there.
pub fn write(directory: &Path, report: &Report, harness: Option<&str>) -> Result<(), String> {
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    let write = |name: &str, text: &str| {
        let file = directory.join(name);
        write_whole(&file, text).map_err(|error| failed(&file, error))
    };
    let json = serde_json::to_string(report).map_err(|error| error.to_string())?;
    write("result.json", &json)?;
    let sarif = serde_json::to_string_pretty(&report::check::sarif(report))
        .map_err(|error| error.to_string())?;
    write("result.sarif", &sarif)?;
    if let Some(harness) = harness {
        write("harness.c", harness)?;
    }
    write("report.html", &report::check::page(report))
}
