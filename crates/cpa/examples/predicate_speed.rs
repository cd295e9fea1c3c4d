//! Runs the predicate analysis on C files and prints what it did and where the time went:
//! `cargo run --release -p cpa --example predicate_speed -- [--ilp32] SECONDS FILES…`

use cfa::lower::{LowerOptions, load_program};
use cfa::property::{Property, instrument};
use cfa::regions::split_memory;
use cpa::predicate::PredicateAnalysis;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};
use facts::invariants::{Facts, InvariantMap};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[derive(Default)]
struct Counting(Mutex<BTreeMap<String, u64>>);

impl Board for Counting {
    fn progress(&self, _: &str, phase: &str) {
        eprintln!("  {phase}");
    }

    fn count(&self, _: &str, what: &str, value: u64) {
        if let Ok(mut counts) = self.0.lock() {
            counts.insert(what.into(), value);
        }
    }

    fn publish(&self, _: InvariantMap) {}

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

fn main() -> Result<(), String> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let ilp32 = args.iter().any(|arg| arg == "--ilp32");
    args.retain(|arg| arg != "--ilp32");
    let seconds: u64 = match args.first().map(|text| text.parse()) {
        Some(Ok(seconds)) => seconds,
        _ => return Err("usage: [--ilp32] SECONDS FILES…".into()),
    };
    for file in &args[1..] {
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
        let board = Counting::default();
        let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
        let begin = Instant::now();
        let outcome = PredicateAnalysis::default().run(&program, &board, &budget);
        let time = begin.elapsed();
        let text = match &outcome {
            Outcome::Answer(certificate) => {
                let budget = Budget::new(Some(Duration::from_secs(60)), None);
                match certify::certify(&program, certificate, &budget) {
                    Ok(accepted) => format!("{}: {}", certificate.name(), accepted.how),
                    Err(why) => format!("NOT CERTIFIED: {why}"),
                }
            }
            Outcome::Unknown(why) => format!("unknown: {why}"),
        };
        println!("{file}: {text}");
        let counts = board.0.into_inner().map_err(|error| error.to_string())?;
        let abstractions = counts.get("abstractions").copied().unwrap_or(0);
        println!(
            "  {:.2} s, {:.0} abstractions/s",
            time.as_secs_f64(),
            abstractions as f64 / time.as_secs_f64()
        );
        for (what, value) in counts {
            println!("  {what}: {value}");
        }
    }
    Ok(())
}
