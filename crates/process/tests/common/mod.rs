//! Commands that misbehave, and what is left of them.

use process::CommandLine;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn shell(script: &str) -> CommandLine {
    CommandLine::new("sh").arguments(["-c", script])
}

pub fn python(script: &str) -> CommandLine {
    CommandLine::new("python3").arguments(["-c", script])
}

pub fn seconds(seconds: f64) -> Option<Duration> {
    Some(Duration::from_secs_f64(seconds))
}

/// A value that no other test has, for a variable in the environment that all descendants carry.
pub fn new_mark() -> String {
    format!("{:?}-{:?}", std::thread::current().id(), Instant::now())
}

/// The processes that carry the mark and are still there after a while.
///
/// A process that was killed goes away when the kernel gets to it, which on a busy machine is
/// later than the return of the call that killed it. One that survived stays for good.
pub fn left_running(mark: &str) -> Vec<String> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process that carries the mark appears within a while.
pub fn appears(mark: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while marked(mark).is_empty() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// The processes that carry the mark.
fn marked(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let carries = |path: &Path| {
        fs::read(path.join("environ"))
            .is_ok_and(|text| text.windows(mark.len()).any(|part| part == mark.as_bytes()))
    };
    processes
        .filter(|path| carries(path))
        .filter_map(|path| fs::read_to_string(path.join("stat")).ok())
        .collect()
}
