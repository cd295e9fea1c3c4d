//! What is looked for. Each thing is tried as an analysis would use it: that a file of the right
//! name exists says little.

use super::{Finding, Need};
use control::StopToken;
use process::CommandLine;
use process::helper::{self, HelperLimits, HelperOutcome, Listen};
use std::path::Path;
use std::time::Duration;

/// A compiler that takes longer than this is as good as none.
const PATIENCE: Duration = Duration::from_secs(20);

const SOLVERS: [&str; 3] = ["z3", "cvc5", "bitwuzla"];

/// A program with a header, for the compiler.
const PROGRAM: &str = "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n";

pub fn all() -> Vec<Finding> {
    let mut findings = compiler();
    findings.push(nm());
    findings.extend(SOLVERS.map(solver));
    findings.extend(helpers());
    findings
}

/// The compiler that `CC` names, or else `cc`.
fn compiler_command() -> (String, CommandLine) {
    let named = std::env::var("CC").unwrap_or_default();
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or("cc").to_owned();
    let command = CommandLine::new(program.as_str()).arguments(words);
    (program, command)
}

fn run(command: &CommandLine) -> Result<HelperOutcome, String> {
    let limits = HelperLimits {
        wall: Some(PATIENCE),
        ..HelperLimits::default()
    };
    let command = command.clone().variable("LC_ALL", "C");
    helper::run(&command, &limits, Listen::Both, &StopToken::new())
        .map_err(|error| error.to_string())
}

/// The first line that a command prints, or why there is none.
fn first_line(command: &CommandLine) -> Result<String, String> {
    let outcome = run(command)?;
    let line = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().next().unwrap_or_default().trim().to_owned()
    };
    match outcome.success() {
        true => Ok(line(&outcome.stdout)),
        false => Err(match line(&outcome.stderr) {
            said if said.is_empty() => "it fails without a message".into(),
            said => said,
        }),
    }
}

fn finding(
    name: impl Into<String>,
    need: Need,
    result: Result<String, String>,
    without: &str,
    remedy: &str,
) -> Finding {
    let found = result.is_ok();
    Finding {
        name: name.into(),
        need,
        found,
        detail: result.unwrap_or_else(|problem| problem),
        without: without.into(),
        remedy: remedy.into(),
    }
}

fn compiler() -> Vec<Finding> {
    let (program, command) = compiler_command();
    let version = first_line(&command.clone().argument("--version"));
    let version = version.map(|line| format!("{program}: {line}"));
    let there = version.is_ok();
    let mut findings = vec![finding(
        "C compiler",
        Need::Required,
        version,
        "only preprocessed files (.i) and files without directives can be read, and no violation \
         is confirmed by the compiled program",
        "install gcc or clang (Debian: apt-get install build-essential), or name one in CC",
    )];
    let folder = match tempfile::tempdir() {
        Ok(folder) if there => folder,
        _ => return findings,
    };
    let source = folder.path().join("probe.c");
    if let Err(error) = std::fs::write(&source, PROGRAM) {
        findings[0].detail = format!("{} (cannot write a file to try it: {error})", program);
        return findings;
    }
    let tries = |options: &[&str]| tried(&command, options, &source, folder.path());
    findings.push(finding(
        "headers of C, 64 bits",
        Need::Required,
        tries(&["-m64", "-E"]),
        "programs that include headers of the system cannot be read",
        "install the headers of the C library (Debian: apt-get install libc6-dev)",
    ));
    findings.push(finding(
        "headers of C, 32 bits",
        Need::Recommended,
        tries(&["-m32", "-E"]),
        "with --data-model ilp32, programs that include headers may not be readable",
        "install them (Debian: apt-get install gcc-multilib)",
    ));
    findings.push(finding(
        "linking, 64 bits",
        Need::Recommended,
        tries(&["-m64"]),
        "no violation is confirmed by the compiled program",
        "install the C library for developers (Debian: apt-get install libc6-dev)",
    ));
    findings.push(finding(
        "linking, 32 bits",
        Need::Recommended,
        tries(&["-m32"]),
        "violations under --data-model ilp32 are not confirmed by the compiled program",
        "install them (Debian: apt-get install gcc-multilib)",
    ));
    findings.push(finding(
        "AddressSanitizer",
        Need::Recommended,
        tries(&["-m64", "-fsanitize=address"]),
        "violations of memory safety are not confirmed by the compiled program",
        "install the sanitizers of the compiler (Debian: apt-get install libasan8)",
    ));
    findings
}

/// Does the compiler take the options with a program?
fn tried(
    command: &CommandLine,
    options: &[&str],
    source: &Path,
    folder: &Path,
) -> Result<String, String> {
    let command = command
        .clone()
        .arguments(options)
        .argument(source)
        .argument("-o")
        .argument(folder.join("probe.out"));
    first_line(&command).map(|_| options.join(" "))
}

fn nm() -> Finding {
    let version = first_line(&CommandLine::new("nm").argument("--version"));
    finding(
        "nm",
        Need::Recommended,
        version,
        "no violation is confirmed by the compiled program",
        "install it (Debian: apt-get install binutils)",
    )
}

fn solver(name: &str) -> Finding {
    let choice = logic::SolverChoice::named(name);
    let result = match choice.check() {
        Ok(()) => first_line(&CommandLine::new(name).argument("--version"))
            .or_else(|_| Ok("it answers".into())),
        Err(error) => Err(error.to_string()),
    };
    finding(
        format!("solver {name}"),
        Need::Optional,
        result,
        &format!(
            "--solver {name} and --certify-with {name} do not work; Concord's own solver does"
        ),
        &format!("install {name}, if you want to use it"),
    )
}

fn helpers() -> Vec<Finding> {
    let all = match portfolio::helpers::all() {
        Ok(all) => all,
        Err(error) => {
            return vec![finding(
                "helpers",
                Need::Optional,
                Err(error),
                "no master can ask a helper",
                "please report this",
            )];
        }
    };
    let helpers = all.into_iter();
    helpers
        .map(|(_, helper)| {
            let place = helper.installed();
            let result = place
                .map(|place| match place.starts_with("/proc") {
                    true => "Concord itself".into(),
                    false => place.display().to_string(),
                })
                .ok_or_else(|| format!("{} is not in PATH", helper.executable));
            finding(
                format!("helper {}", helper.short_name()),
                Need::Optional,
                result,
                &format!(
                    "analyses that ask {} for invariants run without its answers",
                    helper.name
                ),
                &format!("install {}, if you want to use it", helper.name),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_says_why() {
        let missing = first_line(&CommandLine::new("concord-no-such-program"));
        assert!(missing.is_err(), "{missing:?}");
        let script = CommandLine::new("sh").arguments(["-c", "echo no headers >&2; exit 1"]);
        assert_eq!(first_line(&script), Err("no headers".into()));
        let script = CommandLine::new("sh").arguments(["-c", "echo one; echo two"]);
        assert_eq!(first_line(&script), Ok("one".into()));
    }
}
