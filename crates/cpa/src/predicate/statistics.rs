//! What people expect to see of a predicate analysis.

use facts::engine::Board;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub abstractions: u64,
    pub cached_abstractions: u64,
    /// Abstractions that were too large to enumerate.
    pub given_up_abstractions: u64,
    pub abstraction_checks: u64,
    pub models: u64,
    pub refinements: u64,
    /// Refinements by source: inductive, vocabulary, weakest precondition, proof.
    pub refinements_by: [u64; 4],
    /// Refinements by what others proved.
    pub refinements_by_facts: u64,
    pub nodes: u64,
    pub abstraction_time: Duration,
    pub refinement_time: Duration,
    /// Parts of the time in refinement.
    pub inductive_time: Duration,
    pub interpolation_time: Duration,
    pub block_time: Duration,
    /// Questions to solvers, whoever asked them, and the time until they were answered.
    pub solver_checks: u64,
    pub solver_time: Duration,
    pub bdd_time: Duration,
}

impl Statistics {
    pub fn tell(&self, board: &dyn Board, engine: &str) {
        let count = |what: &str, value: u64| board.count(engine, what, value);
        count("abstractions", self.abstractions);
        count("abstractions from cache", self.cached_abstractions);
        count("abstractions too large", self.given_up_abstractions);
        count("abstraction checks", self.abstraction_checks);
        count("all-sat models", self.models);
        count("refinements", self.refinements);
        for (name, value) in ["inductive", "vocabulary", "wp", "proof"]
            .iter()
            .zip(self.refinements_by)
        {
            count(&format!("refinements by {name}"), value);
        }
        count("refinements by facts", self.refinements_by_facts);
        count("abstract states", self.nodes);
        let millis = |time: Duration| time.as_millis() as u64;
        count("ms in abstraction", millis(self.abstraction_time));
        count("ms in refinement", millis(self.refinement_time));
        count("ms in inductive facts", millis(self.inductive_time));
        count("ms in interpolation", millis(self.interpolation_time));
        count("ms in encoding blocks", millis(self.block_time));
        count("solver checks", self.solver_checks);
        count("ms in solver", millis(self.solver_time));
        count("ms in BDDs", millis(self.bdd_time));
    }
}
