//! The conversation with a solver in another process: its start, questions and answers, its end.

use control::StopToken;
use process::CommandLine;
use process::dialogue::{Dialogue, Heard};
use std::fmt;
use std::time::Duration;

/// Why an external solver cannot be used.
#[derive(Debug)]
pub enum ExternalError {
    /// The command is empty.
    NoCommand,
    /// The program does not exist or cannot be started.
    CannotStart {
        /// The program that was to be started.
        program: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The program runs, but does not answer as a solver does.
    NotASolver {
        /// The program.
        program: String,
        /// What it said instead.
        answer: String,
    },
}

impl fmt::Display for ExternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExternalError::NoCommand => write!(f, "the command of the external solver is empty"),
            ExternalError::CannotStart { program, cause } => {
                write!(f, "the solver '{program}' cannot be started: {cause}")
            }
            ExternalError::NotASolver { program, answer } => {
                write!(
                    f,
                    "'{program}' does not answer as an SMT-LIB solver: {answer}"
                )
            }
        }
    }
}

impl std::error::Error for ExternalError {}

/// The command for a well-known solver's name; other texts are commands already.
pub fn solver_command(name: &str) -> Vec<String> {
    let words: &[&str] = match name {
        "z3" => &["z3", "-in", "-smt2"],
        "cvc5" => &["cvc5", "--incremental", "--produce-models", "--lang=smt2"],
        "bitwuzla" => &["bitwuzla", "--lang=smt2"],
        other => return other.split_whitespace().map(str::to_string).collect(),
    };
    words.iter().map(|word| (*word).to_string()).collect()
}

pub(super) struct Conversation {
    dialogue: Dialogue,
    /// What is sent with the next question.
    pub(super) pending: String,
    pub(super) stop: StopToken,
}

/// What is said of a question that was not answered because the token was set.
pub(super) const STOPPED: &str = "stopped";

impl Conversation {
    pub(super) fn start(command: &[String]) -> Result<Conversation, ExternalError> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(ExternalError::NoCommand);
        };
        let command = CommandLine::new(program).arguments(arguments);
        let dialogue = Dialogue::start(&command).map_err(|cause| ExternalError::CannotStart {
            program: program.clone(),
            cause,
        })?;
        Ok(Conversation {
            dialogue,
            pending: String::new(),
            stop: StopToken::new(),
        })
    }

    pub(super) fn process_id(&self) -> u32 {
        self.dialogue.process_id()
    }

    /// Sends what is pending.
    fn flush(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.pending);
        let said = self.dialogue.say(&text);
        said.map_err(|error| format!("the solver has ended: {error}"))
    }

    /// Sends what is pending and reads one answer: an atom or a whole parenthesised expression.
    pub(super) fn ask(&mut self) -> Result<String, String> {
        self.flush()?;
        let mut answer = String::new();
        let mut depth = 0i64;
        loop {
            if self.stop.is_stopped() {
                return Err(STOPPED.into());
            }
            let line = match self.dialogue.hear(Duration::from_millis(20)) {
                Heard::Line(line) => line,
                Heard::Silence => continue,
                Heard::End => return Err("the solver has ended".into()),
            };
            depth += parentheses(&line);
            if !answer.is_empty() {
                answer.push('\n');
            }
            answer.push_str(&line);
            if depth <= 0 && !answer.trim().is_empty() {
                return Ok(answer.trim().to_string());
            }
        }
    }

    /// Nothing is asked any more.
    pub(super) fn end(&mut self) {
        self.dialogue.end();
    }
}

/// Opening minus closing parentheses outside of quotes.
fn parentheses(line: &str) -> i64 {
    let mut depth = 0;
    let mut quote = None;
    for byte in line.bytes() {
        match (quote, byte) {
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, b'|' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    depth
}
