//! States that executions really come to, at the locations where blocks end.
//!
//! What is false in one of them is no invariant: a few hundred concrete states dismiss most
//! candidates before a solver looks at any.

use cfa::concrete::{self, Undefined};
use cfa::expr::{ExprId, ExprPool, VarId};
use cfa::memory::ObjectId;
use cfa::program::{EdgeId, LocId, Program};
use cfa::value::Ty;
use control::StopToken;
use control::clock;
use induction::solver_graph::SolverGraph;
use interpreter::{
    Change, Interpreter, Observer, Options, Outcome, RandomInputs, Run, View, constants,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// The values of variables in one state.
pub type Sample = FxHashMap<VarId, u128>;

#[derive(Default)]
pub struct Samples {
    pub at: FxHashMap<LocId, Vec<Sample>>,
}

impl Samples {
    pub fn of(&self, location: LocId) -> &[Sample] {
        self.at.get(&location).map_or(&[], Vec::as_slice)
    }
}

const RUNS: u64 = 40;
const MAX_PER_LOCATION: usize = 80;
const MAX_PER_RUN: usize = 12;
const MAX_VARIABLES: usize = 120;
const PATIENCE: Duration = Duration::from_millis(250);

struct Watcher<'a> {
    program: &'a Program,
    cuts: &'a dyn Fn(LocId) -> bool,
    variables: &'a FxHashMap<cfa::program::FuncId, Vec<VarId>>,
    samples: &'a mut Samples,
    /// Visits of a location in this run: early ones and later ones at growing distances are kept.
    visits: FxHashMap<LocId, u64>,
    kept: FxHashMap<LocId, usize>,
}

impl Watcher<'_> {
    fn arrive(&mut self, location: LocId, view: &View<'_>) {
        if !(self.cuts)(location) {
            return;
        }
        let visit = self.visits.entry(location).or_insert(0);
        *visit += 1;
        if *visit > 4 && !visit.is_power_of_two() {
            return;
        }
        let kept = self.kept.entry(location).or_insert(0);
        *kept += 1;
        let list = self.samples.at.entry(location).or_default();
        if *kept > MAX_PER_RUN || list.len() >= MAX_PER_LOCATION {
            return;
        }
        let Some(variables) = self
            .variables
            .get(&self.program.location(location).function)
        else {
            return;
        };
        let sample: Sample = variables
            .iter()
            .filter_map(|&var| Some((var, view.variable(var)?)))
            .collect();
        if !list.contains(&sample) {
            list.push(sample);
        }
    }
}

impl Observer for Watcher<'_> {
    fn edge(&mut self, edge: EdgeId, change: Change, view: &View<'_>) {
        match change {
            Change::Call(_) => {}
            _ => self.arrive(self.program.edge(edge).target, view),
        }
    }

    fn leave(&mut self, call: EdgeId, _: Change, view: &View<'_>) {
        self.arrive(self.program.edge(call).target, view);
    }
}

/// Runs the program with random inputs. If a run violates the property, it is returned.
pub fn collect(blocks: &SolverGraph<'_>, stop: &StopToken, samples: &mut Samples) -> Option<Run> {
    let program = blocks.program();
    let mut variables: FxHashMap<cfa::program::FuncId, Vec<VarId>> = FxHashMap::default();
    for location in &program.locations {
        variables.entry(location.function).or_default();
    }
    let globals: Vec<VarId> = (0..program.vars.len() as u32)
        .map(VarId)
        .filter(|&var| program.var(var).function.is_none())
        .collect();
    for (&function, list) in &mut variables {
        list.extend(
            (0..program.vars.len() as u32)
                .map(VarId)
                .filter(|&var| program.var(var).function == Some(function)),
        );
        list.extend(&globals);
        // Callers' locals too; those of functions that are not active hold something of no
        // interest.
        list.extend((0..program.vars.len() as u32).map(VarId).filter(|&var| {
            program
                .var(var)
                .function
                .is_some_and(|other| other != function)
        }));
        list.truncate(MAX_VARIABLES);
    }
    let mut interpreter = Interpreter::new(program);
    let constants = constants(program);
    let deadline = clock::now() + PATIENCE;
    let deadline = stop.deadline().map_or(deadline, |at| at.min(deadline));
    for seed in 0..RUNS {
        if clock::now() >= deadline {
            break;
        }
        let options = Options {
            max_steps: 20_000,
            deadline: Some(deadline),
            ..Options::default()
        };
        let mut watcher = Watcher {
            program,
            cuts: &|location| blocks.is_cut(location),
            variables: &variables,
            samples,
            visits: FxHashMap::default(),
            kept: FxHashMap::default(),
        };
        let mut inputs = RandomInputs::with_constants(seed, constants.clone());
        let run = interpreter.run_with(
            &options,
            &mut inputs,
            &mut std::io::sink(),
            &mut std::io::sink(),
            Some(&mut watcher),
        );
        if let Outcome::Error(_) = run.outcome {
            return Some(run);
        }
        if run.inputs.is_empty() {
            break;
        }
    }
    None
}

struct SampleState<'a>(&'a Sample);

/// Not every expression has a value in a sample: memory is not part of it.
enum Missing {
    Unknown,
}

impl From<Undefined> for Missing {
    fn from(_: Undefined) -> Self {
        Missing::Unknown
    }
}

impl concrete::State for SampleState<'_> {
    type Error = Missing;

    fn variable(&mut self, var: VarId, _: Ty) -> Result<u128, Missing> {
        self.0.get(&var).copied().ok_or(Missing::Unknown)
    }

    fn address(&mut self, _: ObjectId) -> Result<u128, Missing> {
        Err(Missing::Unknown)
    }

    fn load(&mut self, _: u128, _: Ty) -> Result<u128, Missing> {
        Err(Missing::Unknown)
    }
}

impl Samples {
    /// Keeps the expressions that no state at the location contradicts.
    pub fn filter(&self, exprs: &ExprPool, location: LocId, list: &mut Vec<ExprId>) {
        let Some(samples) = self.at.get(&location) else {
            return;
        };
        let mut wrong: FxHashSet<ExprId> = FxHashSet::default();
        for sample in samples {
            let mut state = SampleState(sample);
            let mut algebra = concrete::Concrete(&mut state);
            let mut memo = FxHashMap::default();
            for &expr in list.iter() {
                if wrong.contains(&expr) {
                    continue;
                }
                let value = cfa::algebra::evaluate_with(exprs, expr, &mut algebra, &mut memo);
                if let Ok(0) = value {
                    wrong.insert(expr);
                }
            }
        }
        list.retain(|expr| !wrong.contains(expr));
    }
}
