//! Small C programs, one language feature each (`tests/lowering/*.c`): what the interpreter makes
//! of the lowered program must be what gcc makes of the text, output and exit status, in both data
//! models.

use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::{LowerOptions, load_program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use syntax::driver;
use syntax::types::DataModel;

/// A folder that goes away with the test.
struct Workshop(PathBuf);

impl Workshop {
    fn new(name: &str) -> Workshop {
        let path = std::env::temp_dir().join(format!("concord-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Workshop(path)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn gcc(source: &Path, binary: &Path, model: DataModel) -> Result<(), String> {
    let flags: &[&str] = match model {
        // Doubles are doubles, as we compute them, not x87's.
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
        DataModel::Lp64 => &["-m64"],
    };
    let output = Command::new("gcc")
        .args(["-w", "-O0", "-fwrapv"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(binary)
        .arg("-lm")
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn gcc_works(workshop: &Workshop, model: DataModel) -> bool {
    let (source, binary) = (workshop.0.join("try.c"), workshop.0.join("try"));
    std::fs::write(
        &source,
        "#include <stdio.h>\nint main(void) { return 0; }\n",
    )
    .is_ok()
        && gcc(&source, &binary, model).is_ok()
}

fn compare(workshop: &Workshop, source: &Path, model: DataModel) -> Result<(), String> {
    let binary = workshop.0.join("program");
    gcc(source, &binary, model)?;
    let expected = Command::new(&binary)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let front = driver::Options {
        data_model: model,
        ..driver::Options::default()
    };
    let loaded = load_program(&[source.to_owned()], &front, &LowerOptions::default())
        .map_err(|failure| failure.to_string())?;
    let program = loaded.program;
    // What is not supported and reached ends the execution, which is a difference below.
    let mut output = Vec::new();
    let options = Options {
        max_steps: 50_000_000,
        ..Options::default()
    };
    let run = Interpreter::new(&program).run(&options, &mut ConstantInputs(0), &mut output);
    if output != expected.stdout {
        let (ours, theirs) = (
            String::from_utf8_lossy(&output),
            String::from_utf8_lossy(&expected.stdout),
        );
        let difference = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        return Err(format!(
            "ended with {:?}; first difference: {difference:?}",
            run.outcome
        ));
    }
    match run.outcome {
        Outcome::Finished(status) if Some(status & 0xff) == expected.status.code() => Ok(()),
        other => Err(format!(
            "ended with {other:?}, expected {:?}",
            expected.status
        )),
    }
}

fn all_programs(model: DataModel) {
    let workshop = Workshop::new(&format!("lowering-{model:?}"));
    if !gcc_works(&workshop, model) {
        println!("SKIPPED: gcc cannot build programs for {model:?} here");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowering");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is part of the crate")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    sources.sort();
    assert!(sources.len() > 15);
    let mut failures = Vec::new();
    for source in sources {
        if let Err(text) = compare(&workshop, &source, model) {
            failures.push(format!("{}: {text}", source.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_mean_what_gcc_says_in_lp64() {
    all_programs(DataModel::Lp64);
}

#[test]
fn programs_mean_what_gcc_says_in_ilp32() {
    all_programs(DataModel::Ilp32);
}
