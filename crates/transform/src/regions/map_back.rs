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
        lives: FxHashMap::default(),
        pieces: FxHashMap::default(),
        memory: FxHashMap::default(),
    };
    for &(input, ty, bits) in inputs {
        let number = input.0 as usize;
        if let Some(&(object, offset)) = pieces.get(&input) {
            source.remember(object, offset, ty, bits);
        } else if number >= split.inputs.len() {
            // Memory that stayed memory: values come in the order in which they are asked for.
            let object = ObjectId((number - split.inputs.len()) as u32);
            source.memory.entry(object).or_default().push_back(bits);
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
    /// How often objects have come to life without a value. The split gives their variables an
    /// input each time, whether somebody reads it or not.
    lives: FxHashMap<ObjectId, usize>,
    /// Values of bytes that became parts of variables, by the object's lives.
    pieces: FxHashMap<(ObjectId, u64), Vec<u128>>,
    /// Values of whole reads, in their order.
    memory: FxHashMap<ObjectId, VecDeque<u128>>,
}

impl Guided {
    fn remember(&mut self, object: ObjectId, offset: u64, ty: Ty, bits: u128) {
        for byte in 0..ty.bytes() {
            let value = (bits >> (8 * byte)) & 0xff;
            self.pieces
                .entry((object, offset + byte))
                .or_default()
                .push(value);
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
        let life = self.lives.get(&object).copied().unwrap_or(1);
        for byte in 0..ty.bytes().min(16) {
            let Some(values) = self.pieces.get(&(object, offset + byte)) else {
                continue;
            };
            let value = values.get(life - 1).or(values.last());
            bits |= value.copied().unwrap_or(0) << (8 * byte);
            known = true;
        }
        if !known && let Some(values) = self.memory.get_mut(&object) {
            bits = values.pop_front().unwrap_or(0);
        }
        Some(bits)
    }

    fn begins(&mut self, object: ObjectId) {
        *self.lives.entry(object).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::split_memory;
    use interpreter::Outcome;
    use lowering::{LowerOptions, load_text};
    use syntax::driver::Options as FrontOptions;

    /// Gives every input of the split program another value.
    struct Counting(u128);

    impl InputSource for Counting {
        fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
            self.0 += 1;
            Some(self.0)
        }
    }

    /// Both programs return the same.
    fn agrees(text: &str) {
        let loaded = load_text(
            "a.i",
            text,
            &FrontOptions::default(),
            &LowerOptions::default(),
        );
        let original = loaded.unwrap_or_else(|failure| panic!("{failure}")).program;
        let split = split_memory(&original);
        let options = Options::default();
        let run = Interpreter::new(&split).run(&options, &mut Counting(0), &mut std::io::sink());
        let before = replay_before(&original, &split, &run.inputs, None);
        assert!(
            matches!(run.outcome, Outcome::Finished(_)),
            "{:?}",
            run.outcome
        );
        assert_eq!(run.outcome, before.outcome, "{text}");
    }

    #[test]
    fn values_belong_to_the_life_in_which_they_are_read() {
        agrees(
            "int main(void) { int sum = 0; for (int i = 0; i < 3; i++) { int x, *p = &x; if (i == 1) sum += *p; } return sum; }",
        );
    }

    #[test]
    fn copies_of_what_has_no_value_have_the_same() {
        agrees(
            "struct pair { int a, b; }; struct pair g; int main(void) { struct pair x, *p = &g; *p = x; \
             return g.a * 10 + g.b; }",
        );
    }
}
