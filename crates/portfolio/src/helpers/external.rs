//! A helper that runs.

use super::adapter::Adapter;
use super::description::Description;
use super::task::Task;
use crate::case::Case;
use cooperation::master::{Brought, Helper};
use facts::budget::Budget;
use facts::engine::Board;
use process::{Cause, CommandLine, Exit, Limits, Outcome, OutputPolicy};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use witness::placing::Places;

/// A program outside that looks for invariants of the case's program.
pub struct External {
    pub description: Description,
    pub case: Arc<Case>,
    name: String,
}

/// Bytes of invariants that are read; more would be no help.
const MAX_INVARIANTS: u64 = 4 << 20;
/// Bytes that it may print.
const MAX_OUTPUT: u64 = 64 << 20;
const MAX_PROCESSES: u32 = 200;
/// The part of our memory that it may use.
const PART_OF_MEMORY: u64 = 2;
/// Time that it may take on the wall for its processor time, where the machine is busy.
const BUSY: u32 = 4;
/// Between being asked to stop and being killed.
const GRACE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(10);

impl External {
    pub fn new(description: Description, case: &Arc<Case>) -> External {
        External {
            name: description.short_name().to_owned(),
            description,
            case: Arc::clone(case),
        }
    }
}

impl Helper for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn look(
        &mut self,
        board: &dyn Board,
        budget: &Budget,
        limit: Option<Duration>,
    ) -> Result<Brought, String> {
        let Some(task) = self.case.task() else {
            return Err("nobody says which files are checked".into());
        };
        let executable = self.description.installed();
        let executable = executable
            .ok_or_else(|| format!("it is not installed ({})", self.description.executable))?;
        let tree = (task.read)()?;
        let mut places = Places::new(self.case.views.split.clone(), tree, &task.files);
        // Gone with the value, with all that the helper leaves there.
        let folder = tempfile::Builder::new().prefix("concord-helper-").tempdir();
        let folder = folder.map_err(|error| format!("no folder for it: {error}"))?;
        let mapped = self
            .description
            .mapper
            .write(task, &mut places, folder.path())?;
        let run = Run {
            helper: &self.description,
            task,
            folder: &folder,
            programs: &mapped.files,
            executable: &executable,
            limit,
        };
        let text = run.invariants(budget)?;
        board.progress(&self.name, "reading what it left");
        let module = run.module()?;
        let adapter = self.description.adapter;
        let mut said = adapter.read(&text, module.as_deref(), &mapped, &task.files)?;
        if self.description.negate {
            for it in &mut said {
                it.value = format!("!({})", it.value);
            }
        }
        let read = witness::candidates::place(&mut places, &task.property, &said);
        let Places { pool, .. } = places;
        let views = &self.case.views;
        let (candidates, lost) = views.candidates(&self.name, pool, &read.list);
        Ok(Brought {
            candidates,
            left_out: read.left_out + lost,
        })
    }
}

/// One run of a helper.
struct Run<'a> {
    helper: &'a Description,
    task: &'a Task,
    folder: &'a TempDir,
    /// The files that the mapper wrote.
    programs: &'a [PathBuf],
    executable: &'a Path,
    limit: Option<Duration>,
}

impl Run<'_> {
    /// Runs the helper; the text that it left.
    fn invariants(&self, budget: &Budget) -> Result<String, String> {
        let property = self.folder.path().join("property.prp");
        std::fs::write(&property, format!("{}\n", self.task.specification))
            .map_err(|error| format!("its property file: {error}"))?;
        let outcome = self.run(budget)?;
        match (outcome.cause, outcome.exit) {
            (Cause::Finished, Exit::Signal(signal)) => {
                return Err(format!("it crashed (signal {signal})"));
            }
            (Cause::Finished, Exit::Code(_)) => {}
            (Cause::Cancelled, _) => return Err("it was stopped".into()),
            (Cause::CpuLimit | Cause::WallLimit, _) => return Err("its time was over".into()),
            (Cause::MemoryLimit, _) => return Err("it ran out of memory".into()),
            (Cause::ProcessLimit, _) => return Err("it started too many processes".into()),
            (Cause::OutputLimit, _) => return Err("it wrote too much".into()),
        }
        match &self.helper.invariants {
            Some(file) => {
                let file = PathBuf::from(self.filled(file));
                let text = read_file(&file);
                text.map_err(|why| match outcome.exit {
                    Exit::Code(0) => why,
                    _ => format!("{why}; {}", last_words(&outcome)),
                })
            }
            None if outcome.stdout.total() > MAX_INVARIANTS => Err("it wrote too much".into()),
            None => Ok(outcome.stdout.text()),
        }
    }

    /// LLVM's module, where the description names one.
    fn module(&self) -> Result<Option<String>, String> {
        let file = self.helper.module.as_ref();
        let file = file.map(|file| PathBuf::from(self.filled(file)));
        let text = file.map(|file| read_file(&file)).transpose();
        text.map_err(|_| "it left no module".into())
    }

    fn run(&self, budget: &Budget) -> Result<Outcome, String> {
        let left = budget.left();
        let wall = match (self.limit.map(|limit| limit * BUSY), left) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let limits = Limits {
            cpu: self.limit,
            wall,
            memory: budget.memory.map(|bytes| bytes / PART_OF_MEMORY),
            processes: Some(MAX_PROCESSES),
            output: Some(MAX_OUTPUT),
            grace: GRACE,
            ..Limits::default()
        };
        let keep = OutputPolicy::keep(MAX_INVARIANTS as usize);
        let running = process::start(
            &self.task.guard,
            &self.command(),
            &limits,
            &keep,
            &OutputPolicy::keep(1 << 12),
            None,
        );
        let running = running.map_err(|error| error.to_string())?;
        let canceller = running.canceller().map_err(|error| error.to_string())?;
        let is_over = AtomicBool::new(false);
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    if budget.is_exhausted() {
                        canceller.stop_softly();
                        break;
                    }
                    std::thread::sleep(PAUSE);
                }
            });
            let outcome = running.wait();
            is_over.store(true, Ordering::Release);
            outcome
        });
        let outcome = outcome.map_err(|error| error.to_string())?;
        self.task.spent.add(outcome.usage.cpu);
        Ok(outcome)
    }

    fn command(&self) -> CommandLine {
        let mut words = Vec::new();
        for word in &self.helper.command {
            match word.as_str() {
                "{programs}" => {
                    let files = self.programs.iter();
                    words.extend(files.map(|file| file.display().to_string()));
                }
                "{data-model}" if self.helper.data_model.is_none() => {}
                word => words.push(self.filled(word)),
            }
        }
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        CommandLine::new(program)
            .arguments(words)
            .directory(self.folder.path())
    }

    /// The text with its holes filled.
    fn filled(&self, text: &str) -> String {
        let folder = self.folder.path();
        let path = |path: &Path| path.display().to_string();
        let first = |files: &[PathBuf]| files.first().map_or(String::new(), |file| path(file));
        let original = self.task.files.first().cloned().unwrap_or_default();
        let original = original.canonicalize().unwrap_or(original);
        let models = self.helper.data_model.as_ref();
        let model = models.map_or("", |models| models.of(self.task.data_model));
        let seconds = self.limit.map_or(900, |limit| limit.as_secs().max(1));
        let witness = match self.helper.adapter {
            Adapter::Witness => "witness.yml",
            Adapter::Text | Adapter::Llvm | Adapter::Ranges => "invariants.txt",
        };
        text.replace("{executable}", &path(self.executable))
            .replace("{program}", &first(self.programs))
            .replace("{original}", &path(&original))
            .replace("{property}", &path(&folder.join("property.prp")))
            .replace("{witness}", &path(&folder.join(witness)))
            .replace("{folder}", &path(folder))
            .replace("{data-model}", model)
            .replace("{seconds}", &seconds.to_string())
    }
}

/// The text of a file that is not too large.
fn read_file(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let text = std::fs::File::open(file);
    let read = text.and_then(|text| text.take(MAX_INVARIANTS + 1).read_to_end(&mut bytes));
    match read {
        Err(_) => Err("it left no invariants".into()),
        Ok(_) if bytes.len() as u64 > MAX_INVARIANTS => Err("it wrote too much".into()),
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The last line that it printed, for people who look for the reason.
fn last_words(outcome: &Outcome) -> String {
    let errors = outcome.stderr.text();
    let output = outcome.stdout.text();
    let mut lines = errors.lines().rev().chain(output.lines().rev());
    let line = lines.find(|line| !line.trim().is_empty());
    line.map_or("it said nothing".into(), |line| {
        let line: String = line.trim().chars().take(200).collect();
        format!("its last words: {line}")
    })
}
