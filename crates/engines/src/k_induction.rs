//! k-induction with auxiliary invariants (Stieglmaier2016: T. Stieglmaier, *Augmenting Predicate
//! Analysis with Auxiliary Invariants*, 2016, section 2.5.2, algorithm 4).
//!
//! | paper | here |
//! |---|---|
//! | k | depth + 1: blocks between loop heads |
//! | k_init, k_max | [`KInductionOptions::first_depth`], [`KInductionOptions::last_depth`] |
//! | inc | [`KInductionOptions::after`] |
//! | base case | [`Base`] |
//! | forward condition | [`Base::has_ended`]: no execution begins another block |
//! | step case | [`Search::step`], for each [`Goal`] |
//! | Inv, read from the invariant generator | [`Known`], from the board while the step case fails |
//!
//! Deviations:
//! - All loops count as one: an execution is a sequence of blocks between loop heads, whichever.
//! - A property is a set of goals, each with a depth of its own: a violation, in a block that
//!   begins at one loop head. A goal that was proved is not asked again; the one that failed is
//!   asked first next time, and while it fails no other is asked. The certificate has the largest
//!   depth: what is excluded after so many blocks from anywhere is excluded after more, too,
//!   because the last of them begin somewhere.
//! - The step case starts at each loop head and call string apart, of those that are so many blocks
//!   away from the goal's.
//! - The forward condition is asked for after the step case of its depth: both prove the program,
//!   but the step case is also one for programs with further loops that do not matter.
//! - [`KInductionOptions::candidates_from_counterexamples`]: see [`strengthen`].

mod base;
mod chains;
mod strengthen;
#[cfg(test)]
mod tests;

use self::base::Base;
use self::chains::{Chain, Goal, Refuted};
use self::strengthen::Strengthening;
use cfa::place::Place;
use cfa::program::Program;
use encoding::blocks::Blocks;
use facts::budget::{Budget, SolverBudget};
use facts::certificate::{AnnotatedGraph, Certificate, KInduction as Proof, Rest};
use facts::engine::{Board, Engine, Outcome, Reason};
use induction::known::Known;
use logic::Solver;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// k-induction over the loop heads that executions pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KInductionOptions {
    /// The first depth: blocks between the start of the step case and the violation.
    pub first_depth: u32,
    /// The engine gives up beyond this depth.
    pub last_depth: u32,
    /// The next depth is the current one times `factor`, plus `increase`.
    pub factor: u32,
    /// See `factor`.
    pub increase: u32,
    /// Use the invariants that other engines publish.
    pub use_invariants: bool,
    /// Prove by the forward condition too: no execution passes more loop heads.
    pub forward_condition: bool,
    /// Search for invariants that exclude the states in which the step case fails.
    pub candidates_from_counterexamples: bool,
    /// The seed of the solver.
    pub seed: u32,
}

impl Default for KInductionOptions {
    fn default() -> Self {
        KInductionOptions {
            first_depth: 0,
            last_depth: 1 << 12,
            factor: 1,
            increase: 1,
            use_invariants: true,
            forward_condition: true,
            candidates_from_counterexamples: false,
            seed: 0,
        }
    }
}

impl KInductionOptions {
    /// The depth after this one. Law: it is larger.
    fn after(&self, depth: u32) -> u32 {
        let next = depth.saturating_mul(self.factor);
        next.saturating_add(self.increase)
            .max(depth.saturating_add(1))
    }
}

#[derive(Default)]
pub struct KInduction {
    pub options: KInductionOptions,
}

const NAME: &str = "k-induction";

/// Depths below this are tried again when there are new invariants.
const SHALLOW: u32 = 3;
/// How often invariants are read again at one depth: whoever publishes all the time must not keep
/// the search from going on.
const MAX_READINGS: usize = 4;

impl Engine for KInduction {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let mut search = Search::new(program, board, budget, &self.options);
        match search.run() {
            Ok(outcome) => outcome,
            Err(reason) => Outcome::Unknown(reason),
        }
    }

    /// That executions end may be true only of the program without the loops that passes removed.
    fn retry_after_rejection(&mut self, rejected: &Certificate) -> bool {
        let by_end =
            matches!(rejected, Certificate::KInduction(proof) if proof.rest == Rest::Nothing);
        by_end && std::mem::replace(&mut self.options.forward_condition, false)
    }
}

struct Search<'a> {
    program: &'a Program,
    blocks: Blocks<'a>,
    step_solver: Box<dyn Solver>,
    board: &'a dyn Board,
    budget: &'a Budget,
    options: &'a KInductionOptions,
    known: Known<'a>,
    /// The version of the board that was read last.
    version: usize,
    base: Base,
    /// The step case from each place.
    starts: BTreeMap<Place, Chain>,
    /// Places that were found but not yet begun from.
    waiting: Vec<Place>,
    /// Goals that are not proved, in the order in which they are asked.
    open: VecDeque<Goal>,
    /// The others, with their depths.
    proved: BTreeMap<Goal, u32>,
    /// Numbers of the maps that proofs of goals relied on.
    needed: BTreeSet<usize>,
    strengthening: Option<Strengthening<'a>>,
}

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        board: &'a dyn Board,
        budget: &'a Budget,
        options: &'a KInductionOptions,
    ) -> Search<'a> {
        let blocks = Blocks::new(program);
        let base = Base::new(blocks.start(), budget.make_solver(options.seed));
        Search {
            program,
            blocks,
            step_solver: budget.make_solver(options.seed),
            board,
            budget,
            options,
            known: Known::new(program),
            version: 0,
            base,
            starts: BTreeMap::new(),
            waiting: Vec::new(),
            open: VecDeque::new(),
            proved: BTreeMap::new(),
            needed: BTreeSet::new(),
            strengthening: None,
        }
    }

    fn run(&mut self) -> Result<Outcome, Reason> {
        let mut depth = self.options.first_depth;
        loop {
            self.board.progress(NAME, &format!("depth {depth}"));
            self.board.count(NAME, "depth", u64::from(depth));
            if let Some(outcome) = self.base_case(depth)? {
                return Ok(outcome);
            }
            let can_end = self.options.forward_condition && self.base.has_ended();
            match self.step_while_facts_come(depth) {
                Ok(true) => return Ok(self.proof_by_steps()),
                Ok(false) => {}
                Err(_) if can_end && !self.budget.is_exhausted() => {}
                Err(reason) => return Err(reason),
            }
            if can_end {
                return Ok(self.proof_by_end());
            }
            if depth >= self.options.last_depth {
                return Err(format!("no proof up to depth {depth}").into());
            }
            depth = self.options.after(depth).min(self.options.last_depth);
        }
    }

    fn check_time(&self) -> Result<(), Reason> {
        if self.budget.is_exhausted() {
            return Err(Reason::out_of_time().at(format_args!("depth {}", self.base.blocks)));
        }
        Ok(())
    }

    /// The step case, again and again while there are new facts (lines 10 to 14 of the algorithm).
    fn step_while_facts_come(&mut self, depth: u32) -> Result<bool, Reason> {
        for _ in 0..MAX_READINGS {
            // With new invariants fewer blocks may do, and the questions of fewer are easier.
            let shallow = match self.has_news() {
                true => 0..depth.min(SHALLOW),
                false => depth..depth,
            };
            self.read_facts();
            for depth in shallow.chain([depth]) {
                if self.step(depth)? {
                    return Ok(true);
                }
            }
            if !self.has_news() {
                break;
            }
        }
        Ok(false)
    }

    fn has_news(&self) -> bool {
        self.options.use_invariants && self.version < self.board.version()
    }

    fn read_facts(&mut self) {
        if self.options.use_invariants {
            // What is published from here on is read, or makes the version larger than this.
            self.version = self.board.version();
            self.known.read(self.board, self.budget);
        }
    }

    fn found(&mut self, place: &Place) {
        if !self.starts.contains_key(place) && !self.waiting.contains(place) {
            self.waiting.push(place.clone());
        }
    }

    fn found_goal(&mut self, goal: &Goal) {
        if !self.proved.contains_key(goal) && !self.open.contains(goal) {
            self.open.push_back(goal.clone());
        }
    }

    /// Is every goal proved, those that were open at this depth?
    fn step(&mut self, depth: u32) -> Result<bool, Reason> {
        // After no block an execution is where it started; other goals need all that may lead to
        // them.
        while depth > 0 && !self.waiting.is_empty() {
            self.explore_next()?;
        }
        loop {
            while let Some(goal) = self.open.front().cloned() {
                self.check_time()?;
                if !self.prove(&goal, depth)? {
                    self.step_ends();
                    return Ok(false);
                }
                self.open.retain(|other| *other != goal);
                self.proved.insert(goal, depth);
            }
            if self.waiting.is_empty() {
                self.step_ends();
                return Ok(true);
            }
            self.explore_next()?;
        }
    }

    fn step_ends(&mut self) {
        self.publish_learned();
        let (proved, open) = (self.proved.len() as u64, self.open.len() as u64);
        self.board.count(NAME, "goals proved", proved);
        self.board.count(NAME, "goals", proved + open);
    }

    /// Begins at a place: finds what its block leads to.
    fn explore_next(&mut self) -> Result<(), Reason> {
        self.check_time()?;
        if self.waiting.is_empty() {
            return Ok(());
        }
        let place = self.waiting.remove(0);
        let mut chain = Chain::new(self.blocks.anywhere(&place));
        self.advance(&mut chain)?;
        self.starts.insert(place, chain);
        Ok(())
    }

    /// No violation in the goal's block, wherever an execution was so many blocks before. With
    /// candidates from counterexamples: unless it can be shown that it was not there.
    fn prove(&mut self, goal: &Goal, depth: u32) -> Result<bool, Reason> {
        loop {
            match self.refute(goal, depth)? {
                Refuted::By(maps) => {
                    self.needed.extend(maps);
                    return Ok(true);
                }
                Refuted::No(states) => {
                    if !self.strengthen(states)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    fn refute(&mut self, goal: &Goal, depth: u32) -> Result<Refuted, Reason> {
        let mut used = BTreeSet::new();
        for place in self.places_before(&goal.head, depth) {
            self.check_time()?;
            let Some(mut chain) = self.starts.remove(&place) else {
                continue;
            };
            let result = self.refute_from(&mut chain, goal, depth);
            self.starts.insert(place, chain);
            match result? {
                Refuted::By(maps) => used.extend(maps),
                failed => return Ok(failed),
            }
        }
        Ok(Refuted::By(used))
    }

    /// The places from which executions may come to this one with so many blocks.
    fn places_before(&self, place: &Place, blocks: u32) -> BTreeSet<Place> {
        let mut places = BTreeSet::from([place.clone()]);
        for _ in 0..blocks {
            let before = self.starts.iter().filter(|(_, chain)| {
                let mut next = chain.leads_to.iter();
                next.any(|next| places.contains(next))
            });
            let before = before.map(|(place, _)| place.clone()).collect();
            if before == places {
                break;
            }
            places = before;
        }
        places
    }

    fn proof_by_steps(&self) -> Outcome {
        let mut pool = self.program.pool.clone();
        let places: Vec<&Place> = self.starts.keys().collect();
        let nodes = self.known.nodes(&mut pool, &self.needed, &places);
        Outcome::Answer(Certificate::KInduction(Proof {
            depth: self.proved.values().copied().max().unwrap_or(0),
            support: AnnotatedGraph { pool, nodes },
            rest: Rest::Follows,
        }))
    }

    /// The base case alone, which needs no facts.
    fn proof_by_end(&self) -> Outcome {
        self.board.count(NAME, "forward condition", 1);
        Outcome::Answer(Certificate::KInduction(Proof {
            depth: self.base.blocks.saturating_sub(1),
            support: AnnotatedGraph {
                pool: self.program.pool.clone(),
                nodes: Vec::new(),
            },
            rest: Rest::Nothing,
        }))
    }
}
