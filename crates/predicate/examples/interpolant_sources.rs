//! Compares the sources of interpolants: on the infeasible paths that the predicate analysis meets
//! (size of what they find, time), and by themselves (refinements to the proof). `cargo run
//! --release -p predicate --example interpolant_sources -- [--ilp32] [--paths N] [--per-program N]
//! SECONDS FILES…`
//!
//! Programs are taken until there are as many paths as wanted (200), at most so many of each (10);
//! a program without an infeasible path does not count.

use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Engine, Knowledge, NoBoard, Outcome, Reporter};
use facts::invariants::{Facts, InvariantMap};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program};
use predicate::compare::{self, SOURCES, SourceRecord};
use predicate::options::InterpolantSource;
use predicate::{Options, PredicateAnalysis};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use transform::passes::{SIMPLIFY, Settings, prepare};
use transform::regions::split_memory;

/// Keeps the number of refinements.
#[derive(Default)]
struct Refinements(Mutex<u64>);

impl Knowledge for Refinements {
    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

impl Reporter for Refinements {
    fn count(&self, _: &str, what: &str, value: u64) {
        if what == "refinements"
            && let Ok(mut count) = self.0.lock()
        {
            *count = value;
        }
    }
}

fn load(file: &str, ilp32: bool) -> Result<Program, String> {
    let front = syntax::driver::Options {
        data_model: match ilp32 {
            true => syntax::types::DataModel::Ilp32,
            false => syntax::types::DataModel::Lp64,
        },
        ..syntax::driver::Options::default()
    };
    let loaded = load_program(&[PathBuf::from(file)], &front, &LowerOptions::default())
        .map_err(|failure| failure.to_string())?;
    let program = split_memory(&instrument(&loaded.program, &Property::assertions()));
    Ok(prepare(&program, &SIMPLIFY, &Settings::default()).program)
}

fn name(source: InterpolantSource) -> &'static str {
    match source {
        InterpolantSource::Vocabulary => "vocabulary",
        InterpolantSource::WeakestPrecondition => "weakest-precondition",
        InterpolantSource::Proof => "proof",
        InterpolantSource::StrongestPostcondition => "strongest-postcondition",
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Takes an option with a number out of the arguments.
fn number(args: &mut Vec<String>, name: &str, otherwise: usize) -> Result<usize, String> {
    let Some(at) = args.iter().position(|arg| arg == name) else {
        return Ok(otherwise);
    };
    let value = args.get(at + 1).and_then(|text| text.parse().ok());
    let value = value.ok_or_else(|| format!("{name} needs a number"))?;
    args.drain(at..at + 2);
    Ok(value)
}

fn main() -> Result<(), String> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let ilp32 = args.iter().any(|arg| arg == "--ilp32");
    args.retain(|arg| arg != "--ilp32");
    let most = number(&mut args, "--paths", 200)?;
    let per_program = number(&mut args, "--per-program", 10)?;
    let seconds: u64 = match args.first().map(|text| text.parse()) {
        Some(Ok(seconds)) => seconds,
        _ => return Err("usage: [--ilp32] [--paths N] [--per-program N] SECONDS FILES…".into()),
    };
    let budget = || Budget::new(Some(Duration::from_secs(seconds)), None);
    let mut records: Vec<SourceRecord> = Vec::new();
    let mut alone = [(0usize, 0u64); 3];
    let (mut paths, mut programs) = (0, 0);
    for file in &args[1..] {
        if paths >= most {
            break;
        }
        let program = match load(file, ilp32) {
            Ok(program) => program,
            Err(reason) => {
                eprintln!("{file}: {reason}");
                continue;
            }
        };
        let options = Options {
            inductive: false,
            ..Options::default()
        };
        let (_, found) = compare::run(
            &program,
            &options,
            &NoBoard,
            &budget(),
            per_program.min(most - paths),
        );
        let here = found.len() / SOURCES.len();
        eprintln!("{file}: {here} paths");
        if here == 0 {
            continue;
        }
        programs += 1;
        paths += here;
        records.extend(found);
        for (source, alone) in SOURCES.into_iter().zip(&mut alone) {
            let options = Options {
                interpolants: vec![source],
                ..options.clone()
            };
            let board = Refinements::default();
            let outcome = PredicateAnalysis { options }.run(&program, &board, &budget());
            if let Outcome::Answer(_) = outcome {
                alone.0 += 1;
                alone.1 += board.0.into_inner().map_err(|error| error.to_string())?;
            }
        }
    }
    println!("{paths} infeasible paths of {programs} programs");
    println!(
        "source | sequences found | predicates (median) | nodes (median) | ms (median) | ms (mean) | programs decided alone | refinements there"
    );
    for (source, (decided, refinements)) in SOURCES.into_iter().zip(alone) {
        let own: Vec<&SourceRecord> = records.iter().filter(|one| one.source == source).collect();
        let found: Vec<(usize, usize)> = own.iter().filter_map(|one| one.found).collect();
        let times: Vec<f64> = own.iter().map(|one| one.time.as_secs_f64() * 1e3).collect();
        let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
        println!(
            "{} | {} | {:.0} | {:.0} | {:.1} | {:.1} | {decided} | {refinements}",
            name(source),
            found.len(),
            median(found.iter().map(|one| one.0 as f64).collect()),
            median(found.iter().map(|one| one.1 as f64).collect()),
            median(times),
            mean
        );
    }
    Ok(())
}
