//! Our side of a run: starts the guard, reads the output, waits for the guard's report.

use crate::capture::{Captured, LineCallback, OutputPolicy, Recorder};
use crate::protocol::{Message, OUTPUT_EXCEEDED, Order, STOP_NOW, STOP_SOFTLY};
use crate::{CommandLine, Guard, Limits, Outcome};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// A guard answers in milliseconds; this is for machines that are busy beyond reason.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Why a command did not run.
#[derive(Debug)]
pub enum StartError {
    /// The guard did not answer: its program cannot be started or does not call
    /// [`crate::guard::enter_if_guard`].
    Guard { program: String, reason: String },
    /// The command itself could not be started (not found, not executable, no such directory).
    Command { program: String, reason: String },
    /// A file for its output could not be created.
    Output(io::Error),
    /// The guard went away before it reported; whatever it watched died with it.
    Lost,
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guard { program, reason } => {
                write!(out, "cannot start {program} to supervise a run: {reason}")
            }
            Self::Command { program, reason } => write!(out, "cannot start {program}: {reason}"),
            Self::Output(error) => write!(out, "cannot write output: {error}"),
            Self::Lost => write!(out, "the process that supervises the run was killed"),
        }
    }
}

impl std::error::Error for StartError {}

/// A command that runs. Dropping it kills the whole run at once.
pub struct Running {
    guard: Child,
    socket: BufReader<UnixStream>,
    pid: i32,
    over: Arc<AtomicBool>,
    stdout: Option<JoinHandle<Captured>>,
    stderr: Option<JoinHandle<Captured>>,
}

/// Ends a run from any thread. Harmless when the run is over.
#[derive(Clone)]
pub struct Canceller(Arc<UnixStream>);

impl Canceller {
    /// SIGTERM, and SIGKILL after the grace period.
    pub fn stop_softly(&self) {
        self.say(STOP_SOFTLY);
    }

    pub fn stop_now(&self) {
        self.say(STOP_NOW);
    }

    fn say(&self, word: u8) {
        // When nobody listens any more the run is over, which is what was asked for.
        let _ = (&*self.0).write_all(&[word]);
    }
}

/// Starts a command. `on_line` is called from another thread with each line of its stdout while it
/// runs.
pub fn start(
    guard: &Guard,
    command: &CommandLine,
    limits: &Limits,
    stdout: &OutputPolicy,
    stderr: &OutputPolicy,
    on_line: Option<LineCallback>,
) -> Result<Running, StartError> {
    let stdout_recorder = Recorder::new(stdout, on_line).map_err(StartError::Output)?;
    let stderr_recorder = Recorder::new(stderr, None).map_err(StartError::Output)?;
    let guard_error = |reason: String| StartError::Guard {
        program: guard.program.display().to_string(),
        reason,
    };
    let connect = || -> io::Result<_> {
        let (ours, theirs) = UnixStream::pair()?;
        let (out_reader, out_writer) = io::pipe()?;
        let (err_reader, err_writer) = io::pipe()?;
        let mut process = guard.command();
        process
            .stdin(OwnedFd::from(theirs))
            .stdout(out_writer)
            .stderr(err_writer);
        let child = process.spawn()?;
        // Dropped here: our copies of the writing ends, without which the readers would never see
        // the end.
        drop(process);
        Ok((child, ours, out_reader, err_reader))
    };
    let (mut child, ours, out_reader, err_reader) =
        connect().map_err(|error| guard_error(error.to_string()))?;
    let answer = (|| -> io::Result<(BufReader<UnixStream>, String)> {
        let mut order = serde_json::to_vec(&Order::new(command, limits))?;
        order.push(b'\n');
        (&ours).write_all(&order)?;
        // Some other program than a guard might never answer; how long the command runs then is not
        // bounded here.
        ours.set_read_timeout(Some(ANSWER_WITHIN))?;
        let mut socket = BufReader::new(ours);
        let mut line = String::new();
        socket.read_line(&mut line)?;
        socket.get_ref().set_read_timeout(None)?;
        Ok((socket, line))
    })();
    let give_up = |child: &mut Child, error: StartError| {
        // It may be some other program altogether, which would not go away by itself.
        let _ = child.kill();
        let _ = child.wait();
        Err(error)
    };
    let (socket, line) = match answer {
        Ok(answer) => answer,
        Err(error) => return give_up(&mut child, guard_error(error.to_string())),
    };
    let pid = match serde_json::from_str(&line) {
        Ok(Message::Started { pid }) => pid,
        Ok(Message::NotStarted { reason }) => {
            let program = command.program.display().to_string();
            return give_up(&mut child, StartError::Command { program, reason });
        }
        _ => {
            return give_up(
                &mut child,
                guard_error("it does not answer like a supervisor of Concord".to_owned()),
            );
        }
    };

    let over = Arc::new(AtomicBool::new(false));
    let canceller = canceller(&socket).map_err(|error| guard_error(error.to_string()))?;
    let meter = Arc::new(Meter {
        limit: limits.output,
        used: AtomicU64::new(0),
        canceller,
    });
    let read = |reader: io::PipeReader, recorder: Recorder| {
        let (over, meter) = (Arc::clone(&over), Arc::clone(&meter));
        std::thread::spawn(move || drain(reader, recorder, &over, &meter))
    };
    let stdout = Some(read(out_reader, stdout_recorder));
    let stderr = Some(read(err_reader, stderr_recorder));
    Ok(Running {
        guard: child,
        socket,
        pid,
        over,
        stdout,
        stderr,
    })
}

fn canceller(socket: &BufReader<UnixStream>) -> io::Result<Canceller> {
    Ok(Canceller(Arc::new(socket.get_ref().try_clone()?)))
}

impl Running {
    /// The process id of the command.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    pub fn canceller(&self) -> io::Result<Canceller> {
        canceller(&self.socket)
    }

    /// Waits for the end of the run, which is when nothing of it is left.
    pub fn wait(mut self) -> Result<Outcome, StartError> {
        let mut line = String::new();
        let report = self
            .socket
            .read_line(&mut line)
            .ok()
            .and_then(|_| serde_json::from_str(&line).ok());
        let (stdout, stderr) = self.clean_up();
        match report {
            Some(Message::Ended {
                cause,
                exit,
                usage,
                left_behind,
            }) => Ok(Outcome {
                cause,
                exit,
                usage,
                stdout,
                stderr,
                left_behind,
            }),
            _ => Err(StartError::Lost),
        }
    }

    fn clean_up(&mut self) -> (Captured, Captured) {
        self.over.store(true, Ordering::Release);
        let _ = self.guard.wait();
        // A reader that panicked did so in the caller's line callback; what it had read is lost,
        // the run is not.
        let join = |reader: Option<JoinHandle<Captured>>| {
            reader
                .and_then(|reader| reader.join().ok())
                .unwrap_or_default()
        };
        (join(self.stdout.take()), join(self.stderr.take()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.stdout.is_some() {
            // Cancellers keep the connection open, so that closing our end would not tell the
            // guard.
            let _ = self.socket.get_ref().write_all(&[STOP_NOW]);
            self.clean_up();
        }
    }
}

/// Bytes of output of a run against their limit.
struct Meter {
    limit: Option<u64>,
    used: AtomicU64,
    canceller: Canceller,
}

impl Meter {
    fn add(&self, bytes: usize) {
        let before = self.used.fetch_add(bytes as u64, Ordering::Relaxed);
        if self
            .limit
            .is_some_and(|limit| before <= limit && before + bytes as u64 > limit)
        {
            self.canceller.say(OUTPUT_EXCEEDED);
        }
    }
}

/// Reads until the end of the stream; or, when the run is over, until nothing more comes: a process
/// that could not be killed may hold the other end open for ever.
fn drain(
    mut reader: io::PipeReader,
    mut recorder: Recorder,
    over: &AtomicBool,
    meter: &Meter,
) -> Captured {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let was_over = over.load(Ordering::Acquire);
        let mut source = [PollFd::new(reader.as_fd(), PollFlags::POLLIN)];
        match poll(&mut source, PollTimeout::from(100u16)) {
            Ok(0) if was_over => break,
            Ok(0) | Err(nix::errno::Errno::EINTR) => continue,
            Ok(_) => {}
            Err(_) => break,
        }
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                meter.add(count);
                recorder.take(&buffer[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    recorder.finish()
}
