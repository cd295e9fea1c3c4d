//! Every pass keeps the meaning of whole programs: those of `programs/`, one language feature each,
//! and generated ones that nobody here wrote. The interpreter prints the same before and after, and
//! ends alike.

use cfa::program::Program;
use interpreter::{ConstantInputs, Interpreter, Options, Outcome};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program};
use opponents::{csmith, skip};
use std::path::{Path, PathBuf};
use syntax::driver;
use syntax::preprocess::flags::Flags;
use syntax::types::DataModel;
use transform::passes::{Keep, Pipeline, SIMPLIFY, Settings};
use transform::regions::split_memory;

/// Generated programs that are longer are replaced.
const STEPS: u64 = 1_000_000;

fn split(file: &Path, include: Vec<PathBuf>) -> Result<Program, String> {
    let front = driver::Options {
        data_model: DataModel::Lp64,
        flags: Flags::including(include),
        ..driver::Options::default()
    };
    let loaded = load_program(&[file.to_owned()], &front, &LowerOptions::default());
    let program = loaded.map_err(|failure| failure.to_string())?.program;
    Ok(split_memory(&instrument(&program, &Property::assertions())))
}

/// How an execution ends, without the numbers of places, and what it prints.
fn behaviour(program: &Program) -> (String, Vec<u8>) {
    let options = Options {
        max_steps: STEPS,
        ..Options::default()
    };
    let mut output = Vec::new();
    let run = Interpreter::new(program).run(&options, &mut ConstantInputs(0), &mut output);
    let end = match run.outcome {
        Outcome::Error(_) => "error".to_owned(),
        Outcome::InvalidAccess(access) => format!("invalid {:?} {:?}", access.kind, access.fault),
        other => format!("{other:?}"),
    };
    (end, output)
}

/// Runs each pass alone, and all together; `false` if the program runs too long.
fn keeps_behaviour(program: &Program, failures: &mut Vec<String>, name: &str) -> bool {
    let before = behaviour(program);
    if before.0 == "StepLimit" {
        return false;
    }
    let settings = Settings {
        keep: Keep::Behaviour,
        ..Settings::default()
    };
    let mut lists: Vec<Vec<&str>> = SIMPLIFY.iter().map(|&name| vec![name]).collect();
    lists.push(SIMPLIFY.to_vec());
    for list in lists {
        let pipeline = Pipeline::named(&list, &settings).expect("the names are right");
        let after = behaviour(&pipeline.run(program).program);
        // A pass may make the way longer, never the result another.
        if after != before && after.0 != "StepLimit" {
            let show = |behaviour: &(String, Vec<u8>)| {
                format!(
                    "{} {:?}",
                    behaviour.0,
                    String::from_utf8_lossy(&behaviour.1)
                )
            };
            failures.push(format!(
                "{name}, {list:?}: {} and {}",
                show(&before),
                show(&after)
            ));
        }
    }
    true
}

#[test]
fn passes_keep_the_meaning_of_our_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let (mut failures, mut count) = (Vec::new(), 0);
    for folder in ["features", "properties", "undefined", "verdicts"] {
        let files = std::fs::read_dir(root.join(folder)).expect("the folder of programs is there");
        let files = files.map(|entry| entry.expect("the folder can be read").path());
        let mut files: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
            .collect();
        files.sort();
        for file in files {
            match split(&file, Vec::new()) {
                Ok(program) => {
                    count += usize::from(keeps_behaviour(
                        &program,
                        &mut failures,
                        &file.display().to_string(),
                    ))
                }
                Err(text) => failures.push(format!("{}: {text}", file.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 60, "only {count} programs");
}

#[test]
fn passes_keep_the_meaning_of_generated_programs() {
    let Some(include) = csmith::include() else {
        return skip("csmith is not installed");
    };
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("passes");
    std::fs::create_dir_all(&work).expect("cargo gives a folder that can be written");
    let (mut failures, mut count) = (Vec::new(), 0);
    for seed in 1.. {
        let file = csmith::generate(&work, seed, &[]).expect("csmith runs");
        let program = split(&file, vec![include.clone()]).expect("generated programs are C");
        count += usize::from(keeps_behaviour(
            &program,
            &mut failures,
            &format!("seed {seed}"),
        ));
        // What agrees is of no further interest; a leftover file would do no harm.
        let _ = std::fs::remove_file(&file);
        if count == 6 {
            break;
        }
        assert!(seed < 60, "hardly any generated program ends in time");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
