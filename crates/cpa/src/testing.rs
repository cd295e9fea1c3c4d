//! Programs for the tests.

use cfa::lower::{LowerOptions, load_text};
use cfa::program::Program;
use cfa::property::{Property, instrument};
use cfa::regions::split_memory;

/// A program text as analyses see it.
pub fn program(text: &str) -> Program {
    let prelude = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
                   extern unsigned __VERIFIER_nondet_uint(void); extern float __VERIFIER_nondet_float(void);\n\
                   extern char __VERIFIER_nondet_char(void); extern long __VERIFIER_nondet_long(void);\n\
                   extern void __VERIFIER_assume(int); extern void abort(void);\n";
    let text = format!("{prelude}{text}");
    let front = syntax::driver::Options::default();
    match load_text("test.c", &text, &front, &LowerOptions::default()) {
        Ok(loaded) => split_memory(&instrument(&loaded.program, &Property::assertions())),
        Err(failure) => panic!("{failure}"),
    }
}
