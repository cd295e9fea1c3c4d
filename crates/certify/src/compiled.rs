//! A second opinion on inputs: the program written as C with the inputs inside, compiled and run.

use cfa::emit_c::{Inputs, emit_c};
use cfa::op::InputId;
use cfa::program::Program;
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use syntax::types::DataModel;

/// What the compiled program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Harness {
    /// It reached the violation.
    Fails,
    /// It ended in another way.
    Differs(String),
    /// It was not run, and why.
    NotRun(String),
}

/// The status with which the emitted program says that the property is violated.
const VIOLATED: i32 = 134;

/// The program as C text with these inputs inside.
pub fn harness(program: &Program, values: &[InputValue]) -> String {
    let recorded: Vec<(InputId, Ty, u128)> = values
        .iter()
        .map(|value| (value.input, value.ty, value.bits))
        .collect();
    emit_c(program, Inputs::Recorded(&recorded))
}

/// Compiles and runs the harness.
pub fn run_harness(program: &Program, values: &[InputValue], budget: &Budget) -> Harness {
    let folder = std::env::temp_dir().join(format!(
        "concord-harness-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        return Harness::NotRun(format!("no temporary folder: {error}"));
    }
    let result = compile_and_run(&folder, program, values, budget);
    // Left-overs of a temporary folder are no reason to doubt the result.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn compile_and_run(
    folder: &Path,
    program: &Program,
    values: &[InputValue],
    budget: &Budget,
) -> Harness {
    let (source, binary) = (folder.join("harness.c"), folder.join("harness"));
    if let Err(error) = std::fs::write(&source, harness(program, values)) {
        return Harness::NotRun(format!("cannot write the harness: {error}"));
    }
    let width = if program.model == DataModel::Ilp32 {
        "-m32"
    } else {
        "-m64"
    };
    let compiled = Command::new("cc")
        .args(["-w", "-O0", width, "-fwrapv", "-fno-strict-aliasing"])
        .args(["-msse2", "-mfpmath=sse", "-ffp-contract=off", "-o"])
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .stdin(Stdio::null())
        .output();
    match compiled {
        Err(error) => return Harness::NotRun(format!("no C compiler: {error}")),
        Ok(output) if !output.status.success() => {
            let words = String::from_utf8_lossy(&output.stderr);
            let first = words.lines().next().unwrap_or("no message").to_string();
            return Harness::NotRun(format!("the compiler does not accept it: {first}"));
        }
        Ok(_) => {}
    }
    let child = Command::new(&binary)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Harness::NotRun(format!("it cannot be started: {error}")),
    };
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                return match status.code() {
                    Some(VIOLATED) => Harness::Fails,
                    _ => Harness::Differs(status.to_string()),
                };
            }
            Ok(None) if budget.is_exhausted() || started.elapsed() > Duration::from_secs(20) => {
                let _ = child.kill();
                let _ = child.wait();
                return Harness::NotRun("it takes too long".into());
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Harness::NotRun(error.to_string()),
        }
    }
}
