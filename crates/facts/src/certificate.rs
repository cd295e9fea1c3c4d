//! Certificates: what an analysis hands over so that its answer can be checked without it.

use crate::invariants::InvariantMap;
use cfa::expr::{ExprId, ExprPool};
use cfa::op::InputId;
use cfa::place::CallPattern;
use cfa::program::LocId;
use cfa::value::Ty;
use serde::{Deserialize, Serialize};
use transform::passes::Prophecy;
use transform::passes::contracts::Contracts;

/// A value that an execution takes from outside, in the order in which executions take them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputValue {
    pub input: InputId,
    pub ty: Ty,
    pub bits: u128,
}

/// Bounds that no execution exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Safe: by induction over the loop heads passed.
    KInduction(KInduction),
    /// Safe: the program runs to its end without taking any input.
    DeterministicRun { steps: u64 },
    /// Safe: no way through the graph leads to an error location or to something unsupported.
    NoWay,
    /// Safe: for arbitrary indices.
    Prophecy(Box<ForArbitraryIndices>),
    /// Safe: the program with contracts of functions is.
    Contracts(Box<UnderContracts>),
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
            Certificate::KInduction(_) => "k-induction",
            Certificate::DeterministicRun { .. } => "deterministic run",
            Certificate::NoWay => "no path to an error location",
            Certificate::Prophecy(claim) => match claim.proof {
                Certificate::KInduction(_) => "k-induction for arbitrary indices",
                _ => "inductive annotation for arbitrary indices",
            },
            Certificate::Contracts(_) => "contracts of functions",
        }
    }
}

/// Nodes are covered states; their expressions lie in `pool`.
///
/// Law (what the checker proves): the start of the program is covered by a node or leads to covered
/// places, every execution from a node comes to a covered place or ends, and none comes to an error
/// location before. Every loop that inputs decide on passes through the place of a node.
#[derive(Clone, Debug)]
pub struct AnnotatedGraph {
    pub pool: ExprPool,
    pub nodes: Vec<AnnotatedNode>,
}

/// A map that covers every loop and excludes every violation is a proof.
impl From<InvariantMap> for AnnotatedGraph {
    fn from(map: InvariantMap) -> AnnotatedGraph {
        let nodes = map.entries.into_iter().map(|entry| AnnotatedNode {
            calls: entry.calls,
            location: entry.location,
            invariant: entry.holds,
        });
        AnnotatedGraph {
            pool: map.pool,
            nodes: nodes.collect(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct AnnotatedNode {
    /// Which executions the node is about.
    pub calls: CallPattern,
    pub location: LocId,
    /// Holds whenever an execution is there (one of the nodes of the place does).
    pub invariant: ExprId,
}

/// Safe by induction over the loop heads that executions pass.
///
/// Law (what the checker proves): `support` is an inductive annotation of loop heads (of those that
/// it has none for, anything may hold); no execution violates the property before it has passed
/// `depth` + 1 loop heads; and what `rest` says of those that pass more.
///
/// One depth is enough for many errors and loops, whatever each of them needs: if none is reached
/// after `depth` blocks from any loop head, none is after more, because the last `depth` of those
/// begin at a loop head too.
#[derive(Clone, Debug)]
pub struct KInduction {
    pub depth: u32,
    pub support: AnnotatedGraph,
    pub rest: Rest,
}

/// Why the executions that pass more loop heads than the base case do not matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// The step case: no violation after passing a loop head in a state that the support allows and
    /// `depth` more without a violation.
    Follows,
    /// The forward condition: there are none from whose place an error could be reached.
    Nothing,
}

/// Safe because the program with prophecies is (see [`transform::passes::prophesy`] for why that is
/// enough).
///
/// Law (what the checker proves): `proof` proves safety of the program that `prophesy` makes of the
/// given one and the prophecies; it is no such claim itself.
#[derive(Clone, Debug)]
pub struct ForArbitraryIndices {
    pub prophecies: Vec<Prophecy>,
    pub proof: Certificate,
}

/// Safe because the program with contracts is (see [`transform::passes::contracts`] for why that is
/// enough).
///
/// Law (what the checker proves): `proof` proves safety of the program that
/// [`contracted`](transform::passes::contracts::contracted) makes of the given one and the
/// contracts; it is no such claim itself.
#[derive(Clone, Debug)]
pub struct UnderContracts {
    pub contracts: Contracts,
    pub proof: Certificate,
}
