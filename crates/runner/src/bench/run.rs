//! Carries a benchmark run out.

use super::journal::{Journal, JournalError};
use super::record::Record;
use super::stop::Stop;
use super::{Contender, Observer};
use crate::cluster::ClusterError;
use crate::tasks::Task;
use crate::tool::{CommandError, RunPlace, Tool};
use crate::verdict::{Status, Verdict};
use process::{Cause, Guard, Limits, Outcome, OutputPolicy, StartError, start};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What to run, and where results go.
pub struct Plan {
    pub tasks: Vec<Task>,
    pub contenders: Vec<Contender>,
    pub limits: Limits,
    /// Runs at the same time.
    pub jobs: usize,
    /// The directory of this benchmark run; created if need be.
    pub directory: PathBuf,
    pub guard: Guard,
    /// Bytes kept of the beginning and of the end of each output in its log.
    pub keep_output: usize,
}

impl Plan {
    pub const JOURNAL: &'static str = "results.jsonl";

    pub fn journal(&self) -> PathBuf {
        self.directory.join(Self::JOURNAL)
    }
}

/// Why a benchmark run could not go on. Whatever a verifier does is a result, never an error.
#[derive(Debug)]
pub enum BenchError {
    Journal(JournalError),
    /// A tool that is not installed, an analysis that it does not have.
    Tool(CommandError),
    Guard(StartError),
    Io(PathBuf, io::Error),
    Cluster(ClusterError),
    /// Stopped by request; the results so far are in the journal.
    Stopped {
        done: usize,
        total: usize,
    },
}

impl fmt::Display for BenchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Journal(error) => error.fmt(out),
            Self::Tool(error) => error.fmt(out),
            Self::Guard(error) => error.fmt(out),
            Self::Cluster(error) => error.fmt(out),
            Self::Io(path, error) => write!(out, "{}: {error}", path.display()),
            Self::Stopped { done, total } => {
                write!(
                    out,
                    "stopped after {done} of {total} runs; give the same command again to continue"
                )
            }
        }
    }
}

impl std::error::Error for BenchError {}

impl From<JournalError> for BenchError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// Runs what is not yet in the journal, and returns the results of the whole plan in its order.
pub fn run(plan: &Plan, observer: &dyn Observer, stop: &Stop) -> Result<Vec<Record>, BenchError> {
    let create = |directory: &Path| {
        fs::create_dir_all(directory).map_err(|error| BenchError::Io(directory.to_owned(), error))
    };
    create(&plan.directory)?;
    // Absolute, because commands run in directories of their own.
    let directory = fs::canonicalize(&plan.directory)
        .map_err(|error| BenchError::Io(plan.directory.clone(), error))?;
    let (journal, stored) = Journal::open(&plan.journal())?;
    let work = directory.join("work");
    if work.exists() {
        // What a killed run left.
        fs::remove_dir_all(&work).map_err(|error| BenchError::Io(work.clone(), error))?;
    }
    create(&work)?;

    let versions = check_contenders(plan)?;
    let keys: Vec<_> = (plan.tasks.iter())
        .flat_map(|task| {
            plan.contenders
                .iter()
                .map(move |contender| (task, contender))
        })
        .map(|(task, contender)| (task, contender, blank(task, contender, &plan.limits).key()))
        .collect();
    let wanted: BTreeMap<_, _> = keys
        .iter()
        .enumerate()
        .map(|(position, (_, _, key))| (key.clone(), position))
        .collect();
    let known: Vec<Record> = stored
        .into_iter()
        .filter(|record| wanted.contains_key(&record.key()))
        .collect();
    let queue: Vec<_> = keys
        .iter()
        .filter(|(_, _, key)| !journal.contains(key))
        .collect();
    observer.begin(keys.len(), &known);

    let bench = Bench {
        plan,
        observer,
        stop,
        work,
        directory,
        versions,
        machine: machine(),
        shared: Mutex::new((journal, known)),
    };
    let next = AtomicUsize::new(0);
    let result: Result<(), BenchError> = std::thread::scope(|scope| {
        let worker = || -> Result<(), BenchError> {
            while let Some((task, contender, _)) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.is_requested() {
                    break;
                }
                if let Err(error) = bench.one(task, contender) {
                    // The others need not go on either.
                    next.store(queue.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
            Ok(())
        };
        let workers: Vec<_> = (0..plan.jobs.max(1)).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    });
    observer.end();
    let _ = fs::remove_dir_all(&bench.work);
    result?;
    let (_, mut records) = bench
        .shared
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    records.sort_by_key(|record| wanted.get(&record.key()).copied());
    if records.len() < keys.len() {
        return Err(BenchError::Stopped {
            done: records.len(),
            total: keys.len(),
        });
    }
    Ok(records)
}

pub(super) fn blank(task: &Task, contender: &Contender, limits: &Limits) -> Record {
    Record::new(
        task,
        &contender.tool.name,
        &contender.analysis,
        limits,
        Verdict::new(Status::Unknown),
    )
}

/// Finds out before the first run that a tool is missing, and asks each for its version.
pub(super) fn check_contenders(plan: &Plan) -> Result<BTreeMap<String, String>, BenchError> {
    let mut versions = BTreeMap::new();
    for contender in &plan.contenders {
        let tool = &contender.tool;
        tool.check_analysis(&contender.analysis)
            .map_err(|problem| BenchError::Tool(CommandError::NoAnalysis(problem)))?;
        let executable = tool.locate().map_err(BenchError::Tool)?;
        if !versions.contains_key(&tool.name)
            && let Some(version) = version_of(tool, &executable, &plan.guard)
        {
            versions.insert(tool.name.clone(), version);
        }
    }
    Ok(versions)
}

/// The first line that it prints. Not to know it is no reason not to run.
fn version_of(tool: &Tool, executable: &Path, guard: &Guard) -> Option<String> {
    let command = process::CommandLine::new(executable).arguments(tool.version.as_ref()?);
    let limits = Limits {
        wall: Some(Duration::from_secs(20)),
        ..Limits::default()
    };
    let policy = OutputPolicy::keep(10_000);
    let outcome = start(guard, &command, &limits, &policy, &policy, None)
        .ok()?
        .wait()
        .ok()?;
    let text = outcome.stdout.text();
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

/// The processor and how many of them there are, as far as the system says.
fn machine() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    match count {
        1 => format!("{model}, 1 processor"),
        _ => format!("{model}, {count} processors"),
    }
}

struct Bench<'plan> {
    plan: &'plan Plan,
    observer: &'plan dyn Observer,
    stop: &'plan Stop,
    work: PathBuf,
    directory: PathBuf,
    versions: BTreeMap<String, String>,
    machine: String,
    shared: Mutex<(Journal, Vec<Record>)>,
}

impl Bench<'_> {
    fn one(&self, task: &Task, contender: &Contender) -> Result<(), BenchError> {
        self.observer.started(task, contender);
        let mut record = blank(task, contender, &self.plan.limits);
        let name = file_name(&record);
        let io_error = |path: &Path| {
            let path = path.to_owned();
            move |error| BenchError::Io(path, error)
        };
        let work = self.work.join(&name);
        fs::create_dir_all(&work).map_err(io_error(&work))?;
        let place = RunPlace {
            property_file: work.join("property.prp"),
            witness: work.join("witness"),
            directory: work.clone(),
        };
        let tool = &contender.tool;
        match self.execute(task, contender, &place)? {
            Execution::Stopped => return Ok(()),
            Execution::NotRun(verdict) => record.verdict = verdict,
            Execution::Ended(log, outcome) => {
                let answer = tool.answer(&outcome);
                record = record.measured(&outcome.usage);
                record.verdict = answer.verdict;
                record.statistics = answer.statistics;
                record.alarms = answer.alarms;
                record.found_by = answer.found_by;
                record.log = Some(self.keep("logs", &name, "log", |path| fs::write(path, log))?);
                if let Some(witness) = tool.witness_of(&place) {
                    let extension = witness
                        .extension()
                        .and_then(|extension| extension.to_str())
                        .unwrap_or("witness");
                    let copy = |path: &Path| fs::copy(&witness, path).map(|_| ());
                    record.witness = Some(self.keep("witnesses", &name, extension, copy)?);
                }
            }
        }
        record.tool_version = self.versions.get(&tool.name).cloned();
        record.machine = Some(self.machine.clone());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        // Milliseconds: short enough in decimal to be read back as the very same number.
        record.ended_s = now.ok().map(|now| now.as_millis() as f64 / 1e3);
        let _ = fs::remove_dir_all(&work);
        let stored = {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let stored = shared.0.append(&record)?;
            if stored {
                shared.1.push(record.clone());
            }
            stored
        };
        if stored {
            self.observer.finished(&record);
        }
        Ok(())
    }

    fn execute(
        &self,
        task: &Task,
        contender: &Contender,
        place: &RunPlace,
    ) -> Result<Execution, BenchError> {
        let limits = &self.plan.limits;
        let command = match contender
            .tool
            .command(task, &contender.analysis, limits, place)
        {
            Ok(command) => command,
            Err(error @ CommandError::Property { .. }) => {
                return Ok(Execution::NotRun(Verdict::with_reason(
                    Status::Unknown,
                    error.to_string(),
                )));
            }
            Err(error) => {
                return Ok(Execution::NotRun(Verdict::with_reason(
                    Status::Error,
                    error.to_string(),
                )));
            }
        };
        let policy = OutputPolicy::keep(self.plan.keep_output);
        let running = match start(&self.plan.guard, &command, limits, &policy, &policy, None) {
            Ok(running) => running,
            Err(error @ StartError::Command { .. }) => {
                return Ok(Execution::NotRun(Verdict::with_reason(
                    Status::Error,
                    error.to_string(),
                )));
            }
            Err(error) => return Err(BenchError::Guard(error)),
        };
        let watched = running
            .canceller()
            .ok()
            .map(|canceller| self.stop.watch(canceller));
        let outcome = running.wait().map_err(BenchError::Guard)?;
        drop(watched);
        // Ended because somebody stopped us: that says nothing about the verifier.
        if outcome.cause == Cause::Cancelled || self.stop.is_requested() {
            return Ok(Execution::Stopped);
        }
        let words = std::iter::once(&command.program).chain(&command.arguments);
        let words: Vec<_> = words.map(|word| word.display().to_string()).collect();
        Ok(Execution::Ended(
            log_text(&words, &outcome),
            Box::new(outcome),
        ))
    }

    /// Writes a file of a run where it is kept, and returns its path relative to the benchmark run.
    fn keep(
        &self,
        kind: &str,
        name: &str,
        extension: &str,
        write: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<String, BenchError> {
        let relative = format!("{kind}/{name}.{extension}");
        let path = self.directory.join(&relative);
        let directory = self.directory.join(kind);
        fs::create_dir_all(&directory)
            .and_then(|()| write(&path))
            .map_err(|error| BenchError::Io(path, error))?;
        Ok(relative)
    }
}

enum Execution {
    Ended(String, Box<Outcome>),
    NotRun(Verdict),
    Stopped,
}

fn log_text(words: &[String], outcome: &Outcome) -> String {
    let usage = &outcome.usage;
    format!(
        "{}\n\n{}\n--- stderr ---\n{}\n--- end ---\ncause: {:?}\nexit: {:?}\ncpu: {:.3} s\nwall: {:.3} s\nmemory: {} bytes\n",
        words.join(" "),
        outcome.stdout.text(),
        outcome.stderr.text(),
        outcome.cause,
        outcome.exit,
        usage.cpu.as_secs_f64(),
        usage.wall.as_secs_f64(),
        usage.peak_memory,
    )
}

/// Readable, and different for different keys: the end of the task's name and a hash of everything
/// (FNV-1a, because the name has to be the same tomorrow).
fn file_name(record: &Record) -> String {
    let key = record.key();
    let whole = format!("{key:?}");
    let hash = whole.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let readable = |text: &str, longest: usize| -> String {
        let clean: Vec<char> = text
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        clean[clean.len().saturating_sub(longest)..]
            .iter()
            .collect()
    };
    format!(
        "{}.{}.{}.{hash:016x}",
        readable(&key.task, 60),
        readable(&key.tool, 20),
        readable(&key.analysis, 30)
    )
}
