//! Bounded model checking: all executions up to a bound as one formula, with a bound that grows
//! (Biere1999: A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic Model Checking without BDDs*,
//! 1999; of C programs, Clarke2004: E. Clarke, D. Kroening, F. Lerda, *A Tool for Checking ANSI-C
//! Programs*, 2004).
//!
//! | papers | here |
//! |---|---|
//! | bound `k` | `Limits::iterations` of each loop, `Limits::recursion` of each function |
//! | `I(s₀) ∧ T(s₀, s₁) ∧ … ∧ T(sₖ₋₁, sₖ)` | states of an `Unwinding`: functions of the inputs |
//! | `¬P(s₀) ∨ … ∨ ¬P(sₖ)` | the paths of `Unwinding::errors` |
//! | unwinding assertions, completeness of `k` | `Search::forward_condition`, `Unwinding::cuts` |
//! | satisfying assignment | `Search::counterexample`: inputs that the interpreter replays |
//!
//! Deviations: loops are unwound only as far as the solver says that they can go on
//! (`SolverGuide`). Accesses are first assumed to hit their objects; if a model cannot be replayed,
//! the formula gets conditions that they do (`MemoryChecks::All`). The bound doubles instead of
//! growing by one.

use crate::model;
use cfa::program::Program;
use encoding::path::Path;
use encoding::step::{Encoder, MemoryChecks};
use encoding::unwind::{Cut, CutReason, Guide, Limits, Unwinder, Unwinding};
use facts::budget::{Budget, SolverBudget};
use facts::certificate::{Certificate, UnrollingBounds};
use facts::engine::{Board, Engine, Outcome, Reason, View};
use induction::guide::not_followed;
use logic::{Answer, Solver, Term, TermPool};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bounded model checking: unrolls the program to a growing bound and asks the solver for a
/// violation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BmcOptions {
    /// The bound of the first round: iterations of each loop, and depth of recursion.
    pub first_bound: u32,
    /// The engine gives up beyond this bound.
    pub last_bound: u32,
    /// Steps that the first round unrolls at most; the limit grows with the bound.
    pub first_steps: u64,
    /// The seed of the solver.
    pub seed: u32,
}

impl Default for BmcOptions {
    fn default() -> Self {
        BmcOptions {
            first_bound: 1,
            last_bound: 1 << 20,
            first_steps: 20_000,
            seed: 0,
        }
    }
}

#[derive(Default)]
pub struct Bmc {
    pub options: BmcOptions,
}

const NAME: &str = "bmc";

impl Engine for Bmc {
    fn name(&self) -> &str {
        NAME
    }

    /// A complete unrolling is one of all loops, also of those that lead to no error.
    fn view(&self) -> View {
        View::Split
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let mut search = Search {
            program,
            unwinder: Unwinder::new(Encoder::new(program)),
            solver: budget.make_solver(self.options.seed),
            board,
            budget,
            last_failure: None,
        };
        search.run(&self.options)
    }
}

struct Search<'a> {
    program: &'a Program,
    unwinder: Unwinder<'a>,
    solver: Box<dyn Solver>,
    board: &'a dyn Board,
    budget: &'a Budget,
    /// Why the last model was no counterexample.
    last_failure: Option<String>,
}

/// What a round ended with.
enum Round {
    Done(Outcome),
    /// Nothing within the bound; executions beyond it exist, or may.
    Longer(Reason),
    /// The model was none of a real execution; the formula is to be made sharper.
    Sharper,
}

impl Search<'_> {
    fn run(&mut self, options: &BmcOptions) -> Outcome {
        let mut limits = Limits {
            iterations: options.first_bound,
            recursion: options.first_bound.max(2),
            steps: options.first_steps,
        };
        loop {
            self.board
                .progress(NAME, &format!("bound {}", limits.iterations));
            self.board
                .count(NAME, "bound", u64::from(limits.iterations));
            match self.round(&limits) {
                Round::Done(outcome) => return outcome,
                Round::Sharper => continue,
                Round::Longer(reason) => {
                    if self.budget.is_exhausted() {
                        let bound = format_args!("bound {}", limits.iterations);
                        return Outcome::Unknown(Reason::out_of_time().at(bound));
                    }
                    if limits.iterations >= options.last_bound {
                        return Outcome::Unknown(reason);
                    }
                }
            }
            limits.iterations = limits.iterations.saturating_mul(2).min(options.last_bound);
            limits.recursion = limits.iterations.max(2);
            limits.steps = limits.steps.saturating_mul(3);
        }
    }

    fn round(&mut self, limits: &Limits) -> Round {
        let unwinding = {
            let mut guide = SolverGuide {
                solver: &mut *self.solver,
                budget: self.budget,
            };
            self.unwinder.unwind(limits, &mut guide)
        };
        self.solver.set_stop(self.budget.stop.clone());
        self.board.count(NAME, "steps", unwinding.steps);
        if self.budget.is_exhausted() {
            return Round::Longer(Reason::out_of_time());
        }
        let error = self.any(unwinding.errors.iter().map(|error| &error.path));
        if error != TermPool::FALSE {
            match self.check(error) {
                Answer::Unsat => {}
                Answer::Sat => return self.counterexample(&unwinding),
                Answer::Unknown(reason) => {
                    let why = Reason::of_solver(self.budget, &reason);
                    let bound = format_args!("bound {}", limits.iterations);
                    return Round::Done(Outcome::Unknown(why.at(bound)));
                }
            }
        }
        self.forward_condition(limits, &unwinding.cuts)
    }

    fn pool(&mut self) -> &mut TermPool {
        &mut self.unwinder.encoder.pool
    }

    fn any<'b>(&mut self, paths: impl Iterator<Item = &'b Path>) -> Term {
        let pool = self.pool();
        let terms: Vec<Term> = paths.map(|path| path.term(pool)).collect();
        pool.or_all(terms)
    }

    fn check(&mut self, term: Term) -> Answer {
        self.solver.check(&mut self.unwinder.encoder.pool, &[term])
    }

    /// Does any execution exceed the bound?
    fn forward_condition(&mut self, limits: &Limits, cuts: &[Cut]) -> Round {
        let beyond = self.any(cuts.iter().map(|cut| &cut.path));
        let answer = if beyond == TermPool::FALSE {
            Answer::Unsat
        } else {
            self.check(beyond)
        };
        match answer {
            Answer::Unsat => {
                let bounds = UnrollingBounds {
                    iterations: limits.iterations,
                    recursion: limits.recursion,
                    steps: limits.steps,
                };
                Round::Done(Outcome::Answer(Certificate::CompleteUnrolling(bounds)))
            }
            Answer::Unknown(reason) => {
                Round::Longer(Reason::Undecided(format!("solver: {reason}")))
            }
            Answer::Sat => {
                // If what is not supported is reached within the bound, a larger bound will not
                // help a proof, but it may still find a violation.
                let reason = self.reason_beyond(cuts);
                let bound = limits.iterations;
                let bounded =
                    || format!("no violation up to bound {bound}, and executions exceed it").into();
                Round::Longer(reason.unwrap_or_else(bounded))
            }
        }
    }

    fn reason_beyond(&mut self, cuts: &[Cut]) -> Option<Reason> {
        for cut in cuts {
            if matches!(cut.reason, CutReason::Beyond(..)) {
                return Some(not_followed(&cut.reason, self.program));
            }
        }
        None
    }

    /// The model as inputs, replayed.
    fn counterexample(&mut self, unwinding: &Unwinding) -> Round {
        let found = model::replay(
            &mut self.unwinder.encoder,
            &mut *self.solver,
            (&unwinding.inputs, &unwinding.instances),
            self.budget,
        );
        match found {
            Ok(inputs) => return Round::Done(Outcome::Answer(Certificate::Inputs(inputs))),
            Err(failure) => self.last_failure = Some(failure),
        }
        if self.unwinder.encoder.memory_checks == MemoryChecks::Constant {
            // Perhaps the model reads or writes where no object is.
            self.unwinder.encoder.memory_checks = MemoryChecks::All;
            return Round::Sharper;
        }
        let how = self.last_failure.as_deref().unwrap_or("unknown");
        let why = format!("the counterexample is over-approximated and cannot be executed ({how})");
        Round::Done(Outcome::Unknown(why.into()))
    }
}

/// Asks the solver whether a loop can go on.
struct SolverGuide<'a> {
    solver: &'a mut dyn Solver,
    budget: &'a Budget,
}

/// A question on the way is worth less than the final one.
const GUIDE_PATIENCE: Duration = Duration::from_millis(300);

impl Guide for SolverGuide<'_> {
    fn is_feasible(&mut self, pool: &mut TermPool, path: &Path) -> bool {
        self.solver
            .set_stop(self.budget.stop.with_timeout(GUIDE_PATIENCE));
        let conjuncts = path.conjuncts_after(0);
        !self.solver.check(pool, &conjuncts).is_unsat()
    }

    fn must_stop(&mut self) -> bool {
        self.budget.is_exhausted()
    }
}
