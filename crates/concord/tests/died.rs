//! A working process that dies of one engine: the others are given a second chance, and only one.

mod common;

use common::{GENERATOR, Scratch, nothing_is_left};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Bounded model checking never comes to an end here, and guessed invariants are a proof at once.
const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned x = 0, y = 0, z = 1;
  while (__VERIFIER_nondet_int()) {
    z = z * 3 + (unsigned)__VERIFIER_nondet_int();
    if (x < 10) { x = x + 1; y = y + 2; }
  }
  if (y != 2 * x) reach_error();
  return 0;
}
";

/// Who executes this needs ever more memory.
const GREEDY: &str = "extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
  unsigned x = 0, y = 0;
  while (1) {
    char *p = malloc(1000000);
    p[x] = (char)y;
    if (x < 10) { x = x + 1; y = y + 2; }
    if (y != 2 * x) reach_error();
  }
  return 0;
}
";

/// One engine after the other, so that it is known which one is at work.
const BMC_FIRST: &str = "summary = \"for a test\"
sequence = [{ engine = \"bmc\" }, { engine = \"houdini\" }]
";

/// The name of the thread in which the engines of a sequence work.
const THREAD: &str = "sequence";

const PATIENCE: Duration = Duration::from_secs(60);

struct Run {
    scratch: Scratch,
    program: PathBuf,
    config: PathBuf,
}

impl Run {
    fn new(name: &str, config: &str) -> Run {
        let scratch = Scratch::new(name);
        Run {
            program: scratch.file("program.c", PROGRAM.as_bytes()),
            config: scratch.file("config.toml", config.as_bytes()),
            scratch,
        }
    }

    fn start(&self, options: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["check", "--timeout", "60s", "--config"])
            .arg(&self.config)
            .args(options)
            .arg(&self.program)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("concord can be started")
    }

    /// Aborts the working process in its engine's thread, as soon as that has worked a little.
    fn abort_engine(&self, child: &mut Child, command: &str) {
        self.abort_engine_after(child, command, Duration::from_millis(100));
    }

    /// The same, when that has worked for so long.
    fn abort_engine_after(&self, child: &mut Child, command: &str, worked: Duration) {
        let begin = Instant::now();
        loop {
            let waited = begin.elapsed();
            assert!(waited < PATIENCE, "no engine to be aborted");
            if let Ok(Some(status)) = child.try_wait() {
                panic!("it has ended before ({status})");
            }
            std::thread::sleep(Duration::from_millis(10));
            let Some(thread) = self.busy_thread(command, worked) else {
                continue;
            };
            // A signal for a process is taken by the thread that it is addressed to, if that one
            // takes it.
            let sent = Command::new("kill")
                .args(["-ABRT", &thread.to_string()])
                .status();
            assert!(sent.expect("there is kill").success());
            return;
        }
    }

    fn busy_thread(&self, command: &str, worked: Duration) -> Option<i32> {
        let process = self.process(command)?;
        let threads = std::fs::read_dir(process.join("task")).ok()?;
        for thread in threads.filter_map(Result::ok) {
            let text = |name: &str| std::fs::read_to_string(thread.path().join(name)).ok();
            let time = text("schedstat")?;
            let time = Duration::from_nanos(time.split_whitespace().next()?.parse().ok()?);
            if text("comm")?.trim() == THREAD && time > worked {
                return thread.file_name().to_str()?.parse().ok();
            }
        }
        None
    }

    /// The working process.
    fn process(&self, command: &str) -> Option<PathBuf> {
        let wanted = self.program.display().to_string();
        let processes = std::fs::read_dir("/proc").ok()?;
        processes
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|process| {
                let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).into_owned();
                let mut words = line.split('\0');
                words.nth(1) == Some(command) && words.any(|word| word == wanted)
            })
    }

    fn end(&self, child: Child) -> (Option<i32>, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().expect("it ends");
        nothing_is_left(&self.scratch.0);
        let text = [stdout, stderr].concat();
        (status.code(), String::from_utf8_lossy(&text).into_owned())
    }
}

#[test]
fn an_engine_that_aborts_is_left_out() {
    let run = Run::new("aborts", BMC_FIRST);
    let mut child = run.start(&[]);
    run.abort_engine(&mut child, "work");
    let (code, text) = run.end(child);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Found by houdini"), "{text}");
    let why =
        "Restarted once: the worker process crashed in bmc (signal 6); continued without bmc.";
    assert!(text.contains(why), "{text}");
}

#[test]
fn an_engine_that_takes_all_memory_is_left_out() {
    let config = "summary = \"for a test\"
sequence = [{ engine = \"execution\" }, { engine = \"k-induction\" }]
";
    let run = Run::new("takes-memory", config);
    std::fs::write(&run.program, GREEDY).expect("there is room");
    let child = run.start(&["--memory", "200MB"]);
    let (code, text) = run.end(child);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Found by k-induction"), "{text}");
    let why =
        "Restarted once: out of memory, most of it used by execution; continued without execution.";
    assert!(text.contains(why), "{text}");
}

#[test]
fn nothing_is_started_a_third_time() {
    let config = BMC_FIRST.replace("houdini", "execution");
    let run = Run::new("dies-twice", &config);
    let mut child = run.start(&[]);
    run.abort_engine(&mut child, "work");
    run.abort_engine(&mut child, "work-again");
    let (code, text) = run.end(child);
    assert_eq!(code, Some(3), "{text}");
    let verdict = "Verdict: UNKNOWN (signal 6 killed the worker process)";
    assert!(text.contains(verdict), "{text}");
    assert!(text.contains("continued without bmc."), "{text}");
    assert!(
        text.contains("bmc: the worker process crashed in bmc"),
        "{text}"
    );
}

#[test]
fn nothing_is_started_again_if_nothing_is_left() {
    let run = Run::new(
        "dies-alone",
        "summary = \"for a test\"\nsequence = [{ engine = \"bmc\" }]\n",
    );
    let mut child = run.start(&[]);
    run.abort_engine(&mut child, "work");
    let (code, text) = run.end(child);
    assert_eq!(code, Some(3), "{text}");
    assert!(!text.contains("Restarted"), "{text}");
    assert!(text.contains("signal 6 killed"), "{text}");
}

#[test]
fn facts_of_the_dead_are_checked_and_used() {
    let config = "summary = \"for a test\"
sequence = [{ engine = \"houdini\" }, { engine = \"bmc\" }, { engine = \"execution\", options = { most-runs = 3 } }]
";
    let run = Run::new("facts", config);
    std::fs::write(&run.program, GENERATOR).expect("there is room");
    let mut child = run.start(&["--format", "json"]);
    run.abort_engine(&mut child, "work");
    let (_, text) = run.end(child);
    let result: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let holding = result["statistics"]["earlier facts"]["maps that hold"].as_u64();
    assert!(holding >= Some(1), "{text}");
    assert!(result["restarted"].is_string(), "{text}");
}

#[test]
fn what_the_dead_had_proved_is_shown() {
    let config = "summary = \"for a test\"
sequence = [{ engine = \"houdini\" }, { engine = \"bmc\" }, { engine = \"execution\" }]
";
    let run = Run::new("dies-proving", config);
    std::fs::write(&run.program, GENERATOR).expect("there is room");
    for format in ["human", "json"] {
        let mut child = run.start(&["--format", format]);
        let worked = Duration::from_millis(1500);
        run.abort_engine_after(&mut child, "work", worked);
        run.abort_engine_after(&mut child, "work-again", worked);
        let (code, text) = run.end(child);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("signal 6 killed"), "{text}");
        if format == "json" {
            let result: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
            let proved = &result["invariants"][0];
            assert_eq!(proved["line"], 5, "{text}");
            // Nobody has lived to check it.
            assert_eq!(proved["certified"], false, "{text}");
            let proved = proved["text"].as_str().unwrap_or_default();
            assert!(proved.contains("x <= 10"), "{text}");
        } else {
            let title = "\nProved so far by the engines, not certified:\n";
            assert!(text.contains(title), "{text}");
            assert!(text.contains(":5: x <= 10"), "{text}");
        }
    }
}
