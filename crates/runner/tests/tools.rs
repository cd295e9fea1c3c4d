//! The descriptions that come with the project, with small stand-ins for the real programs: each
//! stand-in checks the arguments it gets and prints what the real one prints.

use process::{Guard, Limits, OutputPolicy, start};
use runner::tasks::{DataModel, Kind, Task};
use runner::tool::{RunPlace, Tool};
use runner::verdict::Verdict;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn descriptions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/tools")
}

struct Workbench {
    directory: PathBuf,
    tool: Tool,
}

impl Drop for Workbench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Workbench {
    /// The description `file` with `script` in place of the real program.
    fn new(file: &str, script: &str) -> Self {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let directory =
            std::env::temp_dir().join(format!("runner-tools-{}-{number}", std::process::id()));
        fs::create_dir_all(directory.join("run")).unwrap();
        fs::write(
            directory.join("program.c"),
            "extern void reach_error(void); int main() { reach_error(); }",
        )
        .unwrap();
        let mut tool = Tool::read(&descriptions().join(file)).unwrap();
        let executable = directory.join("standin");
        fs::write(
            &executable,
            format!("#!/bin/sh\necho \"arguments: $*\"\n{script}\n"),
        )
        .unwrap();
        fs::set_permissions(&executable, fs::Permissions::from_mode(0o755)).unwrap();
        tool.executable = executable.display().to_string();
        Self { directory, tool }
    }

    fn place(&self) -> RunPlace {
        RunPlace {
            directory: self.directory.join("run"),
            property_file: self.directory.join("run/property.prp"),
            witness: self.directory.join("run/witness.xml"),
        }
    }

    /// The verdict, its reason, and what was printed.
    fn run(&self, analysis: &str) -> (String, String, String) {
        let (verdict, _, log) = self.run_fully(analysis);
        let reason = verdict.reason.clone().unwrap_or_default();
        (verdict.to_string(), reason, log)
    }

    fn run_fully(&self, analysis: &str) -> (Verdict, BTreeMap<String, f64>, String) {
        let task = Task {
            name: "program.c".into(),
            files: vec![self.directory.join("program.c")],
            kind: Kind::UnreachCall,
            property: None,
            expected: None,
            data_model: DataModel::Lp64,
            category: None,
            columns: BTreeMap::new(),
        };
        let limits = Limits {
            cpu: Some(Duration::from_secs(20)),
            wall: Some(Duration::from_secs(40)),
            memory: Some(2_000_000_000),
            ..Limits::default()
        };
        let command = self
            .tool
            .command(&task, analysis, &limits, &self.place())
            .unwrap();
        let guard = Guard {
            program: env!("CARGO_BIN_EXE_runner-example").into(),
            arguments: Vec::new(),
        };
        let policy = OutputPolicy::default();
        let outcome = start(&guard, &command, &limits, &policy, &policy, None)
            .unwrap()
            .wait()
            .unwrap();
        let answer = self.tool.answer(&outcome);
        let log = outcome.stdout.text() + &outcome.stderr.text();
        (answer.verdict, answer.statistics, log)
    }
}

/// What a tool prints and the exit code, and what that has to mean.
fn check(file: &str, cases: &[(&str, i32, &str)]) {
    for (output, code, expected) in cases {
        let bench = Workbench::new(file, &format!("cat <<'END'\n{output}\nEND\nexit {code}"));
        let (verdict, reason, log) = bench.run("default");
        assert_eq!(
            verdict, *expected,
            "{file}: {output}\nreason: {reason}\nlog: {log}"
        );
    }
}

fn arguments(file: &str, analysis: &str, expected: &[&str]) {
    let bench = Workbench::new(file, "");
    let (_, _, log) = bench.run(analysis);
    for argument in expected {
        let argument = argument.replace("DIR", &bench.directory.display().to_string());
        assert!(
            log.contains(&argument),
            "{file}: {argument} is not in {log}"
        );
    }
}

#[test]
fn every_description_is_read_and_built_in() {
    let mut count = 0;
    for entry in fs::read_dir(descriptions()).unwrap() {
        let path = entry.unwrap().path();
        Tool::read(&path).unwrap_or_else(|error| panic!("{error}"));
        runner::tool::builtin(path.file_stem().unwrap().to_str().unwrap()).unwrap();
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn concord() {
    check(
        "concord.toml",
        &[
            (
                "Verdict: TRUE\nFound by bmc; certificate: unrolling",
                0,
                "true",
            ),
            ("Verdict: FALSE (unreach-call)", 1, "false(unreach-call)"),
            ("Verdict: UNKNOWN (recursion)", 3, "unknown"),
            ("Verdict: UNKNOWN (time limit reached)", 3, "TIMEOUT"),
            ("Verdict: UNKNOWN (out of time at bound 4)", 3, "TIMEOUT"),
            (
                "Verdict: UNKNOWN (memory limit reached)",
                3,
                "OUT OF MEMORY",
            ),
            ("concord: no such file", 2, "ERROR"),
            ("thread 'main' panicked", 101, "ERROR"),
            (
                "memory allocation of 123 bytes failed",
                134,
                "OUT OF MEMORY",
            ),
        ],
    );
    arguments(
        "concord.toml",
        "async-abs",
        &[
            "check --spec DIR/run/property.prp --data-model lp64 --analysis async-abs --timeout 20s",
            "--memory 2000MB --verbose DIR/program.c",
        ],
    );
    let figures = Workbench::new(
        "concord.toml",
        "echo '  bmc: out of time at bound 4'; echo Statistics:; echo '  bmc: solver queries 12'; echo '  CPU 1.00 s, wall 2.00 s, memory 5 MB'",
    );
    let (_, statistics, _) = figures.run_fully("default");
    assert_eq!(
        statistics,
        BTreeMap::from([("solver-queries".to_owned(), 12.0)])
    );
}

#[test]
fn the_property_file_names_the_function_of_the_program() {
    let bench = Workbench::new(
        "concord.toml",
        "cat run/property.prp property.prp 2>/dev/null",
    );
    let (_, _, log) = bench.run("default");
    assert!(
        log.contains("CHECK( init(main()), LTL(G ! call(reach_error())) )"),
        "{log}"
    );
}

#[test]
fn cbmc() {
    // Refutes at the bound 6.
    let refutes = "case \"$*\" in *'--unwind 6 '*) echo 'VERIFICATION FAILED'; exit 10;; esac\n\
        case \"$*\" in *--no-unwinding-assertions*) exit 0;; *) exit 10;; esac";
    assert_eq!(
        Workbench::new("cbmc.toml", refutes).run("default").0,
        "false"
    );
    // Proves at the bound 12, where the unwinding assertions hold.
    let proves =
        "case \"$*\" in *--no-unwinding-assertions*|*'--unwind 12 '*) exit 0;; *) exit 10;; esac";
    assert_eq!(Workbench::new("cbmc.toml", proves).run("default").0, "true");
    assert_eq!(
        Workbench::new("cbmc.toml", "echo 'Out of memory'; exit 6")
            .run("default")
            .0,
        "OUT OF MEMORY"
    );
    assert_eq!(
        Workbench::new("cbmc.toml", "exit 1").run("default").0,
        "ERROR"
    );
    let never = "case \"$*\" in *--no-unwinding-assertions*) exit 0;; *) exit 10;; esac";
    assert_eq!(
        Workbench::new("cbmc.toml", never).run("default").0,
        "unknown"
    );
    arguments(
        "cbmc.toml",
        "z3",
        &["--64 --graphml-witness DIR/run/witness.xml --z3 DIR/program.c"],
    );
}

#[test]
fn esbmc() {
    check(
        "esbmc.toml",
        &[
            ("VERIFICATION SUCCESSFUL", 0, "true"),
            ("Violated property:\n\nVERIFICATION FAILED", 1, "false"),
            ("VERIFICATION UNKNOWN", 0, "unknown"),
            ("Timed out", 1, "TIMEOUT"),
            ("ERROR: parse error", 6, "ERROR"),
        ],
    );
    arguments(
        "esbmc.toml",
        "kinduction",
        &[
            "DIR/program.c --64",
            "--timeout 20s",
            "--memlimit 2000m",
            "--k-induction",
        ],
    );
}

#[test]
fn cpachecker() {
    check(
        "cpachecker.toml",
        &[
            (
                "Verification result: TRUE. No property violation found by chosen configuration.",
                0,
                "true",
            ),
            (
                "Verification result: FALSE. Property violation (unreach-call: line 3) found by chosen configuration.",
                0,
                "false(unreach-call)",
            ),
            (
                "Verification result: FALSE. Property violation found by chosen configuration.",
                0,
                "false",
            ),
            (
                "Verification result: UNKNOWN, incomplete analysis.",
                0,
                "unknown",
            ),
            (
                "Shutdown requested (The CPU-time limit of 20s has elapsed.)\nVerification result: UNKNOWN, incomplete",
                0,
                "TIMEOUT",
            ),
            (
                "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space",
                1,
                "OUT OF MEMORY",
            ),
            ("Error: Parsing failed (line 3)", 1, "ERROR"),
        ],
    );
    arguments(
        "cpachecker.toml",
        "kinduction",
        &[
            "-timelimit 20s -spec DIR/run/property.prp -64",
            "-kInduction DIR/program.c",
        ],
    );
    let bench = Workbench::new(
        "cpachecker.toml",
        "mkdir output; echo w > output/witness.graphml",
    );
    bench.run("default");
    assert_eq!(
        bench.tool.witness_of(&bench.place()),
        Some(bench.directory.join("run/output/witness.graphml"))
    );
}

#[test]
fn ultimate_automizer() {
    check(
        "ultimate-automizer.toml",
        &[
            ("Result:\nTRUE", 0, "true"),
            ("Result:\nFALSE", 0, "false"),
            ("Result:\nFALSE(valid-deref)", 0, "false(valid-deref)"),
            ("Result:\nFALSE(OVERFLOW)", 0, "false(no-overflow)"),
            (
                "Result:\nUNKNOWN: Overapproximated counterexample",
                0,
                "unknown",
            ),
            ("Result:\nERROR: Unsupported syntax", 0, "ERROR"),
        ],
    );
    arguments(
        "ultimate-automizer.toml",
        "default",
        &["--architecture 64bit --file DIR/program.c"],
    );
}

#[test]
fn two_ls() {
    check(
        "2ls.toml",
        &[
            ("VERIFICATION SUCCESSFUL", 0, "true"),
            ("VERIFICATION FAILED", 10, "false"),
            ("VERIFICATION INCONCLUSIVE", 5, "unknown"),
            ("Usage error!", 64, "ERROR"),
        ],
    );
    arguments(
        "2ls.toml",
        "heap",
        &["--64", "--heap --values-refine --k-induction"],
    );
}

#[test]
fn frama_c_eva() {
    const SUMMARY: &str = "[eva:summary] ====== ANALYSIS SUMMARY ======";
    let called = |how: &str| {
        format!("[eva] {how} for function reach_error\n[eva] done for function main\n{SUMMARY}")
    };
    check(
        "frama-c-eva.toml",
        &[
            (
                &format!("[eva] computing for function f <- main.\n{SUMMARY}"),
                0,
                "true",
            ),
            (
                &format!("[eva] computing for function reach_error_not <- main.\n{SUMMARY}"),
                0,
                "true",
            ),
            (&called("using specification"), 0, "unknown"),
            (
                &called("computing").replace("reach_error", "reach_error <- f <- main."),
                0,
                "unknown",
            ),
            (
                &format!("  This path is assumed to be dead.\n{SUMMARY}"),
                0,
                "unknown",
            ),
            ("[kernel] Frama-C aborted: invalid user input.", 1, "ERROR"),
            ("", 0, "ERROR"),
        ],
    );
    arguments(
        "frama-c-eva.toml",
        "precise",
        &["-machdep gcc_x86_64", "-eva-precision 9 DIR/program.c"],
    );
}

#[test]
fn an_analysis_that_a_tool_does_not_have_is_an_error() {
    let tool = Tool::read(&descriptions().join("esbmc.toml")).unwrap();
    let problem = tool.check_analysis("kindution").unwrap_err();
    assert_eq!(
        problem,
        "ESBMC has no analysis `kindution`; did you mean `kinduction`?"
    );
}
