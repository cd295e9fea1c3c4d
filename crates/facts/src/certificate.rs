//! Certificates: what an analysis hands over so that its answer can be checked without it.

use cfa::expr::ExprId;
use cfa::op::InputId;
use cfa::program::{EdgeId, LocId};
use cfa::value::Ty;

/// A value that an execution takes from outside, in the order in which executions take them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputValue {
    pub input: InputId,
    pub ty: Ty,
    pub bits: u128,
}

/// Bounds that no execution exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnrollingBounds {
    /// Iterations of a loop whose course the inputs decide.
    pub iterations: u32,
    /// Activations of one function at a time.
    pub recursion: u32,
    /// Operations in all.
    pub steps: u64,
}

#[derive(Clone, Debug)]
pub enum Certificate {
    /// Unsafe: the execution with these inputs violates the property.
    Inputs(Vec<InputValue>),
    /// Safe: within these bounds no execution violates the property, and none exceeds them.
    CompleteUnrolling(UnrollingBounds),
    /// Safe: an inductive annotation of call strings and locations.
    Graph(AnnotatedGraph),
    /// Safe: the program runs to its end without taking any input.
    DeterministicRun { steps: u64 },
}

impl Certificate {
    pub fn claims_safety(&self) -> bool {
        !matches!(self, Certificate::Inputs(_))
    }

    /// The kind, as shown to users.
    pub fn name(&self) -> &'static str {
        match self {
            Certificate::Inputs(_) => "inputs",
            Certificate::CompleteUnrolling(_) => "complete unrolling",
            Certificate::Graph(_) => "inductive annotation",
            Certificate::DeterministicRun { .. } => "deterministic run",
        }
    }
}

/// Nodes are covered states; the expressions are over the program's pool extended by `pool`.
///
/// Law (what the checker proves): the entry is covered by a node, every execution from a node over the
/// blocks of the program comes to a covered place, and no block from a node reaches an error location.
#[derive(Clone, Debug)]
pub struct AnnotatedGraph {
    pub pool: cfa::expr::ExprPool,
    pub nodes: Vec<AnnotatedNode>,
}

#[derive(Clone, Debug)]
pub struct AnnotatedNode {
    /// The call edges of the activations below, outermost first.
    pub call_string: Vec<EdgeId>,
    pub location: LocId,
    /// Holds whenever an execution is there (one of the nodes of the place does).
    pub invariant: ExprId,
}
