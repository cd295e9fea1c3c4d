//! The base case: all executions from the start of the program, block by block.

use super::Search;
use crate::model;
use encoding::blocks::Layer;
use encoding::unwind::{InputPoint, InstancePoint};
use facts::certificate::Certificate;
use facts::engine::{Outcome, Reason};
use induction::guide::{UntilStopped, not_followed};
use logic::{Answer, Solver, Term};

pub(super) struct Base {
    /// Where executions are after these blocks.
    layer: Layer,
    /// Blocks followed.
    pub(super) blocks: u32,
    inputs: Vec<InputPoint>,
    instances: Vec<InstancePoint>,
    solver: Box<dyn Solver>,
}

impl Base {
    pub(super) fn new(layer: Layer, solver: Box<dyn Solver>) -> Base {
        Base {
            layer,
            blocks: 0,
            inputs: Vec::new(),
            instances: Vec::new(),
            solver,
        }
    }

    /// Does no execution go on? Then what was followed is all.
    pub(super) fn has_ended(&self) -> bool {
        self.layer.is_empty()
    }
}

impl Search<'_> {
    /// No violation in the blocks up to the depth; otherwise an answer.
    pub(super) fn base_case(&mut self, depth: u32) -> Result<Option<Outcome>, Reason> {
        while self.base.blocks <= depth && !self.base.has_ended() {
            self.check_time()?;
            let layer = std::mem::take(&mut self.base.layer);
            let mut advance = self
                .blocks
                .advance(&layer, &mut UntilStopped(&self.budget.stop));
            self.check_time()?;
            self.base.blocks += 1;
            self.base.inputs.append(&mut advance.inputs);
            self.base.instances.append(&mut advance.instances);
            for error in &advance.errors {
                if !self.ask_base(&error.path.conjuncts_after(0))?.is_unsat() {
                    return self.counterexample().map(Some);
                }
            }
            for cut in &advance.cuts {
                if !self.ask_base(&cut.path.conjuncts_after(0))?.is_unsat() {
                    return Err(not_followed(&cut.reason, self.program));
                }
            }
            for (place, state) in advance.next {
                self.found(&place);
                if !self.ask_base(&state.path.conjuncts_after(0))?.is_unsat() {
                    self.base.layer.insert(place, state);
                }
            }
        }
        Ok(None)
    }

    fn ask_base(&mut self, conditions: &[Term]) -> Result<Answer, Reason> {
        let pool = &mut self.blocks.encoder().pool;
        match self.base.solver.check(pool, conditions) {
            Answer::Unknown(reason) => Err(Reason::of_solver(self.budget, &reason)),
            answer => Ok(answer),
        }
    }

    fn counterexample(&mut self) -> Result<Outcome, Reason> {
        let found = model::replay(
            &mut self.blocks.unwinder.encoder,
            &mut *self.base.solver,
            (&self.base.inputs, &self.base.instances),
            self.budget,
        );
        match found {
            Ok(inputs) => Ok(Outcome::Answer(Certificate::Inputs(inputs))),
            Err(how) => {
                let why = format!(
                    "the counterexample is over-approximated and cannot be executed ({how})"
                );
                Err(why.into())
            }
        }
    }
}
