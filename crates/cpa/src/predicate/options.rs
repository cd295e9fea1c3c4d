//! The options, as configurations write them.

use super::abstraction::AbstractionKind;
use super::blocks::BlockOperator;
use super::predicates::Scope;
use serde::{Deserialize, Serialize};

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
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Options {
    pub blocks: BlockOperator,
    pub abstraction: AbstractionKind,
    pub refinement: RefinementKind,
    /// Where a predicate is used that was found at one location.
    pub scope: Scope,
    /// Tried in this order.
    pub interpolants: Vec<InterpolantSource>,
    /// Look for inductive conjunctions of atoms before any interpolation.
    pub inductive: bool,
    /// The same part of the CPU that the paper's configuration had of the longest one's limit.
    pub share: f64,
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
            inductive: true,
            share: 1.0,
        }
    }
}
