//! The frames of IC3 after one iteration, for the report.

use cfa::expr::{ExprId, ExprPool};
use cfa::place::Place;

/// Iterations of one analysis that are shown, and clauses of one place: more nobody reads.
pub const MAX_ITERATIONS: usize = 40;
pub const MAX_CLAUSES: usize = 60;

/// What the frames of all places say after one iteration.
#[derive(Clone, Debug)]
pub struct Frames {
    /// The analysis that they are of.
    pub by: String,
    /// The greatest index of which no execution reaches an error.
    pub iteration: u32,
    /// Holds what the clauses say.
    pub pool: ExprPool,
    pub places: Vec<FramesOfPlace>,
}

/// The frames of one place.
#[derive(Clone, Debug)]
pub struct FramesOfPlace {
    pub place: Place,
    /// Executions reach it with this index or a greater one; below the frames are empty.
    pub first: u32,
    /// Clauses, each with the last index of which it holds, the greatest first.
    pub clauses: Vec<(u32, ExprId)>,
    /// Clauses for which there was no room.
    pub left_out: usize,
}
