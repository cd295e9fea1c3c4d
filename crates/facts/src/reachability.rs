//! The graph of abstract states that an analysis has made, cut to what a reader can look at.

use cfa::expr::{ExprId, ExprPool};
use cfa::program::{EdgeId, LocId};
use std::collections::BTreeSet;
use std::time::Duration;

/// States that are kept of a graph: more are no picture any more.
pub const MAX_STATES: usize = 150;

/// What the description of one state takes, where time is counted.
pub const DESCRIPTION: Duration = Duration::from_micros(200);
/// How long an analysis may put its states into words: when it ends, others wait.
pub const LONGEST_DESCRIPTION: Duration = Duration::from_millis(80);

/// An abstract reachability graph, about the program that the analysis was given.
#[derive(Clone, Debug)]
pub struct ReachabilityGraph {
    /// The analysis that made it.
    pub by: String,
    /// All states that there were; [`Self::states`] may be fewer.
    pub total: usize,
    /// Holds what the states say.
    pub pool: ExprPool,
    /// The first is where executions start; those on the error path are in its order.
    pub states: Vec<AbstractState>,
    pub edges: Vec<AbstractEdge>,
}

#[derive(Clone, Debug)]
pub struct AbstractState {
    pub location: LocId,
    /// The calls that lead there, outermost first.
    pub calls: Vec<EdgeId>,
    /// What the state says; none for a target that the analysis did not compute a state for, and
    /// where time was short.
    pub holds: Option<ExprId>,
    /// Another state stands for this one.
    pub is_covered: bool,
    /// Its successors were not computed.
    pub is_open: bool,
    /// On the way to the violation that the analysis found.
    pub is_on_path: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// From a state to one that was made from it.
    Successor,
    /// To a state that was there before, and that the successor became part of.
    Merged,
    /// To a state that stands for the successor, or for the state itself.
    Covering,
}

#[derive(Clone, Debug)]
pub struct AbstractEdge {
    /// Indices of [`ReachabilityGraph::states`].
    pub from: u32,
    pub to: u32,
    /// The operations on the way; empty where a whole block of the program is one edge.
    pub operations: Vec<String>,
    pub kind: EdgeKind,
}

/// Which states are kept, of those numbered in the order in which they were made: both ends of the
/// path, and those that were made first. `path` and `all` are sorted.
///
/// Law: at most [`MAX_STATES`]; and if the path is not too long, with every state that is kept the
/// one that it was made from, because states are made after those that they are made from.
pub fn worth_showing(all: impl Iterator<Item = u32>, path: &[u32]) -> BTreeSet<u32> {
    let end = MAX_STATES * 3 / 8;
    let first = path.iter().take(end);
    let last = path.iter().skip(path.len().saturating_sub(end).max(end));
    let mut kept: BTreeSet<u32> = first.chain(last).copied().collect();
    for state in all {
        if kept.len() >= MAX_STATES {
            break;
        }
        kept.insert(state);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_and_the_first_states_are_kept() {
        let path = [0, 5, 4000, 4001];
        let kept = worth_showing(0..5000, &path);
        assert_eq!(kept.len(), MAX_STATES);
        assert!(path.iter().all(|state| kept.contains(state)));
        assert!((0..100).all(|state| kept.contains(&state)));
        assert_eq!(worth_showing(0..7, &[]).len(), 7);
    }

    #[test]
    fn a_long_path_keeps_its_ends() {
        let path: Vec<u32> = (0..1000).map(|number| number * 2).collect();
        let kept = worth_showing(0..2000, &path);
        assert_eq!(kept.len(), MAX_STATES);
        assert!(kept.contains(&0) && kept.contains(&1998) && !kept.contains(&1000));
        let short: Vec<u32> = (0..100).collect();
        assert_eq!(worth_showing(0..100, &short).len(), 100);
    }
}
