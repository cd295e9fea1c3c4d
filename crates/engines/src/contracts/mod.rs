//! Proofs about recursion of any depth: a contract for each recursive function, guessed from
//! executions, and kept as far as it is inductive.
//!
//! | there (see [`transform::passes::contracts`]) | here |
//! |---|---|
//! | precondition, postcondition | the candidates of [`guesses`] that are left |
//! | Houdini (Flanagan2001: C. Flanagan, K. R. M. Leino: Houdini, an annotation assistant for ESC/Java, FME 2001) | `Search::sieve`: an execution that breaks a contract refutes candidates |
//!
//! Deviation: candidates are refuted by executions that bounded model checking finds, to a small
//! bound; so what is left need not hold where functions have loops. It is proved afterwards,
//! together with the property, by engines that know nothing of recursion: the program with the
//! contracts has none.

mod fit;
mod guesses;
mod notes;

use crate::bmc::{Bmc, BmcOptions};
use crate::houdini::Houdini;
use crate::k_induction::KInduction;
use crate::pdr::Pdr;
use cfa::expr::ExprPool;
use cfa::program::Program;
use facts::budget::Budget;
use facts::carried::carry_back;
use facts::certificate::{Certificate, InputValue, UnderContracts};
use facts::engine::{Board, Engine, NoBoard, Outcome, Reason, View};
use facts::words::count;
use guesses::Guesses;
use notes::{Noted, noted_last, sampled};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use transform::passes::contracts::{
    Contract, Contracted, Contracts as AllContracts, Purpose, contracted, globals, recursive,
};
use transform::passes::{SIMPLIFY, Settings, prepare};

/// Contracts of recursive functions, guessed from executions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContractsOptions {
    /// Executions that candidates are guessed from.
    pub executions: u32,
    /// Executions that refute candidates, after which the engine gives up.
    pub most_rounds: u32,
}

impl Default for ContractsOptions {
    fn default() -> Self {
        ContractsOptions {
            executions: 200,
            most_rounds: 1000,
        }
    }
}

#[derive(Default)]
pub struct Contracts {
    pub options: ContractsOptions,
}

const NAME: &str = "contracts";

/// Rounds of loops that are followed while candidates are refuted.
const REFUTED_WITHIN: u32 = 4;

/// One search for a refutation.
const PATIENCE: Duration = Duration::from_secs(3);

impl Engine for Contracts {
    fn name(&self) -> &str {
        NAME
    }

    /// Contracts are about functions and variables that certificates name.
    fn view(&self) -> View {
        View::Split
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        match self.prove(program, board, budget) {
            Ok(certificate) => Outcome::Answer(certificate),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}

impl Contracts {
    fn prove(
        &self,
        program: &Program,
        board: &dyn Board,
        budget: &Budget,
    ) -> Result<Certificate, Reason> {
        let functions = recursive(program);
        if functions.is_empty() {
            return Err("no function is recursive".into());
        }
        for &function in &functions {
            if let Err(why) = globals(program, function) {
                let name = program.function_name(function);
                return Err(format!("{why}: the recursive function '{name}'").into());
            }
        }
        let mut search = Search {
            program,
            guesses: Guesses::new(program, functions),
            board,
            budget,
        };
        let runs = self.options.executions;
        let samples = search.samples(runs)?;
        search.guesses.guess(&samples);
        let guessed = search.guesses.left();
        board.count(NAME, "candidates", guessed as u64);
        board.progress(NAME, &count(guessed, "candidate"));
        search.sieve(self.options.most_rounds)?;
        board.count(NAME, "inductive", search.guesses.left() as u64);
        search.proof()
    }
}

struct Search<'a> {
    program: &'a Program,
    guesses: Guesses<'a>,
    board: &'a dyn Board,
    budget: &'a Budget,
}

impl Search<'_> {
    fn with(&self, contracts: &AllContracts, purpose: Purpose) -> Result<Contracted, Reason> {
        let made = contracted(self.program, contracts, purpose);
        made.map_err(|why| why.to_string().into())
    }

    /// Calls that executions made, for each function.
    fn samples(&self, runs: u32) -> Result<Vec<Vec<Noted>>, Reason> {
        let mut pool: ExprPool = self.program.pool.clone();
        let nothing = pool.bool_constant(true);
        let list = self.guesses.functions.iter().map(|&function| Contract {
            function,
            requires: nothing,
            ensures: nothing,
        });
        let contracts = AllContracts {
            list: list.collect(),
            pool,
        };
        let noting = self.with(&contracts, Purpose::Notes)?;
        Ok(sampled(self.program, &noting, runs, self.budget))
    }

    /// Leaves the candidates that no execution with the contracts refutes.
    fn sieve(&mut self, most: u32) -> Result<(), Reason> {
        for round in 0..most {
            if self.budget.is_exhausted() {
                return Err(Reason::out_of_time());
            }
            self.board.count(NAME, "rounds", round.into());
            let contracts = self.guesses.contracts();
            let made = self.with(&contracts, Purpose::ContractsAlone)?;
            let mut bmc = Bmc {
                options: BmcOptions {
                    last_bound: REFUTED_WITHIN,
                    ..BmcOptions::default()
                },
            };
            let (budget, _limit) = self.budget.within_own_time(PATIENCE);
            let outcome = bmc.run(&made.passed.program, &NoBoard, &budget);
            match outcome {
                Outcome::Answer(Certificate::Inputs(inputs)) => {
                    let refuted = self.refuted(&made, &inputs);
                    if !refuted {
                        return Err("an execution refutes no single candidate".into());
                    }
                }
                Outcome::Answer(_) => return Ok(()),
                // Products are what solvers are slow at.
                Outcome::Unknown(_) if budget.is_exhausted() && self.guesses.drop_products() => {}
                Outcome::Unknown(_) => return Ok(()),
            }
        }
        Err("executions refute one candidate after the other".into())
    }

    fn refuted(&mut self, made: &Contracted, inputs: &[InputValue]) -> bool {
        let found = noted_last(self.program, made, inputs, self.budget);
        found.is_some_and(|(number, returned, noted)| self.guesses.refute(number, returned, &noted))
    }

    /// Proves the property, and what is left of the contracts.
    fn proof(&self) -> Result<Certificate, Reason> {
        let contracts = self.guesses.contracts();
        let made = self.with(&contracts, Purpose::Proof)?;
        let program = &made.passed.program;
        let mut bmc = Bmc {
            options: BmcOptions {
                last_bound: 2 * REFUTED_WITHIN,
                ..BmcOptions::default()
            },
        };
        let mut reason = match bmc.run(program, &NoBoard, &self.budget.fraction(0.4)) {
            Outcome::Answer(Certificate::Inputs(_)) => {
                return Err(format!(
                    "the contracts that were found do not prove the property ({})",
                    count(self.guesses.left(), "condition")
                )
                .into());
            }
            Outcome::Answer(proof) => return Ok(under(contracts, proof)),
            Outcome::Unknown(reason) => reason,
        };
        let prepared = prepare(program, &SIMPLIFY, &Settings::default());
        let others: [(Box<dyn Engine>, f64); 3] = [
            (Box::new(Houdini::default()), 0.3),
            (Box::new(KInduction::default()), 0.5),
            (Box::new(Pdr::default()), 1.0),
        ];
        for (mut engine, part) in others {
            if self.budget.is_exhausted() {
                return Err(Reason::out_of_time());
            }
            let budget = self.budget.fraction(part);
            match engine.run(&prepared.program, &NoBoard, &budget) {
                Outcome::Answer(proof) if proof.claims_safety() => {
                    let deadline = self.budget.stop.deadline();
                    if let Some(proof) = carry_back(program, &prepared, &proof, deadline) {
                        return Ok(under(contracts, proof));
                    }
                }
                Outcome::Answer(_) => {
                    return Err("the contracts that were found do not prove the property".into());
                }
                Outcome::Unknown(why) => reason = why,
            }
        }
        Err(reason)
    }
}

fn under(contracts: AllContracts, proof: Certificate) -> Certificate {
    Certificate::Contracts(Box::new(UnderContracts { contracts, proof }))
}

#[cfg(test)]
mod tests;
