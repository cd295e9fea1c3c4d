//! The guard: the process that stands between us and a command, measures its tree and ends it.
//!
//! It is our own executable, started again with a variable in its environment; a program that runs
//! commands calls [`enter_if_guard`] first thing in `main`. A process of its own, rather than a
//! thread, because
//! - orphans go to the nearest subreaper *process*: with several runs in one process nobody could
//!   tell whose they are;
//! - it outlives us when we are killed, and then still cleans up, also the folder for temporary
//!   files that it gives to the command;
//! - the kernel's own sum of CPU time over waited-for children is that of one run.

use crate::command::{prepared, scratch_folder};
use crate::protocol::{Message, OUTPUT_EXCEEDED, Order, STOP_NOW, STOP_SOFTLY};
use crate::tree::{Snapshot, Tree};
use crate::{Cause, CommandLine, Exit, Limits, SoftStop, Usage};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MARK: &str = "CONCORD_RUNNER_GUARD";

/// How the guard is started: a program that calls [`enter_if_guard`] when started with these
/// arguments.
#[derive(Clone, Debug)]
pub struct Guard {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl Guard {
    /// The running executable itself.
    pub fn this_executable() -> io::Result<Self> {
        // The link, not its target: it still leads to the right file when the executable has been
        // replaced meanwhile.
        fs::metadata("/proc/self/exe")?;
        Ok(Self {
            program: PathBuf::from("/proc/self/exe"),
            arguments: vec!["__guard".into()],
        })
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // A group of its own: an interrupt typed at the terminal is for us, and we tell the guard.
        command
            .args(&self.arguments)
            .env(MARK, "1")
            .process_group(0);
        command
    }
}

/// Becomes the guard, and does not return, when this process was started as one. First thing in
/// `main`.
pub fn enter_if_guard() {
    if std::env::var_os(MARK).is_some() {
        let code = match serve() {
            Ok(()) => 0,
            Err(error) => {
                eprintln!("guard: {error}");
                1
            }
        };
        std::process::exit(code);
    }
}

/// Takes one order from the socket that is our standard input, carries it out, reports.
fn serve() -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut line = String::new();
    // Nothing follows the order until we have answered it, so that the buffer cannot swallow more
    // than the line.
    BufReader::new(&socket).read_line(&mut line)?;
    let order: Order = serde_json::from_str(&line)?;
    prctl::set_child_subreaper(true)?;
    let mut signals = SigSet::empty();
    for signal in [
        Signal::SIGCHLD,
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
    ] {
        signals.add(signal);
    }
    signals.thread_block()?;
    let signals = SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;

    // Goes away with the guard, whoever was killed meanwhile.
    let scratch = scratch_folder();
    let begin = Instant::now();
    let root = match spawn(&order.command(), &order.limits, scratch.as_ref()) {
        Ok(pid) => pid,
        Err(error) => {
            return send(
                &socket,
                &Message::NotStarted {
                    reason: error.to_string(),
                },
            );
        }
    };
    // Raised so that, if the machine itself runs out of memory, the run is what the kernel takes.
    let _ = fs::write(format!("/proc/{root}/oom_score_adj"), "1000");
    // The output is the command's alone: its reader sees the end when the last process of the run
    // has closed it.
    let nowhere = File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&nowhere)?;
    nix::unistd::dup2_stderr(&nowhere)?;
    send(&socket, &Message::Started { pid: root.as_raw() })?;

    let mut watch = Watch {
        limits: order.limits,
        socket,
        signals,
        begin,
        root,
        exit: None,
        ended: None,
        tree: Tree::below(nix::unistd::getpid().as_raw()),
        peak_processes: 1,
        owner_gone: false,
    };
    let cause = watch.until_end();
    let left_behind = watch.kill_everything();
    // Before the end is reported: whoever hears of it finds nothing of the run any more.
    drop(scratch);
    let usage = watch.usage();
    let exit = watch.exit.unwrap_or(Exit::Signal(Signal::SIGKILL as i32));
    if watch.owner_gone {
        return Ok(());
    }
    send(
        &watch.socket,
        &Message::Ended {
            cause: watch.judge(cause, exit, &usage),
            exit,
            usage,
            left_behind,
        },
    )
}

fn send(mut socket: &UnixStream, message: &Message) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// The command has no terminal: it starts in a session of its own.
fn spawn(order: &CommandLine, limits: &Limits, scratch: Option<&TempDir>) -> io::Result<Pid> {
    let mut command = prepared(order, scratch)?;
    command.env_remove(MARK);
    // The second line behind the watching: a single process cannot outlive this even if the guard
    // does not get to run. Under a limit of somebody else (a run within a run) it can only be
    // lowered.
    let (_, highest) = getrlimit(Resource::RLIMIT_CPU)?;
    let cpu_seconds = limits
        .cpu
        .map(|cpu| ((cpu + limits.grace).as_secs() + 3).min(highest));
    let prepare = move || {
        nix::unistd::setsid()?;
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        if let Some(seconds) = cpu_seconds {
            setrlimit(Resource::RLIMIT_CPU, seconds, seconds)?;
        }
        Ok(())
    };
    // SAFETY: the closure runs between fork and exec and makes only system calls: it neither
    // allocates nor takes a lock, and the guard has one thread.
    unsafe { command.pre_exec(prepare) };
    let child = command.spawn()?;
    i32::try_from(child.id())
        .map(Pid::from_raw)
        .map_err(io::Error::other)
}

struct Watch {
    limits: Limits,
    socket: UnixStream,
    signals: SignalFd,
    begin: Instant,
    root: Pid,
    exit: Option<Exit>,
    /// Wall time at which the command ended.
    ended: Option<Duration>,
    tree: Tree,
    peak_processes: u32,
    owner_gone: bool,
}

/// What has been asked of the guard since it last looked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Request {
    None,
    Stop(Cause),
    Kill,
}

impl Watch {
    /// Watches until the command has ended or has to be ended; in the latter case asks first,
    /// within the grace period.
    fn until_end(&mut self) -> Cause {
        let mut pause = Duration::from_millis(2);
        let cause = loop {
            match self.wait_for(pause) {
                Request::Kill => return Cause::Cancelled,
                Request::Stop(cause) => break cause,
                Request::None => {}
            }
            if self.reap() || self.exit.is_some() {
                return self.was_that_for_us_too();
            }
            let cost = cpu_time(UsageWho::RUSAGE_SELF);
            let snapshot = self.look();
            // A child that is waited for while we read counts twice that once, so look again before
            // believing it.
            if self.exceeded(&snapshot).is_some()
                && let snapshot = self.look()
                && let Some(cause) = self.exceeded(&snapshot)
            {
                break cause;
            }
            // Looking must cost little, also in a large tree.
            let cost = cpu_time(UsageWho::RUSAGE_SELF).saturating_sub(cost);
            pause = self.next_look(&snapshot, pause).max(cost * 10);
        };
        self.ask_to_stop();
        let deadline = Instant::now() + self.limits.grace;
        while self.exit.is_none() && Instant::now() < deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if self.wait_for(left.min(Duration::from_millis(20))) == Request::Kill {
                break;
            }
            if self.reap() {
                break;
            }
            let snapshot = self.look();
            // In its grace a process may wind up, not eat the machine.
            if self
                .limits
                .memory
                .is_some_and(|limit| snapshot.memory > limit.saturating_add(limit / 4))
            {
                break;
            }
        }
        cause
    }

    /// The command has ended. If a signal asked it to, somebody may be ending a whole tree of which
    /// we are part, and our own signal is on its way: that it reached the command first does not
    /// make it the command's doing.
    fn was_that_for_us_too(&mut self) -> Cause {
        let asked = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP];
        let asked = asked.map(|signal| Some(Exit::Signal(signal as i32)));
        if asked.contains(&self.exit) && self.wait_for(Duration::from_millis(50)) != Request::None {
            return Cause::Cancelled;
        }
        Cause::Finished
    }

    fn look(&mut self) -> Snapshot {
        let snapshot = self.tree.refresh(self.limits.memory);
        self.peak_processes = self
            .peak_processes
            .max(u32::try_from(snapshot.alive.len()).unwrap_or(u32::MAX));
        snapshot
    }

    fn exceeded(&self, snapshot: &Snapshot) -> Option<Cause> {
        let limits = &self.limits;
        if limits.memory.is_some_and(|limit| snapshot.memory > limit) {
            Some(Cause::MemoryLimit)
        } else if limits
            .cpu
            .is_some_and(|limit| self.tree.cpu(cpu_time(UsageWho::RUSAGE_CHILDREN)) >= limit)
        {
            Some(Cause::CpuLimit)
        } else if limits
            .wall
            .is_some_and(|limit| self.begin.elapsed() >= limit)
        {
            Some(Cause::WallLimit)
        } else if limits
            .processes
            .is_some_and(|limit| snapshot.alive.len() > limit as usize)
        {
            Some(Cause::ProcessLimit)
        } else {
            None
        }
    }

    /// Seldom while all is quiet, often at the start and near a limit.
    fn next_look(&self, snapshot: &Snapshot, last: Duration) -> Duration {
        let mut pause = (last * 2).min(Duration::from_millis(50));
        if self
            .limits
            .memory
            .is_some_and(|limit| snapshot.memory > limit / 4 * 3)
        {
            pause = pause.min(Duration::from_millis(5));
        } else if self
            .limits
            .memory
            .is_some_and(|limit| snapshot.memory > limit / 4)
        {
            pause = pause.min(Duration::from_millis(15));
        }
        if let Some(wall) = self.limits.wall {
            pause = pause.min(wall.saturating_sub(self.begin.elapsed()));
        }
        if let Some(cpu) = self.limits.cpu {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            let left = cpu.saturating_sub(self.tree.cpu(cpu_time(UsageWho::RUSAGE_CHILDREN)));
            pause = pause.min(left / u32::try_from(processors).unwrap_or(1));
        }
        pause.max(Duration::from_millis(2))
    }

    /// Sleeps until something happens: a child ended, a signal, a word from our owner, or the time
    /// is over.
    fn wait_for(&mut self, pause: Duration) -> Request {
        let timeout =
            PollTimeout::try_from(pause.max(Duration::from_millis(1))).unwrap_or(PollTimeout::MAX);
        let mut sources = [
            PollFd::new(self.socket.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
        ];
        if poll(&mut sources, timeout).is_err() {
            return Request::None;
        }
        let [from_owner, from_kernel] = sources.map(|source| source.any().unwrap_or(true));
        let mut request = Request::None;
        if from_kernel {
            while let Ok(Some(signal)) = self.signals.read_signal() {
                if signal.ssi_signo != Signal::SIGCHLD as u32 {
                    request = Request::Stop(Cause::Cancelled);
                }
            }
        }
        if from_owner {
            let mut word = [0];
            match self.socket.read(&mut word) {
                Ok(1) if word[0] == STOP_SOFTLY => request = Request::Stop(Cause::Cancelled),
                Ok(1) if word[0] == OUTPUT_EXCEEDED => request = Request::Stop(Cause::OutputLimit),
                Ok(1) if word[0] == STOP_NOW => request = Request::Kill,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => {
                    self.owner_gone = true;
                    request = Request::Kill;
                }
            }
        }
        request
    }

    /// Waits for whatever has ended, orphans too. True when no child, and so no descendant, is
    /// left.
    fn reap(&mut self) -> bool {
        loop {
            let (pid, exit) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, Exit::Code(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, Exit::Signal(signal as i32)),
                Ok(WaitStatus::StillAlive) => return false,
                Err(Errno::ECHILD) => return true,
                Ok(_) | Err(_) => continue,
            };
            if pid == self.root {
                self.exit = Some(exit);
                self.ended = Some(self.begin.elapsed());
            }
        }
    }

    fn ask_to_stop(&mut self) {
        let targets = match self.limits.soft_stop {
            SoftStop::Root => vec![self.root.as_raw()],
            SoftStop::Tree => self.look().alive,
        };
        for pid in targets {
            // It may have ended meanwhile; nothing to do then.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
            // A stopped process hears SIGTERM only once it goes on.
            let _ = kill(Pid::from_raw(pid), Signal::SIGCONT);
        }
    }

    /// Ends every descendant. Done exactly when the guard has no child left: an orphan would be
    /// one.
    fn kill_everything(&mut self) -> Vec<i32> {
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut pause = Duration::from_millis(1);
        while !self.reap() {
            let snapshot = self.look();
            if Instant::now() > deadline {
                return snapshot.alive;
            }
            // Whole groups first: that is one step for the kernel, so forking faster than we read
            // does not help them.
            let own = nix::unistd::getpgrp();
            for group in snapshot
                .groups
                .into_iter()
                .map(Pid::from_raw)
                .filter(|&group| group != own)
            {
                let _ = killpg(group, Signal::SIGKILL);
            }
            for pid in snapshot.alive {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
        Vec::new()
    }

    fn usage(&mut self) -> Usage {
        // Who has been waited for must not be counted as a living process as well.
        self.look();
        let largest = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss());
        Usage {
            cpu: self.tree.cpu(cpu_time(UsageWho::RUSAGE_CHILDREN)),
            wall: self.ended.unwrap_or_else(|| self.begin.elapsed()),
            peak_memory: self
                .tree
                .peak_memory()
                .max(u64::try_from(largest).unwrap_or(0) * 1024),
            peak_processes: self.peak_processes,
        }
    }

    /// A command that ends by itself between two looks may still have gone over a limit. Then the
    /// limit is the cause: whether we looked in time must not change the result.
    fn judge(&self, cause: Cause, exit: Exit, usage: &Usage) -> Cause {
        let over =
            |limit: Option<Duration>, used: Duration| limit.is_some_and(|limit| used > limit);
        match cause {
            Cause::Finished
                if self
                    .limits
                    .memory
                    .is_some_and(|limit| usage.peak_memory > limit) =>
            {
                Cause::MemoryLimit
            }
            Cause::Finished
                if over(self.limits.cpu, usage.cpu)
                    || exit == Exit::Signal(Signal::SIGXCPU as i32) =>
            {
                Cause::CpuLimit
            }
            Cause::Finished if over(self.limits.wall, usage.wall) => Cause::WallLimit,
            cause => cause,
        }
    }
}

/// Of the children: CPU time of all descendants that have been waited for, by us or along the way.
fn cpu_time(who: UsageWho) -> Duration {
    let time = |value: nix::sys::time::TimeVal| {
        let whole = Duration::from_secs(u64::try_from(value.tv_sec()).unwrap_or(0));
        whole + Duration::from_micros(u64::try_from(value.tv_usec()).unwrap_or(0))
    };
    getrusage(who).map_or(Duration::ZERO, |usage| {
        time(usage.user_time()) + time(usage.system_time())
    })
}
