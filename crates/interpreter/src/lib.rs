//! The interpreter: executes a program with concrete values.
//!
//! It is the oracle that everything else is tested against, and it replays counterexamples. A
//! program is compiled once to instructions over registers ([`code`]), then run as often as wanted;
//! memory is simulated byte by byte ([`memory`]), so that every access outside the live objects is
//! found. Regions do not matter here: an address alone says what is meant.
//!
//! ```
//! use interpreter::{Interpreter, ListedInputs, Options, Outcome};
//!
//! let program = testing::program("int main(void) { return __VERIFIER_nondet_int() * 7; }");
//! let mut inputs = ListedInputs::parse("6").expect("a number");
//! let run = Interpreter::new(&program).run(&Options::default(), &mut inputs, &mut Vec::new());
//! assert!(matches!(run.outcome, Outcome::Finished(42)));
//! ```

mod code;
mod compile;
mod expressions;
mod faults;
mod guesses;
mod input;
mod leap;
mod machine;
mod memory;
mod objects;
mod observe;
mod operations;
mod outcome;
mod places;
mod printf;
mod progression;
mod relevance;
mod runtime;
#[cfg(test)]
mod tests;

pub use guesses::Guesses;
pub use input::{
    BadInputLine, ConstantInputs, InputSource, ListedInputs, RandomInputs, RecordedInputs,
    constants, started_with, write_value,
};
pub use observe::{Change, Coverage, Observer, View};
pub use outcome::{AccessKind, EndPlace, Fault, InvalidAccess, MemoryFault, Outcome, Run};
pub use relevance::Relevance;

use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, InputKind};
use cfa::program::{Faults, Program};
use code::Code;
use control::StopToken;
use memory::Memory;
use places::Places;
use std::io::Write;
use std::time::Instant;

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Edges; checked where control is transferred, so a run may pass a few more.
    pub max_steps: u64,
    /// Of this run alone: [`Outcome::TimeLimit`].
    pub deadline: Option<Instant>,
    /// Of the work that the run is a part of: [`Outcome::Stopped`].
    pub stop: Option<&'a StopToken>,
    /// Calls within calls.
    pub max_depth: usize,
    /// Bytes for simulated memory and registers together.
    pub max_memory: u64,
    /// Whether rounds of loops that only count are done many at once. The run is the same, but
    /// faster.
    pub leaps: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            max_steps: u64::MAX,
            deadline: None,
            stop: None,
            max_depth: 200_000,
            max_memory: 1 << 30,
            leaps: true,
        }
    }
}

/// A program, ready to run.
pub struct Interpreter<'p> {
    program: &'p Program,
    /// Where memory is watched: the error locations for what is wrong with it.
    faults: Option<&'p Faults>,
    places: Places,
    code: Code,
    /// With a report for every edge; compiled when first wanted.
    traced: Option<Code>,
    memory: Memory,
    registers: Vec<u64>,
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program) -> Interpreter<'p> {
        let faults = program.watched.as_ref().map(|watched| &watched.faults);
        let program = program.executed();
        let space = places::space_of(program.model);
        let mut memory = Memory::new(space.data, space.data_size);
        let places = Places::new(program, &mut memory);
        let code = compile::compile(program, &places, &mut memory, false);
        Interpreter {
            program,
            faults,
            places,
            code,
            traced: None,
            memory,
            registers: Vec::new(),
        }
    }

    /// Executes the program from its entry function. What it prints goes to `out`; what it prints
    /// to standard error is dropped.
    pub fn run(
        &mut self,
        options: &Options<'_>,
        inputs: &mut dyn InputSource,
        out: &mut dyn Write,
    ) -> Run {
        self.run_with(options, inputs, out, &mut std::io::sink(), None)
    }

    /// As [`Interpreter::run`], with a place for standard error and somebody who watches.
    pub fn run_with(
        &mut self,
        options: &Options<'_>,
        inputs: &mut dyn InputSource,
        out: &mut dyn Write,
        err: &mut dyn Write,
        observer: Option<&mut dyn Observer>,
    ) -> Run {
        let streams = machine::Streams { inputs, out, err };
        if observer.is_some() && self.traced.is_none() {
            self.traced = Some(compile::compile(
                self.program,
                &self.places,
                &mut self.memory,
                true,
            ));
        }
        let code = match (&observer, &self.traced) {
            (Some(_), Some(traced)) => traced,
            _ => &self.code,
        };
        let run = machine::Machine::new(
            self.program,
            code,
            &self.places,
            &mut self.memory,
            options,
            streams,
        )
        .run(&mut self.registers, observer);
        match self.faults {
            Some(faults) => self.judged(run, faults),
            None => run,
        }
    }

    /// What an input of a [`Run`] stands for: one of the program's, or memory without a value.
    pub fn input(&self, id: InputId) -> Input {
        input_of(self.program, id)
    }
}

/// The id under which the memory of an object asks for its value.
fn memory_input(program: &Program, object: ObjectId) -> InputId {
    InputId(program.inputs.len() as u32 + object.0)
}

fn input_of(program: &Program, id: InputId) -> Input {
    let index = id.0 as usize;
    if let Some(input) = program.inputs.get(index) {
        return input.clone();
    }
    let object = program.objects.get(index - program.inputs.len());
    let (name, span) = match object {
        Some(object) => (object.name.clone(), object.span),
        None => (String::new(), syntax::span::Span::NONE),
    };
    Input {
        kind: InputKind::Uninitialised(name),
        is_bool: false,
        span,
    }
}
