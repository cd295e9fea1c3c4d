//! `process-example COMMAND ARGUMENT…` runs a command under a guard, with the default limits. The
//! tests use it as guard, and run it under one.

use process::{CommandLine, Exit, Guard, Limits, OutputPolicy, guard, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    guard::enter_if_guard();
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: process-example COMMAND ARGUMENT…");
        return ExitCode::from(2);
    };
    let command = CommandLine::new(program).arguments(words);
    let policy = OutputPolicy::default();
    let outcome = Guard::this_executable()
        .map_err(|error| error.to_string())
        .and_then(|guard| {
            start(&guard, &command, &Limits::default(), &policy, &policy, None)
                .and_then(|running| running.wait())
                .map_err(|error| error.to_string())
        });
    match outcome {
        Ok(outcome) => {
            print!("{}", outcome.stdout.text());
            eprint!("{}", outcome.stderr.text());
            match outcome.exit {
                Exit::Code(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
                Exit::Signal(_) => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
