//! `concord run`: executes a program with concrete inputs.

use crate::cli::RunArgs;
use crate::{exit, load};
use cfa::program::{EdgeId, Program};
use interpreter::{
    Change, ConstantInputs, InputSource, Interpreter, ListedInputs, Observer, Options, Outcome,
    RandomInputs, View, write_value,
};
use lowering::property::Property;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(args: &RunArgs) -> ExitCode {
    let program = match load::lowered(&args.input) {
        Ok(program) => lowering::property::instrument(&program, &Property::assertions()),
        Err(text) => {
            eprintln!("{}", text.trim_end());
            return exit::code(exit::BAD_INPUT);
        }
    };
    for warning in &program.warnings {
        eprintln!(
            "{}: warning: {}",
            program.describe(warning.span),
            warning.text
        );
    }
    let program = if args.split {
        transform::regions::split_memory(&program)
    } else {
        program
    };
    let mut source: Box<dyn InputSource> = match (&args.inputs, args.seed) {
        (Some(file), _) => {
            let text = match std::fs::read_to_string(file) {
                Ok(text) => text,
                Err(error) => return exit::bad_input(format!("{}: {error}", file.display())),
            };
            match ListedInputs::parse(&text) {
                Ok(inputs) => Box::new(inputs),
                Err(error) => return exit::bad_input(format!("{}: {error}", file.display())),
            }
        }
        (None, Some(seed)) => Box::new(RandomInputs::new(seed, &program)),
        (None, None) => Box::new(ConstantInputs(0)),
    };
    let options = Options {
        max_steps: args.steps.unwrap_or(u64::MAX),
        deadline: args.timeout.map(|timeout| Instant::now() + timeout),
        ..Options::default()
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut err = std::io::stderr();
    let mut trace = Trace { program: &program };
    let observer: Option<&mut dyn Observer> = if args.trace { Some(&mut trace) } else { None };
    let mut interpreter = Interpreter::new(&program);
    let run = interpreter.run_with(&options, &mut *source, &mut out, &mut err, observer);
    let _ = out.flush();
    let place = program.describe(run.place.span);
    let code = match run.outcome {
        Outcome::Finished(status) => return ExitCode::from(status as u8),
        Outcome::AssumeFailed => 0,
        Outcome::Error(_) | Outcome::Aborted => 134,
        Outcome::DivisionByZero | Outcome::DivisionOverflows => 136,
        Outcome::InvalidAccess(_) | Outcome::StackLimit => 139,
        Outcome::Undefined(_) => 132,
        Outcome::Unsupported(_)
        | Outcome::StepLimit
        | Outcome::TimeLimit
        | Outcome::Stopped
        | Outcome::MemoryLimit
        | Outcome::InputsExhausted(_) => exit::UNKNOWN,
    };
    eprintln!("concord: {place}: {}", run.outcome.describe(&program));
    ExitCode::from(code)
}

/// Prints every step with its place and what it changes.
struct Trace<'a> {
    program: &'a Program,
}

impl Observer for Trace<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, _: &View<'_>) {
        let edge = self.program.edge(edge);
        let place = self.program.describe(edge.span);
        let what = match change {
            Change::Nothing => String::new(),
            Change::Variable(var, bits) => {
                let var = self.program.var(var);
                format!("{} = {}", var.name, write_value(var.ty, bits))
            }
            Change::Memory { address, size } => format!("{size} bytes at {address:#x}"),
            Change::Call(function) => format!("call {}", self.program.function_name(function)),
        };
        eprintln!("{place}: {what}");
    }
}
