//! Simpler inputs of the same violation: fewer of them, smaller ones, a shorter execution.
//!
//! What solvers find is any model, and a reader looks for a meaning in every digit of it. Each
//! candidate is executed, and only one that ends in the same place counts; the certificate that is
//! checked afterwards is that of the result, so nothing here needs to be believed. Work is counted
//! in executions and steps and not in time, so that a run can be repeated.

use arith::float::{self, RoundingMode};
use arith::int;
use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, InputKind};
use cfa::program::Program;
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{InputSource, Interpreter, Options, Outcome, Run};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Executions that are tried.
const MAX_EXECUTIONS: u32 = 400;
/// Steps of all of them together.
const MAX_STEPS: u64 = 4_000_000;
/// An execution with more inputs is shown as it is.
const MAX_VALUES: usize = 2000;

type Taken = (InputId, Ty, u128);

/// Inputs with which the program violates the property at the same place, not more of them than
/// before.
#[must_use]
pub fn simpler(program: &Program, values: &[InputValue], budget: &Budget) -> Vec<InputValue> {
    let given: Vec<Taken> = values
        .iter()
        .map(|value| (value.input, value.ty, value.bits))
        .collect();
    if given.is_empty() || given.len() > MAX_VALUES {
        return values.to_vec();
    }
    let mut search = Search {
        program,
        budget,
        interpreter: Interpreter::new(program),
        executions: 0,
        steps: 0,
    };
    let Some(first) = search.execute(&given, MAX_STEPS / 8) else {
        return values.to_vec();
    };
    // What is not taken in this order is no certificate, and is to be rejected as it is.
    if !matches!(first.outcome, Outcome::Error(_)) || first.inputs != given {
        return values.to_vec();
    }
    let mut best = Best {
        size: size(&first),
        run: first,
    };
    while search.round(&mut best) {}
    let taken = best.run.inputs.into_iter();
    taken
        .map(|(input, ty, bits)| InputValue { input, ty, bits })
        .collect()
}

struct Best {
    run: Run,
    size: (usize, u64, u128),
}

struct Search<'a> {
    program: &'a Program,
    /// Compiled once.
    interpreter: Interpreter<'a>,
    budget: &'a Budget,
    executions: u32,
    steps: u64,
}

impl Search<'_> {
    /// The execution with these inputs; zeros where it takes others. `None` if there was work
    /// enough.
    fn execute(&mut self, inputs: &[Taken], max_steps: u64) -> Option<Run> {
        if self.executions >= MAX_EXECUTIONS
            || self.steps >= MAX_STEPS
            || self.budget.is_exhausted()
        {
            return None;
        }
        let mut source = Queues::new(self.program, inputs);
        let options = Options {
            stop: Some(&self.budget.stop),
            max_steps,
            ..Options::default()
        };
        let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
        let run = self
            .interpreter
            .run_with(&options, &mut source, out, err, None);
        self.executions += 1;
        // What lives at the start of a large program is made anew each time.
        self.steps += run.steps + self.program.objects.len() as u64;
        Some(run)
    }

    /// Takes the candidate in place of the best one if it is simpler; whether there is time left.
    fn attempt(&mut self, inputs: &[Taken], best: &mut Best) -> bool {
        let Some(run) = self.execute(inputs, best.run.steps.saturating_mul(2) + 100) else {
            return false;
        };
        let is_same = run.outcome == best.run.outcome
            && run.place.location == best.run.place.location
            && run.fault.is_some() == best.run.fault.is_some();
        let size = size(&run);
        if is_same && size < best.size {
            *best = Best { run, size };
        }
        true
    }

    /// One pass over all simplifications; whether one of them helped and more may.
    fn round(&mut self, best: &mut Best) -> bool {
        let before = best.size;
        let zeros: Vec<Taken> = best.run.inputs.iter().map(|one| self.zero(*one)).collect();
        if zeros != best.run.inputs && !self.attempt(&zeros, best) {
            return false;
        }
        let mut length = best.run.inputs.len().div_ceil(2);
        while length >= 1 {
            let mut at = 0;
            while at < best.run.inputs.len() {
                let end = (at + length).min(best.run.inputs.len());
                let count = best.run.inputs.len();
                let mut shorter = best.run.inputs.clone();
                shorter.drain(at..end);
                if !self.attempt(&shorter, best) {
                    return false;
                }
                if best.run.inputs.len() == count {
                    let mut zeros = best.run.inputs.clone();
                    for one in &mut zeros[at..end] {
                        *one = self.zero(*one);
                    }
                    if zeros != best.run.inputs && !self.attempt(&zeros, best) {
                        return false;
                    }
                    at = end;
                }
            }
            length /= 2;
        }
        let mut at = 0;
        while at < best.run.inputs.len() {
            if !self.smaller(at, best) {
                return false;
            }
            at += 1;
        }
        best.size < before
    }

    /// Tries smaller values for one input; whether there is time left.
    fn smaller(&mut self, at: usize, best: &mut Best) -> bool {
        let one @ (_, ty, _) = best.run.inputs[at];
        if !is_free(self.program, one) {
            return true;
        }
        for bits in simple_values(ty) {
            if best
                .run
                .inputs
                .get(at)
                .is_none_or(|now| weight(ty, now.2) <= weight(ty, bits))
            {
                continue;
            }
            if !self.with(at, bits, best) {
                return false;
            }
        }
        let Ty::Int { width, signed } = ty else {
            return true;
        };
        // Halving towards zero finds the least one where all larger ones violate the property too.
        let mut low = 0;
        while let Some(&(_, _, bits)) = best.run.inputs.get(at) {
            let (magnitude, is_negative) = magnitude(ty, bits);
            if magnitude <= low + 1 {
                break;
            }
            let middle = low + (magnitude - low) / 2;
            let candidate = match is_negative && signed {
                true => int::truncate(middle.wrapping_neg(), width.into()),
                false => middle,
            };
            if !self.with(at, candidate, best) {
                return false;
            }
            if best.run.inputs.get(at).is_some_and(|now| now.2 == bits) {
                low = middle;
            }
        }
        true
    }

    fn with(&mut self, at: usize, bits: u128, best: &mut Best) -> bool {
        let mut inputs = best.run.inputs.clone();
        let Some(one) = inputs.get_mut(at) else {
            return true;
        };
        one.2 = bits;
        self.attempt(&inputs, best)
    }

    fn zero(&self, one: Taken) -> Taken {
        match is_free(self.program, one) {
            true => (one.0, one.1, 0),
            false => one,
        }
    }
}

/// Values that a program may take from anywhere. What libraries, compilers and the start of the
/// program give is left as it is.
fn is_free(program: &Program, (id, _, _): Taken) -> bool {
    match program.inputs.get(id.0 as usize) {
        Some(input) => matches!(
            input.kind,
            InputKind::Nondet(_) | InputKind::External(_) | InputKind::Uninitialised(_)
        ),
        None => true,
    }
}

/// Numbers that people like.
fn simple_values(ty: Ty) -> Vec<u128> {
    match ty {
        Ty::Float(format) => {
            let whole = |number: u128| {
                float::from_int(format, RoundingMode::NearestEven, number, 64, false)
            };
            let positive = [0, 1, 2, 10, 100, 1000].map(whole);
            let negative = [1, 2, 10, 100].map(|number| float::neg(format, whole(number)));
            positive.into_iter().chain(negative).collect()
        }
        _ => vec![0, 1],
    }
}

fn magnitude(ty: Ty, bits: u128) -> (u128, bool) {
    match ty {
        Ty::Int {
            width,
            signed: true,
        } => {
            let value = int::to_signed(bits, width.into());
            (value.unsigned_abs(), value < 0)
        }
        _ => (bits, false),
    }
}

/// How much there is to read of a value.
fn weight(ty: Ty, bits: u128) -> u128 {
    match ty {
        Ty::Float(_) => match simple_values(ty).iter().position(|one| *one == bits) {
            Some(at) => at as u128,
            None => 1 << 12,
        },
        _ => {
            let (magnitude, is_negative) = magnitude(ty, bits);
            magnitude.min(u128::MAX / 4) * 2 + u128::from(is_negative)
        }
    }
}

/// The fewest inputs come first, then the shortest execution, then the smallest values.
fn size(run: &Run) -> (usize, u64, u128) {
    let weights = run.inputs.iter().map(|&(_, ty, bits)| weight(ty, bits));
    let weight = weights.fold(0u128, u128::saturating_add);
    (run.inputs.len(), run.steps, weight)
}

/// Values for each input of the program, in their order.
struct Queues<'a> {
    program: &'a Program,
    values: FxHashMap<InputId, VecDeque<u128>>,
}

impl<'a> Queues<'a> {
    fn new(program: &'a Program, inputs: &[Taken]) -> Queues<'a> {
        let mut values: FxHashMap<InputId, VecDeque<u128>> = FxHashMap::default();
        for &(id, _, bits) in inputs {
            values.entry(id).or_default().push_back(bits);
        }
        Queues { program, values }
    }

    fn take(&mut self, id: InputId) -> u128 {
        let queue = self.values.get_mut(&id);
        queue.and_then(VecDeque::pop_front).unwrap_or(0)
    }
}

impl InputSource for Queues<'_> {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        None
    }

    fn next_of(&mut self, id: InputId, _: &Input, _: Ty) -> Option<u128> {
        Some(self.take(id))
    }

    fn next_in_memory(&mut self, _: &Input, object: ObjectId, _: u64, _: Ty) -> Option<u128> {
        let id = InputId(self.program.inputs.len() as u32 + object.0);
        Some(self.take(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that are left of those given, which must violate the assertion.
    fn left(text: &str, given: &[u128]) -> Vec<u128> {
        let program = testing::program(text);
        let mut source = Given(given.iter());
        let mut interpreter = Interpreter::new(&program);
        let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
        let run = interpreter.run_with(&Options::default(), &mut source, out, err, None);
        assert!(matches!(run.outcome, Outcome::Error(_)));
        let values: Vec<InputValue> = run
            .inputs
            .into_iter()
            .map(|(input, ty, bits)| InputValue { input, ty, bits })
            .collect();
        let found = simpler(&program, &values, &Budget::unlimited());
        found.into_iter().map(|value| value.bits).collect()
    }

    struct Given<'a>(std::slice::Iter<'a, u128>);

    impl InputSource for Given<'_> {
        fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
            self.0.next().copied()
        }
    }

    const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

    #[test]
    fn the_least_value_of_a_range_is_found() {
        let text = format!(
            "{HEAD} int main(void) {{ int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int();
            if (x > 1000 && y != 0) reach_error(); return 0; }}"
        );
        assert_eq!(left(&text, &[1_234_567, 0xffff_ffff]), [1001, 1]);
    }

    #[test]
    fn iterations_that_are_not_needed_are_left_out() {
        let text = format!(
            "{HEAD} int main(void) {{ int sum = 0; for (int i = 0; i < 20; i++) {{
            int x = __VERIFIER_nondet_int(); if (x == 7) sum++;
            if (sum == 2) reach_error(); }} return 0; }}"
        );
        assert_eq!(left(&text, &[3, 0, 7, 9, 1, 1, 7]), [7, 7]);
    }
}
