//! Arrays of jobs on an engine that is there already: Slurm, or HyperQueue.
//!
//! An array has elements, which are numbered; each is one call of a script with its number. An
//! element keeps what it has found in files of its own, on a file system that all nodes share, and
//! goes on from there when it is started again. So whoever dies is started again, and nothing is
//! lost: the engine does that for a node that it misses, and we for an element that is gone with
//! work left.

use crate::bench::Stop;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How often an element is started again that has done nothing since the last time.
const MAX_IDLE_STARTS: u32 = 3;
/// Between two looks at files, and between two questions to the engine.
const LOOK_EVERY: Duration = Duration::from_millis(200);
const ASK_EVERY: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    Slurm,
    HyperQueue,
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Engine, String> {
        match text {
            "slurm" => Ok(Engine::Slurm),
            "hyperqueue" | "hq" => Ok(Engine::HyperQueue),
            _ => Err(format!(
                "`{text}` is no engine for clusters: slurm or hyperqueue"
            )),
        }
    }
}

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    /// For the script and for what elements print.
    pub directory: PathBuf,
    /// Lines for `sh`; `$ELEMENT` is the number of the element, from 0.
    pub script: String,
    /// What an element may use.
    pub processors: usize,
    pub memory: u64,
    pub time: Duration,
}

#[derive(Debug)]
pub enum ClusterError {
    Io(PathBuf, io::Error),
    /// The engine's command is not there, or refuses.
    Engine {
        command: String,
        problem: String,
    },
    /// Started several times, and nothing came of it.
    Stuck {
        element: usize,
        log: PathBuf,
    },
    Stopped,
}

impl fmt::Display for ClusterError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClusterError::Io(path, error) => write!(out, "{}: {error}", path.display()),
            ClusterError::Engine { command, problem } => write!(out, "`{command}`: {problem}"),
            ClusterError::Stuck { element, log } => write!(
                out,
                "element {element} of the array was started {MAX_IDLE_STARTS} times without a result; see {}",
                log.display()
            ),
            ClusterError::Stopped => {
                out.write_str("stopped; give the same command again to continue")
            }
        }
    }
}

impl std::error::Error for ClusterError {}

/// Runs a command of the engine to its end, and returns what it prints.
fn ask(command: &mut Command) -> Result<String, ClusterError> {
    let shown = || {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    };
    let shown = shown();
    let failed = |problem: String| ClusterError::Engine {
        command: shown.clone(),
        problem,
    };
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed("the command is not installed".into()),
        _ => failed(error.to_string()),
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(failed(text(&output.stderr))),
    }
}

impl Array {
    fn log(&self, element: usize) -> PathBuf {
        self.directory.join(format!("element-{element}.log"))
    }

    fn script_file(&self) -> PathBuf {
        self.directory.join("element.sh")
    }

    /// The script; it takes the number of its element from the engine.
    fn write_script(&self) -> Result<(), ClusterError> {
        let file = self.script_file();
        let text = format!(
            "#!/bin/sh\nELEMENT=${{SLURM_ARRAY_TASK_ID:-$HQ_TASK_ID}}\nexport ELEMENT\n{}\n",
            self.script
        );
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| std::fs::write(&file, text))
            .map_err(|error| ClusterError::Io(file, error))
    }
}

/// `3,5,9`, as both engines read it.
fn list(elements: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = elements.iter().map(usize::to_string).collect();
    numbers.join(",")
}

/// Numbers of `0-3,7` or of one a line.
fn numbers(text: &str) -> BTreeSet<usize> {
    let parts = text.split(|c: char| c == ',' || c.is_whitespace());
    let ranges = parts.filter_map(|part| match part.split_once('-') {
        Some((first, last)) => Some(first.parse().ok()?..=last.parse().ok()?),
        None => {
            let one: usize = part.parse().ok()?;
            Some(one..=one)
        }
    });
    ranges.flatten().collect()
}

impl Engine {
    /// Hands elements over; the name of the job comes back.
    fn submit(self, array: &Array, elements: &BTreeSet<usize>) -> Result<String, ClusterError> {
        let megabytes = array.memory.div_ceil(1_000_000).max(1);
        let (script, log) = (array.script_file(), array.directory.join("element-"));
        let log = log.display();
        match self {
            Engine::Slurm => {
                let minutes = array.time.as_secs().div_ceil(60).max(1);
                let mut command = Command::new("sbatch");
                command
                    .args(["--parsable", "--requeue", "--open-mode=append"])
                    .arg(format!("--job-name={}", array.name))
                    .arg(format!("--array={}", list(elements)))
                    .arg(format!("--cpus-per-task={}", array.processors))
                    .arg(format!("--mem={megabytes}M"))
                    .arg(format!("--time={minutes}"))
                    .arg(format!("--output={log}%a.log"))
                    .arg(script);
                let told = ask(&mut command)?;
                // With several clusters the name of one follows.
                Ok(told.split(';').next().unwrap_or_default().to_owned())
            }
            Engine::HyperQueue => {
                let mut command = Command::new("hq");
                command
                    .args(["--output-mode", "quiet", "submit"])
                    .arg(format!("--name={}", array.name))
                    .arg(format!("--array={}", list(elements)))
                    .arg(format!("--cpus={}", array.processors))
                    .arg(format!("--time-limit={}s", array.time.as_secs().max(1)))
                    .arg(format!("--stdout={log}%{{TASK_ID}}.log"))
                    .arg(format!("--stderr={log}%{{TASK_ID}}.log"))
                    .args(["--", "sh"])
                    .arg(script);
                ask(&mut command)
            }
        }
    }

    /// The elements of a job that wait or run.
    fn alive(self, job: &str) -> BTreeSet<usize> {
        let mut command = match self {
            Engine::Slurm => {
                let mut command = Command::new("squeue");
                command.args(["--noheader", "--array", "--format=%K", "--jobs"]);
                command.arg(job);
                command
            }
            Engine::HyperQueue => {
                let mut command = Command::new("hq");
                command.args(["job", "task-ids", job, "--filter", "waiting,running"]);
                command
            }
        };
        // A job that has ended is soon unknown, and that is an error for both.
        ask(&mut command).map_or_else(|_| BTreeSet::new(), |text| numbers(&text))
    }

    fn cancel(self, job: &str) {
        let mut command = match self {
            Engine::Slurm => Command::new("scancel"),
            Engine::HyperQueue => {
                let mut command = Command::new("hq");
                command.args(["job", "cancel"]);
                command
            }
        };
        // It may have ended meanwhile.
        let _ = ask(command.arg(job));
    }
}

/// Lets an array run until none of its elements has anything left to do. `left` looks at what the
/// elements have written, and says how much each of them has left; elements without an entry are
/// done.
pub fn run(
    engine: Engine,
    array: &Array,
    left: &mut dyn FnMut() -> BTreeMap<usize, usize>,
    stop: &Stop,
) -> Result<(), ClusterError> {
    array.write_script()?;
    let mut jobs: Vec<String> = Vec::new();
    let ended = supervise(engine, array, left, stop, &mut jobs);
    // After an error, and after a result that came before its element has ended.
    for job in jobs {
        engine.cancel(&job);
    }
    ended
}

fn supervise(
    engine: Engine,
    array: &Array,
    left: &mut dyn FnMut() -> BTreeMap<usize, usize>,
    stop: &Stop,
    jobs: &mut Vec<String>,
) -> Result<(), ClusterError> {
    // For each element how much was left when it was started, and how often nothing came of it.
    let mut starts: BTreeMap<usize, (usize, u32)> = BTreeMap::new();
    let mut asked = Instant::now();
    loop {
        let open = left();
        if open.is_empty() {
            return Ok(());
        }
        if stop.is_requested() {
            return Err(ClusterError::Stopped);
        }
        if jobs.is_empty() || asked.elapsed() >= ASK_EVERY {
            let alive: BTreeSet<usize> = jobs.iter().flat_map(|job| engine.alive(job)).collect();
            // What they did before they ended may have come after the first look.
            let open = left();
            let gone: BTreeSet<usize> = (open.keys().copied())
                .filter(|element| !alive.contains(element))
                .collect();
            for element in &gone {
                let now = open[element];
                let (before, idle) = starts.entry(*element).or_insert((usize::MAX, 0));
                *idle = if now < *before { 1 } else { *idle + 1 };
                *before = now;
                if *idle > MAX_IDLE_STARTS {
                    return Err(ClusterError::Stuck {
                        element: *element,
                        log: array.log(*element),
                    });
                }
            }
            if !gone.is_empty() {
                jobs.push(engine.submit(array, &gone)?);
            }
            asked = Instant::now();
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A word for `sh`.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_engines_write_them() {
        let set = |list: &[usize]| list.iter().copied().collect::<BTreeSet<usize>>();
        assert_eq!(numbers("0-3,7"), set(&[0, 1, 2, 3, 7]));
        assert_eq!(numbers("4\n5\n"), set(&[4, 5]));
        assert_eq!(numbers(""), set(&[]));
        assert_eq!(numbers("N/A"), set(&[]));
        assert_eq!(list(&set(&[9, 3])), "3,9");
    }

    #[test]
    fn words_stay_words() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
