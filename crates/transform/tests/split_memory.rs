//! The split of memory against executions: every access of generated programs with pointers, of
//! csmith's programs and of those in `programs/` lies in the part that the split gave it, and the
//! program behind the split does the same.
//!
//! `cargo run -p transform --example pointers -- --count 10000` does the first for many more, and
//! asks Concord for verdicts.

#[path = "support/pointer_routes.rs"]
mod pointer_routes;
#[path = "support/pointer_runs.rs"]
mod pointer_runs;
#[path = "support/pointers.rs"]
mod pointers;
#[path = "support/validated.rs"]
mod validated;

use interpreter::ConstantInputs;
use opponents::{csmith, skip};
use pointer_runs::validate_all;
use pointers::{Ending, program};
use std::path::{Path, PathBuf};
use syntax::types::DataModel;
use validated::Validated;

const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("cargo gives a folder that can be written");
    folder
}

#[test]
fn generated_pointers_stay_in_their_parts() {
    let folder = folder("pointers");
    for seed in 1..=150 {
        let file = folder.join(format!("{seed}.c"));
        std::fs::write(&file, program(seed, Ending::Show)).expect("a small file");
        for model in MODELS {
            let validated = Validated::load(&file, model, Vec::new());
            let validated = validated.unwrap_or_else(|text| panic!("seed {seed}: {text}"));
            if let Err(text) = validate_all(&validated) {
                panic!("seed {seed}, {model:?}: {text}");
            }
            if let Err(text) = validated.runs_alike(seed, 20_000) {
                panic!("program {seed}, {model:?}: {text}");
            }
        }
    }
}

#[test]
fn csmith_programs_stay_in_their_parts() {
    let folder = folder("csmith-parts");
    let Some(include) = csmith::include() else {
        return skip("csmith is not installed");
    };
    let mut loads = 0;
    for seed in 1..=10 {
        let file = csmith::generate(&folder, seed, &[]).expect("csmith runs");
        for model in MODELS {
            let validated = Validated::load(&file, model, vec![include.clone()]);
            let validated = validated.unwrap_or_else(|text| panic!("seed {seed}: {text}"));
            // They take no inputs but the arguments of main, of which C promises what random ones
            // do not keep.
            match validated.run(&mut ConstantInputs(0), 100_000) {
                Ok(stats) => loads += stats.loads,
                Err(text) => panic!("seed {seed}, {model:?}: {text}"),
            }
        }
    }
    assert!(loads > 10_000, "only {loads} loads were looked at");
}

/// The C files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of programs is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

#[test]
fn our_programs_stay_in_their_parts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    assert!(files.len() >= 200, "only {} programs", files.len());
    let (mut executed, mut alike) = (0, 0);
    for file in files {
        for model in MODELS {
            // Some are made for one data model only.
            let Ok(validated) = Validated::load(&file, model, Vec::new()) else {
                continue;
            };
            executed += 1;
            for seed in 1..=5 {
                if let Err(text) = validated.run_random(seed, 20_000) {
                    panic!("{}, {model:?}: {text}", file.display());
                }
                match validated.runs_alike(seed, 20_000) {
                    Ok(has_ended) => alike += u32::from(has_ended),
                    Err(text) => panic!("{}, {model:?}: {text}", file.display()),
                }
            }
        }
    }
    assert!(executed >= 300, "only {executed} were executed");
    assert!(alike >= 500, "only {alike} executions came to an end");
}
