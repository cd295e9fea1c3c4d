//! Memory objects and the regions that they are grouped into.

use crate::program::FuncId;
use serde::{Deserialize, Serialize};
use syntax::span::Span;
use syntax::types::TypeId;

/// Something that has an address: a variable in memory, a string literal, an allocation site, a
/// function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

/// A part of memory such that no address is accessed through two regions. Region 0 is all of
/// memory, in bytes: what lowering writes before `transform::regions` has told accesses apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct RegionId(pub u32);

impl RegionId {
    pub const WHOLE: RegionId = RegionId(0);
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// Lives as long as the program.
    Global,
    /// One for each activation of the function and each time its scope is entered.
    Local(FuncId),
    StringLiteral,
    /// Stands for everything that one allocation operation returns.
    Heap,
    /// As `Heap`, but released when the function returns or the scope ends.
    StackAllocation(FuncId),
    /// No bytes; its address is a function's.
    Function(FuncId),
    /// What a pointer from outside points to (see the summary objects of the design).
    External,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    pub kind: ObjectKind,
    /// Bytes, where constant.
    pub size: Option<u64>,
    pub align: u64,
    /// The declared C type, where there is one.
    pub c_type: Option<TypeId>,
    /// String literals and const globals may not be written, except by the generated entry
    /// function, which initialises them.
    pub read_only: bool,
    /// At most one object of this id exists at any time of any execution.
    pub unique: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Region {
    pub name: String,
    /// Bits of a cell: the width of all accesses in the region, or 8 where widths differ.
    pub cell_bits: u16,
    /// The objects whose cells lie in this region.
    pub objects: Vec<ObjectId>,
    /// Pointers from outside the program may point into it.
    pub reaches_outside: bool,
    /// All that lies in it lives as long as the program and begins with zeros: no variable that is
    /// defined elsewhere, no memory outside.
    pub begins_with_zeros: bool,
}
