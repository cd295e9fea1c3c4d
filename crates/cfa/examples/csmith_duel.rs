//! Runs generated programs against gcc: `csmith_duel --from SEED --count N [--model ilp32|lp64|both] [FILE…]`.
//!
//! Prints each disagreement with its seed, keeps its source, and ends with status 1 if there was any. With files
//! instead of seeds, those are compared.

#[path = "../tests/support/duel.rs"]
mod duel;

use duel::{Duel, Verdict, csmith_include, gcc_works};
use std::path::PathBuf;
use std::process::ExitCode;
use syntax::types::DataModel;

struct Arguments {
    from: u64,
    count: u64,
    models: Vec<DataModel>,
    files: Vec<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments {
        from: 1,
        count: 1000,
        models: vec![DataModel::Ilp32, DataModel::Lp64],
        files: Vec::new(),
    };
    let mut rest = std::env::args().skip(1);
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("'{text}' is no number"));
        match argument.as_str() {
            "--from" => found.from = number(value()?)?,
            "--count" => found.count = number(value()?)?,
            "--model" => {
                found.models = match value()?.as_str() {
                    "ilp32" => vec![DataModel::Ilp32],
                    "lp64" => vec![DataModel::Lp64],
                    "both" => found.models,
                    other => return Err(format!("'{other}' is no data model")),
                }
            }
            file if !file.starts_with("--") => found.files.push(file.into()),
            other => return Err(format!("unknown argument '{other}'")),
        }
    }
    Ok(found)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let Some(csmith_include) = csmith_include() else {
        eprintln!("csmith is not installed");
        return ExitCode::from(2);
    };
    let work = std::env::temp_dir().join(format!("csmith-duel-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&work) {
        eprintln!("{}: {error}", work.display());
        return ExitCode::from(2);
    }
    let mut all_agree = true;
    for model in arguments.models {
        if !gcc_works(&work, model) {
            eprintln!("gcc does not make programs for {model:?} here");
            return ExitCode::from(2);
        }
        let duel = Duel {
            work: work.clone(),
            model,
            csmith_include: csmith_include.clone(),
        };
        let (mut agree, mut differ, mut replaced) = (0u64, 0u64, 0u64);
        let mut judge = |name: String, verdict: Verdict| match verdict {
            Verdict::Agree => agree += 1,
            Verdict::Replaced(_) => replaced += 1,
            Verdict::Differ(text) => {
                differ += 1;
                println!("{model:?} {name}: {text}");
            }
        };
        for file in &arguments.files {
            judge(file.display().to_string(), duel.fight_file(file));
        }
        if arguments.files.is_empty() {
            let mut seed = arguments.from;
            let mut fights = 0;
            while fights < arguments.count {
                let verdict = duel.fight(seed);
                fights += u64::from(!matches!(verdict, Verdict::Replaced(_)));
                judge(format!("seed {seed}"), verdict);
                seed += 1;
            }
        }
        println!("{model:?}: {agree} agree, {differ} differ, {replaced} replaced");
        all_agree &= differ == 0;
    }
    if all_agree {
        // Nothing there is of interest any more.
        let _ = std::fs::remove_dir_all(&work);
        ExitCode::SUCCESS
    } else {
        println!("sources are in {}", work.display());
        ExitCode::FAILURE
    }
}
