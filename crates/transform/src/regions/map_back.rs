//! From an execution after memory was split back to one before.

use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, Op};
use cfa::program::{Program, VariableKind};
use cfa::value::Ty;
use interpreter::{InputSource, Interpreter, Options, Run};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Instant;

/// Executes the original program with the inputs of an execution of the split one. Inputs that
/// exist in both come in the same order; values of memory without a value are looked up by object
/// and offset.
pub fn replay_before(
    original: &Program,
    split: &Program,
    inputs: &[(InputId, Ty, u128)],
    deadline: Option<Instant>,
) -> Run {
    let mut pieces = FxHashMap::default();
    for edge in &split.edges {
        if let Op::Havoc(var, input) = split.op(edge.op)
            && let VariableKind::Piece { object, offset } = split.var(*var).kind
        {
            pieces.insert(*input, (object, offset));
        }
    }
    let mut source = Guided {
        plain: VecDeque::new(),
        memory: FxHashMap::default(),
    };
    for &(input, ty, bits) in inputs {
        let number = input.0 as usize;
        if let Some(&(object, offset)) = pieces.get(&input) {
            source.remember(object, offset, ty, bits);
        } else if number >= split.inputs.len() {
            // Memory that stayed memory: values come in the order in which they are asked for.
            let object = ObjectId((number - split.inputs.len()) as u32);
            source
                .memory
                .entry((object, u64::MAX))
                .or_default()
                .push_back(bits);
        } else {
            source.plain.push_back(bits);
        }
    }
    let options = Options {
        deadline,
        ..Options::default()
    };
    Interpreter::new(original).run(&options, &mut source, &mut std::io::sink())
}

struct Guided {
    plain: VecDeque<u128>,
    /// Values of bytes, in the order of the object's lives; at the highest offset those of whole
    /// reads.
    memory: FxHashMap<(ObjectId, u64), VecDeque<u128>>,
}

impl Guided {
    fn remember(&mut self, object: ObjectId, offset: u64, ty: Ty, bits: u128) {
        for byte in 0..ty.bytes() {
            let value = (bits >> (8 * byte)) & 0xff;
            self.memory
                .entry((object, offset + byte))
                .or_default()
                .push_back(value);
        }
    }
}

impl InputSource for Guided {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        Some(self.plain.pop_front().unwrap_or(0))
    }

    fn next_in_memory(&mut self, _: &Input, object: ObjectId, offset: u64, ty: Ty) -> Option<u128> {
        let mut bits = 0;
        let mut known = false;
        for byte in 0..ty.bytes().min(16) {
            let Some(values) = self.memory.get_mut(&(object, offset + byte)) else {
                continue;
            };
            let value = if values.len() > 1 {
                values.pop_front()
            } else {
                values.front().copied()
            };
            bits |= value.unwrap_or(0) << (8 * byte);
            known = true;
        }
        if !known && let Some(values) = self.memory.get_mut(&(object, u64::MAX)) {
            bits = values.pop_front().unwrap_or(0);
        }
        Some(bits)
    }
}
