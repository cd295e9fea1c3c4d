//! The options, as configurations write them.

use super::abstraction::AbstractionKind;
use super::heuristics::Heuristic;
use super::injection::Injection;
use super::predicates::Scope;
use super::prefixes::PrefixChoice;
use super::stages::Stage;
use super::static_refinement::StaticRefinement;
use absint::invariants::InvariantOptions;
use induction::cuts::BlockOperator;
use policy::PolicyOptions;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is thrown away after a refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefinementKind {
    /// The subtree below the first abstract state that changes.
    #[default]
    Lazy,
    /// Everything.
    Global,
}

/// Where predicates come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolantSource {
    /// Search over program-level atoms.
    Vocabulary,
    /// Conditions of the path moved backwards.
    WeakestPrecondition,
    /// The refutation of the propositional solver.
    Proof,
    /// What holds behind the path's blocks, over variables that are needed later.
    StrongestPostcondition,
}

/// What of an interpolant becomes a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PredicateKind {
    /// Its atoms.
    #[default]
    Atoms,
    /// The interpolant as one formula.
    Whole,
    /// The same for every cut of the path, also where it says nothing or everything.
    Sequence,
}

/// Predicate analysis with adjustable-block encoding and refinement by interpolation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Options {
    /// Where blocks end; loop heads end a block in every case.
    pub blocks: BlockOperator,
    /// How abstract states are computed.
    pub abstraction: AbstractionKind,
    /// What a refinement discards of the reached set.
    pub refinement: RefinementKind,
    /// Where a predicate found at one location is used.
    pub scope: Scope,
    /// Sources of interpolants, tried in this order.
    pub interpolants: Vec<InterpolantSource>,
    /// What of an interpolant becomes a predicate.
    pub predicates: PredicateKind,
    /// Which infeasible sliced prefix of a path is refuted.
    pub prefixes: PrefixChoice,
    /// Predicates taken from the program's conditions before the first refinement.
    pub static_refinement: StaticRefinement,
    /// Track all values of a control variable as soon as one of them matters.
    pub families: bool,
    /// Keep abstract states with different values of a control variable apart.
    pub split_states: bool,
    /// Propagate values that an abstract state implies into the blocks that begin there.
    pub specialise: bool,
    /// Search for inductive conjunctions of atoms before interpolation.
    pub inductive: bool,
    /// Where invariants of other engines are used.
    pub inject: Vec<Injection>,
    /// Heuristics that search infeasible paths for invariants; `inject` says where they are used.
    pub heuristics: Vec<Heuristic>,
    /// Run all heuristics, not only those up to the first that succeeds.
    pub use_all_heuristics: bool,
    /// Seconds for all heuristics in one refinement; at most a tenth of the time left.
    pub heuristic_time: f64,
    /// Abstract interpretation of path programs; its invariants go into the precision.
    pub path_invariants: Option<InvariantOptions>,
    /// Local policy iteration on path programs; its bounds go into the precision.
    pub path_policy: Option<PolicyOptions>,
    /// Seconds for one path program; at most a fifth of the time left.
    pub path_invariant_time: f64,
    /// Leave out invariants that are known to slow the analysis down.
    pub filter_invariants: bool,
    /// The role of this analysis in a sequence.
    pub stage: Stage,
    /// Iterations of a loop that the stage `bounded` explores.
    pub loop_bound: u32,
    /// Start with the precision of an earlier analysis.
    pub use_precision: bool,
    /// The share of the processor time that the analysis uses at most.
    pub share: f64,
}

impl Options {
    /// The time for heuristics in one refinement.
    pub fn time_for_heuristics(&self) -> Duration {
        seconds(self.heuristic_time)
    }

    /// The time for one path program.
    pub fn time_for_path_invariants(&self) -> Duration {
        seconds(self.path_invariant_time)
    }
}

/// What is no time is none.
fn seconds(given: f64) -> Duration {
    Duration::try_from_secs_f64(given).unwrap_or_default()
}

impl Default for Options {
    fn default() -> Self {
        Options {
            blocks: BlockOperator::LoopHeads,
            abstraction: AbstractionKind::BooleanAfterCartesian,
            refinement: RefinementKind::Lazy,
            scope: Scope::Location,
            interpolants: vec![
                InterpolantSource::Vocabulary,
                InterpolantSource::WeakestPrecondition,
                InterpolantSource::Proof,
            ],
            predicates: PredicateKind::Atoms,
            prefixes: PrefixChoice::Whole,
            static_refinement: StaticRefinement::Off,
            families: true,
            split_states: true,
            specialise: true,
            inductive: true,
            inject: Vec::new(),
            heuristics: Vec::new(),
            use_all_heuristics: false,
            heuristic_time: 2.0,
            path_invariants: None,
            path_policy: None,
            path_invariant_time: 5.0,
            filter_invariants: true,
            stage: Stage::Complete,
            loop_bound: 5,
            use_precision: false,
            share: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_is_a_time() {
        let time = |heuristic_time| {
            let options = Options {
                heuristic_time,
                ..Options::default()
            };
            options.time_for_heuristics()
        };
        assert_eq!(time(0.25), Duration::from_millis(250));
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(time(none), Duration::ZERO);
        }
    }

    #[test]
    fn configurations_set_times_and_the_filter() {
        let text =
            r#"{"heuristic-time": 0.5, "path-invariant-time": 1, "filter-invariants": false}"#;
        let options: Options = serde_json::from_str(text).expect("names as they are documented");
        assert_eq!(options.time_for_heuristics(), Duration::from_millis(500));
        assert_eq!(options.time_for_path_invariants(), Duration::from_secs(1));
        assert!(!options.filter_invariants && Options::default().filter_invariants);
    }
}
