//! Inputs of an execution that violates the property: replayed in the interpreter.

use crate::{Accepted, Rejection};
use cfa::interpreter::{Interpreter, Observer, Options, Outcome, RecordedInputs, Run};
use cfa::op::InputId;
use cfa::program::Program;
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;

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
        deadline: budget.stop.deadline(),
        ..Options::default()
    };
    let mut interpreter = Interpreter::new(program);
    let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
    interpreter.run_with(&options, &mut source, out, err, observer)
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
                    "the execution does not take exactly these inputs".into(),
                ));
            }
            Ok(Accepted {
                how: format!("replayed in {} steps", run.steps),
            })
        }
        Outcome::TimeLimit | Outcome::Stopped => {
            Err(Rejection::Unfinished("the replay ran out of time".into()))
        }
        outcome => Err(Rejection::Wrong(format!(
            "the replay ends at {} without a violation ({outcome:?})",
            program.describe(run.place.span)
        ))),
    }
}
