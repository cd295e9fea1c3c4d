//! Places in source text.
//!
//! All texts that a run reads (several `.c` or `.i` files, the prelude of library models,
//! expressions given by witnesses) lie one after the other in one space of offsets, so that a place
//! is two 32-bit numbers wherever it travels. [`crate::source::SourceMap`] turns a place into file,
//! line and column, both in the text that was read and in the original file named by line markers.

/// A half-open range of byte offsets in the space of all texts read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    /// The place of things that no text stands for (generated code).
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    pub fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    /// The smallest span that covers both.
    pub fn to(self, end: Span) -> Span {
        if self == Span::NONE {
            return end;
        }
        if end == Span::NONE {
            return self;
        }
        Span {
            lo: self.lo.min(end.lo),
            hi: self.hi.max(end.hi),
        }
    }

    pub fn is_none(self) -> bool {
        self == Span::NONE
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}

/// An interned identifier or string; see [`crate::names::Names`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub u32);
