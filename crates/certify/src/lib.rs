//! Checks certificates. Nothing here knows an engine: an answer is believed only if the checks here
//! succeed, on the lowered program, with solvers and executions of their own.

mod boxes;
mod callees;
mod cases;
mod compiled;
mod graph;
mod induction;
mod inputs;
mod maps;
mod names;
mod no_way;
mod obligations;
mod placement;
mod prophecy;
mod ranges;
mod simpler;
mod split;
mod unrolling;

use cfa::program::Program;
use encoding::step::Writes;
use facts::budget::Budget;
use facts::certificate::{Certificate, KInduction};
use facts::invariants::InvariantMap;
use std::fmt;

pub use callees::without_impossible_callees;
pub use compiled::{Build, Confirmation, Opinion, confirm, ends_safely, takes_null_argument};
pub use graph::belongs_to;
pub use inputs::{as_usual, confirmed_by_formula, guessed_result, replay, unusual_result};
pub use simpler::simpler;
pub use split::check_split;

/// Why a certificate was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The certificate does not prove its claim: the analysis that made it is wrong.
    Wrong(String),
    /// The check was not finished (time, memory, something beyond formulas).
    Unfinished(String),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Wrong(why) => write!(f, "the certificate is wrong: {why}"),
            Rejection::Unfinished(why) => write!(f, "certification was not finished: {why}"),
        }
    }
}

/// How a certificate was found to be right, in words for users.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    pub how: String,
}

/// Checks that the certificate proves its claim about the program.
pub fn certify(
    program: &Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    match certificate {
        Certificate::Inputs(values) => inputs::check(program, values, budget),
        Certificate::CompleteUnrolling(bounds) => unrolling::check(program, bounds, budget),
        Certificate::DeterministicRun { steps } => {
            unrolling::check_deterministic(program, *steps, budget)
        }
        Certificate::Graph(graph) => {
            let weaker = placement::without_addresses(program, graph);
            let graph = weaker.as_ref().unwrap_or(graph);
            let checked = proved(|writes| graph::check(program, graph, writes, budget));
            told(checked, weaker.is_some())
        }
        Certificate::KInduction(claim) => {
            let support = placement::without_addresses(program, &claim.support);
            let is_weaker = support.is_some();
            let claim = &match support {
                Some(support) => KInduction {
                    support,
                    ..claim.clone()
                },
                None => claim.clone(),
            };
            let checked = proved(|writes| induction::check(program, claim, writes, budget));
            told(checked, is_weaker)
        }
        Certificate::NoWay => no_way::check(program),
        Certificate::Prophecy(claim) => prophecy::check(program, claim, budget),
    }
}

/// Checks that a map of facts keeps its law (see [`InvariantMap`]), whoever says so.
pub fn check_facts(
    program: &Program,
    map: &InvariantMap,
    budget: &Budget,
) -> Result<Accepted, Rejection> {
    proved(|writes| maps::check(program, map, writes, budget))
}

/// A proof that fails without what it says of addresses is one for a single placement of the
/// objects.
fn told(checked: Result<Accepted, Rejection>, is_weaker: bool) -> Result<Accepted, Rejection> {
    match checked {
        Err(Rejection::Wrong(_)) if is_weaker => Err(Rejection::Unfinished(
            "the proof needs an invariant about the placement of objects in memory".into(),
        )),
        checked => checked,
    }
}

/// What has no formula may write anything. If the proof fails because of that, the reason is what
/// has no formula.
fn proved(check: impl Fn(Writes) -> Result<Accepted, Rejection>) -> Result<Accepted, Rejection> {
    match check(Writes::Approximate) {
        Err(Rejection::Wrong(_)) => check(Writes::Exact),
        other => other,
    }
}

#[cfg(test)]
mod forged_tests;
#[cfg(test)]
mod tests;
