//! Opponents of the verifier: programs that nobody here wrote, with a truth that the verifier did
//! not compute.
//!
//! Nothing here knows how the verifier works. It is started as a command ([`verifier`]), gcc says
//! what is true ([`gcc`]), and an answer that contradicts that is kept with its program
//! ([`tally`]).
//!
//! - [`torture`]: the execute tests of gcc, from Debian's package of its source.
//! - [`csmith`]: random programs of csmith, whose results become assertions.
//! - [`loops`]: random loops over inputs of small ranges, all of which are executed.
//! - [`memory`]: random programs with and without memory errors, and AddressSanitizer's word.
//! - [`ladder`]: programs of growing size, and CBMC beside Concord.
//! - [`mutants`]: programs of which one operator or constant was changed, against random
//!   executions.

pub mod assertions;
pub mod csmith;
pub mod gcc;
pub mod ladder;
pub mod loops;
pub mod memory;
pub mod mutants;
pub mod random;
pub mod tally;
pub mod torture;
pub mod verifier;

/// Says why a test does not run here; where everything must run (`CONCORD_CI=1`), that is a
/// failure.
pub fn skip(reason: &str) {
    assert!(
        std::env::var("CONCORD_CI").as_deref() != Ok("1"),
        "nothing may be skipped here: {reason}"
    );
    println!("SKIPPED: {reason}");
}
