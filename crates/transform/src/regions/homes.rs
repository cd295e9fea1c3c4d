//! Which part of memory the split gave each access: what a checker of the split is told.

use super::places::Home;
use cfa::expr::VarId;
use cfa::program::{EdgeId, VariableKind};
use rustc_hash::FxHashMap;

/// A part of memory that the split keeps apart from all others, by number: its bytes lie in one
/// region or in one variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PartId(pub u32);

/// What the split made of a part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where its bytes are now.
    pub home: Home,
    /// Bytes from the first to the last access in one element.
    pub len: i64,
    /// Every access covers exactly one value of this length: values in it are never mixed of bytes
    /// of others.
    pub is_whole: bool,
    /// Some operation reads it. Writes to other parts are left out.
    pub is_read: bool,
    /// Memory outside the program may lie in its region.
    pub reaches_outside: bool,
    /// All that lies in its region begins with zeros.
    pub begins_with_zeros: bool,
}

/// What one copy or fill does to one part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub target: PartId,
    /// Where the bytes of a copy come from; of a fill nothing.
    pub source: Option<PartId>,
    /// Bytes from the operation's target to the first byte that is written, and how many are;
    /// nothing: the whole extent of the operation as far as it lies in the part.
    pub extent: Option<(i64, i64)>,
}

/// The parts of all accesses of a program.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    pub parts: Vec<Part>,
    /// What the variables that the split made stand for.
    pub pieces: FxHashMap<VarId, VariableKind>,
    /// By load, as numbered in the pool of the program before the split.
    pub loads: Vec<Option<PartId>>,
    /// By edge with a store.
    pub stores: FxHashMap<EdgeId, PartId>,
    /// By edge with a copy or a fill: what is written. Parts that are not read are left out.
    pub ranges: FxHashMap<EdgeId, Vec<Range>>,
}
