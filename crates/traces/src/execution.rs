//! The execution along a feasible trace.
//!
//! Blocks are formulas about arbitrary states: they know of an object that it has some address, but
//! not when it came to life, nor what its memory held at first. For the execution the trace is
//! unwound once more from the start of the program, each block from the state that the one before
//! ends in. A model of that is given to the interpreter. If its run ends elsewhere, the trace is
//! unwound with conditions that every access hits its object.

use cfa::program::{EdgeId, LocId};
use encoding::blocks::{Blocks as Unwound, Layer};
use encoding::path::Path;
use encoding::step::MemoryChecks;
use engines::model::replay;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::Certificate;
use induction::graph::{BlockId, Target};
use induction::guide::UntilStopped;
use induction::solver_graph::SolverGraph;

/// The inputs of an execution that takes the trace, or why there are none.
pub fn inputs(
    graph: &SolverGraph<'_>,
    trace: &[BlockId],
    budget: &Budget,
) -> Result<Certificate, String> {
    let first = inputs_with(graph, trace, MemoryChecks::Constant, budget);
    first.or_else(|how| {
        let checked = inputs_with(graph, trace, MemoryChecks::All, budget);
        // What the model did where accesses are not looked at says more about the program.
        checked.map_err(|_| how)
    })
}

fn inputs_with(
    graph: &SolverGraph<'_>,
    trace: &[BlockId],
    checks: MemoryChecks,
    budget: &Budget,
) -> Result<Certificate, String> {
    let mut unwound = Unwound::new(graph.program());
    unwound.encoder().memory_checks = checks;
    let is_cut = |_: &[EdgeId], location: LocId| graph.is_cut(location);
    let mut layer = unwound.start();
    let (mut inputs, mut instances) = (Vec::new(), Vec::new());
    let mut ends: Vec<Path> = Vec::new();
    for &block in trace {
        let (place, state) = layer.pop_first().ok_or("the trace has no states")?;
        let guide = &mut UntilStopped(&budget.stop);
        let mut unwinding = unwound.block(&place, state, &is_cut, guide);
        inputs.append(&mut unwinding.inputs);
        instances.append(&mut unwinding.instances);
        match &graph.block(block).target {
            Target::Place(target) => {
                let target = graph.place(*target);
                unwinding
                    .arrivals
                    .retain(|arrival| arrival.place == *target);
                layer = Layer::default();
                unwound.gather(&mut layer, unwinding.arrivals);
            }
            Target::Error(location) => {
                let errors = unwinding.errors.into_iter();
                let errors = errors.filter(|error| error.location == *location);
                ends = errors.map(|error| error.path).collect();
            }
            Target::Beyond(why) => return Err(why.describe(graph.program())),
        }
    }
    let mut how = String::from("the trace is not feasible from the start");
    for end in ends {
        let mut solver = budget.make_solver(0);
        let encoder = unwound.encoder();
        let conditions = end.conjuncts_after(0);
        if !solver.check(&mut encoder.pool, &conditions).is_sat() {
            continue;
        }
        match replay(encoder, solver.as_mut(), (&inputs, &instances), budget) {
            Ok(inputs) => return Ok(Certificate::Inputs(inputs)),
            Err(other) => how = other,
        }
    }
    Err(how)
}
