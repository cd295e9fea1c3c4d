//! What is said over the socket between us and the guard.
//!
//! To the guard: one line with the [`Order`], then single bytes ([`STOP_SOFTLY`], …). Closing the
//! connection means "we are gone": the guard kills everything. From the guard: one line per
//! [`Message`].

use crate::{CommandLine, Exit, Limits, Usage};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Ask politely, then kill after the grace period.
pub const STOP_SOFTLY: u8 = b's';
/// The reader of the output saw more than the limit.
pub const OUTPUT_EXCEEDED: u8 = b'o';
/// Kill at once.
pub const STOP_NOW: u8 = b'k';

/// Paths and arguments need not be UTF-8, which is all that JSON can say; so they travel as bytes.
type Bytes = Vec<u8>;

#[derive(Serialize, Deserialize)]
pub struct Order {
    program: Bytes,
    arguments: Vec<Bytes>,
    environment: Vec<(Bytes, Option<Bytes>)>,
    clean_environment: bool,
    directory: Option<Bytes>,
    input: Option<Bytes>,
    pub limits: Limits,
}

impl Order {
    pub fn new(command: &CommandLine, limits: &Limits) -> Self {
        let bytes = |text: &OsString| text.as_bytes().to_vec();
        let path = |path: &PathBuf| path.as_os_str().as_bytes().to_vec();
        Self {
            program: bytes(&command.program),
            arguments: command.arguments.iter().map(bytes).collect(),
            environment: (command.environment.iter())
                .map(|(name, value)| (bytes(name), value.as_ref().map(bytes)))
                .collect(),
            clean_environment: command.clean_environment,
            directory: command.directory.as_ref().map(path),
            input: command.input.as_ref().map(path),
            limits: limits.clone(),
        }
    }

    pub fn command(&self) -> CommandLine {
        let text = |bytes: &Bytes| OsString::from_vec(bytes.clone());
        CommandLine {
            program: text(&self.program),
            arguments: self.arguments.iter().map(text).collect(),
            environment: (self.environment.iter())
                .map(|(name, value)| (text(name), value.as_ref().map(text)))
                .collect(),
            clean_environment: self.clean_environment,
            directory: self.directory.as_ref().map(text).map(PathBuf::from),
            input: self.input.as_ref().map(text).map(PathBuf::from),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    Started {
        pid: i32,
    },
    /// The command could not be started at all.
    NotStarted {
        reason: String,
    },
    Ended {
        cause: crate::Cause,
        exit: Exit,
        usage: Usage,
        left_behind: Vec<i32>,
    },
}
