//! A sign of life: on a terminal a line for each engine, which changes; otherwise a line every half
//! minute.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shows on standard error what the engines do, from a thread of its own: engines may be silent for
/// long.
pub struct Live {
    state: Arc<Mutex<State>>,
    shower: Option<(Sender<()>, JoinHandle<()>)>,
}

struct State {
    started: Instant,
    /// What each engine does, and since when it is there.
    phases: BTreeMap<String, (String, Instant)>,
    /// The process whose memory is shown.
    process: Option<i32>,
    /// Lines on the terminal that the next ones replace.
    lines: usize,
}

const REFRESH: Duration = Duration::from_millis(200);
const SPARSE: Duration = Duration::from_secs(30);

impl Live {
    pub fn new(quiet: bool) -> Live {
        let state = Arc::new(Mutex::new(State {
            started: Instant::now(),
            phases: BTreeMap::new(),
            process: None,
            lines: 0,
        }));
        let shower = if quiet { None } else { show(&state) };
        Live { state, shower }
    }

    pub fn phase(&self, engine: &str, phase: &str) {
        if let Ok(mut state) = self.state.lock() {
            match state.phases.get_mut(engine) {
                Some(known) => known.0 = phase.to_string(),
                None => {
                    let now = (phase.to_string(), Instant::now());
                    state.phases.insert(engine.to_string(), now);
                }
            }
        }
    }

    /// The process to look at.
    pub fn watch(&self, process: i32) {
        if let Ok(mut state) = self.state.lock() {
            state.process = Some(process);
        }
    }

    /// Takes changing lines away before the answer is printed.
    pub fn finish(&mut self) {
        let Some((stop, thread)) = self.shower.take() else {
            return;
        };
        drop(stop);
        let _ = thread.join();
        if let Ok(mut state) = self.state.lock() {
            let lines = std::mem::take(&mut state.lines);
            if lines > 0 {
                let mut err = std::io::stderr().lock();
                let _ = write!(err, "\x1b[{lines}A\r\x1b[0J");
                let _ = err.flush();
            }
        }
    }
}

/// Starts the thread. Without one there is no sign of life, but an answer all the same.
fn show(state: &Arc<Mutex<State>>) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = mpsc::channel::<()>();
    let state = Arc::clone(state);
    let is_terminal = std::io::stderr().is_terminal();
    let pause = if is_terminal { REFRESH } else { SPARSE };
    let body = move || {
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(pause) {
            let Ok(mut state) = state.lock() else { return };
            let mut err = std::io::stderr().lock();
            let text = if is_terminal {
                block(&mut state, width())
            } else {
                line(&state)
            };
            let _ = err.write_all(text.as_bytes());
            let _ = err.flush();
        }
    };
    let thread = std::thread::Builder::new().spawn(body).ok()?;
    Some((stop, thread))
}

fn width() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

/// Time and memory so far.
fn usage(state: &State) -> String {
    let seconds = state.started.elapsed().as_secs();
    match state.process.and_then(resident_bytes) {
        Some(bytes) => format!("{seconds} s, {} MB", bytes / 1_000_000),
        None => format!("{seconds} s"),
    }
}

/// All engines in one line.
fn line(state: &State) -> String {
    let parts: Vec<String> = state
        .phases
        .iter()
        .map(|(engine, (phase, _))| format!("{engine}: {phase}"))
        .collect();
    format!("[{}] {}\n", usage(state), parts.join(" · "))
}

/// A line for each engine, over the lines of last time.
fn block(state: &mut State, width: usize) -> String {
    let widest = state.phases.keys().map(|name| name.chars().count()).max();
    let widest = widest.unwrap_or(0);
    let mut lines: Vec<String> = state
        .phases
        .iter()
        .map(|(engine, (phase, since))| {
            let seconds = since.elapsed().as_secs();
            format!("{engine:<widest$}  {seconds:>4} s  {phase}")
        })
        .collect();
    lines.push(format!("[{}]", usage(state)));
    let mut text = match state.lines {
        0 => String::new(),
        lines => format!("\x1b[{lines}A"),
    };
    // A line that wraps would be two, and the next block would be written in the wrong place.
    for line in &lines {
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        text.push_str(&format!("\r\x1b[2K{line}\n"));
    }
    text.push_str("\x1b[0J");
    state.lines = lines.len();
    text
}

/// Resident memory of a process and of what it has started directly is near enough: its own.
fn resident_bytes(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let phase = |text: &str| (text.to_string(), Instant::now());
        State {
            started: Instant::now(),
            phases: BTreeMap::from([
                ("bmc".into(), phase("bound 64")),
                ("k-induction".into(), phase("depth 3")),
            ]),
            process: Some(std::process::id() as i32),
            lines: 0,
        }
    }

    #[test]
    fn every_engine_has_its_part() {
        let text = line(&state());
        assert!(
            text.contains("bmc: bound 64 · k-induction: depth 3"),
            "{text}"
        );
        assert!(text.contains(" MB]"), "{text}");
    }

    #[test]
    fn a_block_replaces_the_one_before_and_never_wraps() {
        let mut state = state();
        let first = block(&mut state, 12);
        assert_eq!(state.lines, 3);
        assert!(!first.contains("\x1b[3A"));
        assert!(block(&mut state, 12).starts_with("\x1b[3A"));
        for line in first.lines() {
            let shown = line
                .trim_start_matches(['\r', '\x1b'])
                .trim_start_matches("[2K");
            assert!(
                shown.trim_start_matches("\x1b[0J").chars().count() < 12,
                "{line:?}"
            );
        }
    }
}
