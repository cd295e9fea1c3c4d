//! Runs generated programs against gcc:
//! `csmith_duel --from SEED --count N [--model ilp32|lp64|both] [FILE…]`.
//!
//! Prints each disagreement with its seed when it is found, keeps its source, and ends with status
//! 1 if there was any; how far it is, it says every 25 seeds. With files instead of seeds, those
//! are compared.

#[path = "../tests/support/duel.rs"]
mod duel;

use duel::{Duel, Verdict, gcc_model};
use opponents::{csmith, gcc};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use testing::Arguments;

/// So many seeds lie between two lines that say how far it is.
const SEEDS_PER_LINE: u64 = 25;

/// One data model, and how its fights ended.
struct Side {
    duel: Duel,
    agree: u64,
    differ: u64,
    replaced: u64,
}

impl Side {
    fn new(duel: Duel) -> Self {
        Self {
            duel,
            agree: 0,
            differ: 0,
            replaced: 0,
        }
    }

    fn fights(&self) -> u64 {
        self.agree + self.differ
    }

    /// Whether the two sides agree on a program, or it is none for a fight.
    fn fight(&mut self, name: &str, source: &Path) -> bool {
        match self.duel.fight_file(source) {
            Verdict::Agree => self.agree += 1,
            Verdict::Replaced(_) => self.replaced += 1,
            Verdict::Differ(text) => {
                self.differ += 1;
                println!("{:?} {name}: {text}", self.duel.model);
                return false;
            }
        }
        true
    }
}

fn counts(sides: &[Side]) -> String {
    let each = sides.iter().map(|side| {
        format!(
            "{:?} {} agree, {} differ, {} replaced",
            side.duel.model, side.agree, side.differ, side.replaced
        )
    });
    each.collect::<Vec<String>>().join("; ")
}

fn main() -> ExitCode {
    let arguments = match Arguments::read(|_, _| false) {
        Ok(arguments) => arguments,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let Some(csmith_include) = csmith::include() else {
        eprintln!("csmith is not installed");
        return ExitCode::from(2);
    };
    let work = std::env::temp_dir().join(format!("csmith-duel-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&work) {
        eprintln!("{}: {error}", work.display());
        return ExitCode::from(2);
    }
    let mut sides = Vec::new();
    for model in arguments.models {
        if !gcc::works(&work, gcc_model(model)) {
            eprintln!("gcc does not make programs for {model:?} here");
            return ExitCode::from(2);
        }
        sides.push(Side::new(Duel {
            work: work.clone(),
            model,
            csmith_include: csmith_include.clone(),
        }));
    }
    let start = Instant::now();
    for file in &arguments.files {
        for side in &mut sides {
            side.fight(&file.display().to_string(), file);
        }
    }
    let mut seed = arguments.from;
    let wanted = if arguments.files.is_empty() {
        arguments.count
    } else {
        0
    };
    while sides.iter().any(|side| side.fights() < wanted) {
        let Some(source) = csmith::generate(&work, seed, &[]) else {
            eprintln!("csmith fails for seed {seed}");
            return ExitCode::from(2);
        };
        let mut all_agree = true;
        for side in sides.iter_mut().filter(|side| side.fights() < wanted) {
            all_agree &= side.fight(&format!("seed {seed}"), &source);
        }
        if all_agree {
            // What agrees is of no further interest; a leftover file would do no harm.
            let _ = std::fs::remove_file(&source);
        }
        seed += 1;
        if (seed - arguments.from).is_multiple_of(SEEDS_PER_LINE) {
            let seconds = start.elapsed().as_secs();
            println!("before seed {seed}, after {seconds} s: {}", counts(&sides));
        }
    }
    println!("{}", counts(&sides));
    let all_agree = sides.iter().all(|side| side.differ == 0);
    if all_agree {
        // Nothing there is of interest any more.
        let _ = std::fs::remove_dir_all(&work);
        ExitCode::SUCCESS
    } else {
        println!("sources are in {}", work.display());
        ExitCode::FAILURE
    }
}
