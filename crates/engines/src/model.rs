//! From a model of a formula to an execution: input values and memory as the model has them, run by the
//! interpreter.

use cfa::interpreter::{InputSource, Interpreter, Options, Outcome as RunOutcome};
use cfa::memory::{ObjectId, RegionId};
use cfa::op::Input;
use cfa::outside;
use cfa::program::Program;
use cfa::value::Ty;
use encoding::path::Path;
use encoding::state::Origin;
use encoding::step::Encoder;
use encoding::unwind::{InputPoint, InstancePoint};
use facts::budget::Budget;
use facts::certificate::InputValue;
use logic::{Solver, TermPool, Value};
use rustc_hash::FxHashMap;

/// Runs the program as the solver's latest model says. The inputs of the execution if it violates the property,
/// otherwise how it ended.
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
    let memory = memory_values(program, pool, solver, instances);
    let mut source = ModelInputs {
        values: values.into_iter(),
        memory,
    };
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
    Err(format!("{place}: {:?}", run.outcome))
}

fn holds(pool: &TermPool, solver: &mut dyn Solver, path: &Path) -> bool {
    path.conjuncts_after(0)
        .into_iter()
        .all(|term| solver.holds(pool, term) == Some(true))
}

/// What memory without a value holds in the model: for each object a value of each of its bytes that the
/// formula mentions.
fn memory_values(
    program: &Program,
    pool: &mut TermPool,
    solver: &mut dyn Solver,
    instances: &[InstancePoint],
) -> FxHashMap<(ObjectId, u64), u8> {
    let mut bytes = FxHashMap::default();
    for number in 0..program.regions.len() {
        let region = RegionId(number as u32);
        let symbol = pool.symbol(&Origin::Start.region(region));
        let Some(term) = pool.existing_var(symbol) else {
            continue;
        };
        let Some(Value::Array(array)) = solver.value(pool, term) else {
            continue;
        };
        let outside = outside::object(program)
            .map(|object| (object, outside::address(program.model), outside::BYTES));
        let instances = instances.iter().filter_map(|instance| {
            let exists = holds(pool, solver, &instance.path);
            exists.then_some((instance.object, instance.address, instance.size))
        });
        let instances: Vec<(ObjectId, u64, u64)> = instances.chain(outside).collect();
        for (object, start, size) in instances {
            for (index, element) in array.entries() {
                let (Some(index), Some(element)) = (index.to_u128(), element.to_u128()) else {
                    continue;
                };
                let Ok(address) = u64::try_from(index) else {
                    continue;
                };
                if address < start || address - start >= size {
                    continue;
                }
                let cell = encoding::memory::cell_bits(program, region) / 8;
                for byte in 0..u64::from(cell) {
                    let offset = address - start + byte;
                    bytes.insert((object, offset), (element >> (8 * byte)) as u8);
                }
            }
        }
    }
    bytes
}

fn bits_of(value: &Value) -> u128 {
    match value {
        Value::Bool(value) => u128::from(*value),
        Value::Bv(value) => value.to_u128().unwrap_or(0),
        Value::Array(_) => 0,
    }
}

/// Inputs as a model gives them.
struct ModelInputs {
    values: std::vec::IntoIter<u128>,
    memory: FxHashMap<(ObjectId, u64), u8>,
}

impl InputSource for ModelInputs {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        self.values.next()
    }

    fn next_in_memory(&mut self, _: &Input, object: ObjectId, offset: u64, ty: Ty) -> Option<u128> {
        let byte = |at: u64| {
            u128::from(
                self.memory
                    .get(&(object, offset + at))
                    .copied()
                    .unwrap_or(0),
            )
        };
        Some((0..ty.bytes().min(16)).fold(0, |bits, at| bits | byte(at) << (8 * at)))
    }
}
