//! The interpreter on small programs, and its fast instructions against the meaning of operators.

mod leaps;
mod memory;
mod operators;
mod programs;

use super::{ConstantInputs, InputSource, Interpreter, Options, Run};
use cfa::program::Program;

fn run(program: &Program) -> Run {
    run_on(program, &mut ConstantInputs(0))
}

fn run_on(program: &Program, inputs: &mut dyn InputSource) -> Run {
    Interpreter::new(program).run(&Options::default(), inputs, &mut std::io::sink())
}
