//! One refinement of trace abstraction, in words, for the report.

/// Refinements of one analysis that are shown, states of one automaton, and steps of one trace:
/// more are no picture any more.
pub const MAX_REFINEMENTS: usize = 20;
pub const MAX_STATES: usize = 40;
pub const MAX_STEPS: usize = 60;

/// An infeasible trace and the data automaton that removed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refinement {
    /// The analysis that made it.
    pub by: String,
    /// Counted from one.
    pub number: usize,
    /// Where the automaton comes from: a domain, or a source of interpolants.
    pub origin: String,
    /// Did abstract interpretation prove the path program?
    pub is_interpreted: bool,
    /// The statements of the trace as C, each with what holds behind it.
    pub steps: Vec<(String, String)>,
    /// What the states of the automaton say, as C; the first is where it begins.
    pub states: Vec<String>,
    /// Source, target, statement.
    pub edges: Vec<(u32, u32, String)>,
}
