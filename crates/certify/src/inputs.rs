//! Inputs of an execution that violates the property: replayed in the interpreter.

use crate::obligations::Obligations;
use crate::{Accepted, Rejection};
use cfa::op::{InputId, InputKind};
use cfa::program::Program;
use cfa::value::Ty;
use encoding::step::Encoder;
use encoding::unwind::{Limits, Unwinder};
use facts::budget::Budget;
use facts::certificate::InputValue;
use facts::words::count;
use interpreter::{Guesses, Interpreter, Observer, Options, Outcome, RecordedInputs, Run};

/// Executes the program with exactly these inputs.
pub fn replay(
    program: &Program,
    values: &[InputValue],
    budget: &Budget,
    observer: Option<&mut dyn Observer>,
) -> Run {
    let recorded: Vec<(InputId, Ty, u128)> = values
        .iter()
        .map(|value| (value.input, value.ty, value.bits))
        .collect();
    let mut source = RecordedInputs::new(&recorded);
    let options = Options {
        stop: Some(&budget.stop),
        ..Options::default()
    };
    let mut interpreter = Interpreter::new(program);
    let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
    interpreter.run_with(&options, &mut source, out, err, observer)
}

/// A library function whose result the execution with these inputs depends on, if it is one of
/// those whose results are any here, although the function determines them.
pub fn guessed_result(program: &Program, values: &[InputValue], budget: &Budget) -> Option<String> {
    let mut guesses = Guesses::of(program)?;
    replay(program, values, budget, Some(&mut guesses));
    guesses.needed().map(str::to_owned)
}

/// A library function that returns something else in the execution with these inputs than glibc's.
pub fn unusual_result(program: &Program, values: &[InputValue]) -> Option<String> {
    let mut unusual = values.iter().filter(|value| value.bits != 0);
    unusual.find_map(
        |value| match program.inputs.get(value.input.0 as usize)?.kind {
            InputKind::Unusual(name) => Some(program.names.get(name).to_owned()),
            _ => None,
        },
    )
}

/// The inputs with which all library functions return what glibc's do.
#[must_use]
pub fn as_usual(program: &Program, values: &[InputValue]) -> Vec<InputValue> {
    let is_unusual = |value: &InputValue| {
        let input = program.inputs.get(value.input.0 as usize);
        input.is_some_and(|input| matches!(input.kind, InputKind::Unusual(_)))
    };
    let mut values = values.to_vec();
    for value in values.iter_mut().filter(|value| is_unusual(value)) {
        value.bits = 0;
    }
    values
}

pub(crate) fn check(
    program: &Program,
    values: &[InputValue],
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    let run = replay(program, values, budget, None);
    match run.outcome {
        Outcome::Error(_) => {
            let consumed = run.inputs.len() == values.len()
                && run
                    .inputs
                    .iter()
                    .zip(values)
                    .all(|(taken, given)| taken.0 == given.input);
            if !consumed {
                return Err(Rejection::Wrong(
                    "the execution reads inputs that the certificate does not give".into(),
                ));
            }
            Ok(Accepted {
                how: format!("replayed in {}", count(run.steps, "step")),
            })
        }
        Outcome::TimeLimit | Outcome::Stopped => {
            Err(Rejection::Unfinished("the replay ran out of time".into()))
        }
        // Formulas may leave out that something undefined ends an execution.
        Outcome::DivisionByZero
        | Outcome::DivisionOverflows
        | Outcome::InvalidAccess(_)
        | Outcome::Undefined(_) => Err(Rejection::Unfinished(format!(
            "the execution stops before the violation ({}: {})",
            program.describe(run.place.span),
            run.outcome.describe(program)
        ))),
        // The ghosts that memory is watched by know less than an execution does.
        Outcome::Finished(_) | Outcome::Aborted if program.watched.is_some() => {
            Err(Rejection::Unfinished(
                "the execution that was found violates nothing: formulas know too little of its memory"
                    .into(),
            ))
        }
        outcome => Err(Rejection::Wrong(format!(
            "the replay stops at {} without a violation ({})",
            program.describe(run.place.span),
            outcome.describe(program)
        ))),
    }
}

/// Operations that are followed as a formula before giving up.
const MAX_STEPS: u64 = 400_000;

/// Does the formula of the execution with these inputs have a model that violates the property? A
/// second opinion where the interpreter itself found the inputs. The program is the one that
/// formulas are made for; it may take fewer inputs than the values are for.
pub fn confirmed_by_formula(program: &Program, values: &[InputValue], budget: &Budget) -> bool {
    let limits = Limits {
        // Only what memory holds at first is open, so few conditions are not constants.
        iterations: 64,
        recursion: u32::MAX,
        steps: MAX_STEPS,
    };
    let mut obligations = Obligations::new(budget);
    let mut unwinder = Unwinder::new(Encoder::new(program));
    unwinder.give_inputs(values.iter().map(|value| (value.input, value.bits)));
    let unwinding = unwinder.unwind(&limits, &mut obligations);
    let pool = &mut unwinder.encoder.pool;
    unwinding
        .errors
        .iter()
        .any(|error| obligations.has_model(pool, &error.path))
}
