//! Limits, interruptions and full disks: a clear message, no hang, no panic, nothing left behind.

mod common;

use common::{SLACK, Scratch, concord, nothing_is_left};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nobody decides this within the time of a test: the loop goes on for as long as the factors of a
/// large number are looked for.
const HARD: &str = "extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
int main(void) {
  unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
  unsigned long i = 0, s = 0;
  while (i < a) {
    s = s * 31 + (i ^ b);
    i = i + 1;
  }
  if (a > 1 && b > 1 && a < 4294967296UL && b < 4294967296UL && a * b + s * 0 == 18446743979220271189UL)
    reach_error();
  if (s == 18446743979220271189UL && i > 100000)
    reach_error();
  return 0;
}
";

fn start(program: &Path, options: &[&str]) -> Child {
    in_temporary(program, options, &std::env::temp_dir())
}

/// Starts concord, with a folder for its temporary files.
fn in_temporary(program: &Path, options: &[&str], folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("check")
        .args(options)
        .arg(program)
        .env("TMPDIR", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("concord can be started")
}

/// The folder is empty soon.
fn nothing_is_in(folder: &Path) {
    let files = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("it is there");
        entries
            .map(|entry| entry.expect("readable").path())
            .collect()
    };
    let begin = Instant::now();
    while !files().is_empty() {
        assert!(begin.elapsed() < SLACK, "still there: {:?}", files());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.expect("there is kill").success());
}

#[test]
fn an_interrupted_run_says_what_is_known() {
    let scratch = Scratch::new("interrupted");
    let program = scratch.file("hard.c", HARD.as_bytes());
    let mut times = Vec::new();
    for (number, name) in ["INT", "TERM", "INT", "TERM"].into_iter().enumerate() {
        let child = start(&program, &["--timeout", "60s"]);
        // Also in the very beginning, before anything works.
        std::thread::sleep(Duration::from_millis([3000, 40, 5, 300][number]));
        let begin = Instant::now();
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        times.push(begin.elapsed());
        assert!(begin.elapsed() < Duration::from_secs(1) + SLACK, "{text}");
        assert!(!words.contains("panicked"), "{words}");
        match output.status.code() {
            Some(code) => {
                assert_eq!(code, 3, "{text}{words}");
                assert!(text.contains("Verdict: UNKNOWN (interrupted)"), "{text}");
                assert!(
                    number > 0 || text.contains("Progress of the engines:"),
                    "{text}"
                );
            }
            // Before it has said what is to happen then, a signal simply ends it.
            None => assert!(number > 0, "{text}{words}"),
        }
        nothing_is_left(&scratch.0);
    }
    println!("signals ended it after {times:?}");
    within_a_second(times[0]);
}

/// Everything ends within a second, if the machine lets it.
fn within_a_second(took: Duration) {
    if is_busy() {
        println!("SKIPPED: the machine is busy with other things");
        return;
    }
    assert!(took < Duration::from_secs(1), "it took {took:?}");
}

/// One input violates it, so that every run says the same; it is found and written down within a
/// second.
const VIOLATED: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), sum = 0;
  for (int i = 0; i < 4; i++) sum += n * n * n + i;
  if (n > 0 && n < 100 && sum == 4 * 343 + 6) reach_error();
  return 0;
}
";

/// Moments that a simple generator chooses, the same in every run of the test.
struct Moments(u64);

impl Moments {
    fn below(&mut self, limit: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// The files that the killed run was to write.
struct Wanted {
    output: PathBuf,
    witness: PathBuf,
    harness: PathBuf,
}

impl Wanted {
    fn new(folder: &Path) -> Wanted {
        Wanted {
            output: folder.join("out"),
            witness: folder.join("w.yml"),
            harness: folder.join("h.c"),
        }
    }

    fn options(&self) -> Vec<String> {
        vec![
            format!("--output={}", self.output.display()),
            format!("--witness={}", self.witness.display()),
            format!("--harness={}", self.harness.display()),
            "--timeout=60s".into(),
        ]
    }

    fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.output);
        let _ = std::fs::remove_file(&self.witness);
        let _ = std::fs::remove_file(&self.harness);
    }

    /// Every file is whole or not there; the number of those that are there. `harness` is what a
    /// run that nobody disturbed wrote.
    fn whole(&self, harness: &str) -> usize {
        let text = |file: &Path| std::fs::read_to_string(file).ok();
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text);
        let mut count = 0;
        for file in [&self.harness, &self.output.join("harness.c")] {
            let found = text(file);
            assert!(
                found.is_none() || found.as_deref() == Some(harness),
                "{file:?}"
            );
            count += usize::from(found.is_some());
        }
        for file in [&self.witness, &self.output.join("witness.yml")] {
            if let Some(found) = text(file) {
                let read = witness::read(&found);
                assert!(read.is_ok(), "{file:?}: {found}");
                count += 1;
            }
        }
        if let Some(found) = text(&self.output.join("result.json")) {
            let result = json(&found).expect("the result is JSON");
            assert_eq!(result["verdict"], "FALSE");
            count += 1;
        }
        if let Some(found) = text(&self.output.join("result.sarif")) {
            assert!(json(&found).is_ok(), "{found}");
            count += 1;
        }
        if let Some(found) = text(&self.output.join("report.html")) {
            assert!(found.ends_with("</html>\n"), "half a page");
            count += 1;
        }
        count
    }
}

/// How many files a run writes that lives to its end.
const ALL_FILES: usize = 7;

#[test]
fn a_run_killed_at_any_moment_leaves_nothing_half_done() {
    let scratch = Scratch::new("killed");
    let program = scratch.file("violated.c", VIOLATED.as_bytes());
    let wanted = Wanted::new(&scratch.0);
    let options = wanted.options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let temporary = scratch.0.join("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    let start = || in_temporary(&program, &options, &temporary);
    // How long it takes differs much between machines; the second time nothing has to be loaded any
    // more.
    let mut whole_run = 0;
    for _ in 0..2 {
        wanted.remove();
        let begin = Instant::now();
        let output = start().wait_with_output().expect("it ends");
        whole_run = begin.elapsed().as_micros() as u64;
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    let harness = std::fs::read_to_string(&wanted.harness).expect("a harness");
    assert_eq!(wanted.whole(&harness), ALL_FILES);
    nothing_is_in(&temporary);
    let mut moments = Moments(17);
    let mut written = Vec::new();
    for number in 0..18 {
        wanted.remove();
        let mut child = start();
        if number < 12 {
            let step = whole_run / 10;
            let moment = number * step + moments.below(step);
            std::thread::sleep(Duration::from_micros(moment));
        } else {
            // While it writes: random moments would hardly ever hit that.
            let begin = Instant::now();
            while !wanted.harness.exists() && begin.elapsed() < SLACK {
                std::thread::sleep(Duration::from_micros(100));
            }
            std::thread::sleep(Duration::from_micros(moments.below(30_000)));
        }
        if number % 2 == 0 {
            child.kill().expect("it can be killed");
        } else {
            // With all that are in its group; some may be gone already.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill")
                .args(["-KILL", "--", &group])
                .stderr(Stdio::null())
                .status();
        }
        child.wait().expect("it ends");
        nothing_is_left(&scratch.0);
        nothing_is_in(&temporary);
        written.push(wanted.whole(&harness));
    }
    println!("files of the runs killed within {whole_run} µs: {written:?}");
    let interrupted = written.iter().filter(|&&count| count < ALL_FILES).count();
    assert!(interrupted > 1, "none was killed in time: {written:?}");
}

#[test]
fn a_second_is_a_second() {
    let scratch = Scratch::new("one-second");
    let program = scratch.file("hard.c", HARD.as_bytes());
    let begin = Instant::now();
    let (code, text) = concord(&["check", "--timeout", "1s"], &[&program]);
    assert_eq!(code, Some(3), "{text}");
    let took = begin.elapsed();
    println!("a second took {took:?}");
    assert!(took < Duration::from_secs(2) + SLACK);
    within_a_second(took.saturating_sub(Duration::from_secs(1)));
    assert!(text.contains("Verdict: UNKNOWN ("), "{text}");
    assert!(text.contains("bmc: "), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    nothing_is_left(&scratch.0);
}

#[test]
fn little_memory_is_enough_for_a_message() {
    let scratch = Scratch::new("little-memory");
    let program = scratch.file("hard.c", HARD.as_bytes());
    let options = ["check", "--memory", "50MB", "--timeout", "20s"];
    let begin = Instant::now();
    let (code, text) = concord(&options, &[&program]);
    println!("50 MB were enough for {:?}", begin.elapsed());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("Verdict: UNKNOWN ("), "{text}");
    assert!(text.contains("Progress of the engines:"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    nothing_is_left(&scratch.0);
}

const FALSE: &str = "extern void reach_error(void); int main(void) { reach_error(); return 0; }\n";

#[test]
fn a_full_disk_takes_no_answer_away() {
    let scratch = Scratch::new("full-disk");
    let program = scratch.file("false.c", FALSE.as_bytes());
    let full = |text: &str| {
        assert!(text.contains("Verdict: FALSE"), "{text}");
        assert!(text.contains("No space left"), "{text}");
    };
    let (code, text) = concord(&["check", "--witness=/dev/full"], &[&program]);
    assert_eq!(code, Some(2), "{text}");
    full(&text);
    let folder = scratch.0.join("output");
    std::fs::create_dir(&folder).expect("a temporary folder");
    std::os::unix::fs::symlink("/dev/full", folder.join("result.json")).expect("a link");
    let option = format!("--output={}", folder.display());
    let (code, text) = concord(&["check", &option], &[&program]);
    assert_eq!(code, Some(2), "{text}");
    full(&text);
    assert!(!folder.join("report.html").exists());
    let files = std::fs::read_dir(&folder).expect("it is there").count();
    assert_eq!(files, 1, "something was left half-written");
    let blocked = scratch.file("blocked", b"no directory");
    let option = format!("--output={}", blocked.display());
    let (code, text) = concord(&["check", &option], &[&program]);
    assert!(code == Some(2) && text.contains("blocked"), "{text}");
}

#[test]
fn everything_is_written_where_there_is_room() {
    let scratch = Scratch::new("output");
    let program = scratch.file("false.c", FALSE.as_bytes());
    let folder = scratch.0.join("deep/output");
    let option = format!("--output={}", folder.display());
    let (code, text) = concord(&["check", &option], &[&program]);
    assert_eq!(code, Some(1), "{text}");
    for name in ["result.json", "report.html", "harness.c", "witness.yml"] {
        assert!(folder.join(name).exists(), "{name} is missing");
    }
}

/// Do more processes want to run than there are processors?
fn is_busy() -> bool {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = text
        .split_whitespace()
        .next()
        .and_then(|load| load.parse().ok())
        .unwrap_or(0.0);
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    load > processors as f64
}

/// A small program is decided at once.
#[test]
fn small_programs_take_little_work() {
    let scratch = Scratch::new("little-work");
    let lines: String = (0..14)
        .map(|i| format!("  if (x == {i}) y = x + {i};\n"))
        .collect();
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
         int main(void) {{\n  int x = __VERIFIER_nondet_int(), y = 0;\n{lines}\
         \n  if (y < 0) reach_error();\n  return 0;\n}}\n"
    );
    let program = scratch.file("small.i", text.as_bytes());
    let options = ["check", "--deterministic", "--format", "json"];
    let (code, text) = concord(&options, &[&program]);
    assert_eq!(code, Some(0), "{text}");
    let result: serde_json::Value = serde_json::from_str(&text).expect("the result is JSON");
    // Counted, so that it is the same on every machine.
    let counted = &result["statistics"]["deterministic run"]["counted ms"];
    let counted = counted.as_u64().expect("a number");
    assert!(counted <= 50, "{counted} ms were counted");
}

#[test]
fn a_solver_that_is_not_there_is_said_to_be_missing() {
    let scratch = Scratch::new("solvers");
    let program = scratch.file(
        "small.c",
        b"extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
          int main(void) { int x = __VERIFIER_nondet_int(); if (x * 3 == 21 && x < 100 && x > 0) \
          { if (x != 7) reach_error(); } return 0; }\n",
    );
    let (code, text) = concord(&["check", "--solver", "no-such-solver"], &[&program]);
    assert!(code == Some(2) && text.contains("no-such-solver"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let (code, text) = concord(&["check", "--certify-with", "true"], &[&program]);
    assert!(code == Some(2) && text.contains("'true'"), "{text}");
}
