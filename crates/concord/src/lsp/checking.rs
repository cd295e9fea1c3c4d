//! Checks for the editor: one at a time, each a process of its own. A file that is saved again
//! while it is checked starts anew.

use super::answer::Answer;
use super::{Abilities, Answers};
use crate::check::message::Report;
use crate::exit;
use lsp_server::{Connection, Message, Notification, Request};
use process::{Canceller, CommandLine, Exit, Guard, Limits, OutputPolicy};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the editor hears how long a check has taken.
const PROGRESS: Duration = Duration::from_secs(1);
/// Bytes of a result.
const MAX_RESULT: usize = 256 << 20;

/// A file that is to be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    pub uri: String,
    pub path: PathBuf,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    running: Option<Current>,
    is_over: bool,
}

struct Current {
    uri: String,
    token: String,
    canceller: Option<Canceller>,
    /// Nobody waits for its answer any more.
    is_stale: bool,
}

impl Current {
    fn stop(&mut self) {
        self.is_stale = true;
        if let Some(canceller) = &self.canceller {
            canceller.stop_now();
        }
    }
}

type Shared = Arc<(Mutex<State>, Condvar)>;

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The queue of checks; the one that runs is ended with it.
pub struct Checker {
    shared: Shared,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Checker {
    pub fn start(
        connection: &Connection,
        answers: &Answers,
        abilities: Abilities,
        options: Vec<String>,
    ) -> Result<Checker, String> {
        let guard = Guard::this_executable()
            .map_err(|error| format!("cannot find Concord's own executable: {error}"))?;
        let shared = Shared::default();
        let sender = connection.sender.clone();
        let worker = Worker {
            send: Box::new(move |message| {
                let _ = sender.send(message);
            }),
            answers: Arc::clone(answers),
            abilities,
            options,
            guard,
            shared: Arc::clone(&shared),
        };
        let thread = std::thread::Builder::new().spawn(move || worker.work());
        let thread = thread.map_err(|error| error.to_string())?;
        Ok(Checker {
            shared,
            thread: Some(thread),
        })
    }

    pub fn check(&self, job: Job) {
        self.forget(&job.uri);
        lock(&self.shared).waiting.push_back(job);
        self.shared.1.notify_one();
    }

    /// Ends what is asked about the file.
    pub fn forget(&self, uri: &str) {
        let mut state = lock(&self.shared);
        state.waiting.retain(|waiting| waiting.uri != uri);
        if let Some(running) = state.running.as_mut().filter(|running| running.uri == uri) {
            running.stop();
        }
    }

    /// Ends the check whose progress has this name.
    pub fn cancel(&self, token: &str) {
        let mut state = lock(&self.shared);
        if let Some(running) = state
            .running
            .as_mut()
            .filter(|running| running.token == token)
        {
            running.stop();
        }
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        {
            let mut state = lock(&self.shared);
            state.is_over = true;
            if let Some(running) = &mut state.running {
                running.stop();
            }
        }
        self.shared.1.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Worker {
    send: Box<dyn Fn(Message) + Send>,
    answers: Answers,
    abilities: Abilities,
    options: Vec<String>,
    guard: Guard,
    shared: Shared,
}

impl Worker {
    fn work(&self) {
        for number in 0_u64.. {
            let mut state = lock(&self.shared);
            let job = loop {
                if state.is_over {
                    return;
                }
                if let Some(job) = state.waiting.pop_front() {
                    break job;
                }
                let waited = self.shared.1.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            };
            let token = format!("concord-{number}");
            state.running = Some(Current {
                uri: job.uri.clone(),
                token: token.clone(),
                canceller: None,
                is_stale: false,
            });
            drop(state);
            self.begin(&token, &job.path);
            let result = self.run(&job, &token);
            let running = lock(&self.shared).running.take();
            let is_stale = running.is_some_and(|running| running.is_stale);
            let end = match (&result, is_stale) {
                (_, true) => "stopped".into(),
                (Ok(answer), _) => answer.summary(),
                (Err(text), _) => text.clone(),
            };
            self.progress(&token, json!({"kind": "end", "message": end}));
            if is_stale {
                continue;
            }
            match result {
                Ok(answer) => self.publish(&job, answer),
                Err(text) => self.notify(
                    "window/logMessage",
                    json!({"type": 1, "message": format!("{}: {text}", job.path.display())}),
                ),
            }
        }
    }

    fn notify(&self, method: &str, parameters: Value) {
        (self.send)(Notification::new(method.to_owned(), parameters).into());
    }

    fn request(&self, name: &str, method: &str, parameters: Value) {
        let id = format!("concord/{method}/{name}");
        (self.send)(Request::new(id.into(), method.to_owned(), parameters).into());
    }

    fn begin(&self, token: &str, path: &Path) {
        if self.abilities.progress {
            let create = json!({"token": token});
            self.request(token, "window/workDoneProgress/create", create);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("Concord: {name}");
        let begin = json!({"kind": "begin", "title": title, "cancellable": true});
        self.progress(token, begin);
    }

    fn progress(&self, token: &str, value: Value) {
        if self.abilities.progress {
            self.notify("$/progress", json!({"token": token, "value": value}));
        }
    }

    fn publish(&self, job: &Job, answer: Answer) {
        let message = format!("{}: {}", job.path.display(), answer.summary());
        self.notify("window/logMessage", json!({"type": 3, "message": message}));
        let mut diagnostics = answer.diagnostics(&job.uri);
        // Whoever has seen the diagnostics may ask about them at once.
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let before = answers.insert(job.uri.clone(), answer);
        drop(answers);
        // What was said of other files, such as headers, must go away too.
        for uri in before.iter().flat_map(|before| before.addresses(&job.uri)) {
            diagnostics.entry(uri).or_default();
        }
        for (uri, diagnostics) in diagnostics {
            self.notify(
                "textDocument/publishDiagnostics",
                json!({"uri": uri, "diagnostics": diagnostics}),
            );
        }
        if self.abilities.refreshes_hints {
            self.request(&job.uri, "workspace/inlayHint/refresh", Value::Null);
        }
    }

    /// Runs the check to its end.
    fn run(&self, job: &Job, token: &str) -> Result<Answer, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let harness = folder.path().join("harness.c");
        let command = CommandLine::new(self.guard.program.clone())
            .arguments(["check", "--format", "json", "--harness"])
            .argument(&harness)
            .arguments(&self.options)
            .argument(&job.path);
        let command = match job.path.parent() {
            Some(folder) => command.directory(folder),
            None => command,
        };
        let output = OutputPolicy::keep(MAX_RESULT);
        let errors = OutputPolicy::keep(1 << 20);
        // Whatever becomes of us, the guard ends the check.
        let running = process::start(
            &self.guard,
            &command,
            &Limits::default(),
            &output,
            &errors,
            None,
        );
        let running = running.map_err(|error| error.to_string())?;
        if let Some(current) = &mut lock(&self.shared).running {
            current.canceller = running.canceller().ok();
            // It may have been stopped before there was something to stop.
            if current.is_stale {
                current.stop();
            }
        }
        let outcome = self.while_saying(token, move || running.wait());
        let outcome = outcome.map_err(|error| error.to_string())?;
        if outcome.exit == Exit::Code(i32::from(exit::BAD_INPUT)) {
            return Ok(Answer::refused(&job.path, &outcome.stderr.text()));
        }
        let report: Report = serde_json::from_slice(&outcome.stdout.head)
            .map_err(|error| format!("the check has no result: {error}"))?;
        let harness = std::fs::read_to_string(harness).ok();
        Ok(Answer::new(&job.path, report, harness))
    }

    /// Does the work, and says from time to time how long it has taken.
    fn while_saying<T: Send>(&self, token: &str, work: impl FnOnce() -> T + Send) -> T {
        let begin = Instant::now();
        let (done, is_done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let work = scope.spawn(move || {
                let result = work();
                drop(done);
                result
            });
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(PROGRESS) {
                let message = format!("{} s", begin.elapsed().as_secs());
                self.progress(token, json!({"kind": "report", "message": message}));
            }
            match work.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}
