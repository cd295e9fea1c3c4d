//! The concrete meaning of machine arithmetic, defined once.
//!
//! The C front end (constant expressions), the interpreter and the constant folding of formulas all
//! call this crate, so they cannot disagree about a result. A value is always a bit pattern: the
//! low bits of a `u128`, zero-extended.
//!
//! * [`int`]: two's-complement integers of any width from 1 to 128 bits.
//! * [`float`]: IEEE 754 binary floats and the x87 extended format, correctly rounded in all five
//!   rounding modes.
//! * [`random`]: pseudo-random numbers that are the same in every run.
//!
//! ```
//! use arith::int;
//!
//! // In eight bits 127 + 1 is -128.
//! let sum = int::add(127, 1, 8);
//! assert_eq!((sum, int::to_signed(sum, 8)), (0x80, -128));
//! assert_eq!(int::udiv(sum, 0, 8), None);
//! ```

pub mod float;
pub mod int;
pub mod random;
