//! `concord invariants`: what is proved of the loops of a program, for other tools and for people.
//!
//! A check runs as a process of its own, with all its limits; what its result says of loops, and
//! the checker has certified, is printed. The verdict does not matter here.

use crate::check::evidence::loop_invariant;
use crate::check::message::{Invariant, Report};
use crate::cli::{InvariantsArgs, InvariantsFormat};
use crate::exit;
use process::{CommandLine, Exit, Guard, Limits, OutputPolicy, Running, StartError};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use witness::{Content, Metadata, Witness};

/// What a check may take beyond its limit before it is ended.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of its result.
const MAX_RESULT: usize = 256 << 20;

pub fn print(args: &InvariantsArgs) -> ExitCode {
    let report = match check(args) {
        Ok(report) => report,
        Err(text) => return exit::bad_input(text),
    };
    let proved = report.invariants.iter();
    let proved: Vec<&Invariant> = proved
        .filter(|shown| shown.certified && !shown.by_jump)
        .collect();
    match args.format {
        InvariantsFormat::Witness => println!("{}", witness_of(args, &report, &proved).trim_end()),
        format => proved
            .iter()
            .for_each(|shown| println!("{}", line(shown, format))),
    }
    exit::code(exit::TRUE)
}

fn line(shown: &Invariant, format: InvariantsFormat) -> String {
    let Invariant {
        file,
        line,
        column,
        text,
        ..
    } = shown;
    let said = match format {
        InvariantsFormat::Acsl => format!("//@ loop invariant {text};"),
        InvariantsFormat::Cprover => format!("__CPROVER_loop_invariant({text})"),
        InvariantsFormat::Text | InvariantsFormat::Witness => text.clone(),
    };
    format!("{file}:{line}:{column}: {said}")
}

/// The result of a check of the program.
fn check(args: &InvariantsArgs) -> Result<Report, String> {
    let failed = |error: StartError| format!("the check: {error}");
    let guard = Guard::this_executable().map_err(|error| format!("the check: {error}"))?;
    let command = CommandLine::new(guard.program.clone()).arguments(arguments());
    let limits = Limits {
        wall: Some(args.timeout + PATIENCE),
        ..Limits::default()
    };
    let output = OutputPolicy::keep(MAX_RESULT);
    let errors = OutputPolicy::keep(1 << 16);
    // Whatever becomes of us, the guard ends the check.
    let running = process::start(&guard, &command, &limits, &output, &errors, None);
    let outcome = running.and_then(Running::wait).map_err(failed)?;
    if outcome.exit == Exit::Code(i32::from(exit::BAD_INPUT)) {
        let text = outcome.stderr.text();
        let text = text.trim();
        return Err(text.strip_prefix("concord: ").unwrap_or(text).to_owned());
    }
    serde_json::from_slice(&outcome.stdout.head)
        .map_err(|error| format!("the check has no result: {error}"))
}

/// The command line of the check: our own options are its options too, except for how invariants
/// are written.
fn arguments() -> Vec<OsString> {
    let mut words: Vec<OsString> = ["check", "--format", "json"].map(OsString::from).into();
    let mut own = std::env::args_os().skip(2);
    while let Some(word) = own.next() {
        if word == "--as" {
            own.next();
        } else if !word.as_encoded_bytes().starts_with(b"--as=") {
            words.push(word);
        }
    }
    words
}

fn witness_of(args: &InvariantsArgs, report: &Report, proved: &[&Invariant]) -> String {
    let configuration = report.configuration.as_ref();
    let files: Vec<PathBuf> = match configuration {
        Some(configuration) => configuration.files.iter().map(PathBuf::from).collect(),
        None => args.input.files.clone(),
    };
    let hashes: Vec<(String, Option<String>)> = files
        .iter()
        .map(|file| (file.display().to_string(), witness::hash_of_file(file).ok()))
        .collect();
    let specification = args.spec.as_ref();
    let specification = specification.and_then(|file| std::fs::read_to_string(file).ok());
    let specification = specification.map_or_else(
        || {
            let entry = args.input.entry.as_deref().unwrap_or("main");
            format!("CHECK( init({entry}()), LTL(G ! call(reach_error())) )")
        },
        |text| text.trim().to_owned(),
    );
    let creation_time = witness::creation_time(std::time::SystemTime::now());
    let model = configuration.map_or("LP64", |configuration| &configuration.data_model);
    let list: Vec<witness::Invariant> = proved.iter().copied().map(loop_invariant).collect();
    let witness = Witness {
        metadata: Metadata {
            producer: "Concord".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            uuid: witness::metadata::uuid_of(&format!(
                "{hashes:?} {specification} {creation_time}"
            )),
            creation_time,
            files: hashes,
            specification,
            data_model: witness::DataModel::named(model),
        },
        content: Content::Invariants(list.into()),
    };
    witness::yaml::write(&witness)
}
