//! A dialogue with a command, line by line, for as long as it is needed.

use crate::CommandLine;
use crate::command::{prepared, scratch_folder};
use crate::group::Group;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Bytes that a command may have written and nobody has heard: who writes without end is not read
/// any more.
const MAX_UNHEARD: u64 = 1 << 28;

/// What it writes to its standard error is dropped. Dropping the dialogue ends the command, and all
/// processes of its group.
pub struct Dialogue {
    group: Group,
    input: Option<ChildStdin>,
    /// What it says, line by line, from a thread that only reads.
    output: Receiver<String>,
    unheard: Arc<AtomicU64>,
    /// Gone when the group is.
    _scratch: Option<TempDir>,
}

/// What was heard while waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Without its end.
    Line(String),
    Silence,
    /// There will be nothing more.
    End,
}

impl Dialogue {
    /// Its standard input is what we say; [`CommandLine::input`] is not read.
    pub fn start(command: &CommandLine) -> io::Result<Dialogue> {
        let scratch = scratch_folder();
        let mut process = prepared(command, scratch.as_ref())?;
        process
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut group = Group::start(&mut process)?;
        let input = group.leader().stdin.take();
        let stdout = group.leader().stdout.take();
        let (sender, output) = channel();
        let unheard = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&unheard);
        // Reading on a thread of its own lets whoever waits for a line look at other things
        // meanwhile. It ends when the command has closed its output, or nobody listens.
        let read = move || {
            let mut source = BufReader::new(stdout?);
            loop {
                let mut line = Vec::new();
                let most = MAX_UNHEARD - counted.load(Ordering::Relaxed).min(MAX_UNHEARD);
                let length = (&mut source)
                    .take(most)
                    .read_until(b'\n', &mut line)
                    .ok()
                    .filter(|&length| length > 0)?;
                counted.fetch_add(length as u64, Ordering::Relaxed);
                let ends = line.ends_with(b"\n");
                if ends {
                    line.pop();
                    line.pop_if(|last| *last == b'\r');
                }
                sender.send(String::from_utf8(line).ok()?).ok()?;
                if !ends {
                    return None::<()>;
                }
            }
        };
        std::thread::Builder::new()
            .name("dialogue".into())
            .spawn(read)?;
        Ok(Dialogue {
            group,
            input,
            output,
            unheard,
            _scratch: scratch,
        })
    }

    pub fn process_id(&self) -> u32 {
        self.group.process_id()
    }

    /// Returns when the command has read it, or it lies in the pipe.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        let Some(input) = self.input.as_mut() else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        input.write_all(text.as_bytes())?;
        input.flush()
    }

    /// The next line, if it comes so soon.
    pub fn hear(&mut self, within: Duration) -> Heard {
        match self.output.recv_timeout(within) {
            Ok(line) => {
                let length = line.len() as u64 + 1;
                // The last line may have no end.
                let _ = (self.unheard).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| {
                    Some(all.saturating_sub(length))
                });
                Heard::Line(line)
            }
            Err(RecvTimeoutError::Timeout) => Heard::Silence,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    /// Nothing is said any more: ends the command.
    pub fn end(&mut self) {
        self.input = None;
        self.group.end();
    }
}
