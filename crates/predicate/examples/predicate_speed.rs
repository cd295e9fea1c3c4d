//! Runs the predicate analysis on C files and prints what it did and where the time went; without
//! files on the ten of `examples/protocols`. `cargo run --release -p predicate --example
//! predicate_speed -- [--ilp32] [--log] [--solver NAME] [SECONDS [FILES…]]`

use facts::budget::{Budget, SolverBudget};
use facts::engine::{Engine, Knowledge, Outcome, Reporter};
use facts::invariants::{Facts, InvariantMap};
use logic::SolverChoice;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program};
use predicate::PredicateAnalysis;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use transform::passes::{SIMPLIFY, Settings, prepare};
use transform::regions::split_memory;

#[derive(Default)]
struct Counting {
    counts: Mutex<BTreeMap<String, u64>>,
    is_logging: bool,
}

impl Knowledge for Counting {
    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

impl Reporter for Counting {
    fn progress(&self, _: &str, phase: &str) {
        if self.is_logging {
            eprintln!("  {phase}");
        }
    }

    fn count(&self, _: &str, what: &str, value: u64) {
        if let Ok(mut counts) = self.counts.lock() {
            counts.insert(what.into(), value);
        }
    }
}

fn own_programs() -> Result<Vec<PathBuf>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/protocols");
    let entries = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|end| end == "c"))
        .collect();
    files.sort();
    Ok(files)
}

fn main() -> Result<(), String> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let is_there = args.iter().any(|arg| arg == name);
        args.retain(|arg| arg != name);
        is_there
    };
    let (ilp32, is_logging) = (flag("--ilp32"), flag("--log"));
    let mut solver = SolverChoice::default();
    if let Some(at) = args.iter().position(|arg| arg == "--solver") {
        let name = args.get(at + 1).ok_or("--solver needs a name")?;
        solver = SolverChoice::named(name);
        args.drain(at..at + 2);
    }
    let seconds: u64 = match args.first().map(|text| text.parse()) {
        Some(Ok(seconds)) => seconds,
        None => 60,
        Some(Err(_)) => {
            return Err("usage: [--ilp32] [--log] [--solver NAME] [SECONDS [FILES…]]".into());
        }
    };
    let files: Vec<PathBuf> = match args.get(1..) {
        Some(files) if !files.is_empty() => files.iter().map(PathBuf::from).collect(),
        _ => own_programs()?,
    };
    for file in files {
        let front = syntax::driver::Options {
            data_model: match ilp32 {
                true => syntax::types::DataModel::Ilp32,
                false => syntax::types::DataModel::Lp64,
            },
            ..syntax::driver::Options::default()
        };
        let loaded = load_program(
            std::slice::from_ref(&file),
            &front,
            &LowerOptions::default(),
        )
        .map_err(|failure| failure.to_string())?;
        let split = split_memory(&instrument(&loaded.program, &Property::assertions()));
        let prepared = prepare(&split, &SIMPLIFY, &Settings::default());
        let board = Counting {
            is_logging,
            ..Counting::default()
        };
        let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
        let budget = budget.with_solver(solver.clone());
        let begin = Instant::now();
        let outcome = PredicateAnalysis::default().run(&prepared.program, &board, &budget);
        let time = begin.elapsed();
        let text = match &outcome {
            Outcome::Answer(answer) => {
                let budget = Budget::new(Some(Duration::from_secs(60)), None);
                let begin = Instant::now();
                let certified = facts::carried::carry_back(&split, &prepared, answer, None)
                    .ok_or("about the prepared program alone".to_string())
                    .and_then(|answer| {
                        certify::certify(&split, &answer, &budget).map_err(|why| why.to_string())
                    });
                let checking = begin.elapsed().as_millis();
                match certified {
                    Ok(accepted) => {
                        format!("{}: {} in {checking} ms", answer.name(), accepted.how)
                    }
                    Err(why) => format!("NOT CERTIFIED: {why}"),
                }
            }
            Outcome::Unknown(why) => format!("unknown: {why}"),
        };
        println!("{}: {text}", file.display());
        let counts = board
            .counts
            .into_inner()
            .map_err(|error| error.to_string())?;
        let count = |what: &str| counts.get(what).copied().unwrap_or(0);
        println!(
            "  {:.2} s; {} abstractions ({:.0}/s), {} from the cache; {} refinements; {} predicates",
            time.as_secs_f64(),
            count("abstractions"),
            count("abstractions") as f64 / time.as_secs_f64(),
            count("abstractions from cache"),
            count("refinements"),
            count("predicates"),
        );
        let parts: Vec<String> = counts
            .iter()
            .filter_map(|(what, value)| Some(format!("{} {value}", what.strip_prefix("ms in ")?)))
            .collect();
        println!("  ms: {}", parts.join(", "));
        if is_logging {
            for (what, value) in counts {
                println!("  {what}: {value}");
            }
        }
    }
    Ok(())
}
