//! Programs for the tests, and whoever listens to analyses.

use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Outcome};
use facts::invariants::{Facts, InvariantMap};
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use std::sync::Mutex;
use std::time::Duration;
use transform::regions::split_memory;

/// A program text as analyses see it.
pub fn program(text: &str) -> Program {
    let prelude = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
                   extern unsigned __VERIFIER_nondet_uint(void); extern float __VERIFIER_nondet_float(void);\n\
                   extern char __VERIFIER_nondet_char(void); extern long __VERIFIER_nondet_long(void);\n\
                   extern void __VERIFIER_assume(int); extern void abort(void);\n";
    let text = format!("{prelude}{text}");
    let front = syntax::driver::Options::default();
    match load_text("test.c", &text, &front, &LowerOptions::default()) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}

/// A board that remembers what was published.
#[derive(Default)]
pub struct Recorder(Mutex<Vec<InvariantMap>>);

impl Recorder {
    pub fn maps(&self) -> Vec<InvariantMap> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

impl Board for Recorder {
    fn progress(&self, _: &str, _: &str) {}

    fn count(&self, _: &str, _: &str, _: u64) {}

    fn publish(&self, map: InvariantMap) {
        self.0.lock().expect("nobody panics with it").push(map);
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// The answer, if there is one, is certified, and every published map keeps its law.
pub fn assert_sound(program: &Program, outcome: &Outcome, maps: &[InvariantMap]) {
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    if let Outcome::Answer(certificate) = outcome
        && let Err(rejection) = certify::certify(program, certificate, &budget)
    {
        panic!("{rejection}");
    }
    for (number, map) in maps.iter().enumerate() {
        if let Err(rejection) = certify::check_facts(program, map, &budget) {
            panic!("map {number} of {}: {rejection}", maps.len());
        }
    }
}
