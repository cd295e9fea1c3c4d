//! What a value may be besides the pointer that it is known to be.

use super::near::Near;
use super::reach::{Reach, bits_of};

/// Everything here is a possibility: of one value or another, all of both are possible.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Held {
    /// It may be some bytes of a pointer only, or a mixture of the bytes of several values.
    pub part: bool,
    /// It may be a number that is not near null (where no object lies).
    pub number: bool,
    /// It may be a number from outside the program, and so the address of memory there.
    pub outside: bool,
    /// It may be a pointer that has left its object, and so come near null.
    pub strayed: bool,
    /// It may have left its object as an integer: nothing that C says keeps it from going round the
    /// address space.
    pub wandered: bool,
    /// It may be null or the like.
    pub near: Near,
    /// How far it may have been moved.
    pub reach: Reach,
}

impl Held {
    pub const NUMBER: Held = Held {
        number: true,
        ..Held::NOTHING
    };
    pub const OUTSIDE: Held = Held {
        number: true,
        outside: true,
        ..Held::NOTHING
    };
    /// Null, or a number that is as little of an address.
    pub const NULL: Held = Held {
        near: Near::NULL,
        ..Held::NOTHING
    };
    pub const NOTHING: Held = Held {
        part: false,
        number: false,
        outside: false,
        strayed: false,
        wandered: false,
        near: Near::NEVER,
        reach: Reach::NONE,
    };

    /// What is not known before pointers are: whether it is a number.
    #[must_use]
    pub fn known(self, are_pointers_known: bool) -> Held {
        Held {
            number: self.number && are_pointers_known,
            outside: self.outside && are_pointers_known,
            ..self
        }
    }

    /// The value of one or the other.
    #[must_use]
    pub fn or(self, other: Held) -> Held {
        Held {
            part: self.part || other.part,
            number: self.number || other.number,
            outside: self.outside || other.outside,
            strayed: self.strayed || other.strayed,
            wandered: self.wandered || other.wandered,
            near: self.near.or(other.near),
            reach: self.reach.or(other.reach),
        }
    }

    /// It may be a number that is known instead of a pointer.
    #[must_use]
    pub fn may_be_number(self) -> bool {
        self.number || self.near.is_possible()
    }

    /// After a move by a distance.
    #[must_use]
    pub fn moved(self, by: Distance, pointer_bits: u16) -> Held {
        let (near, is_number) = self.near.moved(by.constant);
        let bits = by.constant.map_or(by.bits, bits_of);
        let is_constant = by.constant.is_some();
        Held {
            part: self.part,
            number: self.number || is_number,
            outside: self.outside || by.outside && self.near.is_possible(),
            strayed: self.strayed || by.strays,
            wandered: self.wandered || by.strays && by.is_integer,
            near,
            reach: self.reach.moved(bits, is_constant, pointer_bits),
        }
    }
}

/// What is known of a move.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// The distance, if it is a constant.
    pub constant: Option<i64>,
    /// How many bits hold it.
    pub bits: u8,
    /// What is moved may be so far from its object by then that it could be near null.
    pub strays: bool,
    /// It is a sum of integers.
    pub is_integer: bool,
    /// It is such a sum, and the distance may be a number from outside the program.
    pub outside: bool,
}
