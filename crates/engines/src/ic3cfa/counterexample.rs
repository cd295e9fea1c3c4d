//! From a chain of obligations to an execution.

use super::command::{Naming, execute};
use super::graph::Step;
use super::obligations::{Next, Obligations};
use super::{NAME, Search};
use crate::model;
use encoding::state::State;
use encoding::step::MemoryChecks;
use facts::budget::SolverBudget;
use facts::certificate::Certificate;
use facts::engine::Reason;
use logic::Answer;

/// A way from the start to an error.
pub(super) struct Trace {
    steps: Vec<Step>,
    /// It ends in what has no formula.
    beyond: Option<String>,
}

impl Search<'_> {
    /// The words of the obligations that follow one another.
    pub(super) fn trace(&self, obligations: &Obligations, first: Next) -> Trace {
        let all = std::iter::successors(Some(first), |this| obligations.get(this.obligation).next);
        self.trace_of_words(all.map(|this| (this.link, this.partial)))
    }

    /// The words of partial commands that follow one another.
    pub(super) fn trace_of_words(&self, words: impl Iterator<Item = (usize, usize)>) -> Trace {
        let mut trace = Trace {
            steps: Vec::new(),
            beyond: None,
        };
        for (link, partial) in words {
            let partial = &self.links[link].partials[partial];
            trace.steps.extend(partial.word.iter());
            trace.beyond = partial.beyond.clone();
        }
        trace
    }

    /// Solves for the inputs of the whole way and executes the program with them.
    pub(super) fn counterexample(&mut self, trace: &Trace) -> Result<Certificate, Reason> {
        if let Some(why) = &trace.beyond {
            return Err(Reason::Unsupported(why.clone()));
        }
        self.board.count(
            NAME,
            "steps of the counterexample",
            trace.steps.len() as u64,
        );
        let mut last = "a counterexample is spurious: parts of it cannot be encoded".into();
        for checks in [MemoryChecks::Constant, MemoryChecks::All] {
            self.encoder.memory_checks = checks;
            let start = (State::initial(self.program), &[][..]);
            let (encoder, addresses) = (&mut self.encoder, &mut self.addresses);
            let executed = execute(encoder, addresses, start, &trace.steps, Naming::ByStep);
            let Some(after) = executed.after else {
                continue;
            };
            let mut solver = self.budget.make_solver(0);
            let conditions = after.path.conjuncts_after(0);
            match solver.check(&mut self.encoder.pool, &conditions) {
                Answer::Unsat => continue,
                Answer::Unknown(why) => return Err(Reason::of_solver(self.budget, &why)),
                Answer::Sat => {}
            }
            let points = (&executed.inputs[..], &executed.instances[..]);
            match model::replay(&mut self.encoder, &mut *solver, points, self.budget) {
                Ok(inputs) => return Ok(Certificate::Inputs(inputs)),
                Err(how) => {
                    last = format!(
                        "the model of a counterexample is not an execution of the program ({how})"
                    )
                }
            }
        }
        Err(last.into())
    }
}
