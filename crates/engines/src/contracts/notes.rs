//! What executions pass to functions and get from them, read off the variables in which a program
//! with contracts notes it.

use cfa::concrete::{Concrete, State, Undefined};
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::ObjectId;
use cfa::op::InputId;
use cfa::program::{EdgeId, Program};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use interpreter::{
    Change, InputSource, Interpreter, Observer, Options, RandomInputs, RecordedInputs, View,
    constants,
};
use rustc_hash::{FxHashMap, FxHashSet};
use transform::passes::contracts::{Contracted, before};

/// The values of the variables that a contract speaks of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Noted {
    pub values: FxHashMap<VarId, u128>,
}

struct Read<'a>(&'a Noted);

impl State for Read<'_> {
    type Error = Undefined;

    fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Undefined> {
        self.0.values.get(&var).copied().ok_or(Undefined::IllTyped)
    }

    fn address(&mut self, _: ObjectId) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }

    fn load(&mut self, _: u128, _: Ty) -> Result<u128, Undefined> {
        Err(Undefined::IllTyped)
    }
}

impl Noted {
    /// The value of an expression over these variables, if it has one.
    pub fn value(&self, pool: &ExprPool, root: ExprId) -> Option<u128> {
        cfa::algebra::evaluate(pool, root, &mut Concrete(&mut Read(self))).ok()
    }

    pub fn holds(&self, pool: &ExprPool, condition: ExprId) -> Option<bool> {
        self.value(pool, condition).map(|bits| bits != 0)
    }
}

/// Steps of one execution that samples are taken from, and of one that refutes candidates.
const MAX_STEPS: u64 = 5_000;
const MAX_STEPS_OF_REFUTATION: u64 = 1 << 20;

/// Calls of one function that are kept.
const MAX_SAMPLES: usize = 400;

/// Tells of each call and each return.
struct Watch<'a, F: FnMut(u32, Noted)> {
    program: &'a Program,
    made: &'a Contracted,
    tell: F,
}

impl<F: FnMut(u32, Noted)> Observer for Watch<'_, F> {
    fn edge(&mut self, _: EdgeId, change: Change, view: &View<'_>) {
        let Change::Variable(var, value) = change else {
            return;
        };
        if Some(var) != self.made.notes.which {
            return;
        }
        let Some(of) = self.made.notes.of.get(value as usize / 2) else {
            return;
        };
        let values = of.iter();
        let values = values.filter_map(|(&meant, &var)| Some((meant, view.variable(var)?)));
        let mut noted = Noted {
            values: values.collect(),
        };
        for global in self.program.globals() {
            if let Some(&now) = noted.values.get(&global) {
                let before = before(self.program, global);
                noted.values.entry(before).or_insert(now);
            }
        }
        (self.tell)(value as u32, noted);
    }
}

fn watch<F: FnMut(u32, Noted)>(
    program: &Program,
    made: &Contracted,
    interpreter: &mut Interpreter<'_>,
    inputs: &mut dyn InputSource,
    (max_steps, budget): (u64, &Budget),
    tell: F,
) {
    let mut observer = Watch {
        program,
        made,
        tell,
    };
    let options = Options {
        max_steps,
        stop: Some(&budget.stop),
        ..Options::default()
    };
    let (mut out, mut err) = (std::io::sink(), std::io::sink());
    let observer: Option<&mut dyn Observer> = Some(&mut observer);
    interpreter.run_with(&options, inputs, &mut out, &mut err, observer);
}

/// What executions with random inputs pass and get: for each function its calls that returned.
pub fn sampled(
    program: &Program,
    noting: &Contracted,
    runs: u32,
    budget: &Budget,
) -> Vec<Vec<Noted>> {
    let mut found: Vec<Vec<Noted>> = vec![Vec::new(); noting.notes.of.len()];
    let mut known: Vec<FxHashSet<Vec<(VarId, u128)>>> = vec![FxHashSet::default(); found.len()];
    let constants = constants(program);
    let mut interpreter = Interpreter::new(&noting.passed.program);
    for seed in 0..runs {
        if budget.is_exhausted() || found.iter().all(|calls| calls.len() >= MAX_SAMPLES) {
            break;
        }
        let mut inputs = RandomInputs::with_constants(u64::from(seed) + 1, constants.clone());
        let mut open: Vec<(u32, Noted)> = Vec::new();
        watch(
            program,
            noting,
            &mut interpreter,
            &mut inputs,
            (MAX_STEPS, budget),
            |which, now| {
                let number = which / 2;
                if which % 2 == 0 {
                    open.push((number, now));
                    return;
                }
                let Some((called, mut noted)) = open.pop() else {
                    return;
                };
                if called != number || found[number as usize].len() >= MAX_SAMPLES {
                    return;
                }
                let function = returned(program, noting, number as usize);
                // Globals as the function leaves them, and the result.
                for (var, value) in now.values {
                    if function.contains(&var) {
                        noted.values.insert(var, value);
                    }
                }
                let mut all: Vec<(VarId, u128)> = noted
                    .values
                    .iter()
                    .map(|(&var, &value)| (var, value))
                    .collect();
                all.sort_unstable();
                if known[number as usize].insert(all) {
                    found[number as usize].push(noted);
                }
            },
        );
    }
    found
}

/// The variables that say what a function has done: globals of the program, and its result.
fn returned(program: &Program, made: &Contracted, number: usize) -> FxHashSet<VarId> {
    let vars = made.notes.of[number].keys().copied();
    let is_result = |var: VarId| {
        let functions = program.functions.iter();
        let mut results = functions.filter_map(|function| function.result);
        results.any(|result| result == var)
    };
    let known = program.vars.len() as u32;
    vars.filter(|&var| var.0 < known && (program.var(var).function.is_none() || is_result(var)))
        .collect()
}

/// What an execution noted last: of which contract, whether the function had returned, and the
/// values.
pub fn noted_last(
    program: &Program,
    made: &Contracted,
    inputs: &[InputValue],
    budget: &Budget,
) -> Option<(usize, bool, Noted)> {
    let values = inputs.iter();
    let values = values.map(|value| (value.input, value.ty, value.bits));
    let values: Vec<(InputId, Ty, u128)> = values.collect();
    let mut interpreter = Interpreter::new(&made.passed.program);
    let mut last = None;
    let mut source = RecordedInputs::new(&values);
    watch(
        program,
        made,
        &mut interpreter,
        &mut source,
        (MAX_STEPS_OF_REFUTATION, budget),
        |which, noted| last = Some((which as usize / 2, which % 2 == 1, noted)),
    );
    last
}
