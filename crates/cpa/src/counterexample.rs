//! Counterexample check: is a path through the automaton an execution, and with which inputs?
//!
//! The path formula decides; its model gives the inputs, and the interpreter has the last word.

use absint::place::{Step, StepKind};
use cfa::op::{InputId, Op};
use cfa::program::Program;
use cfa::value::Ty;
use encoding::algebra::sort_of;
use encoding::layout::Layout;
use encoding::model::{ModelInputs, bits_of};
use encoding::state::State;
use encoding::step::{After, Encoder, Instances, MemoryChecks};
use facts::budget::{Budget, SolverBudget};
use facts::certificate::{Certificate, InputValue};
use interpreter::{Interpreter, Options, Outcome};
use logic::{Answer, Solver, Term, TermPool};

pub enum Checked {
    /// An execution that violates the property.
    Violation(Certificate),
    /// No execution takes the path; the number of the first step that cannot be taken after those
    /// before it, as far as that was found.
    Infeasible,
    /// It could not be decided, or the model was no execution.
    Undecided(String),
}

struct PathInstances<'a> {
    step: usize,
    taken: &'a mut Vec<Term>,
}

impl Instances for PathInstances<'_> {
    fn input(&mut self, pool: &mut TermPool, _: InputId, ty: Ty) -> Term {
        let value = pool.var(&format!("input!{}", self.step), sort_of(ty));
        self.taken.push(value);
        value
    }

    fn unknown(&mut self, pool: &mut TermPool, ty: Ty) -> Term {
        pool.var(&format!("unknown!{}", self.step), sort_of(ty))
    }

    fn address(&mut self, layout: &mut Layout, size: u64, align: u64) -> Option<u64> {
        layout.reserve(size, align)
    }
}

/// Checks the path from the entry of the program.
pub fn check(program: &Program, path: &[Step], budget: &Budget) -> Checked {
    let checked = check_with(program, path, MemoryChecks::Constant, budget);
    if let Checked::Undecided(_) = checked {
        // Perhaps the model reads or writes where no object is; there may be others.
        let again = check_with(program, path, MemoryChecks::All, budget);
        if let Checked::Violation(_) = again {
            return again;
        }
    }
    checked
}

fn check_with(
    program: &Program,
    path: &[Step],
    memory_checks: MemoryChecks,
    budget: &Budget,
) -> Checked {
    let mut encoder = Encoder::new(program);
    encoder.memory_checks = memory_checks;
    let mut state = State::initial(program);
    let mut taken = Vec::new();
    for (number, step) in path.iter().enumerate() {
        if number % 64 == 0 && budget.is_exhausted() {
            return Checked::Undecided("out of time".into());
        }
        match follow(&mut encoder, state, step, number, &mut taken) {
            Ok(Some(next)) => state = next,
            Ok(None) => return Checked::Infeasible,
            Err(reason) => return Checked::Undecided(reason),
        }
    }
    let mut solver = budget.make_solver(0);
    let conjuncts = state.path.conjuncts_after(0);
    match solver.check(&mut encoder.pool, &conjuncts) {
        Answer::Unsat => Checked::Infeasible,
        Answer::Unknown(reason) => Checked::Undecided(reason.to_string()),
        Answer::Sat => replay(program, &mut encoder, solver.as_mut(), &taken, budget),
    }
}

fn follow(
    encoder: &mut Encoder<'_>,
    mut state: State,
    step: &Step,
    number: usize,
    taken: &mut Vec<Term>,
) -> Result<Option<State>, String> {
    let program = encoder.program;
    match (step.kind, program.edge_op(step.edge)) {
        (StepKind::Operation, op) => {
            let mut instances = PathInstances {
                step: number,
                taken,
            };
            Ok(match encoder.apply(&state, op, &mut instances) {
                After::State(next) | After::Both(next, ..) => Some(next),
                After::Nothing => None,
                After::Beyond(_, reason) => return Err(reason.0),
            })
        }
        (StepKind::Call, Op::Call { function, args, .. }) => {
            let mut values = Vec::new();
            for &arg in args {
                match encoder.value(&mut state, arg) {
                    Ok(Some(value)) => values.push(value),
                    Ok(None) => return Ok(None),
                    Err(reason) => return Err(reason.0),
                }
            }
            state.enter(*function);
            for (&param, value) in program.function(*function).params.iter().zip(values) {
                state.set(&encoder.slots, param, value);
            }
            Ok(Some(state))
        }
        (
            StepKind::Return,
            Op::Call {
                function, result, ..
            },
        ) => {
            let returned = program.function(*function).result;
            let returned = returned.and_then(|returned| state.assigned(&encoder.slots, returned));
            state.leave();
            if let Some(result) = result {
                let sort = encoder.sort_of_var(*result);
                let value = returned
                    .unwrap_or_else(|| encoder.pool.var(&format!("unset-result!{number}"), sort));
                state.set(&encoder.slots, *result, value);
            }
            Ok(Some(state))
        }
        _ => Ok(Some(state)),
    }
}

fn replay(
    program: &Program,
    encoder: &mut Encoder<'_>,
    solver: &mut dyn Solver,
    taken: &[Term],
    budget: &Budget,
) -> Checked {
    let values: Vec<u128> = taken
        .iter()
        .map(|&term| {
            let value = solver.value(&encoder.pool, term);
            value.as_ref().map_or(0, bits_of)
        })
        .collect();
    let mut source = ModelInputs::new(values, program, &mut encoder.pool, solver, Vec::new());
    let options = Options {
        stop: Some(&budget.stop),
        ..Options::default()
    };
    let run = Interpreter::new(program).run(&options, &mut source, &mut std::io::sink());
    match run.outcome {
        Outcome::Error(_) => {
            let inputs = run.inputs.iter();
            let inputs = inputs.map(|&(input, ty, bits)| InputValue { input, ty, bits });
            Checked::Violation(Certificate::Inputs(inputs.collect()))
        }
        ref other => Checked::Undecided(format!(
            "the counterexample path is over-approximated and cannot be executed ({}: {})",
            program.describe(run.place.span),
            other.describe(program)
        )),
    }
}
