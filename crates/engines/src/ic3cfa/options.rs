//! The switches, each named after the section of the thesis that it is about.

use serde::{Deserialize, Serialize};

/// How a blocked cube becomes one with more states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Generalisation {
    /// Not at all: `IC3CFANoGen`.
    None,
    /// Algorithm 4.3.1: `IC3CFAOld`.
    Old,
    /// Algorithm 5.12.1.
    New,
}

/// What relative inductiveness is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inductiveness {
    /// Definition 4.2.1: one question about the transition formula of an edge.
    Transitions,
    /// Definition 5.3.1: one about the preconditions of the partial commands that no syntactic
    /// check refutes, with a cache.
    Preconditions,
}

/// Which earlier generalisations are used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContextForm {
    /// None.
    None,
    /// Those of the same cube (theorem 5.6.2).
    SameCube,
    /// All that block the cube (theorem 5.6.3).
    AnySuperset,
}

/// IC3 on control-flow automata; most of the switches are named after the section of the thesis
/// that they are about.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ic3CfaOptions {
    /// How a blocked cube becomes one with more states.
    pub generalisation: Generalisation,
    /// Frames of places that cannot be reached in so many steps are empty from the beginning.
    pub section_5_1_distances: bool,
    /// What relative inductiveness is asked about.
    pub section_5_3_inductiveness: Inductiveness,
    /// Literals that a command assumes anyway are dropped.
    pub section_5_4_assumes: bool,
    /// What a frame blocks before a command says what is needed behind it.
    pub section_5_5_predecessor_cubes: bool,
    /// Which earlier generalisations are used again.
    pub section_5_6_context: ContextForm,
    /// What every earlier generalisation of a cube had is kept.
    pub section_5_7_minimal: bool,
    /// Small predecessors are blocked first.
    pub section_5_8_ordering: bool,
    /// What one edge into a place needs is not tried to be dropped for the others.
    pub section_5_9_earlier_edges: bool,
    /// Interpolants take the place of literals.
    pub section_5_10_interpolation: bool,
    /// Counterexamples to generalisation are blocked, if that is possible at once.
    pub section_5_11_counterexamples: bool,
    /// Leaves out of cubes what their other literals imply, and finds contradictions among literals
    /// without a question (section 7.2, first proposal).
    pub implied_literals: bool,
    /// Begins a generalisation with what the refutations of the inductiveness check used. Not in
    /// the thesis.
    pub cores: bool,
    /// Tries states that showed that a cube is not inductive for other cubes before it asks. Not in
    /// the thesis.
    pub models: bool,
    /// Takes out of predecessors what only tells apart ways through a command that all lead into the
    /// cube. Not in the thesis.
    pub lifting: bool,
    /// Counts how often loop heads are reached, where the thesis counts edges: a place between two
    /// loop heads has the index of the one before it. Not in the thesis.
    pub loop_indices: bool,
    /// Moves clauses to later frames, as IC3 does. Not in the thesis's algorithm 4.2.1.
    pub propagation: bool,
    /// Blocks what was blocked at the next index as well, up to the last. Not in the thesis: N. Eén,
    /// A. Mishchenko, R. Brayton, Efficient implementation of property directed reachability,
    /// FMCAD 2011.
    pub requeueing: bool,
    /// Publishes clauses of the newest frame that are inductive on their own as soon as they are;
    /// without it all are proposed as candidates, which somebody else has to check.
    pub publication: bool,
    /// Frames along the paths of an abstract reachability tree: TreeIC3. The sections of the thesis
    /// are without meaning then.
    pub tree: bool,
    /// Partial commands of one edge; where there are more, it is cut.
    pub most_partial_commands: usize,
    /// Questions to the solver, after which it gives up.
    pub most_questions: u64,
}

impl Default for Ic3CfaOptions {
    fn default() -> Self {
        Ic3CfaOptions {
            generalisation: Generalisation::New,
            section_5_1_distances: true,
            section_5_3_inductiveness: Inductiveness::Preconditions,
            section_5_4_assumes: true,
            section_5_5_predecessor_cubes: true,
            section_5_6_context: ContextForm::AnySuperset,
            section_5_7_minimal: true,
            section_5_8_ordering: true,
            section_5_9_earlier_edges: true,
            section_5_10_interpolation: true,
            section_5_11_counterexamples: false,
            implied_literals: true,
            cores: true,
            models: true,
            lifting: true,
            loop_indices: true,
            propagation: true,
            requeueing: false,
            publication: false,
            tree: false,
            most_partial_commands: 64,
            most_questions: u64::MAX,
        }
    }
}

impl Ic3CfaOptions {
    /// The algorithm before the thesis: `IC3CFAOld`.
    pub fn old() -> Ic3CfaOptions {
        Ic3CfaOptions {
            generalisation: Generalisation::Old,
            section_5_1_distances: false,
            section_5_3_inductiveness: Inductiveness::Transitions,
            section_5_4_assumes: false,
            section_5_5_predecessor_cubes: false,
            section_5_6_context: ContextForm::None,
            section_5_7_minimal: false,
            section_5_8_ordering: false,
            section_5_9_earlier_edges: false,
            section_5_10_interpolation: false,
            implied_literals: false,
            cores: false,
            models: false,
            lifting: false,
            loop_indices: false,
            propagation: false,
            ..Ic3CfaOptions::default()
        }
    }
}
