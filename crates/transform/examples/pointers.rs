//! Programs that send pointers unusual ways, executed and compared with the split of their memory:
//! `pointers --from SEED --count N [--model ilp32|lp64|both] [--check CONCORD] [FILE…]`.
//!
//! With files instead of seeds, those are executed with random inputs.
//!
//! With `--check`, gcc says what each program computes, the interpreter must compute the same, and
//! the given binary of Concord must neither refute the assertion that it does nor prove the
//! assertion that it does not. Prints each disagreement with its seed, keeps its source, and ends
//! with status 1 if there was any.

#[path = "../tests/support/pointer_routes.rs"]
mod pointer_routes;
#[path = "../tests/support/pointer_runs.rs"]
mod pointer_runs;
#[path = "../tests/support/pointers.rs"]
mod pointers;
#[path = "../tests/support/validated.rs"]
mod validated;

use pointer_runs::{inputs, sums, validate_all};
use pointers::{Ending, program};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;
use syntax::types::DataModel;
use testing::Arguments;
use validated::Validated;

/// So many seeds lie between two lines that say how far it is.
const SEEDS_PER_LINE: u64 = 500;
/// Executions of a given file, and the length of each.
const RUNS_OF_FILES: u64 = 20;
const STEPS_OF_FILES: u64 = 300_000;
/// Seconds for each check.
const CHECK_SECONDS: u32 = 10;

/// The inputs of an execution that gcc compiled.
const GIVEN: &str = "\
#include <stdlib.h>
static int next;
unsigned __VERIFIER_nondet_uint(void) { return atoi(getenv(next++ ? \"M\" : \"N\")); }
unsigned long __VERIFIER_nondet_ulong(void) { return 1; }
void reach_error(void) { exit(42); }
";

/// The command line, and a verifier to check with.
fn arguments() -> Result<(Arguments, Option<PathBuf>), String> {
    let mut check = None;
    let mut found = Arguments::read(|argument, value| {
        let is_own = argument == "--check";
        if is_own {
            check = Some(value.into());
        }
        is_own
    })?;
    if !found.files.is_empty() {
        found.count = 0;
    }
    Ok((found, check))
}

/// What is counted.
#[derive(Default)]
struct Counts {
    validated: u64,
    proved: u64,
    refuted: u64,
    unknown: u64,
    wrong: u64,
}

struct Opponent {
    work: PathBuf,
    check: Option<PathBuf>,
    counts: Counts,
}

impl Opponent {
    fn text_error(error: std::io::Error) -> String {
        error.to_string()
    }

    /// What gcc's program prints for all inputs; nothing if a sanitizer stops it.
    fn compiled_sums(&self, source: &Path, model: DataModel) -> Result<Vec<u32>, String> {
        let given = self.work.join("given.c");
        let binary = self.work.join("native");
        std::fs::write(&given, GIVEN).map_err(Self::text_error)?;
        let width = match model {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        };
        let output = Command::new("gcc")
            .args(["-O0", "-w", width, "-fno-strict-aliasing"])
            .args([
                "-fsanitize=undefined,address",
                "-fno-sanitize-recover=all",
                "-o",
            ])
            .arg(&binary)
            .args([source, &given])
            .output()
            .map_err(Self::text_error)?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let mut sums = Vec::new();
        for (n, m) in inputs() {
            let run = Command::new(&binary)
                .env("N", n.to_string())
                .env("M", m.to_string())
                .env("ASAN_OPTIONS", "detect_leaks=0")
                .output()
                .map_err(Self::text_error)?;
            let printed = String::from_utf8_lossy(&run.stdout);
            let printed = printed.lines().last().unwrap_or_default().parse();
            sums.push(printed.map_err(|_| {
                format!("n = {n}, m = {m}: {}", String::from_utf8_lossy(&run.stderr))
            })?);
        }
        Ok(sums)
    }

    /// The verdict of Concord on a file: its first line.
    fn verdict(&self, concord: &Path, file: &Path, model: DataModel) -> Result<String, String> {
        let model = match model {
            DataModel::Ilp32 => "ilp32",
            DataModel::Lp64 => "lp64",
        };
        let output = Command::new(concord)
            .args(["check", "--data-model", model, "--timeout"])
            .arg(format!("{CHECK_SECONDS}s"))
            .arg(file)
            .output()
            .map_err(Self::text_error)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }

    /// A given program, with random inputs.
    fn execute(&mut self, file: &Path, model: DataModel) -> Result<(), String> {
        let validated = Validated::load(file, model, vec!["/usr/include/csmith".into()])?;
        for seed in 1..=RUNS_OF_FILES {
            validated.run_random(seed, STEPS_OF_FILES)?;
        }
        self.counts.validated += 1;
        Ok(())
    }

    fn fight(&mut self, seed: u64, model: DataModel) -> Result<(), String> {
        let source = self.work.join(format!("{seed}.c"));
        std::fs::write(&source, program(seed, Ending::Show)).map_err(Self::text_error)?;
        let validated = Validated::load(&source, model, Vec::new())?;
        let Some(concord) = self.check.clone() else {
            validate_all(&validated)?;
            self.counts.validated += 1;
            return Ok(());
        };
        // Whether the program is what it should be comes before what is thought of it.
        let mut expected = self.compiled_sums(&source, model)?;
        let ours = sums(&validated.program).ok_or("the interpreter prints no sums")?;
        if ours != expected {
            return Err(format!("interpreter {ours:?}, gcc {expected:?}"));
        }
        validate_all(&validated)?;
        self.counts.validated += 1;
        for right in [true, false] {
            if !right {
                let entry = seed as usize % expected.len();
                expected[entry] ^= 1;
            }
            let name = if right { "safe" } else { "unsafe" };
            let file = self.work.join(format!("{seed}-{name}.c"));
            let text = program(seed, Ending::Expect(&expected));
            std::fs::write(&file, text).map_err(Self::text_error)?;
            let verdict = self.verdict(&concord, &file, model)?;
            let (is_true, is_false) = (
                verdict.starts_with("Verdict: TRUE"),
                verdict.starts_with("Verdict: FALSE"),
            );
            if is_true != right && is_true || is_false && right {
                return Err(format!("{}: {verdict}", file.display()));
            }
            self.counts.proved += u64::from(is_true);
            self.counts.refuted += u64::from(is_false);
            self.counts.unknown += u64::from(!is_true && !is_false);
            // What agrees is of no further interest; a leftover file would do no harm.
            let _ = std::fs::remove_file(&file);
        }
        Ok(())
    }

    fn say(&self) -> String {
        let counts = &self.counts;
        format!(
            "{} validated, {} wrong; {} proved, {} refuted, {} unknown",
            counts.validated, counts.wrong, counts.proved, counts.refuted, counts.unknown
        )
    }
}

fn main() -> ExitCode {
    let (arguments, check) = match arguments() {
        Ok(arguments) => arguments,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let work = std::env::temp_dir().join(format!("pointers-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&work) {
        eprintln!("{}: {error}", work.display());
        return ExitCode::from(2);
    }
    let mut opponent = Opponent {
        work,
        check,
        counts: Counts::default(),
    };
    let start = Instant::now();
    for file in &arguments.files {
        for &model in &arguments.models {
            if let Err(text) = opponent.execute(file, model) {
                opponent.counts.wrong += 1;
                println!("{model:?} {}: {text}", file.display());
            }
        }
    }
    for number in 0..arguments.count {
        let seed = arguments.from + number;
        let mut all_agree = true;
        for &model in &arguments.models {
            if let Err(text) = opponent.fight(seed, model) {
                opponent.counts.wrong += 1;
                all_agree = false;
                println!("{model:?} seed {seed}: {text}");
            }
        }
        if all_agree {
            let _ = std::fs::remove_file(opponent.work.join(format!("{seed}.c")));
        }
        if (number + 1).is_multiple_of(SEEDS_PER_LINE) {
            let seconds = start.elapsed().as_secs();
            println!("to seed {seed}, after {seconds} s: {}", opponent.say());
        }
    }
    println!("{}", opponent.say());
    if opponent.counts.wrong == 0 {
        // Nothing there is of interest any more.
        let _ = std::fs::remove_dir_all(&opponent.work);
        ExitCode::SUCCESS
    } else {
        println!("sources are in {}", opponent.work.display());
        ExitCode::FAILURE
    }
}
