//! Proofs about all cells of an array, without quantifiers: for an arbitrary index that is fixed at
//! the start.
//!
//! | there (see [`transform::passes::prophesy`]) | here |
//! |---|---|
//! | prophecy variables | for the indices of the last loads in front of errors ([`sites`]) |
//! | invariants | guessed by [`templates`], the inductive ones found as in [`crate::houdini`] |
//!
//! The engine sees the program before the passes that make it smaller, because the certificate
//! names places and expressions of that program. The passes run behind the prophecies.

mod access;
mod sites;
mod templates;

use crate::houdini::prove_with;
use cfa::expr::VarId;
use cfa::program::Program;
use facts::budget::Budget;
use facts::carried::carry_back;
use facts::certificate::{Certificate, ForArbitraryIndices};
use facts::engine::{Board, Engine, Outcome, Reason, View};
use serde::{Deserialize, Serialize};
use templates::Templates;
use transform::passes::{Prophecy, Prophesied, SIMPLIFY, Settings, prepare, prophesy};

/// Invariants about all elements of arrays, by prophecy of an arbitrary index.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ArraysOptions {
    /// Indices that are prophesied at the same time.
    pub most_indices: usize,
}

impl Default for ArraysOptions {
    fn default() -> Self {
        ArraysOptions { most_indices: 2 }
    }
}

#[derive(Default)]
pub struct Arrays {
    pub options: ArraysOptions,
}

const NAME: &str = "arrays";

impl Engine for Arrays {
    fn name(&self) -> &str {
        NAME
    }

    /// Prophecies are about places that certificates name.
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

impl Arrays {
    fn prove(
        &self,
        program: &Program,
        board: &dyn Board,
        budget: &Budget,
    ) -> Result<Certificate, Reason> {
        let mut reason = Reason::from("no assertion is about the elements of an array");
        for has_exceptions in [false, true] {
            for prophecies in sites::prophecies(program, self.options.most_indices) {
                match prove_with_prophecies(program, prophecies, has_exceptions, board, budget) {
                    Ok(Some(certificate)) => return Ok(certificate),
                    Ok(None) => {}
                    Err(why) => reason = why,
                }
                if budget.is_exhausted() {
                    return Err(reason);
                }
            }
        }
        Err(reason)
    }
}

/// A proof with these prophecies; `None` if there are no exceptions to look for one with.
fn prove_with_prophecies(
    program: &Program,
    prophecies: Vec<Prophecy>,
    has_exceptions: bool,
    board: &dyn Board,
    budget: &Budget,
) -> Result<Option<Certificate>, Reason> {
    let sites = prophecies.iter().map(|prophecy| prophecy.sites.len());
    board.count(NAME, "sites", sites.sum::<usize>() as u64);
    let Prophesied { passed, indices } =
        prophesy(program, &prophecies).map_err(|reason| reason.to_string())?;
    let prepared = prepare(&passed.program, &SIMPLIFY, &Settings::default());
    // What the passes have left of the foretold indices.
    let foretold = (0..prepared.program.vars.len() as u32).map(VarId);
    let foretold = foretold.filter(|&var| {
        let before = prepared.var_before(var);
        before.is_some_and(|before| indices.contains(&before))
    });
    let foretold: Vec<VarId> = foretold.collect();
    let mut templates = Templates::new(&prepared.program, &foretold);
    board.count(NAME, "candidates about elements", templates.bodies() as u64);
    if templates.bodies() == 0 {
        return Err("no candidate invariants about the array elements in the assertions".into());
    }
    if has_exceptions && !templates.add_exceptions() {
        return Ok(None);
    }
    let graph = prove_with(&prepared.program, &mut templates, NAME, board, budget)?;
    let proof = carry_back(
        &passed.program,
        &prepared,
        &Certificate::Graph(graph),
        budget.stop.deadline(),
    );
    let proof = proof.ok_or("its proof cannot be carried back from the simplified program")?;
    Ok(Some(Certificate::Prophecy(Box::new(ForArbitraryIndices {
        prophecies,
        proof,
    }))))
}

#[cfg(test)]
mod tests;
