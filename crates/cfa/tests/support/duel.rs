//! A generated program, executed three ways: compiled by gcc, by the interpreter, and as the C that the automaton
//! is written to, compiled by gcc. All three must print the same and end alike.

use cfa::emit_c::{Inputs, emit_c};
use cfa::interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use cfa::lower::{LowerOptions, load_program};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use syntax::driver;
use syntax::types::DataModel;

/// How long a program may run when gcc has compiled it; slower ones are replaced.
const NATIVE_SECONDS: u64 = 5;
/// How long the interpreter and the written C may take for it.
const OUR_SECONDS: u64 = 300;

pub enum Verdict {
    Agree,
    /// Not a fair opponent: it does not end in time, or gcc refuses it.
    Replaced(#[allow(dead_code)] String),
    Differ(String),
}

/// What a program printed, and its exit status.
#[derive(PartialEq, Eq)]
struct Behaviour {
    output: Vec<u8>,
    status: i32,
}

pub struct Duel {
    pub work: PathBuf,
    pub model: DataModel,
    pub csmith_include: PathBuf,
}

/// The folder of csmith's headers, if csmith is there.
pub fn csmith_include() -> Option<PathBuf> {
    let candidates = ["/usr/include/csmith", "/usr/local/include/csmith"];
    let found = candidates.iter().map(PathBuf::from);
    let found = found
        .into_iter()
        .find(|path| path.join("csmith.h").exists());
    let runs = Command::new("csmith")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found.filter(|_| runs.is_ok())
}

/// Whether gcc compiles, links and runs programs of the model here.
pub fn gcc_works(work: &Path, model: DataModel) -> bool {
    let source = work.join("try.c");
    let binary = work.join("try");
    std::fs::write(
        &source,
        "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n",
    )
    .is_ok()
        && compile(&source, &binary, model, &[]).is_ok()
        && execute(&binary, work, 5).is_some_and(|behaviour| behaviour.status == 0)
}

fn compile(source: &Path, binary: &Path, model: DataModel, more: &[&str]) -> Result<(), String> {
    let width = match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    let output = Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", width])
        .args(more)
        .arg(source)
        .arg("-o")
        .arg(binary)
        .arg("-lm")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs a program; `None` if it does not end in time.
fn execute(binary: &Path, work: &Path, seconds: u64) -> Option<Behaviour> {
    let printed = work.join("printed");
    let file = File::create(&printed).ok()?;
    let mut child = Command::new(binary)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some(Behaviour {
                output: std::fs::read(&printed).ok()?,
                status: status.code().unwrap_or(-1),
            });
        }
        if Instant::now() >= end {
            // It may have ended by itself in between.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Writes the program of one seed; `None` if csmith fails.
pub fn generate(work: &Path, seed: u64) -> Option<PathBuf> {
    let source = work.join(format!("{seed}.c"));
    let generated = Command::new("csmith")
        .args(["--seed", &seed.to_string(), "-o"])
        .arg(&source)
        .stdout(Stdio::null())
        .status();
    generated
        .is_ok_and(|status| status.success())
        .then_some(source)
}

impl Duel {
    pub fn fight_file(&self, source: &Path) -> Verdict {
        let binary = self.work.join("native");
        let include = format!("-I{}", self.csmith_include.display());
        if let Err(text) = compile(source, &binary, self.model, &[&include]) {
            return Verdict::Replaced(format!("gcc refuses it: {text}"));
        }
        let Some(expected) = execute(&binary, &self.work, NATIVE_SECONDS) else {
            return Verdict::Replaced("too slow".to_owned());
        };
        if expected.status < 0 {
            return Verdict::Replaced("it crashes".to_owned());
        }
        match self.against(source, &expected) {
            Ok(()) => Verdict::Agree,
            Err(text) => Verdict::Differ(text),
        }
    }

    fn against(&self, source: &Path, expected: &Behaviour) -> Result<(), String> {
        let front = driver::Options {
            data_model: self.model,
            include_dirs: vec![self.csmith_include.clone()],
            ..driver::Options::default()
        };
        let loaded = load_program(&[source.to_owned()], &front, &LowerOptions::default());
        let program = match loaded {
            Ok(loaded) => loaded.program,
            Err(failure) => return Err(format!("not accepted: {:?}", failure.diagnostics.first())),
        };
        let mut output = Vec::new();
        let options = Options {
            deadline: Some(Instant::now() + Duration::from_secs(OUR_SECONDS)),
            ..Options::default()
        };
        let run = Interpreter::new(&program).run(&options, &mut ConstantInputs(0), &mut output);
        let Outcome::Finished(status) = run.outcome else {
            let place = program.describe(run.place.span);
            return Err(format!("interpreter: {:?} at {place}", run.outcome));
        };
        let interpreted = Behaviour {
            output,
            status: status & 0xff,
        };
        same("interpreter", expected, &interpreted)?;
        let written = self.work.join("written.c");
        let text = emit_c(&program, Inputs::Calls);
        std::fs::write(&written, text).map_err(|error| error.to_string())?;
        let binary = self.work.join("written");
        compile(&written, &binary, self.model, &[])
            .map_err(|text| format!("the written C does not compile: {text}"))?;
        let found = execute(&binary, &self.work, OUR_SECONDS)
            .ok_or("the written C takes too long".to_owned())?;
        same("written C", expected, &found)
    }
}

fn same(who: &str, expected: &Behaviour, found: &Behaviour) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let line = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().last().unwrap_or_default().to_owned()
    };
    Err(format!(
        "{who}: printed '{}' with status {}, expected '{}' with {}",
        line(&found.output),
        found.status,
        line(&expected.output),
        expected.status
    ))
}
