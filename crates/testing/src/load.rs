//! C text as a program.

use cfa::program::Program;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_text};
use transform::regions::split_memory;

/// Declares what the texts of tests call. One line, so that lines of a text are easily counted.
pub const PRELUDE: &str = "extern void reach_error(void); extern void abort(void); \
    extern void __VERIFIER_assume(int); extern int __VERIFIER_nondet_int(void); \
    extern unsigned __VERIFIER_nondet_uint(void); extern char __VERIFIER_nondet_char(void); \
    extern long __VERIFIER_nondet_long(void); extern float __VERIFIER_nondet_float(void);\n";

/// The text as it is lowered, without a property.
///
/// # Panics
/// If the text is no correct program.
pub fn lowered(text: &str) -> Program {
    let front = syntax::driver::Options::default();
    match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{failure}"),
    }
}

/// The text behind [`PRELUDE`] as analyses see it: assertions are error locations, memory is split.
///
/// # Panics
/// If the text is no correct program.
pub fn program(text: &str) -> Program {
    let program = lowered(&format!("{PRELUDE}{text}"));
    split_memory(&instrument(&program, &Property::assertions()))
}
