//! From a chain of obligations to an execution.

use super::command::{Naming, execute};
use super::graph::Step;
use super::obligations::{Next, Obligations};
use super::{NAME, Search};
use crate::model;
use cfa::program::EdgeId;
use encoding::state::State;
use encoding::step::MemoryChecks;
use facts::budget::SolverBudget;
use facts::certificate::Certificate;
use facts::engine::Reason;
use logic::{Answer, Cube, Solver, Term};

/// A way from the start to an error: links, the partial command that was found for each, and the
/// cube that it leads into.
pub(super) struct Trace {
    pub(super) steps: Vec<(usize, usize, Cube)>,
}

impl Trace {
    /// The obligations that follow one another.
    pub(super) fn of(obligations: &Obligations, first: Next) -> Trace {
        let all = std::iter::successors(Some(first), |this| obligations.get(this.obligation).next);
        let steps = all.map(|this| {
            let cube = obligations.get(this.obligation).cube.clone();
            (this.link, this.partial, cube)
        });
        Trace {
            steps: steps.collect(),
        }
    }
}

/// An execution as far as its partial commands are chosen.
struct Prefix {
    state: State,
    calls: Vec<EdgeId>,
    steps: usize,
}

impl Search<'_> {
    /// Solves for the inputs of the whole way and executes the program with them.
    pub(super) fn counterexample(&mut self, trace: &Trace) -> Result<Certificate, Reason> {
        if let Some((link, partial, _)) = trace.steps.last()
            && let Some(why) = &self.links[*link].partials[*partial].beyond
        {
            return Err(Reason::Unsupported(why.clone()));
        }
        let found = trace.steps.iter();
        let found: Vec<(usize, usize)> = found.map(|&(link, partial, _)| (link, partial)).collect();
        match self.execution(&found) {
            Err(why) if self.options.lifting => match self.choose_partials(trace)? {
                Some(chosen) if chosen != found => self.execution(&chosen),
                _ => Err(why),
            },
            result => result,
        }
    }

    /// The inputs with which the program takes these partial commands.
    fn execution(&mut self, chosen: &[(usize, usize)]) -> Result<Certificate, Reason> {
        let words = chosen
            .iter()
            .map(|&(link, partial)| &self.links[link].partials[partial].word);
        let steps: Vec<Step> = words.flat_map(|word| word.iter().copied()).collect();
        let count = steps.len() as u64;
        self.board.count(NAME, "steps of the counterexample", count);
        let mut last = "a counterexample is spurious: parts of it cannot be encoded".into();
        for checks in [MemoryChecks::Constant, MemoryChecks::All] {
            self.encoder.memory_checks = checks;
            let start = (State::initial(self.program), &[][..]);
            let (encoder, addresses) = (&mut self.encoder, &mut self.addresses);
            let executed = execute(encoder, addresses, start, &steps, Naming::ByStep(0));
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

    /// Partial commands that lead from cube to cube. From each state of a cube that was
    /// [lifted](super::lifting) some command leads on, but not always the one that was found.
    fn choose_partials(&mut self, trace: &Trace) -> Result<Option<Vec<(usize, usize)>>, Reason> {
        let mut solver = self.budget.make_solver(0);
        let mut prefix = Prefix {
            state: State::initial(self.program),
            calls: Vec::new(),
            steps: 0,
        };
        let mut chosen = Vec::new();
        for &(link, found, ref cube) in &trace.steps {
            let others = 0..self.links[link].partials.len();
            let others = others.filter(|&partial| partial != found);
            let mut next = None;
            for partial in [found].into_iter().chain(others) {
                next = self.extended(&prefix, (link, partial), cube, &mut *solver)?;
                if next.is_some() {
                    chosen.push((link, partial));
                    break;
                }
            }
            match next {
                Some(next) => prefix = next,
                None => return Ok(None),
            }
        }
        Ok(Some(chosen))
    }

    /// The prefix with one command more, if some execution of it leads into the cube.
    fn extended(
        &mut self,
        prefix: &Prefix,
        (link, partial): (usize, usize),
        cube: &Cube,
        solver: &mut dyn Solver,
    ) -> Result<Option<Prefix>, Reason> {
        if self.links[link].partials[partial].beyond.is_some() {
            return Ok(None);
        }
        let word = self.links[link].partials[partial].word.clone();
        let start = (prefix.state.clone(), &prefix.calls[..]);
        let (encoder, addresses) = (&mut self.encoder, &mut self.addresses);
        let executed = execute(
            encoder,
            addresses,
            start,
            &word,
            Naming::ByStep(prefix.steps),
        );
        let Some(state) = executed.after else {
            return Ok(None);
        };
        let mut conditions: Vec<Term> = state.path.conjuncts_after(0);
        for &literal in cube.literals() {
            if let Some(said) = self.say(self.links[link].target, literal)
                && let Ok(term) = self.encoder.holds(&state, &self.exprs, said)
            {
                conditions.push(term);
            }
        }
        self.check_budget()?;
        self.statistics.asked();
        match solver.check(&mut self.encoder.pool, &conditions) {
            Answer::Sat => Ok(Some(Prefix {
                state,
                calls: executed.calls,
                steps: prefix.steps + word.len(),
            })),
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(Reason::of_solver(self.budget, &why)),
        }
    }
}
