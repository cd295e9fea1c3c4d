//! A generated program, executed three ways: compiled by gcc, by the interpreter, and as the C that
//! the automaton is written to, compiled by gcc. All three must print the same and end alike.

use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::{LowerOptions, load_program};
use opponents::gcc::{Ended, Model, compile, execute};
use printing::emit_c::{Inputs, emit_c};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use syntax::driver;
use syntax::preprocess::flags::Flags;
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

pub struct Duel {
    pub work: PathBuf,
    pub model: DataModel,
    pub csmith_include: PathBuf,
}

/// The model as the opponents name it.
pub fn gcc_model(model: DataModel) -> Model {
    match model {
        DataModel::Ilp32 => Model::Ilp32,
        DataModel::Lp64 => Model::Lp64,
    }
}

impl Duel {
    pub fn fight_file(&self, source: &Path) -> Verdict {
        let binary = self.work.join("native");
        let include = format!("-I{}", self.csmith_include.display());
        if let Err(text) = compile(&[source], &binary, gcc_model(self.model), &[&include]) {
            return Verdict::Replaced(format!("gcc refuses it: {text}"));
        }
        let Some(expected) = execute(&binary, &[], &self.work, NATIVE_SECONDS) else {
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

    fn against(&self, source: &Path, expected: &Ended) -> Result<(), String> {
        let front = driver::Options {
            data_model: self.model,
            flags: Flags::including([self.csmith_include.clone()]),
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
        let interpreted = Ended {
            output,
            status: status & 0xff,
        };
        same("interpreter", expected, &interpreted)?;
        let written = self.work.join("written.c");
        let text = emit_c(&program, Inputs::Calls);
        std::fs::write(&written, text).map_err(|error| error.to_string())?;
        let binary = self.work.join("written");
        compile(&[&written], &binary, gcc_model(self.model), &[])
            .map_err(|text| format!("the written C does not compile: {text}"))?;
        let found = execute(&binary, &[], &self.work, OUR_SECONDS)
            .ok_or("the written C takes too long".to_owned())?;
        same("written C", expected, &found)
    }
}

fn same(who: &str, expected: &Ended, found: &Ended) -> Result<(), String> {
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
