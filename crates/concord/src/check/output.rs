//! The files that a check leaves behind.

use super::message::Report;
use crate::cli::CheckArgs;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes what the arguments ask for, as far as the report has it. What has a file of its own
/// leaves the report. The error names the file.
pub fn write(args: &CheckArgs, report: &mut Report, sarif: &Value) -> Result<(), String> {
    let (harness, witness) = (report.harness.take(), report.witness.take());
    let test = report.test.take();
    for (file, text) in [
        (&args.harness, &harness),
        (&args.test, &test),
        (&args.witness, &witness),
    ] {
        if let (Some(file), Some(text)) = (file, text) {
            whole(file, text)?;
        }
    }
    match &args.output {
        Some(directory) => {
            let sources = [
                ("harness.c", harness.as_deref()),
                ("test.c", test.as_deref()),
            ];
            all(directory, report, sarif, sources, witness.as_deref())
        }
        None => Ok(()),
    }
}

/// Writes the result in all its forms into the directory, which is made if it is not there.
fn all(
    directory: &Path,
    report: &Report,
    sarif: &Value,
    sources: [(&str, Option<&str>); 2],
    witness: Option<&str>,
) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| cannot(directory, &error))?;
    let json = serde_json::to_string(report).map_err(|error| error.to_string())?;
    whole(&directory.join("result.json"), &json)?;
    let sarif = serde_json::to_string_pretty(sarif).map_err(|error| error.to_string())?;
    whole(&directory.join("result.sarif"), &sarif)?;
    for (name, text) in sources {
        if let Some(text) = text {
            whole(&directory.join(name), text)?;
        }
    }
    if let Some(text) = witness {
        let name = match witness::Format::of_text(text) {
            witness::Format::Yaml => "witness.yml",
            witness::Format::GraphMl => "witness.graphml",
        };
        whole(&directory.join(name), text)?;
    }
    whole(&directory.join("report.html"), &report::check::page(report))
}

fn cannot(file: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", file.display())
}

/// Writes a file so that it is there as a whole or not at all. What is no regular file (a pipe, a
/// device) is written as it is.
fn whole(file: &Path, text: &str) -> Result<(), String> {
    let is_special = fs::metadata(file).is_ok_and(|data| !data.is_file());
    let result = if is_special {
        fs::write(file, text)
    } else {
        replace(file, text)
    };
    result.map_err(|error| cannot(file, &error))
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(name);
    let written = File::create(&part)
        .and_then(|mut out| {
            out.write_all(text.as_bytes())?;
            // Some file systems find out only now that they are full.
            out.sync_all()
        })
        .and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}
