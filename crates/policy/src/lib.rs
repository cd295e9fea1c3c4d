//! Local policy iteration.
//!
//! Karpenkov2016: E. G. Karpenkov, D. Monniaux, P. Wendler: Program Analysis with Local Policy
//! Iteration, VMCAI 2016.
//!
//! | Karpenkov2016 | here |
//! |---|---|
//! | template `t`, its set `T` | [`templates::Template`], [`templates::Templates`] |
//! | abstracted state: bound `d`, policy `ψ` and backpointer for each template | `iteration::Bound` and its `iteration::Policy` |
//! | intermediate state with its path formula | a block of [`induction::graph`] |
//! | abstraction at loop heads: `max t(x')` under the bounds before and `φ` | `Iteration::improve`, [`maximise`] |
//! | `φ` with its disjunctions resolved by the model | `Iteration::resolve` |
//! | value determination over the strongly connected component | [`determination`] |
//! | strict improvement | a policy changes only where the bound that it gives is greater |
//! | LPI in the framework of CPAs, with precisions that grow | [`engine`], its rounds |
//!
//! Deviations:
//! - Integers are those of the machine. A bound is found by bisection instead of linear programming,
//!   and value determination is a formula over bit-vectors with one copy of the policy for each
//!   unknown bound. Over the rationals policies are concave and its greatest solution is the least
//!   inductive one; with wrap-around it may be greater, which costs precision and nothing else: the
//!   iteration ends only when no block leaves the bounds.
//! - Where a system is too large ([`PolicyOptions::unknowns`]) the bounds stay at what one step gives. A
//!   bound that has changed too often ([`PolicyOptions::patience`]) is given up, so that every iteration
//!   ends.
//! - Abstraction is where blocks end: at loop heads for the whole program, at the cut points of the
//!   analysis for a path program.
//!
//! Nothing here is believed: what is found is certified like any other annotation.

pub mod determination;
pub mod engine;
pub mod iteration;
pub mod maximise;
pub mod templates;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use templates::TemplateKind;

/// One policy iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PolicyOptions {
    /// The linear expressions whose greatest values are looked for.
    pub templates: Vec<TemplateKind>,
    /// Bounds that one value determination solves for at most; with more, bounds rise step by step.
    pub unknowns: usize,
    /// Changes of one bound after which it is given up.
    pub patience: u32,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        PolicyOptions {
            templates: vec![TemplateKind::Octagons, TemplateKind::Program],
            unknowns: 16,
            patience: 12,
        }
    }
}
