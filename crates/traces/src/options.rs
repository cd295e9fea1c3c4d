//! The options, as configurations write them.

use absint::invariants::InvariantOptions;
use induction::cuts::BlockOperator;
use predicate::options::InterpolantSource;
use predicate::prefixes::PrefixChoice;
use serde::{Deserialize, Serialize};

/// Which transitions a data automaton from abstract interpretation has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enhancement {
    /// Those of the path program.
    #[default]
    Off,
    /// All triples that abstract post finds valid (the paper's enhanced data automata).
    Abstract,
    /// All triples that the solver finds valid.
    Solver,
}

/// Trace abstraction: infeasible traces are generalised to automata, until none is left or one is
/// feasible.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Options {
    /// Where statements end.
    pub blocks: BlockOperator,
    /// Where interpolants come from, in this order.
    pub interpolants: Vec<InterpolantSource>,
    /// Look for conjunctions of atoms that are inductive over the path program before interpolants
    /// of the trace alone.
    pub inductive: bool,
    /// The source that is asked first as soon as interpolants count through a loop and are
    /// expensive (those of one trace took more than 500 questions to the solver), if it is among
    /// them. Questions are counted and not time, so that runs can be repeated.
    pub when_diverging: Option<InterpolantSource>,
    /// Which infeasible prefix of a trace is generalised.
    pub prefixes: PrefixChoice,
    /// Take the conjuncts of an interpolant as states of their own.
    pub split: bool,
    /// The abstract interpretations that a path program is given to, in this order; none: the
    /// standard algorithm.
    pub interpretations: Vec<InvariantOptions>,
    /// The transitions of automata from abstract interpretation.
    pub enhanced: Enhancement,
    /// Keep of the fixpoint of a path program only what its proof needs.
    pub relevant: bool,
    /// Seconds for one path program, and never more than a fifth of what is left.
    pub interpretation_time: f64,
    /// After so many refinements it gives up.
    pub most_refinements: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            blocks: BlockOperator::LoopHeads,
            interpolants: vec![
                InterpolantSource::Vocabulary,
                InterpolantSource::WeakestPrecondition,
                InterpolantSource::StrongestPostcondition,
                InterpolantSource::Proof,
            ],
            inductive: true,
            when_diverging: Some(InterpolantSource::StrongestPostcondition),
            prefixes: PrefixChoice::Whole,
            split: true,
            interpretations: Vec::new(),
            enhanced: Enhancement::Off,
            relevant: false,
            interpretation_time: 5.0,
            most_refinements: u64::MAX,
        }
    }
}
