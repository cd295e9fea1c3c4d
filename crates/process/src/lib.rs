//! Child processes under limits, of which nothing is left behind.
//!
//! | | for | limits hold for |
//! |---|---|---|
//! | a guarded run: [`start`] | whole programs: verifiers | everything it starts, together |
//! | a helper: [`helper::run`] | a command: compiler | each process; its group ends with it |
//! | a dialogue: [`dialogue::Dialogue`] | asked repeatedly: a solver | its group ends with it |
//!
//! Between us and a guarded command stands a *guard*: the same executable started once more (see
//! [`guard`]). The guard is the subreaper of the run, so a daemonised grandchild stays its
//! descendant and "everything the command started" is simply "every descendant of the guard". It
//! measures and ends the tree, and when we ourselves are killed it sees the connection close and
//! ends the tree too: nothing is left running, not even after SIGKILL. Helpers and dialogues of a
//! guarded process are in its tree.
//!
//! One guarded run is: [`start`] → [`Running`] (may be cancelled from other threads) →
//! [`Running::wait`] → [`Outcome`].

mod capture;
mod command;
pub mod dialogue;
mod group;
pub mod guard;
pub mod helper;
mod input;
pub mod last_words;
mod protocol;
mod running;
mod tree;

pub use capture::{Captured, OutputPolicy, Sink};
pub use guard::Guard;
pub use input::InputText;
pub use running::{Canceller, Running, StartError, start};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// Variables set (`Some`) or removed (`None`) on top of our own environment.
    pub environment: BTreeMap<OsString, Option<OsString>>,
    /// Nothing of our own environment.
    pub clean_environment: bool,
    pub directory: Option<PathBuf>,
    /// File that the command reads as its standard input; nothing when absent.
    pub input: Option<PathBuf>,
}

impl CommandLine {
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            ..Self::default()
        }
    }

    pub fn arguments<I, A>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = A>,
        A: Into<OsString>,
    {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), Some(value.into()));
        self
    }
}

/// Who is asked to stop before the tree is killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SoftStop {
    /// Every process: right for shell wrappers, which would otherwise sit and wait for their child.
    #[default]
    Tree,
    /// Only the command itself: right where it has children of its own that it winds up in order.
    Root,
}

/// Limits of one run; each holds for the sum over all processes of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub cpu: Option<Duration>,
    pub wall: Option<Duration>,
    /// Bytes of resident and swapped memory, shared pages counted once.
    pub memory: Option<u64>,
    /// Number of processes alive at once; this is what stops a fork bomb.
    pub processes: Option<u32>,
    /// Bytes written to stdout and stderr together.
    pub output: Option<u64>,
    /// Time between SIGTERM and SIGKILL.
    pub grace: Duration,
    pub soft_stop: SoftStop,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu: None,
            wall: None,
            memory: None,
            processes: Some(2000),
            output: None,
            grace: Duration::from_secs(1),
            soft_stop: SoftStop::default(),
        }
    }
}

/// Why the run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// The command ended by itself (well or badly: see [`Exit`]).
    Finished,
    CpuLimit,
    WallLimit,
    MemoryLimit,
    ProcessLimit,
    OutputLimit,
    /// Somebody used a [`Canceller`], or sent the guard a SIGTERM.
    Cancelled,
}

/// How the command itself (not its descendants) ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

/// What the run took, measured from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub cpu: Duration,
    pub wall: Duration,
    /// Bytes at the highest point seen.
    pub peak_memory: u64,
    /// Most processes seen alive at once.
    pub peak_processes: u32,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub cause: Cause,
    pub exit: Exit,
    pub usage: Usage,
    pub stdout: Captured,
    pub stderr: Captured,
    /// Processes that even SIGKILL did not end within ten seconds (stuck in the kernel); empty in
    /// practice.
    pub left_behind: Vec<i32>,
}

impl Outcome {
    /// The command ended by itself with code 0.
    pub fn success(&self) -> bool {
        self.cause == Cause::Finished && self.exit == Exit::Code(0)
    }
}
