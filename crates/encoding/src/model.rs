//! What a model of a formula says of an execution: the values of its inputs, and what memory
//! without a value holds.

use crate::memory::cell_bits;
use crate::state::Origin;
use cfa::memory::{ObjectId, RegionId};
use cfa::op::Input;
use cfa::outside;
use cfa::program::Program;
use cfa::value::Ty;
use interpreter::InputSource;
use logic::{Solver, TermPool, Value};
use rustc_hash::FxHashMap;

/// Where an object lies in the model: object, address and number of bytes.
pub type Lies = (ObjectId, u64, u64);

/// The bits of a value; an array has none.
pub fn bits_of(value: &Value) -> u128 {
    match value {
        Value::Bool(value) => u128::from(*value),
        Value::Bv(value) => value.to_u128().unwrap_or(0),
        Value::Array(_) => 0,
    }
}

/// Inputs as a model gives them: those that the program asks for in their order, those of memory by
/// their place. What the model does not mention is zero.
pub struct ModelInputs {
    values: std::vec::IntoIter<u128>,
    memory: FxHashMap<(ObjectId, u64), u8>,
}

impl ModelInputs {
    /// The objects are those that exist in the model, besides memory outside the program, which
    /// always does.
    pub fn new(
        values: Vec<u128>,
        program: &Program,
        pool: &mut TermPool,
        solver: &mut dyn Solver,
        objects: Vec<Lies>,
    ) -> ModelInputs {
        let outside = outside::object(program)
            .map(|object| (object, outside::address(program.model), outside::BYTES));
        let objects: Vec<Lies> = objects.into_iter().chain(outside).collect();
        ModelInputs {
            values: values.into_iter(),
            memory: memory(program, pool, solver, &objects),
        }
    }
}

/// For each object a value of each of its bytes that the formula mentions.
fn memory(
    program: &Program,
    pool: &mut TermPool,
    solver: &mut dyn Solver,
    objects: &[Lies],
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
        let cell = u64::from(cell_bits(program, region) / 8);
        for (index, element) in array.entries() {
            let (Some(index), Some(element)) = (index.to_u128(), element.to_u128()) else {
                continue;
            };
            let Ok(address) = u64::try_from(index) else {
                continue;
            };
            for &(object, start, size) in objects {
                if address < start || address - start >= size {
                    continue;
                }
                for byte in 0..cell {
                    let offset = address - start + byte;
                    bytes.insert((object, offset), (element >> (8 * byte)) as u8);
                }
            }
        }
    }
    bytes
}

impl InputSource for ModelInputs {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        self.values.next()
    }

    fn next_in_memory(&mut self, _: &Input, object: ObjectId, offset: u64, ty: Ty) -> Option<u128> {
        let byte = |at: u64| {
            let byte = self.memory.get(&(object, offset.wrapping_add(at)));
            u128::from(byte.copied().unwrap_or(0))
        };
        Some((0..ty.bytes().min(16)).fold(0, |bits, at| bits | byte(at) << (8 * at)))
    }
}
