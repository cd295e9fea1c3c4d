//! How fast the value analysis is: abstract states per second and bytes per state, on a generated
//! event-condition-action program (a loop that reads an input and runs down a chain of conditions
//! over a dozen variables), or on given ones.
//!
//! `cargo run --release -p cpa --example speed [FILE…]`

use absint::place::Automaton;
use absint::precision::Variables;
use cfa::program::Program;
use cpa::algorithm::{AlgorithmOptions, CpaAlgorithm};
use cpa::composite::whole;
use cpa::trail::Storage;
use cpa::value::analysis::ValueCpa;
use cpa::waitlist::WaitlistOrder;
use facts::budget::Budget;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program, load_text};
use std::fmt::Write;
use std::time::{Duration, Instant};
use transform::regions::split_memory;

/// Rules over twelve variables with a few values each.
fn program_text() -> String {
    let mut text =
        String::from("extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n");
    for variable in 0..12 {
        let _ = writeln!(text, "int s{variable} = {};", variable % 3);
    }
    text.push_str("int step(int input) {\n");
    let mut random = 12345u64;
    let mut draw = |limit: u64| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) % limit
    };
    for rule in 0..150 {
        let (a, b, c) = (draw(12), draw(12), draw(12));
        let (x, y, z) = (draw(5), draw(5), draw(6));
        let _ = writeln!(
            text,
            "  if (s{a} == {x} && s{b} == {y} && input == {z}) {{ s{c} = {}; s{a} = {}; return {rule}; }}",
            draw(5),
            draw(5)
        );
    }
    text.push_str("  return -2;\n}\nint main(void) {\n  while (1) {\n    int input = __VERIFIER_nondet_int();\n");
    text.push_str("    if (input < 0 || input > 5) return 0;\n");
    text.push_str("    switch (input) { case 0: input = 0; break; case 1: input = 1; break; case 2: input = 2; break;\n");
    text.push_str(
        "      case 3: input = 3; break; case 4: input = 4; break; default: input = 5; }\n",
    );
    text.push_str("    if (step(input) == 1000) reach_error();\n  }\n}\n");
    text
}

fn load(path: Option<&str>) -> Result<Program, String> {
    let front = syntax::driver::Options {
        data_model: syntax::types::DataModel::Ilp32,
        ..syntax::driver::Options::default()
    };
    let options = LowerOptions::default();
    let loaded = match path {
        Some(path) => load_program(&[path.into()], &front, &options),
        None => load_text("speed.c", &program_text(), &front, &options),
    };
    let loaded = loaded.map_err(|failure| failure.to_string())?;
    Ok(split_memory(&instrument(
        &loaded.program,
        &Property::assertions(),
    )))
}

fn measure(name: &str, program: &Program) {
    let cpa = whole(program, ValueCpa::new(program, Variables::All));
    let options = AlgorithmOptions {
        order: WaitlistOrder::ReversePostOrder,
        collect_targets: true,
        cover_candidates: 32,
        storage: Storage::AtJoins,
    };
    let mut algorithm = CpaAlgorithm::new(Automaton::new(program, 2), cpa, options);
    let mut exploration = algorithm.start();
    let begin = Instant::now();
    let budget = Budget::new(Some(Duration::from_secs(5)), Some(4 << 30));
    let ended = algorithm.run(&mut exploration, &budget);
    let seconds = begin.elapsed().as_secs_f64();
    let stored = exploration.reached.len();
    let statistics = exploration.statistics;
    let states = 1 + statistics.successors - statistics.covered;
    let bytes = exploration.reached.bytes() + algorithm.cpa.second.transfer.store.bytes();
    println!("{name}: {ended:?} after {seconds:.2} s");
    println!(
        "  abstract states per second, on edges: {:.0}",
        statistics.successors as f64 / seconds
    );
    println!("  states: {states}, of which stored: {stored}");
    println!(
        "  bytes per state: {}, per stored state: {}",
        bytes as u64 / states.max(1),
        bytes / stored.max(1)
    );
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let mut programs: Vec<Option<&str>> = paths.iter().map(|path| Some(path.as_str())).collect();
    if programs.is_empty() {
        programs.push(None);
    }
    for path in programs {
        let name = path.unwrap_or("generated program");
        match load(path) {
            Ok(program) => measure(name, &program),
            Err(failure) => println!("{name}: {failure}"),
        }
    }
}
