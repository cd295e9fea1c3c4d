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

/// The processes that carry the mark.
pub fn marked(mark: &str) -> Vec<String> {
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
