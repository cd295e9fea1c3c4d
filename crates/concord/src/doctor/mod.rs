//! `concord doctor`: what of the things that Concord uses is on this machine, and what follows
//! where one is missing.

mod probes;

use crate::cli::{DoctorArgs, DoctorFormat};
use crate::exit;
use crate::paint;
use serde::Serialize;
use std::process::ExitCode;

/// Version of the JSON; a field that changes its meaning raises it.
const SCHEMA: u32 = 1;

/// How much depends on a thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Need {
    /// Most programs cannot be checked without it.
    Required,
    /// Answers are less confirmed without it.
    Recommended,
    /// Only who asks for it needs it.
    Optional,
}

/// One thing that was looked for.
#[derive(Clone, Debug, Serialize)]
struct Finding {
    name: String,
    need: Need,
    found: bool,
    /// Where it is and which version, or what went wrong.
    detail: String,
    /// What follows where it is missing.
    without: String,
    /// What to do about it.
    remedy: String,
}

#[derive(Serialize)]
struct Examination<'a> {
    schema: u32,
    version: &'a str,
    /// Nothing required is missing.
    ready: bool,
    checks: &'a [Finding],
}

/// Exit codes: 0 if nothing is missing that most programs need, 1 otherwise.
pub fn examine(args: &DoctorArgs) -> ExitCode {
    let findings = probes::all();
    let is_missing = |one: &&Finding| one.need == Need::Required && !one.found;
    let missing = findings.iter().filter(is_missing).count();
    match args.format {
        DoctorFormat::Human => print(&findings, missing),
        DoctorFormat::Json => {
            let examination = Examination {
                schema: SCHEMA,
                version: env!("CARGO_PKG_VERSION"),
                ready: missing == 0,
                checks: &findings,
            };
            match serde_json::to_string_pretty(&examination) {
                Ok(text) => println!("{text}"),
                Err(error) => return exit::bad_input(error),
            }
        }
    }
    exit::code(u8::from(missing > 0))
}

fn print(findings: &[Finding], missing: usize) {
    let width = findings.iter().map(|one| one.name.chars().count()).max();
    let width = width.unwrap_or(0);
    for finding in findings {
        let (mark, style) = match (finding.found, finding.need) {
            (true, _) => ("found", paint::GOOD),
            (false, Need::Required) => ("MISSING", paint::BAD),
            (false, Need::Recommended) => ("missing", paint::OPEN),
            (false, Need::Optional) => ("none", paint::FAINT),
        };
        let mark = paint::padded(style, mark, 8);
        paint::say!("{mark} {:<width$}  {}", finding.name, finding.detail);
        if !finding.found {
            paint::say!("         without it: {}", finding.without);
            paint::say!("         to get it: {}", finding.remedy);
        }
    }
    let summary = match missing {
        0 => "Nothing that is required is missing.".to_owned(),
        1 => "One thing that is required is missing.".to_owned(),
        count => format!("{count} things that are required are missing."),
    };
    paint::say!("\n{summary}");
}
