//! A helper: a command that runs to its end while whoever needs it waits.
//!
//! Unlike a guarded run ([`crate::start`]) it needs no executable that can be a guard, so any part
//! of a program may ask for one. Its processes are a group of their own, and nothing of the group
//! outlives the call. What a command leaves running in a session of its own (a daemon) is found
//! only if it has to be ended; under a guard it ends with us.

use crate::command::{prepared, scratch_folder};
use crate::group::Group;
use crate::{Cause, CommandLine, Exit};
use control::StopToken;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What a helper may use.
///
/// The kernel sees to what holds for each process, and a shell sets it up: with such limits, a
/// command that cannot be started ends with code 127 or 126, as it does in shells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelperLimits {
    pub wall: Option<Duration>,
    /// Bytes written to the streams that are listened to.
    pub output: Option<u64>,
    /// Of each process: in whole seconds, rounded up.
    pub cpu: Option<Duration>,
    /// Of each process: bytes of address space. Allocations beyond fail.
    pub memory: Option<u64>,
    /// Of each process: bytes of stack, as far as we may raise it.
    pub stack: Option<u64>,
    /// Of each process: bytes of every file that it writes.
    pub files: Option<u64>,
}

impl HelperLimits {
    /// The command, if need be behind a shell that first gives up what it may not use.
    fn imposed_on(&self, command: &CommandLine) -> CommandLine {
        let kilobytes = |bytes: u64| bytes.div_ceil(1 << 10);
        let seconds = |cpu: Duration| cpu.as_secs() + u64::from(cpu.subsec_nanos() > 0);
        let limits = [
            // The first ends with a signal of its own, the second whoever does not care.
            ("-S -t", self.cpu.map(seconds)),
            ("-H -t", self.cpu.map(|cpu| seconds(cpu) + 1)),
            ("-v", self.memory.map(kilobytes)),
            ("-s", self.stack.map(kilobytes)),
            ("-f", self.files.map(|bytes| bytes.div_ceil(512))),
        ];
        let limits = limits.into_iter();
        let set = limits.filter_map(|(option, value)| Some((option, value?)));
        // What is lower already cannot be raised, and need not be.
        let set: String = set
            .map(|(option, value)| format!("ulimit {option} {value} 2>/dev/null; "))
            .collect();
        if set.is_empty() {
            return command.clone();
        }
        let script = format!("ulimit -c 0; {set}exec \"$@\"");
        let words = ["-c".into(), script.into(), "sh".into()].into_iter();
        let words = words.chain([command.program.clone()]);
        CommandLine {
            program: "/bin/sh".into(),
            arguments: words.chain(command.arguments.iter().cloned()).collect(),
            ..command.clone()
        }
    }
}

/// What is read of a helper; the rest is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    Both,
    ToErrors,
}

#[derive(Clone, Debug)]
pub struct HelperOutcome {
    pub cause: Cause,
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl HelperOutcome {
    /// The command ended by itself with code 0.
    pub fn success(&self) -> bool {
        self.cause == Cause::Finished && self.exit == Exit::Code(0)
    }
}

/// How often a quiet helper is looked at.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// How long output may come of processes that have left the group, when nothing of it is left.
const LATE_OUTPUT: Duration = Duration::from_millis(500);

/// Runs a command to its end, or until it goes over a limit or the token is set. Looking at the
/// token counts as no work: how often that is done depends on the machine.
pub fn run(
    command: &CommandLine,
    limits: &HelperLimits,
    listen: Listen,
    stop: &StopToken,
) -> io::Result<HelperOutcome> {
    let begin = Instant::now();
    let scratch = scratch_folder();
    let mut process = prepared(&limits.imposed_on(command), scratch.as_ref())?;
    let (out_reader, out_writer) = io::pipe()?;
    let (err_reader, err_writer) = io::pipe()?;
    match listen {
        Listen::Both => {
            process.stdout(out_writer);
        }
        Listen::ToErrors => {
            process.stdout(Stdio::null());
            drop(out_writer);
        }
    }
    process.stderr(err_writer);
    let mut group = Group::start(&mut process)?;
    // Our copies of the writing ends, without which we see the end of what is written.
    drop(process);
    let mut streams = Streams([out_reader, err_reader].map(|reader| Stream {
        source: Some(File::from(OwnedFd::from(reader))),
        text: Vec::new(),
    }));
    let is_over = |bytes: u64| limits.output.is_some_and(|limit| bytes > limit);
    let mut pause = Duration::from_millis(1);
    let mut cause = loop {
        streams.read(pause);
        if is_over(streams.total()) {
            break Cause::OutputLimit;
        }
        if group.has_ended() {
            break Cause::Finished;
        }
        if limits.wall.is_some_and(|wall| begin.elapsed() > wall) {
            break Cause::WallLimit;
        }
        if stop.is_due() {
            break Cause::Cancelled;
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    };
    let exit = group.end();
    // What was written last is still in the pipes.
    let ended = Instant::now();
    while streams.are_open() && streams.read(LONGEST_PAUSE * 4) && ended.elapsed() < LATE_OUTPUT {
        if is_over(streams.total()) && cause == Cause::Finished {
            cause = Cause::OutputLimit;
        }
        if cause == Cause::OutputLimit {
            break;
        }
    }
    if cause == Cause::Finished && exit == Exit::Signal(Signal::SIGXCPU as i32) {
        cause = Cause::CpuLimit;
    }
    let [stdout, stderr] = streams.0.map(|stream| stream.text);
    Ok(HelperOutcome {
        cause,
        exit,
        stdout,
        stderr,
    })
}

struct Stream {
    /// Until its end.
    source: Option<File>,
    text: Vec<u8>,
}

struct Streams([Stream; 2]);

impl Streams {
    fn total(&self) -> u64 {
        self.0.iter().map(|stream| stream.text.len() as u64).sum()
    }

    fn are_open(&self) -> bool {
        self.0.iter().any(|stream| stream.source.is_some())
    }

    /// Takes what there is, or waits so long for it; whether something came or ended.
    fn read(&mut self, pause: Duration) -> bool {
        let open = |stream: &&mut Stream| stream.source.is_some();
        let sources = self.0.iter().filter_map(|stream| stream.source.as_ref());
        let mut polled: Vec<PollFd<'_>> = sources
            .map(|source| PollFd::new(source.as_fd(), PollFlags::POLLIN))
            .collect();
        if polled.is_empty() {
            std::thread::sleep(pause);
            return false;
        }
        let timeout = PollTimeout::try_from(pause).unwrap_or(PollTimeout::MAX);
        if !poll(&mut polled, timeout).is_ok_and(|count| count > 0) {
            return false;
        }
        let ready: Vec<bool> = polled
            .iter()
            .map(|source| source.any().unwrap_or(true))
            .collect();
        for (stream, is_ready) in self.0.iter_mut().filter(open).zip(ready) {
            if is_ready {
                stream.take();
            }
        }
        true
    }
}

impl Stream {
    /// One piece, or the end.
    fn take(&mut self) {
        let mut buffer = [0; 1 << 14];
        let Some(source) = &mut self.source else {
            return;
        };
        match source.read(&mut buffer) {
            Ok(0) => self.source = None,
            Ok(count) => self.text.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.source = None,
        }
    }
}
