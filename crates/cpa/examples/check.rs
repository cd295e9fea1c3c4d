//! Runs one analysis of this crate on a program, and certifies what it answers:
//! `check <options as JSON> <seconds> <ilp32|lp64> <file.c>...`

use facts::budget::Budget;
use facts::engine::Outcome;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use syntax::types::DataModel;
use testing::Counts;
use transform::regions::split_memory;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let usage = "check <options as JSON> <seconds> <ilp32|lp64> <file.c>...";
    let options = arguments.next().expect(usage);
    let options: cpa::engine::CpaOptions = serde_json::from_str(&options).expect(usage);
    let seconds: u64 = arguments.next().and_then(|n| n.parse().ok()).expect(usage);
    let model = match arguments.next().as_deref() {
        Some("ilp32") => DataModel::Ilp32,
        _ => DataModel::Lp64,
    };
    let front = syntax::driver::Options {
        data_model: model,
        ..syntax::driver::Options::default()
    };
    for file in arguments {
        let name = file.rsplit('/').next().unwrap_or_default().to_owned();
        let loaded = load_program(&[PathBuf::from(&file)], &front, &LowerOptions::default());
        let Ok(loaded) = loaded else {
            println!("{name}: cannot be loaded");
            continue;
        };
        let program = split_memory(&instrument(&loaded.program, &Property::assertions()));
        let budget = Budget::new(Some(Duration::from_secs(seconds)), Some(2 << 30));
        let board = Counts::default();
        let begin = Instant::now();
        let outcome = cpa::engine::engine(options.clone()).run(&program, &board, &budget);
        let time = begin.elapsed();
        let answer = match outcome {
            Outcome::Answer(certificate) => {
                let verdict = if certificate.claims_safety() {
                    "TRUE"
                } else {
                    "FALSE"
                };
                let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
                match certify::certify(&program, &certificate, &budget) {
                    Ok(accepted) => format!("{verdict} ({})", accepted.how),
                    Err(rejection) => format!("{verdict}? {rejection}"),
                }
            }
            Outcome::Unknown(reason) => format!("UNKNOWN ({reason})"),
        };
        let counts = board.all();
        println!("{name}: {answer} in {:.2} s {counts:?}", time.as_secs_f64());
    }
}
