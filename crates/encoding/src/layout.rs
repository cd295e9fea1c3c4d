//! Addresses of objects.
//!
//! Constant addresses make formulas small. An object that lives as long as the program has one
//! address; of the others every instance (every time that its scope is entered, every allocation)
//! has an address of its own that nothing had before. So memory that was never written holds what
//! it held at the start, which is arbitrary, and an uninitialised object needs no operation on the
//! array of its region.

use cfa::memory::{ObjectId, ObjectKind};
use cfa::outside;
use cfa::program::{ErrorKind, Program};

/// Space between objects: an access just behind an object hits nothing.
const GAP: u64 = 16;

/// The same in programs that watch their memory (`docs/decisions/026-memory-safety.md`): an access
/// far outside of its object hits nothing either.
const WIDE_GAP: (u64, u64) = (1 << 16, 1 << 36);

/// Space below the objects that come and go: the address of an element before the first of an array
/// (`a[i - 1]` is such a constant and a product) is not taken for that of an object that stays.
pub const BELOW: u64 = 4096;

fn is_about_memory(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidAccess | ErrorKind::InvalidFree)
}

#[derive(Clone, Debug)]
pub struct Layout {
    fixed: Vec<Option<u64>>,
    first_dynamic: u64,
    next: u64,
    limit: u64,
    /// Where memory is watched: the least space between objects, and a number from which the next
    /// distance is made. Regular distances are those that programs compute.
    wide: Option<(u64, u64)>,
}

impl Layout {
    pub fn new(program: &Program) -> Layout {
        let bits = program.model.pointer_bits();
        let limit = if bits == 32 { 0xf000_0000 } else { 1 << 62 };
        let mut layout = Layout {
            fixed: Vec::new(),
            first_dynamic: 0,
            next: 0x1_0000,
            limit,
            wide: None,
        };
        let kinds = program.errors.iter().map(|(_, kind)| *kind);
        // It watches its memory also where other checks are asked for.
        if kinds.into_iter().any(is_about_memory) || program.pool.has_object_offsets() {
            let (narrow, wide) = WIDE_GAP;
            let gap = if bits == 32 { narrow } else { wide };
            layout.wide = Some((gap, 1));
        }
        if outside::object(program).is_some() {
            layout.next = outside::address(program.model) + outside::BYTES + GAP;
        }
        for object in &program.objects {
            let address = match object.kind {
                ObjectKind::Function(_) => layout.reserve(1, object.align),
                ObjectKind::External => Some(outside::address(program.model)),
                ObjectKind::Global | ObjectKind::StringLiteral => {
                    layout.reserve(object.size.unwrap_or(0), object.align)
                }
                ObjectKind::Local(_) | ObjectKind::Heap | ObjectKind::StackAllocation(_) => None,
            };
            layout.fixed.push(address);
        }
        layout.first_dynamic = layout.next;
        layout.next += BELOW;
        layout
    }

    /// The address of an object that lives as long as the program.
    pub fn fixed(&self, object: ObjectId) -> Option<u64> {
        self.fixed[object.0 as usize]
    }

    /// A new address with room for that many bytes; `None` if the address space is used up.
    pub fn reserve(&mut self, size: u64, align: u64) -> Option<u64> {
        let align = align.max(16);
        let address = self.next.checked_next_multiple_of(align)?;
        let gap = self.gap();
        let end = address.checked_add(size)?.checked_add(gap)?;
        if end > self.limit {
            return None;
        }
        self.next = end;
        Some(address)
    }

    /// Space behind the next object.
    fn gap(&mut self) -> u64 {
        let Some((least, state)) = &mut self.wide else {
            return GAP;
        };
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        *least + (*state >> 33) % *least
    }

    /// The addresses of objects that come and go, and what lies a little below them, are not
    /// smaller.
    pub fn first_dynamic(&self) -> u64 {
        self.first_dynamic
    }

    /// Every address given out so far is smaller.
    pub fn reserved_until(&self) -> u64 {
        self.next
    }

    /// Room kept for an object whose size is not known: larger ones are out of scope of the
    /// formula.
    pub fn unknown_size(&self) -> u64 {
        if self.limit > u64::from(u32::MAX) {
            1 << 40
        } else {
            1 << 24
        }
    }
}
