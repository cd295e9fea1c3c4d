//! Predicate analysis with adjustable blocks (Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016, section 2.3.5).
//!
//! | Stieglmaier2016 | here |
//! |---|---|
//! | the algorithm | [`algorithm`] |
//! | abstraction formula ψ | [`tree::Node::psi`], a decision diagram over predicates |
//! | path formula φ, `blk` | [`induction::solver_graph`] |
//! | precision π, per location, function or global | [`predicates::Precision`] |
//! | boolean and cartesian abstraction | [`abstraction`] |
//! | abstract reachability graph | [`tree`]; for the report [`outline`] |
//! | refinement, interpolants | [`refinement`] |
//! | sliced infeasible prefixes (section 5.2.3) | [`prefixes`] |
//! | static refinement (section 6.3) | [`static_refinement`] |
//! | irrelevant variables removed (section 6.3) | not here: the passes before an analysis |
//! | invariants that others proved (section 5.1) | [`injection`] |
//! | path invariants (section 2.4) | [`path_invariants`] |
//! | lightweight heuristics (section 5.2.3) | [`heuristics`] |
//! | single paths, for analyses that have no tree | [`refutation`], [`path_candidates`] |
//! | invariants that harm (sections 6.4.1, 8.2) | [`filter`] |
//! | analyses that prepare others (section 6.4.3) | [`stages`] |
//!
//! Deviations: blocks are encoded once from arbitrary states (see [`induction::cuts`]), so states
//! inside blocks do not appear in the tree, and merging them happens while a block is encoded.
//! States are told apart by the values of controlling variables ([`families`]), and blocks are specialised for
//! them ([`specialised`]). Before it interpolates, the refinement looks for conjunctions of atoms
//! that are inductive ([`inductive`]).

pub mod abstraction;
mod addresses;
mod algorithm;
pub mod analysis;
mod candidates;
pub mod compare;
mod counterexample;
mod divergence;
mod exploration;
mod families;
mod filter;
pub mod heuristics;
pub mod inductive;
pub mod injection;
mod interpolants;
mod narrow;
pub mod options;
mod outline;
pub mod path_candidates;
mod path_invariants;
pub mod path_program;
mod postcondition;
pub mod predicates;
pub mod prefixes;
mod proof;
mod reduced_cnf;
mod refinement;
pub mod refutation;
mod samples;
mod sequence;
mod specialised;
mod spurious;
pub mod stages;
pub mod static_refinement;
mod statistics;
mod stores;
mod strengthening;
#[cfg(test)]
mod tests;
mod trace;
pub mod tree;

pub use options::Options;

use analysis::Analysis;
use cfa::program::Program;
use facts::budget::Budget;
use facts::engine::{Board, Engine, Outcome};

/// The engine.
#[derive(Clone, Debug, Default)]
pub struct PredicateAnalysis {
    pub options: Options,
}

impl Engine for PredicateAnalysis {
    fn name(&self) -> &str {
        self.options.stage.name()
    }

    fn can_help(&self, board: &dyn Board) -> Result<(), String> {
        let needs_precision = self.options.stage == stages::Stage::Explore;
        match needs_precision && board.precisions().is_empty() {
            true => Err("no earlier analysis provided a precision".into()),
            false => Ok(()),
        }
    }

    fn run(&mut self, program: &Program, board: &dyn Board, budget: &Budget) -> Outcome {
        let (budget, _limit) = budget.part(self.options.share);
        Analysis::new(program, &self.options, self.name(), board, &budget).run()
    }
}
