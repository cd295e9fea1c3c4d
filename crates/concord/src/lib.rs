//! Concord as a library: give a [`Verifier`] a C program, and it proves that the program keeps a
//! [`Property`], or finds an execution that does not. A [`Verdict`] comes with a [`Certificate`]
//! that was checked before it is handed out, and that can be checked again.
//!
//! ```
//! use concord::{Property, Verdict, Verifier};
//!
//! let program = "
//!     extern int __VERIFIER_nondet_int(void);
//!     extern void reach_error(void);
//!     int main(void) {
//!         int x = __VERIFIER_nondet_int();
//!         if (x > 5 && x < 7) reach_error();
//!         return 0;
//!     }";
//! let answer = Verifier::new().property(Property::assertions()).check_text("six.c", program)?;
//! let Verdict::False(certificate) = &answer.verdict else {
//!     panic!("{:?}", answer.verdict);
//! };
//! assert_eq!(certificate.inputs()[0].value, "6");
//! # Ok::<(), concord::Error>(())
//! ```
//!
//! Everything happens in the calling process: limits are those that the analyses keep by
//! themselves, and an analysis that exhausts the stack ends the process. The command `concord check`
//! has a process of its own for the work, and survives that. The analyses that ask other tools for
//! invariants work only there, too.
//!
//! The interface is what this page shows. The other crates of the workspace are open as well, and
//! change as they need to.

mod board;
#[doc(hidden)]
pub mod inputs;
#[doc(hidden)]
pub mod property;
#[doc(hidden)]
pub mod validity;
mod verifier;

pub use verifier::{
    Answer, Certificate, DataModel, Error, Input, Note, Property, Verdict, Verifier,
};
