//! From a model of a formula to an execution: input values and memory as the model has them, run by
//! the interpreter.

use encoding::model::{ModelInputs, bits_of};
use encoding::path::Path;
use encoding::step::Encoder;
use encoding::unwind::{InputPoint, InstancePoint};
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{Interpreter, Options, Outcome as RunOutcome};
use logic::{Solver, TermPool};

/// Runs the program as the solver's latest model says. The inputs of the execution if it violates
/// the property, otherwise how it ended.
pub fn replay(
    encoder: &mut Encoder<'_>,
    solver: &mut dyn Solver,
    (inputs, instances): (&[InputPoint], &[InstancePoint]),
    budget: &Budget,
) -> Result<Vec<InputValue>, String> {
    let program = encoder.program;
    let pool = &mut encoder.pool;
    let mut values = Vec::new();
    for point in inputs {
        if holds(pool, solver, &point.path) {
            let value = solver.value(pool, point.value);
            values.push(value.as_ref().map_or(0, bits_of));
        }
    }
    let mut objects = Vec::new();
    for instance in instances {
        if holds(pool, solver, &instance.path) {
            objects.push((instance.object, instance.address, instance.size));
        }
    }
    let mut source = ModelInputs::new(values, program, pool, solver, objects);
    let mut interpreter = Interpreter::new(program);
    let options = Options {
        deadline: budget.stop.deadline(),
        ..Options::default()
    };
    let run = interpreter.run(&options, &mut source, &mut std::io::sink());
    if let RunOutcome::Error(_) = run.outcome {
        let inputs = run.inputs.iter();
        return Ok(inputs
            .map(|&(input, ty, bits)| InputValue { input, ty, bits })
            .collect());
    }
    let place = program.describe(run.place.span);
    Err(format!("{place}: {}", run.outcome.describe(program)))
}

fn holds(pool: &TermPool, solver: &mut dyn Solver, path: &Path) -> bool {
    path.conjuncts_after(0)
        .into_iter()
        .all(|term| solver.holds(pool, term) == Some(true))
}
