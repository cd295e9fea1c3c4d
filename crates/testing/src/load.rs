//! C text as a program.

use cfa::program::Program;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, Tree, load_text, load_with_tree};
use std::sync::atomic::{AtomicU32, Ordering};
use syntax::driver::Options;
use syntax::types::DataModel;
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
    let front = Options::default();
    match load_text("test.c", text, &front, &LowerOptions::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{failure}"),
    }
}

/// As [`lowered`] for a text of its own; the tree is kept for expressions that are given as text.
///
/// # Panics
/// If the text is no correct program, or cannot be written to the temporary folder.
pub fn with_tree(text: &str, data_model: DataModel) -> (Program, Tree) {
    // Tests run in one process: the name must be new for each call.
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    let name = format!("concord-tree-{}-{number}.i", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).expect("the temporary folder can be written");
    let front = Options {
        data_model,
        ..Options::default()
    };
    let files = std::slice::from_ref(&path);
    let loaded = load_with_tree(files, &front, &LowerOptions::default());
    std::fs::remove_file(&path).expect("it was just written");
    match loaded {
        Ok((loaded, tree)) => (loaded.program, tree),
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
