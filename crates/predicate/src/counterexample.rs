//! Is a path possible, and with which inputs?

use super::trace::Trace;
use control::StopToken;
use encoding::model::{ModelInputs, bits_of};
use facts::certificate::{Certificate, InputValue};
use facts::engine::Reason;
use induction::graph::BlockId;
use induction::solver_graph::SolverGraph;
use interpreter::{Interpreter, Options, Outcome, Run};
use logic::{Answer, Term};

/// What became of a path.
pub enum Feasibility {
    /// For each block the conjuncts that suffice for the contradiction, over leaves at its
    /// beginning.
    Infeasible(Vec<Vec<Term>>),
    Feasible,
    Undecided(String),
}

/// Can the path be taken?
pub fn check(graph: &mut SolverGraph<'_>, trace: &Trace, stop: &StopToken) -> Feasibility {
    let composed = trace.compose(graph, false);
    let mut solver = graph.solving.solver(stop);
    let all: Vec<Term> = composed.conditions.iter().flatten().copied().collect();
    match solver.check(graph.pool(), &all) {
        Answer::Sat => Feasibility::Feasible,
        Answer::Unknown(reason) => Feasibility::Undecided(reason.to_string()),
        Answer::Unsat => {
            let core = solver.core();
            let mut used = Vec::new();
            for (step, conditions) in composed.conditions.iter().enumerate() {
                let kept = trace.conditions[step].iter().zip(conditions);
                used.push(
                    kept.filter(|(_, composed)| core.contains(composed))
                        .map(|(&own, _)| own)
                        .collect(),
                );
            }
            Feasibility::Infeasible(used)
        }
    }
}

/// Why a path that has a model is no answer, where its replay ended in this way.
pub fn no_execution(how: &str) -> Reason {
    format!("a counterexample path is over-approximated and cannot be executed ({how})").into()
}

/// The execution along the path as inputs, replayed; or how the replay ended.
pub fn inputs(
    graph: &mut SolverGraph<'_>,
    blocks: Vec<BlockId>,
    stop: &StopToken,
) -> Result<Certificate, String> {
    let trace = Trace::new(graph, blocks, true);
    let composed = trace.compose(graph, true);
    let mut solver = graph.solving.solver(stop);
    let all: Vec<Term> = composed.conditions.iter().flatten().copied().collect();
    if !solver.check(graph.pool(), &all).is_sat() {
        return Err("the path is infeasible on the second check".into());
    }
    let mut values = Vec::new();
    for (step, &block) in trace.blocks.iter().enumerate() {
        let points = graph.block(block).inputs.clone();
        let mut memo = composed.substitutions[step].clone();
        for point in points.iter() {
            let pool = graph.pool();
            let mut taken = true;
            for condition in point.path.conjuncts_after(0) {
                let condition = pool.substitute_memo(condition, &mut memo);
                taken &= solver.holds(pool, condition) == Some(true);
            }
            if taken {
                let value = pool.substitute_memo(point.value, &mut memo);
                let value = solver.value(pool, value);
                values.push(value.as_ref().map_or(0, bits_of));
            }
        }
    }
    let program = graph.program();
    let mut interpreter = Interpreter::new(program);
    let options = Options {
        stop: Some(stop),
        ..Options::default()
    };
    let mut source = ModelInputs::new(values, program, graph.pool(), solver.as_mut(), Vec::new());
    let run = interpreter.run(&options, &mut source, &mut std::io::sink());
    match run.outcome {
        Outcome::Error(_) => Ok(certificate(&run)),
        ref other => {
            let place = program.describe(run.place.span);
            Err(format!("{place}: {}", other.describe(program)))
        }
    }
}

pub fn certificate(run: &Run) -> Certificate {
    let inputs = run.inputs.iter();
    let inputs = inputs.map(|&(input, ty, bits)| InputValue { input, ty, bits });
    Certificate::Inputs(inputs.collect())
}
