//! Precisions that one analysis hands to another (Stieglmaier2016: T. Stieglmaier, *Augmenting
//! Predicate Analysis with Auxiliary Invariants*, 2016, section 5.2.2): what was worth tracking
//! where. Nothing in them claims to hold.

use cfa::expr::{ExprId, ExprPool};
use cfa::program::LocId;

#[derive(Clone, Debug, Default)]
pub struct PrecisionMap {
    /// The analysis that found it.
    pub by: String,
    /// Holds the predicates.
    pub pool: ExprPool,
    /// Truth-valued expressions, and the location that each was found at.
    pub predicates: Vec<(LocId, ExprId)>,
}
