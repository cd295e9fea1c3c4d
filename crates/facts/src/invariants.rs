//! Facts: what was proved about the program at some locations.

use cfa::expr::{ExprId, ExprPool};
use cfa::place::CallPattern;
use cfa::program::{EdgeId, LocId};
use std::sync::Arc;

/// A set of statements that were proved together.
///
/// Law: the map is inductive. Take all executions that so far satisfied its entries wherever they passed: then
/// the next place with an entry that they come to satisfies that entry too. So the conjunction of several maps
/// is one again, and whoever uses one needs nothing else to certify it.
#[derive(Clone, Debug)]
pub struct InvariantMap {
    /// The analysis that found it.
    pub by: String,
    /// Holds the entries' expressions.
    pub pool: ExprPool,
    pub entries: Vec<Invariant>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub calls: CallPattern,
    pub location: LocId,
    /// Truth-valued.
    pub holds: ExprId,
}

impl InvariantMap {
    /// What the map says of a place.
    pub fn at<'a>(
        &'a self,
        calls: &'a [EdgeId],
        location: LocId,
    ) -> impl Iterator<Item = ExprId> + 'a {
        self.entries
            .iter()
            .filter(move |entry| entry.location == location && entry.calls.matches(calls))
            .map(|entry| entry.holds)
    }
}

/// The facts known at one moment; cheap to keep while others publish more.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// In the order of their publication.
    pub maps: Vec<Arc<InvariantMap>>,
}

impl Facts {
    /// Grows with every publication.
    pub fn version(&self) -> usize {
        self.maps.len()
    }
}
