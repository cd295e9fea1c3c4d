//! Memory regions: which accesses may meet, and which memory can become plain variables.
//!
//! Lowering writes every access as one to all of memory. This phase finds out which accesses can
//! touch the same bytes ([`points_to`]), gives each class of bytes a region whose cells have the
//! width of its accesses, splits the objects that are accessed at constant places only into
//! variables, and writes copies and fills of known size as accesses to the cells that the program
//! reads at all ([`rewrite`]).
//!
//! Locations keep their numbers (new ones come behind them), so that a place in the result is the
//! place in the program before. A variable that stands for a part of memory says so in its
//! [`cfa::program::VariableKind::Piece`].

mod any_placement;
mod carried;
mod derived;
mod forward;
mod held;
mod homes;
mod kin;
mod lives;
mod map_back;
mod multiple;
mod names;
mod near;
mod observed;
mod outlived;
pub(crate) mod places;
pub(crate) mod points_to;
mod reach;
mod reuse;
mod rewrite;
pub(crate) mod shape;
mod tested;
mod validate;

pub use any_placement::with_any_placement;
pub use carried::is_outside_all_objects as lies_outside_objects;
pub use forward::expression_after_split;
pub use held::{Distance, Held};
pub use homes::{Homes, Part, PartId, Range};
pub use lives::Lives;
pub use map_back::replay_before;
pub use names::{NamedPart, part, part_name};
pub use near::{NEAR, Near};
pub use observed::{Observation, observed_addresses, observing_claims};
pub use places::Home;
pub use points_to::{alignment, is_pointer as is_declared_pointer};
pub use reach::{Reach, bits_of, power_of_two};
pub use validate::{Stats, Violation, validate};

use cfa::expr::{ExprId, ExprPool};
use cfa::program::Program;
use syntax::types::DataModel;

/// A program with its memory split, and what the split did.
#[derive(Clone, Debug)]
pub struct Split {
    pub program: Program,
    pub homes: Homes,
}

/// The program with its memory split into regions and variables.
#[must_use]
pub fn split_memory(program: &Program) -> Program {
    split_with_homes(program).program
}

/// The same, together with the part of memory that each access got: what has to be checked of the
/// split.
#[must_use]
pub fn split_with_homes(program: &Program) -> Split {
    let mut points_to = points_to::PointsTo::of(program);
    let places = places::Places::of(program, &mut points_to);
    let (program, homes) = rewrite::rewrite(program, &mut points_to, &places);
    Split { program, homes }
}

/// What divides every distance that a pointer is moved by, if it is moved by the value of the
/// expression.
#[must_use]
pub fn stride_of(pool: &ExprPool, by: ExprId, model: DataModel) -> i64 {
    multiple::Multiple::of(pool, by).stride_modulo(model.pointer_bits())
}

/// How many bits hold every such distance, as a signed number; all of a pointer's if it is not
/// known.
#[must_use]
pub fn distance_bits(pool: &ExprPool, by: ExprId, model: DataModel) -> u8 {
    multiple::Multiple::of(pool, by).bits(model.pointer_bits())
}
