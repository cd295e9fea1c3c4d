//! Lowering: the typed tree becomes control-flow automata.
//!
//! Work is done on demand, beginning at the entry function: only functions, globals and string
//! literals that some lowered code mentions are lowered themselves, so that headers and library
//! models cost nothing until they are used.
//!
//! | file | idea |
//! |---|---|
//! | [`context`] | the program under construction: what exists, what is still to be lowered |
//! | [`graph`] | one function's automaton: building, cleaning, moving it into the program |
//! | [`frame`] | the state while one function is lowered: where control is, scopes, jumps |
//! | [`statement`] | statements, loops, switches, jumps |
//! | [`expression`] | values of expressions, and their effects in C's order |
//! | [`condition`] | truth values and branching |
//! | [`place`] | lvalues, bit-fields, reading and writing them |
//! | [`initialiser`] | flattened initialisers |
//! | [`call`] | calls: direct, through pointers, variadic, of records |
//! | [`builtin`] | the compiler's own functions |
//! | [`effects`] | what evaluating an expression may change; which expressions cannot fail |
//! | [`guarded`] | conditional evaluation without control flow |
//! | [`scope`], [`scoped`] | what names at a place stand for; expressions read there from text |
//! | [`start`] | the generated entry function and stubs |
//! | [`uninitialised`] | which declarations need an arbitrary value |
//! | [`volatile`] | reads of what can change from outside |
//! | [`models`] | the functions of C's library |
//! | [`property`], [`undefined`], [`monitor`] | what must not happen as error locations |
//!
//! Laws that hold in the result:
//! - Records are never values. A record argument is passed as the address of the original, and the
//!   callee copies it first; a record result is written through a hidden first parameter.
//! - The arguments behind `...` lie in an array of 16-byte slots whose address is the hidden last
//!   parameter; a `va_list` holds the address of the next slot in its first bytes.
//! - A scalar variable whose address is never taken is a variable; all else is an object in memory,
//!   all of it in [`cfa::memory::RegionId::WHOLE`].
//! - Writes of volatile objects are ordinary ones, and so are reads unless an option says that they
//!   may change at any time.
//! - Where C leaves the order of evaluation open, operands go from left to right and arguments from
//!   right to left, as gcc does on x86.

mod abi;
mod builtin;
mod call;
mod condition;
mod context;
mod defined;
mod effects;
mod either;
mod expression;
mod finish;
mod frame;
mod graph;
mod guarded;
mod indirect;
pub mod initialised;
mod initialiser;
mod load;
pub mod models;
pub mod monitor;
mod outputs;
pub mod place;
pub mod property;
mod quiet;
mod reached;
mod scope;
mod scoped;
mod start;
mod statement;
#[cfg(test)]
mod tests;
pub mod undefined;
mod uninitialised;
mod units;
mod volatile;
mod written;

pub(crate) use call::{Actual, SLOT_BYTES};
pub(crate) use context::{Home, Shape};
pub(crate) use frame::FunctionLowering;
pub use load::{Loaded, load_program, load_text, load_with_tree};
pub use scope::{Named, Scope};
pub use scoped::{Claim, NEVER_USED, Tree};

use cfa::outside;
use cfa::program::Program;
use context::Context;
use finish::Parts;
use syntax::diagnostics::Diagnostic;
use syntax::driver::{Failure, on_large_stack};
use syntax::names::Names;
use syntax::source::SourceMap;
use syntax::typed::TypedProgram;

/// How to treat what the program text leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// The function where the program starts; `main` if absent.
    pub entry: Option<String>,
    /// Inline assembly that says that it changes memory changes nothing but its outputs, which get
    /// any value, instead of ending in "unsupported".
    pub havoc_asm: bool,
    /// A function without a body also changes what its pointer arguments point to.
    pub external_writes: bool,
    /// `malloc` and its kin may return null.
    pub malloc_may_fail: bool,
    /// What is volatile may change at any time: each read of it gives any value.
    pub volatile_any: bool,
    /// First and last addresses of memory-mapped devices: there lies no object, each read gives any
    /// value, and writes change nothing of the program.
    pub registers: Vec<(u64, u64)>,
    /// Keep functions that the entry function never reaches.
    pub all_functions: bool,
}

/// Lowers a checked program. The only errors are those of a missing or unsuitable entry function;
/// the texts then come back with them.
pub fn lower(
    typed: TypedProgram,
    sources: SourceMap,
    names: Names,
    options: &LowerOptions,
) -> Result<Program, Failure> {
    match lower_tree(&typed, names, options) {
        Ok(parts) => {
            let types = on_large_stack(|| {
                let TypedProgram { types, .. } = typed;
                types
            });
            let mut program = parts.into_program(types, sources);
            outside::add(&mut program);
            Ok(program)
        }
        Err(problem) => {
            on_large_stack(|| drop(typed));
            Err(Failure {
                sources,
                diagnostics: vec![problem],
            })
        }
    }
}

/// As [`lower`]; the tree is kept for expressions that are given as text later.
pub fn lower_keeping_tree(
    typed: TypedProgram,
    sources: SourceMap,
    names: Names,
    options: &LowerOptions,
) -> Result<(Program, Tree), Failure> {
    match lower_tree(&typed, names, options) {
        Ok(mut parts) => {
            let homes = std::mem::take(&mut parts.homes);
            let mut program = parts.into_program(typed.types.clone(), sources);
            outside::add(&mut program);
            let tree = Tree::new(typed, &program, homes, options);
            Ok((program, tree))
        }
        Err(problem) => {
            on_large_stack(|| drop(typed));
            Err(Failure {
                sources,
                diagnostics: vec![problem],
            })
        }
    }
}

fn lower_tree(
    typed: &TypedProgram,
    names: Names,
    options: &LowerOptions,
) -> Result<Parts, Diagnostic> {
    on_large_stack(|| {
        let mut context = Context::new(typed, names, options);
        let entry = context.find_entry()?;
        start::lower_everything(&mut context, entry);
        Ok(context.finish())
    })
}
