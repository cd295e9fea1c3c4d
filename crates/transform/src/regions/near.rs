//! Numbers that are no addresses of objects, although values that may be pointers may be such
//! numbers too: null, what is near it, and addresses of functions.
//!
//! They say nothing of where objects lie. But whoever computes with a value that may be one of them
//! instead of a pointer computes with a number that the program knows: what is moved from null is
//! the distance itself, and the distance from null is an address.

/// An address that is no further from an object is not near null: no object lies in the first and
/// last pages.
pub const NEAR: i64 = 1024;

/// Whether a value may be such a number, and how far constants may have moved it since.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Near(Option<u16>);

impl Near {
    /// It is never such a number.
    pub const NEVER: Near = Near(None);
    /// It may be null or the address of a function.
    pub const NULL: Near = Near(Some(0));
    /// It may be another number that is no address, like `(char *)-1`: to ask whether it is null does
    /// not exclude it.
    pub const LIKE_NULL: Near = Near(Some(1));

    #[must_use]
    pub fn is_possible(self) -> bool {
        self.0.is_some()
    }

    /// The value of one or the other.
    #[must_use]
    pub fn or(self, other: Near) -> Near {
        self.max(other)
    }

    /// After a move by so much (nothing: by something unknown), and whether it may be any number by
    /// then.
    #[must_use]
    pub fn moved(self, by: Option<i64>) -> (Near, bool) {
        let Some(reach) = self.0 else {
            return (self, false);
        };
        let far = by.map(|by| by.unsigned_abs().saturating_add(u64::from(reach)));
        match far {
            Some(0) => (self, false),
            // Few steps, so that moves in a loop come to an end soon.
            Some(far) if far <= NEAR as u64 => {
                (Near(Some((far as u16).next_power_of_two())), false)
            }
            _ => (Near::NEVER, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_from_null_stays_near_or_is_a_number() {
        assert_eq!(Near::NEVER.moved(None), (Near::NEVER, false));
        assert_eq!(Near::NULL.moved(None), (Near::NEVER, true));
        assert_eq!(Near::NULL.moved(Some(-NEAR - 1)), (Near::NEVER, true));
        let (near, is_number) = Near::NULL.moved(Some(-24));
        assert!(near.is_possible() && near > Near::NULL && !is_number);
    }

    #[test]
    fn moves_in_a_loop_make_a_number_soon() {
        let mut near = Near::NULL;
        let mut steps = 0;
        while near.is_possible() {
            near = near.moved(Some(4)).0;
            steps += 1;
        }
        assert!(steps < 16);
    }
}
