//! `concord run`: executes a program with concrete inputs.

use crate::check::message::Step;
use crate::check::scribe::Scribe;
use crate::cli::RunArgs;
use crate::{exit, load};
use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, InputKind};
use cfa::program::Program;
use cfa::value::Ty;
use interpreter::{
    ConstantInputs, InputSource, Interpreter, ListedInputs, Observer, Options, Outcome,
    RandomInputs,
};
use lowering::property::Property;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;
use syntax::span::{Name, Span};

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
    let mut trace = Scribe::new(&program, None, None, |step| print_step(&step));
    let observer: Option<&mut dyn Observer> = if args.trace { Some(&mut trace) } else { None };
    let mut interpreter = Interpreter::new(&program);
    let mut source = Noted {
        source: &mut *source,
        first: None,
    };
    let run = interpreter.run_with(&options, &mut source, &mut out, &mut err, observer);
    if args.trace {
        trace.violation(Span::NONE);
    }
    let _ = out.flush();
    if let Some(input) = &source.first {
        eprintln!(
            "{}: note: {} is not computed; the value is an input",
            program.describe(input.span),
            described(&program, &input.kind)
        );
    }
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

/// Gives inputs, and keeps the first one that a compiled program would not ask anybody for.
struct Noted<'a> {
    source: &'a mut dyn InputSource,
    first: Option<Input>,
}

impl Noted<'_> {
    fn note(&mut self, input: &Input) {
        let is_asked_for = matches!(
            input.kind,
            InputKind::Nondet(_) | InputKind::Argument(_) | InputKind::Unusual(_)
        );
        if !is_asked_for && self.first.is_none() {
            self.first = Some(input.clone());
        }
    }
}

impl InputSource for Noted<'_> {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        self.note(input);
        self.source.next(input, ty)
    }

    fn next_of(&mut self, id: InputId, input: &Input, ty: Ty) -> Option<u128> {
        self.note(input);
        self.source.next_of(id, input, ty)
    }

    fn next_in_memory(
        &mut self,
        input: &Input,
        object: ObjectId,
        offset: u64,
        ty: Ty,
    ) -> Option<u128> {
        self.note(input);
        self.source.next_in_memory(input, object, offset, ty)
    }

    fn begins(&mut self, object: ObjectId) {
        self.source.begins(object);
    }
}

/// What an input stands for.
fn described(program: &Program, kind: &InputKind) -> String {
    let name = |name: &Name| program.names.get(*name).to_owned();
    match kind {
        InputKind::Nondet(function) | InputKind::External(function) => {
            format!("the result of '{}'", name(function))
        }
        InputKind::Library(function) | InputKind::Unusual(function) => {
            format!("what '{}' gives", name(function))
        }
        InputKind::Replaced(function) => {
            format!(
                "whether the compiler takes '{}' for the library's",
                name(function)
            )
        }
        InputKind::Uninitialised(variable) => format!("the value of '{variable}', which has none,"),
        InputKind::Argument(argument) => format!("the argument '{argument}'"),
        InputKind::Volatile(object) => format!("what was read of '{object}'"),
        InputKind::Assembly => "what the assembly gives".to_owned(),
        InputKind::Asked { .. } => "what is said of the memory".to_owned(),
    }
}

/// Prints a step: its place, the line and what it did.
fn print_step(step: &Step) {
    let indent = "  ".repeat(step.depth.min(20) as usize);
    let mut effects: Vec<String> = step
        .values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if effects.is_empty() && !step.decided.is_empty() {
        effects.push(step.decided.clone());
    }
    let calls = step
        .folded
        .iter()
        .map(|call| format!("calls {}", call.function));
    if effects.is_empty() {
        effects.extend(calls);
    }
    eprintln!(
        "{}:{}: {indent}{}  // {}",
        step.file,
        step.line,
        step.text,
        effects.join(", ")
    );
}
