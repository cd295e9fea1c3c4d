//! What people expect to see of a predicate analysis.

use super::options::Options;
use control::clock;
use facts::engine::Board;
use std::time::{Duration, Instant};

/// Searches for auxiliary invariants of one kind (the columns of Stieglmaier2016's tables 2, 4
/// and 6).
#[derive(Clone, Debug, Default)]
pub struct Generation {
    pub attempts: u64,
    /// Attempts that found an invariant, whether or not it was known.
    pub successes: u64,
    pub time: Duration,
}

impl Generation {
    /// One attempt that began then.
    pub fn note(&mut self, begin: Instant, has_found: bool) {
        self.attempts += 1;
        self.successes += u64::from(has_found);
        self.time += clock::since(begin);
    }
}

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
    /// Invariants that were looked for in infeasible paths, by each heuristic and in path programs.
    pub heuristics: [Generation; 3],
    pub path_invariants: Generation,
    /// What was left out of them, because it does harm.
    pub counting_predicates: u64,
    pub hard_invariants: u64,
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
    pub fn tell(&self, options: &Options, board: &dyn Board, engine: &str) {
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
        let mut kinds: Vec<(&str, &Generation)> = Vec::new();
        for &heuristic in &options.heuristics {
            kinds.push((heuristic.name(), &self.heuristics[heuristic as usize]));
        }
        if options.path_invariants.is_some() || options.path_policy.is_some() {
            kinds.push(("path-invariant", &self.path_invariants));
        }
        for &(kind, generation) in &kinds {
            count(&format!("{kind} attempts"), generation.attempts);
            count(&format!("{kind} successes"), generation.successes);
            count(&format!("{kind} ms"), millis(generation.time));
        }
        if !kinds.is_empty() {
            // Under the names that the papers' tables ask for.
            let all = |each: fn(&Generation) -> u64| kinds.iter().map(|kind| each(kind.1)).sum();
            count("invariant-attempts", all(|kind| kind.attempts));
            count("invariant-successes", all(|kind| kind.successes));
            let time: Duration = kinds.iter().map(|kind| kind.1.time).sum();
            count("invariant-ms", millis(time));
        }
        if !kinds.is_empty() || !options.inject.is_empty() {
            count("counting predicates rejected", self.counting_predicates);
            count("hard invariants postponed", self.hard_invariants);
        }
    }
}
