//! Addresses as numbers: an abstract interpretation may place the objects of a program somewhere,
//! so that it knows which pointer leads where and how far into its object.
//!
//! That is a guess and no fact: other placements are possible, and two objects of one name may live
//! at a time. What comes out is said of distances from the start of objects
//! ([`super::express::Writer`]), and is to be checked before anybody relies on it.

use cfa::expr::VarId;
use cfa::memory::{ObjectId, ObjectKind};
use cfa::program::Program;
use domains::interval::Interval;

/// Where an abstract interpretation takes objects to lie.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The space for one object.
    room: i128,
    /// One more than the greatest address.
    end: i128,
}

impl Placement {
    pub fn new(program: &Program) -> Placement {
        match program.model.pointer_bits() {
            32 => Placement {
                room: 1 << 20,
                end: 1 << 32,
            },
            _ => Placement {
                room: 1 << 40,
                end: 1 << 62,
            },
        }
    }

    /// Where an object lies; nowhere if there is no room left.
    pub fn address(&self, object: ObjectId) -> Option<i128> {
        let address = (i128::from(object.0) + 1).checked_mul(self.room)?;
        (address < self.end).then_some(address)
    }

    /// Whether the greatest of the numbers is an address, and no number of the program.
    pub fn may_be_address(&self, numbers: Interval) -> bool {
        let addresses = self.room..=self.end;
        numbers
            .upper()
            .is_some_and(|upper| addresses.contains(&upper))
    }

    /// The object that numbers lie in or right behind, and their distances from its start.
    pub fn within(&self, program: &Program, numbers: Interval) -> Option<(ObjectId, Interval)> {
        let (low, high) = numbers.lower().zip(numbers.upper())?;
        let number = u32::try_from(low.checked_div(self.room)?.checked_sub(1)?).ok()?;
        let object = ObjectId(number);
        let info = program.objects.get(number as usize)?;
        let start = self.address(object)?;
        let is_named = match info.kind {
            ObjectKind::Global | ObjectKind::StringLiteral => true,
            ObjectKind::Local(_) => info.unique,
            _ => false,
        };
        let end = start + i128::from(info.size?);
        (is_named && high <= end).then(|| (object, Interval::finite(low - start, high - start)))
    }

    /// Whether a variable can hold an address.
    pub fn holds_addresses(&self, program: &Program, var: VarId) -> bool {
        program.var(var).ty == program.pointer_ty()
    }
}
