//! Exit codes, documented in the README.

use std::process::ExitCode;

/// The property holds.
pub const TRUE: u8 = 0;
/// The property is violated.
pub const FALSE: u8 = 1;
/// The input or the command line is wrong.
pub const BAD_INPUT: u8 = 2;
/// No answer.
pub const UNKNOWN: u8 = 3;
/// The property is violated, and the baseline has the violation already.
pub const KNOWN: u8 = 4;

pub fn code(code: u8) -> ExitCode {
    ExitCode::from(code)
}

/// Prints a message for bad input and gives its exit code.
pub fn bad_input(message: impl std::fmt::Display) -> ExitCode {
    eprintln!("concord: {message}");
    code(BAD_INPUT)
}
