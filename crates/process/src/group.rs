//! A child of ours that leads a process group of its own, of which nothing outlives it.

use crate::Exit;
use crate::tree::Tree;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::time::Duration;

/// Dropping it ends the group.
pub(crate) struct Group {
    leader: Child,
    exit: Option<Exit>,
}

impl Group {
    pub fn start(command: &mut Command) -> io::Result<Group> {
        let leader = command.process_group(0).spawn()?;
        Ok(Group { leader, exit: None })
    }

    /// The process that was started, for its streams.
    pub fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    pub fn process_id(&self) -> u32 {
        self.leader.id()
    }

    fn pid(&self) -> Pid {
        // Process ids are positive numbers of the kernel's `int`.
        Pid::from_raw(self.leader.id() as i32)
    }

    /// Has the leader ended? It is not waited for here: until it is, nobody else gets the number of
    /// the group.
    pub fn has_ended(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        self.exit.is_some()
            || !matches!(
                waitid(Id::Pid(self.pid()), flags),
                Ok(WaitStatus::StillAlive) | Err(Errno::EINTR)
            )
    }

    /// Ends whatever is left of the group; how the leader ended.
    pub fn end(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        if !self.has_ended() {
            self.end_other_sessions();
        }
        // Nobody may be left, which is what is wanted. One step for the kernel: forking faster does
        // not help.
        let _ = killpg(self.pid(), Signal::SIGKILL);
        let exit = match self.leader.wait() {
            Ok(status) => (status.code().map(Exit::Code))
                .or(status.signal().map(Exit::Signal))
                .unwrap_or(KILLED),
            // Somebody else waited for it.
            Err(_) => KILLED,
        };
        self.exit = Some(exit);
        exit
    }

    /// Descendants that have left the group are found as long as those between them and the leader
    /// live.
    fn end_other_sessions(&self) {
        // Who is stopped does not fork.
        let _ = killpg(self.pid(), Signal::SIGSTOP);
        let mut tree = Tree::below(self.pid().as_raw());
        let ours = [nix::unistd::getpgrp(), self.pid()];
        for _ in 0..ROUNDS {
            let seen = tree.refresh(None);
            let groups = seen.groups.into_iter().map(Pid::from_raw);
            let groups: Vec<Pid> = groups.filter(|group| !ours.contains(group)).collect();
            if groups.is_empty() {
                return;
            }
            for group in groups {
                let _ = killpg(group, Signal::SIGKILL);
            }
            for pid in seen.alive {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// How a process ends that is killed.
const KILLED: Exit = Exit::Signal(Signal::SIGKILL as i32);

/// Looks for descendants outside the group; more than it takes to end those that fork meanwhile.
const ROUNDS: u32 = 100;

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}
